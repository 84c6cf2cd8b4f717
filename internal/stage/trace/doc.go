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
// # Files
//
//	service.go  the service
package trace
