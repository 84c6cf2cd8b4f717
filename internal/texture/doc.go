// Package texture is images, the views and samplers that show them to a shader,
// and what reading, writing and sampling through them means: it gives the texture
// functions of a program ([ir.Texture]) their bodies once it is known what is
// bound. The bodies are IR like any other, so both engines run them and give the
// same bits.
//
// [Image] is texels in memory; [View] chooses levels, layers, a format and a
// swizzle of one; [Sampler] says how to filter. [Bind] makes of a program and what
// is bound to it a program that an engine compiles. What needs code of its own
// (dimension, format, filters, address modes) is the key of a view or sampler;
// what does not (extents, pitches, border colours, bounds of the level of detail)
// stands in words that the program reads, so that one body serves all views of one
// key.
//
// The package knows neither SPIR-V nor Vulkan's objects, no queue and no command;
// it refuses to know which engine runs what it makes.
package texture
