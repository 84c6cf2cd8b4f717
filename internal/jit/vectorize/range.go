package vectorize

import (
	"math"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// maxRangeDepth is how many operations are followed for what a value can be.
const maxRangeDepth = 8

// upperBound returns a number that no active lane of an i32 exceeds, unsigned.
func (w *vectorizer) upperBound(v ir.V) uint64 { return w.upperBoundOf(v, maxRangeDepth) }

func (w *vectorizer) upperBoundOf(v ir.V, depth int) uint64 {
	x := w.src.Val(v)
	if x.Op == ir.Const {
		return x.Aux & x.Type.Mask()
	}
	if depth == 0 {
		return math.MaxUint32
	}
	arg := func(i int) uint64 { return w.upperBoundOf(x.Args[i], depth-1) }
	k, constant := w.src.Val(x.Args[1]).Aux, w.src.Val(x.Args[1]).Op == ir.Const
	most := uint64(math.MaxUint32)
	switch x.Op {
	case ir.And, ir.UMin:
		most = min(arg(0), arg(1))
	case ir.Or, ir.Xor:
		most = 1<<bits.Len64(arg(0)|arg(1)) - 1
	case ir.UMax:
		most = max(arg(0), arg(1))
	case ir.Add:
		most = arg(0) + arg(1)
	case ir.Mul:
		most = arg(0) * arg(1)
	case ir.Shl:
		if constant {
			most = arg(0) << (k & 31)
		}
	case ir.LShr:
		if constant {
			most = arg(0) >> (k & 31)
		}
	case ir.UMod:
		if constant && k > 0 {
			most = min(arg(0), k-1)
		}
	case ir.Select:
		most = max(arg(1), arg(2))
	case ir.ZExt:
		most = w.src.Type(x.Args[0]).Mask()
	case ir.At:
		if idx := arg(1); x.Aux <= math.MaxUint32 {
			most = arg(0) + idx*x.Aux
		}
	case ir.In:
		most = w.builtinBound(w.p.In[x.Aux].Semantic)
	}
	if most > math.MaxUint32 { // which wraps, or saturates
		return math.MaxUint32
	}
	return most
}

func (w *vectorizer) builtinBound(s ir.Semantic) uint64 {
	switch s {
	case ir.LocalInvocationIdX, ir.LocalInvocationIdY, ir.LocalInvocationIdZ:
		return uint64(w.p.LocalSize[s-ir.LocalInvocationIdX]) - 1
	case ir.LocalInvocationIndex:
		return uint64(w.p.Invocations()) - 1
	case ir.SubgroupLocalInvocationId:
		return uint64(w.p.SubgroupSize) - 1
	}
	return math.MaxUint32
}

// useRange makes an operation on lanes what it may be for how great its operands can
// be: an unsigned number below 2³¹ converts as a signed one, which every machine
// has, and a shift by less than the width needs no count modulo the width.
func (w *vectorizer) useRange(x *ir.Val, in *vcode.Inst) {
	switch x.Op {
	case ir.UToF:
		if in.Key.From == ir.I32 && w.upperBound(x.Args[0]) <= math.MaxInt32 {
			in.IR = ir.SToF
		}
	case ir.Shl, ir.LShr, ir.AShr:
		in.Proven = in.Key.Type == ir.I32 && in.Key.From == ir.I32 && w.upperBound(x.Args[1]) < 32
	}
}

// convergent reports whether a value is known to be a multiple of four.
func (w *vectorizer) isMultipleOf4(v ir.V) bool { return w.multipleOf4(v, maxRangeDepth) }

func (w *vectorizer) multipleOf4(v ir.V, depth int) bool {
	x := w.src.Val(v)
	if depth == 0 {
		return false
	}
	arg := func(i int) bool { return w.multipleOf4(x.Args[i], depth-1) }
	switch x.Op {
	case ir.Const:
		return x.Aux%4 == 0
	case ir.Add, ir.Sub:
		return arg(0) && arg(1)
	case ir.Mul, ir.And:
		return arg(0) || arg(1)
	case ir.Shl:
		k := w.src.Val(x.Args[1])
		return k.Op == ir.Const && k.Aux&31 >= 2
	case ir.At:
		return arg(0) && (x.Aux%4 == 0 || arg(1)) && w.upperBound(v) < math.MaxUint32
	}
	return false
}

// inWorkgroupMemory reports whether 32 bits at an offset into the workgroup memory are
// known to be there, as words.
func (w *vectorizer) inWorkgroupMemory(off ir.V, imm uint64) bool {
	return imm%4 == 0 && w.upperBound(off)+imm+4 <= uint64(w.p.SharedBytes) && w.isMultipleOf4(off)
}

// unsaturatedAt emits an At that cannot saturate as arithmetic of 32 bits, and reports
// whether it is one.
func (w *vectorizer) unsaturatedAt(v ir.V) bool {
	x := w.src.Val(v)
	if x.Op != ir.At || x.Aux > math.MaxUint32 || w.upperBound(v) == math.MaxUint32 {
		return false
	}
	off := w.src.Val(x.Args[0])
	zero := off.Op == ir.Const && off.Aux == 0
	for p := range w.parts {
		emit := func(op ir.Op, d, a, b vcode.Reg, merging bool) {
			w.emit(vcode.Inst{
				Op: vcode.Lane, IR: op, Key: ir.Key{Type: ir.I32, From: ir.I32}, Value: v, Part: uint8(p),
				Defs: []vcode.Reg{d}, Uses: []vcode.Reg{a, b}, Masks: w.active[p : p+1], Merging: merging,
			})
		}
		d, merging := w.vec(v)[p], w.merging(v)
		at := d
		if !zero {
			at = w.dst.NewReg(vcode.Vec)
		}
		op, by := ir.Mul, x.Aux
		if by&(by-1) == 0 && by > 0 {
			op, by = ir.Shl, uint64(bits.TrailingZeros64(by))
		}
		emit(op, at, w.vec(x.Args[1])[p], w.dst.NewConst(vcode.Vec, by), merging && zero)
		if !zero {
			emit(ir.Add, d, at, w.vec(x.Args[0])[p], merging)
		}
	}
	return true
}
