package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// compositeFamily checks the instructions that decompose and construct
// composites, as far as the typing table does not (SPIR-V §3.3.12): literal
// indices, constituents, shuffles, logical copies, and small values without
// arithmetic (SPIR-V §2.16.1).
var compositeFamily = family{
	rules: []Rule{
		{Code: "SPV-Composite-Index", Section: "SPIR-V 3.3.12", Words: "OpCompositeExtract and OpCompositeInsert have at least one literal index, and each index selects an existing part"},
		{Code: "SPV-Composite-Part", Section: "SPIR-V 3.3.12", Words: "the extracted or inserted value has the type of the part that the indices select"},
		{Code: "SPV-Composite-Count", Section: "SPIR-V 3.3.12", Words: "OpCompositeConstruct has one constituent for each part of the result"},
		{Code: "SPV-Composite-Constituent", Section: "SPIR-V 3.3.12", Words: "each constituent of OpCompositeConstruct has the type of its part; the constituents of a vector are scalars or vectors of its component type"},
		{Code: "SPV-Composite-Shuffle", Section: "SPIR-V 3.3.12", Words: "OpVectorShuffle has one component literal for each component of the result; each literal selects an existing component or is 0xFFFFFFFF"},
		{Code: "SPV-Composite-Indexes", Section: "SPIR-V 2.17", Words: "OpCompositeExtract and OpCompositeInsert have no more indices than the universal limit allows"},
		{Code: "SPV-Composite-Copy", Section: "SPIR-V 3.3.12", Words: "OpCopyLogical yields a different type that matches its operand logically; OpCopyObject copies no void"},
		{Code: "SPV-Composite-Small", Section: "SPIR-V 2.16.1", Words: "8-bit and 16-bit values without arithmetic in the module are not inserted into or extracted from composites"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpCompositeExtract:               (*checker).compositeExtract,
		spirv.OpCompositeInsert:                (*checker).compositeInsert,
		spirv.OpCompositeConstruct:             (*checker).compositeConstruct,
		spirv.OpCompositeConstructReplicateEXT: (*checker).compositeReplicate,
		spirv.OpVectorShuffle:                  (*checker).vectorShuffle,
		spirv.OpCopyLogical:                    (*checker).copyLogical,
		spirv.OpCopyObject:                     (*checker).copyObject,
	},
	ops: []group{{(*checker).smallComposite, []spirv.Op{spirv.OpVectorExtractDynamic, spirv.OpVectorInsertDynamic, spirv.OpTranspose}}},
}

// partOf follows literal indices into a composite; ok is false if they lead
// nowhere, or if that is not known.
func (c *checker) partOf(i int, t *facts.Type, path []uint32) (part *facts.Type, ok bool) {
	op := c.code.Inst(i).Op()
	if len(path) == 0 {
		c.fail(i, "SPV-Composite-Index", "%s has no index; must have at least one", op)
		return nil, false
	}
	if most := c.opts.Limits.AccessChainIndexes; len(path) > most {
		c.fail(i, "SPV-Composite-Indexes", "%s has %d indices; must have at most %d", op, len(path), most)
		return nil, false
	}
	for n, x := range path {
		if t == nil {
			return nil, false
		}
		switch {
		case t.Op == spirv.OpTypeCooperativeMatrixKHR, t.Op == spirv.OpTypeCooperativeMatrixNV:
			t = t.Elem // the number of components per invocation is not known
			continue
		case !t.IsComposite():
			c.fail(i, "SPV-Composite-Index", "index %d of %s selects a part of %s; must be a composite", n, op, c.typeName(t))
			return nil, false
		case t.Length != nil && (!t.Length.Known || t.Length.Spec), t.IsRuntimeArray():
			t = t.Elem
			continue
		}
		if uint64(x) >= t.Parts() {
			c.fail(i, "SPV-Composite-Index", "index %d of %s is %d; %s has %d parts", n, op, x, c.typeName(t), t.Parts())
			return nil, false
		}
		t = t.Part(uint64(x))
	}
	return t, t != nil
}

func (c *checker) compositeExtract(i int, in spirv.Inst) {
	v := inst.CompositeExtract(in)
	t, whole := c.m.Type(v.Type()), c.m.TypeOf(v.Composite())
	if t == nil || whole == nil {
		return
	}
	if part, ok := c.partOf(i, whole, v.Indexes()); ok && part != t {
		c.fail(i, "SPV-Composite-Part", "the result is %s; the indices select %s", c.typeName(t), c.typeName(part))
	}
	c.smallParts(i, whole)
}

func (c *checker) compositeInsert(i int, in spirv.Inst) {
	v := inst.CompositeInsert(in)
	t, whole := c.m.TypeOf(v.Object()), c.m.TypeOf(v.Composite())
	if t == nil || whole == nil {
		return
	}
	if part, ok := c.partOf(i, whole, v.Indexes()); ok && part != t {
		c.fail(i, "SPV-Composite-Part", "the object is %s; the indices select %s", c.typeName(t), c.typeName(part))
	}
	c.smallParts(i, whole)
}

// smallParts checks a composite with parts that may only be loaded and stored.
func (c *checker) smallParts(i int, t *facts.Type) {
	if c.capable(spirv.CapabilityShader) && c.contains(t, holds8|holds16) {
		c.fail(i, "SPV-Composite-Small", "%s of %s, which contains values of 8 or 16 bits without arithmetic; must have arithmetic on them", c.code.Inst(i).Op(), c.typeName(t))
	}
}

// smallComposite checks the instructions with no other composite rule.
func (c *checker) smallComposite(i int, in spirv.Inst) {
	if t := c.m.Type(in.Type()); t != nil {
		c.smallParts(i, t)
	}
}

// compositeConstruct checks OpCompositeConstruct: one constituent per part, but a
// vector also from smaller vectors.
func (c *checker) compositeConstruct(i int, in spirv.Inst) {
	v := inst.CompositeConstruct(in)
	t := c.m.Type(v.Type())
	if t == nil {
		return
	}
	c.smallParts(i, t)
	ids := v.Constituents()
	switch {
	case t.IsVector():
		c.constructVector(i, t, ids)
	case t.Op == spirv.OpTypeCooperativeMatrixKHR, t.Op == spirv.OpTypeCooperativeMatrixNV:
		if len(ids) != 1 {
			c.fail(i, "SPV-Composite-Count", "a cooperative matrix of %d constituents; must be of one", len(ids))
			return
		}
		c.part(i, 0, ids[0], t.Elem)
	case t.IsRuntimeArray(), c.shapeless(t):
		c.fail(i, "SPV-Composite-Count", "%s has no length; must have one", c.typeName(t))
	case t.IsComposite():
		if t.Length != nil && (!t.Length.Known || t.Length.Spec) {
			return
		}
		if n := t.Parts(); n != uint64(len(ids)) {
			c.fail(i, "SPV-Composite-Count", "%d constituents; %s has %d parts", len(ids), c.typeName(t), n)
			return
		}
		for n, id := range ids {
			c.part(i, n, id, t.Part(uint64(n)))
		}
	case partless(t.Op):
		c.fail(i, "SPV-Composite-Count", "%s has no parts; must be a composite", c.typeName(t))
	}
}

// partless reports whether an opaque type has no parts.
func partless(op spirv.Op) bool {
	switch op {
	case spirv.OpTypeImage, spirv.OpTypeSampler, spirv.OpTypeSampledImage, spirv.OpTypeAccelerationStructureKHR,
		spirv.OpTypeRayQueryKHR, spirv.OpTypeHitObjectNV, spirv.OpTypeHitObjectEXT, spirv.OpTypeOpaque, spirv.OpTypeEvent,
		spirv.OpTypeDeviceEvent, spirv.OpTypeReserveId, spirv.OpTypeQueue, spirv.OpTypePipe, spirv.OpTypePipeStorage, spirv.OpTypeNamedBarrier,
		spirv.OpTypeTensorLayoutNV, spirv.OpTypeTensorViewNV, spirv.OpTypeBufferEXT, spirv.OpTypeNodePayloadArrayAMDX:
		return true
	}
	return false
}

// part checks one constituent. Before HLSL legalization, equal structure suffices.
func (c *checker) part(i, n int, id spirv.ID, want *facts.Type) {
	if got := c.m.TypeOf(id); got != nil && want != nil && got != want && !(c.env.BeforeLegalization && sameStructure(got, want)) {
		c.fail(i, "SPV-Composite-Constituent", "constituent %d is %s; the part is %s", n, c.typeName(got), c.typeName(want))
	}
}

// constructVector checks the constituents of a vector: scalars or vectors of its
// component type with the right total number of components.
func (c *checker) constructVector(i int, t *facts.Type, ids []spirv.ID) {
	known := t.Length == nil || t.Length.Known && !t.Length.Spec
	if len(ids) < 2 && t.Op == spirv.OpTypeVector && !c.capable(spirv.CapabilityLongVectorEXT) {
		c.fail(i, "SPV-Composite-Count", "a vector of %d constituents; must have at least two", len(ids))
		return
	}
	sum := uint64(0)
	for n, id := range ids {
		x := c.m.TypeOf(id)
		if x == nil {
			return
		}
		switch {
		case x == t.Elem:
			sum++
		case x.IsVector() && x.Elem == t.Elem:
			if x.Length != nil && (!x.Length.Known || x.Length.Spec) {
				return
			}
			sum += x.Count
		default:
			c.fail(i, "SPV-Composite-Constituent", "constituent %d is %s; must have the component type of %s", n, c.typeName(x), c.typeName(t))
			return
		}
	}
	if known && sum != t.Count {
		c.fail(i, "SPV-Composite-Count", "the constituents have %d components; %s has %d", sum, c.typeName(t), t.Count)
	}
}

// compositeReplicate checks OpCompositeConstructReplicateEXT: one value for every
// part.
func (c *checker) compositeReplicate(i int, in spirv.Inst) {
	v := inst.CompositeConstructReplicateEXT(in)
	t, x := c.m.Type(v.Type()), c.m.TypeOf(v.Value())
	if t == nil || x == nil {
		return
	}
	c.smallParts(i, t)
	switch {
	case t.IsRuntimeArray(), c.shapeless(t):
		c.fail(i, "SPV-Composite-Count", "%s has no length; must have one", c.typeName(t))
	case partless(t.Op):
		c.fail(i, "SPV-Composite-Count", "%s has no parts; must be a composite", c.typeName(t))
	case t.Op == spirv.OpTypeTensorARM:
		if want := c.unlikeTensor(t, x); want != "" {
			c.fail(i, "SPV-Composite-Constituent", "the value is %s; must be %s", c.typeName(x), want)
		}
	case t.IsStruct():
		for n := range t.Members {
			c.part(i, n, v.Value(), t.Members[n].Type)
		}
	case t.Elem != nil:
		c.part(i, 0, v.Value(), t.Elem)
	}
}

// vectorShuffle checks OpVectorShuffle: the literals number the components of both
// vectors in order; 0xFFFFFFFF is no component.
func (c *checker) vectorShuffle(i int, in spirv.Inst) {
	v := inst.VectorShuffle(in)
	t, x, y := c.m.Type(v.Type()), c.m.TypeOf(v.Vector1()), c.m.TypeOf(v.Vector2())
	if t == nil || x == nil || y == nil || !t.IsVector() || !x.IsVector() || !y.IsVector() {
		return
	}
	c.smallParts(i, t)
	list := v.Components()
	if n := lengthOf(t); n != 0 && uint64(len(list)) != n {
		c.fail(i, "SPV-Composite-Shuffle", "%d components are named; the result has %d", len(list), t.Count)
	}
	if lengthOf(x) == 0 || lengthOf(y) == 0 {
		return
	}
	for n, k := range list {
		if most := x.Count + y.Count; k != 0xffffffff && uint64(k) >= most {
			c.fail(i, "SPV-Composite-Shuffle", "component %d is %d; the vectors have %d", n, k, most)
			return
		}
	}
}

func (c *checker) copyLogical(i int, in spirv.Inst) {
	v := inst.CopyLogical(in)
	t, x := c.m.Type(v.Type()), c.m.TypeOf(v.Operand())
	if t == nil || x == nil {
		return
	}
	switch {
	case t == x:
		c.fail(i, "SPV-Composite-Copy", "the result and the operand are %s; must be of different types", c.typeName(t))
	case !logicallySame(t, x):
		c.fail(i, "SPV-Composite-Copy", "the result is %s, the operand %s; must differ only in their layouts", c.typeName(t), c.typeName(x))
	}
	c.smallParts(i, t)
}

// logicallySame reports whether two types match logically (SPIR-V §2.8): they are
// the same, or arrays of the same length or structs with logically matching
// parts. It returns true if a bounded number of steps does not decide it.
func logicallySame(x, y *facts.Type) bool {
	type pair struct{ x, y *facts.Type }
	todo := []pair{{x, y}}
	for steps := 0; len(todo) > 0; steps++ {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.x == p.y || p.x == nil || p.y == nil {
			continue
		}
		if steps > 1<<12 {
			return true // not known
		}
		if p.x.Op != p.y.Op || len(p.x.Members) != len(p.y.Members) || p.x.Count != p.y.Count {
			return false
		}
		switch {
		case p.x.IsStruct():
			for n := range p.x.Members {
				todo = append(todo, pair{p.x.Members[n].Type, p.y.Members[n].Type})
			}
		case p.x.IsArray():
			todo = append(todo, pair{p.x.Elem, p.y.Elem})
		default:
			return false
		}
	}
	return true
}

func (c *checker) copyObject(i int, in spirv.Inst) {
	if t := c.m.Type(in.Type()); t.IsVoid() {
		c.fail(i, "SPV-Composite-Copy", "OpCopyObject of void; must be of an object")
	}
}
