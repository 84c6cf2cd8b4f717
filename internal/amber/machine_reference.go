package amber

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/vk"
)

// references returns the buffers that need a device address: an address or a descriptor of them is written, or they are
// descriptor heaps.
func (s *Script) references() map[*Buffer]bool {
	all := map[*Buffer]bool{}
	for _, b := range s.Buffers {
		all[b] = b.Addressed
	}
	for _, p := range s.Pipelines {
		for _, b := range []*Buffer{p.Heaps.Resources, p.Heaps.Samplers} {
			if b != nil {
				all[b] = true
			}
		}
	}
	eachReference(s.Commands, func(c *WriteReference) {
		if !c.ofImage() {
			for _, b := range c.Of.Buffers {
				all[b] = true
			}
		}
	})
	return all
}

// ofImage reports whether the reference is a descriptor of an image.
func (c *WriteReference) ofImage() bool { return c.What == ViewReference && c.Of.Kind == StorageImage }

// eachReference calls f for all written references.
func eachReference(list []Command, f func(*WriteReference)) {
	for _, c := range list {
		switch c := c.(type) {
		case *WriteReference:
			f(c)
		case *Repeat:
			eachReference(c.Commands, f)
		}
	}
}

// writeReference writes an address or a descriptor.
func (m *machine) writeReference(c *WriteReference) error {
	into := m.memory[c.Into][c.At:][:c.What.bytes()]
	info := vk.DescriptorInfo{Type: descriptorTypes[c.Of.Kind]}
	var err error
	switch c.What {
	case AddressReference:
		binary.LittleEndian.PutUint64(into, m.buffers[c.Of.Buffers[0]].Address()+c.Offset)
		return nil
	case NullReference:
		clear(into)
		return nil
	case BufferReference:
		m.rangeOf(c, &info)
	case ViewReference:
		if c.ofImage() {
			info.View, err = m.view(&c.Of, 0)
			break
		}
		b := c.Of.Buffers[0]
		f := b.Texel
		if f == nil {
			f = texelOf(b.Type)
		}
		if f == nil {
			return m.fault(CodeSize, c.Of.At, "buffer %s as %s: elements of type %s are no texels", b.Name, c.Of.Kind, b.Type)
		}
		info.Format, err = formatOf(f)
		m.rangeOf(c, &info)
	case SamplerReference:
		info.Sampler, err = m.sampler(c.Of.Samplers[0])
	}
	if err == nil {
		err = m.device.WriteDescriptor(into, info)
	}
	return err
}

// rangeOf sets the address and the range of a descriptor of a buffer.
func (m *machine) rangeOf(c *WriteReference, info *vk.DescriptorInfo) {
	info.Address, info.Range = m.buffers[c.Of.Buffers[0]].Address()+uint64(c.Of.Offsets[0]), uint64(c.Of.Ranges[0])
}

// mapped reports whether the resources of a pipeline are in descriptor heaps by mappings, and in no descriptor sets.
func (p *Pipeline) mapped() bool { return p.heaped() && len(p.Bindings) == 0 }

// recordHeaps records the descriptor heaps and the banks of push constants of a pipeline.
func (m *machine) recordHeaps(p *Pipeline) {
	if b := p.Heaps.Resources; b != nil {
		m.commands.BindResourceHeap(vk.HeapRange{Address: m.buffers[b].Address(), Size: m.buffers[b].Size()})
	}
	if b := p.Heaps.Samplers; b != nil {
		m.commands.BindSamplerHeap(vk.HeapRange{Address: m.buffers[b].Address(), Size: m.buffers[b].Size()})
	}
	for _, b := range p.Banks {
		m.commands.PushDataBank(b.Number, 0, host.WholeWords(m.memory[b.Buffer]))
	}
}

// checkBanks returns an error if a bank of push constants is too large.
func (m *machine) checkBanks(banks []Bank) error {
	for _, b := range banks {
		if err := host.CheckBank(b.Number, len(m.memory[b.Buffer])); err != nil {
			return err
		}
	}
	return nil
}
