package amber

import (
	"context"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// bindings are the layout of a pipeline and its descriptor sets, which are written before the first run: later runs
// have the same descriptors.
type bindings struct {
	layout  *vk.PipelineLayout
	sets    []*vk.Set
	dynamic []uint32 // offsets in the order of BindSets
	push    *Buffer
	inline  []*Binding // inline uniform blocks, with new contents for each run
	inputs  []shader.InputVariable
	written bool
}

// layout returns the bindings of a pipeline with its layout, and sets without descriptors.
func (m *machine) layout(ctx context.Context, p *Pipeline) (*bindings, error) {
	if b := m.bindings[p]; b != nil {
		return b, nil
	}
	if p.mapped() {
		m.bindings[p] = &bindings{push: p.Push}
		return m.bindings[p], nil
	}
	var described link.Layout
	m.describeLayout(p, &described)
	b := &bindings{push: p.Push}
	var err error
	if b.inputs, err = m.inputVariables(ctx, p); err != nil {
		return nil, err
	}
	for i := range b.inputs {
		addInput(&described, &b.inputs[i])
	}
	lists := map[uint32][]link.Binding{}
	count := uint32(0)
	for _, s := range described.Sets {
		for i := range s.Bindings {
			if x := &s.Bindings[i]; x.Type == link.InlineUniformBlock {
				x.Count = (x.Count + 3) &^ 3
			}
		}
		lists[s.Number] = s.Bindings
		count = max(count, min(s.Number, maxSets)+1)
	}
	if count > maxSets {
		return nil, m.unsupported(p.At, "more than 32 descriptor sets")
	}
	var layouts []*vk.SetLayout
	for i := range count {
		l, err := m.device.NewSetLayout(vk.SetLayoutInfo{Bindings: lists[i]})
		if err != nil {
			return nil, m.fault(CodeRun, p.At, "pipeline %s: %v", p.Name, host.Cause(err))
		}
		set, err := m.pool.Allocate(l)
		if err != nil {
			return nil, err
		}
		layouts, b.sets = append(layouts, l), append(b.sets, set)
	}
	info := vk.PipelineLayoutInfo{Sets: layouts}
	if p.Push != nil && len(m.memory[p.Push]) > 0 {
		info.Push = described.Push
	}
	if b.layout, err = m.device.NewPipelineLayout(info); err != nil {
		return nil, host.Cause(err)
	}
	m.bindings[p] = b
	return b, nil
}

// maxSets is the number of descriptor sets of a pipeline.
const maxSets = 32

// bind returns the bindings of a pipeline with the contents for a run.
func (m *machine) bind(ctx context.Context, p *Pipeline) (*bindings, error) {
	b, err := m.layout(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := m.checkBanks(p.Banks); err != nil {
		return nil, err
	}
	if !b.written {
		if err := b.write(ctx, m, p); err != nil {
			return nil, err
		}
		b.written = true
	}
	for _, x := range b.inline {
		if err := b.writeInline(m, x); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// write writes the descriptors.
func (b *bindings) write(ctx context.Context, m *machine, p *Pipeline) error {
	offsets := map[[2]uint32][]uint32{}
	for i := range p.Bindings {
		x := &p.Bindings[i]
		if x.Kind == InlineUniform {
			b.inline = append(b.inline, x)
			continue
		}
		w, dynamic, err := m.descriptors(ctx, x)
		if err != nil {
			return err
		}
		if dynamic != nil {
			at := [2]uint32{x.Set, x.Binding}
			offsets[at] = place(offsets[at], x.Element, dynamic...)
		}
		if err := b.sets[x.Set].Update(w); err != nil {
			return m.fault(CodeRun, x.At, "set %d, binding %d: %v", x.Set, x.Binding, err)
		}
	}
	var order [][2]uint32
	for at := range offsets {
		order = append(order, at)
	}
	slices.SortFunc(order, func(x, y [2]uint32) int { return slices.Compare(x[:], y[:]) })
	for _, at := range order {
		b.dynamic = append(b.dynamic, offsets[at]...)
	}
	return nil
}

// descriptors returns the write of a binding, and the dynamic offsets of its descriptors.
func (m *machine) descriptors(ctx context.Context, x *Binding) (w vk.Write, dynamic []uint32, err error) {
	if x.Kind.textured() {
		w, err = m.textureWrite(x)
		return w, nil, err
	}
	if x.Kind == AccelerationStructure {
		a, err := m.structure(ctx, x.Structure)
		return vk.Write{Binding: x.Binding, Element: x.Element, Type: descriptorTypes[x.Kind], Structures: []*vk.AccelerationStructure{a}}, nil, err
	}
	w = vk.Write{Binding: x.Binding, Element: x.Element, Type: descriptorTypes[x.Kind]}
	for n, buffer := range x.Buffers {
		d, offset, err := m.descriptor(x, n, buffer)
		if err != nil {
			return w, nil, err
		}
		w.Buffers = append(w.Buffers, d)
		if x.Kind == UniformDynamic || x.Kind == StorageDynamic {
			dynamic = append(dynamic, offset)
		}
	}
	return w, dynamic, nil
}

// descriptor returns descriptor n of a binding, and its dynamic offset. A range without bytes is the null descriptor.
func (m *machine) descriptor(x *Binding, n int, buffer *Buffer) (d vk.BufferDescriptor, dynamic uint32, err error) {
	if buffer == nil {
		return d, 0, nil
	}
	offset, size, err := m.slice(x, n, m.memory[buffer])
	if err != nil || size == 0 {
		return d, 0, err
	}
	if n < len(x.DynamicOffsets) && (x.Kind == UniformDynamic || x.Kind == StorageDynamic) {
		dynamic = uint32(x.DynamicOffsets[n])
	}
	return vk.BufferDescriptor{Buffer: m.buffers[buffer], Offset: offset - uint64(dynamic), Range: size}, dynamic, nil
}

// writeInline writes the bytes of an inline uniform block, whole words.
func (b *bindings) writeInline(m *machine, x *Binding) error {
	all := m.memory[x.Buffers[0]]
	offset, size, err := m.slice(x, 0, all)
	if err != nil {
		return err
	}
	data := make([]byte, (size+3)&^3)
	copy(data, all[offset:offset+size])
	if err := b.sets[x.Set].Update(vk.Write{Binding: x.Binding, Inline: data}); err != nil {
		return m.fault(CodeRun, x.At, "set %d, binding %d: %v", x.Set, x.Binding, err)
	}
	return nil
}

// record records the sets and the push constants.
func (b *bindings) record(m *machine, p *Pipeline, point vk.BindPoint) {
	m.recordHeaps(p)
	if len(b.sets) > 0 {
		m.commands.BindSets(point, b.layout, 0, b.sets, b.dynamic)
	}
	if b.push == nil || len(m.memory[b.push]) == 0 {
		return
	}
	data := host.WholeWords(m.memory[b.push])
	if b.layout == nil {
		m.commands.PushData(0, data)
	} else {
		m.commands.PushConstants(b.layout, 0, data)
	}
}

// slice returns the offset and the size of the part of a buffer that descriptor i of an array refers to.
func (r *runner) slice(b *Binding, i int, data []byte) (from, bytes uint64, err error) {
	at := func(list []int64, absent int64) int64 {
		if i < len(list) {
			return list[i]
		}
		return absent
	}
	offset, size := at(b.Offsets, 0), at(b.Ranges, WholeBuffer)
	if b.Kind == UniformDynamic || b.Kind == StorageDynamic {
		offset += at(b.DynamicOffsets, 0)
	}
	left := int64(len(data)) - offset
	if size == WholeBuffer {
		size = left
	}
	if offset < 0 || size < 0 || size > left {
		return 0, 0, r.fault(CodeSize, b.At, "buffer %s has %d bytes; descriptor %d of set %d, binding %d names %d bytes from byte %d on",
			b.Buffers[i].Name, len(data), i, b.Set, b.Binding, size, offset)
	}
	return uint64(offset), uint64(size), nil
}

// place puts descriptors into the elements of an array from the first one on.
func place[T any](list []T, first uint32, descriptors ...T) []T {
	if n := int(first) + len(descriptors); n > len(list) {
		list = append(list, make([]T, n-len(list))...)
	}
	copy(list[first:], descriptors)
	return list
}
