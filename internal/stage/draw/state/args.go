package state

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// Args are the arguments of a draw.
type Args struct {
	// Shader has what is bound for the shaders: descriptors, push constants, and what
	// a run is given. Groups, Base and Hook are not looked at. The stages share it.
	Shader compute.Args

	// State takes the place of the pipeline's where it is not nil. It must not change
	// during the draw.
	State *State

	// Area is the pixels that are drawn to, of those that the target has; an empty one
	// is all.
	Area Rect

	// VertexBuffers are bound to the bindings of the same number.
	VertexBuffers []exec.Buffer

	// Index has indices of IndexBytes (1, 2 or 4) each; nil is a draw without. One
	// that the buffer does not have is 0.
	Index      []byte
	IndexBytes uint32

	First, Count             uint32 // vertices, or indices
	FirstInstance, Instances uint32
	BaseVertex               int32 // added to indices
	DrawIndex                uint32

	// Passed is where samples are counted that pass all tests; nil is nowhere. In a pass
	// that and the following are written up to its end.
	Passed *uint64

	// Statistics are counted on where they are not nil.
	Statistics *Statistics

	// Feedback is transform feedback; nil: it is not active.
	Feedback *Feedback
}

// Check returns an error where the arguments do not fit.
func (a *Args) Check(s *State) error {
	switch {
	case a.Index != nil && a.IndexBytes != 1 && a.IndexBytes != 2 && a.IndexBytes != 4:
		return Errorf("indices of %d bytes; must be 1, 2 or 4", a.IndexBytes)
	case s.Assembly.Topology >= numTopologies:
		return Errorf("topology %d; must be one of Vulkan's", s.Assembly.Topology)
	case len(s.Viewports) > MaxViewports || len(s.Viewports) != len(s.Scissors):
		return Errorf("%d viewports and %d scissors; must be as many, at most %d", len(s.Viewports), len(s.Scissors), MaxViewports)
	case s.Rasterization.Stipple.Factor > MaxStipple:
		return Errorf("a stipple with factor %d; must be at most %d", s.Rasterization.Stipple.Factor, MaxStipple)
	case len(a.Shader.Push) > compute.MaxPushBytes:
		return &exec.LimitError{Quantity: "bytes of push constants", Value: uint64(len(a.Shader.Push)), Max: compute.MaxPushBytes}
	}
	for _, v := range s.Vertex.Bindings {
		if v.Binding >= MaxBindings || v.Stride > MaxStride {
			return Errorf("vertex binding %d with a stride of %d; must be below %d, and at most %d", v.Binding, v.Stride, MaxBindings, MaxStride)
		}
	}
	for _, v := range s.Vertex.Attributes {
		if v.Binding >= MaxBindings || v.Location >= MaxAttributes || v.Offset > MaxOffset {
			return Errorf("vertex attribute %d at offset %d of binding %d; must be below %d, at most %d, and below %d", v.Location, v.Offset, v.Binding, MaxAttributes, MaxOffset, MaxBindings)
		}
	}
	if n := len(s.Discard.Rectangles); n > MaxDiscardRectangles {
		return &exec.LimitError{Quantity: "discard rectangles", Value: uint64(n), Max: MaxDiscardRectangles}
	}
	return s.Rate.check()
}

// IndexAt returns the n-th index of the draw: 0, and false, where the buffer has none.
func (a *Args) IndexAt(n uint32) (uint32, bool) {
	at := (uint64(a.First) + uint64(n)) * uint64(a.IndexBytes)
	if at+uint64(a.IndexBytes) > uint64(len(a.Index)) {
		return 0, false
	}
	b := a.Index[at:]
	switch a.IndexBytes {
	case 1:
		return uint32(b[0]), true
	case 2:
		return uint32(binary.LittleEndian.Uint16(b)), true
	}
	return binary.LittleEndian.Uint32(b), true
}
