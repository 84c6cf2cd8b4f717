package vk

import (
	"context"
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/cputime"
)

// launchGraph describes a graph of 8 nodes "leaf" that do nothing, and a root of 4096 workgroups, which sends 32 payloads to each of
// them: 2²⁰ launches.
func (r *graphRig) launchGraph(t testing.TB) *GraphPipeline {
	t.Helper()
	text := graphHead + `OpEntryPoint GLCompute %root "root"
OpEntryPoint GLCompute %leaf "leaf" %in
OpExecutionMode %root LocalSize 1 1 1
OpExecutionModeId %root StaticNumWorkgroupsAMDX %u4096 %u1 %u1
OpExecutionMode %leaf LocalSize 1 1 1
OpExecutionModeId %leaf StaticNumWorkgroupsAMDX %u1 %u1 %u1
OpMemberDecorate %word 0 Offset 0
OpDecorateId %words PayloadNodeNameAMDX %name
OpDecorateId %words NodeMaxPayloadsAMDX %u256
OpDecorateId %words PayloadNodeArraySizeAMDX %u8
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
`
	for i := range 8 {
		text += fmt.Sprintf("%%u%d = OpConstant %%uint %d\n", i, i)
	}
	text += `%u8 = OpConstant %uint 8
%u32 = OpConstant %uint 32
%u256 = OpConstant %uint 256
%u4096 = OpConstant %uint 4096
%name = OpConstantStringAMDX "leaf"
%word = OpTypeStruct %uint
%words = OpTypeNodePayloadArrayAMDX %word
%pwords = OpTypePointer NodePayloadAMDX %words
%in = OpVariable %pwords NodePayloadAMDX
%root = OpFunction %void None %fn
%l = OpLabel
`
	for i := range 8 {
		text += fmt.Sprintf("%%a%d = OpAllocateNodePayloadsAMDX %%pwords %%u2 %%u32 %%u%d\nOpEnqueueNodePayloadsAMDX %%a%d\n", i, i, i)
	}
	text += `OpReturn
OpFunctionEnd
%leaf = OpFunction %void None %fn
%ll = OpLabel
OpReturn
OpFunctionEnd
`
	info := GraphPipelineInfo{Layout: r.layout, Stages: []StageInfo{{Code: code(t, text), Entry: "root"}}}
	for i := range uint32(8) {
		info.Stages = append(info.Stages, StageInfo{Code: code(t, text), Entry: "leaf", NodeIndex: &i})
	}
	return must(r.dev.NewGraphPipeline(context.Background(), info))(t)
}

// BenchmarkGraph measures launches of empty nodes.
func BenchmarkGraph(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			r := newGraphRig(b, DeviceInfo{Workers: workers})
			p := r.launchGraph(b)
			r.scratchOf(b, p.ScratchSize().Max)
			c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(b)
			if err := c.Begin(BeginInfo{}); err != nil {
				b.Fatal(err)
			}
			c.BindGraph(p)
			c.BindSets(ExecutionGraph, r.layout, 0, []*Set{r.set}, nil)
			c.InitializeGraphScratch(p, r.scratch)
			c.DispatchGraph(r.scratch, []GraphStart{{Count: 1}})
			if err := c.End(); err != nil {
				b.Fatal(err)
			}
			begin := cputime.Now()
			for b.Loop() {
				if err := (&rig{dev: r.dev}).submit(b, c); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*(1<<20)/b.Elapsed().Seconds()/1e6, "Mlaunches/s")
			b.ReportMetric(float64(b.N)*(1<<20)/(cputime.Now()-begin).Seconds()/1e6, "Mlaunches/CPU-s")
		})
	}
}
