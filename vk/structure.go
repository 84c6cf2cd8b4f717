package vk

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ray"
)

// The uses of buffers for ray tracing.
const (
	ShaderBindingTable               BufferUsage = 0x400    // the records of trace commands
	AccelerationStructureBuildInput  BufferUsage = 0x80000  // vertices, indices, transforms, boxes, instances
	AccelerationStructureStorageArea BufferUsage = 0x100000 // acceleration structures
)

// StructureLevel is the level of an acceleration structure (VkAccelerationStructureTypeKHR).
type StructureLevel uint8

// The levels. A structure of the level AnyLevel is of the level of its last build.
const (
	TopLevel    StructureLevel = iota // of instances of bottom levels
	BottomLevel                       // of geometries
	AnyLevel
	MicromapLevel // an opacity micromap
)

// StructureFlags are properties of an acceleration structure (VkAccelerationStructureCreateFlagBitsKHR).
type StructureFlags uint32

// The flags.
const (
	StructureAddressReplay    StructureFlags = 0x1 // its device address may be the one of an earlier run
	StructureMotion           StructureFlags = 0x4 // its builds have motion
	StructureDescriptorReplay StructureFlags = 0x8 // its descriptors may be those of an earlier run
)

// structureAlignment is the alignment of a structure in its buffer, in bytes.
const structureAlignment = 256

// AccelerationStructureInfo describes an acceleration structure (VkAccelerationStructureCreateInfoKHR).
type AccelerationStructureInfo struct {
	Buffer       *Buffer // bound to memory
	Offset, Size uint64  // bytes of the buffer
	Level        StructureLevel
	Flags        StructureFlags

	// Address, not 0, is the result of [AccelerationStructure.Address] in an earlier run, and the address that the structure
	// must have. It needs the flag StructureAddressReplay.
	Address uint64

	// Motion is for top levels with the flag StructureMotion.
	Motion *StructureMotionInfo
}

// StructureMotionInfo describes a top level with motion (VkAccelerationStructureMotionInfoNV).
type StructureMotionInfo struct {
	MaxInstances uint32 // the most that a build has
}

// AccelerationStructure is a range of a buffer for an acceleration structure. A build, or a copy, makes the structure itself.
// It is not in the bytes of the buffer: no program reads or changes it there.
type AccelerationStructure struct {
	object
	info AccelerationStructureInfo

	// The fields below are guarded by structures.mu, but for handle, which commands read.
	memory  *Memory  // nil before the first use after the bind of the buffer
	from    uint64   // the first byte of the range in the memory
	number  uint64   // the device address; without one, a number of privateNumbers; 0 without memory
	handle  [8]byte  // number, for descriptors
	content *content // nil before a build, and after a build that overwrote the range
}

