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

// moduleStore keeps modules that stages of pipelines share, as far as they take
// no more than a bound; those that were asked for least lately go first. It is
// safe for concurrent use.
type moduleStore struct {
	mu    sync.Mutex
	kept  map[string]*list.Element
	order *list.List // of *stored, the latest first
	words int        // of all that are kept
}

// stored is one module with the values of its specialization constants.
type stored struct {
	key   string
	words int

	once    sync.Once
	module  *valid.Module
	entries []*iface.Entry
	err     error
}

// storedWords bounds the words of the modules that are kept: what is known of a
// module takes some 40 bytes a word.
const storedWords = 4 << 20

func newModuleStore() *moduleStore {
	return &moduleStore{kept: map[string]*list.Element{}, order: list.New()}
}

// get returns a module by what it is called, which read reads where it is not
// kept.
func (s *moduleStore) get(name string, spec facts.Spec, read func() (*facts.Module, error)) (*stored, error) {
	key := name + specKey(spec)
	s.mu.Lock()
	e, ok := s.kept[key]
	if !ok {
		e = s.order.PushFront(&stored{key: key})
		s.kept[key] = e
	} else {
		s.order.MoveToFront(e)
	}
	x := e.Value.(*stored)
	s.mu.Unlock()
	x.once.Do(func() {
		m, err := read()
		if err != nil {
			x.err = err
			return
		}
		x.module = valid.Assume(m)
		x.entries = iface.Reflect(x.module)
		s.grew(x, m.Code.Offset(m.Code.Len()))
	})
	return x, x.err
}

// grew takes note of the words of a module, and lets go of others.
func (s *moduleStore) grew(x *stored, words int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.kept[x.key]; !ok {
		return
	}
	x.words = words
	s.words += words
	for s.words > storedWords && s.order.Len() > 1 {
		last := s.order.Remove(s.order.Back()).(*stored)
		delete(s.kept, last.key)
		s.words -= last.words
	}
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

// shader returns the shader of an entry point of a stage; an empty name stands
// for the only one of the stage.
func (x *stored) shader(file string, stage link.Stages, name string) (*link.Shader, error) {
	var found []*iface.Entry
	for _, e := range x.entries {
		if k := link.StageOf(e.Model); k >= 0 && stage>>k&1 != 0 && (name == "" || name == e.Name) {
			found = append(found, e)
		}
	}
	if len(found) != 1 {
		what := ""
		if name != "" {
			what = fmt.Sprintf(" with the name %q", name)
		}
		return nil, unreadable("%s: has %d entry points of the %s stage%s; must have one, or --entry must name it", file, len(found), stage, what)
	}
	return &link.Shader{File: file, Module: x.module, Entry: found[0]}, nil
}
