// Windows of Wayland whose compositor reads nothing, reads again and is gone. It needs windowlibrary.c as libwayland-client.so.0, and
// exits with 0 if no call waits for ever and each has the right result.
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../wayland.h"

#define EXPECT(x, want) do { int got_ = (x); if (got_ != (want)) { fprintf(stderr, "line %d: %s = %d\n", __LINE__, #x, got_); return 1; } } while (0)

int main(void)
{
	int ends[2], surface = 0;
	char bytes[4096] = { 0 };
	alarm(60); // the bound of a wait without an end
	EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	struct wayland_window *w = wayland_open(&ends[0], &surface);
	EXPECT(!!w, 1);
	struct wayland_buffer *b = wayland_buffer(w, 0, 4, 4);
	EXPECT(!!b, 1);
	EXPECT(wayland_show(w, b), 1);
	EXPECT(wayland_busy(b) && wayland_waiting(w), 1);

	while (send(ends[0], bytes, 1, MSG_DONTWAIT) > 0) // the compositor reads nothing
		;
	EXPECT(wayland_show(w, b), 1);
	EXPECT(wayland_wait(w, 0), 1);
	EXPECT(wayland_wait(w, 20), 1);

	EXPECT(send(ends[1], bytes, 1, 0), 1); // it sends an event, and reads nothing
	EXPECT(wayland_wait(w, 1000), 1);
	EXPECT(recv(ends[0], bytes, 1, MSG_DONTWAIT), -1);

	while (recv(ends[1], bytes, sizeof bytes, MSG_DONTWAIT) > 0) // it reads all
		;
	EXPECT(wayland_wait(w, 0), 1);
	EXPECT(recv(ends[1], bytes, 1, MSG_DONTWAIT), 1);
	EXPECT(wayland_show(w, b), 1);

	close(ends[1]); // it is gone
	EXPECT(wayland_show(w, b), 0);
	EXPECT(wayland_wait(w, 0), 0);
	wayland_free(b);
	wayland_close(w);
	return 0;
}
