package vk

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// TestStructureCopy clones and compacts structures, by commands and on the host.
func TestStructureCopy(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	bottom, top, clone, small := r.structure(t, BottomLevel), r.structure(t, TopLevel), r.structure(t, AnyLevel), r.structure(t, TopLevel)
	r.instance(0, bottom, 0)
	r.build(t, r.bottom(bottom, 2), r.top(top, 1))
	if err := r.submit(t, r.record(t, func(c *CommandBuffer) { c.CopyAccelerationStructure(top, clone, false) })); err != nil {
		t.Fatal(err)
	}
	if err := r.dev.CopyAccelerationStructure(top, small, true); err != nil {
		t.Fatal(err)
	}
	top.Close()
	r.want(t, clone, .25, .25, hitFirst)
	r.want(t, small, .25, .25, hitFirst)
}

// TestCloneUpdate updates the source of a clone, and then the clone, in place: a copy in the mode CLONE is a structure of its own, and
// an update of one changes no other (Vulkan, Copying Acceleration Structures).
func TestCloneUpdate(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	list := []*AccelerationStructure{r.structure(t, BottomLevel), r.structure(t, BottomLevel), r.structure(t, BottomLevel)}
	var tops []*AccelerationStructure
	r.build(t, r.bottom(list[0], 1))
	for i := range list[1:] {
		if err := r.dev.CopyAccelerationStructure(list[0], list[i+1], i == 1); err != nil {
			t.Fatal(err)
		}
	}
	for i := range list {
		r.instance(0, list[i], 0)
		tops = append(tops, r.structure(t, TopLevel))
		r.build(t, r.top(tops[i], 1))
	}
	for i, a := range list {
		for j, top := range tops {
			x := float32(0)
			if j < i {
				x = float32(20 * (j + 1))
			}
			r.want(t, top, x+.25, .25, hitPlane)
			if x > 0 {
				r.want(t, top, .25, .25, "miss")
			}
		}
		x := float32(20 * (i + 1))
		r.floats(rayVertices, x, 0, 0, x+1, 0, 0, x, 1, 0)
		b := r.bottom(a, 1)
		b.Update, b.Source = true, a
		r.build(t, b)
	}
}

// TestCloneSize clones a structure into one of its serialized size, which is less than its own: a rule forbids that, and a device without
// checks permits it, as applications take this size for enough.
func TestCloneSize(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
	r.build(t, r.bottom(bottom, 1))
	list := []*AccelerationStructure{bottom}
	n, all := must(r.dev.AccelerationStructureProperties(list, SerializationSize))(t)[0], must(r.dev.AccelerationStructureProperties(list, StructureSize))(t)[0]
	clone := func(size uint64) (*AccelerationStructure, error) {
		a := must(r.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: r.buffer, Offset: r.area, Size: size, Level: BottomLevel}))(t)
		r.area += 8192
		return a, r.dev.CopyAccelerationStructure(bottom, a, false)
	}
	const rule = "VUID-VkCopyAccelerationStructureInfoKHR-mode-12418"
	if n >= all {
		t.Fatalf("the serialized size is %d; must be less than %d", n, all)
	}
	_, err := clone(n)
	wantRule(t, err, rule)
	r.dev.checking = None
	_, err = clone(n - 1)
	wantRule(t, err, rule)
	a, err := clone(n)
	if err != nil {
		t.Fatal(err)
	}
	r.instance(0, a, 0)
	r.build(t, r.top(top, 1))
	r.want(t, top, .25, .25, hitPlane)
}

