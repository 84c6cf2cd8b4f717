package vk

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/internal/ray"
)

// StructureProperty is a property of a built acceleration structure, by the type of the queries for it.
type StructureProperty = QueryType

// serialAlignment is the alignment of the device address of a serialized acceleration structure, in bytes.
const serialAlignment = 256

// BuildSizes are the bytes that a build needs (VkAccelerationStructureBuildSizesInfoKHR).
type BuildSizes struct {
	Structure, UpdateScratch, BuildScratch uint64
}

// sizes returns the sizes of a build that was checked.
func (b *BuildInfo) sizes(primitives []uint32) BuildSizes {
	if b.Level == MicromapLevel {
		return BuildSizes{Structure: b.micromapSize(), BuildScratch: ScratchAlignment}
	}
	in := ray.Input{Flags: ray.BuildFlags(b.Flags), Top: b.Level == TopLevel}
	instances := uint32(0)
	for i := range b.Geometries {
		switch g := &b.Geometries[i]; {
		case g.Instances != nil:
			instances = primitives[i]
		case g.Boxes != nil:
			in.Geometries = append(in.Geometries, ray.Geometry{Kind: ray.Boxes, Primitives: primitives[i]})
		case g.spheres() != nil:
			in.Geometries = append(in.Geometries, ray.Geometry{Kind: ray.Spheres, Primitives: primitives[i]})
		default:
			in.Geometries = append(in.Geometries, ray.Geometry{Kind: ray.Triangles, Primitives: primitives[i], Moves: g.Triangles.Moved != nil, Opacity: g.Triangles.opacityKind()})
		}
	}
	n := ray.BuildSizes(&in, instances)
	return BuildSizes{n.Structure, n.Update, n.Build}
}

// AccelerationStructureBuildSizes returns the sizes that a build needs whose geometries have at most some primitives each.
func (d *Device) AccelerationStructureBuildSizes(info BuildInfo, maxPrimitives []uint32) (BuildSizes, error) {
	if err := d.Err(); err != nil {
		return BuildSizes{}, err
	}
	if info.Level == MicromapLevel && len(maxPrimitives) != 0 {
		return BuildSizes{}, usage("VUID-vkGetAccelerationStructureBuildSizesKHR-pMaxPrimitiveCounts-11613", "the micromap has numbers of primitives; must have none")
	}
	if err := info.checkGeometries(maxPrimitives); err != nil {
		return BuildSizes{}, err
	}
	return info.sizes(maxPrimitives), nil
}

// BuildAccelerationStructures builds or updates acceleration structures on the host (vkBuildAccelerationStructuresKHR). It ends
// with ctx.
func (d *Device) BuildAccelerationStructures(ctx context.Context, list []BuildInfo) (err error) {
	defer recovered(&err)
	if err := d.ready(ctx); err != nil {
		return err
	}
	const rule = "VUID-vkBuildAccelerationStructuresKHR-"
	if err := d.needs(hostStructures, rule+hostStructures+"-03581"); err != nil {
		return err
	}
	primitives, err := givenPrimitives(list)
	if err != nil {
		return err
	}
	if err := d.checkBuilds(list, rule, primitives); err != nil {
		return err
	}
	for i := range list {
		if err := list[i].checkHost(rule); err != nil {
			return err
		}
	}
	for i := range list {
		if err := d.build(&list[i], rule, ctx.Err); err != nil {
			return err
		}
	}
	return nil
}

