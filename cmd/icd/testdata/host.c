// Hosts that are hard for a library with a runtime of its own: each test is a process that uses the driver under one condition.
// Usage: host LIBRARY KERNEL.spv [TEST…]. Without a name it runs all tests, each in a process of its own, and exits with 0 if all
// of them end with 0 in time. LIBRARY2 of the environment is a copy of the library for the test with two runtimes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define CHECK(x) do { VkResult r_ = (x); if (r_) { fprintf(stderr, "line %d: %s = %d\n", __LINE__, #x, r_); exit(1); } } while (0)
#define NEED(x) do { if (!(x)) { fprintf(stderr, "line %d: %s is false\n", __LINE__, #x); exit(1); } } while (0)
#define GET(name) PFN_##name name = (PFN_##name)p->get(p->instance, #name); if (!name) { fprintf(stderr, "no %s\n", #name); exit(1); }

static const char *library, *kernel;

// program is an instance with a device and a kernel that stores ids times a factor.
typedef struct {
	void *handle;
	PFN_vkGetInstanceProcAddr get;
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	VkBuffer buffer;
	VkDeviceMemory memory;
	uint32_t *words;
	VkShaderModule module;
	VkDescriptorSetLayout sets;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkDescriptorPool pool;
	VkDescriptorSet set;
	VkCommandPool commands;
	VkCommandBuffer c;
	VkFence fence;
} program;

// load opens the library; it returns false if that fails.
static int load(program *p, const char *name)
{
	p->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!p->handle) { fprintf(stderr, "%s\n", dlerror()); return 0; }
	VkResult (*negotiate)(uint32_t *) = (VkResult (*)(uint32_t *))dlsym(p->handle, "vk_icdNegotiateLoaderICDInterfaceVersion");
	uint32_t version = 7;
	CHECK(negotiate(&version));
	p->get = (PFN_vkGetInstanceProcAddr)dlsym(p->handle, "vk_icdGetInstanceProcAddr");
	return p->get != 0;
}

// begin makes the instance and the device; it returns the first result that is not VK_SUCCESS.
static VkResult begin(program *p)
{
	const char *extensions[] = { "VK_KHR_surface", "VK_EXT_headless_surface" }, *device[] = { "VK_KHR_swapchain" };
	VkApplicationInfo app = { VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1 };
	VkInstanceCreateInfo ici = { VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app, .enabledExtensionCount = 2, .ppEnabledExtensionNames = extensions };
	p->instance = 0;
	GET(vkCreateInstance)
	VkResult r = vkCreateInstance(&ici, 0, &p->instance);
	if (r) return r;
	GET(vkEnumeratePhysicalDevices) GET(vkCreateDevice) GET(vkGetDeviceQueue)
	uint32_t n = 1;
	r = vkEnumeratePhysicalDevices(p->instance, &n, &p->physical);
	if (r) return r;
	float priority = 1;
	VkDeviceQueueCreateInfo qi = { VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority };
	VkDeviceCreateInfo di = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &qi, .enabledExtensionCount = 1, .ppEnabledExtensionNames = device };
	r = vkCreateDevice(p->physical, &di, 0, &p->device);
	if (r) return r;
	vkGetDeviceQueue(p->device, 0, 0, &p->queue);
	return VK_SUCCESS;
}