// TestStructureSerial serializes a bottom and a top level, and makes others of the data: the top level first, with the address of
// its new bottom level (Vulkan, vkCmdCopyAccelerationStructureToMemoryKHR).
func TestStructureSerial(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	bottom, top, bottom2, top2 := r.structure(t, BottomLevel), r.structure(t, TopLevel), r.structure(t, BottomLevel), r.structure(t, TopLevel)
	r.instance(0, bottom, 0)
	r.instance(1, bottom, 10)
	r.build(t, r.bottom(bottom, 2), r.top(top, 2))
	pool := must(r.dev.NewQueryPool(QueryPoolInfo{Type: SerializationSize, Count: 2}))(t)
	const place = 1 << 19
	at := r.buffer.Address() + place
	c := r.record(t, func(c *CommandBuffer) {
		c.WriteAccelerationStructureProperties([]*AccelerationStructure{top, bottom}, pool, 0)
		c.CopyAccelerationStructureToMemory(top, at)
	})
	if err := r.submit(t, c); err != nil {
		t.Fatal(err)
	}
	size, _ := pool.Result(0)
	data := r.memory.Bytes()[place:]
	word := func(n int) uint64 { return binary.LittleEndian.Uint64(data[32+8*n:]) }
	pointers := must(r.dev.AccelerationStructureProperties([]*AccelerationStructure{top}, SerializationPointers))(t)
	before := r.dev.checking
	r.dev.checking = None
	none := must(r.dev.AccelerationStructureProperties([]*AccelerationStructure{bottom}, SerializationPointers))(t)
	r.dev.checking = before
	if none[0] != 0 {
		t.Errorf("a bottom level has %d bottom levels", none[0])
	}
	if word(0) != size || word(1) > top.Size() || word(2) != pointers[0] || pointers[0] != 2 || word(3) != bottom.Address() || word(4) != bottom.Address() {
		t.Fatalf("the header has %d of %d bytes, the size %d, %d handles, the first %#x; must be one for each of two instances, %#x", word(0), size, word(1), word(2), word(3), bottom.Address())
	}
	if !r.dev.AccelerationStructureCompatible(data) || !bytes.Equal(data[:16], DriverUUID[:]) {
		t.Error("the header is of another implementation")
	}
	for i := range 2 {
		binary.LittleEndian.PutUint64(data[32+24+8*i:], bottom2.Address())
	}
	size, _ = pool.Result(1)
	host := make([]byte, size)
	if err := r.dev.CopyAccelerationStructureToMemory(bottom, host); err != nil {
		t.Fatal(err)
	}
	bottom.Close()
	if err := r.submit(t, r.record(t, func(c *CommandBuffer) { c.CopyMemoryToAccelerationStructure(at, top2) })); err != nil {
		t.Fatal(err)
	}
	r.want(t, top2, .25, .25, "miss")
	if err := r.dev.CopyMemoryToAccelerationStructure(host, bottom2); err != nil {
		t.Fatal(err)
	}
	r.want(t, top2, .25, .25, hitFirst)
	r.want(t, top2, 10.25, .25, "4 of instance 1 (101), record 7, primitive 1")

	wantRule(t, r.dev.CopyAccelerationStructureToMemory(bottom2, host[1:]), "VUID-VkCopyAccelerationStructureToMemoryInfoKHR-dst-03561")
	for i := range host { // corrupt data
		x := bytes.Clone(host)
		x[i] ^= 0x55
		if err := r.dev.CopyMemoryToAccelerationStructure(x, bottom2); err == nil {
			r.trace(top2, .25, .25)
		} else if name := bottom2.object.String(); !strings.Contains(err.Error(), name) {
			t.Fatalf("byte %d is corrupt: %v; must name %v", i, err, name)
		} else if i < 32 {
			wantRule(t, err, "VUID-VkCopyMemoryToAccelerationStructureInfoKHR-pInfo-03414")
		}
		r.dev.CopyMemoryToAccelerationStructure(x[:i], bottom2)
	}
}

