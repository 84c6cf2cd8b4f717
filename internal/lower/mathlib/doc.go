// Package mathlib builds the functions of GLSL.std.450 that are no operation of
// the IR: it appends to a function the operations that compute them, for one
// component, or for the components of a vector or matrix, each a value.
//
// Floats may have 16, 32 or 64 bits unless a comment has "of 16 or 32 bits".
// Those are the transcendental ones, which GLSL.std.450 allows at no other
// width; they are computed in 32 bits, and of 16 bits rounded once at the end.
// The error in 32 bits is 4 ULP or less if the function is well
// conditioned, much less than Vulkan allows ("Precision and Operation of SPIR-V
// Instructions"); the tests print and bound it. All use correctly rounded
// operations only, so that every engine computes the same bits.
//
// docs/undefined.md defines the results outside a function's domain. The bits of a
// computed NaN are unspecified: the caller appends fcanon if they can
// be observed.
//
// The package knows no SPIR-V, no vector and no pointer, and appends no control:
// its output is straight-line code without memory accesses.
package mathlib
