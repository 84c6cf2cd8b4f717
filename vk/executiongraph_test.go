package vk

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
)

// graphHead is the begin of a module of nodes, and graphTypes its types: the payload of a root is a word, the payload of a leaf has
// the number of its workgroups and a word.
const (
	graphHead = `OpCapability ShaderEnqueueAMDX
OpExtension "SPV_AMDX_shader_enqueue"
OpMemoryModel Logical GLSL450
`
	graphTypes = `OpDecorate %words ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpMemberDecorate %rootp 0 Offset 0
OpMemberDecorate %leafp 0 Offset 0
OpMemberDecorate %leafp 0 PayloadDispatchIndirectAMDX
OpMemberDecorate %leafp 1 Offset 4
OpDecorate %lid BuiltIn LocalInvocationIndex
OpDecorate %group BuiltIn WorkgroupId
OpDecorateId %leaves PayloadNodeNameAMDX %leafname
OpDecorateId %leaves NodeMaxPayloadsAMDX %u4
OpDecorateId %leaves PayloadNodeArraySizeAMDX %u1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%v3 = OpTypeVector %uint 3
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u4 = OpConstant %uint 4
%u5 = OpConstant %uint 5
%u10 = OpConstant %uint 10
%leafname = OpConstantStringAMDX "leaf"
%rootp = OpTypeStruct %uint
%leafp = OpTypeStruct %uint %uint
%roots = OpTypeNodePayloadArrayAMDX %rootp
%leaves = OpTypeNodePayloadArrayAMDX %leafp
%proots = OpTypePointer NodePayloadAMDX %roots
%pleaves = OpTypePointer NodePayloadAMDX %leaves
%pword = OpTypePointer NodePayloadAMDX %uint
%rin = OpVariable %proots NodePayloadAMDX
%lin = OpVariable %pleaves NodePayloadAMDX
%pin = OpTypePointer Input %uint
%pin3 = OpTypePointer Input %v3
%lid = OpVariable %pin Input
%group = OpVariable %pin3 Input
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%pblock = OpTypePointer StorageBuffer %block
%poutw = OpTypePointer StorageBuffer %uint
%out = OpVariable %pblock StorageBuffer
`
)

// twoNodes has a root that sends two payloads to the leaf, payload k with k + 1 workgroups and the word 10 · the root's word + k. A
// leaf adds 1 to word (its word + its workgroup) of the buffer, in each of its two invocations.
const twoNodes = graphHead + `OpEntryPoint GLCompute %root "root" %rin %lid
OpEntryPoint GLCompute %leaf "leaf" %lin %group %out
OpExecutionMode %root LocalSize 4 1 1
OpExecutionModeId %root StaticNumWorkgroupsAMDX %u1 %u1 %u1
OpExecutionMode %leaf LocalSize 2 1 1
` + graphTypes + `%root = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %uint %lid
%pb = OpAccessChain %pword %rin %u0 %u0
%base = OpLoad %uint %pb
%a = OpAllocateNodePayloadsAMDX %pleaves %u2 %u2 %u0
%n = OpNodePayloadArrayLengthAMDX %uint %a
%mine = OpULessThan %bool %i %n
OpSelectionMerge %end None
OpBranchConditional %mine %then %end
%then = OpLabel
%pg = OpAccessChain %pword %a %i %u0
%g = OpIAdd %uint %i %u1
OpStore %pg %g
%pv = OpAccessChain %pword %a %i %u1
%tens = OpIMul %uint %base %u10
%v = OpIAdd %uint %tens %i
OpStore %pv %v
OpBranch %end
%end = OpLabel
OpEnqueueNodePayloadsAMDX %a
OpReturn
OpFunctionEnd
%leaf = OpFunction %void None %fn
%ll = OpLabel
%lp = OpAccessChain %pword %lin %u0 %u1
%lv = OpLoad %uint %lp
%wg = OpLoad %v3 %group
%wx = OpCompositeExtract %uint %wg 0
%at = OpIAdd %uint %lv %wx
%lo = OpAccessChain %poutw %out %u0 %at
%old = OpAtomicIAdd %uint %lo %u1 %u0 %u1
OpReturn
OpFunctionEnd
`

