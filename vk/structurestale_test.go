package vk

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
)

// staleScene is a device with a top level of four instances, at 0, 10, 20 and 30, and a compute shader that traces a ray at each.
type staleScene struct {
	*rays
	top     *AccelerationStructure
	bottoms [4]*AccelerationStructure
	far     *Memory // of the last bottom level
	trace   func(c *CommandBuffer)
}

func newStaleScene(t *testing.T, engine exec.Engine) *staleScene {
	t.Helper()
	s := &staleScene{rays: newRays(t, DeviceInfo{Engine: engine, DeferFree: true})}
	s.top = s.structure(t, TopLevel)
	s.far = must(s.dev.Allocate(MemoryInfo{Size: 1 << 16, DeviceAddress: true}))(t)
	buffer := must(s.dev.NewBuffer(BufferInfo{Size: 1 << 16, Usage: DeviceAddress | AccelerationStructureStorageArea}))(t)
	if err := buffer.Bind(s.far, 0); err != nil {
		t.Fatal(err)
	}
	for i := range s.bottoms {
		if s.bottoms[i] = s.structure(t, BottomLevel); i == 3 {
			s.bottoms[i] = must(s.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: buffer, Size: 8192, Level: BottomLevel}))(t)
		}
		s.instance(i, s.bottoms[i], float32(10*i))
		s.build(t, s.bottom(s.bottoms[i], 2))
	}
	s.build(t, s.rays.top(s.top, 4))
	p, l := s.tracer(t, queries, 0, 0)
	set := must(must(s.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(l.sets[0]))(t)
	s.write(t, set, s.top)
	s.trace = func(c *CommandBuffer) {
		c.BindPipeline(p)
		c.BindSets(Compute, l, 0, []*Set{set}, nil)
		c.Dispatch(1, 1, 1)
	}
	return s
}

// expect compares the distances of the hits; −1 is a miss.
func (s *staleScene) expect(t *testing.T, what string, want ...float32) {
	t.Helper()
	s.floats(rayOutput, 7, 7, 7, 7)
	s.submitted(t, s.trace)
	for i, x := range want {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(s.memory.Bytes()[rayOutput+4*i:])); got != x {
			t.Errorf("%s: the ray at instance %d has the distance %v; must have %v", what, i, got, x)
		}
	}
}

// TestStaleBottoms traces rays of a shader in a top level after its bottom levels were closed, built again, overwritten by another
// structure, and freed with their memory: an instance has the structure that is at its address then, and is inactive without one.
func TestStaleBottoms(t *testing.T) {
	for name, engine := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		s := newStaleScene(t, engine)
		what := func(step string) string { return fmt.Sprintf("%s, %s", name, step) }
		s.expect(t, what("at first"), 4, 4, 4, 4)

		again := s.bottoms[0].info
		s.bottoms[0].Close()
		s.expect(t, what("one is closed"), -1, 4, 4, 4)
		s.build(t, s.bottom(s.bottoms[1], 1))
		s.expect(t, what("one has another content"), -1, 5, 4, 4)
		over := s.bottoms[2].info
		over.Offset += 4096
		s.build(t, s.bottom(must(s.dev.NewAccelerationStructure(over))(t), 1))
		s.expect(t, what("one is overwritten"), -1, 5, -1, 4)
		if err := s.far.Close(); err != nil {
			t.Fatal(err)
		}
		s.expect(t, what("one has no memory"), -1, 5, -1, -1)

		other := must(s.dev.NewAccelerationStructure(again))(t)
		s.expect(t, what("one without content is in its place"), -1, 5, -1, -1)
		s.build(t, s.bottom(other, 1))
		s.expect(t, what("another one is in its place"), 5, 5, -1, -1)
		update := s.rays.top(s.top, 4)
		update.Update, update.Source = true, s.top
		s.build(t, update)
		s.expect(t, what("the top level is updated"), 5, 5, -1, -1)
		if err := s.dev.CopyAccelerationStructureToMemory(s.top, make([]byte, 4096)); err != nil {
			t.Error(err)
		}
		s.bottoms[1].Close()
		other.Close()
		s.expect(t, what("all are closed"), -1, -1, -1, -1)
	}
}

// TestForeignBottoms builds instances of addresses where no bottom level is: they are inactive.
func TestForeignBottoms(t *testing.T) {
	for name, engine := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		s, foreign := newStaleScene(t, engine), newStaleScene(t, nil)
		closed := s.bottoms[3].Address()
		s.bottoms[3].Close()
		for _, address := range []uint64{0, 1, math.MaxUint64, 1 << 63, closed, s.top.Address(), s.bottoms[0].Address() + 256, s.buffer.Address(), foreign.bottoms[3].Address() + 1<<40} {
			binary.LittleEndian.PutUint64(s.memory.Bytes()[rayInstances+instanceBytes+56:], address)
			s.build(t, s.rays.top(s.top, 3))
			s.expect(t, fmt.Sprintf("%s, an instance of the address %#x", name, address), 4, -1, 4, -1)
		}
	}
}
