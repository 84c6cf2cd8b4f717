package conformance

import (
	"errors"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/lower"
)

// Control, order and observation: rows of docs/undefined.md that only a whole
// shader meets.

// Two subgroups of 16 lanes: the lanes come in ascending order.
func TestOrderOfEffects(t *testing.T) {
	s := shader{
		lanes: 32, in: []uint32{0},
		body: `
			%p = OpAccessChain %ptr_uint %in %c0 %c0
			%old = OpAtomicIAdd %uint %p %c1 %c0 %c1
			putlane %old`,
	}
	want := make([]uint32, 32)
	for i := range want {
		want[i] = uint32(i)
	}
	s.expect(t, want, []uint32{32})
}

func TestUnreachableEndsTheLane(t *testing.T) {
	s := shader{
		lanes: 4,
		body: `
			%i = lane
			%first = OpIEqual %bool %i %c1
			OpSelectionMerge %merge None
			OpBranchConditional %first %then %merge
			%then = OpLabel
			putlane %c5
			OpUnreachable
			%merge = OpLabel
			putlane %c6`,
	}
	s.expect(t, []uint32{6, 5, 6, 6, untouched}, nil)
}

// The error names the loop and the first invocation in it.
func TestEndlessLoopMeetsItsBudget(t *testing.T) {
	s := shader{
		lanes: 4, budget: 1000,
		body: `
			%i = lane
			%out2 = OpULessThan %bool %i %c2
			OpBranch %head
			%head = OpLabel
			OpLoopMerge %merge %cont None
			OpBranchConditional %out2 %merge %body
			%body = OpLabel
			OpBranch %cont
			%cont = OpLabel
			OpBranch %head
			%merge = OpLabel`,
	}
	_, _, err := s.run(t, interp.Engine{})
	var budget *exec.BudgetError
	if !errors.As(err, &budget) || budget.Origin == 0 || budget.Local[0] != 2 {
		t.Errorf("%v; want a budget that ends in a loop, in invocation 2", err)
	}
}

func TestSwitchWithoutMatch(t *testing.T) {
	s := shader{
		in: []uint32{7},
		body: `
			%x = get 0
			OpSelectionMerge %merge None
			OpSwitch %x %default 1 %one 2 %two
			%one = OpLabel
			put 0 %c1
			OpBranch %merge
			%two = OpLabel
			put 0 %c2
			OpBranch %merge
			%default = OpLabel
			put 0 %c9
			OpBranch %merge
			%merge = OpLabel`,
	}
	s.expect(t, []uint32{9}, nil)
}

// The arm of the second literal is all that leads to the merge block, so that
// nothing but the case that never counts keeps it.
func TestSwitchOfALiteralTwice(t *testing.T) {
	for selector, want := range map[uint32]uint32{1: 1, 2: 2, 3: 9} {
		s := shader{
			in: []uint32{selector},
			body: `
			%x = get 0
			OpSelectionMerge %merge None
			OpSwitch %x %default 1 %one 2 %two 1 %three 2 %one
			%one = OpLabel
			put 0 %c1
			OpReturn
			%two = OpLabel
			put 0 %c2
			OpReturn
			%three = OpLabel
			put 0 %c3
			OpBranch %merge
			%default = OpLabel
			put 0 %c9
			OpReturn
			%merge = OpLabel
			put 0 %c4`,
		}
		s.expect(t, []uint32{want}, nil)
	}
}

func TestRecursionIsRefused(t *testing.T) {
	s := shader{
		body: "%r = OpFunctionCall %void %again",
		funcs: `
			%again = OpFunction %void None %fn
			%again_entry = OpLabel
			%r2 = OpFunctionCall %void %again
			OpReturn
			OpFunctionEnd`,
	}
	_, err := s.lowered(t)
	var bad *lower.Malformed
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), "recurs") && !strings.Contains(err.Error(), "itself") {
		t.Errorf("%v; want recursion to be refused", err)
	}
}

// Of two subgroups one has returned when the other comes to the barrier.
func TestBarrierAfterReturn(t *testing.T) {
	s := shader{
		lanes: 32,
		body: `
			%i = lane
			%late = OpUGreaterThanEqual %bool %i %c16
			OpSelectionMerge %merge None
			OpBranchConditional %late %then %merge
			%then = OpLabel
			OpReturn
			%merge = OpLabel
			OpControlBarrier %c2 %c2 %c0
			putlane %c5`,
	}
	want := make([]uint32, 17)
	for i := range 16 {
		want[i] = 5
	}
	want[16] = untouched
	s.expect(t, want, nil)
}

// Lane 3 is not active: a shuffle from it reads 0, a quad swap with it gives the
// lane's own value.
func TestInactiveLanes(t *testing.T) {
	s := shader{
		lanes: 4,
		body: `
			%i = lane
			%v = OpIAdd %uint %i %c5
			%active = OpULessThan %bool %i %c3
			OpSelectionMerge %merge None
			OpBranchConditional %active %then %merge
			%then = OpLabel
			%from3 = OpGroupNonUniformShuffle %uint %c3 %v %c3
			%swap = OpGroupNonUniformQuadSwap %uint %c3 %v %c0
			%high = OpShiftLeftLogical %uint %from3 %c8
			%both = OpBitwiseOr %uint %high %swap
			putlane %both
			OpBranch %merge
			%merge = OpLabel`,
	}
	s.expect(t, []uint32{6, 5, 7, untouched}, nil)
}

