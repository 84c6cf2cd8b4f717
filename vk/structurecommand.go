package vk

import (
	"encoding/binary"
	"slices"
)

// IndirectBuild is the place of the ranges of a build: one for each geometry, 16 bytes at a stride from a device address. They are
// read when the command runs.
type IndirectBuild struct {
	Address       uint64
	Stride        uint32
	MaxPrimitives []uint32 // of each geometry
}

// rangeBytes is the size of a BuildRange in memory.
const rangeBytes = 16

// buildStructures is a recorded command that builds.
type buildStructures struct {
	list     []BuildInfo
	indirect []IndirectBuild // nil if the ranges were given
}

func (*buildStructures) flags() QueueFlags { return QueueCompute }

func (w *buildStructures) forget() {
	*w = buildStructures{list: emptied(w.list), indirect: emptied(w.indirect)}
}

// structureCommand begins a command on acceleration structures.
func (c *CommandBuffer) structureCommand(command string) bool {
	if !c.starts(command) || !c.notSuspended(command) {
		return false
	}
	if c.scope.open() {
		c.fail(usage("VUID-"+command+"-renderpass", "the command is in a rendering; must be outside"))
		return false
	}
	return true
}

// BuildAccelerationStructures builds or updates acceleration structures (vkCmdBuildAccelerationStructuresKHR).
func (c *CommandBuffer) BuildAccelerationStructures(list []BuildInfo) {
	const command = "vkCmdBuildAccelerationStructuresKHR"
	if !c.structureCommand(command) {
		return
	}
	primitives, err := givenPrimitives(list)
	if err == nil {
		err = c.dev.checkBuilds(list, "VUID-"+command+"-", primitives)
	}
	for i := 0; i < len(list) && err == nil; i++ {
		err = list[i].checkAddresses("VUID-" + command + "-")
	}
	if err != nil {
		c.fail(err)
		return
	}
	w := take[buildStructures](c)
	for i := range list {
		w.list = append(w.list, c.keepBuild(&list[i]))
	}
	c.deferred("build acceleration structures", w)
}

// BuildAccelerationStructuresIndirect is BuildAccelerationStructures with the ranges in memory
// (vkCmdBuildAccelerationStructuresIndirectKHR).
func (c *CommandBuffer) BuildAccelerationStructuresIndirect(list []BuildInfo, indirect []IndirectBuild) {
	const command, rule = "vkCmdBuildAccelerationStructuresIndirectKHR", "VUID-vkCmdBuildAccelerationStructuresIndirectKHR-"
	if !c.structureCommand(command) {
		return
	}
	if len(list) != len(indirect) {
		c.fail(usage("", "there are %d builds and %d places of ranges; must be as many", len(list), len(indirect)))
		return
	}
	primitives := make([][]uint32, len(list))
	for i := range primitives {
		primitives[i] = indirect[i].MaxPrimitives
	}
	err := c.dev.needs("accelerationStructureIndirectBuild", rule+"accelerationStructureIndirectBuild-03650")
	if err == nil {
		err = c.dev.checkBuilds(list, rule, primitives)
	}
	for i := 0; i < len(list) && err == nil; i++ {
		x := &indirect[i]
		switch {
		case x.Address%4 != 0:
			err = usage(rule+"pIndirectDeviceAddresses-03648", "the ranges of build %d are at the address %#x; must be a multiple of 4", i, x.Address)
		case x.Stride%4 != 0:
			err = usage(rule+"pIndirectStrides-03787", "the ranges of build %d have the stride %d; must be a multiple of 4", i, x.Stride)
		default:
			err = list[i].checkAddresses(rule)
		}
	}
	if err != nil {
		c.fail(err)
		return
	}
	w := take[buildStructures](c)
	for i := range list {
		w.list = append(w.list, c.keepBuild(&list[i]))
		x := indirect[i]
		x.MaxPrimitives = slices.Clone(x.MaxPrimitives)
		w.indirect = append(w.indirect, x)
	}
	c.deferred("build acceleration structures indirect", w)
}

// givenPrimitives returns the primitives of the geometries of builds.
func givenPrimitives(list []BuildInfo) ([][]uint32, error) {
	out := make([][]uint32, len(list))
	for i := range list {
		b := &list[i]
		if b.Level == MicromapLevel {
			if len(b.Ranges) != 0 {
				return nil, usage("VUID-vkCmdBuildAccelerationStructuresKHR-ppBuildRangeInfos-11544", "build %d of a micromap has ranges; must have none", i)
			}
			continue
		}
		if len(b.Ranges) != len(b.Geometries) {
			return nil, usage("", "build %d has %d geometries and %d ranges; must have as many", i, len(b.Geometries), len(b.Ranges))
		}
		out[i] = make([]uint32, len(b.Ranges))
		for k := range out[i] {
			out[i][k] = b.Ranges[k].Primitives
		}
	}
	return out, nil
}

