package vk

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
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
%u3 = OpConstant %uint 3
%false = OpConstantFalse %bool
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
	out, bytes := r.buffer(t, 256, StorageBuffer)
	r.bytes = bytes
	if err := r.set.Update(Write{Buffers: []BufferDescriptor{{out, 0, WholeSize}}}); err != nil {
		t.Fatal(err)
	}
	r.scratchOf(t, 1<<20)
	return r
}

// buffer makes a buffer in memory of its own.
func (r *graphRig) buffer(t testing.TB, size uint64, usage BufferUsage) (*Buffer, []byte) {
	t.Helper()
	m := must(r.dev.Allocate(MemoryInfo{Size: size, DeviceAddress: true}))(t)
	b := must(r.dev.NewBuffer(BufferInfo{Size: size, Usage: usage}))(t)
	if err := b.Bind(m, 0); err != nil {
		t.Fatal(err)
	}
	return b, m.Bytes()
}

// scratchOf allocates scratch memory.
func (r *graphRig) scratchOf(t testing.TB, size uint64) {
	t.Helper()
	r.memory, _ = r.buffer(t, size, DeviceAddress|GraphScratchBuffer)
	r.scratch = GraphScratch{r.memory.Address(), size}
}

// graph makes a graph of the entry points of a module.
func (r *graphRig) graph(t testing.TB, text string, entries ...string) (*GraphPipeline, error) {
	t.Helper()
	info := GraphPipelineInfo{Layout: r.layout}
	for _, e := range entries {
		info.Stages = append(info.Stages, StageInfo{Code: code(t, text), Entry: e})
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

// emptyGraph describes a graph of one node that does nothing.
func (s *scene) emptyGraph(t testing.TB) GraphPipelineInfo {
	t.Helper()
	text := graphHead + `OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd
`
	return GraphPipelineInfo{Layout: s.rig.pipeline, Stages: []StageInfo{{Code: code(t, text)}}}
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

// oneNode is a module with an entry point "self" of 4 invocations with a payload array that sends to itself. The first invocation runs body
// with the word %word of the payload; it may store %value to word %place.
func oneNode(modes, decorations, body string) string {
	types := strings.NewReplacer("\"leaf\"", "\"self\"", "OpDecorate %group BuiltIn WorkgroupId\n", "OpDecorate %group BuiltIn WorkgroupId\nOpDecorate %levels BuiltIn RemainingRecursionLevelsAMDX\n"+decorations).Replace(graphTypes)
	return graphHead + `OpEntryPoint GLCompute %self "self" %lin %lid %group %levels %out
OpExecutionMode %self LocalSize 4 1 1
` + modes + types + `%u40 = OpConstant %uint 40
%u100 = OpConstant %uint 100
%levels = OpVariable %pin Input
%self = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %uint %lid
%rest = OpLoad %uint %levels
%first = OpIEqual %bool %i %u0
%pw = OpAccessChain %pword %lin %u0 %u1
%word = OpLoad %uint %pw
` + body + `OpReturn
OpFunctionEnd
`
}

// sendsNext stores the levels that remain plus 100 to the word, and sends the word plus 1 to the node COUNT times.
const sendsNext = `%n = COUNT
%a = OpAllocateNodePayloadsAMDX %pleaves %u2 %n %u0
%there = OpNodePayloadArrayLengthAMDX %uint %a
%some = OpINotEqual %bool %there %u0
%writes = OpLogicalAnd %bool %some %first
OpSelectionMerge %written None
OpBranchConditional %writes %write %written
%write = OpLabel
%pg = OpAccessChain %pword %a %u0 %u0
OpStore %pg %u1
%pv = OpAccessChain %pword %a %u0 %u1
%next = OpIAdd %uint %word %u1
OpStore %pv %next
OpBranch %written
%written = OpLabel
OpEnqueueNodePayloadsAMDX %a
%value = OpIAdd %uint %rest %u100
OpSelectionMerge %end None
OpBranchConditional %first %then %end
%then = OpLabel
%po = OpAccessChain %poutw %out %u0 %word
OpStore %po %value
OpBranch %end
%end = OpLabel
`

// TestGraphRecursion sends payloads from a node to itself: RemainingRecursionLevelsAMDX counts down to 0. A chain that does not end is
// an error that names the node, at the declared recursion or at the depth of the device.
func TestGraphRecursion(t *testing.T) {
	start := func(c *CommandBuffer, r *graphRig) {
		c.DispatchGraph(r.scratch, []GraphStart{{Count: 1, Payloads: payloadWords(1, 0), Stride: 8}})
	}
	while := strings.Replace(sendsNext, "COUNT", "OpExtInst %uint %glsl UMin %rest %u1", 1)
	always := strings.Replace(sendsNext, "COUNT", "OpCopyObject %uint %u1", 1)
	const imported = "OpExtension \"SPV_AMDX_shader_enqueue\"\n%glsl = OpExtInstImport \"GLSL.std.450\""
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		for _, c := range []struct {
			levels, body, fails string
			want                map[int]uint32
		}{
			{"%u2", while, "", map[int]uint32{0: 102, 1: 101, 2: 100}},
			{"%u0", while, "", map[int]uint32{0: 100}},
			{"%u2", always, `node "self" sends payloads to itself more than 2 times`, nil},
			{"%u40", always, `node "self" is dispatched at depth 33`, nil},
		} {
			r := newGraphRig(t, info)
			text := oneNode("OpExecutionModeId %self MaxNodeRecursionAMDX "+c.levels+"\n", "", c.body)
			p := must(r.graph(t, strings.Replace(text, "OpExtension \"SPV_AMDX_shader_enqueue\"", imported, 1), "self"))(t)
			err := r.run(t, p, func(b *CommandBuffer) { start(b, r) })
			switch {
			case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
				t.Errorf("%s levels: %v; must be %s", c.levels, err, c.fails)
			case c.fails == "" && err != nil:
				t.Errorf("%s levels: %v", c.levels, err)
			case c.fails == "":
				r.want(t, c.levels, c.want)
			}
		}
	})
}

// TestGraphGrowth has a node that sends four payloads to itself, each of which does so, 31 times in a chain: a device with a budget
// stops the graph after as many workgroups, and names the node.
func TestGraphGrowth(t *testing.T) {
	body := strings.NewReplacer("%n = COUNT", "%any = OpINotEqual %bool %rest %u0\n%n = OpSelect %uint %any %u4 %u0", "%a %u0 %u", "%a %i %u", "%some %first", "%some %some",
		"%po = OpAccessChain %poutw %out %u0 %word", "%po = OpAccessChain %poutw %out %u0 %u0").Replace(sendsNext)
	text := strings.Replace(oneNode("OpExecutionModeId %self MaxNodeRecursionAMDX %u31\n", "", body), "%u40 = ", "%u31 = OpConstant %uint 31\n%u40 = ", 1)
	r := newGraphRig(t, DeviceInfo{Budget: 1 << 16})
	p := must(r.graph(t, text, "self"))(t)
	err := r.run(t, p, func(c *CommandBuffer) {
		c.DispatchGraph(r.scratch, []GraphStart{{Count: 1, Payloads: payloadWords(1, 0), Stride: 8}})
	})
	if err == nil || !strings.Contains(err.Error(), `exceeds its budget of workgroups in node "self"`) {
		t.Errorf("%v; must be the budget of workgroups, with the name of the node", err)
	}
}

// TestGraphCoalescing gives six payloads to workgroups of at most four: each invocation with a payload stores the number of them.
func TestGraphCoalescing(t *testing.T) {
	const body = `%n = OpNodePayloadArrayLengthAMDX %uint %lin
%in = OpULessThan %bool %i %n
OpSelectionMerge %end None
OpBranchConditional %in %then %end
%then = OpLabel
%po = OpAccessChain %pword %lin %i %u1
%place = OpLoad %uint %po
%wg = OpLoad %v3 %group
%wx = OpCompositeExtract %uint %wg 0
%value = OpIAdd %uint %n %wx
%o = OpAccessChain %poutw %out %u0 %place
OpStore %o %value
OpBranch %end
%end = OpLabel
`
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		r := newGraphRig(t, info)
		p := must(r.graph(t, oneNode("OpExecutionMode %self CoalescingAMDX\n", "", body), "self"))(t)
		err := r.run(t, p, func(c *CommandBuffer) {
			c.DispatchGraph(r.scratch, []GraphStart{{Count: 6, Payloads: payloadWords(9, 10, 9, 11, 9, 12, 9, 13, 9, 14, 9, 15), Stride: 8}})
		})
		if err != nil {
			t.Fatal(err)
		}
		r.want(t, "six payloads", map[int]uint32{10: 4, 11: 4, 12: 4, 13: 4, 14: 2, 15: 2})
	})
}