// NewAccelerationStructure makes an acceleration structure without content.
func (d *Device) NewAccelerationStructure(info AccelerationStructureInfo) (*AccelerationStructure, error) {
	if err := d.hosts("accelerationStructure", "VUID-vkCreateAccelerationStructureKHR-accelerationStructure-03611"); err != nil {
		return nil, err
	}
	if err := check(d, "the buffer of the acceleration structure", info.Buffer); err != nil {
		return nil, err
	}
	if info.Flags&StructureAddressReplay != 0 {
		if err := d.needs("accelerationStructureCaptureReplay", "VUID-VkAccelerationStructureCreateInfoKHR-createFlags-03613"); err != nil {
			return nil, err
		}
	}
	if info.Level == MicromapLevel {
		const rule = "VUID-VkAccelerationStructureCreateInfo2KHR-"
		if err := d.needs("micromap", rule+"micromap-11609"); err != nil {
			return nil, err
		}
		switch {
		case info.Flags&StructureDescriptorReplay != 0:
			return nil, usage(rule+"createFlags-11610", "the micromap has the flag StructureDescriptorReplay; must not have it")
		case info.Flags&StructureMotion != 0:
			return nil, usage(rule+"createFlags-11611", "the micromap has the flag StructureMotion; must not have it")
		}
	}
	b := info.Buffer
	switch {
	case info.Level > MicromapLevel:
		return nil, &UnsupportedError{Feature: "acceleration structures of the level " + uintText(uint64(info.Level))}
	case info.Flags&^(StructureAddressReplay|StructureMotion|StructureDescriptorReplay) != 0:
		return nil, &UnsupportedError{Feature: "a flag of acceleration structures that is none of Vulkan's"}
	case d.checking > None && b.usage&AccelerationStructureStorageArea == 0:
		return nil, usage("VUID-VkAccelerationStructureCreateInfoKHR-buffer-03614", "%v lacks the usage for acceleration structures; must have it", &b.object)
	case info.Offset > b.size || info.Size > b.size-info.Offset:
		return nil, usage("VUID-VkAccelerationStructureCreateInfoKHR-offset-03616", "the acceleration structure has %d bytes from offset %d on; must be in the %d bytes of %v", info.Size, info.Offset, b.size, &b.object)
	case info.Size == 0:
		return nil, usage("", "the acceleration structure has no bytes; must have some")
	case info.Offset%structureAlignment != 0:
		return nil, usage("VUID-VkAccelerationStructureCreateInfoKHR-offset-03734", "the offset of the acceleration structure is %d; must be a multiple of %d", info.Offset, structureAlignment)
	case info.Address != 0 && info.Flags&StructureAddressReplay == 0:
		return nil, usage("VUID-VkAccelerationStructureCreateInfoKHR-deviceAddress-03612", "the acceleration structure has the address %#x of an earlier run and lacks the flag for it; must have it", info.Address)
	case info.Flags&StructureMotion != 0 && info.Level == TopLevel && info.Motion == nil:
		return nil, usage("VUID-VkAccelerationStructureCreateInfoKHR-createFlags-04954", "the top level has motion and no number of instances; must have one")
	}
	a := &AccelerationStructure{info: info}
	if info.Address != 0 && (!d.heap.structures.place(a) || a.number != info.Address) {
		return nil, ErrOpaqueAddress
	}
	d.adopt(&a.object, "acceleration structure", func() { d.heap.structures.drop(a) })
	return a, nil
}

// Address returns the device address of the acceleration structure; 0 if its buffer has none, or no memory yet.
func (a *AccelerationStructure) Address() uint64 {
	if a == nil || a.dev == nil || !a.dev.heap.structures.place(a) || a.number >= privateNumbers {
		return 0
	}
	return a.number
}

// setNumber sets the number. The handle gets it as well.
func (a *AccelerationStructure) setNumber(n uint64) {
	a.number = n
	binary.LittleEndian.PutUint64(a.handle[:], n)
}

// Size returns the bytes of the buffer that the acceleration structure has; 0 if it is nil.
func (a *AccelerationStructure) Size() uint64 {
	if a == nil {
		return 0
	}
	return a.info.Size
}

// descriptor returns the descriptor of the acceleration structure: a buffer that has its number. A null descriptor has no
// bytes, which read as the number 0: the null structure.
func (a *AccelerationStructure) descriptor() exec.Buffer {
	if a == nil {
		return exec.Buffer{}
	}
	a.dev.heap.structures.place(a)
	return exec.Buffer{Bytes: a.handle[:]}
}

// refer calls each for the structure, its buffer and its memory.
func (a *AccelerationStructure) refer(each func(*object)) {
	each(&a.object)
	a.info.Buffer.refer(each)
}

// content is a structure with the build that made it.
type content struct {
	structure *ray.Structure // nil of a micromap
	micromap  *ray.Micromap
	level     StructureLevel // TopLevel, BottomLevel or MicromapLevel
	flags     BuildFlags
	linked    uint64  // structures.bottoms when the instances of a top level got their structures
	shapes    []shape // of the geometries; nil if they are not known
	shared    bool    // another content may have the memory of the structure
	reuses    bool    // the structure has the memory of the content before
	compacted bool    // the structure has no more bytes than its compacted size
	blocks    bool    // a geometry has a micromap that is an acceleration structure
	mixed     bool    // a geometry has such a micromap and special indices
}

// size returns the size of a copy of the structure.
func (c *content) size() uint64 {
	if c.level == MicromapLevel {
		return micromapHeader + c.micromap.Size()
	}
	if c.compacted {
		return c.structure.CompactedSize()
	}
	return c.structure.Size()
}

// compactedSize returns the size of a compacted copy of the structure. All micromaps are compact.
func (c *content) compactedSize() uint64 {
	if c.level == MicromapLevel {
		return c.size()
	}
	return c.structure.CompactedSize()
}

// serial returns the serialized form of the structure.
func (c *content) serial() serializer {
	if c.level == MicromapLevel {
		return ray.StructureMicromap{Map: c.micromap, Flags: ray.BuildFlags(c.flags), Bytes: c.size()}
	}
	return c.structure
}