// TestStructureSizes compares the sizes of builds with those of the structures: each fits.
func TestStructureSizes(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
	r.instance(0, bottom, 0)
	for _, b := range []BuildInfo{r.bottom(bottom, 2), r.top(top, 1)} {
		n := must(r.dev.AccelerationStructureBuildSizes(b, []uint32{b.Ranges[0].Primitives}))(t)
		more := must(r.dev.AccelerationStructureBuildSizes(b, []uint32{b.Ranges[0].Primitives + 1}))(t)
		r.build(t, b)
		list := []*AccelerationStructure{b.Target}
		size, compact := must(r.dev.AccelerationStructureProperties(list, StructureSize))(t)[0], must(r.dev.AccelerationStructureProperties(list, CompactedSize))(t)[0]
		if n.BuildScratch == 0 || more.Structure < n.Structure || size > n.Structure || compact > size {
			t.Errorf("the build needs %+v, one more primitive %+v; the structure has %d bytes, compact %d", n, more, size, compact)
		}
	}
}

// TestStructureRules breaks rules of calls and of recorded commands.
func TestStructureRules(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	a, b, top := r.structure(t, BottomLevel), r.structure(t, BottomLevel), r.structure(t, TopLevel)
	tiny := must(r.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: r.buffer, Offset: 1 << 18, Size: 16, Level: AnyLevel}))(t)
	const create = "VUID-VkAccelerationStructureCreateInfoKHR-"
	for rule, x := range map[string]AccelerationStructureInfo{
		create + "buffer-03614":        {Buffer: r.x, Size: 16},
		create + "offset-03616":        {Buffer: r.buffer, Offset: 1<<20 - 256, Size: 257},
		create + "offset-03734":        {Buffer: r.buffer, Offset: 128, Size: 256},
		create + "deviceAddress-03612": {Buffer: r.buffer, Size: 256, Address: r.buffer.Address()},
	} {
		_, err := r.dev.NewAccelerationStructure(x)
		wantRule(t, err, rule)
	}
	const build, device, host = "VUID-VkAccelerationStructureBuildGeometryInfoKHR-", "VUID-vkCmdBuildAccelerationStructuresKHR-", "VUID-vkBuildAccelerationStructuresKHR-"
	const mesh = "VUID-VkAccelerationStructureGeometryTrianglesDataKHR-"
	box := func(x *BuildInfo, data BuildData, stride uint64) {
		x.Geometries[0].Triangles, x.Geometries[0].Boxes = nil, &BoxGeometry{Data: data, Stride: stride}
	}
	for rule, change := range map[string]func(x *BuildInfo){
		build + "type-03654": func(x *BuildInfo) { x.Level = AnyLevel },
		build + "type-03789": func(x *BuildInfo) { x.Level, x.Target = TopLevel, top },
		build + "type-03790": func(x *BuildInfo) { x.Level, x.Target, x.Geometries, x.Ranges = TopLevel, top, nil, nil },
		build + "type-03791": func(x *BuildInfo) { *x = r.top(a, 1); x.Level = BottomLevel },
		build + "type-03792": func(x *BuildInfo) {
			x.Geometries = append(x.Geometries, Geometry{Boxes: &BoxGeometry{Stride: 24}})
			x.Ranges = append(x.Ranges, BuildRange{})
		},
		build + "type-03795":        func(x *BuildInfo) { x.Ranges[0].Primitives = MaxPrimitives + 1 },
		build + "type-03794":        func(x *BuildInfo) { box(x, r.at(0), 24); x.Ranges[0].Primitives = MaxPrimitives + 1 },
		build + "flags-03796":       func(x *BuildInfo) { x.Flags = BuildPreferFastBuild | BuildPreferFastTrace },
		mesh + "vertexFormat-03797": func(x *BuildInfo) { x.Geometries[0].Triangles.Format = 37 + 4 },
		mesh + "vertexStride-03735": func(x *BuildInfo) { x.Geometries[0].Triangles.Stride = 14 },
		mesh + "vertexStride-03819": func(x *BuildInfo) { x.Geometries[0].Triangles.Stride = 1 << 32 },
		mesh + "indexType-03798":    func(x *BuildInfo) { x.Geometries[0].Triangles.IndexSize = 3 },
		"VUID-VkAccelerationStructureGeometryAabbsDataKHR-stride-03545": func(x *BuildInfo) { box(x, r.at(0), 12) },
		"VUID-VkAccelerationStructureGeometryAabbsDataKHR-stride-03820": func(x *BuildInfo) { box(x, r.at(0), 1<<32) },
		device + "pInfos-03699": func(x *BuildInfo) { *x = r.top(a, 1) },
		device + "pInfos-03700": func(x *BuildInfo) { x.Target = top },
		device + "pInfos-10126": func(x *BuildInfo) { x.Target = tiny },
		device + "pInfos-04630": func(x *BuildInfo) { x.Update = true },
		device + "pInfos-03710": func(x *BuildInfo) { x.Scratch.Address++ },
		device + "pInfos-03711": func(x *BuildInfo) { x.Geometries[0].Triangles.Vertices.Address += 2 },
		device + "pInfos-03712": func(x *BuildInfo) { x.Geometries[0].Triangles.Indices.Address++ },
		device + "pInfos-03810": func(x *BuildInfo) { x.Geometries[0].Triangles.Transform = r.at(8) },
		device + "pInfos-03714": func(x *BuildInfo) { box(x, r.at(4), 24) },
		device + "pInfos-03715": func(x *BuildInfo) { *x = r.top(top, 1); x.Geometries[0].Instances.Data.Address += 8 },
		device + "pInfos-03716": func(x *BuildInfo) {
			*x = r.top(top, 1)
			x.Geometries[0].Instances.Pointers = true
			x.Geometries[0].Instances.Data.Address += 4
		},
	} {
		x := r.bottom(a, 1)
		change(&x)
		r.refused(t, rule, func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{x}) })
	}
	two := func(change func(x, y *BuildInfo)) func(*CommandBuffer) {
		x, y := r.bottom(a, 1), r.bottom(b, 1)
		change(&x, &y)
		return func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{x, y}) }
	}
	over := must(r.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: r.buffer, Offset: rayArea + 256, Size: 4096, Level: BottomLevel}))(t)
	r.refused(t, device+"dstAccelerationStructure-03698", two(func(x, y *BuildInfo) { y.Target = a }))
	r.refused(t, device+"pInfos-03403", two(func(x, y *BuildInfo) { y.Update, y.Source = true, a }))
	r.refused(t, device+"dstAccelerationStructure-03702", two(func(x, y *BuildInfo) { y.Target = over }))
	r.refused(t, device+"pInfos-03668", two(func(x, y *BuildInfo) { y.Update, y.Source, y.Target, x.Target = true, over, a, b }))
	r.refused(t, "VUID-VkCopyAccelerationStructureInfoKHR-dst-07791", func(c *CommandBuffer) { c.CopyAccelerationStructure(a, over, false) })
	r.refused(t, "VUID-vkCmdCopyAccelerationStructureToMemoryKHR-pInfo-03740", func(c *CommandBuffer) { c.CopyAccelerationStructureToMemory(a, 128) })
	r.refused(t, "VUID-vkCmdCopyMemoryToAccelerationStructureKHR-pInfo-03743", func(c *CommandBuffer) { c.CopyMemoryToAccelerationStructure(128, a) })
	pool, other := must(r.dev.NewQueryPool(QueryPoolInfo{Type: CompactedSize, Count: 1}))(t), must(r.dev.NewQueryPool(QueryPoolInfo{Type: Occlusion, Count: 1}))(t)
	list := []*AccelerationStructure{a, b}
	r.refused(t, "VUID-vkCmdWriteAccelerationStructuresPropertiesKHR-query-04880", func(c *CommandBuffer) { c.WriteAccelerationStructureProperties(list, pool, 0) })
	r.refused(t, "VUID-vkCmdWriteAccelerationStructuresPropertiesKHR-queryType-06742", func(c *CommandBuffer) { c.WriteAccelerationStructureProperties(list, other, 0) })
	r.refused(t, "VUID-vkCmdBeginQuery-queryType-04728", func(c *CommandBuffer) { c.BeginQuery(pool, 0, 0) })
	indirect := IndirectBuild{Address: r.buffer.Address() + rayRanges, Stride: 16, MaxPrimitives: []uint32{1}}
	const in = "VUID-vkCmdBuildAccelerationStructuresIndirectKHR-"
	for rule, change := range map[string]func(x *IndirectBuild){
		in + "pIndirectDeviceAddresses-03648": func(x *IndirectBuild) { x.Address += 2 },
		in + "pIndirectStrides-03787":         func(x *IndirectBuild) { x.Stride = 18 },
	} {
		x := indirect
		change(&x)
		r.refused(t, rule, func(c *CommandBuffer) {
			c.BuildAccelerationStructuresIndirect([]BuildInfo{r.bottom(a, 1)}, []IndirectBuild{x})
		})
	}
	x := r.bottom(a, 1)
	wantRule(t, r.dev.BuildAccelerationStructures(context.Background(), []BuildInfo{x}), host+"pInfos-03771")
	layout := must(r.dev.NewSetLayout(SetLayoutInfo{Bindings: structureBinding}))(t)
	set := must(must(r.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(layout))(t)
	wantRule(t, set.Update(Write{Structures: []*AccelerationStructure{a}}), "VUID-VkWriteDescriptorSetAccelerationStructureKHR-pAccelerationStructures-03579")
}

