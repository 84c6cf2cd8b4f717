package valid

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/cputime"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// grown returns a valid compute shader of about n words: n/20 rounds of loads,
// arithmetic, a selection with a phi and a store.
func grown(tb testing.TB, n int) *spirv.Module {
	var s strings.Builder
	s.WriteString(`OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %array ArrayStride 4
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%ptrb = OpTypePointer Uniform %block
%ptr = OpTypePointer Uniform %uint
%data = OpVariable %ptrb Uniform
%main = OpFunction %void None %fn
%first = OpLabel
%p = OpAccessChain %ptr %data %zero %zero
%x0 = OpLoad %uint %p
`)
	s2 := strings.Replace(s.String(), "%block Block", "%block BufferBlock", 1)
	s.Reset()
	s.WriteString(s2)
	from := "%first"
	for i := range n / 43 {
		fmt.Fprintf(&s, `%%c%[1]d = OpULessThan %%bool %%x%[1]d %%zero
OpSelectionMerge %%m%[1]d None
OpBranchConditional %%c%[1]d %%t%[1]d %%m%[1]d
%%t%[1]d = OpLabel
%%y%[1]d = OpIAdd %%uint %%x%[1]d %%x0
OpBranch %%m%[1]d
%%m%[1]d = OpLabel
%%x%[2]d = OpPhi %%uint %%x%[1]d %[3]s %%y%[1]d %%t%[1]d
OpStore %%p %%x%[2]d
`, i, i+1, from)
		from = fmt.Sprintf("%%m%d", i)
	}
	s.WriteString("OpReturn\nOpFunctionEnd\n")
	m := moduleOf(tb, s.String(), spirv.Version10)
	return m
}

// BenchmarkGrowth shows the cost of modules from 8 KB to 1 MB: ns/word must stay
// as it is.
func BenchmarkGrowth(b *testing.B) {
	for n := 1 << 11; n <= 1<<18; n <<= 1 {
		m := grown(b, n)
		b.Run(fmt.Sprintf("%dKB", len(m.Words)*4/1024), func(b *testing.B) {
			start := cputime.Now()
			for b.Loop() {
				judgeModule(b, m)
			}
			words := float64(b.N) * float64(len(m.Words))
			b.ReportMetric(float64((cputime.Now()-start).Nanoseconds())/words, "cpu-ns/word")
		})
	}
}

// TestGrownModule checks that the modules of the growth measurement are valid,
// and that checking a large one allocates less than 40 bytes a word beyond the words,
// including memory that is released during the check.
func TestGrownModule(t *testing.T) {
	m := grown(t, 1<<18)
	if r := judgeModule(t, m); len(r.Findings) > 0 {
		t.Fatalf("%d findings, the first: %v", len(r.Findings), &r.Findings[0])
	}
	took := math.Inf(1)
	for range 3 { // a collection empties pools, whose lists one of the runs then allocates again
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := judgeModule(t, m)
		runtime.ReadMemStats(&after)
		took = min(took, float64(after.TotalAlloc-before.TotalAlloc)/float64(len(m.Words)))
		runtime.KeepAlive(r)
	}
	if took > 40 {
		t.Errorf("%.1f bytes a word; must be 40 at most", took)
	} else {
		t.Logf("%.1f bytes a word", took)
	}
}
