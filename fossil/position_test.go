package fossil

import "testing"

// TestPosition tests the positions of the objects of a document, and hostile documents.
func TestPosition(t *testing.T) {
	s, err := Parse([]byte(`{"version": 6,
 "other": {"0000000000000006": {}},
 "graphicsPipelines": {
   "0000000000000006": {"flags": 0},
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
		{Ref{GraphicsPipeline, 0xa}, 5, 3},
		{Ref{GraphicsPipeline, 0xb}, 5, 24},
		{Ref{ComputePipeline, 6}, 7, 23},
		{Ref{ComputePipeline, 7}, 0, 0},
	} {
		if line, column := s.Position(c.ref); line != c.line || column != c.column {
			t.Errorf("%s is at %d:%d; must be at %d:%d", c.ref, line, column, c.line, c.column)
		}
	}
	for _, text := range []string{"", "[", `{"graphicsPipelines"`, `{"graphicsPipelines": [`, `{"graphicsPipelines": {"6"`, `{"graphicsPipelines": 3, "x"`, "\x00"} {
		if n := len(places([]byte(text))); n > 1 {
			t.Errorf("%q has %d objects", text, n)
		}
	}
}
