// scenes draws a scene of "chiaro bench --draw" with the first Vulkan device, which must have Vulkan 1.3, and prints its times as one
// line of JSON:
//
//	scenes SHADERS SCENE [WIDTHxHEIGHT [FILE]]
//
// SHADERS is the folder of the modules, such as raster.vert.spv. FILE receives the last target, four bytes a pixel. Times are
// milliseconds: pipe makes the modules and pipelines, first and med are the first and the median frame from the submission to its
// fence, and cpipe, cfirst and cmed are the processor time of all threads for them.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan.h>

#define CHECK(x) do { VkResult r = (x); if (r != VK_SUCCESS) { fprintf(stderr, "line %d: %s returns %d\n", __LINE__, #x, r); exit(1); } } while (0)

enum { textureSide = 1024, textureLevels = 11, mostPasses = 8, leastFrames = 5, mostFrames = 200, salt = 12345 };
static const double budget = 1000; // milliseconds of frames
static const VkFormat usual = VK_FORMAT_R8G8B8A8_UNORM;

// scene is the state of a scene; the fields are those of bench.
typedef struct {
	const char *name, *vertex, *fragment;
	uint32_t vertices, draws;
	int depth, blend, textured, formats, chain, apart;
	uint32_t samples;
	float anisotropy, triangle;
} scene;

static const scene scenes[] = {
	{ "cheap", "raster.vert", "cheap.frag", 3, 1 },
	{ "heavy", "raster.vert", "heavy.frag", 3, 1 },
	{ "tris", "tris.vert", "tris.frag", 3 << 20, 1, .depth = 1 },
	{ "tex", "raster.vert", "tex.frag", 3, 1, .textured = 1 },
	{ "blend", "raster.vert", "cheap.frag", 3, 16, .blend = 1 },
	{ "draws", "tris.vert", "tris.frag", 300, 5000, .depth = 1, .apart = 1 },
	{ "small", "tris.vert", "tris.frag", 3 << 21, 1, .depth = 1, .triangle = 0.002f },
	{ "overdraw", "tris.vert", "tris.frag", 3 << 9, 1, .depth = 1, .triangle = 0.5f },
	{ "msaa", "tris.vert", "tris.frag", 480000, 1, .depth = 1, .samples = 4, .triangle = 0.015f },
	{ "formats", "raster.vert", "cheap.frag", 3, 4, .blend = 1, .formats = 1 },
	{ "aniso", "raster.vert", "tex.frag", 3, 1, .textured = 1, .anisotropy = 16 },
	{ "chain", "raster.vert", "tex.frag", 3, 1, .textured = 1, .chain = 8 },
};

// blendFormats are the formats of the passes of the scene formats.
static const VkFormat blendFormats[] = { VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_B10G11R11_UFLOAT_PACK32, VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_R8G8B8A8_UNORM };
enum { blendPasses = sizeof blendFormats / sizeof *blendFormats };

typedef struct {
	VkImage image;
	VkImageView view;
} picture;

// pass is a rendering with all draws of the scene.
typedef struct {
	VkPipeline pipeline;
	picture color, samples, depth; // samples are resolved to color
	VkDescriptorSet set;
} pass;

static const scene *drawn;
static uint32_t width = 1920, height = 1080;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkFence fence;
static VkCommandPool commands;
static VkDescriptorPool descriptors;
static VkDescriptorSetLayout setLayout;
static VkPipelineLayout layout;
static pass passes[mostPasses];
static uint32_t passCount;

