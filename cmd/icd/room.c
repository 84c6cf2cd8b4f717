// Processes with little memory or few threads. The Go runtime ends the process when the system refuses memory or a thread. Where memory
// is limited (RLIMIT_AS, or a system that does not overcommit), the driver asks first: a command that makes something returns
// VK_ERROR_OUT_OF_HOST_MEMORY, and a process without the address space of the runtime has no driver. All other commands, and the
// collector, live on a reserve of memory and threads from the time before. The system has limits of threads everywhere (RLIMIT_NPROC,
// the processes of a control group), so that each process has the reserve of threads.
#define _GNU_SOURCE
#include "icd.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

// start_bytes is the address space that the runtime reserves when it starts, with the stacks and heaps of its threads.
// It has a thread for each processor when it collects: thread_bytes is for each processor more than few_processors.
// call_bytes is the memory of one command, and reserve_bytes that of the commands that are not refused: an arena of Go's heap, which
// has 64 MB, and some of the runtime's own tables.
enum { few_processors = 8 };
static const size_t start_bytes = (size_t)1536 << 20, thread_bytes = (size_t)16 << 20, call_bytes = (size_t)80 << 20, reserve_bytes = (size_t)96 << 20;

// started: 1 after the first thread of the runtime, -1 if the runtime is not to start.
static int started;

// strict reports whether the system counts memory that is mapped and not used (vm.overcommit_memory is 2).
static int strict;

void *__real_mmap(void *at, size_t n, int access, int flags, int file, off_t offset);
int __real_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *argument);

// map_room maps n bytes that nobody uses. They are writable only where the system counts that: elsewhere mlockall would give them pages.
static void *map_room(size_t n) { return __real_mmap(0, n, strict ? PROT_READ | PROT_WRITE : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

// free_space reports whether n bytes can be mapped.
static int free_space(size_t n)
{
	void *p = map_room(n);
	return p != MAP_FAILED && !munmap(p, n);
}

// processors returns the number of processors that the runtime uses: that of GOMAXPROCS, if set, else those that the process may run on.
static long processors(void)
{
	const char *set = getenv("GOMAXPROCS");
	long n = set ? atol(set) : 0;
	if (n > 0)
		return n;
	cpu_set_t own; // of 1,024 processors: the call fails where the system has more
	return sched_getaffinity(0, sizeof own, &own) ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&own);
}

// bytes_to_start returns the address space that the runtime needs to start.
static size_t bytes_to_start(long n)
{
	return n > few_processors && n < 1 << 16 ? start_bytes + (size_t)(n - few_processors) * thread_bytes : start_bytes;
}

static int limited(void)
{
	struct rlimit l;
	return strict || (!getrlimit(RLIMIT_AS, &l) && l.rlim_cur != RLIM_INFINITY);
}

// The reserve is memory without use. The linker gives the runtime __wrap_mmap for mmap: a mapping that the system refuses takes its
// bytes from the end of the reserve.
static char *reserve;
static size_t reserved;
static pthread_mutex_t reserve_lock = PTHREAD_MUTEX_INITIALIZER;

static void fill_reserve(void)
{
	if (__atomic_load_n(&reserved, __ATOMIC_RELAXED) == reserve_bytes)
		return;
	pthread_mutex_lock(&reserve_lock);
	if (reserved && reserved < reserve_bytes && !munmap(reserve, reserved))
		reserved = 0;
	if (!reserved) {
		void *p = map_room(reserve_bytes);
		if (p != MAP_FAILED) {
			reserve = p;
			reserved = reserve_bytes;
		}
	}
	pthread_mutex_unlock(&reserve_lock);
}

// credit is the number of commands of a thread that need no check. A check is good for checked_commands while taken is the same: the
// runtime tells of the memory and the threads that it takes. If the rest of the process takes memory meanwhile, the reserve has the
// bytes of a command.
enum { checked_commands = 64 };
static __thread int credit;
static __thread unsigned checked;
static unsigned taken;

static void take(void) { __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED); }

void *__wrap_mmap(void *at, size_t n, int access, int flags, int file, off_t offset)
{
	take();
	void *p = __real_mmap(at, n, access, flags, file, offset);
	if (p != MAP_FAILED || errno != ENOMEM)
		return p;
	pthread_mutex_lock(&reserve_lock);
	size_t pages = (n + 65535) & ~(size_t)65535;
	if (n <= reserved && pages <= reserved && !munmap(reserve + (reserved - pages), pages)) {
		__atomic_store_n(&reserved, reserved - pages, __ATOMIC_RELAXED);
		p = __real_mmap(at, n, access, flags, file, offset);
	}
	pthread_mutex_unlock(&reserve_lock);
	return p;
}

