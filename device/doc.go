// Package device provides the devices against which a module is checked: Vulkan
// Profiles JSON (the schemas profiles-0.8), which vulkaninfo --json also writes,
// and a few built-in devices that need no file. [Read] turns each profile of the
// files into one or more devices ([valid.Device]), [Builtin] returns the built-in
// ones, and [Require] returns the requirements of a module on a device.
//
// # Contents of a profile
//
// A profile names blocks of capabilities. A conforming device has all of them:
// the features of all blocks are on, the stronger of two limits holds, and the
// extensions are the union. If the list of a profile contains a list, one of the
// blocks in it is there, and it is not known which one. Such a profile is several
// devices, one for each choice, and a module must be valid on each. Profiles that a
// profile requires are merged into it. Optional parts are not promised,
// and fallback profiles are separate profiles.
//
// A device also has all features and limits that its version of Vulkan requires.
// A feature or an extension is off if neither the profile nor the version
// requires it. The same applies to vertex buffer formats if the profile has
// formats at all. Queue families, video profiles and other uses of formats are
// ignored: a description of a pipeline can name the queues, and no rule needs the others.
//
// The lists that queries return, of cooperative matrices and vectors, are arrays among the
// properties: "VkCooperativeMatrixPropertiesKHR": [{"MSize": 16, …}]. The schema has no
// place for them. Without such an array, the rules that need it are not checked.
//
// The package does not know the presentation of devices or the places of files.
package device