// build makes a buffer, the kernel and a command buffer.
static void build(program *p)
{
	GET(vkCreateBuffer) GET(vkAllocateMemory) GET(vkBindBufferMemory) GET(vkMapMemory) GET(vkCreateShaderModule) GET(vkCreateDescriptorSetLayout)
	GET(vkCreatePipelineLayout) GET(vkCreateComputePipelines) GET(vkCreateDescriptorPool) GET(vkAllocateDescriptorSets)
	GET(vkUpdateDescriptorSets) GET(vkCreateCommandPool) GET(vkAllocateCommandBuffers) GET(vkCreateFence)
	VkBufferCreateInfo bi = { VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 4096, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT };
	CHECK(vkCreateBuffer(p->device, &bi, 0, &p->buffer));
	VkMemoryAllocateInfo ai = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 4096 };
	CHECK(vkAllocateMemory(p->device, &ai, 0, &p->memory));
	CHECK(vkBindBufferMemory(p->device, p->buffer, p->memory, 0));
	CHECK(vkMapMemory(p->device, p->memory, 0, VK_WHOLE_SIZE, 0, (void **)&p->words));
	uint32_t code[1024];
	FILE *f = fopen(kernel, "rb");
	NEED(f);
	VkShaderModuleCreateInfo mi = { VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = fread(code, 1, sizeof code, f), .pCode = code };
	fclose(f);
	CHECK(vkCreateShaderModule(p->device, &mi, 0, &p->module));
	VkDescriptorSetLayoutBinding binding = { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, 0 };
	VkDescriptorSetLayoutCreateInfo si = { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding };
	CHECK(vkCreateDescriptorSetLayout(p->device, &si, 0, &p->sets));
	VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, 4 };
	VkPipelineLayoutCreateInfo li = { VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &p->sets, .pushConstantRangeCount = 1, .pPushConstantRanges = &range };
	CHECK(vkCreatePipelineLayout(p->device, &li, 0, &p->layout));
	VkComputePipelineCreateInfo pi = { VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = p->layout,
		.stage = { VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = p->module, .pName = "main" } };
	CHECK(vkCreateComputePipelines(p->device, 0, 1, &pi, 0, &p->pipeline));
	VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 };
	VkDescriptorPoolCreateInfo dpi = { VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size };
	CHECK(vkCreateDescriptorPool(p->device, &dpi, 0, &p->pool));
	VkDescriptorSetAllocateInfo dai = { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = p->pool, .descriptorSetCount = 1, .pSetLayouts = &p->sets };
	CHECK(vkAllocateDescriptorSets(p->device, &dai, &p->set));
	VkDescriptorBufferInfo dbi = { p->buffer, 0, VK_WHOLE_SIZE };
	VkWriteDescriptorSet write = { VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = p->set, .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &dbi };
	vkUpdateDescriptorSets(p->device, 1, &write, 0, 0);
	VkCommandPoolCreateInfo cpi = { VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT };
	CHECK(vkCreateCommandPool(p->device, &cpi, 0, &p->commands));
	VkCommandBufferAllocateInfo cai = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = p->commands, .commandBufferCount = 1 };
	CHECK(vkAllocateCommandBuffers(p->device, &cai, &p->c));
	VkFenceCreateInfo fi = { VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	CHECK(vkCreateFence(p->device, &fi, 0, &p->fence));
}

// work runs the kernel several times and compares the results.
static void work(program *p, uint32_t times)
{
	GET(vkBeginCommandBuffer) GET(vkEndCommandBuffer) GET(vkCmdBindPipeline) GET(vkCmdBindDescriptorSets) GET(vkCmdPushConstants)
	GET(vkCmdDispatch) GET(vkQueueSubmit) GET(vkWaitForFences) GET(vkResetFences)
	VkCommandBufferBeginInfo begins = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
	for (uint32_t factor = 1; factor <= times; factor++) {
		CHECK(vkBeginCommandBuffer(p->c, &begins));
		vkCmdBindPipeline(p->c, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipeline);
		vkCmdBindDescriptorSets(p->c, VK_PIPELINE_BIND_POINT_COMPUTE, p->layout, 0, 1, &p->set, 0, 0);
		vkCmdPushConstants(p->c, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &factor);
		vkCmdDispatch(p->c, 256, 1, 1);
		CHECK(vkEndCommandBuffer(p->c));
		VkSubmitInfo submit = { VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &p->c };
		CHECK(vkQueueSubmit(p->queue, 1, &submit, p->fence));
		CHECK(vkWaitForFences(p->device, 1, &p->fence, 1, UINT64_MAX));
		CHECK(vkResetFences(p->device, 1, &p->fence));
		for (uint32_t i = 0; i < 1024; i++) NEED(p->words[i] == i * factor);
	}
}

