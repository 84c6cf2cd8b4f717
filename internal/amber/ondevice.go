package amber

import (
	"slices"
	"strings"
)

// onDevice reports whether package vk has all that a script needs. It does not have descriptor heaps, banks of push
// constants, the attachments and indices of local reads, shading rate attachments, legacy dithering, and clears of views.
func onDevice(s *Script) bool {
	return !slices.ContainsFunc(s.Pipelines, func(p *Pipeline) bool { return !p.onDevice() })
}

// onDevice reports whether package vk has all that a pipeline needs.
func (p *Pipeline) onDevice() bool {
	if p.heaped() || len(p.Banks) > 0 {
		return false
	}
	for i := range p.Bindings {
		if p.Bindings[i].Kind == InputAttachment {
			return false
		}
	}
	for i := range p.Stages {
		if s := p.Stages[i].Shader; p.Stages[i].Stage == Fragment && s.maySubpass() {
			return false
		}
	}
	s := p.Graphics.settings()
	return p.Graphics.Rates == nil && s.Locations == nil && !s.inputs.Mapped() && !s.Dither && s.ViewMask == 0
}

// maySubpass reports whether a shader may have input attachments: its text has the type, or it has no text.
func (s *Shader) maySubpass() bool {
	switch s.Format {
	case SPIRVHex, SPIRVBinary:
		return true
	}
	return strings.Contains(strings.ToLower(s.Source), "subpass")
}
