package vk

import (
	"context"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ray"
)

// BuildMicromaps builds micromaps on the host (vkBuildMicromapsEXT).
func (d *Device) BuildMicromaps(ctx context.Context, list []MicromapBuild) (err error) {
	const rule = "VUID-vkBuildMicromapsEXT-"
	defer recovered(&err)
	if err := d.ready(ctx); err != nil {
		return err
	}
	if err := d.needs(hostMicromaps, rule+hostMicromaps+"-07555"); err != nil {
		return err
	}
	if err := d.checkMicromaps(list, rule); err != nil {
		return err
	}
	for i := range list {
		b := &list[i]
		n, _ := b.count()
		switch {
		case b.Data.Address != 0 || b.Data.Host == nil && n > 0:
			return usage(rule+"pInfos-07553", "the data of build %d are not in memory of the host; must be", i)
		case b.Triangles.Address != 0 || b.Triangles.Host == nil && n > 0:
			return usage(rule+"pInfos-07554", "the triangles of build %d are not in memory of the host; must be", i)
		}
	}
	for i := range list {
		if err := d.buildMicromap(&list[i], rule); err != nil {
			return err
		}
	}
	return nil
}

// checkMicromapCopy checks the source and the target of a copy of a micromap.
func (d *Device) checkMicromapCopy(source, target *Micromap, rule string) error {
	if err := check(d, "the source of a copy", source); err != nil {
		return err
	}
	if err := check(d, "the target of a copy", target); err != nil {
		return err
	}
	s := &d.heap.structures
	switch {
	case !s.place(&source.area):
		return usage(rule+"buffer-07529", "the buffer of %v has no memory; must have some", &source.area.object)
	case !s.place(&target.area):
		return usage(rule+"buffer-07530", "the buffer of %v has no memory; must have some", &target.area.object)
	case source.area.overlaps(&target.area):
		return usage("", "the memory of %v and %v overlaps; must not", &source.area.object, &target.area.object)
	}
	return nil
}

// copyMicromap copies a micromap. All micromaps are compact.
func (d *Device) copyMicromap(source, target *Micromap, compact bool) error {
	c := d.heap.structures.micromap(source)
	switch {
	case c == nil:
		return usage("VUID-vkCmdCopyMicromapEXT-src-07532", "%v is copied before a build; must be built", &source.area.object)
	case compact && MicromapFlags(c.flags)&MicromapAllowCompaction == 0:
		return usage("VUID-VkCopyMicromapInfoEXT-mode-07533", "%v is compacted, and its build does not allow that; must allow it", &source.area.object)
	case target.area.info.Size < micromapHeader+c.micromap.Size():
		return usage("", "%v has %d bytes, and the copy needs %d; must have as many", &target.area.object, target.area.info.Size, micromapHeader+c.micromap.Size())
	}
	return d.heap.structures.put(&target.area, c)
}

// CopyMicromap copies a micromap on the host (vkCopyMicromapEXT).
func (d *Device) CopyMicromap(source, target *Micromap, compact bool) error {
	if err := d.hosts(hostMicromaps, "VUID-vkCopyMicromapEXT-"+hostMicromaps+"-07560"); err != nil {
		return err
	}
	if err := d.checkMicromapCopy(source, target, "VUID-vkCmdCopyMicromapEXT-"); err != nil {
		return err
	}
	return d.copyMicromap(source, target, compact)
}

// builtMicromap returns the micromap of c with the flags of its build.
func (c *content) builtMicromap() ray.BuiltMicromap {
	return ray.BuiltMicromap{Map: c.micromap, Flags: uint32(c.flags)}
}

// serializeMicromap writes a micromap to memory.
func (d *Device) serializeMicromap(source *Micromap, to []byte) error {
	c := d.heap.structures.micromap(source)
	if c == nil {
		return usage("VUID-VkCopyMicromapToMemoryInfoEXT-src-07540", "%v is serialized before a build; must be built", &source.area.object)
	}
	return putSerial(to, c.builtMicromap(), "VUID-VkCopyMicromapToMemoryInfoEXT-dst-07541")
}

