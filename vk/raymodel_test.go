package vk

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/ray"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// The data of TestRayModel, and the words of its parts. Slot 4i+2g+p is primitive p of geometry g of instance i: a triangle if i is even, a box
// if it is odd.
const (
	modelRays     = 128
	modelSlots    = 16
	modelGeometry = 1 << 19 // offset
	modelData     = 3 << 18 // offset of the block of the shaders
	modelScript   = 8 * modelRays
	modelLog      = modelScript + 12*modelSlots*modelRays
	modelEvents   = 63 // of an invocation, after which the log has a sum alone
	modelBytes    = 4 * (modelLog + 2*(modelEvents+1)*modelRays)
)

// The groups of a pipeline: those of triangles, and those of boxes 4 later.
const (
	modelMiss = 1 + iota
	modelClosest
	modelAny
	modelBoth
	modelNeither
	modelBoxGroups = 4
)

// The actions of an any-hit shader.
const (
	modelAccept = iota
	modelIgnore
	modelTerminate
)

// modelReport is what an intersection shader reports, and what an any-hit shader does then.
type modelReport struct {
	t                       float32
	kind, attribute, action uint32
}

// modelRay is a ray of a launch, with what its shaders do at each slot. A triangle has the action of its first report.
type modelRay struct {
	flags                ray.RayFlags
	mask                 uint32
	from, to             float32
	offset, stride, miss uint32
	origin, direction    float32
	script               [modelSlots][3]modelReport
}

// modelInstance is an instance: z is scaled and moved.
type modelInstance struct {
	scale, move float32
	mask        uint32
	flags       InstanceFlags
	record      uint32
}

// modelScene has one primitive at each distance.
type modelScene struct {
	z         [modelSlots]float32 // in the world
	turned    [modelSlots]bool    // the order of the vertices
	opaque    [modelSlots]bool
	instances [4]modelInstance
	rays      [modelRays]modelRay
	hits      [2 * modelSlots]int // groups of records, those of boxes after those of triangles; −1 is a handle of zeros
	misses    [2]int
}

// modelEvent is an event of a log: what a shader was, and a distance or a sum.
type modelEvent struct{ what, number uint32 }

// newModelScene returns a random scene. All its numbers have few bits: distances are exact.
func newModelScene(r *rand.Rand) *modelScene {
	s := &modelScene{misses: [2]int{modelMiss, -1}}
	for i, at := range r.Perm(modelSlots) {
		s.z[i], s.turned[i] = float32(1+at), r.IntN(2) == 0
		s.opaque[i] = r.IntN(3) == 0
		if i&1 == 1 {
			s.opaque[i] = s.opaque[i-1]
		}
	}
	for i := range s.instances {
		s.instances[i] = modelInstance{
			scale: []float32{1, 2, -1, -0.5}[r.IntN(4)], move: float32(r.IntN(5) - 2), mask: uint32(0xff >> r.IntN(4)),
			flags:  []InstanceFlags{0, 0, 0, InstanceNoCulling, InstanceFlipFacing, InstanceForceOpaque, InstanceForceNoOpaque, InstanceFlipFacing | InstanceForceNoOpaque}[r.IntN(8)],
			record: uint32(i%2*modelSlots + r.IntN(3)),
		}
	}
	for i := range s.hits {
		s.hits[i] = modelClosest + i/modelSlots*modelBoxGroups + []int{0, 1, 2, 2, 2, 3}[r.IntN(6)]
		if r.IntN(10) == 0 {
			s.hits[i] = -1
		}
	}
	for i := range s.rays {
		s.rays[i] = s.newRay(r)
	}
	return s
}

