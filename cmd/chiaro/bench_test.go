package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
)

// TestFill compares the first words of each pattern with its definition.
func TestFill(t *testing.T) {
	words := func(w ...uint32) []byte {
		var b []byte
		for _, x := range w {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
		return b
	}
	half := func(i uint32) uint32 { return math.Float32bits(float32(hash32(i, 3)>>8) / (1 << 24)) }
	for _, c := range []struct {
		kind string
		want []byte
	}{
		{"zero", words(0, 0)},
		{"iota", words(0, 1)},
		{"byte", words(hash32(0, 3)&255, hash32(1, 3)&255)},
		{"unif", words(half(0), half(1))},
		{"range:0:1", words(half(0), half(1))},
	} {
		got := make([]byte, 8)
		if !fill(got, c.kind, 3) || !bytes.Equal(got, c.want) {
			t.Errorf("%s: %x; want %x", c.kind, got, c.want)
		}
	}
	p := make([]byte, 4*1000)
	fill(p, "perm", 7)
	seen := map[uint32]bool{}
	for i := range 1000 {
		seen[binary.LittleEndian.Uint32(p[4*i:])] = true
	}
	if len(seen) != 1000 || !seen[0] || !seen[999] {
		t.Errorf("perm names %d of 1000 numbers", len(seen))
	}
	h := make([]byte, 64)
	fill(h, "h01", 1)
	for i := range 32 {
		if x := binary.LittleEndian.Uint16(h[2*i:]); x < 0x3400 || x >= 0x3c00 {
			t.Errorf("h01 gives %#x; want a half from 1/4 to 1", x)
		}
	}
	if fill(p, "frob", 0) || fill(p, "range:1", 0) {
		t.Error("an unknown kind was filled")
	}
}

// TestParseWord has the forms of -p and -s.
func TestParseWord(t *testing.T) {
	for s, want := range map[string]uint32{"7": 7, "u7": 7, "i-3": 0xfffffffd, "f1.5": 0x3fc00000, "0x10": 16} {
		if got, err := parseWord(s); err != nil || got != want {
			t.Errorf("%s: %#x, %v; want %#x", s, got, err, want)
		}
	}
	for _, s := range []string{"", "x", "f", "u-1", "4294967296"} {
		if _, err := parseWord(s); err == nil {
			t.Errorf("%q was read", s)
		}
	}
}
