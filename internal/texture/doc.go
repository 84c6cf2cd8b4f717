// Package texture implements images, views and samplers: it generates, as IR, the bodies of a program's
// texture functions ([ir.Texture]) once the bound descriptors are known. It knows neither SPIR-V nor Vulkan's
// objects, no queue and no command, and refuses to know which engine runs the code: both engines run the
// same bodies and produce the same bits.
//
// An [Image] owns texels; a [View] selects levels, layers, a format and a swizzle of an image; a [Sampler]
// holds filtering and addressing state. [Bind] specializes a program for the bound views and samplers:
//
//	program + bound views, samplers ─ Key ─▶ cache of compiled programs
//	                                └ Bind ─▶ program with bodies ─▶ engine
//
// State that changes the code (dimension, format, filters, addressing modes, swizzle) is in a view's or
// sampler's key. All other state (extents, pitches, border colors, LOD bounds) is in words that the code
// loads, so that one body serves all views with equal keys. llvmpipe splits its static and dynamic texture
// state in the same way.
//
// A sample passes these steps, in the order of the Vulkan specification's chapter Image Operations:
//
//	coordinates ─ cube face, layer ─ LOD ─▶ per level: wrap ─ taps ─ decode ─ filter ─▶ swizzle, convert
//	              (cube.go)          (lod.go)       (wrap.go)  (decode.go) (filter.go, cubic.go)
//
// The files, by topic:
//
//	layout.go     Desc, Layout: levels, layers and aspects in memory
//	image.go      Image, Coord: a layout on memory
//	disjoint.go   images with a memory for each plane
//	sparse.go     images with memory for some blocks; resident.go code that looks for blocks without
//	pages.go      the pages of sparse images and buffers with memory
//	view.go       View; key.go its specialization key; texels.go Texels, for attachments and vertices
//	shown.go      Shown: texels of what a program is bound to, for debuggers
//	channel.go    the types and orders of channels, for queries
//	sampler.go    Sampler and its key
//	clear.go      fills by the host
//	blocks.go     compressed images; blockview.go views of their blocks as texels
//	bind.go       Bind and Key: specialization
//	cover.go      programs that serve several keys
//	emit.go       code: the IR builder of one body, and its arguments
//	mip.go        mip levels and texel offsets
//	read.go       Read, Write, Texel, Fetch: integer coordinates
//	sample.go     Sample and Gather; lod.go level of detail, anisotropy
//	wrap.go       addressing modes; cube.go cube faces and their edges
//	filter.go     nearest and linear filters; rows.go and bytes.go their fast paths
//	cubic.go      cubic filters
//	chroma.go     Y′CbCr conversion, chroma reconstruction
//	footprint.go  Footprint (SPV_NV_shader_image_footprint)
//	process.go    box and weighted filters; match.go block matching; weights.go weight images
//	decode.go     texel bits to values; encode.go values to texel bits; tables.go sRGB tables
package texture
