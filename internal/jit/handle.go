package jit

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
)

// handle is what a value of type h numbers: memory, as Go sees it.
type handle struct {
	bytes    []byte
	beyond   int // of bytes, those at the end that its length does not count
	readOnly bool
	passes   bool   // stores had better go past the cache
	tally    ir.Op  // each worker gathers what this atomic does in memory of its own; ir.Bad for none
	address  uint64 // of a region
}

// handles are the handles of a job; the workgroup's own differs from worker to
// worker.
type handles struct {
	list      []handle
	resources []uint32 // of each resource: its first handle and its descriptors
	regions   int      // the first region
	places    amd64.Places
	push      []byte // what stands in their place
}

// newHandles makes the handles of a job. Where passing is set all stores had
// better go past the cache.
func newHandles(p *ir.Program, job *exec.Job, passing bool) *handles {
	h := &handles{list: make([]handle, amd64.HandleTables), places: amd64.PlacesOf(p)}
	h.list[amd64.HandlePush] = handle{bytes: reach(job.Push), readOnly: true}
	for _, t := range p.Tables {
		h.list = append(h.list, handle{bytes: reach(t), readOnly: true})
	}
	h.list = append(h.list, make([]handle, h.places.End-len(h.list))...)
	h.push = job.Push[:min(len(job.Push)&^3, h.places.PushBytes)]
	for r, x := range p.Res {
		var descriptors []exec.Buffer
		if r < len(job.Resources) {
			descriptors = job.Resources[r]
		}
		readOnly := x.NonWritable || x.Kind == ir.UniformBuffer
		h.resource(r, descriptors, func(b exec.Buffer) handle {
			return handle{bytes: reach(b.Bytes), beyond: max(0, len(reach(b.Bytes))-b.Range()), readOnly: readOnly, passes: !readOnly && (passing || passes(p, job, len(b.Bytes)))}
		})
	}
	h.regions = len(h.list)
	for _, r := range job.Regions {
		h.list = append(h.list, handle{bytes: reach(r.Bytes), address: r.Address})
	}
	return h
}

// resource gives the descriptors of a resource their handles: where it has
// places for all of them these, else others too.
func (h *handles) resource(r int, descriptors []exec.Buffer, of func(exec.Buffer) handle) {
	first, n := h.places.Resources[r], h.places.Counts[r]
	for i, b := range descriptors {
		if i < n {
			h.list[first+i] = of(b)
		}
	}
	if len(descriptors) > n {
		first = len(h.list)
		for _, b := range descriptors {
			h.list = append(h.list, of(b))
		}
	}
	h.resources = append(h.resources, uint32(first), uint32(len(descriptors)))
}

// native returns the handles as machine code reads them.
func (h *handles) native(list []handle) []uint64 {
	const words = amd64.HandleBytes / 8
	out := make([]uint64, len(list)*words)
	for i := range list {
		if i < h.places.Push || i >= h.places.End {
			list[i].words((*[words]uint64)(out[i*words:]))
		}
	}
	for i := 0; i < len(h.push); i += 4 {
		word := uint64(binary.LittleEndian.Uint32(h.push[i:]))
		out[h.places.Push*words+i/8] |= word << (i % 8 * 8)
	}
	return out
}

// reach cuts off what no length of 32 bits can name.
func reach(b []byte) []byte { return b[:min(uint64(len(b)), math.MaxUint32)] }

// words is the handle as machine code reads it: address, how much may be read
// and written, what stores and atomics should know, and its length.
func (h *handle) words(to *[amd64.HandleBytes / 8]uint64) {
	n := uint64(len(h.bytes))
	written := n
	if h.readOnly {
		written = 0
	}
	cached := uint64(1)
	if h.passes {
		cached = 0
	}
	if h.tally != ir.Bad {
		cached = amd64.HandleOwn
	}
	*to = [...]uint64{uint64(addressOf(h.bytes)), n, written, cached | uint64(h.length())<<32}
}

// length is what a program learns as the length of the handle's memory: it fits
// 32 bits.
func (h *handle) length() int { return len(h.bytes) - h.beyond }

// addressOf returns where a slice lies. Whoever hands it to machine code keeps
// the slice alive.
func addressOf[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }
