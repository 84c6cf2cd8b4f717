package oracle_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/internal/oracle"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// groupSteps are the steps of random programs: the type of the result, and the instruction. u is an integer, f a float, b a bool and w a
// ballot of an earlier step; n is an invocation.
var groupSteps = [][2]string{
	{"u", "OpIAdd %uint u u"}, {"u", "OpBitwiseXor %uint u u"}, {"f", "OpFMul %float f f"}, {"b", "OpULessThan %bool u u"},
	{"u", "OpGroupNonUniformIAdd %uint %c3 Reduce u"}, {"u", "OpGroupNonUniformIAdd %uint %c3 InclusiveScan u"}, {"u", "OpGroupNonUniformIMul %uint %c3 ExclusiveScan u"},
	{"u", "OpGroupNonUniformUMin %uint %c3 ExclusiveScan u"}, {"u", "OpGroupNonUniformUMax %uint %c3 InclusiveScan u"},
	{"u", "OpGroupNonUniformBitwiseAnd %uint %c3 Reduce u"}, {"u", "OpGroupNonUniformBitwiseOr %uint %c3 ExclusiveScan u"}, {"u", "OpGroupNonUniformBitwiseXor %uint %c3 Reduce u"},
	{"u", "OpGroupNonUniformIAdd %uint %c3 ClusteredReduce u %c4"}, {"f", "OpGroupNonUniformFAdd %float %c3 ClusteredReduce f %c2"},
	{"f", "OpGroupNonUniformFAdd %float %c3 Reduce f"}, {"f", "OpGroupNonUniformFAdd %float %c3 InclusiveScan f"}, {"f", "OpGroupNonUniformFAdd %float %c3 ExclusiveScan f"},
	{"f", "OpGroupNonUniformFMul %float %c3 Reduce f"}, {"f", "OpGroupNonUniformFMul %float %c3 ExclusiveScan f"},
	{"f", "OpGroupNonUniformFMin %float %c3 Reduce f"}, {"f", "OpGroupNonUniformFMax %float %c3 InclusiveScan f"}, {"f", "OpGroupNonUniformFMax %float %c3 ExclusiveScan f"},
	{"b", "OpGroupNonUniformLogicalAnd %bool %c3 InclusiveScan b"}, {"b", "OpGroupNonUniformLogicalOr %bool %c3 ExclusiveScan b"}, {"b", "OpGroupNonUniformLogicalXor %bool %c3 Reduce b"},
	{"b", "OpGroupNonUniformElect %bool %c3"}, {"b", "OpGroupNonUniformAll %bool %c3 b"}, {"b", "OpGroupNonUniformAny %bool %c3 b"},
	{"b", "OpGroupNonUniformAllEqual %bool %c3 u"}, {"b", "OpGroupNonUniformAllEqual %bool %c3 f"},
	{"u", "OpGroupNonUniformBroadcast %uint %c3 u %c3"}, {"f", "OpGroupNonUniformBroadcastFirst %float %c3 f"},
	{"u", "OpGroupNonUniformShuffle %uint %c3 u n"}, {"f", "OpGroupNonUniformShuffleXor %float %c3 f n"}, {"u", "OpGroupNonUniformShuffleUp %uint %c3 u %c2"},
	{"u", "OpGroupNonUniformShuffleDown %uint %c3 u %c1"}, {"u", "OpGroupNonUniformQuadBroadcast %uint %c3 u %c2"}, {"f", "OpGroupNonUniformQuadSwap %float %c3 f %c2"},
	{"w", "OpGroupNonUniformBallot %uvec4 %c3 b"}, {"b", "OpGroupNonUniformInverseBallot %bool %c3 w"}, {"b", "OpGroupNonUniformBallotBitExtract %bool %c3 w n"},
	{"u", "OpGroupNonUniformBallotBitCount %uint %c3 Reduce w"}, {"u", "OpGroupNonUniformBallotBitCount %uint %c3 InclusiveScan w"},
	{"u", "OpGroupNonUniformBallotFindLSB %uint %c3 w"}, {"u", "OpGroupNonUniformBallotFindMSB %uint %c3 w"},
}

const (
	groupLanes = 32 // of a workgroup
	groupCount = 8  // steps of a program
)

