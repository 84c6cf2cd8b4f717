// Package oracle determines the results that Vulkan permits for a dispatch of a compute shader, and for a draw: for each
// number in the buffers, or the attachments, the set of the values that an implementation may store. It executes the module once for each invocation. A float is a range: each
// instruction has the results that package precision permits for all operands in their ranges, so that a fused or a more precise
// evaluation is inside. An integer is one value. It computes no result as the engines do, so that it judges them and devices.
//
// What it cannot decide permits any value: a result that is not defined, an instruction that it does not know, the value of an
// atomic and of most texels, a location that several invocations access without a barrier between them. An
// invocation ends undecided at a branch on a value with several outcomes, and at an access of other memory; then any content of the
// buffers is permitted. No permitted result is missing. Atomics of one kind on a number of a buffer have the sums of all orders, and so have group
// operations of floats. Invocations wait for each other at barriers and group operations.
//
// # Files
//
//  1. value.go: values of invocations, and their types.
//  2. memory.go: variables and buffers.
//  3. machine.go: invocations, functions and control flow.
//  4. instruction.go: instructions without an effect on control flow; atomic.go: atomics; group.go: group operations; texel.go: texels of pictures;
//     opaque.go: instructions with any result.
//  5. integer.go: integers and bits; arithmetic.go: arithmetic; fast.go: frequent instructions of 32 bits; loose.go: decorations and modes that permit more results; rearranged.go: expressions in another form.
//  6. judge.go: the verdict on results.
//  7. draw.go: draws, their shaders and interfaces; geometry.go: geometry shaders; mesh.go: mesh shaders; task.go: task shaders; raster.go: coverage, interpolation and depth; pose.go: positions and orientations of triangles; primitive.go: points, lines and outlines; adjacency.go: primitives with adjacency; tessellation.go: patches; patch.go: their primitives; cloud.go: those with an open subdivision; clip.go: clip and cull distances; multisample.go: several samples; quad.go: derivatives, textures and
//     samplers; hull.go: accesses of textures at open texels; stencil.go: tests of depth and stencil; attachment.go: blending, attachments and their verdict; choice.go: texels with several contents; logic.go: logical operations; rendered.go: attachments as textures.
package oracle
