/* A small Vulkan client: it reads compute modules and dispatches from its
 * standard input, runs each on the first device of the loader, and writes what
 * stands in the buffers afterwards. It judges nothing.
 *
 * All numbers are 32 bits in the machine's order.
 *   at first, out: length and bytes of the device's name, its subgroup size,
 *        the VkSubgroupFeatureFlags that it has in compute, and 1 if it has
 *        atomics of 64 bits in buffers
 *   then, for each module,
 *   in:  words n, n words; groups x y z; buffers b, then for each: binding,
 *        1 if it is uniform, size, bytes; size of the push constants, bytes; constants c, then the
 *        values of the specialization constants 0 to c−1
 *   out: 0 and the bytes of all buffers, or another VkResult and no bytes
 * All buffers are of descriptor set 0; the entry point is main. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { MAX_BUFFERS = 16, MAX_PUSH = 128, MAX_SPEC = 16 };

struct request {
	uint32_t words, *code;
	uint32_t groups[3];
	uint32_t buffers;
	struct { uint32_t binding, uniform, size; uint8_t *bytes; } buffer[MAX_BUFFERS];
	uint32_t push_size;
	uint8_t push[MAX_PUSH];
	uint32_t constants, constant[MAX_SPEC];
};

static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandPool commands;
static uint32_t family, memory_type;

static void fail(const char *what, int result)
{
	fprintf(stderr, "vkdiff client: %s failed with %d\n", what, result);
	exit(3);
}

static void must(VkResult r, const char *what)
{
	if (r != VK_SUCCESS)
		fail(what, r);
}

static int get(void *p, size_t n)
{
	return fread(p, 1, n, stdin) == n;
}

static uint32_t number(void)
{
	uint32_t n;
	if (!get(&n, sizeof n))
		fail("reading a request", 0);
	return n;
}

static void put(const void *p, size_t n)
{
	if (fwrite(p, 1, n, stdout) != n)
		fail("writing an answer", 0);
}

static void *bytes(size_t n)
{
	void *p = malloc(n ? n : 1);
	if (!p)
		fail("malloc", 0);
	return p;
}

/* open_device takes the first device with a compute queue, and enables every
 * feature of Vulkan 1.0 to 1.3 that it has. */
static void open_device(void)
{
	VkApplicationInfo app = { VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3 };
	VkInstanceCreateInfo ici = { VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app };
	VkInstance instance;
	must(vkCreateInstance(&ici, NULL, &instance), "vkCreateInstance");
	uint32_t n = 1;
	VkResult r = vkEnumeratePhysicalDevices(instance, &n, &physical);
	if (n == 0 || (r != VK_SUCCESS && r != VK_INCOMPLETE))
		fail("finding a device", r);

	VkPhysicalDeviceProperties props;
	vkGetPhysicalDeviceProperties(physical, &props);
	uint32_t length = strlen(props.deviceName);
	put(&length, sizeof length);
	put(props.deviceName, length);

	VkQueueFamilyProperties families[16];
	n = 16;
	vkGetPhysicalDeviceQueueFamilyProperties(physical, &n, families);
	for (family = 0; family < n && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT); family++)
		;
	if (family == n)
		fail("finding a compute queue", 0);

	VkPhysicalDeviceVulkan13Features f13 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES };
	VkPhysicalDeviceVulkan12Features f12 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &f13 };
	VkPhysicalDeviceVulkan11Features f11 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &f12 };
	VkPhysicalDeviceFeatures2 features = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &f11 };
	vkGetPhysicalDeviceFeatures2(physical, &features);
	VkPhysicalDeviceSubgroupProperties groups = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES };
	VkPhysicalDeviceProperties2 props2 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &groups };
	vkGetPhysicalDeviceProperties2(physical, &props2);
	uint32_t operations = groups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT ? groups.supportedOperations : 0;
	put(&groups.subgroupSize, sizeof groups.subgroupSize);
	put(&operations, sizeof operations);
	put(&f12.shaderBufferInt64Atomics, sizeof f12.shaderBufferInt64Atomics);
	fflush(stdout);
	float priority = 1;
	VkDeviceQueueCreateInfo qci = { VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family, .queueCount = 1, .pQueuePriorities = &priority };
	VkDeviceCreateInfo dci = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features, .queueCreateInfoCount = 1, .pQueueCreateInfos = &qci };
	must(vkCreateDevice(physical, &dci, NULL, &device), "vkCreateDevice");
	vkGetDeviceQueue(device, family, 0, &queue);
	VkCommandPoolCreateInfo pool = { VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, .queueFamilyIndex = family };
	must(vkCreateCommandPool(device, &pool, NULL, &commands), "vkCreateCommandPool");

	VkPhysicalDeviceMemoryProperties mem;
	vkGetPhysicalDeviceMemoryProperties(physical, &mem);
	VkMemoryPropertyFlags want = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	for (memory_type = 0; memory_type < mem.memoryTypeCount; memory_type++)
		if ((mem.memoryTypes[memory_type].propertyFlags & want) == want)
			return;
	fail("finding memory that the host sees", 0);
}