// deserializeMicromap makes a micromap of its serialized form.
func (d *Device) deserializeMicromap(target *Micromap, from []byte) error {
	const rule = "VUID-VkCopyMemoryToMicromapInfoEXT-"
	if !d.AccelerationStructureCompatible(from) {
		return usage(rule+"src-07549", "the memory for %v does not begin as a serialized micromap of this implementation; must", &target.area.object)
	}
	m, err := ray.DeserializeMicromap(from[serialHeader:])
	if err != nil {
		return usage(rule+"src-07547", corruptData, &target.area.object, err)
	}
	if n := micromapHeader + m.Map.Size(); target.area.info.Size < n {
		return usage(rule+"dst-07550", "%v has %d bytes, and the serialized micromap needs %d; must have as many", &target.area.object, target.area.info.Size, n)
	}
	return d.heap.structures.put(&target.area, &content{level: MicromapLevel, micromap: m.Map, flags: BuildFlags(m.Flags)})
}

// CopyMicromapToMemory serializes a micromap to memory of the host (vkCopyMicromapToMemoryEXT).
func (d *Device) CopyMicromapToMemory(source *Micromap, to []byte) error {
	if err := d.hosts(hostMicromaps, "VUID-vkCopyMicromapToMemoryEXT-"+hostMicromaps+"-07571"); err != nil {
		return err
	}
	if err := check(d, "the source of a copy", source); err != nil {
		return err
	}
	return d.serializeMicromap(source, to)
}

// CopyMemoryToMicromap makes a micromap of its serialized form in memory of the host (vkCopyMemoryToMicromapEXT).
func (d *Device) CopyMemoryToMicromap(from []byte, target *Micromap) error {
	if err := d.hosts(hostMicromaps, "VUID-vkCopyMemoryToMicromapEXT-"+hostMicromaps+"-07566"); err != nil {
		return err
	}
	if err := check(d, "the target of a copy", target); err != nil {
		return err
	}
	return d.deserializeMicromap(target, from)
}

// micromapProperty returns a property of a micromap.
func (d *Device) micromapProperty(m *Micromap, p StructureProperty, rule string) (uint64, error) {
	c := d.heap.structures.micromap(m)
	switch {
	case c == nil:
		return 0, usage("VUID-vkCmdWriteMicromapsPropertiesEXT-pMicromaps-11662", "a property of %v is read before a build; must be built", &m.area.object)
	case p == MicromapSerializationSize:
		return serialHeader + c.builtMicromap().SerializedSize(), nil
	case MicromapFlags(c.flags)&MicromapAllowCompaction == 0:
		return 0, usage(rule+"pMicromaps-07502", "the compacted size of %v is read, and its build does not allow compaction; must allow it", &m.area.object)
	}
	return micromapHeader + c.micromap.Size(), nil
}

// isMicromapProperty returns an error if queries of a type are not of micromaps.
func isMicromapProperty(p StructureProperty, rule string) error {
	if p != MicromapCompactedSize && p != MicromapSerializationSize {
		return usage(rule+"queryType-07503", "the property of micromaps is %d; must be one of them", p)
	}
	return nil
}

