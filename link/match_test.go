package link

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// shader is a stage with an interface that a test makes up.
func shader(t *testing.T, e iface.Entry) Shader {
	t.Helper()
	m, err := spirv.FromWords([]uint32{spirv.Magic, uint32(spirv.Version16), 0, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	return Shader{File: e.Model.String() + ".spv", Module: valid.Assume(facts.Gather(m, nil)), Entry: &e}
}

func vec(kind iface.Kind, width, rows int) iface.Type {
	return iface.Type{Kind: kind, Width: width, Rows: rows, Columns: 1}
}

// without are features that are known to be off.
var without = map[string]bool{"maintenance4": false}

// TestMatch tests the rules of Interface Matching: the outputs of a vertex stage, the
// inputs of a fragment stage, and the rule that this breaks, if any.
func TestMatch(t *testing.T) {
	f3, f2, f4 := vec(iface.Float, 32, 3), vec(iface.Float, 32, 2), vec(iface.Float, 32, 4)
	at := func(t iface.Type, location, component uint32) iface.Variable {
		return iface.Variable{Name: "v", Type: t, Location: location, Component: component, Slots: t.Slots()}
	}
	flat := func(v iface.Variable) iface.Variable { v.Flat = true; return v }
	patch := func(v iface.Variable) iface.Variable { v.Patch = true; return v }
	matrix := iface.Type{Kind: iface.Float, Width: 32, Rows: 3, Columns: 3}
	dvec4 := vec(iface.Float, 64, 4)
	array := iface.Type{Kind: iface.Float, Width: 32, Rows: 4, Columns: 1, Arrays: []uint64{3}}
	for _, c := range []struct {
		name    string
		out, in []iface.Variable
		code    string
	}{
		{"same", []iface.Variable{at(f3, 0, 0)}, []iface.Variable{at(f3, 0, 0)}, ""},
		{"unread output", []iface.Variable{at(f3, 0, 0), at(f4, 7, 0)}, []iface.Variable{at(f3, 0, 0)}, ""},
		{"unwritten input", []iface.Variable{at(f3, 0, 0)}, []iface.Variable{at(f3, 1, 0)}, vuid.RuntimeSpirv_OpEntryPoint_08743},
		{"no output at all", nil, []iface.Variable{at(f2, 0, 0)}, vuid.RuntimeSpirv_OpEntryPoint_08743},
		{"input longer than output", []iface.Variable{at(f2, 0, 0)}, []iface.Variable{at(f3, 0, 0)}, vuid.RuntimeSpirv_OpEntryPoint_08743},
		{"output longer than input, without maintenance4", []iface.Variable{at(f4, 0, 0)}, []iface.Variable{at(f3, 0, 0)}, vuid.RuntimeSpirv_maintenance4_06817},
		{"components apart", []iface.Variable{at(f2, 0, 0), at(f2, 0, 2)}, []iface.Variable{at(f2, 0, 2)}, ""},
		{"component that is not written", []iface.Variable{at(f2, 0, 0)}, []iface.Variable{at(f2, 0, 2)}, vuid.RuntimeSpirv_OpEntryPoint_08743},
		{"another kind", []iface.Variable{at(vec(iface.Int, 32, 1), 0, 0)}, []iface.Variable{at(vec(iface.Uint, 32, 1), 0, 0)}, vuid.RuntimeSpirv_OpEntryPoint_07754},
		{"another width", []iface.Variable{at(vec(iface.Float, 16, 4), 0, 0)}, []iface.Variable{at(f4, 0, 0)}, vuid.RuntimeSpirv_OpEntryPoint_07754},
		{"interpolation does not count", []iface.Variable{at(f4, 0, 0)}, []iface.Variable{flat(at(f4, 0, 0))}, ""},
		{"patch on one side", []iface.Variable{patch(at(f4, 0, 0))}, []iface.Variable{at(f4, 0, 0)}, vuid.RuntimeSpirv_OpVariable_08746},
		{"matrix as vectors", []iface.Variable{at(f3, 4, 0), at(f3, 5, 0), at(f3, 6, 0)}, []iface.Variable{at(matrix, 4, 0)}, "SPV-Interface-Type"},
		{"scalar of a vector", []iface.Variable{at(f2, 0, 0)}, []iface.Variable{at(vec(iface.Float, 32, 1), 0, 0)}, "SPV-Interface-Type"},
		{"scalar inside of a vector", []iface.Variable{at(f4, 0, 0)}, []iface.Variable{at(vec(iface.Float, 32, 1), 0, 2)}, "SPV-Interface-Type"},
		{"vector of two scalars", []iface.Variable{at(vec(iface.Float, 32, 1), 0, 0), at(vec(iface.Float, 32, 1), 0, 1)}, []iface.Variable{at(f2, 0, 0)}, "SPV-Interface-Type"},
		{"array longer than asked", []iface.Variable{at(array, 0, 0)}, []iface.Variable{at(f4, 0, 0)}, "SPV-Interface-Type"},
		{"matrix with a column missing", []iface.Variable{at(f3, 4, 0), at(f3, 6, 0)}, []iface.Variable{at(matrix, 4, 0)}, vuid.RuntimeSpirv_OpEntryPoint_08743},
		{"doubles take two locations", []iface.Variable{at(dvec4, 2, 0)}, []iface.Variable{at(dvec4, 2, 0)}, ""},
		{"doubles in half", []iface.Variable{at(vec(iface.Float, 64, 2), 2, 0)}, []iface.Variable{at(dvec4, 2, 0)}, vuid.RuntimeSpirv_OpEntryPoint_08743},
		{"array shorter than asked", []iface.Variable{at(f4, 0, 0), at(f4, 1, 0)}, []iface.Variable{at(array, 0, 0)}, vuid.RuntimeSpirv_OpEntryPoint_08743},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := Link(&Description{Device: &valid.Device{Features: without}, Stages: []Shader{
				shader(t, iface.Entry{Model: spirv.ExecutionModelFragment, Inputs: c.in}),
				shader(t, iface.Entry{Model: spirv.ExecutionModelVertex, Outputs: c.out}),
			}})
			switch {
			case c.code == "" && len(found) > 0:
				t.Errorf("found %s: %s; must be nothing", found[0].Code, found[0].Message)
			case c.code != "" && (len(found) != 1 || found[0].Code != c.code):
				t.Errorf("found %v; must be %s", found, c.code)
			}
		})
	}
}

