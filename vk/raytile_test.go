package vk

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestRayTiles runs launches with tiles and launches of rows, of each size of subgroups, on both engines: each invocation of a launch
// runs once, and no other one.
func TestRayTiles(t *testing.T) {
	sizes := [][3]uint32{{1, 1, 1}, {1, 9, 1}, {9, 1, 1}, {64, 64, 1}, {65, 33, 2}, {8, 4, 3}, {7, 3, 1}, {31, 31, 1}, {100, 17, 1}, {1, 1 << 17, 1}}
	for engine, of := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		r := newRayScene(t, DeviceInfo{Engine: of})
		const most = 1 << 17
		if err := r.set.Update(Write{Binding: 1, Buffers: []BufferDescriptor{{r.buffer, rayManyRows, 4 * most}}}); err != nil {
			t.Fatal(err)
		}
		for _, subgroup := range []uint32{4, 8, 16, 32, 64} {
			stage := rayShader(t, "cover")
			stage.SubgroupSize = subgroup
			p := r.pipeline(t, RayTracingPipelineInfo{
				Stages: []RayStageInfo{{spirv.ExecutionModelRayGenerationKHR, stage}},
				Groups: []link.Group{{Type: enum.GroupTypeGeneral, General: ref(0)}}, Depth: 1,
			})
			tables := r.tables(t, p, 0)
			tables.Miss, tables.Hit = ShaderTable{}, ShaderTable{}
			for _, n := range sizes {
				count := int(n[0] * n[1] * n[2])
				if testing.Short() && count > 1<<14 {
					continue
				}
				clear(r.memory.Bytes()[rayManyRows:][:4*most])
				r.run(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, n[0], n[1], n[2]) })
				for i := range most {
					want := uint32(0)
					if i < count {
						want = 1
					}
					if got := r.word(rayManyRows + 4*i); got != want {
						t.Fatalf("%s, subgroups of %d, launch %v: invocation %d ran %d times; must be %d", engine, subgroup, n, i, got, want)
					}
				}
			}
		}
	}
}
