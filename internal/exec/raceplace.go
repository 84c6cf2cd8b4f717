package exec

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// The detector identifies memory by its address in the process, so that descriptors of the same bytes are the same
// memory. A run passes it the resources of each program.

// placed is a program with the resources of its latest job.
type placed struct {
	job     *Job
	numbers []int           // by message: the resource of an access; -1 for none
	aliased map[string]bool // memory that the program reads by this name and writes by another
}

// maxAliased bounds the descriptors of a job that are compared. With more, all memory counts as shared.
const maxAliased = 1 << 10

// place records the resources of a job.
func (r *races) place(p *ir.Program, j *Job) {
	x := r.placed[p]
	if x == nil {
		x = &placed{}
		for i := range p.Messages {
			x.numbers = append(x.numbers, resourceOf(p, &p.Messages[i].Event))
		}
		r.placed[p] = x
	}
	x.job, x.aliased = j, nil
}

// resourceOf returns the number of the resource of an access; -1 if it has none.
func resourceOf(p *ir.Program, e *ir.Event) int {
	if e.Kind != ir.AccessEvent || !e.Bound {
		return -1
	}
	return slices.IndexFunc(p.Res, func(x ir.Resource) bool { return x.Set == e.Set && x.Binding == e.Binding && x.Kind == e.Resource })
}

// bytesOf returns the descriptor of a resource; no bytes if there is none.
func (x *placed) bytesOf(resource int, element uint32) []byte {
	if resource < 0 || resource >= len(x.job.Resources) || uint64(element) >= uint64(len(x.job.Resources[resource])) {
		return nil
	}
	return x.job.Resources[resource][element].Bytes
}

// addressOf returns the address and the size of an access; ok is false if it has no bytes.
func (r *races) addressOf(m *Message) (at, size uint64, ok bool) {
	x, e := r.placed[m.Program], &m.Of().Event
	if x == nil || e.Domain == ir.EventWorkgroup {
		return 0, 0, false
	}
	size = uint64(e.Size)
	resource := x.numbers[m.Number]
	switch n := int(e.Texel); {
	case n > 0:
		element := uint32(m.Args[n+2])
		bytes := x.bytesOf(resource, element)
		offset, texel := texelOffset(x.bytesOf(resource+1, element), e, m.Args)
		if len(bytes) == 0 || texel == 0 {
			return 0, 0, false
		}
		return addressOf(bytes) + offset, texel, true
	case len(m.Args)-int(m.Of().Where) == 1: // the access has a device address; the regions are in ascending order
		i, found := slices.BinarySearchFunc(x.job.Regions, m.Args[0], func(g Region, a uint64) int {
			switch {
			case a < g.Address:
				return 1
			case a >= g.Address+uint64(len(g.Bytes)):
				return -1
			}
			return 0
		})
		if !found {
			return 0, 0, false
		}
		g := x.job.Regions[i]
		return addressOf(g.Bytes) + m.Args[0] - g.Address, size, true
	}
	bytes := x.bytesOf(resource, uint32(m.Args[1]))
	return addressOf(bytes) + m.Args[0], size, len(bytes) > 0
}

// addressOf returns the address of the first byte.
func addressOf(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// texelOffset returns the offset of a texel in the memory of an image, and the bytes of a texel: 0 of an image without a
// shape, and of a sample or a level that it does not have. args are the coordinates, the level and the sample.
func texelOffset(shape []byte, e *ir.Event, args []uint64) (offset, size uint64) {
	word := func(i uint64) uint64 {
		if 4*i+4 > uint64(len(shape)) {
			return 0
		}
		return uint64(binary.LittleEndian.Uint32(shape[4*i:]))
	}
	n := int(e.Texel)
	level, sample := args[n], args[n+1]
	if level >= max(word(ir.ShapeLevelsN), 1) || sample >= max(word(ir.ShapeSamples), 1) {
		return 0, 0
	}
	size = word(ir.ShapeTexel)
	offset = word(ir.ShapeLevels+level) + (args[0]*max(word(ir.ShapeSamples), 1)+sample)*size
	// A row has a pitch, and a layer or a slice has another; the texels of a row are dense.
	rows := min(int(e.Axes), 2)
	if rows == 2 {
		offset += args[1] * word(ir.ShapeLevels+ir.MaxLevels+level)
	}
	if n > rows {
		offset += args[n-1] * word(ir.ShapeLevels+2*ir.MaxLevels+level)
	}
	return offset, size
}

// shares reports whether a program that reads memory by one name writes bytes of it by another.
func (r *races) shares(p *ir.Program, memory string) bool {
	x := r.placed[p]
	if x == nil {
		return false
	}
	if x.aliased == nil {
		x.compare(p)
	}
	return x.aliased[memory]
}

// compare finds the memory that the program reads by one name and writes by another.
func (x *placed) compare(p *ir.Program) {
	x.aliased = map[string]bool{}
	var written []Span
	all, seen := false, map[int]bool{}
	for i := range p.Messages {
		e := &p.Messages[i].Event
		switch n := x.numbers[i]; {
		case e.Kind != ir.AccessEvent || !e.Write || e.Domain == ir.EventWorkgroup:
		case n < 0: // by address
			for _, g := range x.job.Regions {
				written = append(written, Span{addressOf(g.Bytes), addressOf(g.Bytes) + uint64(len(g.Bytes))})
			}
		case !seen[n]:
			seen[n] = true
			written = x.spans(written, n)
		}
		all = all || len(written) > maxAliased
	}
	for i := range p.Messages {
		e, n := &p.Messages[i].Event, x.numbers[i]
		if e.Kind != ir.AccessEvent || e.Write || e.Domain == ir.EventWorkgroup || len(written) == 0 || x.aliased[e.Memory] {
			continue
		}
		x.aliased[e.Memory] = all || n < 0
		for _, s := range x.spans(nil, n) {
			x.aliased[e.Memory] = x.aliased[e.Memory] || slices.ContainsFunc(written, func(w Span) bool { return w.Start < s.End && s.Start < w.End })
		}
	}
}

// spans adds the bytes of a resource to a list.
func (x *placed) spans(list []Span, resource int) []Span {
	if resource < 0 || resource >= len(x.job.Resources) {
		return list
	}
	for _, b := range x.job.Resources[resource] {
		if len(list) > maxAliased {
			return list
		}
		if len(b.Bytes) > 0 {
			list = append(list, Span{addressOf(b.Bytes), addressOf(b.Bytes) + uint64(len(b.Bytes))})
		}
	}
	return list
}
