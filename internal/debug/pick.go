package debug

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
)

// Pick restricts the stops of a session to some invocations of draws. A nil field permits all.
type Pick struct {
	Stage     *ir.Stage
	Pixel     *[2]uint32 // of fragments
	Primitive *uint32    // PrimitiveId of fragments
	Sample    *uint32    // of fragments with sample shading
	Vertex    *uint32    // VertexIndex
	Instance  *uint32    // InstanceIndex of vertices
	Launch    *[3]uint32 // LaunchId of the shaders of rays
}

// any reports whether the pick is of single invocations.
func (p *Pick) any() bool {
	return p.Pixel != nil || p.Primitive != nil || p.Sample != nil || p.Vertex != nil || p.Instance != nil || p.Launch != nil
}

// of reports whether the pick permits invocations of a stage.
func (p *Pick) of(s ir.Stage) bool {
	switch {
	case p.Stage != nil && *p.Stage != s:
		return false
	case p.Pixel != nil || p.Primitive != nil || p.Sample != nil:
		return s == ir.Fragment
	case p.Vertex != nil || p.Instance != nil:
		return s == ir.Vertex
	case p.Launch != nil:
		return s.OfRays()
	}
	return true
}

// stage reports whether the pick permits invocations of one of the stages.
func (p *Pick) stage(list []*shader.Stage) bool {
	return slices.ContainsFunc(list, func(s *shader.Stage) bool { return p.of(s.Program.Stage) })
}

// picked returns the active lanes of a step that the pick permits.
func (h *hook) picked(s *exec.Step) exec.Lanes {
	p := &h.session.config.Pick
	if !p.any() {
		return s.Active
	}
	var out exec.Lanes
	for lane := range s.Active.All {
		if p.Launch != nil {
			if h.launchID(s, uint32(lane)) == *p.Launch {
				out[lane>>6] |= 1 << (lane & 63)
			}
			continue
		}
		x := view{h, s, Frame{lane: uint32(lane)}}
		if x.meets(ir.FragCoord, 0, p.pixel(0)) && x.meets(ir.FragCoord, 1, p.pixel(1)) && x.meets(ir.PrimitiveId, 0, p.Primitive) &&
			x.meets(ir.SampleId, 0, p.Sample) && x.meets(ir.VertexIndex, 0, p.Vertex) && x.meets(ir.InstanceIndex, 0, p.Instance) {
			out[lane>>6] |= 1 << (lane & 63)
		}
	}
	return out
}

// pixel returns a coordinate of the pixel; nil if there is none.
func (p *Pick) pixel(i int) *uint32 {
	if p.Pixel == nil {
		return nil
	}
	return &p.Pixel[i]
}

// meets reports whether a word of the invocation's identity is the wanted one, if any is.
func (x *view) meets(s ir.Semantic, index uint32, want *uint32) bool {
	if want == nil {
		return true
	}
	got, ok := x.id(s, index)
	return ok && got == *want
}
