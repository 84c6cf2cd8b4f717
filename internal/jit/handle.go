package jit

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
)

// handle describes the memory of a value of type ir.H. All accesses are checked against the lengths
// here, as robustBufferAccess2 requires: loads out of range return 0, stores there have no effect.
type handle struct {
	bytes []byte
	// They exist because a descriptor's range may be rounded up for accesses, but not for
	// OpArrayLength.
	beyond      int // bytes at the end that the shader-visible length excludes
	readOnly    bool
	nonTemporal bool   // stores should bypass the cache
	private     ir.Op  // the atomic that each worker accumulates in private memory; ir.Bad for none
	address     uint64 // device address, of a region
}

// handles are the handles of a job. The handle of the workgroup memory differs between workers. All
// parts of the table before End have the same size in every job (amd64.HandleLayout), so that code has
// their offsets as constants:
//
//	0  1     2          3…      …                       …               End…                …
//	–  push  workgroup  tables  descriptors, ≤16 each   push constants  other descriptors   regions
//	null     memory             of each resource        (their bytes)   of long arrays
//
// The copy of the push constants in the table saves a pointer: a constant offset reaches them.
type handles struct {
	list      []handle
	resources []uint32 // of each resource: its first handle and number of descriptors
	regions   int      // index of the first region
	layout    *amd64.HandleLayout
	push      []byte // the push constants, copied into the table

	// tail are the long read-only lists with versions: their handles are the first after End. They stay from one job to the
	// next as long as the lists are the same. known are their versions by resource, 0 for other resources.
	tail  []tailList
	known []uint64

	candidates []int // scratch of privatize
	ranges     []byteRange
}

// tailList is a list of descriptors in the tail of the handles.
type tailList struct {
	resource, first, count int
	version                uint64
}

// end returns the first handle after the list.
func (t *tailList) end() int { return t.first + t.count }

// readOnly reports whether no program writes to a resource.
func readOnly(r *ir.Resource) bool { return r.NonWritable || r.Kind == ir.UniformBuffer }

// fill builds the handles of a job, and returns the first handle of the tail that is new. If forceNonTemporal is set all stores bypass the cache. A job
// may provide fewer descriptors than the program declares. The others have zero handles, which are
// null descriptors.
func (h *handles) fill(p *ir.Program, layout *amd64.HandleLayout, job *exec.Job, forceNonTemporal bool) (kept int) {
	h.layout = layout
	h.resources = slices.Grow(h.resources[:0], 2*len(p.Res)+2)[:2*len(p.Res)+2] // without a last element, no resource would be no address
	kept = h.fillTail(p, job)
	h.list[amd64.HandlePush] = handle{bytes: addressable(job.Push), readOnly: true}
	for i, t := range p.Tables {
		h.list[amd64.HandleTables+i] = handle{bytes: addressable(t), readOnly: true}
	}
	h.push = job.Push[:min(len(job.Push)&^3, h.layout.PushBytes)]
	for r := range p.Res {
		var descriptors []exec.Buffer
		if r < len(job.Resources) {
			descriptors = job.Resources[r]
		}
		first, n := layout.Resources[r], layout.Counts[r]
		switch {
		case h.known[r] != 0: // the handles are in the tail
			for i, b := range descriptors[:n] {
				h.list[first+i] = handleOf(b, true, false)
			}
			continue
		case len(descriptors) > n:
			// Code finds a descriptor by a dynamic index as handle first + index, so that all descriptors of a resource
			// must be adjacent: all of them get additional handles.
			first = len(h.list)
			h.list = append(h.list, make([]handle, len(descriptors))...)
		}
		h.resources[2*r], h.resources[2*r+1] = uint32(first), uint32(len(descriptors))
		only := readOnly(&p.Res[r])
		for i, b := range descriptors {
			x := handleOf(b, only, !only && (forceNonTemporal || exceedsCache(p, job, len(b.Bytes))))
			h.list[first+i] = x
			if i < n {
				// The first descriptors of a long array are in the table twice: constant indices use
				// the fixed handles, dynamic indices the array.
				h.list[h.layout.Resources[r]+i] = x
			}
		}
	}
	h.resources[2*len(p.Res)], h.resources[2*len(p.Res)+1] = 0, 0 // a slice without elements has no address
	h.regions = len(h.list)
	// Job.Check has verified that regions are sorted and disjoint; the code searches them by
	// address.
	for _, r := range job.Regions {
		h.list = append(h.list, handle{bytes: addressable(r.Bytes), address: r.Address})
	}
	return kept
}

func handleOf(b exec.Buffer, readOnly, nonTemporal bool) handle {
	bytes := addressable(b.Bytes)
	return handle{bytes: bytes, beyond: max(0, len(bytes)-b.Range()), readOnly: readOnly, nonTemporal: nonTemporal}
}

