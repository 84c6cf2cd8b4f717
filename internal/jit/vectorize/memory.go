package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Memory accesses
//
// The shape of the offset selects the instruction:
//
//	uniform                          scalar load or broadcastload; scalar store of a uniform value
//	strided by 1, 2, 4 or 8 words    stridedload, stridedstore: of all parts at once if they are contiguous; AVX2, NEON: by any
//	                                 number of words
//	varying, small table             tablelookup (lookup.go); table of 256 words: gather, for AVX-512 a lookup
//	varying                          gather, scatter; gather of 8 and 16 bits
//	private slot, uniform            slotload, slotstore
//	atomic                           atomic, lane by lane in order; atomiclocal on workgroup memory

// access emits a memory operation for which there is a better instruction than a lane operation, and
// reports whether it did.
func (w *vectorizer) access(v ir.V, in vcode.Inst) bool {
	x := w.src.Val(v)
	if b := x.Type.Bits(); b == 8 || b == 16 {
		return b == 16 && w.access16(v, in) || w.gatherNarrow(v, in) || w.scatterNarrow(v, in)
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
		in.Proven = w.wordInWorkgroupMemory(x)
		w.emit(in)
		return true
	case off.kind == uniform && !store:
		return false // see uniformOp
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
			one.Quads = !store && w.loadsByQuad(x)
			if w.loadsByByte(x) {
				one.Bytes, one.Quads, one.Prefetch = true, false, 0
			} else if one.Distances = w.laneDistances(x); one.Distances != nil {
				one.Proven = w.tableInWorkgroupMemory(x)
			}
		}
		if store {
			one.Op++ // StridedStore follows StridedLoad, Scatter follows Gather
			one.Uses = append(one.Uses, w.vec(x.Args[2])[p])
		} else {
			one.Defs, one.Merging = w.vec(v)[p:p+1], w.merging(v)
		}
		if one.Op == vcode.TableLookup && !one.Merging {
			one.Masks = nil // a lookup in all lanes is harmless
		}
		w.emit(one)
	}
	return true
}

