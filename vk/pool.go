package vk

import (
	"maps"
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// PoolFlags are options of a pool (VkDescriptorPoolCreateFlagBits).
type PoolFlags uint32

// The flags. A set can always be closed by itself, with and without FreeSets.
const (
	FreeSets        PoolFlags = 1
	UpdateAfterBind PoolFlags = 2 // the pool has sets of layouts for updates after they are bound
	HostOnly        PoolFlags = 4 // sets are sources of copies only
)

// PoolSize is a number of descriptors of a type; bytes of inline uniform blocks.
type PoolSize struct {
	Type  link.DescriptorType
	Count int

	// Mutable is the types that mutable descriptors of this size may have; nil is all types.
	Mutable []link.DescriptorType
}

// PoolInfo describes a pool of descriptor sets.
type PoolInfo struct {
	MaxSets int // that are alive at once
	Flags   PoolFlags

	// Sizes bounds the descriptors of the sets that are alive at once, by type; nil does not. InlineBlocks bounds their
	// inline uniform blocks.
	Sizes        []PoolSize
	InlineBlocks int
}

// Pool allocates descriptor sets and frees them together.
type Pool struct {
	object
	max   int
	flags PoolFlags

	mu     sync.Mutex // the queue frees sets too; guards the fields below
	sets   map[*Set]struct{}
	left   []PoolSize // nil without bounds
	blocks int        // that are left
}

// NewPool makes a pool.
func (d *Device) NewPool(info PoolInfo) (*Pool, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	switch {
	case info.MaxSets <= 0:
		return nil, usage("VUID-VkDescriptorPoolCreateInfo-descriptorPoolOverallocation-09227", "the pool is for %d sets; must be for at least 1", info.MaxSets)
	case info.Flags&UpdateAfterBind != 0 && info.Flags&HostOnly != 0:
		return nil, usage("VUID-VkDescriptorPoolCreateInfo-flags-04607", "the pool is for updates after a set is bound, and for the host only; must be for one of them")
	}
	for _, s := range info.Sizes {
		if s.Count < 0 || s.Count == 0 && d.checking > None {
			return nil, usage("VUID-VkDescriptorPoolSize-descriptorCount-00302", "the pool is for %d descriptors of the type %s; must be for at least 1", s.Count, s.Type)
		}
		if s.Type == link.InlineUniformBlock && s.Count%4 != 0 {
			return nil, usage("VUID-VkDescriptorPoolSize-type-02218", "the pool is for %d bytes of inline uniform blocks; must be a multiple of 4", s.Count)
		}
	}
	p := &Pool{max: info.MaxSets, flags: info.Flags, sets: map[*Set]struct{}{}, blocks: info.InlineBlocks}
	if info.Sizes != nil {
		p.left = append([]PoolSize{}, info.Sizes...)
		for i := range p.left {
			p.left[i].Mutable = slices.Clone(p.left[i].Mutable)
		}
	}
	d.adopt(&p.object, "descriptor pool", func() { p.reset() })
	return p, nil
}

// Allocate makes a set. Its descriptors are null until Update writes them. It returns an *OutOfPoolMemoryError if the pool
// has too few sets or descriptors left. A binding with a variable count has no descriptors.
func (p *Pool) Allocate(l *SetLayout) (*Set, error) { return p.AllocateVariable(l, 0) }

// AllocateVariable is Allocate for a layout of which the last binding has a variable count: the count of the set.
func (p *Pool) AllocateVariable(l *SetLayout, count uint32) (*Set, error) {
	if err := check(nil, "the pool", p); err != nil {
		return nil, err
	}
	if err := check(p.dev, "the set layout", l); err != nil {
		return nil, err
	}
	if err := p.accepts(l, count); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.sets) >= p.max {
		return nil, &OutOfPoolMemoryError{Need: 1}
	}
	taken, blocks, err := p.take(l, count)
	if err != nil {
		return nil, err
	}
	s := newSet(l, count)
	s.taken, s.blocks = taken, blocks
	p.dev.adopt(&s.object, "descriptor set", func() { s.drop() })
	s.pool = p
	p.sets[s] = struct{}{}
	return s, nil
}

