package vk

import (
	"context"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// access is a shader with the parts of a row: capabilities (CAPS), the type of the image and its variables a and b at the bindings 0
// and 1 of set 0 (IMAGE), and the body (BODY).
const access = `OpCapability Shader
CAPS
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %a %b
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 1
DECORATE
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
WIDE
%v2 = OpTypeVector %float 2
%v3 = OpTypeVector %float 3
%v4 = OpTypeVector %float 4
%v2u = OpTypeVector %uint 2
%v4u = OpTypeVector %uint 4
%f0 = OpConstant %float 0
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%c2 = OpConstantComposite %v2 %f0 %f0
%c3 = OpConstantComposite %v3 %f0 %f0 %f0
%c4 = OpConstantComposite %v4 %f0 %f0 %f0 %f0
%c4u = OpConstantComposite %v4u %u0 %u0 %u0 %u0
%i2 = OpConstantComposite %v2u %u0 %u0
%one2 = OpConstantComposite %v2u %u1 %u1
%image = OpTypeImage IMAGE
%sampled = OpTypeSampledImage %image
%p = OpTypePointer UniformConstant %VAR
%ptexel = OpTypePointer Image %TEXEL
%a = OpVariable %p UniformConstant
%b = OpVariable %p UniformConstant
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %VAR %a
%y = OpLoad %VAR %b
BODY
OpReturn
OpFunctionEnd
`

// accessShader returns the text of access with parts: NAME=text.
func accessShader(parts ...string) string {
	text := access
	for _, p := range parts {
		name, value, _ := strings.Cut(p, "=")
		text = strings.ReplaceAll(text, name, value)
	}
	for _, p := range []string{"CAPS\n", "DECORATE\n", "WIDE\n"} {
		text = strings.Replace(text, p, "", 1)
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "VAR", "sampled"), "TEXEL", "float")
}

// accessRow is a dispatch of a shader with a bad descriptor and a good one at binding 0.
type accessRow struct {
	rules     []string
	device    *valid.Device
	shader    string
	bad, good Write
	other     *Write // at binding 1 of both; nil is that of binding 0
	worse     *Write // at binding 1 of the bad dispatch, if it is not nil
}

// descriptorScene makes views and samplers for rows.
type descriptorScene struct {
	*ruled
	t    testing.TB
	pool *Pool
}

// image makes a view of an image of 8×8 texels.
func (d *descriptorScene) image(format string, change func(i *ImageInfo, v *ImageViewInfo)) *ImageView {
	d.t.Helper()
	i := ImageInfo{Type: enum.ImageType2d, Format: formatOf(d.t, format), Extent: [3]int{8, 8, 1}, Usage: ImageSampled | ImageStorage}
	v := ImageViewInfo{Type: enum.ViewType2d}
	if change != nil {
		change(&i, &v)
	}
	m := must(d.dev.NewImage(i))(d.t)
	if m.sparse == nil {
		size, _ := m.Requirements()
		if err := m.Bind(must(d.dev.Allocate(MemoryInfo{Size: size}))(d.t), 0); err != nil {
			d.t.Fatal(err)
		}
	}
	v.Image = m
	return must(d.dev.NewImageView(v))(d.t)
}

func (d *descriptorScene) texels(format string, flags BufferFlags) *BufferView {
	b := must(d.dev.NewBuffer(BufferInfo{Size: 64, Usage: StorageTexelBuffer | UniformTexelBuffer, Flags: flags}))(d.t)
	if b.sparse == nil {
		if err := b.Bind(must(d.dev.Allocate(MemoryInfo{Size: 64}))(d.t), 0); err != nil {
			d.t.Fatal(err)
		}
	}
	return must(d.dev.NewBufferView(BufferViewInfo{Buffer: b, Format: formatOf(d.t, format)}))(d.t)
}

func (d *descriptorScene) sampler(i SamplerInfo) *Sampler { return must(d.dev.NewSampler(i))(d.t) }

// with returns the write of a view and a sampler.
func with(v *ImageView, s *Sampler) Write {
	return Write{Images: []ImageDescriptor{{View: v, Sampler: s}}}
}

