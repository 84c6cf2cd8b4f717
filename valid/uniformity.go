package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// Properties of values.
const (
	ofView    uint16 = 1 << iota // it depends on ViewIndex
	apart                        // no two invocations of a workgroup, or of a subgroup, have the same
	storedOne                    // of a variable in Function: one instruction stores to the whole of it
	storedAny                    // others do, or may
	varies                       // it may differ between invocations of a subgroup, see divergence.go; of a branch: its paths were searched
	joins                        // of an OpLabel: divergent invocations meet there; of an OpLoopMerge: they leave the loop one by one
)

// flows are the properties that every instruction carries from operands to its result.
const flows = ofView | varies

// flow follows values through the functions: which depend on ViewIndex, which may
// differ between invocations, and which certainly do.
type flow struct {
	checker *checker
	quad    bool     // varies and apart are properties between the invocations of a quad, not of a subgroup
	known   []uint16 // by instruction: the properties of its result; of a variable: of its contents; of a function: of its return value
	changed bool

	at       *facts.Block  // the block of the pass
	control  []*divergence // by function; nil until a branch in it varies
	overTime bool          // a loop diverges over time
	patience int           // steps that usedIn may still take from loop to loop

	maySpan [whole + 1]bool // by dimension: the workgroup of an entry point may have several invocations along it
	several [whole + 1]bool // by dimension: the workgroups of all entry points have several invocations, all along it
}

// whole is the number after the dimensions of a workgroup: all of them together.
const whole = 3

// dimension returns the number of a dimension of a workgroup; whole for any other index.
func dimension(index int64) int {
	if index < 0 || index > whole {
		return whole
	}
	return int(index)
}

// values follows the values of the module, once. It looks at each function a
// bounded number of times, which loops and memory may ask for.
func (c *checker) values() *flow {
	if c.flow == nil {
		c.flow = c.newFlow(false)
	}
	return c.flow
}

// newFlow follows the values of the module; quad selects the invocations that varies
// and apart compare.
func (c *checker) newFlow(quad bool) *flow {
	w := &flow{checker: c, quad: quad, known: c.memory.words.Alloc(c.code.Len()), control: make([]*divergence, len(c.m.Functions)), patience: 64*c.code.Len() + 4096}
	w.workgroups()
	for n := range c.m.Functions {
		f := &c.m.Functions[n]
		for i := f.Index; i < f.End; i++ {
			w.stores(i, c.code.Inst(i))
		}
	}
	for pass := 0; pass < maxPointerPasses; pass++ {
		w.changed = false
		for n := range c.m.Functions {
			f := &c.m.Functions[n]
			for k := range f.Blocks {
				w.at = &f.Blocks[k]
				for i := w.at.Index; i < w.at.End; i++ {
					w.instruction(f, i, c.code.Inst(i))
				}
			}
		}
		if !w.changed {
			break
		}
	}
	return w
}

// add makes more known of an instruction. The decoration Uniform promises that a
// result is the same in all invocations.
func (w *flow) add(i int, what uint16) {
	if i >= 0 && what&(varies|personal)&^w.known[i] != 0 {
		if r := w.checker.code.Inst(i).Result(); r != 0 && (w.checker.m.Has(r, spirv.DecorationUniform) || w.checker.m.Has(r, spirv.DecorationUniformId)) {
			what &^= varies | personal
		}
	}
	if i >= 0 && w.known[i]|what != w.known[i] {
		w.known[i] |= what
		w.changed = true
	}
}

// of returns the known properties of a value.
func (w *flow) of(id spirv.ID) uint16 {
	if d := w.checker.code.Def(id); d >= 0 {
		return w.known[d]
	}
	return 0
}

// operandIDs returns the words of an instruction that are ids of values; the operands
// of an extended instruction are ids. The blocks of a phi are none.
func (w *flow) operandIDs(i int, in spirv.Inst) []int {
	w.checker.idPositions = w.checker.code.IDs(i, w.checker.idPositions[:0])
	if in.Op() == spirv.OpExtInst {
		for n := 5; n < len(in); n++ {
			w.checker.idPositions = append(w.checker.idPositions, n)
		}
		return w.checker.idPositions
	}
	if tail, ok := w.checker.code.Tail(i); ok {
		for tail.Next() {
			if tail.Kind.Category() == spirv.CategoryID && (in.Op() != spirv.OpPhi || tail.Pos%2 == 1) {
				w.checker.idPositions = append(w.checker.idPositions, tail.Pos)
			}
		}
	}
	return w.checker.idPositions
}

