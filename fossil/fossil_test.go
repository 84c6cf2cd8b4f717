package fossil

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// objects are entries of an archive, as the format documents them.
var objects = []struct {
	tag  Tag
	hash Hash
	text string
}{
	{Sampler, 1, `{"version":6,"samplers":{"0000000000000001":{"flags":0,"minFilter":1,"pNext":[{"sType":1000156001,"conversion":"0000000000000000"}]}}}`},
	{SetLayout, 2, `{"version":6,"setLayouts":{"0000000000000002":{"flags":2,"bindings":[
		{"descriptorType":1,"descriptorCount":1,"stageFlags":16,"binding":0,"immutableSamplers":["0000000000000001"]},
		{"descriptorType":1000351000,"descriptorCount":4,"stageFlags":2147483647,"binding":3}],
		"pNext":[{"sType":1000161000,"bindingFlags":[0,5]},{"sType":1000351002,"mutableDescriptorTypeLists":[[],[6,7]]}]}}}`},
	{PipelineLayout, 3, `{"version":6,"pipelineLayouts":{"0000000000000003":{"flags":0,"pushConstantRanges":[{"stageFlags":17,"size":16,"offset":4}],"setLayouts":["0000000000000002"]}}}`},
	{RenderPass, 4, `{"version":6,"renderPasses":{"0000000000000004":{"flags":0,"attachments":[{"format":37,"samples":4},{"format":126,"samples":4}],
		"subpasses":[{"flags":0,"pipelineBindPoint":0,"colorAttachments":[{"attachment":0,"layout":2},{"attachment":4294967295,"layout":2}],"depthStencilAttachment":{"attachment":1,"layout":3}}],
		"pNext":[{"sType":1000053000,"viewMasks":[3]}]}}}`},
	{GraphicsPipeline, 6, `{"version":6,"graphicsPipelines":{"0000000000000006":{"flags":0,"layout":"0000000000000003","renderPass":"0000000000000004","subpass":0,"basePipelineHandle":"0000000000000000","basePipelineIndex":-1,
		"stages":[{"flags":1,"stage":1,"module":"0000000000000005","name":"main","specializationInfo":{"dataSize":8,"data":"AQAAAAAAAEA=","mapEntries":[{"offset":4,"size":4,"constantID":7},{"offset":6,"size":4,"constantID":8}]},
			"pNext":[{"sType":1000225001,"requiredSubgroupSize":32}]}],
		"vertexInputState":{"flags":0,"bindings":[{"binding":0,"stride":20,"inputRate":1}],"attributes":[{"location":2,"binding":0,"offset":8,"format":106}],
			"pNext":[{"sType":1000190001,"vertexBindingDivisorCount":1,"vertexBindingDivisors":[{"binding":0,"divisor":3}]}]},
		"inputAssemblyState":{"flags":0,"primitiveRestartEnable":1,"topology":4},
		"rasterizationState":{"flags":0,"cullMode":3,"lineWidth":1.5,"rasterizerDiscardEnable":0,"depthBiasEnable":1,"depthClampEnable":0,"polygonMode":1,"frontFace":1,
			"depthBiasClamp":0,"depthBiasConstantFactor":0,"depthBiasSlopeFactor":0,"pNext":[{"sType":1000102001,"flags":0,"depthClipEnable":0}]},
		"colorBlendState":{"flags":0,"logicOp":0,"logicOpEnable":0,"blendConstants":[0,0,0,0],"attachments":[{"blendEnable":1,"colorWriteMask":7,"alphaBlendOp":0,"colorBlendOp":4,
			"srcColorBlendFactor":15,"dstColorBlendFactor":1,"srcAlphaBlendFactor":1,"dstAlphaBlendFactor":0}]},
		"dynamicState":{"flags":0,"dynamicState":[0,1000267000]},
		"pNext":[{"sType":1000226001,"fragmentSize":{"width":2,"height":1},"combinerOps":[0,3]},{"sType":999}]}}}`},
}

