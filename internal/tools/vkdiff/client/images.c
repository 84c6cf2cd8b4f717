/* A small Vulkan client: it reads an image, a sampler and a compute module that
 * samples it at many places from its standard input, runs it, and writes what the
 * module stored. It judges nothing.
 *
 *   at first, out: what device.h says
 *   then, for each case, in:
 *     words n, n words; points, in the shader's groups of 64
 *     size of the input, bytes; size of the output
 *     the image: VkFormat, VkImageType, VkImageCreateFlags, width, height, depth,
 *       levels, layers, aspect; for each level its offset; size, bytes
 *     the view: VkImageViewType, four VkComponentSwizzle, first level, levels,
 *       first layer, layers
 *     the sampler: VkSamplerCreateFlags, mag, min, mipmap mode, three address
 *       modes, bias, anisotropy (0 is none), compare (0 or 1), op, least and
 *       greatest level of detail, VkBorderColor, four words of a custom one,
 *       unnormalized, VkSamplerReductionMode
 *     the conversion of luma and chroma: planes (0 is no conversion), for each its
 *       offset; model, range, four VkComponentSwizzle, two VkChromaLocation, filter
 *   out: 0 and the output, or another VkResult and nothing
 * The input is binding 0, the output binding 1, the image with its sampler
 * binding 2 of set 0; the entry point is main. */
#include "device.h"

enum { MAX_LEVELS = 16 };

struct request {
	uint32_t words, *code, points, in_size, out_size;
	uint8_t *in, *out;
	uint32_t format, type, flags, extent[3], levels, layers, aspect, offset[MAX_LEVELS], size;
	uint8_t *texels;
	uint32_t view_type, swizzle[4], first_level, view_levels, first_layer, view_layers;
	uint32_t sampler_flags, mag, min, mip, address[3];
	float bias, anisotropy;
	uint32_t compare, op;
	float min_lod, max_lod;
	uint32_t border, color[4], unnormalized, reduction;
	uint32_t planes, plane_offset[3], model, range, components[4], chroma_x, chroma_y, chroma_filter;
	VkSamplerYcbcrConversion conversion;
};

static uint8_t *read_bytes(uint32_t n)
{
	uint8_t *p = bytes(n);
	if (!get(p, n))
		fail("reading bytes", n);
	return p;
}

/* receive reads a request; it returns 0 at the end of the input. */
static int receive(struct request *q)
{
	memset(q, 0, sizeof *q);
	if (!get(&q->words, sizeof q->words))
		return 0;
	q->code = (uint32_t *)read_bytes(4 * q->words);
	q->points = number();
	q->in_size = number();
	q->in = read_bytes(q->in_size);
	q->out_size = number();
	q->out = bytes(q->out_size);
	if (!get(&q->format, (char *)q->offset - (char *)&q->format) || q->levels > MAX_LEVELS || !get(q->offset, 4 * q->levels))
		fail("reading an image", q->levels);
	q->size = number();
	q->texels = read_bytes(q->size);
	if (!get(&q->view_type, (char *)(&q->chroma_filter + 1) - (char *)&q->view_type))
		fail("reading a view and a sampler", 0);
	return 1;
}

/* buffer makes a buffer that the host sees, with bytes in it where from has some. */
static VkBuffer buffer(VkBufferUsageFlags usage, uint32_t size, const void *from, VkDeviceMemory *memory, void **mapped)
{
	VkBuffer b;
	VkBufferCreateInfo bci = { VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage };
	must(vkCreateBuffer(device, &bci, NULL, &b), "vkCreateBuffer");
	VkMemoryRequirements req;
	vkGetBufferMemoryRequirements(device, b, &req);
	VkMemoryAllocateInfo mai = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = req.size, .memoryTypeIndex = memory_type };
	must(vkAllocateMemory(device, &mai, NULL, memory), "vkAllocateMemory");
	must(vkBindBufferMemory(device, b, *memory, 0), "vkBindBufferMemory");
	must(vkMapMemory(device, *memory, 0, VK_WHOLE_SIZE, 0, mapped), "vkMapMemory");
	if (from)
		memcpy(*mapped, from, size);
	return b;
}

