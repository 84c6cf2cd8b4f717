package draw_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// partialOutputs are the outputs of a partial mesh program: the first partialVertex are of vertices, the next ones of primitives, and the
// last two are counts.
var partialOutputs = []string{
	"position f32 0", "position f32 1", "position f32 2", "position f32 3", "location f32 5", "pointsize f32 0",
	"location f32 4 perprimitive", "location f32 6 perprimitive", "cullprimitive i32 0 perprimitive",
	"primitiveindices i32 0 perprimitive", "primitiveindices i32 1 perprimitive", "primitiveindices i32 2 perprimitive",
	"vertexcount i32 0", "primitivecount i32 0",
}

const (
	partialVertex, partialCull, partialIndices, partialCounts = 6, 8, 9, 12

	partialRounds = 2  // stores of an invocation to an output
	partialGroups = 12 // workgroups
)

// partialStore is a store of an invocation to element at of an output, unless it is left out.
type partialStore struct{ stores, at, value uint32 }

// partialMesh is a mesh program whose invocations store to some outputs, as its buffer says, and what the workgroups output.
type partialMesh struct {
	r                                    *rand.Rand
	corners, local, vertices, primitives int
	data                                 []byte
	outputs                              [partialGroups][][]uint32 // by output and element; 0 without a store
}

func newPartialMesh(seed uint64) *partialMesh {
	r := rand.New(rand.NewPCG(seed, 22))
	m := &partialMesh{r: r, corners: 1 + r.IntN(3), local: []int{1, 5, 16, 33, 64}[r.IntN(5)], vertices: 3 + r.IntN(40), primitives: 1 + r.IntN(40)}
	for g := range m.outputs {
		list := make([]partialStore, m.local*partialRounds*len(partialOutputs))
		for k := range partialOutputs {
			values := make([]uint32, m.elements(k))
			m.outputs[g] = append(m.outputs[g], values)
			m.fill(list, k, values)
		}
		for _, x := range list {
			for _, w := range []uint32{x.stores, x.at, x.value} {
				m.data = binary.LittleEndian.AppendUint32(m.data, w)
			}
		}
	}
	return m
}

// elements returns the number of elements of output k.
func (m *partialMesh) elements(k int) int {
	switch {
	case k >= partialCounts:
		return 1
	case k >= partialVertex:
		return m.primitives
	}
	return m.vertices
}

// fill sets the stores to output k, of all invocations and rounds, and the values of its elements. No two stores are to one element, but the
// equal ones to a count; some are beyond the last element.
func (m *partialMesh) fill(list []partialStore, k int, values []uint32) {
	r, n := m.r, m.local*partialRounds
	places := r.Perm(max(n, len(values)+3))
	count := m.value(k)
	for i := range n {
		x := &list[i*len(partialOutputs)+k]
		*x = partialStore{at: uint32(places[i]), value: m.value(k)}
		if r.IntN(16) > 0 {
			x.stores = 1
		}
		if k >= partialCounts {
			x.at, x.value = 0, count
			if i > 0 && r.IntN(2) == 0 {
				x.stores = 0
			}
		}
		if x.stores != 0 && int(x.at) < len(values) {
			values[x.at] = x.value
		}
	}
}

// value returns a value for an element of output k.
func (m *partialMesh) value(k int) uint32 {
	r := m.r
	switch {
	case k >= partialCounts:
		return uint32(r.IntN(m.elements(6*(k-partialCounts)) + 4))
	case k >= partialIndices:
		return uint32(r.IntN(m.vertices + m.vertices/8))
	case k == partialCull:
		return uint32(r.IntN(8) / 7)
	case k < 2:
		return math.Float32bits(2.4*r.Float32() - 1.2)
	case k == 3:
		return math.Float32bits(1 + float32(r.IntN(4)/3))
	case k == partialVertex-1:
		return math.Float32bits(1 + 4*r.Float32())
	}
	return math.Float32bits(r.Float32())
}

// mesh returns the text of the mesh program.
func (m *partialMesh) mesh() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program \"partial\" mesh\nsubgroup 16\nlocal %d 1 1\nmodes %s\noutputvertices %d\noutputprimitives %d\nin localindex i32 0\nin workgroup.x i32 0\n",
		m.local, []string{"outputpoints", "outputlines", "outputtriangles"}[m.corners-1], m.vertices, m.primitives)
	for _, o := range partialOutputs {
		fmt.Fprintf(&b, "out %s\n", o)
	}
	size := 12 * partialRounds * len(partialOutputs) // bytes of an invocation
	fmt.Fprintf(&b, "res storage 0 1 count 1 nonwritable\nfunc \"main\"() L1 {\nv1 = in.i32 #0\nv2 = in.i32 #1\nv3 = mul.i32 v2, %d:i32\nv4 = add.i32 v3, v1\n"+
		"v5 = mul.i32 v4, %d:i32\nv6 = res 0:i32, #0\n", m.local, size)
	next := 10
	for i := range partialRounds * len(partialOutputs) {
		k, at := i%len(partialOutputs), 12*i
		kind := strings.Fields(partialOutputs[k])[1]
		fmt.Fprintf(&b, "v%d = ld.i32 v6, v5, #%d\nv%d = eq.i32 v%d, 1:i32\nif v%d {\nv%d = ld.i32 v6, v5, #%d\nv%d = ld.%s v6, v5, #%d\noutat.%s v%d, v%d, #%d\n}\n",
			next, at, next+1, next, next+1, next+2, at+4, next+3, kind, at+8, kind, next+2, next+3, k)
		next += 4
	}
	return b.String() + "}"
}

