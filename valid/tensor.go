package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// tensorFamily checks tensors (SPV_ARM_tensors).
var tensorFamily = family{
	rules: []Rule{
		{Code: "SPV-Tensor-Type", Section: "SPIR-V, SPV_ARM_tensors", Words: "a tensor has scalar elements, a constant rank of at least 1, and a shape that is a constant array of one positive integer for each dimension"},
		{Code: "SPV-Tensor-Constant", Section: "SPIR-V, SPV_ARM_tensors", Words: "a constant tensor has a constituent for each step of its outermost dimension: scalars for rank 1, else tensors of one rank less"},
		{Code: "SPV-Tensor-Operand", Section: "SPIR-V, SPV_ARM_tensors", Words: "an accessed tensor has a rank, and a coordinate is an array of one integer for each dimension"},
		{Code: "SPV-Tensor-Object", Section: "SPIR-V, SPV_ARM_tensors", Words: "the value of a read or a write is a scalar of the element type of the tensor, or an array of them"},
		{Code: "SPV-Tensor-Size", Section: "SPIR-V, SPV_ARM_tensors", Words: "the size query of a tensor yields an integer, and its dimension is a constant integer below the rank"},
		{Code: "SPV-Tensor-Operands", Section: "SPIR-V, SPV_ARM_tensors", Words: "OutOfBoundsValueARM is for a read, and is a constant of the element type of the tensor; a write has MakeElementAvailableARM, a read MakeElementVisibleARM, both only with NonPrivateElementARM"},
		{Code: vuid.RuntimeSpirv_OpTypeTensorARM_09902, Section: environment, Words: "no tensor that a shader accesses has a shape"},
		{Code: vuid.RuntimeSpirv_OpTypeTensorARM_09907, Section: environment, Words: "each tensor that a shader accesses has a rank"},
		{Code: vuid.RuntimeSpirv_maxTensorShaderAccessArrayLength_09903, Section: environment, Words: "an array that a shader reads or writes has a length of at most maxTensorShaderAccessArrayLength", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxTensorShaderAccessSize_09904, Section: environment, Words: "one read or write has at most maxTensorShaderAccessSize bytes", Need: NeedDevice},
	},
	insts: map[spirv.Op]judge{
		spirv.OpTypeTensorARM:                     (*checker).typeTensor,
		spirv.OpTensorReadARM:                     (*checker).tensorRead,
		spirv.OpTensorWriteARM:                    (*checker).tensorWrite,
		spirv.OpTensorQuerySizeARM:                (*checker).tensorQuery,
		spirv.OpConstantComposite:                 (*checker).tensorConstant,
		spirv.OpSpecConstantComposite:             (*checker).tensorConstant,
		spirv.OpConstantCompositeReplicateEXT:     (*checker).tensorReplicate,
		spirv.OpSpecConstantCompositeReplicateEXT: (*checker).tensorReplicate,
	},
}

// tensor is the parameters of a tensor type.
type tensor struct {
	elem  *facts.Type
	rank  uint64 // 0 if it is not known
	has   bool   // it has a rank
	shape *facts.Const
}

// tensorOf returns the parameters of a type, false if it is no tensor.
func (c *checker) tensorOf(t *facts.Type) (tensor, bool) {
	if t == nil || t.Op != spirv.OpTypeTensorARM {
		return tensor{}, false
	}
	v := inst.TypeTensorARM(c.code.Inst(t.Index))
	x := tensor{elem: c.m.Type(v.ElementType())}
	if id, ok := v.Rank(); ok {
		x.has = true
		if k := c.m.Const(id); k != nil && k.Known && k.Type.IsInt() && !k.Undef && !k.Spec {
			x.rank = k.Bits
		}
	}
	if id, ok := v.Shape(); ok {
		x.shape = c.m.Const(id)
	}
	return x, true
}

