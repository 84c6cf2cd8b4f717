package vk

import (
	"encoding/binary"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/format"
)

// Builds and copies of acceleration structures race like other commands. A build reads the bottom levels of its instances and the source of
// an update, and writes its target and the scratch memory, as acceleration structures; it reads its other inputs as shaders do (Vulkan,
// vkCmdBuildAccelerationStructuresKHR). Copies and queries are in the stage of copies, or in that of builds.

// inputAccess is the accesses of which one makes an input of a build visible to it.
const inputAccess = accessShaderRead | accessShaderStorageRead | accessShaderSampledRead | accessShaderBindingTableRead

// structureAccesses collects the accesses of a command on acceleration structures. A nil one collects nothing.
type structureAccesses struct {
	dev   *Device
	name  string
	stage uint64
	list  []*commandAccess
}

// structureAccesses returns a list for a command, or nil if no commands are compared.
func (x *executor) structureAccesses(name string, stage uint64) *structureAccesses {
	if x.order == nil {
		return nil
	}
	return &structureAccesses{dev: x.dev, name: name, stage: stage}
}

// compare compares the accesses with those of earlier commands.
func (s *structureAccesses) compare(x *executor) {
	if s == nil || len(s.list) == 0 {
		return
	}
	p := &x.dev.printer
	p.mu.Lock()
	defer p.mu.Unlock()
	x.order.add(p, s.list, x.order.now())
}

// add adds an access to spans.
func (s *structureAccesses) add(of string, spans []exec.Span, write bool, access uint64) {
	if len(spans) > 0 {
		s.list = append(s.list, &commandAccess{Access: exec.Access{Write: write, Spans: spans}, name: s.name + " of " + of, stage: s.stage, access: access})
	}
}

// read adds reads of an acceleration structure, and write writes of one.
func (s *structureAccesses) read(a *AccelerationStructure) {
	if s != nil {
		s.add(a.String(), spanOf(a.bytes()), false, accessStructureRead)
	}
}

func (s *structureAccesses) write(a *AccelerationStructure) {
	if s != nil {
		s.add(a.String(), spanOf(a.bytes()), true, accessStructureWrite)
	}
}

// memory adds an access to size bytes at a device address, as far as there is memory.
func (s *structureAccesses) memory(of string, address, size uint64, write bool, access uint64) {
	if s == nil || size == 0 {
		return
	}
	if b, release, ok := s.dev.heap.at(address, size); ok {
		s.add(of, spanOf(b), write, access)
		release()
	}
}

// bytes returns the memory of the acceleration structure.
func (a *AccelerationStructure) bytes() []byte {
	all := a.info.Buffer.bytes()
	from := min(a.info.Offset, uint64(len(all)))
	return all[from:][:min(a.info.Size, uint64(len(all))-from)]
}

// build adds the accesses of a build that has run.
func (s *structureAccesses) build(b *BuildInfo) {
	if s == nil {
		return
	}
	if b.Update && b.Source != b.Target {
		s.read(b.Source)
	}
	s.write(b.Target)
	s.memory("its scratch memory", b.Scratch.Address, ScratchAlignment, true, accessStructureRead|accessStructureWrite)
	for i := range b.Ranges {
		g, r := &b.Geometries[i], &b.Ranges[i]
		n := uint64(r.Primitives)
		switch {
		case n == 0:
		case g.Triangles != nil:
			s.triangles(g.Triangles, r)
		case g.Boxes != nil:
			s.memory("its boxes", g.Boxes.Data.Address+uint64(r.Offset), (n-1)*g.Boxes.Stride+24, false, inputAccess)
		case g.Instances != nil:
			s.instances(b, g.Instances, r)
		}
	}
}

// triangles adds the reads of the indices, the vertices and the transform of triangles.
func (s *structureAccesses) triangles(t *TriangleGeometry, r *BuildRange) {
	indices := 3 * uint64(r.Primitives)
	e := elements{known: t.IndexSize == 0, first: uint64(r.FirstVertex), count: indices}
	offset := uint64(r.Offset)
	if size := uint64(t.IndexSize); size != 0 {
		s.memory("its indices", t.Indices.Address+offset, indices*size, false, inputAccess)
		if b, release, ok := s.dev.heap.at(t.Indices.Address+offset, min(indices, maxElements)*size); ok {
			for ; len(b) > 0; b = b[size:] {
				var word [4]byte
				copy(word[:], b[:size])
				e.indices = append(e.indices, e.first+uint64(binary.LittleEndian.Uint32(word[:])))
			}
			release()
		}
		offset = 0
	}
	attribute := []exec.Span{{End: t.vertexBytes()}}
	for _, d := range []*BuildData{&t.Vertices, t.Moved} {
		if d == nil {
			continue
		}
		if b, release, ok := s.dev.heap.from(d.Address + offset); ok {
			s.add("its vertices", e.spans(b, attribute, t.Stride), false, inputAccess)
			release()
		}
	}
	if t.Transform.given() {
		s.memory("its transform", t.Transform.Address+uint64(r.TransformOffset), 48, false, inputAccess)
	}
}

