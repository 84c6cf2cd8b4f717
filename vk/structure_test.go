package vk

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ray"
	"github.com/chiaro-gpu/chiaro/link"
)

// rays is a device with memory for acceleration structures and their inputs.
type rays struct {
	*rig
	memory *Memory
	buffer *Buffer
	area   uint64 // offset of the next structure
}

// Offsets of the inputs in the buffer of rays.
const (
	rayVertices  = 0
	rayIndices   = 1024
	rayMatrix    = 1152
	rayBoxes     = 1280
	rayInstances = 2048
	rayPointers  = 3072
	rayRanges    = 3584
	rayScratch   = 4096
	rayArea      = 1 << 16
)

// structureBinding is a binding of an acceleration structure.
var structureBinding = []link.Binding{{Type: link.AccelerationStructure, Count: 1, Stages: link.AllStages}}

func newRays(t testing.TB, info DeviceInfo) *rays {
	t.Helper()
	r := &rays{rig: newRig(t, info, storage), area: rayArea}
	r.memory = must(r.dev.Allocate(MemoryInfo{Size: 1 << 20, DeviceAddress: true}))(t)
	r.buffer = must(r.dev.NewBuffer(BufferInfo{Size: 1 << 20, Usage: DeviceAddress | AccelerationStructureBuildInput | AccelerationStructureStorageArea | IndirectBuffer | StorageBuffer | TransferTarget}))(t)
	if err := r.buffer.Bind(r.memory, 0); err != nil {
		t.Fatal(err)
	}
	// A triangle in the plane z = 0, and its vertices in the other order at z = 1.
	r.floats(rayVertices, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1)
	for i, n := range []uint16{0, 1, 2, 3, 5, 4} {
		binary.LittleEndian.PutUint16(r.memory.Bytes()[rayIndices+2*i:], n)
	}
	r.floats(rayMatrix, 1, 0, 0, 10, 0, 1, 0, 0, 0, 0, 1, 0)
	r.floats(rayBoxes, 0, 0, 0, 1, 1, 1)
	return r
}

func (r *rays) floats(at int, list ...float32) {
	for i, x := range list {
		binary.LittleEndian.PutUint32(r.memory.Bytes()[at+4*i:], math.Float32bits(x))
	}
}

func (r *rays) at(offset uint64) BuildData { return BuildData{Address: r.buffer.Address() + offset} }

// structure makes an acceleration structure of 8 KiB.
func (r *rays) structure(t testing.TB, level StructureLevel) *AccelerationStructure {
	t.Helper()
	a := must(r.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: r.buffer, Offset: r.area, Size: 8192, Level: level}))(t)
	r.area += 8192
	return a
}

// bottom returns a build of the first n of the two triangles.
func (r *rays) bottom(target *AccelerationStructure, n uint32) BuildInfo {
	return BuildInfo{
		Level: BottomLevel, Target: target, Flags: BuildAllowCompaction | BuildAllowUpdate, Scratch: r.at(rayScratch),
		Geometries: []Geometry{{Flags: GeometryOpaque, Triangles: &TriangleGeometry{
			Format: 106, Vertices: r.at(rayVertices), Stride: 12, MaxVertex: 5, Indices: r.at(rayIndices), IndexSize: 2,
		}}},
		Ranges: []BuildRange{{Primitives: n}},
	}
}

// instance writes instance i of a structure that is moved by x. Its records begin at 7.
func (r *rays) instance(i int, a *AccelerationStructure, x float32) {
	at := rayInstances + instanceBytes*i
	r.floats(at, 1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0)
	b := r.memory.Bytes()[at:]
	binary.LittleEndian.PutUint32(b[48:], 0xff000000|uint32(100+i))
	binary.LittleEndian.PutUint32(b[52:], uint32(InstanceNoCulling)<<24|7)
	binary.LittleEndian.PutUint64(b[56:], a.Address())
	binary.LittleEndian.PutUint64(r.memory.Bytes()[rayPointers+8*i:], r.buffer.Address()+uint64(at))
}

