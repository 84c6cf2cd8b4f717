package lower

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// conversions is a module that converts each element of one buffer into one of
// another.
const conversions = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%in %%out %%gid
OpExecutionMode %%main LocalSize 64 1 1
OpDecorate %%gid BuiltIn GlobalInvocationId
OpDecorate %%IB Block
OpDecorate %%OB Block
OpMemberDecorate %%IB 0 Offset 0
OpMemberDecorate %%OB 0 Offset 0
OpDecorate %%ia ArrayStride %[2]d
OpDecorate %%oa ArrayStride %[4]d
OpDecorate %%in DescriptorSet 0
OpDecorate %%in Binding 0
OpDecorate %%out DescriptorSet 0
OpDecorate %%out Binding 1
%[5]s
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%uint = OpTypeInt 32 0
%%v3 = OpTypeVector %%uint 3
%%I = OpTypeFloat %[1]s
%%O = OpTypeFloat %[3]s
%%u0 = OpConstant %%uint 0
%%ia = OpTypeRuntimeArray %%I
%%oa = OpTypeRuntimeArray %%O
%%IB = OpTypeStruct %%ia
%%OB = OpTypeStruct %%oa
%%p_IB = OpTypePointer StorageBuffer %%IB
%%p_OB = OpTypePointer StorageBuffer %%OB
%%p_I = OpTypePointer StorageBuffer %%I
%%p_O = OpTypePointer StorageBuffer %%O
%%p_v3 = OpTypePointer Input %%v3
%%in = OpVariable %%p_IB StorageBuffer
%%out = OpVariable %%p_OB StorageBuffer
%%gid = OpVariable %%p_v3 Input
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%g = OpLoad %%v3 %%gid
%%i = OpCompositeExtract %%uint %%g 0
%%ip = OpAccessChain %%p_I %%in %%u0 %%i
%%op = OpAccessChain %%p_O %%out %%u0 %%i
%%x = OpLoad %%I %%ip
%%y = OpFConvert %%O %%x
OpStore %%op %%y
OpReturn
OpFunctionEnd
`

// converted runs conversions on values of so many bytes.
func converted(t *testing.T, engine exec.Engine, from, to string, n, m int, decoration string, in []uint64) []uint64 {
	t.Helper()
	source := fmt.Sprintf(conversions, from, n, to, m, decoration)
	var data []byte
	for _, x := range in {
		data = append(data, binary.LittleEndian.AppendUint64(nil, x)[:n]...)
	}
	out := make([]byte, m*len(in))
	prog, err := engine.Compile(passed(t, []byte(source), nil, Options{}), exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer prog.Close()
	args := compute.Args{Groups: [3]uint32{uint32(len(in)+63) / 64, 1, 1}, Bindings: map[compute.Binding][]exec.Buffer{
		{Binding: 0}: {{Bytes: data}}, {Binding: 1}: {{Bytes: out}},
	}}
	if err := compute.Dispatch(context.Background(), prog, args); err != nil {
		t.Fatal(err)
	}
	result := make([]uint64, len(in))
	for i := range result {
		var word [8]byte
		copy(word[:], out[i*m:(i+1)*m])
		result[i] = binary.LittleEndian.Uint64(word[:])
	}
	return result
}

var smallFloats = []struct {
	typ    string
	bytes  int
	format scalar.Small
}{
	{"16 BFloat16KHR", 2, scalar.BFloat16},
	{"8 Float8E4M3EXT", 1, scalar.E4M3},
	{"8 Float8E5M2EXT", 1, scalar.E5M2},
}

// TestWidenSmallFloats converts every number of each small format to 32 bits,
// which is exact.
func TestWidenSmallFloats(t *testing.T) {
	for _, engine := range engines() {
		for _, c := range smallFloats {
			in := make([]uint64, 1<<(8*c.bytes))
			for i := range in {
				in[i] = uint64(i)
			}
			for i, got := range converted(t, engine, c.typ, "32", c.bytes, 4, "", in) {
				want := scalar.Widen(c.format, in[i])
				value := float64(math.Float32frombits(uint32(got)))
				if value != want && (value == value || want == want) || math.Signbit(value) != math.Signbit(want) {
					t.Fatalf("%s: %s 0x%x is %v; want %v", engine.Name(), c.typ, in[i], value, want)
				}
			}
		}
	}
}

// TestNarrowSmallFloats converts numbers of 16, 32 and 64 bits, those next to
// each half between two small ones among them, rounded once.
func TestNarrowSmallFloats(t *testing.T) {
	const toward = "OpDecorate %y FPRoundingMode RTZ"
	const saturated = "OpDecorate %y SaturatedToLargestFloat8NormalConversionEXT"
	for _, engine := range engines() {
		for _, c := range smallFloats {
			for _, width := range []uint8{16, 32, 64} {
				in := edges(c.format, width)
				for _, how := range []string{"", toward, saturated} {
					got := converted(t, engine, fmt.Sprint(width), c.typ, int(width/8), c.bytes, how, in)
					for i, x := range in {
						v := scalar.Float(width, x)
						want := scalar.Narrow(c.format, how == toward, v)
						if how == saturated {
							want = scalar.NarrowSat(c.format, v)
						}
						if got[i] != want {
							t.Fatalf("%s: %s of %v in %d bits %s: 0x%x; want 0x%x", engine.Name(), c.typ, v, width, how, got[i], want)
						}
					}
				}
			}
		}
	}
}

// edges returns numbers of a width: special ones, all about the numbers of a
// format and the halves between them, and random ones.
func edges(format scalar.Small, width uint8) []uint64 {
	r := rand.New(rand.NewPCG(uint64(format), uint64(width)))
	mask := ^uint64(0) >> (64 - width)
	out := []uint64{scalar.NaN(width), mask, scalar.FromFloat(width, false, math.Inf(1)), scalar.FromFloat(width, false, math.Inf(-1)), 0, 1 << (width - 1), 1, mask >> 1}
	for len(out) < 4096 {
		n := r.Uint64() & 0x7ffe
		if format != scalar.BFloat16 {
			n &= 0x7e
		}
		x := (scalar.Widen(format, n) + scalar.Widen(format, n+1)) / 2
		b := scalar.FromFloat(width, false, x)
		out = append(out, b&mask, (b+1)&mask, (b-1)&mask, b|1<<(width-1), r.Uint64()&mask)
	}
	return out
}
