package describe

import "testing"

// TestPositions tests the positions of the parts of a description.
func TestPositions(t *testing.T) {
	const text = `stages:
  vertex: v.spv
  fragment: {file: f.spv, mappings: [{set: 0}, {set: 1}]}
layout:
  sets:
    0:
      3: {type: sampler}
  push_constants:
    - {offset: 0, size: 4}
    - offset: 4
      size: 8
vertex_attributes:
  - {location: 0, format: R32_SFLOAT}
libraries:
  - rasterization: {discard: true}
    stages: {vertex: w.spv}
`
	p := NewPositions([]byte(text))
	for _, c := range []struct {
		path         string
		line, column int
	}{
		{"", 1, 1},
		{"stages.vertex", 2, 3},
		{"stages.fragment", 3, 3},
		{"stages.fragment.mappings[1]", 3, 48},
		{"layout.sets.0.3", 7, 7},
		{"layout.sets.0.4", 6, 5},
		{"layout.sets.7", 5, 3},
		{"layout.push_constants[0]", 9, 7},
		{"layout.push_constants[1]", 10, 7},
		{"vertex_input.attributes[0]", 13, 5},
		{"vertex_input", 12, 1},
		{"libraries[0].stages.vertex", 16, 14},
		{"libraries[0].rasterization.discard", 15, 21},
		{"multisample.samples", 1, 1},
	} {
		if line, column := p.At(c.path); line != c.line || column != c.column {
			t.Errorf("%q is at %d:%d; must be at %d:%d", c.path, line, column, c.line, c.column)
		}
	}
	if line, _ := NewPositions([]byte("a: [")).At("a"); line != 0 {
		t.Errorf("a text that is no description has line %d", line)
	}
}