// groupProgram returns a random program of a workgroup. Binding 0 has a word for each invocation, and binding 1 the result of each step.
func groupProgram(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(`OpCapability Shader
OpCapability GroupNonUniform
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformShuffle
OpCapability GroupNonUniformShuffleRelative
OpCapability GroupNonUniformClustered
OpCapability GroupNonUniformQuad
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%float = OpTypeFloat 32
%uvec4 = OpTypeVector %uint 4
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%pblock = OpTypePointer StorageBuffer %block
%pword = OpTypePointer StorageBuffer %uint
%pin = OpTypePointer Input %uint
%scale = OpConstant %float 0.0371
%mid = OpConstant %float -17
%c1023 = OpConstant %uint 1023
`)
	for i := range 10 {
		fmt.Fprintf(&b, "%%c%d = OpConstant %%uint %d\n%%o%d = OpConstant %%uint %d\n", i, i, i, i*groupLanes)
	}
	b.WriteString(`%in = OpVariable %pblock StorageBuffer
%out = OpVariable %pblock StorageBuffer
%index = OpVariable %pin Input
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %uint %index
%lane = OpBitwiseAnd %uint %i %c3
%p = OpAccessChain %pword %in %c0 %i
%u0 = OpLoad %uint %p
%u1 = OpBitwiseAnd %uint %u0 %c7
%low = OpBitwiseAnd %uint %u0 %c1023
%f1 = OpConvertUToF %float %low
%f2 = OpFMul %float %f1 %scale
%f0 = OpFAdd %float %f2 %mid
%b0 = OpULessThan %bool %u1 %c4
%w0 = OpCompositeConstruct %uvec4 %u0 %c0 %c0 %c0
`)
	known := map[byte][]string{'u': {"%u0", "%u1"}, 'f': {"%f0", "%f1"}, 'b': {"%b0"}, 'w': {"%w0"}, 'n': {"%lane", "%c1", "%c2", "%c3"}}
	for k := range groupCount {
		step := groupSteps[r.IntN(len(groupSteps))]
		words := strings.Fields(step[1])
		for i, w := range words {
			if list := known[w[0]]; len(w) == 1 {
				words[i] = list[r.IntN(len(list))]
			}
		}
		id, stored := fmt.Sprintf("%%x%d", k), fmt.Sprintf("%%y%d", k)
		fmt.Fprintf(&b, "%s = %s\n", id, strings.Join(words, " "))
		switch kind := step[0][0]; kind {
		case 'u':
			stored = id
		case 'f':
			fmt.Fprintf(&b, "%s = OpBitcast %%uint %s\n", stored, id)
		case 'b':
			fmt.Fprintf(&b, "%s = OpSelect %%uint %s %%c1 %%c0\n", stored, id)
		case 'w':
			fmt.Fprintf(&b, "%s = OpCompositeExtract %%uint %s 0\n", stored, id)
		}
		known[step[0][0]] = append(known[step[0][0]], id)
		fmt.Fprintf(&b, "%%at%d = OpIAdd %%uint %%i %%o%d\n%%q%d = OpAccessChain %%pword %%out %%c0 %%at%d\nOpStore %%q%d %s\n", k, k, k, k, k, stored)
	}
	b.WriteString("OpReturn\nOpFunctionEnd\n")
	return b.String()
}

// TestGroupEngines checks that the oracle permits the results of both engines for random programs of group operations with subgroups
// of 4 to 32 invocations.
func TestGroupEngines(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(7, 11))
	decided, programs := 0, 40
	if os.Getenv("CHIARO_LONG") != "" {
		programs = 2000
	}
	version, _ := asm.Target("vulkan1.1")
	for range programs {
		text, size := groupProgram(r), uint32(4)<<r.IntN(4)
		code := asm.Bytes(asmtest.Words(t, text, version))
		m, err := spirv.Decode(code)
		if err != nil {
			t.Fatal(err)
		}
		in, data := make([]uint32, groupLanes), []byte(nil)
		for i := range in {
			in[i] = r.Uint32()
			data = binary.LittleEndian.AppendUint32(data, in[i])
		}
		f := facts.Gather(m, nil)
		at := oracle.Place{Binding: 1}
		result, err := oracle.Run(ctx, &oracle.Job{Module: f, Entry: f.EntryPoint("main", spirv.ExecutionModelGLCompute), Groups: [3]uint32{1, 1, 1},
			Buffers: map[oracle.Place][]byte{{}: data, at: make([]byte, 4*groupLanes*groupCount)}, SubgroupSize: size})
		if err != nil || result.Undecided != "" {
			t.Fatalf("%v, %s", err, result.Undecided)
		}
		sets, _ := result.Permitted(at)
		for i := range sets {
			if !sets[i].Any {
				decided++
			}
		}
		for _, interp := range []bool{false, true} {
			s, err := chiaro.Options{Interpreter: interp, SubgroupSize: size}.Compile(ctx, code)
			if err != nil {
				t.Fatal(err)
			}
			out, content := make([]uint32, groupLanes*groupCount), []byte(nil)
			if err := s.Run(ctx, [3]uint32{1, 1, 1}, chiaro.Buffer(0, in), chiaro.Buffer(1, out)); err != nil {
				t.Fatal(err)
			}
			s.Close()
			for _, v := range out {
				content = binary.LittleEndian.AppendUint32(content, v)
			}
			for _, v := range result.Judge(map[oracle.Place][]byte{at: content}) {
				t.Errorf("number %d, %s, is not permitted, %s is; with subgroups of %d and the words %v:\n%s", v.Offset/4, v.Text(v.Got), v.Permitted.String(), size, in, text)
			}
		}
	}
	if all := programs * groupLanes * groupCount; decided < all/2 {
		t.Errorf("%d numbers of %d are decided; must be half of them", decided, all)
	}
}
