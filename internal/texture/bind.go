package texture

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Bound is what stands at a program's resource: the views of an image's memory
// (ir.Texels), or the samplers of ir.SamplerState. What is missing is the null
// descriptor.
type Bound struct {
	Views    []*View
	Samplers []*Sampler
}

// UnsupportedError is a texture function that has no body for what is bound.
type UnsupportedError struct{ What string }

// Error says what there is none of.
func (e *UnsupportedError) Error() string { return "unsupported: " + e.What }

// state is one view with one sampler, and with one other view, by their keys.
type state struct {
	view, other viewKey
	sampler     samplerKey
	v, o, s     uint64 // the words of the keys
}

// maxStates bounds the pairs of keys that one function serves.
const maxStates = 1 << 10

// Bind returns p with the bodies that its texture functions have when bound[r]
// stands at resource r, and p itself where it has no texture function. p does not
// change. The error is an *UnsupportedError, or a *DescError where a view is not
// as the shader declares it.
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
	q.StateEffects()
	return &q, nil
}

// Key returns words that are equal for programs bound alike: where they are, Bind
// gives equal programs.
func Key(p *ir.Program, bound []Bound) []uint64 {
	key := make([]uint64, 0, 16)
	for i, f := range p.Funcs {
		if f.Texture == nil {
			continue
		}
		if v, s, ok := only(p, f.Texture, bound); ok {
			key = append(key, uint64(i), 1, 1, v, 0, s)
			continue
		}
		states, sure := statesOf(p, f.Texture, bound)
		key = append(key, uint64(i), uint64(len(states)))
		if sure {
			key = append(key, 1)
		}
		for _, s := range states {
			key = append(key, s.v, s.o, s.s)
		}
	}
	return key
}

// only returns the words of the keys of the one view and the one sampler that t can
// meet, where there is no choice and no other image: most often so, and found without
// lists.
func only(p *ir.Program, t *ir.Texture, bound []Bound) (view, sampler uint64, ok bool) {
	if t.HasOther() || t.Image >= len(bound) || t.Sampler >= len(bound) || p.Res[t.Image].Count != 1 || len(bound[t.Image].Views) != 1 {
		return 0, 0, false
	}
	v := bound[t.Image].Views[0]
	if v == nil || !fits(t, v.key) {
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

// statesOf returns the pairs of keys that t may meet, in order; sure is set where
// it meets no other and no null descriptor.
func statesOf(p *ir.Program, t *ir.Texture, bound []Bound) (list []state, sure bool) {
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
		if !fits(t, v) {
			sure = false
			continue
		}
		for _, s := range samplersOf {
			for _, o := range others {
				x := state{view: v, other: o, sampler: s, v: v.word()}
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

// fits reports whether a shader that declares t's image may look through a view
// of that key.
func fits(t *ir.Texture, v viewKey) bool {
	return t.Dim == v.dim && (t.Subpass || t.Arrayed == v.arrayed) && t.Multisampled == (v.samples > 0)
}

// mismatch returns an error where the only view that t can meet is not as the
// shader declares it. Among several such a view is the null descriptor.
func mismatch(p *ir.Program, t *ir.Texture, bound []Bound) error {
	r := &p.Res[t.Image]
	if r.Count != 1 || t.Image >= len(bound) || len(bound[t.Image].Views) != 1 {
		return nil
	}
	v := bound[t.Image].Views[0]
	if v == nil || fits(t, v.key) {
		return nil
	}
	return wrong("set %d, binding %d: a view of %s, arrayed %t, %d samples; the shader declares %s, arrayed %t, multisampled %t",
		r.Set, r.Binding, v.key.dim, v.key.arrayed, 1<<v.key.samples, t.Dim, t.Arrayed, t.Multisampled)
}

// distinct returns the different keys of what is not nil, in order.
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

// body makes the function that f is when it is bound.
func body(p *ir.Program, f *ir.Func, bound []Bound, t *tables) (*ir.Func, error) {
	states, sure := statesOf(p, f.Texture, bound)
	if err := mismatch(p, f.Texture, bound); err != nil {
		return nil, err
	}
	if len(states) > maxStates {
		return nil, &UnsupportedError{fmt.Sprintf("%d different pairs of views and samplers at one instruction; at most %d", len(states), maxStates)}
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
		a.from = other
		list, err := c.body(&a)
		b.Return(list...)
		return b.Finish(), err
	}
	for _, s := range states {
		c.v, c.s, other.v = s.view, s.sampler, s.other
		hit := c.eq(c.key(c.shape, ir.ShapeKey), b.Const(ir.I64, s.v))
		if c.t.Sampler >= 0 {
			hit = c.both(hit, c.eq(c.key(c.state, ir.SamplerKey), b.Const(ir.I64, s.s)))
		}
		if c.t.HasOther() {
			hit = c.both(hit, c.eq(c.key(other.shape, ir.ShapeKey), b.Const(ir.I64, s.o)))
		}
		b.If(hit)
		each := a // a body may change its coordinates
		each.from = other
		each.at = slices.Clone(a.at)
		list, err := c.body(&each)
		if err != nil {
			return nil, err
		}
		b.Return(list...)
		b.End()
	}
	b.Return(c.null(results)...)
	return b.Finish(), nil
}

// key reads a key of two words.
func (c *code) key(h ir.V, n int) ir.V {
	return c.OpAux(ir.Ld, ir.I64, uint64(4*n), h, c.I32(0))
}

// null is what the null descriptor gives.
func (c *code) null(results []ir.Type) []ir.V {
	list := make([]ir.V, len(results))
	for i, t := range results {
		if list[i] = c.Const(t, 0); c.t.Op == ir.TextureTexel {
			list[i] = c.I32(1<<32 - 1)
		}
	}
	return list
}

// body appends what the function does for one view and sampler, and returns its
// results.
func (c *code) body(a *arguments) (list []ir.V, err error) {
	if c.v.converted && c.t.Op != ir.TextureSample && c.t.Op != ir.TextureQueryLod {
		return nil, &UnsupportedError{"texture function " + c.t.Op.String() + " of a view with a conversion of luma and chroma"}
	}
	switch c.t.Op {
	case ir.TextureRead, ir.TextureFetch:
		list = c.read(a)
	case ir.TextureWrite:
		c.write(a)
	case ir.TextureTexel:
		list = c.where(a)
	case ir.TextureSample:
		list = c.sampled(a)
	case ir.TextureGather:
		list = c.gathered(a)
	case ir.TextureQueryLod:
		list = c.query(a)
	case ir.TextureFootprint:
		list = c.footprintOf(a)
	case ir.TextureBox, ir.TextureWeighted, ir.TextureMatch, ir.TextureMatchWindow, ir.TextureMatchGather:
		return c.processed(a)
	default:
		return nil, &UnsupportedError{"texture function " + c.t.Op.String()}
	}
	if c.t.Has(ir.TextureSparse) {
		list = append([]ir.V{c.I32(0)}, list...) // all texels are resident
	}
	return list, nil
}
