package vk

import (
	"encoding/binary"
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ray"
)

// InstanceMotion is the motion of an instance from time 0 to time 1 (VkAccelerationStructureMatrixMotionInstanceNV,
// VkAccelerationStructureSRTMotionInstanceNV).
type InstanceMotion struct {
	Matrix [12]float32 // at time 1; that at time 0 is the Transform of the instance

	// SRT: the instance has the decompositions From, at time 0, and To, at time 1, in place of matrices. Their elements are those of
	// VkSRTDataNV in their order.
	SRT      bool
	From, To [16]float32
}

// The layout of instances that may move.
const (
	motionStride = 160 // from one VkAccelerationStructureMotionInstanceNV to the next
	motionBytes  = 152 // of one
	motionHeader = 8   // the type and flags before the data

	staticInstance = 0
	matrixInstance = 1
	srtInstance    = 2
)

// motionSizes are the sizes of the data of instances, by type.
var motionSizes = [...]uint64{staticInstance: instanceBytes, matrixInstance: 112, srtInstance: 144}

// checkMotion checks that the build and its target agree on motion. primitives are the most, or the number, of each geometry.
func (b *BuildInfo) checkMotion(primitives []uint32) error {
	const build, create = "VUID-VkAccelerationStructureBuildGeometryInfoKHR-", "VUID-VkAccelerationStructureCreateInfoKHR-"
	has := b.Target.info.Flags&StructureMotion != 0
	switch {
	case has && b.Flags&BuildMotion == 0:
		return usage(build+"dstAccelerationStructure-04927", "%v has motion, and the build has not; must have it", &b.Target.object)
	case !has && b.Flags&BuildMotion != 0:
		return usage(build+"flags-04928", "the build has motion, and %v has not; must have it", &b.Target.object)
	}
	if m := b.Target.info.Motion; has && m != nil && b.Level == TopLevel && primitives[0] > m.MaxInstances {
		return usage("", "the build has %d instances; must have at most the %d of %v", primitives[0], m.MaxInstances, &b.Target.object)
	}
	for i := range b.Geometries {
		if t := b.Geometries[i].Triangles; t != nil && t.Moved != nil && !has {
			return usage(create+"createFlags-04955", "geometry %d moves, and %v has no motion; must have it", i, &b.Target.object)
		}
	}
	return nil
}

// moving returns n instances that may move. Without addresses they are at a stride in the data; with them, the low bits of an
// address are the type of its instance.
func (in *buildInputs) moving(data []byte, pointers bool, n uint32) ([]ray.Instance, error) {
	out := make([]ray.Instance, n)
	for i := range out {
		if !pointers {
			b := data[motionStride*i:]
			in.motionInstance(&out[i], binary.LittleEndian.Uint32(b), b[motionHeader:motionBytes])
			continue
		}
		at := binary.LittleEndian.Uint64(data[8*i:])
		kind, at := uint32(at&15), at&^15
		if int(kind) >= len(motionSizes) {
			continue
		}
		m, release, ok := in.dev.heap.at(at, motionSizes[kind])
		if !ok {
			return nil, usage(in.rule+"pInfos-03717", "no memory is at the address %#x of an instance; must be", at)
		}
		in.motionInstance(&out[i], kind, m)
		release()
	}
	return out, nil
}

// motionInstance decodes an instance of a type. One of no type is inactive. x is zero before.
func (in *buildInputs) motionInstance(x *ray.Instance, kind uint32, b []byte) {
	switch kind {
	case staticInstance:
		in.instance(x, b)
	case matrixInstance:
		in.placed(x, b[96:])
		x.Transform, x.Motion = *matrixOf(b), &ray.InstanceMotion{Matrix: *matrixOf(b[48:])}
	case srtInstance:
		in.placed(x, b[128:])
		x.Motion = &ray.InstanceMotion{SRT: true}
		for i := range x.Motion.From {
			x.Motion.From[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
			x.Motion.To[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[64+4*i:]))
		}
	}
}
