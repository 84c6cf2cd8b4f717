package texture

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Bound is the descriptors bound to one resource of a program, by array element: Views for an image
// (ir.Texels), Samplers for ir.SamplerState. A missing or nil element is the null descriptor.
type Bound struct {
	Views    []*View
	Samplers []*Sampler
}

// UnsupportedError reports a texture function that has no body for the bound view and sampler.
type UnsupportedError struct{ What string }

// Error returns the message: "unsupported: " and the missing function.
func (e *UnsupportedError) Error() string { return "unsupported: " + e.What }

// combination is a view's key with a sampler's key, and with the key of a second view for image processing.
type combination struct {
	view, other viewKey
	sampler     samplerKey
	v, o, s     uint64 // the keys as words
}

// maxCombinations bounds the combinations of keys for which one function gets a body.
const maxCombinations = 1 << 10

// Bind returns p with bodies for its texture functions, specialized for the descriptors bound[r] of each
// resource r; p itself if it has no texture function. p is not changed. A view of another shape than the shader's declaration is the null
// descriptor; see Mismatch. The error is an *UnsupportedError.
func Bind(p *ir.Program, bound []Bound) (*ir.Program, error) {
	if !slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool { return f.Texture != nil }) {
		return p, nil
	}
	q := *p
	q.Funcs = slices.Clone(p.Funcs)
	t := &tables{list: slices.Clip(p.Tables)}
	for i, f := range p.Funcs {
		if f.Texture == nil {
			continue
		}
		g, err := body(p, f, bound, t)
		if err != nil {
			return nil, err
		}
		q.Funcs[i] = g
	}
	q.Tables = t.list
	// The bodies replace empty functions: effects of callers change with them.
	q.StateEffects()
	return &q, nil
}

// Key returns the specialization key of bound descriptors: if two keys of p are equal, Bind returns equal
// programs. Callers cache compiled programs by it. For each texture function the key holds its index, the number
// of combinations, 1 if no dispatch is needed, and three words for each combination: view, second view,
// sampler.
func Key(p *ir.Program, bound []Bound) []uint64 { return AppendKey(make([]uint64, 0, 16), p, bound) }

// AppendKey appends the key of bound descriptors to a list.
func AppendKey(key []uint64, p *ir.Program, bound []Bound) []uint64 {
	for i, f := range p.Funcs {
		if f.Texture == nil {
			continue
		}
		if v, s, ok := singleKeys(p, f.Texture, bound); ok {
			key = append(key, uint64(i), 1, 1, v, 0, s)
			continue
		}
		states, sure := combinationsOf(p, f.Texture, bound)
		single := uint64(0)
		if sure {
			single = 1
		}
		key = append(key, uint64(i), uint64(len(states)), single)
		for _, s := range states {
			key = append(key, s.v, s.o, s.s)
		}
	}
	return key
}

// singleKeys returns the key words of t's view and sampler if both resources are single descriptors, not
// null, and t has no second image. It is the allocation-free common case of combinationsOf.
func singleKeys(p *ir.Program, t *ir.Texture, bound []Bound) (view, sampler uint64, ok bool) {
	if t.HasOther() || t.Image >= len(bound) || t.Sampler >= len(bound) || p.Res[t.Image].Count != 1 || len(bound[t.Image].Views) != 1 {
		return 0, 0, false
	}
	v := bound[t.Image].Views[0]
	if v == nil || !compatible(t, v.key) {
		return 0, 0, false
	}
	if t.Sampler < 0 {
		return v.key.word(), 0, true
	}
	list := bound[t.Sampler].Samplers
	if p.Res[t.Sampler].Count != 1 || len(list) != 1 || list[0] == nil {
		return 0, 0, false
	}
	return v.key.word(), list[0].key.word(), true
}

