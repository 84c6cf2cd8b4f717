// Types of the C side of the driver. The Go side has mirrors of them in internal/abi.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// chunk is memory of recorded commands, which follow it.
struct chunk {
	struct chunk *next;
	size_t size; // bytes after the chunk, without the space for the record that ends it
};

// dispatch is the object behind a dispatchable handle.
struct dispatch {
	uintptr_t magic; // of the loader
	uint64_t id;
	struct chunk *first, *last;
	char *next, *end;
	uint32_t exhausted;
};

// head is the begin of a recorded command.
struct head {
	uint32_t number;
	uint32_t size;
};

typedef void (*entry)(void);

extern const entry entries[]; // by number of the command

// chiaro_call runs a command in Go. It is the only function that Go exports.
extern uintptr_t chiaro_call(uint32_t number, void *args);

// ask_heap is the number of no command: it asks whether Go's heap has room without more memory of the system. The argument points to
// the bytes of the reserve.
#define ask_heap (UINT32_MAX - 1)

// visited reports whether the thread has called Go. call_go_first is the first call of a thread.
extern __thread int visited;
uintptr_t call_go_first(uint32_t number, void *args);

static inline uintptr_t call_go(uint32_t number, const void *args)
{
	return visited ? chiaro_call(number, (void *)args) : call_go_first(number, (void *)args);
}

// room reports whether the process has memory for a command that makes something. running reports whether Go runs: it does not start
// without memory.
int room(void);
int running(void);
enum { out_of_host_memory = -1 }; // VK_ERROR_OUT_OF_HOST_MEMORY

// recordable reports whether a command that calls Go can be recorded. The end of the recording reports exhausted memory.
static inline int recordable(struct dispatch *d)
{
	return !d || (!d->exhausted && !(d->exhausted = !room()));
}

static inline size_t round8(size_t n) { return (n + 7) & ~(size_t)7; }

// grow returns the arguments of a new command of a command buffer whose last chunk is full, or null.
void *grow(struct dispatch *d, uint32_t number, size_t size);

// record returns the arguments of a new command of a command buffer, or null if there is no memory. A compiler that counts the calls
// would not inline it.
static inline __attribute__((always_inline)) void *record(struct dispatch *d, uint32_t number, size_t size)
{
	size += sizeof(struct head);
	struct head *h = (struct head *)d->next;
	if (!h || (size_t)(d->end - d->next) < size)
		return grow(d, number, size);
	d->next += size;
	h->number = number;
	h->size = (uint32_t)size;
	return h + 1;
}

// copy copies an array of the application to *p and returns the copy; null without bytes.
static inline const void *copy(char **p, const void *from, size_t n)
{
	if (!n)
		return 0;
	char *to = *p;
	memcpy(to, from, n);
	*p += round8(n);
	return to;
}
