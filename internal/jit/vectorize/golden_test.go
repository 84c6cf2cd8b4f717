package vectorize_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

var update = flag.Bool("update", false, "rewrite the vcode sections of testdata")

// TestForms pins the vcode of small programs: "ir" is the program, "vcode" its code for strips. Package jit
// tests the results.
func TestForms(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			form(t, file, a, func(p *ir.Program, form vcode.Form) []*vcode.Func {
				order := make([]int, len(p.Funcs))
				for i := range order {
					order[i] = i
				}
				return vectorize.Program(p, form, order)
			})
		})
	}
}

// TestPartMajorForms is TestForms for part-major code.
func TestPartMajorForms(t *testing.T) {
	const file = "testdata/partmajor/saxpy.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	form(t, file, a, func(p *ir.Program, form vcode.Form) []*vcode.Func {
		return vectorize.PartMajor(p, form)[:1]
	})
}

// TestWorkgroupForms is TestForms for a workgroup as one stream.
func TestWorkgroupForms(t *testing.T) {
	const file = "testdata/workgroup/prefixsum.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	form(t, file, a, func(p *ir.Program, form vcode.Form) []*vcode.Func {
		f, _, ok := vectorize.Workgroup(p, form)
		if !ok {
			t.Fatal("not one stream")
		}
		return []*vcode.Func{f}
	})
}

func form(t *testing.T, file string, a *txtar.Archive, made func(*ir.Program, vcode.Form) []*vcode.Func) {
	p, err := ir.Parse(string(a.Files[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Verify(); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, f := range made(p, vcode.Form{Lanes: 16}) {
		got += f.String()
	}
	if *update {
		a.Files = append(a.Files[:1], txtar.File{Name: "vcode", Data: []byte(got)})
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(a.Files) < 2 || string(a.Files[1].Data) != got {
		t.Errorf("got\n%s", got)
	}
}
