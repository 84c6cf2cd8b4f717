package typing

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// fake is a type for tests: two are the same if they are the same pointer.
type fake struct {
	shape Shapes
	class Class
	width int
	parts []*fake
	len   int
}

func (f *fake) Shape() Shapes { return f.shape }

func (f *fake) Class() (Class, int) {
	if f.shape&(Vec|Mat) != 0 {
		return f.parts[0].Class()
	}
	return f.class, f.width
}

func (f *fake) Len() int { return f.len }

func (f *fake) Part(i int) View {
	if f.shape != Struct {
		i = 0
	}
	if i >= len(f.parts) {
		return nil
	}
	return f.parts[i]
}

var (
	fBool = &fake{shape: One, class: Bool, width: 1}
	fU32  = &fake{shape: One, class: UInt, width: 32}
	fU64  = &fake{shape: One, class: UInt, width: 64}
	fI32  = &fake{shape: One, class: Int, width: 32}
	fF32  = &fake{shape: One, class: Float, width: 32}
	fF16  = &fake{shape: One, class: Float, width: 16}
	fU4   = &fake{shape: Vec, parts: []*fake{fU32}, len: 4}
	fU2   = &fake{shape: Vec, parts: []*fake{fU32}, len: 2}
	fF2   = &fake{shape: Vec, parts: []*fake{fF32}, len: 2}
	fF3   = &fake{shape: Vec, parts: []*fake{fF32}, len: 3}
	fM23  = &fake{shape: Mat, parts: []*fake{fF3}, len: 2} // two columns of three
	fM32  = &fake{shape: Mat, parts: []*fake{fF2}, len: 3}
	fM22  = &fake{shape: Mat, parts: []*fake{fF2}, len: 2}
	fPair = &fake{shape: Struct, parts: []*fake{fU32, fU32}, len: 2}
	fPU32 = &fake{shape: Ptr, parts: []*fake{fU32}}
	fPF32 = &fake{shape: Ptr, parts: []*fake{fF32}}
	fPtr  = &fake{shape: Ptr} // untyped
	fImg  = &fake{shape: Opaque}
	fVoid = &fake{shape: Void}
)

