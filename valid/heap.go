package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// heapFamily checks heaps of descriptors: their types and sizes, how they are
// laid out, and the buffers that are taken from them (SPV_EXT_descriptor_heap).
var heapFamily = family{
	rules: []Rule{
		{Code: "SPV-Heap-Constant", Section: heapSection, Words: "the operand of OffsetIdEXT and ArrayStrideIdEXT is a constant 32-bit integer"},
		{Code: "SPV-Heap-Offset", Section: heapSection, Words: "OffsetIdEXT is on members of structs with descriptors"},
		{Code: "SPV-Heap-Stride", Section: heapSection, Words: "ArrayStrideIdEXT is on arrays with descriptors, and is greater than 0"},
		{Code: "SPV-Heap-Size", Section: heapSection, Words: "OpConstantSizeOfEXT yields a 32-bit or 64-bit integer, the size of a descriptor type"},
		{Code: "SPV-Heap-Buffer", Section: heapSection, Words: "OpTypeBufferEXT has the storage class Uniform or StorageBuffer"},
		{Code: "SPV-Heap-Pointer", Section: heapSection, Words: "OpBufferPointerEXT yields a pointer to Uniform or StorageBuffer"},
		{Code: "SPV-Heap-Base", Section: heapSection, Words: "the buffer of OpBufferPointerEXT is an untyped pointer to ResourceHeapEXT"},
		{Code: "SPV-Heap-Member", Section: heapSection, Words: "SamplerHeapEXT and ResourceHeapEXT are on no member of a struct"},
		{Code: "SPV-Heap-NonWritable", Section: heapSection, Words: "a result of OpBufferPointerEXT is NonWritable only if it points to StorageBuffer"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpTypeBufferEXT:       (*checker).bufferType,
		spirv.OpConstantSizeOfEXT:   (*checker).descriptorBytes,
		spirv.OpBufferPointerEXT:    (*checker).bufferPointer,
		spirv.OpDecorateId:          (*checker).heapDecoration,
		spirv.OpMemberDecorateIdEXT: (*checker).heapMember,
		spirv.OpMemberDecorate:      (*checker).heapBuiltIn,
	},
}

const heapSection = "SPIR-V, SPV_EXT_descriptor_heap"

// isDescriptor reports whether a type is one of descriptors.
func isDescriptor(op spirv.Op) bool {
	switch op {
	case spirv.OpTypeBufferEXT, spirv.OpTypeImage, spirv.OpTypeAccelerationStructureKHR, spirv.OpTypeTensorARM, spirv.OpTypeSampler:
		return true
	}
	return false
}

// holdsDescriptor reports whether a type is a descriptor, or an array or a struct
// that holds one. After maxAlike steps it returns true.
func holdsDescriptor(t *facts.Type) bool {
	todo := []*facts.Type{t}
	steps := 0
	for ; len(todo) > 0 && steps < maxAlike; steps++ {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case t == nil || isDescriptor(t.Op):
			return true
		case t.IsArray():
			todo = append(todo, t.Elem)
		case t.IsStruct():
			for n := range t.Members {
				todo = append(todo, t.Members[n].Type)
			}
		}
	}
	return steps == maxAlike
}

func (c *checker) bufferType(i int, in spirv.Inst) {
	if s := inst.TypeBufferEXT(in).StorageClass(); s != spirv.StorageClassUniform && s != spirv.StorageClassStorageBuffer {
		c.fail(i, "SPV-Heap-Buffer", "a buffer of %s; must be of Uniform or StorageBuffer", s)
	}
}

func (c *checker) descriptorBytes(i int, in spirv.Inst) {
	v := inst.ConstantSizeOfEXT(in)
	if t := c.m.Type(v.Type()); t != nil && (!t.IsInt() || t.Width != 32 && t.Width != 64) {
		c.fail(i, "SPV-Heap-Size", "OpConstantSizeOfEXT yields %s; must yield an integer of 32 or 64 bits", c.typeName(t))
	}
	if d := c.code.DefInst(v.TypeOperand()); d != nil && !isDescriptor(d.Op()) {
		c.fail(i, "SPV-Heap-Size", "the size of %s, the result of %s; must be of a descriptor type", c.name(v.TypeOperand()), d.Op())
	}
}

