package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// Generic addresses: device addresses are below 2⁶⁰, the windows of the other spaces above.
const (
	windowBits  = 60
	sharedIndex = 4
	localIndex  = 5
	paramIndex  = 6
)

// FirstAddress is the least device address, which has 0 as its low half.
const FirstAddress = 1 << 32

// narrowBits are the bits of an offset in a window of generic addresses of 32 bits. The device addresses below the windows are
// FirstAddress and the addresses after it, which have all allocations that a module with such addresses can name.
const narrowBits = 24

// narrowWindow returns the first generic address of 32 bits of a space that is no device memory.
func narrowWindow(in space) uint32 { return uint32(0xf0+windows[in]) << narrowBits }

// windows are the numbers of the windows of the spaces that are no device memory.
var windows = map[space]uint64{inShared: sharedIndex, inLocal: localIndex, inParam: paramIndex}

// place is the memory of an access, of any number of elements.
type place struct {
	space  space
	symbol *symbol // inFrame
	handle ir.V    // of a space with handles
	offset ir.V    // in bytes, of 32 bits; 0 for none
	plus   uint64
	// address is the operand of a space with handles; 0 if there is none, or if the place is one of constants
	address ir.V
}

// addressConstant returns the address of a variable in its space.
func (e *emitter) addressConstant(o *ptx.Operand, t ir.Type) ir.V {
	if t.IsFloat() {
		t = bitsType(int(t.Bits() / 8))
	}
	if v, ok := e.variableHandle(o); ok {
		return v
	}
	plus := uint64(0)
	if o.Expr != nil {
		plus = e.constant(o.Expr)
	}
	if s := e.symbol(e.scope, o.Name); s != nil {
		switch s.space {
		case inGlobal:
			return e.b.Const(t, s.address+plus)
		case inFrame:
			return e.b.Const(t, plus)
		}
		return e.b.Const(t, uint64(s.offset)+plus)
	}
	if e.image.functions[o.Name] != nil {
		return e.b.Const(t, e.image.addresses[o.Name]) // 0 of one without a body
	}
	malformed(o.Pos, "there is no register and no variable %s", o.Name)
	return 0
}

// memory calls access with the memory of an address operand for so many bytes; once for each space that a generic address may be in,
// under a test of the address.
func (e *emitter) memory(o *ptx.Operand, in space, bytes uint64, access func(place)) {
	if o.Kind != ptx.Address || len(o.Elems) != 1 {
		malformed(o.Pos, "this operand of %s is no address; must be one", e.in.Name())
	}
	a := o.Elems[0]
	if s, plus := e.baseOf(e.item, a); s != nil {
		if s.space == inFrame {
			access(place{space: inFrame, symbol: s, plus: uint64(plus)})
		} else {
			access(place{space: inLocal, plus: uint64(int64(s.offset) + plus)})
		}
		return
	}
	if e.loadsConstant(a) {
		access(e.constantPlace(e.readAddress(a, ir.I64)))
		return
	}
	var r *register
	if a.Kind == ptx.Symbol {
		r = e.register(e.scope, a.Name+a.Part)
		if s := e.symbol(e.scope, a.Name); r == nil && s != nil {
			e.variableMemory(s, a, bytes, access)
			return
		}
	}
	if in == inParam && e.number > 0 {
		in = inLocal
	}
	base := ir.I64
	if r != nil && r.size == 4 && (!e.narrow(a) || in != inGlobal && in != inGeneric) {
		base = ir.I32
	}
	if in == inGeneric && r != nil && r.origin != inInteger && r.origin != inNone {
		in = r.origin
		if in != inGeneric && in != inGlobal {
			e.inSpace(e.readAddress(a, base), in, bytes, access) // the window is no part of the offset
			return
		}
	}
	v := e.readAddress(a, base)
	if in != inGeneric {
		e.inSpace(v, in, bytes, access)
		return
	}
	e.generic(e.as(v, ir.I64), bytes, access)
}

// readAddress returns the value of an address, which must have one.
func (e *emitter) readAddress(a *ptx.Operand, t ir.Type) (v ir.V) {
	sure := e.separately(func() {
		if t != ir.I64 || !e.narrow(a) {
			v = e.read(a, t)
			return
		}
		v = e.fromNarrow(e.read(a, ir.I32))
	})
	e.checkSure(sure, "the address")
	return v
}

// narrow reports whether an operand is a generic address of 32 bits: a register of a module with addresses of 32 bits.
func (e *emitter) narrow(a *ptx.Operand) bool {
	if e.module.AddressSize != 32 || a.Kind != ptx.Symbol {
		return false
	}
	r := e.register(e.scope, a.Name+a.Part)
	return r != nil && r.size == 4
}

// fromNarrow returns the generic address of 64 bits of one of 32 bits: for a device address it has the low half, and the windows of the
// other spaces are the ones of narrowWindow.
func (e *emitter) fromNarrow(v ir.V) ir.V {
	b := e.b
	low := b.Op(ir.ZExt, ir.I64, v)
	wide := b.Op(ir.Or, ir.I64, low, b.Const(ir.I64, FirstAddress))
	top := b.Op(ir.LShr, ir.I32, v, b.I32(narrowBits))
	offset := b.Op(ir.And, ir.I64, low, b.Const(ir.I64, 1<<narrowBits-1))
	for _, in := range []space{inShared, inLocal, inParam} {
		at := b.Op(ir.Or, ir.I64, offset, b.Const(ir.I64, windows[in]<<windowBits))
		wide = b.Select(b.Cmp(ir.Eq, top, b.I32(narrowWindow(in)>>narrowBits)), at, wide)
	}
	return wide
}

