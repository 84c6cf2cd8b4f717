package vk

import (
	"encoding/binary"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ray"
)

// wantMoving compares rays at the first three instances of rays.moving at several times: the triangle is at z = 2·time, less what the
// vertices of an update have moved it by, and the instances move by 0, 1 and −1.
func (r *rays) wantMoving(t *testing.T, top *AccelerationStructure, updated float32) {
	t.Helper()
	for _, time := range []float32{0, .25, .5, 1} {
		r.wantAt(t, top, .25, time, 5-2*time+updated*time)
		r.wantAt(t, top, 10.25, time, 5-3*time+updated*time)
		r.wantAt(t, top, 20.25, time, 5-time+updated*time)
		r.wantAt(t, top, 5, time, 0)
	}
}

// TestMotionCopies clones, compacts and serializes moving structures of both levels: the copy is "the same as the original", and so has its
// motion (Vulkan, Copying Acceleration Structures). The data of a top level has the address of its bottom level for each instance.
func TestMotionCopies(t *testing.T) {
	const place = 1 << 19
	r := newRays(t, DeviceInfo{})
	bottom, top := r.motion(t, BottomLevel), r.motion(t, TopLevel)
	r.moving(t, bottom)
	r.build(t, r.movingTop(top, 4))
	r.wantMoving(t, top, 0)
	for _, compact := range []bool{false, true} {
		copied, other := r.motion(t, TopLevel), r.motion(t, BottomLevel)
		r.submitted(t, func(c *CommandBuffer) {
			c.CopyAccelerationStructure(top, copied, compact)
			c.CopyAccelerationStructure(bottom, other, compact)
		})
		r.wantMoving(t, copied, 0)
		for i, transforms := range []int{48, 2 * 48, 2 * 64} { // the instances get the copy
			at := movingInstances + motionStride*i + motionHeader + transforms + 8
			binary.LittleEndian.PutUint64(r.memory.Bytes()[at:], other.Address())
		}
		r.build(t, r.movingTop(copied, 4))
		r.wantMoving(t, copied, 0)
	}

	newBottom, newTop := r.motion(t, BottomLevel), r.motion(t, TopLevel)
	at := r.buffer.Address() + place
	sizes := must(r.dev.AccelerationStructureProperties([]*AccelerationStructure{bottom, top}, SerializationSize))(t)
	r.submitted(t, func(c *CommandBuffer) { c.CopyAccelerationStructureToMemory(top, at) })
	data := r.memory.Bytes()[place:]
	if got := binary.LittleEndian.Uint64(data[32:]); got != sizes[1] {
		t.Errorf("the header has the size %d; must have %d", got, sizes[1])
	}
	n := int(binary.LittleEndian.Uint64(data[48:]))
	for i := range n {
		if got := binary.LittleEndian.Uint64(data[56+8*i:]); got != bottom.Address() && got != 0 {
			t.Errorf("handle %d is %#x; must be that of the bottom level, %#x", i, got, bottom.Address())
		} else if got != 0 {
			binary.LittleEndian.PutUint64(data[56+8*i:], newBottom.Address())
		}
	}
	host := make([]byte, sizes[0])
	if err := r.dev.CopyAccelerationStructureToMemory(bottom, host); err != nil {
		t.Fatal(err)
	}
	if err := r.dev.CopyMemoryToAccelerationStructure(host, newBottom); err != nil {
		t.Fatal(err)
	}
	r.submitted(t, func(c *CommandBuffer) { c.CopyMemoryToAccelerationStructure(at, newTop) })
	r.wantMoving(t, newTop, 0)
	for i := 0; i < len(host); i++ { // no damage of the data leads a ray outside of it
		x := append([]byte(nil), host...)
		x[i] ^= 0x41
		if r.dev.CopyMemoryToAccelerationStructure(x, newBottom) == nil {
			r.trace(newTop, .25, .25)
		}
	}
}

