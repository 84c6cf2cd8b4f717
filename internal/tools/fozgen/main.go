// Command fozgen writes an archive of pipelines that measures the speed of the checks: many
// pipelines over fewer states and modules, as a game records them. All satisfy the rules,
// except for the ones that -broken adds.
//
//	go run ./internal/tools/fozgen -o big.foz -pipelines 100000 -states 20000 -modules 4000
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/chiaro-gpu/chiaro/fossil"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// options are the flags.
type options struct {
	out                        string
	pipelines, states, modules int
	least, most                int // instructions of the arithmetic in a module
	broken                     int // every so many pipelines has a fault; 0 for none
	seed                       uint64
}

func main() {
	var o options
	flag.StringVar(&o.out, "o", "big.foz", "archive to write")
	flag.IntVar(&o.pipelines, "pipelines", 100_000, "pipelines")
	flag.IntVar(&o.states, "states", 20_000, "distinct states")
	flag.IntVar(&o.modules, "modules", 4_000, "distinct modules, half of them vertex shaders")
	flag.IntVar(&o.least, "least", 100, "least arithmetic instructions of a module")
	flag.IntVar(&o.most, "most", 1500, "most arithmetic instructions of a module")
	flag.IntVar(&o.broken, "broken", 0, "every so many pipelines has a fault; 0 for none")
	flag.Uint64Var(&o.seed, "seed", 1, "seed")
	flag.Parse()
	if err := run(&o); err != nil {
		fmt.Fprintln(os.Stderr, "fozgen:", err)
		os.Exit(1)
	}
}

func run(o *options) error {
	f, err := os.Create(o.out)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(f, 1<<20)
	if err := write(b, o); err != nil {
		f.Close()
		return err
	}
	if err := b.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// write writes the archive.
func write(b *bufio.Writer, o *options) error {
	w, err := fossil.NewWriter(b)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(o.seed, 0))
	half := max(o.modules/2, 1)
	for i := range half {
		for k, text := range [...]string{vertex(r, o), fragment(r, o)} {
			words, err := asm.Assemble([]byte(text), asm.AssembleOptions{Version: spirv.Version13})
			if err != nil {
				return err
			}
			m, err := spirv.FromWords(words)
			if err != nil {
				return err
			}
			h := fossil.Hash(2*i + k + 1)
			if err := w.Add(fossil.ShaderModule, h, fossil.Module(h, m.Encode()), true); err != nil {
				return err
			}
		}
	}
	for i := range 4 {
		for _, x := range layouts(i) {
			if err := w.Add(x.tag, x.hash, []byte(x.text), true); err != nil {
				return err
			}
		}
	}
	states := make([]string, max(o.states, 1))
	for i := range states {
		states[i] = state(r, i)
	}
	for i := range o.pipelines {
		v, f := r.IntN(half), r.IntN(half)
		layout := 1 + i%4
		if o.broken > 0 && i%o.broken == 0 {
			layout = 5
		}
		text := fmt.Sprintf(`{"version":6,"graphicsPipelines":{"%016x":{"flags":0,"layout":"%016x","renderPass":"%016x","subpass":0,"basePipelineHandle":"0000000000000000","basePipelineIndex":-1,`+
			`"stages":[{"flags":0,"stage":1,"module":"%016x","name":"main"},{"flags":0,"stage":16,"module":"%016x","name":"main"}],%s}}}`,
			i+1, layout, 1+i%4, 2*v+1, 2*f+2, states[i%len(states)])
		if err := w.Add(fossil.GraphicsPipeline, fossil.Hash(i+1), []byte(text), true); err != nil {
			return err
		}
	}
	return w.Add(fossil.PipelineLayout, 5, []byte(`{"version":6,"pipelineLayouts":{"0000000000000005":{"flags":0,"pushConstantRanges":[],"setLayouts":[]}}}`), true)
}

// object is an entry of the archive.
type object struct {
	tag  fossil.Tag
	hash fossil.Hash
	text string
}

