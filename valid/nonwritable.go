package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// nonWritableFamily checks writes to memory that is decorated NonWritable (SPIR-V
// §3.2.20): stores, copies, atomics, and image, tensor and cooperative stores. The
// targets of the decoration are checked by decoration.go.
var nonWritableFamily = family{
	rules: []Rule{
		{Code: "SPV-Store-NonWritable", Section: "SPIR-V 3.2.20", Words: "no instruction writes to a variable, a member or a pointer with NonWritable"},
	},
	after: []func(*checker){(*checker).nonWritableStores},
}

// nonWritableStores follows the decoration from variables, members and pointers to
// the pointers and images derived from them. A base comes before its chain, so one
// pass is enough. Phis and calls join pointers and are not followed.
func (c *checker) nonWritableStores() {
	if !c.m.Decorates(spirv.DecorationNonWritable) {
		return
	}
	shut := c.memory.numbers.Alloc(c.code.Len()) // by instruction: the decoration of its result + 1
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		shut[v.Index] = c.ownNonWritable(v.ID)
	}
	for f := range c.m.Functions {
		for i := c.m.Functions[f].Index; i < c.m.Functions[f].End; i++ {
			if !c.code.Known(i) {
				continue
			}
			in := c.code.Inst(i)
			if d := c.nonWritableResult(shut, i, in); d != 0 {
				shut[i] = d
			}
			if p := written(in); p != 0 {
				c.nonWritableStore(shut, i, p)
			}
		}
	}
}

// ownNonWritable returns the decoration NonWritable of an id + 1, 0 if it has none.
func (c *checker) ownNonWritable(id spirv.ID) int32 {
	if d, ok := c.m.Decoration(id, spirv.DecorationNonWritable); ok {
		return int32(d.Index) + 1
	}
	return 0
}

// nonWritableResult returns the decoration that the result of an instruction has or
// inherits, + 1.
func (c *checker) nonWritableResult(shut []int32, i int, in spirv.Inst) int32 {
	op := in.Op()
	if !op.HasType() {
		return 0
	}
	if d := c.ownNonWritable(in.Result()); d != 0 {
		return d
	}
	from := func(id spirv.ID) int32 {
		if d := c.code.Def(id); d >= 0 && d < i {
			return shut[d]
		}
		return 0
	}
	switch op {
	case spirv.OpLoad:
		if t := c.m.Type(in.Type()); t != nil && (t.Image != nil || t.Op == spirv.OpTypeTensorARM) {
			return from(inst.Load(in).Pointer())
		}
	case spirv.OpSelect:
		if v := inst.Select(in); from(v.Object1()) != 0 && from(v.Object2()) != 0 {
			return from(v.Object1())
		}
	default:
		base := chainBase(in)
		if base == 0 {
			return 0
		}
		if d := from(base); d != 0 {
			return d
		}
		return c.nonWritableMember(in)
	}
	return 0
}

// nonWritableMember returns the decoration + 1 of the first NonWritable member on
// the path of an access chain.
func (c *checker) nonWritableMember(in spirv.Inst) int32 {
	h := chainOf(in)
	at := c.m.Type(h.baseType)
	if h.baseType == 0 {
		p := c.m.TypeOf(h.base)
		if !p.IsPointer() {
			return 0
		}
		at = p.Elem
	}
	for _, id := range h.path {
		switch {
		case at == nil:
			return 0
		case at.IsStruct():
			k, ok := c.m.Const(id).Int()
			if !ok || k < 0 || k >= int64(len(at.Members)) {
				return 0
			}
			if d, ok := c.m.MemberDecoration(at.ID, int(k), spirv.DecorationNonWritable); ok {
				return int32(d.Index) + 1
			}
			at = at.Members[k].Type
		default:
			at = at.Elem
		}
	}
	return 0
}

// written returns the pointer or the image that an instruction writes to, 0 if there
// is none.
func written(in spirv.Inst) spirv.ID {
	switch op := in.Op(); op {
	case spirv.OpStore:
		return inst.Store(in).Pointer()
	case spirv.OpCopyMemory, spirv.OpCopyMemorySized:
		return inst.CopyMemory(in).Target()
	case spirv.OpImageWrite:
		return inst.ImageWrite(in).Image()
	case spirv.OpTensorWriteARM:
		return inst.TensorWriteARM(in).Tensor()
	case spirv.OpCooperativeMatrixStoreKHR:
		return inst.CooperativeMatrixStoreKHR(in).Pointer()
	case spirv.OpCooperativeMatrixStoreNV:
		return inst.CooperativeMatrixStoreNV(in).Pointer()
	case spirv.OpCooperativeMatrixStoreTensorNV:
		return inst.CooperativeMatrixStoreTensorNV(in).Pointer()
	case spirv.OpCooperativeVectorStoreNV:
		return inst.CooperativeVectorStoreNV(in).Pointer()
	case spirv.OpCooperativeVectorOuterProductAccumulateNV:
		return inst.CooperativeVectorOuterProductAccumulateNV(in).Pointer()
	case spirv.OpCooperativeVectorReduceSumAccumulateNV:
		return inst.CooperativeVectorReduceSumAccumulateNV(in).Pointer()
	case spirv.OpAtomicLoad:
		return 0
	default:
		if op.Class() != spirv.ClassAtomic || !slices.Contains(atomicOps, op) {
			return 0
		}
		p, _, _ := atomicOperands(in)
		return p
	}
}

// nonWritableStore checks a write by instruction i.
func (c *checker) nonWritableStore(shut []int32, i int, pointer spirv.ID) {
	d := c.code.Def(pointer)
	if d < 0 {
		return
	}
	at := shut[d]
	if at == 0 { // a store of a whole struct writes all its members
		at = c.nonWritablePart(c.m.TypeOf(pointer))
	}
	if at == 0 {
		return
	}
	x := c.fail(i, "SPV-Store-NonWritable", "%s writes to memory through %s, which is NonWritable; must not write", c.code.Inst(i).Op(), c.name(pointer)).also(c, int(at)-1, "the decoration")
	if t := c.m.TypeOf(pointer); t.IsPointer() && (t.Storage == spirv.StorageClassFunction || t.Storage == spirv.StorageClassPrivate) {
		x.warn() // optimizers replace the initializer of a constant array by a store, and devices accept it
	}
}

// nonWritablePart returns the decoration + 1 of a NonWritable member of the struct
// that a pointer points at.
func (c *checker) nonWritablePart(p *facts.Type) int32 {
	if !p.IsPointer() {
		return 0
	}
	s := core(p.Elem)
	if !s.IsStruct() {
		return 0
	}
	for k := range s.Members {
		if d, ok := c.m.MemberDecoration(s.ID, k, spirv.DecorationNonWritable); ok {
			return int32(d.Index) + 1
		}
	}
	return 0
}
