package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// tensorLayoutFamily checks layouts and views of tensors
// (SPV_NV_tensor_addressing), and the loads and stores of cooperative matrices
// through them (SPV_NV_cooperative_matrix2,
// SPV_NV_cooperative_matrix_decode_vector).
var tensorLayoutFamily = family{
	rules: []Rule{
		{Code: "SPV-TensorLayout-Dimension", Section: "SPIR-V, SPV_NV_tensor_addressing", Words: "the number of dimensions of a layout or a view is a constant 32-bit integer from 1 to 5"},
		{Code: "SPV-TensorLayout-ClampMode", Section: "SPIR-V, SPV_NV_tensor_addressing", Words: "the clamp mode of a layout is a constant 32-bit integer, one of the defined modes"},
		{Code: "SPV-TensorView-Dimensions", Section: "SPIR-V, SPV_NV_tensor_addressing", Words: "the HasDimensions operand of a view is a Boolean constant"},
		{Code: "SPV-TensorView-Permutation", Section: "SPIR-V, SPV_NV_tensor_addressing", Words: "a view names each dimension once, by constant 32-bit integers"},
		{Code: "SPV-TensorLayout-Result", Section: "SPIR-V, SPV_NV_tensor_addressing", Words: "an instruction that creates or changes a layout or a view yields one; a change preserves the type"},
		{Code: "SPV-TensorLayout-Operand", Section: "SPIR-V, SPV_NV_tensor_addressing", Words: "an instruction has a 32-bit integer for each dimension of the layout or view, for a slice two"},
		{Code: "SPV-TensorLayout-Access", Section: "SPIR-V, SPV_NV_cooperative_matrix2", Words: "a matrix load or store has a pointer, a layout and optionally a view; a load has an object of the matrix type"},
		{Code: "SPV-TensorLayout-Decode", Section: "SPIR-V, SPV_NV_cooperative_matrix2", Words: "a decode function is for a load from a storage buffer; it has a pointer to PhysicalStorageBuffer and two arrays of 32-bit integers, one integer for each dimension, and returns an element of the matrix"},
		{Code: "SPV-TensorLayout-DecodeVector", Section: "SPIR-V, SPV_NV_cooperative_matrix_decode_vector", Words: "a decode function for vectors requires a decode function for elements, and returns 2, 4 or 8 elements"},
		{Code: vuid.RuntimeSpirv_OpCooperativeMatrixLoadTensorNV_12429, Section: environment, Words: "the last block size of the layout is a multiple of the number of elements that a decode function returns"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpTypeTensorLayoutNV:             cooperativeJudge((*cooperatives).typeTensorLayout),
		spirv.OpTypeTensorViewNV:               cooperativeJudge((*cooperatives).typeTensorView),
		spirv.OpCreateTensorLayoutNV:           cooperativeJudge((*cooperatives).tensorLayout),
		spirv.OpCreateTensorViewNV:             cooperativeJudge((*cooperatives).tensorView),
		spirv.OpCooperativeMatrixLoadTensorNV:  cooperativeJudge((*cooperatives).matrixLoadTensor),
		spirv.OpCooperativeMatrixStoreTensorNV: cooperativeJudge((*cooperatives).matrixStoreTensor),
	},
	ops: []group{
		{cooperativeJudge((*cooperatives).tensorLayout), []spirv.Op{
			spirv.OpTensorLayoutSetDimensionNV, spirv.OpTensorLayoutSetStrideNV, spirv.OpTensorLayoutSliceNV,
			spirv.OpTensorLayoutSetClampValueNV, spirv.OpTensorLayoutSetBlockSizeNV,
		}},
		{cooperativeJudge((*cooperatives).tensorView), []spirv.Op{spirv.OpTensorViewSetDimensionNV, spirv.OpTensorViewSetStrideNV, spirv.OpTensorViewSetClipNV}},
	},
}

// maxTensorDim is how many dimensions a layout or a view has at most.
const maxTensorDim = 5

// tensorDim checks the number of dimensions of a layout or view.
func (c *cooperatives) tensorDim(i int, id spirv.ID) {
	k := c.wordConstant(i, id, "the number of dimensions", "SPV-TensorLayout-Dimension")
	if k != nil && k.Known && !k.Spec && (k.Bits < 1 || k.Bits > maxTensorDim) {
		c.fail(i, "SPV-TensorLayout-Dimension", "the number of dimensions is %d; must be from 1 to %d", k.Bits, maxTensorDim)
	}
}

func (c *cooperatives) typeTensorLayout(i int, in spirv.Inst) {
	v := inst.TypeTensorLayoutNV(in)
	c.tensorDim(i, v.Dim())
	k := c.wordConstant(i, v.ClampMode(), "the clamp mode", "SPV-TensorLayout-ClampMode")
	if k != nil && k.Known && !k.Spec && spirv.KindTensorClampMode.Enumerant(uint32(k.Bits)) == nil {
		c.fail(i, "SPV-TensorLayout-ClampMode", "the clamp mode is %d; must be a defined mode", k.Bits)
	}
}

func (c *cooperatives) typeTensorView(i int, in spirv.Inst) {
	v := inst.TypeTensorViewNV(in)
	c.tensorDim(i, v.Dim())
	if d, k := c.code.DefInst(v.HasDimensions()), c.declaredConstant(v.HasDimensions()); d != nil && (k == nil || k.Type != nil && !k.Type.IsBool()) {
		c.fail(i, "SPV-TensorView-Dimensions", "the HasDimensions operand of the view is %s; must be a Boolean constant", c.name(v.HasDimensions()))
	}
	const code = "SPV-TensorView-Permutation"
	dim, ok := c.settled(v.Dim())
	if ok && int64(len(v.P())) != dim {
		c.fail(i, code, "a view of %d dimensions names %d; must name each", dim, len(v.P()))
		return
	}
	var seen uint32
	for n, id := range v.P() {
		k := c.wordConstant(i, id, "dimension "+itoa(uint64(n)), code)
		if k == nil || !k.Known || k.Spec {
			continue
		}
		if k.Bits >= uint64(len(v.P())) || seen>>k.Bits&1 != 0 {
			c.fail(i, code, "the view names dimension %d of %d, or names it twice; must name each once", k.Bits, len(v.P()))
			return
		}
		seen |= 1 << k.Bits
	}
}

// tensorLayout checks an instruction that makes or changes a layout.
func (c *cooperatives) tensorLayout(i int, in spirv.Inst) {
	c.addressing(i, in, spirv.OpTypeTensorLayoutNV)
}

// tensorView checks an instruction that makes or changes a view.
func (c *cooperatives) tensorView(i int, in spirv.Inst) {
	c.addressing(i, in, spirv.OpTypeTensorViewNV)
}

// addressing checks the types of such an instruction.
func (c *cooperatives) addressing(i int, in spirv.Inst, kind spirv.Op) {
	t := c.m.Type(in.Type())
	if t == nil {
		return
	}
	if t.Op != kind {
		c.fail(i, "SPV-TensorLayout-Result", "%s yields %s; must yield an %s", in.Op(), c.typeName(t), kind)
		return
	}
	op := in.Op()
	if op == spirv.OpCreateTensorLayoutNV || op == spirv.OpCreateTensorViewNV {
		return
	}
	v := inst.TensorLayoutSetDimensionNV(in) // the others begin as it does
	if x := c.m.TypeOf(v.TensorLayout()); unlike(x, t) {
		c.fail(i, "SPV-TensorLayout-Result", "%s of %s yields %s; must preserve the type", op, c.typeName(x), c.typeName(t))
	}
	for n, id := range v.Dim() {
		if x := c.m.TypeOf(id); x != nil && !isWord(x) {
			c.fail(i, "SPV-TensorLayout-Operand", "operand %d of %s is %s; must be an integer of 32 bits", n, op, c.typeName(x))
		}
	}
	dim, ok := c.dimOf(t)
	switch op {
	case spirv.OpTensorLayoutSetClampValueNV, spirv.OpTensorViewSetClipNV:
		return // the grammar counts their operands
	case spirv.OpTensorLayoutSliceNV:
		dim *= 2
	}
	if ok && int64(len(v.Dim())) != dim {
		c.fail(i, "SPV-TensorLayout-Operand", "%s has %d operands; must have %d, for the dimensions of %s", op, len(v.Dim()), dim, c.typeName(t))
	}
}

// dimOf returns the number of dimensions of a layout or view, false if it is
// not known or out of range.
func (c *cooperatives) dimOf(t *facts.Type) (int64, bool) {
	n, ok := c.settled(inst.TypeTensorLayoutNV(c.code.Inst(t.Index)).Dim()) // a view begins as it does
	return n, ok && n >= 1 && n <= maxTensorDim
}

func (c *cooperatives) matrixLoadTensor(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixLoadTensorNV(in)
	t := c.m.Type(v.Type())
	if !c.matrixOperand(i, t, "the result") {
		return
	}
	if x := c.m.TypeOf(v.Object()); unlike(x, t) {
		c.fail(i, "SPV-TensorLayout-Access", "the object is %s; must be %s, like the result", c.typeName(x), c.typeName(t))
	}
	p := c.tensorPointer(i, v.Pointer())
	if p != nil {
		c.accesses(i, access{reads: p}, v.MemoryOperand(), v.MemoryOperandWords())
	}
	c.tensorAddressing(i, t, p, v.TensorLayout(), v.TensorAddressingOperands(), v.TensorAddressingOperandsWords())
	c.decodedBlock(i, in)
}

func (c *cooperatives) matrixStoreTensor(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixStoreTensorNV(in)
	c.matrixOperand(i, c.m.TypeOf(v.Object()), "the object")
	p := c.tensorPointer(i, v.Pointer())
	if p != nil {
		c.accesses(i, access{writes: p}, v.MemoryOperand(), v.MemoryOperandWords())
	}
	c.tensorAddressing(i, nil, p, v.TensorLayout(), v.TensorAddressingOperands(), v.TensorAddressingOperandsWords())
}

// tensorPointer checks the pointer of such an access and returns its type, nil
// if it is no pointer.
func (c *cooperatives) tensorPointer(i int, id spirv.ID) *facts.Type {
	p := c.m.TypeOf(id)
	if p == nil {
		return nil
	}
	if !p.IsPointer() {
		c.fail(i, "SPV-TensorLayout-Access", "%s is %s; must be a pointer", c.name(id), c.typeName(p))
		return nil
	}
	code := "SPV-TensorLayout-Access" // the extension names the storage classes for every environment
	if c.vulkan {
		code = vuid.StandaloneSpirv_Pointer_08973
	}
	c.matrixStorage(i, id, p, code)
	return p
}

// tensorAddressing checks the layout of an access, and the view and the functions
// that it names. t is the type of a load, nil for a store.
func (c *cooperatives) tensorAddressing(i int, t, p *facts.Type, layout spirv.ID, mask spirv.TensorAddressingOperands, words []uint32) {
	l := c.m.TypeOf(layout)
	if l != nil && l.Op != spirv.OpTypeTensorLayoutNV {
		c.fail(i, "SPV-TensorLayout-Access", "%s is %s; must be a tensor layout", c.name(layout), c.typeName(l))
		l = nil
	}
	next := func(bit spirv.TensorAddressingOperands) (id spirv.ID) {
		if mask&bit != 0 && len(words) > 0 {
			id, words = spirv.ID(words[0]), words[1:]
		}
		return id
	}
	if id := next(spirv.TensorAddressingOperandsTensorViewMask); id != 0 {
		if x := c.m.TypeOf(id); x != nil && x.Op != spirv.OpTypeTensorViewNV {
			c.fail(i, "SPV-TensorLayout-Access", "%s is %s; must be a tensor view", c.name(id), c.typeName(x))
		}
	}
	decode := next(spirv.TensorAddressingOperandsDecodeFuncMask)
	vector := next(spirv.TensorAddressingOperandsDecodeVectorFuncMask)
	if decode == 0 && vector == 0 {
		return
	}
	if t == nil {
		c.fail(i, "SPV-TensorLayout-Decode", "a store has a decode function; must be a load")
		return
	}
	if p != nil && p.Storage != spirv.StorageClassStorageBuffer && p.Storage != spirv.StorageClassPhysicalStorageBuffer {
		c.fail(i, "SPV-TensorLayout-Decode", "a decode function for memory in %s; must be in StorageBuffer or PhysicalStorageBuffer", p.Storage)
	}
	if decode != 0 {
		if f := c.decoder(i, l, decode, "SPV-TensorLayout-Decode"); f != nil && unlike(f.Elem, t.Elem) {
			c.fail(i, "SPV-TensorLayout-Decode", "%s returns %s; must return %s, the element type of the matrix", c.name(decode), c.typeName(f.Elem), c.typeName(t.Elem))
		}
	}
	if vector == 0 {
		return
	}
	if decode == 0 {
		c.fail(i, "SPV-TensorLayout-DecodeVector", "DecodeVectorFunc without DecodeFunc; must have both")
	}
	f := c.decoder(i, l, vector, "SPV-TensorLayout-DecodeVector")
	if f == nil || f.Elem == nil {
		return
	}
	if n := f.Elem.Components(); !f.Elem.IsVector() || unlike(f.Elem.Elem, t.Elem) || n != 2 && n != 4 && n != 8 {
		c.fail(i, "SPV-TensorLayout-DecodeVector", "%s returns %s; must return 2, 4 or 8 of %s", c.name(vector), c.typeName(f.Elem), c.typeName(t.Elem))
	}
}

// decoder checks the parameters of a decode function and returns its type,
// nil if it is no function or not known. l is the type of the layout.
func (c *cooperatives) decoder(i int, l *facts.Type, id spirv.ID, code string) *facts.Type {
	f := c.appliedFunction(i, id)
	if f == nil {
		return nil
	}
	if len(f.Params) != 3 {
		c.fail(i, code, "%s has %d parameters; must have 3", c.name(id), len(f.Params))
		return nil
	}
	if p := f.Params[0]; p != nil && (!p.IsPointer() || p.Storage != spirv.StorageClassPhysicalStorageBuffer) {
		c.fail(i, code, "the first parameter of %s is %s; must be a pointer to PhysicalStorageBuffer", c.name(id), c.typeName(p))
	}
	for _, p := range f.Params[1:] {
		if p == nil {
			continue
		}
		bad := p.Op != spirv.OpTypeArray || p.Elem != nil && !isWord(p.Elem)
		if !bad && l != nil && p.Count != 0 && (p.Length == nil || !p.Length.Spec) {
			n, ok := c.dimOf(l)
			bad = ok && uint64(n) != p.Count
		}
		if bad {
			c.fail(i, code, "a parameter of %s is %s; must be an array of integers of 32 bits, one for each dimension of the layout", c.name(id), c.typeName(p))
			break
		}
	}
	return f
}

// layoutSteps is how far back the making of a tensor layout is followed.
const layoutSteps = 64

// decodedBlock checks the block of a layout if a function decodes several elements
// at a time.
func (c *cooperatives) decodedBlock(i int, in spirv.Inst) {
	v := inst.CooperativeMatrixLoadTensorNV(in)
	if !c.vulkan || v.TensorAddressingOperands()&spirv.TensorAddressingOperandsDecodeVectorFuncMask == 0 {
		return
	}
	words := v.TensorAddressingOperandsWords()
	if len(words) == 0 {
		return
	}
	f := c.m.Function(spirv.ID(words[len(words)-1])) // DecodeVectorFunc is the last bit
	if f == nil || !f.Return.IsVector() || f.Return.Count == 0 {
		return
	}
	block, ok := c.blockSize(v.TensorLayout())
	if n := int64(f.Return.Components()); ok && n > 0 && block%n != 0 {
		c.fail(i, vuid.RuntimeSpirv_OpCooperativeMatrixLoadTensorNV_12429, "%s decodes %d elements at once and the last size of a block is %d; must be a multiple", c.name(f.ID), n, block)
	}
}

// blockSize returns the last size of a layout's block, false if it is not
// known.
func (c *cooperatives) blockSize(layout spirv.ID) (int64, bool) {
	for range layoutSteps {
		d := c.code.DefInst(layout)
		if d == nil {
			return 0, false
		}
		switch d.Op() {
		case spirv.OpCreateTensorLayoutNV:
			return 1, true
		case spirv.OpTensorLayoutSetBlockSizeNV:
			v := inst.TensorLayoutSetBlockSizeNV(d)
			if n := len(v.BlockSize()); n > 0 {
				return c.settled(v.BlockSize()[n-1])
			}
			return 0, false
		case spirv.OpTensorLayoutSetDimensionNV, spirv.OpTensorLayoutSetStrideNV, spirv.OpTensorLayoutSliceNV, spirv.OpTensorLayoutSetClampValueNV:
			layout = inst.TensorLayoutSetDimensionNV(d).TensorLayout()
		default:
			return 0, false
		}
	}
	return 0, false
}
