package vk

import (
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// aliasPipeline returns a pipeline of the shaders of TestAliasedPayloads, and its tables.
func (r *rayScene) aliasPipeline(t testing.TB, size uint32) (*RayTracingPipeline, ShaderTables) {
	t.Helper()
	var info RayTracingPipelineInfo
	for _, s := range []struct {
		model spirv.ExecutionModel
		name  string
	}{
		{spirv.ExecutionModelRayGenerationKHR, "aliasgen"}, {spirv.ExecutionModelMissKHR, "aliasmiss"}, {spirv.ExecutionModelCallableKHR, "aliascall"},
		{spirv.ExecutionModelCallableKHR, "aliasleaf"}, {spirv.ExecutionModelClosestHitKHR, "aliashit"}, {spirv.ExecutionModelAnyHitKHR, "aliasany"},
		{spirv.ExecutionModelIntersectionKHR, "aliasbox"},
	} {
		stage := rayShader(t, s.name)
		stage.SubgroupSize = size
		info.Stages = append(info.Stages, RayStageInfo{s.model, stage})
	}
	for i := range 4 {
		info.Groups = append(info.Groups, link.Group{Type: enum.GroupTypeGeneral, General: ref(link.Ref(i))})
	}
	info.Groups = append(info.Groups, link.Group{Type: enum.GroupTypeProceduralHitGroup, ClosestHit: ref(4), AnyHit: ref(5), Intersection: ref(6)})
	info.Depth = 2
	p := r.pipeline(t, info)
	table := func(number, n uint32, first int) ShaderTable {
		return r.table(t, p, number, 64, n, func(i uint32) int { return first + int(i) })
	}
	return p, ShaderTables{RayGen: table(0, 1, 0), Miss: table(1, 1, 1), Callable: table(2, 2, 2), Hit: table(3, 1, 4)}
}

// aliasScene builds a box that is not opaque, and binds its top level.
func (r *rayScene) aliasScene(t testing.TB) {
	t.Helper()
	bottom := BuildInfo{
		Level: BottomLevel, Target: r.structure(t, BottomLevel), Scratch: r.at(rayScratch), Ranges: []BuildRange{{Primitives: 1}},
		Geometries: []Geometry{{Flags: GeometryNoDuplicateAnyHits, Boxes: &BoxGeometry{Data: r.at(rayBoxes), Stride: 24}}},
	}
	top := r.top(r.structure(t, TopLevel), 1)
	r.instance(0, bottom.Target, 0)
	clear(r.memory.Bytes()[rayInstances+52:][:4])
	r.build(t, bottom, top)
	if err := r.set.Update(Write{Structures: []*AccelerationStructure{top.Target}}, Write{Binding: 1, Buffers: []BufferDescriptor{{r.buffer, tableResults, 1 << 16}}}); err != nil {
		t.Fatal(err)
	}
}

// TestAliasedPayloads runs shaders with several payloads and several callable data. All of these variables have the Location 0. The operand
// of the call selects one, and the shaders of a call change this one alone, also if it is the incoming one of the caller. The attributes of
// a hit are the values of its report: later values, later reports that are not accepted, and the hits of inner rays do not change
// them.
func TestAliasedPayloads(t *testing.T) {
	engines := []exec.Engine{interp.Engine{}}
	for _, level := range jit.Levels() {
		engines = append(engines, jit.Engine{Level: level})
	}
	const invocations = 100
	for _, engine := range engines {
		r := newRayScene(t, DeviceInfo{Engine: engine})
		r.aliasScene(t)
		for _, size := range []uint32{4, 8, 16, 32, 64} {
			p, tables := r.aliasPipeline(t, size)
			clear(r.memory.Bytes()[tableResults:][:48*invocations])
			r.run(t, func(c *CommandBuffer) {
				r.bind(c, p)
				c.TraceRays(tables, invocations, 1, 1)
			})
			for x := range uint32(invocations) {
				// The reports at 5, 4.5 (ignored), 4.25 and 4.75 (beyond the hit), and at 4.125 for odd x.
				attribute, second, reports, inner := uint32(3), uint32(30+1), uint32(2123), uint32(123)
				if x%2 == 1 {
					attribute, second, reports, inner = 6, 60+1+4, 21236, 1236
				}
				call := uint32(3)
				if x%3 == 2 {
					call = 3*3 + 1
				}
				want := [12]uint32{
					101000*attribute + second, reports, 2*3 + 1, 4 + 2*50 + 1 + inner,
					5, 6, 2*7 + 1, 8,
					call, 3*10 + 1 + 3*100 + 1,
				}
				var got [12]uint32
				for i := range got {
					got[i] = r.word(tableResults + 48*int(x) + 4*i)
				}
				if got != want {
					t.Fatalf("%s: invocation %d stores %d; must store %d", fmt.Sprintf("%v, subgroups of %d", engine, size), x, got, want)
				}
			}
			p.Close()
		}
	}
}
