package main

import (
	"strings"
	"testing"
)

// TestProgress checks that a bar is drawn at most ten times a second, and that its line is clear before other output
// and at its end.
func TestProgress(t *testing.T) {
	var screen strings.Builder
	out := &stream{w: &screen}
	bar := newBar(&screen, out, 1000)
	for range 999 {
		bar.Add(1)
	}
	if n := strings.Count(screen.String(), "/1000"); n != 1 {
		t.Errorf("%d lines in less than 100 ms; want 1", n)
	}
	out.Write([]byte("finding\n"))
	if !strings.HasSuffix(screen.String(), "\x1b[2K\rfinding\n") {
		t.Errorf("%q", screen.String())
	}
	bar.Add(1)
	bar.Finish()
	if !strings.HasSuffix(screen.String(), "\x1b[2K\r") {
		t.Errorf("%q", screen.String())
	}
}

// TestNoProgress checks that nothing is drawn on a standard error that is no terminal.
func TestNoProgress(t *testing.T) {
	var errs strings.Builder
	bar := progress(console{out: &errs, err: &errs}, 2)
	for range 2 {
		bar.Add(1)
	}
	bar.Finish()
	if errs.Len() != 0 {
		t.Errorf("%q", errs.String())
	}
}

// TestDumb checks which terminals get escape sequences.
func TestDumb(t *testing.T) {
	for _, c := range []struct {
		term, system string
		want         bool
	}{{"xterm", "linux", false}, {"dumb", "linux", true}, {"", "linux", true}, {"", "windows", false}, {"dumb", "windows", true}} {
		if got := dumb(c.term, c.system); got != c.want {
			t.Errorf("TERM %q on %s: %v; want %v", c.term, c.system, got, c.want)
		}
	}
}
