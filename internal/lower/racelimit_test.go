package lower

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// TestLostEvents: a program that has too many events says so, because accesses that a lost barrier orders would be races.
func TestLostEvents(t *testing.T) {
	for stores, lost := range map[int]int{8: 0, maxChecks: 1} {
		kinds := map[ir.EventKind]int{}
		for _, m := range storesBeforeBarrier(t, stores).Messages {
			kinds[m.Event.Kind]++
		}
		if kinds[ir.LostEvent] != lost || kinds[ir.BarrierEvent] != 1-lost {
			t.Errorf("%d stores: %d events of barriers, %d that say that some are lost; must be %d and %d", stores, kinds[ir.BarrierEvent], kinds[ir.LostEvent], 1-lost, lost)
		}
	}
}

// storesBeforeBarrier returns a program with some stores and a barrier.
func storesBeforeBarrier(t *testing.T, stores int) *ir.Program {
	m := asmtest.Module(t, `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %shared
OpExecutionMode %main LocalSize 4 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%two = OpConstant %uint 2
%semantics = OpConstant %uint 264
%pword = OpTypePointer Workgroup %uint
%shared = OpVariable %pword Workgroup
%main = OpFunction %void None %fn
%label = OpLabel
`+strings.Repeat("OpStore %shared %two\n", stores)+`OpControlBarrier %two %two %semantics
OpReturn
OpFunctionEnd
`, spirv.Version16)
	v := valid.Assume(facts.Gather(m, nil))
	p, err := Stage(v, &v.Facts().EntryPoints[0], Options{Sanitize: ir.SanitizeRace})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