// TestGraphSharing runs a second node with the payloads of the leaf, and the finish of payloads: the last workgroup of both nodes adds
// 10 to word 63.
func TestGraphSharing(t *testing.T) {
	tracked := strings.NewReplacer(
		"OpMemberDecorate %leafp 0 Offset 0\n", "OpDecorate %leafp TrackFinishWritingAMDX\nOpMemberDecorate %leafp 0 Offset 0\n",
		"OpExecutionMode %leaf LocalSize 2 1 1\n", "OpEntryPoint GLCompute %leaf \"twin\" %lin %group %out\nOpExecutionMode %leaf LocalSize 2 1 1\n",
		"%old = OpAtomicIAdd %uint %lo %u1 %u0 %u1\n", `%old = OpAtomicIAdd %uint %lo %u1 %u0 %u1
%last = OpFinishWritingNodePayloadAMDX %bool %lin
%ten = OpSelect %uint %last %u10 %u0
%l63 = OpAccessChain %poutw %out %u0 %u63
%more = OpAtomicIAdd %uint %l63 %u1 %u0 %ten
`, "%u10 = OpConstant", "%u63 = OpConstant %uint 63\n%u10 = OpConstant").Replace(twoNodes)
	lines := strings.Split(tracked, "\n")
	entries, rest := []string{}, []string{}
	for _, l := range lines { // entry points precede modes
		if strings.HasPrefix(l, "OpEntryPoint") {
			entries = append(entries, l)
		} else {
			rest = append(rest, l)
		}
	}
	text := strings.Join(rest, "\n")
	text = strings.Replace(text, "OpExecutionMode ", strings.Join(entries, "\n")+"\nOpExecutionMode ", 1)
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		r := newGraphRig(t, info)
		twin := uint32(7)
		shares := strings.Replace(text, "OpExecutionMode %leaf LocalSize", "OpExecutionModeId %leaf SharesInputWithAMDX %leafname %u0\nOpExecutionMode %leaf LocalSize", 1)
		g := GraphPipelineInfo{Layout: r.layout, Stages: []StageInfo{
			{Code: code(t, text), Entry: "root"},
			{Code: code(t, text), Entry: "leaf"},
			{Code: code(t, shares), Entry: "twin", NodeIndex: &twin},
		}}
		p := must(r.dev.NewGraphPipeline(context.Background(), g))(t)
		err := r.run(t, p, func(c *CommandBuffer) {
			c.DispatchGraph(r.scratch, []GraphStart{{Count: 1, Payloads: payloadWords(0), Stride: 4}})
		})
		if err != nil {
			t.Fatal(err)
		}
		// The two invocations of the last workgroups of two payloads add 10 each.
		r.want(t, "leaf and twin", map[int]uint32{0: 4, 1: 4, 2: 4, 63: 40})
		if _, ok := p.NodeIndex("twin", 7); !ok {
			t.Error("the twin has no index")
		}
	})
}

