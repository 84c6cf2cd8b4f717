package ray

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// A Micromap has the opacity of parts of triangles: a triangle of it is subdivided 4^level times and has a state for each
// part (Vulkan, "Ray Opacity Micromap"). It never changes after its build. A nil Micromap has no triangles.
type Micromap struct {
	triangles []microTriangle
	// data holds states of one or two bits, from the least bit of each byte on.
	data []byte
}

// microTriangle is a triangle of a micromap. It consists of 4-byte fields.
type microTriangle struct{ offset, level, format uint32 }

const (
	microWords = 3
	// MaxMicromapLevel is the largest number of subdivisions.
	MaxMicromapLevel = 12
	// MaxMicromapTriangles bounds the triangles of a micromap.
	MaxMicromapTriangles = 1 << 27
	// microRecord is the size of VkMicromapTriangleKHR.
	microRecord = 8
)

// Formats of micromap triangles, with Vulkan's values (VkOpacityMicromapFormatKHR).
const (
	TwoStates  = 1
	FourStates = 2
)

// The states of a part of a triangle. The complement of a state is the index of a triangle that has it everywhere.
const (
	transparent = iota
	opaquePart
	unknownTransparent
	unknownOpaque
	microStates
)

// MicromapInput describes a micromap: its triangles (VkMicromapTriangleKHR) at multiples of a stride, and their data.
type MicromapInput struct {
	Count     uint32
	Triangles []byte
	Stride    uint64
	Data      []byte
	// Most bounds the data of all triangles.
	Most uint64
}

// ErrMicromapUsage is returned for micromaps with more data than MicromapInput.Most.
var ErrMicromapUsage = errors.New("the triangles of a micromap have more data than their usages count")

// MicroBytes returns the number of bytes of the data of a triangle; 0 if there is no such format or level.
func MicroBytes(format, level uint32) uint64 {
	if format != TwoStates && format != FourStates || level > MaxMicromapLevel {
		return 0
	}
	return (uint64(format)<<(2*level) + 7) / 8
}

// BuildMicromap builds a micromap. A triangle that is not in the memory, or has no format or no level, is unknown-opaque
// everywhere.
func BuildMicromap(in *MicromapInput) (*Micromap, error) {
	if in.Count > MaxMicromapTriangles {
		return nil, fmt.Errorf("a micromap of %d triangles: %w", in.Count, ErrTooLarge)
	}
	m := &Micromap{triangles: make([]microTriangle, in.Count)}
	for i := range m.triangles {
		at := uint64(i) * in.Stride
		if at > uint64(len(in.Triangles)) || uint64(len(in.Triangles))-at < microRecord {
			continue
		}
		b := in.Triangles[at:]
		t := microTriangle{binary.LittleEndian.Uint32(b), uint32(binary.LittleEndian.Uint16(b[4:])), uint32(binary.LittleEndian.Uint16(b[6:]))}
		n, from := MicroBytes(t.format, t.level), uint64(t.offset)
		if n == 0 || from+n > uint64(len(in.Data)) {
			continue
		}
		if n > min(in.Most, math.MaxUint32)-uint64(len(m.data)) {
			return nil, ErrMicromapUsage
		}
		t.offset = uint32(len(m.data))
		m.triangles[i], m.data = t, append(m.data, in.Data[from:from+n]...)
	}
	return m, nil
}

// MicromapSize returns the size of a micromap with a number of triangles that have bytes of data together.
func MicromapSize(triangles, bytes uint64) uint64 { return microWords*4*triangles + bytes }

// Size returns the size of m in bytes.
func (m *Micromap) Size() uint64 {
	if m == nil {
		return 0
	}
	return MicromapSize(uint64(len(m.triangles)), uint64(len(m.data)))
}

// part returns a micromap of some of the triangles.
func (m *Micromap) part(triangles []uint32) *Micromap {
	out := &Micromap{triangles: make([]microTriangle, len(triangles))}
	for i, k := range triangles {
		t := m.triangles[k]
		data := m.data[t.offset:][:MicroBytes(t.format, t.level)]
		t.offset = uint32(len(out.data))
		if len(data) == 0 {
			t.offset = 0 // it has no format
		}
		out.triangles[i], out.data = t, append(out.data, data...)
	}
	return out
}

// state returns the state of triangle i at barycentric coordinates.
func (m *Micromap) state(i uint32, u, v float32) uint32 {
	if m == nil || uint64(i) >= uint64(len(m.triangles)) || m.triangles[i].format == 0 {
		return unknownOpaque
	}
	t := &m.triangles[i]
	bit := microIndex(u, v, t.level) * t.format
	return uint32(m.data[t.offset+bit/8]) >> (bit % 8) & (1<<t.format - 1)
}

// microIndex returns the number of the part of a triangle at barycentric coordinates, along a curve through the parts of a
// level. The curve runs through the part at vertex 0, the one in the middle, flipped, the one at vertex 1, and the one at
// vertex 2, flipped (Vulkan, VK_EXT_opacity_micromap, "Reference Code").
func microIndex(u, v float32, level uint32) uint32 {
	n := uint32(1) << level
	x, y := max32(min32(u, 1), 0)*float32(n), max32(min32(v, 1), 0)*float32(n)
	i, j := min(uint32(x), n-1), min(uint32(y), n-1)
	restX, restY := x-float32(uint32(x)), y-float32(uint32(y))
	sum := i + j
	if sum >= n {
		i -= sum - n + 1
	}
	k := ^(i + j)
	if restX+restY >= 1 && sum < n-1 {
		k-- // the part is a flipped one
	}
	low := ^(i ^ k) & (n - 1)
	flips := (i ^ j) & low
	parity := flips // of the flips on the way to a level
	for shift := 1; shift <= 8; shift *= 2 {
		parity ^= parity >> shift
	}
	return spread2(low) | spread2((parity^i)&^low|flips)<<1
}

// spread2 moves bit i of x, which has 16 bits, to bit 2i.
func spread2(x uint32) uint32 {
	x = (x | x<<8) & 0x00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f
	x = (x | x<<2) & 0x33333333
	return (x | x<<1) & 0x55555555
}
