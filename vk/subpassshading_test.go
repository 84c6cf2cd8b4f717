package vk

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
)

// shadesPixels stores input attachment 0, minus the workgroup in the upper byte, at the words of the global invocation: 64 words a
// layer, 8 a row. Invocations outside of 8×8 pixels store nothing.
const shadesPixels = `OpCapability SubpassShadingHUAWEI
OpExtension "SPV_HUAWEI_subpass_shading"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %group %in %out
OpExecutionMode %main LocalSize WIDTH 8 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %group BuiltIn WorkgroupId
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %in InputAttachmentIndex 0
OpDecorate %words ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%v2i = OpTypeVector %int 2
%v3 = OpTypeVector %uint 3
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%zero = OpConstant %int 0
%here = OpConstantComposite %v2i %zero %zero
%u8 = OpConstant %uint 8
%u64 = OpConstant %uint 64
%u24 = OpConstant %uint 24
%scale = OpConstant %float 255
%image = OpTypeImage %float SubpassData 0 0 0 2 Unknown
%pimage = OpTypePointer UniformConstant %image
%in = OpVariable %pimage UniformConstant
%pin = OpTypePointer Input %v3
%id = OpVariable %pin Input
%group = OpVariable %pin Input
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%pblock = OpTypePointer StorageBuffer %block
%pword = OpTypePointer StorageBuffer %uint
%out = OpVariable %pblock StorageBuffer
%main = OpFunction %void None %fn
%l = OpLabel
%at = OpLoad %v3 %id
%x = OpCompositeExtract %uint %at 0
%y = OpCompositeExtract %uint %at 1
%z = OpCompositeExtract %uint %at 2
%left = OpULessThan %bool %x %u8
OpSelectionMerge %end None
OpBranchConditional %left %then %end
%then = OpLabel
%i = OpLoad %image %in
%t = OpImageRead %v4 %i %here
%r = OpCompositeExtract %float %t 0
%s = OpFMul %float %r %scale
%n = OpConvertFToU %uint %s
%g = OpLoad %v3 %group
%gx = OpCompositeExtract %uint %g 0
%high = OpShiftLeftLogical %uint %gx %u24
%value = OpBitwiseOr %uint %n %high
%row = OpIMul %uint %y %u8
%sum = OpIAdd %uint %row %x
%layer = OpIMul %uint %z %u64
%index = OpIAdd %uint %sum %layer
%p = OpAccessChain %pword %out %zero %index
OpStore %p %value
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
`

// shading is a render pass of two subpasses: a clear of attachment 0, and subpass shading that reads it.
type shading struct {
	*scene
	pass        *RenderPass
	framebuffer *Framebuffer
	layout      *PipelineLayout
	set         *Set
	out         *Buffer
	bytes       []byte
}