// top returns a build of the first n instances.
func (r *rays) top(target *AccelerationStructure, n uint32) BuildInfo {
	return BuildInfo{
		Level: TopLevel, Target: target, Flags: BuildAllowCompaction | BuildAllowUpdate, Scratch: r.at(rayScratch),
		Geometries: []Geometry{{Instances: &InstanceGeometry{Data: r.at(rayInstances)}}}, Ranges: []BuildRange{{Primitives: n}},
	}
}

// build builds structures by a command.
func (r *rays) build(t testing.TB, list ...BuildInfo) {
	t.Helper()
	for i := range list {
		if err := r.submit(t, r.record(t, func(c *CommandBuffer) { c.BuildAccelerationStructures(list[i : i+1]) })); err != nil {
			t.Fatal(err)
		}
	}
}

// now returns the structures that commands find now.
func (s *structures) now() ray.Table {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table()
}

// trace returns the hit of a ray down the axis z from x, y, 5 on, in the structures that commands find now.
func (r *rays) trace(a *AccelerationStructure, x, y float32) string {
	q := ray.Query{Origin: [3]float32{x, y, 5}, Direction: [3]float32{0, 0, -1}, TMax: 100, Mask: 255}
	w := ray.NewWalker()
	s := r.dev.heap.structures.now()[a.number]
	for w.Next(s, &q) {
		q.Confirm()
	}
	h := &q.Committed
	if h.Kind == ray.None {
		return "miss"
	}
	return fmt.Sprintf("%v of instance %d (%d), record %d, primitive %d", h.T, h.Instance, h.Custom, h.RecordOffset, h.Primitive)
}

// want compares the hit of a ray.
func (r *rays) want(t testing.TB, a *AccelerationStructure, x, y float32, want string) {
	t.Helper()
	if got := r.trace(a, x, y); got != want {
		t.Errorf("%v, ray at %v, %v: %s; must be %s", a, x, y, got, want)
	}
}

const (
	hitFirst = "4 of instance 0 (100), record 7, primitive 1"
	hitPlane = "5 of instance 0 (100), record 7, primitive 0"
)

// TestStructureBuild builds bottom and top levels on the device and on the host, from arrays and from arrays of addresses, with
// ranges that are given and that are in memory.
func TestStructureBuild(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	bottom, top := r.structure(t, BottomLevel), r.structure(t, AnyLevel)
	r.want(t, top, .25, .25, "miss")
	r.instance(0, bottom, 0)
	r.instance(1, bottom, 10)
	r.build(t, r.bottom(bottom, 2), r.top(top, 2))
	r.want(t, top, .25, .25, hitFirst)
	r.want(t, top, 10.25, .25, "4 of instance 1 (101), record 7, primitive 1")
	r.want(t, top, 5, .25, "miss")

	b := r.top(top, 1)
	b.Geometries[0].Instances = &InstanceGeometry{Data: r.at(rayPointers), Pointers: true}
	r.build(t, b)
	r.want(t, top, .25, .25, hitFirst)
	r.want(t, top, 10.25, .25, "miss")

	b = r.bottom(bottom, 1)
	b.Geometries[0].Triangles.Transform = r.at(rayMatrix)
	r.build(t, b)
	for range 2 { // the present bottom level, before and after another build of the top level
		r.want(t, top, .25, .25, "miss")
		r.want(t, top, 10.25, .25, hitPlane)
		r.build(t, r.top(top, 1))
	}

	for i, n := range []uint32{1, 0, 0, 0} {
		binary.LittleEndian.PutUint32(r.memory.Bytes()[rayRanges+4*i:], n)
	}
	indirect := []IndirectBuild{{Address: r.buffer.Address() + rayRanges, Stride: rangeBytes, MaxPrimitives: []uint32{2}}}
	c := r.record(t, func(c *CommandBuffer) {
		c.BuildAccelerationStructuresIndirect([]BuildInfo{r.bottom(bottom, 0)}, indirect)
		c.BuildAccelerationStructuresIndirect([]BuildInfo{r.top(top, 0)}, indirect)
	})
	if err := r.submit(t, c); err != nil {
		t.Fatal(err)
	}
	r.want(t, top, .25, .25, hitPlane)

	// On the host, with another bottom level.
	other := r.structure(t, BottomLevel)
	host := r.bottom(other, 2)
	g := host.Geometries[0].Triangles
	g.Vertices, g.Indices = BuildData{Host: bytes.Clone(r.memory.Bytes()[rayVertices:72])}, BuildData{Host: bytes.Clone(r.memory.Bytes()[rayIndices:][:12])}
	list := r.top(top, 1)
	list.Geometries[0].Instances = &InstanceGeometry{List: []Instance{{Transform: [12]float32{0: 1, 5: 1, 10: 1}, CustomIndex: 100, Mask: 255, Record: 7, Structure: other}}}
	for _, b := range []BuildInfo{host, list} {
		if err := r.dev.BuildAccelerationStructures(context.Background(), []BuildInfo{b}); err != nil {
			t.Fatal(err)
		}
	}
	r.want(t, top, .25, .25, hitFirst)
}

