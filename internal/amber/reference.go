package amber

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// regions returns the memory that programs can reach by address.
func (r *runner) regions() []exec.Region {
	var list [][]byte
	for _, b := range r.script.Buffers {
		if b.Addressed {
			list = append(list, r.memory[b])
		}
	}
	return compute.RegionsOf(list)
}

// addressOf returns the device address of a buffer that has one.
func (r *runner) addressOf(b *Buffer) uint64 {
	if r.machine != nil {
		return r.machine.buffers[b].Address()
	}
	if r.addresses == nil {
		r.addresses = map[*Buffer]uint64{}
		regions := r.regions()
		for _, o := range r.script.Buffers {
			if o.Addressed {
				r.addresses[o], regions = regions[0].Address, regions[1:]
			}
		}
	}
	return r.addresses[b]
}

// writeReference writes an address or a descriptor. An image or a sampler is registered by the number in its
// descriptor, as compute.Args needs it.
func (r *runner) writeReference(c *WriteReference) {
	var words [4]uint64
	switch c.What {
	case AddressReference:
		words[0] = r.addressOf(c.Of.Buffers[0]) + c.Offset
	case BufferReference:
		words[0], words[1] = r.addressOf(c.Of.Buffers[0])+uint64(c.Of.Offsets[0]), uint64(c.Of.Ranges[0])
	case ViewReference, SamplerReference:
		words[0] = c.Number
		r.references[c.Number] = c
	}
	data := r.memory[c.Into][c.At:][:c.What.bytes()]
	for i := range len(data) / 8 {
		binary.LittleEndian.PutUint64(data[8*i:], words[i])
	}
}

// bindHeaps adds the heaps of a pipeline, and the images or samplers whose descriptors were written.
func (r *runner) bindHeaps(args *compute.Args, h Heaps) error {
	if h.Resources == nil && h.Samplers == nil {
		return nil
	}
	args.HeapImages, args.HeapSamplers = map[uint64]*texture.View{}, map[uint64]*texture.Sampler{}
	for _, n := range slices.Sorted(maps.Keys(r.references)) {
		c := r.references[n]
		var err error
		if c.What == SamplerReference {
			args.HeapSamplers[n], err = r.sampler(c.Of.Samplers[0])
		} else {
			args.HeapImages[n], err = r.view(&c.Of, 0)
		}
		if err != nil {
			return err
		}
	}
	// A heap is read when the run begins: its memory may be a resource of the program too.
	args.Heap, args.SamplerHeap = r.snapshot(h.Resources), r.snapshot(h.Samplers)
	return nil
}

// snapshot returns a copy of the contents of a buffer; nil if there is none.
func (r *runner) snapshot(b *Buffer) []byte {
	data := aligned(len(r.memory[b]))
	copy(data, r.memory[b])
	return data
}

// bindBanks adds the banks of push constants.
func (r *runner) bindBanks(args *compute.Args, banks []Bank) error {
	for _, b := range banks {
		if n := len(r.memory[b.Buffer]); n > compute.MaxPushBytes {
			return &exec.LimitError{Quantity: fmt.Sprintf("bytes of bank %d of push constants", b.Number), Value: uint64(n), Max: compute.MaxPushBytes}
		}
		if args.Banks == nil {
			args.Banks = map[uint32][]byte{}
		}
		args.Banks[b.Number] = r.snapshot(b.Buffer)
	}
	return nil
}

// groups returns the workgroups of a dispatch.
func (r *runner) groups(c *Dispatch) (n [3]uint32) {
	if c.Indirect == nil {
		return c.Groups
	}
	for i := range n {
		n[i] = binary.LittleEndian.Uint32(r.memory[c.Indirect][c.Offset+4*i:])
	}
	return n
}

// place puts descriptors into the elements of an array from the first one on.
func place[T any](list []T, first uint32, descriptors ...T) []T {
	if n := int(first) + len(descriptors); n > len(list) {
		list = append(list, make([]T, n-len(list))...)
	}
	copy(list[first:], descriptors)
	return list
}
