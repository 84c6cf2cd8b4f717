package main

import (
	"context"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestDifferential checks that a difference between two engines is an internal error that names it, that a timeout of one
// engine is none, and that the result has digests only on request.
func TestDifferential(t *testing.T) {
	f := &runFlags{differential: true, engines: []namedEngine{{"interp", interp.Engine{}}, {"jit", jit.Engine{}}}}
	pass := record{Status: "pass", Buffers: map[string]string{"b": "1"}, Log: []string{"x", "y"}}
	for _, k := range []struct {
		second       record
		status, says string
	}{
		{pass, "pass", ""},
		{record{Status: "pass", Buffers: pass.Buffers, Log: []string{"y", "x"}}, "pass", ""},
		{record{Status: "pass", Buffers: map[string]string{"b": "2"}, Log: pass.Log}, "internal", "buffer b differs on jit; must be as on interp"},
		{record{Status: "pass", Buffers: pass.Buffers, Log: []string{"x"}}, "internal", "the output of printf differs"},
		{record{Status: "fail", Buffers: pass.Buffers, Log: pass.Log}, "internal", `the verdict "fail" differs`},
		{record{Status: string(amber.RanOutOfTime)}, "pass", ""},
	} {
		x := record{File: "a.amber"}
		f.inOrders(context.Background(), &x, func(_ context.Context, opts amber.Options) {
			of := &pass
			if opts.Engine.Name() == "jit" {
				of = &k.second
			}
			x.Status, x.Buffers, x.Log = of.Status, of.Buffers, of.Log
			if !opts.Digest {
				t.Error("no digests")
			}
		})
		if x.Status != k.status || !strings.Contains(x.Message, k.says) || x.Buffers != nil || x.File != "a.amber" {
			t.Errorf("%+v: %+v; want %s, %q", k.second, x, k.status, k.says)
		}
	}
}
