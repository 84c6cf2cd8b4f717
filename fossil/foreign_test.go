package fossil_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/chiaro-gpu/chiaro/fossil"
)

// TestForeign reads archives that Mesa's shader cache wrote: of the same form,
// with entries that are no objects of Fossilize.
func TestForeign(t *testing.T) {
	for _, c := range []struct {
		file    string
		entries int
		name    string
		size    int
	}{
		{"testdata/mesa_index.foz", 6, "b296f58da4c85f04cde0dfa83bb40b7ca0b00eda", 8},
		{"testdata/mesa_entry.foz", 1, "6b4738881774ae6842653a9af754a32a113a6a66", 1757},
	} {
		data, err := os.ReadFile(c.file)
		if err != nil {
			t.Fatal(err)
		}
		a, err := fossil.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if a.Others != c.entries || len(a.Foreign) != c.entries || a.Foreign[0].Name != c.name || a.Cut != 0 || a.Version != 6 {
			t.Errorf("%s: version %d, %d foreign entries, cut at %d, the first %+v; must be 6, %d, 0, %s", c.file, a.Version, a.Others, a.Cut, a.Foreign[0], c.entries, c.name)
		}
		for _, f := range a.Foreign {
			if payload, err := a.Read(f.Entry); err != nil || len(payload) != c.size {
				t.Errorf("%s: %s: %d bytes, %v; must be %d", c.file, f.Name, len(payload), err, c.size)
			}
		}
		for tag := fossil.ApplicationInfo; tag <= fossil.RayTracingPipeline; tag++ {
			if n := len(a.Entries(tag)); n > 0 {
				t.Errorf("%s: %d objects are a %s; must be none", c.file, n, tag)
			}
		}
		for cut := 16; cut < len(data); cut++ { // an archive that ends anywhere
			a, err := fossil.Open(bytes.NewReader(data[:cut]), int64(cut))
			if err != nil || a.Others > c.entries || a.Cut == 0 && (cut-16)%64 != 0 && c.size == 8 {
				t.Fatalf("%s cut at %d: %v, %+v", c.file, cut, err, a)
			}
		}
	}
}

// TestApart reads a document with objects that are none: only these are faults.
func TestApart(t *testing.T) {
	s, err := fossil.Parse([]byte(`{"version":6,"setLayouts":{"2":{"bindings":[{"descriptorCount":4294967296}]},"3":{"bindings":[]}},
		"pipelineLayouts":{"4":{"setLayouts":["2"]},"5":{"setLayouts":["3"]},"6":[]},
		"computePipelines":{"7":{"layout":"4","stage":{"stage":32,"module":"9"}},"8":{"layout":"5","stage":{"stage":32,"module":"9"}},"a":{"layout":"6","stage":{"stage":32}},"b":{"pNext":[3]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for hash, want := range map[fossil.Hash]string{
		7:  "compute pipeline 0000000000000007: set layout 0000000000000002: bindings.descriptorCount: the number 4294967296; must be a whole number from 0 to 4294967295",
		8:  "",
		10: "compute pipeline 000000000000000a: pipeline layout 0000000000000006: an array; must be an object",
		11: "compute pipeline 000000000000000b: pNext: the number; must be an object",
	} {
		_, err := s.Pipeline(fossil.Ref{Tag: fossil.ComputePipeline, Hash: hash})
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && got != want {
			t.Errorf("%x: %s; must be %s", hash, got, want)
		}
	}
	for text, want := range map[string]string{
		`{"version":"x"}`:                    "version: a text; must be a whole number",
		`{"version":6,"computePipelines":3}`: "computePipelines: the number; must be an object",
		"{\n\"version\":":                    "at line 2, column 10: unexpected end of JSON input",
	} {
		if _, err := fossil.Parse([]byte(text)); fmt.Sprint(err) != want {
			t.Errorf("%s: %v; must be %s", text, err, want)
		}
	}
}
