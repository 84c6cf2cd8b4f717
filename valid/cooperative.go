package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// cooperativeFamily checks cooperative matrix types, and the instructions that
// load, store, convert, scale and multiply cooperative matrices
// (SPV_KHR_cooperative_matrix, SPV_NV_cooperative_matrix,
// SPV_ARM_cooperative_matrix_layouts).
//
// Rows, columns, scope and use are ids of constants: a rule applies only if they
// are known and independent of specialization (settled). Componentwise
// arithmetic is in cooperative_arithmetic.go, per-element functions in
// cooperative_function.go; the shapes that a device supports come from a query
// that no rule has (beyond.go), its limits are in runtime_cooperative.go.
var cooperativeFamily = family{
	rules: []Rule{
		{Code: "SPV-CooperativeMatrix-Component", Section: "SPIR-V 3.3.6", Words: "the components of a cooperative matrix are numbers"},
		{Code: "SPV-CooperativeMatrix-Encoding", Section: "SPIR-V, SPV_KHR_bfloat16 and SPV_EXT_float8", Words: "a cooperative matrix of BFloat16KHR or 8-bit floats needs the capability for it, and no matrix has a microscaling encoding"},
		{Code: "SPV-CooperativeMatrix-Operand", Section: "SPIR-V 3.3.6", Words: "the scope, rows, columns and use of a cooperative matrix type are constant integer scalars of 32 bits; the scope and the use have a value of their enumeration"},
		{Code: "SPV-CooperativeMatrix-Pointer", Section: "SPIR-V 3.3.8", Words: "a cooperative matrix is loaded and stored through a pointer to numbers or vectors of numbers, in shaders into an array; with SPV_NV_cooperative_matrix in Workgroup, StorageBuffer or PhysicalStorageBuffer"},
		{Code: "SPV-CooperativeMatrix-Matrix", Section: "SPIR-V 3.3.8", Words: "a load, a store, the length and the arithmetic of cooperative matrices have a cooperative matrix for each matrix operand and result"},
		{Code: "SPV-CooperativeMatrix-Layout", Section: "SPIR-V 3.2.57", Words: "the memory layout of a cooperative matrix is a 32-bit constant with a value of its enumeration, and the module declares the capability of the layout"},
		{Code: "SPV-CooperativeMatrix-Stride", Section: "SPIR-V 3.2.57", Words: "the stride of a cooperative matrix is an integer scalar; in a blocked layout it is the constant 1, 2 or 4; else it is not negative, and in a store not 0"},
		{Code: "SPV-CooperativeMatrix-Signed", Section: "SPIR-V 3.2.58", Words: "the components of a matrix are signed only if they are integers"},
		{Code: "SPV-CooperativeMatrix-Blocks", Section: "SPIR-V, SPV_ARM_cooperative_matrix_layouts", Words: "the rows and columns of a matrix in a blocked layout are multiples of the rows and columns of a block"},
		{Code: "SPV-CooperativeMatrix-Length", Section: "SPIR-V 3.3.8", Words: "the length of a cooperative matrix is a 32-bit unsigned integer, and its operand is a cooperative matrix type"},
		{Code: "SPV-CooperativeMatrix-Shape", Section: "SPIR-V 3.3.13", Words: "the scopes, rows, columns and uses of the cooperative matrices of an instruction match"},
		{Code: "SPV-CooperativeMatrix-Scalar", Section: "SPIR-V 3.3.13", Words: "a cooperative matrix is multiplied by a scalar of its component type"},
		{Code: "SPV-CooperativeMatrix-Transpose", Section: "SPIR-V, SPV_EXT_cooperative_matrix_maintenance1", Words: "CooperativeMatrixTransposeEXT is on a conversion of cooperative matrices"},
		{Code: "SPV-CooperativeMatrix-Workgroup", Section: "SPIR-V, SPV_NV_cooperative_matrix2", Words: "the workgroup size is declared before a cooperative matrix type of the scope Workgroup"},
		{Code: vuid.StandaloneSpirv_Scope_12243, Section: environment, Words: "the scope of a cooperative matrix is Workgroup or Subgroup"},
		{Code: vuid.StandaloneSpirv_Pointer_08973, Section: environment, Words: "cooperative matrices are loaded from and stored to Workgroup, StorageBuffer and PhysicalStorageBuffer"},
		{Code: vuid.RuntimeSpirv_cooperativeMatrixWorkgroupScope_10164, Section: environment, Words: "a cooperative matrix of the scope Workgroup needs the feature cooperativeMatrixWorkgroupScope", Need: NeedDevice},
	},
	insts: map[spirv.Op]judge{
		spirv.OpTypeCooperativeMatrixKHR:   cooperativeJudge((*cooperatives).matrixType),
		spirv.OpTypeCooperativeMatrixNV:    cooperativeJudge((*cooperatives).matrixType),
		spirv.OpCooperativeMatrixLoadKHR:   cooperativeJudge((*cooperatives).matrixLoad),
		spirv.OpCooperativeMatrixStoreKHR:  cooperativeJudge((*cooperatives).matrixStore),
		spirv.OpCooperativeMatrixLoadNV:    cooperativeJudge((*cooperatives).matrixLoadNV),
		spirv.OpCooperativeMatrixStoreNV:   cooperativeJudge((*cooperatives).matrixStoreNV),
		spirv.OpCooperativeMatrixLengthKHR: cooperativeJudge((*cooperatives).matrixLength),
		spirv.OpCooperativeMatrixLengthNV:  cooperativeJudge((*cooperatives).matrixLength),
		spirv.OpCooperativeMatrixMulAddKHR: cooperativeJudge((*cooperatives).matrixMultiply),
		spirv.OpCooperativeMatrixMulAddNV:  cooperativeJudge((*cooperatives).matrixMultiply),
		spirv.OpMatrixTimesScalar:          cooperativeJudge((*cooperatives).matrixScaled),
		spirv.OpSpecConstantOp:             cooperativeJudge((*cooperatives).matrixLengthOperation),
	},
	ops: []group{{cooperativeJudge((*cooperatives).matrixConverted), []spirv.Op{
		spirv.OpConvertFToU, spirv.OpConvertFToS, spirv.OpConvertSToF, spirv.OpConvertUToF, spirv.OpUConvert, spirv.OpSConvert,
		spirv.OpFConvert, spirv.OpBitcast, spirv.OpCooperativeMatrixConvertUseEXT, spirv.OpCooperativeMatrixTransposeNV,
	}}},
}

