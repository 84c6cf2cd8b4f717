package valid

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// TestParallel checks the same modules from several goroutines at once, as
// Check promises: with the same findings each time. The race detector watches.
func TestParallel(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	env, _ := ParseEnv("vulkan1.4")
	env.Device, _ = BuiltinDevice("min", Vulkan14)
	var all []*facts.Module
	for i := 0; i < len(files); i += 12 {
		text, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(text).Files {
			words, err := asm.Assemble(f.Data, asm.AssembleOptions{Version: env.SPIRV})
			if err != nil || !strings.HasSuffix(f.Name, ".spvasm") {
				continue
			}
			if m, err := spirv.FromWords(words); err == nil {
				all = append(all, facts.Gather(m, nil))
			}
		}
	}
	found := func(m *facts.Module) []string {
		r, err := Check(context.Background(), m, env, Options{})
		if err != nil {
			return []string{err.Error()}
		}
		var out []string
		for i := range r.Findings {
			out = append(out, r.Findings[i].Error())
		}
		return out
	}
	want := make([][]string, len(all))
	for i, m := range all {
		want[i] = found(m)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for i, m := range all {
				if got := found(m); !slices.Equal(got, want[i]) {
					t.Errorf("module %d: %v; must be %v", i, got, want[i])
				}
			}
		})
	}
	wait.Wait()
	if len(all) < 50 {
		t.Errorf("%d modules; must be 50 or more", len(all))
	}
}
