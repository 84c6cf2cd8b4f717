package link

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// TestLayout holds the rules of DescriptorSet and Binding Assignment and of push
// constants, for a compute stage.
func TestLayout(t *testing.T) {
	uniform := iface.Resource{Name: "u", Set: 1, Binding: 2, Type: iface.UniformBuffer, Count: 1, Used: true}
	images := iface.Resource{Name: "i", Set: 0, Binding: 0, Type: iface.SampledImage, Count: 3, Arrays: []uint64{3}, Used: true}
	runtime := iface.Resource{Name: "r", Set: 0, Binding: 0, Type: iface.SampledImage, Arrays: []uint64{0}, Used: true}
	unused := uniform
	unused.Used = false
	push := func(first, end uint64) []iface.Push {
		return []iface.Push{{Name: "p", Used: true, Block: iface.Block{Size: end, Members: []iface.Member{{Offset: first, Size: end - first}}}}}
	}
	compute, all := Stages(1<<compute), AllStages
	layout := func(set, binding uint32, kind DescriptorType, count uint32, s Stages) *Layout {
		return &Layout{Sets: []Set{{Number: set, Bindings: []Binding{{Binding: binding, Type: kind, Count: count, Stages: s}}}}}
	}
	ranged := func(offset, size uint32, s Stages) *Layout { return &Layout{Push: []Range{{offset, size, s}}} }
	for _, c := range []struct {
		name   string
		entry  iface.Entry
		layout *Layout
		code   string
	}{
		{"corresponds", iface.Entry{Resources: []iface.Resource{uniform}}, layout(1, 2, "uniform_buffer", 1, compute), ""},
		{"dynamic buffer", iface.Entry{Resources: []iface.Resource{uniform}}, layout(1, 2, UniformBufferDynamic, 1, all), ""},
		{"inline block", iface.Entry{Resources: []iface.Resource{uniform}}, layout(1, 2, InlineUniformBlock, 64, all), ""},
		{"no such set", iface.Entry{Resources: []iface.Resource{uniform}}, layout(0, 2, "uniform_buffer", 1, all), vuid.VkComputePipelineCreateInfo_layout_07988},
		{"no such binding", iface.Entry{Resources: []iface.Resource{uniform}}, layout(1, 3, "uniform_buffer", 1, all), vuid.VkComputePipelineCreateInfo_layout_07988},
		{"not used", iface.Entry{Resources: []iface.Resource{unused}}, &Layout{}, ""},
		{"for another stage", iface.Entry{Resources: []iface.Resource{uniform}}, layout(1, 2, "uniform_buffer", 1, 1<<fragment), vuid.VkComputePipelineCreateInfo_layout_07988},
		{"another type", iface.Entry{Resources: []iface.Resource{uniform}}, layout(1, 2, "storage_buffer", 1, all), vuid.VkComputePipelineCreateInfo_layout_07990},
		{"image in a combined image sampler", iface.Entry{Resources: []iface.Resource{images}}, layout(0, 0, "combined_image_sampler", 3, all), ""},
		{"too few", iface.Entry{Resources: []iface.Resource{images}}, layout(0, 0, "sampled_image", 2, all), vuid.VkComputePipelineCreateInfo_layout_07991},
		{"as long as the layout says", iface.Entry{Resources: []iface.Resource{runtime}}, layout(0, 0, "sampled_image", 2, all), ""},
		{"push constants inside", iface.Entry{PushConstants: push(8, 24)}, ranged(8, 16, compute), ""},
		{"push constants without a range", iface.Entry{PushConstants: push(0, 4)}, ranged(0, 4, 1<<fragment), vuid.VkComputePipelineCreateInfo_layout_07987},
		{"push constants that reach out", iface.Entry{PushConstants: push(0, 20)}, ranged(0, 16, compute), vuid.VkComputePipelineCreateInfo_layout_10069},
		{"push constants before the range", iface.Entry{PushConstants: push(0, 16)}, ranged(4, 16, compute), vuid.VkComputePipelineCreateInfo_layout_10069},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.entry.Model = spirv.ExecutionModelGLCompute
			found := Link(&Description{Layout: c.layout, Stages: []Shader{shader(t, c.entry)}})
			switch {
			case c.code == "" && len(found) > 0:
				t.Errorf("found %s: %s; must be nothing", found[0].Code, found[0].Message)
			case c.code != "" && (len(found) != 1 || found[0].Code != c.code):
				t.Errorf("found %v; must be %s", found, c.code)
			}
		})
	}
}

