package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// meshOrderFamily checks that task and mesh shaders set their output counts, and
// that their writes are within the counts (Vulkan, Shader Validation).
var meshOrderFamily = family{
	rules: []Rule{
		{Code: vuid.StandaloneSpirv_MeshEXT_07106, Section: environment, Words: "a mesh shader calls OpSetMeshOutputsEXT before it writes an output"},
		{Code: vuid.RuntimeSpirv_MeshEXT_07118, Section: runtimeSection, Words: "a mesh shader calls OpSetMeshOutputsEXT at most once"},
		{Code: vuid.RuntimeSpirv_TaskEXT_07117, Section: runtimeSection, Words: "a task shader calls OpEmitMeshTasksEXT"},
		{Code: vuid.RuntimeSpirv_MeshEXT_12333, Section: runtimeSection, Words: "indices into per-primitive outputs are below the primitive count of OpSetMeshOutputsEXT"},
		{Code: vuid.RuntimeSpirv_MeshEXT_09218, Section: runtimeSection, Words: "a mesh shader with the output primitive points writes PointSize without the feature maintenance5", Need: NeedDevice},
		{Code: vuid.PrimitiveIndicesNV_04341, Section: builtInSection, Words: "the indices in PrimitiveIndicesNV are below OutputVertices"},
	},
	ops:   []group{{(*checker).primitiveChain, []spirv.Op{spirv.OpAccessChain, spirv.OpInBoundsAccessChain}}},
	insts: map[spirv.Op]judge{spirv.OpStore: (*checker).primitiveIndex},
	after: []func(*checker){(*checker).meshOrders},
}

// primitiveChain checks a constant index into an output that has one element for
// each primitive.
func (c *checker) primitiveChain(i int, in spirv.Inst) {
	if !c.vulkan || c.callerModels()&inMeshEXT == 0 || c.fn == nil {
		return
	}
	h := chainOf(in)
	v := c.m.Variable(h.base)
	if v == nil || v.Storage != spirv.StorageClassOutput || len(h.path) == 0 || c.indexArray(v) || !c.decorated(v, spirv.DecorationPerPrimitiveEXT) {
		return
	}
	n, ok := c.whole(h.path[0])
	if !ok {
		return
	}
	if out := c.meshOutputs(c.fn); out.hasPrimit && n >= out.primitives {
		c.fail(i, vuid.RuntimeSpirv_MeshEXT_12333, "element %d of %s; must be below %d, the number of primitives", n, c.name(v.ID), out.primitives).also(c, out.at, "OpSetMeshOutputsEXT")
	}
}

// primitiveIndex checks a constant that is written to the list of indices of
// NVIDIA's mesh shaders.
func (c *checker) primitiveIndex(i int, in spirv.Inst) {
	if !c.vulkan || c.callerModels()&inMeshNV == 0 {
		return
	}
	v := inst.Store(in)
	o := c.origin(v.Pointer())
	if o == nil {
		return
	}
	b, ok := c.m.BuiltIn(o.ID)
	n, known := c.whole(v.Object())
	if !ok || b != spirv.BuiltInPrimitiveIndicesNV || !known {
		return
	}
	for _, e := range c.callersOf(c.fn) {
		if m, ok := e.Mode(spirv.ExecutionModeOutputVertices); ok && len(m.Operands) > 0 && n >= uint64(m.Operands[0]) {
			c.fail(i, vuid.PrimitiveIndicesNV_04341, "the index %d is written to PrimitiveIndicesNV; must be below %d, the value of OutputVertices", n, m.Operands[0]).also(c, m.Index, "the mode")
			return
		}
	}
}

// pointSizes checks that points have a size if the device does not supply
// one.
func (c *checker) pointSizes(e *facts.EntryPoint) {
	const code = vuid.RuntimeSpirv_MeshEXT_09218
	if !e.HasMode(spirv.ExecutionModeOutputPoints) || c.feature(code, "maintenance5") {
		return
	}
	for _, v := range c.globals(e) {
		if v.Storage == spirv.StorageClassOutput && c.holdsBuiltIn(v, spirv.BuiltInPointSize) {
			return
		}
	}
	c.fail(e.Index, code, "the mesh shader has the mode OutputPoints and uses no PointSize; must write it or have the feature maintenance5")
}

// holdsBuiltIn reports whether a variable, or a member of its block, is a built-in.
func (c *checker) holdsBuiltIn(v *facts.Variable, want spirv.BuiltIn) bool {
	if b, ok := c.m.BuiltIn(v.ID); ok {
		return b == want
	}
	s := core(v.Type)
	if !s.IsStruct() {
		return false
	}
	for k := range s.Members {
		if b, ok := c.m.MemberBuiltIn(s.ID, k); ok && b == want {
			return true
		}
	}
	return false
}

// Two faults are warnings, because compilers in the field or their tests have them
// and devices accept them: outputs written before the counts are set, and counts
// set twice.

// meshOrders checks that mesh shaders set how much they put out before they put
// it out, and task shaders do so at all.
func (c *checker) meshOrders() {
	if !c.vulkan || !c.anyCapable(spirv.CapabilityMeshShadingEXT, spirv.CapabilityMeshShadingNV) {
		return
	}
	budget := maxCallers
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		if e.Func == nil || modelOf(e.Model)&(inMesh|inTaskEXT) == 0 || budget <= 0 {
			continue
		}
		budget -= len(c.m.Functions) + e.Func.End - e.Func.Index
		if modelOf(e.Model)&inMesh != 0 {
			c.pointSizes(e)
		}
		if e.Model != spirv.ExecutionModelMeshNV {
			c.meshOrder(e)
		}
	}
}

