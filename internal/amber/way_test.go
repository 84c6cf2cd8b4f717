package amber

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// TestWays runs scripts with pipelines that are made in every way: they pass with the same contents of all buffers.
// CHIARO_LONG has all scripts.
func TestWays(t *testing.T) {
	names := []string{"dispatch", "state", "fixedstate"}
	if os.Getenv("CHIARO_LONG") != "" {
		files, err := filepath.Glob("testdata/*.amber")
		if err != nil {
			t.Fatal(err)
		}
		names = nil
		for _, f := range files {
			names = append(names, filepath.Base(f[:len(f)-len(".amber")]))
		}
	}
	for _, name := range names {
		file := filepath.Join("testdata", name+".amber")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]string
		for way := Whole; way <= Binaries; way++ {
			s, err := Parse(file, text, nil)
			if err != nil {
				t.Fatal(err)
			}
			r := Run(context.Background(), s, Options{Engine: bothEngines()[0], Digest: true, Way: way})
			if r.Status != Pass {
				t.Errorf("%s, way %d: %s: %s", name, way, r.Status, r.Message)
			}
			if want == nil {
				want = r.Digests
			}
			if !maps.Equal(r.Digests, want) {
				t.Errorf("%s, way %d: other contents", name, way)
			}
		}
	}
}
