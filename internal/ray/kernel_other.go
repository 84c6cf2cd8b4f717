//go:build !amd64

package ray

// hasKernel: no machine code exists for this processor.
const hasKernel = false

// session is the state of machine code.
type session struct{}

// forget has nothing to drop.
func (s *session) forget() {}

// enter is enterPortable.
func (w *Walker) enter(l *level, p *placed, reach, spread float32) bool {
	return w.enterPortable(l, p, reach, spread)
}

// walkFast and walkTrianglesFast are not called.
func (w *Walker) walkFast(*session, *Structure, *level, int, func(ref, int)) {}

func (w *Walker) walkTrianglesFast(*Structure, InstanceFlags, int) {}