// present shows frames in a headless swapchain, and replaces it.
static void present(program *p, int frames)
{
	GET(vkCreateHeadlessSurfaceEXT) GET(vkDestroySurfaceKHR) GET(vkCreateSwapchainKHR) GET(vkDestroySwapchainKHR) GET(vkAcquireNextImageKHR)
	GET(vkQueuePresentKHR) GET(vkWaitForFences) GET(vkResetFences)
	VkHeadlessSurfaceCreateInfoEXT hi = { VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT };
	VkSurfaceKHR surface;
	CHECK(vkCreateHeadlessSurfaceEXT(p->instance, &hi, 0, &surface));
	VkSwapchainKHR chain = 0;
	for (int k = 0; k < 2; k++) {
		VkSwapchainCreateInfoKHR si = { VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR, .surface = surface, .minImageCount = 3, .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
			.imageExtent = { 64, 64 }, .imageArrayLayers = 1, .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
			.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR, .presentMode = VK_PRESENT_MODE_IMMEDIATE_KHR, .oldSwapchain = chain };
		VkSwapchainKHR old = chain;
		CHECK(vkCreateSwapchainKHR(p->device, &si, 0, &chain));
		if (old) vkDestroySwapchainKHR(p->device, old, 0);
		for (int i = 0; i < frames; i++) {
			uint32_t image;
			CHECK(vkAcquireNextImageKHR(p->device, chain, UINT64_MAX, 0, p->fence, &image));
			CHECK(vkWaitForFences(p->device, 1, &p->fence, 1, UINT64_MAX));
			CHECK(vkResetFences(p->device, 1, &p->fence));
			VkPresentInfoKHR pi = { VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, .swapchainCount = 1, .pSwapchains = &chain, .pImageIndices = &image };
			CHECK(vkQueuePresentKHR(p->queue, &pi));
		}
	}
	vkDestroySwapchainKHR(p->device, chain, 0);
	vkDestroySurfaceKHR(p->instance, surface, 0);
}

// end destroys all objects.
static void end(program *p)
{
	GET(vkDestroyBuffer) GET(vkFreeMemory) GET(vkDestroyShaderModule) GET(vkDestroyDescriptorSetLayout) GET(vkDestroyPipelineLayout) GET(vkDestroyPipeline)
	GET(vkDestroyDescriptorPool) GET(vkDestroyCommandPool) GET(vkDestroyFence) GET(vkDestroyDevice) GET(vkDestroyInstance)
	if (p->fence) {
		vkDestroyFence(p->device, p->fence, 0);
		vkDestroyCommandPool(p->device, p->commands, 0);
		vkDestroyDescriptorPool(p->device, p->pool, 0);
		vkDestroyPipeline(p->device, p->pipeline, 0);
		vkDestroyPipelineLayout(p->device, p->layout, 0);
		vkDestroyDescriptorSetLayout(p->device, p->sets, 0);
		vkDestroyShaderModule(p->device, p->module, 0);
		vkDestroyBuffer(p->device, p->buffer, 0);
		vkFreeMemory(p->device, p->memory, 0);
		p->fence = 0;
	}
	vkDestroyDevice(p->device, 0);
	vkDestroyInstance(p->instance, 0);
}

// whole uses a program from its begin to its end.
static void whole(program *p)
{
	CHECK(begin(p));
	build(p);
	work(p, 5);
	end(p);
}

static void loaded(program *p) { NEED(load(p, library)); }

// thread runs a function in a thread with a stack of a size.
static pthread_t thread(size_t stack, void *(*f)(void *), void *x)
{
	pthread_attr_t a;
	pthread_t t;
	pthread_attr_init(&a);
	NEED(!pthread_attr_setstacksize(&a, stack));
	NEED(!pthread_create(&t, &a, f, x));
	return t;
}

static void *useWhole(void *x) { whole(x); return 0; }

static void smallStacks(void)
{
	program p = { 0 };
	loaded(&p);
	pthread_join(thread(32 << 10, useWhole, &p), 0);
}

