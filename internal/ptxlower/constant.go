package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// Constant memory
//
// No thread and no command changes a .const variable of a module. So ld.const at an address that is one of a variable, or the sum of
// one and a number, is a load from a table of the program, which cannot alias a store:
//
//	mov.u64 %rd1, K;
//	add.s64 %rd2, %rd1, %rd0;
//	ld.const.u32 %r0, [%rd2];     ld.i32 table, K − start of the constants + %rd0
//
// Beyond the constants of the module, where the ISA gives no meaning to ld.const, it yields 0. Other addresses, for example those that
// the host passes, are addresses of any memory.

// maxConstants bounds the bytes of such a table: the ISA gives a module 64 KiB of constants (PTX ISA, "Constant State Space").
const maxConstants = 64 << 10

// maxConstantDepth bounds the instructions from the address of a variable to the load.
const maxConstantDepth = 8

// loadsConstant reports whether the instruction loads from the .const variables of the module, whatever numbers it adds to an address.
// Checks and records of accesses have addresses instead.
func (e *emitter) loadsConstant(a *ptx.Operand) bool {
	n := uint64(len(e.image.Bytes)) - e.image.constants
	plain := e.o.Sanitize == 0 && e.o.Symbols == nil && e.o.Counters == nil && e.accessFlags() == 0
	return plain && n > 0 && n <= maxConstants && (e.in.Op == "ld" || e.in.Op == "ldu") && e.in.Has(".const") && e.ofConstant(e.item, a, 0)
}

// ofConstant reports whether an operand is the address of a .const variable plus a number.
func (f *function) ofConstant(it *item, o *ptx.Operand, depth int) bool {
	if o.Kind != ptx.Symbol || o.Part != "" || o.Neg || o.Not || depth > maxConstantDepth {
		return false
	}
	r := f.register(it.at, o.Name)
	if r == nil {
		s := f.symbol(it.at, o.Name)
		return s != nil && s.space == inGlobal && s.address >= f.o.Base+f.image.constants
	}
	if r.defs != 1 || r.size != 8 || r.def.in.Guard != "" || len(r.def.in.Operands) < 2 || r.def.in.Operands[0].Kind != ptx.Symbol {
		return false
	}
	switch def := r.def; def.in.Op {
	case "mov":
		return f.ofConstant(def, def.in.Operands[1], depth+1)
	case "add":
		return len(def.in.Operands) == 3 && f.ofConstant(def, def.in.Operands[1], depth+1) != f.ofConstant(def, def.in.Operands[2], depth+1)
	}
	return false
}

// constantPlace returns the place of an address in the table of the constants.
func (e *emitter) constantPlace(v ir.V) place {
	if e.constantTable == 0 {
		e.prog.Tables = append(e.prog.Tables, e.image.Place(e.o.Base)[e.image.constants:])
		e.constantTable = uint64(len(e.prog.Tables))
	}
	offset := e.b.Op(ir.Sub, ir.I64, e.as(v, ir.I64), e.b.Const(ir.I64, e.o.Base+e.image.constants))
	return place{space: inGlobal, handle: e.b.OpAux(ir.Table, ir.H, e.constantTable-1), offset: e.as(offset, ir.I32)}
}