// TestStructureUpdate moves the vertices of a bottom level: an update in place and into another structure.
func TestStructureUpdate(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	bottom, top, moved := r.structure(t, BottomLevel), r.structure(t, TopLevel), r.structure(t, BottomLevel)
	r.instance(0, bottom, 0)
	r.build(t, r.bottom(bottom, 1), r.top(top, 1))
	r.floats(rayVertices, 20, 0, 0, 21, 0, 0, 20, 1, 0)
	b := r.bottom(moved, 1)
	b.Update, b.Source = true, bottom
	r.build(t, b, r.top(top, 1))
	r.want(t, top, .25, .25, hitPlane)
	r.want(t, top, 20.25, .25, "miss")
	b.Target = bottom
	up := r.top(top, 1)
	up.Update, up.Source = true, top
	r.build(t, b, up)
	r.want(t, top, .25, .25, "miss")
	r.want(t, top, 20.25, .25, hitPlane)
}

// TestStructureMemory ends the content of structures as the end of their bytes would: another build, the end of the structure, of
// its buffer's memory.
func TestStructureMemory(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	s := &r.dev.heap.structures
	a, b := r.structure(t, BottomLevel), r.structure(t, BottomLevel)
	over := must(r.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: r.buffer, Offset: rayArea + 4096, Size: 8192, Level: BottomLevel}))(t)
	same := must(r.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: r.buffer, Offset: rayArea, Size: 4096, Level: BottomLevel}))(t)
	built := func() string {
		out := ""
		for name, x := range map[string]*AccelerationStructure{"a": a, "b": b, "over": over, "same": same} {
			if s.content(x) != nil {
				out += name + " "
			}
		}
		list := bytes.Fields([]byte(out))
		slices.SortFunc(list, bytes.Compare)
		return string(bytes.Join(list, []byte(" ")))
	}
	for _, x := range []struct {
		target *AccelerationStructure
		want   string
	}{{a, "a"}, {b, "a b"}, {over, "over"}, {same, "over same"}, {b, "b same"}, {a, "a b"}} {
		r.build(t, r.bottom(x.target, 1))
		if got := built(); got != x.want {
			t.Errorf("after a build of %#x: %s have content; must be %s", x.target.Address(), got, x.want)
		}
	}
	if err := a.Close(); err != nil || built() != "b" || len(s.now()) != 1 {
		t.Errorf("%v; after Close: %s, %d in the table", err, built(), len(s.now()))
	}
	if err := r.memory.Close(); err != nil || built() != "" || len(s.now()) != 0 || len(s.built) != 0 {
		t.Errorf("%v; after the end of the memory: %s, %d in the table", err, built(), len(s.now()))
	}
	late := r.bottom(b, 1)
	late.Geometries[0].Triangles = &TriangleGeometry{Format: 106, Vertices: BuildData{Host: make([]byte, 36)}, Stride: 12, MaxVertex: 2}
	if r.dev.BuildAccelerationStructures(context.Background(), []BuildInfo{late}); built() != "" {
		t.Errorf("a build after the end of the memory: %s", built())
	}
	b.Close()
}

