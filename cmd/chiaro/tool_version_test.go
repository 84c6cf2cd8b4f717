package main

import (
	"bytes"
	"io"
	"testing"
)

// TestBuildID checks the build id of notes as the ELF specification lays them out: sizes of name and value, type, name, value.
func TestBuildID(t *testing.T) {
	note := "\x04\x00\x00\x00\x06\x00\x00\x00\x04\x00\x00\x00Go\x00\x00a/b/cd"
	for _, c := range []struct{ file, want string }{
		{"\x7fELF........" + note + "more", "a/b/cd"},
		{"\x7fELF........" + note[:len(note)-1], ""},
		{"MZ........" + note, ""},
		{"\x7fELF", ""},
		{"", ""},
	} {
		f := bytes.NewReader([]byte(c.file))
		if got := buildID(f); got != c.want {
			t.Errorf("%q: %q; want %q", c.file, got, c.want)
		}
		if rest, err := io.ReadAll(f); err != nil || string(rest) != c.file {
			t.Errorf("%q: %q is left, %v; want all", c.file, rest, err)
		}
	}
}