func (c *checker) typeTensor(i int, in spirv.Inst) {
	v := inst.TypeTensorARM(in)
	const code = "SPV-Tensor-Type"
	if t := c.m.Type(v.ElementType()); t != nil && !t.IsScalar() {
		c.fail(i, code, "the element of the tensor is %s; must be a scalar", c.typeName(t))
	}
	id, ranked := v.Rank()
	if !ranked {
		return
	}
	k, t := c.declaredConstant(id), c.m.TypeOf(id)
	if d := c.code.DefInst(id); d != nil && (k == nil || t != nil && !t.IsInt()) {
		c.fail(i, code, "the rank of the tensor is %s, the result of %s; must be a constant integer", c.name(id), d.Op())
		return
	}
	if k != nil && k.Known && k.Bits == 0 && !k.Spec {
		c.fail(i, code, "the rank of the tensor is 0; must be at least 1")
	}
	id, shaped := v.Shape()
	if !shaped {
		return
	}
	s, t := c.declaredConstant(id), c.m.TypeOf(id)
	if c.code.DefInst(id) != nil && (s == nil || t != nil && (t.Op != spirv.OpTypeArray || t.Elem != nil && !t.Elem.IsInt())) {
		c.fail(i, code, "the shape of the tensor is %s; must be a constant array of integers", c.name(id))
		return
	}
	if s == nil || t == nil {
		return
	}
	if k != nil && k.Known && !k.Spec && t.Count != k.Bits {
		c.fail(i, code, "the shape of the tensor has %d dimensions and the rank is %d; must be the same", t.Count, k.Bits)
		return
	}
	for n := range int(min(t.Count, 1<<10)) {
		if e := s.Elem(n); e != nil && e.Known && !e.Spec && e.Bits == 0 {
			c.fail(i, code, "dimension %d of the tensor is 0; must be at least 1", n)
			return
		}
	}
}

// tensorConstant checks a constant composite that is a tensor.
func (c *checker) tensorConstant(i int, in spirv.Inst) {
	t := c.m.Type(in.Type())
	x, ok := c.tensorOf(t)
	if !ok {
		return
	}
	const code = "SPV-Tensor-Constant"
	ids := inst.ConstantComposite(in).Constituents()
	if n := x.shape.Elem(0); n != nil && n.Known && !n.Spec && uint64(len(ids)) != n.Bits {
		c.fail(i, code, "a tensor of %d constituents; must have %d", len(ids), n.Bits)
		return
	}
	for n, id := range ids {
		p := c.m.TypeOf(id)
		if p == nil || x.rank == 0 {
			continue
		}
		if x.rank == 1 {
			if p != x.elem && x.elem != nil {
				c.fail(i, code, "constituent %d is %s; must be %s", n, c.typeName(p), c.typeName(x.elem))
			}
			continue
		}
		if !c.layerOf(x, p) {
			c.fail(i, code, "constituent %d is %s; must be a tensor of the same elements, of one dimension less", n, c.typeName(p))
			return
		}
	}
}

// layerOf reports whether a type is a tensor without the outermost dimension of another tensor, as far as both are known.
func (c *checker) layerOf(x tensor, t *facts.Type) bool {
	y, ok := c.tensorOf(t)
	return ok && y.elem == x.elem && (y.rank == 0 || y.rank == x.rank-1) && shapeWithin(x.shape, y.shape, x.rank)
}

// shapeWithin reports whether a shape equals the shape of another tensor without
// the outermost dimension, as far as both are known.
func shapeWithin(x, y *facts.Const, rank uint64) bool {
	for n := range int(min(rank, 1<<10)) - 1 {
		a, b := x.Elem(n+1), y.Elem(n)
		if a != nil && b != nil && a.Known && b.Known && a.Bits != b.Bits {
			return false
		}
	}
	return true
}

// tensorReplicate checks a constant tensor that is filled with one value.
func (c *checker) tensorReplicate(i int, in spirv.Inst) {
	if want := c.unlikeTensor(c.m.Type(in.Type()), c.m.TypeOf(inst.ConstantCompositeReplicateEXT(in).Value())); want != "" {
		c.fail(i, "SPV-Tensor-Constant", "the value is %s; must be %s", c.typeName(c.m.TypeOf(inst.ConstantCompositeReplicateEXT(in).Value())), want)
	}
}

