package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/amber"
)

// TestRepeated checks the end of the runs of a launch if the first run has no error: every order must pass.
func TestRepeated(t *testing.T) {
	for _, c := range []struct {
		name string
		last record // of the last order
		all  bool
		code int // 0 for no error
		want string
	}{
		{"all pass", record{Status: string(amber.Pass), Orders: 3}, false, 0, "3 orders with the same results"},
		{"there are no others", record{Status: string(amber.Pass), Orders: 3}, true, 0, "3 orders with the same results: all that exist"},
		{"one order", record{Status: string(amber.Pass), Orders: 1}, false, 0, "1 order ran"},
		{"a later order fails", record{Status: string(amber.Fail), Message: "y[2] is 7", Orders: 2, Order: "seed=4"}, false, exitFindings, "--schedule=seed=4 runs it again"},
		{"a later order is late", record{File: "x", Status: string(amber.RanOutOfTime), Orders: 2}, false, exitFindings, "x: not done after 5s"},
		{"a later order cannot run", record{Status: string(amber.Failed), Message: "no memory", Orders: 2}, false, exitUsage, "no memory"},
		{"another engine differs", record{Status: "internal", Message: "x differs"}, false, exitInternal, "x differs"},
	} {
		var out bytes.Buffer
		f := runFlags{schedule: "random"}
		f.opts.Timeout = 5 * time.Second
		err := f.repeated(t.Context(), console{err: &out}, &c.last, c.all, nil)
		text, code := out.String(), 0
		if end := (*coded)(nil); errors.As(err, &end) {
			text, code = text+end.msg, end.code
		}
		if code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%s: code %d, %q; want %d, %q", c.name, code, text, c.code, c.want)
		}
	}
}
