package vk

import (
	"errors"
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// SparseBlock is the granularity of sparse memory in bytes: ranges of resources and of memory are multiples of it.
const SparseBlock = 1 << 16

const (
	bufferSparse = BufferSparseBinding | BufferSparseResidency | BufferSparseAliased
	imageSparse  = ImageSparseBinding | ImageSparseResidency | ImageSparseAliased
)

// A sparse buffer, and a sparse image that is bound as a whole, is a range of addresses of its own. A bind shows pages of memory
// in the range, so an access never faults, also after the memory is freed. All pages without memory share one scratch allocation
// of the device, which is zero at first: copies and fills do not store to it; a store of a shader to one page may be visible in
// others (residencyNonResidentStrict is false). So stores to pages without memory need no memory beyond the scratch.

// MaxSparse bounds the address ranges of all sparse resources of a device together, in bytes (sparseAddressSpaceSize). A device
// with less than 64 GiB of memory has less, in proportion, but at least 4 GiB.
const MaxSparse = 1 << 40

// maxRepeats bounds how often the scratch allocation of a device is mapped: the system limits the mappings of a process.
const maxRepeats = 1 << 12

// scratchSize returns the size of the scratch allocation, a power of two: at most 1/256 of the heap, but at least 1 MiB.
func (h *heap) scratchSize() uint64 {
	n := uint64(MaxSparse / maxRepeats)
	for n > 1<<20 && n > h.limit/256 {
		n /= 2
	}
	return n
}

// reserveSpace counts a new address range. counted is its memory in the heap. If it is 0, the result is the scratch allocation,
// for the pages without memory, and the heap counts the page tables of the range.
func (h *heap) reserveSpace(size, counted uint64) (*exec.Memory, error) {
	if counted != 0 {
		return nil, h.reserve(counted)
	}
	n, tables := h.scratchSize(), pageTables(size)
	h.mu.Lock()
	defer h.mu.Unlock()
	if left := n*maxRepeats - h.spread; size > left {
		return nil, &OutOfMemoryError{Bytes: size, Left: left}
	}
	need := tables
	if h.scratch == nil {
		need += n
	}
	if left := h.limit - h.used; need > left {
		return nil, &OutOfMemoryError{Bytes: need, Left: left}
	}
	if h.scratch == nil {
		m, err := exec.AllocShared(int(n))
		if err != nil {
			return nil, &OutOfMemoryError{Bytes: n, Cause: err}
		}
		h.scratch = m
		h.used += n
	}
	h.spread += size
	h.used += tables
	return h.scratch, nil
}

// unreserveSpace is the inverse of reserveSpace, with the lock. The last range without memory of its own frees the scratch.
func (h *heap) unreserveSpace(size, counted uint64) {
	h.used -= counted
	if counted != 0 {
		return
	}
	h.used -= pageTables(size)
	if h.spread -= size; h.spread == 0 {
		h.used -= uint64(len(h.scratch.Bytes()))
		h.scratch.Free()
		h.scratch = nil
	}
}

// newSpace makes the address range of a resource. counted is the part of it that is memory of the heap.
func (d *Device) newSpace(size, counted uint64, addressed bool, opaque uint64) (*Memory, error) {
	if size > MaxSparse {
		return nil, &OutOfMemoryError{Bytes: size, Left: MaxSparse}
	}
	scratch, err := d.heap.reserveSpace(size, counted)
	if err != nil {
		return nil, err
	}
	space, err := exec.NewSpace(int(size), scratch)
	if err != nil {
		d.heap.mu.Lock()
		d.heap.unreserveSpace(size, counted)
		d.heap.mu.Unlock()
	}
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil, &UnsupportedError{Feature: "sparse binding on this system", Cause: err}
	case err != nil:
		return nil, &OutOfMemoryError{Bytes: size, Cause: err}
	}
	m := &Memory{space: space, memory: &space.Memory, bytes: space.Bytes(), counted: counted}
	d.adopt(&m.object, "sparse memory", func() { // a part of the resource, not counted
		d.objects.Add(1)
		d.heap.free(m)
	})
	d.objects.Add(-1)
	if err := d.heap.add(m, addressed, opaque); err != nil {
		d.heap.drop(m)
		return nil, err
	}
	return m, nil
}

// drop frees the address range of a resource, after the last submission that uses it; nil does nothing.
func (h *heap) drop(m *Memory) {
	for m != nil {
		n := m.state.Load()
		next := n | closing
		if n == 0 {
			next = closed
		}
		if n&(closing|closed) != 0 {
			return
		}
		if m.state.CompareAndSwap(n, next) {
			if n == 0 {
				m.destroy()
			}
			return
		}
	}
}