// row returns the command streams of a row, with sets of a type of descriptors.
func (d *descriptorScene) row(a accessRow, typ link.DescriptorType) ruleRow {
	d.t.Helper()
	sets := must(d.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: typ, Count: 1, Stages: link.AllStages}, {Binding: 1, Type: typ, Count: 1, Stages: link.AllStages}}}))(d.t)
	layout := must(d.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{sets}}))(d.t)
	p := must(d.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: *d.module(d.t, a.shader), Layout: layout}))(d.t)
	bound := map[bool]*Set{}
	for bad, w := range map[bool]Write{true: a.bad, false: a.good} {
		set, second := must(d.pool.Allocate(sets))(d.t), w
		if a.other != nil {
			second = *a.other
		}
		if bad && a.worse != nil {
			second = *a.worse
		}
		second.Binding = 1
		if err := set.Update(w, second); err != nil {
			d.t.Fatal(err)
		}
		bound[bad] = set
	}
	return ruleRow{a.rules, a.device, func(c *CommandBuffer, bad bool) {
		c.BindPipeline(p)
		c.BindSets(Compute, layout, 0, []*Set{bound[bad]}, nil)
		c.Dispatch(1, 1, 1)
	}}
}

func newDescriptorScene(t testing.TB) *descriptorScene {
	r := newRuled(t)
	return &descriptorScene{r, t, must(r.dev.NewPool(PoolInfo{MaxSets: 100}))(t)}
}

// TestSampledTexelBuffer fetches from a texel buffer with the type of a sampled image, as modules of early versions have it: the descriptor is a buffer
// view without a sampler, and must be valid.
func TestSampledTexelBuffer(t *testing.T) {
	d := newDescriptorScene(t)
	shader := accessShader("CAPS=OpCapability SampledBuffer", "IMAGE=%float Buffer 0 0 0 1 Unknown", "BODY=%t = OpImage %image %x\n%s = OpImageFetch %v4 %t %u0\n%q = OpImage %image %y\n%r = OpImageFetch %v4 %q %u0")
	good := Write{Texels: []*BufferView{d.texels("R32_SFLOAT", 0)}}
	d.check(t, []ruleRow{d.row(accessRow{[]string{"vkCmdDispatch-None-08114"}, nil, shader, Write{}, good, nil, nil}, link.DescriptorType(iface.UniformTexelBuffer))})
}