// stores notes the variables in Function that one store alone writes as a whole.
// Such a variable has the properties of the stored value.
func (w *flow) stores(i int, in spirv.Inst) {
	whole := spirv.ID(0)
	switch in.Op() {
	case spirv.OpLoad, spirv.OpVariable:
		return
	case spirv.OpStore:
		whole = inst.Store(in).Pointer()
	}
	for _, at := range w.operandIDs(i, in) {
		id := spirv.ID(in[at])
		d := w.checker.code.Def(id)
		if d < 0 || w.checker.code.Inst(d).Op() != spirv.OpVariable {
			continue
		}
		if id == whole && w.known[d]&(storedOne|storedAny) == 0 {
			w.known[d] |= storedOne
		} else {
			w.known[d] |= storedAny
		}
	}
}

// instruction derives the properties of a result from the operands.
func (w *flow) instruction(f *facts.Function, i int, in spirv.Inst) {
	switch in.Op() {
	case spirv.OpVariable, spirv.OpLabel:
		return
	case spirv.OpLoad:
		w.load(i, in)
		return
	case spirv.OpStore:
		w.store(in)
		return
	case spirv.OpReturnValue:
		w.add(f.Index, w.used(inst.ReturnValue(in).Value())&flows)
		return
	case spirv.OpBranchConditional, spirv.OpSwitch:
		w.branch(f, i, in)
		return
	case spirv.OpFunctionCall:
		w.call(i, in)
		return
	case spirv.OpCompositeExtract:
		if w.extract(i, in) {
			return
		}
	case spirv.OpPhi:
		if w.known[w.at.Index]&joins != 0 && w.chooses(in) {
			w.add(i, varies)
		}
	}
	if !in.Op().HasResult() {
		return
	}
	all := uint16(0)
	for _, at := range w.operandIDs(i, in) {
		if d := w.checker.code.Def(spirv.ID(in[at])); d >= 0 && d != i && w.checker.code.Inst(d).Op() != spirv.OpVariable {
			all |= w.used(spirv.ID(in[at]))
		}
	}
	props := all & flows
	switch same, own := w.agreement(in); {
	case same:
		props &^= varies
	case own:
		props |= varies
	}
	w.add(i, props)
	if all&apart != 0 && w.injective(in) {
		w.add(i, apart)
	}
	w.add(i, w.neighbours(in))
}

// chooses reports whether a phi has more than one value.
func (w *flow) chooses(in spirv.Inst) bool {
	v := in[3:]
	for n := 2; n+1 < len(v); n += 2 {
		if v[n] != v[0] {
			return true
		}
	}
	return false
}

// store derives the properties of a variable from a stored value. A parameter has the
// properties of the variables that it points to.
func (w *flow) store(in spirv.Inst) {
	v := inst.Store(in)
	m := w.checker.origin(v.Pointer())
	if m == nil {
		if d := w.checker.code.Def(v.Pointer()); d >= 0 && w.checker.code.OpAt(d) == spirv.OpFunctionParameter {
			w.add(d, w.used(v.Object())&flows)
		}
		return
	}
	p := (w.used(v.Object()) | w.used(v.Pointer())) & flows
	if !ofInvocation(m) {
		p &^= varies // all invocations of a workgroup read the same memory
	}
	w.add(m.Index, p)
	if m.Func != nil && w.known[m.Index]&(storedOne|storedAny) == storedOne {
		w.add(m.Index, w.of(v.Object())&personal)
	}
}

// call carries properties to the parameters of a function, from parameters that are
// pointers back to variables, and from the function to the result.
func (w *flow) call(i int, in spirv.Inst) {
	v := inst.FunctionCall(in)
	g := w.checker.m.Function(v.Function())
	if g == nil {
		return
	}
	for n, a := range v.Arguments() {
		if n >= len(g.Params) {
			break
		}
		p := g.Params[n].Index
		w.add(p, w.used(a)&flows)
		if m := w.checker.origin(a); ofInvocation(m) {
			w.add(m.Index, w.known[p]&flows)
		}
	}
	w.add(i, w.known[g.Index]&flows)
}