// cooperativeJudge makes a check of cooperative types a judge.
func cooperativeJudge(check func(c *cooperatives, i int, in spirv.Inst)) judge {
	return func(c *checker, i int, in spirv.Inst) { check(&c.cooperative, i, in) }
}

// cooperatives checks cooperative matrices and vectors, and tensor layouts. It does
// not depend on the position of the walk, except through accesses, which checks the
// memory operands of a load or store.
type cooperatives struct {
	*subject
	accesses func(i int, a access, mask spirv.MemoryAccess, words []uint32)
	sizes    *workgroupSizes // see workgroups; nil until first used
}

// isCooperative reports whether a type is a cooperative matrix.
func isCooperative(t *facts.Type) bool {
	return t != nil && (t.Op == spirv.OpTypeCooperativeMatrixKHR || t.Op == spirv.OpTypeCooperativeMatrixNV)
}

// matrixShape is the operands of a cooperative matrix type: scope, rows, columns
// and use; a matrix of SPV_NV_cooperative_matrix has no use (0).
type matrixShape struct{ scope, rows, columns, use spirv.ID }

// shapeOfMatrix returns the operands of a cooperative matrix type.
func (c *cooperatives) shapeOfMatrix(t *facts.Type) matrixShape {
	in := c.code.Inst(t.Index)
	if t.Op == spirv.OpTypeCooperativeMatrixNV {
		v := inst.TypeCooperativeMatrixNV(in)
		return matrixShape{v.Execution(), v.Rows(), v.Columns(), 0}
	}
	v := inst.TypeCooperativeMatrixKHR(in)
	return matrixShape{v.Scope(), v.Rows(), v.Columns(), v.Use()}
}

// settled returns the value of an integer constant; false if it is not known or
// depends on specialization.
func (c *subject) settled(id spirv.ID) (int64, bool) {
	k := c.m.Const(id)
	if k == nil || k.Spec || k.Undef {
		return 0, false
	}
	return k.Int()
}

// differ reports whether two constants are known to have different values.
func (c *subject) differ(x, y spirv.ID) bool {
	if x == y {
		return false
	}
	a, ok := c.settled(x)
	b, ok2 := c.settled(y)
	return ok && ok2 && a != b
}

