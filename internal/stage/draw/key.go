package draw

import "github.com/chiaro-gpu/chiaro/internal/texture"

// vertexKey is all that the code of a vertex program depends on beside the program and
// its records.
type vertexKey struct {
	VertexInput
	captures bool // transform feedback is active
}

// middleKey is the same of a program in the middle.
type middleKey struct{ captures bool }

// fragmentKey is all that the code of a fragment program depends on beside the
// program and the record of its vertices.
type fragmentKey struct {
	samples         uint32
	pixels          uint32 // that a fragment may have at most
	inner           bool   // items say which pixels are wholly covered
	smooth          bool   // primitives say how much of their pixels is covered
	perSample       bool   // an invocation stands for one sample
	alphaToCoverage bool
	alphaToOne      bool
	counts          bool // samples that pass are counted
	invocations     bool // and invocations
	views           bool // layers are views
	logic           bool
	logicOp         LogicOp
	colors          [MaxColors]colorKey
	test            testKey
	tile            tileKey
}

// fragmentKeyOf returns the key of a state and a target.
func fragmentKeyOf(s *State, t *Target, perSample, counts bool) (k fragmentKey) {
	m := &s.Multisample
	k.samples = max(m.Samples, 1)
	k.perSample = k.samples > 1 && (perSample || m.SampleShading && m.MinShading*float32(k.samples) > 1)
	k.alphaToCoverage, k.alphaToOne = m.AlphaToCoverage, m.AlphaToOne
	k.smooth = s.Rasterization.LineMode == SmoothLines
	k.counts, k.views = counts, s.ViewMask != 0
	if k.logic = s.Blend.Logic; k.logic {
		k.logicOp = s.Blend.LogicOp
	}
	k.test = testKeyOf(s, t)
	for i, v := range t.Colors {
		if v == nil {
			continue
		}
		c := &k.colors[i]
		c.format, c.layered = v.Format(), layered(v)
		c.blend.WriteMask = 15
		if i < len(s.Blend.Attachments) {
			c.blend = s.Blend.Attachments[i]
		}
	}
	return k
}

// layered reports whether a view has more than one layer.
func layered(v *texture.View) bool {
	_, _, n := v.Extent()
	return n > 1
}
