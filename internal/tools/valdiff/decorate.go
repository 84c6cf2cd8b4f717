package main

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// decorations generates modules of many kinds of objects, with random decorations on
// random ones.
type decorations struct{ *soup }

// decorated are the types, constants and variables of each module.
const decorated = `%bool = OpTypeBool
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%uv3 = OpTypeVector %uint 3
%mat = OpTypeMatrix %v4 4
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%f1 = OpConstant %float 1
%fv = OpConstantComposite %v4 %f1 %f1 %f1 %f1
%spec = OpSpecConstant %uint 4
%specb = OpSpecConstantTrue %bool
%specop = OpSpecConstantOp %uint IAdd %spec %c1
%size = OpConstantComposite %uv3 %c1 %c1 %c1
%null = OpConstantNull %v4
%undef = OpUndef %float
%arr = OpTypeArray %v4 %c2
%stride = OpTypeArray %v4 %c3
%plain = OpTypeStruct %float %v4
%inner = OpTypeStruct %v4 %float
%ubo = OpTypeStruct %v4 %float %stride %mat
%run = OpTypeRuntimeArray %uint
%ssbo = OpTypeStruct %uint %uint %run
%push = OpTypeStruct %v4 %uint
%io = OpTypeStruct %v4 %v2
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%storage = OpTypeImage %float 2D 0 0 0 2 Rgba8
%sampler = OpTypeSampler
%sampled = OpTypeSampledImage %image
%pf = OpTypePointer Function %v4
%pi = OpTypePointer Input %v4
%pif = OpTypePointer Input %float
%piu = OpTypePointer Input %uint
%po = OpTypePointer Output %v4
%pou = OpTypePointer Output %uint
%pubo = OpTypePointer Uniform %ubo
%puf = OpTypePointer Uniform %v4
%pssbo = OpTypePointer StorageBuffer %ssbo
%psu = OpTypePointer StorageBuffer %uint
%ppush = OpTypePointer PushConstant %push
%pimage = OpTypePointer UniformConstant %image
%pstorage = OpTypePointer UniformConstant %storage
%psampled = OpTypePointer UniformConstant %sampled
%ppriv = OpTypePointer Private %v4
%pw = OpTypePointer Workgroup %uint
%pwa = OpTypePointer Workgroup %arr
%pin = OpTypePointer Private %inner
%fun = OpTypeFunction %float %float %pf
%in0 = OpVariable %pi Input
%in1 = OpVariable %piu Input
%in2 = OpVariable %pif Input
%out0 = OpVariable %po Output
%out1 = OpVariable %pou Output
%vubo = OpVariable %pubo Uniform
%vssbo = OpVariable %pssbo StorageBuffer
%vpush = OpVariable %ppush PushConstant
%vimage = OpVariable %pimage UniformConstant
%vstorage = OpVariable %pstorage UniformConstant
%vsampled = OpVariable %psampled UniformConstant
%vpriv = OpVariable %ppriv Private
%vin = OpVariable %pin Private
%work = OpVariable %pw Workgroup
%f = OpFunction %float None %fun
%pa = OpFunctionParameter %float
%pb = OpFunctionParameter %pf
%fl = OpLabel
%fa = OpFAdd %float %pa %f1
OpReturnValue %fa
OpFunctionEnd`

// decoratedNotes are the decorations that make the module valid.
const decoratedNotes = `OpDecorate %ubo Block
OpDecorate %ssbo Block
OpDecorate %push Block
OpDecorate %stride ArrayStride 16
OpDecorate %run ArrayStride 4
OpMemberDecorate %ubo 0 Offset 0
OpMemberDecorate %ubo 1 Offset 16
OpMemberDecorate %ubo 2 Offset 32
OpMemberDecorate %ubo 3 Offset 96
OpMemberDecorate %ubo 3 ColMajor
OpMemberDecorate %ubo 3 MatrixStride 16
OpMemberDecorate %ssbo 0 Offset 0
OpMemberDecorate %ssbo 1 Offset 4
OpMemberDecorate %ssbo 2 Offset 8
OpMemberDecorate %push 0 Offset 0
OpMemberDecorate %push 1 Offset 16
OpDecorate %vubo DescriptorSet 0
OpDecorate %vubo Binding 0
OpDecorate %vssbo DescriptorSet 0
OpDecorate %vssbo Binding 1
OpDecorate %vimage DescriptorSet 0
OpDecorate %vimage Binding 2
OpDecorate %vstorage DescriptorSet 0
OpDecorate %vstorage Binding 3
OpDecorate %vsampled DescriptorSet 0
OpDecorate %vsampled Binding 4`

const decoratedInterface = `OpDecorate %in0 Location 0
OpDecorate %in1 Location 1
OpDecorate %in1 Flat
OpDecorate %in2 Location 2
OpDecorate %out0 Location 0
OpDecorate %out1 Location 1`