// matrixType checks a cooperative matrix type: components, operands, scope.
func (c *cooperatives) matrixType(i int, in spirv.Inst) {
	t := c.m.Type(in.Result())
	if t == nil {
		return
	}
	if t.Elem != nil && !t.Elem.IsInt() && !t.Elem.IsFloat() {
		c.fail(i, "SPV-CooperativeMatrix-Component", "the components are %s; must be numbers", c.typeName(t.Elem))
	}
	c.matrixEncoding(i, t.Elem)
	s := c.shapeOfMatrix(t)
	for _, o := range [...]struct {
		id     spirv.ID
		what   string
		values spirv.Kind
	}{
		{s.scope, "scope", spirv.KindScope}, {s.rows, "number of rows", 0}, {s.columns, "number of columns", 0},
		{s.use, "use", spirv.KindCooperativeMatrixUse},
	} {
		if o.id == 0 || c.code.Def(o.id) < 0 {
			continue
		}
		if k := c.declaredConstant(o.id); k == nil || k.Type != nil && (!k.Type.IsInt() || k.Type.Width != 32) {
			c.fail(i, "SPV-CooperativeMatrix-Operand", "the %s is %s; must be a constant integer scalar of 32 bits", o.what, c.name(o.id))
		} else if n, ok := c.settled(o.id); ok && o.values != 0 && o.values.Enumerant(uint32(n)) == nil {
			c.fail(i, "SPV-CooperativeMatrix-Operand", "the %s is %d; must be a value of %s", o.what, n, o.values)
		}
	}
	scope, ok := c.settled(s.scope)
	if ok && spirv.Scope(scope) == spirv.ScopeWorkgroup && t.Op == spirv.OpTypeCooperativeMatrixKHR {
		c.matrixWorkgroup(i)
	}
	if !c.vulkan || !ok || t.Op != spirv.OpTypeCooperativeMatrixKHR {
		return
	}
	switch spirv.Scope(scope) {
	case spirv.ScopeSubgroup:
	case spirv.ScopeWorkgroup:
		if !c.feature(vuid.RuntimeSpirv_cooperativeMatrixWorkgroupScope_10164, "cooperativeMatrixWorkgroupScope") {
			c.fail(i, vuid.RuntimeSpirv_cooperativeMatrixWorkgroupScope_10164, "the scope of the matrix is Workgroup; needs the feature cooperativeMatrixWorkgroupScope")
		}
	default:
		c.fail(i, vuid.StandaloneSpirv_Scope_12243, "the scope of the matrix is %s; must be Workgroup or Subgroup", spirv.Scope(scope))
	}
}

// matrixEncoding checks components that are not IEEE 754 floats.
func (c *cooperatives) matrixEncoding(i int, e *facts.Type) {
	const code = "SPV-CooperativeMatrix-Encoding"
	switch {
	case c.contains(e, holdsMicro):
		c.fail(i, code, "the components are %s; must be of a type that cooperative matrices support", c.typeName(e))
	case c.contains(e, holdsBF16) && !c.capable(spirv.CapabilityBFloat16CooperativeMatrixKHR):
		c.fail(i, code, "the components are %s; needs the capability BFloat16CooperativeMatrixKHR", c.typeName(e))
	case c.contains(e, holdsFP8) && !c.capable(spirv.CapabilityFloat8CooperativeMatrixEXT):
		c.fail(i, code, "the components are %s; needs the capability Float8CooperativeMatrixEXT", c.typeName(e))
	}
}

func (c *cooperatives) matrixLoad(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixLoadKHR(in)
	t, p := c.m.Type(v.Type()), c.matrixPointer(i, v.Pointer())
	if t != nil && t.Op != spirv.OpTypeCooperativeMatrixKHR {
		c.fail(i, "SPV-CooperativeMatrix-Matrix", "the result is %s; must be a cooperative matrix", c.typeName(t))
		return
	}
	stride, _ := v.Stride()
	c.matrixLayout(i, t, v.MemoryLayout(), stride)
	if p != nil {
		mask, _ := v.MemoryOperand()
		c.accesses(i, access{reads: p}, mask, v.MemoryOperandWords())
	}
}

func (c *cooperatives) matrixStore(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixStoreKHR(in)
	t, p := c.m.TypeOf(v.Object()), c.matrixPointer(i, v.Pointer())
	if t != nil && t.Op != spirv.OpTypeCooperativeMatrixKHR {
		c.fail(i, "SPV-CooperativeMatrix-Matrix", "the object is %s; must be a cooperative matrix", c.typeName(t))
		return
	}
	stride, _ := v.Stride()
	c.matrixLayout(i, t, v.MemoryLayout(), stride)
	if p != nil {
		mask, _ := v.MemoryOperand()
		c.accesses(i, access{writes: p}, mask, v.MemoryOperandWords())
	}
}

func (c *cooperatives) matrixLoadNV(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixLoadNV(in)
	if t := c.m.Type(v.Type()); t != nil && t.Op != spirv.OpTypeCooperativeMatrixNV {
		c.fail(i, "SPV-CooperativeMatrix-Matrix", "the result is %s; must be a cooperative matrix", c.typeName(t))
	}
	c.matrixOrder(i, v.Stride(), v.ColumnMajor())
	if p := c.matrixPointerNV(i, v.Pointer()); p != nil {
		mask, _ := v.MemoryAccess()
		c.accesses(i, access{reads: p}, mask, v.MemoryAccessWords())
	}
}

