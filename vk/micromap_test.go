package vk

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ray"
)

// Offsets of the inputs of micromaps.
const (
	rayMicroData      = 8192
	rayMicroTriangles = 8448
	rayMicroIndices   = 8704
	rayMicroSerial    = 1 << 19
)

// micromaps is a device with memory for micromaps.
type micromaps struct {
	*rays
	areas *Buffer
	next  uint64
}

func newMicromaps(t *testing.T) *micromaps {
	t.Helper()
	return micromapsOf(t, newRays(t, DeviceInfo{}))
}

// micromapsOf adds the memory for micromaps to a device.
func micromapsOf(t testing.TB, on *rays) *micromaps {
	t.Helper()
	r := &micromaps{rays: on}
	r.areas = must(r.dev.NewBuffer(BufferInfo{Size: 1 << 16, Usage: MicromapStorageArea | DeviceAddress}))(t)
	if err := r.areas.Bind(must(r.dev.Allocate(MemoryInfo{Size: 1 << 16, DeviceAddress: true}))(t), 0); err != nil {
		t.Fatal(err)
	}
	// A triangle of level 1 with four states, one for each part, and one that is opaque everywhere.
	b := r.memory.Bytes()
	b[rayMicroData], b[rayMicroData+1] = 0b11100100, 1
	for i, x := range [][3]uint16{{0, 1, MicromapFourStates}, {1, 0, MicromapTwoStates}} {
		binary.LittleEndian.PutUint32(b[rayMicroTriangles+8*i:], uint32(x[0]))
		binary.LittleEndian.PutUint16(b[rayMicroTriangles+8*i+4:], x[1])
		binary.LittleEndian.PutUint16(b[rayMicroTriangles+8*i+6:], x[2])
	}
	return r
}

// micromap makes a micromap of 512 bytes.
func (r *micromaps) micromap(t testing.TB) *Micromap {
	t.Helper()
	r.next += 512
	return must(r.dev.NewMicromap(MicromapInfo{Buffer: r.areas, Offset: r.next - 512, Size: 512}))(t)
}

func (r *micromaps) of(target *Micromap) MicromapBuild {
	return MicromapBuild{
		Target: target, Flags: MicromapAllowCompaction, Usages: []MicromapUsage{{1, 1, MicromapFourStates}, {1, 0, MicromapTwoStates}},
		Data: r.at(rayMicroData), Triangles: r.at(rayMicroTriangles), Stride: 8, Scratch: r.at(rayScratch),
	}
}

// wantOpacity compares how a ray down the axis z from x, y on meets the first triangle.
func (r *micromaps) wantOpacity(t *testing.T, top *AccelerationStructure, x, y float32, want string) {
	t.Helper()
	q := ray.Query{Origin: [3]float32{x, y, 5}, Direction: [3]float32{0, 0, -1}, TMax: 100, Mask: 255}
	got := "ignored"
	if ray.NewWalker().Next(r.dev.heap.structures.now()[top.number], &q) {
		got = "non-opaque"
	} else if q.Committed.Kind != ray.None {
		got = "opaque"
	}
	if got != want {
		t.Errorf("ray at %v, %v: %s; must be %s", x, y, got, want)
	}
}