// unlikeTensor returns the required type of a value to fill a tensor, "" if it may be of its type: SPV_EXT_replicated_composites names
// the constituents, and front ends fill tensors of more than one dimension with an element.
func (c *checker) unlikeTensor(t, value *facts.Type) string {
	x, ok := c.tensorOf(t)
	switch {
	case !ok || x.elem == nil || value == nil || value == x.elem || x.rank != 1 && c.layerOf(x, value):
		return ""
	case x.rank == 1:
		return c.typeName(x.elem) + ", the element type of the tensor"
	}
	return c.typeName(x.elem) + ", the element type of the tensor, or a tensor of such elements, of one dimension less"
}

// tensorAccess checks the tensor and the coordinate of an access.
func (c *checker) tensorAccess(i int, op spirv.Op, id, coordinate spirv.ID) (tensor, bool) {
	t := c.m.TypeOf(id)
	if t == nil {
		return tensor{}, false
	}
	x, ok := c.tensorOf(t)
	if !ok || !x.has {
		code := "SPV-Tensor-Operand"
		if ok && c.vulkan && c.callerModels() != 0 {
			code = vuid.RuntimeSpirv_OpTypeTensorARM_09907
		}
		c.fail(i, code, "%s of %s, which is %s; must be a tensor with a rank", op, c.name(id), c.typeName(t))
		return x, false
	}
	if x.shape != nil && c.vulkan && c.callerModels() != 0 {
		c.fail(i, vuid.RuntimeSpirv_OpTypeTensorARM_09902, "%s of %s in a shader, which is %s; must be a tensor without a shape", op, c.name(id), c.typeName(t))
	}
	if p := c.m.TypeOf(coordinate); p != nil && (p.Op != spirv.OpTypeArray || p.Elem != nil && !p.Elem.IsInt() || x.rank != 0 && p.Count != 0 && p.Count != x.rank) {
		c.fail(i, "SPV-Tensor-Operand", "the coordinate of %s is %s; must be an array of as many integers as the tensor has dimensions", op, c.typeName(p))
	}
	return x, true
}

// tensorObject checks the type of the value that is read or written.
func (c *checker) tensorObject(i int, op spirv.Op, t *facts.Type, x tensor, known bool) {
	if t == nil {
		return
	}
	s := t
	if t.Op == spirv.OpTypeArray {
		s = t.Elem
	}
	if s == nil {
		return
	}
	if !s.IsScalar() || known && x.elem != nil && s != x.elem {
		c.fail(i, "SPV-Tensor-Object", "%s of %s; must be a scalar of the tensor's element type, or an array of them", op, c.typeName(t))
		return
	}
	if !c.vulkan {
		return
	}
	n := uint64(1)
	if t.Op == spirv.OpTypeArray {
		n = t.Count
		if l, ok := c.limit(vuid.RuntimeSpirv_maxTensorShaderAccessArrayLength_09903, "maxTensorShaderAccessArrayLength"); ok && n > l {
			c.fail(i, vuid.RuntimeSpirv_maxTensorShaderAccessArrayLength_09903, "%s of an array of %d; must be at most maxTensorShaderAccessArrayLength, %d", op, n, l)
		}
	}
	if l, ok := c.limit(vuid.RuntimeSpirv_maxTensorShaderAccessSize_09904, "maxTensorShaderAccessSize"); ok && n < 1<<32 && n*uint64(s.Width/8) > l {
		c.fail(i, vuid.RuntimeSpirv_maxTensorShaderAccessSize_09904, "%s of %d bytes; must be at most maxTensorShaderAccessSize, %d", op, n*uint64(s.Width/8), l)
	}
}

