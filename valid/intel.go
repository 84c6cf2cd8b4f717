package valid

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// intelFamily checks the operand types of the kernel instructions of Intel and
// Altera that have no rules elsewhere. Each row of intelShapes is a
// sentence of the extension that defines the instruction.
var intelFamily = family{
	rules: []Rule{
		{Code: "SPV-Intel-Type", Section: "SPIR-V, extensions of Intel and Altera", Words: "the operands and the result of an instruction have the types that its extension requires"},
		{Code: "SPV-Intel-Continued", Section: "SPIR-V, SPV_INTEL_long_composites", Words: "a continued instruction directly follows its composite instruction or another continued instruction"},
	},
	ops: []group{
		{(*checker).intel, intelOps()},
		{(*checker).continued, []spirv.Op{
			spirv.OpTypeStructContinuedINTEL, spirv.OpConstantCompositeContinuedINTEL, spirv.OpSpecConstantCompositeContinuedINTEL,
			spirv.OpCompositeConstructContinuedINTEL,
		}},
	},
}

// begun is the instruction that begins a composite, by the one that continues it.
var begun = map[spirv.Op]spirv.Op{
	spirv.OpTypeStructContinuedINTEL:            spirv.OpTypeStruct,
	spirv.OpConstantCompositeContinuedINTEL:     spirv.OpConstantComposite,
	spirv.OpSpecConstantCompositeContinuedINTEL: spirv.OpSpecConstantComposite,
	spirv.OpCompositeConstructContinuedINTEL:    spirv.OpCompositeConstruct,
}

// continued checks that an instruction continues the one before it (SPV_INTEL_long_composites).
func (c *checker) continued(i int, in spirv.Inst) {
	op := in.Op()
	first := begun[op]
	before := i - 1
	for before > 0 && (c.code.Inst(before).Op() == spirv.OpLine || c.code.Inst(before).Op() == spirv.OpNoLine) {
		before--
	}
	if before < 0 || c.code.Inst(before).Op() != first && c.code.Inst(before).Op() != op {
		c.fail(i, "SPV-Intel-Continued", "%s after another instruction; must directly follow %s or %s", op, first, op)
	}
}

// intelSort is the required type of an operand or a result.
type intelSort uint8

const (
	intelAny      intelSort = iota
	intelFloats             // a scalar or a vector of floats of 32 bits
	intelHalves             // a scalar or a vector of integers of 16 bits
	intelIntegers           // a scalar or a vector of integers
	intelNumbers            // a scalar or a vector of integers or floats
	intelResult             // the type of the result
	intelInteger            // a scalar integer
	intelSize               // a constant integer of 32 bits
	intelWord               // an integer of 32 bits
	intelPair               // a vector of two integers
	intelPlace              // a vector of integers
	intelImage              // an image that is no sampled one
	intelGlobal             // a pointer to CrossWorkgroup
	intelLocal              // a pointer to Function
	intelScalar             // a pointer to a scalar
	intelBuffer             // a pointer to integers in CrossWorkgroup
	intelStack              // a pointer to a concrete type in Function
	intelSequence           // a task sequence
	intelBool               // a Boolean
	intelCircle             // a vector of two integers, or the integer of both that earlier texts have
)

var intelWords = [...]string{
	intelFloats: "a scalar or a vector of floats of 32 bits", intelHalves: "a scalar or a vector of integers of 16 bits",
	intelIntegers: "a scalar or a vector of integers", intelNumbers: "a scalar or a vector of integers or floats", intelResult: "of the type of the result",
	intelInteger: "an integer", intelSize: "a constant integer of 32 bits", intelWord: "an integer of 32 bits",
	intelPair: "a vector of 2 integers", intelPlace: "a vector of integers", intelImage: "an image whose Sampled is 0 or 2",
	intelGlobal: "a pointer to CrossWorkgroup", intelLocal: "a pointer to Function", intelScalar: "a pointer to a scalar", intelBuffer: "a pointer to an integer in CrossWorkgroup", intelStack: "a pointer to a concrete type in Function",
	intelSequence: "a task sequence",
	intelBool:     "a Boolean", intelCircle: "an integer or a vector of 2 integers",
}

// intelShape is the required types of an instruction: the result, and the operands in their order.
type intelShape struct {
	result   intelSort
	operands []intelSort
}

