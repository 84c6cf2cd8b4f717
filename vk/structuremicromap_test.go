package vk

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ray"
	"github.com/chiaro-gpu/chiaro/valid"
)

// built returns a build of the micromap of newMicromaps, as an acceleration structure.
func (r *micromaps) built(target *AccelerationStructure) BuildInfo {
	return BuildInfo{Level: MicromapLevel, Target: target, Flags: BuildAllowCompaction, Scratch: r.at(rayScratch), Geometries: []Geometry{{Micromap: &MicromapGeometry{
		Usages: []MicromapUsage{{1, 1, MicromapFourStates}, {1, 0, MicromapTwoStates}}, Data: r.at(rayMicroData), Triangles: r.at(rayMicroTriangles), Stride: 8,
	}}}}
}

// TestStructureMicromaps builds micromaps that are acceleration structures, copies, compacts and serializes them, and builds triangles with
// them, which are serialized with the micromap.
func TestStructureMicromaps(t *testing.T) {
	r := newMicromaps(t)
	m, other, third := r.structure(t, MicromapLevel), r.structure(t, AnyLevel), r.structure(t, AnyLevel)
	sizes := must(r.dev.AccelerationStructureBuildSizes(r.built(nil), nil))(t)
	if sizes.UpdateScratch != 0 || sizes.Structure == 0 {
		t.Errorf("the sizes are %+v; must have some bytes, and none for updates", sizes)
	}
	pool := must(r.dev.NewQueryPool(QueryPoolInfo{Type: SerializationSize, Count: 1}))(t)
	r.submitted(t, func(c *CommandBuffer) {
		c.BuildAccelerationStructures([]BuildInfo{r.built(m)})
		c.CopyAccelerationStructure(m, other, true)
		c.WriteAccelerationStructureProperties([]*AccelerationStructure{other}, pool, 0)
		c.CopyAccelerationStructureToMemory(other, r.buffer.Address()+rayMicroSerial)
		c.CopyMemoryToAccelerationStructure(r.buffer.Address()+rayMicroSerial, third)
	})
	serial, _ := pool.Result(0)
	data := r.memory.Bytes()[rayMicroSerial:][:serial]
	if got := binary.LittleEndian.Uint64(data[serialHeader:]); got != serial || serial == 0 || !r.dev.AccelerationStructureCompatible(data) {
		t.Errorf("the serialized micromap has the size %d; must have the queried one, %d, and be compatible", got, serial)
	}
	for p, want := range map[StructureProperty]uint64{CompactedSize: sizes.Structure, StructureSize: sizes.Structure, SerializationSize: serial} {
		if got := must(r.dev.AccelerationStructureProperties([]*AccelerationStructure{third}, p))(t)[0]; got != want {
			t.Errorf("property %d is %d; must be %d", p, got, want)
		}
	}
	bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
	r.instance(0, bottom, 0)
	parts := func() {
		t.Helper()
		r.wantOpacity(t, top, .1, .1, "ignored")
		r.wantOpacity(t, top, .4, .4, "opaque")
		r.wantOpacity(t, top, .8, .1, "non-opaque")
		r.wantOpacity(t, top, .1, .8, "non-opaque")
	}
	b := r.bottom(bottom, 1)
	for _, x := range []*AccelerationStructure{m, other, third} {
		b.Geometries[0].Triangles.Opacity = &OpacityGeometry{Structured: true, Structure: x}
		r.build(t, b, r.top(top, 1))
		parts()
	}
	n := must(r.dev.AccelerationStructureProperties([]*AccelerationStructure{bottom}, SerializationSize))(t)[0]
	copied := make([]byte, n)
	if err := r.dev.CopyAccelerationStructureToMemory(bottom, copied); err != nil {
		t.Fatal(err)
	}
	if got := binary.LittleEndian.Uint64(copied[serialHandles:]); got != ray.BlockFormat {
		t.Errorf("the bottom level has %#x after its size; must have the block format without blocks", got)
	}
	for range 2 { // the second time from a copy of a copy
		if err := r.dev.CopyMemoryToAccelerationStructure(copied, bottom); err != nil {
			t.Fatal(err)
		}
		r.build(t, r.top(top, 1))
		parts()
		clear(copied)
		if err := r.dev.CopyAccelerationStructureToMemory(bottom, copied); err != nil {
			t.Fatal(err)
		}
	}
	b = r.bottom(bottom, 1)
	o := &OpacityGeometry{Structured: true, Indices: r.at(rayMicroIndices), IndexSize: 1, IndexStride: 1} // special indices need no micromap
	b.Geometries[0].Triangles.Opacity = o
	for index, want := range map[byte]string{0xff: "ignored", 0xfe: "opaque", 0xfd: "non-opaque", 0xfc: "non-opaque"} {
		r.memory.Bytes()[rayMicroIndices] = index
		r.build(t, b, r.top(top, 1))
		r.wantOpacity(t, top, .1, .1, want)
	}
	// A micromap is no bottom level of an instance, and no structure that a ray meets anything in.
	r.instance(0, m, 0)
	r.build(t, r.top(top, 1))
	r.wantOpacity(t, top, .4, .4, "ignored")
	r.wantOpacity(t, m, .4, .4, "ignored")
}

