package vk

import (
	"encoding/binary"
	"strings"
	"testing"
)

// The stages and accesses of acceleration structures.
const (
	structureBuild, structureCopy, raysStage = 1 << 25, 1 << 28, 1 << 21
	structureRead, structureWrite            = 1 << 21, 1 << 22
	tableRead, indirectRead                  = 1 << 40, 1
)

// raced is a scene whose commands are compared, with its structures.
type raced struct {
	*rayScene
	reports               []Report
	bottom, other, copied *AccelerationStructure
	top                   *AccelerationStructure
	pool                  *QueryPool
	tables                ShaderTables
	pipe                  *RayTracingPipeline
	indirect              uint64
}

func newRaced(t *testing.T) *raced {
	u := &raced{}
	u.rayScene = newRayScene(t, DeviceInfo{Sanitize: SanitizeRace, Reports: func(r Report) { u.reports = append(u.reports, r) }})
	for _, a := range []**AccelerationStructure{&u.bottom, &u.other, &u.copied} {
		*a = u.structure(t, BottomLevel)
	}
	u.top = u.structure(t, TopLevel)
	u.pool = must(u.dev.NewQueryPool(QueryPoolInfo{Type: CompactedSize, Count: 1}))(t)
	u.instance(0, u.bottom, 0)
	u.build(t, u.bottomOf(u.bottom), u.bottomOf(u.other))
	binary.LittleEndian.PutUint32(u.memory.Bytes()[rayRanges:], 2)
	u.pipe = u.pipeline(t, RayTracingPipelineInfo{Stages: rayStages(t), Groups: rayGroups(), Depth: 1})
	u.tables = u.rayScene.tables(t, u.pipe, 0, 1, 2)
	_, u.indirect = u.rayScene.arguments(u.tables, [3]uint32{4, 1, 1})
	return u
}

// bottomOf returns a build of two triangles.
func (u *raced) bottomOf(a *AccelerationStructure) BuildInfo { return u.rays.bottom(a, 2) }

// same overwrites bytes of the buffer with their content, as a command of the stage of copies.
func (u *raced) same(c *CommandBuffer, at, n int) {
	c.UpdateBuffer(u.buffer, uint64(at), append([]byte(nil), u.memory.Bytes()[at:at+n]...))
}