// TestSampledRules breaks the rules on samplers together with the views that they sample.
func TestSampledRules(t *testing.T) {
	d := newDescriptorScene(t)
	plain := accessShader("IMAGE=%float 2D 0 0 0 1 Unknown", "BODY=%s = OpImageSampleExplicitLod %v4 %x %c2 Lod %f0")
	compares := accessShader("IMAGE=%float 2D 1 0 0 1 Unknown", "BODY=%s = OpImageSampleDrefExplicitLod %float %x %c2 %f0 Lod %f0")
	volume := accessShader("IMAGE=%float 3D 0 0 0 1 Unknown", "BODY=%s = OpImageSampleExplicitLod %v4 %x %c3 Lod %f0")
	color, integers := d.image("R8G8B8A8_UNORM", nil), d.image("R8G8B8A8_UINT", nil)
	deep := d.image("D32_SFLOAT", func(i *ImageInfo, v *ImageViewInfo) { i.Usage = ImageSampled })
	levels := d.image("R8G8B8A8_UNORM", func(i *ImageInfo, v *ImageViewInfo) { i.Levels = 2 })
	array := d.image("R8G8B8A8_UNORM", func(i *ImageInfo, v *ImageViewInfo) { v.Type = enum.ViewType2dArray })
	solid := d.image("R8G8B8A8_UNORM", func(i *ImageInfo, v *ImageViewInfo) {
		i.Type, i.Extent, v.Type = enum.ImageType3d, [3]int{8, 8, 8}, enum.ViewType3d
	})
	corner := d.image("R8G8B8A8_UNORM", func(i *ImageInfo, v *ImageViewInfo) { i.Corner = true })
	clamped := [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}
	nearest := d.sampler(SamplerInfo{})
	linear, least := d.sampler(SamplerInfo{Mag: enum.FilterLinear}), d.sampler(SamplerInfo{Min: enum.FilterLinear, Reduction: enum.ReductionMin})
	mips, greatest := d.sampler(SamplerInfo{MipLinear: true}), d.sampler(SamplerInfo{MipLinear: true, Reduction: enum.ReductionMax})
	texels := d.sampler(SamplerInfo{Unnormalized: true, Address: clamped})
	comparing := d.sampler(SamplerInfo{Compare: true})
	const cubic = enum.FilterCubic
	cubes, extremes := d.sampler(SamplerInfo{Mag: cubic, Min: cubic}), d.sampler(SamplerInfo{Mag: cubic, Min: cubic, Reduction: enum.ReductionMin})
	ranges := d.sampler(SamplerInfo{Mag: cubic, Min: cubic, Reduction: enum.ReductionWeightedAverageRangeclamp})
	splines := d.sampler(SamplerInfo{Mag: cubic, Min: cubic, Weights: enum.CubicWeightsBSpline})
	pair := func(rule string, device *valid.Device, shader string, bad, good Write) ruleRow {
		return d.row(accessRow{[]string{"vkCmdDispatch-" + rule}, device, shader, bad, good, nil, nil}, link.DescriptorType(iface.CombinedImageSampler))
	}
	d.check(t, []ruleRow{
		pair("magFilter-04553", nil, plain, with(integers, linear), with(color, linear)),
		pair("magFilter-09598", nil, plain, with(integers, least), with(color, least)),
		pair("mipmapMode-04770", nil, plain, with(integers, mips), with(color, mips)),
		pair("mipmapMode-09599", nil, plain, with(integers, greatest), with(color, greatest)),
		pair("None-06479", nil, compares, with(color, comparing), with(deep, comparing)),
		pair("unnormalizedCoordinates-09635", nil, plain, with(levels, texels), with(color, texels)),
		pair("None-08609", nil, plain, with(array, texels), with(color, texels)),
		pair("flags-02696", nil, plain, with(corner, nearest), with(corner, d.sampler(SamplerInfo{Address: clamped}))),
		pair("None-02692", nil, plain, with(integers, cubes), with(color, cubes)),
		pair("filterCubic-02694", nil, plain, with(integers, cubes), with(color, cubes)),
		pair("filterCubicMinmax-02695", nil, plain, with(integers, extremes), with(color, extremes)),
		pair("None-02693", &valid.Device{Extensions: map[string]bool{"VK_EXT_filter_cubic": false}}, volume, with(solid, cubes), with(solid, linear)),
		pair("cubicRangeClamp-09212", features(false, "cubicRangeClamp"), plain, with(color, ranges), with(color, cubes)),
		pair("selectableCubicWeights-09214", features(false, "selectableCubicWeights"), plain, with(color, splines), with(color, cubes)),
	})
	if _, err := d.dev.NewSampler(SamplerInfo{Reduction: enum.ReductionWeightedAverageRangeclamp}); err == nil { // vkCmdDraw-reductionMode-09213
		t.Error("a sampler clamps the range of no cubic filter")
	}
}