// TestStructureMicromapRules checks the rules of micromaps that are acceleration structures.
func TestStructureMicromapRules(t *testing.T) {
	r := newMicromaps(t)
	r.dev.checking = All
	const create, build, data = "VUID-VkAccelerationStructureCreateInfo2KHR-", "VUID-VkAccelerationStructureBuildGeometryInfoKHR-", "VUID-VkAccelerationStructureGeometryMicromapDataKHR-"
	const command, indices = "VUID-vkCmdBuildAccelerationStructuresKHR-", "VUID-VkAccelerationStructureTrianglesOpacityMicromapKHR-"
	for rule, flags := range map[string]StructureFlags{create + "createFlags-11610": StructureDescriptorReplay, create + "createFlags-11611": StructureMotion} {
		_, err := r.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: r.buffer, Size: 256, Level: MicromapLevel, Flags: flags})
		wantRule(t, err, rule)
	}
	m, bottom := r.structure(t, MicromapLevel), r.structure(t, BottomLevel)
	tiny := must(r.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: r.buffer, Offset: r.area, Size: 80, Level: MicromapLevel}))(t)
	for rule, change := range map[string]func(b *BuildInfo){
		build + "geometryCount-11560":                         func(b *BuildInfo) { b.Geometries = append(b.Geometries, b.Geometries[0]) },
		build + "geometryType-11561":                          func(b *BuildInfo) { b.Geometries = r.bottom(bottom, 1).Geometries },
		build + "flags-11562":                                 func(b *BuildInfo) { b.Flags = BuildAllowUpdate },
		build + "format-11712":                                func(b *BuildInfo) { b.Flags = BuildMicromapLossy },
		build + "subdivisionLevel-11564":                      func(b *BuildInfo) { b.Geometries[0].Micromap.Usages[0].Level = MaxMicromapLevel + 1 },
		"VUID-VkAccelerationStructureGeometryKHR-flags-11569": func(b *BuildInfo) { b.Geometries[0].Flags = GeometryOpaque },
		data + "subdivisionLevel-11645":                       func(b *BuildInfo) { b.Geometries[0].Micromap.Usages[1].Level = MaxMicromapLevel + 1 },
		data + "count-11643":                                  func(b *BuildInfo) { b.Geometries[0].Micromap.Usages[0].Count = ray.MaxMicromapTriangles },
		data + "triangleArrayStride-11646":                    func(b *BuildInfo) { b.Geometries[0].Micromap.Stride = 4 },
		data + "triangleArrayStride-11647":                    func(b *BuildInfo) { b.Geometries[0].Micromap.Stride = 10 },
		"VUID-VkMicromapUsageKHR-format-parameter":            func(b *BuildInfo) { b.Geometries[0].Micromap.Usages[0].Format = 3 },
		command + "ppBuildRangeInfos-11544":                   func(b *BuildInfo) { b.Ranges = make([]BuildRange, 1) },
		command + "mode-11545":                                func(b *BuildInfo) { b.Update = true },
		command + "srcAccelerationStructure-11546":            func(b *BuildInfo) { b.Source = m },
		command + "dstAccelerationStructure-11547":            func(b *BuildInfo) { b.Target = bottom },
		command + "micromap-11552":                            func(b *BuildInfo) { b.Geometries[0].Micromap.Data.Address += 64 },
		command + "pInfos-10126":                              func(b *BuildInfo) { b.Target = tiny },
	} {
		b := r.built(m)
		change(&b)
		r.refused(t, rule, func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{b}) })
	}
	lossy := r.built(m)
	lossy.Flags, lossy.Geometries[0].Micromap.Usages = BuildMicromapLossy, []MicromapUsage{{1, MaxMicromapLevel + 1, MicromapFourStates}}
	r.refused(t, build+"subdivisionLevel-11565", func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{lossy}) })
	_, err := r.dev.AccelerationStructureBuildSizes(r.built(nil), []uint32{1})
	wantRule(t, err, "VUID-vkGetAccelerationStructureBuildSizesKHR-pMaxPrimitiveCounts-11613")
	for rule, change := range map[string]func(b *BuildInfo){
		build + "type-11563":         func(b *BuildInfo) { b.Flags |= BuildMicromapLossy },
		build + "geometryType-11707": func(b *BuildInfo) { b.Geometries = r.built(nil).Geometries },
		indices + "indexType-11570":  func(b *BuildInfo) { b.Geometries[0].Triangles.Opacity.IndexSize = 3 },
		indices + "indexBuffer-11571": func(b *BuildInfo) {
			b.Geometries[0].Triangles.Opacity = &OpacityGeometry{Structured: true, Structure: m, Indices: r.at(0)}
		},
		indices + "indexStride-11573": func(b *BuildInfo) { b.Geometries[0].Triangles.Opacity.IndexStride = 3 },
		indices + "indexStride-11574": func(b *BuildInfo) { b.Geometries[0].Triangles.Opacity.IndexStride = 1 << 32 },
		indices + "micromap-11579":    func(b *BuildInfo) { b.Geometries[0].Triangles.Opacity = &OpacityGeometry{Structured: true} },
	} {
		b := r.bottom(bottom, 1)
		b.Geometries[0].Triangles.Opacity = &OpacityGeometry{Structured: true, Structure: m, Indices: r.at(rayMicroIndices), IndexSize: 2, IndexStride: 2}
		change(&b)
		r.refused(t, rule, func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{b}) })
	}
	if err := r.dev.BuildAccelerationStructures(context.Background(), []BuildInfo{r.built(m)}); err == nil {
		t.Error("the host built a micromap; must be an error")
	}
	r.refused(t, "", func(c *CommandBuffer) { // no indirect command builds a micromap
		c.BuildAccelerationStructuresIndirect([]BuildInfo{r.built(m)}, []IndirectBuild{{Address: r.buffer.Address() + rayRanges, Stride: 16}})
	})
	b := r.bottom(bottom, 1)
	b.Geometries[0].Triangles.Opacity = &OpacityGeometry{Structured: true, Structure: m}
	r.refused(t, command+"dstAccelerationStructure-11548", func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{b, r.built(m)}) })
	g := b.Geometries[0].Triangles
	g.Vertices, g.Indices = BuildData{Host: r.memory.Bytes()[rayVertices:][:72]}, BuildData{Host: r.memory.Bytes()[rayIndices:][:12]}
	wantRule(t, r.dev.BuildAccelerationStructures(context.Background(), []BuildInfo{b}), "VUID-vkBuildAccelerationStructuresKHR-pInfos-11705")
}

