package draw

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

// variants are the compiled programs of one stage. The one used last stands first.
type variants[K any] struct {
	equal func(x, y *K) bool
	copy  func(*K) K
	make  func(*K) (*ir.Program, error)

	list []*variant[K]
}

// variant is a stage's program for a state and for views and samplers.
type variant[K any] struct {
	key     K
	texture []uint64        // key of what is bound
	bound   []texture.Bound // what was bound last
	woven   *ir.Program     // before anything is bound
	program exec.Program
	users   int
	dropped bool
}

// hold returns the program for a key and what is bound.
func (s *variants[K]) hold(key *K, e exec.Engine, o exec.Options, a *compute.Args) (*variant[K], error) {
	for i, v := range s.list {
		if s.equal(&v.key, key) && v.binds(a) {
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

// binds reports whether the program is the one for what is bound: where that is what
// was bound last nothing has to be looked at.
func (v *variant[K]) binds(a *compute.Args) bool {
	same := true
	for i, r := range v.woven.Res {
		at := compute.Binding{Set: r.Set, Binding: r.Binding}
		switch {
		case r.Set == ownSet:
		case r.Kind == ir.Texels:
			same = same && slices.Equal(v.bound[i].Views, within(r, a.Images[at]))
		case r.Kind == ir.SamplerState:
			same = same && slices.Equal(v.bound[i].Samplers, within(r, a.Samplers[at]))
		}
	}
	if same {
		return true
	}
	bound := boundOf(v.woven, a)
	if !slices.Equal(texture.Key(v.woven, bound), v.texture) {
		return false
	}
	v.bound = bound
	return true
}

// boundOf returns the views and samplers that stand at each resource.
func boundOf(p *ir.Program, a *compute.Args) []texture.Bound {
	bound := make([]texture.Bound, len(p.Res))
	for i, r := range p.Res {
		switch at := (compute.Binding{Set: r.Set, Binding: r.Binding}); {
		case r.Set == ownSet:
		case r.Kind == ir.Texels:
			bound[i].Views = slices.Clone(within(r, a.Images[at]))
		case r.Kind == ir.SamplerState:
			bound[i].Samplers = slices.Clone(within(r, a.Samplers[at]))
		}
	}
	return bound
}

// within returns of a list of descriptors no more than a resource declares.
func within[T any](r ir.Resource, list []T) []T {
	if r.Count > 0 && uint64(len(list)) > uint64(r.Count) {
		return list[:r.Count]
	}
	return list
}

// compile makes a variant. Passes run once all is known that the program does.
func (s *variants[K]) compile(key *K, e exec.Engine, o exec.Options, a *compute.Args) (*variant[K], error) {
	woven, err := s.make(key)
	if err != nil {
		return nil, err
	}
	v := &variant[K]{key: s.copy(key), woven: woven, bound: boundOf(woven, a)}
	v.texture = texture.Key(woven, v.bound)
	p, err := texture.Bind(woven, v.bound)
	if err != nil {
		return nil, &exec.UnsupportedError{Engine: e.Name(), Feature: err.Error()}
	}

	p = p.Clone()
	pass.Run(p)
	v.program, err = e.Compile(p, o)
	return v, err
}

// drop closes the program when nobody runs it any more.
func (v *variant[K]) drop() {
	if v.dropped = true; v.users == 0 {
		v.program.Close()
	}
}

// release ends a use.
func (v *variant[K]) release() {
	if v.users--; v.users == 0 && v.dropped {
		v.program.Close()
	}
}

// programs appends the programs to a list.
func (s *variants[K]) programs(list []exec.Program) []exec.Program {
	for _, v := range s.list {
		list = append(list, v.program)
	}
	return list
}

// close closes all.
func (s *variants[K]) close() (err error) {
	for _, v := range s.list {
		if e := v.program.Close(); err == nil {
			err = e
		}
	}
	s.list = nil
	return err
}
