package fossil

import (
	"maps"
	"testing"
)

// TestPosition tests the positions of the objects of a document, and hostile documents.
func TestPosition(t *testing.T) {
	s, err := Parse([]byte(`{"version": 6,
 "other": {"0000000000000006": {}},
 "graphicsPipelines": {
   "0000000000000006": {"flags": 0, "stages":
     [ {"stage": 1},
       {"stage": 16}], "layout": "7"},
  "a": {"stages": []}, "b": {}
 },
 "computePipelines": {"6": {}}
}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ref          Ref
		line, column int
	}{
		{Ref{GraphicsPipeline, 6}, 4, 4},
		{Ref{GraphicsPipeline, 0xa}, 7, 3},
		{Ref{GraphicsPipeline, 0xb}, 7, 24},
		{Ref{ComputePipeline, 6}, 9, 23},
		{Ref{ComputePipeline, 7}, 0, 0},
	} {
		if at := s.Places(c.ref)[""]; at.Line != c.line || at.Column != c.column {
			t.Errorf("%s is at %v; must be at %d:%d", c.ref, at, c.line, c.column)
		}
	}
	want := map[string]Place{"": {4, 4}, "flags": {4, 25}, "stages": {4, 37}, "stages[0]": {5, 8}, "stages[1]": {6, 8}, "layout": {6, 24}}
	if got := s.Places(Ref{GraphicsPipeline, 6}); !maps.Equal(got, want) {
		t.Errorf("places %v; want %v", got, want)
	}
	for _, text := range []string{"", "[", `{"graphicsPipelines"`, `{"graphicsPipelines": [`, `{"graphicsPipelines": {"6"`, `{"graphicsPipelines": 3, "x"`, "\x00"} {
		if n := len(places([]byte(text))); n > 1 {
			t.Errorf("%q has %d objects", text, n)
		}
	}
}
