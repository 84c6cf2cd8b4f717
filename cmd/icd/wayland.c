#define _GNU_SOURCE
#include "wayland.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The library has the connection and its objects, which only its functions can use: the driver loads it by name and so gets the
// copy of the application. The types of its arguments are those of its interface (wayland-client-core.h).

// argument is wl_argument: an argument of a request.
union argument {
	int32_t i;
	uint32_t u;
	const char *s;
	void *object;
};

typedef void (*handler)(void);

// The functions and the descriptions of interfaces, by name.
#define FUNCTIONS(F)                                                                                                       \
	F(void *, wl_display_create_queue, (void *display))                                                                    \
	F(void, wl_event_queue_destroy, (void *queue))                                                                         \
	F(int, wl_display_roundtrip_queue, (void *display, void *queue))                                                       \
	F(int, wl_display_prepare_read_queue, (void *display, void *queue))                                                    \
	F(int, wl_display_dispatch_queue_pending, (void *display, void *queue))                                                \
	F(int, wl_display_read_events, (void *display))                                                                        \
	F(void, wl_display_cancel_read, (void *display))                                                                       \
	F(int, wl_display_flush, (void *display))                                                                              \
	F(int, wl_display_get_fd, (void *display))                                                                             \
	F(void *, wl_proxy_create_wrapper, (void *proxy))                                                                      \
	F(void, wl_proxy_wrapper_destroy, (void *proxy))                                                                       \
	F(void, wl_proxy_set_queue, (void *proxy, void *queue))                                                                \
	F(int, wl_proxy_add_listener, (void *proxy, handler *handlers, void *data))                                            \
	F(void, wl_proxy_marshal_array, (void *proxy, uint32_t opcode, union argument *arguments))                             \
	F(void *, wl_proxy_marshal_array_constructor, (void *proxy, uint32_t opcode, union argument *arguments, const void *)) \
	F(void *, wl_proxy_marshal_array_constructor_versioned,                                                                \
	  (void *proxy, uint32_t opcode, union argument *arguments, const void *, uint32_t version))                           \
	F(void, wl_proxy_destroy, (void *proxy))
#define INTERFACES(I) \
	I(wl_registry_interface) I(wl_shm_interface) I(wl_shm_pool_interface) I(wl_buffer_interface) I(wl_callback_interface)

#define DECLARE_FUNCTION(result, name, parameters) static result(*name) parameters;
#define DECLARE_INTERFACE(name) static const void *name;
FUNCTIONS(DECLARE_FUNCTION)
INTERFACES(DECLARE_INTERFACE)

static int loaded;

static void load(void)
{
	void *library = dlopen("libwayland-client.so.0", RTLD_NOW | RTLD_LOCAL); // it stays loaded
	if (!library)
		return;
	int all = 1;
#define LOAD_FUNCTION(result, name, parameters) all &= !!(*(void **)&name = dlsym(library, #name));
#define LOAD_INTERFACE(name) all &= !!(name = dlsym(library, #name));
	FUNCTIONS(LOAD_FUNCTION)
	INTERFACES(LOAD_INTERFACE)
	loaded = all;
}

// The numbers of requests in the protocol.
enum {
	display_get_registry = 1,
	registry_bind = 0,
	shm_create_pool = 0,
	pool_create_buffer = 0,
	pool_destroy = 1,
	buffer_destroy = 0,
	surface_attach = 1,
	surface_damage = 2,
	surface_frame = 3,
	surface_commit = 6,
};

// format_xrgb is the format of pixels that every compositor has: blue, green, red and a byte without a meaning.
enum { format_xrgb = 1, bytes_per_pixel = 4 };

struct wayland_window {
	void *display; // the application's
	void *queue;   // of the events for the objects below: the application never handles them
	void *surface; // a wrapper of the application's
	void *shm;
	void *frame; // the callback that asks for another frame; null if it came
};

struct wayland_buffer {
	void *proxy;
	int busy;
};

static void on_global(void *data, void *registry, uint32_t name, const char *interface, uint32_t version)
{
	struct wayland_window *w = data;
	(void)version;
	if (w->shm || strcmp(interface, "wl_shm"))
		return;
	union argument arguments[] = { { .u = name }, { .s = interface }, { .u = 1 }, { .object = 0 } };
	w->shm = wl_proxy_marshal_array_constructor_versioned(registry, registry_bind, arguments, wl_shm_interface, 1);
}

static void on_global_remove(void *data, void *registry, uint32_t name)
{
	(void)data, (void)registry, (void)name;
}

static void on_format(void *data, void *shm, uint32_t format)
{
	(void)data, (void)shm, (void)format;
}

static void on_done(void *data, void *callback, uint32_t time)
{
	struct wayland_window *w = data;
	(void)time;
	wl_proxy_destroy(callback);
	w->frame = 0;
}

static void on_release(void *data, void *proxy)
{
	(void)proxy;
	((struct wayland_buffer *)data)->busy = 0;
}

static handler on_registry[] = { (handler)on_global, (handler)on_global_remove };
static handler on_shm[] = { (handler)on_format };
static handler on_frame[] = { (handler)on_done };
static handler on_buffer[] = { (handler)on_release };