// A thread of the runtime that the system refuses runs in a spare one, which waits since there was room. It has a stack of the same
// size, and all signals blocked, as the runtime makes its threads. The runtime has a thread for each processor, and one for each
// goroutine that waits in C or the system: so many threads wait, at least least_spares. Where addresses are limited there are no more,
// for their stacks. A command is refused if fewer than few_spares wait.
enum { least_spares = 8, extra_spares = 4, most_spares = 64, few_spares = 4 };
static int spares = least_spares;
static struct { void *(*run)(void *); void *argument; } waiting[most_spares];
static pthread_t made[most_spares]; // the idle ones at the start
static int idle, queued;
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t spare_wake = PTHREAD_COND_INITIALIZER;

static void *spare(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&spare_lock);
	while (!queued && started >= 0)
		pthread_cond_wait(&spare_wake, &spare_lock);
	if (!queued) {
		pthread_mutex_unlock(&spare_lock);
		return 0; // to end_spares
	}
	pthread_detach(pthread_self());
	queued--;
	void *(*run)(void *) = waiting[queued].run;
	void *argument = waiting[queued].argument;
	pthread_mutex_unlock(&spare_lock);
	return run(argument);
}

// take_spare runs a function in a spare thread; it returns 0 if there is none.
static int take_spare(void *(*run)(void *), void *argument)
{
	pthread_mutex_lock(&spare_lock);
	int found = idle > 0;
	if (found) {
		__atomic_store_n(&idle, idle - 1, __ATOMIC_RELAXED);
		waiting[queued].run = run;
		waiting[queued++].argument = argument;
		pthread_cond_signal(&spare_wake);
	}
	pthread_mutex_unlock(&spare_lock);
	return found;
}

// make_spares makes the spare threads that are missing, and returns their number.
static int make_spares(void)
{
	int n = __atomic_load_n(&idle, __ATOMIC_RELAXED);
	if (n == spares)
		return n;
	sigset_t all, mask;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	pthread_mutex_lock(&spare_lock);
	for (n = idle; n < spares && !__real_pthread_create(&made[n], 0, spare, 0); n++)
		;
	__atomic_store_n(&idle, n, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&spare_lock);
	pthread_sigmask(SIG_SETMASK, &mask, 0);
	return n;
}

// end_spares ends the spare threads of a process without the runtime: it may have no others for itself.
static void end_spares(void)
{
	pthread_mutex_lock(&spare_lock);
	started = -1;
	pthread_cond_broadcast(&spare_wake);
	pthread_mutex_unlock(&spare_lock);
	for (int i = 0; i < idle; i++)
		pthread_join(made[i], 0);
	idle = 0;
}

int room(void)
{
	unsigned now = __atomic_load_n(&taken, __ATOMIC_RELAXED);
	if (credit > 0 && checked == now) {
		credit--;
		return 1;
	}
	credit = 0;
	int threads = running() ? make_spares() : 0;
	if (threads < few_spares)
		return 0;
	if (!limited())
		;
	else if (free_space(call_bytes))
		fill_reserve();
	else {
		// Go collects its heap for the answer, which may need a thread for each of a few workers.
		size_t rest = __atomic_load_n(&reserved, __ATOMIC_RELAXED);
		return call_go(ask_heap, &rest) != 0;
	}
	if (threads == spares) {
		credit = checked_commands;
		checked = now;
	}
	return 1;
}

int running(void) { return __atomic_load_n(&started, __ATOMIC_ACQUIRE) > 0; }

// The linker gives the runtime this function for pthread_create; the runtime asks again 20 times after EAGAIN, and then ends the process.
// Without a spare thread the answer takes half a second, in which another thread or process may end. The first thread starts the
// runtime; without it, all entry points are null.
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *argument)
{
	static const struct timespec pause = { .tv_nsec = 5000000 };
	if (started < 0)
		return 0;
	take();
	int result = __real_pthread_create(t, a, run, argument);
	for (int i = 0; result == EAGAIN && started; i++) {
		if (take_spare(run, argument))
			result = 0;
		else if (i == 100)
			break;
		else {
			nanosleep(&pause, 0);
			result = __real_pthread_create(t, a, run, argument);
		}
	}
	if (!started && result)
		end_spares();
	else if (!started)
		__atomic_store_n(&started, 1, __ATOMIC_RELEASE);
	return started < 0 ? 0 : result;
}

__attribute__((constructor(101))) static void look(void)
{
	char c = 0;
	int f = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
	if (f >= 0) {
		strict = read(f, &c, 1) == 1 && c == '2';
		close(f);
	}
	long n = processors();
	if (limited()) {
		if (!free_space(bytes_to_start(n)))
			started = -1;
	} else if (n > least_spares - extra_spares)
		spares = n < most_spares - extra_spares ? (int)n + extra_spares : most_spares;
	if (started < 0)
		return;
	fill_reserve();
	if (make_spares() < spares)
		end_spares(); // nor are there threads for the runtime
}
