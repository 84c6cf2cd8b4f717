package draw

import "github.com/chiaro-gpu/chiaro/internal/texture"

// fragmentKey is all that the code of a fragment program depends on beside the
// program and the record of its vertices.
type fragmentKey struct {
	samples uint32
	colors  [MaxColors]colorKey
}

// fragmentKeyOf returns the key of a state and a target.
func fragmentKeyOf(s *State, t *Target) (k fragmentKey) {
	k.samples = max(s.Multisample.Samples, 1)
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
