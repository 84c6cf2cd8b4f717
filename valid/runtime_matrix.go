package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// matrixPropertyFamily checks the shapes of cooperative matrices and the kinds of cooperative vectors against the lists
// that queries of a device return (Vulkan, Runtime SPIR-V Validation). The rules with lists of granularities depend on
// the subgroup size of a pipeline, too: an entry for any subgroup size satisfies them.
var matrixPropertyFamily = family{
	rules: []Rule{
		{Code: vuid.RuntimeSpirv_OpTypeCooperativeMatrixKHR_10163, Section: runtimeSection, Words: "without flexible dimensions and further properties, a cooperative matrix has a type, a scope and a size of the device's list", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpCooperativeMatrixMulAddKHR_10060, Section: runtimeSection, Words: "without flexible dimensions and further properties, a product of cooperative matrices is in the device's list", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_cooperativeMatrixFlexibleDimensions_10165, Section: runtimeSection, Words: "with flexible dimensions, a cooperative matrix is in the device's list or a multiple of a granularity", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_cooperativeMatrixFlexibleDimensions_10166, Section: runtimeSection, Words: "with flexible dimensions, a product of cooperative matrices is in the device's list or a multiple of a granularity", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_cooperativeMatrixProperties2_13382, Section: runtimeSection, Words: "with cooperativeMatrixProperties2, a cooperative matrix is in one of the device's lists", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_cooperativeMatrixProperties2_13383, Section: runtimeSection, Words: "with cooperativeMatrixProperties2, a product of cooperative matrices is in one of the device's lists", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpTypeCooperativeMatrixNV_06316, Section: runtimeSection, Words: "NVIDIA's cooperative matrix has a type, a scope and a size of the device's list", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpTypeCooperativeMatrixMulAddNV_10059, Section: runtimeSection, Words: "a product of NVIDIA's cooperative matrices is in the device's list", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_NSize_12352, Section: runtimeSection, Words: "the source of OpExtractSubArrayQCOM has the NSize of a cooperative matrix of the device", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_KSize_12353, Section: runtimeSection, Words: "the result of OpExtractSubArrayQCOM has the KSize of a cooperative matrix of the device", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpTypeCooperativeVector_10095, Section: runtimeSection, Words: "a cooperative vector has a component type of the device's list", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulNV_10089, Section: runtimeSection, Words: "a product of a matrix and a cooperative vector is in the device's list", Need: NeedDevice},
	},
	insts: map[spirv.Op]judge{
		spirv.OpTypeCooperativeMatrixKHR:        cooperativeJudge((*cooperatives).listedMatrix),
		spirv.OpTypeCooperativeMatrixNV:         cooperativeJudge((*cooperatives).listedMatrixNV),
		spirv.OpCooperativeMatrixMulAddKHR:      cooperativeJudge((*cooperatives).listedProduct),
		spirv.OpCooperativeMatrixMulAddNV:       cooperativeJudge((*cooperatives).listedProductNV),
		spirv.OpExtractSubArrayQCOM:             cooperativeJudge((*cooperatives).listedArrays),
		spirv.OpTypeVectorIdEXT:                 cooperativeJudge((*cooperatives).listedVector),
		spirv.OpCooperativeVectorMatrixMulNV:    cooperativeJudge((*cooperatives).listedVectorProduct),
		spirv.OpCooperativeVectorMatrixMulAddNV: cooperativeJudge((*cooperatives).listedVectorProduct),
	},
}

// matrixOf is a cooperative matrix type with known operands.
type matrixOf struct {
	elem          *facts.Type
	rows, columns uint64
	use           uint64
	scope         spirv.Scope
}