func (s *modelScene) newRay(r *rand.Rand) modelRay {
	one := func(list ...ray.RayFlags) ray.RayFlags { return list[r.IntN(len(list))] }
	x := modelRay{
		flags: one(0, 0, 0, 0, ray.RayOpaque, ray.RayNoOpaque, ray.RayCullOpaque, ray.RayCullNoOpaque) | one(0, 0, ray.RayCullBackFacing, ray.RayCullFrontFacing) |
			one(0, 0, 0, ray.RayTerminateOnFirstHit) | one(0, 0, 0, ray.RaySkipClosestHit),
		mask: uint32(1) << r.IntN(8), to: 100, offset: r.Uint32N(2), stride: r.Uint32N(3), miss: r.Uint32N(2), direction: []float32{1, 2, 0.5}[r.IntN(3)],
	}
	if r.IntN(2) == 0 {
		x.mask = 0xff
	}
	if x.origin = []float32{0, -4, 2.5, 6}[r.IntN(4)]; r.IntN(4) == 0 {
		x.origin, x.direction = x.origin+18, -x.direction
	}
	if r.IntN(3) == 0 {
		x.from, x.to = float32(r.IntN(24))/4, float32(8+r.IntN(60))/4
	}
	for slot := range x.script {
		for i := range x.script[slot] {
			at := (s.z[slot] - x.origin) / x.direction
			t := float32(math.Floor(float64(at)*4))/4 + float32(r.IntN(13)-5)/4
			if r.IntN(6) == 0 {
				t = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), -1, x.from, x.to, x.from - 0.25, x.to + 0.25}[r.IntN(8)]
			}
			x.script[slot][i] = modelReport{t, uint32(i + 4*r.IntN(32)), r.Uint32N(256), []uint32{modelAccept, modelAccept, modelIgnore, modelIgnore, modelTerminate}[r.IntN(5)]}
		}
	}
	return x
}

// modelRun is the state of one invocation of the ray generation shader.
type modelRun struct {
	*modelScene
	events []modelEvent
}

func (m *modelRun) note(what uint32, t float32) {
	m.events = append(m.events, modelEvent{what, math.Float32bits(t)})
}

// committedHit is a hit of a ray.
type committedHit struct {
	slot            int // −1: none
	t               float32
	kind, attribute uint32
	group           int
}

// trace traces ray n as the text of Vulkan, chapter "Ray Traversal", says, in the order of docs/undefined.md, and returns the payload.
func (m *modelRun) trace(n uint32, hash uint32, level int) uint32 {
	x := &m.rays[n]
	hit := committedHit{slot: -1, t: x.to}
	order := make([]int, modelSlots)
	for i := range order {
		order[i] = i
	}
	entry := func(slot int) float32 {
		z := m.z[slot]
		if slot/4%2 == 1 {
			z += 0.4375
			if x.direction < 0 {
				z += 0.125
			}
		}
		return (z - x.origin) / x.direction
	}
	slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, float64(entry(a)-entry(b)))) })
	done := x.from > x.to
	for _, slot := range order {
		if done {
			break
		}
		t, place := entry(slot), &m.instances[slot/4]
		if place.mask&x.mask == 0 {
			continue
		}
		opaque := m.opaque[slot]
		switch {
		case x.flags&ray.RayOpaque != 0:
			opaque = true
		case x.flags&ray.RayNoOpaque != 0:
			opaque = false
		case place.flags&InstanceForceOpaque != 0:
			opaque = true
		case place.flags&InstanceForceNoOpaque != 0:
			opaque = false
		}
		if opaque && x.flags&ray.RayCullOpaque != 0 || !opaque && x.flags&ray.RayCullNoOpaque != 0 {
			continue
		}
		group := m.hits[place.record+uint32(slot/2%2)*x.stride+x.offset]
		if slot/4%2 == 1 {
			exit := t + 0.125/abs(x.direction)
			if exit >= x.from && max(t, x.from) <= hit.t && group >= 0 {
				done = m.intersect(x, slot, group, opaque, &hit, &hash)
			}
			continue
		}
		front := (x.direction*place.scale > 0) != m.turned[slot]
		if place.flags&InstanceFlipFacing != 0 {
			front = !front
		}
		if place.flags&InstanceNoCulling == 0 && (front && x.flags&ray.RayCullFrontFacing != 0 || !front && x.flags&ray.RayCullBackFacing != 0) {
			continue
		}
		if t <= x.from || t >= hit.t {
			continue
		}
		kind := uint32(0xff)
		if front {
			kind = 0xfe
		}
		_, done = m.offer(x, committedHit{slot, t, kind, 0, group}, opaque, x.script[slot][0].action, &hit, &hash)
	}
	if hit.slot < 0 {
		if m.misses[x.miss] >= 0 {
			m.note(6<<24|uint32(x.flags), x.to)
			hash = hash*7 + 100
		}
		return hash
	}
	if kind := modelKind(hit.group); x.flags&ray.RaySkipClosestHit != 0 || kind != modelClosest && kind != modelBoth {
		return hash
	}
	m.note(4<<24|uint32(hit.slot)<<16|hit.kind<<8|hit.attribute, hit.t)
	m.note(5<<24|uint32(x.flags), x.from)
	hash = hash*7 + uint32(hit.slot)
	if level == 0 {
		hash += m.trace((n*5+uint32(hit.slot))%modelRays, hash, 1)
		m.note(9<<24|hit.attribute, math.Float32frombits(hash))
	}
	return hash
}

