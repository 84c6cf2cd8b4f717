package vectorize_test

import (
	"flag"
	"fmt"
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
		f, _, _, ok := vectorize.Workgroup(p, form)
		if !ok {
			t.Fatal("not one stream")
		}
		return []*vcode.Func{f}
	})
}

// TestWorkgroupRows: rows of adjacent words of workgroup memory are known to be in range. Words with a distance are not, although each is:
// after the last one, at the end of the memory here, code for them may load another one.
func TestWorkgroupRows(t *testing.T) {
	for stride, want := range map[uint32]bool{4: true, 8: false} {
		p, err := ir.Parse(fmt.Sprintf(`program "rows" compute
subgroup 16
local 32 1 1
shared %d
in local.x i32 0
in global.x i32 0
res storage 0 0 count 1
effects barrier writes

func "main"() L1 {
	v1 = in.i32 #0
	v2 = in.i32 #1
	v3 = wg
	v4 = res 0:i32, #0
	v5 = at 0:i32, v1, #%d
	st.i32 v3, v5, v2, #0
	barrier
	v6 = ld.i32 v3, v5, #0
	v7 = at 0:i32, v2, #4
	st.i32 v4, v7, v6, #0
}
`, 31*stride+4, stride))
		if err != nil {
			t.Fatal(err)
		}
		f, _, _, ok := vectorize.Workgroup(p, vcode.Form{Lanes: 8, Vectors: 15, VectorMasks: true})
		if !ok {
			t.Fatal("not one stream")
		}
		rows := 0
		f.Each(func(in *vcode.Inst) {
			if in.Op != vcode.StridedLoad && in.Op != vcode.StridedStore {
				return
			}
			if main := p.Funcs[0]; main.Val(main.Val(in.Value).Args[0]).Op != ir.Wg {
				return
			}
			if rows++; in.Proven != want {
				t.Errorf("distance %d: an access is proven to be in range: %t; must be %t", stride, in.Proven, want)
			}
		})
		if rows == 0 {
			t.Errorf("distance %d: there are no rows", stride)
		}
	}
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
	for _, f := range made(p, vcode.Form{Lanes: 16, QuadSides: true}) {
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
