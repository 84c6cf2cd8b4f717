package ptxlower

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// With SanitizeUninit a program follows values that nothing wrote, as MemorySanitizer does (Stepanov and Serebryany 2015): those of
// registers, of .local, .param and .shared. Each register and each slot of private memory has a shadow, whose bits are 1 if it has a
// value; shared memory has a shadow byte for each of its bytes, after its end. The result of an instruction has a value if all operands
// that it reads do. A report is where the value matters: a guard, an address, a store to memory that other threads read, an atomic. A
// copy alone has none: ld, st and mov keep each bit of the shadow, so that the padding of structures has none.

// The rules of the reports.
const ruleUninit = "PTX: a register, .local or .shared without a value"

// following reports whether the program follows values.
func (u *unit) following() bool { return u.o.Sanitize&ir.SanitizeUninit != 0 }

// A known value is one of 0 operands without a value: f.sure is 0 then, and a boolean otherwise.

// meet adds the shadow of an operand to the instruction's.
func (f *function) meet(v ir.V) {
	if f.sure != 0 {
		v = f.b.Op(ir.And, ir.B1, f.sure, v)
	}
	f.sure = v
}

// meetBits adds the shadow of each bit of an operand. The last one is a copy's.
func (f *function) meetBits(v ir.V) {
	if f.bits = v; f.b.Func.Type(v) == ir.B1 {
		f.meet(v)
		return
	}
	f.meet(f.full(v))
}

// shadowOf returns the shadow variable of a register.
func (f *function) shadowOf(r *register) uint64 {
	if r.shadow == 0 && r.common != "" {
		r.shadow = 1 + f.commonVariable("shadow of "+r.common, shadowType(r).Slots())
	}
	if r.shadow == 0 {
		f.prog.Vars = append(f.prog.Vars, ir.Var{Name: "shadow", Slots: shadowType(r).Slots(), Func: f.number})
		r.shadow = uint64(len(f.prog.Vars)-1) + 1
	}
	return r.shadow - 1
}

// shadowType is the type of the shadow of a register.
func shadowType(r *register) ir.Type {
	if r.size == 0 {
		return ir.B1
	}
	return bitsType(r.size)
}

// followRead adds the shadow of a register that the instruction reads.
func (f *function) followRead(r *register) {
	f.bits = 0
	if f.following() && !f.written[r] && !f.ofHeap(f.f) {
		f.meetBits(f.b.OpAux(ir.PLd, shadowType(r), f.shadowOf(r), f.b.I32(0)))
	}
}

// followWrite gives a register the shadow of the instruction.
func (f *function) followWrite(r *register) {
	if !f.following() || f.ofHeap(f.f) {
		return
	}
	v, t := f.copied, shadowType(r)
	switch from := f.b.Func.Type(v); {
	case v == 0 || t == ir.B1:
		v = f.shadowBits(t)
	case from.Bits() < t.Bits(): // the upper bits count as bits of a value that is not copied
		upper := f.b.Select(f.full(v), f.b.Const(t, t.Mask()&^from.Mask()), f.b.Const(t, 0))
		v = f.b.Op(ir.Or, t, f.as(v, t), upper)
	default:
		v = f.as(v, t)
	}
	f.b.OpAux(ir.PSt, t, f.shadowOf(r), f.b.I32(0), v)
	if delete(f.written, r); f.sure == 0 && !f.guarded {
		f.written[r] = true
	}
}

// beginBlock forgets the values of registers in a block: its code may be reached from others.
func (f *function) beginBlock() {
	if f.following() {
		f.written = map[*register]bool{}
	}
}

// separately calls do, and returns the shadow of what it reads without adding it to that of the instruction.
func (f *function) separately(do func()) (sure ir.V) {
	outer := f.sure
	f.sure = 0
	do()
	sure, f.sure = f.sure, outer
	f.bits = 0
	return sure
}

// checkSure reports a value that depends on one that nothing wrote.
func (e *emitter) checkSure(sure ir.V, what string) {
	if what = strings.ReplaceAll(what, "%", "%%"); sure != 0 && e.following() {
		e.report(ir.SanitizeUninit, ruleUninit, e.b.Op(ir.Not, ir.B1, sure), what+" depends on a value that nothing wrote")
	}
}

// frameShadow returns the variable with the shadows of the slots of a frame variable.
func (f *function) frameShadow(s *symbol) uint64 {
	if s.shadow == 0 {
		s.shadow = f.variable("shadow", slotsOf(s.decl)) + 1
	}
	return s.shadow - 1
}

// localShadow returns the variable with the shadows of local memory, byte for byte.
func (u *unit) localShadow() uint64 {
	if u.shadowLocal == 0 {
		u.shadowLocal = u.variable("shadow", 0) + 1
	}
	return u.shadowLocal - 1
}

