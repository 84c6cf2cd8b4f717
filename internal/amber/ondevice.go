package amber

import "github.com/chiaro-gpu/chiaro/internal/format"

// onDevice reports whether package vk has all that a script needs: it dispatches, without descriptor heaps and
// banks of push constants.
func onDevice(s *Script) bool {
	ok := true
	var visit func(list []Command)
	visit = func(list []Command) {
		for _, c := range list {
			switch c := c.(type) {
			case *Dispatch:
				ok = ok && c.Pipeline.onDevice()
			case *Draw, *RenderPass, *Clear, *SetClear:
				ok = false
			case *Repeat:
				visit(c.Commands)
			}
		}
	}
	visit(s.Commands)
	return ok
}

// onDevice reports whether package vk has the descriptors of a pipeline.
func (p *Pipeline) onDevice() bool {
	for i := range p.Bindings {
		for _, x := range p.Bindings[i].Buffers {
			if x != nil && x.Texel != nil && x.Texel.Has(format.D) && x.Texel.Has(format.S) { // images of two aspects
				return false
			}
		}
	}
	return !p.heaped() && len(p.Banks) == 0
}