var intelShapes = withArbitraryPrecision(map[spirv.Op]intelShape{
	spirv.OpConvertFToBF16INTEL:  {intelHalves, []intelSort{intelFloats}},
	spirv.OpConvertBF16ToFINTEL:  {intelFloats, []intelSort{intelHalves}},
	spirv.OpRoundFToTF32INTEL:    {intelFloats, []intelSort{intelResult}},
	spirv.OpBitwiseFunctionINTEL: {intelIntegers, []intelSort{intelResult, intelResult, intelResult, intelSize}},

	spirv.OpSubgroupMatrixMultiplyAccumulateINTEL: {intelNumbers, []intelSort{intelSize, intelNumbers, intelNumbers, intelNumbers}},

	spirv.OpSubgroupBlockReadINTEL:       {intelAny, []intelSort{intelScalar}},
	spirv.OpSubgroupBlockWriteINTEL:      {intelAny, []intelSort{intelScalar}},
	spirv.OpSubgroupBlockPrefetchINTEL:   {intelAny, []intelSort{intelBuffer, intelSize}},
	spirv.OpSubgroupImageBlockReadINTEL:  {intelAny, []intelSort{intelImage}},
	spirv.OpSubgroupImageBlockWriteINTEL: {intelAny, []intelSort{intelImage}},

	spirv.OpSubgroupImageMediaBlockReadINTEL:  {intelAny, []intelSort{intelImage, intelPlace}},
	spirv.OpSubgroupImageMediaBlockWriteINTEL: {intelAny, []intelSort{intelImage, intelPlace}},

	spirv.OpSubgroup2DBlockLoadINTEL:          {intelAny, loadOf2D},
	spirv.OpSubgroup2DBlockLoadTransformINTEL: {intelAny, loadOf2D},
	spirv.OpSubgroup2DBlockLoadTransposeINTEL: {intelAny, loadOf2D},
	spirv.OpSubgroup2DBlockPrefetchINTEL:      {intelAny, loadOf2D[:9]},
	spirv.OpSubgroup2DBlockStoreINTEL: {intelAny, []intelSort{intelSize, intelSize, intelSize, intelSize, intelLocal, intelGlobal,
		intelInteger, intelInteger, intelInteger, intelPair}},

	spirv.OpVariableLengthArrayINTEL: {intelStack, []intelSort{intelInteger}},
	spirv.OpSaveMemoryINTEL:          {intelLocal, nil},
	spirv.OpRestoreMemoryINTEL:       {intelAny, []intelSort{intelLocal}},

	spirv.OpTaskSequenceCreateALTERA:  {intelSequence, nil},
	spirv.OpTaskSequenceAsyncALTERA:   {intelAny, []intelSort{intelSequence}},
	spirv.OpTaskSequenceGetALTERA:     {intelAny, []intelSort{intelSequence}},
	spirv.OpTaskSequenceReleaseALTERA: {intelAny, []intelSort{intelSequence}},

	spirv.OpPtrCastToCrossWorkgroupALTERA: {intelGlobal, nil},
	spirv.OpCrossWorkgroupCastToPtrALTERA: {intelAny, []intelSort{intelGlobal}},
})

// withArbitraryPrecision adds the arithmetic on integers that hold numbers of arbitrary precision. Operands between two numbers are literals.
func withArbitraryPrecision(shapes map[spirv.Op]intelShape) map[spirv.Op]intelShape {
	for _, r := range spirv.Ops() {
		name := r.Name()
		float := strings.HasPrefix(name, "ArbitraryFloat")
		if !float && (!strings.HasPrefix(name, "Fixed") || !strings.HasSuffix(name, "ALTERA")) {
			continue
		}
		shape := intelShape{intelInteger, []intelSort{intelInteger}}
		if float && len(r.Operands()) > 4 && r.Operands()[4].Kind == spirv.KindIdRef {
			shape.operands = []intelSort{intelInteger, intelAny, intelInteger}
			if len(r.Operands()) == 6 {
				shape.result = intelBool
			}
		}
		if strings.Contains(name, "SinCos") {
			shape.result = intelCircle
		}
		shapes[spirv.Op(r.Value())] = shape
	}
	return shapes
}

// loadOf2D are the operands of a load of a block: its shape, the memory, the place in it and the target.
var loadOf2D = []intelSort{intelSize, intelSize, intelSize, intelSize, intelGlobal, intelInteger, intelInteger, intelInteger, intelPair, intelLocal}

func intelOps() []spirv.Op {
	var out []spirv.Op
	for op := range intelShapes {
		out = append(out, op)
	}
	return out
}

