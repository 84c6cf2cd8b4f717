// Package frontend is the first half of a draw: from vertices to binned primitives. It builds the programs of
// all stages before the rasterizer and runs them, and the triangle set-up program. It refuses to know
// fragments, attachments and the pass.
//
// # Data flow
//
// A [Binner] moves chunks of primitives through the stages. Each arrow is a [layout.Record] for each vertex,
// and a list of primitives that refer to the records (primitiveList):
//
//	vertex and index buffers
//	  │ Assembler              chunks: distinct vertices and primitives
//	  ▼
//	vertex program             a workgroup is 64 vertices
//	  │
//	  ├─► tessellation control       a workgroup is a patch
//	  │     │ tess.Tessellator       domain points
//	  │     ▼
//	  │   tessellation evaluation    an invocation is a domain point
//	  │     │
//	  ├─────┴─► geometry             an invocation emits records and marks; primitive strips in Go
//	  │           │
//	  ├───────────┤ transform feedback and statistics (outputStream)
//	  │           │
//	  │           │       range of workgroups
//	  │           │         │ task        a workgroup emits counts and a payload
//	  │           │         ▼
//	  │           │       mesh            a workgroup writes records and primitives
//	  ▼           ▼         ▼
//	clip, guard band, set-up, coverage    raster, one bin of items for each tile
//
// Many triangles are set up by a program (trianglesetup.go), a few one by one by the rasterizer. Coverage uses
// edge functions (Pineda 1988) in exact sub-pixel arithmetic. A triangle inside of the guard band needs no
// clipping at the sides of the view volume, because its sub-pixel positions cannot overflow.
//
// # Files
//
// Callees come first: a file refers only to files before it.
//
//	stages.go              the programs of a pipeline, limits
//	chunk.go               runs of primitives with their vertices
//	vertexcache.go         vertices that primitives of a chunk share
//	instancechunk.go       chunks that instances repeat
//	assembly.go            input assembly
//	transformfeedback.go   capture layout, feedback buffers
//	perview.go             outputs for each view
//	vertex.go              vertex program: attribute fetch
//	primitiveshader.go     common builder of tessellation and geometry programs
//	primitivestage.go      their runs
//	meshshader.go          builder of task and mesh programs
//	binner.go              the front end of a worker
//	triangleshader.go      builder of the set-up program of triangles or lines
//	tinytriangle.go        coverage of tiny triangles and lines
//	projection.go          projection, outcodes
//	trianglesetup.go       culling, plane equations
//	linesetup.go           rectangles and plane equations of lines
//	batch.go               runs of the set-up program
//	inplace.go             small draws without copies of their triangles
//	output.go              exit of the last stage: statistics, transform feedback
//	rasterize.go           rasterization into bins
//	geometry.go            geometry program and its primitives
//	tessellation.go        tessellation programs, domain points
//	mesh.go                task and mesh workgroups
//	pipeline.go            record layouts, compiled programs
//	draw.go                a draw's programs and resources
//	run.go                 a chunk through all stages
package frontend
