// bindless draws the frames of BenchmarkBindless with the first Vulkan device:
//
//	bindless VERTEX.spv FRAGMENT.spv VERTICES PIXELS SIZE TEXTURES DRAWS SIDE ARRAY FRAMES
//
// VERTICES is the file of the vertices of a patch. ARRAY is 1 for one set with all textures and 0 for a set for each. It
// writes the last picture to the file PIXELS, and prints the time of each frame: wall time and processor time of the
// process, in milliseconds. A frame is recorded, submitted and awaited.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan.h>

#define CHECK(x) do { VkResult r = (x); if (r != VK_SUCCESS) { fprintf(stderr, "line %d: %s returns %d\n", __LINE__, #x, r); exit(1); } } while (0)

static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkFence fence;
static VkCommandPool commands;
static VkCommandBuffer command;
static VkPipelineLayout layout;
static VkPipeline pipeline;
static VkImage target;
static VkImageView targetView;
static VkBuffer vertices;
static VkDescriptorSet *sets;
static uint32_t size, textures, draws, side, array;

static const VkFormat formats[10] = {
	VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT,
	VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8_UNORM, VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_B10G11R11_UFLOAT_PACK32, VK_FORMAT_R5G6B5_UNORM_PACK16,
};

static double milliseconds(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

// content returns the content of a file; n is its length.
static void *content(const char *name, size_t *n) {
	FILE *f = fopen(name, "rb");
	if (!f || fseek(f, 0, SEEK_END)) { perror(name); exit(1); }
	*n = (size_t)ftell(f);
	rewind(f);
	void *p = malloc(*n);
	if (!p || fread(p, 1, *n, f) != *n) { perror(name); exit(1); }
	fclose(f);
	return p;
}

static VkDeviceMemory allocate(VkMemoryRequirements need, VkMemoryPropertyFlags want) {
	VkPhysicalDeviceMemoryProperties have;
	vkGetPhysicalDeviceMemoryProperties(physical, &have);
	uint32_t i = 0;
	while (i + 1 < have.memoryTypeCount && !(need.memoryTypeBits >> i & 1 && (have.memoryTypes[i].propertyFlags & want) == want)) i++;
	VkMemoryAllocateInfo info = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need.size, .memoryTypeIndex = i };
	VkDeviceMemory m;
	CHECK(vkAllocateMemory(device, &info, NULL, &m));
	return m;
}

static VkBuffer buffer(size_t n, VkBufferUsageFlags use, void **mapped) {
	VkBufferCreateInfo info = { VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = n, .usage = use };
	VkBuffer b;
	CHECK(vkCreateBuffer(device, &info, NULL, &b));
	VkMemoryRequirements need;
	vkGetBufferMemoryRequirements(device, b, &need);
	VkDeviceMemory m = allocate(need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
	CHECK(vkBindBufferMemory(device, b, m, 0));
	CHECK(vkMapMemory(device, m, 0, VK_WHOLE_SIZE, 0, mapped));
	return b;
}

static VkImage image(uint32_t pixels, VkFormat format, VkImageUsageFlags use, VkImageView *view) {
	VkImageCreateInfo info = { VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = format, .extent = { pixels, pixels, 1 },
		.mipLevels = 1, .arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT, .tiling = VK_IMAGE_TILING_OPTIMAL, .usage = use };
	VkImage m;
	CHECK(vkCreateImage(device, &info, NULL, &m));
	VkMemoryRequirements need;
	vkGetImageMemoryRequirements(device, m, &need);
	CHECK(vkBindImageMemory(device, m, allocate(need, 0), 0));
	VkImageViewCreateInfo of = { VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = m, .viewType = VK_IMAGE_VIEW_TYPE_2D, .format = format,
		.subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 } };
	CHECK(vkCreateImageView(device, &of, NULL, view));
	return m;
}

static void begin(void) {
	VkCommandBufferBeginInfo info = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT };
	CHECK(vkBeginCommandBuffer(command, &info));
}

static void submit(void) {
	CHECK(vkEndCommandBuffer(command));
	VkSubmitInfo info = { VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &command };
	CHECK(vkQueueSubmit(queue, 1, &info, fence));
	CHECK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
	CHECK(vkResetFences(device, 1, &fence));
}

static void transition(VkImage m, VkImageLayout from, VkImageLayout to) {
	VkImageMemoryBarrier b = { VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT, .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.oldLayout = from, .newLayout = to, .image = m, .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 } };
	vkCmdPipelineBarrier(command, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &b);
}

