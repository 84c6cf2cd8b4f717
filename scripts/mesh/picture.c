// picture draws a mesh program with the first Vulkan device:
//
//	picture PROGRAM FILE [NAME=VALUE]...
//
// PROGRAM is the path of the shaders without .task.spv, .mesh.spv and .frag.spv; the task shader may be absent. FILE receives the
// layers of a picture of 128×128 pixels (R8G8B8A8_UNORM), the storage buffer of the shaders, and the results of a query. The options of
// programs.py follow; numbers are 0 if they are absent, unless a comment below says otherwise.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define CHECK(x) do { VkResult r = (x); if (r != VK_SUCCESS) { fprintf(stderr, "line %d: %s returns %d\n", __LINE__, #x, r); exit(1); } } while (0)

enum { size = 128, stored = 1 << 12, results = 16, maxViewports = 4 };
static const VkFormat colorFormat = VK_FORMAT_R8G8B8A8_UNORM, depthFormat = VK_FORMAT_D32_SFLOAT;
static const VkShaderStageFlags stages = VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT;

static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkPipelineLayout layout;
static VkDescriptorSet set;
static char **options;

// option returns the text of an option, or another one.
static const char *option(const char *name, const char *other) {
	size_t n = strlen(name);
	for (char **o = options; *o; o++)
		if (!strncmp(*o, name, n) && (*o)[n] == '=') return *o + n + 1;
	return other;
}

static uint32_t number(const char *name, const char *other) { return (uint32_t)strtoul(option(name, other), NULL, 0); }

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
	memset(*mapped, 0, n);
	return b;
}

// attachment makes an image and its view, and records its transition to the layout GENERAL.
static VkImageView attachment(VkCommandBuffer c, uint32_t layers, uint32_t samples, VkFormat format, VkImageUsageFlags use, VkImageAspectFlags aspect, VkImage *image) {
	VkImageCreateInfo info = { VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = format, .extent = { size, size, 1 },
		.mipLevels = 1, .arrayLayers = layers, .samples = samples, .usage = use };
	CHECK(vkCreateImage(device, &info, NULL, image));
	VkMemoryRequirements need;
	vkGetImageMemoryRequirements(device, *image, &need);
	CHECK(vkBindImageMemory(device, *image, allocate(need, 0), 0));
	VkImageSubresourceRange all = { aspect, 0, 1, 0, layers };
	VkImageViewCreateInfo view = { VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = *image, .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY, .format = format, .subresourceRange = all };
	VkImageView v;
	CHECK(vkCreateImageView(device, &view, NULL, &v));
	VkImageMemoryBarrier b = { VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_MEMORY_READ_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL, .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .image = *image, .subresourceRange = all };
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &b);
	return v;
}

// start makes the device, with all features of the structures that it has except for robust access.
static void start(void) {
	VkApplicationInfo app = { VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3 };
	VkInstanceCreateInfo info = { VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app };
	VkInstance instance;
	CHECK(vkCreateInstance(&info, NULL, &instance));
	uint32_t one = 1;
	vkEnumeratePhysicalDevices(instance, &one, &physical);
	if (!one) { fprintf(stderr, "there is no device\n"); exit(1); }
	VkPhysicalDeviceMeshShaderFeaturesEXT mesh = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT };
	VkPhysicalDeviceProvokingVertexFeaturesEXT provoking = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT, &mesh };
	VkPhysicalDeviceVulkan13Features v13 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &provoking };
	VkPhysicalDeviceVulkan12Features v12 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v13 };
	VkPhysicalDeviceVulkan11Features v11 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &v12 };
	VkPhysicalDeviceFeatures2 features = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v11 };
	vkGetPhysicalDeviceFeatures2(physical, &features);
	features.features.robustBufferAccess = VK_FALSE;
	mesh.primitiveFragmentShadingRateMeshShader = VK_FALSE; // needs a feature of another structure
	const char *extensions[] = { "VK_EXT_mesh_shader", "VK_EXT_provoking_vertex" };
	float priority = 1;
	VkDeviceQueueCreateInfo q = { VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority };
	VkDeviceCreateInfo d = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &features, .queueCreateInfoCount = 1, .pQueueCreateInfos = &q,
		.enabledExtensionCount = 2, .ppEnabledExtensionNames = extensions };
	CHECK(vkCreateDevice(physical, &d, NULL, &device));
	vkGetDeviceQueue(device, 0, 0, &queue);
}

