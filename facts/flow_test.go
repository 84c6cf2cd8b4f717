package facts

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// body wraps blocks into a module with one function.
func body(blocks string) string {
	return `
%void = OpTypeVoid
%bool = OpTypeBool
%int = OpTypeInt 32 1
%fn = OpTypeFunction %void
%c = OpConstantTrue %bool
%n = OpConstant %int 1
%f = OpFunction %void None %fn
` + blocks + `
OpFunctionEnd
`
}

// loops is two nested loops; the inner one has an if with an early break, the
// outer one ends in a switch with a first case that falls through.
var loops = body(`
%entry = OpLabel
OpBranch %outer
%outer = OpLabel
OpLoopMerge %outmerge %outcont None
OpBranch %outbody
%outbody = OpLabel
OpBranch %inner
%inner = OpLabel
OpLoopMerge %inmerge %incont None
OpBranchConditional %c %inbody %inmerge
%inbody = OpLabel
OpSelectionMerge %ifmerge None
OpBranchConditional %c %then %ifmerge
%then = OpLabel
OpBranch %inmerge
%ifmerge = OpLabel
OpBranch %incont
%incont = OpLabel
OpBranch %inner
%inmerge = OpLabel
OpSelectionMerge %swmerge None
OpSwitch %n %swmerge 1 %case1 2 %case2 3 %case2 4 %outmerge
%case1 = OpLabel
OpBranch %case2
%case2 = OpLabel
OpBranch %swmerge
%swmerge = OpLabel
OpBranch %outcont
%outcont = OpLabel
OpBranchConditional %c %outer %outmerge
%outmerge = OpLabel
OpReturn
%lost = OpLabel
OpBranch %outmerge
`)

func blockNames(m *Module, list []*Block) string {
	var out []string
	for _, b := range list {
		out = append(out, blockName(m, b))
	}
	return strings.Join(out, " ")
}

func TestEdges(t *testing.T) {
	m := gather(t, loops, nil)
	for _, c := range []struct{ block, succs, preds, idom string }{
		{"entry", "outer", "", "-"},
		{"outer", "outbody", "entry outcont", "entry"},
		{"inner", "inbody inmerge", "outbody incont", "outbody"},
		{"inbody", "then ifmerge", "inner", "inner"},
		{"incont", "inner", "ifmerge", "ifmerge"},
		{"inmerge", "swmerge case1 case2 outmerge", "inner then", "inner"},
		{"case2", "swmerge", "inmerge case1", "inmerge"},
		{"swmerge", "outcont", "inmerge case2", "inmerge"},
		{"outmerge", "", "inmerge outcont lost", "inmerge"},
		{"lost", "outmerge", "", "-"},
	} {
		b := m.block(c.block)
		got := [3]string{blockNames(m.Module, b.Succs), blockNames(m.Module, b.Preds), m.name(b.Idom())}
		if got != [3]string{c.succs, c.preds, c.idom} {
			t.Errorf("%s: %q, want %v", c.block, got, c)
		}
		if b.Reachable != (c.block != "lost") {
			t.Errorf("%s: reachable is %v", c.block, b.Reachable)
		}
	}
	if b := m.block("outer"); b.MergeBlock != m.block("outmerge") || b.Continue != m.block("outcont") || !b.IsLoopHeader() {
		t.Errorf("loop header: %+v", b)
	}
	if b := m.block("inmerge"); b.MergeBlock != m.block("swmerge") || b.Continue != nil {
		t.Errorf("selection header: %+v", b)
	}
}

func TestSwitch(t *testing.T) {
	m := gather(t, loops, nil)
	deflt, cases, ok := m.Switch(m.block("inmerge"))
	if !ok || deflt != m.block("swmerge") || len(cases) != 4 {
		t.Fatalf("%v %v %v", deflt, cases, ok)
	}
	for i, want := range []string{"case1", "case2", "case2", "outmerge"} {
		if cases[i].Value != uint64(i+1) || m.name(cases[i].Target) != want {
			t.Errorf("case %d: %d to %s", i, cases[i].Value, m.name(cases[i].Target))
		}
	}
	if _, _, ok := m.Switch(m.block("entry")); ok {
		t.Error("a branch is no switch")
	}
	for _, c := range []struct {
		bits    int
		literal string
		want    uint64
	}{{64, "0x123456789ab", 0x123456789ab}, {16, "-1", 0xffff}, {8, "-128", 0x80}, {32, "-1", 0xffffffff}} {
		m := gather(t, fmt.Sprintf(`
%%void = OpTypeVoid
%%int = OpTypeInt %d 1
%%fn = OpTypeFunction %%void
%%n = OpConstant %%int 1
%%f = OpFunction %%void None %%fn
%%a = OpLabel
OpSwitch %%n %%b %s %%b
%%b = OpLabel
OpReturn
OpFunctionEnd`, c.bits, c.literal), nil)
		if _, cases, _ := m.Switch(m.block("a")); len(cases) != 1 || cases[0].Value != c.want {
			t.Errorf("%d bits, %s: %v", c.bits, c.literal, cases)
		}
	}
}

