package compute

import (
	"context"
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
const MaxVariants = 64

// Variants are the compiled programs of one stage, most recently used first. K is everything that the
// code depends on, apart from the bound views and samplers. The caller provides the functions; a lock
// must guard all methods.
type Variants[K any] struct {
	Equal func(x, y *K) bool
	Copy  func(*K) K
	Make  func(*K) (*ir.Program, error) // returns the program before texture code is linked; it must not change

	list []*Variant[K]
}

// Variant is a compiled program for a key and for the formats of bound views and samplers. It is
// reference-counted: an evicted variant is closed after its last use.
type Variant[K any] struct {
	key        K
	textureKey []uint64        // texture.Key of the bound views and samplers
	views      []texture.Bound // views and samplers of the last use
	unlinked   *ir.Program     // before texture code is linked
	Program    exec.Program
	users      int
	dropped    bool
}

// Acquire returns the program for a key and for bound resources, and compiles it if it is new. Release
// must follow. Only a compilation obeys ctx: a function that stops it costs an allocation.
func (s *Variants[K]) Acquire(ctx context.Context, key *K, e exec.Engine, o exec.Options, a *Args) (*Variant[K], error) {
	for i, v := range s.list {
		if s.Equal(&v.key, key) && v.matches(a) {
			copy(s.list[1:i+1], s.list[:i])
			s.list[0] = v
			v.users++
			return v, nil
		}
	}
	v, err := s.compile(key, e, o.Until(ctx), a)
	if err != nil {
		return nil, err
	}
	v.users++
	s.list = slices.Insert(s.list, 0, v)
	if n := len(s.list) - 1; n >= MaxVariants {
		s.list[n].drop()
		s.list = s.list[:n]
	}
	return v, nil
}

// matches reports whether the program fits the bound views and samplers. Equal descriptors need no
// look at their formats.
func (v *Variant[K]) matches(a *Args) bool {
	same := true
	for i, r := range v.unlinked.Res {
		switch {
		case r.Set == OwnSet:
		case r.Kind == ir.Texels:
			same = same && slices.Equal(v.views[i].Views, a.ViewsAt(r))
		case r.Kind == ir.SamplerState:
			same = same && slices.Equal(v.views[i].Samplers, a.SamplersAt(r))
		}
	}
	if same {
		return true
	}
	bound := boundOf(v.unlinked, a)
	if !slices.Equal(texture.Key(v.unlinked, bound), v.textureKey) {
		return false
	}
	v.views = bound
	return true
}

// boundOf returns the views and samplers of each resource.
func boundOf(p *ir.Program, a *Args) []texture.Bound {
	bound := make([]texture.Bound, len(p.Res))
	for i, r := range p.Res {
		switch {
		case r.Set == OwnSet:
		case r.Kind == ir.Texels:
			bound[i].Views = slices.Clone(a.ViewsAt(r))
		case r.Kind == ir.SamplerState:
			bound[i].Samplers = slices.Clone(a.SamplersAt(r))
		}
	}
	return bound
}

// compile makes a program, links texture code, and compiles it. Passes run on the complete program,
// because only now they see the bodies of the texture functions.
func (s *Variants[K]) compile(key *K, e exec.Engine, o exec.Options, a *Args) (*Variant[K], error) {
	p, err := s.Make(key)
	if err != nil {
		return nil, err
	}
	v := &Variant[K]{key: s.Copy(key), unlinked: p, views: boundOf(p, a)}
	v.textureKey = texture.Key(p, v.views)
	if p, err = texture.Bind(p, v.views); err != nil {
		return nil, &exec.UnsupportedError{Engine: e.Name(), Feature: err.Error()}
	}
	p = p.Clone()
	if err := pass.RunUntil(p, o.Stop); err != nil {
		return nil, err
	}
	v.Program, err = e.Compile(p, o)
	return v, err
}

// Add adds a program that the caller has compiled and that has no texture code. The variants own it.
func (s *Variants[K]) Add(key *K, p exec.Program) {
	s.list = slices.Insert(s.list, 0, &Variant[K]{key: s.Copy(key), unlinked: p.IR(), views: boundOf(p.IR(), &Args{}), Program: p})
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