// matrixOf returns the operands of a cooperative matrix type; false if one is not known or depends on specialization.
func (c *cooperatives) matrixOf(t *facts.Type) (matrixOf, bool) {
	if !c.vulkan || !isCooperative(t) || t.Elem == nil {
		return matrixOf{}, false
	}
	s := c.shapeOfMatrix(t)
	rows, ok := c.whole(s.rows)
	columns, ok2 := c.whole(s.columns)
	scope, ok3 := c.whole(s.scope)
	use, ok4 := uint64(0), true
	if s.use != 0 {
		use, ok4 = c.whole(s.use)
	}
	return matrixOf{t.Elem, rows, columns, use, spirv.Scope(scope)}, ok && ok2 && ok3 && ok4
}

// integers are the widths of the component types that are integers, and whether they are signed.
var integers = map[spirv.ComponentType]struct {
	width  uint32
	signed bool
}{
	spirv.ComponentTypeSignedInt8NV: {8, true}, spirv.ComponentTypeSignedInt16NV: {16, true}, spirv.ComponentTypeSignedInt32NV: {32, true}, spirv.ComponentTypeSignedInt64NV: {64, true},
	spirv.ComponentTypeUnsignedInt8NV: {8, false}, spirv.ComponentTypeUnsignedInt16NV: {16, false}, spirv.ComponentTypeUnsignedInt32NV: {32, false}, spirv.ComponentTypeUnsignedInt64NV: {64, false},
}

// isComponent reports whether a type has a component type. Instructions decide the signedness of integers, unless exact
// is true.
func isComponent(t *facts.Type, k spirv.ComponentType, exact bool) bool {
	if n, ok := integers[k]; ok {
		return t.IsInt() && t.Width == n.width && (!exact || t.Signed == n.signed)
	}
	if !t.IsFloat() {
		return false
	}
	switch k {
	case componentBFloat16:
		return t.Encoded && t.Encoding == spirv.FPEncodingBFloat16KHR
	case spirv.ComponentTypeFloatE4M3NV:
		return t.Encoded && t.Encoding == spirv.FPEncodingFloat8E4M3EXT
	case spirv.ComponentTypeFloatE5M2NV:
		return t.Encoded && t.Encoding == spirv.FPEncodingFloat8E5M2EXT
	case spirv.ComponentTypeFloat16NV, spirv.ComponentTypeFloat32NV, spirv.ComponentTypeFloat64NV:
		return !t.Encoded && t.Width == 16<<(k-spirv.ComponentTypeFloat16NV)
	}
	return false
}

// sized reports whether a number of rows or columns is a size, or a multiple of it.
func sized(n, size uint64, multiples bool) bool {
	return n == size || multiples && size > 0 && n%size == 0
}

// as reports whether a matrix with a use has the place of that use in an entry.
func (m matrixOf) as(use spirv.CooperativeMatrixUse, e *MatrixShape, multiples bool) bool {
	switch use {
	case spirv.CooperativeMatrixUseMatrixAKHR:
		return sized(m.rows, e.M, multiples) && sized(m.columns, e.K, multiples) && isComponent(m.elem, e.A, false)
	case spirv.CooperativeMatrixUseMatrixBKHR:
		return sized(m.rows, e.K, multiples) && sized(m.columns, e.N, multiples) && isComponent(m.elem, e.B, false)
	}
	return sized(m.rows, e.M, multiples) && sized(m.columns, e.N, multiples) && (isComponent(m.elem, e.C, false) || isComponent(m.elem, e.Result, false))
}

