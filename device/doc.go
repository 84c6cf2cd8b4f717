// Package device is the devices that a module is judged against, as they are
// written down: Vulkan Profiles JSON (the schemas profiles-0.8), which
// vulkaninfo --json writes too, and the few that need no file. [Read] turns
// files into a [valid.Device] each, [Builtin] knows the others, [Require] says
// what a module asks of a device.
//
// # What a profile says
//
// A profile names blocks of capabilities, and what conforms to it has them all:
// features of all blocks are on, of two limits the stronger one holds, and the
// extensions are those of all. Where the list of a profile has a list in it, one
// of its blocks is there, and it is not known which. Such a profile is several
// devices, one for each choice, and a module must hold on each. Profiles that a
// profile requires are merged into it; what is optional in it is not promised,
// and the profiles that it falls back to are others.
//
// What a profile does not say is what its version of Vulkan requires of every
// device; a feature or an extension that it neither names nor its version
// requires is off, and so is a format for vertex buffers where the profile has
// formats at all. Queue families, video profiles and what else formats are for
// are read over: no rule of a module or a pipeline asks for them.
//
// The package refuses to know how a device is shown and where files are found.
package device