// TestStructureMicromapUpdates checks the rules on the micromaps of updates, and those on a micromap's content.
func TestStructureMicromapUpdates(t *testing.T) {
	const command = "VUID-vkCmdBuildAccelerationStructuresKHR-"
	for rule, change := range map[string]func(m, other, bottom *AccelerationStructure, was, now *TriangleGeometry){
		"":                         func(m, other, bottom *AccelerationStructure, was, now *TriangleGeometry) {},
		command + "micromap-11625": func(m, other, bottom *AccelerationStructure, was, now *TriangleGeometry) { now.Opacity = nil },
		command + "micromap-11626": func(m, other, bottom *AccelerationStructure, was, now *TriangleGeometry) { was.Opacity.Structure = nil },
		command + "micromap-11627": func(m, other, bottom *AccelerationStructure, was, now *TriangleGeometry) { was.Opacity = nil },
		command + "micromap-11629": func(m, other, bottom *AccelerationStructure, was, now *TriangleGeometry) {
			now.Opacity.Structure = other
		},
		command + "micromap-11701": func(m, other, bottom *AccelerationStructure, was, now *TriangleGeometry) {
			was.Opacity.Structure = bottom // not yet built
		},
	} {
		r := newMicromaps(t)
		r.dev.checking = All
		m, other, bottom, unbuilt := r.structure(t, MicromapLevel), r.structure(t, MicromapLevel), r.structure(t, BottomLevel), r.structure(t, MicromapLevel)
		r.submitted(t, func(c *CommandBuffer) {
			c.BuildAccelerationStructures([]BuildInfo{r.built(m), r.built(other)})
		})
		geometry := func(b *BuildInfo) *TriangleGeometry {
			g := b.Geometries[0].Triangles
			g.Opacity = &OpacityGeometry{Structured: true, Structure: m, Indices: r.at(rayMicroIndices), IndexSize: 2, IndexStride: 2}
			return g
		}
		was, now := r.bottom(bottom, 1), r.bottom(bottom, 1)
		now.Update, now.Source = true, bottom
		change(m, other, unbuilt, geometry(&was), geometry(&now))
		err := r.submit(t, r.record(t, func(c *CommandBuffer) {
			c.BuildAccelerationStructures([]BuildInfo{was})
			c.BuildAccelerationStructures([]BuildInfo{now})
		}))
		if rule == "" && err != nil {
			t.Errorf("%v; must have no error", err)
		} else if rule != "" {
			wantRule(t, err, rule)
		}
	}
}

