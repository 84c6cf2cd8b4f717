package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/engine"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/store"
)

// addDifferential adds --differential.
func addDifferential(fl *pflag.FlagSet, on *bool) {
	fl.BoolVar(on, "differential", false, "run on the interpreter and on the JIT at each level of the machine; results that differ are an internal error")
}

// namedEngine is an engine with its level.
type namedEngine struct {
	name string
	exec.Engine
}

// everyEngine returns the engines of the machine, the interpreter first. The interpreter also runs the programs that the JIT
// does not support.
func (f *runFlags) everyEngine(c console) (list []namedEngine, err error) {
	switch {
	case f.engine.engine != engineNames[0] || f.engine.level != levelNames[0]:
		return nil, unreadable("--differential with --engine or --level; want one of them")
	case f.schedule != "":
		return nil, unreadable("--differential with --schedule; want one of them, since only the interpreter has orders")
	}
	list = []namedEngine{{engineNames[1], interp.Engine{}}}
	for _, level := range jit.Levels() {
		machine := jit.Engine{Level: level, Cache: jit.NewCache(cacheMemory, nil, store.BuildID())}
		list = append(list, namedEngine{engineNames[2] + " " + level.String(), engine.Preferred{First: machine, Second: interp.Engine{}}})
	}
	return list, nil
}

// onEngines calls run, which sets the result of a record, for each engine of --differential. The result is the one of the
// interpreter, or an internal error if another one differs.
func (f *runFlags) onEngines(ctx context.Context, x *record, run func(ctx context.Context, opts amber.Options)) {
	opts := f.opts
	opts.Digest = true
	var first record
	for i, e := range f.engines {
		opts.Engine = e.Engine
		run(ctx, opts)
		if ctx.Err() != nil {
			return
		}
		if i == 0 {
			first = *x
			continue
		}
		if what := first.differs(x); what != "" {
			first.Status, first.Message = "internal", fmt.Sprintf("%s: %s differs on %s; must be as on %s", first.title(), what, e.name, f.engines[0].name)
			break
		}
	}
	*x = first
	if !f.opts.Digest {
		x.Buffers = nil
	}
}

// differs names a part of the results of two engines that differs; "" if there is none, or if one of them was not done in time.
func (x *record) differs(y *record) string {
	late := string(amber.RanOutOfTime)
	switch {
	case x.Status == late || y.Status == late:
		return ""
	case x.Status != y.Status:
		return fmt.Sprintf("the verdict %q", y.Status)
	case x.Message != y.Message:
		return fmt.Sprintf("the message %q", y.Message)
	case !slices.Equal(sorted(x.Log), sorted(y.Log)):
		return "the output of printf"
	}
	for _, name := range slices.Sorted(maps.Keys(x.Buffers)) {
		if x.Buffers[name] != y.Buffers[name] {
			return "buffer " + name
		}
	}
	return ""
}

// sorted returns the lines in the order of their texts: invocations print in any order.
func sorted(lines []string) []string { return slices.Sorted(slices.Values(lines)) }
