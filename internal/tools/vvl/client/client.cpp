// A small Vulkan client: it reads pipelines from its standard input, has the
// validation layers judge each, and answers what they found. It judges nothing
// itself, and what the layers refuse never reaches the driver.
//
// All numbers are 32 bits in the machine's order; a list stands behind its
// length, what may be missing behind 1, or 0 where it is missing.
//   at first, out: the device's name as a list of bytes
//   then, for each pipeline,
//   in:  the members of the Go type pipeline (pipeline.go), in their order
//   out: the identifiers of all errors, each as a list of bytes
// Arguments are the names of features that are not enabled.
#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

static std::vector<std::string> errors;
static VkPhysicalDevice physical;
static VkDevice device;
static std::deque<std::vector<char>> pool;  // what pointers point to

static void fail(const char *what, int result)
{
	fprintf(stderr, "vvl client: %s failed with %d\n", what, result);
	exit(3);
}

static void must(VkResult r, const char *what)
{
	if (r != VK_SUCCESS)
		fail(what, r);
}

static uint32_t number()
{
	uint32_t n;
	if (fread(&n, sizeof n, 1, stdin) != 1)
		fail("reading a pipeline", 0);
	return n;
}

static float real()
{
	uint32_t n = number();
	float f;
	memcpy(&f, &n, sizeof f);
	return f;
}

static void put(uint32_t n) { fwrite(&n, sizeof n, 1, stdout); }

static void put(const std::string &s)
{
	put(uint32_t(s.size()));
	fwrite(s.data(), 1, s.size(), stdout);
}

template <class T> static T *keep(size_t n)
{
	pool.emplace_back(sizeof(T) * (n + 1));
	memset(pool.back().data(), 0, pool.back().size());
	return reinterpret_cast<T *>(pool.back().data());
}

// list reads a list of n elements, each by a function.
template <class T, class F> static T *list(uint32_t &n, F f)
{
	n = number();
	T *p = keep<T>(n);
	for (uint32_t i = 0; i < n; i++)
		f(p[i]);
	return p;
}

static void word(uint32_t &x) { x = number(); }

template <class E> static void member(E &x) { x = E(number()); }

static VKAPI_ATTR VkBool32 VKAPI_CALL message(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *)
{
	if (!(severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT))
		return VK_FALSE;
	errors.push_back(data->pMessageIdName ? data->pMessageIdName : "unnamed");
	if (getenv("VVL_LOUD"))
		fprintf(stderr, "%s\n", data->pMessage);
	return VK_TRUE;  // the call is not made
}

struct named { const char *name; size_t offset; };
#define FEATURE(x) {#x, offsetof(VkPhysicalDeviceFeatures, x)}
static const named switches[] = {
	FEATURE(independentBlend), FEATURE(geometryShader), FEATURE(tessellationShader), FEATURE(sampleRateShading), FEATURE(dualSrcBlend),
	FEATURE(logicOp), FEATURE(depthClamp), FEATURE(depthBiasClamp), FEATURE(fillModeNonSolid), FEATURE(wideLines), FEATURE(alphaToOne),
	FEATURE(multiViewport), FEATURE(shaderClipDistance), FEATURE(shaderCullDistance), FEATURE(shaderFloat64), FEATURE(shaderInt64),
	FEATURE(shaderInt16), FEATURE(vertexPipelineStoresAndAtomics), FEATURE(fragmentStoresAndAtomics), FEATURE(shaderTessellationAndGeometryPointSize),
};