static void manyThreads(void)
{
	program shared = { 0 };
	loaded(&shared);
	pthread_t t[64];
	program p[COUNT(t)];
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < COUNT(t); i++) { p[i] = shared; t[i] = thread(128 << 10, useWhole, &p[i]); }
		for (size_t i = 0; i < COUNT(t); i++) pthread_join(t[i], 0);
	}
}

static void twoRuntimes(void)
{
	program p = { 0 }, q = { 0 };
	loaded(&p);
	NEED(load(&q, getenv("LIBRARY2")));
	NEED(p.get != q.get);
	CHECK(begin(&p)); CHECK(begin(&q));
	build(&p); build(&q);
	for (int i = 0; i < 20; i++) { work(&p, 3); work(&q, 3); }
	end(&p); end(&q);
}

static void unload(void)
{
	for (int i = 0; i < 5; i++) {
		program p = { 0 };
		loaded(&p);
		whole(&p);
		dlclose(p.handle);
	}
}

// A handler of the application's own faults, and one of a signal, both installed before the driver is loaded.
static volatile sig_atomic_t faults, alarms;
static sigjmp_buf *back;

static void onFault(int s) { (void)s; faults++; siglongjmp(*back, 1); }
static void onAlarm(int s) { volatile char big[30000]; big[s] = 1; alarms += big[s]; }

static void ownHandlers(void)
{
	sigjmp_buf b;
	back = &b;
	signal(SIGSEGV, onFault);
	signal(SIGALRM, onAlarm);
	program p = { 0 };
	loaded(&p);
	CHECK(begin(&p));
	build(&p);
	struct itimerspec every = { { 0, 300000 }, { 0, 300000 } };
	timer_t timer;
	NEED(!timer_create(CLOCK_MONOTONIC, 0, &timer));
	NEED(!timer_settime(timer, 0, &every, 0));
	for (int i = 0; i < 20; i++) {
		if (!sigsetjmp(b, 1)) *(volatile int *)8 = 1;
		work(&p, 2);
		if (i == 10) { signal(SIGSEGV, onFault); signal(SIGPROF, SIG_IGN); } // also after it
	}
	NEED(faults == 20 && alarms > 0);
	timer_delete(timer);
	end(&p);
}

static void forked(void)
{
	program p = { 0 };
	loaded(&p);
	CHECK(begin(&p));
	build(&p);
	work(&p, 2);
	for (int i = 0; i < 10; i++) {
		pid_t child = fork();
		if (!child) {
			if (i % 2) execl("/bin/true", "true", (char *)0);
			_exit(0);
		}
		int status;
		NEED(waitpid(child, &status, 0) == child && status == 0);
		work(&p, 2);
	}
	end(&p);
}

// A child that uses the driver before its parent does: the runtime begins in the child.
static void forkedFirst(void)
{
	pid_t child = fork();
	program p = { 0 };
	loaded(&p);
	whole(&p);
	if (!child) _exit(0);
	int status;
	NEED(waitpid(child, &status, 0) == child && status == 0);
}

static program last;
static void atExit(void) { work(&last, 3); end(&last); }

static void exitHandler(void)
{
	loaded(&last);
	CHECK(begin(&last));
	build(&last);
	atexit(atExit);
	exit(0);
}

// The process ends while the driver works.
static void exitBusy(void)
{
	program p = { 0 };
	loaded(&p);
	CHECK(begin(&p));
	build(&p);
	program other = p;
	thread(64 << 10, useWhole, &other);
	work(&p, 1);
	exit(0);
}

static void limit(int what, rlim_t n)
{
	struct rlimit l = { n, n };
	NEED(!setrlimit(what, &l));
}

static void fewFiles(void)
{
	program p = { 0 };
	limit(RLIMIT_NOFILE, 16);
	loaded(&p);
	whole(&p);
}

// No descriptor is left: calls fail or work, and nothing else happens.
static void noFiles(void)
{
	program p = { 0 };
	loaded(&p);
	limit(RLIMIT_NOFILE, 4);
	VkResult r = begin(&p);
	if (r) { fprintf(stderr, "begin = %d\n", r); return; }
	end(&p);
}

