package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Lane tables
//
// Tiles in workgroup memory are loaded at indices that divide the lanes into rows and columns. Such values are not strided, but the
// lanes differ by constants: a lane table. In parts of 8 lanes, with a subgroup of 16 of a workgroup of 128:
//
//	vl = in.i32 localindex         strided, step 1; lane 0 is a multiple of 8
//	vc = and.i32 vl, 3:i32         0 + {0 1 2 3 0 1 2 3}: the same in all parts
//	vr = lshr.i32 vl, 2:i32        base + {0 0 0 0 1 1 1 1}
//	vi = mul.i32 vr, 17:i32        base + {0 0 0 0 17 17 17 17}
//	vo = at 0:i32, vi, #4          offsets, {0 0 0 0 68 68 68 68} more than in lane 0
//
// So a load needs one bounds check and addresses with constant displacements (vcode: Inst.Distances), and an operation with the same
// values in all parts is emitted once.
//
// A table describes all lanes of a register, active or not. So it is noted only where all lanes are active: then each lane has the value of
// an operand that its shape or table predicts.

// maxLanes bounds the lanes of a table.
const maxLanes = 16

// laneTable describes a value: base + more[i] modulo 2³² in lane i of a part, where each part has its own base.
type laneTable struct {
	more  [maxLanes]uint32 // 0 for lanes that a part does not have
	align uint8            // low bits of the base that are known to be 0; allZero: the base is 0
	same  bool             // all parts have the same base
	// offset marks a byte offset that may saturate. If the offset of lane 0 and the highest number of more are in range of a memory
	// together, the offset of each lane is the sum.
	offset bool
}

// noteLaneTable notes the table of a varying value, if all lanes are active.
func (w *vectorizer) noteLaneTable(v ir.V) {
	x := w.src.Val(v)
	if !w.dst.Form.VectorMasks || x.Type != ir.I32 || w.shapes.of[v].kind != varying || !x.Op.Pure() || x.Op.Args() < 1 || x.Op.Args() > 2 ||
		!w.isFull(w.active) || int(w.shapes.lanes) != w.dst.Form.Lanes || w.dst.Form.Lanes > maxLanes || w.accumulators[v] != 0 {
		return
	}
	var operands [2]laneTable
	for i, a := range x.Args[:x.Op.Args()] {
		t, ok := w.laneTableOf(a)
		if !ok || t.offset && (x.Op != ir.At || i > 0) {
			return
		}
		operands[i] = t
	}
	t, ok := w.combineTables(v, operands)
	if !ok {
		return
	}
	if w.laneTables == nil {
		w.laneTables = map[ir.V]laneTable{}
	}
	w.laneTables[v] = t
}

// laneTableOf returns the table of an operand in code in which all lanes are active.
func (w *vectorizer) laneTableOf(v ir.V) (t laneTable, ok bool) {
	x := w.src.Val(v)
	if x.Op == ir.Const {
		t.align, t.same = zeros(x.Aux), true
		return t, x.Type == ir.I32
	}
	if x.Type != ir.I32 {
		return t, false
	}
	switch s := w.shapes.of[v]; s.kind {
	case uniform:
		t.align, t.same = s.align, true
		return t, true
	case strided:
		t.align, t.same = s.partAlign(), s.regular && s.partStep == 0
		for i := range w.dst.Form.Lanes {
			t.more[i] = s.step * uint32(i)
		}
		return t, true
	}
	t, ok = w.laneTables[v]
	return t, ok
}

