package main

import (
	"bytes"
	"strings"
	"testing"
)

// history runs chiaro history and returns its output, its messages and its exit code.
func history(args ...string) (out, messages string, code int) {
	var o, e bytes.Buffer
	code = run(append([]string{"history"}, args...), console{strings.NewReader(""), &o, &e, new([]byte)})
	return o.String(), e.String(), code
}

// TestHistory lists the fragments of a pixel: triangles at the depths 0.5 and 0.25 pass a test for less, and one at 0.5 after them does not.
func TestHistory(t *testing.T) {
	out, messages, code := history("testdata/debug_draw.amber", "--pixel", "16,32")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, messages)
	}
	for _, want := range []string{
		"draw 1, primitive 0: passed", "depth    1 → 0.5", "draw 1, primitive 1: passed", "depth    0.5 → 0.25", "draw 2, primitive 0: failed the depth test",
	} {
		before, after, ok := strings.Cut(out, want)
		if !ok {
			t.Fatalf("no %q, in this order, in\n%s", want, before)
		}
		out = after
	}
	if strings.Contains(out, "changed") {
		t.Errorf("a fragment that fails a test changes the pixel: %s", out)
	}
}

// TestHistoryNowhere: a pixel outside of the target has no fragments, and one that is no pixel is refused.
func TestHistoryNowhere(t *testing.T) {
	if out, _, code := history("testdata/debug_draw.amber", "--pixel", "64,4294967295"); code != 0 || !strings.Contains(out, "no fragment of the 2 draws") {
		t.Errorf("outside of the target: exit code %d, %s", code, out)
	}
	for _, pixel := range []string{"", "1", "1,", "-1,0", "1,2,3", "4294967296,0", "x,y"} {
		if _, messages, code := history("testdata/debug_draw.amber", "--pixel", pixel); code == 0 || !strings.Contains(messages, "want two numbers") {
			t.Errorf("--pixel %q: exit code %d, %s", pixel, code, messages)
		}
	}
}
