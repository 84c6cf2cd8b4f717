package main

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// span is a range of a pool.
type span struct{ at, n int }

// pool is an array that many rows share by ranges; equal runs are kept once.
type pool[T comparable] struct {
	all  []T
	seen map[string]span
}

func (p *pool[T]) add(list []T) span {
	if len(list) == 0 {
		return span{}
	}
	key := fmt.Sprintf("%#v", list)
	if s, ok := p.seen[key]; ok {
		return s
	}
	if p.seen == nil {
		p.seen = map[string]span{}
	}
	s := span{len(p.all), len(list)}
	p.all = append(p.all, list...)
	p.seen[key] = s
	return s
}

// texts is the pool of all names, one string. A name is known by its offset
// and length, packed as offset<<8 | length.
type texts struct {
	b    strings.Builder
	seen map[string]uint32
}

func (t *texts) add(s string) uint32 {
	if s == "" {
		return 0
	}
	if n, ok := t.seen[s]; ok {
		return n
	}
	if len(s) > 255 {
		panic("name too long: " + s)
	}
	if t.seen == nil {
		t.seen = map[string]uint32{}
	}
	n := uint32(t.b.Len())<<8 | uint32(len(s))
	t.b.WriteString(s)
	t.seen[s] = n
	return n
}

// hash is the hash function of the name table. Package spirv has the same; its
// tests look every name up.
func hash(space uint8, name string) uint32 {
	h := uint32(space)*0x9e3779b1 ^ 0x811c9dc5
	for i := 0; i < len(name); i++ {
		h = (h ^ uint32(name[i])) * 0x01000193
	}
	return h ^ h>>15
}

// named is one entry of the name table.
type named struct {
	space uint8
	name  string
	row   int
}

// hashTable lays entries out in open addressing: slots hold the number of an
// entry plus one. The size is a power of two, at least twice the entries.
func hashTable(entries []named) []int {
	size := 1
	for size < 2*len(entries) {
		size *= 2
	}
	slots := make([]int, size)
	for i, e := range entries {
		h := int(hash(e.space, e.name)) & (size - 1)
		for slots[h] != 0 {
			h = (h + 1) & (size - 1)
		}
		slots[h] = i + 1
	}
	return slots
}

// order sorts instructions by number.
func order(list []instruction) []instruction {
	list = slices.Clone(list)
	sort.SliceStable(list, func(i, j int) bool { return list[i].Code < list[j].Code })
	return list
}
