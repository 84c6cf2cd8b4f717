package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// accessFlags returns the flags of a load or a store.
func (e *emitter) accessFlags() (flags ir.Flags) {
	for _, m := range e.in.Mods {
		switch m {
		case ".volatile":
			flags |= ir.Volatile
		case ".relaxed", ".acquire", ".release", ".mmio":
			flags |= ir.Volatile | ir.Coherent
		}
	}
	return flags
}

// elements returns the registers or values of a vector, or the one of a scalar.
func (e *emitter) elements(o *ptx.Operand) []*ptx.Operand {
	n := 1
	for _, m := range e.in.Mods {
		switch m {
		case ".v2":
			n = 2
		case ".v4":
			n = 4
		case ".v8":
			n = 8
		}
	}
	list := []*ptx.Operand{o}
	switch {
	case o.Kind == ptx.Vector:
		list = o.Elems
	case n > 1 && n <= 4 && o.Kind == ptx.Symbol && o.Part == "": // a vector register
		list = list[:0]
		for _, c := range "xyzw"[:n] {
			list = append(list, &ptx.Operand{Pos: o.Pos, Kind: ptx.Symbol, Name: o.Name, Part: "." + string(c)})
		}
	}
	if len(list) != n {
		malformed(o.Pos, "%s has %d elements; must have %d", e.in.Name(), len(list), n)
	}
	return list
}

