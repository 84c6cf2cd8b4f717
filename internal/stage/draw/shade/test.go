package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// The tests of a sample (Vulkan §"Fragment Operations"): depth bounds, stencil, depth.
// They stand before the fragment program where nothing that it does can tell, or where
// it demands so, and else behind it.

// testKey is what the code of the tests depends on.
type testKey struct {
	Depth, Stencil               string // formats; "" where there is no attachment or nothing is done with it
	DepthLayered, stencilLayered bool
	Compare                      state.CompareOp // of the depth test; Always without one
	Write                        bool
	Bounds                       bool
	Clamp                        bool // to the viewport's depths
	Unrestricted                 bool // without a range
	Front, Back                  state.StencilFace
}

// testKeyOf returns the key of a state and a target. Tests without an attachment pass.
func testKeyOf(s *state.State, t *state.Target) (k testKey) {
	z := &s.DepthStencil
	if t.Depth != nil && (z.Test || z.Bounds) {
		k.Depth, k.DepthLayered = t.Depth.Format(), state.Layered(t.Depth)
		k.Bounds, k.Clamp, k.Unrestricted = z.Bounds, s.Rasterization.DepthClamp, s.Rasterization.DepthUnrestricted
		if k.Compare = state.Always; z.Test {
			k.Compare, k.Write = z.Compare, z.Write
		}
	}
	if t.Stencil != nil && z.Stencil {
		k.Stencil, k.stencilLayered = t.Stencil.Format(), state.Layered(t.Stencil)
		k.Front, k.Back = z.Front.Static(), z.Back.Static()
	}
	return k
}

// any reports whether there is anything to test or to write.
func (k *testKey) any() bool { return k.Depth != "" || k.Stencil != "" }

// earlyTests reports whether the tests stand before the fragment program.
func (s *shader) earlyTests() bool { return s.key.EarlyTests(s.From) }

// EarlyTests is earlyTests for a program with the key.
func (k *Key) EarlyTests(p *ir.Program) bool {
	m := p.Modes
	if m.Has(ir.EarlyTests) || m.Has(ir.EarlyAndLateTests) && m&(ir.DepthReplacing|ir.StencilReplacing|ir.OverrideCoverage) == 0 {
		return true
	}
	if e := p.Effects; e.Discards || e.Writes || k.AlphaToCoverage || HasInput(p, ir.TileDepth) || HasInput(p, ir.TileStencil) {
		return false
	}
	for _, o := range p.Out {
		switch o.Semantic {
		case ir.FragDepth, ir.FragStencilRef, ir.SampleMask:
			return false
		}
	}
	return !writesTexels(p)
}

// test writes the tests of sample n and calls passed for what is done where it passes.
func (s *shader) test(n ir.V, passed func()) {
	if !s.key.Test.any() {
		s.countPassed()
		passed()
		return
	}
	s.testThen(n, passed, func(ir.V) {})
}

// testThen is test where there are any tests. It calls behind for what is done then, where
// it passes or not, as far as the depth is within bounds.
func (s *shader) testThen(n ir.V, passed func(), behind func(pass ir.V)) {
	k := &s.key.Test
	d := s.depthTest(n)
	if k.Bounds && d.present {
		s.B.If(d.withinBounds())
		defer s.B.End()
	}
	pass := d.passes()
	if k.Stencil != "" {
		pass = s.stencilTest(n, pass)
	}
	s.B.If(pass)
	if k.Write && d.present {
		d.store()
	}
	s.countPassed()
	passed()
	s.B.End()
	behind(pass)
}

// compared compares two values by an operation of the state: less is less-than of their
// type, and equal its equality.
func (s *shader) compared(o state.CompareOp, less, equal ir.Op, x, y ir.V) ir.V {
	b := s.B
	switch o {
	case state.Never:
		return b.Bool(false)
	case state.Less:
		return b.Cmp(less, x, y)
	case state.Equal:
		return b.Cmp(equal, x, y)
	case state.LessOrEqual:
		return b.Op(ir.Or, ir.B1, b.Cmp(less, x, y), b.Cmp(equal, x, y))
	case state.Greater:
		return b.Cmp(less, y, x)
	case state.NotEqual:
		return s.Not(b.Cmp(equal, x, y))
	case state.GreaterOrEqual:
		return b.Op(ir.Or, ir.B1, b.Cmp(less, y, x), b.Cmp(equal, x, y))
	}
	return b.Bool(true)
}
