package iface_test

import (
	"archive/tar"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// corpus returns real modules of many compilers.
func corpus(t testing.TB) map[string][]byte {
	const name = "../../shared/corpus/spv/dev.tar.xz"
	if _, err := os.Stat(name); err != nil {
		t.Skip("no corpus at", name)
	}
	cmd := exec.Command("xz", "-dc", name)
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		t.Skip("cannot unpack the corpus:", err)
	}
	modules := map[string][]byte{}
	for r := tar.NewReader(out); ; {
		h, err := r.Next()
		if err != nil {
			break
		}
		if strings.HasSuffix(h.Name, ".spv") {
			if modules[h.Name], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Skip("cannot unpack the corpus:", err)
	}
	return modules
}

// reflectBytes reflects a module from its bytes, and returns how many entry points
// and variables it has.
func reflectBytes(data []byte) (entries, variables int) {
	m, err := spirv.Decode(data)
	if err != nil {
		return 0, 0
	}
	for _, e := range iface.Reflect(valid.Assume(facts.Gather(m, nil))) {
		entries, variables = entries+1, variables+len(e.Inputs)+len(e.Outputs)+len(e.Resources)
	}
	return entries, variables
}

// TestCorpus reflects real modules: none may
// panic.
func TestCorpus(t *testing.T) {
	all := corpus(t)
	entries, variables, name := 0, 0, ""
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%s: %v", name, r)
		}
	}()
	var data []byte
	for name, data = range all {
		e, v := reflectBytes(data)
		entries, variables = entries+e, variables+v
	}
	t.Logf("%d modules, %d entry points, %d inputs, outputs and resources", len(all), entries, variables)
	if entries < len(all)/2 {
		t.Errorf("%d entry points in %d modules; must be more", entries, len(all))
	}
}