// texture makes texture i: all texels have a red of 0 or 1.
static VkImageView texture(uint32_t i) {
	VkImageView view;
	VkImage m = image(side, formats[i % 10], VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, &view);
	begin();
	transition(m, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	VkClearColorValue value = { .float32 = { (float)(i / 10 & 1) } };
	VkImageSubresourceRange all = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
	vkCmdClearColorImage(command, m, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &value, 1, &all);
	transition(m, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
	submit();
	return view;
}

static void makeDevice(void) {
	VkApplicationInfo app = { VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3 };
	VkInstanceCreateInfo info = { VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app };
	VkInstance instance;
	CHECK(vkCreateInstance(&info, NULL, &instance));
	uint32_t one = 1;
	VkResult r = vkEnumeratePhysicalDevices(instance, &one, &physical);
	if (r < 0 || one == 0) { fprintf(stderr, "no device\n"); exit(1); }
	float priority = 1;
	VkDeviceQueueCreateInfo queues = { VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority };
	VkPhysicalDeviceVulkan13Features dynamic = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .dynamicRendering = VK_TRUE };
	VkPhysicalDeviceFeatures features = { .shaderSampledImageArrayDynamicIndexing = VK_TRUE };
	VkDeviceCreateInfo of = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &dynamic, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queues, .pEnabledFeatures = &features };
	CHECK(vkCreateDevice(physical, &of, NULL, &device));
	vkGetDeviceQueue(device, 0, 0, &queue);
	VkFenceCreateInfo none = { VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	CHECK(vkCreateFence(device, &none, NULL, &fence));
	VkCommandPoolCreateInfo pool = { VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT };
	CHECK(vkCreateCommandPool(device, &pool, NULL, &commands));
	VkCommandBufferAllocateInfo buffers = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = commands, .commandBufferCount = 1 };
	CHECK(vkAllocateCommandBuffers(device, &buffers, &command));
}

static void makeSets(void) {
	uint32_t count = array ? textures : 1, many = array ? 1 : textures;
	VkDescriptorSetLayoutBinding binding = { 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, count, VK_SHADER_STAGE_FRAGMENT_BIT, NULL };
	VkDescriptorSetLayoutCreateInfo info = { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding };
	VkDescriptorSetLayout set;
	CHECK(vkCreateDescriptorSetLayout(device, &info, NULL, &set));
	VkPushConstantRange push = { VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 12 };
	VkPipelineLayoutCreateInfo of = { VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set, .pushConstantRangeCount = 1, .pPushConstantRanges = &push };
	CHECK(vkCreatePipelineLayout(device, &of, NULL, &layout));
	VkDescriptorPoolSize sizes = { VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, textures };
	VkDescriptorPoolCreateInfo pools = { VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = many, .poolSizeCount = 1, .pPoolSizes = &sizes };
	VkDescriptorPool pool;
	CHECK(vkCreateDescriptorPool(device, &pools, NULL, &pool));
	VkSamplerCreateInfo filter = { VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = VK_FILTER_LINEAR, .minFilter = VK_FILTER_LINEAR, .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR, .maxLod = VK_LOD_CLAMP_NONE };
	VkSampler sampler;
	CHECK(vkCreateSampler(device, &filter, NULL, &sampler));
	sets = calloc(many, sizeof *sets);
	for (uint32_t i = 0; i < many; i++) {
		VkDescriptorSetAllocateInfo a = { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool, .descriptorSetCount = 1, .pSetLayouts = &set };
		CHECK(vkAllocateDescriptorSets(device, &a, &sets[i]));
	}
	for (uint32_t i = 0; i < textures; i++) {
		VkDescriptorImageInfo with = { sampler, texture(i), VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL };
		VkWriteDescriptorSet w = { VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = sets[array ? 0 : i], .dstArrayElement = array ? i : 0,
			.descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, .pImageInfo = &with };
		vkUpdateDescriptorSets(device, 1, &w, 0, NULL);
	}
}

static VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits bit, const char *name) {
	size_t n;
	VkShaderModuleCreateInfo info = { VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .pCode = content(name, &n) };
	info.codeSize = n;
	VkPipelineShaderStageCreateInfo s = { VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = bit, .pName = "main" };
	CHECK(vkCreateShaderModule(device, &info, NULL, &s.module));
	return s;
}