// modelKind returns the group of triangles with the shaders of a hit group; modelNeither for a handle of zeros.
func modelKind(group int) int {
	if group < 0 {
		return modelNeither
	}
	return modelClosest + (group-modelClosest)%modelBoxGroups
}

func abs(x float32) float32 { return max(x, -x) }

// intersect runs an intersection shader, and returns whether the traversal ends. An any-hit shader that ends the ray ends the intersection
// shader as well; after a hit that ends the ray by its flags, the shader runs on and its reports are false.
func (m *modelRun) intersect(x *modelRay, slot, group int, opaque bool, hit *committedHit, hash *uint32) (done bool) {
	m.note(1<<24|uint32(slot)<<16, hit.t)
	for i, report := range x.script[slot] {
		accepted := uint32(0)
		if !done && report.t >= x.from && report.t <= hit.t {
			var yes bool
			events := len(m.events)
			yes, done = m.offer(x, committedHit{slot, report.t, report.kind, report.attribute, group}, opaque, report.action, hit, hash)
			if report.action == modelTerminate && len(m.events) > events {
				return true
			}
			if yes {
				accepted = 1
			}
		}
		m.note(2<<24|uint32(slot)<<16|uint32(i)<<8|accepted, hit.t)
	}
	return done
}

// offer confirms a hit, by its any-hit shader if it is not opaque and has one.
func (m *modelRun) offer(x *modelRay, of committedHit, opaque bool, action uint32, hit *committedHit, hash *uint32) (accepted, done bool) {
	if kind := modelKind(of.group); !opaque && (kind == modelAny || kind == modelBoth) {
		m.note(3<<24|uint32(of.slot)<<16|of.kind<<8|of.attribute, of.t)
		*hash = *hash*3 + uint32(of.slot) + 1
		switch action {
		case modelIgnore:
			return false, false
		case modelTerminate:
			done = true
		default:
			m.note(8<<24, x.from)
		}
	}
	*hit = of
	return true, done || x.flags&ray.RayTerminateOnFirstHit != 0
}

// modelLines is the log of an invocation: the number of its events, their sum, and the first of them.
type modelLines [2 * (modelEvents + 1)]uint32

func (w *modelLines) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d events", w[0])
	for i := range min(w[0], modelEvents) {
		what, number := w[2+2*i], w[3+2*i]
		fmt.Fprintf(&b, "; %d slot %d %#x at %v", what>>24, what>>16&0xff, what&0xffff, math.Float32frombits(number))
	}
	return b.String()
}