func (s *scene) shading(t testing.TB, layers int, views uint32) *shading {
	t.Helper()
	color := s.fixed.Rendering.Color[0]
	h := &shading{scene: s}
	h.pass = must(s.dev.NewRenderPass(RenderPassInfo{
		Attachments: []AttachmentDescription{{Format: color, Load: ClearOnLoad}},
		Subpasses: []Subpass{
			{Colors: []uint32{0}, ViewMask: views},
			{Point: SubpassShading, ViewMask: views, Inputs: []InputReference{{Attachment: 0, Aspects: Color}}},
		},
		Dependencies: []Dependency{{
			Target: 1, SourceStages: stageColorAttachmentOutput, SourceAccess: accessColorAttachmentWrite,
			TargetStages: stageSubpassShader, TargetAccess: accessInputAttachmentRead,
		}},
	}))(t)
	_, view := s.target(t, 1, layers)
	f := FramebufferInfo{RenderPass: h.pass, Attachments: []*ImageView{view}, Width: 8, Height: 8, Layers: uint32(layers)}
	if views != 0 {
		f.Layers = 1
	}
	h.framebuffer = must(s.dev.NewFramebuffer(f))(t)
	m := must(s.dev.Allocate(MemoryInfo{Size: 1024}))(t)
	h.out, h.bytes = must(s.dev.NewBuffer(BufferInfo{Size: 1024, Usage: StorageBuffer | TransferTarget}))(t), m.Bytes()
	if err := h.out.Bind(m, 0); err != nil {
		t.Fatal(err)
	}
	sets := must(s.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{
		{Binding: 0, Type: link.DescriptorType(iface.InputAttachment), Count: 1, Stages: link.StageCompute},
		{Binding: 1, Type: link.DescriptorType(iface.StorageBuffer), Count: 1, Stages: link.StageCompute},
	}}))(t)
	h.layout = must(s.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{sets}}))(t)
	h.set = must(must(s.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(sets))(t)
	for _, w := range []Write{{Images: []ImageDescriptor{{View: view}}}, {Binding: 1, Buffers: []BufferDescriptor{{h.out, 0, WholeSize}}}} {
		if err := h.set.Update(w); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// shader makes a pipeline with a size of workgroups, for a subpass.
func (h *shading) shader(t testing.TB, size string, subpass int) (*ComputePipeline, error) {
	t.Helper()
	return h.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{
		Stage: StageInfo{Code: code(t, strings.Replace(shadesPixels, "WIDTH 8 1", size, 1))}, Layout: h.layout, RenderPass: h.pass, Subpass: subpass,
	})
}

// commands records the render pass: draw in its first subpass, and shade in the second.
func (h *shading) commands(t testing.TB, draw, shade func(c *CommandBuffer)) *CommandBuffer {
	t.Helper()
	return h.record(t, func(c *CommandBuffer) {
		c.BindSets(SubpassShading, h.layout, 0, []*Set{h.set}, nil)
		gray := ClearValue{Color: [4]uint32{math.Float32bits(77. / 255)}}
		c.BeginRenderPass(RenderPassBegin{RenderPass: h.pass, Framebuffer: h.framebuffer, Clears: []ClearValue{gray}}, Inline)
		draw(c)
		c.NextSubpass(Inline)
		shade(c)
		c.EndRenderPass()
	})
}

func nothing(*CommandBuffer) {}

// TestSubpassShading clears the attachment to 77 and shades the second subpass: each pixel of each layer or view has an invocation,
// whose global number is the pixel. A workgroup may be wider than the area.
func TestSubpassShading(t *testing.T) {
	for _, c := range []struct {
		size   string
		layers int
		views  uint32
		want   [4]bool // layers that run
	}{
		{"8 8 1", 1, 0, [4]bool{true}}, {"16 16 1", 1, 0, [4]bool{true}}, {"8 8 1", 3, 0, [4]bool{true, true, true}},
		{"8 32 1", 3, 0b101, [4]bool{true, false, true}},
	} {
		for _, info := range []DeviceInfo{{Workers: 1}, {Workers: 2}, {Workers: 4}, {Engine: interp.Engine{}}} {
			h := newSceneOn(t, 1, info).shading(t, c.layers, c.views)
			p := must(h.shader(t, c.size, 1))(t)
			shade := func(b *CommandBuffer) {
				b.BindPipeline(p)
				b.SubpassShading()
			}
			if err := h.submit(t, h.commands(t, nothing, shade)); err != nil {
				t.Fatal(err)
			}
			for i := range 4 * 64 {
				want := uint32(0)
				if c.want[i/64] {
					want = 77
				}
				if got := binary.LittleEndian.Uint32(h.bytes[4*i:]); got != want {
					t.Fatalf("%+v: word %d is %#x; must be %#x", c, i, got, want)
				}
			}
		}
	}
}

// TestSubpassShadingCommands breaks each rule on commands of subpass shading.
func TestSubpassShadingCommands(t *testing.T) {
	const place = "VUID-vkCmdSubpassShadingHUAWEI-None-04931"
	shade := func(p *ComputePipeline) func(c *CommandBuffer) {
		return func(c *CommandBuffer) {
			c.BindPipeline(p)
			c.SubpassShading()
		}
	}
	for _, c := range []struct {
		rule, text  string
		draw, shade func(c *CommandBuffer, own, foreign, later *ComputePipeline)
	}{
		{rule: place, draw: func(c *CommandBuffer, own, _, _ *ComputePipeline) { shade(own)(c) }},
		{rule: place, shade: func(c *CommandBuffer, own, _, _ *ComputePipeline) { shade(own)(c); shade(own)(c) }},
		{rule: "VUID-vkCmdSubpassShadingHUAWEI-None-08606", shade: func(c *CommandBuffer, _, _, _ *ComputePipeline) { c.SubpassShading() }},
		{text: "is not for a render pass that is compatible", shade: func(c *CommandBuffer, _, foreign, _ *ComputePipeline) { shade(foreign)(c) }},
		{text: "is for subpass 2", shade: func(c *CommandBuffer, _, _, later *ComputePipeline) { shade(later)(c) }},
		{shade: func(c *CommandBuffer, own, _, _ *ComputePipeline) { shade(own)(c) }},
		{},
	} {
		h := newSceneOn(t, 1, DeviceInfo{}).shading(t, 1, 0)
		h.dev.checking = All
		other := *h
		info := h.pass.info
		info.Subpasses = append(info.Subpasses, info.Subpasses[1])
		other.pass = must(h.dev.NewRenderPass(info))(t)
		own, foreign, later := must(h.shader(t, "8 8 1", 1))(t), must(other.shader(t, "8 8 1", 1))(t), must(h.shader(t, "8 8 1", 1))(t)
		later.subpass = 2
		call := func(f func(c *CommandBuffer, own, foreign, later *ComputePipeline)) func(*CommandBuffer) {
			if f == nil {
				return nothing
			}
			return func(b *CommandBuffer) { f(b, own, foreign, later) }
		}
		err := h.submit(t, h.commands(t, call(c.draw), call(c.shade)))
		if fails := c.rule+c.text != ""; ruleOf(err) != c.rule || fails != (err != nil) || fails && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v; must be %q with the rule %q", err, c.text, c.rule)
		}
	}
}