// TestMotionUpdate updates moving structures: the vertices of both times and the instances may change, and nothing else.
func TestMotionUpdate(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	bottom, top := r.motion(t, BottomLevel), r.motion(t, TopLevel)
	r.moving(t, bottom)
	r.build(t, r.movingTop(top, 4))
	r.floats(rayMotion, 0, 0, 1, 1, 0, 1, 0, 1, 1) // to z = 1 instead of 2
	moved := r.at(rayMotion)
	b := r.bottom(bottom, 1)
	b.Flags |= BuildMotion
	b.Geometries[0].Triangles.Moved = &moved
	b.Update, b.Source = true, bottom
	up := r.movingTop(top, 4)
	up.Update, up.Source = true, top
	r.build(t, b, up)
	r.wantMoving(t, top, 1)
}

// TestMotionIndirect builds moving structures with ranges in memory.
func TestMotionIndirect(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	bottom, top := r.motion(t, BottomLevel), r.motion(t, TopLevel)
	r.moving(t, bottom) // which writes the vertices and the instances
	moved := r.at(rayMotion)
	b := r.bottom(bottom, 0)
	b.Flags |= BuildMotion
	b.Geometries[0].Triangles.Moved = &moved
	b.Ranges = nil
	x := r.movingTop(top, 0)
	x.Ranges = nil
	for i, n := range []uint32{1, 0, 0, 0, 4, 0, 0, 0} {
		binary.LittleEndian.PutUint32(r.memory.Bytes()[rayRanges+4*i:], n)
	}
	r.submitted(t, func(c *CommandBuffer) {
		c.BuildAccelerationStructuresIndirect([]BuildInfo{b}, []IndirectBuild{{Address: r.buffer.Address() + rayRanges, Stride: 16, MaxPrimitives: []uint32{1}}})
		c.BuildAccelerationStructuresIndirect([]BuildInfo{x}, []IndirectBuild{{Address: r.buffer.Address() + rayRanges + 16, Stride: 16, MaxPrimitives: []uint32{4}}})
	})
	r.wantMoving(t, top, 0)
}

// TestIndirectRanges builds two geometries whose ranges are in memory at a stride: with offsets of indices, vertices, the matrix and boxes,
// and with fewer primitives than the command permits, also none (VkAccelerationStructureBuildRangeInfoKHR).
func TestIndirectRanges(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
	r.instance(0, bottom, 0)
	r.build(t, r.bottom(bottom, 1), r.top(top, 1))
	const stride = 20
	b := r.bottom(bottom, 0)
	b.Ranges = nil
	b.Geometries[0].Triangles.Transform = BuildData{Address: r.buffer.Address() + rayMatrix - 48}
	plain := *b.Geometries[0].Triangles
	plain.Indices, plain.IndexSize, plain.Transform = BuildData{}, 0, BuildData{}
	b.Geometries = append(b.Geometries, Geometry{Flags: GeometryOpaque, Triangles: &plain})
	r.floats(rayMatrix-48, 1, 0, 0, 50, 0, 1, 0, 0, 0, 0, 1, 0)
	for _, c := range []struct {
		ranges [2][4]uint32
		want   map[float32]string // by the x of the ray
	}{
		// All indices of the first triangle, moved by the second matrix; the second triangle without indices.
		{[2][4]uint32{{1, 0, 0, 48}, {1, 0, 3, 0}}, map[float32]string{10.25: "5 of instance 0 (100), record 7, primitive 0", 50.25: "miss", .25: "4 of instance 0 (100), record 7, primitive 0"}},
		// The indices of the second triangle by an offset, and those of the first one by the first vertex; the first matrix.
		{[2][4]uint32{{1, 6, 0, 0}, {0, 0, 0, 0}}, map[float32]string{50.25: "4 of instance 0 (100), record 7, primitive 0", 10.25: "miss", .25: "miss"}},
		{[2][4]uint32{{1, 0, 3, 0}, {1, 36, 0, 0}}, map[float32]string{50.25: "4 of instance 0 (100), record 7, primitive 0", .25: "4 of instance 0 (100), record 7, primitive 0"}},
		{[2][4]uint32{{0, 0, 0, 0}, {0, 0, 0, 0}}, map[float32]string{50.25: "miss", 10.25: "miss", .25: "miss"}},
		{[2][4]uint32{{2, 0, 0, 48}, {2, 0, 0, 0}}, map[float32]string{10.25: "4 of instance 0 (100), record 7, primitive 1", .25: "4 of instance 0 (100), record 7, primitive 1"}},
	} {
		for i, list := range c.ranges {
			for k, n := range list {
				binary.LittleEndian.PutUint32(r.memory.Bytes()[rayRanges+stride*i+4*k:], n)
			}
		}
		r.submitted(t, func(q *CommandBuffer) {
			q.BuildAccelerationStructuresIndirect([]BuildInfo{b}, []IndirectBuild{{Address: r.buffer.Address() + rayRanges, Stride: stride, MaxPrimitives: []uint32{2, 2}}})
		})
		r.build(t, r.top(top, 1))
		for x, want := range c.want {
			r.want(t, top, x, .25, want)
		}
	}
}