// TestStorageRules breaks the rules on accesses to storage images and to texel buffers.
func TestStorageRules(t *testing.T) {
	d := newDescriptorScene(t)
	const unknown = "CAPS=OpCapability StorageImageReadWithoutFormat\nOpCapability StorageImageWriteWithoutFormat"
	const wide = "CAPS=OpCapability Int64\nOpCapability Int64ImageEXT\nOpCapability Int64Atomics\nOpCapability SampledBuffer\nOpCapability ImageBuffer\nOpExtension \"SPV_EXT_shader_image_int64\""
	const long = "WIDE=%ulong = OpTypeInt 64 0\n%v4l = OpTypeVector %ulong 4\n%l1 = OpConstant %ulong 1"
	shader := func(caps, image, texel, body string) string {
		return accessShader(caps, long, "IMAGE="+image, "VAR=image", "TEXEL="+texel, "BODY="+body)
	}
	noLong := func(caps, image, texel, body string) string {
		return accessShader(caps, "IMAGE="+image, "VAR=image", "TEXEL="+texel, "BODY="+body)
	}
	const buffers = unknown + "\nOpCapability ImageBuffer"
	adds := noLong("CAPS=OpCapability ImageBuffer", "%uint 2D 0 0 0 2 R32ui", "uint", "%t = OpImageTexelPointer %ptexel %a %i2 %u0\n%r = OpAtomicIAdd %uint %t %u1 %u0 %u1")
	addsTexels := noLong("CAPS=OpCapability ImageBuffer", "%uint Buffer 0 0 0 2 R32ui", "uint", "%t = OpImageTexelPointer %ptexel %a %u0 %u0\n%r = OpAtomicIAdd %uint %t %u1 %u0 %u1")
	addsLong := shader(wide, "%ulong 2D 0 0 0 2 R64ui", "ulong", "%t = OpImageTexelPointer %ptexel %a %i2 %u0\n%r = OpAtomicIAdd %ulong %t %u1 %u0 %l1")
	addsLongTexels := shader(wide, "%ulong Buffer 0 0 0 2 R64ui", "ulong", "%t = OpImageTexelPointer %ptexel %a %u0 %u0\n%r = OpAtomicIAdd %ulong %t %u1 %u0 %l1")
	addsFloats := noLong("CAPS=OpCapability AtomicFloat32AddEXT\nOpExtension \"SPV_EXT_shader_atomic_float_add\"", "%float 2D 0 0 0 2 R32f", "float", "%t = OpImageTexelPointer %ptexel %a %i2 %u0\n%r = OpAtomicFAddEXT %float %t %u1 %u0 %f0")
	writes := noLong(unknown, "%float 2D 0 0 0 2 Unknown", "float", "OpImageWrite %x %i2 %c4")
	writesThree := noLong(unknown, "%float 2D 0 0 0 2 Unknown", "float", "OpImageWrite %x %i2 %c3")
	reads := noLong(unknown, "%float 2D 0 0 0 2 Unknown", "float", "%r = OpImageRead %v4 %x %i2\nOpImageWrite %y %i2 %r")
	writesThreeTexels := noLong(buffers, "%float Buffer 0 0 0 2 Unknown", "float", "OpImageWrite %x %u0 %c3")
	color, integers, blocks := with(d.image("R8G8B8A8_UNORM", nil), nil), with(d.image("R8G8B8A8_UINT", nil), nil), with(d.image("BC7_UNORM_BLOCK", nil), nil)
	words, longs := with(d.image("R32_UINT", nil), nil), with(d.image("R64_UINT", nil), nil)
	three, alpha := with(d.image("R8G8_UNORM", nil), nil), with(d.image("A8_UNORM", nil), nil)
	sparse := with(d.image("R64_UINT", func(i *ImageInfo, v *ImageViewInfo) { i.Flags = ImageSparseBinding | ImageSparseResidency }), nil)
	floats := with(d.image("R32_SFLOAT", nil), nil)
	sparseFloats := with(d.image("R32_SFLOAT", func(i *ImageInfo, v *ImageViewInfo) { i.Flags = ImageSparseBinding | ImageSparseResidency }), nil)
	noFloats := features(false, "sparseImageFloat32Atomics", "sparseImageFloat32AtomicAdd", "sparseImageFloat32AtomicMinMax")
	image := func(rule string, device *valid.Device, shader string, bad, good Write) ruleRow {
		return d.row(accessRow{[]string{"vkCmdDispatch-" + rule}, device, shader, bad, good, nil, nil}, link.DescriptorType(iface.StorageImage))
	}
	texels := func(rule string, device *valid.Device, shader string, bad, good *BufferView) ruleRow {
		return d.row(accessRow{[]string{"vkCmdDispatch-" + rule}, device, shader, Write{Texels: []*BufferView{bad}}, Write{Texels: []*BufferView{good}}, nil, nil}, link.DescriptorType(iface.StorageTexelBuffer))
	}
	bytes, word, pixel, two, long64 := d.texels("R8G8B8A8_UINT", 0), d.texels("R32_UINT", 0), d.texels("R8G8B8A8_UNORM", 0), d.texels("R8G8_UNORM", 0), d.texels("R64_UINT", 0)
	spread := d.texels("R64_UINT", BufferSparseBinding|BufferSparseResidency)
	d.check(t, []ruleRow{
		image("None-02691", nil, adds, integers, words),
		image("OpTypeImage-07027", nil, writes, blocks, color),
		image("OpTypeImage-07028", nil, reads, blocks, color),
		image("OpImageWrite-08795", nil, writesThree, color, three),
		image("OpImageWrite-08796", nil, writesThree, alpha, three),
		image("SampledType-04470", nil, adds, longs, words),
		image("SampledType-04471", nil, addsLong, words, longs),
		image("sparseImageInt64Atomics-04474", features(false, "sparseImageInt64Atomics"), addsLong, sparse, longs),
		d.row(accessRow{[]string{"RuntimeSpirv-None-06287"}, noFloats, addsFloats, sparseFloats, floats, nil, nil}, link.DescriptorType(iface.StorageImage)),
		texels("None-07888", nil, addsTexels, bytes, word),
		texels("OpImageWrite-04469", nil, writesThreeTexels, pixel, two),
		texels("SampledType-04472", nil, addsTexels, long64, word),
		texels("SampledType-04473", nil, addsLongTexels, word, long64),
		texels("sparseImageInt64Atomics-04475", features(false, "sparseImageInt64Atomics"), addsLongTexels, spread, long64),
	})
}

