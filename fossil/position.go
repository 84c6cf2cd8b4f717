package fossil

import (
	"bytes"
	"encoding/json"
)

// sectionTags are the sorts of objects by the members of a document that contain them.
var sectionTags = map[string]Tag{
	"samplers": Sampler, "setLayouts": SetLayout, "pipelineLayouts": PipelineLayout, "shaderModules": ShaderModule, "renderPasses": RenderPass,
	"graphicsPipelines": GraphicsPipeline, "computePipelines": ComputePipeline, "raytracingPipelines": RayTracingPipeline,
}

// Position returns the line and the column, in bytes from 1, of an object in a JSON
// document. It returns 0 for an object of an archive, which is no text.
func (s *Set) Position(r Ref) (line, column int) {
	if s.doc == nil {
		return 0, 0
	}
	s.placed.Do(func() { s.places = places(s.text) })
	at, ok := s.places[r]
	if !ok {
		return 0, 0
	}
	before := s.text[:at]
	return bytes.Count(before, []byte{'\n'}) + 1, at - bytes.LastIndexByte(before, '\n')
}

// places returns the offsets of the keys of objects in a document.
func places(text []byte) map[Ref]int {
	out := map[Ref]int{}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return out
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return out
		}
		key, _ := name.(string)
		tag, known := sectionTags[key]
		if !known {
			var skipped json.RawMessage
			if d.Decode(&skipped) != nil {
				return out
			}
			continue
		}
		if t, err := d.Token(); err != nil {
			return out
		} else if t != json.Delim('{') {
			if _, open := t.(json.Delim); open {
				return out
			}
			continue
		}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return out
			}
			hash, _ := name.(string)
			end := int(d.InputOffset())
			if h, err := ParseHash(hash); err == nil {
				out[Ref{tag, h}] = max(bytes.LastIndexByte(text[:max(end-1, 0)], '"'), 0)
			}
			var skipped json.RawMessage
			if d.Decode(&skipped) != nil {
				return out
			}
		}
		if _, err := d.Token(); err != nil {
			return out
		}
	}
	return out
}