// limitMore limits the address space to what the process has and some megabytes.
static void limitMore(rlim_t megabytes)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	NEED(f && fscanf(f, "%ld", &pages) == 1);
	fclose(f);
	limit(RLIMIT_AS, (rlim_t)pages * 4096 + (megabytes << 20));
}

// 512 MB beyond what the process has after loading: memory is exhausted by allocations, which fail with a result.
static void littleMemory(void)
{
	program p = { 0 };
	loaded(&p);
	CHECK(begin(&p));
	limitMore(512);
	build(&p);
	PFN_vkAllocateMemory allocate = (PFN_vkAllocateMemory)p.get(p.instance, "vkAllocateMemory");
	PFN_vkFreeMemory release = (PFN_vkFreeMemory)p.get(p.instance, "vkFreeMemory");
	VkDeviceMemory list[64];
	int n = 0;
	VkResult r = VK_SUCCESS;
	for (; n < 64 && !r; n++) {
		VkMemoryAllocateInfo ai = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 32 << 20 };
		if ((r = allocate(p.device, &ai, 0, &list[n]))) break;
	}
	NEED(r == VK_ERROR_OUT_OF_DEVICE_MEMORY || r == VK_ERROR_OUT_OF_HOST_MEMORY);
	while (n > 0) release(p.device, list[--n], 0);
	work(&p, 3);
	end(&p);
}

// A process without the address space of the runtime has no driver: the library has no entry points, and nothing ends the process.
static void littleSpace(void)
{
	for (rlim_t megabytes = 100; megabytes <= 2500; megabytes += 150) {
		pid_t pid = fork();
		if (!pid) {
			limitMore(megabytes);
			void *handle = dlopen(library, RTLD_NOW);
			if (!handle) _exit(0);
			int32_t (*negotiate)(uint32_t *) = (int32_t (*)(uint32_t *))dlsym(handle, "vk_icdNegotiateLoaderICDInterfaceVersion");
			PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)dlsym(handle, "vk_icdGetInstanceProcAddr");
			NEED(negotiate && get);
			uint32_t version = 5;
			int32_t r = negotiate(&version);
			NEED(!r == !!get(0, "vkCreateInstance") && (!r || r == VK_ERROR_OUT_OF_HOST_MEMORY));
			_exit(0);
		}
		int status;
		NEED(waitpid(pid, &status, 0) == pid);
		if (status) fprintf(stderr, "%lu MB: status %x\n", (unsigned long)megabytes, status);
		NEED(!status);
	}
}

// The runtime has threads for many processors. It reads the environment that the process began with.
static void littleSpaceOfMany(void)
{
	NEED(!setenv("GOMAXPROCS", "128", 1));
	execl("/proc/self/exe", "host", library, kernel, "littleSpace", NULL);
	NEED(0);
}