// Behind an if, and behind a loop that the lanes leave one by one, all of them
// vote together.
func TestLanesMeetAtTheMerge(t *testing.T) {
	s := shader{
		lanes: 4,
		decl:  "%true = OpConstantTrue %bool",
		body: `
			%i = lane
			%low = OpULessThan %bool %i %c2
			OpSelectionMerge %merge None
			OpBranchConditional %low %then %merge
			%then = OpLabel
			%b0 = OpGroupNonUniformBallot %uvec4 %c3 %true
			OpBranch %merge
			%merge = OpLabel
			%b1 = OpGroupNonUniformBallot %uvec4 %c3 %true
			OpBranch %head
			%head = OpLabel
			%n = OpPhi %uint %c0 %merge %m %cont
			%go = OpULessThan %bool %n %i
			OpLoopMerge %done %cont None
			OpBranchConditional %go %cont %done
			%cont = OpLabel
			%m = OpIAdd %uint %n %c1
			OpBranch %head
			%done = OpLabel
			%b2 = OpGroupNonUniformBallot %uvec4 %c3 %true
			%x1 = OpCompositeExtract %uint %b1 0
			%x2 = OpCompositeExtract %uint %b2 0
			put 0 %x1
			put 1 %x2`,
	}
	s.expect(t, []uint32{15, 15}, nil)
}

// 1.5·(1 + 3·2⁻²³) lies half way between two floats; 2⁻⁸⁰ decides where the
// product is not rounded before.
func TestNoContractionByDefault(t *testing.T) {
	s := shader{
		in: []uint32{0x3fc00000, 0x3f800003, 0x17800000},
		body: `
			%a = get 0
			%b = get 1
			%c = get 2
			%x = OpBitcast %float %a
			%y = OpBitcast %float %b
			%z = OpBitcast %float %c
			%xy = OpFMul %float %x %y
			%r = OpFAdd %float %xy %z
			%bits = OpBitcast %uint %r
			put 0 %bits`,
	}
	s.expect(t, []uint32{0x3fc00004}, nil)
	s.options.Contract = true
	s.expect(t, []uint32{0x3fc00005}, nil)
	s.annot = "OpDecorate %xy NoContraction"
	s.expect(t, []uint32{0x3fc00004}, nil)
}

// A NaN that a function of several operations made is canonical.
func TestComputedNaNIsCanonical(t *testing.T) {
	for name, x := range map[string]uint32{"Sin": 0x7f800000, "Tan": 0xff800000, "Asin": 0x40000000, "Log": 0xbf800000, "InverseSqrt": 0xbf800000, "Atanh": 0xc0000000, "Sqrt": 0xff800000, "Exp": 0xffa00001} {
		s := shader{
			in:   []uint32{x},
			caps: "%glsl = OpExtInstImport \"GLSL.std.450\"",
			body: `
				%a = get 0
				%x = OpBitcast %float %a
				%y = OpExtInst %float %glsl ` + name + ` %x
				%bits = OpBitcast %uint %y
				put 0 %bits`,
		}
		t.Run(name, func(t *testing.T) { s.expect(t, []uint32{0x7fc00000}, nil) })
	}
}

// A signalling NaN that is loaded, chosen and stored keeps its bits; one that an
// addition made is canonical.
func TestNaNThatTravelsKeepsItsBits(t *testing.T) {
	s := shader{
		in: []uint32{0xffa00001, 0x7f800000, 1},
		annot: `
			OpDecorate %floats ArrayStride 4
			OpDecorate %Floats Block
			OpMemberDecorate %Floats 0 Offset 0
			OpDecorate %fin DescriptorSet 0
			OpDecorate %fin Binding 1
			OpDecorate %fout DescriptorSet 0
			OpDecorate %fout Binding 0`,
		decl: `
			%floats = OpTypeRuntimeArray %float
			%Floats = OpTypeStruct %floats
			%ptr_Floats = OpTypePointer StorageBuffer %Floats
			%ptr_float = OpTypePointer StorageBuffer %float
			%ptr_fun_float = OpTypePointer Function %float
			%fin = OpVariable %ptr_Floats StorageBuffer
			%fout = OpVariable %ptr_Floats StorageBuffer`,
		body: `
			%var = OpVariable %ptr_fun_float Function
			%p = OpAccessChain %ptr_float %fin %c0 %c0
			%nan = OpLoad %float %p
			%q = OpAccessChain %ptr_float %fin %c0 %c1
			%inf = OpLoad %float %q
			%n = get 2
			%yes = OpIEqual %bool %n %c1
			OpStore %var %nan
			%same = OpLoad %float %var
			%chosen = OpSelect %float %yes %same %inf
			%made = OpFSub %float %inf %inf
			%p0 = OpAccessChain %ptr_float %fout %c0 %c0
			OpStore %p0 %nan
			%p1 = OpAccessChain %ptr_float %fout %c0 %c1
			OpStore %p1 %chosen
			%p2 = OpAccessChain %ptr_float %fout %c0 %c2
			OpStore %p2 %made`,
	}
	s.expect(t, []uint32{0xffa00001, 0xffa00001, 0x7fc00000}, nil)
}