// TestMicromaps builds micromaps on the device and on the host, copies, compacts and serializes them, and builds triangles with them.
func TestMicromaps(t *testing.T) {
	r := newMicromaps(t)
	m, other, third := r.micromap(t), r.micromap(t), r.micromap(t)
	pool := must(r.dev.NewQueryPool(QueryPoolInfo{Type: MicromapSerializationSize, Count: 1}))(t)
	r.submitted(t, func(c *CommandBuffer) {
		c.BuildMicromaps([]MicromapBuild{r.of(m)})
		c.CopyMicromap(m, other, true)
		c.CopyMicromapToMemory(other, r.buffer.Address()+rayMicroSerial)
		c.CopyMemoryToMicromap(r.buffer.Address()+rayMicroSerial, third)
		c.WriteMicromapProperties([]*Micromap{m}, pool, 0)
	})
	sizes := must(r.dev.MicromapBuildSizes(r.of(m)))(t)
	compact := must(r.dev.MicromapProperties([]*Micromap{m}, MicromapCompactedSize))(t)[0]
	serial := must(r.dev.MicromapProperties([]*Micromap{third}, MicromapSerializationSize))(t)[0]
	if compact > sizes.Structure || compact == 0 || serial == 0 {
		t.Errorf("the sizes are %d, compacted %d, serialized %d", sizes.Structure, compact, serial)
	}
	data := make([]byte, serial)
	if err := r.dev.CopyMicromapToMemory(third, data); err != nil || !slices.Equal(data, r.memory.Bytes()[rayMicroSerial:][:serial]) || !r.dev.AccelerationStructureCompatible(data) {
		t.Errorf("%v, or other data", err)
	}
	host := r.of(other)
	host.Data, host.Triangles = BuildData{Host: r.memory.Bytes()[rayMicroData:][:2]}, BuildData{Host: r.memory.Bytes()[rayMicroTriangles:][:16]}
	if err := r.dev.BuildMicromaps(context.Background(), []MicromapBuild{host}); err != nil {
		t.Fatal(err)
	}
	if err := r.dev.CopyMemoryToMicromap(data, m); err != nil {
		t.Fatal(err)
	}
	bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
	r.instance(0, bottom, 0)
	for _, x := range []*Micromap{m, other, third} {
		b := r.bottom(bottom, 1)
		b.Geometries[0].Triangles.Opacity = &OpacityGeometry{Micromap: x}
		r.build(t, b, r.top(top, 1))
		r.wantOpacity(t, top, .1, .1, "ignored")
		r.wantOpacity(t, top, .4, .4, "opaque")
		r.wantOpacity(t, top, .8, .1, "non-opaque")
		r.wantOpacity(t, top, .1, .8, "non-opaque")
	}
	b := r.bottom(bottom, 1)
	o := &OpacityGeometry{Micromap: m, Indices: r.at(rayMicroIndices), IndexSize: 2, IndexStride: 2}
	b.Geometries[0].Triangles.Opacity = o
	for index, want := range map[uint16]string{0: "ignored", 1: "opaque", 0xffff: "ignored", 0xfffe: "opaque", 0xfffd: "non-opaque"} {
		binary.LittleEndian.PutUint16(r.memory.Bytes()[rayMicroIndices:], index)
		r.build(t, b, r.top(top, 1))
		r.wantOpacity(t, top, .1, .1, want)
	}
	o.Micromap, b.Update, b.Source = nil, true, bottom // special indices need no micromap
	binary.LittleEndian.PutUint16(r.memory.Bytes()[rayMicroIndices:], 0xffff)
	r.build(t, b, r.top(top, 1))
	r.wantOpacity(t, top, .4, .4, "ignored")
	for _, x := range []*Micromap{m, other, third} {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestDeserializedMicromap compacts a micromap that was serialized. The build of a deserialized micromap is the one of its source: "src
// must have been constructed with VK_BUILD_MICROMAP_ALLOW_COMPACTION_BIT_EXT in the build".
func TestDeserializedMicromap(t *testing.T) {
	r := newMicromaps(t)
	for _, flags := range []MicromapFlags{MicromapPreferFastTrace, MicromapPreferFastTrace | MicromapAllowCompaction} {
		m, read, compact := r.micromap(t), r.micromap(t), r.micromap(t)
		b := r.of(m)
		b.Flags = flags
		r.submitted(t, func(c *CommandBuffer) {
			c.BuildMicromaps([]MicromapBuild{b})
			c.CopyMicromapToMemory(m, r.buffer.Address()+rayMicroSerial)
			c.CopyMemoryToMicromap(r.buffer.Address()+rayMicroSerial, read)
		})
		allowed := flags&MicromapAllowCompaction != 0
		if err := r.dev.CopyMicromap(read, compact, true); (err == nil) != allowed {
			t.Errorf("the flags %#x: the compaction has the error %v; must have none: %t", uint32(flags), err, allowed)
		}
		if _, err := r.dev.MicromapProperties([]*Micromap{read}, MicromapCompactedSize); (err == nil) != allowed {
			t.Errorf("the flags %#x: the compacted size has the error %v; must have none: %t", uint32(flags), err, allowed)
		}
		if err := r.dev.CopyMicromap(read, compact, false); err != nil {
			t.Errorf("the flags %#x: %v", uint32(flags), err)
		}
	}
}

// TestMicromapRules checks the rules of micromaps.
func TestMicromapRules(t *testing.T) {
	r := newMicromaps(t)
	r.dev.checking = All
	m, other := r.micromap(t), r.micromap(t)
	const create, build, command, host = "VUID-VkMicromapCreateInfoEXT-", "VUID-VkMicromapBuildInfoEXT-", "VUID-vkCmdBuildMicromapsEXT-", "VUID-vkBuildMicromapsEXT-"
	for rule, x := range map[string]MicromapInfo{
		create + "buffer-07435":        {Buffer: r.buffer, Size: 256},
		create + "offset-07437":        {Buffer: r.areas, Offset: 1<<16 - 256, Size: 257},
		create + "offset-07438":        {Buffer: r.areas, Offset: 128, Size: 256},
		create + "deviceAddress-07433": {Buffer: r.areas, Size: 256, Address: r.areas.Address()},
	} {
		_, err := r.dev.NewMicromap(x)
		wantRule(t, err, rule)
	}
	over := must(r.dev.NewMicromap(MicromapInfo{Buffer: r.areas, Offset: 256, Size: 512}))(t)
	for rule, change := range map[string]func(b *MicromapBuild){
		build + "format-11652":           func(b *MicromapBuild) { b.Usages[0].Format = 3 },
		build + "subdivisionLevel-11654": func(b *MicromapBuild) { b.Usages[1].Level = MaxMicromapLevel + 1 },
		build + "subdivisionLevel-11655": func(b *MicromapBuild) { b.Usages[0].Level = MaxMicromapLevel + 1 },
		command + "pInfos-07514":         func(b *MicromapBuild) { b.Scratch.Address++ },
		command + "pInfos-07515":         func(b *MicromapBuild) { b.Data.Address += 128 },
	} {
		b := r.of(m)
		change(&b)
		r.refused(t, rule, func(c *CommandBuffer) { c.BuildMicromaps([]MicromapBuild{b}) })
	}
	r.refused(t, command+"dstMicromap-11649", func(c *CommandBuffer) { c.BuildMicromaps([]MicromapBuild{r.of(m), r.of(over)}) })
	r.refused(t, command+"infoCount-arraylength", func(c *CommandBuffer) { c.BuildMicromaps(nil) })
	r.refused(t, "VUID-vkCmdCopyMicromapToMemoryEXT-pInfo-07537", func(c *CommandBuffer) { c.CopyMicromapToMemory(m, 128) })
	r.refused(t, "VUID-vkCmdCopyMemoryToMicromapEXT-pInfo-07544", func(c *CommandBuffer) { c.CopyMemoryToMicromap(128, m) })
	pool, wrong := must(r.dev.NewQueryPool(QueryPoolInfo{Type: MicromapCompactedSize, Count: 1}))(t), must(r.dev.NewQueryPool(QueryPoolInfo{Type: CompactedSize, Count: 1}))(t)
	r.refused(t, "VUID-vkCmdWriteMicromapsPropertiesEXT-query-07528", func(c *CommandBuffer) { c.WriteMicromapProperties([]*Micromap{m, m}, pool, 0) })
	r.refused(t, "VUID-vkCmdWriteMicromapsPropertiesEXT-queryType-07503", func(c *CommandBuffer) { c.WriteMicromapProperties([]*Micromap{m}, wrong, 0) })
	wantRule(t, r.dev.BuildMicromaps(context.Background(), []MicromapBuild{r.of(m)}), host+"pInfos-07553")
	wantRule(t, r.dev.CopyMicromap(m, other, false), "VUID-vkCmdCopyMicromapEXT-src-07532")
	wantRule(t, r.dev.CopyMemoryToMicromap(make([]byte, 64), m), "VUID-VkCopyMemoryToMicromapInfoEXT-src-07549")
	x := r.of(m)
	x.Flags = 0
	r.submitted(t, func(c *CommandBuffer) { c.BuildMicromaps([]MicromapBuild{x}) })
	wantRule(t, r.dev.CopyMicromap(m, other, true), "VUID-VkCopyMicromapInfoEXT-mode-07533")
	_, err := r.dev.MicromapProperties([]*Micromap{m}, MicromapCompactedSize)
	wantRule(t, err, "VUID-vkWriteMicromapsPropertiesEXT-pMicromaps-07502")
	wantRule(t, r.dev.CopyMicromapToMemory(m, make([]byte, 40)), "VUID-VkCopyMicromapToMemoryInfoEXT-dst-07541")
	data := make([]byte, must(r.dev.MicromapProperties([]*Micromap{m}, MicromapSerializationSize))(t)[0])
	if err := r.dev.CopyMicromapToMemory(m, data); err != nil {
		t.Fatal(err)
	}
	tiny := must(r.dev.NewMicromap(MicromapInfo{Buffer: r.areas, Offset: 4096, Size: 80}))(t)
	wantRule(t, r.dev.CopyMemoryToMicromap(data, tiny), "VUID-VkCopyMemoryToMicromapInfoEXT-dst-07550")
	data[serialHeader+12] = 200 // triangles
	wantRule(t, r.dev.CopyMemoryToMicromap(data, m), "VUID-VkCopyMemoryToMicromapInfoEXT-src-07547")
	b := r.bottom(r.structure(t, BottomLevel), 1)
	o := &OpacityGeometry{Micromap: m, IndexSize: 3}
	b.Geometries[0].Triangles.Opacity = o
	const opacity = "VUID-VkAccelerationStructureTrianglesOpacityMicromapEXT-"
	r.refused(t, opacity+"indexType-10719", func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{b}) })
	o.IndexSize, o.IndexStride = 2, 3
	r.refused(t, opacity+"indexType-10722", func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{b}) })
	o.IndexStride = 1 << 32
	r.refused(t, opacity+"indexType-10723", func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{b}) })
}