// find_shm binds the object that makes buffers.
static void find_shm(struct wayland_window *w)
{
	void *display = wl_proxy_create_wrapper(w->display);
	if (!display)
		return;
	wl_proxy_set_queue(display, w->queue);
	union argument fresh = { .object = 0 };
	void *registry = wl_proxy_marshal_array_constructor(display, display_get_registry, &fresh, wl_registry_interface);
	wl_proxy_wrapper_destroy(display);
	if (!registry)
		return;
	wl_proxy_add_listener(registry, on_registry, w);
	wl_display_roundtrip_queue(w->display, w->queue);
	wl_proxy_destroy(registry);
	if (w->shm)
		wl_proxy_add_listener(w->shm, on_shm, 0);
}

struct wayland_window *wayland_open(void *display, void *surface)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, load);
	if (!loaded || !display || !surface)
		return 0;
	struct wayland_window *w = calloc(1, sizeof *w);
	if (!w)
		return 0;
	w->display = display;
	w->queue = wl_display_create_queue(display);
	if (w->queue)
		find_shm(w);
	if (w->shm)
		w->surface = wl_proxy_create_wrapper(surface);
	if (!w->surface) {
		wayland_close(w);
		return 0;
	}
	wl_proxy_set_queue(w->surface, w->queue);
	return w;
}

void wayland_close(struct wayland_window *w)
{
	if (w->frame)
		wl_proxy_destroy(w->frame);
	if (w->surface)
		wl_proxy_wrapper_destroy(w->surface);
	if (w->shm)
		wl_proxy_destroy(w->shm);
	if (w->queue)
		wl_event_queue_destroy(w->queue);
	free(w);
}

struct wayland_buffer *wayland_buffer(struct wayland_window *w, int32_t file, int32_t width, int32_t height)
{
	struct wayland_buffer *b = calloc(1, sizeof *b);
	if (!b)
		return 0;
	int32_t row = width * bytes_per_pixel;
	union argument pool_arguments[] = { { .object = 0 }, { .i = file }, { .i = row * height } };
	void *pool = wl_proxy_marshal_array_constructor(w->shm, shm_create_pool, pool_arguments, wl_shm_pool_interface);
	if (pool) {
		union argument arguments[] = { { .object = 0 }, { .i = 0 }, { .i = width }, { .i = height }, { .i = row }, { .u = format_xrgb } };
		b->proxy = wl_proxy_marshal_array_constructor(pool, pool_create_buffer, arguments, wl_buffer_interface);
		wl_proxy_marshal_array(pool, pool_destroy, arguments); // the memory lives as long as its buffers
		wl_proxy_destroy(pool);
	}
	if (!b->proxy) {
		free(b);
		return 0;
	}
	wl_proxy_add_listener(b->proxy, on_buffer, b);
	return b;
}

void wayland_free(struct wayland_buffer *b)
{
	union argument none = { 0 };
	wl_proxy_marshal_array(b->proxy, buffer_destroy, &none);
	wl_proxy_destroy(b->proxy);
	free(b);
}

int wayland_busy(const struct wayland_buffer *b) { return b->busy; }

int wayland_waiting(const struct wayland_window *w) { return !!w->frame; }

// show_milliseconds bounds the wait of wayland_show for a compositor that reads nothing.
enum { show_milliseconds = 100 };

enum flushed {
	broken,  // there is no connection any more
	partial, // the socket is full: the library has the other requests, and sends them with later ones
	whole,
};

// flush sends the requests, and does not wait for the compositor.
static enum flushed flush(struct wayland_window *w)
{
	return wl_display_flush(w->display) >= 0 ? whole : errno == EAGAIN ? partial : broken;
}

int wayland_show(struct wayland_window *w, struct wayland_buffer *b)
{
	union argument attach[] = { { .object = b->proxy }, { .i = 0 }, { .i = 0 } };
	union argument damage[] = { { .i = 0 }, { .i = 0 }, { .i = INT32_MAX }, { .i = INT32_MAX } };
	union argument none = { 0 };
	wl_proxy_marshal_array(w->surface, surface_attach, attach);
	wl_proxy_marshal_array(w->surface, surface_damage, damage);
	if (!w->frame) {
		w->frame = wl_proxy_marshal_array_constructor(w->surface, surface_frame, &none, wl_callback_interface);
		if (w->frame)
			wl_proxy_add_listener(w->frame, on_frame, w);
	}
	wl_proxy_marshal_array(w->surface, surface_commit, &none);
	b->busy = 1;
	enum flushed sent = flush(w);
	if (sent == partial) {
		struct pollfd p = { .fd = wl_display_get_fd(w->display), .events = POLLOUT };
		poll(&p, 1, show_milliseconds);
		sent = flush(w);
	}
	return sent != broken;
}

int wayland_wait(struct wayland_window *w, int32_t milliseconds)
{
	if (wl_display_prepare_read_queue(w->display, w->queue) < 0) // there are events
		return wl_display_dispatch_queue_pending(w->display, w->queue) >= 0;
	enum flushed sent = flush(w);
	struct pollfd p = { .fd = wl_display_get_fd(w->display), .events = sent == partial ? POLLIN | POLLOUT : POLLIN };
	int n = sent == broken ? 0 : poll(&p, 1, milliseconds);
	if (n <= 0 || p.revents == POLLOUT) {
		int polled = n >= 0 || errno == EINTR;
		wl_display_cancel_read(w->display);
		return polled && flush(w) != broken;
	}
	if (wl_display_read_events(w->display) < 0)
		return 0;
	return wl_display_dispatch_queue_pending(w->display, w->queue) >= 0;
}
