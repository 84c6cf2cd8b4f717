package amber

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
)

// bothEngines are the interpreter and, if the machine supports it, the JIT.
func bothEngines() []exec.Engine {
	if _, err := amd64.Choose(amd64.Best); err != nil {
		return []exec.Engine{interp.Engine{}}
	}
	return []exec.Engine{interp.Engine{}, jit.Engine{}}
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