func (c *cooperatives) matrixStoreNV(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixStoreNV(in)
	if t := c.m.TypeOf(v.Object()); t != nil && t.Op != spirv.OpTypeCooperativeMatrixNV {
		c.fail(i, "SPV-CooperativeMatrix-Matrix", "the object is %s; must be a cooperative matrix", c.typeName(t))
	}
	c.matrixOrder(i, v.Stride(), v.ColumnMajor())
	if p := c.matrixPointerNV(i, v.Pointer()); p != nil {
		mask, _ := v.MemoryAccess()
		c.accesses(i, access{writes: p}, mask, v.MemoryAccessWords())
	}
}

// matrixOrder checks the stride and the order of a matrix of
// SPV_NV_cooperative_matrix.
func (c *cooperatives) matrixOrder(i int, stride, columnMajor spirv.ID) {
	if t := c.m.TypeOf(stride); t != nil && !t.IsInt() {
		c.fail(i, "SPV-CooperativeMatrix-Stride", "the stride is %s; must be an integer scalar", c.typeName(t))
	}
	if t := c.m.TypeOf(columnMajor); t != nil && (!t.IsBool() || c.declaredConstant(columnMajor) == nil) {
		c.fail(i, "SPV-CooperativeMatrix-Layout", "the order is %s; must be a Boolean constant", c.name(columnMajor))
	}
}

// matrixPointer checks the pointer of a load or store and returns its type; nil if
// it is not a pointer.
func (c *cooperatives) matrixPointer(i int, id spirv.ID) *facts.Type {
	p := c.m.TypeOf(id)
	if p == nil {
		return nil
	}
	if !p.IsPointer() {
		c.fail(i, "SPV-CooperativeMatrix-Pointer", "%s is %s; must be a pointer", c.name(id), c.typeName(p))
		return nil
	}
	if e := p.Elem; e != nil && !e.IsInt() && !e.IsFloat() && (!e.IsVector() || e.Scalar().IsBool()) {
		c.fail(i, "SPV-CooperativeMatrix-Pointer", "%s points to %s; must point to numbers or vectors of numbers", c.name(id), c.typeName(e))
	}
	if p.Op == spirv.OpTypePointer && c.capable(spirv.CapabilityShader) && !c.intoArray(id) {
		c.fail(i, "SPV-CooperativeMatrix-Pointer", "%s points to an object of its own; must point into an array", c.name(id))
	}
	if c.vulkan {
		c.matrixStorage(i, id, p, vuid.StandaloneSpirv_Pointer_08973)
	}
	return p
}

// matrixPointerNV is matrixPointer for SPV_NV_cooperative_matrix, which names the
// storage classes for every environment.
func (c *cooperatives) matrixPointerNV(i int, id spirv.ID) *facts.Type {
	p := c.matrixPointer(i, id)
	if p != nil && !c.vulkan {
		c.matrixStorage(i, id, p, "SPV-CooperativeMatrix-Pointer")
	}
	return p
}

// matrixStorage checks the storage class of the pointer of a load or store.
func (c *cooperatives) matrixStorage(i int, id spirv.ID, p *facts.Type, code string) {
	switch p.Storage {
	case spirv.StorageClassWorkgroup, spirv.StorageClassStorageBuffer, spirv.StorageClassPhysicalStorageBuffer:
	default:
		c.fail(i, code, "%s points to %s; must point to Workgroup, StorageBuffer or PhysicalStorageBuffer", c.name(id), p.Storage)
	}
}