// TestGraphTargets asks for the nodes with the indices 0 to 3: with a sparse array of the size 3 the nodes 0, 2 and 3 of "self" exist,
// and 3 is beyond the array. A payload for a node that does not exist is an error that names it.
func TestGraphTargets(t *testing.T) {
	const ask = `%v = OpIsNodePayloadValidAMDX %bool %leaves %i
%value = OpSelect %uint %v %u1 %u2
%po = OpAccessChain %poutw %out %u0 %i
OpStore %po %value
`
	send := strings.Replace(strings.Replace(sendsNext, "COUNT", "OpCopyObject %uint %u1", 1), "%u2 %n %u0\n", "%u2 %n %u1\n", 1)
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		for _, c := range []struct{ body, fails string }{{ask, ""}, {send, `node "self" sends payloads to node "self" with the index 1, which does not exist`}} {
			text := strings.Replace(oneNode("", "", c.body), "PayloadNodeArraySizeAMDX %u1", "PayloadNodeArraySizeAMDX %u3", 1)
			text = strings.Replace(text, "OpDecorateId %leaves PayloadNodeNameAMDX", "OpDecorate %leaves PayloadNodeSparseArrayAMDX\nOpDecorateId %leaves PayloadNodeNameAMDX", 1)
			r := newGraphRig(t, info)
			g := GraphPipelineInfo{Layout: r.layout}
			for _, at := range []uint32{3, 0, 2} {
				g.Stages = append(g.Stages, StageInfo{Code: code(t, text), Entry: "self", NodeIndex: &at})
			}
			p := must(r.dev.NewGraphPipeline(context.Background(), g))(t)
			err := r.run(t, p, func(b *CommandBuffer) {
				b.DispatchGraph(r.scratch, []GraphStart{{Node: 1, Count: 1, Payloads: payloadWords(1, 0), Stride: 8}})
			})
			switch {
			case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
				t.Errorf("%v; must be %s", err, c.fails)
			case c.fails == "" && err != nil:
				t.Error(err)
			case c.fails == "":
				r.want(t, "indices", map[int]uint32{0: 1, 1: 2, 2: 1, 3: 2})
			}
		}
	})
}