// intel checks one instruction.
func (c *checker) intel(i int, in spirv.Inst) {
	op := in.Op()
	shape, t, at := intelShapes[op], (*facts.Type)(nil), 1
	if op.HasType() {
		t, at = c.m.Type(in.Type()), 3
		if t != nil && !c.intelFits(t, t, 0, shape.result) {
			c.fail(i, "SPV-Intel-Type", "%s yields %s; must yield %s", op, c.typeName(t), intelWords[shape.result])
			return
		}
	}
	for n, want := range shape.operands {
		if at+n >= len(in) {
			return
		}
		id := spirv.ID(in[at+n])
		if o := c.m.TypeOf(id); o != nil && !c.intelFits(o, t, id, want) {
			c.fail(i, "SPV-Intel-Type", "operand %d of %s is %s; must be %s", n+1, op, c.typeName(o), intelWords[want])
			return
		}
	}
	switch op {
	case spirv.OpConvertFToBF16INTEL, spirv.OpConvertBF16ToFINTEL:
		if o := c.m.TypeOf(spirv.ID(in[3])); t != nil && o != nil && o.Components() != t.Components() {
			c.fail(i, "SPV-Intel-Type", "operand 1 of %s has %d components, the result %d; must be as many", op, o.Components(), t.Components())
		}
	case spirv.OpSubgroupBlockReadINTEL:
		c.blockType(i, op, c.m.TypeOf(spirv.ID(in[3])), t)
	case spirv.OpSubgroupBlockWriteINTEL:
		c.blockType(i, op, c.m.TypeOf(spirv.ID(in[1])), c.m.TypeOf(spirv.ID(in[2])))
	case spirv.OpPtrCastToCrossWorkgroupALTERA:
		c.classCast(i, op, c.m.TypeOf(spirv.ID(in[3])), t)
	case spirv.OpCrossWorkgroupCastToPtrALTERA:
		c.classCast(i, op, t, c.m.TypeOf(spirv.ID(in[3])))
	}
}

// intelFits reports whether an operand fits a sort. A pointer of untyped form points to anything.
func (c *checker) intelFits(t, result *facts.Type, id spirv.ID, want intelSort) bool {
	plain := t.IsScalar() || t.IsVector()
	s := t.Scalar()
	switch want {
	case intelFloats:
		return plain && isSingle(s)
	case intelHalves:
		return plain && s.IsInt() && s.Width == 16
	case intelIntegers:
		return plain && s.IsInt()
	case intelNumbers:
		return plain && (s.IsInt() || s.IsFloat())
	case intelResult:
		return result == nil || t == result
	case intelInteger:
		return t.IsInt()
	case intelSize:
		return isWord(t) && c.declaredConstant(id) != nil
	case intelWord:
		return isWord(t)
	case intelPair:
		return t.IsVector() && s.IsInt() && t.Components() == 2
	case intelPlace:
		return t.IsVector() && s.IsInt()
	case intelImage:
		return t.Op == spirv.OpTypeImage && t.Image != nil && t.Image.Sampled != 1
	case intelGlobal:
		return t.IsPointer() && t.Storage == spirv.StorageClassCrossWorkgroup
	case intelLocal:
		return t.IsPointer() && t.Storage == spirv.StorageClassFunction
	case intelScalar:
		return t.IsPointer() && (t.Elem == nil || t.Elem.IsScalar())
	case intelBuffer:
		return t.IsPointer() && t.Storage == spirv.StorageClassCrossWorkgroup && (t.Elem == nil || t.Elem.IsInt())
	case intelStack:
		return t.IsPointer() && t.Storage == spirv.StorageClassFunction && (t.Elem == nil || c.concrete(t.Elem))
	case intelSequence:
		return t.Op == spirv.OpTypeTaskSequenceALTERA
	case intelBool:
		return t.IsBool()
	case intelCircle:
		return t.IsInt() || t.IsVector() && s.IsInt() && t.Components() == 2
	}
	return true
}

// blockType checks that a block read or write moves components of the type that its pointer points to.
func (c *checker) blockType(i int, op spirv.Op, p, data *facts.Type) {
	if p != nil && p.Elem != nil && data != nil && data.Scalar() != p.Elem {
		c.fail(i, "SPV-Intel-Type", "%s moves %s by a pointer to %s; must move a scalar or a vector of that type", op, c.typeName(data), c.typeName(p.Elem))
	}
}

// classCast checks a cast between CrossWorkgroup and the classes of the device and
// the host: the other pointer is of one of these two, and both point to the same type.
func (c *checker) classCast(i int, op spirv.Op, other, global *facts.Type) {
	switch {
	case other == nil || global == nil:
	case !other.IsPointer() || other.Storage != spirv.StorageClassDeviceOnlyALTERA && other.Storage != spirv.StorageClassHostOnlyALTERA:
		c.fail(i, "SPV-Intel-Type", "%s with %s; must be a pointer to DeviceOnlyALTERA or HostOnlyALTERA", op, c.typeName(other))
	case other.Elem != global.Elem:
		c.fail(i, "SPV-Intel-Type", "%s between pointers to different types; must be to the same", op)
	}
}
