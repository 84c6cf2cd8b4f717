/* A small Vulkan client: it reads compute modules and dispatches from its
 * standard input, runs each on the first device of the loader, and writes what
 * stands in the buffers afterwards. It judges nothing.
 *
 * All numbers are 32 bits in the machine's order.
 *   at first, out: what device.h says
 *   then, for each module,
 *   in:  words n, n words; groups x y z; buffers b, then for each: binding,
 *        1 if it is uniform, size, bytes; size of the push constants, bytes; constants c, then the
 *        values of the specialization constants 0 to c−1
 *   out: 0 and the bytes of all buffers, or another VkResult and no bytes
 * All buffers are of descriptor set 0; the entry point is main. */
#include "device.h"

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
