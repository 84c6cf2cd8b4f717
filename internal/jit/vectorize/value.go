package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Registers of a value
//
// A value has several forms at once, by its shape. All forms are emitted at the definition, since the
// operands are live there; dead code elimination (dce.go) removes the unused ones.
//
//	uniform     gen  (a general register), and vec: one splat vector for all parts
//	strided     lane0: lane 0 of each part in general registers, wordBase = 4·lane0, and vec
//	address     start, lane0 and base: U, the index in lane 0, and U + index·stride; and vec
//	varying     vec: one vector or mask for each part

// value is the registers of a value of the program, in lists by part. If the value is uniform (vec) or its
// shape is regular (lane0, base, wordBase), the register of the first part serves all parts.
type value struct {
	vec         []vcode.Reg // vectors or masks
	gen         vcode.Reg   // of a uniform value that general registers compute, or 0
	lane0       []vcode.Reg // of a strided value, or the index of an address: its value in lane 0 of each part
	start       []vcode.Reg // of an address: U of each part
	base        []vcode.Reg // of an address: U + lane0·stride, 64 bits
	wordBase    []vcode.Reg // of a strided value: lane0·4, 64 bits
	leader      []vcode.Reg // lane0 of the value that this one is indexOffset more than; both share wordBase
	indexOffset uint32      // that constant; of an address: how much its index is more than lane0
	less        vcode.Reg   // of a uniform value: lessBound for lessSpan, or 0
	lessSpan    uint32      // see less
	constStart  uint64      // of an address: a constant U, which base does not include
}

// value returns the registers of v, which it allocates on first use.
func (w *vectorizer) value(v ir.V) *value {
	x := w.values[v]
	if x == nil {
		x = w.newValue()
		w.values[v] = x
	}
	if x.vec != nil {
		return x
	}
	c := vcode.ClassOf(w.src.Type(v))
	in := w.src.Val(v)
	if in.Op == ir.Const {
		x.vec = w.splat(w.dst.NewConst(c, in.Aux))
		if c != vcode.Wide {
			x.gen = w.dst.NewConst(vcode.Gen, in.Aux)
		}
		return x
	}
	switch w.shapes.of[v].kind {
	case uniform:
		if in.Op == ir.Any || in.Op == ir.All || in.Op == ir.AllEq || in.Op == ir.Ballot || in.Op == ir.Reduce {
			x.vec = w.regs(c) // the operation writes each part itself
			break
		}
		x.vec = w.splat(w.dst.NewReg(c))
		if w.inGen(v) {
			x.gen = w.dst.NewReg(vcode.Gen)
		}
	case strided, address:
		x.lane0 = w.lane0Regs(w.shapes.of[v])
		fallthrough
	default:
		if to := w.accumulators[v]; to != 0 {
			x.vec = w.vec(to)
		} else {
			x.vec = w.regs(c)
		}
	}
	return x
}

// vec returns the vectors or masks that hold v.
func (w *vectorizer) vec(v ir.V) []vcode.Reg { return w.value(v).vec }

// hasGen returns the general register of a uniform value, and whether it has one.
func (w *vectorizer) hasGen(v ir.V) (vcode.Reg, bool) {
	x := w.value(v)
	return x.gen, x.gen != 0
}

// gen returns a general register that holds a uniform value. It extracts the value from a vector if
// necessary.
func (w *vectorizer) gen(v ir.V) vcode.Reg {
	if g, ok := w.hasGen(v); ok {
		return g
	}
	g := w.dst.NewReg(vcode.Gen)
	w.emit(vcode.Inst{Op: vcode.Extract, Key: ir.Key{Type: w.src.Type(v)}, Defs: []vcode.Reg{g}, Uses: w.vec(v)[:1]})
	return g
}

// broadcast copies a general register to vectors.
func (w *vectorizer) broadcast(v ir.V, x *value) {
	w.emit(vcode.Inst{Op: vcode.Broadcast, Key: ir.Key{Type: w.src.Type(v)}, Defs: x.vec[:1], Uses: []vcode.Reg{x.gen}})
}

// inGen reports whether general registers compute a uniform value.
func (w *vectorizer) inGen(v ir.V) bool {
	x := w.src.Val(v)
	from := w.src.Type(x.Args[0])
	switch x.Op.Family() {
	case ir.Shifts, ir.IntMinMax:
		return x.Type == ir.I32
	case ir.Bitwise:
		return x.Type == ir.I32 || x.Type == ir.B1
	}
	switch x.Op {
	case ir.Param, ir.Select:
		return x.Type == ir.I32 || x.Type == ir.B1 || x.Type == ir.H
	case ir.Add, ir.Sub, ir.Mul:
		return x.Type == ir.I32
	case ir.Eq:
		return from == ir.I32 || from == ir.B1
	case ir.ULt, ir.ULe, ir.SLt, ir.SLe:
		return from == ir.I32
	case ir.ZExt: // a narrow number in a general register has zeros above
		return x.Type == ir.I32 && (from == ir.B1 || narrowType(from) && w.inGen(x.Args[0]))
	case ir.Res, ir.Push, ir.Wg, ir.Table, ir.Len, ir.Every:
		return true
	case ir.At:
		return x.Aux < 1<<31
	case ir.In:
		return x.Type == ir.I32
	case ir.Ld:
		address := x.Type == ir.I64 && w.dst.Form.Addresses && w.src.Val(x.Args[0]).Op == ir.Push && x.Aux < 1<<16
		return x.Type == ir.I32 || narrowType(x.Type) || address && w.src.Val(x.Args[1]).Op == ir.Const && w.src.Val(x.Args[1]).Aux < 1<<16
	}
	return false
}

// narrowType reports whether a value has 8 or 16 bits.
func narrowType(t ir.Type) bool { return t.Bits() == 8 || t.Bits() == 16 }

// newValue returns a value without registers.
func (s *builder) newValue() *value { return &s.arena.values.Alloc(1)[0] }

// lane0Regs returns new registers for the first lanes of a shape.
func (w *vectorizer) lane0Regs(s shape) []vcode.Reg {
	if s.regular {
		return w.splat(w.dst.NewReg(vcode.Gen))
	}
	return w.regs(vcode.Gen)
}

// lane0Count returns how many parts of a shape have a lane0 register of their own.
func (w *vectorizer) lane0Count(s shape) int {
	if s.regular {
		return 1
	}
	return w.parts
}