// meshCalls is which functions of a mesh shader set its outputs, and before which
// they may be set already.
type meshCalls struct {
	checker     *checker
	op          spirv.Op
	sets, after []bool // by function number. sets: it or a callee sets the counts; after: they may be set before it is called
}

// meshOrder checks one mesh shader: it writes an output only if
// OpSetMeshOutputsEXT may have been executed before.
func (c *checker) meshOrder(e *facts.EntryPoint) {
	tree := c.m.CallTree(e)
	op := spirv.OpSetMeshOutputsEXT
	if e.Model == spirv.ExecutionModelTaskEXT {
		op = spirv.OpEmitMeshTasksEXT
	}
	w := &meshCalls{checker: c, op: op, sets: make([]bool, len(c.m.Functions)), after: make([]bool, len(c.m.Functions))}
	for n := len(tree) - 1; n >= 0; n-- { // callees before their callers
		f := tree[n]
		for _, g := range f.Calls {
			w.sets[f.Number] = w.sets[f.Number] || w.sets[g.Number]
		}
		for i := f.Index; i < f.End && !w.sets[f.Number]; i++ {
			w.sets[f.Number] = c.code.Inst(i).Op() == op
		}
	}
	if e.Model == spirv.ExecutionModelTaskEXT {
		if !w.sets[e.Func.Number] {
			c.fail(e.Index, vuid.RuntimeSpirv_TaskEXT_07117, "the task shader does not call OpEmitMeshTasksEXT; must call it once").warn()
		}
		return
	}
	for _, f := range tree {
		w.function(f)
	}
}

// function checks a function whose callers have all been checked. It propagates
// from block to block whether the counts may be set.
func (w *meshCalls) function(f *facts.Function) {
	out := make([]bool, len(f.Blocks)) // by block number: the counts may be set at its end
	var todo []*facts.Block
	set := func(b *facts.Block) {
		if !out[b.Number] {
			out[b.Number] = true
			todo = append(todo, b)
		}
	}
	for n := range f.Blocks {
		if b := &f.Blocks[n]; n == 0 && w.after[f.Number] || w.setIn(b) {
			set(b)
		}
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, to := range b.Succs {
			set(to)
		}
	}
	w.once(f)
	for n := range f.Blocks {
		if b := &f.Blocks[n]; b.Reachable {
			w.block(b, w.before(b, out))
		}
	}
}

// once checks that the counts are not set again after they certainly are set.
func (w *meshCalls) once(f *facts.Function) {
	first := -1
	for i := f.Index; i < f.End; i++ {
		if w.checker.code.Inst(i).Op() != spirv.OpSetMeshOutputsEXT || w.checker.blockNumber(w.checker.blockOf[i]) == nil || !w.checker.blockNumber(w.checker.blockOf[i]).Reachable {
			continue
		}
		if first < 0 {
			first = i
		} else if facts.Dominates(w.checker.blockNumber(w.checker.blockOf[first]), w.checker.blockNumber(w.checker.blockOf[i])) {
			w.checker.fail(i, vuid.RuntimeSpirv_MeshEXT_07118, "OpSetMeshOutputsEXT is called again; must be called at most once").also(w.checker, first, "the first call").warn()
		}
	}
}

// before reports whether the counts may be set at the start of a block.
func (w *meshCalls) before(b *facts.Block, out []bool) bool {
	if b.Number == 0 && w.after[b.Func.Number] {
		return true
	}
	for _, p := range b.Preds {
		if out[p.Number] {
			return true
		}
	}
	return false
}

// setsAt reports whether an instruction sets the outputs, or a function that it
// calls does.
func (w *meshCalls) setsAt(in spirv.Inst) (sets bool, call *facts.Function) {
	switch in.Op() {
	case spirv.OpSetMeshOutputsEXT:
		return true, nil
	case spirv.OpFunctionCall:
		call = w.checker.m.Function(inst.FunctionCall(in).Function())
		return call != nil && w.sets[call.Number], call
	}
	return false, nil
}

func (w *meshCalls) setIn(b *facts.Block) bool {
	for i := b.Index; i < b.End; i++ {
		if sets, _ := w.setsAt(w.checker.code.Inst(i)); sets {
			return true
		}
	}
	return false
}

// block checks the writes in a block.
func (w *meshCalls) block(b *facts.Block, set bool) {
	for i := b.Index; i < b.End; i++ {
		in := w.checker.code.Inst(i)
		sets, call := w.setsAt(in)
		if call != nil && set {
			w.after[call.Number] = true
		}
		set = set || sets
		pointer := spirv.ID(0)
		switch in.Op() {
		case spirv.OpStore, spirv.OpCopyMemory, spirv.OpCopyMemorySized:
			pointer = spirv.ID(in[1])
		default:
			continue
		}
		if t := w.checker.m.TypeOf(pointer); !set && t.IsPointer() && t.Storage == spirv.StorageClassOutput {
			w.checker.fail(i, vuid.StandaloneSpirv_MeshEXT_07106, "%s to the output %s before OpSetMeshOutputsEXT; must be after it", in.Op(), w.checker.name(pointer)).warn()
		}
	}
}