// refused records commands that break a rule.
func (r *rays) refused(t *testing.T, rule string, commands func(*CommandBuffer)) {
	t.Helper()
	c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	commands(c)
	wantRule(t, c.End(), rule)
}

// TestStructureLoss runs commands whose memory or whose structures break a rule: the device is lost.
func TestStructureLoss(t *testing.T) {
	const device, in = "VUID-vkCmdBuildAccelerationStructuresKHR-", "VUID-vkCmdBuildAccelerationStructuresIndirectKHR-"
	update := func(change func(r *rays, x *BuildInfo)) func(t *testing.T, r *rays, a *AccelerationStructure, c *CommandBuffer) {
		return func(t *testing.T, r *rays, a *AccelerationStructure, c *CommandBuffer) {
			r.build(t, r.bottom(a, 1))
			x := r.bottom(a, 1)
			x.Update, x.Source = true, a
			change(r, &x)
			c.BuildAccelerationStructures([]BuildInfo{x})
		}
	}
	for rule, f := range map[string]func(t *testing.T, r *rays, a *AccelerationStructure, c *CommandBuffer){
		device + "pInfos-03667": func(t *testing.T, r *rays, a *AccelerationStructure, c *CommandBuffer) {
			x := r.bottom(a, 1)
			x.Flags = 0
			r.build(t, x)
			x.Update, x.Source = true, a
			c.BuildAccelerationStructures([]BuildInfo{x})
		},
		device + "pInfos-03759":         update(func(r *rays, x *BuildInfo) { x.Flags |= BuildLowMemory }),
		device + "pInfos-03762":         update(func(r *rays, x *BuildInfo) { x.Geometries[0].Flags = 0 }),
		device + "pInfos-03763":         update(func(r *rays, x *BuildInfo) { x.Geometries[0].Triangles.Format = 103 }),
		device + "pInfos-03764":         update(func(r *rays, x *BuildInfo) { x.Geometries[0].Triangles.MaxVertex = 4 }),
		device + "pInfos-03765":         update(func(r *rays, x *BuildInfo) { x.Geometries[0].Triangles.IndexSize = 4 }),
		device + "pInfos-03766":         update(func(r *rays, x *BuildInfo) { x.Geometries[0].Triangles.Transform = r.at(rayMatrix) }),
		device + "primitiveCount-03769": update(func(r *rays, x *BuildInfo) { x.Ranges[0].Primitives = 2 }),
		device + "pInfos-03758":         update(func(r *rays, x *BuildInfo) { x.Geometries, x.Ranges = nil, nil }),
		device + "pInfos-03804": func(t *testing.T, r *rays, a *AccelerationStructure, c *CommandBuffer) {
			x := r.bottom(a, 1)
			x.Geometries[0].Triangles.Vertices.Address = 1 << 40
			c.BuildAccelerationStructures([]BuildInfo{x})
		},
		device + "pInfos-03813": func(t *testing.T, r *rays, a *AccelerationStructure, c *CommandBuffer) {
			x := r.top(r.structure(t, TopLevel), 1)
			x.Geometries[0].Instances.Data.Address = r.buffer.Address() + 1<<20 - 16
			c.BuildAccelerationStructures([]BuildInfo{x})
		},
		in + "ppMaxPrimitiveCounts-03653": func(t *testing.T, r *rays, a *AccelerationStructure, c *CommandBuffer) {
			binary.LittleEndian.PutUint32(r.memory.Bytes()[rayRanges:], 2)
			c.BuildAccelerationStructuresIndirect([]BuildInfo{r.bottom(a, 1)}, []IndirectBuild{{Address: r.buffer.Address() + rayRanges, Stride: 16, MaxPrimitives: []uint32{1}}})
		},
		"VUID-VkCopyMemoryToAccelerationStructureInfoKHR-pInfo-03414": func(t *testing.T, r *rays, a *AccelerationStructure, c *CommandBuffer) {
			c.CopyMemoryToAccelerationStructure(r.buffer.Address(), a)
		},
		"VUID-VkCopyAccelerationStructureInfoKHR-src-03411": func(t *testing.T, r *rays, a *AccelerationStructure, c *CommandBuffer) {
			x := r.bottom(a, 1)
			x.Flags = 0
			r.build(t, x)
			c.CopyAccelerationStructure(a, r.structure(t, BottomLevel), true)
		},
		"VUID-VkCopyAccelerationStructureToMemoryInfoKHR-src-04959": func(t *testing.T, r *rays, a *AccelerationStructure, c *CommandBuffer) {
			c.CopyAccelerationStructureToMemory(a, r.buffer.Address())
		},
	} {
		r := newRays(t, DeviceInfo{})
		r.dev.checking = All
		a := r.structure(t, BottomLevel)
		err := r.submit(t, r.record(t, func(c *CommandBuffer) { f(t, r, a, c) }))
		var lost *LostError
		if !errors.As(err, &lost) {
			t.Errorf("%s: %v; must be a lost device", rule, err)
			continue
		}
		wantRule(t, lost.Cause, rule)
	}
}

