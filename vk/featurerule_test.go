package vk

import (
	"context"
	"maps"
	"testing"
)

// TestStructureFeatures checks the features that calls and commands of acceleration structures and micromaps need: each call has the rule
// of a feature if it alone is off, and none of the rules if all are on or if the device does not check.
func TestStructureFeatures(t *testing.T) {
	r := newMicromaps(t)
	bottom, top, other := r.structure(t, BottomLevel), r.structure(t, TopLevel), r.structure(t, BottomLevel)
	r.instance(0, bottom, 0)
	r.build(t, r.bottom(bottom, 2))
	r.build(t, r.top(top, 1))
	micromap, copied := r.micromap(t), r.micromap(t)
	host := r.of(micromap)
	host.Data, host.Triangles, host.Scratch = BuildData{Host: r.memory.Bytes()[rayMicroData:][:64]}, BuildData{Host: r.memory.Bytes()[rayMicroTriangles:][:16]}, BuildData{}
	if err := r.dev.BuildMicromaps(context.Background(), []MicromapBuild{host}); err != nil {
		t.Fatal(err)
	}
	size := must(r.dev.MicromapProperties([]*Micromap{micromap}, MicromapSerializationSize))(t)[0]
	serial := make([]byte, size)
	if err := r.dev.CopyMicromapToMemory(micromap, serial); err != nil {
		t.Fatal(err)
	}
	boxes := BuildInfo{
		Level: BottomLevel, Target: other, Geometries: []Geometry{{Boxes: &BoxGeometry{Data: BuildData{Host: r.memory.Bytes()[rayBoxes:][:24]}, Stride: 24}}}, Ranges: []BuildRange{{Primitives: 1}},
	}
	command := func(commands func(c *CommandBuffer)) func() error {
		return func() error {
			c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
			defer c.Close()
			if err := c.Begin(BeginInfo{}); err != nil {
				t.Fatal(err)
			}
			commands(c)
			return c.End()
		}
	}
	call := func(_ any, err error) error { return err }
	structured := r.structure(t, AnyLevel)
	area := AccelerationStructureInfo{Buffer: r.buffer, Offset: r.area, Size: 8192, Level: TopLevel}
	replayed := area
	replayed.Flags = StructureAddressReplay
	const swept, spheres = "VUID-VkAccelerationStructureGeometryLinearSweptSpheresDataNV-None-10419", "VUID-VkAccelerationStructureGeometrySpheresDataNV-None-10429"
	structureBytes := make([]byte, must(r.dev.AccelerationStructureProperties([]*AccelerationStructure{bottom}, SerializationSize))(t)[0])
	cases := []struct {
		feature, rule string
		run           func() error
	}{
		{"accelerationStructure", "VUID-vkCreateAccelerationStructureKHR-accelerationStructure-03611", func() error { return call(r.dev.NewAccelerationStructure(area)) }},
		{"accelerationStructureCaptureReplay", "VUID-VkAccelerationStructureCreateInfoKHR-createFlags-03613", func() error { return call(r.dev.NewAccelerationStructure(replayed)) }},
		{"micromap", "VUID-vkCreateMicromapEXT-micromap-11615", func() error { return call(r.dev.NewMicromap(MicromapInfo{Buffer: r.areas, Offset: 4096, Size: 512})) }},
		{"micromapCaptureReplay", "VUID-VkMicromapCreateInfoEXT-micromapCaptureReplay-11616", func() error {
			return call(r.dev.NewMicromap(MicromapInfo{Buffer: r.areas, Offset: 4096, Size: 512, Flags: StructureAddressReplay}))
		}},
		{"micromap", "VUID-VkAccelerationStructureCreateInfo2KHR-micromap-11609", func() error {
			x := area
			x.Level = MicromapLevel
			return call(r.dev.NewAccelerationStructure(x))
		}},
		{"micromap", "VUID-VkAccelerationStructureBuildGeometryInfoKHR-micromap-11559", command(func(c *CommandBuffer) {
			c.BuildAccelerationStructures([]BuildInfo{r.built(structured)})
		})},
		{"linearSweptSpheres", swept, command(func(c *CommandBuffer) {
			c.BuildAccelerationStructures([]BuildInfo{r.spheres(other, true, 1, 0, 0, 0, 1, 4, 0, 0, 1)})
		})},
		{"spheres", spheres, command(func(c *CommandBuffer) {
			c.BuildAccelerationStructures([]BuildInfo{r.spheres(other, false, 1, 0, 0, 0, 1)})
		})},
		{"accelerationStructureIndirectBuild", "VUID-vkCmdBuildAccelerationStructuresIndirectKHR-accelerationStructureIndirectBuild-03650", command(func(c *CommandBuffer) {
			x := r.bottom(other, 1)
			x.Ranges = nil
			c.BuildAccelerationStructuresIndirect([]BuildInfo{x}, []IndirectBuild{{Address: r.buffer.Address() + rayRanges, Stride: 16, MaxPrimitives: []uint32{1}}})
		})},
		{hostStructures, "VUID-vkBuildAccelerationStructuresKHR-accelerationStructureHostCommands-03581", func() error {
			return r.dev.BuildAccelerationStructures(context.Background(), []BuildInfo{boxes})
		}},
		{hostStructures, "VUID-vkCopyAccelerationStructureKHR-accelerationStructureHostCommands-03582", func() error { return r.dev.CopyAccelerationStructure(bottom, other, false) }},
		{hostStructures, "VUID-vkCopyAccelerationStructureToMemoryKHR-accelerationStructureHostCommands-03584", func() error { return r.dev.CopyAccelerationStructureToMemory(bottom, structureBytes) }},
		{hostStructures, "VUID-vkCopyMemoryToAccelerationStructureKHR-accelerationStructureHostCommands-03583", func() error { return r.dev.CopyMemoryToAccelerationStructure(structureBytes, other) }},
		{hostStructures, "VUID-vkWriteAccelerationStructuresPropertiesKHR-accelerationStructureHostCommands-03585", func() error {
			return call(r.dev.AccelerationStructureProperties([]*AccelerationStructure{bottom}, SerializationSize))
		}},
		{hostMicromaps, "VUID-vkBuildMicromapsEXT-micromapHostCommands-07555", func() error { return r.dev.BuildMicromaps(context.Background(), []MicromapBuild{host}) }},
		{hostMicromaps, "VUID-vkCopyMicromapEXT-micromapHostCommands-07560", func() error { return r.dev.CopyMicromap(micromap, copied, false) }},
		{hostMicromaps, "VUID-vkCopyMicromapToMemoryEXT-micromapHostCommands-07571", func() error { return r.dev.CopyMicromapToMemory(micromap, serial) }},
		{hostMicromaps, "VUID-vkCopyMemoryToMicromapEXT-micromapHostCommands-07566", func() error { return r.dev.CopyMemoryToMicromap(serial, copied) }},
		{hostMicromaps, "VUID-vkWriteMicromapsPropertiesEXT-micromapHostCommands-07578", func() error { return call(r.dev.MicromapProperties([]*Micromap{micromap}, MicromapSerializationSize)) }},
		{"rayTracingPipelineTraceRaysIndirect", "VUID-vkCmdTraceRaysIndirectKHR-rayTracingPipelineTraceRaysIndirect-03637", command(func(c *CommandBuffer) { c.TraceRaysIndirect(ShaderTables{}, 0) })},
		{"rayTracingPipelineTraceRaysIndirect2", "VUID-vkCmdTraceRaysIndirect2KHR-rayTracingPipelineTraceRaysIndirect2-03637", command(func(c *CommandBuffer) { c.TraceRaysIndirect2(0) })},
	}
	all := map[string]bool{}
	for _, x := range cases {
		all[x.feature] = true
	}
	for _, x := range cases {
		r.dev.checking, r.dev.enabled = All, all
		if err := x.run(); err != nil {
			t.Errorf("%s is on: %v", x.feature, err)
		}
		r.dev.enabled = maps.Clone(all)
		delete(r.dev.enabled, x.feature)
		broke(t, x.feature+" is off", x.run(), x.rule)
		r.dev.checking = None
		if err := x.run(); err != nil {
			t.Errorf("%s is off without checks: %v", x.feature, err)
		}
	}
}