// load derives the properties of a loaded value.
func (w *flow) load(i int, in spirv.Inst) {
	p := inst.Load(in).Pointer()
	v := w.checker.origin(p)
	w.add(i, w.used(p)&flows)
	if v == nil {
		return
	}
	w.add(i, w.known[v.Index]&flows)
	if p == v.ID && v.Func != nil {
		w.add(i, w.known[v.Index]&personal)
	}
	if v.Storage != spirv.StorageClassInput {
		return
	}
	b, ok := w.checker.m.BuiltIn(v.ID)
	if !ok {
		if w.quad && w.interpolated(v, p) {
			w.add(i, varies)
		}
		return
	}
	if p == v.ID && w.varyingInput(b, -1) {
		w.add(i, varies)
	}
	if p == v.ID && w.quad && b == spirv.BuiltInFragCoord {
		w.add(i, apart)
	}
	switch b {
	case spirv.BuiltInViewIndex:
		w.add(i, ofView)
	case spirv.BuiltInLocalInvocationIndex:
		if w.several[whole] {
			w.add(i, apart|numbered)
		}
	case spirv.BuiltInSubgroupLocalInvocationId:
		if n, known := w.checker.env.Device.limit("subgroupSize"); !known || n != 1 {
			w.add(i, apart|numbered)
		}
	default:
		if h := chainOf(w.checker.code.DefInst(p)); len(h.path) == 1 && h.base == v.ID {
			if k, ok := w.checker.m.Const(h.path[0]).Int(); ok {
				w.component(i, b, k)
			}
		}
	}
}

// component derives the properties of a component of a built-in.
func (w *flow) component(i int, b spirv.BuiltIn, n int64) {
	if w.varyingInput(b, n) {
		w.add(i, varies)
	}
	switch {
	case (b == spirv.BuiltInLocalInvocationId || b == spirv.BuiltInGlobalInvocationId) && n >= 0 && n < 3 && w.several[n]:
		w.add(i, apart|numbered)
	case w.quad && b == spirv.BuiltInFragCoord && (n == 0 || n == 1):
		w.add(i, apart)
	}
}

// extract derives the properties of a component of a built-in that was loaded as a
// whole. It returns false if the composite is no built-in.
func (w *flow) extract(i int, in spirv.Inst) bool {
	v := inst.CompositeExtract(in)
	d := w.checker.code.DefInst(v.Composite())
	if len(d) == 0 || d.Op() != spirv.OpLoad || len(v.Indexes()) != 1 {
		return false
	}
	p := inst.Load(d).Pointer()
	o := w.checker.m.Variable(p)
	if o == nil || o.Storage != spirv.StorageClassInput {
		return false
	}
	b, ok := w.checker.m.BuiltIn(p)
	if ok {
		w.component(i, b, int64(v.Indexes()[0]))
	}
	return ok
}

// workgroups derives maySpan and several from the entry points.
func (w *flow) workgroups() {
	for d := range w.several {
		w.several[d] = len(w.checker.m.EntryPoints) > 0
	}
	for n := range w.checker.m.EntryPoints {
		e := &w.checker.m.EntryPoints[n]
		s := e.LocalSize
		all := uint64(s[0]) * uint64(s[1]) * uint64(s[2])
		for d := range w.several {
			along := all
			if d != whole {
				along = uint64(s[d])
			}
			w.maySpan[d] = w.maySpan[d] || !e.HasLocalSize || along != 1
			w.several[d] = w.several[d] && e.HasLocalSize && modelOf(e.Model)&inWorkgroups != 0 && along > 1 && along == all
		}
	}
}

// loneSubgroups reports whether the device is known to have subgroups of one
// invocation; code is the rule that depends on it.
func (c *checker) loneSubgroups(code string) bool {
	n, known := c.limit(code, "subgroupSize")
	return known && n == 1
}

// injective reports whether an instruction maps different values of an
// operand with the property apart to different results. It assumes values as small
// as the number of an invocation.
func (w *flow) injective(in spirv.Inst) bool {
	const small = 1 << 12
	t := w.checker.m.Type(in.Type())
	switch in.Op() {
	case spirv.OpCopyObject, spirv.OpCompositeConstruct:
		return true
	case spirv.OpConvertFToU, spirv.OpConvertFToS:
		return w.quad // of floats, only positions of fragments have the property
	case spirv.OpVectorShuffle:
		return w.quad && w.selectsPosition(in)
	case spirv.OpBitcast, spirv.OpUConvert, spirv.OpSConvert:
		x := w.checker.m.TypeOf(spirv.ID(in[3]))
		return t.IsInt() && x.IsInt() && t.Width >= x.Width
	case spirv.OpIAdd, spirv.OpISub, spirv.OpIMul:
		for n := 3; n <= 4; n++ {
			k := w.checker.m.Const(spirv.ID(in[n]))
			if k != nil && k.Known && !k.Spec && !k.Undef && k.Bits < small && t.IsInt() && t.Width >= 32 && (k.Bits != 0 || in.Op() != spirv.OpIMul) {
				return true
			}
		}
	}
	return false
}

// always reports whether every invocation of an entry point comes to a block: it
// is in the entry point's own function, and on every way to its end.
func (w *flow) always(b *facts.Block) bool {
	if b == nil || len(w.checker.entriesAt(b.Func.ID)) == 0 {
		return false
	}
	return facts.StructurallyPostDominates(b, b.Func.Entry())
}
