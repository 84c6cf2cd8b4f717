package link

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// flowRules are the rules on the values that a stage writes along its control-flow paths.
var flowRules = []Rule{
	{vuid.VkPipelineShaderStageCreateInfo_stage_02596, "a geometry stage writes one Layer for all vertices of a primitive"},
	{vuid.VkPipelineShaderStageCreateInfo_stage_02597, "a geometry stage writes one ViewportIndex for all vertices of a primitive"},
	{vuid.VkPipelineShaderStageCreateInfo_stage_06685, "a fragment stage that writes FragDepth writes it on each way to its end, or discards the fragment"},
	{vuid.VkPipelineShaderStageCreateInfo_stage_06686, "a fragment stage that writes FragStencilRefEXT writes it on each way to its end, or discards the fragment"},
}

// flow checks the writes of a stage along its paths. It reads the module only if the entry
// point has one of the built-ins.
func (l *linker) flow(s *Shader) {
	for i := range s.Entry.BuiltIns {
		b := &s.Entry.BuiltIns[i]
		if b.Class != spirv.StorageClassOutput || !b.Used {
			continue
		}
		stage := StageOf(s.Entry.Model)
		switch {
		case stage == fragment && b.BuiltIn == spirv.BuiltInFragDepth:
			l.always(vuid.VkPipelineShaderStageCreateInfo_stage_06685, s, b)
		case stage == fragment && b.BuiltIn == spirv.BuiltInFragStencilRefEXT:
			l.always(vuid.VkPipelineShaderStageCreateInfo_stage_06686, s, b)
		case stage == geometry && b.BuiltIn == spirv.BuiltInLayer:
			l.oneValue(vuid.VkPipelineShaderStageCreateInfo_stage_02596, s, b)
		case stage == geometry && b.BuiltIn == spirv.BuiltInViewportIndex:
			l.oneValue(vuid.VkPipelineShaderStageCreateInfo_stage_02597, s, b)
		}
	}
}

// always checks that a built-in is written on each path to the end of the entry point, if
// it is written at all. A path with more than one branch decision may be infeasible,
// because decisions may depend on each other; such a path is not checked.
func (l *linker) always(code string, s *Shader, x *iface.BuiltIn) {
	m := s.facts()
	if m == nil {
		return
	}
	v := m.Variable(x.ID)
	tree := functions(m, s.Entry)
	if v == nil || v.Init != 0 || len(tree) == 0 || !written(m, s.Entry, x) {
		return
	}
	w := &wayFinder{m: m, x: x, seen: [2][]bool{make([]bool, len(tree[0].Blocks)), make([]bool, len(tree[0].Blocks))}}
	if at := w.unwritten(tree[0]); at >= 0 {
		side := s.at(at)
		side.Name, side.Slot = x.Name, x.BuiltIn.String()
		l.warn(code, []Side{side}, "the fragment stage writes %s, and there is a way to its end on which it does not; must write it on each, or discard the fragment", x.BuiltIn)
	}
}

// wayFinder looks for a way through a function on which a built-in is not written.
type wayFinder struct {
	m    *facts.Module
	x    *iface.BuiltIn
	seen [2][]bool // by the decisions that were taken, and the number of the block
}

// unwritten returns the return instruction at the end of a path without a write, or −1 if
// there is none.
func (w *wayFinder) unwritten(f *facts.Function) int {
	type state struct {
		b         *facts.Block
		decisions int
	}
	entry := f.Entry()
	if entry == nil {
		return -1
	}
	todo := []state{{entry, 0}}
	for len(todo) > 0 {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if k.decisions > 1 || w.seen[k.decisions][k.b.Number] || k.b.Term < 0 {
			continue
		}
		w.seen[k.decisions][k.b.Number] = true
		if w.ends(k.b) {
			continue
		}
		switch in := w.m.Code.Inst(k.b.Term); in.Op() {
		case spirv.OpReturn:
			return k.b.Term
		case spirv.OpBranch:
			for _, n := range k.b.Succs {
				todo = append(todo, state{n, k.decisions})
			}
		case spirv.OpBranchConditional:
			c := inst.BranchConditional(in)
			if known := w.m.Const(c.Condition()); known != nil && known.Known {
				to := c.TrueLabel()
				if known.Bits == 0 {
					to = c.FalseLabel()
				}
				if n := w.m.Block(to); n != nil {
					todo = append(todo, state{n, k.decisions})
				}
				continue
			}
			for _, n := range k.b.Succs {
				todo = append(todo, state{n, k.decisions + 1})
			}
		case spirv.OpSwitch:
			for _, n := range k.b.Succs {
				todo = append(todo, state{n, k.decisions + 1})
			}
		}
	}
	return -1
}

