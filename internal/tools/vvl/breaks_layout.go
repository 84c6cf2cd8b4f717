package main

import (
	"math/rand/v2"
	"slices"
)

// used returns a resource of a stage and its binding in the layout.
func used(r *rand.Rand, p *pipeline) (*shader, *resource, *binding) {
	for _, i := range r.Perm(len(p.shaders)) {
		s := p.shaders[i]
		for _, k := range r.Perm(len(s.resources)) {
			x := &s.resources[k]
			return s, x, &p.Sets[x.set].Bindings[x.binding]
		}
	}
	return nil, nil, nil
}

// resources breaks the binding of a resource that is used.
func resources(name string, f func(r *rand.Rand, p *pipeline, s *shader, x *resource, b *binding) bool) fault {
	return fault{name, func(r *rand.Rand, p *pipeline) bool {
		s, x, b := used(r, p)
		return s != nil && f(r, p, s, x, b)
	}}
}

// adding breaks the layout by a set of its own.
func adding(name string, flags uint32, bindings ...binding) fault {
	return fault{name, func(_ *rand.Rand, p *pipeline) bool {
		p.Sets = append(p.Sets, setLayout{Flags: flags, Bindings: bindings})
		return true
	}}
}

// ranges breaks the layout by its push constant ranges.
func ranges(name string, list ...push) fault {
	return fault{name, func(_ *rand.Rand, p *pipeline) bool {
		p.Layout.Push = list
		return !slices.ContainsFunc(p.shaders, func(s *shader) bool { return s.push > 0 })
	}}
}

// pushed breaks the range of push constants that are used.
func pushed(name string, f func(r *push) bool) fault {
	return fault{name, func(_ *rand.Rand, p *pipeline) bool {
		return slices.ContainsFunc(p.shaders, func(s *shader) bool { return s.push > 0 }) && f(&p.Layout.Push[0])
	}}
}

// layoutBreaks break the pipeline layout.
var layoutBreaks = []fault{
	resources("binding missing", func(_ *rand.Rand, p *pipeline, _ *shader, x *resource, _ *binding) bool {
		p.Sets[x.set].Bindings = slices.DeleteFunc(p.Sets[x.set].Bindings, func(b binding) bool { return b.Binding == x.binding })
		return true
	}),
	resources("set missing", func(_ *rand.Rand, p *pipeline, _ *shader, x *resource, _ *binding) bool {
		p.Sets = p.Sets[:x.set]
		return true
	}),
	resources("binding of another type", func(r *rand.Rand, _ *pipeline, _ *shader, x *resource, b *binding) bool {
		b.Type = uint32(r.IntN(10))
		base := func(k uint32) uint32 {
			switch k {
			case uniformDynamicType, storageDynamicType:
				return k - 2
			case combinedType, samplerType, sampledType:
				return samplerType // one may serve as another
			}
			return k
		}
		return base(b.Type) != base(x.kind)
	}),
	resources("binding for other stages", func(_ *rand.Rand, _ *pipeline, s *shader, _ *resource, b *binding) bool {
		b.Stages &^= s.stage
		return b.Stages != 0
	}),
	resources("too few descriptors", func(_ *rand.Rand, _ *pipeline, _ *shader, x *resource, b *binding) bool {
		b.Count = x.count - 1
		return x.count > 1
	}),
	resources("two bindings of one number", func(_ *rand.Rand, p *pipeline, _ *shader, x *resource, b *binding) bool {
		p.Sets[x.set].Bindings = append(p.Sets[x.set].Bindings, *b)
		return true
	}),
	adding("dynamic buffer pushed", 1, binding{0, uniformDynamicType, 1, vertexBit | computeBit, 0}),
	adding("inline block pushed", 1, binding{0, inlineType, 16, vertexBit | computeBit, 0}),
	adding("inline block of odd size", 0, binding{0, inlineType, 6, vertexBit | computeBit, 0}),
	adding("inline block too large", 0, binding{0, inlineType, 1 << 20, vertexBit | computeBit, 0}),
	adding("too many descriptors pushed", 1, binding{0, uniformType, 100, vertexBit | computeBit, 0}),
	adding("input attachment for another stage", 0, binding{0, inputAttachmentType, 1, vertexBit, 0}),
	adding("update after bind", 2, binding{0, storageType, 1, vertexBit | computeBit, 1}),
	adding("update after bind without pool", 0, binding{0, storageType, 1, vertexBit | computeBit, 1}),
	adding("partially bound", 0, binding{0, storageType, 1, vertexBit | computeBit, 4}),
	adding("variable count", 0, binding{0, storageType, 1, vertexBit | computeBit, 8}),
	adding("update unused", 0, binding{0, storageType, 1, vertexBit | computeBit, 2}),
	adding("too many uniform buffers", 0, binding{0, uniformType, 1 << 20, vertexBit | computeBit, 0}),
	adding("too many storage buffers", 0, binding{0, storageType, 1 << 20, vertexBit | computeBit, 0}),
	adding("too many samplers", 0, binding{0, samplerType, 1 << 20, vertexBit | computeBit, 0}),
	adding("too many sampled images", 0, binding{0, combinedType, 1 << 20, vertexBit | computeBit, 0}),
	adding("too many storage images", 0, binding{0, storageImageType, 1 << 20, vertexBit | computeBit, 0}),
	adding("too many dynamic uniform buffers", 0, binding{0, uniformDynamicType, 9, vertexBit | computeBit, 0}),
	adding("too many dynamic storage buffers", 0, binding{0, storageDynamicType, 9, vertexBit | computeBit, 0}),
	{"two sets of push descriptors", func(_ *rand.Rand, p *pipeline) bool {
		p.Sets = append(p.Sets, setLayout{Flags: 1, Bindings: []binding{}}, setLayout{Flags: 1, Bindings: []binding{}})
		return true
	}},
	{"too many sets", func(_ *rand.Rand, p *pipeline) bool {
		for len(p.Sets) < 9 {
			p.Sets = append(p.Sets, setLayout{Bindings: []binding{}})
		}
		return true
	}},
	{"no push range", func(_ *rand.Rand, p *pipeline) bool {
		p.Layout.Push = []push{}
		return slices.ContainsFunc(p.shaders, func(s *shader) bool { return s.push > 0 })
	}},
	pushed("push range too small", func(r *push) bool { r.Size -= 4; return r.Size > 0 }),
	pushed("push range begins late", func(r *push) bool { r.Offset = 128; return true }),
	{"push range for other stages", func(_ *rand.Rand, p *pipeline) bool {
		for _, s := range p.shaders {
			if s.push > 0 {
				p.Layout.Push[0].Stages &^= s.stage
				return p.Layout.Push[0].Stages != 0
			}
		}
		return false
	}},
	ranges("push range of odd size", push{vertexBit | computeBit, 0, 6}),
	ranges("push range of no size", push{vertexBit | computeBit, 0, 0}),
	ranges("push range at an odd offset", push{vertexBit | computeBit, 2, 4}),
	ranges("push range above the limit", push{vertexBit | computeBit, 0, 512}),
	ranges("push range begins above the limit", push{vertexBit | computeBit, 512, 4}),
	ranges("two push ranges of a stage", push{vertexBit | computeBit, 0, 4}, push{vertexBit | computeBit, 8, 4}),
}
