// Package format describes the texel formats: their components and bit layout, conversion of texels to values and
// back, block decompression, planes, Y′CbCr conversion, and the size of texels in tight layouts. It refuses to
// know of images: their levels and layers, readers, filters and addressing.
//
// Two conversions exist on purpose: [Format.Texel] follows the specification's formulas in float64, for tests and
// tools; [Codec] is exact and fast, for images. Their tests compare one with the other.
//
// The files:
//
//	format.go         Format, Component: bit layouts, parsed from Vulkan's names (names.go)
//	info.go           Info: properties of all formats (table_gen.go, generated)
//	pack.go           conversion of components by formula; float.go floats of 8 to 16 bits
//	codec.go          Codec: conversion of texels; srgb.go, srgb_table.go its sRGB codes
//	average.go        averages of four samples of normalized bytes
//	row.go            rows of texels; bytes_amd64.go, bytes_amd64.s, bytes_other.go vectors of normalized bytes
//	convert.go        values of one format as values of another
//	layout.go         Layout, BufferCopy: sizes and pitches
//	planes.go         planes and channels of multi-planar and subsampled formats
//	ycbcr.go          Y′CbCr models, ranges, chroma reconstruction
//	blocks.go         Blocks: decoding of compressed blocks; decoded.go formats of decoded texels
//	bc.go             BC1 to BC5
//	bptc.go           BC6H and BC7; bptc_table.go their partitions and modes
//	etc.go            ETC2 and EAC
//	astc.go           ASTC blocks; astc_endpoints.go colors, astc_sequence.go integer sequences,
//	                  partitions and weights, astc_value.go conversion, astc_table.go tables
//	pvrtc.go          PVRTC1 and PVRTC2
package format

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Numeric is a numeric format: the interpretation of a component's bits (Vulkan §"Identification of Formats").
type Numeric uint8

// The numeric formats. None belongs to padding.
const (
	None Numeric = iota
	UNorm
	SNorm
	UScaled
	SScaled
	UInt
	SInt
	UFloat
	SFloat
	SRGB
	SFixed5    // two's complement fixed point in units of 1/32 (VK_NV_optical_flow)
	BFloat16   // the upper half of a 32-bit float
	Float8E4M3 // 4 exponent bits, 3 fraction bits, no infinity
	Float8E5M2 // 5 exponent bits, 2 fraction bits
)

// String returns the suffix in Vulkan's format names, such as "UNORM".
func (n Numeric) String() string { return numericNames[n] }

// numericNames are the suffixes, by Numeric.
var numericNames = [...]string{"", "UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "UFLOAT", "SFLOAT", "SRGB",
	"SFIXED5", "BFLOAT16", "FLOAT8E4M3", "FLOAT8E5M2"}

// Signed reports whether values of n have a sign.
func (n Numeric) Signed() bool {
	return n == SNorm || n == SScaled || n == SInt || n == SFloat || n >= SFixed5
}

// Channel is the meaning of a component. R, G, B and A are also the index of a component in a texel's value.
type Channel uint8

// The channels. D is depth, S stencil, E the exponent shared by the others, X padding.
const (
	R Channel = iota
	G
	B
	A
	D
	S
	E
	X
)

// Component is the bit field of one component of a texel.
type Component struct {
	Channel Channel
	Numeric Numeric
	Bits    int // width, 1 to 64
	Shift   int // position of the lowest bit in the texel, its bytes in little-endian order
	One     int // the code of 1 of UNorm in the formats of decoded blocks; 0 is the code with all bits set
}

// Format is the layout of an uncompressed single-plane format. ByName alone creates formats; two formats
// with one name are equal.
type Format struct {
	Name   string // Vulkan's name without VK_FORMAT_
	Bytes  int    // size of a texel
	Packed bool   // the texel is an array of integers; the name lists their components from the highest bit down
	word   int    // width of each integer of a packed texel, in bits
	n      int
	comps  [8]Component
}

// Components returns the components in the order of the name. The slice is f's own.
func (f *Format) Components() []Component { return f.comps[:f.n] }

// Has reports whether f has a component with channel c.
func (f *Format) Has(c Channel) bool {
	return slices.ContainsFunc(f.Components(), func(k Component) bool { return k.Channel == c })
}

// IsDepthStencil reports whether f has a depth or a stencil component.
func (f *Format) IsDepthStencil() bool { return f.Has(D) || f.Has(S) }

// ByName returns the format with a name, without VK_FORMAT_. It returns false for compressed, multi-planar,
// subsampled and Boolean formats: see InfoByName.
func ByName(name string) (Format, bool) {
	f := InfoByName(name).Texel()
	if f == nil {
		return Format{}, false
	}
	return *f, true
}

// index returns the positions of formats in infos by name.
var index = sync.OnceValue(func() map[string]int {
	m := make(map[string]int, len(infos))
	for i := range infos {
		m[infos[i].Name] = i
	}
	return m
})

// texels returns the layout of each format of infos that is one of names.
var texels = sync.OnceValue(func() *[len(infos)]*Format {
	var list [len(infos)]*Format
	for _, name := range names {
		if f, ok := parse(name); ok {
			list[index()[name]] = &f
		}
	}
	return &list
})

// parse derives the layout from a name: words of channel letters and widths, each followed by its numeric
// format, or several by a common one. Examples: D24_UNORM_S8_UINT, B10G11R11_UFLOAT_PACK32.
func parse(name string) (Format, bool) {
	f := Format{Name: name}
	pending := 0
	for word := range strings.SplitSeq(name, "_") {
		if _, bits, packed := strings.Cut(word, "PACK"); packed {
			f.Packed = true
			f.word, _ = strconv.Atoi(bits)
			continue
		}
		switch word {
		case "ARM", "NV":
			continue
		case "FPENCODING": // the next word specifies the numeric format further
			pending = 0
			continue
		}
		if i := slices.Index(numericNames[:], word); i > 0 {
			for ; pending < f.n; pending++ {
				if f.comps[pending].Channel != X {
					f.comps[pending].Numeric = Numeric(i)
				}
			}
			continue
		}
		if !f.addComponents(word) {
			return Format{}, false
		}
	}
	f.assignShifts()
	return f, true
}

// addComponents appends the components of a word such as R5G6B5; false if it is malformed.
func (f *Format) addComponents(word string) bool {
	for word != "" {
		c := strings.IndexByte("RGBADSEX", word[0])
		digits := len(word[1:]) - len(strings.TrimLeft(word[1:], "0123456789"))
		bits, err := strconv.Atoi(word[1 : 1+digits])
		if c < 0 || err != nil || f.n == len(f.comps) {
			return false
		}
		f.comps[f.n] = Component{Channel: Channel(c), Bits: bits}
		f.n++
		word = word[1+digits:]
	}
	return true
}

// assignShifts assigns each component its bits: downwards from the high bit of its word in a packed texel,
// upwards from byte 0 in others.
func (f *Format) assignShifts() {
	total := 0
	for i := range f.comps[:f.n] {
		f.comps[i].Shift = total
		total += f.comps[i].Bits
	}
	f.Bytes = (total + 7) / 8
	if f.Packed {
		for i := range f.comps[:f.n] {
			c := &f.comps[i]
			low := c.Shift % f.word
			c.Shift += f.word - c.Bits - 2*low
		}
	}
	// In sRGB formats alpha is linear (Vulkan §"Identification of Formats").
	for i := range f.comps[:f.n] {
		if f.comps[i].Channel == A && f.comps[i].Numeric == SRGB {
			f.comps[i].Numeric = UNorm
		}
	}
}
