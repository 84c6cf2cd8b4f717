// Package transfer copies between buffers and images: copies, blits and clears of every format and aspect (Vulkan, Copy
// Commands, Clear Commands). It refuses to know shaders and command buffers. Callers check valid
// usage, such as compatible formats. A region outside an image or a buffer is a *RangeError.
//
// # Files
//
//	surface.go    one level of an image as rows of elements: texels or compressed blocks
//	rotate.go     regions in quarter turns
//	copy.go       buffer to image, image to buffer, image to image
//	blit.go       scaled copies with conversion and filter
//	line.go       rows of scaled copies, as floats
//	sumpairs_amd64.go, sumpairs_amd64.s, sumpairs_other.go  sums of two texels in two rows
//	clear.go      clears of ranges
//	footprint.go  the memory that copies, blits and clears access
//	matrix.go     layouts of matrices for cooperative vectors
package transfer