static void openDevice(int argc, char **argv)
{
	VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
	app.apiVersion = VK_API_VERSION_1_3;
	VkDebugUtilsMessengerCreateInfoEXT mci = {VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
	mci.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
	mci.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
	mci.pfnUserCallback = message;
	const char *layers[] = {"VK_LAYER_KHRONOS_validation"}, *ext[] = {"VK_EXT_debug_utils"};
	VkInstanceCreateInfo ici = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &mci};
	ici.pApplicationInfo = &app;
	ici.enabledLayerCount = 1, ici.ppEnabledLayerNames = layers;
	ici.enabledExtensionCount = 1, ici.ppEnabledExtensionNames = ext;
	VkInstance instance;
	must(vkCreateInstance(&ici, nullptr, &instance), "vkCreateInstance with the validation layers");
	VkDebugUtilsMessengerEXT messenger;
	auto create = PFN_vkCreateDebugUtilsMessengerEXT(vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT"));
	mci.pNext = nullptr;
	must(create(instance, &mci, nullptr, &messenger), "vkCreateDebugUtilsMessengerEXT");
	uint32_t n = 1;
	VkResult r = vkEnumeratePhysicalDevices(instance, &n, &physical);
	if (n == 0 || (r != VK_SUCCESS && r != VK_INCOMPLETE))
		fail("finding a device", r);
	VkPhysicalDeviceProperties props;
	vkGetPhysicalDeviceProperties(physical, &props);

	VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT divisors = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT};
	VkPhysicalDeviceVulkan13Features f13 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &divisors};
	VkPhysicalDeviceVulkan12Features f12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &f13};
	VkPhysicalDeviceVulkan11Features f11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &f12};
	VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &f11};
	vkGetPhysicalDeviceFeatures2(physical, &features);
	for (int i = 1; i < argc; i++) {
		bool found = false;
		for (const named &s : switches)
			if (!strcmp(s.name, argv[i])) {
				*reinterpret_cast<VkBool32 *>(reinterpret_cast<char *>(&features.features) + s.offset) = VK_FALSE;
				found = true;
			}
		if (!found)
			fail(argv[i], 0);
	}
	const char *extensions[] = {"VK_EXT_vertex_attribute_divisor", "VK_KHR_push_descriptor"};
	float priority = 1;
	VkDeviceQueueCreateInfo qci = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
	qci.queueCount = 1, qci.pQueuePriorities = &priority;
	VkDeviceCreateInfo dci = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
	dci.queueCreateInfoCount = 1, dci.pQueueCreateInfos = &qci;
	dci.enabledExtensionCount = 2, dci.ppEnabledExtensionNames = extensions;
	must(vkCreateDevice(physical, &dci, nullptr, &device), "vkCreateDevice");
	if (!errors.empty())
		fail(errors[0].c_str(), 0);
	put(props.deviceName);
	fflush(stdout);
}

static VkDescriptorSetLayout readSet()
{
	VkDescriptorSetLayoutCreateInfo ci = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
	ci.flags = number();
	std::vector<VkDescriptorBindingFlags> flags;
	bool some = false;
	ci.pBindings = list<VkDescriptorSetLayoutBinding>(ci.bindingCount, [&](VkDescriptorSetLayoutBinding &b) {
		b.binding = number();
		member(b.descriptorType);
		b.descriptorCount = number();
		b.stageFlags = number();
		flags.push_back(number());
		some |= flags.back() != 0;
	});
	VkDescriptorSetLayoutBindingFlagsCreateInfo f = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO};
	f.bindingCount = ci.bindingCount, f.pBindingFlags = flags.data();
	if (some)
		ci.pNext = &f;
	VkDescriptorSetLayout s = VK_NULL_HANDLE;
	vkCreateDescriptorSetLayout(device, &ci, nullptr, &s);
	return s;
}