// TestLongerOutput holds the feature maintenance4: known to be on, or not known,
// longer outputs are fine.
func TestLongerOutput(t *testing.T) {
	for _, k := range []map[string]bool{nil, {"maintenance4": true}} {
		found := Link(&Description{Device: &valid.Device{Features: k}, Stages: []Shader{
			shader(t, iface.Entry{Model: spirv.ExecutionModelVertex, Outputs: []iface.Variable{{Type: vec(iface.Float, 32, 4)}}}),
			shader(t, iface.Entry{Model: spirv.ExecutionModelFragment, Inputs: []iface.Variable{{Type: vec(iface.Float, 32, 2)}}}),
		}})
		if len(found) != 0 {
			t.Errorf("features %v: found %v; must be nothing", k, found)
		}
	}
}

// TestProperty makes interfaces that match, which must link, and then changes
// one thing of one input, which must be found.
func TestProperty(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 2000 {
		var vars []iface.Variable
		at := uint32(0)
		for range 1 + r.IntN(6) {
			k := vec(iface.Kind(int(iface.Int)+r.IntN(3)), 32, 1+r.IntN(4))
			if r.IntN(3) == 0 {
				k.Arrays = []uint64{uint64(1 + r.IntN(3))}
			}
			v := iface.Variable{Name: fmt.Sprintf("v%d", at), Type: k, Location: at, Slots: k.Slots()}
			vars = append(vars, v)
			at += uint32(k.Slots()) + uint32(r.IntN(2))
		}
		in := append([]iface.Variable(nil), vars...)
		d := &Description{Device: &valid.Device{Features: without}, Stages: []Shader{
			shader(t, iface.Entry{Model: spirv.ExecutionModelVertex, Outputs: vars}),
			shader(t, iface.Entry{Model: spirv.ExecutionModelFragment, Inputs: in}),
		}}
		if found := Link(d); len(found) != 0 {
			t.Fatalf("%d: a pair that matches: found %v", n, found)
		}
		x := &in[r.IntN(len(in))]
		what := ""
		switch r.IntN(4) {
		case 0:
			what, x.Location = "moved away", at+8
		case 1:
			what, x.Type.Kind = "another kind", iface.Int+(x.Type.Kind-iface.Int+1)%3
		case 2:
			what, x.Type.Width = "another width", 16
		case 3:
			what, x.PerPrimitive = "decorated PerPrimitiveEXT", true
		}
		if found := Link(d); len(found) == 0 {
			t.Fatalf("%d: %s: %v is not found", n, what, *x)
		}
	}
}

// TestWide links interfaces with more words than any device has.
func TestWide(t *testing.T) {
	wide := func() (list []iface.Variable) {
		for range 4096 {
			list = append(list, iface.Variable{Name: "v", Type: iface.Type{Kind: iface.Float, Width: 64, Rows: 4, Columns: 1, Arrays: []uint64{1 << 32, 1 << 32}}})
		}
		return list
	}
	none := []iface.Variable{{Name: "v", Type: iface.Type{Kind: iface.Float, Width: 32, Rows: 1, Columns: 1, Arrays: []uint64{0}}}}
	few := []iface.Variable{{Name: "v", Type: vec(iface.Float, 32, 4), Location: 1 << 31}}
	for _, in := range [][]iface.Variable{wide(), few, none} {
		for _, out := range [][]iface.Variable{wide(), few, none} {
			Link(&Description{Stages: []Shader{
				shader(t, iface.Entry{Model: spirv.ExecutionModelFragment, Inputs: in}), shader(t, iface.Entry{Model: spirv.ExecutionModelVertex, Outputs: out}),
			}})
		}
	}
}