// variableMemory is memory of the address of a variable.
func (e *emitter) variableMemory(s *symbol, a *ptx.Operand, bytes uint64, access func(place)) {
	plus := uint64(0)
	if a.Expr != nil {
		plus = e.constant(a.Expr)
	}
	switch s.space {
	case inGlobal:
		e.inSpace(e.b.Const(ir.I64, s.address+plus), inGlobal, bytes, access)
	default:
		e.inSpace(e.b.I32(s.offset+uint32(plus)), s.space, bytes, access)
	}
}

// inSpace calls access with the memory of an address in a space.
func (e *emitter) inSpace(v ir.V, in space, bytes uint64, access func(place)) {
	p := place{space: in, address: v}
	switch in {
	case inGlobal:
		v = e.as(v, ir.I64)
		p.handle = e.b.OpAux(ir.Region, ir.H, bytes, v)
		p.offset = e.b.Op(ir.RegionOff, ir.I32, p.handle, v)
	case inShared:
		p.handle, p.offset = e.b.Op(ir.Wg, ir.H), e.as(v, ir.I32)
	case inParam:
		p.handle, p.offset = e.b.Op(ir.Push, ir.H), e.as(v, ir.I32)
	default:
		p.offset = e.as(v, ir.I32)
	}
	e.checkRange(p, v, bytes)
	e.checkAlignment(p, v)
	if p.space == inShared {
		p.offset = e.withinShared(p.offset, bytes)
	}
	event := e.accessEvent(p.space)
	if !event.Atomic {
		e.traceAccess(p, 0, bytes, event)
	}
	outer := e.sure
	access(p)
	e.sure, e.bits = outer, 0 // they may be in a region that ends
	if event.Atomic && !e.tracesParts() {
		e.traceAccess(p, 0, bytes, event)
	}
}

// withinShared returns the offset of bytes in shared memory, or one beyond all memory if they are not in the variables: words of the
// system and the shadow, which follow them, are no memory of the kernel.
func (e *emitter) withinShared(offset ir.V, bytes uint64) ir.V {
	if e.systemEnd == e.sharedEnd && !e.following() {
		return offset
	}
	if x := e.b.Func.Val(offset); x.Op == ir.Const && x.Aux+bytes <= uint64(e.sharedEnd) {
		return offset
	}
	_, inside := e.sharedPlaceOf(offset, bytes)
	return e.b.Select(inside, offset, e.b.I32(1<<31))
}

// generic calls access for each space that the program uses.
func (e *emitter) generic(v ir.V, bytes uint64, access func(place)) {
	var list []space
	if e.sharedEnd > 0 {
		list = append(list, inShared)
	}
	if e.localBytes > 0 {
		list = append(list, inLocal)
	}
	if e.genericParams() {
		list = append(list, inParam)
	}
	window := e.b.Op(ir.LShr, ir.I64, v, e.b.Const(ir.I64, windowBits))
	for _, s := range list {
		e.b.If(e.b.Cmp(ir.Eq, window, e.b.Const(ir.I64, windows[s])))
		e.inSpace(v, s, bytes, access)
		e.b.Else()
	}
	e.inSpace(v, inGlobal, bytes, access)
	for range list {
		e.b.End()
	}
}

// genericParams reports whether the address of a parameter of the kernel may be generic.
func (u *unit) genericParams() bool {
	if u.prog.PushBytes == 0 {
		return false
	}
	if u.cvtaParam == 0 {
		u.cvtaParam = 1
		for _, f := range u.list {
			for i := range f.items {
				if in := f.items[i].in; in.Op == "cvta" && spaceOf(in) == inParam {
					u.cvtaParam = 2
				}
			}
		}
	}
	return u.cvtaParam == 2
}

// cvta converts between the addresses of a space and generic ones.
func (e *emitter) cvta() {
	in, t := spaceOf(e.in), bitsType(ptx.TypeSize(e.typ(0)))
	if in == inGeneric || t != ir.I64 && (t != ir.I32 || e.module.AddressSize != 32) {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	v := e.read(e.operand(1), t)
	if in == inParam && e.number > 0 {
		in = inLocal
	}
	if n := windows[in]; n != 0 {
		window, offsets := n<<windowBits, uint64(1<<32-1)
		if t == ir.I32 {
			window, offsets = uint64(narrowWindow(in)), 1<<narrowBits-1
		}
		if e.in.Has(".to") {
			v = e.b.Op(ir.And, t, v, e.b.Const(t, offsets))
		} else {
			v = e.b.Op(ir.Add, t, v, e.b.Const(t, window))
		}
	}
	e.result(v)
}

// isspacep tells whether a generic address is in a space. A generic address is global unless it is in the window of another space, and
// the window of the parameters is in the global one (PTX ISA, "Generic Addressing").
func (e *emitter) isspacep() {
	b := e.b
	v := e.readAddress(e.operand(1), ir.I64)
	window := b.Op(ir.LShr, ir.I64, v, b.Const(ir.I64, windowBits))
	constant := func() ir.V {
		n := uint64(len(e.image.Bytes)) - e.image.constants
		return b.Cmp(ir.ULt, b.Op(ir.Sub, ir.I64, v, b.Const(ir.I64, e.o.Base+e.image.constants)), b.Const(ir.I64, n))
	}
	switch in := spaceOf(e.in); {
	case e.in.Has(".const"):
		e.result(constant())
	case in == inGlobal:
		device := b.Cmp(ir.ULt, window, b.Const(ir.I64, sharedIndex))
		device = b.Op(ir.And, ir.B1, device, b.Op(ir.Not, ir.B1, constant()))
		e.result(b.Op(ir.Or, ir.B1, device, b.Cmp(ir.Eq, window, b.Const(ir.I64, paramIndex))))
	default:
		e.result(b.Cmp(ir.Eq, window, b.Const(ir.I64, windows[in])))
	}
}
