package link

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// libraryRules are the rules of graphics pipelines that take in others (Vulkan,
// Graphics Pipeline Libraries).
var libraryRules = func() []Rule {
	out := []Rule{
		{vuid.VkGraphicsPipelineCreateInfo_flags_06682, "a library of both shader parts has a layout without sets that are null"},
		{vuid.VkGraphicsPipelineCreateInfo_flags_06683, "a library that discards all primitives has a layout without sets that are null"},
		{vuid.VkGraphicsPipelineCreateInfo_flags_06642, "a library of shaders has a layout"},
		{vuid.VkGraphicsPipelineCreateInfo_layout_06602, "a pipeline with shaders has a layout"},
		{vuid.VkGraphicsPipelineCreateInfo_None_07826, "a pipeline of all parts without libraries has a layout"},
		{vuid.VkGraphicsPipelineCreateInfo_layout_07827, "the layout of a pipeline that libraries make is compatible with theirs"},
		{vuid.VkGraphicsPipelineCreateInfo_flags_06729, "the layout of a pipeline that libraries of independent sets make, and that is optimized as it is linked, is compatible with the union of theirs but for the flag"},
		{vuid.VkGraphicsPipelineCreateInfo_flags_06730, "the layout of a pipeline that libraries of independent sets make is compatible with the union of theirs"},
		{vuid.VkGraphicsPipelineCreateInfo_pStages_02097, "a pipeline of the vertex input part has vertex input state, or it is dynamic"},
		{vuid.VkGraphicsPipelineCreateInfo_None_04889, "if libraries need equal interpolation, an output of the last stage before the fragment stage has the same interpolation as the fragment input"},
	}
	for _, c := range pairCodes {
		out = append(out,
			Rule{c.same, "the shader parts of a pipeline without independent sets have one layout" + c.where},
			Rule{c.independent, "both shader parts of a pipeline have independent sets, or none" + c.where},
			Rule{c.sets, "a set that both shader parts of a pipeline with independent sets have is the same in both" + c.where},
			Rule{c.used, "a set that both shader parts of a pipeline use is the same in both" + c.where},
			Rule{c.push, "push constants that both shader parts of a pipeline have are the same in both" + c.where},
			Rule{c.null, "no set is null in both shader parts of a pipeline without independent sets" + c.where},
		)
		for _, code := range slices.Compact([]string{c.ownNull, c.otherNull}) {
			out = append(out, Rule{code, "a set that is null in one shader part of a pipeline has no binding for it in the other" + c.where})
		}
	}
	return out
}()

// pairCodes are the rules on the two shader parts of a pipeline: if the pipeline provides
// one of them itself, and if libraries provide both.
var pairCodes = [2]struct {
	where                                                         string
	same, independent, sets, used, push, null, ownNull, otherNull string
}{
	{
		", if a library provides one of them", vuid.VkGraphicsPipelineCreateInfo_flags_06612, vuid.VkGraphicsPipelineCreateInfo_flags_06614,
		vuid.VkGraphicsPipelineCreateInfo_flags_06616, vuid.VkGraphicsPipelineCreateInfo_flags_06618, vuid.VkGraphicsPipelineCreateInfo_flags_06620,
		vuid.VkGraphicsPipelineCreateInfo_flags_06679, vuid.VkGraphicsPipelineCreateInfo_flags_06756, vuid.VkGraphicsPipelineCreateInfo_flags_06757,
	},
	{
		", if libraries provide both", vuid.VkGraphicsPipelineCreateInfo_pLibraries_06613, vuid.VkGraphicsPipelineCreateInfo_pLibraries_06615,
		vuid.VkGraphicsPipelineCreateInfo_pLibraries_06617, vuid.VkGraphicsPipelineCreateInfo_pLibraries_06619, vuid.VkGraphicsPipelineCreateInfo_pLibraries_06621,
		vuid.VkGraphicsPipelineCreateInfo_pLibraries_06681, vuid.VkGraphicsPipelineCreateInfo_pLibraries_06758, vuid.VkGraphicsPipelineCreateInfo_pLibraries_06758,
	},
}

