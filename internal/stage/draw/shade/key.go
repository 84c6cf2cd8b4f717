package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Key is all that the code of a fragment program depends on beside the
// program and the record of its vertices.
type Key struct {
	Samples          uint32
	MaxPixels        uint32 // that a fragment may have at most
	FullyCovered     bool   // items say which pixels are wholly covered
	smooth           bool   // primitives say how much of their pixels is covered
	PerSample        bool   // an invocation stands for one sample
	AlphaToCoverage  bool
	alphaToOne       bool
	CountSamples     bool // samples that pass are counted
	CountInvocations bool // and invocations
	Multiview        bool // layers are views
	Logic            bool
	logicOp          state.LogicOp
	Colors           [state.MaxColors]colorKey
	Test             testKey
	Tile             tileKey
}

// NewKey returns the key of a state and a target.
func NewKey(s *state.State, t *state.Target, perSample, counts bool) (k Key) {
	m := &s.Multisample
	k.Samples = max(m.Samples, 1)
	k.PerSample = k.Samples > 1 && (perSample || m.SampleShading && m.MinShading*float32(k.Samples) > 1)
	k.AlphaToCoverage, k.alphaToOne = m.AlphaToCoverage, m.AlphaToOne
	k.smooth = s.Rasterization.LineMode == state.SmoothLines
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
		c.Format, c.Layered = v.Format(), state.Layered(v)
		c.Blend.WriteMask = 15
		if i < len(s.Blend.Attachments) {
			c.Blend = s.Blend.Attachments[i]
		}
	}
	return k
}

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

// earlyTests reports whether the tests stand before the fragment program.
func (s *shader) earlyTests() bool { return s.key.EarlyTests(s.From) }

// colorKey is what the code for one color attachment depends on.
type colorKey struct {
	Format  string // "" where there is none
	Layered bool
	Blend   state.BlendAttachment
}

// isWritten reports whether the attachment is there and written to.
func (c *colorKey) isWritten() bool { return c.Format != "" && c.Blend.WriteMask != 0 }

// tileKey is what the code of reads of depth and stencil depends on.
type tileKey struct {
	depth, stencil               string // formats; "" where there is no attachment or nothing reads it
	depthLayered, stencilLayered bool
}

// TileKeyOf returns the key of a program and a target.
func TileKeyOf(p *ir.Program, t *state.Target) (k tileKey) {
	if HasInput(p, ir.TileDepth) && t.Depth != nil {
		k.depth, k.depthLayered = t.Depth.Format(), state.Layered(t.Depth)
	}
	if HasInput(p, ir.TileStencil) && t.Stencil != nil {
		k.stencil, k.stencilLayered = t.Stencil.Format(), state.Layered(t.Stencil)
	}
	return k
}
