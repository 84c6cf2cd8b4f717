// Package transfer copies between buffers and images: copies, blits and clears of every format and aspect (Vulkan, Copy
// Commands, Clear Commands). It refuses to know shaders and command buffers. The caller has checked what Vulkan leaves to
// the application, such as formats of copies; what is outside of an image or a buffer is an error here too.
//
// # Files
//
//	surface.go    one level of an image as rows of elements: texels or compressed blocks
//	copy.go       buffer to image, image to buffer, image to image
//	blit.go       scaled copies with conversion and filter
//	clear.go      clears of ranges
package transfer
