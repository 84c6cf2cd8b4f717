package oracle_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
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

const before = `OpCapability Shader
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %b
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %floats ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%float = OpTypeFloat 32
%floats = OpTypeRuntimeArray %float
%block = OpTypeStruct %floats
%pblock = OpTypePointer StorageBuffer %block
%pfloat = OpTypePointer StorageBuffer %float
%u0 = OpConstant %uint 0
`

// operations are the steps of random programs: of one, two or three operands.
var operations = []string{
	"OpFAdd %float x x", "OpFSub %float x x", "OpFMul %float x x", "OpFDiv %float x x", "OpFNegate %float x",
	"OpExtInst %float %glsl FAbs x", "OpExtInst %float %glsl FMin x x", "OpExtInst %float %glsl FMax x x", "OpExtInst %float %glsl FClamp x x x",
	"OpExtInst %float %glsl Sqrt x", "OpExtInst %float %glsl InverseSqrt x", "OpExtInst %float %glsl Sin x", "OpExtInst %float %glsl Cos x",
	"OpExtInst %float %glsl Exp x", "OpExtInst %float %glsl Log2 x", "OpExtInst %float %glsl FMix x x x", "OpExtInst %float %glsl Fma x x x",
	"OpExtInst %float %glsl Floor x", "OpExtInst %float %glsl Fract x", "OpExtInst %float %glsl Atan x", "OpExtInst %float %glsl Tanh x",
	"OpExtInst %float %glsl Pow x x", "OpExtInst %float %glsl Step x x", "OpExtInst %float %glsl Length x",
}

// program returns a random program that replaces the numbers of a buffer by the results of as many steps.
func program(r *rand.Rand, n int) string {
	var b strings.Builder
	b.WriteString(before)
	for i := range n - 1 {
		fmt.Fprintf(&b, "%%u%d = OpConstant %%uint %d\n", i+1, i+1)
	}
	b.WriteString("%b = OpVariable %pblock StorageBuffer\n%main = OpFunction %void None %fn\n%l = OpLabel\n")
	for i := range n {
		fmt.Fprintf(&b, "%%p%d = OpAccessChain %%pfloat %%b %%u0 %%u%d\n%%v%d = OpLoad %%float %%p%d\n", i, i, i, i)
	}
	for i := range n {
		text := operations[r.IntN(len(operations))]
		for strings.Contains(text, " x") {
			text = strings.Replace(text, " x", fmt.Sprintf(" %%v%d", r.IntN(n+i)), 1)
		}
		fmt.Fprintf(&b, "%%v%d = %s\n", n+i, text)
	}
	for i := range n {
		fmt.Fprintf(&b, "OpStore %%p%d %%v%d\n", i, n+i)
	}
	b.WriteString("OpReturn\nOpFunctionEnd\n")
	return b.String()
}

// TestEngines checks that the oracle permits the results of both engines for random programs. Steps on results of earlier ones have
// ranges as operands.
func TestEngines(t *testing.T) {
	const n = 8
	ctx := context.Background()
	r := rand.New(rand.NewPCG(3, 5))
	decided := 0
	programs := 60
	if os.Getenv("CHIARO_LONG") != "" {
		programs = 3000
	}
	for range programs {
		text := program(r, n)
		version, _ := asm.Target("vulkan1.3")
		words := asmtest.Words(t, text, version)
		code := asm.Bytes(words)
		m, err := spirv.Decode(code)
		if err != nil {
			t.Fatal(err)
		}
		in, data := make([]float32, n), []byte(nil)
		for i := range in {
			in[i] = float32(r.Float64()*4 - 1)
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(in[i]))
		}
		f := facts.Gather(m, nil)
		result, err := oracle.Run(ctx, &oracle.Job{Module: f, Entry: f.EntryPoint("main", spirv.ExecutionModelGLCompute), Groups: [3]uint32{1, 1, 1},
			Buffers: map[oracle.Place][]byte{{}: data}})
		if err != nil || result.Undecided != "" {
			t.Fatalf("%v, %s", err, result.Undecided)
		}
		sets, _ := result.Permitted(oracle.Place{})
		for i := range sets {
			if !sets[i].Any {
				decided++
			}
		}
		for _, interp := range []bool{false, true} {
			s, err := chiaro.Options{Interpreter: interp}.Compile(ctx, code)
			if err != nil {
				t.Fatal(err)
			}
			out, content := append([]float32(nil), in...), []byte(nil)
			if err := s.Run(ctx, [3]uint32{1, 1, 1}, chiaro.Buffer(0, out)); err != nil {
				t.Fatal(err)
			}
			s.Close()
			for _, v := range out {
				content = binary.LittleEndian.AppendUint32(content, math.Float32bits(v))
			}
			for _, v := range result.Judge(map[oracle.Place][]byte{{}: content}) {
				t.Errorf("number %d of %v is not permitted, %s is; the operands are %v:\n%s", v.Offset/4, out, v.Permitted.String(), in, text)
			}
		}
	}
	if decided < 200 {
		t.Errorf("%d numbers of 480 have a range; must be at least 200", decided)
	}
}