// combinationsOf returns the combinations of keys that t may use at run time, sorted. sure is set if there is
// exactly one and no null descriptor, so that the body needs no dispatch.
func combinationsOf(p *ir.Program, t *ir.Texture, bound []Bound) (list []combination, sure bool) {
	at := func(r int) Bound {
		if r >= 0 && r < len(bound) {
			return bound[r]
		}
		return Bound{}
	}
	single := func(r, n int) bool { return r < 0 || p.Res[r].Count == 1 && n == 1 }
	views, samplers := at(t.Image).Views, at(t.Sampler).Samplers
	samplersOf := []samplerKey{{}}
	if t.Sampler >= 0 {
		samplersOf = distinct(samplers, func(s *Sampler) samplerKey { return s.key }, samplerKey.word)
	}
	others, apart := othersOf(p, t, bound)
	sure = single(t.Image, len(views)) && single(t.Sampler, len(samplers)) && apart
	for _, v := range distinct(views, func(v *View) viewKey { return v.key }, viewKey.word) {
		if !compatible(t, v) {
			sure = false
			continue
		}
		for _, s := range samplersOf {
			for _, o := range others {
				x := combination{view: v, other: o, sampler: s, v: v.word()}
				if t.Sampler >= 0 {
					x.s = s.word()
				}
				if t.HasOther() {
					x.o = o.word()
				}
				list = append(list, x)
			}
		}
	}
	return list, sure && len(list) == 1
}

// compatible reports whether a view with key v matches the shader's declaration of t's image.
func compatible(t *ir.Texture, v viewKey) bool {
	return t.Dim == v.dim && (t.Subpass || t.Arrayed == v.arrayed) && t.Multisampled == (v.samples > 0)
}

// Mismatch returns a *DescError if the only view of an image has another shape than the shader declares. Vulkan permits such a view as long
// as no invocation accesses it (VUID-vkCmdDraw-viewType-07752).
func Mismatch(p *ir.Program, bound []Bound) error {
	for _, f := range p.Funcs {
		if f.Texture == nil {
			continue
		}
		if err := mismatch(p, f.Texture, bound); err != nil {
			return err
		}
	}
	return nil
}

// mismatch returns an error if t's only view is incompatible with the shader's declaration. In an array of
// several descriptors an incompatible view counts as the null descriptor instead. So it does if variables
// that share the binding declare images of several shapes and the view has one of them: a shape must match only
// if the view is accessed by way of it (VUID-vkCmdDraw-viewType-07752).
func mismatch(p *ir.Program, t *ir.Texture, bound []Bound) error {
	r := &p.Res[t.Image]
	if r.Count != 1 || t.Image >= len(bound) || len(bound[t.Image].Views) != 1 {
		return nil
	}
	v := bound[t.Image].Views[0]
	if v == nil || compatible(t, v.key) {
		return nil
	}
	for _, f := range p.Funcs {
		if x := f.Texture; x != nil && x.Image == t.Image && compatible(x, v.key) {
			return nil
		}
	}
	return descErrorf("%s: a view of %s, arrayed %t, %d samples; must be %s, arrayed %t, multisampled %t as in the shader",
		r.Place(), v.key.dim, v.key.arrayed, 1<<v.key.samples, t.Dim, t.Arrayed, t.Multisampled)
}