// Objects use up the memory: the calls that make them return VK_ERROR_OUT_OF_HOST_MEMORY, and the program goes on after it has destroyed
// them.
static void manyObjects(void)
{
	program state = { 0 }, *p = &state;
	loaded(p);
	CHECK(begin(p));
	build(p);
	limitMore(400);
	GET(vkCreateQueryPool)
	GET(vkDestroyQueryPool)
	GET(vkCreateFence)
	static VkQueryPool pools[20000];
	VkQueryPoolCreateInfo qi = { VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_OCCLUSION, .queryCount = 1 << 16 };
	VkFenceCreateInfo fi = { VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	VkFence fence;
	VkResult r = VK_SUCCESS;
	size_t n = 0;
	while (n < COUNT(pools) && !(r = vkCreateQueryPool(p->device, &qi, 0, &pools[n]))) n++;
	NEED(r == VK_ERROR_OUT_OF_HOST_MEMORY && n > 0);
	NEED(vkCreateFence(p->device, &fi, 0, &fence) == VK_ERROR_OUT_OF_HOST_MEMORY);
	while (n > 0) vkDestroyQueryPool(p->device, pools[--n], 0);
	CHECK(vkCreateFence(p->device, &fi, 0, &fence));
	work(p, 3);
	end(p);
}

// dropPrivileges drops the rights beyond limits of the system, and takes a user without other processes. It returns 0 where the system
// has no such user.
static int dropPrivileges(void)
{
	struct { uint32_t version; int pid; } head = { 0x20080522, 0 };
	struct { uint32_t effective, permitted, inheritable; } data[2];
	if (getuid()) return 1;
	if (setresuid(65534, -1, -1)) return 0;
	NEED(!syscall(SYS_capget, &head, data));
	uint32_t remain = ~(1u << 21 | 1u << 24); // CAP_SYS_ADMIN, CAP_SYS_RESOURCE
	data[0].effective &= remain, data[0].permitted &= remain;
	NEED(!syscall(SYS_capset, &head, data));
	return 1;
}

static void *nothing(void *x) { return x; }

static pthread_barrier_t barrier;

// makePools makes and destroys pools of queries, which are memory of the runtime.
static void *makePools(void *x)
{
	program *p = x;
	GET(vkCreateQueryPool)
	GET(vkDestroyQueryPool)
	pthread_barrier_wait(&barrier);
	VkQueryPoolCreateInfo qi = { VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_OCCLUSION, .queryCount = 1 << 16 };
	for (int i = 0; i < 200; i++) {
		VkQueryPool pool;
		VkResult r = vkCreateQueryPool(p->device, &qi, 0, &pool);
		NEED(!r || r == VK_ERROR_OUT_OF_HOST_MEMORY);
		if (!r) vkDestroyQueryPool(p->device, pool, 0);
	}
	return 0;
}

// The system refuses all further threads: calls work or return VK_ERROR_OUT_OF_HOST_MEMORY, while the runtime collects.
static void noThreads(void)
{
	program state = { 0 }, *p = &state;
	loaded(p);
	CHECK(begin(p));
	build(p);
	work(p, 1);
	GET(vkQueueSubmit) GET(vkWaitForFences) GET(vkResetFences)
	pthread_barrier_init(&barrier, 0, 17);
	pthread_t t[16], none;
	for (size_t i = 0; i < COUNT(t); i++) t[i] = thread(1 << 20, makePools, p);
	int dropped = dropPrivileges();
	limit(RLIMIT_NPROC, 1);
	NEED(!dropped || pthread_create(&none, 0, nothing, 0) == EAGAIN);
	pthread_barrier_wait(&barrier);
	VkSubmitInfo submit = { VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &p->c };
	for (int i = 0; i < 100; i++) {
		memset(p->words, 0, 4096);
		VkResult r = vkQueueSubmit(p->queue, 1, &submit, p->fence);
		NEED(!r || r == VK_ERROR_OUT_OF_HOST_MEMORY);
		if (r) continue;
		CHECK(vkWaitForFences(p->device, 1, &p->fence, 1, UINT64_MAX));
		CHECK(vkResetFences(p->device, 1, &p->fence));
		for (uint32_t i = 0; i < 1024; i++) NEED(p->words[i] == i);
	}
	for (size_t i = 0; i < COUNT(t); i++) pthread_join(t[i], 0);
}

// hasThread reports whether the system has a thread, within a number of tries: it counts one that has ended for a moment.
static int hasThread(int tries)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	pthread_t t;
	for (; pthread_create(&t, 0, nothing, 0); nanosleep(&pause, 0))
		if (!--tries) return 0;
	return !pthread_join(t, 0);
}

