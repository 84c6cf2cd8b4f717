package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var imageRules = rules{
	spirv.OpSampledImage: sampledImage,
	spirv.OpImage:        imageOf,
}

// image is the image operand of an instruction, with a sampler if it is a
// sampled image.
type image struct {
	typ      *facts.Type // an OpTypeImage
	resource ir.V        // the number of its resource
	index    ir.V        // of its descriptor
	sampler  [2]ir.V     // of the sampler; 0 if there is none
	flags    ir.Flags
}

// image returns the image that an operand is.
func (f *function) image(id spirv.ID) image {
	v := f.value(id)
	parts := f.partsOf(v)
	x := image{typ: v.typ, flags: v.flags}
	switch {
	case v.typ.Op == spirv.OpTypeSampledImage && len(parts) == 4:
		x.typ, x.sampler = v.typ.Elem, [2]ir.V(parts[2:])
	case v.typ.Op == spirv.OpTypeImage && len(parts) == 2:
	default:
		f.malformed("%%%d is not an image", id)
	}
	if x.typ == nil || x.typ.Image == nil {
		f.malformed("%%%d is a sampled image of a type other than image", id)
	}
	x.resource, x.index = parts[0], parts[1]
	return x
}

// shown notes that a resource is an image of a type.
func (u *unit) shown(resource uint64, t *facts.Type) {
	if !slices.Contains(u.images[resource], t) {
		u.images[resource] = append(u.images[resource], t)
	}
}

// imageResources returns the possible resources of an image: all of its type, or the one
// that is known.
func (f *function) imageResources(x image) []int {
	if n, ok := f.constBits(x.resource); ok {
		if slices.Contains(f.images[n], x.typ) {
			return []int{int(n)}
		}
		return nil
	}
	var list []int
	for n := range f.prog.Res {
		if slices.Contains(f.images[uint64(n)], x.typ) {
			list = append(list, n)
		}
	}
	return list
}

// samplers returns the resources that the sampler of an image may be.
func (f *function) samplers(x image) []int {
	if n, ok := f.constBits(x.sampler[0]); ok {
		if n < uint64(len(f.prog.Res)) && f.prog.Res[n].Kind == ir.SamplerState {
			return []int{int(n)}
		}
		return nil
	}
	var list []int
	for n := range f.prog.Res {
		if f.prog.Res[n].Kind == ir.SamplerState {
			list = append(list, n)
		}
	}
	return list
}

// part returns the handle of an image's memory, or of the resource so many numbers
// after it.
func (f *function) part(x image, after int) ir.V {
	return f.handleOf(f.imageResources(x), after, x.resource, x.index)
}

// samplerHandle returns the handle of the state of an image's sampler.
func (f *function) samplerHandle(x image) ir.V {
	return f.handleOf(f.samplers(x), 0, x.sampler[0], x.sampler[1])
}

// handleOf returns the handle of the resource so many numbers after the one of the list that a value is.
func (f *function) handleOf(resources []int, after int, resource, index ir.V) ir.V {
	if len(resources) == 1 {
		return f.b.OpAux(ir.Res, ir.H, uint64(resources[0]+after), index)
	}
	h := f.emptyHandle()
	for _, n := range resources {
		r := f.b.OpAux(ir.Res, ir.H, uint64(n+after), index)
		h = f.b.Select(f.b.Cmp(ir.Eq, resource, f.b.I32(uint32(n))), r, h)
	}
	return h
}

// shapeWordOf reads a word of an image's shape.
func (f *function) shapeWordOf(shape ir.V, word int) ir.V {
	return f.emit(ir.Val{Op: ir.Ld, Type: ir.I32, Aux: uint64(word) * 4, Args: [4]ir.V{shape, f.b.I32(0)}})
}

// sampledImage lowers OpSampledImage: an image with a sampler.
func sampledImage(f *function, in spirv.Inst) {
	v := inst.SampledImage(in)
	x := f.image(v.Image())
	s := f.scalars(v.Sampler())
	if t := f.typeOf(v.Sampler()); t.Op != spirv.OpTypeSampler || len(s) != 2 {
		f.malformed("%%%d is not a sampler", v.Sampler())
	}
	f.define(in, x.resource, x.index, s[0], s[1])
	f.setAccessFlags(in, x.flags)
}

// imageOf lowers OpImage: the image of a sampled image.
func imageOf(f *function, in spirv.Inst) {
	x := f.image(inst.Image(in).SampledImage())
	f.define(in, x.resource, x.index)
	f.setAccessFlags(in, x.flags)
}