// TestMixedMicromaps traces rays in a structure whose geometry has special and other micromap indices, with a pipeline that excludes such
// structures and with one that does not (11638).
func TestMixedMicromaps(t *testing.T) {
	const opacity = enum.PipelineFlagsRayTracingOpacityMicromap
	for _, x := range []struct {
		flags  enum.PipelineFlags
		second uint16 // the index of the second triangle; that of the first is 0
		fails  bool
	}{{opacity, 0xffff, false}, {opacity | ExcludeMixedMicromaps, 1, false}, {opacity | ExcludeMixedMicromaps, 0xffff, true}} {
		s := newRayScene(t, DeviceInfo{})
		r := micromapsOf(t, s.rays)
		m, bottom, top := r.structure(t, MicromapLevel), r.structure(t, BottomLevel), r.structure(t, TopLevel)
		binary.LittleEndian.PutUint16(r.memory.Bytes()[rayMicroIndices:], 0)
		binary.LittleEndian.PutUint16(r.memory.Bytes()[rayMicroIndices+2:], x.second)
		b := r.bottom(bottom, 2)
		b.Geometries[0].Triangles.Opacity = &OpacityGeometry{Structured: true, Structure: m, Indices: r.at(rayMicroIndices), IndexSize: 2, IndexStride: 2}
		r.instance(0, bottom, 0)
		r.build(t, r.built(m))
		r.build(t, b, r.top(top, 1))
		r.write(t, s.set, top)
		p := s.pipeline(t, RayTracingPipelineInfo{Creation: Creation{Flags: x.flags}, Stages: rayStages(t), Groups: rayGroups(), Depth: 1})
		tables := s.tables(t, p, 0, 1, 2)
		err := r.submit(t, r.record(t, func(c *CommandBuffer) { s.bind(c, p); c.TraceRays(tables, 4, 1, 1) }))
		if x.fails {
			wantRule(t, err, "VUID-vkCmdTraceRaysKHR-micromap-11638")
		} else if err != nil {
			t.Errorf("%+v: %v; must have no error", x, err)
		}
	}
}

