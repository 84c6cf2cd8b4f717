package compose

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// maxVariants is how many programs a stage keeps for different state and views:
// those that were used last.
const maxVariants = 64

// Variants are the compiled programs of one stage. The one used last stands first.
type Variants[K any] struct {
	Equal func(x, y *K) bool
	Copy  func(*K) K
	Make  func(*K) (*ir.Program, error)

	list []*Variant[K]
}

// Variant is a stage's program for a state and for views and samplers.
type Variant[K any] struct {
	key        K
	textureKey []uint64        // key of what is bound
	views      []texture.Bound // what was bound last
	composed   *ir.Program     // before anything is bound
	Program    exec.Program
	users      int
	dropped    bool
}

// Acquire returns the program for a key and what is bound.
func (s *Variants[K]) Acquire(key *K, e exec.Engine, o exec.Options, a *compute.Args) (*Variant[K], error) {
	for i, v := range s.list {
		if s.Equal(&v.key, key) && v.matches(a) {
			copy(s.list[1:i+1], s.list[:i])
			s.list[0] = v
			v.users++
			return v, nil
		}
	}
	v, err := s.compile(key, e, o, a)
	if err != nil {
		return nil, err
	}
	v.users++
	s.list = slices.Insert(s.list, 0, v)
	if n := len(s.list) - 1; n >= maxVariants {
		s.list[n].drop()
		s.list = s.list[:n]
	}
	return v, nil
}

// matches reports whether the program is the one for what is bound: where that is what
// was bound last nothing has to be looked at.
func (v *Variant[K]) matches(a *compute.Args) bool {
	same := true
	for i, r := range v.composed.Res {
		at := compute.Binding{Set: r.Set, Binding: r.Binding}
		switch {
		case r.Set == ownSet:
		case r.Kind == ir.Texels:
			same = same && slices.Equal(v.views[i].Views, limit(r, a.Images[at]))
		case r.Kind == ir.SamplerState:
			same = same && slices.Equal(v.views[i].Samplers, limit(r, a.Samplers[at]))
		}
	}
	if same {
		return true
	}
	bound := boundOf(v.composed, a)
	if !slices.Equal(texture.Key(v.composed, bound), v.textureKey) {
		return false
	}
	v.views = bound
	return true
}

// boundOf returns the views and samplers that stand at each resource.
func boundOf(p *ir.Program, a *compute.Args) []texture.Bound {
	bound := make([]texture.Bound, len(p.Res))
	for i, r := range p.Res {
		switch at := (compute.Binding{Set: r.Set, Binding: r.Binding}); {
		case r.Set == ownSet:
		case r.Kind == ir.Texels:
			bound[i].Views = slices.Clone(limit(r, a.Images[at]))
		case r.Kind == ir.SamplerState:
			bound[i].Samplers = slices.Clone(limit(r, a.Samplers[at]))
		}
	}
	return bound
}

// limit returns of a list of descriptors no more than a resource declares.
func limit[T any](r ir.Resource, list []T) []T {
	if r.Count > 0 && uint64(len(list)) > uint64(r.Count) {
		return list[:r.Count]
	}
	return list
}

// compile makes a variant. Passes run once all is known that the program does.
func (s *Variants[K]) compile(key *K, e exec.Engine, o exec.Options, a *compute.Args) (*Variant[K], error) {
	woven, err := s.Make(key)
	if err != nil {
		return nil, err
	}
	v := &Variant[K]{key: s.Copy(key), composed: woven, views: boundOf(woven, a)}
	v.textureKey = texture.Key(woven, v.views)
	p, err := texture.Bind(woven, v.views)
	if err != nil {
		return nil, &exec.UnsupportedError{Engine: e.Name(), Feature: err.Error()}
	}

	p = p.Clone()
	pass.Run(p)
	v.Program, err = e.Compile(p, o)
	return v, err
}

// drop closes the program when nobody runs it any more.
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

// AppendPrograms appends the programs to a list.
func (s *Variants[K]) AppendPrograms(list []exec.Program) []exec.Program {
	for _, v := range s.list {
		list = append(list, v.Program)
	}
	return list
}

// Close closes all.
func (s *Variants[K]) Close() (err error) {
	for _, v := range s.list {
		if e := v.Program.Close(); err == nil {
			err = e
		}
	}
	s.list = nil
	return err
}