// graphRig is a device with a buffer of 64 words at set 0, binding 0, and scratch memory.
type graphRig struct {
	dev     *Device
	layout  *PipelineLayout
	set     *Set
	bytes   []byte
	memory  *Buffer // of scratch memory
	scratch GraphScratch
}

func newGraphRig(t testing.TB, info DeviceInfo) *graphRig {
	t.Helper()
	info.Checking = All
	r := &graphRig{dev: must(Chiaro().NewDevice(info))(t)}
	t.Cleanup(func() { r.dev.Close() })
	sets := must(r.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.DescriptorType(iface.StorageBuffer), Count: 1, Stages: link.StageCompute}}}))(t)
	r.layout = must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{sets}}))(t)
	r.set = must(must(r.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(sets))(t)
	buffer := func(size uint64, usage BufferUsage) (*Buffer, []byte) {
		m := must(r.dev.Allocate(MemoryInfo{Size: size, DeviceAddress: true}))(t)
		b := must(r.dev.NewBuffer(BufferInfo{Size: size, Usage: usage}))(t)
		if err := b.Bind(m, 0); err != nil {
			t.Fatal(err)
		}
		return b, m.Bytes()
	}
	out, bytes := buffer(256, StorageBuffer)
	r.bytes = bytes
	if err := r.set.Update(Write{Buffers: []BufferDescriptor{{out, 0, WholeSize}}}); err != nil {
		t.Fatal(err)
	}
	const size = 1 << 20
	r.memory, _ = buffer(size, DeviceAddress)
	r.scratch = GraphScratch{r.memory.Address(), size}
	return r
}

// graph makes a graph of the entry points of a module.
func (r *graphRig) graph(t testing.TB, text string, entries ...string) (*GraphPipeline, error) {
	t.Helper()
	info := GraphPipelineInfo{Layout: r.layout}
	for _, e := range entries {
		info.Stages = append(info.Stages, GraphStage{StageInfo: StageInfo{Code: code(t, text), Entry: e}})
	}
	return r.dev.NewGraphPipeline(context.Background(), info)
}

// run dispatches a graph.
func (r *graphRig) run(t testing.TB, p *GraphPipeline, dispatch func(c *CommandBuffer)) error {
	t.Helper()
	c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	c.BindGraph(p)
	c.BindSets(ExecutionGraph, r.layout, 0, []*Set{r.set}, nil)
	c.InitializeGraphScratch(p, r.scratch)
	dispatch(c)
	if err := c.End(); err != nil {
		return err
	}
	return (&rig{dev: r.dev}).submit(t, c)
}

// payloadWords returns payloads of words.
func payloadWords(list ...uint32) (b []byte) {
	for _, n := range list {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

// want checks the words of the buffer.
func (r *graphRig) want(t testing.TB, what string, want map[int]uint32) {
	t.Helper()
	for i := range 64 {
		if got := binary.LittleEndian.Uint32(r.bytes[4*i:]); got != want[i] {
			t.Errorf("%s: word %d is %d; must be %d", what, i, got, want[i])
		}
	}
}

// TestExecutionGraph dispatches three payloads of a root: each workgroup of a leaf counts its two invocations.
func TestExecutionGraph(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		r := newGraphRig(t, info)
		p := must(r.graph(t, twoNodes, "root", "leaf"))(t)
		root, ok := p.NodeIndex("root", 0)
		if !ok {
			t.Fatal("no root")
		}
		err := r.run(t, p, func(c *CommandBuffer) {
			c.DispatchGraph(r.scratch, []GraphStart{{Node: root, Count: 3, Payloads: payloadWords(0, 1, 3), Stride: 4}})
		})
		if err != nil {
			t.Fatal(err)
		}
		r.want(t, "roots 0, 1 and 3", map[int]uint32{0: 2, 1: 2, 2: 2, 10: 2, 11: 2, 12: 2, 30: 2, 31: 2, 32: 2})
	})
}