const (
	allParts    = enum.PartsVertexInputInterface | enum.PartsPreRasterizationShaders | enum.PartsFragmentShader | enum.PartsFragmentOutputInterface
	shaderParts = enum.PartsPreRasterizationShaders | enum.PartsFragmentShader
)

// gives returns the parts that a pipeline provides itself. A pipeline that is a library or
// has libraries provides none unless the description lists them
// (VkGraphicsPipelineLibraryCreateInfoEXT).
func (d *Description) gives() enum.Parts {
	switch {
	case d.Parts != 0:
		return d.Parts
	case d.Flags&enum.PipelineFlagsLibrary != 0 || d.Library || len(d.Libraries) > 0:
		return 0
	}
	return allParts
}

// maxLibraries bounds how deep libraries of libraries are followed.
const maxLibraries = 4

// givers returns the pipelines that provide parts of this one: itself and its libraries,
// transitively.
func (d *Description) givers(depth int) []*Description {
	out := []*Description{d}
	if depth < maxLibraries {
		for _, b := range d.Libraries {
			out = append(out, b.givers(depth+1)...)
		}
	}
	return out
}

// giver returns the pipeline of a list that provides a part, or nil if none does.
func giver(list []*Description, p enum.Parts) *Description {
	for _, d := range list {
		if d.gives()&p != 0 {
			return d
		}
	}
	return nil
}

// needed returns the parts of a complete pipeline (Vulkan, Complete Graphics Pipelines): vertex
// input for a vertex stage only, and the parts of fragments unless all primitives are
// discarded.
func needed(list []*Description) enum.Parts {
	need := allParts
	g := giver(list, enum.PartsPreRasterizationShaders)
	if g == nil {
		return need
	}
	if g.Rasterization != nil && g.Rasterization.Discard && !g.dynamic(enum.DynamicStateRasterizerDiscardEnable) {
		need &^= enum.PartsFragmentShader | enum.PartsFragmentOutputInterface
	}
	if slices.ContainsFunc(g.Stages, func(s Shader) bool { return s.Entry != nil && StageOf(s.Entry.Model) == mesh }) {
		need &^= enum.PartsVertexInputInterface
	}
	return need
}

// merged returns the pipeline that its parts make.
func (d *Description) merged() *Description {
	list := d.givers(0)
	out := &Description{Name: d.Name, Kind: d.Kind, Flags: d.Flags, Layout: d.Layout, Robustness: d.Robustness, Env: d.Env, Device: d.Device, asked: d.asked, Commands: d.Commands, HasDynamic: true}
	for _, g := range list {
		out.Stages = append(out.Stages, g.Stages...)
		out.Parts |= g.gives()
		for _, s := range g.Dynamic {
			if !slices.Contains(out.Dynamic, s) {
				out.Dynamic = append(out.Dynamic, s)
			}
		}
		out.HasDynamic = out.HasDynamic && (g.HasDynamic || g.gives() == 0)
	}
	if g := giver(list, enum.PartsVertexInputInterface); g != nil {
		out.Vertex, out.Assembly = g.Vertex, g.Assembly
	}
	if g := giver(list, enum.PartsPreRasterizationShaders); g != nil {
		out.Tessellation, out.Viewport, out.Rasterization, out.ShadingRate = g.Tessellation, g.Viewport, g.Rasterization, g.ShadingRate
		out.Pass, out.Subpass, out.Rendering = g.Pass, g.Subpass, g.Rendering
	}
	if g := giver(list, enum.PartsFragmentShader); g != nil {
		out.DepthStencil = g.DepthStencil
	}
	if g := giver(list, enum.PartsFragmentOutputInterface); g != nil {
		out.Blend, out.Multisample = g.Blend, g.Multisample
		out.Pass, out.Subpass, out.Rendering = g.Pass, g.Subpass, g.Rendering
	}
	if out.Layout == nil {
		out.Layout = union(list)
	}
	need := needed(list)
	unread := slices.ContainsFunc(out.Stages, func(s Shader) bool { return s.Entry == nil })
	if out.Parts&need == need && out.Flags&enum.PipelineFlagsLibrary == 0 && !unread {
		out.Parts = 0
	} else {
		out.Library = true
	}
	return out
}