// TestTraceMicromaps traces rays in a structure with micromaps, of one of two instances or of both, with a pipeline that has the flag for
// them and without (11640).
func TestTraceMicromaps(t *testing.T) {
	const opacity = enum.PipelineFlagsRayTracingOpacityMicromap
	for _, x := range []struct {
		flags enum.PipelineFlags
		plain bool // an instance without micromaps, which rays may meet alone
		fails bool
	}{{0, false, true}, {opacity, false, false}, {0, true, false}} {
		s := newRayScene(t, DeviceInfo{})
		r := micromapsOf(t, s.rays)
		m := r.micromap(t)
		if err := r.submit(t, r.record(t, func(c *CommandBuffer) { c.BuildMicromaps([]MicromapBuild{r.of(m)}) })); err != nil {
			t.Fatal(err)
		}
		mapped, other, top := r.structure(t, BottomLevel), r.structure(t, BottomLevel), r.structure(t, TopLevel)
		b := r.bottom(mapped, 1)
		b.Geometries[0].Triangles.Opacity = &OpacityGeometry{Micromap: m}
		r.instance(0, mapped, 0)
		r.instance(1, map[bool]*AccelerationStructure{true: other, false: mapped}[x.plain], 20)
		r.build(t, b, r.bottom(other, 1))
		r.build(t, r.top(top, 2))
		r.write(t, s.set, top)
		p := s.pipeline(t, RayTracingPipelineInfo{Creation: Creation{Flags: x.flags}, Stages: rayStages(t), Groups: rayGroups(), Depth: 1})
		tables := s.tables(t, p, 0, 1, 2)
		err := r.submit(t, r.record(t, func(c *CommandBuffer) { s.bind(c, p); c.TraceRays(tables, 4, 1, 1) }))
		if x.fails {
			wantRule(t, err, "VUID-vkCmdTraceRaysKHR-micromap-11640")
		} else if err != nil {
			t.Errorf("%+v: %v; must have no error", x, err)
		}
	}
}

