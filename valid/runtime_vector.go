package valid

import (
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// vectorProducts returns the list of products of the device, and whether it is known.
func (c *cooperatives) vectorProducts(code string) ([]VectorProduct, bool) {
	if c.env.Device == nil || c.env.Device.Vectors == nil {
		c.unknown(code)
		return nil, false
	}
	return c.env.Device.Vectors, true
}

// listedVector checks the component type of a cooperative vector: an input or a result of a listed product.
func (c *cooperatives) listedVector(i int, in spirv.Inst) {
	t := c.m.Type(in.Result())
	if !c.vulkan || t == nil || t.Elem == nil || !c.capable(spirv.CapabilityCooperativeVectorNV) {
		return
	}
	const code = vuid.RuntimeSpirv_OpTypeCooperativeVector_10095
	list, known := c.vectorProducts(code)
	if !known {
		return
	}
	for _, e := range list {
		if isComponent(t.Elem, e.Input, true) || isComponent(t.Elem, e.Result, true) {
			return
		}
	}
	c.fail(i, code, "components of %s; must be of a type in the list of the device", c.typeName(t.Elem))
}

// listedVectorProduct checks a product of a matrix and a cooperative vector.
func (c *cooperatives) listedVectorProduct(i int, in spirv.Inst) {
	v := inst.CooperativeVectorMatrixMulNV(in)
	inputAs, matrixAs, transpose, biasAs := v.InputInterpretation(), v.MatrixInterpretation(), v.Transpose(), spirv.ID(0)
	if in.Op() == spirv.OpCooperativeVectorMatrixMulAddNV {
		w := inst.CooperativeVectorMatrixMulAddNV(in)
		inputAs, matrixAs, transpose, biasAs = w.InputInterpretation(), w.MatrixInterpretation(), w.Transpose(), w.BiasInterpretation()
	}
	input, result := c.m.TypeOf(v.Input()).Scalar(), c.m.Type(v.Type()).Scalar()
	ia, ok := c.whole(inputAs)
	ma, ok2 := c.whole(matrixAs)
	ba, ok3 := c.whole(biasAs)
	tr := c.m.Const(transpose)
	if !c.vulkan || input == nil || result == nil || !ok || !ok2 || biasAs != 0 && !ok3 || tr == nil || !tr.Known || tr.Spec {
		return
	}
	const code = vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulNV_10089
	list, known := c.vectorProducts(code)
	if !known {
		return
	}
	for _, e := range list {
		if isComponent(input, e.Input, true) && spirv.ComponentType(ia) == e.InputAs && spirv.ComponentType(ma) == e.MatrixAs && isComponent(result, e.Result, true) &&
			(biasAs == 0 || spirv.ComponentType(ba) == e.BiasAs) && (tr.Bits == 0 || e.Transpose) {
			return
		}
	}
	c.fail(i, code, "a product of %s as %s and a matrix of %s; must be in the list of the device", c.typeName(input), spirv.ComponentType(ia), spirv.ComponentType(ma))
}
