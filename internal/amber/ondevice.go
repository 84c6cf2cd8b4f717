package amber

// onDevice reports whether package vk has all that a script needs: it dispatches, and its pipelines have buffers alone.
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
		if b := &p.Bindings[i]; b.Kind.textured() || b.Mutable != nil {
			return false
		}
	}
	return !p.heaped() && len(p.Banks) == 0
}
