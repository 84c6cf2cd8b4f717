package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// rawAccessFamily checks OpRawAccessChainNV (SPV_NV_raw_access_chains) and the
// instructions that use its result.
var rawAccessFamily = family{
	rules: []Rule{
		{Code: "SPV-RawAccessChain-Result", Section: "SPIR-V, SPV_NV_raw_access_chains", Words: "OpRawAccessChainNV yields a pointer to a scalar or vector, in the storage class of its base: StorageBuffer, PhysicalStorageBuffer or Uniform"},
		{Code: "SPV-RawAccessChain-Base", Section: "SPIR-V, SPV_NV_raw_access_chains", Words: "the base of OpRawAccessChainNV points to a Block in StorageBuffer, to a BufferBlock in Uniform, or to an array of them"},
		{Code: "SPV-RawAccessChain-Operand", Section: "SPIR-V, SPV_NV_raw_access_chains", Words: "the stride of OpRawAccessChainNV is an OpConstant; stride, index and offset are 32-bit integers; robustness is for components or for elements, and the accessed bytes are within the stride"},
		{Code: "SPV-RawAccessChain-Use", Section: "SPIR-V, SPV_NV_raw_access_chains", Words: "only loads and stores use the result of OpRawAccessChainNV, with Aligned of at least the size of a component"},
	},
	insts: map[spirv.Op]judge{spirv.OpRawAccessChainNV: (*checker).rawAccessChain},
	after: []func(*checker){(*checker).rawAccessUses},
}

// rawBlock checks that the base of a raw access chain points to a block, or to an array of blocks.
func (c *checker) rawBlock(i int, base *facts.Type) {
	if base == nil || base.Op != spirv.OpTypePointer || base.Elem == nil {
		return
	}
	want := spirv.DecorationBlock
	switch base.Storage {
	case spirv.StorageClassStorageBuffer:
	case spirv.StorageClassUniform:
		want = spirv.DecorationBufferBlock
	default:
		return
	}
	if t := core(base.Elem); t != nil && !c.m.Has(t.ID, want) {
		c.fail(i, "SPV-RawAccessChain-Base", "the base points into %s to %s; must point to a struct with %s", base.Storage, c.typeName(base.Elem), want)
	}
}

// rawAccessChain checks OpRawAccessChainNV (SPV_NV_raw_access_chains), an access
// chain by byte stride, element index and byte offset.
func (c *checker) rawAccessChain(i int, in spirv.Inst) {
	c.rawChains = append(c.rawChains, i)
	v := inst.RawAccessChainNV(in)
	t := c.m.Type(v.Type())
	if t == nil {
		return
	}
	switch {
	case t.Op != spirv.OpTypePointer:
		c.fail(i, "SPV-RawAccessChain-Result", "the result is %s; must be a typed pointer", c.typeName(t))
		return
	case t.Storage != spirv.StorageClassStorageBuffer && t.Storage != spirv.StorageClassPhysicalStorageBuffer && t.Storage != spirv.StorageClassUniform:
		c.fail(i, "SPV-RawAccessChain-Result", "the result is in %s; must be in StorageBuffer, PhysicalStorageBuffer or Uniform", t.Storage)
	case t.Elem.IsArray() || t.Elem.IsMatrix() || t.Elem.IsStruct():
		c.fail(i, "SPV-RawAccessChain-Result", "the result points to %s; must not point to an array, matrix or struct", c.typeName(t.Elem))
	}
	if b := c.m.TypeOf(v.Base()); b != nil && (b.Op != spirv.OpTypePointer || b.Storage != t.Storage) {
		c.fail(i, "SPV-RawAccessChain-Result", "the base is %s; must be a typed pointer to %s", c.typeName(b), t.Storage)
	}
	c.rawBlock(i, c.m.TypeOf(v.Base()))
	for _, o := range [...]struct {
		id   spirv.ID
		what string
	}{{v.ByteStride(), "stride"}, {v.ElementIndex(), "index"}, {v.ByteOffset(), "offset"}} {
		if x := c.m.TypeOf(o.id); x != nil && (!x.IsInt() || x.Width != 32) {
			c.fail(i, "SPV-RawAccessChain-Operand", "the %s is %s; must be an integer of 32 bits", o.what, c.typeName(x))
		}
	}
	k := c.m.Const(v.ByteStride())
	if k == nil || k.Op != spirv.OpConstant {
		if c.m.TypeOf(v.ByteStride()) != nil {
			c.fail(i, "SPV-RawAccessChain-Operand", "the stride is %s; must be an OpConstant", c.name(v.ByteStride()))
		}
		return
	}
	const component, element = spirv.RawAccessChainOperandsRobustnessPerComponentNVMask, spirv.RawAccessChainOperandsRobustnessPerElementNVMask
	n, known := k.Int()
	mask, _ := v.RawAccessChainOperands()
	switch {
	case mask&component != 0 && mask&element != 0:
		c.fail(i, "SPV-RawAccessChain-Operand", "robustness for each component and for each element; must be one of them")
	case mask&(component|element) != 0 && t.Storage == spirv.StorageClassPhysicalStorageBuffer:
		c.fail(i, "SPV-RawAccessChain-Operand", "robustness with a pointer into PhysicalStorageBuffer; must have none")
	case mask&element != 0 && known && n == 0:
		c.fail(i, "SPV-RawAccessChain-Operand", "the stride is 0 with robustness for each element; must not be 0")
	}
	if offset, ok := c.settled(v.ByteOffset()); ok && known && n > 0 && t.Elem != nil {
		if size := t.Elem.Size(0, false); offset >= 0 && uint64(offset)+size > uint64(n) {
			c.fail(i, "SPV-RawAccessChain-Operand", "the offset %d and the size %d with the stride %d; must be within the stride", offset, size, n)
		}
	}
}

