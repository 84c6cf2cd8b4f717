package jit

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// handle describes the memory of a value of type ir.H. All accesses are checked against the lengths
// here, as robustBufferAccess2 requires: loads out of range return 0, stores there have no effect.
type handle struct {
	bytes []byte
	// They exist because a descriptor's range may be rounded up for accesses, but not for
	// OpArrayLength.
	beyond      int // bytes at the end that the shader-visible length excludes
	readOnly    bool
	owned       bool         // see exec.Buffer
	nonTemporal bool         // stores should bypass the cache
	private     target.Tally // the atomic that each worker accumulates in private memory
}

// handles are the handles of a job. The handle of the workgroup memory differs between workers. All
// parts of the table before End have the same size in every job (target.HandleLayout), so that code has
// their offsets as constants:
//
//	0  1     2          3…      …                       …               End…                …
//	–  push  workgroup  tables  descriptors, ≤16 each   push constants  other descriptors   regions
//	null     memory             of each resource        (their bytes)   of long arrays
//
// The copy of the push constants in the table saves a pointer: a constant offset reaches them. The descriptors of
// shared lists are in tables of their own (tablespace.go).
type handles struct {
	list      []handle
	resources []uint32 // of each resource: its first handle and number of descriptors
	regions   int      // index of the first region
	lookup    []uint64 // the region table
	layout    *target.HandleLayout
	push      []byte // the push constants, copied into the table
	shared    []sharedList

	candidates []int // scratch of privatize
	ranges     []byteRange
}

// sharedList is a resource with the descriptors of a list that jobs share.
type sharedList struct {
	resource int
	buffers  []exec.Buffer
	table    *listTable
}

// readOnly reports whether no program writes to a resource.
func readOnly(r *ir.Resource) bool { return r.NonWritable || r.Kind == ir.UniformBuffer }

// fill builds the handles of a job. If forceNonTemporal is set all stores bypass the cache. A job may provide fewer
// descriptors than the program declares. The others have zero handles, which are null descriptors. A table must follow.
func (h *handles) fill(p *ir.Program, layout *target.HandleLayout, job *exec.Job, forceNonTemporal bool) {
	h.layout = layout
	h.resources = slices.Grow(h.resources[:0], 2*len(p.Res)+2)[:2*len(p.Res)+2] // without a last element, no resource would be no address
	h.shared = h.shared[:0]
	clear(h.list) // old handles would retain the memory of an earlier job
	h.list = slices.Grow(h.list[:0], layout.End)[:layout.End]
	h.setPush(job)
	for i, t := range p.Tables {
		h.list[target.HandleTables+i] = handle{bytes: addressable(t), readOnly: true}
	}
	for r := range p.Res {
		var descriptors []exec.Buffer
		if r < len(job.Resources) {
			descriptors = job.Resources[r]
		}
		first, n := layout.Resources[r], layout.Counts[r]
		only := readOnly(&p.Res[r])
		if len(descriptors) > n {
			if l := job.ListOf(r); l != nil && only {
				if t := tableOf(l); t != nil {
					h.shared = append(h.shared, sharedList{r, descriptors, t})
					for i := range descriptors[:n] {
						h.list[first+i].set(&descriptors[i], true, false)
					}
					continue
				}
			}
			// Code finds a descriptor by a dynamic index as handle first + index, so that all descriptors of a resource
			// must be adjacent: all of them get additional handles.
			first = len(h.list)
			h.list = append(h.list, make([]handle, len(descriptors))...)
		}
		h.resources[2*r], h.resources[2*r+1] = uint32(first), uint32(len(descriptors))
		for i := range descriptors {
			b, x := &descriptors[i], &h.list[first+i]
			x.set(b, only, !only && (forceNonTemporal || exceedsCache(p, job, len(b.Bytes))))
			if fixed := layout.Resources[r]; i < n && fixed != first {
				// The first descriptors of a long array are in the table twice: constant indices use
				// the fixed handles, dynamic indices the array.
				h.list[fixed+i] = *x
			}
		}
	}
	h.resources[2*len(p.Res)], h.resources[2*len(p.Res)+1] = 0, 0 // a slice without elements has no address
	h.regions = len(h.list)
	// Job.Check has verified that regions are sorted and disjoint; the code searches them by
	// address.
	for _, r := range job.Regions {
		h.list = append(h.list, handle{bytes: addressable(r.Bytes)})
	}
	h.lookup = target.AppendRegions(h.lookup[:0], len(job.Regions), func(i int) (address, size uint64) {
		return job.Regions[i].Address, uint64(len(addressable(job.Regions[i].Bytes)))
	})
}

// setPush sets the push constants of a job.
func (h *handles) setPush(job *exec.Job) {
	h.list[target.HandlePush] = handle{bytes: addressable(job.Push), readOnly: true}
	h.push = job.Push[:min(len(job.Push)&^3, h.layout.PushBytes)]
}

// tableFor encodes a list of handles and writes the first handle of each shared list to resources. A table in Go's memory has
// no distance to the tables of the lists. Then the handles of the lists are inserted before the regions.
func (h *handles) tableFor(to *block, list []handle, resources []uint32) (table *block, all []handle, regions int) {
	if len(h.shared) == 0 {
		return h.encode(to, list), list, h.regions
	}
	if to != nil && to.space == nil { // there may be space now
		to = nil
	}
	table, regions = h.encode(to, list), h.regions
	for i := range h.shared {
		x := &h.shared[i]
		first := x.table.at - table.at
		if table.space == nil {
			copies := make([]handle, len(x.buffers))
			for k, b := range x.buffers {
				copies[k] = handleOf(b, true, false)
			}
			first = uint32(regions)
			list = slices.Insert(list, regions, copies...)
			regions += len(copies)
		}
		resources[2*x.resource], resources[2*x.resource+1] = first, uint32(len(x.buffers))
	}
	if table.space == nil {
		table = h.encode(table, list)
	}
	return table, list, regions
}

