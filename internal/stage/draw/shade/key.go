package shade

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Key is everything that the code of a fragment program depends on, apart from the program and the
// record of its vertices. Equal keys share a compiled program. A pipeline has one program per key: a
// new attachment format, sample count or blend equation compiles anew, and a new blend constant,
// stencil reference or viewport does not.
type Key struct {
	Samples          uint32
	MaxPixels        uint32 // upper bound for the pixels of a fragment
	FullyCovered     bool   // items carry a mask of completely covered pixels
	smooth           bool   // primitives carry the coverage of smooth lines
	PerSample        bool   // an invocation shades one sample
	Packed           bool   // workgroups are packs of quads
	Pixels           bool   // these packs have pixels in place of quads: no lane reads another one of its quad
	InPlace          bool   // primitives are triangles of batches (raster, inplace.go); they are packed
	Stacked          bool   // workgroups are stacks of items (stack.go)
	located          bool   // sample locations are parameters
	AlphaToCoverage  bool
	alphaToOne       bool
	CountSamples     bool // count samples that pass, for occlusion queries
	CountInvocations bool // count fragment invocations
	Multiview        bool // the layer is the view
	Logic            bool
	logicOp          enum.LogicOp
	dither           bool
	Colors           [state.MaxColors]colorKey
	Test             testKey
	Tile             tileKey
}

// NewKey returns the key for a state and a target.
func NewKey(s *state.State, t *state.Target, perSample, counts bool) (k Key) {
	m := &s.Multisample
	k.Samples = max(m.Samples, 1)
	k.AlphaToCoverage, k.alphaToOne, k.located = m.AlphaToCoverage, m.AlphaToOne, m.Custom() != nil
	k.PerSample = (k.Samples > 1 || k.located) && (perSample || m.SampleShading && m.MinShading*float32(k.Samples) > 1)
	k.dither = s.Dither
	k.smooth = s.Rasterization.LineMode == enum.LineModeRectangularSmooth
	k.CountSamples, k.Multiview = counts, s.ViewMask != 0
	if k.Logic = s.Blend.Logic; k.Logic {
		k.logicOp = s.Blend.LogicOp
	}
	k.Test = testKeyOf(s, t)
	for i, v := range t.Colors {
		if v == nil {
			continue
		}
		c := &k.Colors[i]
		c.Format, c.Layered = v.Info(), state.Layered(v)
		c.Blend.WriteMask = 15
		if i < len(s.Blend.Attachments) {
			c.Blend = s.Blend.Attachments[i]
		}
	}
	return k
}

// testKey is everything that the code of the tests depends on.
type testKey struct {
	Depth, Stencil               *format.Info // nil without an attachment or a test
	DepthLayered, stencilLayered bool
	Compare                      enum.CompareOp // of the depth test; Always without a depth test
	Write                        bool
	Bounds                       bool
	Clamp                        bool // clamp to the viewport's depth range
	Unrestricted                 bool // depths are not clamped to 0…1
	Front, Back                  state.StencilFace
	late                         bool // after the program, whatever it is
}

// testKeyOf returns the key for a state and a target. A test without an attachment passes.
func testKeyOf(s *state.State, t *state.Target) (k testKey) {
	z := &s.DepthStencil
	if t.Depth != nil && (z.Test || z.Bounds) {
		k.Depth, k.DepthLayered = t.Depth.Info(), state.Layered(t.Depth)
		k.Bounds, k.Clamp, k.Unrestricted = z.Bounds, s.Rasterization.DepthClamp, s.Rasterization.DepthUnrestricted
		if k.Compare = enum.CompareOpAlways; z.Test {
			k.Compare, k.Write = z.Compare, z.Write
		}
	}
	if t.Stencil != nil && z.Stencil {
		k.Stencil, k.stencilLayered = t.Stencil.Info(), state.Layered(t.Stencil)
		k.Front, k.Back = z.Front.Static(), z.Back.Static()
	}
	k.late = z.Late && k.any()
	return k
}

// any reports whether there is a test or a depth write.
func (k *testKey) any() bool { return k.Depth != nil || k.Stencil != nil }

// usesDepth reports whether a result depends on the depth of fragments. The bounds test reads the attachment's depth.
func (k *testKey) usesDepth() bool {
	return k.Depth != nil && k.Compare != enum.CompareOpNever && (k.Write || k.Compare != enum.CompareOpAlways)
}

// usesReference reports whether a result depends on the stencil reference.
func (k *testKey) usesReference() bool {
	return k.Stencil != nil && (k.Front.UsesReference() || k.Back.UsesReference())
}

// ReadsDepth reports whether fragments of a program with this key read the depth of their primitive.
func (k *Key) ReadsDepth(p *ir.Program) bool {
	return k.Test.any() || HasInput(p, ir.FragCoord) || p.Observed // a debugger shows FragCoord
}

// EarlyTests reports whether the tests of a program with this key run before it (early Z and early
// stencil): the program demands early tests, or no result can tell the difference. Vulkan orders the
// tests after the shader by default (§"Early Fragment Test Mode"), but permits any order with equal
// results. A discard after an early depth write would leave a wrong depth, and a store of a fragment
// that fails late must still happen.
func (k *Key) EarlyTests(p *ir.Program) bool {
	m := p.Modes
	if m.Has(ir.EarlyTests) || m.Has(ir.EarlyAndLateTests) && m&(ir.DepthReplacing|ir.StencilReplacing|ir.OverrideCoverage) == 0 {
		return true
	}
	if e := p.Effects; e.Discards || e.Writes || k.AlphaToCoverage || k.Test.late || HasInput(p, ir.TileDepth) || HasInput(p, ir.TileStencil) {
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

// earlyTests reports whether the tests run before the fragment program.
func (s *shader) earlyTests() bool { return s.key.EarlyTests(s.From) }

// colorKey is everything that the code for one color attachment depends on.
type colorKey struct {
	Format  *format.Info // nil without an attachment
	Layered bool
	Blend   state.BlendAttachment
}

// isWritten reports whether there is an attachment and its write mask is not empty.
func (c *colorKey) isWritten() bool { return c.Format != nil && c.Blend.WriteMask != 0 }

// tileKey is everything that depth and stencil reads of the program depend on.
type tileKey struct {
	depth, stencil               *format.Info // nil without an attachment or a read
	depthLayered, stencilLayered bool
}

// TileKeyOf returns the key for a program and a target.
func TileKeyOf(p *ir.Program, t *state.Target) (k tileKey) {
	if HasInput(p, ir.TileDepth) && t.Depth != nil {
		k.depth, k.depthLayered = t.Depth.Info(), state.Layered(t.Depth)
	}
	if HasInput(p, ir.TileStencil) && t.Stencil != nil {
		k.stencil, k.stencilLayered = t.Stencil.Info(), state.Layered(t.Stencil)
	}
	return k
}