// distinct returns the sorted distinct keys of the non-nil elements.
func distinct[T any, K comparable](list []*T, key func(*T) K, word func(K) uint64) []K {
	var keys []K
	for _, x := range list {
		if x != nil {
			if k := key(x); !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	slices.SortFunc(keys, func(x, y K) int { return cmp.Compare(word(x), word(y)) })
	return keys
}

// body returns the specialized function for f. If one combination is possible, its body is the function;
// otherwise the function dispatches on the key words of the descriptors that the indices select:
//
//	if view.key == K₀ && sampler.key == S₀ { body for (K₀, S₀) }
//	if view.key == K₁ && sampler.key == S₀ { body for (K₁, S₀) }
//	…
//	results of the null descriptor
//
// So arrays of descriptors with equal keys cost one comparison, and an index out of range or of a null
// descriptor needs no check of its own.
func body(p *ir.Program, f *ir.Func, bound []Bound, t *tables) (*ir.Func, error) {
	states, sure := combinationsOf(p, f.Texture, bound)
	if len(states) > maxCombinations {
		return nil, &UnsupportedError{fmt.Sprintf("%d different pairs of views and samplers at one instruction; at most %d", len(states), maxCombinations)}
	}
	args, results := f.Texture.Signature()
	b := ir.NewFunc(f.Name, args, results)
	c := &code{Builder: b, tables: t, t: f.Texture}
	a := c.arguments()
	c.memory = b.OpAux(ir.Res, ir.H, uint64(c.t.Image), a.image)
	c.shape = b.OpAux(ir.Res, ir.H, uint64(c.t.Image+1), a.image)
	if c.t.Sampler >= 0 {
		c.state = b.OpAux(ir.Res, ir.H, uint64(c.t.Sampler), a.sampler)
	}
	other := c.other(&a)
	if sure {
		c.v, c.s, other.v = states[0].view, states[0].sampler, states[0].other
		a.reference = other
		list, err := c.body(&a)
		b.Return(list...)
		return b.Finish(), err
	}
	for _, s := range states {
		c.v, c.s, other.v = s.view, s.sampler, s.other
		hit := c.hasKey(c.shape, ir.ShapeKey, s.v)
		if c.t.Sampler >= 0 {
			hit = c.both(hit, c.hasKey(c.state, ir.SamplerKey, s.s))
		}
		if c.t.HasOther() {
			hit = c.both(hit, c.hasKey(other.shape, ir.ShapeKey, s.o))
		}
		b.If(hit)
		each := a // bodies change their coordinates
		each.reference = other
		each.coord = slices.Clone(a.coord)
		list, err := c.body(&each)
		if err != nil {
			return nil, err
		}
		b.Return(list...)
		b.End()
	}
	b.Return(c.nullResults(results)...)
	return b.Finish(), nil
}

// hasKey reports whether the 64-bit value at word n of a shape or a sampler's state is a key. It compares words of 32 bits,
// which need no vector if the descriptor is the same for all lanes.
func (c *code) hasKey(h ir.V, n int, key uint64) ir.V {
	word := func(i int) ir.V { return c.OpAux(ir.Ld, ir.I32, uint64(4*(n+i)), h, c.I32(0)) }
	return c.both(c.eq(word(0), c.I32(uint32(key))), c.eq(word(1), c.I32(uint32(key>>32))))
}

// nullResults are the results of an access through the null descriptor: 0, and for Texel no offset.
func (c *code) nullResults(results []ir.Type) []ir.V {
	list := make([]ir.V, len(results))
	for i, t := range results {
		if list[i] = c.Const(t, 0); c.t.Op == ir.TextureTexel {
			list[i] = c.I32(1<<32 - 1)
		}
	}
	return list
}

// body appends the function's code for c's view and sampler, and returns its results.
func (c *code) body(a *arguments) (list []ir.V, err error) {
	if c.v.converted && c.t.Op != ir.TextureSample && c.t.Op != ir.TextureQueryLod {
		return nil, &UnsupportedError{"texture function " + c.t.Op.String() + " of a view with a conversion of luma and chroma"}
	}
	before := *a // bodies change their coordinates
	before.coord = slices.Clone(a.coord)
	switch c.t.Op {
	case ir.TextureRead, ir.TextureFetch:
		list = c.read(a)
	case ir.TextureWrite:
		c.write(a)
	case ir.TextureTexel:
		list = c.texelBody(a)
	case ir.TextureSample:
		list = c.sampleBody(a)
	case ir.TextureGather:
		list = c.gatherBody(a)
	case ir.TextureQueryLod:
		list = c.queryLodBody(a)
	case ir.TextureFootprint:
		list = c.footprintBody(a)
	default:
		if c.t.Processes() {
			return c.imageProcessing(a)
		}
		return nil, &UnsupportedError{"texture function " + c.t.Op.String()}
	}
	if c.t.Has(ir.TextureSparse) {
		list = append([]ir.V{c.residencyCode(&before)}, list...)
	}
	return list, nil
}