static double clockTime(clockid_t id) {
	struct timespec t;
	clock_gettime(id, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static uint32_t hash(uint32_t i, uint32_t seed) {
	uint32_t x = i + seed * 0x9E3779B9u;
	x = (x ^ x >> 16) * 0x85EBCA6Bu;
	x = (x ^ x >> 13) * 0xC2B2AE35u;
	return x ^ x >> 16;
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

static picture image(uint32_t w, uint32_t h, uint32_t levels, uint32_t samples, VkFormat format, VkImageUsageFlags use, VkImageAspectFlags aspect) {
	VkImageCreateInfo info = { VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = format, .extent = { w, h, 1 },
		.mipLevels = levels, .arrayLayers = 1, .samples = samples, .usage = use };
	picture p;
	CHECK(vkCreateImage(device, &info, NULL, &p.image));
	VkMemoryRequirements need;
	vkGetImageMemoryRequirements(device, p.image, &need);
	CHECK(vkBindImageMemory(device, p.image, allocate(need, 0), 0));
	VkImageViewCreateInfo view = { VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = p.image, .viewType = VK_IMAGE_VIEW_TYPE_2D, .format = format,
		.subresourceRange = { aspect, 0, levels, 0, 1 } };
	CHECK(vkCreateImageView(device, &view, NULL, &p.view));
	return p;
}

static VkCommandBuffer begin(void) {
	VkCommandBufferAllocateInfo info = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = commands, .commandBufferCount = 1 };
	VkCommandBuffer c;
	CHECK(vkAllocateCommandBuffers(device, &info, &c));
	VkCommandBufferBeginInfo b = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
	CHECK(vkBeginCommandBuffer(c, &b));
	return c;
}

static void submit(VkCommandBuffer c) {
	VkSubmitInfo info = { VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c };
	CHECK(vkQueueSubmit(queue, 1, &info, fence));
	CHECK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
	CHECK(vkResetFences(device, 1, &fence));
}

// barrier orders all commands around it, with a change of the layout of an image.
static void barrier(VkCommandBuffer c, VkImage m, VkImageAspectFlags aspect, VkImageLayout before, VkImageLayout after) {
	VkImageMemoryBarrier b = { VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, .oldLayout = before, .newLayout = after,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .image = m,
		.subresourceRange = { aspect, 0, VK_REMAINING_MIP_LEVELS, 0, 1 } };
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &b);
}

static void start(void) {
	VkApplicationInfo app = { VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3 };
	VkInstanceCreateInfo info = { VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app };
	VkInstance instance;
	CHECK(vkCreateInstance(&info, NULL, &instance));
	uint32_t one = 1;
	vkEnumeratePhysicalDevices(instance, &one, &physical);
	if (!one) { fprintf(stderr, "there is no device\n"); exit(1); }
	VkPhysicalDeviceVulkan13Features v13 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .dynamicRendering = VK_TRUE };
	VkPhysicalDeviceFeatures features = { .samplerAnisotropy = drawn->anisotropy > 0 };
	float priority = 1;
	VkDeviceQueueCreateInfo q = { VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority };
	VkDeviceCreateInfo d = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &v13, .queueCreateInfoCount = 1, .pQueueCreateInfos = &q, .pEnabledFeatures = &features };
	CHECK(vkCreateDevice(physical, &d, NULL, &device));
	vkGetDeviceQueue(device, 0, 0, &queue);
	VkFenceCreateInfo f = { VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	CHECK(vkCreateFence(device, &f, NULL, &fence));
	VkCommandPoolCreateInfo pool = { VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
	CHECK(vkCreateCommandPool(device, &pool, NULL, &commands));

	VkDescriptorSetLayoutBinding binding = { 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL };
	VkDescriptorSetLayoutCreateInfo l = { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = drawn->textured ? 1 : 0, .pBindings = &binding };
	CHECK(vkCreateDescriptorSetLayout(device, &l, NULL, &setLayout));
	VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3 };
	VkDescriptorPoolCreateInfo p = { VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 3, .poolSizeCount = 1, .pPoolSizes = &size };
	CHECK(vkCreateDescriptorPool(device, &p, NULL, &descriptors));
	VkPushConstantRange range = { VK_SHADER_STAGE_VERTEX_BIT, 0, 8 };
	VkPipelineLayoutCreateInfo pl = { VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &setLayout,
		.pushConstantRangeCount = 1, .pPushConstantRanges = &range };
	CHECK(vkCreatePipelineLayout(device, &pl, NULL, &layout));
}