// load emits ld and ldu. A value narrower than its register is extended by its type.
func (e *emitter) load() {
	t := e.typ(0)
	size := uint64(ptx.TypeSize(t))
	if size > 8 || size == 0 || t == ".pred" {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	list := e.elements(e.operand(0))
	temps := make([]ir.V, len(list))
	var slots []uint64
	flags := e.accessFlags()
	paths := 0
	shadows := e.loadShadows(t, len(list))
	e.memory(e.operand(1), spaceOf(e.in), size*uint64(len(list)), func(p place) {
		paths++
		e.indivisible(p, func() {
			for i := range list {
				e.bits = 0
				v := e.loadPlace(p, uint64(i)*size, e.accessType(t, list[i]), flags)
				e.tracePart(p, uint64(i)*size, size)
				shadows.note(e, i)
				if temps[i] = v; e.branching() {
					if len(slots) <= i {
						slots = append(slots, e.temporary(e.b.Func.Type(v)))
					}
					e.b.OpAux(ir.PSt, e.b.Func.Type(v), slots[i], e.b.I32(0), v)
				}
			}
		})
	})
	for i, o := range list {
		v := temps[i]
		if paths > 1 || e.item.wide {
			v = e.b.OpAux(ir.PLd, e.b.Func.Type(v), slots[i], e.b.I32(0))
		}
		shadows.apply(e, i)
		e.extend(o, v, t)
	}
	if e.in.Has(".acquire") {
		e.b.Emit(ir.Val{Op: ir.Fence, Flags: ir.Coherent})
	}
}

// branching reports whether the address of the instruction may be in several spaces, or the access has a lock.
func (e *emitter) branching() bool {
	return (e.in.Op == "ld" || e.in.Op == "ldu") && (spaceOf(e.in) == inGeneric || e.item.wide)
}

// temporary returns a variable for a value that several paths compute.
func (e *emitter) temporary(t ir.Type) uint64 {
	e.prog.Vars = append(e.prog.Vars, ir.Var{Name: "temporary", Slots: t.Slots(), Func: e.number})
	return uint64(len(e.prog.Vars) - 1)
}

// accessType returns the type of the load of an element: its register's if it has the same size.
func (e *emitter) accessType(t string, o *ptx.Operand) ir.Type {
	if o.Kind == ptx.Symbol {
		if r := e.register(e.scope, o.Name+o.Part); r != nil && r.size == ptx.TypeSize(t) {
			return r.typ
		}
	}
	return bitsType(ptx.TypeSize(t))
}

// extend makes a loaded value the value of a register, extended by its type.
func (e *emitter) extend(o *ptx.Operand, v ir.V, t string) {
	if o.Kind == ptx.Sink {
		return
	}
	r := e.resultRegister(o)
	if from := e.b.Func.Type(v); from.IsInt() && isSigned(t) && r.size > ptx.TypeSize(t) {
		v = e.b.Op(ir.SExt, bitsType(r.size), v)
	}
	e.set(r, v)
}

// store emits st.
func (e *emitter) store() {
	t := e.typ(0)
	size := uint64(ptx.TypeSize(t))
	if size > 8 || size == 0 || t == ".pred" {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	if e.in.Has(".release") {
		e.b.Emit(ir.Val{Op: ir.Fence, Flags: ir.Coherent})
	}
	list := e.elements(e.operand(1))
	values, shadows := make([]ir.V, len(list)), make([]shadow, len(list))
	for i, o := range list {
		want := e.accessType(t, o)
		if o.Kind == ptx.Immediate && isFloat(t) {
			want = irType(t)
		}
		e.sure, e.bits = 0, 0
		values[i] = e.read(o, want)
		shadows[i] = shadow{e.sure, e.bits}
	}
	flags := e.accessFlags()
	e.memory(e.operand(0), spaceOf(e.in), size*uint64(len(list)), func(p place) {
		e.indivisible(p, func() {
			for i, v := range values {
				e.sure, e.copied = shadows[i].sure, shadows[i].bits
				if p.space == inGlobal && (i < 3 || len(values) != 4) { // compilers store vectors of three as four
					e.checkStored()
				}
				e.storePlace(p, uint64(i)*size, v, flags)
				e.tracePart(p, uint64(i)*size, size)
			}
		})
	})
}

// loadPlace emits the load of the element at plus.
func (f *function) loadPlace(p place, plus uint64, t ir.Type, flags ir.Flags) ir.V {
	switch p.space {
	case inFrame:
		return f.as(f.loadFrame(p.symbol, p.plus+plus, bitsType(int(t.Size()))), t)
	case inLocal:
		return f.as(f.loadLocal(f.localOffset(p, plus), bitsType(int(t.Size()))), t)
	}
	f.followLoad(p, plus, t)
	return f.b.Emit(ir.Val{Op: ir.Ld, Type: t, Aux: plus, Flags: flags, Args: [4]ir.V{p.handle, p.offset}})
}

// storePlace emits the store of the element at plus.
func (f *function) storePlace(p place, plus uint64, v ir.V, flags ir.Flags) {
	bits := bitsType(int(f.b.Func.Type(v).Size()))
	switch p.space {
	case inFrame:
		f.storeFrame(p.symbol, p.plus+plus, f.as(v, bits))
	case inLocal:
		f.storeLocal(f.localOffset(p, plus), f.as(v, bits))
	default:
		f.b.Emit(ir.Val{Op: ir.St, Type: f.b.Func.Type(v), Aux: plus, Flags: flags, Args: [4]ir.V{p.handle, p.offset, v}})
		f.followStore(p, plus, f.b.Func.Type(v))
	}
}

// loadFrame emits a load from a frame variable. A value of less than 32 bits has a slot of its own.
func (f *function) loadFrame(s *symbol, offset uint64, t ir.Type) ir.V {
	if s.space == inLocal {
		return f.loadLocal(f.b.I32(s.offset+uint32(offset)), t)
	}
	slot := f.b.I32(uint32(offset / 4))
	if f.following() && !f.ofHeap(f.f) {
		bits := max(bitsType(int(t.Size())), ir.I32)
		f.meetBits(f.b.OpAux(ir.PLd, bits, f.frameShadow(s), slot))
	}
	if t.Bits() < 32 {
		return f.as(f.b.OpAux(ir.PLd, ir.I32, s.number, slot), t)
	}
	return f.b.OpAux(ir.PLd, t, s.number, slot)
}

func (f *function) storeFrame(s *symbol, offset uint64, v ir.V) {
	if s.space == inLocal {
		f.storeLocal(f.b.I32(s.offset+uint32(offset)), v)
		return
	}
	if t := f.b.Func.Type(v); t.Bits() < 32 {
		v = f.as(v, ir.I32)
	}
	slot := f.b.I32(uint32(offset / 4))
	f.b.OpAux(ir.PSt, f.b.Func.Type(v), s.number, slot, v)
	if f.following() {
		bits := bitsType(int(f.b.Func.Type(v).Size()))
		f.b.OpAux(ir.PSt, bits, f.frameShadow(s), slot, f.copiedBits(bits))
	}
}

// localOffset returns the offset of an element in the local memory.
func (f *function) localOffset(p place, plus uint64) ir.V {
	n := f.b.I32(uint32(p.plus + plus))
	if p.offset == 0 {
		return n
	}
	return f.b.Op(ir.Add, ir.I32, p.offset, n)
}

// loadLocal emits a load from the local memory. A value of less than 32 bits is part of a slot.
func (f *function) loadLocal(offset ir.V, t ir.Type) ir.V {
	if f.following() && !f.ofHeap(f.f) {
		f.meetBits(f.loadSlot(f.localShadow(), offset, bitsType(int(t.Size()))))
	}
	return f.loadSlot(f.local, offset, t)
}

// loadSlot emits a load from a variable with the layout of local memory.
func (f *function) loadSlot(variable uint64, offset ir.V, t ir.Type) ir.V {
	slot := f.b.Op(ir.LShr, ir.I32, offset, f.b.I32(2))
	if t.Bits() >= 32 {
		return f.b.OpAux(ir.PLd, t, variable, slot)
	}
	word := f.b.OpAux(ir.PLd, ir.I32, variable, slot)
	return f.as(f.b.Op(ir.LShr, ir.I32, word, f.bitOf(offset)), t)
}

// bitOf returns the number of the first bit of a byte in its slot.
func (f *function) bitOf(offset ir.V) ir.V {
	return f.b.Op(ir.Shl, ir.I32, f.b.Op(ir.And, ir.I32, offset, f.b.I32(3)), f.b.I32(3))
}

func (f *function) storeLocal(offset, v ir.V) {
	f.storeSlot(f.local, offset, v)
	if f.following() {
		f.storeSlot(f.localShadow(), offset, f.copiedBits(bitsType(int(f.b.Func.Type(v).Size()))))
	}
}

// storeSlot emits a store to a variable with the layout of local memory.
func (f *function) storeSlot(variable uint64, offset, v ir.V) {
	slot := f.b.Op(ir.LShr, ir.I32, offset, f.b.I32(2))
	if t := f.b.Func.Type(v); t.Bits() < 32 {
		bit := f.bitOf(offset)
		mask := f.b.Op(ir.Shl, ir.I32, f.b.I32(uint32(t.Mask())), bit)
		word := f.b.Op(ir.And, ir.I32, f.b.OpAux(ir.PLd, ir.I32, variable, slot), f.b.Op(ir.Not, ir.I32, mask))
		v = f.b.Op(ir.Or, ir.I32, word, f.b.Op(ir.Shl, ir.I32, f.as(v, ir.I32), bit))
	}
	f.b.OpAux(ir.PSt, f.b.Func.Type(v), variable, slot, v)
}

// spread returns the vector of the elements of a vector register, and any other operand as it is. The innermost scope with a register of
// the name decides.
func (e *emitter) spread(o *ptx.Operand) *ptx.Operand {
	if o.Kind != ptx.Symbol || o.Part != "" || o.Expr != nil {
		return o
	}
	v := &ptx.Operand{Pos: o.Pos, Kind: ptx.Vector}
	for s := e.scope; s != nil && len(v.Elems) == 0; s = s.parent {
		if e.registerOf(s, o.Name) != nil {
			return o
		}
		for _, c := range components {
			if part := "." + string(c); e.registerOf(s, o.Name+part) != nil {
				v.Elems = append(v.Elems, &ptx.Operand{Pos: o.Pos, Kind: ptx.Symbol, Name: o.Name, Part: part})
			}
		}
	}
	if len(v.Elems) == 0 {
		return o
	}
	return v
}

// movVector emits a copy of each element of a vector: all are read before one is written.
func (e *emitter) movVector() {
	to, from := e.elements(e.spread(e.operand(0))), e.elements(e.spread(e.operand(1)))
	values, shadows := make([]ir.V, len(from)), make([]shadow, len(from))
	for i, o := range from {
		e.sure, e.bits = 0, 0
		values[i] = e.read(o, e.accessType(e.typ(0), o))
		shadows[i] = shadow{e.sure, e.bits}
	}
	for i, o := range to {
		if e.sure, e.copied = shadows[i].sure, shadows[i].bits; o.Kind != ptx.Sink {
			e.set(e.resultRegister(o), values[i])
		}
	}
}

// mov emits a copy of each bit, and the packing of a vector or its unpacking.
func (e *emitter) mov() {
	if e.isVector() || e.in.Has(".v8") {
		e.movVector()
		return
	}
	d, s := e.spread(e.operand(0)), e.spread(e.operand(1))
	t := irType(e.typ(0))
	switch {
	case (s.Kind == ptx.Vector) != (d.Kind == ptx.Vector) && len(s.Elems)+len(d.Elems) != 2 && len(s.Elems)+len(d.Elems) != 4:
		malformed(e.in.Pos, "the vector of %s has %d elements; must have 2 or 4", e.in.Name(), len(s.Elems)+len(d.Elems))
	case s.Kind == ptx.Vector && d.Kind != ptx.Vector:
		e.packVector(s, int(t.Bits()))
	case d.Kind == ptx.Vector && s.Kind != ptx.Vector:
		n := uint64(t.Bits()) / uint64(len(d.Elems))
		if n < 8 {
			malformed(d.Pos, "the vector has %d elements, of less than a byte", len(d.Elems))
		}
		x := e.bitsOf(s, bitsType(int(t.Bits()/8)))
		for i, o := range d.Elems {
			part := func(v ir.V) ir.V {
				v = e.b.Op(ir.LShr, e.b.Func.Type(v), v, e.b.Const(e.b.Func.Type(v), n*uint64(i)))
				return e.as(v, bitsType(int(n/8)))
			}
			if o.Kind == ptx.Sink {
				continue
			}
			if e.lacks(0, 0); x.missing != 0 {
				e.lacks(part(x.missing), 0)
			}
			e.set(e.resultRegister(o), part(x.v))
		}
	case d.Kind == ptx.Vector:
		unsupported(e.in.Pos, "%s of a vector", e.in.Name())
	default:
		if t.IsFloat() && s.Kind == ptx.Symbol { // a copy of bits
			t = e.accessType(e.typ(0), s)
		}
		v := e.read(s, t)
		e.copied = e.bits
		e.result(v)
	}
}

// packVector emits the elements of a vector as one number, the first one lowest.
func (e *emitter) packVector(s *ptx.Operand, bits int) {
	n := bits / len(s.Elems)
	if n < 8 {
		malformed(s.Pos, "the vector has %d elements, of less than a byte", len(s.Elems))
	}
	list := make([]followed, len(s.Elems))
	for i, o := range s.Elems {
		list[i] = e.bitsOf(o, bitsType(n/8))
	}
	t := bitsType(bits / 8)
	e.moves(0, func(x ...ir.V) ir.V {
		v := e.b.Const(t, 0)
		for i := range x {
			v = e.b.Op(ir.Or, t, v, e.b.Op(ir.Shl, t, e.as(x[i], t), e.b.Const(t, uint64(n*i))))
		}
		return v
	}, list...)
}

// copyAsync emits cp.async as a copy at once: the ISA lets a copy be complete before any thread waits for it. The bytes of the source
// beyond its size are 0.
func (e *emitter) copyAsync() {
	if e.in.Has(".mbarrier") {
		e.arriveCopies()
		return
	}
	if e.in.Has(".bulk") && !e.in.Has(".commit_group") && !e.in.Has(".wait_group") {
		e.bulkCopy()
		return
	}
	if e.in.Has(".commit_group") || e.in.Has(".wait_group") || e.in.Has(".wait_all") {
		return
	}
	if len(e.in.Operands) < 3 || !e.in.Has(".shared") && !e.in.Has(".shared::cta") || !e.in.Has(".global") || e.in.Has(".bulk") {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	n := e.constantOperand(2)
	if n != 4 && n != 8 && n != 16 {
		malformed(e.operand(2).Pos, "the copy has %d bytes; must have 4, 8 or 16", n)
	}
	size := e.b.I32(uint32(n))
	if len(e.in.Operands) > 3 {
		o := e.operand(3)
		if r := e.register(e.scope, o.Name+o.Part); o.Kind == ptx.Symbol && r != nil && r.size == 0 { // ignores the source
			size = e.b.Select(e.read(o, ir.B1), e.b.I32(0), size)
		} else {
			size = e.read(o, ir.I32)
		}
	}
	words := make([]ir.V, n/4)
	if len(e.in.Operands) == 3 {
		e.memory(e.operand(1), inGlobal, n, func(p place) {
			for i := range words {
				words[i] = e.loadPlace(p, uint64(4*i), ir.I32, 0)
			}
		})
	} else {
		for i := range words {
			words[i] = e.copiedWord(uint64(4*i), e.b.Op(ir.Sub, ir.I32, size, e.b.I32(uint32(4*i))))
		}
	}
	e.memory(e.operand(0), inShared, n, func(p place) {
		for i, v := range words {
			e.storePlace(p, uint64(4*i), v, 0)
		}
	})
}

// copiedWord returns the word at an offset of the source of cp.async, of which left bytes are copied. It reads no byte that is not, because
// the memory may end before it, and a partial word byte by byte.
func (e *emitter) copiedWord(at uint64, left ir.V) ir.V {
	load := func(at uint64, t ir.Type) (x ir.V) {
		e.memory(e.operand(1), inGlobal, at+uint64(t.Size()), func(p place) { x = e.loadPlace(p, at, t, 0) })
		return x
	}
	b, slot := e.b, e.temporary(ir.I32)
	b.OpAux(ir.PSt, ir.I32, slot, b.I32(0), b.I32(0))
	b.If(b.Cmp(ir.SLe, b.I32(4), left))
	b.OpAux(ir.PSt, ir.I32, slot, b.I32(0), load(at, ir.I32))
	b.Else()
	for i := range uint32(3) {
		b.If(b.Cmp(ir.SLt, b.I32(i), left))
		x := b.Op(ir.Shl, ir.I32, b.Op(ir.ZExt, ir.I32, load(at+uint64(i), ir.I8)), b.I32(8*i))
		b.OpAux(ir.PSt, ir.I32, slot, b.I32(0), b.Op(ir.Or, ir.I32, b.OpAux(ir.PLd, ir.I32, slot, b.I32(0)), x))
		b.End()
	}
	b.End()
	return b.OpAux(ir.PLd, ir.I32, slot, b.I32(0))
}