/* make_image makes the image and its view; it fails where the device has no such. */
static VkResult make_image(struct request *q, VkImage *image, VkDeviceMemory *memory, VkImageView *view)
{
	VkImageFormatProperties props;
	VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
	VkResult r = vkGetPhysicalDeviceImageFormatProperties(physical, q->format, q->type, VK_IMAGE_TILING_OPTIMAL, usage, q->flags, &props);
	if (r)
		return r;
	VkFormatProperties format;
	vkGetPhysicalDeviceFormatProperties(physical, q->format, &format);
	if (q->planes && (!can_convert || !(format.optimalTilingFeatures & (q->chroma_x ? VK_FORMAT_FEATURE_MIDPOINT_CHROMA_SAMPLES_BIT : VK_FORMAT_FEATURE_COSITED_CHROMA_SAMPLES_BIT)) ||
		q->chroma_filter && !(format.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER_BIT)))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	if ((q->reduction && !can_reduce) || (q->sampler_flags && !can_seams))
		return VK_ERROR_FEATURE_NOT_PRESENT;
	if ((q->mag || q->min || q->mip) && !q->compare && !(format.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	VkImageCreateInfo ici = { VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .flags = q->flags, .imageType = q->type, .format = q->format,
		.extent = { q->extent[0], q->extent[1], q->extent[2] }, .mipLevels = q->levels, .arrayLayers = q->layers, .samples = 1, .usage = usage };
	if ((r = vkCreateImage(device, &ici, NULL, image)))
		return r;
	VkMemoryRequirements req;
	vkGetImageMemoryRequirements(device, *image, &req);
	VkMemoryAllocateInfo mai = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = req.size, .memoryTypeIndex = memory_type };
	must(vkAllocateMemory(device, &mai, NULL, memory), "vkAllocateMemory");
	must(vkBindImageMemory(device, *image, *memory, 0), "vkBindImageMemory");
	VkSamplerYcbcrConversionCreateInfo cci = { VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO, .format = q->format, .ycbcrModel = q->model, .ycbcrRange = q->range,
		.components = { q->components[0], q->components[1], q->components[2], q->components[3] },
		.xChromaOffset = q->chroma_x, .yChromaOffset = q->chroma_y, .chromaFilter = q->chroma_filter };
	if (q->planes && (r = vkCreateSamplerYcbcrConversion(device, &cci, NULL, &q->conversion)))
		return r;
	VkSamplerYcbcrConversionInfo converted = { VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO, .conversion = q->conversion };
	VkImageViewCreateInfo vci = { VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .pNext = q->planes ? &converted : NULL, .image = *image, .viewType = q->view_type, .format = q->format,
		.components = { q->swizzle[0], q->swizzle[1], q->swizzle[2], q->swizzle[3] },
		.subresourceRange = { q->aspect, q->first_level, q->view_levels, q->first_layer, q->view_layers } };
	return vkCreateImageView(device, &vci, NULL, view);
}

static VkResult make_sampler(struct request *q, VkSampler *sampler)
{
	VkSamplerCustomBorderColorCreateInfoEXT custom = { VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT, .format = q->format };
	memcpy(&custom.customBorderColor, q->color, sizeof q->color);
	VkSamplerReductionModeCreateInfo reduction = { VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO, .reductionMode = q->reduction };
	VkSamplerYcbcrConversionInfo converted = { VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO, .conversion = q->conversion };
	if (q->planes)
		reduction.pNext = &converted;
	int is_custom = q->border == VK_BORDER_COLOR_FLOAT_CUSTOM_EXT || q->border == VK_BORDER_COLOR_INT_CUSTOM_EXT;
	if (is_custom)
		reduction.pNext = &custom;
	VkSamplerCreateInfo sci = { VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .pNext = &reduction, .flags = q->sampler_flags, .magFilter = q->mag, .minFilter = q->min, .mipmapMode = q->mip,
		.addressModeU = q->address[0], .addressModeV = q->address[1], .addressModeW = q->address[2], .mipLodBias = q->bias,
		.anisotropyEnable = q->anisotropy > 0, .maxAnisotropy = q->anisotropy, .compareEnable = q->compare, .compareOp = q->op,
		.minLod = q->min_lod, .maxLod = q->max_lod, .borderColor = q->border, .unnormalizedCoordinates = q->unnormalized };
	return vkCreateSampler(device, &sci, NULL, sampler);
}

static void image_barrier(VkCommandBuffer cb, struct request *q, VkImage image, VkImageLayout from, VkImageLayout to)
{
	VkImageMemoryBarrier barrier = { VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT, .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.oldLayout = from, .newLayout = to, .image = image, .subresourceRange = { q->aspect, 0, q->levels, 0, q->layers } };
	vkCmdPipelineBarrier(cb, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static uint32_t most(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* record copies the texels and runs the shader. */
static void record(VkCommandBuffer cb, struct request *q, VkImage image, VkBuffer texels, VkPipeline pipeline, VkPipelineLayout layout, VkDescriptorSet set)
{
	VkCommandBufferBeginInfo begin = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
	must(vkBeginCommandBuffer(cb, &begin), "vkBeginCommandBuffer");
	image_barrier(cb, q, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	for (uint32_t i = 0; i < q->planes; i++) { // chroma has half the texels each way
		VkBufferImageCopy copy = { .bufferOffset = q->plane_offset[i], .imageSubresource = { VK_IMAGE_ASPECT_PLANE_0_BIT << i, 0, 0, q->layers },
			.imageExtent = { q->extent[0] >> !!i, q->extent[1] >> !!i, 1 } };
		vkCmdCopyBufferToImage(cb, texels, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
	}
	for (uint32_t i = 0; i < q->levels && !q->planes; i++) {
		VkBufferImageCopy copy = { .bufferOffset = q->offset[i], .imageSubresource = { q->aspect, i, 0, q->layers },
			.imageExtent = { most(q->extent[0] >> i, 1), most(q->extent[1] >> i, 1), most(q->extent[2] >> i, 1) } };
		vkCmdCopyBufferToImage(cb, texels, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
	}
	image_barrier(cb, q, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
	vkCmdBindPipeline(cb, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(cb, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
	vkCmdDispatch(cb, q->points, 1, 1);
	VkMemoryBarrier barrier = { VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT, .dstAccessMask = VK_ACCESS_HOST_READ_BIT };
	vkCmdPipelineBarrier(cb, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
	must(vkEndCommandBuffer(cb), "vkEndCommandBuffer");
}

/* run runs a request and leaves the result in its output. */
static VkResult run(struct request *q)
{
	VkResult r;
	VkImage image;
	VkImageView view;
	VkSampler sampler;
	VkDeviceMemory memory[4];
	void *mapped[3];
	if ((r = make_image(q, &image, &memory[3], &view)) || (r = make_sampler(q, &sampler)))
		return r;
	VkBuffer in = buffer(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, q->in_size, q->in, &memory[0], &mapped[0]);
	VkBuffer out = buffer(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, q->out_size, NULL, &memory[1], &mapped[1]);
	VkBuffer texels = buffer(VK_BUFFER_USAGE_TRANSFER_SRC_BIT, q->size, q->texels, &memory[2], &mapped[2]);

	VkShaderModule module;
	VkShaderModuleCreateInfo smci = { VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = 4 * (size_t)q->words, .pCode = q->code };
	if ((r = vkCreateShaderModule(device, &smci, NULL, &module)))
		return r;
	VkDescriptorSetLayoutBinding slots[3] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, q->planes ? &sampler : NULL },
	};
	VkDescriptorSetLayoutCreateInfo slci = { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 3, .pBindings = slots };
	VkDescriptorSetLayout set_layout;
	must(vkCreateDescriptorSetLayout(device, &slci, NULL, &set_layout), "vkCreateDescriptorSetLayout");
	VkPipelineLayoutCreateInfo plci = { VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout };
	VkPipelineLayout layout;
	must(vkCreatePipelineLayout(device, &plci, NULL, &layout), "vkCreatePipelineLayout");
	VkComputePipelineCreateInfo cpci = { VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout,
		.stage = { VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = "main" } };
	VkPipeline pipeline;
	if ((r = vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &cpci, NULL, &pipeline)))
		return r;

	VkDescriptorPoolSize sizes[2] = { { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2 }, { VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3 } }; // one with chroma may count as three
	VkDescriptorPoolCreateInfo dpci = { VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes };
	VkDescriptorPool pool;
	must(vkCreateDescriptorPool(device, &dpci, NULL, &pool), "vkCreateDescriptorPool");
	VkDescriptorSetAllocateInfo dsai = { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool, .descriptorSetCount = 1, .pSetLayouts = &set_layout };
	VkDescriptorSet set;
	must(vkAllocateDescriptorSets(device, &dsai, &set), "vkAllocateDescriptorSets");
	VkDescriptorBufferInfo buffers[2] = { { in, 0, VK_WHOLE_SIZE }, { out, 0, VK_WHOLE_SIZE } };
	VkDescriptorImageInfo images = { sampler, view, VK_IMAGE_LAYOUT_GENERAL };
	VkWriteDescriptorSet writes[2] = {
		{ VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .descriptorCount = 2, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = buffers },
		{ VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = 2, .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, .pImageInfo = &images },
	};
	vkUpdateDescriptorSets(device, 2, writes, 0, NULL);

	VkCommandBufferAllocateInfo cbai = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = commands, .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1 };
	VkCommandBuffer cb;
	must(vkAllocateCommandBuffers(device, &cbai, &cb), "vkAllocateCommandBuffers");
	record(cb, q, image, texels, pipeline, layout, set);
	VkSubmitInfo submit = { VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cb };
	must(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
	must(vkQueueWaitIdle(queue), "vkQueueWaitIdle");
	memcpy(q->out, mapped[1], q->out_size);

	vkFreeCommandBuffers(device, commands, 1, &cb);
	vkDestroyDescriptorPool(device, pool, NULL);
	vkDestroyPipeline(device, pipeline, NULL);
	vkDestroyPipelineLayout(device, layout, NULL);
	vkDestroyDescriptorSetLayout(device, set_layout, NULL);
	vkDestroyShaderModule(device, module, NULL);
	vkDestroySampler(device, sampler, NULL);
	vkDestroyImageView(device, view, NULL);
	if (q->planes)
		vkDestroySamplerYcbcrConversion(device, q->conversion, NULL);
	vkDestroyImage(device, image, NULL);
	vkDestroyBuffer(device, in, NULL);
	vkDestroyBuffer(device, out, NULL);
	vkDestroyBuffer(device, texels, NULL);
	for (int i = 0; i < 4; i++)
		vkFreeMemory(device, memory[i], NULL);
	return VK_SUCCESS;
}

int main(void)
{
	open_device();
	struct request q;
	while (receive(&q)) {
		uint32_t status = (uint32_t)run(&q);
		put(&status, sizeof status);
		if (!status)
			put(q.out, q.out_size);
		fflush(stdout);
		free(q.code);
		free(q.in);
		free(q.out);
		free(q.texels);
	}
	return 0;
}
