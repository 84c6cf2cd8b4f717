package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// The stack of alloca is a part of the thread's local memory, the same for all functions (PTX ISA, "alloca"). A variable has the number of
// bytes in use, from the end of the part downwards, so that it is empty without an initialization. A function with alloca gives its bytes
// back when it returns.

// stackBytes is the size of the stack.
const stackBytes = 16 << 10

// Alignments of alloca: the least one, which is the default, and the greatest one.
const (
	leastStackAlign = 8
	mostStackAlign  = 1 << 23
)

// stack is the place of the stack in local memory.
type stack struct {
	begin uint32
	used  uint64 // 1 + the variable of the bytes in use; 0 without a stack
}

// allocates reports whether a function has alloca, stacksave or stackrestore.
func (f *function) allocates() bool { return allocates(f.f.Body) }

// placeStack reserves the stack, if a function uses it.
func (u *unit) placeStack() {
	for _, f := range u.list {
		if f.allocates() {
			u.stack = stack{u.reserve(f.f.Pos, stackBytes, bulkChunk), u.variable("stack", 1) + 1}
			return
		}
	}
}

// stackUsed returns the number of bytes in use.
func (f *function) stackUsed() ir.V { return f.b.OpAux(ir.PLd, ir.I32, f.stack.used-1, f.b.I32(0)) }

// useStack sets the number of bytes in use.
func (f *function) useStack(n ir.V) { f.b.OpAux(ir.PSt, ir.I32, f.stack.used-1, f.b.I32(0), n) }

// stackEnd returns the address in local memory after the stack.
func (f *function) stackEnd() uint32 { return f.stack.begin + stackBytes }

// saveStack keeps the bytes in use when a function begins.
func (f *function) saveStack() {
	if f.number > 0 && f.allocates() {
		f.saved = 1 + f.variable("stack of "+f.f.Name, 1)
		f.b.OpAux(ir.PSt, ir.I32, f.saved-1, f.b.I32(0), f.stackUsed())
	}
}

// restoreStack gives the bytes of a function back when it returns.
func (f *function) restoreStack() {
	if f.saved > 0 {
		f.useStack(f.b.OpAux(ir.PLd, ir.I32, f.saved-1, f.b.I32(0)))
	}
}

// allocate emits alloca. Without enough memory the launch fails.
func (e *emitter) allocate() {
	b := e.b
	align := uint64(leastStackAlign)
	if len(e.in.Operands) > 2 {
		n := e.constantOperand(2)
		if n == 0 || n&(n-1) != 0 || n > mostStackAlign {
			malformed(e.operand(2).Pos, "the alignment is %d; must be a power of two, at most %d", int64(n), mostStackAlign)
		}
		align = max(align, n)
	}
	t := e.stackType()
	size := e.read(e.operand(1), t)
	// The size and the padding fit in 64 bits.
	wide := func(v ir.V) ir.V { return e.as(v, ir.I64) }
	end := b.Op(ir.Sub, ir.I64, b.Const(ir.I64, uint64(e.stackEnd())), wide(e.stackUsed()))
	most := b.Op(ir.Sub, ir.I64, end, b.Const(ir.I64, uint64(e.stack.begin)))
	b.If(b.Cmp(ir.ULt, most, wide(size)))
	e.trap()
	b.End()
	at := b.Op(ir.And, ir.I64, b.Op(ir.Sub, ir.I64, end, wide(size)), b.Const(ir.I64, -align))
	b.If(b.Cmp(ir.ULt, at, b.Const(ir.I64, uint64(e.stack.begin))))
	e.trap()
	b.End()
	e.useStack(b.Op(ir.Trunc, ir.I32, b.Op(ir.Sub, ir.I64, b.Const(ir.I64, uint64(e.stackEnd())), at)))
	e.result(e.as(at, t))
}

// stackType returns the type of an address in an instruction on the stack.
func (e *emitter) stackType() ir.Type {
	switch e.typ(0) {
	case ".u32", ".u64":
		return bitsType(ptx.TypeSize(e.typ(0)))
	}
	malformed(e.in.Pos, "%s has type %s; must have .u32 or .u64", e.in.Name(), e.typ(0))
	return ir.None
}

// stackSave emits stacksave: the address of the last byte in use.
func (e *emitter) stackSave() {
	t := e.stackType()
	e.result(e.as(e.b.Op(ir.Sub, ir.I32, e.b.I32(e.stackEnd()), e.stackUsed()), t))
}

// stackRestore emits stackrestore. An address outside of the stack makes it full: a value of no stacksave corrupts the pointer.
func (e *emitter) stackRestore() {
	b := e.b
	used := b.Op(ir.Sub, ir.I32, b.I32(e.stackEnd()), e.as(e.read(e.operand(0), e.stackType()), ir.I32))
	e.useStack(b.Op(ir.UMin, ir.I32, used, b.I32(stackBytes)))
}