// accepts returns an error if the pool does not have sets of a layout.
func (p *Pool) accepts(l *SetLayout, count uint32) error {
	flags := l.link.Flags
	var last layoutSlot
	if n := len(l.slots); n > 0 && l.slots[n-1].variable {
		last = l.slots[n-1]
	}
	switch {
	case flags&enum.SetFlagsPushDescriptor != 0:
		return usage("VUID-VkDescriptorSetAllocateInfo-pSetLayouts-00308", "%v is for push descriptors; must not be", &l.object)
	case flags&enum.SetFlagsDescriptorBuffer != 0:
		return usage("VUID-VkDescriptorSetAllocateInfo-pSetLayouts-08009", "%v is for descriptor buffers; must not be", &l.object)
	case flags&enum.SetFlagsUpdateAfterBindPool != 0 && p.flags&UpdateAfterBind == 0:
		return usage("VUID-VkDescriptorSetAllocateInfo-pSetLayouts-03044", "%v is for updates after a set is bound, and %v is not; must be", &l.object, &p.object)
	case flags&enum.SetFlagsHostOnlyPool != 0 && p.flags&HostOnly == 0:
		return usage("VUID-VkDescriptorSetAllocateInfo-pSetLayouts-04610", "%v is for the host only, and %v is not; must be", &l.object, &p.object)
	case count > last.count || last.kind == inlineSlot && count%4 != 0:
		return usage("VUID-VkDescriptorSetVariableDescriptorCountAllocateInfo-pSetLayouts-03046", "the variable count is %d; must be at most the %d of the layout", count, last.count)
	}
	return nil
}

// take takes the descriptors of a set from the pool: taken are those of the bounds, by number. p.mu is held.
func (p *Pool) take(l *SetLayout, variable uint32) (taken []int, blocks int, err error) {
	if p.left == nil {
		return nil, 0, nil
	}
	taken = make([]int, len(p.left))
	for i := range l.slots {
		s := &l.slots[i]
		n := int(s.count)
		if s.variable {
			n = int(variable)
		}
		if s.kind == inlineSlot {
			if blocks++; blocks > p.blocks {
				return nil, 0, &OutOfPoolMemoryError{Type: s.typ, Need: blocks, Left: p.blocks}
			}
		}
		need, left := n, 0
		for k := range p.left { // a type may be in several bounds
			x := &p.left[k]
			if x.Type != s.typ || x.Mutable != nil && slices.ContainsFunc(s.allowed, func(t link.DescriptorType) bool { return !slices.Contains(x.Mutable, t) }) {
				continue
			}
			step := min(n, x.Count-taken[k])
			n, taken[k], left = n-step, taken[k]+step, left+x.Count
		}
		if n > 0 {
			return nil, 0, &OutOfPoolMemoryError{Type: s.typ, Need: need, Left: left}
		}
	}
	for k, n := range taken {
		p.left[k].Count -= n
	}
	p.blocks -= blocks
	return taken, blocks, nil
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

// Close frees the pool with all of its sets, under the conditions of Reset. It does nothing if p is nil.
func (p *Pool) Close() error {
	if p == nil || p.dev == nil { // a zero value
		return nil
	}
	if err := p.idle(); err != nil {
		return err
	}
	return p.object.close()
}

// idle returns an *InUseError if a set is in use and the device does not defer.
func (p *Pool) idle() error {
	if p.dev.deferFree {
		return nil
	}
	for _, s := range p.list() {
		if s.state.Load()&counted != 0 {
			return &InUseError{s.String(), useRules[s.kind]}
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
	for k, n := range s.taken {
		p.left[k].Count += n
	}
	p.blocks += s.blocks
}
