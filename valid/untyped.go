package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// untypedFamily checks what untyped pointers must point to in shaders
// (SPV_KHR_untyped_pointers, §2.16.2 and OpUntypedArrayLengthKHR): the decorations of
// a matrix are on the member of a struct, so each access of a matrix begins at a
// struct, and a length is that of a whole buffer.
var untypedFamily = family{
	rules: []Rule{
		{Code: "SPV-Untyped-Matrix", Section: untypedSection, Words: "in a shader, access chains from a struct lead to a matrix, an array of matrices or a column that OpLoad or OpStore accesses by an untyped pointer; no other instruction accesses one"},
		{Code: "SPV-Untyped-Length", Section: untypedSection, Words: "OpUntypedArrayLengthKHR is of a buffer: the pointer is no part of it, and in StorageBuffer, Uniform or PhysicalStorageBuffer"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpLoad:                  (*checker).untypedLoad,
		spirv.OpStore:                 (*checker).untypedStore,
		spirv.OpCopyMemory:            (*checker).untypedCopy,
		spirv.OpUntypedArrayLengthKHR: (*checker).untypedLength,
	},
}

// untypedSection is the section of the rules of untyped pointers.
const untypedSection = "SPIR-V, SPV_KHR_untyped_pointers"

func (c *checker) untypedLoad(i int, in spirv.Inst) {
	c.untypedMatrix(i, inst.Load(in).Pointer(), c.m.Type(in.Type()))
}

func (c *checker) untypedStore(i int, in spirv.Inst) {
	v := inst.Store(in)
	c.untypedMatrix(i, v.Pointer(), c.m.TypeOf(v.Object()))
}

// untypedCopy checks a copy, which interprets untyped memory as the type of its other pointer.
func (c *checker) untypedCopy(i int, in spirv.Inst) {
	v := inst.CopyMemory(in)
	for _, p := range [...][2]spirv.ID{{v.Target(), v.Source()}, {v.Source(), v.Target()}} {
		if t := c.m.TypeOf(p[1]); c.untypedShader(p[0]) && t.IsPointer() && matrices(t.Elem) {
			c.fail(i, "SPV-Untyped-Matrix", "OpCopyMemory of %s through the untyped pointer %s; must be OpLoad or OpStore", c.typeName(t.Elem), c.name(p[0]))
		}
	}
}

// untypedShader reports whether an id is an untyped pointer in a shader.
func (c *checker) untypedShader(id spirv.ID) bool {
	p := c.m.TypeOf(id)
	return p.IsPointer() && p.Op == spirv.OpTypeUntypedPointerKHR && c.capable(spirv.CapabilityShader)
}

// matrices reports whether a type is a matrix or an array of matrices.
func matrices(t *facts.Type) bool { t = core(t); return t != nil && t.IsMatrix() }

// untypedMatrix checks an access of memory as type t.
func (c *checker) untypedMatrix(i int, pointer spirv.ID, t *facts.Type) {
	if t == nil || !c.untypedShader(pointer) || c.origin(pointer) == nil { // variable_pointer.go checks pointers among which one is chosen
		return
	}
	if matrices(t) || t.IsVector() && c.columnAt(pointer) {
		if !c.fromStruct(pointer) {
			c.fail(i, "SPV-Untyped-Matrix", "%s of %s through %s, to which no access chain from a struct leads; must have one", c.code.Inst(i).Op(), c.typeName(t), c.name(pointer))
		}
	}
}

// columnAt reports whether an untyped access chain selects a column of a matrix.
func (c *checker) columnAt(pointer spirv.ID) bool {
	d := c.code.DefInst(pointer)
	if d == nil {
		return false
	}
	h := chainOf(d)
	t := c.m.Type(h.baseType)
	for n, id := range h.path {
		if t.IsMatrix() {
			return n == len(h.path)-1
		}
		t = c.selected(t, id)
	}
	return false
}

// fromStruct reports whether access chains lead from a struct to a pointer.
func (c *checker) fromStruct(pointer spirv.ID) bool {
	if c.pointers.structs == nil {
		c.structChains()
	}
	d := c.code.Def(pointer)
	return d >= 0 && c.pointers.structs[d]
}

// structChains notes the pointers to which access chains from a struct lead. A base
// comes before its chain, so one pass is enough, however long the chains are.
func (c *checker) structChains() {
	c.pointers.structs = make([]bool, c.code.Len())
	for f := range c.m.Functions {
		for i := c.m.Functions[f].Index; i < c.m.Functions[f].End; i++ {
			if !c.code.Known(i) || !opcodes[c.code.OpAt(i)].chains {
				continue
			}
			in := c.code.Inst(i)
			h := chainOf(in)
			t := c.m.Type(h.baseType)
			if p := c.pointerOf(h.base); t == nil && p != nil {
				t = p.Elem
			}
			d := c.code.Def(chainBase(in))
			c.pointers.structs[i] = core(t).IsStruct() || (h.base != 0 || in.Op() == spirv.OpCopyObject) && d >= 0 && d < i && c.pointers.structs[d]
		}
	}
}

// untypedLength checks that the pointer of a length is a buffer as a whole, at its first byte.
func (c *checker) untypedLength(i int, in spirv.Inst) {
	id := inst.UntypedArrayLengthKHR(in).Pointer()
	if !c.untypedShader(id) {
		return
	}
	switch p := c.m.TypeOf(id); p.Storage {
	case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform, spirv.StorageClassPhysicalStorageBuffer:
	default:
		c.fail(i, "SPV-Untyped-Length", "OpUntypedArrayLengthKHR of a pointer into %s; must be into a buffer", p.Storage)
		return
	}
	d := c.code.DefInst(id)
	if d == nil || d.Op() != spirv.OpUntypedAccessChainKHR && d.Op() != spirv.OpUntypedInBoundsAccessChainKHR {
		return
	}
	h := chainOf(d)
	t := c.m.Type(h.baseType)
	for _, index := range h.path {
		k, ok := c.m.Const(index).Int()
		switch {
		case t == nil:
			return
		case t.IsArray() && t.Elem.IsStruct() && c.isBlock(t.Elem): // a descriptor of an array
		case t.IsStruct() && ok && k >= 0 && k < int64(len(t.Members)) && t.Members[k].HasOffset && t.Members[k].Offset == 0:
			t = t.Members[k].Type
			continue
		case !t.IsStruct() && ok && k == 0:
		default:
			c.fail(i, "SPV-Untyped-Length", "OpUntypedArrayLengthKHR of %s, a part of a buffer; must be of the buffer as a whole", c.name(id))
			return
		}
		t = t.Elem
	}
}
