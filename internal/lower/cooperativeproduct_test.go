package lower

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
)

// largeProduct multiplies a matrix of 32×256 by one of 256×128 halves, plus floats.
const largeProduct = `OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %ba %bb %bc
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %ba DescriptorSet 0
OpDecorate %ba Binding 0
OpDecorate %bb DescriptorSet 0
OpDecorate %bb Binding 1
OpDecorate %bc DescriptorSet 0
OpDecorate %bc Binding 2
OpDecorate %ra_f16 ArrayStride 2
OpDecorate %S_f16 Block
OpMemberDecorate %S_f16 0 Offset 0
OpDecorate %ra_f32 ArrayStride 4
OpDecorate %S_f32 Block
OpMemberDecorate %S_f32 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u2 = OpConstant %u32 2
%scope = OpConstant %u32 SCOPE
%n32 = OpConstant %u32 32
%n128 = OpConstant %u32 128
%n256 = OpConstant %u32 256
%ra_f16 = OpTypeRuntimeArray %f16
%S_f16 = OpTypeStruct %ra_f16
%pS_f16 = OpTypePointer StorageBuffer %S_f16
%p_f16 = OpTypePointer StorageBuffer %f16
%ra_f32 = OpTypeRuntimeArray %f32
%S_f32 = OpTypeStruct %ra_f32
%pS_f32 = OpTypePointer StorageBuffer %S_f32
%p_f32 = OpTypePointer StorageBuffer %f32
%ba = OpVariable %pS_f16 StorageBuffer
%bb = OpVariable %pS_f16 StorageBuffer
%bc = OpVariable %pS_f32 StorageBuffer
%A = OpTypeCooperativeMatrixKHR %f16 %scope %n32 %n256 %u0
%B = OpTypeCooperativeMatrixKHR %f16 %scope %n256 %n128 %u1
%C = OpTypeCooperativeMatrixKHR %f32 %scope %n32 %n128 %u2
%main = OpFunction %void None %fn
%l = OpLabel
%pa = OpAccessChain %p_f16 %ba %u0 %u0
%pb = OpAccessChain %p_f16 %bb %u0 %u0
%pc = OpAccessChain %p_f32 %bc %u0 %u0
%a = OpCooperativeMatrixLoadKHR %A %pa %u0 %n256
%b = OpCooperativeMatrixLoadKHR %B %pb %u0 %n128
%c = OpCooperativeMatrixLoadKHR %C %pc %u0 %n128
%d = OpCooperativeMatrixMulAddKHR %C %a %b %c
OpCooperativeMatrixStoreKHR %pc %d %u0 %n128
OpReturn
OpFunctionEnd
`

// TestLargeProduct runs a product of 32,768 multiplications in each lane of a
// subgroup or workgroup: its code is short, and its results are those of
// fused multiply-adds in the order of the columns of A.
func TestLargeProduct(t *testing.T) {
	const rows, inner, columns = 32, 256, 128
	halfBits := func(n int) uint16 { // n/8 for 0 ≤ n < 16, exact
		if n == 0 {
			return 0
		}
		bits := math.Float32bits(float32(n) / 8)
		return uint16(bits>>23-112)<<10 | uint16(bits>>13&0x3ff)
	}
	a, b, want := make([]byte, 2*rows*inner), make([]byte, 2*inner*columns), make([]float32, rows*columns)
	av := func(i, k int) int { return (3*i + 5*k) % 16 }
	bv := func(k, j int) int { return (7*k + j) % 13 }
	for k := range inner {
		for i := range rows {
			binary.LittleEndian.PutUint16(a[2*(i*inner+k):], halfBits(av(i, k)))
		}
		for j := range columns {
			binary.LittleEndian.PutUint16(b[2*(k*columns+j):], halfBits(bv(k, j)))
		}
	}
	first := func(i, j int) float32 { return float32(i)*1e5 + float32(j)/3 } // the order of additions shows
	for i := range rows {
		for j := range columns {
			sum := first(i, j)
			for k := range inner { // the product is exact, so that the sum in 64 bits rounds like one fma
				sum = float32(float64(sum) + float64(av(i, k)*bv(k, j))/64)
			}
			want[i*columns+j] = sum
		}
	}
	for _, scope := range []string{"3", "2"} {
		source := []byte(strings.Replace(largeProduct, "SCOPE", scope, 1))
		p := passed(t, source, facts.Spec{}, Options{SubgroupSize: 32})
		if n := operations(p); n > 32_000 {
			t.Errorf("scope %s: %d operations", scope, n)
		}
		for _, e := range engines() {
			c := make([]byte, 4*rows*columns)
			for n := range want {
				binary.LittleEndian.PutUint32(c[4*n:], math.Float32bits(first(n/columns, n%columns)))
			}
			dispatchOnce(t, p, e, a, b, c)
			for n, w := range want {
				if got := math.Float32frombits(binary.LittleEndian.Uint32(c[4*n:])); got != w {
					t.Fatalf("scope %s, %s: component %d is %v, want %v", scope, e.Name(), n, got, w)
				}
			}
		}
	}
}