// TestSampleCountRules reads images with another number of samples than their type has.
func TestSampleCountRules(t *testing.T) {
	d := newDescriptorScene(t)
	fetch := func(ms, operand string) string {
		return accessShader("IMAGE=%float 2D 0 0 "+ms+" 1 Unknown", "VAR=image", "BODY=%r = OpImageFetch %v4 %x %i2 "+operand+" %u0")
	}
	one := with(d.image("R8G8B8A8_UNORM", nil), nil)
	four := with(d.image("R8G8B8A8_UNORM", func(i *ImageInfo, v *ImageViewInfo) { i.Samples, i.Usage = 4, ImageSampled|ImageColorAttachment }), nil)
	d.check(t, []ruleRow{
		d.row(accessRow{[]string{"RuntimeSpirv-samples-08725"}, nil, fetch("0", "Lod"), four, one, nil, nil}, sampledImage),
		d.row(accessRow{[]string{"RuntimeSpirv-samples-08726"}, nil, fetch("1", "Sample"), one, four, nil, nil}, sampledImage),
	})
}

// TestProcessingRules breaks the rules on image processing.
func TestProcessingRules(t *testing.T) {
	d := newDescriptorScene(t)
	const caps = "CAPS=OpCapability TextureBlockMatchQCOM\nOpCapability TextureBoxFilterQCOM\nOpCapability TextureSampleWeightedQCOM\nOpCapability TextureBlockMatch2QCOM\nOpExtension \"SPV_QCOM_image_processing\"\nOpExtension \"SPV_QCOM_image_processing2\""
	shader := func(decorate, body string) string {
		return accessShader(caps, "DECORATE="+decorate, "IMAGE=%float 2D 0 0 0 1 Unknown", "BODY="+body)
	}
	const match = "OpDecorate %a BlockMatchTextureQCOM\nOpDecorate %b BlockMatchTextureQCOM"
	box := shader("", "%r = OpImageBoxFilterQCOM %v4 %x %c2 %c2")
	blocks := func(op string) string { return shader(match, "%r = "+op+" %v4 %x %i2 %y %i2 %one2") }
	clamped := [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}
	mirrored := [3]enum.AddressMode{enum.AddressModeClampToBorder, enum.AddressModeClampToBorder, enum.AddressModeClampToBorder}
	half := [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToBorder, enum.AddressModeClampToEdge}
	matching := func(a [3]enum.AddressMode, window uint32) *Sampler {
		return d.sampler(SamplerInfo{Processing: true, Unnormalized: true, Address: a, BlockWindow: [2]uint32{window, window}})
	}
	texels, edge, mixed := matching(mirrored, 2), matching(clamped, 2), matching(half, 2)
	normalized, narrow := d.sampler(SamplerInfo{Processing: true, Address: mirrored, BlockWindow: [2]uint32{2, 2}}), matching(mirrored, 0)
	pair := func(v *ImageView, s *Sampler) *Write {
		w := with(v, s)
		return &w
	}
	weighted := strings.NewReplacer("%b = OpVariable %p U", "%b = OpVariable %pw U", "%y = OpLoad %sampled %b", "%y = OpLoad %wsampled %b").Replace(
		accessShader(caps, "DECORATE=OpDecorate %b WeightTextureQCOM", "IMAGE=%float 2D 0 0 0 1 Unknown\n%weights = OpTypeImage %float 2D 0 1 0 1 Unknown\n%wsampled = OpTypeSampledImage %weights\n%pw = OpTypePointer UniformConstant %wsampled",
			"BODY=%r = OpImageSampleWeightedQCOM %v4 %x %c2 %y"))
	kernel := func(format string) *Write {
		v := with(d.image(format, func(i *ImageInfo, v *ImageViewInfo) {
			v.Type, v.Weights = enum.ViewType2dArray, &WeightImage{Size: [2]int{2, 2}, Phases: 1}
		}), edge)
		return &v
	}
	gray, color, integers := d.image("R8_UNORM", nil), d.image("R8G8B8A8_UNORM", nil), d.image("R8_UINT", nil)
	row := func(rule string, device *valid.Device, shader string, bad, good Write) ruleRow {
		return d.row(accessRow{[]string{"vkCmdDispatch-" + rule}, device, shader, bad, good, nil, nil}, link.DescriptorType(iface.CombinedImageSampler))
	}
	samplers := func(rule, shader string, target, reference *Sampler) ruleRow {
		return d.row(accessRow{[]string{"RuntimeSpirv-" + rule}, nil, shader, with(gray, target), with(gray, texels), pair(gray, texels), pair(gray, reference)}, link.DescriptorType(iface.CombinedImageSampler))
	}
	d.check(t, []ruleRow{
		row("OpImageBoxFilterQCOM-06973", nil, box, with(integers, edge), with(gray, edge)),
		d.row(accessRow{[]string{"vkCmdDispatch-OpImageSampleWeightedQCOM-06971"}, nil, weighted, with(integers, edge), with(gray, edge), kernel("R8_UNORM"), nil}, link.DescriptorType(iface.CombinedImageSampler)),
		d.row(accessRow{[]string{"vkCmdDispatch-OpImageSampleWeightedQCOM-06972"}, nil, weighted, with(gray, edge), with(gray, edge), kernel("R8_UNORM"), kernel("R8_UINT")}, link.DescriptorType(iface.CombinedImageSampler)),
		row("OpImageBlockMatchSSDQCOM-06974", nil, blocks("OpImageBlockMatchSSDQCOM"), with(integers, texels), with(gray, texels)),
		row("OpImageBlockMatchSADQCOM-12420", nil, blocks("OpImageBlockMatchSADQCOM"), with(integers, texels), with(gray, texels)),
		row("OpImageBlockMatchWindow-09215", nil, blocks("OpImageBlockMatchWindowSSDQCOM"), with(integers, texels), with(gray, texels)),
		row("OpImageBlockMatchWindow-09216", nil, blocks("OpImageBlockMatchGatherSADQCOM"), with(color, texels), with(gray, texels)),
		row("OpImageBlockMatchWindow-12421", features(false, "blockMatchExtendedClampToEdge"), blocks("OpImageBlockMatchWindowSADQCOM"), with(gray, edge), with(gray, texels)),
		row("addressModeU-12422", nil, blocks("OpImageBlockMatchWindowSADQCOM"), with(gray, mixed), with(gray, edge)),
		samplers("OpImageBlockMatchSSDQCOM-06985", blocks("OpImageBlockMatchSADQCOM"), texels, edge),
		samplers("OpImageBlockMatchSSDQCOM-06986", blocks("OpImageBlockMatchSSDQCOM"), normalized, normalized),
		samplers("OpImageBlockMatchWindow-09222", blocks("OpImageBlockMatchGatherSSDQCOM"), texels, edge),
		samplers("OpImageBlockMatchWindow-09223", blocks("OpImageBlockMatchWindowSSDQCOM"), normalized, normalized),
		row("OpImageSampleWeightedQCOM-06977", nil, box, with(gray, d.sampler(SamplerInfo{Address: clamped})), with(gray, d.sampler(SamplerInfo{Address: clamped, Processing: true}))),
		row("OpImageSampleWeightedQCOM-06978", nil, shader("", "%r = OpImageSampleExplicitLod %v4 %x %c2 Lod %f0"), with(gray, d.sampler(SamplerInfo{Processing: true})), with(gray, d.sampler(SamplerInfo{}))),
		samplers("pNext-09226", blocks("OpImageBlockMatchWindowSADQCOM"), narrow, narrow),
	})
}

