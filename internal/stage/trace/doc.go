// Package trace runs rays of shaders: it serves the requests of programs on rays (package ir, "Rays") with the
// structures of package ray.
//
// # Ray queries
//
// A ray query is a ray in the private memory of its lane. Its slots are the words of a [ray.Query], so that a request
// copies words, traverses, and copies words back:
//
//	shader ── ray slot, RayProceed ──► exit of the engine, once for all lanes of a strip
//	                                     │ exec.RayService
//	                                     ▼
//	                                   Service ── number of the structure ──► ray.Table ──► ray.Walker
//
// # Pipelines
//
// [Compose] makes one compute program of the shaders of a ray tracing pipeline. Its invocations are the invocations of a
// launch, and [Pipeline.Run] runs it. A call of a shader is a switch over the shader record, so that a subgroup is split by shader
// and joined again: each shader runs for all of its lanes at once. Shaders that trace rays are copied for each level of the
// recursion. The alternative, continuations with saved live values, regroups lanes over subgroups, but writes all live
// values to memory at each call. See composer for the functions of the program. Hints to reorder invocations have no
// effect: the split at a call does not depend on their order.
//
// # Files
//
//	service.go    the service
//	packet.go     the service for rays that begin together
//	pipeline.go   pipelines, records of shader binding tables, words of the parameters
//	launch.go     the parameters of a launch
//	tile.go       the invocations of a subgroup
//	composer.go   the composed program: launch, recursion, the choice of a shader
//	hitobject.go  the two halves of a trace, of hit objects
//	candidate.go  the loop over candidates, reported hits
//	check.go      rules on records, which a launch checks
//	clone.go      copies of shaders
//	shadow.go     the shadow of private memory, of the sanitizer uninit
package trace