// fillTail empties the list but for the part of the tail that the last job shares, and completes the tail. kept is
// the first handle that is new.
func (h *handles) fillTail(p *ir.Program, job *exec.Job) (kept int) {
	end := h.layout.End
	kept = end
	at, same := end, true
	old := h.tail // the new tail is written over it, with equal elements as long as it is the same
	h.tail = h.tail[:0]
	h.known = slices.Grow(h.known[:0], len(p.Res))[:len(p.Res)]
	clear(h.known)
	for r, version := range job.Versions {
		if r >= len(job.Resources) || version == 0 || len(job.Resources[r]) <= h.layout.Counts[r] || !readOnly(&p.Res[r]) {
			continue
		}
		x := tailList{r, at, len(job.Resources[r]), version}
		if same = same && len(h.tail) < len(old) && old[len(h.tail)] == x && x.end() <= len(h.list); same {
			kept = x.end()
		}
		h.tail = append(h.tail, x)
		h.known[r] = version
		h.resources[2*r], h.resources[2*r+1] = uint32(at), uint32(x.count)
		at = x.end()
	}
	if kept == end { // old handles would retain the memory of an earlier job
		clear(h.list)
		h.list = h.list[:0]
	} else {
		clear(h.list[:end])
		clear(h.list[kept:])
		h.list = h.list[:kept]
	}
	h.list = slices.Grow(h.list, at-len(h.list))[:at]
	for _, x := range h.tail {
		if x.first < kept {
			continue
		}
		for i, b := range job.Resources[x.resource] {
			h.list[x.first+i] = handleOf(b, true, false)
		}
	}
	return kept
}

// release drops all references to the buffers of the last job, apart from the tail.
func (h *handles) release() {
	n := h.layout.End
	for _, x := range h.tail {
		n = x.end()
	}
	clear(h.list[:h.layout.End])
	clear(h.list[n:])
	h.push = nil
}

// encode returns the handle table for machine code; it reuses to if large enough. kept is the first handle after End that
// to does not have already; 0 if it has none.
func (h *handles) encode(to []uint64, list []handle, kept int) []uint64 {
	const words = amd64.HandleBytes / 8
	if kept = max(kept, h.layout.End); len(to) < kept*words {
		kept = h.layout.End
	}
	to = to[:min(len(to), kept*words)]
	out := slices.Grow(to, len(list)*words-len(to))[:len(list)*words]
	for i := range list[:h.layout.Push] {
		list[i].encode((*[words]uint64)(out[i*words:]))
	}
	// The entries between Push and End are no handles: they have the bytes of the push constants.
	clear(out[h.layout.Push*words : h.layout.End*words])
	for i := 0; i < len(h.push); i += 4 {
		word := uint64(binary.LittleEndian.Uint32(h.push[i:]))
		out[h.layout.Push*words+i/8] |= word << (i % 8 * 8)
	}
	for i := kept; i < len(list); i++ {
		list[i].encode((*[words]uint64)(out[i*words:]))
	}
	return out
}

// byteRange is the memory of a descriptor.
type byteRange struct {
	begin, end uintptr
	written    bool
}

// aliases reports whether a written descriptor shares bytes with another one. It sorts the ranges,
// as there may be many: O(n log n). A sweep over the sorted ranges suffices, because a range
// overlaps an earlier one exactly if it begins before the greatest earlier end:
//
//	A  ████████           written
//	B      ██████         read: begins before the end of A, so they alias
//	C               ████  written: begins after all ends
//
// Two ranges that are only read may overlap: no result depends on it.
func (h *handles) aliases(job *exec.Job, written []int) bool {
	list := h.ranges[:0]
	for r, descriptors := range job.Resources {
		for _, b := range descriptors {
			if n := uintptr(len(b.Bytes)); n > 0 {
				at := addressOf(b.Bytes)
				list = append(list, byteRange{at, at + n, slices.Contains(written, r)})
			}
		}
	}
	h.ranges = list
	slices.SortFunc(list, func(a, b byteRange) int { return cmp.Compare(a.begin, b.begin) })
	var end, writtenEnd uintptr // the ends of all earlier ranges, and of the written ones
	for _, x := range list {
		if x.begin < writtenEnd || x.written && x.begin < end {
			return true
		}
		end = max(end, x.end)
		if x.written {
			writtenEnd = max(writtenEnd, x.end)
		}
	}
	return false
}

// addressable returns the prefix of b that a 32-bit length can express.
func addressable(b []byte) []byte { return b[:min(uint64(len(b)), math.MaxUint32)] }

// encode writes the handle in the layout of machine code: address, readable and writable bytes,
// policy, length (amd64, layout.go).
func (h *handle) encode(to *[amd64.HandleBytes / 8]uint64) {
	n := uint64(len(h.bytes))
	writable := n
	if h.readOnly {
		writable = 0
	}
	policy := uint64(1)
	if h.nonTemporal {
		policy = 0
	}
	if h.private != ir.Bad {
		policy = amd64.HandlePrivate
	}
	*to = [...]uint64{uint64(addressOf(h.bytes)), n, writable, policy | uint64(h.length())<<32}
}

// length returns the shader-visible length, which fits 32 bits.
func (h *handle) length() int { return len(h.bytes) - h.beyond }

// addressOf returns the address of a slice. The caller keeps the slice alive while machine code has
// the address.
func addressOf[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }
