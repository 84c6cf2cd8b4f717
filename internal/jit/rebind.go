package jit

import (
	"slices"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Draws with other sets of descriptors follow each other, and mostly one uniform buffer differs. Then the handles of a prepared
// job remain, but for the handles of changed descriptors:
//
//	draw 0   –  push  workgroup  params  vertices  records  uniform   all handles are built
//	draw 1                                                  uniform   one handle is

// descriptorsOf returns the descriptors of a resource.
func descriptorsOf(job *exec.Job, r int) []exec.Buffer {
	if r < len(job.Resources) {
		return job.Resources[r]
	}
	return nil
}

// fits reports whether refill can update the handles of the last job for another one. The descriptor counts must be equal, and all
// descriptors must have fixed handles. If the compiled variant assumes that written resources alias nothing, no changed descriptor may
// alias one.
func (h *handles) fits(p *ir.Program, job *exec.Job, written []int, aliased bool) bool {
	if len(h.shared) > 0 {
		return false
	}
	for r := range p.Res {
		list := descriptorsOf(job, r)
		if len(list) != int(h.resources[2*r+1]) || len(list) > h.layout.Counts[r] {
			return false
		}
		first := h.layout.Resources[r]
		for i := range list {
			if h.list[first+i].describes(&list[i]) || len(written) == 0 {
				continue
			}
			if aliased || slices.Contains(written, r) || overlapsWritten(job, list[i].Bytes, written) {
				return false
			}
		}
	}
	return true
}

// overlapsWritten reports whether bytes are shared with a descriptor of the written resources.
func overlapsWritten(job *exec.Job, bytes []byte, written []int) bool {
	at, n := addressOf(bytes), uintptr(len(bytes))
	for _, w := range written {
		for _, b := range descriptorsOf(job, w) {
			if to := addressOf(b.Bytes); n > 0 && at < to+uintptr(len(b.Bytes)) && to < at+n {
				return true
			}
		}
	}
	return false
}

// refill replaces the handles of changed descriptors of a job that fits, as fill makes them, and writes them to the table.
func (h *handles) refill(p *ir.Program, job *exec.Job, forceNonTemporal bool, table []uint64) {
	for r := range p.Res {
		first, only := h.layout.Resources[r], readOnly(&p.Res[r])
		for i, b := range descriptorsOf(job, r) {
			x := &h.list[first+i]
			if x.describes(&b) {
				continue
			}
			*x = handleOf(b, only, !only && (forceNonTemporal || exceedsCache(p, job, len(b.Bytes))))
			x.encode((*[handleWords]uint64)(table[(first+i)*handleWords:]))
		}
	}
}

// describes reports whether a handle is the one of a descriptor.
func (h *handle) describes(b *exec.Buffer) bool {
	return unsafe.SliceData(h.bytes) == unsafe.SliceData(b.Bytes) && len(h.bytes) == len(b.Bytes) && h.owned == b.Owned && h.length() == b.Range()
}
