package debug

import (
	"fmt"
	"strings"
	"testing"
)

// storeLast is a shader of 128 invocations, each of which stores 7 in its element of data as its last operation but for a barrier.
const storeLast = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %b
OpExecutionMode %main LocalSize 128 1 1
%file = OpString "last.comp"
OpMemberName %B 0 "data"
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %array ArrayStride 4
OpMemberDecorate %B 0 Offset 0
OpDecorate %B Block
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uint_0 = OpConstant %uint 0
%uint_2 = OpConstant %uint 2
%uint_7 = OpConstant %uint 7
%uint_264 = OpConstant %uint 264
%v3uint = OpTypeVector %uint 3
%pid = OpTypePointer Input %v3uint
%pin = OpTypePointer Input %uint
%id = OpVariable %pid Input
%array = OpTypeRuntimeArray %uint
%B = OpTypeStruct %array
%pb = OpTypePointer StorageBuffer %B
%pout = OpTypePointer StorageBuffer %uint
%b = OpVariable %pb StorageBuffer
%main = OpFunction %void None %fn
%label = OpLabel
OpLine %file 3 0
%at = OpAccessChain %pin %id %uint_0
%i = OpLoad %uint %at
OpLine %file 4 0
%to = OpAccessChain %pout %b %uint_0 %i
OpStore %to %uint_7
BARRIER
OpReturn
OpFunctionEnd
`

// TestWatchLast: a data breakpoint stops in a thread of the subgroup that stored, if the store is the subgroup's last operation or before a
// barrier, forward and backward.
func TestWatchLast(t *testing.T) {
	for _, barrier := range []string{"", "OpControlBarrier %uint_2 %uint_2 %uint_264"} {
		t.Run(barrier, func(t *testing.T) {
			d := startModule(t, []byte(strings.Replace(storeLast, "BARRIER", barrier, 1)), 1, 16, Config{StopOnEntry: true})
			s := d.at(Entry, 0, 3)
			size := d.hook.program.SubgroupSize
			if size >= 64 {
				t.Fatalf("subgroups of %d; the test wants three or more of 128 invocations", size)
			}
			var list []*Watch
			for n := range uint32(3) {
				w, err := d.Watch(s.Thread, d.Frames(s.Thread)[0], fmt.Sprintf("data[%d]", n*size+1))
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, w)
			}
			d.SetWatches(list)
			stops := func(n uint32, backward bool) {
				t.Helper()
				d.Continue(backward)
				s := <-d.stops
				want := fmt.Sprintf("data[%d] changed from %d to 7 at line 4", n*size+1, n*size+1)
				if s.Reason != DataBreakpoint || s.Thread.Local/size != n || s.Text != want {
					t.Errorf("stopped by %s in thread %d: %q; must be in subgroup %d: %q", s.Reason, s.Thread.Local, s.Text, n, want)
				}
				if f := d.Frames(s.Thread); len(f) != 1 || f[0].At.Line != 4 {
					t.Errorf("the frames are %v; must be at line 4", f)
				}
			}
			for n := range uint32(3) {
				stops(n, false)
			}
			stops(1, true)
			stops(0, true)
			stops(1, false)
			d.SetWatches(nil)
			d.Continue(false)
			if err := <-d.done; err != nil {
				t.Fatal(err)
			}
		})
	}
}