// matrixLayout checks the memory layout of a matrix and its stride, 0 if there is
// none.
func (c *cooperatives) matrixLayout(i int, t *facts.Type, layout, stride spirv.ID) {
	k := c.declaredConstant(layout)
	if k == nil || k.Type != nil && (!k.Type.IsInt() || k.Type.Width != 32) {
		if c.code.Def(layout) >= 0 && !c.typeless(layout) {
			c.fail(i, "SPV-CooperativeMatrix-Layout", "the layout is %s; must be a constant of 32 bits", c.name(layout))
		}
		return
	}
	if x := c.m.TypeOf(stride); stride != 0 && x != nil && !x.IsInt() {
		c.fail(i, "SPV-CooperativeMatrix-Stride", "the stride is %s; must be an integer scalar", c.typeName(x))
		return
	}
	n, ok := c.settled(layout)
	if !ok {
		return
	}
	l := spirv.CooperativeMatrixLayout(n)
	row := spirv.KindCooperativeMatrixLayout.Enumerant(uint32(n))
	if row == nil {
		c.fail(i, "SPV-CooperativeMatrix-Layout", "the layout is %d; must be a cooperative matrix layout", n)
		return
	}
	if len(row.Capabilities()) > 0 && !c.anyCapable(row.Capabilities()...) {
		c.fail(i, "SPV-CooperativeMatrix-Layout", "the layout %s needs the capability %s", l, row.Capabilities()[0])
		return
	}
	blocked := l == spirv.CooperativeMatrixLayoutRowBlockedInterleavedARM || l == spirv.CooperativeMatrixLayoutColumnBlockedInterleavedARM
	switch {
	case stride == 0:
		if blocked || l == spirv.CooperativeMatrixLayoutRowMajorKHR || l == spirv.CooperativeMatrixLayoutColumnMajorKHR {
			c.fail(i, "SPV-CooperativeMatrix-Stride", "the layout %s has no stride; must have one", l)
		}
	case blocked:
		c.matrixBlocks(i, t, l, stride)
	case l == spirv.CooperativeMatrixLayoutRowMajorKHR, l == spirv.CooperativeMatrixLayoutColumnMajorKHR:
		least := int64(0)
		if !c.code.Inst(i).Op().HasType() {
			least = 1 // the elements of a store have different places
		}
		if k := c.m.Const(stride); k != nil && k.Type != nil && k.Type.Signed || least > 0 {
			if n, ok := c.settled(stride); ok && n < least {
				c.fail(i, "SPV-CooperativeMatrix-Stride", "the stride is %d; must be at least %d", n, least)
			}
		}
	}
}

// intoArray reports whether a pointer may point into an array: only a variable, and
// access chains from it without a step into an array, do not.
func (c *cooperatives) intoArray(id spirv.ID) bool {
	for range maxAlike {
		d := c.code.DefInst(id)
		if d == nil {
			return true
		}
		switch d.Op() {
		case spirv.OpVariable:
			return false
		case spirv.OpCopyObject:
			id = spirv.ID(d[3])
			continue
		case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
		default:
			return true
		}
		v := inst.AccessChain(d)
		p := c.m.TypeOf(v.Base())
		if p == nil || p.Elem == nil {
			return true
		}
		t := p.Elem
		for _, n := range v.Indexes() {
			if t.IsArray() {
				return true
			}
			part := uint64(0)
			if k, ok := c.m.Const(n).Int(); ok && k >= 0 && t.IsStruct() {
				part = uint64(k)
			}
			if t = t.Part(part); t == nil {
				return true
			}
		}
		id = v.Base()
	}
	return true
}

// blockRows is the number of rows in a block of a blocked layout, and of columns
// with interleave factor 1.
const blockRows = 4

// matrixBlocks checks a matrix in a blocked layout: the stride is the interleave
// factor, and the matrix consists of whole blocks.
func (c *cooperatives) matrixBlocks(i int, t *facts.Type, l spirv.CooperativeMatrixLayout, stride spirv.ID) {
	if c.declaredConstant(stride) == nil {
		c.fail(i, "SPV-CooperativeMatrix-Stride", "the stride of the layout %s is %s; must be a constant", l, c.name(stride))
		return
	}
	n, ok := c.settled(stride)
	if !ok || t == nil {
		return
	}
	if n != 1 && n != 2 && n != 4 {
		c.fail(i, "SPV-CooperativeMatrix-Stride", "the stride of the layout %s is %d; must be 1, 2 or 4", l, n)
		return
	}
	s := c.shapeOfMatrix(t)
	byRows, byColumns := int64(blockRows), blockRows*n
	if l == spirv.CooperativeMatrixLayoutColumnBlockedInterleavedARM {
		byRows, byColumns = byColumns, byRows
	}
	if r, ok := c.settled(s.rows); ok && r%byRows != 0 {
		c.fail(i, "SPV-CooperativeMatrix-Blocks", "a matrix of %d rows in the layout %s with the stride %d; must be a multiple of %d", r, l, n, byRows)
	}
	if r, ok := c.settled(s.columns); ok && r%byColumns != 0 {
		c.fail(i, "SPV-CooperativeMatrix-Blocks", "a matrix of %d columns in the layout %s with the stride %d; must be a multiple of %d", r, l, n, byColumns)
	}
}

func (c *cooperatives) matrixLength(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixLengthKHR(in)
	c.matrixLengthType(i, c.m.Type(v.Type()))
	c.lengthOfMatrix(i, in.Op(), v.TypeOperand())
}