// spread makes the buffer sparse.
func (b *Buffer) spread(d *Device, flags BufferFlags) error {
	switch {
	case flags&^bufferSparse != 0:
		return &UnsupportedError{Feature: fmt.Sprintf("buffers with the flags %#x", uint32(flags))}
	case flags&BufferSparseBinding == 0:
		return usage("VUID-VkBufferCreateInfo-flags-00918", "the buffer has the flags %#x without BufferSparseBinding; must have it", uint32(flags))
	}
	space, err := d.newSpace(roundUp(b.size, SparseBlock), 0, b.usage&DeviceAddress != 0, b.opaque)
	if err != nil {
		return err
	}
	if flags&BufferSparseResidency != 0 {
		space.pages = texture.NewPages(len(space.bytes) / SparseBlock)
	}
	b.sparse, b.memory = space, space
	d.heap.defined.bindPages(b)
	return nil
}

// SparseBind shows memory in a range of a resource, or nothing if Memory is nil (VkSparseMemoryBind). All numbers are multiples of
// SparseBlock; Size may also end with the resource.
type SparseBind struct {
	Offset, Size uint64 // of the resource, bytes
	Memory       *Memory
	MemoryOffset uint64

	// Metadata binds the metadata of an image. Chiaro has none: the bind has no effect.
	Metadata bool
}

// SparseBufferBind is the binds of a buffer.
type SparseBufferBind struct {
	Buffer *Buffer
	Binds  []SparseBind
}

// SparseOpaqueBind is the binds of an image by the offsets of its memory requirements, or of its mip tails.
type SparseOpaqueBind struct {
	Image *Image
	Binds []SparseBind
}

// BindSparseInfo describes changes of the memory of sparse resources (VkBindSparseInfo).
type BindSparseInfo struct {
	Wait    []SemaphoreValue // before the first bind
	Buffers []SparseBufferBind
	Opaque  []SparseOpaqueBind
	Images  []SparseImageBinds
	Signal  []SemaphoreValue // after the last bind
	Fence   *Fence           // nil for none
}

// BindSparse appends changes of the memory of sparse resources, in the order of other submissions. After an error nothing is
// bound. A resource shows its memory also after the memory is closed.
func (q *Queue) BindSparse(info BindSparseInfo) error {
	if q == nil || q.dev == nil {
		return errNoQueue
	}
	if queueFamilies[q.family].Flags&QueueSparse == 0 {
		return usage("VUID-vkQueueBindSparse-queuetype", "sparse resources are bound on a queue of family %d; must be of a family with QueueSparse", q.family)
	}
	var list []sparseChange
	for _, b := range info.Buffers {
		if err := check(q.dev, "the buffer", b.Buffer); err != nil {
			return err
		}
		if b.Buffer.sparse == nil {
			return usage("VUID-VkSparseBufferMemoryBindInfo-buffer-parameter", "%v is not sparse; must be", &b.Buffer.object)
		}
		for _, x := range b.Binds {
			if err := x.check(q.dev, b.Buffer.Requirements().Size); err != nil {
				return err
			}
			list = append(list, &spaceChange{&b.Buffer.object, b.Buffer.sparse, x})
		}
	}
	for _, b := range info.Opaque {
		if err := check(q.dev, "the image", b.Image); err != nil {
			return err
		}
		if b.Image.sparse == nil {
			return usage("VUID-VkSparseImageOpaqueMemoryBindInfo-image-parameter", "%v is not sparse; must be", &b.Image.object)
		}
		for _, x := range b.Binds {
			if x.Metadata {
				continue
			}
			if err := x.check(q.dev, b.Image.sparse.size); err != nil {
				return err
			}
			change, err := b.Image.opaqueChange(x)
			if err != nil {
				return err
			}
			list = append(list, change)
		}
	}
	for i := range info.Images {
		changes, err := info.Images[i].changes(q.dev)
		if err != nil {
			return err
		}
		list = append(list, changes...)
	}
	binds := uint64(0)
	for _, x := range list {
		if _, ok := x.(*spaceChange); ok {
			binds++
		}
	}
	if err := q.dev.heap.expectRuns(binds); err != nil {
		return err
	}
	q.dev.heap.defined.shareBound(&info)
	err := q.Submit(SubmitInfo{Wait: info.Wait, Signal: info.Signal, Fence: info.Fence, sparse: list})
	if err != nil {
		q.dev.heap.forgetRuns(binds)
	}
	return err
}

// sparseChange is one bind of a submission.
type sparseChange interface {
	refer(each func(*object))
	apply() error
}

