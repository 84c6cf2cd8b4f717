package vk

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ray"
)

const rayMotion = 6144 // offset of moved vertices and of moving instances

// motion makes an acceleration structure of 8 KiB with motion.
func (r *rays) motion(t testing.TB, level StructureLevel) *AccelerationStructure {
	t.Helper()
	a := must(r.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: r.buffer, Offset: r.area, Size: 8192, Level: level, Flags: StructureMotion, Motion: &StructureMotionInfo{MaxInstances: 4}}))(t)
	r.area += 8192
	return a
}

// wantAt compares the distance of a ray down the axis z from x, ¼, 5 on at a time; 0 is a miss.
func (r *rays) wantAt(t *testing.T, a *AccelerationStructure, x, time, want float32) {
	t.Helper()
	q := ray.Query{Origin: [3]float32{x, .25, 5}, Direction: [3]float32{0, 0, -1}, TMax: 100, Mask: 255, Time: time}
	if ray.NewWalker().Next(r.dev.heap.structures.now()[a.number], &q); q.Committed.T != want {
		t.Errorf("%v, ray at %v at time %v: %v; must be %v", a, x, time, q.Committed.T, want)
	}
}

// movingInstances is the offset of four instances: see moving.
const movingInstances = rayMotion + 256

// shifted returns the matrix of a translation along x and z.
func shifted(x, z float32) []float32 { return []float32{1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, z} }

// moving builds a triangle that moves from z = 0 to z = 2, and writes its instances: at x = 0 a static one, at x = 10 one whose matrix
// moves it by 1, at x = 20 one whose decomposition moves it by −1, and one of a type that does not exist.
func (r *rays) moving(t testing.TB, bottom *AccelerationStructure) {
	t.Helper()
	r.floats(rayMotion, 0, 0, 2, 1, 0, 2, 0, 1, 2)
	b := r.bottom(bottom, 1)
	b.Flags |= BuildMotion
	moved := r.at(rayMotion)
	b.Geometries[0].Triangles.Moved = &moved
	r.build(t, b)
	srt := func(x, z float32) []float32 { return []float32{1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, x, 0, z} }
	place := func(i int, kind uint32, parts ...[]float32) {
		at := movingInstances + motionStride*i
		binary.LittleEndian.PutUint32(r.memory.Bytes()[at:], kind)
		at += motionHeader
		binary.LittleEndian.PutUint64(r.memory.Bytes()[rayPointers+8*i:], r.buffer.Address()+uint64(at)|uint64(kind))
		for _, list := range parts {
			r.floats(at, list...)
			at += 4 * len(list)
		}
		binary.LittleEndian.PutUint32(r.memory.Bytes()[at:], 0xff000000)
		binary.LittleEndian.PutUint64(r.memory.Bytes()[at+8:], bottom.Address())
	}
	place(0, staticInstance, shifted(0, 0))
	place(1, matrixInstance, shifted(10, 0), shifted(10, 1))
	place(2, srtInstance, srt(20, 0), srt(20, -1))
	place(3, 5, shifted(0, 4))
}

// movingTop returns a build of the first n instances of moving.
func (r *rays) movingTop(top *AccelerationStructure, n uint32) BuildInfo {
	x := r.top(top, n)
	x.Flags |= BuildMotion
	x.Geometries[0].Instances = &InstanceGeometry{Data: r.at(movingInstances)}
	return x
}