// MicromapProperties returns a property of built micromaps (vkWriteMicromapsPropertiesEXT).
func (d *Device) MicromapProperties(list []*Micromap, p StructureProperty) ([]uint64, error) {
	const rule = "VUID-vkWriteMicromapsPropertiesEXT-"
	if err := d.hosts(hostMicromaps, "VUID-vkWriteMicromapsPropertiesEXT-"+hostMicromaps+"-07578"); err != nil {
		return nil, err
	}
	if err := isMicromapProperty(p, rule); err != nil {
		return nil, err
	}
	out := make([]uint64, len(list))
	for i, m := range list {
		err := check(d, "a micromap", m)
		if err == nil {
			out[i], err = d.micromapProperty(m, p, rule)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// micromapWork is a recorded command on micromaps.
type micromapWork struct{ do func(x *executor) error }

func (*micromapWork) flags() QueueFlags { return QueueCompute }

func (w *micromapWork) forget() { w.do = nil }

func (w *micromapWork) run(x *executor) error { return w.do(x) }

// micromapCommand records a command on micromaps.
func (c *CommandBuffer) micromapCommand(name string, do func(x *executor) error, list ...*Micromap) {
	for _, m := range list {
		m.refer(c.each)
	}
	w := take[micromapWork](c)
	w.do = do
	c.deferred(name, w)
}

// BuildMicromaps builds micromaps (vkCmdBuildMicromapsEXT).
func (c *CommandBuffer) BuildMicromaps(list []MicromapBuild) {
	const command, rule = "vkCmdBuildMicromapsEXT", "VUID-vkCmdBuildMicromapsEXT-"
	if !c.structureCommand(command) {
		return
	}
	err := c.dev.checkMicromaps(list, rule)
	for i := 0; i < len(list) && err == nil; i++ {
		switch b := &list[i]; {
		case b.Data.Host != nil || b.Triangles.Host != nil:
			err = usage("", "build %d has memory of the host; must be at addresses", i)
		case b.Scratch.Address%ScratchAlignment != 0:
			err = usage(rule+"pInfos-07514", "the address of the scratch memory is %#x; must be a multiple of %d", b.Scratch.Address, ScratchAlignment)
		case b.Data.Address%serialAlignment != 0 || b.Triangles.Address%serialAlignment != 0:
			err = usage(rule+"pInfos-07515", "the data and the triangles of build %d are at the addresses %#x and %#x; must be multiples of %d", i, b.Data.Address, b.Triangles.Address, serialAlignment)
		}
	}
	if err != nil {
		c.fail(err)
		return
	}
	for i := range list {
		b := list[i]
		b.Usages = slices.Clone(b.Usages)
		c.micromapCommand("build micromaps", func(x *executor) error { return x.dev.buildMicromap(&b, rule) }, b.Target)
	}
}

// CopyMicromap copies a micromap (vkCmdCopyMicromapEXT).
func (c *CommandBuffer) CopyMicromap(source, target *Micromap, compact bool) {
	if !c.structureCommand("vkCmdCopyMicromapEXT") {
		return
	}
	if err := c.dev.checkMicromapCopy(source, target, "VUID-vkCmdCopyMicromapEXT-"); err != nil {
		c.fail(err)
		return
	}
	c.micromapCommand("copy micromap", func(x *executor) error { return x.dev.copyMicromap(source, target, compact) }, source, target)
}

// CopyMicromapToMemory serializes a micromap to a device address (vkCmdCopyMicromapToMemoryEXT).
func (c *CommandBuffer) CopyMicromapToMemory(source *Micromap, address uint64) {
	c.copyMicromapSerial("vkCmdCopyMicromapToMemoryEXT", "pInfo-07537", "pInfo-07536", source, address, (*Device).serializeMicromap)
}

// CopyMemoryToMicromap makes a micromap of its serialized form at a device address (vkCmdCopyMemoryToMicromapEXT).
func (c *CommandBuffer) CopyMemoryToMicromap(address uint64, target *Micromap) {
	c.copyMicromapSerial("vkCmdCopyMemoryToMicromapEXT", "pInfo-07544", "pInfo-07543", target, address, (*Device).deserializeMicromap)
}

// copyMicromapSerial records a copy of a serialized micromap. The rules are on the alignment of the address, and on the memory.
func (c *CommandBuffer) copyMicromapSerial(command, aligned, inMemory string, m *Micromap, address uint64, do func(*Device, *Micromap, []byte) error) {
	if !c.structureCommand(command) {
		return
	}
	err := check(c.dev, "the micromap of a copy", m)
	if err == nil && address%serialAlignment != 0 {
		err = usage("VUID-"+command+"-"+aligned, "a serialized micromap is at the address %#x; must be a multiple of %d", address, serialAlignment)
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.micromapCommand("copy serialized micromap", func(x *executor) error {
		b, release, ok := x.dev.heap.from(address)
		if !ok {
			return usage("VUID-"+command+"-"+inMemory, "no memory is at the address %#x of a serialized micromap; must be", address)
		}
		defer release()
		return do(x.dev, m, b)
	}, m)
}

// WriteMicromapProperties writes the property of a query pool's type of built micromaps to its queries from first on
// (vkCmdWriteMicromapsPropertiesEXT).
func (c *CommandBuffer) WriteMicromapProperties(list []*Micromap, q *QueryPool, first int) {
	const command, rule = "vkCmdWriteMicromapsPropertiesEXT", "VUID-vkCmdWriteMicromapsPropertiesEXT-"
	if !c.structureCommand(command) {
		return
	}
	err := check(c.dev, "the query pool", q)
	if err == nil {
		err = isMicromapProperty(q.info.Type, rule)
	}
	switch {
	case err != nil:
	case len(list) == 0:
		err = usage(rule+"micromapCount-arraylength", "no property is written; must be at least 1")
	case !q.has(first, len(list)):
		err = usage(rule+"query-07528", "%d properties are written from query %d on; the pool has %d", len(list), first, len(q.ready))
	}
	for i := 0; i < len(list) && err == nil; i++ {
		err = check(c.dev, "a micromap", list[i])
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.refer(&q.object)
	list = slices.Clone(list)
	c.micromapCommand("write micromap properties", func(x *executor) error {
		for i, m := range list {
			n, err := x.dev.micromapProperty(m, q.info.Type, rule)
			if err != nil {
				return err
			}
			q.put(first+i, 1, n)
		}
		return nil
	}, list...)
}
