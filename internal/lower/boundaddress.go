package lower

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// A decode function (SPV_NV_cooperative_matrix2) has a pointer to PhysicalStorageBuffer, also for a matrix in a bound
// buffer. Such a buffer may have no address. The pointer stays symbolic as long as possible; as a value it is a bound
// address, which no allocation has. Pointers to blocks have such values, too, in a module with blocks that shader records map to memory:
// these have addresses, and a function may get pointers to both.
//
//	bit  63      set; device addresses are below 2⁶³
//	     33–62   the descriptor's index, and above it the resource's number
//	     32      clear; set by sums that leave the 32 bits of the offset in either direction
//	     0–31    the offset
//
// So sums of addresses, conversions to integers and back, and comparisons are as of any address.

const (
	boundAddress   = 1 << 63
	boundGuard     = 32
	boundElement   = 33
	boundNumbers   = 63 - boundElement // bits of index and number
	spareResources = 1                 // bits, for the resources that lowering adds
)

// findBoundAddresses reports in bound whether a decode function reads a bound buffer: accesses through addresses
// then expect bound addresses.
func (u *unit) findBoundAddresses(tree []*facts.Function) {
	for _, f := range tree {
		for _, b := range f.Blocks {
			for i := b.Index + 1; i < b.Term; i++ {
				in := u.facts.Code.Inst(i)
				if in.Op() != spirv.OpCooperativeMatrixLoadTensorNV {
					continue
				}
				v := inst.CooperativeMatrixLoadTensorNV(in)
				t := u.facts.TypeOf(v.Pointer())
				if v.TensorAddressingOperands()&spirv.TensorAddressingOperandsDecodeFuncMask != 0 && t.IsPointer() && t.Storage != spirv.StorageClassPhysicalStorageBuffer {
					u.bindAddresses()
					return
				}
			}
		}
	}
}

// bindAddresses divides the bits of bound addresses.
func (u *unit) bindAddresses() {
	u.bound = boundNumbers - bits.Len(uint(len(u.prog.Res))) - spareResources
}

// findRecordPointers reports in anywhere whether a function has a pointer to a block as a value, in a module with a block that shader records
// map to memory.
func (u *unit) findRecordPointers(tree []*facts.Function) {
	mapped := false
	for _, p := range u.globals {
		mapped = mapped || p.record != nil && p.memory == physical
	}
	if !mapped {
		return
	}
	for _, f := range tree {
		for i := f.Index + 1; i < f.End; i++ {
			in := u.facts.Code.Inst(i)
			switch in.Op() {
			case spirv.OpFunctionParameter, spirv.OpFunctionCall, spirv.OpPhi, spirv.OpSelect, spirv.OpLoad:
				if t := u.facts.Type(in.Type()); t.IsPointer() && isBlockClass(t.Storage) {
					u.anywhere = true
					u.bindAddresses()
					return
				}
			}
		}
	}
}

// isBlockClass reports whether variables of a storage class are blocks in buffers.
func isBlockClass(c spirv.StorageClass) bool {
	return c == spirv.StorageClassStorageBuffer || c == spirv.StorageClassUniform
}

// boundAddressOf returns the bound address of a pointer.
func (f *function) boundAddressOf(p *pointer) ir.V {
	if f.bound <= 0 || p.resource == 0 {
		f.unsupported("the address of a pointee in %s", p.class)
	}
	b := f.b
	wide := func(v ir.V) ir.V { return b.Op(ir.ZExt, ir.I64, v) }
	last := b.I32(1<<min(f.bound, 31) - 1)
	numbers := b.Op(ir.Or, ir.I64, wide(b.Op(ir.UMin, ir.I32, p.element, last)), b.Op(ir.Shl, ir.I64, wide(p.resource), b.Const(ir.I64, uint64(f.bound))))
	high := b.Op(ir.Or, ir.I64, b.Op(ir.Shl, ir.I64, numbers, b.Const(ir.I64, boundElement)), b.Const(ir.I64, boundAddress))
	return b.Op(ir.Or, ir.I64, high, wide(f.offsetValue(p.offset)))
}

// boundRegion returns the handle and the offset of an address: of the bound buffer if it is a bound address,
// otherwise handle and off.
func (f *function) boundRegion(address, handle, off ir.V) (ir.V, ir.V) {
	b := f.b
	field := func(from, n int) ir.V {
		v := b.Op(ir.LShr, ir.I64, address, b.Const(ir.I64, uint64(from)))
		return b.Op(ir.And, ir.I32, b.Op(ir.Trunc, ir.I32, v), b.I32(1<<n-1))
	}
	bound := b.Cmp(ir.SLt, address, b.Const(ir.I64, 0))
	at := pointer{element: field(boundElement, f.bound), resource: field(boundElement+f.bound, boundNumbers-f.bound)}
	beyond := b.Op(ir.Not, ir.B1, b.Cmp(ir.Eq, field(boundGuard, 1), b.I32(0)))
	inBound := b.Select(beyond, b.I32(farAway), b.Op(ir.Trunc, ir.I32, address))
	return b.Select(bound, f.bufferHandle(&at), handle), b.Select(bound, inBound, off)
}

// bitcastBound lowers an OpBitcast to the pointer type t of a pointer into a bound buffer, which stays symbolic; false
// if the operand is none.
func (f *function) bitcastBound(in spirv.Inst, t *facts.Type) bool {
	v := f.value(inst.Bitcast(in).Operand())
	if v.ptr == nil || v.ptr.memory != inBuffer || v.ptr.class != spirv.StorageClassPhysicalStorageBuffer || !t.IsPointer() || t.Storage != v.ptr.class || f.severalLayouts(t) {
		return false
	}
	p := *v.ptr
	p.typ = t.Elem
	p.clearLayout()
	f.setLayout(&p, t, 0)
	f.definePointer(in, &p)
	return true
}
