package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var untypedRules = rules{
	spirv.OpUntypedPtrAccessChainKHR:         untypedPtrAccessChain,
	spirv.OpUntypedInBoundsPtrAccessChainKHR: untypedPtrAccessChain,
	spirv.OpUntypedAccessChainKHR:            untypedAccessChain,
	spirv.OpUntypedInBoundsAccessChainKHR:    untypedAccessChain,
	spirv.OpUntypedArrayLengthKHR:            untypedArrayLength,
}

// typedPointer returns the pointer of an operand for an access of a value of type t,
// which is the pointee of an untyped pointer (SPV_KHR_untyped_pointers).
func (f *function) typedPointer(id spirv.ID, t *facts.Type) *pointer {
	p := *f.pointer(id)
	if f.typeOf(id).Op == spirv.OpTypeUntypedPointerKHR {
		f.retype(&p, t)
	}
	return &p
}

// retype changes the pointee type of an untyped pointer.
func (f *function) retype(p *pointer, t *facts.Type) {
	if t == nil {
		f.malformed("a type is missing")
	}
	p.untyped = true
	if p.typ != t && p.memory != opaque && p.memory != descriptor {
		p.typ = t
		p.clearLayout()
	}
}

func untypedAccessChain(f *function, in spirv.Inst) {
	v := inst.UntypedAccessChainKHR(in)
	p := *f.pointer(v.Base())
	f.retype(&p, f.facts.Type(v.BaseType()))
	f.definePointer(in, f.walk(in, p, v.Indexes()))
}

// untypedPtrAccessChain advances by elements first: by the array stride of the base type,
// or else of the pointer's type.
func untypedPtrAccessChain(f *function, in spirv.Inst) {
	v := inst.UntypedPtrAccessChainKHR(in)
	p := *f.pointer(v.Base())
	base := f.facts.Type(v.BaseType())
	f.retype(&p, base)
	from := base
	if f.arrayStride(base) == 0 {
		from = f.typeOf(v.Base())
	}
	stride := f.elementStride(&p, from)
	if stride == 0 {
		f.malformed("the elements have no array stride")
	}
	f.advanceElements(&p, v.Element(), stride)
	f.definePointer(in, f.walk(in, p, v.Indexes()))
}

func untypedArrayLength(f *function, in spirv.Inst) {
	v := inst.UntypedArrayLengthKHR(in)
	p := *f.pointer(v.Pointer())
	f.retype(&p, f.facts.Type(v.Structure()))
	f.lengthOf(in, &p, v.ArrayMember())
}