// code is a vertex shader with an input and an output.
var code = func() []byte {
	words, err := asm.Assemble([]byte(`OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %in %out
OpDecorate %in Location 2
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%pin = OpTypePointer Input %float
%pout = OpTypePointer Output %float
%in = OpVariable %pin Input
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd
`), asm.AssembleOptions{Version: spirv.Version10})
	if err != nil {
		panic(err)
	}
	m, err := spirv.FromWords(words)
	if err != nil {
		panic(err)
	}
	return m.Encode()
}()

// archive writes the objects and the module 5.
func archive(t testing.TB, packed bool) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := w.Add(o.tag, o.hash, []byte(o.text), packed); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Add(ShaderModule, 5, Module(5, code), packed); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t testing.TB, data []byte) *Archive {
	t.Helper()
	a, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// want is the expected description of the objects.
func want() *link.Description {
	three, off, seven, depth := uint32(3), false, uint32(7), link.Ref(1)
	fragment, _ := link.ParseStage("fragment")
	vertex, _ := link.ParseStage("vertex")
	return &link.Description{
		Name: "graphics pipeline 0000000000000006", Kind: link.Graphics,
		Layout: &link.Layout{
			Sets: []link.Set{{Number: 0, Flags: enum.SetFlagsUpdateAfterBindPool, Bindings: []link.Binding{
				{Binding: 0, Type: "combined_image_sampler", Count: 1, Stages: fragment, Samplers: true, Ycbcr: true, Immutable: []link.Sampler{{Ycbcr: true}}},
				{Binding: 3, Type: link.Mutable, Count: 4, Stages: link.AllStages, Mutable: []link.DescriptorType{"uniform_buffer", "storage_buffer"},
					Flags: enum.BindingFlagsUpdateAfterBind | enum.BindingFlagsPartiallyBound},
			}}},
			Push: []link.Range{{Offset: 4, Size: 16, Stages: vertex | fragment}},
		},
		Pass: &link.RenderPass{
			Attachments: []link.PassAttachment{{Format: 37, Samples: 4}, {Format: 126, Samples: 4}},
			Subpasses:   []link.Subpass{{Input: []link.Ref{}, Color: []link.Ref{0, link.Unused}, Resolve: []link.Ref{}, Depth: &depth, ViewMask: 3}},
		},
		Vertex: &link.VertexInput{
			Bindings:   []link.VertexBinding{{Stride: 20, Rate: enum.InputRateInstance, Divisor: &three}},
			Attributes: []link.Attribute{{Location: 2, Offset: 8, Format: 106}},
		},
		Assembly:      &link.InputAssembly{Topology: enum.TopologyTriangleStrip, PrimitiveRestart: true},
		Rasterization: &link.Rasterization{DepthClip: &off, Polygon: enum.PolygonModeLine, Cull: enum.CullModeFrontAndBack, Front: enum.FrontFaceClockwise, DepthBias: true, LineWidth: 1.5},
		Blend: &link.ColorBlend{Attachments: []link.Blend{{Enable: true, SrcColor: enum.BlendFactorSrc1Color, DstColor: enum.BlendFactorOne,
			ColorOp: enum.BlendOpMax, SrcAlpha: enum.BlendFactorOne, Mask: &seven}}},
		ShadingRate: &link.ShadingRate{Width: 2, Height: 1, Combiners: [2]enum.RateCombiner{enum.RateCombinerKeep, enum.RateCombinerMax}},
		Dynamic:     []enum.DynamicState{enum.DynamicStateViewport, enum.DynamicStateCullMode}, HasDynamic: true,
	}
}

// TestPipeline tests the result of each member and of each struct of a chain.
func TestPipeline(t *testing.T) {
	for _, packed := range []bool{false, true} {
		s := NewSet(open(t, archive(t, packed)))
		list := s.Pipelines()
		if len(list) != 1 || list[0] != (Ref{GraphicsPipeline, 6}) {
			t.Fatalf("pipelines %v", list)
		}
		p, err := s.Pipeline(list[0])
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p.Description, want()) {
			t.Errorf("got %+v\nwant %+v", p.Description, want())
		}
		if !reflect.DeepEqual(p.Skipped, []string{"999"}) {
			t.Errorf("skipped %v; must be 999", p.Skipped)
		}
		if len(p.Stages) != 1 {
			t.Fatalf("%d stages", len(p.Stages))
		}
		st := p.Stages[0]
		if st.Module != 5 || st.Entry != "main" || st.Flags != enum.StageFlagsAllowVaryingSubgroupSize || st.SubgroupSize != 32 {
			t.Errorf("stage %+v", st)
		}
		if len(st.Spec) != 1 || st.Spec[7] != 0x40000000 || len(st.Entries) != 2 || st.Entries[1].Offset != 6 {
			t.Errorf("specialization %v, entries %v", st.Spec, st.Entries)
		}
		if got, err := s.Code(5); err != nil || !bytes.Equal(got, code) {
			t.Errorf("code %x, %v; want %x", got, err, code)
		}
	}
}

