package jit

import (
	"math"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
)

// handle is what a value of type h numbers: memory, as Go sees it.
type handle struct {
	bytes    []byte
	readOnly bool
	address  uint64 // of a region
}

// handles are the handles of a job; the workgroup's own differs from worker to
// worker.
type handles struct {
	list      []handle
	resources []uint32 // of each resource: its first handle and its descriptors
	regions   int      // the first region
}

func newHandles(p *ir.Program, job *exec.Job) *handles {
	h := &handles{list: make([]handle, amd64.HandleTables)}
	h.list[amd64.HandlePush] = handle{bytes: reach(job.Push), readOnly: true}
	for _, t := range p.Tables {
		h.list = append(h.list, handle{bytes: reach(t), readOnly: true})
	}
	for r, x := range p.Res {
		var descriptors []exec.Buffer
		if r < len(job.Resources) {
			descriptors = job.Resources[r]
		}
		h.resources = append(h.resources, uint32(len(h.list)), uint32(len(descriptors)))
		for _, b := range descriptors {
			h.list = append(h.list, handle{bytes: reach(b.Bytes), readOnly: x.NonWritable || x.Kind == ir.UniformBuffer})
		}
	}
	h.regions = len(h.list)
	for _, r := range job.Regions {
		h.list = append(h.list, handle{bytes: reach(r.Bytes), address: r.Address})
	}
	return h
}

// reach cuts off what no length of 32 bits can name.
func reach(b []byte) []byte { return b[:min(uint64(len(b)), math.MaxUint32)] }

// words is the handle as machine code reads it: address, length, and how much
// of it may be written.
func (h *handle) words() [2]uint64 {
	n := uint64(len(h.bytes))
	written := n
	if h.readOnly {
		written = 0
	}
	return [2]uint64{uint64(addressOf(h.bytes)), n | written<<32}
}

// addressOf returns where a slice lies. Whoever hands it to machine code keeps
// the slice alive.
func addressOf[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }
