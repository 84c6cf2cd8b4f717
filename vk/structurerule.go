package vk

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// structureUse is an instruction that traces a ray, and the only descriptor of its acceleration structure.
type structureUse struct {
	resourceUse
	traceRules
	positions bool // the entry point fetches the positions of the vertices that the query hits
	generated bool // the entry point generates intersections of the query
	opacity   bool // the entry point has OpacityMicromapIdKHR that is true
}

// traceRules are the rules of an instruction that traces rays. Each is "" if the instruction has none.
type traceRules struct {
	query  bool   // the instruction initializes a ray query
	level  string // the structure is a top level
	motion string // the structure was built with motion
	still  string // the structure was built without motion, or the pipeline allows motion
}

// traced are the rules of the instructions that trace rays.
var traced = map[spirv.Op]traceRules{
	spirv.OpRayQueryInitializeKHR:                 {query: true, level: vuid.RuntimeSpirv_OpRayQueryInitializeKHR_06352},
	spirv.OpTraceRayKHR:                           {level: vuid.RuntimeSpirv_OpTraceRayKHR_06359, still: vuid.RuntimeSpirv_OpTraceRayKHR_06360},
	spirv.OpTraceRayMotionNV:                      {level: vuid.RuntimeSpirv_OpTraceRayMotionNV_06365, motion: vuid.RuntimeSpirv_OpTraceRayMotionNV_06365},
	spirv.OpHitObjectTraceRayMotionNV:             {level: vuid.RuntimeSpirv_OpHitObjectTraceRayMotionNV_07709, motion: vuid.RuntimeSpirv_OpHitObjectTraceRayMotionNV_07709},
	spirv.OpHitObjectTraceRayMotionEXT:            {level: vuid.RuntimeSpirv_flags_11876, motion: vuid.RuntimeSpirv_flags_11876},
	spirv.OpHitObjectTraceMotionReorderExecuteEXT: {level: vuid.RuntimeSpirv_flags_11876, motion: vuid.RuntimeSpirv_flags_11876},
}

// structureOperand returns the acceleration structure of an instruction that traces rays.
func structureOperand(in spirv.Inst) spirv.ID {
	switch in.Op() {
	case spirv.OpTraceRayKHR:
		return inst.TraceRayKHR(in).Accel()
	case spirv.OpTraceRayMotionNV:
		return inst.TraceRayMotionNV(in).Accel()
	}
	return spirv.ID(in[2]) // after the ray query or the hit object
}

// addStructures adds the acceleration structures in which an entry point traces rays.
func (u *uses) addStructures(s *shader.Stage, f *facts.Module, e *facts.EntryPoint) {
	if !f.Capable(spirv.CapabilityRayQueryKHR) && !f.Capable(spirv.CapabilityRayTracingKHR) {
		return
	}
	fetched, generated := map[spirv.ID]bool{}, map[spirv.ID]bool{} // ray queries
	for in := range instructions(f, e) {
		switch in.Op() {
		case spirv.OpRayQueryGetIntersectionTriangleVertexPositionsKHR:
			fetched[inst.RayQueryGetIntersectionTriangleVertexPositionsKHR(in).RayQuery()] = true
		case spirv.OpRayQueryGenerateIntersectionKHR:
			generated[inst.RayQueryGenerateIntersectionKHR(in).RayQuery()] = true
		}
	}
	for in := range instructions(f, e) {
		rules, ok := traced[in.Op()]
		if !ok {
			continue
		}
		x := structureUse{traceRules: rules}
		if rules.query {
			q := inst.RayQueryInitializeKHR(in).RayQuery()
			x.positions, x.generated, x.opacity = fetched[q], generated[q], hasOpacity(f, e)
		}
		if r := resourceOf(s, f, variableOf(f, structureOperand(in)), ir.UniformBuffer); r != nil {
			x.resourceUse = resourceUse{s.Program, r}
			u.structures = append(u.structures, x)
		}
	}
}

// hasOpacity reports whether an entry point has the mode OpacityMicromapIdKHR with an operand that is true, or not known.
func hasOpacity(f *facts.Module, e *facts.EntryPoint) bool {
	m, ok := e.Mode(spirv.ExecutionModeOpacityMicromapIdKHR)
	if !ok || len(m.Operands) == 0 {
		return false
	}
	k := f.Const(spirv.ID(m.Operands[0]))
	return k == nil || !k.Known || k.Bits != 0
}

// readsPositions reports whether an entry point reads the positions of the vertices of the triangle that a ray hits.
func readsPositions(f *facts.Module, e *facts.EntryPoint) bool {
	if !f.Capable(spirv.CapabilityRayTracingPositionFetchKHR) {
		return false
	}
	for in := range instructions(f, e) {
		if in.Op() != spirv.OpLoad {
			continue
		}
		if b, ok := f.BuiltIn(variableOf(f, inst.Load(in).Pointer())); ok && b == spirv.BuiltInHitTriangleVertexPositionsKHR {
			return true
		}
	}
	return false
}