// layouts are the objects that pipelines share.
func layouts(i int) []object {
	h := fossil.Hash(i + 1)
	return []object{
		{fossil.SetLayout, h, fmt.Sprintf(`{"version":6,"setLayouts":{"%s":{"flags":0,"bindings":[{"descriptorType":6,"descriptorCount":1,"stageFlags":17,"binding":0},`+
			`{"descriptorType":1,"descriptorCount":%d,"stageFlags":16,"binding":1}]}}}`, h, i+1)},
		{fossil.PipelineLayout, h, fmt.Sprintf(`{"version":6,"pipelineLayouts":{"%s":{"flags":0,"pushConstantRanges":[{"stageFlags":17,"size":64,"offset":0}],"setLayouts":["%s"]}}}`, h, h)},
		{fossil.RenderPass, h, fmt.Sprintf(`{"version":6,"renderPasses":{"%s":{"flags":0,"attachments":[{"flags":0,"format":%d,"finalLayout":2,"initialLayout":0,"loadOp":1,"storeOp":0,"samples":1,"stencilLoadOp":2,"stencilStoreOp":1},`+
			`{"flags":0,"format":126,"finalLayout":3,"initialLayout":0,"loadOp":1,"storeOp":0,"samples":1,"stencilLoadOp":2,"stencilStoreOp":1}],`+
			`"subpasses":[{"flags":0,"pipelineBindPoint":0,"colorAttachments":[{"attachment":0,"layout":2}],"depthStencilAttachment":{"attachment":1,"layout":3}}]}}}`, h, 37+7*i)},
	}
}

// state is the fixed functions of a pipeline.
func state(r *rand.Rand, i int) string {
	bit := func() int { return r.IntN(2) }
	return fmt.Sprintf(`"vertexInputState":{"flags":0,"bindings":[{"binding":0,"stride":%d,"inputRate":0}],"attributes":[`+
		`{"location":0,"binding":0,"offset":0,"format":106},{"location":1,"binding":0,"offset":12,"format":106},{"location":2,"binding":0,"offset":24,"format":103}]},`+
		`"inputAssemblyState":{"flags":0,"primitiveRestartEnable":%d,"topology":%d},`+
		`"viewportState":{"flags":0,"viewportCount":1,"scissorCount":1},`+
		`"rasterizationState":{"flags":0,"depthBiasConstantFactor":%d,"depthBiasSlopeFactor":0,"depthBiasClamp":0,"depthBiasEnable":%d,"depthClampEnable":0,"polygonMode":0,"rasterizerDiscardEnable":0,"frontFace":%d,"lineWidth":1,"cullMode":%d},`+
		`"multisampleState":{"flags":0,"rasterizationSamples":1,"sampleShadingEnable":0,"minSampleShading":0,"alphaToOneEnable":0,"alphaToCoverageEnable":%d},`+
		`"depthStencilState":{"flags":0,"stencilTestEnable":0,"maxDepthBounds":1,"minDepthBounds":0,"depthBoundsTestEnable":0,"depthWriteEnable":%d,"depthTestEnable":%d,"depthCompareOp":%d,`+
		`"front":{"compareOp":0,"writeMask":0,"reference":0,"compareMask":0,"passOp":0,"failOp":0,"depthFailOp":0},"back":{"compareOp":0,"writeMask":0,"reference":0,"compareMask":0,"passOp":0,"failOp":0,"depthFailOp":0}},`+
		`"colorBlendState":{"flags":0,"logicOp":3,"logicOpEnable":0,"blendConstants":[0,0,0,0],"attachments":[{"dstAlphaBlendFactor":%d,"srcAlphaBlendFactor":%d,"dstColorBlendFactor":%d,"srcColorBlendFactor":%d,"colorWriteMask":15,"alphaBlendOp":0,"colorBlendOp":0,"blendEnable":%d}]},`+
		`"dynamicState":{"flags":0,"dynamicState":[0,1]}`,
		32+4*(i%8), bit(), 3+bit(), i, bit(), bit(), r.IntN(4), bit(), bit(), bit(), r.IntN(8), r.IntN(15), r.IntN(15), r.IntN(15), r.IntN(15), bit())
}

const head = `%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%v2 = OpTypeVector %float 2
%v3 = OpTypeVector %float 3
%v4 = OpTypeVector %float 4
%m4 = OpTypeMatrix %v4 4
%block = OpTypeStruct %m4 %v4
%ublock = OpTypePointer Uniform %block
%um4 = OpTypePointer Uniform %m4
%uv4 = OpTypePointer Uniform %v4
%u = OpVariable %ublock Uniform
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%one = OpConstant %float 1
`

const decorations = `OpDecorate %u DescriptorSet 0
OpDecorate %u Binding 0
OpDecorate %block Block
OpMemberDecorate %block 0 ColMajor
OpMemberDecorate %block 0 MatrixStride 16
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 64
`

// arithmetic writes n instructions on values of four floats, from %a on, and
// returns the last value.
func arithmetic(b *strings.Builder, r *rand.Rand, n int) string {
	last := "%a"
	for i := range n {
		op := [...]string{"OpFAdd", "OpFMul", "OpFSub"}[r.IntN(3)]
		fmt.Fprintf(b, "%%x%d = %s %%v4 %s %%c%d\n", i, op, last, r.IntN(constants))
		last = fmt.Sprintf("%%x%d", i)
	}
	return last
}

