package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Parts of a subgroup one after the other
//
// A subgroup of two parts needs two registers for each varying value. If the values that a loop of a phase carries from one iteration to
// the next do not fit, each iteration loads and stores them. Then a work-item loop executes the loop for the first part, then for the
// second one, with half as many values at once:
//
//	for each subgroup:                 for each subgroup:
//	    loop { x0 += …; x1 += … }   →      loop { x0 += … }
//	                                       loop { x1 += … }
//
// No result can tell the order if the phase only reads memory, and no operation joins lanes. Both parts take the same steps, since no
// lane leaves a loop before the others. Each part counts them with a counter of its own: another workgroup or the host may change memory that
// the condition of a loop reads, so that a part with a later turn may stay in a loop that the first one left.

// partRegisters is the number of vector registers for loop-carried values; 0 selects the machine's number. Tests change it.
var partRegisters = 0

// itemParts returns the vectorizers that emit the body of a work-item loop one after the other: w itself, or one for each part.
func (g *workgroup) itemParts(w *vectorizer, code []ir.V) []*vectorizer {
	if !g.partsSeparable(code) || !g.partsCrowded(code) {
		return []*vectorizer{w}
	}
	list := make([]*vectorizer, w.parts)
	for p := range list {
		one := *w
		one.parts, one.subgroupAt = 1, p*w.dst.Form.Lanes
		one.allLanes, one.active = w.allLanes[:1], w.active[p:p+1]
		one.values, one.regions = w.arena.valuesByV.Alloc(len(w.values)), w.arena.regionsByV.Alloc(len(w.regions))
		for v, x := range w.values {
			one.values[v] = one.share(x)
		}
		list[p] = &one
		if p == 0 {
			continue
		}
		one.loopIndex = w.dst.NewReg(vcode.Gen)
		w.emit(vcode.Inst{
			Op: vcode.Scalar, IR: ir.Add, Key: ir.Key{Type: ir.I32, From: ir.I32}, Defs: []vcode.Reg{one.loopIndex},
			Uses: []vcode.Reg{w.loopIndex, w.dst.NewConst(vcode.Gen, uint64(one.subgroupAt))},
		})
	}
	return list
}

// share returns the registers of a value that all subgroups share, for w, which may have fewer parts.
func (w *vectorizer) share(x *value) *value {
	if x == nil || len(x.vec) <= w.parts {
		return x
	}
	y := w.newValue()
	*y = *x
	y.vec = x.vec[:w.parts]
	return y
}

// partsSeparable reports whether the parts of a subgroup can execute a phase one after the other.
func (g *workgroup) partsSeparable(code []ir.V) bool {
	if g.subs[0].parts == 1 || g.phases.resets {
		return false
	}
	for _, v := range code {
		x := g.f.Val(v)
		switch {
		case x.Op.Is(ir.Writes) || x.Op.Is(ir.Meets) || x.Flags&(ir.Volatile|ir.Coherent) != 0:
			return false
		case x.Op == ir.Loop && (g.shapes.divergent[v] || !g.shapes.convergent[v]):
			return false
		case (x.Op == ir.If || x.Op == ir.Switch) && g.shapes.of[x.Args[0]].kind != uniform: // no lane of the first part may be at a loop
			return false
		}
	}
	return true
}

// partsCrowded reports whether the varying values that a loop of a phase carries need more registers than there are.
func (g *workgroup) partsCrowded(code []ir.V) bool {
	registers := g.dst.Form.Vectors
	if partRegisters > 0 {
		registers = partRegisters
	}
	for _, v := range code {
		if g.f.Val(v).Op != ir.Loop {
			continue
		}
		n := 0
		for _, p := range g.f.Params(v) {
			if g.shapes.of[p].kind == varying {
				n += g.subs[0].parts
			}
		}
		if n > registers {
			return true
		}
	}
	return false
}