// lengthOfMatrix checks the type operand of a length instruction.
func (c *cooperatives) lengthOfMatrix(i int, op spirv.Op, id spirv.ID) {
	want := spirv.OpTypeCooperativeMatrixKHR
	if op == spirv.OpCooperativeMatrixLengthNV {
		want = spirv.OpTypeCooperativeMatrixNV
	}
	if d := c.code.DefInst(id); d != nil && d.Op() != want && d.Op() != spirv.OpTypeVectorIdEXT && (d.Op().HasType() || isType(d.Op())) {
		c.fail(i, "SPV-CooperativeMatrix-Length", "the length is of %s, the result of %s; must be of an %s", c.name(id), d.Op(), want)
	}
}

// matrixLengthOperation checks the length of a cooperative matrix in an
// OpSpecConstantOp.
func (c *cooperatives) matrixLengthOperation(i int, in spirv.Inst) {
	op := spirv.Op(inst.SpecConstantOp(in).Opcode())
	if len(in) < 5 || op != spirv.OpCooperativeMatrixLengthKHR && op != spirv.OpCooperativeMatrixLengthNV {
		return
	}
	c.matrixLengthType(i, c.m.Type(in.Type()))
	c.lengthOfMatrix(i, op, spirv.ID(in[4]))
}

// matrixLengthType checks the result type of a length.
func (c *cooperatives) matrixLengthType(i int, t *facts.Type) {
	if t != nil && (!t.IsInt() || t.Width != 32 || t.Signed) {
		c.fail(i, "SPV-CooperativeMatrix-Length", "the length is %s; must be an unsigned integer of 32 bits", c.typeName(t))
	}
}

// matrixMultiply checks a multiply-add: result = A·B + C, with A of m×k, B of k×n,
// C and the result of m×n.
func (c *cooperatives) matrixMultiply(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixMulAddKHR(in)
	var s [4]matrixShape // result, A, B, C
	for n, t := range [...]*facts.Type{c.m.Type(v.Type()), c.m.TypeOf(v.A()), c.m.TypeOf(v.B()), c.m.TypeOf(v.C())} {
		if t == nil {
			return
		}
		if !isCooperative(t) || (t.Op == spirv.OpTypeCooperativeMatrixNV) != (in.Op() == spirv.OpCooperativeMatrixMulAddNV) {
			c.fail(i, "SPV-CooperativeMatrix-Matrix", "%s of %s; must be cooperative matrices", in.Op(), c.typeName(t))
			return
		}
		s[n] = c.shapeOfMatrix(t)
	}
	r, a, b, d := s[0], s[1], s[2], s[3]
	if in.Op() == spirv.OpCooperativeMatrixMulAddKHR {
		c.matrixSigned(i, v)
	}
	for _, o := range [...]struct {
		bad  bool
		what string
	}{
		{c.differ(r.scope, a.scope) || c.differ(r.scope, b.scope) || c.differ(r.scope, d.scope), "scopes differ"},
		{c.differ(r.rows, a.rows) || c.differ(r.rows, d.rows), "numbers of rows of the result, A and C differ"},
		{c.differ(r.columns, b.columns) || c.differ(r.columns, d.columns), "numbers of columns of the result, B and C differ"},
		{c.differ(a.columns, b.rows), "columns of A and rows of B differ"},
		{!c.used(r.use, spirv.CooperativeMatrixUseMatrixAccumulatorKHR) || !c.used(d.use, spirv.CooperativeMatrixUseMatrixAccumulatorKHR) ||
			!c.used(a.use, spirv.CooperativeMatrixUseMatrixAKHR) || !c.used(b.use, spirv.CooperativeMatrixUseMatrixBKHR), "uses are not A, B and accumulator"},
	} {
		if o.bad {
			c.fail(i, "SPV-CooperativeMatrix-Shape", "the %s; must match", o.what)
		}
	}
}

// matrixSigned checks that the matrices with signed components have integers.
func (c *cooperatives) matrixSigned(i int, v inst.CooperativeMatrixMulAddKHR) {
	mask, _ := v.CooperativeMatrixOperands()
	for _, o := range [...]struct {
		bit spirv.CooperativeMatrixOperands
		t   *facts.Type
	}{
		{spirv.CooperativeMatrixOperandsMatrixASignedComponentsKHRMask, c.m.TypeOf(v.A())},
		{spirv.CooperativeMatrixOperandsMatrixBSignedComponentsKHRMask, c.m.TypeOf(v.B())},
		{spirv.CooperativeMatrixOperandsMatrixCSignedComponentsKHRMask, c.m.TypeOf(v.C())},
		{spirv.CooperativeMatrixOperandsMatrixResultSignedComponentsKHRMask, c.m.Type(v.Type())},
	} {
		if mask&o.bit != 0 && o.t.Elem != nil && !o.t.Elem.IsInt() {
			c.fail(i, "SPV-CooperativeMatrix-Signed", "%s with components of %s; must be integers", o.bit, c.typeName(o.t.Elem))
		}
	}
}