func (c *checker) bufferPointer(i int, in spirv.Inst) {
	v := inst.BufferPointerEXT(in)
	if t := c.m.Type(v.Type()); t != nil && (!t.IsPointer() || t.Storage != spirv.StorageClassUniform && t.Storage != spirv.StorageClassStorageBuffer) {
		c.fail(i, "SPV-Heap-Pointer", "OpBufferPointerEXT yields %s; must yield a pointer into Uniform or StorageBuffer", c.typeName(t))
	}
	t := c.m.TypeOf(v.Buffer())
	if t == nil {
		return
	}
	if t.Op != spirv.OpTypeUntypedPointerKHR {
		c.fail(i, "SPV-Heap-Base", "the buffer is %s; must be an untyped pointer", c.typeName(t))
		return
	}
	if o := c.origin(v.Buffer()); o != nil {
		if b, ok := c.m.BuiltIn(o.ID); !ok || b != spirv.BuiltInResourceHeapEXT {
			c.fail(i, "SPV-Heap-Base", "the buffer points into %s; must point into ResourceHeapEXT", c.name(o.ID)).also(c, o.Index, "the variable")
		}
	}
}

// heapConstant checks the operand of a decoration that must be a constant.
func (c *checker) heapConstant(i int, kind spirv.Decoration, words []uint32) {
	if len(words) == 0 {
		return
	}
	id := spirv.ID(words[0])
	d := c.code.DefInst(id)
	if d == nil {
		return
	}
	if t := c.m.TypeOf(id); !constantDef(d.Op()) || t != nil && (!t.IsInt() || t.Width != 32) {
		c.fail(i, "SPV-Heap-Constant", "the operand of %s is %s, the result of %s; must be a constant integer of 32 bits", kind, c.name(id), d.Op()).also(c, c.code.Def(id), "the operand")
	}
}

func (c *checker) heapDecoration(i int, in spirv.Inst) {
	v := inst.DecorateId(in)
	switch kind := v.Decoration(); kind {
	case spirv.DecorationOffsetIdEXT:
		c.fail(i, "SPV-Heap-Offset", "OffsetIdEXT on %s; must be on a member of a struct", c.name(v.Target()))
	case spirv.DecorationArrayStrideIdEXT:
		c.heapConstant(i, kind, v.DecorationWords())
		if w := v.DecorationWords(); len(w) > 0 {
			if n, ok := c.settled(spirv.ID(w[0])); ok && n == 0 {
				c.fail(i, "SPV-Heap-Stride", "ArrayStrideIdEXT is 0; must be greater than 0")
			}
		}
		d := c.code.DefInst(v.Target())
		if d == nil {
			return
		}
		if t := c.m.Type(v.Target()); t == nil || !t.IsArray() {
			c.fail(i, "SPV-Heap-Stride", "ArrayStrideIdEXT on %s, the result of %s; must be on an array", c.name(v.Target()), d.Op())
		} else if !holdsDescriptor(t) {
			c.fail(i, "SPV-Heap-Stride", "ArrayStrideIdEXT on %s; must be on an array with descriptors", c.typeName(t)).also(c, t.Index, "the array")
		}
	}
}

func (c *checker) heapMember(i int, in spirv.Inst) {
	v := inst.MemberDecorateIdEXT(in)
	kind := v.Decoration()
	if kind != spirv.DecorationOffsetIdEXT {
		return
	}
	c.heapConstant(i, kind, v.DecorationWords())
	if t := c.m.Type(v.StructureType()); t != nil && !holdsDescriptor(t) {
		c.fail(i, "SPV-Heap-Offset", "OffsetIdEXT on a member of %s; must be on a member of a struct with descriptors", c.name(t.ID)).also(c, t.Index, "the struct")
	}
}

func (c *checker) heapBuiltIn(i int, in spirv.Inst) {
	v := inst.MemberDecorate(in)
	if w := v.DecorationWords(); v.Decoration() == spirv.DecorationBuiltIn && len(w) > 0 {
		if b := spirv.BuiltIn(w[0]); b == spirv.BuiltInSamplerHeapEXT || b == spirv.BuiltInResourceHeapEXT {
			c.fail(i, "SPV-Heap-Member", "%s on a member of a struct; must be on a variable", b)
		}
	}
}