static VkDescriptorSet set(VkImageView view, VkSampler sampler) {
	VkDescriptorSetAllocateInfo info = { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = descriptors, .descriptorSetCount = 1, .pSetLayouts = &setLayout };
	VkDescriptorSet s;
	CHECK(vkAllocateDescriptorSets(device, &info, &s));
	VkDescriptorImageInfo image = { sampler, view, VK_IMAGE_LAYOUT_GENERAL };
	VkWriteDescriptorSet w = { VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = s, .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, .pImageInfo = &image };
	vkUpdateDescriptorSets(device, 1, &w, 0, NULL);
	return s;
}

// texture makes the texture of bench, a checkered pattern with noise, and the means of four texels in each further level.
static VkDescriptorSet texture(void) {
	uint8_t *texels;
	VkBuffer from = buffer(textureSide * textureSide * 4 * 2, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, (void **)&texels);
	for (uint32_t i = 0; i < textureSide * textureSide; i++) {
		uint32_t c = (i % textureSide >> 5 ^ i / textureSide >> 5) & 1 ? 0xffe0c090 : 0xff204060;
		c ^= hash(i, 3) & 0x1f1f1f;
		memcpy(texels + 4 * i, &c, 4);
	}
	VkBufferImageCopy copies[textureLevels];
	size_t at = 0;
	for (uint32_t level = 0, n = textureSide; level < textureLevels; level++, n /= 2) {
		copies[level] = (VkBufferImageCopy){ at, .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1 }, .imageExtent = { n, n, 1 } };
		uint8_t *a = texels + at, *b = a + (size_t)4 * n * n;
		for (uint32_t i = 0; i < n * n && n > 1; i++) { // n² components
			uint32_t half = n / 2;
			size_t o = 4 * (size_t)(2 * (i / 4 / half) * n + 2 * (i / 4 % half)) + i % 4;
			b[i] = (uint8_t)((a[o] + a[o + 4] + a[o + 4 * n] + a[o + 4 * n + 4] + 2) / 4);
		}
		at += (size_t)4 * n * n;
	}
	picture p = image(textureSide, textureSide, textureLevels, 1, usual, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
	VkCommandBuffer c = begin();
	barrier(c, p.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
	vkCmdCopyBufferToImage(c, from, p.image, VK_IMAGE_LAYOUT_GENERAL, textureLevels, copies);
	barrier(c, p.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
	CHECK(vkEndCommandBuffer(c));
	submit(c);
	VkSamplerCreateInfo info = { VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = VK_FILTER_LINEAR, .minFilter = VK_FILTER_LINEAR,
		.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR, .maxLod = 16, .anisotropyEnable = drawn->anisotropy > 0, .maxAnisotropy = drawn->anisotropy };
	VkSampler sampler;
	CHECK(vkCreateSampler(device, &info, NULL, &sampler));
	return set(p.view, sampler);
}

static VkShaderModule module(const char *folder, const char *name) {
	char path[512];
	snprintf(path, sizeof path, "%s/%s.spv", folder, name);
	FILE *f = fopen(path, "rb");
	if (!f) { perror(path); exit(1); }
	static uint32_t code[1 << 16];
	VkShaderModuleCreateInfo info = { VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = fread(code, 1, sizeof code, f), .pCode = code };
	fclose(f);
	VkShaderModule m;
	CHECK(vkCreateShaderModule(device, &info, NULL, &m));
	return m;
}

static VkPipeline pipeline(VkShaderModule vertex, VkShaderModule fragment, VkFormat format) {
	VkPipelineShaderStageCreateInfo stages[] = {
		{ VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_VERTEX_BIT, .module = vertex, .pName = "main" },
		{ VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_FRAGMENT_BIT, .module = fragment, .pName = "main" },
	};
	VkPipelineVertexInputStateCreateInfo input = { VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO };
	VkPipelineInputAssemblyStateCreateInfo assembly = { VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST };
	VkViewport viewport = { 0, 0, (float)width, (float)height, 0, 1 };
	VkRect2D scissor = { { 0, 0 }, { width, height } };
	VkPipelineViewportStateCreateInfo view = { VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .pViewports = &viewport, .scissorCount = 1, .pScissors = &scissor };
	VkPipelineRasterizationStateCreateInfo raster = { VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1 };
	VkPipelineMultisampleStateCreateInfo samples = { VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = drawn->samples ? drawn->samples : 1 };
	VkPipelineDepthStencilStateCreateInfo depth = { VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO, .depthTestEnable = drawn->depth,
		.depthWriteEnable = drawn->depth, .depthCompareOp = VK_COMPARE_OP_LESS };
	VkPipelineColorBlendAttachmentState attachment = { drawn->blend, VK_BLEND_FACTOR_CONSTANT_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA, VK_BLEND_OP_ADD,
		VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD, 15 };
	VkPipelineColorBlendStateCreateInfo blend = { VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = 1, .pAttachments = &attachment, .blendConstants = { 0, 0, 0, 0.25f } };
	VkPipelineRenderingCreateInfo targets = { VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, .colorAttachmentCount = 1, .pColorAttachmentFormats = &format,
		.depthAttachmentFormat = drawn->depth ? VK_FORMAT_D32_SFLOAT : VK_FORMAT_UNDEFINED };
	VkGraphicsPipelineCreateInfo info = { VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .pNext = &targets, .stageCount = 2, .pStages = stages, .pVertexInputState = &input,
		.pInputAssemblyState = &assembly, .pViewportState = &view, .pRasterizationState = &raster, .pMultisampleState = &samples, .pDepthStencilState = &depth,
		.pColorBlendState = &blend, .layout = layout };
	VkPipeline p;
	CHECK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &p));
	return p;
}

