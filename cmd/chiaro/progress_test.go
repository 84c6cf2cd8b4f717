package main

import (
	"strings"
	"testing"
	"time"
)

// TestProgress checks the line of a bar, and that clear leaves an empty line.
func TestProgress(t *testing.T) {
	var out strings.Builder
	b := &progressBar{w: &out, n: 4, start: time.Now().Add(-time.Second)}
	b.add()
	if got := out.String(); !strings.HasPrefix(got, " 25 % (1/4, 1/s) 3s left") {
		t.Errorf("%q", got)
	}
	b.add() // too soon after the first
	b.clear()
	b.clear()
	if got := out.String(); strings.Count(got, "left") != 1 || !strings.HasSuffix(got, "left\r\x1b[K") {
		t.Errorf("%q", got)
	}
	silent := &progressBar{}
	silent.add()
	silent.clear()
}
