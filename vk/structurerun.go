package vk

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ray"
)

// vertexFormat returns the alignment of vertices of a format of vertex inputs: the size of a component, or of a packed format. ok is
// false if acceleration structures do not have the format. They have those of floats and of normalized components, with two
// components or more.
func vertexFormat(i *format.Info) (alignment uint64, ok bool) {
	if i == nil || i.Wide || len(i.Components) < 2 || !encodable(i) || strings.Contains(i.Name, "SRGB") { // alpha may be a UNORM
		return 1, false
	}
	switch i.Numeric {
	case "SFLOAT", "SNORM", "UNORM", "UFLOAT":
	default:
		return 1, false
	}
	if strings.Contains(i.Name, "PACK") {
		return uint64(i.Bytes), true
	}
	return uint64(i.Bytes / len(i.Components)), true
}

// alignment returns the alignment of the vertices; ok is false if acceleration structures do not have their format.
func (t *TriangleGeometry) alignment() (n uint64, ok bool) {
	return vertexFormat(format.ByID(uint32(t.Format)))
}

// buildInputs are the memory that a build reads. It is held until release.
type buildInputs struct {
	dev      *Device
	rule     string
	releases []func()
	// bottom is the last bottom level of an instance, at bottomAddress; nil before.
	bottom        *ray.Structure
	bottomAddress uint64
}

// at returns the memory of an input from an offset on: to the end of its allocation, or of the memory of the host. No rule is about
// an input whose code is empty.
func (in *buildInputs) at(d BuildData, offset uint64, code, what string) ([]byte, error) {
	if d.Host != nil {
		return d.Host[min(offset, uint64(len(d.Host))):], nil
	}
	b, release, ok := in.dev.heap.from(d.Address + offset)
	if !ok || d.Address == 0 {
		if code != "" {
			code = in.rule + code
		}
		return nil, usage(code, "no memory is at the address %#x of %s; must be", d.Address, what)
	}
	in.releases = append(in.releases, release)
	return b, nil
}

func (in *buildInputs) release() {
	for _, f := range in.releases {
		f()
	}
}

// build builds or updates an acceleration structure. rule is the first part of its rules.
func (d *Device) build(b *BuildInfo, rule string, stop func() error) error {
	if b.Level == MicromapLevel {
		return d.buildMicromapStructure(b, rule)
	}
	in := buildInputs{dev: d, rule: rule}
	defer in.release()
	c := &content{level: b.Level, flags: b.Flags, shapes: b.shapes()}
	input := ray.Input{Flags: ray.BuildFlags(b.Flags), Top: b.Level == TopLevel, Threads: d.workers, Stop: stop}
	var source *ray.Structure
	if b.Update {
		was := d.heap.structures.content(b.Source)
		if err := b.checkUpdate(was, rule, c.shapes, d.checking >= All); err != nil {
			return err
		}
		source = was.structure
		input.Reuse = b.Source == b.Target && !was.shared
		c.reuses = input.Reuse
	}
	for i := range b.Geometries {
		g, r := &b.Geometries[i], &b.Ranges[i]
		var err error
		switch {
		case g.Instances != nil:
			err = in.instances(&input, g.Instances, r, b.Flags&BuildMotion != 0)
		default:
			var x ray.Geometry
			if g.spheres() != nil {
				x, err = in.spheres(g, r)
			} else {
				x, err = in.geometry(g, r)
			}
			input.Geometries = append(input.Geometries, x)
		}
		if err != nil {
			return err
		}
	}
	if !b.Update {
		d.heap.structures.drop(b.Target) // what it had has no use
	}
	if !input.Reuse {
		d.heap.structures.collect()
	}
	c.linked = d.heap.structures.version()
	var err error
	if b.Update {
		c.structure, err = ray.Update(&input, source)
	} else {
		c.structure, err = ray.Build(&input)
	}
	if err != nil {
		return buildError(err)
	}
	c.blocks = slices.ContainsFunc(b.Geometries, func(g Geometry) bool { return g.Triangles.mapped() })
	c.mixed = c.blocks && d.checking >= All && b.mixes(c.structure)
	return d.heap.structures.put(b.Target, c)
}

// buildError returns the public form of an error of package ray.
func buildError(err error) error {
	if errors.Is(err, ray.ErrTooLarge) {
		return &OutOfMemoryError{Cause: err}
	}
	return err
}

// geometry returns the triangles or boxes of a geometry. Package ray makes primitives that are not in the memory inactive.
func (in *buildInputs) geometry(g *Geometry, r *BuildRange) (out ray.Geometry, err error) {
	out = ray.Geometry{Kind: ray.Triangles, Flags: ray.GeometryFlags(g.Flags), Primitives: r.Primitives}
	if x := g.Boxes; x != nil {
		out.Kind, out.BoxStride = ray.Boxes, x.Stride
		if r.Primitives > 0 {
			out.BoxData, err = in.at(x.Data, uint64(r.Offset), "pInfos-03811", "boxes")
		}
		return out, err
	}
	t := g.Triangles
	out.VertexFormat, out.VertexStride, out.MaxVertex, out.FirstVertex = uint32(t.Format), t.Stride, t.MaxVertex, r.FirstVertex
	first := uint64(0) // the vertices before the first one need no memory
	if r.FirstVertex <= t.MaxVertex {
		first, out.MaxVertex, out.FirstVertex = uint64(r.FirstVertex)*t.Stride, t.MaxVertex-r.FirstVertex, 0
	}
	if r.Primitives == 0 {
		return out, nil
	}
	if t.Opacity != nil {
		if out.Opacity, err = in.opacity(t.Opacity); err != nil {
			return out, err
		}
	}
	offset := uint64(r.Offset)
	if out.IndexSize = t.IndexSize; t.IndexSize != 0 {
		if out.Indices, err = in.at(t.Indices, offset, "pInfos-03806", "indices"); err != nil {
			return out, err
		}
		offset = 0
	}
	if t.Moved != nil {
		out.Moves = true
		if out.Moved, err = in.at(*t.Moved, offset+first, "pInfos-11845", "moved vertices"); err != nil {
			return out, err
		}
	}
	if out.Vertices, err = in.at(t.Vertices, offset+first, "pInfos-03804", "vertices"); err != nil || !t.Transform.given() {
		return out, err
	}
	matrix, err := in.at(t.Transform, uint64(r.TransformOffset), "pInfos-03808", "a transform")
	if err != nil {
		return out, err
	}
	if len(matrix) < 48 {
		return out, usage(in.rule+"pInfos-03808", "%d bytes are at the address of a transform; must be 48", len(matrix))
	}
	out.Transform = matrixOf(matrix)
	return out, nil
}