// TestGraphPayloadLimits allocates 5 payloads of an array of at most 4: the array is empty. Payloads that ask for more workgroups than
// the device or the node may have are errors.
func TestGraphPayloadLimits(t *testing.T) {
	var found []string
	r := newGraphRig(t, DeviceInfo{Sanitize: SanitizeBounds, Reports: func(x Report) { found = append(found, x.Rule) }})
	body := strings.Replace(sendsNext, "COUNT", "OpCopyObject %uint %u5", 1)
	p := must(r.graph(t, oneNode("OpExecutionModeId %self MaxNodeRecursionAMDX %u1\n", "", body), "self"))(t)
	err := r.run(t, p, func(c *CommandBuffer) {
		c.DispatchGraph(r.scratch, []GraphStart{{Count: 1, Payloads: payloadWords(1, 5), Stride: 8}})
	})
	if err != nil {
		t.Fatal(err)
	}
	r.want(t, "five payloads", map[int]uint32{5: 101})
	if want := []string{"VUID-vkCmdDispatchGraphAMDX-NodeMaxPayloadsAMDX-09188"}; !slices.Equal(found, want) {
		t.Errorf("five payloads: the reports %q; must be %q", found, want)
	}
	found = nil
	for count, rule := range map[string]string{"256": "", "257": "VUID-vkCmdDispatchGraphAMDX-maxExecutionGraphShaderPayloadCount-09187"} {
		r := newGraphRig(t, DeviceInfo{Sanitize: SanitizeBounds, Reports: func(x Report) { found = append(found, x.Rule) }})
		text := oneNode("", "", "%a = OpAllocateNodePayloadsAMDX %pleaves %u2 %many %u0\n")
		text = strings.Replace(text, "NodeMaxPayloadsAMDX %u4", "NodeMaxPayloadsAMDX %u300", 1)
		text = strings.Replace(text, "%u4 = ", "%u300 = OpConstant %uint 300\n%many = OpConstant %uint "+count+"\n%u4 = ", 1)
		p := must(r.graph(t, text, "self"))(t)
		err := r.run(t, p, func(c *CommandBuffer) {
			c.DispatchGraph(r.scratch, []GraphStart{{Count: 1, Payloads: payloadWords(1, 5), Stride: 8}})
		})
		if ruleOf(err) != rule || rule == "" && err != nil {
			t.Errorf("%s payloads: %v; must be %q", count, err, rule)
		}
	}
	if len(found) > 0 {
		t.Errorf("up to 300 payloads: the reports %q; must be none", found)
	}
	const rule = "VUID-vkCmdDispatchGraphAMDX-maxComputeWorkGroupCount-09186"
	for _, c := range []struct {
		modes  string
		groups uint32
		rule   string
	}{
		{"", MaxGraphGroupCount + 1, rule}, {"OpExecutionModeId %self MaxNumWorkgroupsAMDX %u2 %u1 %u1\n", 3, rule},
		{"OpExecutionModeId %self MaxNumWorkgroupsAMDX %u2 %u1 %u1\n", 2, ""}, {"", 0, ""},
	} {
		r := newGraphRig(t, DeviceInfo{})
		p := must(r.graph(t, oneNode(c.modes, "", ""), "self"))(t)
		err := r.run(t, p, func(b *CommandBuffer) {
			b.DispatchGraph(r.scratch, []GraphStart{{Count: 1, Payloads: payloadWords(c.groups, 0), Stride: 8}})
		})
		if ruleOf(err) != c.rule || c.rule == "" && err != nil {
			t.Errorf("%d workgroups: %v; must be %q", c.groups, err, c.rule)
		}
	}
}