// atomic emits an atomic of 32 or 64 bits on a uniform handle, and reports whether it did.
func (w *vectorizer) atomic(v ir.V, in vcode.Inst) bool {
	x := w.src.Val(v)
	if w.shapes.of[x.Args[0]].kind != uniform {
		return false
	}
	in.Op = vcode.Atomic
	if w.src.Val(x.Args[0]).Op == ir.Wg {
		in.Op = vcode.AtomicLocal
		in.Proven = w.inWorkgroupMemory(x.Args[1], x.Aux)
	} else {
		in.Limit = w.wordLimit(x)
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

// stridedAccess makes in a StridedLoad of part p if the offsets are words at a constant distance, or a load
// of one word for all lanes, and reports whether they are.
func (w *vectorizer) stridedAccess(off ir.V, p int, in *vcode.Inst) bool {
	s := w.shapes.of[off]
	one := in.IR == ir.Ld && s.step == 0 // the same word in all lanes of the part
	switch {
	case s.kind == strided && (one || w.loadableStep(uint64(s.step), in.Key.Aux)):
	case s.kind == address && (one || w.loadableStep(uint64(s.step)*s.stride, in.Key.Aux+w.value(off).constStart)):
	default:
		return false
	}
	w.appendAddress(off, p, in)
	in.Proven = w.rowInWorkgroupMemory(in)
	in.Op = vcode.StridedLoad
	if in.Prefetch = w.prefetchDistance(in.Value); one {
		in.Op, in.Uses = vcode.BroadcastLoad, in.Uses[:2]
	}
	return true
}

// appendAddress appends to the uses of an access, so far its handle, the registers of a strided offset or
// address.
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
	if x.constStart > 0 { // an offset out of range stays out of range, in whichever order the addends are added
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

// wholeStripAccess emits one instruction for all parts if each part continues the one before, and reports
// whether it did.
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

// access16 emits an access to each 16 bits, or to 16 of each 32, as a lane operation that carries the
// registers of a strided access as well: the machine chooses (vcode.Inst.Stride). It reports whether it
// did.
func (w *vectorizer) access16(v ir.V, in vcode.Inst) bool {
	x := w.src.Val(v)
	if w.dst.Form.VectorMasks && !w.dst.Form.Strided16 || x.Op != ir.Ld && x.Op != ir.St || x.Flags&(ir.Volatile|ir.Coherent) != 0 || w.shapes.of[x.Args[0]].kind != uniform {
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

// gatherNarrow emits a load of 8 or 16 bits with one handle for all lanes and varying offsets as a gather, and reports whether
// it did.
func (w *vectorizer) gatherNarrow(v ir.V, in vcode.Inst) bool {
	x := w.src.Val(v)
	if !w.dst.Form.NarrowAccesses || x.Op != ir.Ld || x.Flags&(ir.Volatile|ir.Coherent) != 0 || w.shapes.of[x.Args[0]].kind != uniform || w.shapes.of[x.Args[1]].kind == uniform {
		return false
	}
	for p := range w.parts {
		one := in
		one.Op, one.Part, one.Masks = vcode.Gather, uint8(p), w.active[p:p+1]
		one.Uses = []vcode.Reg{w.gen(x.Args[0]), w.vec(x.Args[1])[p]}
		one.Defs, one.Merging = w.vec(v)[p:p+1], w.merging(v)
		w.emit(one)
	}
	return true
}

// scatterNarrow emits a store of 8 or 16 bits with one handle for all lanes as a scatter, and reports whether it did.
func (w *vectorizer) scatterNarrow(v ir.V, in vcode.Inst) bool {
	x := w.src.Val(v)
	if !w.dst.Form.NarrowAccesses || x.Op != ir.St || x.Flags&(ir.Volatile|ir.Coherent) != 0 || w.shapes.of[x.Args[0]].kind != uniform || w.shapes.of[x.Args[1]].kind == uniform {
		return false
	}
	for p := range w.parts {
		one := in
		one.Op, one.Part, one.Masks = vcode.Scatter, uint8(p), w.active[p:p+1]
		one.Uses = []vcode.Reg{w.gen(x.Args[0]), w.vec(x.Args[1])[p], w.vec(x.Args[2])[p]}
		w.emit(one)
	}
	return true
}

// appendStridedForm adds the registers of a strided access of part p to a lane operation.
func (w *vectorizer) appendStridedForm(off ir.V, p int, in *vcode.Inst) {
	form := vcode.Inst{IR: in.IR, Key: in.Key, Uses: []vcode.Reg{w.gen(w.src.Val(in.Value).Args[0])}}
	if w.appendAddress(off, p, &form); form.Key.Aux == in.Key.Aux {
		in.Step, in.Stride, in.IndexOffset = form.Step, form.Stride, form.IndexOffset
		in.Uses = append(in.Uses, form.Uses...)
	}
}

// maxWideStep is the largest distance of lanes in bytes for which the code of a machine without gathers has one check and an address
// with a constant displacement for each lane.
const maxWideStep = 1 << 12

// maxRecordStep is the same for a machine with gathers: 16 records of 16 words. A gather is one instruction, but it has a micro-operation or
// more for each lane.
const maxRecordStep = 64

// loadableStep reports whether lanes access each word, or words at a small constant distance. A machine without gathers moves the
// words of great distances lane by lane, which needs no offsets in vectors.
func (w *vectorizer) loadableStep(step, imm uint64) bool {
	switch {
	case step == 4:
		return true
	case imm%4 != 0:
		return false
	case w.dst.Form.VectorMasks:
		return step%4 == 0 && step > 0 && step <= maxWideStep
	}
	return step%4 == 0 && step > 0 && step <= maxRecordStep
}

// privateAccess emits an access to one slot of private memory in all lanes, and reports whether it did.
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