// TestBoundRules breaks the rules on sets that are not bound, or not as a pipeline needs them, and on descriptors that are not valid.
func TestBoundRules(t *testing.T) {
	r := newRuled(t)
	info := r.computeInfo(t, Creation{Flags: enum.PipelineFlagsDescriptorBuffer})
	buffers := must(r.dev.NewComputePipeline(t.Context(), info))(t)
	empty := must(r.pool.Allocate(r.rig.layout))(t)
	if err := empty.Update(Write{Binding: 0, Buffers: []BufferDescriptor{{r.x, 0, WholeSize}}}); err != nil {
		t.Fatal(err)
	}
	pool := must(r.dev.NewPool(PoolInfo{MaxSets: 1}))(t)
	nulls := must(pool.Allocate(r.rig.layout))(t)
	if err := nulls.Update(Write{Binding: 0, Buffers: []BufferDescriptor{{}}}, Write{Binding: 1, Buffers: []BufferDescriptor{{r.y, 0, 32}}}); err != nil {
		t.Fatal(err)
	}
	dispatch := func(c *CommandBuffer, p *ComputePipeline, s *Set) {
		c.BindPipeline(p)
		if s != nil {
			c.BindSets(Compute, r.rig.pipeline, 0, []*Set{s}, nil)
		}
		c.PushConstants(r.rig.pipeline, 0, push(1))
		c.Dispatch(1, 1, 1)
	}
	row := func(rule string, device *valid.Device, p *ComputePipeline, s *Set) ruleRow {
		return ruleRow{[]string{rule}, device, func(c *CommandBuffer, bad bool) {
			if bad {
				dispatch(c, p, s)
			} else {
				dispatch(c, r.saxpy, r.set)
			}
		}}
	}
	r.check(t, []ruleRow{
		row("vkCmdDispatch-None-08600", nil, r.saxpy, nil),
		row("vkCmdDispatch-None-08114", nil, r.saxpy, empty),
		row("vkCmdDispatch-None-08114", features(false, "nullDescriptor"), r.saxpy, nulls),
		row("vkCmdDispatch-None-08115", nil, buffers, r.set),
	})
}