// rawAccessUses checks the instructions that use the results.
func (c *checker) rawAccessUses() {
	if len(c.rawChains) == 0 {
		return
	}
	made := make(map[spirv.ID]int, len(c.rawChains))
	for _, i := range c.rawChains {
		made[c.code.Inst(i).Result()] = i
	}
	for i := c.rawChains[0] + 1; i < c.code.Len(); i++ {
		if !c.code.Known(i) {
			continue
		}
		for w := c.code.Walk(i); w.Next(); {
			if w.Kind != spirv.KindIdRef || len(w.Words) == 0 {
				continue
			}
			if d, ok := made[spirv.ID(w.Words[0])]; ok && d != i {
				c.rawAccessUse(i, d)
				break
			}
		}
	}
}

// rawAccessUse checks instruction i, which uses the result of the chain d.
func (c *checker) rawAccessUse(i, d int) {
	in := c.code.Inst(i)
	id := c.code.Inst(d).Result()
	var mask spirv.MemoryAccess
	var words []uint32
	switch in.Op() {
	case spirv.OpLoad:
		v := inst.Load(in)
		mask, _ = v.MemoryAccess()
		words = v.MemoryAccessWords()
	case spirv.OpStore:
		v := inst.Store(in)
		if v.Object() == id {
			c.rawAccessOther(i, d)
			return
		}
		mask, _ = v.MemoryAccess()
		words = v.MemoryAccessWords()
	default:
		if !isDebugInfo(c.m, in.Op(), in) && !isNonSemantic(c.m, in) {
			c.rawAccessOther(i, d)
		}
		return
	}
	if mask&spirv.MemoryAccessAlignedMask == 0 || len(words) == 0 {
		c.fail(i, "SPV-RawAccessChain-Use", "%s through %s without Aligned; must have it", in.Op(), c.name(id)).also(c, d, "the access chain").warn()
		return
	}
	p := c.m.TypeOf(id)
	if p == nil {
		return
	}
	if s := p.Elem.Scalar(); s != nil && words[0] < s.Width/8 {
		c.fail(i, "SPV-RawAccessChain-Use", "%s through %s with the alignment %d; must be at least %d, the size of a component", in.Op(), c.name(id), words[0], s.Width/8).also(c, d, "the access chain")
	}
}

// rawAccessOther reports instruction i, which uses the result of the chain d and is neither a load nor a store
// through it.
func (c *checker) rawAccessOther(i, d int) {
	in := c.code.Inst(i)
	c.fail(i, "SPV-RawAccessChain-Use", "%s uses %s; must be a load or a store through it", in.Op(), c.name(c.code.Inst(d).Result())).also(c, d, "the access chain")
}

// isNonSemantic reports whether an instruction is of an extended instruction set without semantics.
func isNonSemantic(m *facts.Module, in spirv.Inst) bool {
	return (in.Op() == spirv.OpExtInst || in.Op() == spirv.OpExtInstWithForwardRefsKHR) && m.ExtSet(inst.ExtInst(in).Set()).NonSemantic()
}
