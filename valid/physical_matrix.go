package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// physicalMatrixFamily checks pointers to matrices in PhysicalStorageBuffer (SPIR-V
// §2.16.1): the decorations that lay a matrix out are on the member of a struct.
// standalone.go has the rule of Vulkan on row-major matrices.
var physicalMatrixFamily = family{
	rules: []Rule{
		{Code: "SPV-Physical-Matrix", Section: "SPIR-V 2.16.1", Words: "access chains from a struct lead to a matrix, or to an array of matrices, in PhysicalStorageBuffer; only OpLoad, OpStore and access chains use the pointer"},
	},
	after: []func(*checker){(*checker).physicalMatrices},
}

// physicalMatrices checks all pointers to matrices in functions.
func (c *checker) physicalMatrices() {
	some := false
	for n := range c.m.Types {
		some = some || physicalMatrix(&c.m.Types[n])
	}
	if !some {
		return
	}
	for n := range c.m.Functions {
		f := &c.m.Functions[n]
		for i := f.Index; i < f.End; i++ {
			c.physicalMatrixAt(i)
		}
	}
}

// physicalMatrix reports whether a type is a pointer to a matrix or to an array of
// matrices in PhysicalStorageBuffer.
func physicalMatrix(t *facts.Type) bool {
	return t != nil && t.Op == spirv.OpTypePointer && t.Storage == spirv.StorageClassPhysicalStorageBuffer && matrices(t.Elem)
}

// physicalMatrixAt checks the result and the operands of one instruction. Extended
// instructions without semantics do not count as a use.
func (c *checker) physicalMatrixAt(i int) {
	in := c.code.Inst(i)
	op := in.Op()
	if op.HasType() && op.HasResult() && physicalMatrix(c.m.Type(in.Type())) && !c.fromStruct(in.Result()) {
		c.fail(i, "SPV-Physical-Matrix", "%s yields %s; must be an access chain from a struct", op, c.typeName(c.m.Type(in.Type())))
		return
	}
	if op == spirv.OpExtInst {
		return
	}
	h := chainOf(in)
	c.idPositions = c.code.IDs(i, c.idPositions[:0])
	for _, at := range c.idPositions {
		id := spirv.ID(in[at])
		if id == h.base || op == spirv.OpLoad && at == 3 || op == spirv.OpStore && at == 1 || !physicalMatrix(c.m.TypeOf(id)) {
			continue
		}
		c.fail(i, "SPV-Physical-Matrix", "%s of %s, a pointer to a matrix in PhysicalStorageBuffer; must be OpLoad, OpStore or an access chain", op, c.name(id)).also(c, c.code.Def(id), "the pointer")
		return
	}
}
