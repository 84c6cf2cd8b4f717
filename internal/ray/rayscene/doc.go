// Package rayscene makes scenes and rays to measure ray tracing with. A scene has the same bits on every host: it is made of
// hashed integers with +, −, ·, / and square roots, and no operation is fused with another. The package refuses to know structures
// and tracers.
//
// # Files
//
//	vector.go  hashed numbers, noise, vectors
//	scene.go   scenes
//	ray.go     rays: from the eye, and from points that rays hit
package rayscene