// ends reports whether a block writes the built-in, or may in a function that it
// calls, or makes the invocation a helper, for which the rule does not hold.
func (w *wayFinder) ends(b *facts.Block) bool {
	for i := b.Index; i < b.End; i++ {
		switch in := w.m.Code.Inst(i); in.Op() {
		case spirv.OpStore:
			if reaches(w.m, inst.Store(in).Pointer(), w.x) {
				return true
			}
		case spirv.OpCopyMemory:
			if reaches(w.m, inst.CopyMemory(in).Target(), w.x) {
				return true
			}
		case spirv.OpFunctionCall, spirv.OpDemoteToHelperInvocation:
			return true
		}
	}
	return false
}

// oneValue checks that all vertices of a primitive that a geometry stage emits in sequence
// have the same constant in a built-in. A value that is not constant, or that is emitted on
// several paths, may be equal and is not checked.
func (l *linker) oneValue(code string, s *Shader, x *iface.BuiltIn) {
	size := 0
	if _, lines := oneOf(s, spirv.ExecutionModeOutputLineStrip); lines {
		size = 2
	} else if _, triangles := oneOf(s, spirv.ExecutionModeOutputTriangleStrip); triangles {
		size = 3
	}
	m := s.facts()
	if size == 0 || m == nil {
		return
	}
	for _, f := range functions(m, s.Entry) {
		for b := range f.Blocks {
			if at, one, other := emitted(m, &f.Blocks[b], x, size); at >= 0 {
				side := s.at(at)
				side.Name, side.Slot = x.Name, x.BuiltIn.String()
				l.fail(code, []Side{side}, "a primitive has vertices with %s %d and %d; must have one value", x.BuiltIn, one, other)
				return
			}
		}
	}
}

// emitted searches a block for vertices that form a primitive of the given size and have
// different constants in a built-in. It returns the instruction that emits the last of
// them, or −1 if there is no such primitive.
func emitted(m *facts.Module, b *facts.Block, x *iface.BuiltIn, size int) (at int, one, other uint64) {
	type value struct {
		bits  uint64
		known bool
	}
	var now value
	var primitive []value
	for i := b.Index; i < b.End; i++ {
		switch in := m.Code.Inst(i); in.Op() {
		case spirv.OpStore:
			v := inst.Store(in)
			if !reaches(m, v.Pointer(), x) {
				continue
			}
			now = value{}
			if k := m.Const(v.Object()); k != nil && k.Known && k.Op != spirv.OpUndef && k.Type != nil && k.Type.Width == 32 {
				now = value{uint64(uint32(k.Bits)), true}
			}
		case spirv.OpEmitVertex:
			primitive = append(primitive, now)
			now = value{} // outputs are undefined after it
			if len(primitive) < size {
				continue
			}
			last := primitive[len(primitive)-size:]
			for _, p := range last {
				for _, q := range last {
					if p.known && q.known && p.bits != q.bits {
						return i, p.bits, q.bits
					}
				}
			}
		case spirv.OpEndPrimitive, spirv.OpFunctionCall, spirv.OpEmitStreamVertex, spirv.OpEndStreamPrimitive:
			primitive, now = nil, value{}
		}
	}
	return -1, 0, 0
}
