/* What both clients of vkdiff have: reading, writing, and the first device of the
 * loader. All numbers are 32 bits in the machine's order. open_device writes the
 * length and bytes of the device's name, its subgroup size, the
 * VkSubgroupFeatureFlags that it has in compute, and 1 if it has atomics of 64
 * bits in buffers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

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

static int has_extension(const char *name)
{
	uint32_t n = 0;
	must(vkEnumerateDeviceExtensionProperties(physical, NULL, &n, NULL), "vkEnumerateDeviceExtensionProperties");
	VkExtensionProperties *list = bytes(n * sizeof *list);
	must(vkEnumerateDeviceExtensionProperties(physical, NULL, &n, list), "vkEnumerateDeviceExtensionProperties");
	int found = 0;
	for (uint32_t i = 0; i < n; i++)
		found |= !strcmp(list[i].extensionName, name);
	free(list);
	return found;
}

/* What samplers may be: minima and maxima, cubes with seams, conversions of chroma. */
static VkBool32 can_reduce, can_seams, can_convert;

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

	const char *extensions[2];
	uint32_t extension_count = 0;
	VkPhysicalDeviceCustomBorderColorFeaturesEXT border = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT };
	VkPhysicalDeviceNonSeamlessCubeMapFeaturesEXT cubes = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NON_SEAMLESS_CUBE_MAP_FEATURES_EXT };
	void *chain = NULL;
	if (has_extension(VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME)) {
		extensions[extension_count++] = VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME;
		border.pNext = chain, chain = &border;
	}
	if (has_extension(VK_EXT_NON_SEAMLESS_CUBE_MAP_EXTENSION_NAME)) {
		extensions[extension_count++] = VK_EXT_NON_SEAMLESS_CUBE_MAP_EXTENSION_NAME;
		cubes.pNext = chain, chain = &cubes;
	}
	VkPhysicalDeviceVulkan13Features f13 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, chain };
	VkPhysicalDeviceVulkan12Features f12 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &f13 };
	VkPhysicalDeviceVulkan11Features f11 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &f12 };
	VkPhysicalDeviceFeatures2 features = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &f11 };
	vkGetPhysicalDeviceFeatures2(physical, &features);
	can_reduce = f12.samplerFilterMinmax, can_seams = cubes.nonSeamlessCubeMap, can_convert = f11.samplerYcbcrConversion;
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
	VkDeviceCreateInfo dci = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features, .queueCreateInfoCount = 1, .pQueueCreateInfos = &qci,
		.enabledExtensionCount = extension_count, .ppEnabledExtensionNames = extensions };
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