// TestStructureRaces runs pairs of commands on acceleration structures with barriers between them. "Accesses to the acceleration structure
// scratch buffers […] must be synchronized with the VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR pipeline stage and an access type
// of (VK_ACCESS_ACCELERATION_STRUCTURE_READ_BIT_KHR | VK_ACCESS_ACCELERATION_STRUCTURE_WRITE_BIT_KHR)", those to structures with the one that
// is appropriate, and to other inputs with VK_ACCESS_SHADER_READ_BIT (vkCmdBuildAccelerationStructuresKHR). Copies are in the stage of
// copies, or in that of builds, and the memory of serialized ones has the accesses of transfers. The record of a shader is read by the
// stage of ray tracing shaders as a shader binding table, or as shaders read.
func TestStructureRaces(t *testing.T) {
	type step = func(u *raced, c *CommandBuffer)
	update := func(at, n int) step { return func(u *raced, c *CommandBuffer) { u.same(c, at, n) } }
	build := func(u *raced, c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{u.bottomOf(u.bottom)}) }
	list := func(u *raced, c *CommandBuffer) { // without indices
		b := u.bottomOf(u.bottom)
		b.Geometries[0].Triangles.IndexSize = 0
		b.Ranges[0].Primitives = 1
		c.BuildAccelerationStructures([]BuildInfo{b})
	}
	indirect := func(u *raced, c *CommandBuffer) {
		b := u.bottomOf(u.bottom)
		b.Ranges = nil
		c.BuildAccelerationStructuresIndirect([]BuildInfo{b}, []IndirectBuild{{Address: u.buffer.Address() + rayRanges, Stride: 16, MaxPrimitives: []uint32{2}}})
	}
	apart := func(b BuildInfo) []BuildInfo { // scratch memory of its own
		b.Scratch.Address += 1024
		return []BuildInfo{b}
	}
	second := func(u *raced, c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{u.bottomOf(u.other)}) }
	secondApart := func(u *raced, c *CommandBuffer) { c.BuildAccelerationStructures(apart(u.bottomOf(u.other))) }
	top := func(u *raced, c *CommandBuffer) { c.BuildAccelerationStructures(apart(u.rays.top(u.top, 1))) }
	pointers := func(u *raced, c *CommandBuffer) {
		b := u.rays.top(u.top, 1)
		b.Geometries[0].Instances = &InstanceGeometry{Pointers: true, Data: u.at(rayPointers)}
		c.BuildAccelerationStructures(apart(b))
	}
	refit := func(u *raced, c *CommandBuffer) {
		b := u.bottomOf(u.other)
		b.Update, b.Source = true, u.bottom
		c.BuildAccelerationStructures(apart(b))
	}
	copied := func(u *raced, c *CommandBuffer) { c.CopyAccelerationStructure(u.bottom, u.copied, false) }
	written := func(u *raced, c *CommandBuffer) {
		c.CopyAccelerationStructureToMemory(u.bottom, u.buffer.Address()+1<<19)
	}
	query := func(u *raced, c *CommandBuffer) {
		c.WriteAccelerationStructureProperties([]*AccelerationStructure{u.bottom}, u.pool, 0)
	}
	trace := func(u *raced, c *CommandBuffer) { u.bind(c, u.pipe); c.TraceRays(u.tables, 4, 1, 1) }
	traceIndirect := func(u *raced, c *CommandBuffer) { u.bind(c, u.pipe); c.TraceRaysIndirect(u.tables, u.indirect) }
	const all = 1 << 62 // no barrier
	for _, k := range []struct {
		name                                 string
		a                                    step
		source, sourceAccess, target, access uint64
		b                                    step
		races                                bool
	}{
		{"vertices", update(rayVertices, 72), all, 0, 0, 0, build, true},
		{"vertices in order", update(rayVertices, 72), transferring, transferWrite, structureBuild, shaderRead, build, false},
		{"vertices by all memory", update(rayVertices, 72), allCommands, memoryWrite, allCommands, memoryRead, build, false},
		{"vertices by another access", update(rayVertices, 72), transferring, transferWrite, structureBuild, structureRead, build, true},
		{"vertices by the stage of copies", update(rayVertices, 72), transferring, transferWrite, structureCopy, shaderRead, build, true},
		{"vertices by the stage of rays", update(rayVertices, 72), transferring, transferWrite, raysStage, shaderRead, build, true},
		{"vertices without indices", update(rayVertices+24, 4), all, 0, 0, 0, list, true},
		{"vertices of no triangle", update(rayVertices+36, 36), all, 0, 0, 0, list, false},
		{"bytes behind the vertices", update(rayVertices+72, 8), all, 0, 0, 0, build, false},
		{"indices", update(rayIndices+8, 4), all, 0, 0, 0, build, true},
		{"indices in order", update(rayIndices+8, 4), transferring, transferWrite, structureBuild, shaderRead, build, false},
		{"unused indices", update(rayIndices, 12), all, 0, 0, 0, list, false},
		{"a read before", build, structureBuild, 0, transferring, 0, update(rayVertices, 72), false},
		{"a read and a write", build, all, 0, 0, 0, update(rayVertices, 72), true},
		{"ranges", update(rayRanges, 16), all, 0, 0, 0, indirect, true},
		{"ranges in order", update(rayRanges, 16), transferring, transferWrite, structureBuild, indirectRead, indirect, false},
		{"ranges as inputs", update(rayRanges, 16), transferring, transferWrite, structureBuild, shaderRead, indirect, true},
		{"instances", update(rayInstances, 64), all, 0, 0, 0, top, true},
		{"instances in order", update(rayInstances, 64), transferring, transferWrite, structureBuild, shaderRead, top, false},
		{"addresses of instances", update(rayPointers, 8), all, 0, 0, 0, pointers, true},
		{"instances at addresses", update(rayInstances, 64), all, 0, 0, 0, pointers, true},
		{"instances at addresses in order", update(rayInstances, 64), transferring, transferWrite, structureBuild, shaderRead, pointers, false},
		{"a bottom level", build, all, 0, 0, 0, top, true},
		{"a bottom level in order", build, structureBuild, structureWrite, structureBuild, structureRead, top, false},
		{"a bottom level that is not available", build, structureBuild, structureRead, structureBuild, structureRead, top, true},
		{"a bottom level as an input", build, structureBuild, structureWrite, structureBuild, shaderRead, top, true},
		{"another bottom level", second, all, 0, 0, 0, top, false},
		{"scratch memory", build, all, 0, 0, 0, second, true},
		{"scratch memory in order", build, structureBuild, structureWrite, structureBuild, structureWrite, second, false},
		{"other scratch memory", build, all, 0, 0, 0, secondApart, false},
		{"the source of an update", build, all, 0, 0, 0, refit, true},
		{"the source of an update in order", build, structureBuild, structureWrite, structureBuild, structureRead, refit, false},
		{"a copy", build, all, 0, 0, 0, copied, true},
		{"a copy in order", build, structureBuild, structureWrite, structureCopy, structureRead, copied, false},
		{"a copy by the stage of builds", build, structureBuild, structureWrite, structureBuild, structureRead, copied, false},
		{"a copy by the stage of transfers", build, structureBuild, structureWrite, transferring, structureRead, copied, true},
		{"a build after a copy", copied, structureCopy, 0, structureBuild, 0, build, false},
		{"a build and a copy", copied, all, 0, 0, 0, build, true},
		{"serialized data", written, all, 0, 0, 0, update(1<<19, 64), true},
		{"serialized data in order", written, structureCopy, transferWrite, transferring, transferWrite, update(1<<19, 64), false},
		{"serialized data as a structure", written, structureCopy, structureWrite, transferring, transferWrite, update(1<<19, 64), true},
		{"a query", build, all, 0, 0, 0, query, true},
		{"a query in order", build, structureBuild, structureWrite, structureBuild, structureRead, query, false},
		{"two queries", query, all, 0, 0, 0, query, false},
		{"a record", update(rayTables, 32), all, 0, 0, 0, trace, true},
		{"a record as a shader reads", update(rayTables, 32), transferring, transferWrite, raysStage, shaderRead, trace, false},
		{"a record as a table", update(rayTables, 32), transferring, transferWrite, raysStage, tableRead, trace, false},
		{"a record as a structure", update(rayTables, 32), transferring, transferWrite, raysStage, structureRead, trace, true},
		{"arguments", update(rayArguments+88, 12), all, 0, 0, 0, traceIndirect, true},
		{"arguments in order", update(rayArguments+88, 12), transferring, transferWrite, drawIndirect2, indirectRead, traceIndirect, false},
		{"arguments by the stage of rays", update(rayArguments+88, 12), transferring, transferWrite, raysStage, indirectRead, traceIndirect, true},
	} {
		u := newRaced(t)
		u.reports = nil
		u.submitted(t, func(c *CommandBuffer) {
			c.Barrier(everything...) // nothing races with the builds before
			k.a(u, c)
			if k.source != all {
				c.Barrier(MemoryDependency{SourceStages: k.source, SourceAccess: k.sourceAccess, TargetStages: k.target, TargetAccess: k.access})
			}
			k.b(u, c)
		})
		if is := len(u.reports) > 0; is != k.races {
			t.Errorf("%s: the reports %+v; must be a race: %v", k.name, u.reports, k.races)
		}
		for _, r := range u.reports {
			if r.Sanitizer != "race" || !strings.Contains(r.Message, "of an earlier command are not ordered") {
				t.Errorf("%s: the report %+v", k.name, r)
			}
		}
	}
}