// TestStages tests the rules on the combination of stages.
func TestStages(t *testing.T) {
	entry := func(m spirv.ExecutionModel, modes ...iface.Mode) iface.Entry {
		return iface.Entry{Model: m, Modes: modes}
	}
	const (
		v  = spirv.ExecutionModelVertex
		tc = spirv.ExecutionModelTessellationControl
		te = spirv.ExecutionModelTessellationEvaluation
		g  = spirv.ExecutionModelGeometry
		f  = spirv.ExecutionModelFragment
		me = spirv.ExecutionModelMeshEXT
	)
	mode := func(m spirv.ExecutionMode, operands ...uint32) iface.Mode {
		return iface.Mode{Mode: m, Operands: operands}
	}
	three, tri := mode(spirv.ExecutionModeOutputVertices, 3), mode(spirv.ExecutionModeTriangles)
	for _, c := range []struct {
		name   string
		stages []iface.Entry
		code   string
	}{
		{"vertex and fragment", []iface.Entry{entry(v), entry(f)}, ""},
		{"mesh and fragment", []iface.Entry{entry(me), entry(f)}, ""},
		{"fragment alone", []iface.Entry{entry(f)}, vuid.VkGraphicsPipelineCreateInfo_stage_02096},
		{"vertex twice", []iface.Entry{entry(v), entry(v)}, vuid.VkGraphicsPipelineCreateInfo_stage_06897},
		{"vertex and mesh", []iface.Entry{entry(v), entry(me)}, vuid.VkGraphicsPipelineCreateInfo_pStages_02095},
		{"tessellation", []iface.Entry{entry(v), entry(tc, three), entry(te, tri)}, ""},
		{"no evaluation", []iface.Entry{entry(v), entry(tc, three)}, vuid.VkGraphicsPipelineCreateInfo_pStages_00729},
		{"no control", []iface.Entry{entry(v), entry(te, tri)}, vuid.VkGraphicsPipelineCreateInfo_pStages_00730},
		{"no subdivision", []iface.Entry{entry(v), entry(tc, three), entry(te)}, vuid.VkGraphicsPipelineCreateInfo_pStages_00732},
		{"two subdivisions", []iface.Entry{entry(v), entry(tc, three, mode(spirv.ExecutionModeQuads)), entry(te, tri)}, vuid.VkGraphicsPipelineCreateInfo_pStages_00733},
		{"no size of patches", []iface.Entry{entry(v), entry(tc), entry(te, tri)}, vuid.VkGraphicsPipelineCreateInfo_pStages_00734},
		{"two sizes of patches", []iface.Entry{entry(v), entry(tc, three), entry(te, tri, mode(spirv.ExecutionModeOutputVertices, 4))}, vuid.VkGraphicsPipelineCreateInfo_pStages_00735},
		{"geometry of other primitives", []iface.Entry{entry(v), entry(tc, three), entry(te, tri), entry(g, mode(spirv.ExecutionModeInputLines))}, vuid.VkGraphicsPipelineCreateInfo_pStages_00739},
		{"capture that is not last", []iface.Entry{entry(v, mode(spirv.ExecutionModeXfb)), entry(g, tri)}, vuid.VkGraphicsPipelineCreateInfo_pStages_02318},
		{"two captures", []iface.Entry{entry(v, mode(spirv.ExecutionModeXfb)), entry(g, tri, mode(spirv.ExecutionModeXfb))}, vuid.VkGraphicsPipelineCreateInfo_pStages_02317},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &Description{}
			for _, e := range c.stages {
				d.Stages = append(d.Stages, shader(t, e))
			}
			found := Link(d)
			if c.code == "" {
				if len(found) > 0 {
					t.Errorf("found %s: %s; must be nothing", found[0].Code, found[0].Message)
				}
				return
			}
			for _, x := range found {
				if x.Code == c.code {
					return
				}
			}
			t.Errorf("found %v; must have %s", found, c.code)
		})
	}
}

// TestSameBinding holds that each binding of a set has its own number, which no
// description in YAML can break.
func TestSameBinding(t *testing.T) {
	set := Set{Bindings: []Binding{{Binding: 1, Type: "sampler", Count: 1}, {Binding: 1, Type: "sampler", Count: 1}}}
	found := Link(&Description{Layout: &Layout{Sets: []Set{set}}})
	if len(found) != 1 || found[0].Code != vuid.VkDescriptorSetLayoutCreateInfo_binding_00279 {
		t.Errorf("two bindings of one number: found %v; must be %s", found, vuid.VkDescriptorSetLayoutCreateInfo_binding_00279)
	}
	set.Bindings[1].Binding = 2
	if found := Link(&Description{Layout: &Layout{Sets: []Set{set}}}); len(found) != 0 {
		t.Errorf("two bindings of two numbers: found %v; must be nothing", found)
	}
}
