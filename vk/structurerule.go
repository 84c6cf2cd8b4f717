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
	rules     *traceRules
	positions bool // the entry point fetches the positions of the vertices that the query hits
}

// traceRules are the rules on the acceleration structure of an instruction.
type traceRules struct {
	runs   bool   // the instruction runs the shaders of a hit
	level  string // the structure is a top level
	moves  string // it has motion; "" for an instruction without a time
	allows string // the pipeline has the flag for a structure with motion; "" if another rule requires the flag for the instruction
}

// structureRules are the rules by instruction.
var structureRules = map[spirv.Op]*traceRules{
	spirv.OpRayQueryInitializeKHR:                 {level: vuid.RuntimeSpirv_OpRayQueryInitializeKHR_06352},
	spirv.OpTraceRayKHR:                           {runs: true, level: vuid.RuntimeSpirv_OpTraceRayKHR_06359, allows: vuid.RuntimeSpirv_OpTraceRayKHR_06360},
	spirv.OpTraceRayMotionNV:                      {runs: true, level: vuid.RuntimeSpirv_OpTraceRayMotionNV_06365, moves: vuid.RuntimeSpirv_OpTraceRayMotionNV_06365},
	spirv.OpHitObjectTraceRayMotionNV:             {level: vuid.RuntimeSpirv_OpHitObjectTraceRayMotionNV_07709, moves: vuid.RuntimeSpirv_OpHitObjectTraceRayMotionNV_07709},
	spirv.OpHitObjectTraceRayMotionEXT:            {level: vuid.RuntimeSpirv_flags_11876, moves: vuid.RuntimeSpirv_flags_11876},
	spirv.OpHitObjectTraceMotionReorderExecuteEXT: {level: vuid.RuntimeSpirv_flags_11876, moves: vuid.RuntimeSpirv_flags_11876},
}

// addStructures adds the acceleration structures in which an entry point traces rays.
func (u *uses) addStructures(s *shader.Stage, f *facts.Module, e *facts.EntryPoint) {
	if !f.Capable(spirv.CapabilityRayQueryKHR) && !f.Capable(spirv.CapabilityRayTracingKHR) {
		return
	}
	fetched := map[spirv.ID]bool{} // the ray queries whose positions are fetched
	for in := range instructions(f, e) {
		if in.Op() == spirv.OpRayQueryGetIntersectionTriangleVertexPositionsKHR {
			fetched[inst.RayQueryGetIntersectionTriangleVertexPositionsKHR(in).RayQuery()] = true
		}
	}
	for in := range instructions(f, e) {
		var x structureUse
		var structure spirv.ID
		switch in.Op() {
		case spirv.OpRayQueryInitializeKHR:
			v := inst.RayQueryInitializeKHR(in)
			structure, x.positions = v.Accel(), fetched[v.RayQuery()]
		case spirv.OpTraceRayKHR:
			structure = inst.TraceRayKHR(in).Accel()
		case spirv.OpTraceRayMotionNV:
			structure = inst.TraceRayMotionNV(in).Accel()
		case spirv.OpHitObjectTraceRayMotionNV:
			structure = inst.HitObjectTraceRayMotionNV(in).AccelerationStructure()
		case spirv.OpHitObjectTraceRayMotionEXT:
			structure = inst.HitObjectTraceRayMotionEXT(in).AccelerationStructure()
		case spirv.OpHitObjectTraceMotionReorderExecuteEXT:
			structure = inst.HitObjectTraceMotionReorderExecuteEXT(in).AccelerationStructure()
		default:
			continue
		}
		if r := resourceOf(s, f, variableOf(f, structure), ir.UniformBuffer); r != nil {
			x.resourceUse, x.rules = resourceUse{s.Program, r}, structureRules[in.Op()]
			u.structures = append(u.structures, x)
		}
	}
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
	if moves && u.rules.allows != "" && c.rays.pipeline.flags&enum.PipelineFlagsRayTracingAllowMotion == 0 {
		c.find(u.rules.allows, "a ray is traced in %v, which was built with motion, and %v lacks the flag %v; must have it", &a.object, &c.rays.pipeline.object, enum.PipelineFlagsRayTracingAllowMotion)
	}
	switch {
	case built.level != TopLevel:
		c.find(u.rules.level, "a ray is traced in %v, which was built as a bottom level; must be a top level", &a.object)
	case !moves && u.rules.moves != "":
		c.find(u.rules.moves, "a ray with a time is traced in %v, which was built without BuildMotion; must be built with it", &a.object)
	case u.rules.runs && c.positions && !table.fetches(built):
		c.find(vuid.HitTriangleVertexPositionsKHR_None_08751, "all shaders of hits read the positions of vertices, and neither %v nor any of its instances was built with BuildAllowDataAccess; must be", &a.object)
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