// log returns the log of ray n.
func (s *modelScene) log(n uint32) (w modelLines) {
	m := modelRun{modelScene: s}
	hash := m.trace(n, 1, 0)
	m.note(7<<24, math.Float32frombits(hash))
	for i, e := range m.events {
		w[1] = (w[1]*31+e.what)*31 + e.number
		if i < modelEvents {
			w[2+2*i], w[3+2*i] = e.what, e.number
		}
	}
	w[0] = uint32(len(m.events))
	return w
}

// modelPipeline returns a pipeline with the groups of the model.
func (r *rayScene) modelPipeline(t testing.TB, size uint32) *RayTracingPipeline {
	t.Helper()
	info := RayTracingPipelineInfo{Depth: 2}
	for _, s := range []struct {
		model spirv.ExecutionModel
		name  string
	}{
		{spirv.ExecutionModelRayGenerationKHR, "gen"}, {spirv.ExecutionModelMissKHR, "miss"}, {spirv.ExecutionModelClosestHitKHR, "trihit"},
		{spirv.ExecutionModelAnyHitKHR, "triany"}, {spirv.ExecutionModelClosestHitKHR, "boxhit"}, {spirv.ExecutionModelAnyHitKHR, "boxany"},
		{spirv.ExecutionModelIntersectionKHR, "box"},
	} {
		stage := rayShader(t, "model"+s.name)
		stage.SubgroupSize = size
		info.Stages = append(info.Stages, RayStageInfo{s.model, stage})
	}
	for i := range 2 {
		info.Groups = append(info.Groups, link.Group{Type: enum.GroupTypeGeneral, General: ref(link.Ref(i))})
	}
	for i := range 2 * modelBoxGroups {
		g := link.Group{Type: enum.GroupTypeTrianglesHitGroup}
		first := link.Ref(2)
		if i >= modelBoxGroups {
			g.Type, g.Intersection, first = enum.GroupTypeProceduralHitGroup, ref(6), 4
		}
		shaders := modelClosest + i%modelBoxGroups
		if shaders == modelClosest || shaders == modelBoth {
			g.ClosestHit = ref(first)
		}
		if shaders == modelAny || shaders == modelBoth {
			g.AnyHit = ref(first + 1)
		}
		info.Groups = append(info.Groups, g)
	}
	return r.pipeline(t, info)
}

// modelBuild builds a scene in the structures of the instances and of the top level, and writes the data of its shaders.
func (r *rayScene) modelBuild(t testing.TB, s *modelScene, bottoms []*AccelerationStructure, top *AccelerationStructure) {
	t.Helper()
	b := r.memory.Bytes()
	for i, place := range s.instances {
		build := BuildInfo{Level: BottomLevel, Target: bottoms[i], Scratch: r.at(rayScratch)}
		for g := range 2 {
			at := modelGeometry + 256*(2*i+g)
			for p := range 2 {
				slot := 4*i + 2*g + p
				z := (s.z[slot] - place.move) / place.scale
				if i%2 == 1 {
					a, b := (s.z[slot]+0.4375-place.move)/place.scale, (s.z[slot]+0.5625-place.move)/place.scale
					r.floats(at+24*p, -2, -2, min(a, b), 6, 6, max(a, b))
				} else if s.turned[slot] {
					r.floats(at+36*p, -2, -2, z, 6, -2, z, -2, 6, z)
				} else {
					r.floats(at+36*p, -2, -2, z, -2, 6, z, 6, -2, z)
				}
			}
			x := Geometry{Flags: []GeometryFlags{0, GeometryNoDuplicateAnyHits}[i/2]} // the number of calls is the same
			if s.opaque[4*i+2*g] {
				x.Flags = GeometryOpaque
			}
			if i%2 == 1 {
				x.Boxes = &BoxGeometry{Data: r.at(uint64(at)), Stride: 24}
			} else {
				x.Triangles = &TriangleGeometry{Format: 106, Vertices: r.at(uint64(at)), Stride: 12, MaxVertex: 5}
			}
			build.Geometries, build.Ranges = append(build.Geometries, x), append(build.Ranges, BuildRange{Primitives: 2})
		}
		r.build(t, build)
		r.instance(i, bottoms[i], 0)
		at := rayInstances + instanceBytes*i
		r.floats(at, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, place.scale, place.move)
		binary.LittleEndian.PutUint32(b[at+48:], place.mask<<24|uint32(i))
		binary.LittleEndian.PutUint32(b[at+52:], uint32(place.flags)<<24|place.record)
	}
	r.build(t, r.top(top, uint32(len(s.instances))))
	data := b[modelData:][:0]
	word := binary.LittleEndian.AppendUint32
	for _, x := range s.rays {
		data = word(word(data, uint32(x.flags)), x.mask)
		data = word(word(data, math.Float32bits(x.from)), math.Float32bits(x.to))
		data = word(word(data, x.offset|x.stride<<4|x.miss<<8), math.Float32bits(x.origin))
		data = word(word(data, math.Float32bits(x.direction)), 0)
	}
	for _, x := range s.rays {
		for _, list := range x.script {
			for _, report := range list {
				data = word(word(word(word(data, math.Float32bits(report.t)), report.kind), report.attribute), report.action)
			}
		}
	}
	clear(b[modelData+len(data) : modelData+modelBytes])
}

// TestRayModel traces random rays at triangles and boxes with all six kinds of shaders but callable ones. The shaders store each call with its
// distance, hit kind and attribute; a script says what they report, ignore, accept or end, and closest-hit shaders trace on. All calls, in
// their order, are those of a model of the specification's text. CHIARO_SEEDS=from-to runs other scenes.
func TestRayModel(t *testing.T) {
	from, to := uint64(0), uint64(12)
	if s := os.Getenv("CHIARO_SEEDS"); s != "" {
		if _, err := fmt.Sscanf(s, "%d-%d", &from, &to); err != nil {
			t.Fatal(err)
		}
	}
	engines := []exec.Engine{interp.Engine{}}
	for _, level := range jit.Levels() {
		engines = append(engines, jit.Engine{Level: level})
	}
	var calls [10]int // by kind
	for _, engine := range engines {
		r := newRayScene(t, DeviceInfo{Engine: engine})
		var bottoms []*AccelerationStructure
		for range 4 {
			bottoms = append(bottoms, r.structure(t, BottomLevel))
		}
		top := r.structure(t, TopLevel)
		if err := r.set.Update(Write{Structures: []*AccelerationStructure{top}}, Write{Binding: 1, Buffers: []BufferDescriptor{{r.buffer, modelData, modelBytes}}}); err != nil {
			t.Fatal(err)
		}
		for seed := from; seed < to; seed++ {
			s := newModelScene(rand.New(rand.NewPCG(seed, 29)))
			r.modelBuild(t, s, bottoms, top)
			p := r.modelPipeline(t, uint32(4)<<(seed%5))
			list := func(of []int) func(uint32) int { return func(i uint32) int { return of[i] } }
			tables := ShaderTables{
				RayGen: r.table(t, p, 3, 64, 1, func(uint32) int { return 0 }),
				Miss:   r.table(t, p, 0, 64, uint32(len(s.misses)), list(s.misses[:])),
				Hit:    r.table(t, p, 1, 64, uint32(len(s.hits)), list(s.hits[:])),
			}
			r.run(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, modelRays, 1, 1) })
			p.Close()
			for n := range uint32(modelRays) {
				want := s.log(n)
				got := want
				for i := range got {
					got[i] = r.word(modelData + 4*(modelLog+len(got)*int(n)+i))
				}
				if got != want {
					t.Fatalf("%v, seed %d: the log of ray %d is\n%s\nmust be\n%s", engine, seed, n, &got, &want)
				}
				for i := range min(want[0], modelEvents) {
					calls[want[2+2*i]>>24]++
				}
			}
		}
	}
	for kind, n := range calls[1:] {
		if n < 10*len(engines) {
			t.Errorf("%d calls of kind %d", n, kind+1)
		}
	}
}
