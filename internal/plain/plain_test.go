package plain

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
)

func TestLine(t *testing.T) {
	for _, k := range []struct{ in, want string }{
		{"", ""},
		{"an ordinary näme, 日本\t語", "an ordinary näme, 日本\t語"},
		{"\x1b[31mRED\x1b]0;T\x07", `\x1b[31mRED\x1b]0;T\x07`},
		{"a\nb\r\nc\x00\x7f", `a\nb\r\nc\x00\x7f`},
		{"a\u009b31m", `a\x9b31m`},
		{"\x80\xff", `\x80\xff`},
		{"user\u202e\u2066 // admin\u2069", `user\u{202e}\u{2066} // admin\u{2069}`},
		{"a\u2028b\u200fc", `a\u{2028}b\u{200f}c`},
		{"::error::x", `\x3a:error::x`},
		{" \t::error::x", " \t" + `\x3a:error::x`},
		{"a::b", "a::b"},
		{"a ##[error]x ##vso[task]y #define a##b", `a \x23#[error]x \x23#vso[task]y #define a##b`},
	} {
		if got := Line(k.in); got != k.want {
			t.Errorf("Line(%q) = %q; want %q", k.in, got, k.want)
		}
	}
}

func TestBlock(t *testing.T) {
	if got := Block("a\x1b\r\n::b\n\tc", "  "); got != `a\x1b`+"\n  "+`\x3a:b`+"\n  \tc" {
		t.Errorf("%q", got)
	}
}

func TestFprintf(t *testing.T) {
	var b strings.Builder
	Fprintf(&b, "%s %s %d %s", "a\n", errors.New("b\x1b"), 3, Safe("\x1b[0m"))
	if b.String() != `a\n b\x1b 3 `+"\x1b[0m" {
		t.Errorf("%q", b.String())
	}
}

func TestJSON(t *testing.T) {
	in := "a\x1b\u009b\u202e\u2028\x7f 日 ##[x ##vso[y"
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	data = JSON(data)
	var back string
	if err := json.Unmarshal(data, &back); err != nil || back != in {
		t.Errorf("%s: %q, %v", data, back, err)
	}
	if strings.Contains(string(data), "##") || strings.ContainsFunc(string(data), func(r rune) bool { return unicode.IsControl(r) || reorders(r) }) {
		t.Errorf("%q", data)
	}
}

func TestLiteral(t *testing.T) {
	for s, want := range map[string]bool{
		"#version 450\r\n\tvoid main() {}\n": true, "caf\xe9": true, "a::b": true,
		"a\x1bb": false, "a\rb": false, "a\n::error::b": false, "a\n  ::b": false, "\u202e": false, "##[x]": false,
	} {
		if Literal(s) != want {
			t.Errorf("Literal(%q) = %v", s, !want)
		}
	}
}

// FuzzLine checks that no output has a character that a terminal acts on.
func FuzzLine(f *testing.F) {
	f.Add("\x1b[31m\u202e\n::error")
	f.Fuzz(func(t *testing.T, s string) {
		out := Line(s)
		if firstUnsafe(out) >= 0 {
			t.Errorf("Line(%q) = %q", s, out)
		}
		if Line(out) != out {
			t.Errorf("Line is not idempotent for %q", s)
		}
	})
}
