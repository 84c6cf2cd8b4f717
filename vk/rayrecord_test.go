package vk

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestRecordRules traces with records of shader binding tables that are zero, or of groups for another type of geometry, on both
// engines. A zero record is a fault of a pipeline with a flag against it alone, and one that no ray needs is none.
func TestRecordRules(t *testing.T) {
	const (
		miss         = enum.PipelineFlagsRayTracingNoNullMissShaders
		anyHit       = enum.PipelineFlagsRayTracingNoNullAnyHitShaders
		closestHit   = enum.PipelineFlagsRayTracingNoNullClosestHitShaders
		intersection = enum.PipelineFlagsRayTracingNoNullIntersectionShaders
		triangles    = 2 // groups
		boxes        = 3
	)
	stages := rayStages(t)
	for _, s := range []struct {
		model spirv.ExecutionModel
		name  string
	}{{spirv.ExecutionModelAnyHitKHR, "AnyHitKHR"}, {spirv.ExecutionModelIntersectionKHR, "IntersectionKHR"}} {
		stages = append(stages, RayStageInfo{s.model, StageInfo{Code: code(t, strings.Replace(emptyRays, "RayGenerationKHR", s.name, 1))}})
	}
	groups := append(rayGroups()[:2],
		link.Group{Type: enum.GroupTypeTrianglesHitGroup, ClosestHit: ref(2), AnyHit: ref(3)},
		link.Group{Type: enum.GroupTypeProceduralHitGroup, ClosestHit: ref(2), AnyHit: ref(3), Intersection: ref(4)})
	for _, row := range []struct {
		rule  string // of vkCmdTraceRaysKHR
		flags enum.PipelineFlags
		box   bool // the geometry; else a triangle
		flag  GeometryFlags
		width uint32 // rays: the first one hits, the second one misses
		zero  int    // the table of the zero record: 1 is the one of misses, 2 the one of hits
		group int    // of the hit
	}{
		{"flags-03511", miss, false, GeometryOpaque, 2, 1, triangles},
		{"flags-03512", anyHit, false, 0, 1, 2, triangles},
		{"flags-03513", closestHit, false, GeometryOpaque, 1, 2, triangles},
		{"flags-03514", intersection, true, GeometryOpaque, 1, 2, boxes},
		{"pHitShaderBindingTable-04735", 0, false, GeometryOpaque, 1, 0, boxes},
		{"pHitShaderBindingTable-04735", 0, false, 0, 1, 0, boxes},
		{"pHitShaderBindingTable-04736", 0, true, 0, 1, 0, triangles},
		{"", miss, false, GeometryOpaque, 1, 1, triangles}, // no ray misses
		{"", anyHit, false, GeometryOpaque, 1, 2, triangles},
		{"", closestHit, true, GeometryOpaque, 1, 2, boxes}, // no ray hits without an intersection shader
		{"", 0, false, 0, 2, 1, triangles},
		{"", 0, false, 0, 2, 2, triangles},
		{"", miss | anyHit | closestHit | intersection, false, 0, 2, 0, triangles},
		{"", miss | anyHit | closestHit | intersection, true, 0, 2, 0, boxes},
	} {
		for engine, of := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
			r := newRayScene(t, DeviceInfo{Engine: of})
			bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
			info := r.bottom(bottom, 2)
			info.Geometries[0].Flags = row.flag
			if row.box {
				r.floats(rayBoxes, -1, -1, -1, 2, 2, 1)
				info.Geometries[0] = Geometry{Flags: row.flag, Boxes: &BoxGeometry{Data: r.at(rayBoxes), Stride: 24}}
				info.Ranges[0].Primitives = 1
			}
			r.build(t, info)
			r.instance(0, bottom, 0)
			r.build(t, r.top(top, 1))
			r.write(t, r.set, top)
			p := r.pipeline(t, RayTracingPipelineInfo{Creation: Creation{Flags: row.flags}, Stages: stages, Groups: groups, Depth: 1})
			tables := r.tables(t, p, 0, 1, row.group)
			if row.zero > 0 {
				clear(r.memory.Bytes()[rayTables+64*row.zero:][:GroupHandleSize])
			}
			err := r.submit(t, r.record(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, row.width, 1, 1) }))
			if want := "VUID-vkCmdTraceRaysKHR-" + row.rule; row.rule != "" {
				wantRule(t, err, want)
			} else if err != nil {
				t.Errorf("%s, %+v: %v; must have no error", engine, row, err)
			}
		}
	}
}