// TestJSON reads the same objects out of one document, and words in base 64.
func TestJSON(t *testing.T) {
	var parts []string
	for _, o := range objects {
		text := strings.TrimPrefix(o.text, `{"version":6,`)
		parts = append(parts, text[:len(text)-1])
	}
	parts = append(parts, fmt.Sprintf(`"shaderModules":{"5":{"flags":0,"codeSize":%d,"code":%q}}`, len(code), base64.StdEncoding.EncodeToString(code)))
	s, err := Parse([]byte(`{"version":6,` + strings.Join(parts, ",") + "}"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Pipeline(Ref{GraphicsPipeline, 6})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(p.Description, want()) {
		t.Errorf("got %+v\nwant %+v", p.Description, want())
	}
	if got, err := s.Code(5); err != nil || !bytes.Equal(got, code) {
		t.Errorf("code %x, %v", got, err)
	}
}

// TestCut reads an archive cut at every byte: the entries before the cut are complete, and
// there is no other fault.
func TestCut(t *testing.T) {
	data := archive(t, true)
	whole := open(t, data)
	count := func(a *Archive) (n int) {
		for k := range Tag(tags) {
			n += len(a.Entries(k))
		}
		return n
	}
	if whole.Cut != 0 || count(whole) != len(objects)+1 {
		t.Fatalf("%d entries, cut at %d", count(whole), whole.Cut)
	}
	for n := headSize; n < len(data); n++ {
		a, err := Open(bytes.NewReader(data[:n]), int64(n))
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if n > headSize && a.Cut == 0 && count(a) == count(whole) {
			t.Fatalf("%d bytes: nothing is missing", n)
		}
	}
	for n := range headSize {
		if _, err := Open(bytes.NewReader(data[:n]), int64(n)); err == nil {
			t.Fatalf("%d bytes are an archive", n)
		}
	}
}

// TestFaults tests the messages for archives that are damaged in other ways.
func TestFaults(t *testing.T) {
	data := archive(t, false)
	damaged := bytes.Clone(data)
	damaged[headSize+entryHead+3] ^= 1
	a := open(t, damaged)
	if _, err := a.Read(a.Entries(Sampler)[0]); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("a payload that was changed: %v", err)
	}
	odd := bytes.Clone(data)
	odd[headSize] = 'x'
	if _, err := Open(bytes.NewReader(odd), int64(len(odd))); err == nil || !strings.Contains(err.Error(), "hexadecimal") {
		t.Errorf("a name that is none: %v", err)
	}
	old := bytes.Clone(data)
	old[headSize-1] = 4
	if _, err := Open(bytes.NewReader(old), int64(len(old))); err == nil || !strings.Contains(err.Error(), "version 4") {
		t.Errorf("version 4: %v", err)
	}
	var b bytes.Buffer
	w, _ := NewWriter(&b)
	for _, o := range objects[3:] {
		_ = w.Add(o.tag, o.hash, []byte(o.text), false)
	}
	_, err := NewSet(open(t, b.Bytes())).Pipeline(Ref{GraphicsPipeline, 6})
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Ref != (Ref{PipelineLayout, 3}) {
		t.Errorf("a pipeline without its layout: %v", err)
	}
}

// TestVarints holds the packing of words.
func TestVarints(t *testing.T) {
	if got, err := varints([]byte{0x83, 0x84, 0x8c, 0x39, 5}, 2); err != nil || !bytes.Equal(got, []byte{3, 2, 0x23, 7, 5, 0, 0, 0}) {
		t.Errorf("%x, %v", got, err)
	}
	for _, bad := range [][]byte{{0x80}, {0xff, 0xff, 0xff, 0xff, 0x7f}, {0x80, 0x80, 0x80, 0x80, 0x80, 0}, {1, 2}} {
		if _, err := varints(bad, 1); err == nil {
			t.Errorf("% x is one word", bad)
		}
	}
}

// FuzzOpen reads arbitrary archives and checks their pipelines: no panic, and memory use
// bounded by the size of the archive.
func FuzzOpen(f *testing.F) {
	f.Add(archive(f, true))
	f.Add(archive(f, false))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		s := NewSet(a)
		for _, r := range s.Pipelines() {
			p, err := s.Pipeline(r)
			if err != nil {
				continue
			}
			for _, k := range p.Stages {
				if shader := shaderOf(s, &k); shader != nil {
					p.Description.Stages = append(p.Description.Stages, *shader)
				}
			}
			p.Description.Device = &valid.Device{AllOthers: true, Limits: map[string]uint64{"maxBoundDescriptorSets": 4, "maxPushConstantsSize": 128, "maxVertexInputBindings": 16}}
			link.Link(p.Description)
		}
	})
}