// keepBuild returns a copy of a build that shares no memory with it, and lists the objects that it uses.
func (c *CommandBuffer) keepBuild(b *BuildInfo) BuildInfo {
	out := *b
	b.Target.refer(c.each)
	if out.Source = nil; b.Update {
		out.Source = b.Source
		b.Source.refer(c.each)
	}
	out.Ranges = slices.Clone(b.Ranges)
	out.Geometries = slices.Clone(b.Geometries)
	for i := range out.Geometries {
		g := &out.Geometries[i]
		switch {
		case g.Triangles != nil:
			t := *g.Triangles
			if t.Moved != nil {
				m := *t.Moved
				t.Moved = &m
			}
			if t.Opacity != nil {
				o := *t.Opacity
				if t.Opacity = &o; o.Micromap != nil {
					o.Micromap.refer(c.each)
				}
				if t.mapped() {
					o.Structure.refer(c.each)
				}
			}
			g.Triangles = &t
		case g.Boxes != nil:
			x := *g.Boxes
			g.Boxes = &x
		case g.Spheres != nil:
			x := *g.Spheres
			g.Spheres = &x
		case g.SweptSpheres != nil:
			x := *g.SweptSpheres
			g.SweptSpheres = &x
		case g.Instances != nil:
			x := *g.Instances
			x.List = nil
			g.Instances = &x
		case g.Micromap != nil:
			g.Micromap = g.Micromap.keep()
		}
	}
	return out
}

// checkAddresses checks the alignment of the addresses of a build by a command.
func (b *BuildInfo) checkAddresses(rule string) error {
	if b.Scratch.Address%ScratchAlignment != 0 {
		return usage(rule+"pInfos-03710", "the address of the scratch memory is %#x; must be a multiple of %d", b.Scratch.Address, ScratchAlignment)
	}
	for i := range b.Geometries {
		g := &b.Geometries[i]
		switch {
		case g.Triangles != nil:
			t := g.Triangles
			component, _ := t.alignment()
			switch {
			case t.Opacity != nil && t.Opacity.Indices.Host != nil || t.Moved != nil && t.Moved.Host != nil || t.Vertices.Host != nil || t.Indices.Host != nil || t.Transform.Host != nil:
				return usage("", "geometry %d has memory of the host; must be at addresses", i)
			case t.Vertices.Address%component != 0:
				return usage(rule+"pInfos-03711", "the vertices of geometry %d are at the address %#x; must be a multiple of %d", i, t.Vertices.Address, component)
			case t.IndexSize != 0 && t.Indices.Address%uint64(t.IndexSize) != 0:
				return usage(rule+"pInfos-03712", "the indices of geometry %d are at the address %#x; must be a multiple of %d", i, t.Indices.Address, t.IndexSize)
			case t.Transform.Address%16 != 0:
				return usage(rule+"pInfos-03810", "the transform of geometry %d is at the address %#x; must be a multiple of 16", i, t.Transform.Address)
			}
		case g.spheres() != nil:
			if err := g.spheres().checkAddresses(i); err != nil {
				return err
			}
		case g.Boxes != nil:
			switch d := &g.Boxes.Data; {
			case d.Host != nil:
				return usage("", "geometry %d has memory of the host; must be at addresses", i)
			case d.Address%8 != 0:
				return usage(rule+"pInfos-03714", "the boxes of geometry %d are at the address %#x; must be a multiple of 8", i, d.Address)
			}
		case g.Micromap != nil:
			if err := g.Micromap.checkAddresses(rule); err != nil {
				return err
			}
		case g.Instances != nil:
			switch x := g.Instances; {
			case x.Data.Host != nil || x.List != nil:
				return usage("", "the instances are in memory of the host; must be at addresses")
			case !x.Pointers && x.Data.Address%16 != 0:
				return usage(rule+"pInfos-03715", "the instances are at the address %#x; must be a multiple of 16", x.Data.Address)
			case x.Pointers && x.Data.Address%8 != 0:
				return usage(rule+"pInfos-03716", "the addresses of instances are at the address %#x; must be a multiple of 8", x.Data.Address)
			}
		}
	}
	return nil
}

// run builds.
func (w *buildStructures) run(x *executor) error {
	rule := "VUID-vkCmdBuildAccelerationStructuresKHR-"
	accesses := x.structureAccesses("build", stageStructureBuild)
	for i := range w.list {
		b := &w.list[i]
		if w.indirect != nil {
			rule = "VUID-vkCmdBuildAccelerationStructuresIndirectKHR-"
			ranges, err := w.indirect[i].read(x)
			if err != nil {
				return err
			}
			for k := range ranges {
				p := &w.indirect[i]
				accesses.memory("its ranges", p.Address+uint64(k)*uint64(p.Stride), rangeBytes, false, accessIndirectCommandRead)
			}
			n := *b
			n.Ranges = ranges
			b = &n
		}
		x.bound()
		err := x.dev.build(b, rule, x.ctx.Err)
		x.unwatch()
		if err != nil {
			return err
		}
		accesses.build(b)
	}
	accesses.compare(x)
	x.memory.stale()
	return nil
}

// read returns the ranges of a build, which it reads once: the host may change them meanwhile.
func (p *IndirectBuild) read(x *executor) ([]BuildRange, error) {
	const rule = "VUID-vkCmdBuildAccelerationStructuresIndirectKHR-"
	out := make([]BuildRange, len(p.MaxPrimitives))
	for i := range out {
		at := p.Address + uint64(i)*uint64(p.Stride)
		b, release, ok := x.dev.heap.at(at, rangeBytes)
		if !ok {
			return nil, usage(rule+"pIndirectDeviceAddresses-03646", "no memory is at the address %#x of a range; must be", at)
		}
		word := func(n int) uint32 { return binary.LittleEndian.Uint32(b[4*n:]) }
		out[i] = BuildRange{word(0), word(1), word(2), word(3)}
		if release(); out[i].Primitives > p.MaxPrimitives[i] {
			return nil, usage(rule+"ppMaxPrimitiveCounts-03653", "the range of geometry %d has %d primitives; must have at most %d", i, out[i].Primitives, p.MaxPrimitives[i])
		}
	}
	return out, nil
}
