package exec

import "testing"

// TestListOverlaps asks a list for overlaps with ranges, changes descriptors, and asks again: the remembered results follow.
func TestListOverlaps(t *testing.T) {
	memory := make([]byte, 256)
	part := func(from, to int) []byte { return memory[from:to] }
	l := NewList([]Buffer{{Bytes: part(0, 64)}, {}, {Bytes: part(64, 128)}})
	for i, c := range []struct {
		change int // descriptor that gets the bytes; −1 for none
		bytes  []byte
		want   [3]bool // of bytes 0 to 8, 120 to 136, and 200 to 208
	}{
		{-1, nil, [3]bool{true, true, false}},
		{-1, nil, [3]bool{true, true, false}},
		{0, nil, [3]bool{false, true, false}},
		{2, part(192, 256), [3]bool{false, false, true}},
		{1, part(0, 256), [3]bool{true, true, true}},
		{2, nil, [3]bool{true, true, true}},
		{1, part(128, 130), [3]bool{false, true, false}},
	} {
		if c.change >= 0 {
			l.Set(c.change, Buffer{Bytes: c.bytes})
		}
		got := [3]bool{l.Overlaps(part(0, 8)), l.Overlaps(part(120, 136)), l.Overlaps(part(200, 208))}
		if got != c.want {
			t.Errorf("step %d: %v, want %v", i, got, c.want)
		}
	}
	if l.Overlaps(nil) || l.Overlaps(part(4, 4)) {
		t.Error("an empty range overlaps")
	}
	for at := range 3 * MaxOverlaps { // the number of results is bounded
		l.Overlaps(part(at, at+1))
	}
	if n := len(l.overlaps); n > MaxOverlaps {
		t.Errorf("%d results; must be at most %d", n, MaxOverlaps)
	}
}

// forms counts the changes of a list.
type forms struct{ made, set int }

func (f *forms) Set(int, Buffer) { f.set++ }

func TestListForm(t *testing.T) {
	l, f := NewList(make([]Buffer, 3)), &forms{}
	of := func([]Buffer) ListForm { f.made++; return f }
	l.Set(0, Buffer{})
	for range 2 {
		if l.Form(of) != f || f.made != 1 {
			t.Errorf("%d forms; must be one", f.made)
		}
	}
	if l.Set(1, Buffer{}); f.set != 1 {
		t.Errorf("the form has seen %d changes; must be one", f.set)
	}
	if l.Set(2, Buffer{Beyond: 1}); l.invalid != 1 {
		t.Error("an invalid descriptor is not counted")
	}
	if l.Set(2, Buffer{}); l.invalid != 0 {
		t.Error("an invalid descriptor is counted after its replacement")
	}
}
