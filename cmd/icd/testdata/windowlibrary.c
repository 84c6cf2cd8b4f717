// A client library of Wayland for window.c: a display is the number of a socket, each flush sends a byte to it, and the only global
// object is wl_shm.
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

typedef void (*handler)(void);

const char wl_registry_interface[1], wl_shm_interface[1], wl_shm_pool_interface[1], wl_buffer_interface[1], wl_callback_interface[1];

static char object;
static handler *registry_handlers;
static void *registry_data;

void *wl_display_create_queue(void *display) { (void)display; return &object; }
void wl_event_queue_destroy(void *queue) { (void)queue; }
int wl_display_get_fd(void *display) { return *(int *)display; }
int wl_display_flush(void *display) { return (int)send(*(int *)display, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL); }
int wl_display_prepare_read_queue(void *display, void *queue) { (void)display, (void)queue; return 0; }
int wl_display_dispatch_queue_pending(void *display, void *queue) { (void)display, (void)queue; return 0; }
int wl_display_read_events(void *display)
{
	char bytes[64];
	return (int)recv(*(int *)display, bytes, sizeof bytes, MSG_DONTWAIT);
}
void wl_display_cancel_read(void *display) { (void)display; errno = 0; }
int wl_display_roundtrip_queue(void *display, void *queue)
{
	(void)display, (void)queue;
	((void (*)(void *, void *, uint32_t, const char *, uint32_t))registry_handlers[0])(registry_data, &object, 1, "wl_shm", 1);
	return 0;
}
void *wl_proxy_create_wrapper(void *proxy) { return proxy; }
void wl_proxy_wrapper_destroy(void *proxy) { (void)proxy; }
void wl_proxy_set_queue(void *proxy, void *queue) { (void)proxy, (void)queue; }
int wl_proxy_add_listener(void *proxy, handler *handlers, void *data)
{
	(void)proxy;
	if (!registry_handlers)
		registry_handlers = handlers, registry_data = data;
	return 0;
}
void wl_proxy_marshal_array(void *proxy, uint32_t opcode, void *arguments) { (void)proxy, (void)opcode, (void)arguments; }
void *wl_proxy_marshal_array_constructor(void *proxy, uint32_t opcode, void *arguments, const void *interface)
{
	(void)proxy, (void)opcode, (void)arguments, (void)interface;
	return &object;
}
void *wl_proxy_marshal_array_constructor_versioned(void *proxy, uint32_t opcode, void *arguments, const void *interface, uint32_t version)
{
	(void)version;
	return wl_proxy_marshal_array_constructor(proxy, opcode, arguments, interface);
}
void wl_proxy_destroy(void *proxy) { (void)proxy; }
