package vectorize

import (
	"math"
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Value ranges and alignment
//
// Upper bounds and multiples of four, from a bounded walk over the operands. A bounded index makes cheaper
// code legal: offsets into workgroup memory need no check, an At that cannot saturate is ordinary
// arithmetic, an unsigned conversion is a signed one, and a shift count needs no masking.
//
//	vb = and.i32 vi, 15:i32          at most 15
//	vo = at 0:i32, vb, #4            at most 60: a shift; in range of 64 bytes of workgroup memory
//
// Harrison 1977, "Compiler analysis of the value ranges for variables", iterates over the whole function; the
// walk here starts at a use and goes no further than the parameters of loops (counterbound.go), so its time is bounded.

// maxRangeDepth bounds the depth of operands that are followed.
const maxRangeDepth = 8

// upperBound returns a number that an i32 does not exceed in any active lane, unsigned.
func (w *vectorizer) upperBound(v ir.V) uint64 { return w.upperBoundOf(v, maxRangeDepth) }

// upperBoundOf is upperBound with at most depth levels of operands.
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
		if most = arg(0) + arg(1); w.atMostMinuend[v] {
			most = arg(0)
		}
	case ir.Sub:
		if w.atMostMinuend[v] {
			most = arg(0)
		}
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
	case ir.BitFieldU:
		if bits := w.src.Val(x.Args[2]); bits.Op == ir.Const && bits.Aux < 32 {
			most = 1<<bits.Aux - 1
		}
	case ir.ZExt:
		most = w.src.Type(x.Args[0]).Mask()
	case ir.At:
		if idx := arg(1); x.Aux <= math.MaxUint32 {
			most = arg(0) + idx*x.Aux
		}
	case ir.In:
		most = w.builtinBound(w.p.In[x.Aux].Semantic)
	case ir.Param:
		most = w.counterBound(v)
	}
	if most > math.MaxUint32 { // it wraps or saturates
		return math.MaxUint32
	}
	return most
}

// builtinBound returns the greatest value of a built-in.
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

// useRange replaces a lane operation by a cheaper one that is equal for the possible operands: an unsigned
// number below 2³¹ converts as a signed one, and a shift by less than the width does not reduce its count.
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

// isMultipleOf4 reports whether a value is known to be a multiple of four.
func (w *vectorizer) isMultipleOf4(v ir.V) bool { return w.multipleOf4(v, maxRangeDepth) }

// multipleOf4 is isMultipleOf4 with at most depth levels of operands.
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

// inWorkgroupMemory reports whether 32 bits at an offset into the workgroup memory are known to be an
// aligned word in range.
func (w *vectorizer) inWorkgroupMemory(off ir.V, imm uint64) bool {
	return imm%4 == 0 && w.upperBound(off)+imm+4 <= uint64(w.p.SharedBytes) && w.isMultipleOf4(off)
}

// maxWordLimit bounds the ranges of words for which one comparison of the length replaces the comparisons of all lanes: memory is seldom
// shorter than a small range that the program reduces its indices to.
const maxWordLimit = 1 << 18

// wordLimit returns the end of the words that an access of 32 bits can be to in any active lane, or 0 if it has no small bound or is not
// known to be aligned.
func (w *vectorizer) wordLimit(x *ir.Val) uint32 {
	if x.Type.Size() != 4 || x.Aux%4 != 0 || x.Aux > maxWordLimit || !w.isMultipleOf4(x.Args[1]) {
		return 0
	}
	if end := w.upperBound(x.Args[1]) + x.Aux + 4; end <= maxWordLimit {
		return uint32(end)
	}
	return 0
}

// wordInWorkgroupMemory reports whether an operation is a load of 32 bits from a uniform offset that is known to be in range of the
// workgroup memory. A uniform load runs only if a lane is active, and its offset is the same in this lane.
func (w *vectorizer) wordInWorkgroupMemory(x *ir.Val) bool {
	return x.Op == ir.Ld && (x.Type == ir.I32 || x.Type == ir.F32) && w.src.Val(x.Args[0]).Op == ir.Wg && w.shapes.of[x.Args[1]].kind == uniform &&
		w.inWorkgroupMemory(x.Args[1], x.Aux)
}

// rowInWorkgroupMemory reports whether a strided access is known to be one of aligned, adjacent words in range of
// the workgroup memory. Inactive lanes have no range, but a row has all lanes. Code for words with a distance
// also loads the words between, and one after the last, for which the range says nothing.
func (w *vectorizer) rowInWorkgroupMemory(in *vcode.Inst) bool {
	x := w.src.Val(in.Value)
	return w.wholeGroup && in.Step*in.Stride <= 4 && (x.Op == ir.Ld || x.Op == ir.St) && w.src.Val(x.Args[0]).Op == ir.Wg && slices.Equal(w.active, w.allLanes) &&
		w.inWorkgroupMemory(x.Args[1], x.Aux)
}

// tableInWorkgroupMemory reports whether the words of a lane table are known to be in range of the workgroup memory. Inactive lanes have no
// range, but all lanes load.
func (w *vectorizer) tableInWorkgroupMemory(x *ir.Val) bool {
	return w.src.Val(x.Args[0]).Op == ir.Wg && w.isFull(w.active) && w.inWorkgroupMemory(x.Args[1], x.Aux)
}

// unsaturatedAt emits an At that cannot saturate as a multiplication or shift and an addition, and reports
// whether v is one.
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