// inLists checks an object against the lists of the device: code is the rule without the two features, flexible and
// further are the rules with them. match reports whether an entry has the object.
func (c *cooperatives) inLists(i int, code, flexible, further, what string, scope spirv.Scope, match func(e *MatrixShape, multiples bool) bool) {
	d := c.env.Device
	flex, flexKnown := d.feature("cooperativeMatrixFlexibleDimensions")
	more, moreKnown := d.feature("cooperativeMatrixProperties2")
	in := func(l MatrixList, multiples bool) (found, known bool) {
		if d == nil {
			return false, false
		}
		list, known := d.Matrices[l]
		for k := range list {
			e := &list[k]
			if e.Scope == scope && c.invokes(e) && match(e, multiples) {
				return true, true
			}
		}
		return false, known
	}
	plain, known := in(MatricesKHR, false)
	switch {
	case !flexKnown || !moreKnown || !known && !flex && !more:
		c.unknown(code)
	case !plain && !flex && !more:
		c.fail(i, code, "%s; must be in the list of the device", what)
	}
	for _, k := range []struct {
		on, known bool
		code      string
		list      MatrixList
		multiples bool
	}{{flex, flexKnown, flexible, MatricesFlexible, true}, {more, moreKnown, further, MatricesEXT, flex}} {
		found, listed := in(k.list, k.multiples)
		switch {
		case !k.known || k.on && !plain && !found && (!known || !listed):
			c.unknown(k.code)
		case k.on && !plain && !found:
			c.fail(i, k.code, "%s; must be in the lists of the device", what)
		}
	}
}

// invokes reports whether the workgroups of all entry points have the number of invocations of an entry, if it has one.
func (c *cooperatives) invokes(e *MatrixShape) bool {
	if e.Scope != spirv.ScopeWorkgroup || e.Invocations == 0 {
		return true
	}
	list := c.workgroups().invocations
	return len(list) == 0 || len(list) == 1 && list[0] == e.Invocations
}

func (c *cooperatives) listedMatrix(i int, in spirv.Inst) {
	t := c.m.Type(in.Result())
	m, ok := c.matrixOf(t)
	if !ok {
		return
	}
	c.inLists(i, vuid.RuntimeSpirv_OpTypeCooperativeMatrixKHR_10163, vuid.RuntimeSpirv_cooperativeMatrixFlexibleDimensions_10165, vuid.RuntimeSpirv_cooperativeMatrixProperties2_13382,
		"a matrix of "+c.typeName(t.Elem)+" with "+itoa(m.rows)+" × "+itoa(m.columns)+" components", m.scope,
		func(e *MatrixShape, multiples bool) bool {
			return m.as(spirv.CooperativeMatrixUse(m.use), e, multiples)
		})
}

// signedness reports whether an operand bit states the signedness of a component type.
func signedness(k spirv.ComponentType, mask, bit spirv.CooperativeMatrixOperands) bool {
	return integers[k].signed == (mask&bit != 0)
}

func (c *cooperatives) listedProduct(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixMulAddKHR(in)
	mask, _ := v.CooperativeMatrixOperands()
	r, ok := c.matrixOf(c.m.Type(v.Type()))
	a, ok2 := c.matrixOf(c.m.TypeOf(v.A()))
	b, ok3 := c.matrixOf(c.m.TypeOf(v.B()))
	d, ok4 := c.matrixOf(c.m.TypeOf(v.C()))
	if !ok || !ok2 || !ok3 || !ok4 {
		return
	}
	c.inLists(i, vuid.RuntimeSpirv_OpCooperativeMatrixMulAddKHR_10060, vuid.RuntimeSpirv_cooperativeMatrixFlexibleDimensions_10166, vuid.RuntimeSpirv_cooperativeMatrixProperties2_13383,
		"a product with M "+itoa(r.rows)+", N "+itoa(r.columns)+" and K "+itoa(a.columns), r.scope,
		func(e *MatrixShape, multiples bool) bool {
			return a.as(spirv.CooperativeMatrixUseMatrixAKHR, e, multiples) && b.as(spirv.CooperativeMatrixUseMatrixBKHR, e, multiples) &&
				sized(r.rows, e.M, multiples) && sized(r.columns, e.N, multiples) && isComponent(d.elem, e.C, false) && isComponent(r.elem, e.Result, false) &&
				signedness(e.A, mask, spirv.CooperativeMatrixOperandsMatrixASignedComponentsKHRMask) && signedness(e.B, mask, spirv.CooperativeMatrixOperandsMatrixBSignedComponentsKHRMask) &&
				signedness(e.C, mask, spirv.CooperativeMatrixOperandsMatrixCSignedComponentsKHRMask) && signedness(e.Result, mask, spirv.CooperativeMatrixOperandsMatrixResultSignedComponentsKHRMask) &&
				e.Saturating == (mask&spirv.CooperativeMatrixOperandsSaturatingAccumulationKHRMask != 0)
		})
}