// used reports whether a matrix has a use, or its use is not known.
func (c *cooperatives) used(id spirv.ID, use spirv.CooperativeMatrixUse) bool {
	n, ok := c.settled(id)
	return !ok || spirv.CooperativeMatrixUse(n) == use
}

// matrixScaled checks a product of a cooperative matrix and a scalar.
func (c *cooperatives) matrixScaled(i int, in spirv.Inst) {
	v := inst.MatrixTimesScalar(in)
	t, m, s := c.m.Type(v.Type()), c.m.TypeOf(v.Matrix()), c.m.TypeOf(v.Scalar())
	if t == nil || m == nil || s == nil || !isCooperative(t) && !isCooperative(m) {
		return
	}
	switch {
	case t != m:
		c.fail(i, "SPV-CooperativeMatrix-Matrix", "the matrix is %s, the result %s; must be the same", c.typeName(m), c.typeName(t))
	case t.Elem != nil && s != t.Elem:
		c.fail(i, "SPV-CooperativeMatrix-Scalar", "the scalar is %s; the components are %s", c.typeName(s), c.typeName(t.Elem))
	}
}

// matrixConverted checks conversions of cooperative matrices and vectors.
func (c *cooperatives) matrixConverted(i int, in spirv.Inst) {
	t, x, ok := c.converted(in)
	if !ok {
		return
	}
	use := in.Op() == spirv.OpCooperativeMatrixConvertUseEXT || in.Op() == spirv.OpCooperativeMatrixTransposeNV
	switch {
	case t.Op == spirv.OpTypeVectorIdEXT && x.IsVector() && in.Op() != spirv.OpBitcast:
		if t.Count != x.Count && (t.Length == nil || t.Length.Known && !t.Length.Spec) && (x.Length == nil || x.Length.Known && !x.Length.Spec) {
			c.fail(i, "SPV-CooperativeMatrix-Shape", "%s of %d components yields %d; must be the same number", in.Op(), x.Count, t.Count)
		}
		return
	case !isCooperative(t) && !isCooperative(x) && !use:
		return
	case t.Op != x.Op || use && t.Op != spirv.OpTypeCooperativeMatrixKHR:
		c.fail(i, "SPV-CooperativeMatrix-Matrix", "%s of %s yields %s; must both be cooperative matrices", in.Op(), c.typeName(x), c.typeName(t))
		return
	}
	c.matrixReshaped(i, in, t, x, use)
}

// matrixReshaped checks the scopes, shapes and uses of a matrix and of the result
// of its conversion. use reports that the instruction may change the use.
func (c *cooperatives) matrixReshaped(i int, in spirv.Inst, t, x *facts.Type, use bool) {
	const code = "SPV-CooperativeMatrix-Shape"
	a, b := c.shapeOfMatrix(t), c.shapeOfMatrix(x)
	nv := in.Op() == spirv.OpCooperativeMatrixTransposeNV
	transposed := nv || c.m.Has(in.Result(), spirv.DecorationCooperativeMatrixTransposeEXT)
	if transposed {
		b.rows, b.columns = b.columns, b.rows
	}
	if c.differ(a.scope, b.scope) || c.differ(a.rows, b.rows) || c.differ(a.columns, b.columns) {
		c.fail(i, code, "%s of %s yields %s; must have the same scopes, rows and columns, or with a transpose rows and columns swapped", in.Op(), c.typeName(x), c.typeName(t))
		return
	}
	if !use && t.Elem != nil && x.Elem != nil {
		row, known := typing.Of(in.Op())
		bad := known && len(row.Operands) > 0 && (!fits(row.Result, t.Elem) || !fits(row.Operands[0].Class, x.Elem))
		if bad || in.Op() == spirv.OpBitcast && t.Elem.Width != x.Elem.Width {
			c.fail(i, "SPV-CooperativeMatrix-Operands", "%s of %s yields %s; must have the component types of the conversion", in.Op(), c.typeName(x), c.typeName(t))
			return
		}
		if in.Op() == spirv.OpBitcast && (t.Elem.IsFloat() || x.Elem.IsFloat()) {
			c.fail(i, "SPV-CooperativeMatrix-Operands", "OpBitcast of %s to %s; must have components of integers", c.typeName(x), c.typeName(t)).warn() // the components have the same bits in both readings
		}
	}
	if use && !nv && t.Elem != nil && x.Elem != nil && (t.Elem.Op != x.Elem.Op || t.Elem.Width != x.Elem.Width || t.Elem.IsFloat() && t.Elem != x.Elem) {
		c.fail(i, code, "%s of %s yields %s; must have components of one kind and width", in.Op(), c.typeName(x), c.typeName(t))
	}
	if a.use == 0 || b.use == 0 {
		return
	}
	const accumulator = spirv.CooperativeMatrixUseMatrixAccumulatorKHR
	from, ok := c.settled(b.use)
	to, ok2 := c.settled(a.use)
	back := c.capable(spirv.CapabilityCooperativeMatrixConversionsEXT) // also from A or B to an accumulator
	switch {
	case transposed:
		if a.use == b.use || !c.used(b.use, accumulator) || ok2 && spirv.CooperativeMatrixUse(to) == accumulator || nv && !c.used(a.use, spirv.CooperativeMatrixUseMatrixBKHR) {
			c.fail(i, code, "%s transposes %s to %s; must transpose an accumulator to A or B", in.Op(), c.typeName(x), c.typeName(t))
		}
	case use:
		if a.use == b.use || ok && ok2 && (spirv.CooperativeMatrixUse(from) == accumulator) == (spirv.CooperativeMatrixUse(to) == accumulator) {
			c.fail(i, code, "%s between matrices of the uses %d and %d; must have one accumulator", in.Op(), from, to)
		} else if !back && !c.used(b.use, accumulator) {
			c.fail(i, code, "%s of a matrix of the use %d; must be of an accumulator without the capability CooperativeMatrixConversionsEXT", in.Op(), from)
		}
	case ok && ok2 && from != to:
		free := in.Op() != spirv.OpBitcast && (back || c.capable(spirv.CapabilityCooperativeMatrixConversionsNV))
		if !free || spirv.CooperativeMatrixUse(from) != accumulator && (!back || spirv.CooperativeMatrixUse(to) != accumulator) {
			c.fail(i, code, "%s of %s yields %s; must have the same uses, or change from or to an accumulator by a conversion with the capability for it", in.Op(), c.typeName(x), c.typeName(t))
		}
	}
}