// matrixOf returns the 12 floats of a transform.
func matrixOf(b []byte) *[12]float32 {
	var m [12]float32
	for i := range m {
		m[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return &m
}

// instances sets the instances of a top level, which may move. An instance without a bottom level at its address is inactive.
func (in *buildInputs) instances(to *ray.Input, g *InstanceGeometry, r *BuildRange, moves bool) (err error) {
	if g.List != nil {
		to.Instances, err = in.listed(g, r)
		return err
	}
	if r.Primitives == 0 {
		return nil
	}
	size, padding := uint64(instanceBytes), uint64(0) // the last instance needs no padding
	switch {
	case g.Pointers:
		size = 8
	case moves:
		size, padding = motionStride, motionStride-motionBytes
	}
	data, err := in.at(g.Data, uint64(r.Offset), "pInfos-03813", "instances")
	if err != nil {
		return err
	}
	if (uint64(len(data))+padding)/size < uint64(r.Primitives) {
		return usage(in.rule+"pInfos-03813", "%d bytes are at the address of %d instances; must be %d for each", len(data), r.Primitives, size)
	}
	switch {
	case moves:
		to.Instances, err = in.moving(data, g.Pointers, r.Primitives)
	case g.Pointers:
		to.Instances, err = in.pointed(data, r.Primitives)
	default:
		to.Count = int(r.Primitives)
		to.Decoder = func() func(int, *ray.Instance) {
			own := buildInputs{dev: in.dev} // goroutines do not share the last bottom level
			return func(i int, x *ray.Instance) { own.instance(x, data[i*instanceBytes:]) }
		}
	}
	return err
}

// pointed returns n instances; their addresses are in the data.
func (in *buildInputs) pointed(data []byte, n uint32) ([]ray.Instance, error) {
	out := make([]ray.Instance, n)
	for i := range out {
		at := binary.LittleEndian.Uint64(data[8*i:])
		m, release, ok := in.dev.heap.at(at, instanceBytes)
		if !ok {
			return nil, usage(in.rule+"pInfos-03717", "no memory is at the address %#x of an instance; must be", at)
		}
		in.instance(&out[i], m)
		release()
	}
	return out, nil
}

// instance decodes an instance in memory. x is zero before.
func (in *buildInputs) instance(x *ray.Instance, b []byte) {
	m := (*[instanceBytes]byte)(b)
	for i := range x.Transform {
		x.Transform[i] = math.Float32frombits(binary.LittleEndian.Uint32(m[4*i:]))
	}
	in.placed(x, m[48:])
}

// placed decodes an instance but for its transform and its motion.
func (in *buildInputs) placed(x *ray.Instance, b []byte) {
	custom, record, at := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint64(b[8:])
	x.Custom, x.Mask = custom&0xffffff, uint8(custom>>24)
	x.RecordOffset, x.Flags = record&0xffffff, ray.InstanceFlags(record>>24)
	x.Reference, x.Bottom = at, in.bottomAt(at)
}

// bottomAt returns the bottom level at an address. Neighbors often have the same one, which takes no second search.
func (in *buildInputs) bottomAt(at uint64) *ray.Structure {
	if in.bottom == nil || in.bottomAddress != at {
		in.bottom, in.bottomAddress = in.dev.heap.structures.at(at), at
	}
	return in.bottom
}

// listed returns the instances of a build of the host.
func (in *buildInputs) listed(g *InstanceGeometry, r *BuildRange) ([]ray.Instance, error) {
	first := uint64(r.Offset) / instanceBytes
	if first+uint64(r.Primitives) > uint64(len(g.List)) {
		return nil, usage("", "%d instances from instance %d on are built, and there are %d; must be as many", r.Primitives, first, len(g.List))
	}
	s := &in.dev.heap.structures
	out := make([]ray.Instance, r.Primitives)
	for i := range out {
		x := &g.List[first+uint64(i)]
		out[i] = ray.Instance{
			Transform: x.Transform, Custom: x.CustomIndex & 0xffffff, Mask: x.Mask, RecordOffset: x.Record & 0xffffff, Flags: ray.InstanceFlags(x.Flags),
		}
		if x.Motion != nil {
			m := ray.InstanceMotion(*x.Motion)
			out[i].Motion = &m
		}
		if x.Structure != nil && s.place(x.Structure) {
			out[i].Reference, out[i].Bottom = x.Structure.number, in.bottomAt(x.Structure.number)
		}
	}
	return out, nil
}