// A process without the threads of the runtime has no driver, and has its threads for itself. The runtime has threads for many
// processors, and reads the environment that the process began with.
static void fewThreads(void)
{
	if (!getenv("GOMAXPROCS")) {
		NEED(!setenv("GOMAXPROCS", "32", 1));
		execl("/proc/self/exe", "host", library, kernel, "fewThreads", NULL);
		NEED(0);
	}
	for (rlim_t n = 1; n <= 60; n++) {
		pid_t pid = fork();
		if (!pid) {
			if (!dropPrivileges()) _exit(0);
			limit(RLIMIT_NPROC, n);
			int had = hasThread(1);
			void *handle = dlopen(library, RTLD_NOW);
			NEED(handle);
			VkResult (*negotiate)(uint32_t *) = (VkResult (*)(uint32_t *))dlsym(handle, "vk_icdNegotiateLoaderICDInterfaceVersion");
			uint32_t version = 5;
			VkResult r = negotiate(&version);
			NEED(!r || r == VK_ERROR_OUT_OF_HOST_MEMORY);
			if (r && had) NEED(hasThread(500));
			if (!r) {
				program p = { 0 };
				loaded(&p);
				r = begin(&p);
				NEED(!r || r == VK_ERROR_OUT_OF_HOST_MEMORY);
			}
			_exit(0);
		}
		int status;
		NEED(waitpid(pid, &status, 0) == pid);
		if (status) fprintf(stderr, "%lu threads: status %x\n", (unsigned long)n, status);
		NEED(!status);
	}
}

// The program itself uses up all memory, down to pages: calls that make something may fail, all others work.
static void noMemory(void)
{
	program state = { 0 }, *p = &state;
	loaded(p);
	CHECK(begin(p));
	build(p);
	GET(vkCreateFence)
	GET(vkDestroyFence)
	GET(vkWaitForFences)
	GET(vkGetPhysicalDeviceProperties)
	VkFence fences[64];
	VkFenceCreateInfo fi = { VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .flags = VK_FENCE_CREATE_SIGNALED_BIT };
	for (size_t i = 0; i < COUNT(fences); i++) CHECK(vkCreateFence(p->device, &fi, 0, &fences[i]));
	limitMore(256);
	static struct { void *at; size_t n; } taken[4096];
	size_t count = 0;
	for (size_t n = 1 << 28; n >= 4096; n /= 2)
		for (void *at; count < COUNT(taken) && (at = mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED; count++)
			taken[count].at = at, taken[count].n = n;
	VkFence none;
	VkPhysicalDeviceProperties properties;
	VkResult r = VK_SUCCESS;
	for (int i = 0; i < 1000000 && !r; i++) r = vkCreateFence(p->device, &fi, 0, &none);
	NEED(!r || r == VK_ERROR_OUT_OF_HOST_MEMORY);
	for (size_t i = 0; i < COUNT(fences); i++) {
		vkGetPhysicalDeviceProperties(p->physical, &properties);
		CHECK(vkWaitForFences(p->device, 1, &fences[i], VK_TRUE, UINT64_MAX));
		vkDestroyFence(p->device, fences[i], 0);
	}
	while (count-- > 0) munmap(taken[count].at, taken[count].n);
	work(p, 3);
	end(p);
}

// A sandbox as browsers have it: no new files, sockets and programs after the device exists.
static void sandbox(void)
{
	program p = { 0 };
	loaded(&p);
	CHECK(begin(&p));
	build(&p);
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#define DENY(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
		DENY(SYS_openat), DENY(SYS_socket), DENY(SYS_execve), DENY(SYS_ptrace), DENY(SYS_memfd_create), DENY(SYS_sched_setaffinity), DENY(SYS_prlimit64),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog all = { COUNT(f), f };
	NEED(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all));
	work(&p, 20);
	VkComputePipelineCreateInfo pi = { VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = p.layout,
		.stage = { VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = p.module, .pName = "main" } };
	PFN_vkCreateComputePipelines create = (PFN_vkCreateComputePipelines)p.get(p.instance, "vkCreateComputePipelines");
	VkPipeline before = p.pipeline;
	CHECK(create(p.device, 0, 1, &pi, 0, &p.pipeline));
	work(&p, 2);
	((PFN_vkDestroyPipeline)p.get(p.instance, "vkDestroyPipeline"))(p.device, before, 0);
	present(&p, 5);
	end(&p);
}

