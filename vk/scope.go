package vk

import mathbits "math/bits"

// scope is the rendering that a recording is in.
type scope struct {
	rendering *rendering       // that began in this command buffer; nil if none
	pass      *passInstance    // the rendering is a subpass of it; nil if BeginRendering began it
	resolving bool             // its custom resolve has begun
	perTile   bool             // its commands run for each tile
	inherited *InheritanceInfo // of a secondary command buffer that continues a rendering, to its end
}

// open reports whether the recording is in a rendering.
func (s *scope) open() bool { return s.rendering != nil || s.inherited != nil }

// views returns the number of queries that a command uses: one for each view of the rendering.
func (s *scope) views() int {
	mask := uint32(0)
	switch i := s.inherited; {
	case s.rendering != nil:
		mask = s.rendering.info.ViewMask
	case i != nil && i.RenderPass != nil:
		mask = i.RenderPass.info.Subpasses[i.Subpass].ViewMask
	case i != nil && i.Rendering != nil:
		mask = i.Rendering.ViewMask
	}
	return max(mathbits.OnesCount32(mask), 1)
}

// colors returns the number of color attachments of the rendering that BeginRendering began in this command buffer; ok is
// false if there is none.
func (s *scope) colors() (n int, ok bool) {
	if s.rendering == nil || s.pass != nil {
		return 0, false
	}
	return len(s.rendering.info.Colors), true
}
