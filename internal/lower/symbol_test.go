package lower

import (
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// TestSymbols: scalars of a struct in private memory have slots in the order of its members, those of workgroup memory bytes, and a
// value has the registers of its components.
func TestSymbols(t *testing.T) {
	m, names := symbolModule(t)
	var s Symbols
	entry := &m.Facts().EntryPoints[0]
	if _, err := Stage(m, entry, Options{Symbols: &s}); err != nil {
		t.Fatal(err)
	}
	if s.Function(0) != entry.Func || s.Function(1) != nil || s.Function(-1) != nil {
		t.Error("function 0 alone is of the module")
	}
	offsets := func(name string, path ...uint64) (list []uint64) {
		_, places, err := s.Places(0, names[name], path...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, p := range places {
			list = append(list, p.Offset)
		}
		return list
	}
	for _, c := range []struct {
		name string
		path []uint64
		want []uint64
	}{
		{"local", nil, []uint64{0, 1, 2, 3, 5}}, // a vector of three floats, and an array of two doubles, of two slots each
		{"local", []uint64{0}, []uint64{0, 1, 2}}, {"local", []uint64{1, 1}, []uint64{5}}, {"shared", []uint64{2}, []uint64{8}},
	} {
		if got := offsets(c.name, c.path...); !slices.Equal(got, c.want) {
			t.Errorf("%s %v has offsets %v; must have %v", c.name, c.path, got, c.want)
		}
	}
	_, places, err := s.Places(0, names["sum"])
	if err != nil || len(places) != 3 || places[0].Kind != InRegister || places[0].Type != ir.F32 || places[0].Value == places[1].Value {
		t.Errorf("the sum has places %+v, %v; want three registers", places, err)
	}
	for _, path := range [][]uint64{{2}, {0, 3}, {1, 2}, {0, 0, 0}} {
		if _, _, err := s.Places(0, names["local"], path...); err == nil {
			t.Errorf("part %v of local has a place; there is none", path)
		}
	}
	if _, _, err := s.Places(0, spirv.ID(1<<20)); err == nil {
		t.Error("an id without a value has a place")
	}
}

// symbolModule returns a module, and its ids by name.
func symbolModule(t *testing.T) (*valid.Module, map[string]spirv.ID) {
	var names []string
	words, err := asm.Assemble([]byte(`OpCapability Shader
OpCapability Float64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %shared
OpExecutionMode %main LocalSize 4 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%uint = OpTypeInt 32 0
%two = OpConstant %uint 2
%four = OpConstant %uint 4
%vec = OpTypeVector %float 3
%pair = OpTypeArray %double %two
%mixed = OpTypeStruct %vec %pair
%words = OpTypeArray %uint %four
%pmixed = OpTypePointer Function %mixed
%pvec = OpTypePointer Function %vec
%pwords = OpTypePointer Workgroup %words
%zero = OpConstant %uint 0
%shared = OpVariable %pwords Workgroup
%none = OpConstantNull %words
%main = OpFunction %void None %fn
%label = OpLabel
%local = OpVariable %pmixed Function
%at = OpAccessChain %pvec %local %zero
%loaded = OpLoad %vec %at
%sum = OpFAdd %vec %loaded %loaded
OpStore %at %sum
OpStore %shared %none
OpReturn
OpFunctionEnd
`), asm.AssembleOptions{Version: spirv.Version16, Names: &names})
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.FromWords(words)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]spirv.ID{}
	for id, name := range names {
		ids[name] = spirv.ID(id)
	}
	return valid.Assume(facts.Gather(m, nil)), ids
}
