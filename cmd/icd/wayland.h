// Windows of Wayland, by the client library of the application. The Go side is wsi.Wayland.
#pragma once

#include <stdint.h>

struct wayland_window;
struct wayland_buffer;

// wayland_open returns a window for a wl_display and a wl_surface of the application, or null.
struct wayland_window *wayland_open(void *display, void *surface);
void wayland_close(struct wayland_window *w);

// wayland_buffer returns a buffer of pixels over a file, row after row, or null.
struct wayland_buffer *wayland_buffer(struct wayland_window *w, int32_t file, int32_t width, int32_t height);
void wayland_free(struct wayland_buffer *b);

// wayland_busy reports whether the compositor may read a buffer.
int wayland_busy(const struct wayland_buffer *b);

// wayland_show shows a buffer. It returns 0 if the connection is broken.
int wayland_show(struct wayland_window *w, struct wayland_buffer *b);

// wayland_waiting reports whether the compositor has not asked for another frame since the last one.
int wayland_waiting(const struct wayland_window *w);

// wayland_wait handles events that are there or that arrive within a time. It returns 0 if the connection is broken.
int wayland_wait(struct wayland_window *w, int32_t milliseconds);