// readsPositions reports whether the pipeline has shaders of hits, and each of them reads the positions of vertices: whichever
// triangle a ray hits, its positions are read.
func (p *RayTracingPipeline) readsPositions() bool {
	hits := false
	for _, s := range p.stages {
		if u := s.uses.of(s.stage); u.hit {
			if !u.positions {
				return false
			}
			hits = true
		}
	}
	return hits
}

// structure checks the structure that a ray is traced in, if it has been built.
func (c *descriptorCheck) structure(u *structureUse) {
	a := c.bound(u.program, u.resource).structure
	if a == nil {
		return
	}
	table := &c.dev.heap.structures
	built := table.content(a)
	if built == nil {
		return
	}
	moves := built.flags&BuildMotion != 0
	switch {
	case built.level != TopLevel:
		c.find(u.level, "a ray is traced in %v, which is not a top level; must be one", &a.object)
	case u.motion != "" && !moves:
		c.find(u.motion, "a ray is traced with a time in %v, which was built without BuildMotion; must be built with it", &a.object)
	case u.still != "" && moves && !c.motion:
		c.find(u.still, "a ray is traced in %v, which was built with BuildMotion; the pipeline must have the flag %v", &a.object, enum.PipelineFlagsRayTracingAllowMotion)
	case u.generated && moves:
		c.find(vuid.RuntimeSpirv_OpRayQueryGenerateIntersectionKHR_06354, "intersections of a ray query are generated in %v, which was built with BuildMotion; must be built without it", &a.object)
	case !u.query && c.positions && !table.fetches(built):
		c.find(vuid.HitTriangleVertexPositionsKHR_None_08751, "all shaders of hits read the positions of vertices, and neither %v nor any of its instances was built with BuildAllowDataAccess; must be", &a.object)
	case !u.query && c.unmapped && table.microMapped(built):
		c.find(vuid.VkCmdTraceRaysKHR_micromap_11640, "all instances of %v were built with opacity micromaps; the pipeline must have the flag %v", &a.object, enum.PipelineFlagsRayTracingOpacityMicromap)
	case u.query && !u.opacity && c.lacksEXT() && table.blocked(built):
		c.find(vuid.VkCmdDraw_micromap_11636, "all instances of %v were built with micromaps that are acceleration structures, and a ray query without OpacityMicromapIdKHR goes through it; the shader must have this mode, with a true operand", &a.object)
	case c.unmixed != "" && table.mixed(built):
		c.find(c.unmixed, "all instances of %v were built with both special micromap indices and others; the pipeline must not exclude them", &a.object)
	case u.positions && !table.fetches(built):
		c.find(vuid.RuntimeSpirv_flags_08761, "the positions of vertices of %v are fetched, and neither it nor any of its instances was built with BuildAllowDataAccess; must be", &a.object)
	}
}

// fetches reports whether the positions of some vertices of a top level may be fetched. Which instance a ray hits is known to a run
// alone.
func (s *structures) fetches(top *content) bool {
	references := top.structure.Handles()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range references {
		if a := s.numbers[n]; a != nil && a.content.flags&BuildAllowDataAccess != 0 {
			return true
		}
	}
	return top.flags&BuildAllowDataAccess != 0 || len(references) == 0
}

// microMapped reports whether all instances of a top level were built with opacity micromaps, whichever a ray meets.
func (s *structures) microMapped(top *content) bool {
	return s.all(top, func(c *content) bool { return c.structure.HasOpacity() })
}

// blocked is microMapped for micromaps that are acceleration structures.
func (s *structures) blocked(top *content) bool {
	return s.all(top, func(c *content) bool { return c.blocks })
}

// lacksEXT reports whether VK_EXT_opacity_micromap is known not to be enabled.
func (c *descriptorCheck) lacksEXT() bool {
	on, known := c.dev.env.Device.Extension("VK_EXT_opacity_micromap")
	return known && !on
}

// mixed reports whether all instances of a top level were built with both special micromap indices and others.
func (s *structures) mixed(top *content) bool {
	return s.all(top, func(c *content) bool { return c.mixed })
}

// all reports whether the bottom levels of all instances of a top level, which has some, are so.
func (s *structures) all(top *content, so func(*content) bool) bool {
	references := top.structure.Handles()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range references {
		if a := s.numbers[n]; a == nil || a.content == nil || a.content.structure == nil || !so(a.content) {
			return false
		}
	}
	return len(references) > 0
}

// unmixed returns the rule of a pipeline with a flag that excludes structures with mixed micromap indices; "" without the flag.
func unmixed(flags enum.PipelineFlags) string {
	if flags&ExcludeMixedMicromaps != 0 {
		return vuid.VkCmdDraw_micromap_11638
	}
	return ""
}

// unmixed is the same for a shader object.
func (s *Shader) unmixed() string {
	if s != nil && s.info.Flags&enum.ObjectFlagsOpacityMicromapDisallowMixedSpecialIndex != 0 {
		return vuid.VkCmdDraw_micromap_11639
	}
	return ""
}

// unmixed is the same for the shader objects of a draw: one of them has the flag.
func (c *combination) unmixed() string {
	for _, s := range c {
		if code := s.unmixed(); code != "" {
			return code
		}
	}
	return ""
}
