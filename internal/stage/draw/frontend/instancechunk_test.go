package frontend

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// corner is a vertex, and shape a primitive, as shaders see them.
type (
	corner struct{ index, instance uint32 }
	shape  struct {
		v         [3]corner
		provoking corner
		id        uint32
		begins    bool
	}
)

// shapesOf appends the primitives of a chunk.
func shapesOf(to []shape, c *chunk, corners uint32) []shape {
	at := func(n uint32) corner { return corner{c.list[2*n], c.list[2*n+1]} }
	for _, p := range c.primitives {
		x := shape{provoking: at(p.provoking), id: p.id, begins: p.begins}
		for k := range corners {
			x.v[k] = at(p.v[k])
		}
		to = append(to, x)
	}
	return to
}

// instanceWorkers are workers that take chunks of a draw in turn. Their lists stay from draw to draw.
type instanceWorkers struct {
	lists  [3][]*chunk
	m, one Assembler
}

// compare compares the primitives of a draw with instances with a draw of one instance for each of them. next selects the worker that
// takes chunks, up to most.
func (w *instanceWorkers) compare(t *testing.T, name string, a *state.Args, s *state.State, whole bool, next func() (worker, most int)) {
	t.Helper()
	corners := state.Corners(s.Assembly.Topology)
	var got, want []shape
	w.m.Start(a, nil, s, whole)
	for {
		i, most := next()
		list := w.m.Fill(w.lists[i], most)
		if len(list) == 0 {
			break
		}
		for _, c := range list {
			if len(c.primitives) == 0 || len(c.primitives) > chunkPrimitives || c.vertices() > ChunkVertices {
				t.Fatalf("%s: a chunk of %d primitives and %d vertices", name, len(c.primitives), c.vertices())
			}
			got = shapesOf(got, c, corners)
		}
		w.lists[i] = list
	}
	vertices := uint64(0)
	for n := range a.Instances {
		x := *a
		x.Instances, x.FirstInstance = 1, a.FirstInstance+n
		w.one.Start(&x, nil, s, whole)
		for list := w.one.Fill(nil, 1); len(list) > 0; list = w.one.Fill(nil, 1) {
			want = shapesOf(want, list[0], corners)
		}
		vertices += w.one.InputVertices
	}
	if len(got) != len(want) || w.m.InputVertices != vertices && len(want) > 0 {
		t.Fatalf("%s: %d primitives of %d vertices; want %d of %d", name, len(got), w.m.InputVertices, len(want), vertices)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: primitive %d is %v; want %v", name, i, got[i], want[i])
		}
	}
	for i, list := range w.lists {
		kept := 0
		for _, c := range list[:cap(list)] {
			if c != nil {
				kept++
			}
		}
		if kept > maxKeptChunks {
			t.Fatalf("%s: worker %d keeps %d chunks; at most %d", name, i, kept, maxKeptChunks)
		}
	}
}

// TestInstanceChunks compares draws with instances with draws of each instance (Vulkan §"Programmable Primitive Shading": instances
// are drawn in order, and only InstanceIndex differs). Two workers take chunks in turn.
func TestInstanceChunks(t *testing.T) {
	indices := func(n, different uint32) (b []byte) {
		for i := range n {
			b = binary.LittleEndian.AppendUint16(b, uint16(i*7%different))
		}
		return b
	}
	strips := indices(9000, 5000)
	for i := 40; i < len(strips); i += 400 {
		strips[i], strips[i+1] = 255, 255
	}
	var w instanceWorkers
	for _, x := range []struct {
		name string
		a    state.Args
		s    state.Assembly
	}{
		{"one triangle", state.Args{Count: 3}, state.Assembly{Topology: enum.TopologyTriangleList}},
		{"small", state.Args{Count: 6 * 30, Index: indices(6*30, 31), IndexBytes: 2}, state.Assembly{Topology: enum.TopologyTriangleList}},
		{"chunks of 1.5 instances", state.Args{Count: 3 * 2700, Index: indices(3*2700, 3000), IndexBytes: 2, BaseVertex: 5}, state.Assembly{Topology: enum.TopologyTriangleList}},
		{"a little over a chunk", state.Args{Count: 3 * 4097, Index: indices(3*4097, 1200), IndexBytes: 2}, state.Assembly{Topology: enum.TopologyTriangleList}},
		{"several chunks", state.Args{Count: 3*10000 + 2, First: 9}, state.Assembly{Topology: enum.TopologyTriangleList}},
		{"many vertices", state.Args{Count: 3 * 4000, Index: indices(3*4000, 12000), IndexBytes: 2}, state.Assembly{Topology: enum.TopologyTriangleList}},
		{"indices end early", state.Args{Count: 3 * 500, Index: indices(700, 100), IndexBytes: 2}, state.Assembly{Topology: enum.TopologyTriangleList}},
		{"strips", state.Args{Count: 9000, Index: strips, IndexBytes: 2}, state.Assembly{Topology: enum.TopologyTriangleStrip, Restart: true}},
		{"lines", state.Args{Count: 9001}, state.Assembly{Topology: enum.TopologyLineList}},
		{"a fan", state.Args{Count: 300}, state.Assembly{Topology: enum.TopologyTriangleFan}},
		{"more chunks than are kept", state.Args{Count: 3 * 2720 * 20}, state.Assembly{Topology: enum.TopologyTriangleList}},
		{"nothing", state.Args{Count: 2}, state.Assembly{Topology: enum.TopologyTriangleList}},
	} {
		for _, instances := range []uint32{2, 3, 7, 30} {
			if instances*x.a.Count > 1e6 {
				continue
			}
			for most := 1; most <= 8; most += 7 {
				x.a.Instances, x.a.FirstInstance = instances, 11
				worker := 0
				w.compare(t, fmt.Sprintf("%s, %d instances, %d chunks at once", x.name, instances, most), &x.a, &state.State{Assembly: x.s}, false, func() (int, int) {
					worker = 1 - worker
					return worker, most
				})
			}
		}
	}
}