// bindLater adds binds, and acquires their objects.
func (s *submission) bindLater(list []sparseChange) (err error) {
	for _, x := range list {
		x.refer(func(o *object) {
			if err == nil {
				err = s.hold(o)
			}
		})
	}
	s.sparse = list
	return err
}

// check checks a bind of a resource of a size. On a tolerant device it rounds the size of the bind up to blocks, with a message.
func (x *SparseBind) check(d *Device, size uint64) error {
	const rule = "VUID-VkSparseMemoryBind-"
	switch {
	case x.Size == 0:
		return usage(rule+"size-01098", "the size of a bind is 0; must be greater than 0")
	case x.Offset >= size:
		return usage(rule+"resourceOffset-01099", "a bind is at offset %d; must be less than the size of the resource, %d", x.Offset, size)
	case x.Size > size-x.Offset:
		return usage(rule+"size-01100", "a bind has %d bytes; must have at most %d from its offset on", x.Size, size-x.Offset)
	case x.Offset%SparseBlock != 0 || x.Size%SparseBlock != 0:
		err := usage(rule+"resourceOffset-09491", "a bind has %d bytes at offset %d; must be multiples of %d", x.Size, x.Offset, SparseBlock)
		if !d.tolerant || x.Offset%SparseBlock != 0 {
			return err
		}
		d.tell(err)
		x.Size += -x.Size % SparseBlock // the size of a resource is whole blocks
	}
	if x.Memory == nil {
		return nil
	}
	return x.Memory.spans(d, x.MemoryOffset, x.Size)
}

// spans checks that sparse resources can show a range of the memory. A tolerant device permits memory of each type, with a message.
func (m *Memory) spans(d *Device, offset, n uint64) error {
	const rule = "VUID-VkSparseMemoryBind-"
	if err := check(d, "the memory of a bind", m); err != nil {
		return err
	}
	switch size := uint64(len(m.bytes)); {
	case m.class != SparseMemory && !d.tolerant || m.isTile() || m.memory == nil || m.space != nil:
		return notSparse(m)
	case offset%SparseBlock != 0:
		return usage(rule+"memory-01096", "a bind has the offset %d of the memory; must be a multiple of %d", offset, SparseBlock)
	case offset >= size:
		return usage(rule+"memoryOffset-01101", "a bind has the offset %d of the memory; must be less than %d", offset, size)
	case n > size-offset:
		return usage(rule+"size-01102", "a bind has %d bytes; the memory has %d from its offset on", n, size-offset)
	}
	if m.class != SparseMemory {
		d.tell(notSparse(m))
	}
	return nil
}

// notSparse is the finding on memory of another type that is bound to a sparse resource.
func notSparse(m *Memory) error {
	return usage("VUID-VkSparseMemoryBind-memory-01096", "%v is bound to a sparse resource; must be of the type SparseMemory", &m.object)
}

// spaceChange is a bind of pages of an address range.
type spaceChange struct {
	owner *object
	space *Memory
	bind  SparseBind
}

func (x *spaceChange) refer(each func(*object)) {
	each(x.owner)
	if x.bind.Memory != nil {
		each(&x.bind.Memory.object)
	}
}

// apply maps the pages.
func (x *spaceChange) apply() error {
	b, h := &x.bind, &x.space.dev.heap
	defer h.forgetRuns(1)
	at, n := int(b.Offset), int(b.Size)
	if b.Memory == nil {
		h.show(x.space, b.Offset, b.Size, nil, 0)
		return x.space.space.Unmap(at, n)
	}
	err := h.share(b.Memory)
	if err == nil {
		err = x.space.space.Map(at, b.Memory.memory, int(b.MemoryOffset), n)
	}
	shown := b.Memory
	if err != nil {
		shown = nil
	}
	h.show(x.space, b.Offset, b.Size, shown, b.MemoryOffset)
	return err
}

// share lets spaces show memory of each type.
func (h *heap) share(m *Memory) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return m.memory.Share()
}

// shows calls each for the parts of a range of a space that show memory, in order: their offsets in the range and their sizes.
func (m *Memory) shows(offset, n uint64, each func(at, n uint64)) {
	if m.runs.shown == nil {
		return
	}
	for at := offset; at < offset+n; {
		end := min(at/SparseBlock*SparseBlock+SparseBlock, offset+n)
		if k := at / SparseBlock; m.runs.shown[k/64]>>(k%64)&1 != 0 {
			each(at-offset, end-at)
		} else if m.runs.shown[k/64]>>(k%64) == 0 { // and the rest of the word
			end = min((k/64+1)*64*SparseBlock, offset+n)
		}
		at = end
	}
}