const constants = 16

// numbers declares the constants of a module.
func numbers(b *strings.Builder, r *rand.Rand) {
	for i := range constants {
		fmt.Fprintf(b, "%%f%d = OpConstant %%float %g\n%%c%d = OpConstantComposite %%v4 %%f%d %%f%d %%f%d %%f%d\n", i, float64(r.IntN(1<<20)+i*(1<<21))/64, i, i, i, i, i)
	}
}

// vertex is a vertex shader: three inputs, two outputs and a position.
func vertex(r *rand.Rand, o *options) string {
	var b strings.Builder
	b.WriteString("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Vertex %main \"main\" %p %n %t %pos %on %ot\n")
	for i, n := range []string{"p", "n", "t"} {
		fmt.Fprintf(&b, "OpDecorate %%%s Location %d\n", n, i)
	}
	b.WriteString("OpDecorate %on Location 0\nOpDecorate %ot Location 1\nOpDecorate %pos BuiltIn Position\n" + decorations + head)
	b.WriteString("%iv3 = OpTypePointer Input %v3\n%iv2 = OpTypePointer Input %v2\n%ov4 = OpTypePointer Output %v4\n%ov2 = OpTypePointer Output %v2\n")
	b.WriteString("%p = OpVariable %iv3 Input\n%n = OpVariable %iv3 Input\n%t = OpVariable %iv2 Input\n%pos = OpVariable %ov4 Output\n%on = OpVariable %ov4 Output\n%ot = OpVariable %ov2 Output\n")
	numbers(&b, r)
	b.WriteString("%main = OpFunction %void None %fn\n%l = OpLabel\n%pv = OpLoad %v3 %p\n%px = OpCompositeExtract %float %pv 0\n%py = OpCompositeExtract %float %pv 1\n%pz = OpCompositeExtract %float %pv 2\n%a = OpCompositeConstruct %v4 %px %py %pz %one\n")
	last := arithmetic(&b, r, o.least+r.IntN(max(o.most-o.least, 1)))
	fmt.Fprintf(&b, "%%mp = OpAccessChain %%um4 %%u %%i0\n%%m = OpLoad %%m4 %%mp\n%%w = OpMatrixTimesVector %%v4 %%m %s\nOpStore %%pos %%w\nOpStore %%on %%a\n%%tv = OpLoad %%v2 %%t\nOpStore %%ot %%tv\nOpReturn\nOpFunctionEnd\n", last)
	return b.String()
}

// fragment is a fragment shader: two inputs, a texture and one output.
func fragment(r *rand.Rand, o *options) string {
	var b strings.Builder
	b.WriteString("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %main \"main\" %n %t %color\nOpExecutionMode %main OriginUpperLeft\n")
	b.WriteString("OpDecorate %n Location 0\nOpDecorate %t Location 1\nOpDecorate %color Location 0\nOpDecorate %tex DescriptorSet 0\nOpDecorate %tex Binding 1\n" + decorations + head)
	b.WriteString("%iv4 = OpTypePointer Input %v4\n%iv2 = OpTypePointer Input %v2\n%ov4 = OpTypePointer Output %v4\n%img = OpTypeImage %float 2D 0 0 0 1 Unknown\n%simg = OpTypeSampledImage %img\n%ptex = OpTypePointer UniformConstant %simg\n")
	b.WriteString("%n = OpVariable %iv4 Input\n%t = OpVariable %iv2 Input\n%color = OpVariable %ov4 Output\n%tex = OpVariable %ptex UniformConstant\n")
	numbers(&b, r)
	b.WriteString("%main = OpFunction %void None %fn\n%l = OpLabel\n%tv = OpLoad %v2 %t\n%s = OpLoad %simg %tex\n%a = OpImageSampleImplicitLod %v4 %s %tv\n")
	last := arithmetic(&b, r, o.least+r.IntN(max(o.most-o.least, 1)))
	fmt.Fprintf(&b, "%%cp = OpAccessChain %%uv4 %%u %%i1\n%%cv = OpLoad %%v4 %%cp\n%%nv = OpLoad %%v4 %%n\n%%y = OpFMul %%v4 %s %%cv\n%%z = OpFAdd %%v4 %%y %%nv\nOpStore %%color %%z\nOpReturn\nOpFunctionEnd\n", last)
	return b.String()
}
