// Package ray builds acceleration structures and traces rays through them (Vulkan, Acceleration Structures and Ray
// Traversal). It refuses to know shaders, memory objects and commands.
//
// A ray has the same hits on every machine, with every tree and any number of threads. Three rules make it so:
//
//   - The test of a triangle depends on the ray and the triangle only (triangle.go), and so does the transformation of
//     a ray into the space of an instance.
//   - The test of a box is conservative: it accepts each box with a hit. Boxes grow for it by themselves
//     and the ray only (level.go): a far primitive does not slow down the rays to the others. Where they grow beyond a
//     mesh, as for rays from far away, a test of the same roundings as the triangles' rejects most of them (level.misses).
//   - Candidates have a total order: distance, instance, geometry, primitive. The closest hit is the first one, and
//     shaders see their candidates in this order, each once.
//
// The order of the candidates also makes a suspended traversal small. Next finds the first candidate beyond the last
// one by a new traversal that skips all closer boxes, so that the state of a query is a ray and two hits: the private
// memory of a shader holds it. Opaque triangles, which are most, take one traversal, and no further one follows a
// committed hit that is no farther than the last candidate.
//
// # Structures
//
// A tree has eight children in a node (node.go), which one vector operation tests. The leaves of a bottom level hold
// blocks of four triangles by component, one box or one sphere; the leaves of a top level hold one instance. A structure is
// immutable after its build, but for an update in its own memory.
//
// # Motion
//
// A ray has a time from 0 to 1 (Query.Time). A moving instance has the matrix of this time, and moving triangles the positions
// of it; the boxes of the trees contain them at all times.
//
// # Bad input
//
// A ray with a NaN, an infinite component, an empty interval or a zero direction misses, and a negative TMin is 0.
// Triangles with positions that are not finite, boxes with a NaN, primitives outside the memory, instances without an
// inverse transform and instances without a bottom level are inactive. The depth of a tree is bounded, so that no input
// overflows a stack.
//
// # Files
//
//  1. flag.go, geometry.go, roundgeometry.go, micromap.go, opacity.go, instance.go, motion.go: the input.
//  2. structure.go, node.go, size.go: the structures.
//  3. build.go, batch.go, binary.go, builder.go, sah.go, collapse.go, branch.go, refit.go, parallel.go, scratch.go: builds; morton.go, refine.go: fast builds;
//     build_*.go, build_amd64.s: their machine code; update.go: updates; huge_*.go: their memory.
//  4. query.go, recorded.go: rays and hits.
//  5. walker.go, level.go, triangle.go, round.go: the traversal; kernel_*.go, kernel_amd64.s, triangle_amd64.h: its machine
//     code.
//  6. packet.go: the traversal of several rays; packet_*.go, packet_amd64.s, packet512_amd64.s, packet_amd64.h: its machine code;
//     rows.go, rows_*.go, rows_amd64.s: rays and hits in memory by word.
//  7. serial.go, opacityserial.go, check.go: the serialized form.
package ray
