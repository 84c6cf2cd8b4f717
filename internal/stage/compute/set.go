package compute

import (
	"cmp"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Set is a descriptor set: its bindings in ascending order of their numbers. It is the form of descriptors without
// maps, for objects that are bound often.
type Set []SetBinding

// SetBinding has the descriptors of one binding, by array element, as the maps of [Args] have them.
type SetBinding struct {
	// A draw with images reads these, which are one cache line: frames with hundreds of sets miss the near caches.
	Number   uint32
	Views    []*texture.View
	Samplers []*texture.Sampler
	Lists    *Lists // of the descriptors, if they are many; nil otherwise

	Buffers []exec.Buffer
	Dynamic []uint32
	Tensors []Tensor
	Inline  []byte // an inline uniform block, if HasInline

	HasInline bool

	Faults []byte // see Args.Faults
}

// Find returns the binding of a number; nil if there is none.
func (s Set) Find(number uint32) *SetBinding {
	i, ok := s.search(number)
	if !ok {
		return nil
	}
	return &s[i]
}

func (s Set) search(number uint32) (int, bool) {
	if uint64(number) < uint64(len(s)) && s[number].Number == number { // most sets have all numbers from 0 on
		return int(number), true
	}
	return slices.BinarySearchFunc(s, number, func(b SetBinding, n uint32) int { return cmp.Compare(b.Number, n) })
}

// none is the content of a binding without descriptors.
var none SetBinding

// slot returns a binding of Sets.
func (a *Args) slot(at Binding) *SetBinding {
	if uint64(at.Set) < uint64(len(a.Sets)) {
		if b := a.Sets[at.Set].Find(at.Binding); b != nil {
			return b
		}
	}
	return &none
}

func (a *Args) buffersAt(at Binding) []exec.Buffer {
	if a.Sets != nil {
		return a.slot(at).Buffers
	}
	return a.Bindings[at]
}

func (a *Args) dynamicAt(at Binding) []uint32 {
	if a.Sets != nil {
		return a.slot(at).Dynamic
	}
	return a.Dynamic[at]
}

func (a *Args) tensorsAt(at Binding) []Tensor {
	if a.Sets != nil {
		return a.slot(at).Tensors
	}
	return a.Tensors[at]
}

func (a *Args) viewsAt(at Binding) []*texture.View {
	if a.Sets != nil {
		return a.slot(at).Views
	}
	return a.Images[at]
}

func (a *Args) samplersAt(at Binding) []*texture.Sampler {
	if a.Sets != nil {
		return a.slot(at).Samplers
	}
	return a.Samplers[at]
}

// inlineAt returns an inline uniform block; ok is false if the binding is none.
func (a *Args) inlineAt(at Binding) (data []byte, ok bool) {
	if a.Sets != nil {
		b := a.slot(at)
		return b.Inline, b.HasInline
	}
	data, ok = a.Inline[at]
	return data, ok
}

// faultsAt returns the faults of the descriptors of a binding.
func (a *Args) faultsAt(at Binding) []byte {
	if a.Sets != nil {
		return a.slot(at).Faults
	}
	return a.Faults[at]
}
