// Package mathlib builds the functions of GLSL.std.450 that are no operation of
// the IR: it appends to a function the operations that compute them, for one
// component, or for the components of a vector or matrix, each a value.
//
// Floats may have 16, 32 or 64 bits unless a function says "of 16 or 32 bits".
// Those are the transcendental ones, which GLSL.std.450 allows at no other
// width; they are computed in 32 bits, and of 16 bits rounded once at the end.
// Their error in 32 bits is 4 ULP or less where the function is well
// conditioned, much less than Vulkan allows ("Precision and Operation of SPIR-V
// Instructions"); the tests print and bound it. All use correctly rounded
// operations alone, so that every engine gives the same bits.
//
// Outside of a function's domain the result is as docs/undefined.md says. A NaN
// that is computed has no bits of its own: the caller puts fcanon where it can
// be seen.
//
// The package knows no SPIR-V, no vector and no pointer, and appends no control:
// what it builds is straight code without memory.
package mathlib
