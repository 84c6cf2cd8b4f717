package pass

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

var update = flag.Bool("update", false, "rewrite the .out sections of testdata")

const formHead = `program "p" compute
subgroup 16
local 16 1 1
shared 256
in localindex i32 0
res storage 0 0 count 1
res storage 0 1 count 1
res storage 0 2 count 1 restrict
res storage 0 3 count 1 nonwritable
var "a" 4 -1
var "b" 4 -1
var "d" 2 1

`

// TestForms runs each pass on the programs of testdata/NAME.txtar: X.in must become
// X.out. With -update it rewrites X.out, for review.
func TestForms(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		i := slices.IndexFunc(Passes, func(p Pass) bool { return p.Name == name })
		if i < 0 {
			t.Errorf("no pass has the name %s", name)
			continue
		}
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		done := &txtar.Archive{Comment: a.Comment}
		for k, f := range a.Files {
			label, in := strings.CutSuffix(f.Name, ".in")
			if !in {
				continue
			}
			got := form(t, name+"/"+label, Passes[i], string(f.Data))
			done.Files = append(done.Files, f, txtar.File{Name: label + ".out", Data: []byte(got)})
			if *update {
				continue
			}
			if k+1 == len(a.Files) || a.Files[k+1].Name != label+".out" || string(a.Files[k+1].Data) != got {
				t.Errorf("%s/%s yields\n%s", name, label, got)
			}
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(done), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// form runs the pass on a text and returns the result: functions if the text begins
// with one, else the body of the only function.
func form(t *testing.T, name string, x Pass, text string) string {
	t.Helper()
	whole := strings.HasPrefix(text, "func ")
	if !whole {
		text = "func \"main\"() L1 {\n" + text + "}\n"
	}
	p, err := ir.Parse(formHead + text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := p.Verify(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	x.Run(p)
	if err := p.Verify(); err != nil {
		t.Errorf("%s: %v\n%s", name, err, p)
	}
	_, got, _ := strings.Cut(p.String(), "\nfunc ")
	got = "func " + strings.ReplaceAll(strings.ReplaceAll(got, "\t", ""), "\n\n", "\n")
	if !whole {
		got = strings.TrimSuffix(strings.TrimPrefix(got, "func \"main\"() L1 {\n"), "}\n")
	}
	return got
}
