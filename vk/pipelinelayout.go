package vk

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/link"
)

// MaxPushBytes is the size of push constants in bytes (maxPushConstantsSize).
const MaxPushBytes = 256

// maxSets is maxBoundDescriptorSets.
const maxSets = 32

// PipelineLayoutInfo describes a pipeline layout.
type PipelineLayoutInfo struct {
	Flags enum.LayoutFlags
	Sets  []*SetLayout // nil elements are allowed with independent sets, and with the feature graphicsPipelineLibrary
	Push  []link.Range
}

// PipelineLayout is the interface between the shaders of a pipeline and the bound descriptor sets and push constants.
type PipelineLayout struct {
	object
	sets []*SetLayout
	link link.Layout
	push uint32 // bytes
}

// NewPipelineLayout makes a pipeline layout. The set layouts may be closed afterwards.
func (d *Device) NewPipelineLayout(info PipelineLayoutInfo) (*PipelineLayout, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if n := len(info.Sets); n > maxSets {
		return nil, usage("VUID-VkPipelineLayoutCreateInfo-setLayoutCount-00286", "the layout has %d sets; must have at most %d", n, maxSets)
	}
	l := &PipelineLayout{sets: slices.Clone(info.Sets), link: link.Layout{Flags: info.Flags, Push: slices.Clone(info.Push)}}
	for i, s := range info.Sets {
		if s == nil && (info.Flags&enum.LayoutFlagsIndependentSets != 0 || d.enabled["graphicsPipelineLibrary"]) {
			l.link.Sets = append(l.link.Sets, link.Set{Number: uint32(i), Null: true})
			continue
		}
		if err := check(d, "a set layout", s); err != nil {
			return nil, err
		}
		set := s.link
		set.Number = uint32(i)
		l.link.Sets = append(l.link.Sets, set)
	}
	for _, r := range info.Push {
		end := uint64(r.Offset) + uint64(r.Size)
		if r.Size == 0 || r.Offset%4 != 0 || r.Size%4 != 0 || end > MaxPushBytes {
			err := &UsageError{Rule: "VUID-VkPushConstantRange-size-00298", Message: fmt.Sprintf("a push constant range has %d bytes from offset %d on; must have a multiple of 4, greater than 0, in the first %d", r.Size, r.Offset, MaxPushBytes)}
			if end > MaxPushBytes {
				err.Cause = &exec.LimitError{Quantity: "bytes of push constants", Value: end, Max: MaxPushBytes}
			}
			return nil, err
		}
		l.push = max(l.push, uint32(end))
	}
	d.adopt(&l.object, "pipeline layout", nil)
	return l, nil
}

// set returns the layout of a set; nil if there is none.
func (l *PipelineLayout) set(i int) *SetLayout {
	if l == nil || i >= len(l.sets) {
		return nil
	}
	return l.sets[i]
}

// compatible reports whether two layouts are compatible for set n (Vulkan, Pipeline Layout Compatibility). Immutable
// samplers are identically defined.
func (l *PipelineLayout) compatible(o *PipelineLayout, n int) bool {
	if l == o {
		return true
	}
	if l == nil || o == nil || !l.link.CompatibleFor(&o.link, uint32(n)) {
		return false
	}
	for i := range n + 1 {
		if !l.set(i).sameSamplers(o.set(i)) {
			return false
		}
	}
	return true
}

// keeps reports whether a command that binds sets up to the set last leaves set i bound, which was bound with o.
func (l *PipelineLayout) keeps(o *PipelineLayout, i, last int) bool {
	return l == o || o != nil && l.compatible(o, min(i, last))
}

// inBuffers reports whether the sets of the layout are in descriptor buffers.
func (l *PipelineLayout) inBuffers() bool {
	return l != nil && slices.ContainsFunc(l.sets, func(s *SetLayout) bool { return s != nil && s.link.Flags&enum.SetFlagsDescriptorBuffer != 0 })
}
