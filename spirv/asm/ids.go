package asm

import (
	"hash/maphash"
	"slices"
	"strconv"
)

// ids assigns a number to each name of the text. Slots are dense, from 1 in order
// of appearance; the id that is written is the slot itself, unless numeric
// names keep their numbers. The table is open addressing over the text: it
// holds offsets, no strings, and at most two entries a name.
type ids struct {
	text  string
	seed  maphash.Seed
	table []idEntry
	n     uint32
	bound uint32

	numeric  bool     // numeric names keep their numbers
	numbers  []uint32 // of slots, if numeric
	reserved []uint32 // numbers that the text uses, ascending, if numeric
	free     uint32   // the last number that was given to a name
}

// idEntry is a name: its place in the text, part of its hash, its slot. Slot 0
// is an empty entry.
type idEntry struct {
	at, size, hash, slot uint32
}

// newIDs makes a table for a text. The first size suits the density of names
// in the output of compilers; growth leaves it half empty.
func newIDs(text string, numeric bool) ids {
	size := 64
	for size < len(text)/64 {
		size *= 2
	}
	d := ids{text: text, seed: maphash.MakeSeed(), table: make([]idEntry, size), bound: 1, numeric: numeric}
	if numeric {
		d.numbers = make([]uint32, 1, 64)
		d.reserved = numericNames(text)
	}
	return d
}

// slot returns the slot of the name text[at:end], a new one if the name is
// new.
func (d *ids) slot(at, end int) uint32 {
	name := d.text[at:end]
	h := uint32(maphash.String(d.seed, name))
	mask := uint32(len(d.table) - 1)
	i := h & mask
	for ; d.table[i].slot != 0; i = (i + 1) & mask {
		e := &d.table[i]
		if e.hash == h && int(e.size) == len(name) && d.text[e.at:e.at+e.size] == name {
			return e.slot
		}
	}
	d.n++
	d.table[i] = idEntry{at: uint32(at), size: uint32(len(name)), hash: h, slot: d.n}
	if d.numeric {
		d.numbers = append(d.numbers, d.number(name))
	} else {
		d.bound = d.n + 1
	}
	if slot := d.n; 2*int(slot) > len(d.table) {
		d.grow()
	}
	return d.n
}

// id returns the number to write for a slot.
func (d *ids) id(slot uint32) uint32 {
	if d.numeric {
		return d.numbers[slot]
	}
	return slot
}

// number chooses the number of a new name.
func (d *ids) number(name string) uint32 {
	n, ok := numericName(name)
	if !ok {
		for d.free++; len(d.reserved) > 0 && d.reserved[0] <= d.free; d.reserved = d.reserved[1:] {
			if d.reserved[0] == d.free {
				d.free++
			}
		}
		n = d.free
	}
	d.bound = max(d.bound, n+1)
	return n
}

// names returns the name of each id; nil if numeric names keep their
// numbers, because these may be sparse.
func (d *ids) names() []string {
	if d.numeric {
		return nil
	}
	list := make([]string, d.n+1)
	for _, e := range d.table {
		list[e.slot] = d.text[e.at : e.at+e.size]
	}
	list[0] = ""
	return list
}

func (d *ids) grow() {
	old := d.table
	d.table = make([]idEntry, 2*len(old))
	mask := uint32(len(d.table) - 1)
	for _, e := range old {
		if e.slot == 0 {
			continue
		}
		i := e.hash & mask
		for d.table[i].slot != 0 {
			i = (i + 1) & mask
		}
		d.table[i] = e
	}
}

// maxID is the largest id: the bound above it must fit in a word.
const maxID = 1<<32 - 2

// numericName returns the number that a name writes in the plain form: decimal
// digits without leading zeros, from 1 to maxID.
func numericName(s string) (uint32, bool) {
	if s == "" || s[0] == '0' || !isDigit(s[0]) || len(s) > 10 {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 32)
	return uint32(n), err == nil && n <= maxID
}

// numericNames returns the numbers of all numeric names of a text, ascending.
func numericNames(text string) []uint32 {
	var out []uint32
	for l := (lexer{text: text}); ; {
		l.next()
		if l.atEnd() {
			slices.Sort(out)
			return slices.Compact(out)
		}
		if text[l.start] == '%' {
			if n, ok := numericName(text[l.start+1 : l.end]); ok {
				out = append(out, n)
			}
		}
	}
}
