// A Vulkan client without a loader: it opens the driver by itself and runs a kernel that stores ids times a factor, with commands
// that C records. Usage: client LIBRARY KERNEL.spv. It prints the times of calls and exits with 0 if all results are right.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/wait.h>
#include <vulkan/vulkan.h>

#define CHECK(x) do { VkResult r_ = (x); if (r_) { fprintf(stderr, "line %d: %s = %d\n", __LINE__, #x, r_); exit(1); } } while (0)
#define GET(name) PFN_##name name = (PFN_##name)get(instance, #name); if (!name) { fprintf(stderr, "no %s\n", #name); return 1; }

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e9 + t.tv_nsec; }

// A handler that needs 100 KB. The Go runtime sets SA_ONSTACK if it is installed before the library is loaded; installed later, it
// runs on the stack of the thread that receives the signal, which is a goroutine's in a call.
static volatile sig_atomic_t signals;
static void handler(int s)
{
	volatile char big[100000];
	for (size_t i = 0; i < sizeof big; i += 512) big[i] = (char)s;
	signals++;
}

int main(int argc, char **argv)
{
	if (argc < 3) return 2;
	signal(SIGALRM, handler);
	double begin = now();
	void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!library) { fprintf(stderr, "%s\n", dlerror()); return 1; }
	VkResult (*negotiate)(uint32_t *) = (VkResult (*)(uint32_t *))dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
	PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetInstanceProcAddr");
	uint32_t version = 9;
	CHECK(negotiate(&version));
	if (version != 7) { fprintf(stderr, "interface %u\n", version); return 1; }
	VkInstance instance = 0;
	GET(vkCreateInstance)
	VkApplicationInfo app = { VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1 };
	VkInstanceCreateInfo ici = { VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app };
	CHECK(vkCreateInstance(&ici, 0, &instance));
	printf("load and vkCreateInstance: %.2f ms\n", (now() - begin) / 1e6);
	GET(vkEnumeratePhysicalDevices) GET(vkCreateDevice) GET(vkGetDeviceQueue) GET(vkCreateBuffer) GET(vkGetBufferMemoryRequirements)
	GET(vkAllocateMemory) GET(vkBindBufferMemory) GET(vkMapMemory) GET(vkCreateShaderModule) GET(vkCreateDescriptorSetLayout)
	GET(vkCreatePipelineLayout) GET(vkCreateComputePipelines) GET(vkCreateDescriptorPool) GET(vkAllocateDescriptorSets)
	GET(vkUpdateDescriptorSets) GET(vkCreateCommandPool) GET(vkAllocateCommandBuffers) GET(vkBeginCommandBuffer) GET(vkEndCommandBuffer)
	GET(vkCmdBindPipeline) GET(vkCmdBindDescriptorSets) GET(vkCmdPushConstants) GET(vkCmdDispatch) GET(vkQueueSubmit)
	GET(vkCreateFence) GET(vkWaitForFences) GET(vkResetFences) GET(vkGetFenceStatus) GET(vkDestroyDevice) GET(vkDestroyInstance)
	GET(vkResetCommandBuffer)
	struct itimerval_ { long a, b, c, d; } every = { 0, 500, 0, 500 };
	extern int setitimer(int, const void *, void *);
	setitimer(0 /* ITIMER_REAL */, &every, 0);
	VkPhysicalDevice physical;
	uint32_t n = 1;
	CHECK(vkEnumeratePhysicalDevices(instance, &n, &physical));
	float priority = 1;
	VkDeviceQueueCreateInfo qi = { VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority };
	VkDeviceCreateInfo di = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &qi };
	VkDevice device;
	CHECK(vkCreateDevice(physical, &di, 0, &device));
	VkQueue queue;
	vkGetDeviceQueue(device, 0, 0, &queue);
	VkBufferCreateInfo bi = { VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 4096, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT };
	VkBuffer buffer;
	CHECK(vkCreateBuffer(device, &bi, 0, &buffer));
	VkMemoryRequirements mr;
	vkGetBufferMemoryRequirements(device, buffer, &mr);
	VkMemoryAllocateInfo ai = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = mr.size };
	VkDeviceMemory memory;
	CHECK(vkAllocateMemory(device, &ai, 0, &memory));
	CHECK(vkBindBufferMemory(device, buffer, memory, 0));
	uint32_t *words;
	CHECK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&words));
	static uint32_t code[4096];
	FILE *f = fopen(argv[2], "rb");
	if (!f) { perror(argv[2]); return 1; }
	VkShaderModuleCreateInfo mi = { VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = fread(code, 1, sizeof code, f), .pCode = code };
	VkShaderModule module;
	CHECK(vkCreateShaderModule(device, &mi, 0, &module));
	VkDescriptorSetLayoutBinding binding = { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, 0 };
	VkDescriptorSetLayoutCreateInfo si = { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding };
	VkDescriptorSetLayout setLayout;
	CHECK(vkCreateDescriptorSetLayout(device, &si, 0, &setLayout));
	VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, 4 };
	VkPipelineLayoutCreateInfo li = { VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &setLayout, .pushConstantRangeCount = 1, .pPushConstantRanges = &range };
	VkPipelineLayout layout;
	CHECK(vkCreatePipelineLayout(device, &li, 0, &layout));
	VkComputePipelineCreateInfo pi = { VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout,
		.stage = { VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = "main" } };
	VkPipeline pipeline;
	CHECK(vkCreateComputePipelines(device, 0, 1, &pi, 0, &pipeline));
	VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 };
	VkDescriptorPoolCreateInfo dpi = { VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size };
	VkDescriptorPool pool;
	CHECK(vkCreateDescriptorPool(device, &dpi, 0, &pool));
	VkDescriptorSetAllocateInfo dai = { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool, .descriptorSetCount = 1, .pSetLayouts = &setLayout };
	VkDescriptorSet set;
	CHECK(vkAllocateDescriptorSets(device, &dai, &set));
	VkDescriptorBufferInfo dbi = { buffer, 0, VK_WHOLE_SIZE };
	VkWriteDescriptorSet write = { VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &dbi };
	vkUpdateDescriptorSets(device, 1, &write, 0, 0);
	VkCommandPoolCreateInfo cpi = { VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT };
	VkCommandPool commands;
	CHECK(vkCreateCommandPool(device, &cpi, 0, &commands));
	VkCommandBufferAllocateInfo cai = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = commands, .commandBufferCount = 1 };
	VkCommandBuffer c;
	CHECK(vkAllocateCommandBuffers(device, &cai, &c));
	VkFenceCreateInfo fi = { VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	VkFence fence;
	CHECK(vkCreateFence(device, &fi, 0, &fence));
	VkCommandBufferBeginInfo begins = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
	for (uint32_t factor = 1; factor <= 50; factor++) {
		if (factor == 25) signal(SIGALRM, handler); // without SA_ONSTACK
		CHECK(vkBeginCommandBuffer(c, &begins));
		for (uint32_t k = 0; k < 500; k++) { // many chunks; the last one counts
			uint32_t v = k == 499 ? factor : k;
			vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
			vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, 0);
			vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &v);
			vkCmdDispatch(c, 256, 1, 1);
		}
		CHECK(vkEndCommandBuffer(c));
		VkSubmitInfo submit = { VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c };
		CHECK(vkQueueSubmit(queue, 1, &submit, fence));
		CHECK(vkWaitForFences(device, 1, &fence, 1, UINT64_MAX));
		CHECK(vkResetFences(device, 1, &fence));
		for (uint32_t i = 0; i < 1024; i++)
			if (words[i] != i * factor) { fprintf(stderr, "factor %u: word %u is %u\n", factor, i, words[i]); return 1; }
	}
	const int times = 100000;
	CHECK(vkBeginCommandBuffer(c, &begins));
	begin = now();
	for (int i = 0; i < times; i++) vkCmdDispatch(c, 0, 0, 0);
	printf("vkCmdDispatch: %.1f ns\n", (now() - begin) / times);
	CHECK(vkResetCommandBuffer(c, 0));
	begin = now();
	for (int i = 0; i < times; i++) vkGetFenceStatus(device, fence);
	printf("vkGetFenceStatus: %.1f ns\n", (now() - begin) / times);
	pid_t child = fork();
	if (!child) { execl("/bin/true", "true", (char *)0); _exit(1); }
	int status;
	if (waitpid(child, &status, 0) != child || status) { fprintf(stderr, "a child with exec ended with %d\n", status); return 1; }
	struct itimerval_ never = { 0 };
	setitimer(0, &never, 0);
	vkDestroyDevice(device, 0);
	vkDestroyInstance(instance, 0);
	for (int i = 0; i < 50; i++) { // instances and devices again
		CHECK(vkCreateInstance(&ici, 0, &instance));
		n = 1;
		CHECK(vkEnumeratePhysicalDevices(instance, &n, &physical));
		CHECK(vkCreateDevice(physical, &di, 0, &device));
		vkDestroyDevice(device, 0);
		vkDestroyInstance(instance, 0);
	}
	dlclose(library);
	printf("%d signals, ok\n", (int)signals);
	return 0;
}