// TestGraphIndirect dispatches the root of two nodes by arguments in memory, with the least and with all of the scratch memory.
func TestGraphIndirect(t *testing.T) {
	for _, least := range []bool{false, true} {
		for _, counted := range []bool{false, true} {
			r := newGraphRig(t, DeviceInfo{})
			p := must(r.graph(t, twoNodes, "leaf", "root"))(t)
			if least {
				r.scratch.Size = p.ScratchSize().Min
			}
			m := must(r.dev.Allocate(MemoryInfo{Size: 4096, DeviceAddress: true}))(t)
			b := must(r.dev.NewBuffer(BufferInfo{Size: 4096, Usage: DeviceAddress | IndirectBuffer}))(t)
			if err := b.Bind(m, 0); err != nil {
				t.Fatal(err)
			}
			at, bytes := b.Address(), m.Bytes()
			put := func(place int, n uint64) { binary.LittleEndian.PutUint64(bytes[place:], n) }
			put(0, 2) // VkDispatchGraphCountInfoAMDX
			put(8, at+64)
			put(16, 32)
			for i, start := range []struct{ node, count, place, stride uint64 }{{1, 2, 256, 8}, {0, 1, 512, 8}} {
				put(64+32*i, start.node|start.count<<32)
				put(64+32*i+8, at+start.place)
				put(64+32*i+16, start.stride)
			}
			copy(bytes[256:], payloadWords(1, 99, 2, 99))
			copy(bytes[512:], payloadWords(3, 40))
			err := r.run(t, p, func(c *CommandBuffer) {
				if counted {
					c.DispatchGraphIndirectCount(r.scratch, at)
				} else {
					c.DispatchGraphIndirect(r.scratch, 2, at+64, 32)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			r.want(t, "indirect", map[int]uint32{10: 2, 11: 2, 12: 2, 20: 2, 21: 2, 22: 2, 40: 2, 41: 2, 42: 2})
		}
	}
}

// TestGraphOrder sends a payload from each of 60 workgroups, which several workers run. The leaves receive them in the order of the
// workgroups: leaf k stores its payload, which is the number of its sender, to word 1 + k.
func TestGraphOrder(t *testing.T) {
	text := graphHead + `OpEntryPoint GLCompute %root "root" %group
OpEntryPoint GLCompute %leaf "leaf" %lin %out
OpExecutionMode %root LocalSize 4 1 1
OpExecutionModeId %root StaticNumWorkgroupsAMDX %u60 %u1 %u1
OpExecutionMode %leaf LocalSize 1 1 1
` + graphTypes + `%u60 = OpConstant %uint 60
%root = OpFunction %void None %fn
%l = OpLabel
%wg = OpLoad %v3 %group
%wx = OpCompositeExtract %uint %wg 0
%a = OpAllocateNodePayloadsAMDX %pleaves %u2 %u1 %u0
%pg = OpAccessChain %pword %a %u0 %u0
OpStore %pg %u1
%pv = OpAccessChain %pword %a %u0 %u1
OpStore %pv %wx
OpEnqueueNodePayloadsAMDX %a
OpReturn
OpFunctionEnd
%leaf = OpFunction %void None %fn
%ll = OpLabel
%lp = OpAccessChain %pword %lin %u0 %u1
%lv = OpLoad %uint %lp
%count = OpAccessChain %poutw %out %u0 %u0
%k = OpAtomicIAdd %uint %count %u1 %u0 %u1
%at = OpIAdd %uint %k %u1
%lo = OpAccessChain %poutw %out %u0 %at
OpStore %lo %lv
OpReturn
OpFunctionEnd
`
	want := map[int]uint32{0: 60}
	for k := range 60 {
		want[1+k] = uint32(k)
	}
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		for _, workers := range []int{1, 2, 4} {
			info.Workers = workers
			r := newGraphRig(t, info)
			p := must(r.graph(t, text, "root", "leaf"))(t)
			err := r.run(t, p, func(c *CommandBuffer) { c.DispatchGraph(r.scratch, []GraphStart{{Count: 1}}) })
			if err != nil {
				t.Fatal(err)
			}
			r.want(t, "order", want)
		}
	})
}

// TestGraphRules breaks each rule on commands of graphs.
func TestGraphRules(t *testing.T) {
	const dispatch, initialize = "VUID-vkCmdDispatchGraphAMDX-", "VUID-vkCmdInitializeGraphScratchMemoryAMDX-"
	start := []GraphStart{{Node: 0, Count: 1, Payloads: payloadWords(1), Stride: 4}}
	for rule, record := range map[string]func(c *CommandBuffer, r *graphRig, p *GraphPipeline){
		dispatch + "scratch-10192": func(c *CommandBuffer, r *graphRig, p *GraphPipeline) {
			c.DispatchGraph(GraphScratch{r.scratch.Address + 4, 1 << 18}, start)
		},
		dispatch + "scratchSize-10193": func(c *CommandBuffer, r *graphRig, p *GraphPipeline) {
			c.DispatchGraph(GraphScratch{r.scratch.Address, 64}, start)
		},
		dispatch + "scratch-10194": func(c *CommandBuffer, r *graphRig, p *GraphPipeline) {
			c.DispatchGraph(GraphScratch{r.scratch.Address + 64, 1 << 18}, start)
		},
		dispatch + "pCountInfo-09148": func(c *CommandBuffer, r *graphRig, p *GraphPipeline) {
			c.DispatchGraph(r.scratch, []GraphStart{{Node: 2, Count: 1}})
		},
		"VUID-VkDispatchGraphInfoAMDX-payloadCount-09171": func(c *CommandBuffer, r *graphRig, p *GraphPipeline) {
			c.DispatchGraph(r.scratch, []GraphStart{{Count: MaxGraphPayloads + 1}})
		},
		"VUID-vkCmdDispatchGraphAMDX-scratch-09184": func(c *CommandBuffer, r *graphRig, p *GraphPipeline) {
			other, _ := r.buffer(t, 1<<20, DeviceAddress)
			s := GraphScratch{other.Address(), r.scratch.Size}
			c.InitializeGraphScratch(p, s)
			c.DispatchGraph(s, start)
		},
		initialize + "scratch-09144": func(c *CommandBuffer, r *graphRig, p *GraphPipeline) {
			c.InitializeGraphScratch(p, GraphScratch{r.scratch.Address + 4, 1 << 18})
		},
		initialize + "scratchSize-10186": func(c *CommandBuffer, r *graphRig, p *GraphPipeline) {
			c.InitializeGraphScratch(p, GraphScratch{r.scratch.Address, 1})
		},
		initialize + "scratch-10185": func(c *CommandBuffer, r *graphRig, p *GraphPipeline) {
			c.InitializeGraphScratch(p, GraphScratch{r.scratch.Address, 1 << 40})
		},
		"VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09152": func(c *CommandBuffer, r *graphRig, p *GraphPipeline) {
			c.DispatchGraphIndirect(r.scratch, 1, r.scratch.Address+2, 24)
		},
		"VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09161": func(c *CommandBuffer, r *graphRig, p *GraphPipeline) {
			c.DispatchGraphIndirectCount(r.scratch, r.scratch.Address+2)
		},
	} {
		r := newGraphRig(t, DeviceInfo{})
		p := must(r.graph(t, twoNodes, "root", "leaf"))(t)
		if err := r.run(t, p, func(c *CommandBuffer) { record(c, r, p) }); ruleOf(err) != rule {
			t.Errorf("%v; must be %s", err, rule)
		}
	}
	unbound := &rig{dev: newGraphRig(t, DeviceInfo{}).dev}
	wantRule(t, unbound.submit(t, unbound.record(t, func(c *CommandBuffer) { c.DispatchGraph(GraphScratch{}, start) })), dispatch+"None-08606")
	internal := strings.Replace(twoNodes, "OpExecutionMode %leaf LocalSize", "OpExecutionModeId %leaf IsApiEntryAMDX %false\nOpExecutionMode %leaf LocalSize", 1)
	r := newGraphRig(t, DeviceInfo{})
	p := must(r.graph(t, internal, "leaf", "root"))(t)
	if err := r.run(t, p, func(c *CommandBuffer) { c.DispatchGraph(r.scratch, start) }); err == nil || !strings.Contains(err.Error(), `node "leaf" is dispatched, which only other nodes dispatch`) {
		t.Error(err)
	}
	r = newGraphRig(t, DeviceInfo{})
	c := must(r.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
	if err := c.Begin(BeginInfo{Inheritance: &InheritanceInfo{}}); err != nil {
		t.Fatal(err)
	}
	c.DispatchGraph(r.scratch, start)
	if err := c.End(); ruleOf(err) != dispatch+"commandBuffer-09182" {
		t.Errorf("%v; must be the rule on primary command buffers", err)
	}
	r = newGraphRig(t, DeviceInfo{})
	if _, err := r.graph(t, twoNodes, "root", "leaf", "leaf"); err == nil || !strings.Contains(err.Error(), "VUID-VkExecutionGraphPipelineCreateInfoAMDX-None-09134") {
		t.Error(err)
	}
	if _, err := r.graph(t, twoNodes, "root"); err == nil || !strings.Contains(err.Error(), "VUID-VkExecutionGraphPipelineCreateInfoAMDX-flags-10184") {
		t.Error(err)
	}
}

// TestGraphLibraries links a library of the leaf with the root. A graph without the flag is no library.
func TestGraphLibraries(t *testing.T) {
	r := newGraphRig(t, DeviceInfo{})
	ctx := context.Background()
	stage := func(name string) []StageInfo {
		return []StageInfo{{Code: code(t, twoNodes), Entry: name}}
	}
	library := must(r.dev.NewGraphPipeline(ctx, GraphPipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsLibrary}, Layout: r.layout, Stages: stage("leaf")}))(t)
	p := must(r.dev.NewGraphPipeline(ctx, GraphPipelineInfo{Layout: r.layout, Stages: stage("root"), Libraries: []*GraphPipeline{library}}))(t)
	if err := library.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.run(t, p, func(c *CommandBuffer) {
		c.DispatchGraph(r.scratch, []GraphStart{{Count: 1, Payloads: payloadWords(0), Stride: 4}})
	}); err != nil {
		t.Fatal(err)
	}
	r.want(t, "library", map[int]uint32{0: 2, 1: 2, 2: 2})
	if _, err := r.dev.NewGraphPipeline(ctx, GraphPipelineInfo{Layout: r.layout, Stages: stage("root"), Libraries: []*GraphPipeline{p}}); ruleOf(err) != "VUID-VkPipelineLibraryCreateInfoKHR-pLibraries-03381" {
		t.Error(err)
	}
}