// TestQueryMicromaps goes by ray queries through structures with micromaps: the shader has the mode for them (11636), and the pipeline or
// the shader object does not exclude mixed indices of the structure (11638, 11639).
func TestQueryMicromaps(t *testing.T) {
	mode := func(value string) string {
		return strings.NewReplacer(
			"OpExtension", "OpCapability RayTracingOpacityMicromapExecutionModeKHR\nOpExtension \"SPV_KHR_opacity_micromap\"\nOpExtension",
			"%main LocalSize 4 1 1", "%main LocalSize 4 1 1\nOpExecutionModeId %main OpacityMicromapIdKHR %mode",
			"%uint = ", "%mode = OpConstant"+value+" %bool\n%uint = ",
		).Replace(queries)
	}
	const excluded, object = ExcludeMixedMicromaps, enum.ObjectFlagsOpacityMicromapDisallowMixedSpecialIndex
	for _, x := range []struct {
		shader  string
		flags   enum.PipelineFlags
		object  bool // a shader object with the flag
		without bool // VK_EXT_opacity_micromap
		mixed   bool
		rule    string
	}{
		{queries, 0, false, false, true, ""},
		{queries, 0, false, true, false, "VUID-vkCmdDispatch-micromap-11636"},
		{mode("False"), 0, false, true, false, "VUID-vkCmdDispatch-micromap-11636"},
		{mode("True"), 0, false, true, false, ""},
		{queries, excluded, false, false, false, ""},
		{queries, excluded, false, false, true, "VUID-vkCmdDispatch-micromap-11638"},
		{queries, 0, true, false, false, ""},
		{queries, 0, true, false, true, "VUID-vkCmdDispatch-micromap-11639"},
	} {
		r := newMicromaps(t)
		r.dev.checking = All
		if x.without {
			r.dev.env.Device = &valid.Device{Extensions: map[string]bool{"VK_EXT_opacity_micromap": false}}
		}
		m, bottom, top := r.structure(t, MicromapLevel), r.structure(t, BottomLevel), r.structure(t, TopLevel)
		binary.LittleEndian.PutUint32(r.memory.Bytes()[rayMicroIndices:], 0)
		if x.mixed {
			r.memory.Bytes()[rayMicroIndices+1] = 0xfe
		}
		b := r.bottom(bottom, 2)
		b.Geometries[0].Triangles.Opacity = &OpacityGeometry{Structured: true, Structure: m, Indices: r.at(rayMicroIndices), IndexSize: 1, IndexStride: 1}
		r.instance(0, bottom, 0)
		r.build(t, r.built(m))
		r.build(t, b, r.top(top, 1))
		p, l := r.tracer(t, x.shader, 0, x.flags)
		set := must(must(r.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(l.sets[0]))(t)
		r.write(t, set, top)
		err := r.submit(t, r.record(t, func(c *CommandBuffer) {
			if x.object {
				c.BindShaders([]ShaderStage{StageCompute}, must(r.dev.NewShaders(t.Context(), []ShaderInfo{{Stage: StageCompute, Code: code(t, x.shader), Layout: l, Flags: object}}))(t))
			} else {
				c.BindPipeline(p)
			}
			c.BindSets(Compute, l, 0, []*Set{set}, nil)
			c.Dispatch(1, 1, 1)
		}))
		if x.rule != "" {
			wantRule(t, err, x.rule)
		} else if err != nil {
			t.Errorf("%+v: %v; must have no error", x, err)
		}
	}
}

// TestStructureMicromapMemory checks that the inputs of a micromap are memory, and that a geometry's micromap was built as one. A fault loses
// the device.
func TestStructureMicromapMemory(t *testing.T) {
	const command = "VUID-vkCmdBuildAccelerationStructuresKHR-"
	for _, c := range []struct {
		rule string
		info func(r *micromaps) BuildInfo
	}{
		{"micromap-11550", func(r *micromaps) BuildInfo {
			b := r.built(r.structure(t, MicromapLevel))
			b.Geometries[0].Micromap.Data.Address = 1 << 50
			return b
		}},
		{"micromap-11550", func(r *micromaps) BuildInfo {
			b := r.built(r.structure(t, MicromapLevel))
			b.Geometries[0].Micromap.Triangles.Address = 1 << 50
			return b
		}},
		{"micromap-11624", func(r *micromaps) BuildInfo {
			other, bottom := r.structure(t, AnyLevel), r.structure(t, BottomLevel)
			r.submitted(t, func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{r.bottom(other, 1)}) })
			b := r.bottom(bottom, 1)
			b.Geometries[0].Triangles.Opacity = &OpacityGeometry{Structured: true, Structure: other, Indices: r.at(rayMicroIndices), IndexSize: 2, IndexStride: 2}
			return b
		}},
	} {
		r := newMicromaps(t)
		r.dev.checking = All
		b := c.info(r)
		wantRule(t, r.submit(t, r.record(t, func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{b}) })), command+c.rule)
	}
}