func (c *checker) tensorRead(i int, in spirv.Inst) {
	v := inst.TensorReadARM(in)
	x, ok := c.tensorAccess(i, in.Op(), v.Tensor(), v.Coordinates())
	c.tensorObject(i, in.Op(), c.m.Type(v.Type()), x, ok)
	m, _ := v.TensorOperands()
	c.tensorOperands(i, in.Op(), x, m, v.TensorOperandsWords())
}

func (c *checker) tensorWrite(i int, in spirv.Inst) {
	v := inst.TensorWriteARM(in)
	x, ok := c.tensorAccess(i, in.Op(), v.Tensor(), v.Coordinates())
	c.tensorObject(i, in.Op(), c.m.TypeOf(v.Object()), x, ok)
	m, _ := v.TensorOperands()
	c.tensorOperands(i, in.Op(), x, m, v.TensorOperandsWords())
}

// tensorOperands checks the operands of an access, in the order of their bits.
func (c *checker) tensorOperands(i int, op spirv.Op, x tensor, m spirv.TensorOperands, rest []uint32) {
	const code = "SPV-Tensor-Operands"
	read := op == spirv.OpTensorReadARM
	next := func() (id spirv.ID) {
		if len(rest) > 0 {
			id, rest = spirv.ID(rest[0]), rest[1:]
		}
		return id
	}
	if m&spirv.TensorOperandsOutOfBoundsValueARMMask != 0 {
		id := next()
		t := c.m.TypeOf(id)
		switch {
		case !read:
			c.fail(i, code, "%s with OutOfBoundsValueARM; must be a read", op)
		case t != nil && x.elem != nil && t != x.elem:
			c.fail(i, code, "the value outside of the tensor is %s; must be %s", c.typeName(t), c.typeName(x.elem))
		case t != nil && c.m.Const(id) == nil:
			c.fail(i, code, "the value outside of the tensor is %s; must be a constant", c.name(id))
		}
	}
	for _, o := range [...]struct {
		mask spirv.TensorOperands
		ok   bool
	}{{spirv.TensorOperandsMakeElementAvailableARMMask, !read}, {spirv.TensorOperandsMakeElementVisibleARMMask, read}} {
		if m&o.mask == 0 {
			continue
		}
		switch scope := next(); {
		case !o.ok:
			c.fail(i, code, "%s with %s; must be a write for MakeElementAvailableARM, a read for MakeElementVisibleARM", op, o.mask)
		case m&spirv.TensorOperandsNonPrivateElementARMMask == 0:
			c.fail(i, code, "%s with %s; must have NonPrivateElementARM too", op, o.mask)
		case !isWord(c.m.TypeOf(scope)) && c.m.TypeOf(scope) != nil:
			c.fail(i, "SPV-Scope-Type", "the scope of %s is %s; must be an integer of 32 bits", op, c.typeName(c.m.TypeOf(scope)))
		default:
			c.scopeOperand(i, scope)
		}
	}
}

func (c *checker) tensorQuery(i int, in spirv.Inst) {
	v := inst.TensorQuerySizeARM(in)
	const code = "SPV-Tensor-Size"
	if t := c.m.Type(v.Type()); t != nil && !t.IsInt() {
		c.fail(i, code, "the size is %s; must be an integer", c.typeName(t))
	}
	t := c.m.TypeOf(v.Tensor())
	x, ok := c.tensorOf(t)
	if t != nil && (!ok || !x.has) {
		c.fail(i, "SPV-Tensor-Operand", "%s of %s; must be a tensor with a rank", in.Op(), c.typeName(t))
	}
	d, k := c.m.TypeOf(v.Dimension()), c.declaredConstant(v.Dimension())
	switch {
	case d == nil:
	case !d.IsInt() || k == nil:
		c.fail(i, code, "the dimension is %s; must be a constant integer", c.name(v.Dimension()))
	case k.Known && x.rank != 0 && k.Bits >= x.rank:
		c.fail(i, code, "dimension %d of a tensor of %d; must be below", k.Bits, x.rank)
	}
}