// TestConstructs checks the innermost construct of each block and the
// constructs around it against the definitions of SPIR-V §2.11.2.
func TestConstructs(t *testing.T) {
	m := gather(t, loops, nil)
	for block, want := range map[string]string{
		"entry":    "",
		"outer":    "loop(outer)",
		"outbody":  "loop(outer)",
		"inner":    "loop(inner) loop(outer)",
		"inbody":   "selection(inbody) loop(inner) loop(outer)",
		"then":     "selection(inbody) loop(inner) loop(outer)",
		"ifmerge":  "loop(inner) loop(outer)",
		"incont":   "continue(inner) loop(outer)",
		"inmerge":  "selection(inmerge) loop(outer)",
		"case1":    "case(inmerge) selection(inmerge) loop(outer)",
		"case2":    "case(inmerge) selection(inmerge) loop(outer)",
		"swmerge":  "loop(outer)",
		"outcont":  "continue(outer)",
		"outmerge": "",
		"lost":     "",
	} {
		var got []string
		for c := m.block(block).Construct; c != nil; c = c.Parent {
			got = append(got, fmt.Sprintf("%v(%s)", c.Kind, m.name(c.Header)))
			if !c.Contains(m.block(block)) {
				t.Errorf("%s: not in its %v construct", block, c.Kind)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %q, want %q", block, s, want)
		}
	}
	c := m.block("case1").Construct
	if c.Entry != m.block("case1") || c.Merge != m.block("swmerge") || c.Contains(m.block("case2")) {
		t.Errorf("case construct: %+v", c)
	}
	k := m.block("outcont").Construct
	if k.Back != m.block("outcont") || k.Merge != m.block("outmerge") {
		t.Errorf("continue construct: %+v", k)
	}
}

// TestLoopOfOneBlock: such a loop is its own continue construct.
func TestLoopOfOneBlock(t *testing.T) {
	m := gather(t, body(`
%entry = OpLabel
OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %loop None
OpBranchConditional %c %loop %merge
%merge = OpLabel
OpReturn`), nil)
	c := m.block("loop").Construct
	if c == nil || c.Kind != ContinuePart || c.Back != m.block("loop") || c.Parent != nil {
		t.Errorf("construct of the block: %+v", c)
	}
	if m.block("merge").Construct != nil {
		t.Error("the merge block is outside")
	}
}

// TestStructuralDominance: a continue target without predecessors is
// structurally dominated by its header.
func TestStructuralDominance(t *testing.T) {
	m := gather(t, body(`
%entry = OpLabel
OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %cont None
OpBranch %body
%body = OpLabel
OpReturn
%cont = OpLabel
OpBranch %loop
%merge = OpLabel
OpUnreachable`), nil)
	loop, cont, merge := m.block("loop"), m.block("cont"), m.block("merge")
	if Dominates(loop, cont) || cont.Reachable || merge.Reachable {
		t.Error("nothing leads to the continue target")
	}
	if !StructurallyDominates(loop, cont) || !StructurallyDominates(loop, merge) || cont.StructuralIdom() != loop {
		t.Error("the header leads to continue target and merge block, structurally")
	}
	if StructurallyPostDominates(merge, loop) || !StructurallyPostDominates(loop, cont) {
		t.Error("structural post-dominance")
	}
	if !Dominates(cont, cont) || Dominates(cont, merge) {
		t.Error("a block that cannot be reached dominates itself alone")
	}
}

// TestDominators compares with the definition: a dominates b if every path to b
// contains a.
func TestDominators(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var d dominators // one for all graphs, to test the reuse of its scratch memory
	for round := range 300 {
		n := 1 + r.Intn(12)
		var edges [][2]int32
		for range r.Intn(3 * n) {
			edges = append(edges, [2]int32{int32(r.Intn(n)), int32(r.Intn(n))})
		}
		f := &Function{Blocks: make([]Block, n)}
		for i := range f.Blocks {
			f.Blocks[i].Number, f.Blocks[i].Func = i, f
		}
		d.tree(f, n, edges, 0, func(b *Block) *node { return &b.dom })
		all := reach(n, edges, -1)
		for a := range n {
			without := reach(n, edges, a)
			for b := range n {
				want := a == b || all[a] && all[b] && !without[b]
				if got := Dominates(&f.Blocks[a], &f.Blocks[b]); got != want {
					t.Fatalf("round %d: %d dominates %d: %v, edges %v", round, a, b, got, edges)
				}
			}
			if up := f.Blocks[a].Idom(); up != nil && (up == &f.Blocks[a] || !Dominates(up, &f.Blocks[a])) {
				t.Fatalf("round %d: %d is the closest dominator of %d", round, up.Number, a)
			}
		}
	}
}

// reach returns the nodes that are reachable from node 0 without a node.
func reach(n int, edges [][2]int32, without int) []bool {
	seen := make([]bool, n)
	if without == 0 {
		return seen
	}
	seen[0] = true
	for changed := true; changed; {
		changed = false
		for _, e := range edges {
			if seen[e[0]] && !seen[e[1]] && int(e[1]) != without {
				seen[e[1]], changed = true, true
			}
		}
	}
	return seen
}
