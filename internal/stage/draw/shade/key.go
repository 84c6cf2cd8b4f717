package shade

import (
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