// TestMotionBuild builds moving triangles and moving instances of each type, at a stride, from addresses and on the host, and traces
// rays at several times.
func TestMotionBuild(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	bottom, top := r.motion(t, BottomLevel), r.motion(t, TopLevel)
	r.moving(t, bottom)
	for _, pointers := range []bool{false, true} {
		x := r.movingTop(top, 4)
		if pointers {
			x.Geometries[0].Instances.Pointers = true
			for i := range 4 { // addresses have 16 bytes for each
				a := r.memory.Bytes()[rayPointers+8*i:]
				at := binary.LittleEndian.Uint64(a)
				copy(r.memory.Bytes()[8192+256*i:], r.memory.Bytes()[movingInstances+motionStride*i+motionHeader:][:144])
				binary.LittleEndian.PutUint64(a, r.buffer.Address()+8192+256*uint64(i)+at&7)
			}
			x.Geometries[0].Instances.Data = r.at(rayPointers)
		}
		r.build(t, x)
		for _, time := range []float32{0, 0.5, 1} {
			r.wantAt(t, top, .25, time, 5-2*time)
			r.wantAt(t, top, 10.25, time, 5-3*time)
			r.wantAt(t, top, 20.25, time, 5-time)
			r.wantAt(t, top, 5, time, 0)
		}
	}

	host := r.top(top, 1)
	host.Flags |= BuildMotion
	host.Geometries[0].Instances = &InstanceGeometry{List: []Instance{{Transform: [12]float32(shifted(0, 0)), Mask: 255, Structure: bottom, Motion: &InstanceMotion{Matrix: [12]float32(shifted(0, 2))}}}}
	vertices := r.bottom(bottom, 1)
	vertices.Flags |= BuildMotion
	g := vertices.Geometries[0].Triangles
	g.IndexSize, g.Vertices, g.Moved = 0, BuildData{Host: r.memory.Bytes()[rayVertices:][:36]}, &BuildData{Host: r.memory.Bytes()[rayMotion:][:36]}
	for _, x := range []BuildInfo{vertices, host} {
		if err := r.dev.BuildAccelerationStructures(context.Background(), []BuildInfo{x}); err != nil {
			t.Fatal(err)
		}
	}
	r.wantAt(t, top, .25, 0.5, 3)
}

// TestUncheckedMotion builds motion into structures without its flag, as a device without checks permits: they move as others.
func TestUncheckedMotion(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	r.dev.checking = None
	bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
	r.moving(t, bottom)
	r.build(t, r.movingTop(top, 4))
	for _, time := range []float32{0, 0.5, 1} {
		r.wantAt(t, top, .25, time, 5-2*time)
		r.wantAt(t, top, 10.25, time, 5-3*time)
	}
}

// TestMotionRules checks the rules of motion.
func TestMotionRules(t *testing.T) {
	const build = "VUID-VkAccelerationStructureBuildGeometryInfoKHR-"
	r := newRays(t, DeviceInfo{})
	moves, still := r.motion(t, BottomLevel), r.structure(t, BottomLevel)
	moved := r.at(rayMotion)
	x := r.bottom(moves, 1)
	r.refused(t, build+"dstAccelerationStructure-04927", func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{x}) })
	x = r.bottom(still, 1)
	x.Flags |= BuildMotion
	r.refused(t, build+"flags-04928", func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{x}) })
	x = r.bottom(still, 1)
	x.Geometries[0].Triangles.Moved = &moved
	r.refused(t, "VUID-VkAccelerationStructureCreateInfoKHR-createFlags-04955", func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{x}) })
	x = r.bottom(moves, 1)
	x.Flags |= BuildMotion
	x.Geometries[0].Triangles = &TriangleGeometry{Format: 106, Vertices: BuildData{Host: make([]byte, 36)}, Stride: 12, MaxVertex: 2, Moved: &BuildData{}}
	wantRule(t, r.dev.BuildAccelerationStructures(context.Background(), []BuildInfo{x}), "VUID-vkBuildAccelerationStructuresKHR-pInfos-11820")
	if _, err := r.dev.AccelerationStructureBuildSizes(r.bottom(moves, 1), []uint32{1}); err != nil {
		t.Error(fmt.Errorf("sizes: %w", err))
	}
	_, err := r.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: r.buffer, Offset: r.area, Size: 8192, Level: TopLevel, Flags: StructureMotion})
	wantRule(t, err, "VUID-VkAccelerationStructureCreateInfoKHR-createFlags-04954")
	any := r.motion(t, AnyLevel)
	x = r.bottom(any, 1)
	x.Flags, x.Level = x.Flags|BuildMotion, AnyLevel
	r.refused(t, build+"flags-04929", func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{x}) })
	many := r.movingTop(r.motion(t, TopLevel), 5)
	r.refused(t, "", func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{many}) })
}
