package vectorize

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Strided values and addresses in general registers
//
// One scalar operation on lane 0 replaces an operation on all lanes, and one scalar address serves a
// contiguous access of all parts. Of a regular shape only the first part has registers; the others are a
// constant further.
//
//	vi = add.i32 vx, vn              add   vi.lane0, vx.lane0, vn
//	                                 stridedbase vi.wordBase, 0, vi.lane0, stride 4
//	vo = at 0:i32, vi, #4            base of vo = vi.wordBase
//	va = ld.i32 vA, vo, #0           stridedload of all parts from there
//
// A strided value that is a small constant more than another one shares its registers (followLeader), so
// that the accesses to a[i-1], a[i] and a[i+1] share one address and one bounds check.

// firstLane returns a general register that holds a strided or uniform value in lane 0 of a part.
func (w *vectorizer) firstLane(v ir.V, part int) vcode.Reg {
	if w.shapes.of[v].kind == uniform {
		return w.gen(v)
	}
	s, x := w.shapes.of[v], w.value(v)
	if !s.regular || part == 0 || s.partStep == 0 {
		return x.lane0[part]
	}
	in := vcode.Inst{
		Op: vcode.Scalar, IR: ir.Add, Key: ir.Key{Type: ir.I32, From: ir.I32},
		Uses: []vcode.Reg{x.lane0[0], w.dst.NewConst(vcode.Gen, uint64(uint32(part)*s.partStep))},
	}
	if r, ok := w.foldConstant(&in); ok {
		return r
	}
	in.Defs = []vcode.Reg{w.dst.NewReg(vcode.Gen)}
	w.emit(in)
	return in.Defs[0]
}

// stridedOp emits lane 0 of a strided value for each part. It reports whether the whole value became a
// constant, which needs no vectors.
func (w *vectorizer) stridedOp(v ir.V, in vcode.Inst) bool {
	x := w.src.Val(v)
	to := w.value(v)
	in.Op = vcode.Scalar
	constant := true
	s := w.shapes.of[v]
	for p := range w.lane0Count(s) {
		one := in
		one.Part, one.Defs, one.Uses = uint8(p), to.lane0[p:p+1], w.laneOffset(x)
		if x.Op == ir.In {
			one.Op, one.Part = vcode.InputBase, uint8(w.originPart(w.p.In[x.Aux].Semantic, p))
		}
		for _, a := range x.Args[:x.Op.Args()] {
			one.Uses = append(one.Uses, w.firstLane(a, p))
		}
		if r, ok := w.foldConstant(&one); ok {
			to.lane0[p] = r
			continue
		}
		constant = false
		w.emit(one)
	}
	if lane0 := to.lane0; constant {
		w.constantBuiltin(v, s, func(part int) uint32 {
			if s.regular {
				bits, _ := w.dst.Const(lane0[0])
				return uint32(bits) + uint32(part)*s.partStep
			}
			bits, _ := w.dst.Const(lane0[part])
			return uint32(bits)
		})
		return true
	}
	if s.regular {
		to.lane0 = w.splat(to.lane0[0])
	}
	if !w.followLeader(v, to) {
		w.wordBases(v, to)
	}
	return false
}

// maxIndexOffset bounds the constant between a strided value and its leader.
const maxIndexOffset = 1 << 16

// followLeader makes a strided value that is another one + a constant share the registers of that one, and
// reports whether it is.
func (w *vectorizer) followLeader(v ir.V, to *value) bool {
	x := w.src.Val(v)
	if x.Op != ir.Add || w.shapes.of[v].uniformInPart() {
		return false
	}
	a, b := x.Args[0], x.Args[1]
	if w.src.Val(a).Op == ir.Const {
		a, b = b, a
	}
	k := w.src.Val(b)
	if k.Op != ir.Const || w.shapes.of[a].kind != strided || k.Aux > maxIndexOffset {
		return false
	}
	from := w.value(a)
	if from.wordBase == nil || uint64(from.indexOffset)+k.Aux > maxIndexOffset {
		return false
	}
	to.leader, to.wordBase, to.indexOffset = from.lane0, from.wordBase, from.indexOffset+uint32(k.Aux)
	if from.indexOffset > 0 {
		to.leader = from.leader
	}
	return true
}

