package exec

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Access is what the invocations of a command did with bytes of memory.
type Access struct {
	Message *Message // of the first invocation
	Write   bool
	Atomic  bool   // of scope Device
	Spans   []Span // ascending, without overlaps
}

// Span is a range of bytes by their addresses in the process.
type Span struct{ Start, End uint64 }

// note keeps the first access of a word of each kind, and the bytes of all.
func (c *cell) note(m *Message, e *ir.Event, bytes uint8) {
	// Bit 0 of the kind is a store, bit 1 an atomic.
	i := 0
	if e.Write {
		i = 1
	}
	if e.Atomic && e.Scope == ir.EventDevice {
		i += 2
	}
	if c.noted[i] |= bytes; c.first[i] == nil {
		c.first[i] = m
	}
}

// spansOf adds the bytes of a bit set of a word to a list.
func spansOf(list []Span, word uint64, bytes uint8) []Span {
	for at := 4 * word; bytes != 0; {
		n := bits.TrailingZeros8(bytes)
		at, bytes = at+uint64(n), bytes>>n
		n = bits.TrailingZeros8(^bytes)
		list = append(list, Span{at, at + uint64(n)})
		at, bytes = at+uint64(n), bytes>>n
	}
	return list
}

// Accesses returns the bytes that a run with Commands loaded and stored, by instruction. The log may be nil.
func (l *Log) Accesses() (list []Access) {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.races == nil || !l.races.commands {
		return nil
	}
	type by struct {
		siteOf
		kind int
	}
	found := map[by]*Access{}
	for at, c := range l.races.cells {
		if at.memory != "" || at.group != 0 {
			continue // it has no address
		}
		for i, m := range c.first {
			if m == nil {
				continue
			}
			k := by{siteOf{m.Program, m.Number}, i}
			a := found[k]
			if a == nil {
				a = &Access{Message: m, Write: i&1 != 0, Atomic: i&2 != 0}
				found[k] = a
			}
			if m.order(a.Message) < 0 {
				a.Message = m
			}
			a.Spans = spansOf(a.Spans, at.word, c.noted[i])
		}
	}
	for _, a := range found {
		slices.SortFunc(a.Spans, func(x, y Span) int { return cmp.Compare(x.Start, y.Start) })
		n := 0 // of the ranges without gaps
		for _, s := range a.Spans {
			if n > 0 && a.Spans[n-1].End >= s.Start {
				a.Spans[n-1].End = max(a.Spans[n-1].End, s.End)
				continue
			}
			a.Spans[n] = s
			n++
		}
		a.Spans = slices.Clip(a.Spans[:n])
	}
	return sorted(found, func(a, b Access) int {
		return cmp.Or(a.Message.place(b.Message), cmp.Compare(a.Spans[0].Start, b.Spans[0].Start))
	})
}