// TestMicromapMemory checks what bottom levels retain of micromaps, which their sizes do not bound: the triangles that they name, each
// once, which count as memory of the device.
func TestMicromapMemory(t *testing.T) {
	const large = 12 + 1<<12/4 // a triangle of level 6 with four states
	scene := func(memory uint64) (*micromaps, *Micromap, func(target *AccelerationStructure, base uint32) error) {
		r := micromapsOf(t, newRays(t, DeviceInfo{Memory: memory}))
		m := must(r.dev.NewMicromap(MicromapInfo{Buffer: r.areas, Offset: 4096, Size: 4096}))(t)
		binary.LittleEndian.PutUint16(r.memory.Bytes()[rayMicroTriangles+4:], 6)
		binary.LittleEndian.PutUint32(r.memory.Bytes()[rayMicroTriangles+8:], 1024)
		r.memory.Bytes()[rayMicroSerial+1024] = 1 // opaque after 1024 bytes of transparent parts
		r.buildMicromap(t, m)
		return r, m, func(target *AccelerationStructure, base uint32) error {
			b := r.bottom(target, 1)
			b.Geometries[0].Triangles.Opacity = &OpacityGeometry{Micromap: m, Base: base}
			return r.submit(t, r.record(t, func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{b}) }))
		}
	}
	r, m, build := scene(0)
	before, _ := r.dev.Used()
	used := func(what string, want uint64) {
		t.Helper()
		if got, _ := r.dev.Used(); got != before+want {
			t.Errorf("%s: %d bytes more are used; must be %d", what, got-before, want)
		}
	}
	a, b, top := r.structure(t, BottomLevel), r.structure(t, BottomLevel), r.structure(t, TopLevel)
	must(0, build(a, 1))(t)
	used("the small triangle", 13)
	must(0, build(b, 0))(t)
	used("the large triangle, in the whole micromap", 13+large+13)
	must(0, build(a, 0))(t)
	used("two structures with the micromap", large+13)
	must(0, build(a, 2))(t)
	used("none of the triangles", large+13)
	r.instance(0, a, 0)
	r.build(t, r.top(top, 1))
	r.wantOpacity(t, top, .1, .1, "non-opaque")
	must(0, build(a, 1))(t)
	r.buildMicromap(t, m) // the earlier one remains in the structures
	m.Close()
	used("after the end of the micromap", 13+large+13)
	r.build(t, r.top(top, 1))
	r.wantOpacity(t, top, .1, .1, "opaque")
	r.instance(0, b, 0)
	r.build(t, r.top(top, 1))
	r.wantOpacity(t, top, .1, .1, "ignored")
	if err := r.dev.CopyAccelerationStructure(b, a, false); err != nil {
		t.Fatal(err)
	}
	used("a copy", large+13)
	b.Close()
	used("one of two copies", large+13)
	a.Close()
	used("no structures", 0)

	r, _, build = scene(before + 100)
	a, b = r.structure(t, BottomLevel), r.structure(t, BottomLevel)
	must(0, build(a, 1))(t)
	var full *OutOfMemoryError
	if err := build(b, 0); !errors.As(err, &full) || full.Bytes != large+13 || full.Left != 87 {
		t.Errorf("beyond the memory of the device: %v; must lack %d bytes, and have 87 left", err, large+13)
	}
}

// buildMicromap builds a micromap of the two triangles.
func (r *micromaps) buildMicromap(t *testing.T, m *Micromap) {
	t.Helper()
	x := r.of(m)
	x.Data = r.at(rayMicroSerial)
	x.Usages = []MicromapUsage{{1, 6, MicromapFourStates}, {1, 0, MicromapTwoStates}}
	r.submitted(t, func(c *CommandBuffer) { c.BuildMicromaps([]MicromapBuild{x}) })
}
