package vk

import (
	"context"
	"encoding/binary"
	"testing"
)

const raySpheres = 5120 // offset of centers and radii

// spheres returns a build of n spheres, or of swept spheres with caps: centers and radii by turns.
func (r *rays) spheres(target *AccelerationStructure, swept bool, n uint32, list ...float32) BuildInfo {
	r.floats(raySpheres, list...)
	s := SphereGeometry{Format: 106, Centers: r.at(raySpheres), Stride: 16, RadiusFormat: 100, Radii: r.at(raySpheres + 12), RadiusStride: 16}
	g := Geometry{Flags: GeometryOpaque, Spheres: &s}
	if swept {
		g = Geometry{Flags: GeometryOpaque, SweptSpheres: &SweptSphereGeometry{Spheres: s, Chained: true}}
	}
	return BuildInfo{
		Level: BottomLevel, Target: target, Flags: BuildAllowCompaction | BuildAllowUpdate, Scratch: r.at(rayScratch),
		Geometries: []Geometry{g}, Ranges: []BuildRange{{Primitives: n}},
	}
}

// TestSphereBuild builds spheres and swept spheres on the device and on the host, with and without indices, updates and copies them.
func TestSphereBuild(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	bottom, top, other := r.structure(t, BottomLevel), r.structure(t, TopLevel), r.structure(t, BottomLevel)
	r.instance(0, bottom, 0)
	hit := func(distance, primitive string) string {
		return distance + " of instance 0 (100), record 7, primitive " + primitive
	}
	b := r.spheres(bottom, false, 2, 0, 0, 0, 1, 4, 0, 0, 2)
	r.build(t, b, r.top(top, 1))
	r.want(t, top, 0, 0, hit("4", "0"))
	r.want(t, top, 4, 0, hit("3", "1"))
	r.want(t, top, 1.5, 0, "miss")

	b.Ranges[0] = BuildRange{Primitives: 1, FirstVertex: 1}
	r.build(t, b, r.top(top, 1))
	r.want(t, top, 0, 0, "miss")
	r.want(t, top, 4, 0, hit("3", "0"))

	for i, n := range []uint16{0, 1, 0} { // at a stride of 6 bytes
		binary.LittleEndian.PutUint16(r.memory.Bytes()[rayIndices+6*i:], n)
	}
	s := b.Geometries[0].Spheres
	s.Indices, s.IndexSize, s.IndexStride = r.at(rayIndices), 2, 6
	b.Ranges[0] = BuildRange{Primitives: 1, Offset: 6}
	r.build(t, b, r.top(top, 1))
	r.want(t, top, 4, 0, hit("3", "0"))

	swept := r.spheres(bottom, true, 1, 0, 0, 0, 1, 4, 0, 0, 1)
	r.build(t, swept, r.top(top, 1))
	r.want(t, top, 2, 0, hit("4", "0"))
	r.floats(raySpheres, 0, 0, 1)
	swept.Update, swept.Source, swept.Target = true, bottom, other
	r.build(t, swept)
	r.submitted(t, func(c *CommandBuffer) { c.CopyAccelerationStructure(other, bottom, true) })
	r.build(t, r.top(top, 1))
	r.want(t, top, 0, 0, hit("3", "0"))
	data := make([]byte, must(r.dev.AccelerationStructureProperties([]*AccelerationStructure{bottom}, SerializationSize))(t)[0])
	if err := r.dev.CopyAccelerationStructureToMemory(bottom, data); err != nil {
		t.Fatal(err)
	}
	r.build(t, r.bottom(bottom, 1))
	if err := r.dev.CopyMemoryToAccelerationStructure(data, bottom); err != nil {
		t.Fatal(err)
	}
	r.want(t, top, 0, 0, hit("3", "0"))

	host := r.spheres(bottom, true, 1, 0, 0, 0)
	g := &host.Geometries[0].SweptSpheres.Spheres
	g.Centers, g.Radii = BuildData{Host: r.memory.Bytes()[raySpheres:][:28]}, BuildData{Host: r.memory.Bytes()[raySpheres+12:][:20]}
	if err := r.dev.BuildAccelerationStructures(context.Background(), []BuildInfo{host}); err != nil {
		t.Fatal(err)
	}
	r.want(t, top, 4, 0, hit("4", "0"))
	g.Radii.Host = g.Radii.Host[:19] // without the second radius
	if err := r.dev.BuildAccelerationStructures(context.Background(), []BuildInfo{host}); err != nil {
		t.Fatal(err)
	}
	r.want(t, top, 4, 0, "miss")
}

// TestSphereRules checks the rules of spheres and swept spheres, by commands and on the host.
func TestSphereRules(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	r.dev.checking = All
	a := r.structure(t, BottomLevel)
	const sphere, swept = "VUID-VkAccelerationStructureGeometrySpheresDataNV-", "VUID-VkAccelerationStructureGeometryLinearSweptSpheresDataNV-"
	for _, x := range []struct {
		rule, ofSwept string
		change        func(s *SphereGeometry)
	}{
		{"vertexStride-10431", "vertexStride-10421", func(s *SphereGeometry) { s.Stride = 18 }},
		{"vertexStride-10432", "vertexStride-10422", func(s *SphereGeometry) { s.Stride = 1 << 32 }},
		{"vertexStride-10432", "vertexStride-10422", func(s *SphereGeometry) { s.RadiusStride = 1 << 32 }},
		{"vertexFormat-10434", "vertexFormat-10423", func(s *SphereGeometry) { s.Format = 107 }},     // R32G32B32A32_UINT
		{"radiusFormat-10435", "radiusFormat-10424", func(s *SphereGeometry) { s.RadiusFormat = 9 }}, // R8_UNORM
		{"indexData-10437", "indexData-10428", func(s *SphereGeometry) { s.IndexSize = 1 }},
	} {
		b := r.spheres(a, false, 1)
		x.change(b.Geometries[0].Spheres)
		r.refused(t, sphere+x.rule, func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{b}) })
		b = r.spheres(a, true, 1)
		x.change(&b.Geometries[0].SweptSpheres.Spheres)
		r.refused(t, swept+x.ofSwept, func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{b}) })
	}
	b := r.spheres(a, true, 1)
	b.Geometries[0].SweptSpheres.Successive = true
	r.refused(t, swept+"indexingMode-10427", func(c *CommandBuffer) { c.BuildAccelerationStructures([]BuildInfo{b}) })

	data := BuildData{Host: make([]byte, 64)}
	for _, x := range []struct {
		rule, ofSwept string
		change        func(s *SphereGeometry)
	}{
		{"11822", "11826", func(s *SphereGeometry) { s.Indices = data }},
		{"11823", "11827", func(s *SphereGeometry) { s.IndexSize = 2 }},
		{"11824", "11828", func(s *SphereGeometry) { s.Centers = BuildData{} }},
		{"11825", "11829", func(s *SphereGeometry) { s.Radii = BuildData{} }},
	} {
		for _, isSwept := range []bool{false, true} {
			b := r.spheres(a, isSwept, 1)
			s, rule := b.Geometries[0].spheres(), x.rule
			if isSwept {
				rule = x.ofSwept
			}
			s.Centers, s.Radii = data, data
			x.change(s)
			wantRule(t, r.dev.BuildAccelerationStructures(context.Background(), []BuildInfo{b}), "VUID-vkBuildAccelerationStructuresKHR-pInfos-"+rule)
		}
	}
}