// takesIn checks a pipeline with libraries: each library, how their layouts fit,
// and the pipeline that they make.
func (l *linker) takesIn(depth int) {
	known := l.libraries(depth)
	l.pair()
	whole := newLinker(l.d.merged())
	whole.pieces = l.d.givers(0)
	whole.judge()
	if v := whole.stage(vertex); v != nil && !l.d.Library && l.d.Flags&enum.PipelineFlagsLibrary == 0 && giver(whole.pieces, enum.PartsVertexInputInterface) == nil {
		whole.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_08894, []Side{entrySide(v)}, "there is a vertex stage and no library has the part %s; must be one", enum.PartsVertexInputInterface)
	}
	for _, f := range whole.found {
		if !known[[2]string{f.Code, f.Message}] && len(l.found) < maxFindings {
			l.found = append(l.found, f)
		}
	}
}

// libraries checks each library by itself and returns its findings, by code and message.
func (l *linker) libraries(depth int) map[[2]string]bool {
	known := map[[2]string]bool{}
	for i, b := range l.d.Libraries {
		own := *b
		own.Env, own.Device, own.asked = l.d.Env, l.d.Device, l.d.asked
		for _, f := range linkAt(&own, depth+1) {
			key := [2]string{f.Code, f.Message}
			if !known[key] && !b.Apart && len(l.found) < maxFindings {
				f.Sides = append(f.Sides, Side{Stage: fmt.Sprintf("library %d", i), Decorations: b.gives().String()})
				l.found = append(l.found, f)
			}
			known[key] = true
		}
	}
	return known
}

// noLayout checks a pipeline that has no layout.
func (l *linker) noLayout() {
	if !l.d.NoLayout || l.d.Layout != nil || l.d.Flags&enum.PipelineFlagsDescriptorHeap != 0 {
		return
	}
	side := []Side{{Stage: "pipeline"}}
	switch l.kind() {
	case ExecutionGraph:
		l.fail(vuid.VkExecutionGraphPipelineCreateInfoAMDX_None_11363, side, "there is no layout; must be one")
	case Compute:
		l.fail(vuid.VkComputePipelineCreateInfo_None_11367, side, "there is no layout; must be one")
	case RayTracing:
		l.fail(vuid.VkRayTracingPipelineCreateInfoKHR_None_11369, side, "there is no layout; must be one")
	case Graphics:
		switch p := l.d.gives(); {
		case l.d.Parts != 0 && p&shaderParts != 0:
			l.fail(vuid.VkGraphicsPipelineCreateInfo_flags_06642, side, "a library of %s has no layout; must have one", p)
			l.fail(vuid.VkGraphicsPipelineCreateInfo_layout_06602, side, "the pipeline has %s and no layout; must have one", p)
		case p == allParts:
			l.fail(vuid.VkGraphicsPipelineCreateInfo_layout_06602, side, "there is no layout; must be one")
			l.fail(vuid.VkGraphicsPipelineCreateInfo_None_07826, side, "the pipeline has all parts, no libraries and no layout; must have a layout")
		}
	}
}

// libraryLayout checks the layout of a pipeline that provides parts of one.
func (l *linker) libraryLayout() {
	p := l.d.Layout
	if p == nil || l.d.Flags&enum.PipelineFlagsDescriptorHeap != 0 || l.d.Parts == 0 {
		return
	}
	null := slices.IndexFunc(p.Sets, func(s Set) bool { return s.Null })
	if null < 0 {
		return
	}
	side := []Side{{Stage: "layout", Slot: fmt.Sprintf("set %d", p.Sets[null].Number), path: fmt.Sprintf("layout.sets.%d", p.Sets[null].Number)}, {Stage: "pipeline", Decorations: l.d.Parts.String()}}
	switch r := l.d.Rasterization; {
	case l.d.Parts&shaderParts == shaderParts:
		l.fail(vuid.VkGraphicsPipelineCreateInfo_flags_06682, side, "set %d is null in a library of both shader parts; must not be", p.Sets[null].Number)
	case l.d.Parts&enum.PartsPreRasterizationShaders != 0 && r != nil && r.Discard:
		l.fail(vuid.VkGraphicsPipelineCreateInfo_flags_06683, side, "set %d is null in a library that discards all primitives; must not be", p.Sets[null].Number)
	}
}
