package amber

import (
	"slices"
	"strings"
)

// onDevice reports whether package vk has all that a script needs. Scripts with descriptor heaps or with banks
// of push constants do not run on it yet.
func onDevice(s *Script) bool {
	return !slices.ContainsFunc(s.Pipelines, func(p *Pipeline) bool { return !p.onDevice() })
}

// onDevice reports whether package vk has all that a pipeline needs.
func (p *Pipeline) onDevice() bool {
	return !p.heaped() && len(p.Banks) == 0
}

// maySubpass reports whether a shader may have input attachments: its text has the type, or it has no text.
func (s *Shader) maySubpass() bool {
	switch s.Format {
	case SPIRVHex, SPIRVBinary:
		return true
	}
	return strings.Contains(strings.ToLower(s.Source), "subpass")
}