// TestCompactedSize copies a structure to one of its compacted size, and that one to another of the same size.
func TestCompactedSize(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	const boxes = 256
	x := BuildInfo{
		Level: BottomLevel, Flags: BuildAllowCompaction, Scratch: r.at(rayScratch), Target: must(r.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: r.buffer, Offset: 1 << 18, Size: 1 << 18, Level: BottomLevel}))(t),
		Geometries: []Geometry{{Boxes: &BoxGeometry{Data: r.at(rayBoxes), Stride: 0}}}, Ranges: []BuildRange{{Primitives: boxes}},
	}
	r.build(t, x)
	properties := func(a *AccelerationStructure, p StructureProperty) uint64 {
		return must(r.dev.AccelerationStructureProperties([]*AccelerationStructure{a}, p))(t)[0]
	}
	n := properties(x.Target, CompactedSize)
	if all := properties(x.Target, StructureSize); n >= all {
		t.Fatalf("the compacted size of %d boxes is %d, the size %d; must be less", boxes, n, all)
	}
	var list []*AccelerationStructure
	for i := range 2 {
		list = append(list, must(r.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: r.buffer, Offset: uint64(2+i) << 18, Size: n, Level: BottomLevel}))(t))
	}
	r.submitted(t, func(c *CommandBuffer) {
		c.CopyAccelerationStructure(x.Target, list[0], true)
		c.CopyAccelerationStructure(list[0], list[1], false)
	})
	for i, a := range list {
		if got := properties(a, StructureSize); got != n {
			t.Errorf("the size of copy %d is %d; must be %d", i, got, n)
		}
	}
}

func (r *rays) submitted(t testing.TB, record func(*CommandBuffer)) {
	t.Helper()
	if err := r.submit(t, r.record(t, record)); err != nil {
		t.Fatal(err)
	}
}