// combineTables returns the table of an operation.
func (w *vectorizer) combineTables(v ir.V, operands [2]laneTable) (t laneTable, ok bool) {
	x := w.src.Val(v)
	a, b := operands[0], operands[1]
	if x.Op == ir.At {
		return w.offsetTable(x.Aux, a, b)
	}
	for i := range x.Op.Args() { // a constant is a base, or beside constants a number of each lane
		if k := w.src.Val(x.Args[i]); k.Op == ir.Const && operands[1-i].align == allZero {
			operands[i].align = allZero
			for j := range w.dst.Form.Lanes {
				operands[i].more[j] = uint32(k.Aux)
			}
		}
	}
	a, b = operands[0], operands[1]
	if a.align == allZero && (x.Op.Args() == 1 || b.align == allZero) {
		return w.constantTable(v, a, b)
	}
	if x.Op.Args() != 2 {
		return t, false
	}
	k := w.src.Val(x.Args[1])
	constant, count := k.Op == ir.Const, uint8(k.Aux&31)
	t.same, t.align = a.same && b.same, min(a.align, b.align)
	var combine func(a, b uint32) uint32
	switch {
	case x.Op == ir.Add:
		combine = func(a, b uint32) uint32 { return a + b }
	case x.Op == ir.Sub:
		combine = func(a, b uint32) uint32 { return a - b }
	case x.Op == ir.Mul && constant:
		t.align = min(a.align+zeros(k.Aux), allZero)
		combine = func(a, _ uint32) uint32 { return a * uint32(k.Aux) }
	case x.Op == ir.Shl && constant:
		t.align = min(a.align+count, allZero)
		combine = func(a, _ uint32) uint32 { return a << count }
	case x.Op == ir.LShr && constant && a.below(a.align) && count <= a.align:
		// The base has no bit below align, and the rest none from there on: no carry is between them.
		t.align = a.align - count
		combine = func(a, _ uint32) uint32 { return a >> count }
	case x.Op == ir.And && constant && a.below(a.align):
		if t.align = a.align; k.Aux>>a.align == 0 {
			t.align, t.same = allZero, true
		}
		combine = func(a, _ uint32) uint32 { return a & uint32(k.Aux) }
	case (x.Op == ir.Or || x.Op == ir.Xor) && a.below(t.align) && b.below(t.align):
		if combine = func(a, b uint32) uint32 { return a | b }; x.Op == ir.Xor {
			combine = func(a, b uint32) uint32 { return a ^ b }
		}
	default:
		return t, false
	}
	for i := range t.more {
		t.more[i] = combine(a.more[i], b.more[i])
	}
	return t, true
}

// below reports whether all lanes are less than 2ᵏ above the base.
func (t *laneTable) below(k uint8) bool {
	for _, n := range t.more {
		if uint64(n)>>k != 0 {
			return false
		}
	}
	return true
}

// constantTable returns the table of an operation on numbers that are constants in each lane.
func (w *vectorizer) constantTable(v ir.V, a, b laneTable) (t laneTable, ok bool) {
	eval := w.src.Val(v).Op.Row().Eval
	if eval == nil {
		return t, false
	}
	t.align, t.same = allZero, true
	for i := range w.dst.Form.Lanes {
		t.more[i] = uint32(eval(w.src.Key(v), uint64(a.more[i]), uint64(b.more[i]), 0))
	}
	return t, true
}

// offsetTable returns the table of an At: the sums of the distances of its operands from lane 0, none of which is negative.
//
// If lane 0 has the offset o, and o + the highest distance is in range, less than 2³², then nothing has saturated or wrapped around in
// lane 0, and neither has in any other lane: index and offset grow by less than the sum.
func (w *vectorizer) offsetTable(stride uint64, off, index laneTable) (t laneTable, ok bool) {
	t.offset, t.same = true, off.same && index.same
	for i := range w.dst.Form.Lanes {
		a, b := off.more[i]-off.more[0], uint64(index.more[i]-index.more[0])
		if a > maxWideStep || b > maxWideStep || stride > maxWideStep || b*stride > maxWideStep {
			return t, false
		}
		t.more[i] = a + uint32(b*stride)
	}
	return t, true
}

// laneDistances returns the distances of the offsets of a load in the lanes from the offset of lane 0, or nil if they are not known.
func (w *vectorizer) laneDistances(x *ir.Val) []uint16 {
	t, ok := w.laneTables[x.Args[1]]
	if !ok || !w.dst.Form.Distances || x.Op != ir.Ld || x.Flags&(ir.Volatile|ir.Coherent) != 0 {
		return nil
	}
	list := make([]uint16, w.dst.Form.Lanes)
	for i := range list {
		n := t.more[i] - t.more[0]
		if n > maxWideStep {
			return nil
		}
		list[i] = uint16(n)
	}
	return list
}

// oncePerStrip emits an operation once by emit, if all parts have the same result, and reports whether it did. Value numbering then finds
// the operations that depend on it.
func (w *vectorizer) oncePerStrip(v ir.V, emit func()) bool {
	if t, ok := w.laneTables[v]; !ok || !t.same || w.parts == 1 || !w.isFull(w.active) {
		return false
	}
	x, to, parts := w.src.Val(v), w.value(v), w.parts
	for _, a := range x.Args[:x.Op.Args()] {
		w.vec(a) // a list for all parts
	}
	to.vec = w.splat(to.vec[0])
	w.parts = 1
	emit()
	w.parts, w.rows = parts, true
	return true
}
