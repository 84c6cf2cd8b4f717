package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// pointSizeFamily checks that a shader that writes PointSize writes it on every
// path. With the feature maintenance5, a shader that never writes PointSize has the
// size 1 (Vulkan, Runtime SPIR-V Validation).
var pointSizeFamily = family{
	rules: []Rule{
		{Code: vuid.RuntimeSpirv_maintenance5_09190, Section: runtimeSection, Words: "with the feature maintenance5, a shader that writes PointSize writes it on every path to its end", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maintenance5_10934, Section: runtimeSection, Words: "with the feature maintenance5, a geometry shader that writes PointSize writes it for every vertex", Need: NeedDevice},
	},
	after: []func(*checker){(*checker).pointSizeWays},
}

// pointSizeWays checks the entry points whose stage can be the last one before
// rasterization.
func (c *checker) pointSizeWays() {
	if !c.vulkan || len(c.builtIn.noted) == 0 {
		return
	}
	budget := maxCallers
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		if e.Func == nil || modelOf(e.Model)&(inVertex|inTessellationEvaluation|inGeometry) == 0 || budget <= 0 {
			continue
		}
		budget -= len(c.m.Functions) + e.Func.End - e.Func.Index
		code := vuid.RuntimeSpirv_maintenance5_09190
		if e.Model == spirv.ExecutionModelGeometry {
			code = vuid.RuntimeSpirv_maintenance5_10934
		}
		w := &pointSizeWalk{checker: c, entry: e, rule: code, writes: make([]bool, len(c.m.Functions))}
		if !w.written() {
			continue
		}
		if on, known := c.env.Device.feature("maintenance5"); !known {
			c.unknown(code)
		} else if on {
			w.function(e.Func)
		}
	}
}

// pointSizeWalk is the search for a path without a write, in one entry point.
type pointSizeWalk struct {
	checker *checker
	entry   *facts.EntryPoint
	rule    string
	writes  []bool // by function number: it or a callee may write PointSize
}

// written finds out which functions of the entry point may write PointSize, and
// returns whether any does.
func (w *pointSizeWalk) written() bool {
	tree := w.checker.m.CallTree(w.entry)
	for n := len(tree) - 1; n >= 0; n-- { // callees before their callers
		f := tree[n]
		for _, g := range f.Calls {
			w.writes[f.Number] = w.writes[f.Number] || w.writes[g.Number]
		}
		for i := f.Index; i < f.End && !w.writes[f.Number]; i++ {
			w.writes[f.Number] = w.store(w.checker.code.Inst(i))
		}
	}
	return w.writes[w.entry.Func.Number]
}

// store reports whether an instruction writes PointSize, or a block that has it as
// a whole.
func (w *pointSizeWalk) store(in spirv.Inst) bool {
	switch in.Op() {
	case spirv.OpStore, spirv.OpCopyMemory, spirv.OpCopyMemorySized:
	default:
		return false
	}
	pointer := spirv.ID(in[1])
	v := w.checker.origin(pointer)
	if v == nil || v.Storage != spirv.StorageClassOutput {
		return false
	}
	if b, ok := w.checker.m.BuiltIn(v.ID); ok {
		return b == spirv.BuiltInPointSize
	}
	if !w.checker.holdsBuiltIn(v, spirv.BuiltInPointSize) {
		return false
	}
	h := chainOf(w.checker.code.DefInst(pointer))
	if h.base != v.ID || len(h.path) == 0 {
		return true // the whole block, or an index that is not known
	}
	n, ok := w.checker.whole(h.path[0])
	b, named := w.checker.m.MemberBuiltIn(core(v.Type).ID, int(n))
	return !ok || named && b == spirv.BuiltInPointSize
}

// function checks the ways through the entry point's function: whether one comes to
// its end, or to a vertex that is emitted, without a write.
func (w *pointSizeWalk) function(f *facts.Function) {
	seen := make([]bool, len(f.Blocks)) // a path without a write leads to the start of the block
	var todo []*facts.Block
	come := func(b *facts.Block) {
		if !seen[b.Number] {
			seen[b.Number] = true
			todo = append(todo, b)
		}
	}
	if b := f.Entry(); b != nil {
		come(b)
	}
	for n := range f.Blocks {
		b := &f.Blocks[n]
		if !b.Reachable {
			continue
		}
		on, told := w.block(b, false)
		if told {
			return
		}
		for _, to := range b.Succs {
			if on { // a vertex was emitted and nothing written since
				come(to)
			}
		}
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		on, told := w.block(b, true)
		if told {
			return
		}
		for _, to := range b.Succs {
			if on {
				come(to)
			}
		}
	}
}

// block walks through a block; bare means that a path without a write leads to its
// start. It returns whether such a path leads to its end, and whether it has
// reported a fault.
func (w *pointSizeWalk) block(b *facts.Block, bare bool) (on, told bool) {
	for i := b.Index; i < b.End; i++ {
		in := w.checker.code.Inst(i)
		switch op := in.Op(); op {
		case spirv.OpFunctionCall:
			if g := w.checker.m.Function(inst.FunctionCall(in).Function()); g != nil && w.writes[g.Number] {
				bare = false
			}
		case spirv.OpEmitVertex, spirv.OpEmitStreamVertex:
			if bare {
				return false, w.fault(i, "the vertex is emitted")
			}
			bare = true
		case spirv.OpReturn:
			if bare && w.entry.Model != spirv.ExecutionModelGeometry {
				return false, w.fault(i, "the shader ends")
			}
		default:
			if w.store(in) {
				bare = false
			}
		}
	}
	return bare, false
}

func (w *pointSizeWalk) fault(i int, what string) bool {
	w.checker.fail(i, w.rule, "%s on a path that does not write PointSize, which the shader writes on others; must write it on all", what).also(w.checker, w.entry.Index, "the entry point")
	return true
}