// bind makes the layout and a set of the storage buffer.
static void bind(VkBuffer b) {
	VkDescriptorSetLayoutBinding binding = { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stages, NULL };
	VkDescriptorSetLayoutCreateInfo info = { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding };
	VkDescriptorSetLayout l;
	CHECK(vkCreateDescriptorSetLayout(device, &info, NULL, &l));
	VkDescriptorPoolSize one = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 };
	VkDescriptorPoolCreateInfo p = { VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &one };
	VkDescriptorPool pool;
	CHECK(vkCreateDescriptorPool(device, &p, NULL, &pool));
	VkDescriptorSetAllocateInfo a = { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool, .descriptorSetCount = 1, .pSetLayouts = &l };
	CHECK(vkAllocateDescriptorSets(device, &a, &set));
	VkDescriptorBufferInfo range = { b, 0, VK_WHOLE_SIZE };
	VkWriteDescriptorSet w = { VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &range };
	vkUpdateDescriptorSets(device, 1, &w, 0, NULL);
	VkPipelineLayoutCreateInfo pl = { VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &l };
	CHECK(vkCreatePipelineLayout(device, &pl, NULL, &layout));
}

// module returns the shader of a stage, or none if its file does not exist.
static VkShaderModule module(const char *program, const char *stage) {
	char name[512];
	snprintf(name, sizeof name, "%s.%s.spv", program, stage);
	FILE *f = fopen(name, "rb");
	if (!f) return VK_NULL_HANDLE;
	static uint32_t code[1 << 16];
	VkShaderModuleCreateInfo info = { VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = fread(code, 1, sizeof code, f), .pCode = code };
	fclose(f);
	VkShaderModule m;
	CHECK(vkCreateShaderModule(device, &info, NULL, &m));
	return m;
}

static VkPipeline pipeline(const char *program) {
	// All four specialization constants have the value of the option.
	uint32_t value[4], special = number("spec", "0");
	VkSpecializationMapEntry entries[4];
	for (uint32_t i = 0; i < 4; i++) { value[i] = special; entries[i] = (VkSpecializationMapEntry){ i, 4 * i, 4 }; }
	VkSpecializationInfo specialization = { 4, entries, sizeof value, value };
	static const struct { VkShaderStageFlagBits stage; const char *name; } files[] = {
		{ VK_SHADER_STAGE_TASK_BIT_EXT, "task" }, { VK_SHADER_STAGE_MESH_BIT_EXT, "mesh" }, { VK_SHADER_STAGE_FRAGMENT_BIT, "frag" } };
	VkPipelineShaderStageCreateInfo list[3];
	uint32_t n = 0;
	for (int i = 0; i < 3; i++) {
		VkShaderModule m = module(program, files[i].name);
		if (m) list[n++] = (VkPipelineShaderStageCreateInfo){ VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = files[i].stage, .module = m, .pName = "main",
			.pSpecializationInfo = special ? &specialization : NULL };
	}
	// Several viewports are the quarters of the picture.
	uint32_t viewports = number("viewports", "1"), side = viewports > 1 ? size / 2 : size;
	VkViewport viewport[maxViewports];
	VkRect2D scissor[maxViewports];
	for (uint32_t i = 0; i < maxViewports; i++) {
		viewport[i] = (VkViewport){ (float)(i % 2 * (size - side)), (float)(i / 2 * (size - side)), (float)side, (float)side, 0, 1 };
		scissor[i] = (VkRect2D){ .extent = { size, size } };
	}
	VkPipelineViewportStateCreateInfo vs = { VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = viewports, .pViewports = viewport, .scissorCount = viewports, .pScissors = scissor };
	VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking = { VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT, .provokingVertexMode = number("provoking", "0") };
	VkPipelineRasterizationStateCreateInfo rs = { VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, &provoking, .lineWidth = strtof(option("width", "1"), NULL),
		.cullMode = number("cull", "0"), .frontFace = number("front", "0"), .polygonMode = number("polygon", "0") };
	VkPipelineMultisampleStateCreateInfo ms = { VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = number("samples", "1") };
	VkBool32 depth = number("depth", "1"), blend = number("blend", "0");
	VkPipelineDepthStencilStateCreateInfo ds = { VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO, .depthTestEnable = depth, .depthWriteEnable = depth, .depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL };
	VkPipelineColorBlendAttachmentState a = { blend, VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA, VK_BLEND_OP_ADD, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA, VK_BLEND_OP_ADD, 15 };
	VkPipelineColorBlendStateCreateInfo bs = { VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = 1, .pAttachments = &a };
	VkPipelineRenderingCreateInfo rendering = { VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, .colorAttachmentCount = 1, .pColorAttachmentFormats = &colorFormat, .depthAttachmentFormat = depthFormat };
	VkGraphicsPipelineCreateInfo info = { VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering, .stageCount = n, .pStages = list, .pViewportState = &vs, .pRasterizationState = &rs,
		.pMultisampleState = &ms, .pDepthStencilState = &ds, .pColorBlendState = &bs, .layout = layout };
	VkPipeline p;
	CHECK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &p));
	return p;
}