const decoratedBody = `%local = OpVariable %pf Function
OpStore %local %fv
%ld = OpLoad %v4 %vpriv
%add = OpFAdd %v4 %ld %fv
%mul = OpVectorTimesScalar %v4 %add %f1
%ac = OpAccessChain %puf %vubo %c0
%acs = OpAccessChain %psu %vssbo %c0
%lu = OpLoad %uint %acs
%iadd = OpIAdd %uint %lu %c1
%cmp = OpULessThan %bool %lu %c1
%cc = OpCompositeConstruct %v4 %f1 %f1 %f1 %f1
%cast = OpConvertUToF %float %lu
%call = OpFunctionCall %float %f %f1 %local
%img = OpLoad %storage %vstorage
%smp = OpLoad %sampled %vsampled
%tex = OpImageSampleExplicitLod %v4 %smp %fv Lod %f1
OpStore %acs %iadd`

// base starts a module with further lines in its body, and returns the function that ends it.
func (g *decorations) base(more ...string) (end func() string) {
	g.reset()
	g.types = strings.Split(decorated, "\n")
	g.notes = strings.Split(decoratedNotes, "\n")
	g.body = append(strings.Split(decoratedBody, "\n"), more...)
	entry, modes := `OpEntryPoint GLCompute %main "main"`, "OpExecutionMode %main LocalSize 1 1 1"
	uses := " %vubo %vssbo %vpush %vimage %vstorage %vsampled %vpriv %vin %work"
	if g.IntN(2) == 0 {
		entry, modes = `OpEntryPoint Fragment %main "main" %in0 %in1 %in2 %out0 %out1`, "OpExecutionMode %main OriginUpperLeft"
		g.notes = append(g.notes, strings.Split(decoratedInterface, "\n")...)
		g.drop("%pw =", "%pwa =", "%work =")
		uses = strings.TrimSuffix(uses, " %work")
	} else {
		g.drop("%in0 =", "%in1 =", "%in2 =", "%out0 =", "%out1 =")
	}
	if g.version >= 1<<16|4<<8 {
		entry += uses
	}
	for _, l := range append(append([]string{"%main =", "%void =", "%start ="}, g.types...), g.body...) {
		if id, _, ok := strings.Cut(l, " ="); ok {
			g.ids = append(g.ids, id)
		}
	}
	return func() string {
		if g.version < 1<<16|3<<8 {
			g.line(&g.declared, `OpExtension "SPV_KHR_storage_buffer_storage_class"`)
		}
		return g.text(entry, modes)
	}
}

// generate returns the text of a module.
func (g *decorations) generate() string {
	end := g.base()
	constants := []string{"%c0", "%c1", "%c2", "%c3", "%spec", "%specop"}
	targets := g.ids
	for range 1 + g.IntN(2) {
		d := g.pick(spirv.KindDecoration)
		if g.ids = targets; g.IntN(2) == 0 {
			g.ids = constants
		}
		text := d.Name() + g.operands(d.Operands())
		g.ids = targets
		g.decorate(d, text)
	}
	return end()
}

// drop removes lines of types.
func (g *decorations) drop(prefixes ...string) {
	var out []string
next:
	for _, l := range g.types {
		for _, p := range prefixes {
			if strings.HasPrefix(l, p) {
				continue next
			}
		}
		out = append(out, l)
	}
	g.types = out
}

// decorate adds a decoration, in one of its forms.
func (g *decorations) decorate(d *spirv.Row, text string) {
	form := ""
	for _, o := range d.Operands() {
		switch {
		case o.Kind == spirv.KindLiteralString && d.Name() != "LinkageAttributes":
			form = "String"
		case o.Kind.Category() == spirv.CategoryID:
			form = "Id"
		}
	}
	structs := []string{"%plain", "%inner", "%ubo", "%ssbo", "%push", "%io"}
	k := g.IntN(20)
	switch {
	case k < 6 && form != "Id" || k == 19:
		name := "OpMemberDecorate" + form
		if form == "Id" {
			name = "OpMemberDecorate"
		}
		g.notes = append(g.notes, fmt.Sprintf("%s %s %d %s", name, structs[g.IntN(len(structs))], g.IntN(3), text))
	case k == 6:
		g.notes = append(g.notes, "OpDecorate %group "+text, "%group = OpDecorationGroup", "OpGroupDecorate %group "+g.id()+" "+g.id())
	case k == 7:
		g.notes = append(g.notes, "OpDecorate %group "+text, "%group = OpDecorationGroup", fmt.Sprintf("OpGroupMemberDecorate %%group %s %d", structs[g.IntN(len(structs))], g.IntN(3)))
	default:
		g.notes = append(g.notes, "OpDecorate"+form+" "+g.id()+" "+text)
	}
}
