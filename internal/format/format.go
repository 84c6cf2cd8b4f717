// Package format knows the texel formats: their names, the place of each
// component in a texel or a compressed block, what number its bits stand for, in
// which planes it stands, what color its luma and chroma make, and how many bytes
// so many texels take without gaps. It refuses to know of images: where their
// levels and layers lie, who reads them, and how they are filtered or addressed.
package format

import (
	"slices"
	"strconv"
	"strings"
)

// Numeric is how the bits of a component are read (Vulkan §"Identification of
// Formats", numeric formats).
type Numeric uint8

// The numeric formats. None is the format of padding.
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
	SFixed5    // two's complement in steps of 1/32 (VK_NV_optical_flow)
	BFloat16   // the upper half of a float of 32 bits
	Float8E4M3 // 4 bits of exponent, 3 of mantissa, no infinity
	Float8E5M2 // 5 bits of exponent, 2 of mantissa
)

// String returns the suffix of Vulkan's format names, such as "UNORM".
func (n Numeric) String() string { return numericNames[n] }

var numericNames = [...]string{"", "UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "UFLOAT", "SFLOAT", "SRGB",
	"SFIXED5", "BFLOAT16", "FLOAT8E4M3", "FLOAT8E5M2"}

// Signed reports whether the bits of n have a sign.
func (n Numeric) Signed() bool {
	return n == SNorm || n == SScaled || n == SInt || n == SFloat || n >= SFixed5
}

// Channel is what a component holds. R, G, B and A are their own index in a
// texel's value.
type Channel uint8

// The channels. E is the exponent shared by the others, X is padding.
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

// Component is one component of a texel.
type Component struct {
	Channel Channel
	Numeric Numeric
	Bits    int // width, 1 to 64
	Shift   int // place of the lowest bit in the texel, its bytes read in little-endian order
}

// Format is a texel format. Formats are made by ByName alone; two of one name
// are equal.
type Format struct {
	Name   string // Vulkan's name without VK_FORMAT_
	Bytes  int    // size of a texel, tightly packed
	Packed bool   // the texel is integers of word bits; its name lists components from the highest bit of each
	word   int    // bits of each integer of a packed texel
	n      int
	comps  [8]Component
}

// Components returns the components in the order of the name.
func (f *Format) Components() []Component { return f.comps[:f.n] }

// Has reports whether a component of f holds c.
func (f *Format) Has(c Channel) bool {
	return slices.ContainsFunc(f.Components(), func(k Component) bool { return k.Channel == c })
}

// IsDepthStencil reports whether f has a depth or a stencil component.
func (f *Format) IsDepthStencil() bool { return f.Has(D) || f.Has(S) }

// ByName returns the format of a name without VK_FORMAT_. Formats in blocks,
// in planes, with subsampled chroma and of truth values are not known.
func ByName(name string) (Format, bool) {
	if _, known := slices.BinarySearch(names[:], name); !known {
		return Format{}, false
	}
	return parse(name)
}

// parse reads the components out of a name: groups of letter and width, each
// followed by its numeric format, or one numeric format for all before it.
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
		case "FPENCODING": // says more of what stands before
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
	f.place()
	return f, true
}

// addComponents appends the components of a word such as R5G6B5.
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

// place gives each component its bits: from the highest down in a packed
// texel, from byte 0 up in others.
func (f *Format) place() {
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
	// SRGB leaves alpha linear (Vulkan §"Identification of Formats").
	for i := range f.comps[:f.n] {
		if f.comps[i].Channel == A && f.comps[i].Numeric == SRGB {
			f.comps[i].Numeric = UNorm
		}
	}
}
