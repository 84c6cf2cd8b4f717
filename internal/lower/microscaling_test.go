package lower

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// microscaling is a module that takes the lowest bits of each word of one buffer
// as a number of a small format, and makes it a float of 32 bits.
const microscaling = `OpCapability Shader
OpCapability %[1]s
OpExtension "SPV_EXT_ocp_microscaling_types"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%gid
OpExecutionMode %%main LocalSize 64 1 1
OpDecorate %%gid BuiltIn GlobalInvocationId
OpDecorate %%IB Block
OpDecorate %%OB Block
OpMemberDecorate %%IB 0 Offset 0
OpMemberDecorate %%OB 0 Offset 0
OpDecorate %%ia ArrayStride 4
OpDecorate %%oa ArrayStride 4
OpDecorate %%in DescriptorSet 0
OpDecorate %%in Binding 0
OpDecorate %%out DescriptorSet 0
OpDecorate %%out Binding 1
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%uint = OpTypeInt 32 0
%%byte = OpTypeInt 8 0
%%v3 = OpTypeVector %%uint 3
%%small = OpTypeFloat %[2]s
%%float = OpTypeFloat 32
%%u0 = OpConstant %%uint 0
%%ia = OpTypeRuntimeArray %%uint
%%oa = OpTypeRuntimeArray %%float
%%IB = OpTypeStruct %%ia
%%OB = OpTypeStruct %%oa
%%p_IB = OpTypePointer StorageBuffer %%IB
%%p_OB = OpTypePointer StorageBuffer %%OB
%%p_I = OpTypePointer StorageBuffer %%uint
%%p_O = OpTypePointer StorageBuffer %%float
%%p_v3 = OpTypePointer Input %%v3
%%p_one = OpTypePointer Function %%small
%%in = OpVariable %%p_IB StorageBuffer
%%out = OpVariable %%p_OB StorageBuffer
%%gid = OpVariable %%p_v3 Input
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%var = OpVariable %%p_one Function
%%g = OpLoad %%v3 %%gid
%%i = OpCompositeExtract %%uint %%g 0
%%ip = OpAccessChain %%p_I %%in %%u0 %%i
%%op = OpAccessChain %%p_O %%out %%u0 %%i
%%x = OpLoad %%uint %%ip
%%b = OpUConvert %%byte %%x
%%s = %[3]s
OpStore %%var %%s
%%t = OpLoad %%small %%var
%%y = OpFConvert %%float %%t
OpStore %%op %%y
OpReturn
OpFunctionEnd
`

// TestWidenMicroscaling converts every number of the formats of the OCP
// Microscaling Formats specification, version 1.0, chapter 5.3: E2M1, E2M3 and
// E3M2 have neither infinities nor NaN; E8M0 is 2^(n−127) and NaN for 255; MXINT8
// is an integer divided by 64.
func TestWidenMicroscaling(t *testing.T) {
	float := func(bits, fraction, bias int) func(x int) float64 {
		return func(x int) float64 {
			exponent := x >> fraction & (1<<(bits-1-fraction) - 1)
			m := float64(x&(1<<fraction-1)) / float64(int(1)<<fraction)
			if exponent > 0 {
				m++
			}
			v := math.Ldexp(m, max(exponent, 1)-bias)
			if x>>(bits-1)&1 != 0 {
				return -v
			}
			return v
		}
	}
	const extract, cast = "OpBitcastExtractEXT %small %x %u0", "OpBitcast %small %b"
	for _, c := range []struct {
		capability, typ, how string
		bits                 int
		value                func(x int) float64
	}{
		{"Float4EXT", "4 Float4E2M1EXT", extract, 4, float(4, 1, 1)},
		{"Float4EXT", "4 Float4E2M1EXT", "OpBitcastExtractEXT %small %b %u0", 4, float(4, 1, 1)},
		{"Float6EXT", "6 Float6E2M3EXT", extract, 6, float(6, 3, 1)},
		{"Float6EXT", "6 Float6E3M2EXT", extract, 6, float(6, 2, 3)},
		{"Float8UnsignedE8M0EXT", "8 Float8UnsignedE8M0EXT", cast, 8, func(x int) float64 {
			if x == 255 {
				return math.NaN()
			}
			return math.Ldexp(1, x-127)
		}},
		{"MXInt8EXT", "8 MXInt8EXT", cast, 8, func(x int) float64 { return float64(int8(x)) / 64 }},
	} {
		source := fmt.Sprintf(microscaling, c.capability, c.typ, c.how)
		for _, engine := range engines() {
			n := 1 << c.bits
			var in []byte
			for i := range n {
				in = binary.LittleEndian.AppendUint32(in, ^uint32(0)<<c.bits|uint32(i)) // what is above the number does not count
			}
			out := make([]byte, 4*n)
			prog, err := engine.Compile(passed(t, []byte(source), nil, Options{}), exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			args := compute.Args{Groups: [3]uint32{uint32(n+63) / 64, 1, 1}, Bindings: map[compute.Binding][]exec.Buffer{
				{Binding: 0}: {{Bytes: in}}, {Binding: 1}: {{Bytes: out}},
			}}
			if err := compute.Dispatch(context.Background(), prog, args); err != nil {
				t.Fatal(err)
			}
			prog.Close()
			for i := range n {
				got, want := math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:])), float32(c.value(i))
				if got != want && (got == got || want == want) || math.Signbit(float64(got)) != math.Signbit(float64(want)) {
					t.Errorf("%s: %s 0x%x is %v; want %v", engine.Name(), c.typ, i, got, want)
				}
			}
		}
	}
}
