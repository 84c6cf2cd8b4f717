package vk

import (
	"maps"
	"slices"
	"sync"
)

// PoolInfo describes a pool of descriptor sets.
type PoolInfo struct {
	MaxSets int // that are alive at once
}

// Pool allocates descriptor sets and frees them together.
type Pool struct {
	object
	max int

	mu   sync.Mutex // the queue frees sets too
	sets map[*Set]struct{}
}

// NewPool makes a pool.
func (d *Device) NewPool(info PoolInfo) (*Pool, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if info.MaxSets <= 0 {
		return nil, usage("VUID-VkDescriptorPoolCreateInfo-descriptorPoolOverallocation-09227", "the pool is for %d sets; must be for at least 1", info.MaxSets)
	}
	p := &Pool{max: info.MaxSets, sets: map[*Set]struct{}{}}
	d.adopt(&p.object, "descriptor pool", func() { p.reset() })
	return p, nil
}

// Allocate makes a set. Its descriptors are null until Update writes them. It returns an *OutOfMemoryError if the pool
// has MaxSets sets.
func (p *Pool) Allocate(l *SetLayout) (*Set, error) {
	if err := check(nil, "the pool", p); err != nil {
		return nil, err
	}
	if err := check(p.dev, "the set layout", l); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.sets) >= p.max {
		return nil, &OutOfMemoryError{Bytes: 1, Left: 0}
	}
	s := newSet(l)
	p.dev.adopt(&s.object, "descriptor set", func() { s.drop() })
	s.pool = p
	p.sets[s] = struct{}{}
	return s, nil
}

// Reset frees all sets of the pool. It returns an *InUseError if a set is in use and the device does not defer.
func (p *Pool) Reset() error {
	if err := check(nil, "the pool", p); err != nil {
		return err
	}
	if err := p.idle(); err != nil {
		return err
	}
	p.reset()
	return nil
}

// Close frees the pool with all of its sets, under the conditions of Reset.
func (p *Pool) Close() error {
	if p.dev == nil { // a zero value
		return nil
	}
	if err := p.idle(); err != nil {
		return err
	}
	return p.object.Close()
}

// idle returns an *InUseError if a set is in use and the device does not defer.
func (p *Pool) idle() error {
	if p.dev.deferFree {
		return nil
	}
	for _, s := range p.list() {
		if s.state.Load()&counted != 0 {
			return &InUseError{s.String()}
		}
	}
	return nil
}

func (p *Pool) reset() {
	for _, s := range p.list() {
		s.Close()
	}
}

func (p *Pool) list() []*Set {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.sets))
}

func (p *Pool) remove(s *Set) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sets, s)
}