static void makePipeline(const char *vertex, const char *fragment) {
	VkPipelineShaderStageCreateInfo stages[2] = { stage(VK_SHADER_STAGE_VERTEX_BIT, vertex), stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment) };
	VkVertexInputBindingDescription binding = { 0, 16, VK_VERTEX_INPUT_RATE_VERTEX };
	VkVertexInputAttributeDescription attribute = { 0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0 };
	VkPipelineVertexInputStateCreateInfo input = { VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
		.vertexBindingDescriptionCount = 1, .pVertexBindingDescriptions = &binding, .vertexAttributeDescriptionCount = 1, .pVertexAttributeDescriptions = &attribute };
	VkPipelineInputAssemblyStateCreateInfo assembly = { VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST };
	VkViewport port = { 0, 0, (float)size, (float)size, 0, 1 };
	VkRect2D all = { { 0, 0 }, { size, size } };
	VkPipelineViewportStateCreateInfo viewport = { VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .pViewports = &port, .scissorCount = 1, .pScissors = &all };
	VkPipelineRasterizationStateCreateInfo raster = { VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1 };
	VkPipelineMultisampleStateCreateInfo samples = { VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT };
	VkPipelineColorBlendAttachmentState write = { .colorWriteMask = 15 };
	VkPipelineColorBlendStateCreateInfo blend = { VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = 1, .pAttachments = &write };
	VkFormat color = VK_FORMAT_R8G8B8A8_UNORM;
	VkPipelineRenderingCreateInfo rendering = { VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, .colorAttachmentCount = 1, .pColorAttachmentFormats = &color };
	VkGraphicsPipelineCreateInfo info = { VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .pNext = &rendering, .stageCount = 2, .pStages = stages, .pVertexInputState = &input,
		.pInputAssemblyState = &assembly, .pViewportState = &viewport, .pRasterizationState = &raster, .pMultisampleState = &samples, .pColorBlendState = &blend, .layout = layout };
	CHECK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
}

// frame records the draws, as gallery.frame does.
static void frame(void) {
	VkRenderingAttachmentInfo color = { VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageView = targetView, .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .storeOp = VK_ATTACHMENT_STORE_OP_STORE };
	VkRenderingInfo info = { VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = { { 0, 0 }, { size, size } }, .layerCount = 1, .colorAttachmentCount = 1, .pColorAttachments = &color };
	vkCmdBeginRendering(command, &info);
	vkCmdBindPipeline(command, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	VkDeviceSize zero = 0;
	vkCmdBindVertexBuffers(command, 0, 1, &vertices, &zero);
	uint32_t across = size / 20, down = size / 10;
	for (uint32_t n = 0; n < draws; n++) {
		uint32_t t = n * 7 % textures;
		if (!array || n == 0) vkCmdBindDescriptorSets(command, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &sets[array ? 0 : t], 0, NULL);
		struct { float x, y; uint32_t texture; } push = { (float)(n % across * 40) / (float)size, (float)(n / across % down * 20) / (float)size, t };
		vkCmdPushConstants(command, layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof push, &push);
		vkCmdDraw(command, 300, 1, 0, 0);
	}
	vkCmdEndRendering(command);
}

int main(int argc, char **argv) {
	if (argc != 11) return 2;
	size = (uint32_t)atoi(argv[5]), textures = (uint32_t)atoi(argv[6]), draws = (uint32_t)atoi(argv[7]), side = (uint32_t)atoi(argv[8]), array = (uint32_t)atoi(argv[9]);
	makeDevice();
	size_t n;
	void *data = content(argv[3], &n), *mapped, *pixels;
	vertices = buffer(n, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, &mapped);
	memcpy(mapped, data, n);
	VkBuffer result = buffer(4 * (size_t)size * size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, &pixels);
	target = image(size, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, &targetView);
	makeSets();
	makePipeline(argv[1], argv[2]);
	begin();
	transition(target, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
	submit();
	for (int i = 0; i < atoi(argv[10]); i++) {
		double wall = milliseconds(CLOCK_MONOTONIC), used = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
		begin();
		frame();
		submit();
		printf("%.3f %.3f\n", milliseconds(CLOCK_MONOTONIC) - wall, milliseconds(CLOCK_PROCESS_CPUTIME_ID) - used);
	}
	begin();
	VkBufferImageCopy all = { .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 }, .imageExtent = { size, size, 1 } };
	vkCmdCopyImageToBuffer(command, target, VK_IMAGE_LAYOUT_GENERAL, result, 1, &all);
	submit();
	FILE *f = fopen(argv[4], "wb");
	if (!f || fwrite(pixels, 4, (size_t)size * size, f) != (size_t)size * size || fclose(f)) { perror(argv[4]); return 1; }
	fflush(stdout);
	_Exit(0);
}