// full reports whether all bits of a shadow are 1.
func (f *function) full(v ir.V) ir.V {
	t := f.b.Func.Type(v)
	return f.b.Cmp(ir.Eq, v, f.b.Const(t, t.Mask()))
}

// shadowBits returns the shadow of the instruction as bits of a type.
func (f *function) shadowBits(t ir.Type) ir.V {
	switch {
	case t == ir.B1 && f.sure == 0:
		return f.b.Bool(true)
	case t == ir.B1:
		return f.sure
	case f.sure == 0:
		return f.b.Const(t, t.Mask())
	}
	return f.b.Select(f.sure, f.b.Const(t, t.Mask()), f.b.Const(t, 0))
}

// sharedShadow is the offset of the shadow of shared memory.
func (u *unit) sharedShadow() uint32 { return uint32(alignUp(uint64(u.systemEnd), 16)) }

// followLoad adds the shadow of an element that is loaded from shared memory.
func (f *function) followLoad(p place, plus uint64, t ir.Type) {
	if !f.following() || p.space != inShared || f.ofHeap(f.f) {
		return
	}
	at, inside := f.sharedPlace(p, plus, t)
	v := f.b.Emit(ir.Val{Op: ir.Ld, Type: bitsType(int(t.Size())), Args: [4]ir.V{p.handle, at}})
	all := f.b.Const(f.b.Func.Type(v), f.b.Func.Type(v).Mask())
	f.meetBits(f.b.Select(inside, v, all))
}

// followStore stores the shadow of a value that is stored in shared memory.
func (f *function) followStore(p place, plus uint64, t ir.Type) {
	if !f.following() || p.space != inShared || f.ofHeap(f.f) {
		return
	}
	at, inside := f.sharedPlace(p, plus, t)
	t = bitsType(int(t.Size()))
	v := f.copied
	if v == 0 {
		v = f.shadowBits(t)
	}
	f.b.If(inside)
	f.b.Emit(ir.Val{Op: ir.St, Type: t, Args: [4]ir.V{p.handle, at, f.as(v, t)}})
	f.b.End()
}

// sharedPlace returns where the shadow of bytes of shared memory is, and whether they are in it.
func (f *function) sharedPlace(p place, plus uint64, t ir.Type) (at, inside ir.V) {
	return f.sharedPlaceOf(f.b.Op(ir.Add, ir.I32, p.offset, f.b.I32(uint32(plus))), uint64(t.Size()))
}

// sharedPlaceOf is sharedPlace of so many bytes at an offset.
func (f *function) sharedPlaceOf(offset ir.V, bytes uint64) (at, inside ir.V) {
	inside = f.b.Bool(false)
	if bytes <= uint64(f.sharedEnd) {
		inside = f.b.Cmp(ir.ULe, offset, f.b.I32(f.sharedEnd-uint32(bytes)))
	}
	return f.b.Op(ir.Add, ir.I32, offset, f.b.I32(f.sharedShadow())), inside
}

// copiedBits returns the shadow of a value that is stored in private memory.
func (f *function) copiedBits(t ir.Type) ir.V {
	if f.copied == 0 {
		return f.shadowBits(t)
	}
	return f.as(f.copied, t)
}

// shadow is the shadow of an element that is stored: of all of it, and of each bit if it is a copy; 0 of one with a value.
type shadow struct{ sure, bits ir.V }

// loadShadows are variables with the shadows of the elements of a load, which has several paths.
type loadShadows struct {
	typ      ir.Type
	slots    []uint64
	followed bool // a path reads memory with shadows
}

// loadShadows returns the shadows of a load of elements of a type.
func (e *emitter) loadShadows(t string, n int) *loadShadows {
	s := &loadShadows{typ: bitsType(ptx.TypeSize(t))}
	for i := 0; i < n && e.following(); i++ {
		s.slots = append(s.slots, e.temporary(s.typ))
	}
	return s
}

// note keeps the shadow of element i, which a path has loaded.
func (s *loadShadows) note(e *emitter, i int) {
	if len(s.slots) == 0 {
		return
	}
	v := e.bits
	if v == 0 {
		v = e.b.Const(s.typ, s.typ.Mask())
	} else {
		s.followed = true
	}
	e.b.OpAux(ir.PSt, s.typ, s.slots[i], e.b.I32(0), e.as(v, s.typ))
}

// apply copies the shadow of element i to the result.
func (s *loadShadows) apply(e *emitter, i int) {
	if e.sure, e.copied = 0, 0; s.followed {
		v := e.b.OpAux(ir.PLd, s.typ, s.slots[i], e.b.I32(0))
		e.sure, e.copied = e.full(v), v
	}
}

// checkStored reports a value without a bit that was written, or one that depends on such a value.
func (e *emitter) checkStored() {
	sure := e.sure
	if t := e.b.Func.Type(e.copied); e.copied != 0 && t != ir.B1 {
		sure = e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.Eq, e.copied, e.b.Const(t, 0)))
	}
	e.checkSure(sure, "the stored value")
}