// TestMemoryRules uses descriptors in memory with a pipeline that is not for them, and heaps that are not bound.
func TestMemoryRules(t *testing.T) {
	m := newMemoryRig(t)
	r := &ruled{scene: &scene{rig: m.rig}}
	r.dev.messages = func(x Message) { r.list = append(r.list, x) }
	r.dev.checking = None
	l := must(r.dev.NewSetLayout(SetLayoutInfo{Flags: enum.SetFlagsDescriptorBuffer, Bindings: r.rig.layout.link.Bindings}))(t)
	layout := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l}, Push: r.rig.pipeline.link.Push}))(t)
	module := r.module(t, saxpy)
	pipeline := func(flags enum.PipelineFlags) *ComputePipeline {
		return must(r.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Creation: Creation{Flags: flags}, Stage: *module, Layout: layout}))(t)
	}
	plain, buffers := pipeline(0), pipeline(enum.PipelineFlagsDescriptorBuffer)
	mapped := *module
	two := uint32(2)
	mapped.Mappings = []Mapping{{Mapping: link.Mapping{Source: enum.MappingSourceHeapWithConstantOffset, HeapArrayStride: 64, Count: &two}}}
	heap := must(r.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap}, Stage: mapped}))(t)
	r.check(t, []ruleRow{
		{[]string{"vkCmdDispatch-None-08117"}, nil, func(c *CommandBuffer, bad bool) {
			c.BindDescriptorBuffers([]uint64{m.address})
			if c.BindPipeline(buffers); bad {
				c.BindPipeline(plain)
			}
			c.SetDescriptorBufferOffsets(Compute, layout, 0, []uint32{0}, []uint64{0})
			c.PushConstants(layout, 0, push(1))
			c.Dispatch(1, 1, 1)
		}},
		{[]string{"vkCmdDispatch-None-11308"}, nil, func(c *CommandBuffer, bad bool) {
			if c.BindPipeline(heap); !bad {
				c.BindResourceHeap(HeapRange{m.address, 2048})
			}
			c.Dispatch(1, 1, 1)
		}},
	})
}

