package fossil

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// sectionTags are the sorts of objects by the members of a document that contain them.
var sectionTags = map[string]Tag{
	"samplers": Sampler, "setLayouts": SetLayout, "pipelineLayouts": PipelineLayout, "shaderModules": ShaderModule, "renderPasses": RenderPass,
	"graphicsPipelines": GraphicsPipeline, "computePipelines": ComputePipeline, "raytracingPipelines": RayTracingPipeline,
}

// Place is a line and a column, in bytes from 1.
type Place struct{ Line, Column int }

// Places returns where a pipeline is: under "" its key, under the names of its members and
// of the elements of its stages, such as "layout" and "stages[0]", those. The text is the
// JSON document, or the JSON of the object alone if the set is an archive. It returns nil
// if the object cannot be read.
func (s *Set) Places(r Ref) map[string]Place {
	text := s.text
	at, ok := 0, false
	if s.doc != nil {
		s.placed.Do(func() { s.places = places(s.text) })
		at, ok = s.places[r]
	} else if e, known := s.archive.Entry(r.Tag, r.Hash); known {
		data, err := s.archive.Read(e)
		if err != nil {
			return nil
		}
		text, _, _ = bytes.Cut(data, []byte{0})
		at, ok = places(text)[r]
	}
	if !ok {
		return nil
	}
	p := placer{text: text, out: map[string]Place{}, lines: bytes.Count(text[:at], []byte{'\n'}), counted: at}
	p.add("", at)
	p.members(at)
	return p.out
}

// placer collects the places of the members of an object, in order of the text.
type placer struct {
	text    []byte
	out     map[string]Place
	lines   int // line feeds before counted
	counted int
}

// maxPlaces bounds the places of one object.
const maxPlaces = 1 << 10

// add adds the place of an offset, which is not before the last one.
func (p *placer) add(name string, at int) {
	if len(p.out) >= maxPlaces {
		return
	}
	p.lines += bytes.Count(p.text[p.counted:at], []byte{'\n'})
	p.counted = at
	p.out[name] = Place{p.lines + 1, at - bytes.LastIndexByte(p.text[:at], '\n')}
}

// members adds the members of the object with the key at an offset.
func (p *placer) members(key int) {
	colon := bytes.IndexByte(p.text[key:], ':')
	if colon < 0 {
		return
	}
	from := key + colon + 1
	d := json.NewDecoder(bytes.NewReader(p.text[from:]))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return
		}
		end := from + int(d.InputOffset())
		member, _ := name.(string)
		p.add(member, max(bytes.LastIndexByte(p.text[:end-1], '"'), key))
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return
		}
		if member == "stages" {
			p.elements(member, from+int(d.InputOffset())-len(value), value)
		}
	}
}

// elements adds the elements of an array at an offset.
func (p *placer) elements(name string, from int, array []byte) {
	d := json.NewDecoder(bytes.NewReader(array))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return
	}
	for i := 0; d.More() && len(p.out) < maxPlaces; i++ {
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return
		}
		p.add(fmt.Sprintf("%s[%d]", name, i), from+int(d.InputOffset())-len(value))
	}
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