static VkRenderPass readPass()
{
	VkRenderPassCreateInfo ci = {VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
	ci.pAttachments = list<VkAttachmentDescription>(ci.attachmentCount, [](VkAttachmentDescription &a) {
		member(a.format);
		member(a.samples);
		a.loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE, a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
		a.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE, a.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
		a.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
	});
	auto ref = [](VkAttachmentReference &r) {
		r.attachment = number();
		member(r.layout);
	};
	ci.pSubpasses = list<VkSubpassDescription>(ci.subpassCount, [&](VkSubpassDescription &s) {
		s.pInputAttachments = list<VkAttachmentReference>(s.inputAttachmentCount, ref);
		s.pColorAttachments = list<VkAttachmentReference>(s.colorAttachmentCount, ref);
		if (number()) {
			auto *d = keep<VkAttachmentReference>(1);
			ref(*d);
			s.pDepthStencilAttachment = d;
		}
	});
	std::vector<uint32_t> masks(ci.subpassCount, number());
	VkRenderPassMultiviewCreateInfo m = {VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO};
	m.subpassCount = ci.subpassCount, m.pViewMasks = masks.data();
	if (!masks.empty() && masks[0])
		ci.pNext = &m;
	VkRenderPass p = VK_NULL_HANDLE;
	vkCreateRenderPass(device, &ci, nullptr, &p);
	return p;
}

static void readStage(VkPipelineShaderStageCreateInfo &s, std::vector<VkShaderModule> &modules)
{
	s.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
	s.flags = number();
	member(s.stage);
	uint32_t n;
	s.pName = list<char>(n, [](char &c) { c = char(number()); });
	VkShaderModuleCreateInfo ci = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
	ci.pCode = list<uint32_t>(n, word);
	ci.codeSize = 4 * n;
	if (number()) {
		auto *spec = keep<VkSpecializationInfo>(1);
		spec->pMapEntries = list<VkSpecializationMapEntry>(spec->mapEntryCount, [](VkSpecializationMapEntry &e) {
			e.constantID = number();
			e.offset = number();
			e.size = number();
		});
		spec->pData = list<char>(n, [](char &c) { c = char(number()); });
		spec->dataSize = n;
		s.pSpecializationInfo = spec;
	}
	if (uint32_t size = number()) {
		auto *r = keep<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(1);
		r->sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
		r->requiredSubgroupSize = size;
		s.pNext = r;
	}
	if (vkCreateShaderModule(device, &ci, nullptr, &s.module) == VK_SUCCESS)
		modules.push_back(s.module);
}

// some reads a struct that may be missing.
template <class T, class F> static const T *some(VkStructureType type, F f)
{
	if (!number())
		return nullptr;
	T *p = keep<T>(1);
	p->sType = type;
	f(*p);
	return p;
}

static const void *readRendering()
{
	return some<VkPipelineRenderingCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, [](VkPipelineRenderingCreateInfo &r) {
		r.viewMask = number();
		r.pColorAttachmentFormats = list<VkFormat>(r.colorAttachmentCount, member<VkFormat>);
		member(r.depthAttachmentFormat);
		member(r.stencilAttachmentFormat);
	});
}

static void readVertex(VkPipelineVertexInputStateCreateInfo &v)
{
	v.pVertexBindingDescriptions = list<VkVertexInputBindingDescription>(v.vertexBindingDescriptionCount, [](VkVertexInputBindingDescription &b) {
		b.binding = number();
		b.stride = number();
		member(b.inputRate);
	});
	v.pVertexAttributeDescriptions = list<VkVertexInputAttributeDescription>(v.vertexAttributeDescriptionCount, [](VkVertexInputAttributeDescription &a) {
		a.location = number();
		a.binding = number();
		member(a.format);
		a.offset = number();
	});
	auto *d = keep<VkPipelineVertexInputDivisorStateCreateInfoEXT>(1);
	d->sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT;
	d->pVertexBindingDivisors = list<VkVertexInputBindingDivisorDescriptionEXT>(d->vertexBindingDivisorCount, [](VkVertexInputBindingDivisorDescriptionEXT &x) {
		x.binding = number();
		x.divisor = number();
	});
	if (d->vertexBindingDivisorCount)
		v.pNext = d;
}

static void readRaster(VkPipelineRasterizationStateCreateInfo &r)
{
	r.depthClampEnable = number();
	r.rasterizerDiscardEnable = number();
	member(r.polygonMode);
	r.cullMode = number();
	member(r.frontFace);
	r.depthBiasEnable = number();
	r.depthBiasClamp = real();
	r.lineWidth = real();
}

static void readBlend(VkPipelineColorBlendStateCreateInfo &b)
{
	b.logicOpEnable = number();
	member(b.logicOp);
	b.pAttachments = list<VkPipelineColorBlendAttachmentState>(b.attachmentCount, [](VkPipelineColorBlendAttachmentState &a) {
		a.blendEnable = number();
		member(a.srcColorBlendFactor);
		member(a.dstColorBlendFactor);
		member(a.colorBlendOp);
		member(a.srcAlphaBlendFactor);
		member(a.dstAlphaBlendFactor);
		member(a.alphaBlendOp);
		a.colorWriteMask = number();
	});
}