// partialVertexText is a vertex program that outputs what a buffer has for each vertex.
const partialVertexText = `
program "partial" vertex
subgroup 16
local 1 1 1
in vertexindex i32 0
out position f32 0
out position f32 1
out position f32 2
out position f32 3
out location f32 5
out pointsize f32 0
out location f32 4
out location f32 6
res storage 0 1 count 1 nonwritable
func "main"() L1 {
	v1 = in.i32 #0
	v2 = mul.i32 v1, 32:i32
	v3 = res 0:i32, #0
	v10 = ld.f32 v3, v2, #0
	out.f32 v10, #0
	v11 = ld.f32 v3, v2, #4
	out.f32 v11, #1
	v12 = ld.f32 v3, v2, #8
	out.f32 v12, #2
	v13 = ld.f32 v3, v2, #12
	out.f32 v13, #3
	v14 = ld.f32 v3, v2, #16
	out.f32 v14, #4
	v15 = ld.f32 v3, v2, #20
	out.f32 v15, #5
	v16 = ld.f32 v3, v2, #24
	out.f32 v16, #6
	v17 = ld.f32 v3, v2, #28
	out.f32 v17, #7
}`

// drawn returns the outputs of the vertices of all primitives that are drawn: their number is less than that of the workgroup, they are
// not culled, and the workgroup has their vertices.
func (m *partialMesh) drawn() (list []byte) {
	for _, o := range m.outputs {
		vertices, primitives := min(o[partialCounts][0], uint32(m.vertices)), min(o[partialCounts+1][0], uint32(m.primitives))
	next:
		for p := range primitives {
			if o[partialCull][p] != 0 {
				continue
			}
			for c := range m.corners {
				if o[partialIndices+c][p] >= vertices {
					continue next
				}
			}
			for c := range m.corners {
				for k := range partialVertex {
					list = binary.LittleEndian.AppendUint32(list, o[k][o[partialIndices+c][p]])
				}
				for k := partialVertex; k < partialCull; k++ {
					list = binary.LittleEndian.AppendUint32(list, o[k][p])
				}
			}
		}
	}
	return list
}

// TestPartialMeshes draws by random mesh programs of which only some invocations store outputs, in no order, some of them beyond the
// declared numbers, and with indices of vertices that the workgroup does not have. Outputs without a store are 0 (docs/undefined.md). The
// picture is the one of the same vertices through a vertex program, with each engine, size of subgroups and number of workers.
// CHIARO_SEEDS=from-to runs others.
func TestPartialMeshes(t *testing.T) {
	from, to := uint64(0), uint64(6)
	if s := os.Getenv("CHIARO_SEEDS"); s != "" {
		if _, err := fmt.Sscanf(s, "%d-%d", &from, &to); err != nil {
			t.Fatal(err)
		}
	}
	flat := strings.NewReplacer("in location f32 4", "in location f32 4 flat", "in location f32 6", "in location f32 6 flat").Replace(shownText)
	drawn := 0
	for seed := from; seed < to; seed++ {
		m := newPartialMesh(seed)
		list := m.drawn()
		topology := []enum.Topology{enum.TopologyPointList, enum.TopologyLineList, enum.TopologyTriangleList}[m.corners-1]
		everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
			plain, meshes := blank(t, 40, 40, "R32G32B32A32_SFLOAT"), blank(t, 40, 40, "R32G32B32A32_SFLOAT")
			s := full(plain)
			s.Assembly.Topology = topology
			shader := func(data []byte) compute.Args {
				return compute.Args{Workers: workers, Bindings: map[compute.Binding][]exec.Buffer{{Binding: 1}: {{Bytes: data}}}}
			}
			fragment := parse(t, flat, subgroup)
			if len(list) > 0 {
				paint(t, e, draw.Stages{Vertex: parse(t, partialVertexText, subgroup), Fragment: fragment}, s, plain, state.Args{Count: uint32(len(list) / 32), Shader: shader(list)})
			}
			paint(t, e, draw.Stages{Mesh: parse(t, m.mesh(), subgroup), Fragment: fragment}, s, meshes,
				state.Args{Mesh: true, Tasks: [3]uint32{partialGroups, 1, 1}, Shader: shader(m.data)})
			if !bytes.Equal(plain.bytes(0), meshes.bytes(0)) {
				t.Errorf("seed %d: another picture than the vertex program's", seed)
			}
			if bytes.ContainsFunc(meshes.bytes(0), func(r rune) bool { return r != 0 }) {
				drawn++
			}
			return meshes.bytes(0)
		})
	}
	if drawn == 0 {
		t.Error("nothing is drawn")
	}
}