// make makes the passes. Those of a chain have two targets in turn, which the next pass samples.
static void make(void) {
	VkImageUsageFlags use = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | (drawn->chain ? VK_IMAGE_USAGE_SAMPLED_BIT : 0);
	passCount = drawn->chain ? (uint32_t)drawn->chain : drawn->formats ? blendPasses : 1;
	for (uint32_t i = 0; i < passCount; i++) {
		pass *p = &passes[i];
		VkFormat format = drawn->formats ? blendFormats[i] : usual;
		if (drawn->chain && i >= 2)
			p->color = passes[i - 2].color;
		else
			p->color = image(width, height, 1, 1, format, use, VK_IMAGE_ASPECT_COLOR_BIT);
		if (drawn->samples) p->samples = image(width, height, 1, drawn->samples, format, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
		if (drawn->depth)
			p->depth = image(width, height, 1, drawn->samples ? drawn->samples : 1, VK_FORMAT_D32_SFLOAT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT);
	}
	if (!drawn->textured) return;
	passes[0].set = texture();
	VkSamplerCreateInfo info = { VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = VK_FILTER_LINEAR, .minFilter = VK_FILTER_LINEAR };
	VkSampler sampler;
	CHECK(vkCreateSampler(device, &info, NULL, &sampler));
	for (uint32_t i = 1; i < passCount; i++) passes[i].set = i < 3 ? set(passes[i - 1].color.view, sampler) : passes[i - 2].set;
}

// render records a pass.
static void render(VkCommandBuffer c, const pass *p) {
	barrier(c, p->color.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
	VkRenderingAttachmentInfo color = { VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageView = p->color.view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .storeOp = VK_ATTACHMENT_STORE_OP_STORE, .clearValue.color.float32 = { 0.1f, 0.1f, 0.1f, 1 } };
	if (drawn->samples) {
		barrier(c, p->samples.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
		color.resolveImageView = color.imageView;
		color.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
		color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
		color.imageView = p->samples.view;
		color.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
	}
	VkRenderingAttachmentInfo depth = { VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageView = p->depth.view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE, .clearValue.depthStencil.depth = 1 };
	if (drawn->depth) barrier(c, p->depth.image, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
	VkRenderingInfo info = { VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea.extent = { width, height }, .layerCount = 1, .colorAttachmentCount = 1, .pColorAttachments = &color,
		.pDepthAttachment = drawn->depth ? &depth : NULL };
	vkCmdBeginRendering(c, &info);
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
	if (p->set) vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &p->set, 0, NULL);
	struct { uint32_t salt; float size; } push = { salt, drawn->triangle > 0 ? drawn->triangle : 0.006f };
	vkCmdPushConstants(c, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof push, &push);
	for (uint32_t i = 0; i < drawn->draws; i++, push.salt++) {
		if (drawn->apart && i) vkCmdPushConstants(c, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof push.salt, &push.salt);
		vkCmdDraw(c, drawn->vertices, 1, 0, 0);
	}
	vkCmdEndRendering(c);
	barrier(c, p->color.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
}

// save writes the last target, which has four bytes a pixel.
static void save(const char *file) {
	size_t n = (size_t)4 * width * height;
	void *texels;
	VkBuffer to = buffer(n, VK_BUFFER_USAGE_TRANSFER_DST_BIT, &texels);
	VkBufferImageCopy copy = { .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 }, .imageExtent = { width, height, 1 } };
	VkCommandBuffer c = begin();
	vkCmdCopyImageToBuffer(c, passes[passCount - 1].color.image, VK_IMAGE_LAYOUT_GENERAL, to, 1, &copy);
	CHECK(vkEndCommandBuffer(c));
	submit(c);
	FILE *f = fopen(file, "wb");
	if (!f || fwrite(texels, 1, n, f) != n || fclose(f)) { perror(file); exit(1); }
}

static int ascending(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv) {
	for (size_t i = 0; argc > 2 && i < sizeof scenes / sizeof *scenes; i++)
		if (!strcmp(argv[2], scenes[i].name)) drawn = &scenes[i];
	if (!drawn || argc > 5 || (argc > 3 && sscanf(argv[3], "%ux%u", &width, &height) != 2)) {
		fprintf(stderr, "usage: scenes SHADERS SCENE [WIDTHxHEIGHT [FILE]]\n");
		return 2;
	}
	start();
	make();
	double t = clockTime(CLOCK_MONOTONIC), cpu = clockTime(CLOCK_PROCESS_CPUTIME_ID);
	VkShaderModule vertex = module(argv[1], drawn->vertex), fragment = module(argv[1], drawn->fragment);
	for (uint32_t i = 0; i < passCount; i++)
		passes[i].pipeline = i == 0 || drawn->formats ? pipeline(vertex, fragment, drawn->formats ? blendFormats[i] : usual) : passes[0].pipeline;
	double pipe = clockTime(CLOCK_MONOTONIC) - t, cpuPipe = clockTime(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	VkCommandBuffer c = begin();
	for (uint32_t i = 0; i < passCount; i++) render(c, &passes[i]);
	CHECK(vkEndCommandBuffer(c));

	static double times[1 + mostFrames], cpuTimes[1 + mostFrames];
	int n = 0;
	for (double all = 0; n <= leastFrames || (n <= mostFrames && all < budget); n++) {
		t = clockTime(CLOCK_MONOTONIC);
		cpu = clockTime(CLOCK_PROCESS_CPUTIME_ID);
		submit(c);
		times[n] = clockTime(CLOCK_MONOTONIC) - t;
		cpuTimes[n] = clockTime(CLOCK_PROCESS_CPUTIME_ID) - cpu;
		if (n) all += times[n];
	}
	if (argc > 4) save(argv[4]);
	qsort(times + 1, (size_t)n - 1, sizeof *times, ascending);
	qsort(cpuTimes + 1, (size_t)n - 1, sizeof *times, ascending);
	VkPhysicalDeviceProperties properties;
	vkGetPhysicalDeviceProperties(physical, &properties);
	printf("{\"name\":\"raster_%s\",\"device\":\"%s\",\"pipe\":%.3f,\"first\":%.3f,\"med\":%.4f,\"cpipe\":%.3f,\"cfirst\":%.3f,\"cmed\":%.4f,\"n\":%d}\n", drawn->name,
		properties.deviceName, pipe, times[0], times[1 + (n - 1) / 2], cpuPipe, cpuTimes[0], cpuTimes[1 + (n - 1) / 2], n - 1);
	return 0;
}