// shaderOf makes the shader of a stage, or nil if its module is none.
func shaderOf(s *Set, k *Stage) *link.Shader {
	code, err := s.Code(k.Module)
	if err != nil {
		return nil
	}
	m, err := spirv.Decode(code)
	if err != nil {
		return nil
	}
	v := valid.Assume(facts.Gather(m, k.Spec))
	for _, e := range iface.Reflect(v) {
		if at := link.StageOf(e.Model); at >= 0 && k.Stage>>at&1 != 0 {
			return &link.Shader{Module: v, Entry: e, Flags: k.Flags, SubgroupSize: k.SubgroupSize, Specialization: k.Entries}
		}
	}
	return nil
}

// TestFile reads an archive from a file, as it is read by check.
func TestFile(t *testing.T) {
	name := t.TempDir() + "/a.foz"
	if err := os.WriteFile(name, archive(t, true), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if a, err := Open(f, info.Size()); err != nil || a.Version != 6 || len(a.Entries(GraphicsPipeline)) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestDivisor tests that a divisor of a missing buffer is in the description, because a
// rule checks it.
func TestDivisor(t *testing.T) {
	s, err := Parse([]byte(`{"version":6,"graphicsPipelines":{"1":{"layout":"0","renderPass":"0","stages":[],"vertexInputState":{"bindings":[{"binding":0,"stride":4,"inputRate":1}],"attributes":[],
		"pNext":[{"sType":1000190001,"vertexBindingDivisorCount":2,"vertexBindingDivisors":[{"binding":40,"divisor":3},{"binding":0,"divisor":2}]}]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Pipeline(Ref{GraphicsPipeline, 1})
	if err != nil {
		t.Fatal(err)
	}
	v := p.Description.Vertex
	if want := []link.Divisor{{Binding: 40, Divisor: 3}}; !reflect.DeepEqual(v.Divisors, want) || v.Bindings[0].Divisor == nil || *v.Bindings[0].Divisor != 2 {
		t.Errorf("divisors %v, buffers %v; want %v, and 2 of buffer 0", v.Divisors, v.Bindings, want)
	}
}