// checkHost returns an error if a build of the host has memory at addresses, or lacks some.
func (b *BuildInfo) checkHost(rule string) error {
	for i := range b.Geometries {
		g := &b.Geometries[i]
		none := b.Ranges[i].Primitives == 0
		need := func(d *BuildData, code, what string) error {
			if d.Address != 0 || d.Host == nil && !none {
				return usage(rule+code, "the %s of geometry %d are not in memory of the host; must be", what, i)
			}
			return nil
		}
		err := error(nil)
		switch {
		case g.spheres() != nil:
			err = g.spheres().checkHost(rule, i, g.SweptSpheres != nil, none)
		case g.Boxes != nil:
			err = need(&g.Boxes.Data, "pInfos-03774", "boxes")
		case g.Instances != nil:
			if g.Instances.Data.given() || g.Instances.Pointers {
				err = usage(rule+"pInfos-03778", "the instances are not in a list; must be")
			}
		default:
			t := g.Triangles
			if err = need(&t.Vertices, "pInfos-03771", "vertices"); err == nil && t.IndexSize != 0 {
				err = need(&t.Indices, "pInfos-03772", "indices")
			}
			if err == nil && t.Moved != nil {
				err = need(t.Moved, "pInfos-11820", "moved vertices")
			}
			if err == nil && t.mapped() {
				err = usage(rule+"pInfos-11705", "geometry %d has the micromap %v; must have none", i, &t.Opacity.Structure.object)
			}
			if err == nil && t.Opacity != nil && !t.Opacity.Structured && t.Opacity.IndexSize != 0 {
				err = need(&t.Opacity.Indices, "pInfos-03772", "micromap indices")
			}
			if err == nil && t.Transform.given() {
				err = need(&t.Transform, "pInfos-03773", "transforms")
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkCopy checks the source and the target of a copy.
func (d *Device) checkCopy(source, target *AccelerationStructure, rule string) error {
	if err := check(d, "the source of a copy", source); err != nil {
		return err
	}
	if err := check(d, "the target of a copy", target); err != nil {
		return err
	}
	switch s := &d.heap.structures; {
	case !s.place(source):
		return usage(rule+"buffer-03718", "the buffer of %v has no memory; must have some", &source.object)
	case !s.place(target):
		return usage(rule+"buffer-03719", "the buffer of %v has no memory; must have some", &target.object)
	case source.overlaps(target):
		return usage(rule+"dst-07791", "the memory of %v and %v overlaps; must not", &source.object, &target.object)
	}
	return nil
}

// copyStructure copies an acceleration structure.
func (d *Device) copyStructure(source, target *AccelerationStructure, compact bool, rule string) error {
	s := &d.heap.structures
	c := s.sharedContent(source)
	if c == nil {
		return usage("", "%v is copied before a build; must be built", &source.object)
	}
	out, code := *c, "mode-12418"
	if compact {
		if c.flags&BuildAllowCompaction == 0 {
			return usage(rule+"src-03411", "%v is compacted, and its build does not allow that; must allow it", &source.object)
		}
		if code = "mode-12419"; c.level != MicromapLevel {
			out.structure = c.structure.Compact()
		}
	}
	n := c.size()
	switch {
	case compact:
		n = out.compactedSize()
	case d.checking == None: // applications take the serialized size, which is less, for enough
		n = min(n, serialHeader+c.serial().SerializedSize())
	}
	switch {
	case target.info.Size < n:
		return usage(rule+code, "%v has %d bytes, and the copy needs %d; must have as many", &target.object, target.info.Size, n)
	case target.info.Level != AnyLevel && target.info.Level != c.level:
		return usage("", "%v is not of the level of %v; must be", &target.object, &source.object)
	}
	return s.put(target, &out)
}

// CopyAccelerationStructure copies an acceleration structure on the host (vkCopyAccelerationStructureKHR). compact makes the copy
// as small as its property CompactedSize.
func (d *Device) CopyAccelerationStructure(source, target *AccelerationStructure, compact bool) error {
	const rule = "VUID-VkCopyAccelerationStructureInfoKHR-"
	if err := d.hosts(hostStructures, "VUID-vkCopyAccelerationStructureKHR-"+hostStructures+"-03582"); err != nil {
		return err
	}
	if err := d.checkCopy(source, target, rule); err != nil {
		return err
	}
	return d.copyStructure(source, target, compact, rule)
}

// serialHeader are the first bytes of a serialized acceleration structure: the UUID of the driver and the one of the format.
const serialHeader = 32

// serialHandles is the place of the number of handles of a serialized structure. A bottom level has ray.BlockFormat there, and no
// blocks, if it was built with micromaps that are acceleration structures: it has their content.
const serialHandles = serialHeader + 16

// DriverUUID identifies the driver (driverUUID).
var DriverUUID = [16]byte([]byte("chiaro driver 01"))

// StructureUUID identifies the form of serialized acceleration structures, which begin with DriverUUID and it.
var StructureUUID = func() (id [16]byte) {
	sum := sha256.Sum256([]byte("Chiaro acceleration structure " + ray.SerialVersion))
	copy(id[:], sum[:])
	return id
}()

// AccelerationStructureCompatible reports whether a serialized acceleration structure that begins with 32 bytes is of this
// implementation (vkGetDeviceAccelerationStructureCompatibilityKHR).
func (d *Device) AccelerationStructureCompatible(header []byte) bool {
	if d == nil || len(header) < serialHeader {
		return false
	}
	return [16]byte(header) == DriverUUID && [16]byte(header[16:]) == StructureUUID
}

// serialize writes an acceleration structure to memory.
func (d *Device) serialize(source *AccelerationStructure, to []byte) error {
	c := d.heap.structures.content(source)
	if c == nil {
		return usage("VUID-VkCopyAccelerationStructureToMemoryInfoKHR-src-04959", "%v is serialized before a build; must be built", &source.object)
	}
	err := putSerial(to, c.serial(), "VUID-VkCopyAccelerationStructureToMemoryInfoKHR-dst-03561")
	if err == nil && c.blocks {
		binary.LittleEndian.PutUint64(to[serialHandles:], ray.BlockFormat)
	}
	return err
}

// serializer is content with a serialized form.
type serializer interface {
	SerializedSize() uint64
	Serialize(to []byte)
}

// putSerial writes serialized data with its header. The rule is on the size of the memory.
func putSerial(to []byte, x serializer, rule string) error {
	n := serialHeader + x.SerializedSize()
	if uint64(len(to)) < n {
		return usage(rule, "the memory for serialized data has %d bytes; must have %d", len(to), n)
	}
	copy(to, DriverUUID[:])
	copy(to[16:], StructureUUID[:])
	x.Serialize(to[serialHeader:n])
	return nil
}

// maxSerialShare bounds the data of a serialized structure, relative to its size: the tree of a valid one has less.
const maxSerialShare = 8

// corruptData is the message of an object and an error of package ray.
const corruptData = "%v is copied from memory with a %v; must be as it was serialized"

// deserialize makes an acceleration structure of its serialized form.
func (d *Device) deserialize(target *AccelerationStructure, from []byte) error {
	if !d.AccelerationStructureCompatible(from) {
		return usage("VUID-VkCopyMemoryToAccelerationStructureInfoKHR-pInfo-03414", "the memory for %v does not begin as a serialized acceleration structure of this implementation; must", &target.object)
	}
	if ok, err := d.deserializeMicromapStructure(target, from[serialHeader:]); ok {
		return err
	}
	s := &d.heap.structures
	linked := s.version()
	x, err := ray.Deserialize(from[serialHeader:], s.at)
	if err != nil {
		return usage("VUID-VkCopyMemoryToAccelerationStructureInfoKHR-src-04960", corruptData, &target.object, err)
	}
	c := &content{structure: x, level: BottomLevel, flags: BuildFlags(x.Flags()), linked: linked}
	if c.blocks = binary.LittleEndian.Uint64(from[serialHandles:]) == ray.BlockFormat; x.Top() {
		c.level = TopLevel
	}
	switch n := x.CompactedSize(); {
	case x.SerializedSize()/maxSerialShare > x.Size():
		return usage("VUID-VkCopyMemoryToAccelerationStructureInfoKHR-src-04960", "the serialized structure for %v has more data than its %d bytes; must have fewer", &target.object, x.Size())
	case target.info.Size < n:
		return usage("VUID-VkCopyMemoryToAccelerationStructureInfoKHR-dst-03746", "%v has %d bytes, and the serialized structure needs %d; must have as many", &target.object, target.info.Size, n)
	case target.info.Level != AnyLevel && target.info.Level != c.level:
		return usage("", "%v is not of the level of the serialized structure; must be", &target.object)
	}
	return s.put(target, c)
}

// CopyAccelerationStructureToMemory serializes an acceleration structure to memory of the host.
func (d *Device) CopyAccelerationStructureToMemory(source *AccelerationStructure, to []byte) error {
	if err := d.hosts(hostStructures, "VUID-vkCopyAccelerationStructureToMemoryKHR-"+hostStructures+"-03584"); err != nil {
		return err
	}
	if err := check(d, "the source of a copy", source); err != nil {
		return err
	}
	return d.serialize(source, to)
}

// CopyMemoryToAccelerationStructure makes an acceleration structure of its serialized form in memory of the host.
func (d *Device) CopyMemoryToAccelerationStructure(from []byte, target *AccelerationStructure) error {
	if err := d.hosts(hostStructures, "VUID-vkCopyMemoryToAccelerationStructureKHR-"+hostStructures+"-03583"); err != nil {
		return err
	}
	if err := check(d, "the target of a copy", target); err != nil {
		return err
	}
	return d.deserialize(target, from)
}

// property returns a property of an acceleration structure. Without checks the other levels have no bottom levels.
func (d *Device) property(a *AccelerationStructure, p StructureProperty, rule string) (uint64, error) {
	c := d.heap.structures.content(a)
	switch {
	case c == nil:
		return 0, usage("", "a property of %v is read before a build; must be built", &a.object)
	case p == CompactedSize && c.flags&BuildAllowCompaction == 0:
		return 0, usage(rule+"accelerationStructures-03431", "the compacted size of %v is read, and its build does not allow compaction; must allow it", &a.object)
	case p == SerializationPointers && c.level != TopLevel && d.checking > None:
		return 0, usage(rule+"pAccelerationStructures-12425", "the number of bottom levels of %v is read; must be a top level", &a.object)
	}
	switch p {
	case CompactedSize:
		return c.compactedSize(), nil
	case SerializationSize:
		return serialHeader + c.serial().SerializedSize(), nil
	case SerializationPointers:
		return uint64(len(c.structure.Handles())), nil
	}
	return c.size(), nil
}

// isProperty returns an error if queries of a type are not of acceleration structures.
func isProperty(p StructureProperty, rule string) error {
	if p < CompactedSize || p > StructureSize {
		return usage(rule+"queryType-06742", "the property of acceleration structures is %d; must be one of them", p)
	}
	return nil
}

// AccelerationStructureProperties returns a property of built acceleration structures (vkWriteAccelerationStructuresPropertiesKHR).
func (d *Device) AccelerationStructureProperties(list []*AccelerationStructure, p StructureProperty) ([]uint64, error) {
	const rule = "VUID-vkWriteAccelerationStructuresPropertiesKHR-"
	if err := d.hosts(hostStructures, "VUID-vkWriteAccelerationStructuresPropertiesKHR-"+hostStructures+"-03585"); err != nil {
		return nil, err
	}
	if err := isProperty(p, rule); err != nil {
		return nil, err
	}
	out := make([]uint64, len(list))
	for i, a := range list {
		if err := check(d, "an acceleration structure", a); err != nil {
			return nil, err
		}
		var err error
		if out[i], err = d.property(a, p, rule); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// copyWork is a recorded copy between acceleration structures, or of one to or from memory.
type copyWork struct {
	source, target *AccelerationStructure // one is nil for memory
	address        uint64
	compact        bool
}

func (*copyWork) flags() QueueFlags { return QueueCompute }

func (w *copyWork) run(x *executor) error {
	if err := w.copy(x.dev); err != nil {
		return err
	}
	w.order(x)
	return nil
}

// copy copies, serializes or deserializes.
func (w *copyWork) copy(d *Device) error {
	if w.source != nil && w.target != nil {
		return d.copyStructure(w.source, w.target, w.compact, "VUID-VkCopyAccelerationStructureInfoKHR-")
	}
	rule, way := "VUID-vkCmdCopyMemoryToAccelerationStructureKHR-pInfo-03742", "from"
	if w.target == nil {
		rule, way = "VUID-vkCmdCopyAccelerationStructureToMemoryKHR-pInfo-03739", "to"
	}
	b, release, ok := d.heap.from(w.address)
	if !ok {
		return usage(rule, "no memory is at the address %#x that an acceleration structure is copied %s; must be", w.address, way)
	}
	defer release()
	if w.target == nil {
		return d.serialize(w.source, b)
	}
	return d.deserialize(w.target, b)
}

// CopyAccelerationStructure copies an acceleration structure; see [Device.CopyAccelerationStructure].
func (c *CommandBuffer) CopyAccelerationStructure(source, target *AccelerationStructure, compact bool) {
	if !c.structureCommand("vkCmdCopyAccelerationStructureKHR") {
		return
	}
	if err := c.dev.checkCopy(source, target, "VUID-VkCopyAccelerationStructureInfoKHR-"); err != nil {
		c.fail(err)
		return
	}
	source.refer(c.each)
	target.refer(c.each)
	w := take[copyWork](c)
	*w = copyWork{source: source, target: target, compact: compact}
	c.deferred("copy acceleration structure", w)
}

// CopyAccelerationStructureToMemory serializes an acceleration structure to a device address.
func (c *CommandBuffer) CopyAccelerationStructureToMemory(source *AccelerationStructure, address uint64) {
	c.copySerial("vkCmdCopyAccelerationStructureToMemoryKHR", "pInfo-03740", source, address, false)
}

// CopyMemoryToAccelerationStructure makes an acceleration structure of its serialized form at a device address.
func (c *CommandBuffer) CopyMemoryToAccelerationStructure(address uint64, target *AccelerationStructure) {
	c.copySerial("vkCmdCopyMemoryToAccelerationStructureKHR", "pInfo-03743", target, address, true)
}

func (c *CommandBuffer) copySerial(command, code string, a *AccelerationStructure, address uint64, load bool) {
	if !c.structureCommand(command) {
		return
	}
	if err := check(c.dev, "the acceleration structure of a copy", a); err != nil {
		c.fail(err)
		return
	}
	if address%serialAlignment != 0 {
		c.fail(usage("VUID-"+command+"-"+code, "a serialized acceleration structure is at the address %#x; must be a multiple of %d", address, serialAlignment))
		return
	}
	a.refer(c.each)
	w := take[copyWork](c)
	if w.address = address; load {
		w.target = a
	} else {
		w.source = a
	}
	c.deferred("copy serialized acceleration structure", w)
}

// propertyWork is a recorded query of properties.
type propertyWork struct {
	list  []*AccelerationStructure
	pool  *QueryPool
	first int
}

func (*propertyWork) flags() QueueFlags { return QueueCompute }

func (w *propertyWork) forget() { *w = propertyWork{list: emptied(w.list)} }

func (w *propertyWork) run(x *executor) error {
	accesses := x.structureAccesses("query", stageStructureBuild|stageStructureCopy)
	defer accesses.compare(x)
	for i, a := range w.list {
		n, err := x.dev.property(a, w.pool.info.Type, "VUID-vkCmdWriteAccelerationStructuresPropertiesKHR-")
		if err != nil {
			return err
		}
		w.pool.put(w.first+i, 1, n)
		accesses.read(a)
	}
	return nil
}

// WriteAccelerationStructureProperties writes the property of a query pool's type of built acceleration structures to its queries
// from first on (vkCmdWriteAccelerationStructuresPropertiesKHR).
func (c *CommandBuffer) WriteAccelerationStructureProperties(list []*AccelerationStructure, q *QueryPool, first int) {
	const command, rule = "vkCmdWriteAccelerationStructuresPropertiesKHR", "VUID-vkCmdWriteAccelerationStructuresPropertiesKHR-"
	if !c.structureCommand(command) {
		return
	}
	err := check(c.dev, "the query pool", q)
	if err == nil {
		err = isProperty(q.info.Type, rule)
	}
	switch {
	case err != nil:
	case len(list) == 0:
		err = usage(rule+"accelerationStructureCount-arraylength", "no property is written; must be at least 1")
	case !q.has(first, len(list)):
		err = usage(rule+"query-04880", "%d properties are written from query %d on; the pool has %d", len(list), first, len(q.ready))
	}
	for i := 0; i < len(list) && err == nil; i++ {
		err = check(c.dev, "an acceleration structure", list[i])
	}
	if err != nil {
		c.fail(err)
		return
	}
	w := take[propertyWork](c)
	w.list, w.pool, w.first = append(w.list, list...), q, first
	c.refer(&q.object)
	for _, a := range list {
		a.refer(c.each)
	}
	c.deferred("write acceleration structure properties", w)
}
