package draw

import "github.com/chiaro-gpu/chiaro/internal/stage/draw/state"

// remap is the target and the state of a draw with its color attachments by output location. Blend states belong
// to attachments, so that they move with them (Vulkan §"Fragment Output Interface").
//
//	attachment   0 A   1 B      2 C      pass
//	Locations    2     unused   0
//	location     0 C   1 –      2 A      draw
type remap struct {
	target state.Target
	blend  []state.BlendAttachment
}

// apply returns the target by location and changes the blend attachments of s accordingly. The size of the
// framebuffer remains, also if no attachment has a location.
func (r *remap) apply(s *state.State, t *state.Target) *state.Target {
	colors := r.target.Colors[:0]
	r.target, r.blend = *t, r.blend[:0]
	r.target.Width, r.target.Height, r.target.Layers = 0, 0, 0
	for i, l := range s.Locations {
		if l == state.Unused || i >= len(t.Colors) {
			continue
		}
		for uint32(len(colors)) <= l {
			colors, r.blend = append(colors, nil), append(r.blend, state.BlendAttachment{WriteMask: 15})
		}
		if colors[l] = t.Colors[i]; i < len(s.Blend.Attachments) {
			r.blend[l] = s.Blend.Attachments[i]
		}
	}
	w, h, n := t.Extent()
	r.target.Colors, s.Blend.Attachments = colors, r.blend
	r.target.Width, r.target.Height, r.target.Layers = w, h, n
	return &r.target
}

// release drops the views.
func (r *remap) release() {
	clear(r.target.Colors)
	r.target = state.Target{Colors: r.target.Colors[:0]}
}
