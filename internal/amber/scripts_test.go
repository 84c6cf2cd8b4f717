package amber

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// bothEngines are the interpreter and, if the machine supports it, the JIT.
func bothEngines() []exec.Engine {
	if _, err := jit.Choose(target.Best); err != nil {
		return []exec.Engine{interp.Engine{}}
	}
	return []exec.Engine{interp.Engine{}, jit.Engine{}}
}

// TestScriptsHaveExtensions: each key of STATE and each statement of draws that AmberScript lacks is in a script.
func TestScriptsHaveExtensions(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.amber")
	words := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range strings.Fields(string(text)) {
			words[w] = true
		}
	}
	want := []string{"BASE_VERTEX", "DRAW_INDEX", "DRAW_INDIRECT", "DRAW_BYTE_COUNT", "DRAW_MESH", "DRAW_MESH_INDIRECT", "DRAW_MESH_NV", "DRAW_MESH_NV_INDIRECT", "COUNT_BUFFER", "RENDER_PASS", "TRANSFORM_FEEDBACK", "COUNTER",
		"SHADING_RATE_ATTACHMENT", "LAYERS", "input_attachment", "VERTEX_INPUTS"}
	want = append(want, slices.Collect(maps.Keys(stateKeys))...)
	for _, k := range append(want, slices.Collect(maps.Keys(fixedKeys))...) {
		if !words[k] {
			t.Errorf("no script has %s", k)
		}
	}
}

// TestScripts runs the scripts of testdata, which expect values of the specification, with all engines.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.amber")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".amber"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Parse(file, text, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range bothEngines() {
				if r := Run(context.Background(), s, Options{Engine: e}); r.Status != Pass {
					t.Errorf("%s: %s: %s", e.Name(), r.Status, r.Message)
				}
			}
		})
	}
}