// TestGraphStride checks that payloads beyond their memory are refused, also at a stride of almost 2⁶⁴ bytes: its sum with the size of
// a payload wraps: of a command, and of a structure in memory, which is then copied only as far as it has payloads.
func TestGraphStride(t *testing.T) {
	r := newGraphRig(t, DeviceInfo{})
	p := must(r.graph(t, twoNodes, "root", "leaf"))(t)
	root, _ := p.NodeIndex("root", 0)
	const wraps = ^uint64(0) - 3
	err := r.run(t, p, func(c *CommandBuffer) {
		c.DispatchGraph(r.scratch, []GraphStart{{Node: root, Count: 2, Payloads: payloadWords(0, 1, 3), Stride: wraps}})
	})
	var bad *UsageError
	if !errors.As(err, &bad) {
		t.Errorf("%v; want an error of the command", err)
	}

	r = newGraphRig(t, DeviceInfo{}) // the device was lost
	p = must(r.graph(t, twoNodes, "root", "leaf"))(t)
	const size = 1 << 20
	m := must(r.dev.Allocate(MemoryInfo{Size: size, DeviceAddress: true}))(t)
	b := must(r.dev.NewBuffer(BufferInfo{Size: size, Usage: DeviceAddress | IndirectBuffer}))(t)
	if err := b.Bind(m, 0); err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(m.Bytes(), root)
	binary.LittleEndian.PutUint32(m.Bytes()[4:], 256)
	binary.LittleEndian.PutUint64(m.Bytes()[8:], b.Address()+64)
	binary.LittleEndian.PutUint64(m.Bytes()[16:], 2048)
	w := dispatchGraph{form: graphIndirect, count: 400, address: b.Address()} // the same structure 400 times
	starts, err := w.read(&executor{dev: r.dev, boundState: boundState{graph: p}})
	bytes := 0
	for _, s := range starts {
		bytes += len(s.Payloads)
	}
	if err != nil || len(starts) != 400 || bytes > 400*256*64 {
		t.Errorf("%d bytes of payloads, %v", bytes, err)
	}
}
