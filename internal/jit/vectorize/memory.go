package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// access emits an access of 32 bits whose address has a shape, and reports
// whether it did.
func (w *vectorizer) access(v ir.V, in vcode.Inst) bool {
	x := w.src.Val(v)
	if x.Type.Bits() == 16 {
		return w.access16(v, in)
	}
	if x.Type == ir.I64 && x.Op.Family() == ir.Atomics {
		return w.atomic(v, in)
	}
	if x.Type != ir.I32 && x.Type != ir.F32 {
		return false
	}
	switch {
	case x.Op == ir.PLd, x.Op == ir.PSt:
		return w.privateAccess(v, in)
	case x.Op.Family() == ir.Atomics && x.Op.Row().On == ir.OnFloat:
		return x.Type == ir.F32 && x.Flags&ir.RTZ == 0 && w.atomic(v, in)
	case x.Op.Family() == ir.Atomics:
		return w.atomic(v, in)
	case x.Op == ir.Ld, x.Op == ir.St:
	default:
		return false
	}
	if w.shapes.of[x.Args[0]].kind != uniform {
		return false
	}
	off := w.shapes.of[x.Args[1]]
	store := x.Op == ir.St
	switch {
	case off.kind == uniform && !store && x.Type == ir.F32:
		in.Op, in.Defs = vcode.BroadcastLoad, w.vec(v)[:1]
		in.Uses = []vcode.Reg{w.gen(x.Args[0]), w.gen(x.Args[1])}
		w.emit(in)
		return true
	case off.kind == uniform && !store:
		return false // once does it
	case off.kind == uniform && w.shapes.of[x.Args[2]].kind == uniform && !w.p.Effects.Discards:
		in.Op, in.Uses = vcode.Scalar, []vcode.Reg{w.gen(x.Args[0]), w.gen(x.Args[1]), w.gen(x.Args[2])}
		w.emit(in)
		return true
	}
	if w.wholeStripAccess(v, in) {
		return true
	}
	for p := range w.parts {
		one := in
		one.Part, one.Masks = uint8(p), w.active[p:p+1]
		one.Uses = []vcode.Reg{w.gen(x.Args[0])}
		if n := w.lookupIndex(v); n != 0 {
			one.Op, one.Uses = vcode.TableLookup, append(one.Uses, w.vec(n)[p])
		} else if !w.stridedAccess(x.Args[1], p, &one) {
			one.Op, one.Uses, one.Prefetch = vcode.Gather, append(one.Uses, w.vec(x.Args[1])[p]), w.prefetchLane(x)
		}
		if store {
			one.Op++ // the store of that load
			one.Uses = append(one.Uses, w.vec(x.Args[2])[p])
		} else {
			one.Defs, one.Merging = w.vec(v)[p:p+1], w.merging(v)
		}
		if one.Op == vcode.TableLookup && !one.Merging {
			one.Masks = nil // every lane may pick
		}
		w.emit(one)
	}
	return true
}

// atomic emits an atomic of 32 or 64 bits on a handle that is the same in all lanes.
func (w *vectorizer) atomic(v ir.V, in vcode.Inst) bool {
	x := w.src.Val(v)
	if w.shapes.of[x.Args[0]].kind != uniform {
		return false
	}
	in.Op = vcode.Atomic
	if w.src.Val(x.Args[0]).Op == ir.Wg {
		in.Op = vcode.AtomicLocal
		in.Proven = w.inWorkgroupMemory(x.Args[1], x.Aux)
	}
	for p := range w.parts {
		one := in
		one.Part, one.Masks = uint8(p), w.active[p:p+1]
		one.Uses = []vcode.Reg{w.gen(x.Args[0])}
		for _, a := range x.Args[1:x.Op.Args()] {
			one.Uses = append(one.Uses, w.vec(a)[p])
		}
		if x.Flags&ir.Unused == 0 {
			one.Defs, one.Merging = w.vec(v)[p:p+1], w.merging(v)
		}
		w.emit(one)
	}
	return true
}

// stridedAccess makes in a RowLoad where the offsets are consecutive words, or a load of
// one place, and reports whether they are.
func (w *vectorizer) stridedAccess(off ir.V, p int, in *vcode.Inst) bool {
	s := w.shapes.of[off]
	one := in.IR == ir.Ld && s.step == 0 // one place for the whole part
	switch {
	case s.kind == strided && (one || loadableStep(uint64(s.step), in.Key.Aux)):
	case s.kind == address && (one || loadableStep(uint64(s.step)*s.stride, in.Key.Aux+w.value(off).constStart)):
	default:
		return false
	}
	w.appendAddress(off, p, in)
	in.Op = vcode.StridedLoad
	if in.Prefetch = w.prefetchDistance(in.Value); one {
		in.Op, in.Uses = vcode.BroadcastLoad, in.Uses[:2]
	}
	return true
}