// Variables of a Go program that is the host, or its parent, change nothing.
static void goVariables(void)
{
	setenv("GODEBUG", "madvdontneed=1,gctrace=0,invalid=7", 1);
	setenv("GOGC", "1", 1);
	setenv("GOMAXPROCS", "1", 1);
	setenv("GOMEMLIMIT", "1", 1);
	setenv("GOTRACEBACK", "crash", 1);
	program p = { 0 };
	loaded(&p);
	whole(&p);
}

// The mask of a thread remains, but for the signals of faults: a blocked SIGCHLD can be waited for.
static void blockedSignals(void)
{
	sigset_t all, after, child;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, 0);
	program p = { 0 };
	loaded(&p);
	whole(&p);
	pthread_sigmask(SIG_SETMASK, 0, &after);
	for (int s = 1; s < 32; s++)
		NEED(sigismember(&after, s) || s == SIGKILL || s == SIGSTOP || s == SIGSEGV || s == SIGBUS || s == SIGFPE || s == SIGILL || s == SIGTRAP);
	// The threads of the runtime do not block SIGCHLD, so that a child that ends before the wait has no signal (docs/driver.md).
	if (!fork()) { usleep(100000); _exit(0); }
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	int s = 0;
	NEED(!sigwait(&child, &s) && s == SIGCHLD);
}

static long resident(void)
{
	long size, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	NEED(f && fscanf(f, "%ld %ld", &size, &pages) == 2);
	fclose(f);
	return pages * 4;
}

static int descriptors(void)
{
	int n = 0;
	for (int i = 0; i < 256; i++) if (fcntl(i, F_GETFD) >= 0) n++;
	return n;
}

// The memory of the process is flat while everything is made and destroyed. SOAK of the environment is the number of rounds.
static void soak(void)
{
	int rounds = getenv("SOAK") ? atoi(getenv("SOAK")) : 300;
	program p = { 0 };
	loaded(&p);
	long first = 0;
	int files = 0;
	for (int i = 0; i < rounds; i++) {
		CHECK(begin(&p));
		build(&p);
		work(&p, 2);
		present(&p, 3);
		end(&p);
		if (i == rounds / 3) { first = resident(); files = descriptors(); }
	}
	long now = resident();
	printf("soak: %d rounds, %ld KB after a third, %ld KB at the end\n", rounds, first, now);
	NEED(now < first + first / 5 + 4096);
	NEED(descriptors() <= files + 2);
}


static const struct { const char *name; void (*run)(void); } tests[] = {
	{ "smallStacks", smallStacks }, { "manyThreads", manyThreads }, { "twoRuntimes", twoRuntimes }, { "unload", unload }, { "ownHandlers", ownHandlers },
	{ "forked", forked }, { "forkedFirst", forkedFirst }, { "exitHandler", exitHandler }, { "exitBusy", exitBusy }, { "fewFiles", fewFiles }, { "noFiles", noFiles },
	{ "littleMemory", littleMemory }, { "littleSpace", littleSpace }, { "littleSpaceOfMany", littleSpaceOfMany }, { "manyObjects", manyObjects }, { "noMemory", noMemory }, { "noThreads", noThreads }, { "fewThreads", fewThreads }, { "sandbox", sandbox }, { "goVariables", goVariables }, { "blockedSignals", blockedSignals }, { "soak", soak },
};

// child runs a test in a process of its own; it returns 1 if the test fails.
static int child(char **argv, const char *name)
{
	pid_t pid = fork();
	if (!pid) {
		alarm(100); // a hang
		execl("/proc/self/exe", argv[0], library, kernel, name, (char *)0);
		_exit(127);
	}
	int status;
	if (waitpid(pid, &status, 0) != pid || status) {
		printf("%s: status %d, signal %d\n", name, status >> 8, status & 127);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 3) return 2;
	library = argv[1];
	kernel = argv[2];
	int failed = 0;
	for (size_t i = 0; i < COUNT(tests); i++) {
		if (argc == 3) failed |= child(argv, tests[i].name);
		else if (!strcmp(argv[3], tests[i].name)) { tests[i].run(); return 0; }
	}
	if (argc > 3) return 2;
	fflush(stdout);
	return failed;
}
