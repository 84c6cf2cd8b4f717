package main

import (
	"container/list"
	"fmt"
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// moduleStore caches the interfaces of modules, which pipelines share, and the
// modules themselves up to a limit with least-recently-used eviction. It is safe for
// concurrent use.
type moduleStore struct {
	mu    sync.Mutex
	kept  map[string]*stored
	order *list.List // of *stored that have their module, the latest first
	words int        // of all that do
}

// stored is one module with the values of its specialization constants.
type stored struct {
	store *moduleStore
	read  func() (*facts.Module, error)

	once    sync.Once
	entries []*iface.Entry
	err     error

	judge    sync.Once
	fresh    []valid.Finding // findings that come from specialization alone
	judgeErr error

	// Under the lock of the store.
	module  *valid.Module // nil after eviction
	element *list.Element
	words   int
}

// storedWords bounds the total words of the cached modules; a cached module takes
// about 40 bytes per word. storedEntries bounds the number of cached interfaces.
const (
	storedWords   = 1 << 20
	storedEntries = 1 << 16
)

func newModuleStore() *moduleStore {
	return &moduleStore{kept: map[string]*stored{}, order: list.New()}
}

// get returns the module with a name, with the static use that a reading defines. If it is not cached, read reads it; read may be
// called again after eviction.
func (s *moduleStore) get(name string, spec facts.Spec, reading facts.Reading, read func() (*facts.Module, error)) (*stored, error) {
	key := name + specKey(spec) + "\x00" + reading.String()
	s.mu.Lock()
	x := s.kept[key]
	if x == nil {
		if len(s.kept) >= storedEntries {
			clear(s.kept)
		}
		x = &stored{store: s, read: read}
		s.kept[key] = x
	}
	s.mu.Unlock()
	x.once.Do(func() {
		m, err := read()
		if err != nil {
			x.err = err
			return
		}
		v := valid.Assume(m)
		x.entries = iface.ReflectReading(v, reading)
		s.keep(x, v)
	})
	return x, x.err
}

// keep caches a module and evicts others.
func (s *moduleStore) keep(x *stored, v *valid.Module) {
	code := v.Facts().Code
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.module != nil {
		return
	}
	x.module, x.words, x.element = v, code.Offset(code.Len()), s.order.PushFront(x)
	s.words += x.words
	for s.words > storedWords && s.order.Len() > 1 {
		last := s.order.Remove(s.order.Back()).(*stored)
		last.module, last.element = nil, nil
		s.words -= last.words
	}
}

// load returns the module and reads it again after eviction; nil if that fails.
func (x *stored) load() *valid.Module {
	s := x.store
	s.mu.Lock()
	v := x.module
	if v != nil {
		s.order.MoveToFront(x.element)
	}
	s.mu.Unlock()
	if v != nil {
		return v
	}
	m, err := x.read()
	if err != nil {
		return nil
	}
	v = valid.Assume(m)
	s.keep(x, v)
	return v
}

// specKey is values of specialization constants as a part of a key.
func specKey(spec facts.Spec) string {
	if len(spec) == 0 {
		return ""
	}
	ids := make([]uint32, 0, len(spec))
	for id := range spec {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var b []byte
	for _, id := range ids {
		b = fmt.Appendf(b, "\x00%d=%x", id, spec[id])
	}
	return string(b)
}

// shader returns the entry point with a name for a stage; an empty name selects the
// stage's only entry point.
func (x *stored) shader(file string, stage link.Stages, name string) (*link.Shader, error) {
	var found []*iface.Entry
	for _, e := range x.entries {
		if k := link.StageOf(e.Model); k >= 0 && stage>>k&1 != 0 && (name == "" || name == e.Name) {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return nil, &link.NoEntryError{File: file, Stage: stage, Name: name}
	}
	if len(found) != 1 {
		what := ""
		if name != "" {
			what = fmt.Sprintf(" with the name %q", name)
		}
		return nil, unreadable("%s: has %d entry points of the %s stage%s; must have one, or --entry must name it", file, len(found), stage, what)
	}
	if found[0].Incomplete {
		return nil, unreadable("%s: %v", file, errIncomplete)
	}
	return &link.Shader{File: file, Load: x.load, Entry: found[0]}, nil
}