static void readStates(VkGraphicsPipelineCreateInfo &ci)
{
	ci.flags = number();
	ci.subpass = number();
	ci.pNext = readRendering();
	ci.pVertexInputState = some<VkPipelineVertexInputStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO, readVertex);
	ci.pInputAssemblyState = some<VkPipelineInputAssemblyStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, [](auto &a) {
		member(a.topology);
		a.primitiveRestartEnable = number();
	});
	ci.pTessellationState = some<VkPipelineTessellationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO, [](auto &t) {
		t.patchControlPoints = number();
	});
	ci.pViewportState = some<VkPipelineViewportStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, [](auto &v) {
		v.viewportCount = number();
		v.scissorCount = number();
		auto *p = keep<VkViewport>(v.viewportCount);
		auto *s = keep<VkRect2D>(v.scissorCount);
		for (uint32_t i = 0; i < v.viewportCount; i++)
			p[i].width = p[i].height = 64, p[i].maxDepth = 1;
		for (uint32_t i = 0; i < v.scissorCount; i++)
			s[i].extent = {64, 64};
		v.pViewports = p;
		v.pScissors = s;
	});
	ci.pRasterizationState = some<VkPipelineRasterizationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, readRaster);
	ci.pMultisampleState = some<VkPipelineMultisampleStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, [](auto &m) {
		member(m.rasterizationSamples);
		m.sampleShadingEnable = number();
		m.minSampleShading = real();
		m.alphaToCoverageEnable = number();
		m.alphaToOneEnable = number();
	});
	ci.pDepthStencilState = some<VkPipelineDepthStencilStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO, [](auto &d) {
		d.depthTestEnable = number();
		d.depthWriteEnable = number();
		member(d.depthCompareOp);
		d.depthBoundsTestEnable = number();
		d.stencilTestEnable = number();
		d.maxDepthBounds = 1;
	});
	ci.pColorBlendState = some<VkPipelineColorBlendStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, readBlend);
	ci.pDynamicState = some<VkPipelineDynamicStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, [](auto &d) {
		d.pDynamicStates = list<VkDynamicState>(d.dynamicStateCount, member<VkDynamicState>);
	});
}

static void one(bool compute)
{
	std::vector<VkDescriptorSetLayout> sets(number());
	for (auto &s : sets)
		s = readSet();
	VkPipelineLayoutCreateInfo lci = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
	lci.setLayoutCount = uint32_t(sets.size()), lci.pSetLayouts = sets.data();
	lci.pPushConstantRanges = list<VkPushConstantRange>(lci.pushConstantRangeCount, [](VkPushConstantRange &r) {
		r.stageFlags = number();
		r.offset = number();
		r.size = number();
	});
	VkRenderPass pass = number() ? readPass() : VK_NULL_HANDLE;
	std::vector<VkPipelineShaderStageCreateInfo> stages(number());
	std::vector<VkShaderModule> modules;
	for (auto &s : stages)
		readStage(s, modules);
	VkGraphicsPipelineCreateInfo gci = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
	if (number())
		readStates(gci);
	VkPipelineLayout layout = VK_NULL_HANDLE;
	VkPipeline p = VK_NULL_HANDLE;
	if (errors.empty())
		vkCreatePipelineLayout(device, &lci, nullptr, &layout);
	if (errors.empty() && compute) {
		VkComputePipelineCreateInfo ci = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
		ci.stage = stages[0];
		ci.layout = layout;
		ci.basePipelineIndex = -1;
		vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &ci, nullptr, &p);
	} else if (errors.empty()) {
		gci.stageCount = uint32_t(stages.size()), gci.pStages = stages.data();
		gci.layout = layout, gci.renderPass = pass, gci.basePipelineIndex = -1;
		vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &gci, nullptr, &p);
	}
	vkDestroyPipeline(device, p, nullptr);
	vkDestroyPipelineLayout(device, layout, nullptr);
	for (auto m : modules)
		vkDestroyShaderModule(device, m, nullptr);
	vkDestroyRenderPass(device, pass, nullptr);
	for (auto s : sets)
		vkDestroyDescriptorSetLayout(device, s, nullptr);
}

int main(int argc, char **argv)
{
	openDevice(argc, argv);
	uint32_t compute;
	while (fread(&compute, sizeof compute, 1, stdin) == 1) {
		errors.clear();
		one(compute != 0);
		pool.clear();
		put(uint32_t(errors.size()));
		for (auto &e : errors)
			put(e);
		fflush(stdout);
	}
	return 0;
}
