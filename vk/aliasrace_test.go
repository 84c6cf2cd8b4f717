package vk

import (
	"testing"
)

// TestAliasedRaces: the memory of an access is what two descriptors share, whatever their names (Vulkan, "Memory Model", "Memory
// Location"). Each invocation loads x[i], loads y[i] and stores to y[i].
func TestAliasedRaces(t *testing.T) {
	for _, c := range []struct {
		name   string
		offset uint64 // of x in the buffer y
		apart  bool   // x has memory of its own
		times  uint64
	}{
		{"own element", 0, false, 0},
		{"element of another invocation", 16, false, 4},
		{"other memory", 0, true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var reports []Report
			r := newRig(t, DeviceInfo{Sanitize: SanitizeRace, Reports: func(r Report) { reports = append(reports, r) }}, storage)
			x := BufferDescriptor{r.y, c.offset, 32}
			if c.apart {
				x = BufferDescriptor{r.x, 0, 32}
			}
			if err := r.set.Update(Write{Binding: 0, Buffers: []BufferDescriptor{x}}); err != nil {
				t.Fatal(err)
			}
			err := r.submit(t, r.record(t, func(c *CommandBuffer) {
				c.BindPipeline(r.saxpy)
				c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
				c.PushConstants(r.pipeline, 0, push(2))
				c.Dispatch(2, 1, 1)
			}))
			if err != nil {
				t.Fatal(err)
			}
			n := uint64(0)
			for _, x := range reports {
				n += x.Times
			}
			if n != c.times {
				t.Errorf("%d races in %+v; must be %d", n, reports, c.times)
			}
		})
	}
}