/* receive reads a request; it returns 0 at the end of the input. */
static int receive(struct request *q)
{
	if (!get(&q->words, sizeof q->words))
		return 0;
	q->code = bytes(4 * (size_t)q->words);
	if (!get(q->code, 4 * (size_t)q->words) || !get(q->groups, sizeof q->groups))
		fail("reading a module", 0);
	q->buffers = number();
	if (q->buffers > MAX_BUFFERS)
		fail("counting buffers", q->buffers);
	for (uint32_t i = 0; i < q->buffers; i++) {
		q->buffer[i].binding = number();
		q->buffer[i].uniform = number();
		q->buffer[i].size = number();
		q->buffer[i].bytes = bytes(q->buffer[i].size);
		if (!get(q->buffer[i].bytes, q->buffer[i].size))
			fail("reading a buffer", 0);
	}
	q->push_size = number();
	if (q->push_size > MAX_PUSH || !get(q->push, q->push_size))
		fail("reading push constants", q->push_size);
	q->constants = number();
	if (q->constants > MAX_SPEC || !get(q->constant, 4 * (size_t)q->constants))
		fail("reading specialization constants", q->constants);
	return 1;
}

/* dispatch runs a request and leaves the results in its buffers. */
static VkResult dispatch(struct request *q)
{
	VkResult r;
	VkShaderModule module;
	VkShaderModuleCreateInfo smci = { VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = 4 * (size_t)q->words, .pCode = q->code };
	if ((r = vkCreateShaderModule(device, &smci, NULL, &module)))
		return r;

	VkDescriptorSetLayoutBinding slots[MAX_BUFFERS] = { 0 };
	for (uint32_t i = 0; i < q->buffers; i++) {
		slots[i].binding = q->buffer[i].binding;
		slots[i].descriptorType = q->buffer[i].uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
		slots[i].descriptorCount = 1;
		slots[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
	}
	VkDescriptorSetLayoutCreateInfo slci = { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = q->buffers, .pBindings = slots };
	VkDescriptorSetLayout set_layout;
	must(vkCreateDescriptorSetLayout(device, &slci, NULL, &set_layout), "vkCreateDescriptorSetLayout");
	VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, q->push_size };
	VkPipelineLayoutCreateInfo plci = { VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout,
		.pushConstantRangeCount = q->push_size > 0, .pPushConstantRanges = &range };
	VkPipelineLayout layout;
	must(vkCreatePipelineLayout(device, &plci, NULL, &layout), "vkCreatePipelineLayout");
	VkSpecializationMapEntry entry[MAX_SPEC];
	for (uint32_t i = 0; i < q->constants; i++)
		entry[i] = (VkSpecializationMapEntry){ i, 4 * i, 4 };
	VkSpecializationInfo spec = { q->constants, entry, 4 * q->constants, q->constant };
	VkComputePipelineCreateInfo cpci = { VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout,
		.stage = { VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = "main", .pSpecializationInfo = &spec } };
	VkPipeline pipeline;
	if ((r = vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &cpci, NULL, &pipeline)))
		return r;

	VkDescriptorPoolSize sizes[2] = { { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MAX_BUFFERS }, { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, MAX_BUFFERS } };
	VkDescriptorPoolCreateInfo dpci = { VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes };
	VkDescriptorPool pool;
	must(vkCreateDescriptorPool(device, &dpci, NULL, &pool), "vkCreateDescriptorPool");
	VkDescriptorSetAllocateInfo dsai = { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool, .descriptorSetCount = 1, .pSetLayouts = &set_layout };
	VkDescriptorSet set;
	must(vkAllocateDescriptorSets(device, &dsai, &set), "vkAllocateDescriptorSets");

	VkBuffer buffer[MAX_BUFFERS];
	VkDeviceMemory memory[MAX_BUFFERS];
	void *mapped[MAX_BUFFERS];
	for (uint32_t i = 0; i < q->buffers; i++) {
		VkBufferCreateInfo bci = { VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = q->buffer[i].size,
			.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT };
		must(vkCreateBuffer(device, &bci, NULL, &buffer[i]), "vkCreateBuffer");
		VkMemoryRequirements req;
		vkGetBufferMemoryRequirements(device, buffer[i], &req);
		VkMemoryAllocateInfo mai = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = req.size, .memoryTypeIndex = memory_type };
		must(vkAllocateMemory(device, &mai, NULL, &memory[i]), "vkAllocateMemory");
		must(vkBindBufferMemory(device, buffer[i], memory[i], 0), "vkBindBufferMemory");
		must(vkMapMemory(device, memory[i], 0, VK_WHOLE_SIZE, 0, &mapped[i]), "vkMapMemory");
		memcpy(mapped[i], q->buffer[i].bytes, q->buffer[i].size);
		VkDescriptorBufferInfo info = { buffer[i], 0, VK_WHOLE_SIZE };
		VkWriteDescriptorSet write = { VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = slots[i].binding,
			.descriptorCount = 1, .descriptorType = slots[i].descriptorType, .pBufferInfo = &info };
		vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
	}

	VkCommandBufferAllocateInfo cbai = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = commands, .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1 };
	VkCommandBuffer cb;
	must(vkAllocateCommandBuffers(device, &cbai, &cb), "vkAllocateCommandBuffers");
	VkCommandBufferBeginInfo begin = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
	must(vkBeginCommandBuffer(cb, &begin), "vkBeginCommandBuffer");
	vkCmdBindPipeline(cb, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(cb, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
	if (q->push_size)
		vkCmdPushConstants(cb, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, q->push_size, q->push);
	vkCmdDispatch(cb, q->groups[0], q->groups[1], q->groups[2]);
	VkMemoryBarrier barrier = { VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT, .dstAccessMask = VK_ACCESS_HOST_READ_BIT };
	vkCmdPipelineBarrier(cb, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
	must(vkEndCommandBuffer(cb), "vkEndCommandBuffer");
	VkSubmitInfo submit = { VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cb };
	must(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
	must(vkQueueWaitIdle(queue), "vkQueueWaitIdle");

	for (uint32_t i = 0; i < q->buffers; i++) {
		memcpy(q->buffer[i].bytes, mapped[i], q->buffer[i].size);
		vkDestroyBuffer(device, buffer[i], NULL);
		vkFreeMemory(device, memory[i], NULL);
	}
	vkFreeCommandBuffers(device, commands, 1, &cb);
	vkDestroyDescriptorPool(device, pool, NULL);
	vkDestroyPipeline(device, pipeline, NULL);
	vkDestroyPipelineLayout(device, layout, NULL);
	vkDestroyDescriptorSetLayout(device, set_layout, NULL);
	vkDestroyShaderModule(device, module, NULL);
	return VK_SUCCESS;
}

int main(void)
{
	open_device();
	struct request q;
	while (receive(&q)) {
		VkResult r = dispatch(&q);
		uint32_t status = (uint32_t)r;
		put(&status, sizeof status);
		for (uint32_t i = 0; i < q.buffers; i++) {
			if (r == VK_SUCCESS)
				put(q.buffer[i].bytes, q.buffer[i].size);
			free(q.buffer[i].bytes);
		}
		free(q.code);
		fflush(stdout);
	}
	return 0;
}