// appendAddress appends to what an access reads, which is its handle, what says
// where a row or an address is.
func (w *vectorizer) appendAddress(off ir.V, p int, in *vcode.Inst) {
	s := w.shapes.of[off]
	if s.kind == strided {
		at := w.firstLane(off, p)
		in.Step, in.Stride = s.step, 1
		in.Uses = append(in.Uses, at, w.zero, at)
		return
	}
	in.Step, in.Stride = s.step, uint32(s.stride)
	x := w.value(off)
	u := x.start[p]
	in.IndexOffset = x.indexOffset
	if x.constStart > 0 { // an offset out of range stays so, whichever part is added last
		u = w.zero
		in.Key.Aux += x.constStart
	}
	at, base := w.firstLane(off, p), x.base[p]
	if at != x.lane0[0] && s.regular {
		base = w.dst.NewReg(vcode.Gen)
		w.base(&base, u, at, in.Stride)
	}
	in.Uses = append(in.Uses, base, u, at)
}

// wholeStripAccess emits an access to rows of which each goes on where the one before
// ends as one instruction, and reports whether they do.
func (w *vectorizer) wholeStripAccess(v ir.V, in vcode.Inst) bool {
	x := w.src.Val(v)
	s := w.shapes.of[x.Args[1]]
	if w.parts == 1 || !s.regular || s.step == 0 || s.partStep != s.step*uint32(w.dst.Form.Lanes) || s.step > maxStep {
		return false
	}
	in.Masks, in.Uses = w.active, []vcode.Reg{w.gen(x.Args[0])}
	if !w.stridedAccess(x.Args[1], 0, &in) {
		return false
	}
	if x.Op == ir.St {
		in.Op = vcode.StridedStore
		in.Uses = append(in.Uses, w.vec(x.Args[2])...)
	} else {
		in.Defs, in.Merging = w.vec(v), w.merging(v)
	}
	w.emit(in)
	return true
}

// access16 emits an access to every 16 bits, or to 16 of every 32, as an operation
// of the lanes that is told of what else it may be made (vcode.Inst, Stride), and
// reports whether it did.
func (w *vectorizer) access16(v ir.V, in vcode.Inst) bool {
	x := w.src.Val(v)
	if w.dst.Form.VectorMasks || x.Op != ir.Ld && x.Op != ir.St || x.Flags&(ir.Volatile|ir.Coherent) != 0 || w.shapes.of[x.Args[0]].kind != uniform {
		return false
	}
	off := w.shapes.of[x.Args[1]]
	step := uint64(off.step)
	if off.kind == address {
		step *= off.stride
	}
	if off.kind != strided && off.kind != address || step != 2 && step != 4 {
		return false
	}
	for p := range w.parts {
		one := in
		one.Part, one.Masks = uint8(p), w.active[p:p+1]
		one.Uses = []vcode.Reg{w.vec(x.Args[0])[p], w.vec(x.Args[1])[p]}
		if x.Op == ir.St {
			one.Uses = append(one.Uses, w.vec(x.Args[2])[p])
		} else {
			one.Defs, one.Merging = w.vec(v)[p:p+1], w.merging(v)
		}
		w.appendStridedForm(x.Args[1], p, &one)
		w.emit(one)
	}
	return true
}

// appendStridedForm tells an operation of the lanes at which row it is.
func (w *vectorizer) appendStridedForm(off ir.V, p int, in *vcode.Inst) {
	form := vcode.Inst{IR: in.IR, Key: in.Key, Uses: []vcode.Reg{w.gen(w.src.Val(in.Value).Args[0])}}
	if w.appendAddress(off, p, &form); form.Key.Aux == in.Key.Aux {
		in.Step, in.Stride, in.IndexOffset = form.Step, form.Stride, form.IndexOffset
		in.Uses = append(in.Uses, form.Uses...)
	}
}

// loadableStep reports whether lanes access every word, or every second, fourth or eighth.
func loadableStep(step, imm uint64) bool {
	return step == 4 || (step == 8 || step == 16 || step == 32) && imm%4 == 0
}

// privateAccess emits an access to one slot of private memory in all lanes.
func (w *vectorizer) privateAccess(v ir.V, in vcode.Inst) bool {
	x := w.src.Val(v)
	if w.shapes.of[x.Args[0]].kind != uniform {
		return false
	}
	for p := range w.parts {
		one := in
		one.Part, one.Masks = uint8(p), w.active[p:p+1]
		one.Uses = []vcode.Reg{w.gen(x.Args[0])}
		if x.Op == ir.PSt {
			one.Op, one.Uses = vcode.SlotStore, append(one.Uses, w.vec(x.Args[1])[p])
		} else {
			one.Op, one.Defs, one.Merging = vcode.SlotLoad, w.vec(v)[p:p+1], w.merging(v)
		}
		w.emit(one)
	}
	return true
}