// TestDegenerateUpdate: "degenerate primitives and instances may transition from the degenerate to the non-degenerate state, or vice
// versa, when performing an acceleration structure update". Triangles are degenerate if two vertices are equal, boxes if their corners
// are, spheres and swept spheres without radii, instances whose bottom level has no active primitives.
func TestDegenerateUpdate(t *testing.T) {
	point, flat := []float32{0, 0, 0, 0, 0, 0, 0, 0, 0}, []float32{0, 0, 0, 1, 0, 0, 0, 0, 0}
	whole := []float32{0, 0, 0, 1, 0, 0, 0, 1, 0}
	triangle := func(r *rays, target *AccelerationStructure, list []float32) BuildInfo {
		r.floats(rayVertices, list...)
		return r.bottom(target, 1)
	}
	box := func(r *rays, target *AccelerationStructure, list []float32) BuildInfo {
		r.floats(rayBoxes, list...)
		b := r.bottom(target, 1)
		b.Geometries[0] = Geometry{Boxes: &BoxGeometry{Data: r.at(rayBoxes), Stride: 24}}
		return b
	}
	round := func(swept bool) func(r *rays, target *AccelerationStructure, list []float32) BuildInfo {
		return func(r *rays, target *AccelerationStructure, list []float32) BuildInfo {
			return r.spheres(target, swept, 1, list...)
		}
	}
	for name, c := range map[string]struct {
		build     func(r *rays, target *AccelerationStructure, list []float32) BuildInfo
		nothing   []float32
		something []float32
		may       bool // a degenerate one may be hit
		hit       string
	}{
		"a point":             {triangle, point, whole, false, "5"},
		"a line":              {triangle, flat, whole, false, "5"},
		"a box":               {box, []float32{.25, .25, .5, .25, .25, .5}, []float32{0, 0, 0, 1, 1, 1}, true, ""},
		"a sphere":            {round(false), []float32{.25, .25, 0, 0}, []float32{.25, .25, 0, 1}, true, "4"},
		"a swept sphere":      {round(true), []float32{0, .25, 0, 0, 1, .25, 0, 0}, []float32{0, .25, 0, 1, 1, .25, 0, 1}, true, "4"},
		"a sphere far away":   {round(false), []float32{40, 40, 0, 0}, []float32{.25, .25, 0, 1}, false, "4"},
		"a triangle far away": {triangle, []float32{90, 90, 0, 90, 90, 0, 90, 90, 0}, whole, false, "5"},
	} {
		r := newRays(t, DeviceInfo{})
		bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
		r.instance(0, bottom, 0)
		r.build(t, c.build(r, bottom, c.nothing), r.top(top, 1))
		check := func(when string, something bool) {
			t.Helper()
			got := r.trace(top, .25, .25)
			if q := (ray.Query{Origin: [3]float32{.25, .25, 5}, Direction: [3]float32{0, 0, -1}, TMax: 100, Mask: 255}); c.hit == "" && ray.NewWalker().Next(r.dev.heap.structures.now()[top.number], &q) {
				got = "a box"
			}
			if something && c.hit != "" && got != c.hit+" of instance 0 (100), record 7, primitive 0" || something && got == "miss" || !something && !c.may && got != "miss" {
				t.Errorf("%s, %s: the ray has %q", name, when, got)
			}
		}
		check("built", false)
		for i := range 4 {
			list := c.something
			if i%2 == 1 {
				list = c.nothing
			}
			b, up := c.build(r, bottom, list), r.top(top, 1)
			b.Update, b.Source, up.Update, up.Source = true, bottom, true, top
			r.build(t, b, up)
			check("updated", i%2 == 0)
		}
	}

	// An instance of a bottom level without primitives is a point; an update with another bottom level makes it whole.
	r := newRays(t, DeviceInfo{})
	empty, bottom, top := r.structure(t, BottomLevel), r.structure(t, BottomLevel), r.structure(t, TopLevel)
	r.build(t, r.bottom(empty, 0), r.bottom(bottom, 1))
	r.instance(0, empty, 0)
	r.build(t, r.top(top, 1))
	for i, a := range []*AccelerationStructure{empty, bottom, empty} {
		r.instance(0, a, 0)
		up := r.top(top, 1)
		up.Update, up.Source = true, top
		r.build(t, up)
		r.want(t, top, .25, .25, [...]string{"miss", hitPlane, "miss"}[i])
	}
}