// inListNV checks an object of VK_NV_cooperative_matrix against its list.
func (c *cooperatives) inListNV(i int, code, what string, match func(e *MatrixShape) bool) {
	var list []MatrixShape
	known := false
	if c.env.Device != nil {
		list, known = c.env.Device.Matrices[MatricesNV]
	}
	if !known {
		c.unknown(code)
		return
	}
	for k := range list {
		if match(&list[k]) {
			return
		}
	}
	c.fail(i, code, "%s; must be in the list of the device", what)
}

func (c *cooperatives) listedMatrixNV(i int, in spirv.Inst) {
	t := c.m.Type(in.Result())
	m, ok := c.matrixOf(t)
	if !ok {
		return
	}
	c.inListNV(i, vuid.RuntimeSpirv_OpTypeCooperativeMatrixNV_06316, "a matrix of "+c.typeName(t.Elem)+" with "+itoa(m.rows)+" × "+itoa(m.columns)+" components", func(e *MatrixShape) bool {
		return e.Scope == m.scope && (m.as(spirv.CooperativeMatrixUseMatrixAKHR, e, false) || m.as(spirv.CooperativeMatrixUseMatrixBKHR, e, false) ||
			m.as(spirv.CooperativeMatrixUseMatrixAccumulatorKHR, e, false))
	})
}

func (c *cooperatives) listedProductNV(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixMulAddNV(in)
	r, ok := c.matrixOf(c.m.Type(v.Type()))
	a, ok2 := c.matrixOf(c.m.TypeOf(v.A()))
	b, ok3 := c.matrixOf(c.m.TypeOf(v.B()))
	d, ok4 := c.matrixOf(c.m.TypeOf(v.C()))
	if !ok || !ok2 || !ok3 || !ok4 {
		return
	}
	c.inListNV(i, vuid.RuntimeSpirv_OpTypeCooperativeMatrixMulAddNV_10059, "a product with M "+itoa(r.rows)+", N "+itoa(r.columns)+" and K "+itoa(a.columns), func(e *MatrixShape) bool {
		return r.scope == spirv.ScopeSubgroup && a.as(spirv.CooperativeMatrixUseMatrixAKHR, e, false) && b.as(spirv.CooperativeMatrixUseMatrixBKHR, e, false) &&
			r.rows == e.M && r.columns == e.N && isComponent(a.elem, e.A, true) && isComponent(b.elem, e.B, true) && isComponent(d.elem, e.C, true) && isComponent(r.elem, e.Result, true)
	})
}

// listedArrays checks the lengths of OpExtractSubArrayQCOM against the sizes of matrices.
func (c *cooperatives) listedArrays(i int, in spirv.Inst) {
	v := inst.ExtractSubArrayQCOM(in)
	source, result := c.m.TypeOf(v.SourceArray()), c.m.Type(v.Type())
	if !c.vulkan || !source.IsArray() || !result.IsArray() {
		return
	}
	var list []MatrixShape
	known := false
	if c.env.Device != nil {
		list, known = c.env.Device.Matrices[MatricesKHR]
	}
	for _, k := range []struct {
		code, what string
		length     uint64
		size       func(e *MatrixShape) uint64
	}{
		{vuid.RuntimeSpirv_NSize_12352, "the source has", source.Count, func(e *MatrixShape) uint64 { return e.N }},
		{vuid.RuntimeSpirv_KSize_12353, "the result has", result.Count, func(e *MatrixShape) uint64 { return e.K }},
	} {
		found := false
		for n := range list {
			found = found || k.size(&list[n]) == k.length
		}
		switch {
		case !known:
			c.unknown(k.code)
		case !found:
			c.fail(i, k.code, "%s %d elements; must be as many as a matrix of the device has", k.what, k.length)
		}
	}
}
