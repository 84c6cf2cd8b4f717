package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// pointerState is the origins of pointers. origin is, for each instruction, the
// variable from which access chains and copies derive its pointer: 1 plus the index
// in facts.Module.Variables, or 0 if there is none or more than one.
type pointerState struct {
	origin  []int32
	structs []bool // by instruction: see structChains; nil until first used
}

// origins follows pointers to their variables. A base comes before its chain, so
// one pass is enough. Phis join pointers and have no single origin.
func (c *checker) origins() {
	for n := range c.m.Variables {
		c.pointers.origin[c.m.Variables[n].Index] = int32(n + 1)
	}
	for f := range c.m.Functions {
		for i := c.m.Functions[f].Index; i < c.m.Functions[f].End; i++ {
			if !c.code.Known(i) || !opcodes[c.code.OpAt(i)].chains {
				continue
			}
			if d := c.code.Def(chainBase(c.code.Inst(i))); d >= 0 && d < i {
				c.pointers.origin[i] = c.pointers.origin[d]
			}
		}
	}
}

// chainBase returns the pointer from which an instruction derives its pointer; 0
// if it derives none.
func chainBase(in spirv.Inst) spirv.ID {
	switch chainWord(in.Op()) {
	case 3:
		return inst.AccessChain(in).Base()
	case 4:
		return inst.UntypedAccessChainKHR(in).Base()
	}
	return 0
}

// chainWord returns the word of the pointer from which an instruction derives
// its pointer; 0 if it derives none.
func chainWord(op spirv.Op) int {
	switch op {
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain,
		spirv.OpRawAccessChainNV, spirv.OpImageTexelPointer, spirv.OpCopyObject, spirv.OpBufferPointerEXT:
		return 3
	case spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR, spirv.OpUntypedPtrAccessChainKHR,
		spirv.OpUntypedInBoundsPtrAccessChainKHR, spirv.OpUntypedImageTexelPointerEXT:
		return 4
	}
	return 0
}

// origin returns the variable from which a pointer is derived, nil if it is
// not known.
func (c *checker) origin(pointer spirv.ID) *facts.Variable {
	d := c.code.Def(pointer)
	if d < 0 || c.pointers.origin[d] == 0 {
		return nil
	}
	return &c.m.Variables[c.pointers.origin[d]-1]
}

// pointerOf returns the type of a pointer, nil if the type of the id is no pointer
// or missing.
func (c *subject) pointerOf(id spirv.ID) *facts.Type {
	if t := c.m.TypeOf(id); t.IsPointer() {
		return t
	}
	return nil
}

// logical reports whether a pointer type is of the logical addressing model
// (SPIR-V §2.2.2).
func (c *checker) logical(t *facts.Type) bool {
	switch c.m.Addressing {
	case spirv.AddressingModelLogical:
		return t.Storage != spirv.StorageClassPhysicalStorageBuffer
	case spirv.AddressingModelPhysicalStorageBuffer64:
		return t.Storage != spirv.StorageClassPhysicalStorageBuffer
	}
	return false
}

// blockOfArrays returns the struct within arrays, nil if there is none.
func blockOfArrays(t *facts.Type) *facts.Type {
	for t.IsArray() {
		t = t.Elem
	}
	if t.IsStruct() {
		return t
	}
	return nil
}