// TestFormMisfit has, for each kind of form and link, types that the
// specification allows and types that it forbids.
func TestFormMisfit(t *testing.T) {
	for _, c := range []struct {
		op     spirv.Op
		result *fake
		args   []*fake
		want   int
	}{
		{spirv.OpLoad, fU32, []*fake{fPU32}, -1},
		{spirv.OpLoad, fU32, []*fake{fPtr}, -1},
		{spirv.OpLoad, fU32, []*fake{fPF32}, 1},
		{spirv.OpLoad, fU32, []*fake{fU32}, 1},
		{spirv.OpLoad, fVoid, []*fake{fPtr}, 0},
		{spirv.OpLoad, fU32, nil, 1},
		{spirv.OpStore, nil, []*fake{fPU32, fU32}, -1},
		{spirv.OpStore, nil, []*fake{fPtr, fF32}, -1},
		{spirv.OpStore, nil, []*fake{fPU32, fF32}, 2},
		{spirv.OpAccessChain, fPU32, []*fake{fPtr, fU32, fI32, fU64}, -1},
		{spirv.OpAccessChain, fPU32, []*fake{fPtr, fU32, fF32}, 3},
		{spirv.OpAccessChain, fU32, []*fake{fPtr}, 0},
		{spirv.OpPtrEqual, fBool, []*fake{fPU32, fPU32}, -1},
		{spirv.OpPtrEqual, fBool, []*fake{fPU32, fPF32}, 2},
		{spirv.OpAtomicIAdd, fU32, []*fake{fPU32, fU32, fU32, fU32}, -1},
		{spirv.OpAtomicIAdd, fU32, []*fake{fPU32, fU32, fU32, fI32}, 4},
		{spirv.OpAtomicIAdd, fU32, []*fake{fPU32, fU64, fU32, fU32}, 2},
		{spirv.OpAtomicIAdd, fF32, []*fake{fPF32, fU32, fU32, fF32}, 0},
		{spirv.OpAtomicFAddEXT, fF32, []*fake{fPF32, fU32, fU32, fF32}, -1},
		{spirv.OpAtomicCompareExchange, fU32, []*fake{fPU32, fU32, fU32, fU32, fU32, fU32}, -1},
		{spirv.OpAtomicCompareExchange, fU32, []*fake{fPU32, fU32, fU32, fU32, fU32}, 6},
		{spirv.OpAtomicStore, nil, []*fake{fPU32, fU32, fU32, fU32}, -1},
		{spirv.OpAtomicStore, nil, []*fake{fPU32, fU32, fU32, fF32}, 4},
		{spirv.OpGroupNonUniformBallot, fU4, []*fake{fU32, fBool}, -1},
		{spirv.OpGroupNonUniformBallot, fU2, []*fake{fU32, fBool}, 0},
		{spirv.OpGroupNonUniformBallot, fU4, []*fake{fU32, fU32}, 2},
		{spirv.OpGroupNonUniformIAdd, fU32, []*fake{fU32, fU32}, -1},
		{spirv.OpGroupNonUniformIAdd, fU32, []*fake{fU32, fU32, fU32}, -1},
		{spirv.OpGroupNonUniformIAdd, fU32, []*fake{fU32, fU32, fU32, fU32}, 4},
		{spirv.OpGroupNonUniformUMin, fI32, []*fake{fU32, fI32}, 0},
		{spirv.OpGroupNonUniformLogicalAnd, fBool, []*fake{fU32, fBool}, -1},
		{spirv.OpGroupNonUniformShuffle, fF3, []*fake{fU32, fF3, fU32}, -1},
		{spirv.OpGroupNonUniformShuffle, fF3, []*fake{fU32, fF3, fI32}, 3},
		{spirv.OpDPdx, fF3, []*fake{fF3}, -1},
		{spirv.OpDPdx, fF3, []*fake{fF2}, 1},
		{spirv.OpDPdx, fU32, []*fake{fU32}, 0},
		{spirv.OpIAddCarry, fPair, []*fake{fU32, fU32}, -1},
		{spirv.OpIAddCarry, fPair, []*fake{fU32, fU64}, 2},
		{spirv.OpDot, fF32, []*fake{fF3, fF3}, -1},
		{spirv.OpDot, fF32, []*fake{fF3, fF2}, 2},
		{spirv.OpDot, fF16, []*fake{fF3, fF3}, 1},
		{spirv.OpSDot, fI32, []*fake{fU2, fU2}, -1},
		{spirv.OpSDot, fI32, []*fake{fU2, fU4}, 2},
		{spirv.OpVectorTimesMatrix, fF2, []*fake{fF3, fM23}, -1},
		{spirv.OpVectorTimesMatrix, fF3, []*fake{fF3, fM23}, 2},
		{spirv.OpMatrixTimesVector, fF3, []*fake{fM23, fF2}, -1},
		{spirv.OpMatrixTimesVector, fF3, []*fake{fM23, fF3}, 2},
		{spirv.OpMatrixTimesMatrix, fM22, []*fake{fM32, fM23}, -1},
		{spirv.OpMatrixTimesMatrix, fM22, []*fake{fM23, fM32}, 1},
		{spirv.OpTranspose, fM23, []*fake{fM32}, -1},
		{spirv.OpTranspose, fM23, []*fake{fM22}, 1},
		{spirv.OpOuterProduct, fM23, []*fake{fF3, fF2}, -1},
		{spirv.OpOuterProduct, fM23, []*fake{fF2, fF3}, 1},
		{spirv.OpVectorExtractDynamic, fF32, []*fake{fF3, fI32}, -1},
		{spirv.OpVectorExtractDynamic, fF32, []*fake{fU4, fI32}, 1},
		{spirv.OpVectorInsertDynamic, fF3, []*fake{fF3, fU32, fI32}, 2},
		{spirv.OpVectorShuffle, fU2, []*fake{fU4, fU2}, -1},
		{spirv.OpVectorShuffle, fU2, []*fake{fU4, fF2}, 2},
		{spirv.OpBranchConditional, nil, []*fake{fBool, nil, nil}, -1},
		{spirv.OpBranchConditional, nil, []*fake{fU32, nil, nil}, 1},
		{spirv.OpBranchConditional, nil, []*fake{fBool, nil, fBool}, 3},
		{spirv.OpSwitch, nil, []*fake{fI32, nil, nil, nil}, -1},
		{spirv.OpSwitch, nil, []*fake{fF32, nil}, 1},
		{spirv.OpReturnValue, nil, []*fake{fVoid}, 1},
		{spirv.OpCopyObject, fImg, []*fake{fImg}, -1},
	} {
		f, ok := FormOf(c.op)
		if !ok {
			t.Fatalf("no form for %s", c.op)
		}
		var result View
		if c.result != nil {
			result = c.result
		}
		args := make([]View, len(c.args))
		for i, a := range c.args {
			if a != nil {
				args[i] = a
			}
		}
		if got := f.Misfit(result, args); got != c.want {
			t.Errorf("%s: misfit at %d; want %d", c.op, got, c.want)
		}
	}
}