// TestSubpassShadingObjects breaks each rule on render passes and pipelines of subpass shading.
func TestSubpassShadingObjects(t *testing.T) {
	h := newSceneOn(t, 1, DeviceInfo{}).shading(t, 1, 0)
	info := h.pass.info
	const subpass = "VUID-VkSubpassShadingPipelineCreateInfoHUAWEI-subpass-04946"
	for n, id := range map[int]string{-1: subpass, 0: subpass, 1: "", 2: subpass} {
		if _, err := h.shader(t, "8 8 1", n); ruleOf(err) != id || id == "" && err != nil {
			t.Errorf("subpass %d: %v; must be %q", n, err, id)
		}
	}
	for _, size := range []string{"4 8 1", "8 4 1", "64 8 1", "12 8 1", "8 8 2"} {
		var bad *UsageError
		if _, err := h.shader(t, size, 1); !errors.As(err, &bad) || !strings.Contains(err.Error(), "workgroup of subpass shading") {
			t.Errorf("%s: %v; must be refused", size, err)
		}
	}
	info.Subpasses = []Subpass{{Point: Compute}}
	if _, err := h.dev.NewRenderPass(info); ruleOf(err) != "VUID-VkSubpassDescription2-pipelineBindPoint-04953" {
		t.Error(err)
	}
	c := must(h.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	c.BeginRenderPass(RenderPassBegin{RenderPass: h.pass, Framebuffer: h.framebuffer, Clears: []ClearValue{{}}, Area: Rect{Width: 4, Height: 8}}, Inline)
	if err := c.End(); err == nil || !strings.Contains(err.Error(), "must be the framebuffer of 8×8") {
		t.Error(err)
	}
}
