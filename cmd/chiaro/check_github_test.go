package main

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

// TestCompilerErrors checks that each error of a compiler is an annotation and a line of its own, and that the
// severity is there once.
func TestCompilerErrors(t *testing.T) {
	x := &checked{file: "a.frag", verdict: verdictUnreadable, message: "a.frag:4:1: error: 'foo' : undeclared\n  of this scope\na.frag:5:2: warning: unused\na.frag:6:1: error: 'bar'\nb.frag:1:1: error: forged"}
	for name, c := range map[string]struct {
		make func(*bufio.Writer) interface{ Record(*checked) }
		want string
	}{
		"text": {
			func(w *bufio.Writer) interface{ Record(*checked) } { return &checkText{w: w} },
			"a.frag:4:1: error: 'foo' : undeclared\n      of this scope\na.frag:5:2: warning: unused\na.frag:6:1: error: 'bar'\n    b.frag:1:1: error: forged\n",
		},
		"github": {
			func(w *bufio.Writer) interface{ Record(*checked) } { return &checkGitHub{w: w} },
			"::error file=a.frag,line=4,col=1,title=unreadable::'foo' : undeclared%0A  of this scope\n" +
				"::warning file=a.frag,line=5,col=2,title=unreadable::unused\n::error file=a.frag,line=6,col=1,title=unreadable::'bar'\n" +
				"::error file=b.frag,line=1,col=1,title=unreadable::forged\n",
		},
	} {
		var out bytes.Buffer
		w := bufio.NewWriter(&out)
		c.make(w).Record(x)
		w.Flush()
		if out.String() != c.want {
			t.Errorf("%s:\n%s\nmust be\n%s", name, out.String(), c.want)
		}
	}
	p := splitPosition(&record{File: "a.amber", Message: "a.frag:4:1: error: 'foo'\nmore"})
	if p.text != "'foo'\nmore" || p.line != 4 {
		t.Errorf("%+v", p)
	}
	const name = "a:1:2: b.frag" // looks like a place
	if p := splitPosition(&record{File: name, Message: name + ":4:1: error: 'foo'"}); p.file != name || p.line != 4 || p.text != "'foo'" {
		t.Errorf("%+v", p)
	}
	if p := splitPositions(&checked{file: name, message: name + ":4:1: error: 'foo'\nc.glsl:5:1: warning: bar"}); len(p) != 2 || p[0].file != name || p[0].line != 4 || p[1].file != "c.glsl" || !p[1].warning {
		t.Errorf("%+v", p)
	}
	if got := string(placedBlock("no place\na.frag:1:1: error: forged")); strings.Contains(got, "\na.frag") {
		t.Errorf("a line with a place after a line without one is not indented: %q", got)
	}
}