// TestMicromapUpdates updates triangles with micromaps (Acceleration Structure Update Rules): without a flag with the original micromap, or
// with one that is deserialized from its data if the structure is; with a flag for it with another one, whose states the triangles have then.
func TestMicromapUpdates(t *testing.T) {
	states := [4]string{"ignored", "opaque", "non-opaque", "non-opaque"}
	others := [4]string{"non-opaque", "non-opaque", "opaque", "ignored"}
	for _, flag := range []BuildFlags{0, BuildAllowMicromapUpdate, BuildAllowMicromapDataUpdate} {
		r := newMicromaps(t)
		r.dev.checking = All
		m, other, copied := r.micromap(t), r.micromap(t), r.micromap(t)
		r.submitted(t, func(c *CommandBuffer) { c.BuildMicromaps([]MicromapBuild{r.of(m)}) })
		r.memory.Bytes()[rayMicroData] = 0b00011011 // the states from the last to the first
		r.submitted(t, func(c *CommandBuffer) { c.BuildMicromaps([]MicromapBuild{r.of(other)}) })
		bottom, top, second := r.structure(t, BottomLevel), r.structure(t, TopLevel), r.structure(t, BottomLevel)
		geometry := func(target *AccelerationStructure, x *Micromap) BuildInfo {
			b := r.bottom(target, 1)
			b.Flags |= flag
			b.Geometries[0].Triangles.Opacity = &OpacityGeometry{Micromap: x}
			return b
		}
		update := func(b BuildInfo) BuildInfo {
			b.Update, b.Source = true, b.Target
			return b
		}
		parts := func(what string, at float32, want [4]string) {
			t.Helper()
			r.build(t, r.top(top, 1))
			for i, p := range [4][2]float32{{.1, .1}, {.4, .4}, {.8, .1}, {.1, .8}} {
				if t.Run(what, func(t *testing.T) { r.wantOpacity(t, top, at+p[0], p[1], want[i]) }); t.Failed() {
					t.Fatalf("flags %#x", flag)
				}
			}
		}
		r.instance(0, bottom, 0)
		r.build(t, geometry(bottom, m))
		parts("built", 0, states)
		r.floats(rayVertices, 30, 0, 0, 31, 0, 0, 30, 1, 0)
		r.build(t, update(geometry(bottom, m)))
		parts("moved", 30, states)
		if flag != 0 {
			r.build(t, update(geometry(bottom, other)))
			parts("with another micromap", 30, others)
			r.build(t, update(geometry(bottom, m)))
			parts("with the first one again", 30, states)
		}

		n := must(r.dev.AccelerationStructureProperties([]*AccelerationStructure{bottom}, SerializationSize))(t)[0]
		data := make([]byte, n)
		must(0, r.dev.CopyAccelerationStructureToMemory(bottom, data))(t)
		map1 := make([]byte, must(r.dev.MicromapProperties([]*Micromap{m}, MicromapSerializationSize))(t)[0])
		must(0, r.dev.CopyMicromapToMemory(m, map1))(t)
		must(0, r.dev.CopyMemoryToMicromap(map1, copied))(t)
		must(0, r.dev.CopyMemoryToAccelerationStructure(data, second))(t)
		must(0, m.Close())(t)
		r.instance(0, second, 0)
		parts("deserialized", 30, states)
		r.floats(rayVertices, 60, 0, 0, 61, 0, 0, 60, 1, 0)
		r.build(t, update(geometry(second, copied)))
		parts("updated after that", 60, states)
	}
}
