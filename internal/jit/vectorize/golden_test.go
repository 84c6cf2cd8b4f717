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
	defer vectorize.ForwardFrom(1)()
	for _, name := range []string{"prefixsum", "words", "checkedwords", "idle"} {
		file := "testdata/workgroup/" + name + ".txtar"
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		form(t, file, a, func(p *ir.Program, form vcode.Form) []*vcode.Func {
			list, _, _ := vectorize.Workgroup(p, form)
			if list == nil {
				t.Fatal("not one stream")
			}
			return list
		})
	}
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
		list, _, _ := vectorize.Workgroup(p, vcode.Form{Lanes: 8, Vectors: 15, VectorMasks: true})
		if list == nil {
			t.Fatal("not one stream")
		}
		f := list[0]
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

// TestItemParts: a phase that only reads memory, with a loop that carries more values than there are vectors, runs one part of a subgroup after
// the other, and counts the steps of each one: both end if memory changes meanwhile. With few values, a store, or resets of the budget, it does not.
func TestItemParts(t *testing.T) {
	for _, c := range []struct {
		values int
		stores bool
		resets string
		parts  int
	}{{8, false, "", 2}, {7, false, "", 1}, {8, true, "", 1}, {8, false, "barrier\n\tresetbudget", 1}} {
		var params, inits, next, sum strings.Builder
		for i := range c.values {
			fmt.Fprintf(&params, "vp%d f32 = vx, ", i)
			fmt.Fprintf(&next, "vn%d, ", i)
			fmt.Fprintf(&inits, "%svp%d", []string{"", ", "}[min(i, 1)], i)
			fmt.Fprintf(&sum, "\t\t\t\tvn%d = fadd.f32 vp%d, ve\n", i, i)
		}
		store := ""
		if c.stores {
			store = "\t\t\t\tst.f32 vs, vo, ve, #0\n"
		}
		var outs, stores strings.Builder
		for i := range c.values {
			fmt.Fprintf(&outs, "%svr%d f32", []string{"", ", "}[min(i, 1)], i)
			fmt.Fprintf(&stores, "\tst.f32 vw, vo, vr%d, #%d\n", i, 2048*i)
		}
		p, err := ir.Parse(fmt.Sprintf(`program "parts" compute
subgroup 16
local 512 1 1
shared 2048
in local.x i32 0
res storage 0 0 count 1
effects barrier writes

func "main"() L1 {
	vl = in.i32 #0
	vs = wg
	vw = res 0:i32, #0
	vo = at 0:i32, vl, #4
	vx = ld.f32 vw, vo, #0
	st.f32 vs, vo, vx, #0
	%s
	barrier
	block L2(%s) {
		loop L3(%svk i32 = 0:i32) {
			vc = ult.i32 vk, 64:i32
			if vc {
				va = at 0:i32, vk, #4
				ve = ld.f32 vs, va, #0
%s%s			} else {
				br L2(%s)
			}
			vj = add.i32 vk, 1:i32
			br L3(%svj)
		}
	}
	barrier
%s}
`, c.resets, outs.String(), params.String(), sum.String(), store, inits.String(), next.String(), stores.String()))
		if err != nil {
			t.Fatal(err)
		}
		list, _, _ := vectorize.Workgroup(p, vcode.Form{Lanes: 8, Vectors: 15, VectorMasks: true})
		if list == nil {
			t.Fatal("not one stream")
		}
		f := list[0]
		additions, loops, steps := 0, map[int]bool{}, 0
		for b := range f.Blocks {
			for _, in := range f.Blocks[b].Insts {
				switch {
				case in.Op == vcode.Lane && in.IR == ir.FAdd:
					additions++
					loops[b] = true
				case in.Op == vcode.Step:
					steps++
				}
			}
		}
		if additions != 2*c.values || len(loops) != c.parts || steps != c.parts {
			t.Errorf("%+v: %d additions in %d loops that count steps %d times", c, additions, len(loops), steps)
		}
	}
}
