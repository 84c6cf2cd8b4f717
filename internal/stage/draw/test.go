package draw

import "github.com/chiaro-gpu/chiaro/internal/ir"

// The tests of a sample (Vulkan §"Fragment Operations"): depth bounds, stencil, depth.
// They stand before the fragment program where nothing that it does can tell, or where
// it demands so, and else behind it.

// testKey is what the code of the tests depends on.
type testKey struct {
	depth, stencil               string // formats; "" where there is no attachment or nothing is done with it
	depthLayered, stencilLayered bool
	compare                      CompareOp // of the depth test; Always without one
	write                        bool
	bounds                       bool
	clamp                        bool // to the viewport's depths
	unrestricted                 bool // without a range
	front, back                  StencilFace
}

// testKeyOf returns the key of a state and a target. Tests without an attachment pass.
func testKeyOf(s *State, t *Target) (k testKey) {
	z := &s.DepthStencil
	if t.Depth != nil && (z.Test || z.Bounds) {
		k.depth, k.depthLayered = t.Depth.Format(), layered(t.Depth)
		k.bounds, k.clamp, k.unrestricted = z.Bounds, s.Rasterization.DepthClamp, s.Rasterization.DepthUnrestricted
		if k.compare = Always; z.Test {
			k.compare, k.write = z.Compare, z.Write
		}
	}
	if t.Stencil != nil && z.Stencil {
		k.stencil, k.stencilLayered = t.Stencil.Format(), layered(t.Stencil)
		k.front, k.back = z.Front.code(), z.Back.code()
	}
	return k
}

// any reports whether there is anything to test or to write.
func (k *testKey) any() bool { return k.depth != "" || k.stencil != "" }

// earlyTests reports whether the tests stand before the fragment program.
func (s *fragmentShader) earlyTests() bool { return s.key.early(s.from) }

// early is earlyTests for a program with the key.
func (k *fragmentKey) early(p *ir.Program) bool {
	m := p.Modes
	if m.Has(ir.EarlyTests) || m.Has(ir.EarlyAndLateTests) && m&(ir.DepthReplacing|ir.StencilReplacing|ir.OverrideCoverage) == 0 {
		return true
	}
	if e := p.Effects; e.Discards || e.Writes || k.alphaToCoverage || hasInput(p, ir.TileDepth) || hasInput(p, ir.TileStencil) {
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
func (s *fragmentShader) test(n ir.V, passed func()) {
	if !s.key.test.any() {
		s.count()
		passed()
		return
	}
	s.testAnd(n, passed, func(ir.V) {})
}

// testAnd is test where there are any tests. It calls behind for what is done then, where
// it passes or not, as far as the depth is within bounds.
func (s *fragmentShader) testAnd(n ir.V, passed func(), behind func(pass ir.V)) {
	k := &s.key.test
	d := s.depthTest(n)
	if k.bounds && d.open {
		s.b.If(d.bounded())
		defer s.b.End()
	}
	pass := d.passes()
	if k.stencil != "" {
		pass = s.stencilTest(n, pass)
	}
	s.b.If(pass)
	if k.write && d.open {
		d.store()
	}
	s.count()
	passed()
	s.b.End()
	behind(pass)
}

// count counts a sample that passes all tests, for occlusion queries.
func (s *fragmentShader) count() {
	if s.key.counts {
		s.countAt(countPassed)
	}
}

// compared compares two values by an operation of the state: less is less-than of their
// type, and equal its equality.
func (s *fragmentShader) compared(o CompareOp, less, equal ir.Op, x, y ir.V) ir.V {
	b := s.b
	switch o {
	case Never:
		return b.Bool(false)
	case Less:
		return b.Cmp(less, x, y)
	case Equal:
		return b.Cmp(equal, x, y)
	case LessOrEqual:
		return b.Op(ir.Or, ir.B1, b.Cmp(less, x, y), b.Cmp(equal, x, y))
	case Greater:
		return b.Cmp(less, y, x)
	case NotEqual:
		return s.not(b.Cmp(equal, x, y))
	case GreaterOrEqual:
		return b.Op(ir.Or, ir.B1, b.Cmp(less, y, x), b.Cmp(equal, x, y))
	}
	return b.Bool(true)
}