// vertexBytes returns the size of the components of a vertex that a build reads: at most three.
func (t *TriangleGeometry) vertexBytes() uint64 {
	i := format.ByID(uint32(t.Format))
	switch {
	case i == nil:
		return 0
	case strings.Contains(i.Name, "PACK"):
		return uint64(i.Bytes)
	}
	n := len(i.Components)
	return uint64(i.Bytes / n * min(n, 3))
}

// instances adds the reads of instances and of their bottom levels.
func (s *structureAccesses) instances(b *BuildInfo, g *InstanceGeometry, r *BuildRange) {
	size := uint64(instanceBytes)
	switch {
	case g.Pointers:
		size = 8
	case b.Flags&BuildMotion != 0:
		size = motionStride
	}
	at := g.Data.Address + uint64(r.Offset)
	s.memory("its instances", at, uint64(r.Primitives)*size, false, inputAccess)
	if g.Pointers {
		if list, release, ok := s.dev.heap.at(at, uint64(r.Primitives)*size); ok {
			for i := range min(uint64(r.Primitives), maxElements) { // the low bits of an address tell the type of a moving instance
				s.memory("its instances", binary.LittleEndian.Uint64(list[8*i:])&^15, instanceBytes, false, inputAccess)
			}
			release()
		}
	}
	for _, a := range s.dev.heap.structures.referred(b.Target) {
		s.read(a)
	}
}

// referred returns the bottom levels that the instances of a top level refer to, each once.
func (s *structures) referred(top *AccelerationStructure) (list []*AccelerationStructure) {
	c := s.content(top)
	if c == nil || c.structure == nil {
		return nil
	}
	seen := map[uint64]bool{}
	references := c.structure.Handles()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range references {
		if a := s.numbers[n]; a != nil && !seen[n] {
			seen[n] = true
			list = append(list, a)
		}
	}
	return list
}

// order compares a copy with earlier commands. Memory of a serialized structure is read and written as by transfers.
func (w *copyWork) order(x *executor) {
	accesses := x.structureAccesses("copy", stageStructureBuild|stageStructureCopy)
	if accesses == nil {
		return
	}
	size := func(a *AccelerationStructure) uint64 {
		n, err := x.dev.property(a, SerializationSize, "")
		if err != nil {
			return 0
		}
		return n
	}
	switch {
	case w.target == nil:
		accesses.memory("serialized data", w.address, size(w.source), true, accessTransferWrite)
	case w.source == nil:
		accesses.memory("serialized data", w.address, size(w.target), false, accessTransferRead)
	}
	if w.source != nil {
		accesses.read(w.source)
	}
	if w.target != nil {
		accesses.write(w.target)
	}
	accesses.compare(x)
}

// order compares the reads of a launch before its shaders with earlier commands: of its arguments, and of the record of the ray
// generation shader. Which other records it reads is known to the launch alone.
func (w *traceRays) order(x *executor, tables *ShaderTables, size [3]uint32) {
	if x.order == nil {
		return
	}
	arguments := structureAccesses{dev: x.dev, name: "trace", stage: stageDrawIndirect}
	switch w.form {
	case traceIndirect:
		arguments.memory("its arguments", w.address, 12, false, accessIndirectCommandRead)
	case traceIndirect2:
		arguments.memory("its arguments", w.address, indirectBytes, false, accessIndirectCommandRead)
	}
	if size[0] > 0 && size[1] > 0 && size[2] > 0 {
		records := structureAccesses{dev: x.dev, name: "trace", stage: stageRayTracingShader}
		records.memory("its shader binding table", tables.RayGen.Address, GroupHandleSize, false, inputAccess)
		arguments.list = append(arguments.list, records.list...)
	}
	arguments.compare(x)
}