// transposedTarget checks the target of CooperativeMatrixTransposeEXT.
func (c *checker) transposedTarget(i int, id spirv.ID, d spirv.Inst) {
	ok := false
	switch op := d.Op(); op {
	case spirv.OpConvertFToU, spirv.OpConvertFToS, spirv.OpConvertSToF, spirv.OpConvertUToF, spirv.OpUConvert, spirv.OpSConvert,
		spirv.OpFConvert, spirv.OpCooperativeMatrixConvertUseEXT:
		t := c.m.Type(d.Type())
		ok = t == nil || t.Op == spirv.OpTypeCooperativeMatrixKHR
	}
	if !ok {
		c.fail(i, "SPV-CooperativeMatrix-Transpose", "CooperativeMatrixTransposeEXT is on %s, the result of %s; must be on a conversion of a cooperative matrix", c.name(id), d.Op())
	}
}

// workgroupSizes are the workgroup sizes of the entry points.
type workgroupSizes struct {
	missing     *facts.EntryPoint // the first one that has workgroups without a declared size
	last        int               // of the operands of LocalSizeId, the one that is defined last; −1 if there is none
	invocations []uint64          // the numbers of invocations; two if they differ
}

// workgroups returns the workgroup sizes of the entry points.
func (c *cooperatives) workgroups() *workgroupSizes {
	if c.sizes != nil {
		return c.sizes
	}
	c.sizes = &workgroupSizes{last: -1}
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		m, ok := e.Mode(spirv.ExecutionModeLocalSizeId)
		if !ok && !e.HasLocalSize && c.sizes.missing == nil { // other models than inWorkgroups have no workgroup at all
			c.sizes.missing = e
		}
		if ok {
			for _, id := range spirv.IDs(m.Operands) {
				c.sizes.last = max(c.sizes.last, c.code.Def(id))
			}
		}
		k := uint64(e.LocalSize[0]) * uint64(e.LocalSize[1]) * uint64(e.LocalSize[2])
		if e.HasLocalSize && len(c.sizes.invocations) < 2 && !slices.Contains(c.sizes.invocations, k) {
			c.sizes.invocations = append(c.sizes.invocations, k)
		}
	}
	return c.sizes
}

// matrixWorkgroup checks that the workgroup size is declared before a matrix type
// of scope Workgroup.
func (c *cooperatives) matrixWorkgroup(i int) {
	s := c.workgroups()
	if e := s.missing; e != nil {
		c.fail(i, "SPV-CooperativeMatrix-Workgroup", "the scope of the matrix is Workgroup and the entry point %q does not declare the workgroup size; must declare it before the type", e.Name).also(c, e.Index, "the entry point")
	}
	if s.last > i {
		c.fail(i, "SPV-CooperativeMatrix-Workgroup", "the scope of the matrix is Workgroup and its size %s is defined after the type; must be defined before", c.name(c.code.Inst(s.last).Result())).also(c, s.last, "the size")
	}
}
