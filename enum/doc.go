// Package enum has the enumerations of Vulkan with their values, generated from the registry. The checks, the textures,
// the rasterization and the object API share them. Their text is Vulkan's name in lower case, without the common prefix.
//
// It refuses to know the objects that have a value.
//
// # Files
//
//	names.go     names of values in descriptions
//	enum_gen.go  the enumerations (internal/gen/vkgen)
package enum