// queries makes a query of mesh primitives, or of the statistics of a mask; none without the option.
static VkQueryPool queries(void) {
	uint32_t statistics = number("statistics", "0");
	if (!statistics && !number("primitives", "0")) return VK_NULL_HANDLE;
	VkQueryPoolCreateInfo info = { VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = statistics ? VK_QUERY_TYPE_PIPELINE_STATISTICS : VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT,
		.queryCount = 1, .pipelineStatistics = statistics };
	VkQueryPool p;
	CHECK(vkCreateQueryPool(device, &info, NULL, &p));
	return p;
}

// draw records the draw: direct, or so many indirect ones as the option says.
static void draw(VkCommandBuffer c) {
	uint32_t groups[3] = { 1, 1, 1 }, draws = number("indirect", "0");
	sscanf(option("groups", "1,1,1"), "%u,%u,%u", &groups[0], &groups[1], &groups[2]);
	if (!draws) {
		((PFN_vkCmdDrawMeshTasksEXT)vkGetDeviceProcAddr(device, "vkCmdDrawMeshTasksEXT"))(c, groups[0], groups[1], groups[2]);
		return;
	}
	uint32_t *words;
	VkBuffer b = buffer(4 + 4 * 3 * 16, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, (void **)&words);
	words[0] = draws;
	for (uint32_t i = 0; i < 16; i++) { words[1 + 3 * i] = i == 1 ? 0 : i + 1; words[2 + 3 * i] = i % 2 + 1; words[3 + 3 * i] = 1; }
	((PFN_vkCmdDrawMeshTasksIndirectCountEXT)vkGetDeviceProcAddr(device, "vkCmdDrawMeshTasksIndirectCountEXT"))(c, b, 4, b, 0, 16, 12);
}

int main(int argc, char **argv) {
	if (argc < 3) { fprintf(stderr, "usage: picture PROGRAM FILE [NAME=VALUE]...\n"); return 2; }
	options = argv + 3;
	start();
	VkCommandPoolCreateInfo pi = { VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
	VkCommandPool pool;
	CHECK(vkCreateCommandPool(device, &pi, NULL, &pool));
	VkCommandBufferAllocateInfo ai = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1 };
	VkCommandBuffer c;
	CHECK(vkAllocateCommandBuffers(device, &ai, &c));
	VkCommandBufferBeginInfo begin = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
	CHECK(vkBeginCommandBuffer(c, &begin));

	uint32_t layers = number("layers", "1"), samples = number("samples", "1");
	size_t bytes = (size_t)size * size * 4 * layers;
	void *pixels, *words;
	VkBuffer readback = buffer(bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, &pixels);
	bind(buffer(stored, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &words));
	VkPipeline p = pipeline(argv[1]);
	VkImage picture, other;
	VkRenderingAttachmentInfo color = { VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageLayout = VK_IMAGE_LAYOUT_GENERAL, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE, .clearValue = { .color = { { 0.1f, 0.1f, 0.1f, 1 } } } }, depth = color;
	color.imageView = attachment(c, layers, 1, colorFormat, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_IMAGE_ASPECT_COLOR_BIT, &picture);
	depth.imageView = attachment(c, layers, samples, depthFormat, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT, &other);
	depth.clearValue.depthStencil = (VkClearDepthStencilValue){ 1, 0 };
	if (samples > 1) {
		color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
		color.resolveImageView = color.imageView;
		color.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
		color.imageView = attachment(c, layers, samples, colorFormat, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_IMAGE_ASPECT_COLOR_BIT, &other);
	}
	VkQueryPool q = queries();
	if (q) vkCmdResetQueryPool(c, q, 0, 1);
	VkRenderingInfo rendering = { VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea.extent = { size, size }, .layerCount = layers, .colorAttachmentCount = 1, .pColorAttachments = &color, .pDepthAttachment = &depth };
	vkCmdBeginRendering(c, &rendering);
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, p);
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, NULL);
	if (q) vkCmdBeginQuery(c, q, 0, 0);
	draw(c);
	if (q) vkCmdEndQuery(c, q, 0);
	vkCmdEndRendering(c);
	VkMemoryBarrier b = { VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT, .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_HOST_READ_BIT };
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &b, 0, NULL, 0, NULL);
	VkBufferImageCopy copy = { .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, layers }, .imageExtent = { size, size, 1 } };
	vkCmdCopyImageToBuffer(c, picture, VK_IMAGE_LAYOUT_GENERAL, readback, 1, &copy);
	CHECK(vkEndCommandBuffer(c));
	VkSubmitInfo submit = { VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c };
	CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
	CHECK(vkQueueWaitIdle(queue));

	uint64_t counts[results] = { 0 };
	if (q) CHECK(vkGetQueryPoolResults(device, q, 0, 1, sizeof counts, counts, sizeof counts, VK_QUERY_RESULT_64_BIT));
	FILE *f = fopen(argv[2], "wb");
	if (!f || fwrite(pixels, 1, bytes, f) != bytes || fwrite(words, 1, stored, f) != stored || fwrite(counts, 1, sizeof counts, f) != sizeof counts || fclose(f)) {
		perror(argv[2]);
		return 1;
	}
	return 0;
}
