package lower

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

var update = flag.Bool("update", false, "rewrite the ir and error sections of testdata; never what a program must do")

// TestGolden lowers the module of each case and compares the sections that it
// has: ir is the program, error the text of the error, run what the program
// must do to buffers, by the specification (see runCase). The other modules of a case are
// the shaders of a ray tracing pipeline, and trace is the run of it (see runTrace). Or the shaders are nodes, and graph is the run of their graph (see runGraph). Clusters are those that a cluster culling shader emits (see runClusters).
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, file)
		})
	}
}

func golden(t *testing.T, file string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var source []byte
	var shaders [][]byte // of a ray tracing pipeline, or of an execution graph
	changed := false
	for i := range a.Files {
		s := &a.Files[i]
		switch s.Name {
		case "in.spvasm":
			source = s.Data
		case "ir":
			p := lowered(t, source, nil, Options{})
			changed = compare(t, s, p.String()) || changed
		case "error":
			_, err := stage(t, source, nil, Options{})
			changed = compare(t, s, fmt.Sprintln(err)) || changed
		default:
			switch {
			case strings.HasSuffix(s.Name, ".spvasm"):
				shaders = append(shaders, s.Data)
			case strings.HasPrefix(s.Name, "trace"):
				runTrace(t, shaders, string(s.Data))
			case strings.HasPrefix(s.Name, "graph"):
				runGraph(t, shaders, string(s.Data))
			case strings.HasPrefix(s.Name, "clusters"):
				runClusters(t, source, string(s.Data))
			case strings.HasPrefix(s.Name, "run"):
				runCase(t, source, string(s.Data))
			default:
				t.Fatalf("section %q", s.Name)
			}
		}
	}
	if changed {
		if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// compare holds a section against what came out, and with -update takes it.
func compare(t *testing.T, s *txtar.File, got string) (changed bool) {
	t.Helper()
	if string(s.Data) == got {
		return false
	}
	if *update {
		s.Data = []byte(got)
		return true
	}
	t.Errorf("%s:\n%s\nwant:\n%s", s.Name, got, s.Data)
	return false
}

// stage assembles and lowers the first entry point of a text.
func stage(t *testing.T, source []byte, spec facts.Spec, o Options) (*ir.Program, error) {
	t.Helper()
	m := asmtest.Module(t, source, spirv.Version16)
	v := valid.Assume(facts.Gather(m, spec))
	if len(v.Facts().EntryPoints) == 0 {
		t.Fatal("no entry point")
	}
	return Stage(v, &v.Facts().EntryPoints[0], o)
}

func lowered(t *testing.T, source []byte, spec facts.Spec, o Options) *ir.Program {
	t.Helper()
	p, err := stage(t, source, spec, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// looped is passed with loops over the components of cooperative matrices.
func looped(t *testing.T, source []byte, spec facts.Spec, o Options) *ir.Program {
	o.looped = true
	return passed(t, source, spec, o)
}

// passed is lowered after all passes.
func passed(t *testing.T, source []byte, spec facts.Spec, o Options) *ir.Program {
	p := lowered(t, source, spec, o)
	pass.Run(p)
	return p
}
