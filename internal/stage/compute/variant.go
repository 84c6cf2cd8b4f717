package compute

import (
	"context"
	"errors"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// OwnSet is the descriptor set of resources that a stage binds itself. No shader can name it, because
// the number exceeds maxBoundDescriptorSets.
const OwnSet = 1<<32 - 1

// MaxVariants bounds the compiled programs of a stage. The least recently used one is evicted.
const MaxVariants = 512

// recentVariants are compared with the views and samplers of their last use, before the key of the descriptors is computed. maxUnion
// bounds the combinations of views and samplers of a program that is compiled for more of them than are bound.
const (
	recentVariants = 32
	maxUnion       = 64
)

// Variants are the compiled programs of one stage, most recently used first. K is everything that the
// code depends on, apart from the bound views and samplers. The caller provides the functions; a lock
// must guard all methods.
//
// Programs with arrays of descriptors dispatch on the keys of the descriptors that they select. Such a program serves all
// sets whose keys are among its own, and a program for a new key has those of the last one too: there are no more programs
// than keys, however the textures are distributed over sets.
type Variants[K any] struct {
	Equal func(x, y *K) bool
	Copy  func(*K) K
	Make  func(*K) (*ir.Program, error) // returns the program before texture code is linked; it must not change

	list  []*Variant[K]
	keys  uint64          // the number of keys so far
	need  []uint64        // scratch: the key of the bound views and samplers
	bound []texture.Bound // scratch: the views and samplers
	codes []uint64        // scratch: of single descriptors
}

// Variant is a compiled program for a key and for the formats of bound views and samplers. It is
// reference-counted: an evicted variant is closed after its last use.
type Variant[K any] struct {
	key        K
	number     uint64          // of the key: equal for equal keys
	textureKey []uint64        // texture.Key of the views and samplers that it was compiled for
	hash       uint64          // of textureKey
	compiled   []texture.Bound // these views and samplers
	views      []texture.Bound // views and samplers of the last use
	versions   []uint64        // of views, by resource
	unlinked   *ir.Program     // before texture code is linked
	singles    []int           // the resources of unlinked that are images and samplers of shaders, if each is a single descriptor; else nil
	codes      []uint64        // codesOf the views and samplers of singles
	Program    exec.Program
	QuadSwaps  int // operations of the linked program that read another lane of a quad
	users      int
	dropped    bool
}

// Acquire returns the program for a key and for bound resources, and compiles it if it is new. Release
// must follow. Only a compilation obeys ctx: a function that stops it costs an allocation.
func (s *Variants[K]) Acquire(ctx context.Context, key *K, e exec.Engine, o exec.Options, a *Args) (*Variant[K], error) {
	return s.acquire(ctx, key, s.numberOf(key), e, o, a)
}

// AcquireLike is Acquire for the key of x, a variant in use. It compares no keys.
func (s *Variants[K]) AcquireLike(ctx context.Context, x *Variant[K], e exec.Engine, o exec.Options, a *Args) (*Variant[K], error) {
	if s.gatherSingles(x, a) {
		if v := s.useSingles(x.number); v != nil {
			return v, nil
		}
	} else if x.same(a) {
		return x.Use(), nil
	}
	return s.acquire(ctx, &x.key, x.number, e, o, a)
}

// acquire is Acquire for a key with its number.
func (s *Variants[K]) acquire(ctx context.Context, key *K, n uint64, e exec.Engine, o exec.Options, a *Args) (*Variant[K], error) {
	if len(s.list) > 0 && s.list[0].number == n && s.list[0].same(a) {
		return s.use(0), nil
	}
	if i := s.findLike(n, a); i >= 0 {
		s.list[i].remember(a)
		return s.use(i), nil
	}
	like := s.find(n, a)
	if like >= 0 && s.covers(s.list[like]) {
		v := s.use(like)
		v.views, s.bound = s.bound, v.views
		v.remember(a)
		return v, nil
	}
	var last *Variant[K]
	if like >= 0 {
		last = s.list[like]
	}
	v, err := s.compile(key, e, o.Until(ctx), a, last)
	if err != nil {
		return nil, err
	}
	v.users++
	v.number = n
	s.list = slices.Insert(s.list, 0, v)
	if n := len(s.list) - 1; n >= MaxVariants {
		s.list[n].drop()
		s.list = s.list[:n]
	}
	return v, nil
}

// numberOf returns the number of a key. Keys are long, so that one comparison replaces many: most uses have the key of the last
// one, which is the first of the list.
func (s *Variants[K]) numberOf(key *K) uint64 {
	for _, v := range s.list {
		if s.Equal(&v.key, key) {
			return v.number
		}
	}
	s.keys++
	return s.keys
}

// use moves a variant to the front and begins its use.
func (s *Variants[K]) use(i int) *Variant[K] {
	v := s.list[i]
	copy(s.list[1:i+1], s.list[:i])
	s.list[0] = v
	v.users++
	return v
}

// findLike returns a recent variant of the key with a number whose last use had views and samplers with the same code, or −1. It
// computes bound.
func (s *Variants[K]) findLike(key uint64, a *Args) int {
	bound := false
	for i, v := range s.list[:min(len(s.list), recentVariants)] {
		if v.number != key {
			continue
		}
		if !bound { // the programs of a key are equal before texture code is linked
			s.bound, bound = appendBound(s.bound[:0], v.unlinked, a), true
		}
		if sameCode(v.views, s.bound) {
			return i
		}
	}
	return -1
}

// gatherSingles makes codes those of the views and samplers of the resources in x.singles. It reports whether each of them is there.
func (s *Variants[K]) gatherSingles(x *Variant[K], a *Args) bool {
	if x.codes == nil || a.Sets == nil || a.zeroed() {
		return false
	}
	s.codes = s.codes[:0]
	for _, i := range x.singles {
		r := &x.unlinked.Res[i]
		b := a.slot(Binding{r.Set, r.Binding})
		switch {
		case r.Kind == ir.Texels && len(b.Views) > 0 && b.Views[0] != nil:
			s.codes = append(s.codes, b.Views[0].Code())
		case r.Kind == ir.SamplerState && len(b.Samplers) > 0 && b.Samplers[0] != nil:
			s.codes = append(s.codes, b.Samplers[0].Code())
		default:
			return false
		}
	}
	return true
}

// useSingles begins the use of a recent variant of the key with a number that has the code of gatherSingles; nil if there is none.
func (s *Variants[K]) useSingles(key uint64) *Variant[K] {
	for i, v := range s.list[:min(len(s.list), recentVariants)] {
		if v.number != key || !slices.Equal(v.codes, s.codes) {
			continue
		}
		if i >= recentVariants/2 { // others are near enough to the front: draws take turns with some variants
			return s.use(i)
		}
		return v.Use()
	}
	return nil
}

// codesOf returns the codes of the views and samplers that the variant is compiled for, if they are single descriptors and not null.
func (v *Variant[K]) codesOf() (codes []uint64) {
	for _, i := range v.singles {
		switch x := &v.views[i]; {
		case len(x.Views) == 1 && x.Views[0] != nil:
			codes = append(codes, x.Views[0].Code())
		case len(x.Samplers) == 1 && x.Samplers[0] != nil:
			codes = append(codes, x.Samplers[0].Code())
		default:
			return nil
		}
	}
	return codes
}

// singlesOf returns the resources of a program that are images and samplers of shaders, if each is a single descriptor; else nil.
func singlesOf(p *ir.Program) (list []int) {
	for i, r := range p.Res {
		switch {
		case r.Set == OwnSet || r.Kind != ir.Texels && r.Kind != ir.SamplerState:
		case r.Count != 1 || r.Heap:
			return nil
		default:
			list = append(list, i)
		}
	}
	return list
}

// sameCode reports whether programs have the same code for two lists of views and samplers.
func sameCode(x, y []texture.Bound) bool {
	return slices.EqualFunc(x, y, func(x, y texture.Bound) bool {
		return slices.EqualFunc(x.Views, y.Views, func(v, w *texture.View) bool { return v == w || v != nil && w != nil && v.SameCode(w) }) &&
			slices.EqualFunc(x.Samplers, y.Samplers, func(v, w *texture.Sampler) bool { return v == w || v != nil && w != nil && v.SameCode(w) })
	})
}

// find returns the variant of the key with a number that fits the bound views and samplers; else the last used one of the key; −1 if there
// is none. It computes need and bound.
func (s *Variants[K]) find(key uint64, a *Args) int {
	first, hash := -1, uint64(0)
	for i, v := range s.list {
		if v.number != key || first >= 0 && v.hash != hash {
			continue
		}
		if first < 0 { // the programs of a key are equal before texture code is linked
			s.bound = appendBound(s.bound[:0], v.unlinked, a)
			s.need = texture.AppendKey(s.need[:0], v.unlinked, s.bound)
			first, hash = i, hashOf(s.need)
		}
		if v.hash == hash && slices.Equal(v.textureKey, s.need) {
			return i
		}
	}
	if first < 0 {
		return -1
	}
	for i, v := range s.list[first:] {
		if v.number == key && s.covers(v) {
			return first + i
		}
	}
	return first
}

// covers reports whether a variant fits the bound views and samplers.
func (s *Variants[K]) covers(v *Variant[K]) bool { return texture.Covers(v.textureKey, s.need) }

// hashOf is FNV-1a of words.
func hashOf(words []uint64) uint64 {
	h := uint64(14695981039346656037)
	for _, w := range words {
		h = (h ^ w) * 1099511628211
	}
	return h
}

// same reports whether the bound views and samplers are those of the last use.
func (v *Variant[K]) same(a *Args) bool {
	for i, r := range v.unlinked.Res {
		if r.Set == OwnSet || r.Kind != ir.Texels && r.Kind != ir.SamplerState {
			continue
		}
		if n := v.versions[i]; n != 0 && n == a.version(r) {
			continue
		}
		if r.Kind == ir.Texels && !slices.Equal(v.views[i].Views, a.viewsFor(r)) || r.Kind == ir.SamplerState && !slices.Equal(v.views[i].Samplers, a.samplersFor(r)) {
			return false
		}
	}
	return true
}

// remember sets the versions of the views and samplers.
func (v *Variant[K]) remember(a *Args) {
	v.versions = slices.Grow(v.versions[:0], len(v.unlinked.Res))[:len(v.unlinked.Res)]
	for i, r := range v.unlinked.Res {
		v.versions[i] = 0
		if r.Set != OwnSet {
			v.versions[i] = a.version(r)
		}
	}
}

// appendBound appends the views and samplers of each resource to a list of no element, whose memory is used again.
func appendBound(list []texture.Bound, p *ir.Program, a *Args) []texture.Bound {
	list = slices.Grow(list, len(p.Res))[:len(p.Res)]
	for i, r := range p.Res {
		b := &list[i]
		b.Views, b.Samplers = b.Views[:0], b.Samplers[:0]
		switch {
		case r.Set == OwnSet:
		case r.Kind == ir.Texels:
			b.Views = append(b.Views, a.viewsFor(r)...)
		case r.Kind == ir.SamplerState:
			b.Samplers = append(b.Samplers, a.samplersFor(r)...)
		}
	}
	return list
}

// compile makes a program, links texture code, and compiles it. last is the last used variant of the key, or nil.
func (s *Variants[K]) compile(key *K, e exec.Engine, o exec.Options, a *Args, last *Variant[K]) (*Variant[K], error) {
	p, err := s.Make(key)
	if err != nil {
		return nil, err
	}
	v := s.variant(key, p, a)
	if last != nil && texture.Dispatches(v.textureKey) > 0 {
		both := texture.Union(p, v.views, last.compiled)
		if k := texture.Key(p, both); texture.Dispatches(k) <= maxUnion {
			v.compiled, v.textureKey, v.hash = both, k, hashOf(k)
		}
	}
	if p, err = Link(p, v.compiled, a.Lenient, o.Stop); err != nil {
		if errors.As(err, new(*texture.UnsupportedError)) || errors.As(err, new(*texture.DescError)) {
			err = &exec.UnsupportedError{Engine: e.Name(), Feature: err.Error()}
		}
		return nil, err
	}
	v.QuadSwaps = quadSwaps(p)
	v.Program, err = e.Compile(p, o)
	return v, err
}

// Link returns a copy of p with texture code for the bound views and samplers, as [texture.Bind] makes it, after the passes: only
// now they see the bodies of the texture functions. A stop function ends the passes with its error.
func Link(p *ir.Program, bound []texture.Bound, lenient bool, stop func() error) (*ir.Program, error) {
	if !lenient {
		if err := texture.Mismatch(p, bound); err != nil {
			return nil, err
		}
	}
	p, err := texture.Bind(p, bound)
	if err != nil {
		return nil, err
	}
	p = p.Clone()
	return p, pass.RunUntil(p, stop)
}

// quadSwaps counts the operations of a program that read another lane of a quad.
func quadSwaps(p *ir.Program) (n int) {
	for _, f := range p.Funcs {
		for _, v := range f.Code {
			if f.Val(v).Op == ir.QuadSwap {
				n++
			}
		}
	}
	return n
}

// variant returns a variant for the bound views and samplers, without its program.
func (s *Variants[K]) variant(key *K, unlinked *ir.Program, a *Args) *Variant[K] {
	v := &Variant[K]{key: s.Copy(key), unlinked: unlinked, views: appendBound(nil, unlinked, a), singles: singlesOf(unlinked)}
	v.textureKey = texture.Key(unlinked, v.views)
	// The views of later uses go into the memory of views.
	v.hash, v.compiled = hashOf(v.textureKey), texture.Union(unlinked, appendBound(nil, unlinked, a), nil)
	v.codes = v.codesOf()
	v.remember(a)
	return v
}

// Add adds a program that the caller has compiled and that has no texture code. The variants own it.
func (s *Variants[K]) Add(key *K, p exec.Program) {
	v := s.variant(key, p.IR(), &Args{})
	v.Program, v.number = p, s.numberOf(key)
	s.list = slices.Insert(s.list, 0, v)
}

// Use begins another use of a variant in use.
func (v *Variant[K]) Use() *Variant[K] {
	v.users++
	return v
}

// drop closes the program as soon as it is not used.
func (v *Variant[K]) drop() {
	if v.dropped = true; v.users == 0 {
		v.Program.Close()
	}
}

// Release ends a use.
func (v *Variant[K]) Release() {
	if v.users--; v.users == 0 && v.dropped {
		v.Program.Close()
	}
}

// AppendPrograms appends the compiled programs to a list.
func (s *Variants[K]) AppendPrograms(list []exec.Program) []exec.Program {
	for _, v := range s.list {
		list = append(list, v.Program)
	}
	return list
}

// Close closes all programs.
func (s *Variants[K]) Close() (err error) {
	for _, v := range s.list {
		if e := v.Program.Close(); err == nil {
			err = e
		}
	}
	s.list = nil
	return err
}