// base emits start + index·stride, 64 bits, or folds it to a constant. Within a block no register of a value changes, so that equal sums share
// a register.
func (w *vectorizer) base(to *vcode.Reg, u, index vcode.Reg, stride uint32) {
	key := baseKey{u, index, stride}
	if r := w.builder.bases[key]; r != 0 {
		*to = r
		return
	}
	in := vcode.Inst{Op: vcode.StridedBase, Defs: []vcode.Reg{*to}, Uses: []vcode.Reg{u, index}, Stride: stride}
	if r, ok := w.foldConstant(&in); ok {
		*to = r
		return
	}
	w.emit(in)
	w.builder.bases[key] = *to
}

// bases emits start + lane0·stride for each part of a shape.
func (w *vectorizer) bases(s shape, u, lane0 []vcode.Reg, stride uint32) []vcode.Reg {
	list := w.lane0Regs(s)
	for p := range w.lane0Count(s) {
		w.base(&list[p], u[p], lane0[p], stride)
	}
	if s.regular {
		list = w.splat(list[0])
	}
	return list
}

// wordBases emits lane0·4 of a strided value: the offsets into arrays of words.
func (w *vectorizer) wordBases(v ir.V, x *value) {
	x.wordBase = w.bases(w.shapes.of[v], w.splat(w.zero), x.lane0, 4)
}

// addressOp emits the scalars of an address: U, the index in lane 0, and their sum.
func (w *vectorizer) addressOp(v ir.V) {
	x := w.src.Val(v)
	to, off := w.value(v), w.shapes.of[x.Args[0]]
	if off.kind == address {
		from := w.value(x.Args[0])
		to.start, to.lane0, to.indexOffset = w.advanceStarts(v, from.start), from.lane0, from.indexOffset
	} else {
		index := w.value(x.Args[1])
		if off.kind == strided {
			w.perPartAddress(v)
			return
		}
		to.start, to.lane0, to.indexOffset = w.splat(w.gen(x.Args[0])), index.lane0, index.indexOffset
		if index.indexOffset > 0 {
			to.lane0 = index.leader
		}
		if w.src.Val(x.Args[0]).Op == ir.Const && x.Aux == 4 {
			to.base, to.constStart = index.wordBase, w.src.Val(x.Args[0]).Aux
			return
		}
	}
	s := w.shapes.of[v]
	to.base = w.bases(s, to.start, to.lane0, uint32(s.stride))
}

// advanceStarts emits for each part U of an address plus the uniform term that an At adds to it.
func (w *vectorizer) advanceStarts(v ir.V, from []vcode.Reg) []vcode.Reg {
	x := w.src.Val(v)
	add := func(u vcode.Reg) vcode.Reg {
		to := w.dst.NewReg(vcode.Gen)
		w.emit(vcode.Inst{
			Op: vcode.Scalar, IR: ir.At, Key: ir.Key{Type: ir.I32, From: ir.I32, Aux: x.Aux}, Proven: w.upperBound(v) < math.MaxUint32,
			Defs: []vcode.Reg{to}, Uses: []vcode.Reg{u, w.gen(x.Args[1])},
		})
		return to
	}
	to := w.splat(add(from[0]))
	for p := 1; p < len(from); p++ {
		if from[p] != from[0] {
			to[p] = add(from[p])
		}
	}
	return to
}

// perPartAddress emits the scalars of an address with another U for each part, such as the start of a
// row of texels if a part has one y.
func (w *vectorizer) perPartAddress(v ir.V) {
	x := w.src.Val(v)
	to, s := w.value(v), w.shapes.of[v]
	to.start, to.lane0 = make([]vcode.Reg, w.parts), make([]vcode.Reg, w.parts)
	for p := range w.parts {
		to.start[p], to.lane0[p] = w.firstLane(x.Args[0], p), w.firstLane(x.Args[1], p)
	}
	to.base = w.bases(s, to.start, to.lane0, uint32(s.stride))
}

// foldConstant returns a constant register for the result of a Scalar or StridedBase of constants.
func (w *vectorizer) foldConstant(in *vcode.Inst) (vcode.Reg, bool) {
	var k [3]uint64
	if len(in.Uses) == 0 || len(in.Uses) > len(k) {
		return 0, false
	}
	for i, u := range in.Uses {
		bits, ok := w.dst.Const(u)
		if !ok {
			return 0, false
		}
		k[i] = bits
	}
	if in.Op == vcode.StridedBase {
		return w.dst.NewConst(vcode.Gen, k[0]+k[1]*uint64(in.Stride)), true
	}
	eval := in.IR.Row().Eval
	if eval == nil || in.Key.Type == ir.H {
		return 0, false
	}
	return w.dst.NewConst(vcode.Gen, eval(in.Key, k[0], k[1], k[2])), true
}