// TestRandomInstanceChunks compares random draws in the same way: all topologies, primitive restart, indices that are out of the buffer,
// counts near the bounds of a chunk, tuples, and workers in random order.
func TestRandomInstanceChunks(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 18))
	var w instanceWorkers
	bounds := []uint32{chunkPrimitives, ChunkVertices, ChunkVertices - maxPatch, ChunkVertices / 2, 3 * chunkPrimitives, 2 * ChunkVertices}
	rounds := 600
	if testing.Short() {
		rounds = 150
	}
	for round := range rounds {
		a := state.Args{Count: random.Uint32N(40), Instances: 1 + random.Uint32N(9), FirstInstance: random.Uint32(), First: random.Uint32N(5)}
		switch random.IntN(4) {
		case 0:
			a.Count = random.Uint32N(9000)
		case 1:
			a.Count = bounds[random.IntN(len(bounds))] - 40 + random.Uint32N(80)
		case 2:
			a.Count, a.Instances = random.Uint32N(20), 1+random.Uint32N(3000)
		}
		topologies := []enum.Topology{
			enum.TopologyPointList, enum.TopologyLineList, enum.TopologyLineStrip, enum.TopologyTriangleList, enum.TopologyTriangleStrip, enum.TopologyTriangleFan,
			enum.TopologyLineListWithAdjacency, enum.TopologyLineStripWithAdjacency, enum.TopologyTriangleListWithAdjacency, enum.TopologyTriangleStripWithAdjacency,
		}
		s := &state.State{}
		s.Assembly.Topology = topologies[random.IntN(len(topologies))]
		s.Rasterization.LastVertex = random.IntN(2) == 0
		if random.IntN(3) > 0 {
			a.IndexBytes = 1 << random.Uint32N(3)
			a.BaseVertex = random.Int32N(9) - 4
			s.Assembly.Restart = random.IntN(2) == 0
			different, restart := 1+random.Uint32N(min(a.Count+1, 1<<(8*a.IndexBytes)-1)), random.Uint32N(30)
			n := a.First + a.Count - min(a.Count, random.Uint32N(200)*random.Uint32N(2))
			a.Index = make([]byte, 0, 4*n+1)
			for range n {
				v := random.Uint32N(different)
				if restart > 0 && random.Uint32N(restart*restart) == 0 {
					v = 1<<32 - 1
				}
				a.Index = append(a.Index, binary.LittleEndian.AppendUint32(nil, v)[:a.IndexBytes]...)
			}
		}
		name := fmt.Sprintf("round %d, topology %d, count %d, instances %d, index bytes %d, restart %t", round, s.Assembly.Topology, a.Count, a.Instances, a.IndexBytes, s.Assembly.Restart)
		workers, most := 1+random.IntN(len(w.lists)), 1+random.IntN(8)
		w.compare(t, name, &a, s, random.IntN(8) == 0, func() (int, int) { return random.IntN(workers), most })
	}
}

// TestInstanceChunksRepeat demands that chunks of later instances keep their primitives.
func TestInstanceChunksRepeat(t *testing.T) {
	const mark = 1 << 30
	var m Assembler
	var list []*chunk
	a := state.Args{Count: 3 * 10000, Instances: 20}
	m.Start(&a, nil, &state.State{Assembly: state.Assembly{Topology: enum.TopologyTriangleList}}, false)
	n := 0
	for {
		if list = m.Fill(list, 3); len(list) == 0 {
			break
		}
		for _, c := range list {
			if c.content.draw != m.repeats.draw || len(c.primitives) == 0 {
				t.Fatalf("chunk %d: its content is unknown", n)
			}
			// From here on a chunk that is assembled again has other numbers.
			if n < 16 { // the chunks of four instances; one that is assembled again would lose the mark
				c.primitives[0].id |= mark
			} else if c.primitives[0].id&mark == 0 {
				t.Fatalf("chunk %d is assembled again", n)
			}
			n++
		}
	}
	if n != 80 {
		t.Errorf("%d chunks; want 80", n)
	}
}
