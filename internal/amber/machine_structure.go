package amber

import (
	"context"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// geometryFlags and instanceFlags are the flags of AmberScript.
var (
	geometryFlags = map[string]vk.GeometryFlags{"OPAQUE": vk.GeometryOpaque, "NO_DUPLICATE_ANY_HIT": vk.GeometryNoDuplicateAnyHits}
	instanceFlags = map[string]vk.InstanceFlags{
		"TRIANGLE_FACING_CULL_DISABLE": vk.InstanceNoCulling, "TRIANGLE_FLIP_FACING": vk.InstanceFlipFacing, "FORCE_OPAQUE": vk.InstanceForceOpaque,
		"FORCE_NO_OPAQUE": vk.InstanceForceNoOpaque,
	}
)

// Sizes in bytes: of a vertex and of a box in memory.
const (
	vertexBytes = 12
	boxBytes    = 24
)

// structure returns an acceleration structure, built when it is first needed.
func (m *machine) structure(ctx context.Context, s *Structure) (*vk.AccelerationStructure, error) {
	if a := m.structures[s]; a != nil {
		return a, nil
	}
	b := vk.BuildInfo{Level: vk.TopLevel}
	var err error
	if s.Top {
		err = m.instances(ctx, s, &b)
	} else {
		b.Level = vk.BottomLevel
		err = m.geometries(s, &b)
	}
	if err != nil {
		return nil, err
	}
	counts := make([]uint32, len(b.Ranges))
	for i := range counts {
		counts[i] = b.Ranges[i].Primitives
	}
	sizes, err := m.device.AccelerationStructureBuildSizes(b, counts)
	if err == nil {
		b.Target, err = m.newStructure(sizes.Structure, b.Level)
	}
	if err == nil {
		err = m.device.BuildAccelerationStructures(ctx, []vk.BuildInfo{b})
	}
	if err != nil {
		return nil, m.fault(CodeRun, s.At, "acceleration structure %s: %v", s.Name, host.Cause(err))
	}
	m.structures[s] = b.Target
	return b.Target, nil
}

// newStructure makes an acceleration structure of n bytes in memory of its own.
func (m *machine) newStructure(n uint64, level vk.StructureLevel) (*vk.AccelerationStructure, error) {
	memory, err := m.device.Allocate(vk.MemoryInfo{Size: n, DeviceAddress: true})
	if err != nil {
		return nil, err
	}
	b, err := m.device.NewBuffer(vk.BufferInfo{Size: n, Usage: vk.DeviceAddress | vk.AccelerationStructureStorageArea})
	if err == nil {
		err = b.Bind(memory, 0)
	}
	if err != nil {
		return nil, err
	}
	return m.device.NewAccelerationStructure(vk.AccelerationStructureInfo{Buffer: b, Size: n, Level: level})
}

// geometries sets the geometries of a bottom level.
func (m *machine) geometries(s *Structure, b *vk.BuildInfo) error {
	for i := range s.Primitives {
		p := &s.Primitives[i]
		var g vk.Geometry
		for _, f := range p.Flags {
			bit, ok := geometryFlags[f]
			if !ok {
				return m.unsupported(s.At, "the geometry flag "+f)
			}
			g.Flags |= bit
		}
		var data []byte
		for _, x := range p.Vertices {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(x)))
		}
		n := len(data) / (3 * vertexBytes)
		if p.Boxes {
			n = len(data) / boxBytes
			g.Boxes = &vk.BoxGeometry{Data: vk.BuildData{Host: data}, Stride: boxBytes}
		} else {
			g.Triangles = &vk.TriangleGeometry{Format: link.FormatR32G32B32Sfloat, Vertices: vk.BuildData{Host: data}, Stride: vertexBytes, MaxVertex: uint32(max(3*n, 1) - 1)}
		}
		b.Geometries = append(b.Geometries, g)
		b.Ranges = append(b.Ranges, vk.BuildRange{Primitives: uint32(n)})
	}
	return nil
}

// instances sets the instances of a top level.
func (m *machine) instances(ctx context.Context, s *Structure, b *vk.BuildInfo) error {
	list := make([]vk.Instance, len(s.Instances))
	for i := range s.Instances {
		x, to := &s.Instances[i], &list[i]
		*to = vk.Instance{Transform: [12]float32{0: 1, 5: 1, 10: 1}, CustomIndex: x.Index, Mask: uint8(x.Mask), Record: x.Offset}
		for k, v := range x.Transform {
			to.Transform[k] = float32(v)
		}
		for _, f := range x.Flags {
			bit, ok := instanceFlags[f]
			if n, err := strconv.ParseUint(f, 0, 8); err == nil {
				bit, ok = vk.InstanceFlags(n), n <= uint64(vk.InstanceNoCulling|vk.InstanceFlipFacing|vk.InstanceForceOpaque|vk.InstanceForceNoOpaque)
			}
			if !ok {
				return m.unsupported(s.At, "the instance flag "+f)
			}
			to.Flags |= bit
		}
		var err error
		if to.Structure, err = m.structure(ctx, x.Bottom); err != nil {
			return err
		}
	}
	b.Geometries, b.Ranges = []vk.Geometry{{Instances: &vk.InstanceGeometry{List: list}}}, []vk.BuildRange{{Primitives: uint32(len(list))}}
	return nil
}