// TestStructureTops builds two top levels that refer to each other: their instances are inactive, because no top level is a bottom
// level.
func TestStructureTops(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	a, b := r.structure(t, TopLevel), r.structure(t, TopLevel)
	for _, x := range [...][2]*AccelerationStructure{{a, b}, {b, a}, {a, b}} {
		r.instance(0, x[1], 0)
		r.build(t, r.top(x[0], 1))
	}
	r.want(t, a, .25, .25, "miss")
	r.want(t, b, .25, .25, "miss")
	if s := &r.dev.heap.structures; s.at(a.Address()) != nil || s.at(b.Address()) != nil {
		t.Error("a top level is found as a bottom level")
	}
}

// TestStructureReaders copies and serializes a top level on the host, as commands find it with a new bottom level.
func TestStructureReaders(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	bottom, top, clone := r.structure(t, BottomLevel), r.structure(t, TopLevel), r.structure(t, TopLevel)
	r.instance(0, bottom, 0)
	r.build(t, r.bottom(bottom, 1), r.top(top, 1))
	var wait sync.WaitGroup
	var done atomic.Bool
	wait.Go(func() {
		to := make([]byte, 4096)
		for copies := 0; copies == 0 || !done.Load(); copies++ {
			if err := errors.Join(r.dev.CopyAccelerationStructure(top, clone, true), r.dev.CopyAccelerationStructureToMemory(top, to)); err != nil {
				t.Error(err)
			}
		}
	})
	for range 20 {
		r.build(t, r.bottom(bottom, 1))
		r.want(t, top, .25, .25, hitPlane)
	}
	done.Store(true)
	wait.Wait()
	r.want(t, clone, .25, .25, hitPlane)
}

// TestStructureAddress makes structures before their buffer has memory, and in a buffer without device addresses.
func TestStructureAddress(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	late := must(r.dev.NewBuffer(BufferInfo{Size: 1024, Usage: AccelerationStructureStorageArea | DeviceAddress}))(t)
	a := must(r.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: late, Offset: 256, Size: 512}))(t)
	if n := a.Address(); n != 0 {
		t.Errorf("the address is %#x without memory; must be 0", n)
	}
	d := a.descriptor()
	if err := late.Bind(r.memory, 4096); err != nil {
		t.Fatal(err)
	}
	if n := a.Address(); n != late.Address()+256 || binary.LittleEndian.Uint64(d.Bytes) != n {
		t.Errorf("the address is %#x, and the descriptor has %x; must be %#x", n, d.Bytes, late.Address()+256)
	}
	replay := AccelerationStructureInfo{Buffer: late, Offset: 256, Size: 512, Flags: StructureAddressReplay, Address: a.Address()}
	must(r.dev.NewAccelerationStructure(replay))(t)
	replay.Address += 256
	if _, err := r.dev.NewAccelerationStructure(replay); !errors.Is(err, ErrOpaqueAddress) {
		t.Errorf("a structure at another address: %v", err)
	}
	plain := must(r.dev.NewBuffer(BufferInfo{Size: 1024, Usage: AccelerationStructureStorageArea}))(t)
	if err := plain.Bind(r.memory, 8192); err != nil {
		t.Fatal(err)
	}
	x, y := must(r.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: plain, Size: 256}))(t), must(r.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: plain, Size: 256}))(t)
	if x.Address() != 0 || bytes.Equal(x.descriptor().Bytes, y.descriptor().Bytes) {
		t.Errorf("%#x and the descriptors %x, %x; must have no address and different numbers", x.Address(), x.descriptor().Bytes, y.descriptor().Bytes)
	}
}

// TestFirstVertex builds from vertices whose addresses begin before the memory: the vertices before the first one need none. An update
// may have another largest vertex.
func TestFirstVertex(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
	r.instance(0, bottom, 0)
	x := r.bottom(bottom, 1)
	g := x.Geometries[0].Triangles
	g.Vertices.Address, g.MaxVertex, g.IndexSize = r.buffer.Address()-36, 5, 0
	x.Ranges[0].FirstVertex = 3
	r.build(t, x)
	r.build(t, r.top(top, 1))
	r.want(t, top, .25, .25, hitPlane)
	x.Update, x.Source = true, bottom
	g.MaxVertex = 8
	x.Ranges[0].FirstVertex = 6 // the second triangle, at z = 1
	r.build(t, x)
	r.build(t, r.top(top, 1))
	r.want(t, top, .25, .25, "4 of instance 0 (100), record 7, primitive 0")
}
