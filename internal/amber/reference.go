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

// Device addresses of a script: they begin far from 0, and the gap between two buffers is larger than the offset
// of an access that misses a buffer by little.
const (
	firstAddress = 1 << 32
	addressGap   = 1 << 20
)

// addressesOf returns the device addresses of the buffers that need one.
func addressesOf(s *Script) map[*Buffer]uint64 {
	all := map[*Buffer]uint64{}
	next := uint64(firstAddress)
	for _, b := range s.Buffers {
		if b.Addressed {
			all[b] = next
			next += (uint64(len(b.Data)) + 2*addressGap - 1) &^ (addressGap - 1)
		}
	}
	return all
}

// regions returns the memory that programs can reach by address, in the order of the addresses.
func (r *runner) regions() []exec.Region {
	var list []exec.Region
	for _, b := range r.script.Buffers {
		if b.Addressed {
			list = append(list, exec.Region{Address: r.addresses[b], Bytes: r.memory[b]})
		}
	}
	return list
}

// writeReference writes an address or a descriptor. An image or a sampler is registered by the number in its
// descriptor, as compute.Args needs it.
func (r *runner) writeReference(c *WriteReference) {
	var words [4]uint64
	switch c.What {
	case AddressReference:
		words[0] = r.addresses[c.Of.Buffers[0]] + c.Offset
	case BufferReference:
		words[0], words[1] = r.addresses[c.Of.Buffers[0]]+uint64(c.Of.Offsets[0]), uint64(c.Of.Ranges[0])
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