// samples2D samples the image of set 0 at a corner.
const samples2D = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out %a
OpExecutionMode %main OriginUpperLeft
OpDecorate %out Location 0
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%f0 = OpConstant %float 0
%c2 = OpConstantComposite %v2 %f0 %f0
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%p = OpTypePointer UniformConstant %sampled
%pout = OpTypePointer Output %v4
%a = OpVariable %p UniformConstant
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %sampled %a
%s = OpImageSampleExplicitLod %v4 %x %c2 Lod %f0
OpStore %out %s
OpReturn
OpFunctionEnd
`

// TestFeedbackRules samples attachments that an earlier draw has written, or that were cleared, without and with a feedback loop.
func TestFeedbackRules(t *testing.T) {
	d := newDescriptorScene(t)
	usage := func(u ImageUsage) func(i *ImageInfo, v *ImageViewInfo) {
		return func(i *ImageInfo, v *ImageViewInfo) { i.Usage = u | ImageSampled }
	}
	color, deep, stencil := d.image("R8G8B8A8_UNORM", usage(ImageColorAttachment)), d.image("D32_SFLOAT", usage(ImageDepthStencilAttachment)), d.image("S8_UINT", usage(ImageDepthStencilAttachment))
	typ := link.DescriptorType(iface.CombinedImageSampler)
	sets := must(d.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: typ, Count: 1, Stages: link.AllStages}}}))(t)
	layout := must(d.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{sets}, Push: d.layout.link.Push}))(t)
	nearest := d.sampler(SamplerInfo{})
	fragment := d.module(t, samples2D)
	replaces := link.StencilFace{Fail: enum.StencilOpReplace, WriteMask: 255}
	pipe := func(flags enum.PipelineFlags, dynamic ...enum.DynamicState) *GraphicsPipeline {
		return d.pipe(t, func(i *GraphicsPipelineInfo) {
			i.Flags, i.Layout, i.Fragment = flags, layout, fragment
			i.State.Rendering.Stencil = stencil.image.info.Format
			i.State.DepthStencil = &link.DepthStencil{DepthTest: true, DepthWrite: true, StencilTest: true, Front: replaces, Back: replaces}
		}, dynamic...)
	}
	plain := pipe(0)
	loops := pipe(enum.PipelineFlagsColorAttachmentFeedbackLoop | enum.PipelineFlagsDepthStencilAttachmentFeedbackLoop)
	dynamic := pipe(0, enum.DynamicStateAttachmentFeedbackLoopEnable)
	info := RenderingInfo{Area: Rect{Width: 8, Height: 8}, Colors: []AttachmentInfo{{View: color}}, Depth: &AttachmentInfo{View: deep}, Stencil: &AttachmentInfo{View: stencil}}
	cleared := info
	cleared.Colors = []AttachmentInfo{{View: color, Load: ClearOnLoad}}
	row := func(rule string, info RenderingInfo, v *ImageView, before bool) ruleRow {
		set := must(d.pool.Allocate(sets))(t)
		if err := set.Update(with(v, nearest)); err != nil {
			t.Fatal(err)
		}
		return ruleRow{[]string{rule}, nil, func(c *CommandBuffer, bad bool) {
			p := map[bool]*GraphicsPipeline{true: plain, false: loops}[bad]
			for range 2 {
				d.paints(c, info, p, func() {
					c.BindSets(Graphics, layout, 0, []*Set{set}, nil)
					if before {
						c.Draw(3, 1, 0, 0)
					}
				})
				if p = dynamic; bad {
					break
				}
				c.SetAttachmentFeedbackLoop(Color | Depth | Stencil)
			}
		}}
	}
	d.check(t, []ruleRow{
		row("vkCmdDraw-None-10795", info, color, true), row("vkCmdDraw-None-10795", cleared, color, false),
		row("vkCmdDraw-None-10796", info, deep, true), row("vkCmdDraw-None-10797", info, stencil, true),
	})
}