func handleOf(b exec.Buffer, readOnly, nonTemporal bool) (h handle) {
	h.set(&b, readOnly, nonTemporal)
	return h
}

// set makes h the handle of a buffer. h is zero.
func (h *handle) set(b *exec.Buffer, readOnly, nonTemporal bool) {
	h.bytes = addressable(b.Bytes)
	h.beyond = max(0, len(h.bytes)-b.Range())
	h.readOnly, h.owned, h.nonTemporal = readOnly, b.Owned, nonTemporal
}

// release drops all references to the buffers of the last job.
func (h *handles) release() {
	clear(h.list)
	clear(h.shared)
	h.shared, h.push = h.shared[:0], nil
}

// encode writes the handle table for machine code to a block, or to a new one if it is too short.
func (h *handles) encode(to *block, list []handle) *block {
	if to == nil || len(to.words) < len(list)*handleWords {
		to.release(0)
		to = tables().reserve(0, len(list))
	}
	out := to.words
	for i := range list[:h.layout.Push] {
		list[i].encode((*[handleWords]uint64)(out[i*handleWords:]))
	}
	h.encodePush(out, list)
	for i := h.layout.End; i < len(list); i++ {
		list[i].encode((*[handleWords]uint64)(out[i*handleWords:]))
	}
	return to
}

// encodePush writes the push constants to a table, and their handle.
func (h *handles) encodePush(out []uint64, list []handle) {
	list[target.HandlePush].encode((*[handleWords]uint64)(out[target.HandlePush*handleWords:]))
	// The entries between Push and End are no handles: they have the bytes of the push constants.
	clear(out[h.layout.Push*handleWords : h.layout.End*handleWords])
	for i := 0; i < len(h.push); i += 4 {
		word := uint64(binary.LittleEndian.Uint32(h.push[i:]))
		out[h.layout.Push*handleWords+i/8] |= word << (i % 8 * 8)
	}
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
// Two ranges that are only read may overlap: no result depends on it. Lists are only read, and remember their overlaps.
func (h *handles) aliases(job *exec.Job, written []int) bool {
	list := h.ranges[:0]
	lists, remembered := false, overlapsRemembered(job, written)
	for r, descriptors := range job.Resources {
		if remembered && job.ListOf(r) != nil && !slices.Contains(written, r) {
			lists = true
			continue
		}
		for _, b := range descriptors {
			if n := uintptr(len(b.Bytes)); n > 0 {
				at := addressOf(b.Bytes)
				list = append(list, byteRange{at, at + n, slices.Contains(written, r)})
			}
		}
	}
	h.ranges = list
	if lists && listsAlias(job, written) {
		return true
	}
	if n, of := overlapsOfWritten(list); n <= maxWrittenRanges {
		return of
	}
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

// maxWrittenRanges is the number of written ranges up to which a comparison of each with all ranges is cheaper than the sort.
const maxWrittenRanges = 4

// overlapsOfWritten returns the number of written ranges, and if they are at most maxWrittenRanges whether one overlaps another range.
func overlapsOfWritten(list []byteRange) (n int, overlap bool) {
	for i := range list {
		x := &list[i]
		if !x.written {
			continue
		}
		if n++; n > maxWrittenRanges {
			return n, false
		}
		for j := range list {
			y := &list[j]
			overlap = overlap || i != j && y.begin < x.end && x.begin < y.end
		}
	}
	return n, overlap
}

// overlapsRemembered reports whether a list can remember its overlaps with all written descriptors. Otherwise each of them
// would cost a search of the list.
func overlapsRemembered(job *exec.Job, written []int) bool {
	n := 0
	for _, w := range written {
		if w < len(job.Resources) {
			n += len(job.Resources[w])
		}
	}
	return n <= exec.MaxOverlaps
}

// listsAlias reports whether a written descriptor shares bytes with one of a list.
func listsAlias(job *exec.Job, written []int) bool {
	for r := range job.Resources {
		l := job.ListOf(r)
		if l == nil || slices.Contains(written, r) {
			continue
		}
		for _, w := range written {
			if w >= len(job.Resources) {
				continue
			}
			for _, b := range job.Resources[w] {
				if l.Overlaps(b.Bytes) {
					return true
				}
			}
		}
	}
	return false
}

// addressable returns the prefix of b that a 32-bit length can express.
func addressable(b []byte) []byte { return b[:min(uint64(len(b)), math.MaxUint32)] }

// encode writes the handle in the layout of machine code: address, readable and writable bytes,
// policy, length (target.HandleBytes).
func (h *handle) encode(to *[handleWords]uint64) {
	n := uint64(len(h.bytes))
	writable := n
	if h.readOnly {
		writable = 0
	}
	policy := uint64(1)
	switch {
	case h.owned:
		policy = target.HandleOwned
	case h.nonTemporal:
		policy = 0
	}
	if h.private != (target.Tally{}) {
		policy = target.HandlePrivate
	}
	*to = [...]uint64{uint64(addressOf(h.bytes)), n, writable, policy | uint64(h.length())<<32}
}

// length returns the shader-visible length, which fits 32 bits.
func (h *handle) length() int { return len(h.bytes) - h.beyond }

// addressOf returns the address of a slice. The caller keeps the slice alive while machine code has
// the address.
func addressOf[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }
