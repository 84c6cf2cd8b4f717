package oracle

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// runSubgroups runs a body of a workgroup of four invocations on words: %v is the value of an invocation, and %r is stored in its place.
func runSubgroups(t *testing.T, typ, body string, size uint32, words ...uint32) *Result {
	t.Helper()
	text := strings.Replace(groupHead, "OpMemoryModel", "OpCapability GroupNonUniformClustered\nOpCapability GroupNonUniformQuad\nOpCapability GroupNonUniformShuffleRelative\n"+
		"OpCapability GroupNonUniformShuffle\nOpCapability GroupNonUniformVote\nOpCapability GroupNonUniformArithmetic\nOpCapability GroupNonUniformBallot\n"+
		"OpCapability GroupNonUniformRotateKHR\nOpCapability SubgroupVoteKHR\nOpCapability SubgroupBallotKHR\nOpExtension \"SPV_KHR_shader_ballot\"\n"+
		"OpExtension \"SPV_KHR_subgroup_rotate\"\nOpExtension \"SPV_KHR_subgroup_vote\"\nOpMemoryModel", 1)
	text = strings.Replace(text, `"main" %index`, `"main" %index %lane`, 1)
	text = strings.Replace(text, "OpDecorate %b B", "OpDecorate %lane BuiltIn SubgroupLocalInvocationId\nOpDecorate %b B", 1)
	text += strings.Replace(groupBody(typ, "%v = OpLoad %"+typ+" %own\n%self = OpLoad %uint %lane\n"+body+"\nOpStore %own %r"), "%main = OpFunction", "%int = OpTypeInt 32 1\n%bool = OpTypeBool\n%uvec4 = OpTypeVector %uint 4\n"+
		"%yes = OpConstantTrue %bool\n%five = OpConstant %uint 5\n%bits = OpConstantComposite %uvec4 %five %u0 %u0 %u0\n%none = OpConstantComposite %uvec4 %u0 %u0 %u0 %u0\n"+
		"%lane = OpVariable %pin Input\n%main = OpFunction", 1)
	var data []byte
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	job := dispatchOf(t, text, 1, map[Place][]byte{{}: data})
	job.SubgroupSize = size
	return runJob(t, job)
}

// TestSubgroups has the values that the instructions of SPIR-V define for a subgroup whose invocations are all active. "any" is
// a result that is not defined, or that depends on the subgroups if their size, 0, is not known.
func TestSubgroups(t *testing.T) {
	const toUint = "\n%r = OpSelect %uint %x %u1 %u0"
	for _, c := range []struct {
		body string
		size uint32
		want string
	}{
		{"%r = OpGroupNonUniformIAdd %uint %u3 Reduce %v", 4, "26 26 26 26"},
		{"%r = OpGroupNonUniformIAdd %uint %u3 Reduce %v", 2, "12 12 14 14"},
		{"%r = OpGroupNonUniformIAdd %uint %u3 Reduce %v", 8, "26 26 26 26"},
		{"%r = OpGroupNonUniformIAdd %uint %u3 Reduce %v", 0, "any any any any"},
		{"%r = OpGroupNonUniformIAdd %uint %u3 InclusiveScan %v", 4, "5 12 21 26"},
		{"%r = OpGroupNonUniformIAdd %uint %u3 ExclusiveScan %v", 4, "0 5 12 21"},
		{"%r = OpGroupNonUniformIMul %uint %u3 ExclusiveScan %v", 4, "1 5 35 315"},
		{"%r = OpGroupNonUniformIAdd %uint %u3 ClusteredReduce %v %u2", 4, "12 12 14 14"},
		{"%r = OpGroupNonUniformIAdd %uint %u3 ClusteredReduce %v %u3", 4, "any any any any"},
		{"%r = OpGroupNonUniformUMin %uint %u3 ExclusiveScan %v", 4, "4294967295 5 5 5"},
		{"%r = OpGroupNonUniformUMax %uint %u3 ExclusiveScan %v", 4, "0 5 7 9"},
		{"%s1 = OpBitcast %int %v\n%s2 = OpGroupNonUniformSMin %int %u3 ExclusiveScan %s1\n%r = OpBitcast %uint %s2", 4, "2147483647 5 5 5"},
		{"%s1 = OpBitcast %int %v\n%s2 = OpGroupNonUniformSMax %int %u3 ExclusiveScan %s1\n%r = OpBitcast %uint %s2", 4, "2147483648 5 7 9"},
		{"%r = OpGroupNonUniformBitwiseAnd %uint %u3 ExclusiveScan %v", 4, "4294967295 5 5 1"},
		{"%r = OpGroupNonUniformBitwiseOr %uint %u3 Reduce %v", 4, "15 15 15 15"},
		{"%r = OpGroupNonUniformBitwiseXor %uint %u3 Reduce %v", 4, "14 14 14 14"},
		{"%r = OpGroupNonUniformUMax %uint %u3 Reduce %v", 0, "any any any any"},
		{"%r = OpGroupNonUniformUMax %uint %u3 Reduce %u2", 0, "2 2 2 2"},
		{"%r = OpGroupNonUniformUMax %uint %u3 ExclusiveScan %u2", 0, "any any any any"},
		{"%r = OpGroupNonUniformIAdd %uint %u3 Reduce %u2", 0, "any any any any"},
		{"%r = OpGroupNonUniformBroadcast %uint %u3 %v %u1", 2, "7 7 5 5"},
		{"%r = OpGroupNonUniformBroadcast %uint %u3 %v %u2", 2, "any any any any"},
		{"%r = OpGroupNonUniformBroadcast %uint %u3 %v %self", 2, "any any any any"}, // Id must be dynamically uniform
		{"%h = OpShiftRightLogical %uint %i %u1\n%r = OpGroupNonUniformBroadcast %uint %u3 %v %h", 2, "5 5 5 5"},
		{"%r = OpSubgroupReadInvocationKHR %uint %v %self", 2, "any any any any"},
		{"%r = OpGroupNonUniformRotateKHR %uint %u3 %v %i", 4, "any any any any"},
		{"%r = OpGroupNonUniformQuadBroadcast %uint %u3 %v %i", 4, "any any any any"},
		{"%r = OpGroupNonUniformBroadcastFirst %uint %u3 %v", 2, "5 5 9 9"},
		{"%r = OpGroupNonUniformBroadcastFirst %uint %u3 %v", 0, "any any any any"},
		{"%r = OpGroupNonUniformBroadcastFirst %uint %u3 %u3", 0, "3 3 3 3"},
		{"%r = OpGroupNonUniformShuffle %uint %u3 %v %j", 4, "5 9 7 5"},
		{"%r = OpGroupNonUniformShuffle %uint %u3 %u2 %j", 0, "any any any any"},
		{"%r = OpGroupNonUniformShuffleXor %uint %u3 %v %u1", 4, "7 5 5 9"},
		{"%r = OpGroupNonUniformShuffleUp %uint %u3 %v %u1", 4, "any 5 7 9"},
		{"%r = OpGroupNonUniformShuffleDown %uint %u3 %v %u1", 4, "7 9 5 any"},
		{"%r = OpGroupNonUniformRotateKHR %uint %u3 %v %u1", 4, "7 9 5 5"},
		{"%r = OpGroupNonUniformRotateKHR %uint %u3 %v %u1 %u2", 4, "7 5 5 9"},
		{"%r = OpGroupNonUniformQuadBroadcast %uint %u3 %v %u2", 4, "9 9 9 9"},
		{"%r = OpGroupNonUniformQuadSwap %uint %u3 %v %u0", 4, "7 5 5 9"},
		{"%r = OpGroupNonUniformQuadSwap %uint %u3 %v %u1", 4, "9 5 5 7"},
		{"%r = OpGroupNonUniformQuadSwap %uint %u3 %v %u2", 4, "5 9 7 5"},
		{"%x = OpGroupNonUniformElect %bool %u3" + toUint, 2, "1 0 1 0"},
		{"%x = OpGroupNonUniformElect %bool %u3" + toUint, 0, "any any any any"},
		{"%y = OpIEqual %bool %v %five\n%x = OpGroupNonUniformAny %bool %u3 %y" + toUint, 2, "1 1 1 1"},
		{"%y = OpIEqual %bool %i %u1\n%x = OpGroupNonUniformAny %bool %u3 %y" + toUint, 2, "1 1 0 0"},
		{"%y = OpULessThan %bool %i %u3\n%x = OpGroupNonUniformAll %bool %u3 %y" + toUint, 2, "1 1 0 0"},
		{"%y = OpULessThan %bool %i %five\n%x = OpGroupNonUniformAll %bool %u3 %y" + toUint, 0, "1 1 1 1"},
		{"%y = OpULessThan %bool %i %u3\n%x = OpSubgroupAllKHR %bool %y" + toUint, 2, "1 1 0 0"},
		{"%h = OpShiftRightLogical %uint %i %u1\n%x = OpGroupNonUniformAllEqual %bool %u3 %h" + toUint, 2, "1 1 1 1"},
		{"%x = OpGroupNonUniformAllEqual %bool %u3 %v" + toUint, 2, "0 0 0 0"},
		{"%x = OpGroupNonUniformAllEqual %bool %u3 %v" + toUint, 0, "any any any any"},
		{"%x = OpGroupNonUniformAllEqual %bool %u3 %u1" + toUint, 0, "1 1 1 1"},
		{"%y = OpULessThan %bool %u0 %i\n%z = OpGroupNonUniformBallot %uvec4 %u3 %y\n%r = OpCompositeExtract %uint %z 0", 4, "14 14 14 14"},
		{"%x = OpGroupNonUniformInverseBallot %bool %u3 %bits" + toUint, 4, "1 0 1 0"},
		{"%x = OpGroupNonUniformBallotBitExtract %bool %u3 %bits %i" + toUint, 4, "1 0 1 0"},
		{"%x = OpGroupNonUniformBallotBitExtract %bool %u3 %bits %i" + toUint, 2, "1 0 any any"},
		{"%r = OpGroupNonUniformBallotBitCount %uint %u3 Reduce %bits", 2, "1 1 1 1"},
		{"%r = OpGroupNonUniformBallotBitCount %uint %u3 InclusiveScan %bits", 4, "1 1 2 2"},
		{"%r = OpGroupNonUniformBallotBitCount %uint %u3 ExclusiveScan %bits", 4, "0 1 1 2"},
		{"%r = OpGroupNonUniformBallotFindLSB %uint %u3 %bits", 4, "0 0 0 0"},
		{"%r = OpGroupNonUniformBallotFindMSB %uint %u3 %bits", 4, "2 2 2 2"},
		{"%r = OpGroupNonUniformBallotFindMSB %uint %u3 %none", 4, "any any any any"},
		{"%r = OpCopyObject %uint %self", 2, "0 1 0 1"},
		{"%r = OpCopyObject %uint %self", 0, "any any any any"},
		{"%y = OpULessThan %bool %i %u1\nOpSelectionMerge %e None\nOpBranchConditional %y %d %e\n%d = OpLabel\nOpBranch %e\n%e = OpLabel\n" +
			"%r = OpGroupNonUniformIAdd %uint %u3 Reduce %v", 4, "any any any any"}, // whether they are together again is not defined
		{"%r0 = OpGroupNonUniformIAdd %uint %u3 Reduce %v\nOpStore %si %r0\nOpControlBarrier %u2 %u2 %u264\n%r1 = OpLoad %uint %sj\n%r = OpGroupNonUniformIAdd %uint %u3 Reduce %r1", 2, "28 28 24 24"},
	} {
		r := runSubgroups(t, "uint", c.body, c.size, 5, 7, 9, 5)
		list, any := r.Permitted(Place{})
		var got []string
		for _, p := range list {
			got = append(got, strings.TrimSuffix(p.String(), " value"))
		}
		if text := strings.Join(got, " "); text != c.want || any {
			t.Errorf("%s with subgroups of %d: %s, %s; must be %s", c.body, c.size, text, r.Undecided, c.want)
		}
	}
}

// TestFloatSubgroups: each order of additions and multiplications, whose steps are correctly rounded, is permitted.
func TestFloatSubgroups(t *testing.T) {
	const big = 0x1p24
	for _, c := range []struct {
		op       string
		size     uint32
		in       [4]float32
		yes, not []float32 // of the last invocation
	}{
		{"FAdd %float %u3 Reduce", 4, [4]float32{1, big, 1, -big}, []float32{2, 0, 1}, []float32{20, -20}},
		{"FAdd %float %u3 Reduce", 2, [4]float32{1, big, 3, 4}, []float32{7}, []float32{8, big}},
		{"FAdd %float %u3 ExclusiveScan", 4, [4]float32{1, 2, 3, 4}, []float32{6}, []float32{10, 7}},
		{"FAdd %float %u3 Reduce", 0, [4]float32{1, 1, 1, 1}, []float32{1, 4, 9}, nil},
		{"FMul %float %u3 Reduce", 4, [4]float32{3, 5, -7, 0.1}, []float32{-10.5, -10.500001}, []float32{10.5, -10.6}},
		{"FMul %float %u3 InclusiveScan", 4, [4]float32{0x1p-100, 0x1p-100, 0x1p100, 0x1p100}, []float32{1, 0}, nil},
		{"FMin %float %u3 Reduce", 4, [4]float32{3, -5, 7, 1}, []float32{-5}, []float32{3, -4}},
		{"FMax %float %u3 InclusiveScan", 4, [4]float32{3, -5, 7, 1}, []float32{7}, []float32{3, 1}},
		{"FMax %float %u3 Reduce", 0, [4]float32{3, -5, 7, 1}, []float32{7, 3, 1}, []float32{-6, 8}},
		{"FMax %float %u3 Reduce", 4, [4]float32{3, float32(math.NaN()), 7, 1}, []float32{7, 3, 9}, nil},
		{"FMin %float %u3 Reduce", 4, [4]float32{1, 1, 1, 0x1p-140}, []float32{0, 0x1p-140}, []float32{1}},
	} {
		var words []uint32
		for _, v := range c.in {
			words = append(words, math.Float32bits(v))
		}
		r := runSubgroups(t, "float", "%r = OpGroupNonUniform"+c.op+" %v", c.size, words...)
		list, any := r.Permitted(Place{})
		if any || len(list) != 4 {
			t.Fatalf("%s: %s", c.op, r.Undecided)
		}
		for want, values := range map[bool][]float32{true: c.yes, false: c.not} {
			for _, v := range values {
				if p := list[3]; p.Has(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))) != want {
					t.Errorf("%s of %v: %v is permitted: %t; permitted are %s", c.op, c.in, v, !want, p.String())
				}
			}
		}
	}
}
