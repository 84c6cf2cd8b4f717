#define _GNU_SOURCE
#include "icd.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { chunk_bytes = 64 << 10 };

// none is the number of no command.
enum { none = UINT32_MAX };

void *grow(struct dispatch *d, uint32_t number, size_t size)
{
	if (size > UINT32_MAX) {
		d->exhausted = 1;
		return 0;
	}
	struct chunk *c = d->last ? d->last->next : d->first;
	if (!c || c->size < size) {
		size_t n = size > chunk_bytes ? size : chunk_bytes;
		struct chunk *fresh = malloc(sizeof *fresh + n + sizeof(struct head));
		if (!fresh) {
			d->exhausted = 1;
			return 0;
		}
		fresh->next = c;
		fresh->size = n;
		if (d->last)
			d->last->next = fresh;
		else
			d->first = fresh;
		c = fresh;
	}
	if (d->last)
		((struct head *)d->next)->number = 0; // ends the chunk before
	d->last = c;
	struct head *h = (struct head *)(c + 1);
	d->next = (char *)h + size;
	d->end = (char *)h + c->size;
	h->number = number;
	h->size = (uint32_t)size;
	return h + 1;
}

struct dispatch *new_dispatch(void)
{
	return calloc(1, sizeof(struct dispatch));
}

void free_dispatch(struct dispatch *d)
{
	for (struct chunk *c = d->first, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	free(d);
}

// find returns the entry point of a command, or null: Go knows the names, and what the object of the handle has.
static entry find(uint32_t level, const void *handle, const char *name)
{
	struct {
		uint32_t level;
		const void *handle;
		const char *name;
	} args = { level, handle, name };
	uintptr_t number = running() ? call_go(0, &args) : 0;
	return number ? entries[number] : 0;
}

#define EXPORT __attribute__((visibility("default")))

EXPORT entry vk_icdGetInstanceProcAddr(const void *instance, const char *name);
EXPORT entry vk_icdGetPhysicalDeviceProcAddr(const void *instance, const char *name);
EXPORT int32_t vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);

static entry get_device_proc_addr(const void *device, const char *name)
{
	if (name && !strcmp(name, "vkGetDeviceProcAddr"))
		return (entry)get_device_proc_addr;
	return name ? find(3, device, name) : 0;
}

static entry get_instance_proc_addr(const void *instance, const char *name)
{
	return vk_icdGetInstanceProcAddr(instance, name);
}

// The versions of the interface: from 7 on the loader gets the entry points below by vk_icdGetInstanceProcAddr as well.
enum { offered = 7 };
static uint32_t interface_version = 0;

entry vk_icdGetInstanceProcAddr(const void *instance, const char *name)
{
	if (!name)
		return 0;
	if (!strcmp(name, "vkGetInstanceProcAddr"))
		return (entry)get_instance_proc_addr;
	if (!strcmp(name, "vkGetDeviceProcAddr"))
		return (entry)get_device_proc_addr;
	if (!strcmp(name, "vk_icdNegotiateLoaderICDInterfaceVersion"))
		return (entry)vk_icdNegotiateLoaderICDInterfaceVersion;
	if (!strcmp(name, "vk_icdGetPhysicalDeviceProcAddr"))
		return (entry)vk_icdGetPhysicalDeviceProcAddr;
	return find(instance ? 1 : 0, instance, name);
}

entry vk_icdGetPhysicalDeviceProcAddr(const void *instance, const char *name)
{
	return name ? find(2, instance, name) : 0;
}

int32_t vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	if (!running())
		return out_of_host_memory;
	if (*version > offered)
		*version = offered;
	interface_version = *version;
	return 0;
}

uint32_t negotiated(void) { return interface_version; }

// call_messenger and call_reporter run callbacks of the application: PFN_vkDebugUtilsMessengerCallbackEXT and
// PFN_vkDebugReportCallbackEXT. Their results are for layers.
void call_messenger(void *callback, uint32_t severity, uint32_t types, void *data, uintptr_t user)
{
	((uint32_t (*)(uint32_t, uint32_t, const void *, void *))callback)(severity, types, data, (void *)user);
}

// call_memory runs a callback of the application, PFN_vkDeviceMemoryReportCallbackEXT.
void call_memory(void *callback, void *data, uintptr_t user)
{
	((void (*)(const void *, void *))callback)(data, (void *)user);
}

void call_reporter(void *callback, uint32_t flags, uint32_t kind, uint64_t object, size_t location, int32_t code, char *prefix, char *message, uintptr_t user)
{
	((uint32_t (*)(uint32_t, uint32_t, uint64_t, size_t, int32_t, const char *, const char *, void *))callback)(flags, kind, object, location, code, prefix, message, (void *)user);
}

__thread int visited;

// The Go runtime sets SA_ONSTACK for the handlers that the application has installed before, and gives a thread without an
// alternate signal stack one of 32 KB on its heap, without a guard page. A thread that calls Go gets a larger one first.
enum { signal_stack_bytes = 512 << 10, guard_bytes = 64 << 10 };
static pthread_key_t signal_stacks; // the value is the mapping

static void free_signal_stack(void *mapping)
{
	stack_t none = { .ss_flags = SS_DISABLE }, now;
	if (!sigaltstack(0, &now) && now.ss_sp == (char *)mapping + guard_bytes)
		sigaltstack(&none, 0);
	munmap(mapping, guard_bytes + signal_stack_bytes);
}

static void make_signal_stack(void)
{
	stack_t now;
	if (sigaltstack(0, &now) || !(now.ss_flags & SS_DISABLE))
		return; // the application's
	char *mapping = mmap(0, guard_bytes + signal_stack_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mapping == MAP_FAILED)
		return;
	stack_t fresh = { .ss_sp = mapping + guard_bytes, .ss_size = signal_stack_bytes };
	if (mprotect(fresh.ss_sp, signal_stack_bytes, PROT_READ | PROT_WRITE) || pthread_setspecific(signal_stacks, mapping)) {
		munmap(mapping, guard_bytes + signal_stack_bytes);
		return;
	}
	sigaltstack(&fresh, 0);
}

// The Go runtime unblocks signals in a thread that calls it for the first time, and keeps them unblocked: among them SIGCHLD, for
// which an application may wait with sigwait or signalfd. The mask is restored, except for the signals of faults, which become
// panics in Go.
uintptr_t call_go_first(uint32_t number, void *args)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
	sigset_t all, mask;
	sigfillset(&all);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		sigdelset(&all, faults[i]);
	pthread_sigmask(SIG_BLOCK, &all, &mask); // no handler runs while the stack of the goroutine is small
	make_signal_stack();
	chiaro_call(none, 0); // only enters Go, and grows the stack
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		sigdelset(&mask, faults[i]);
	pthread_sigmask(SIG_SETMASK, &mask, 0);
	visited = 1;
	return chiaro_call(number, args);
}

// The threads of the Go runtime inherit the signal mask of the thread that loads the library. Asynchronous signals are blocked
// while the runtime starts, so that the application's handlers never run on the small stacks of goroutines in its threads.
static sigset_t before;

__attribute__((constructor(101))) static void block_signals(void)
{
	static const int keep[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGURG, SIGPROF, SIGSYS };
	sigset_t all;
	sigfillset(&all);
	for (size_t i = 0; i < sizeof keep / sizeof *keep; i++)
		sigdelset(&all, keep[i]);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pthread_key_create(&signal_stacks, free_signal_stack);
}

__attribute__((constructor)) static void restore_signals(void)
{
	pthread_sigmask(SIG_SETMASK, &before, 0);
}
