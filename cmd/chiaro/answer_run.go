package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
	"github.com/chiaro-gpu/chiaro/vk"
)

// runTask has the flags that the results of a run on a fleet depend on.
type runTask struct {
	Engine, Level, TargetEnv, Through, Schedule string
	Timeout                                     time.Duration
	Digest                                      bool
	Reading                                     facts.Reading

	Robustness                  []string
	Subgroup                    uint32
	Full, Varying, Contract     bool
	Kill, Derivatives, Sanitize string
	Differential                bool
}

// runResult is a record with the fields that its JSON omits.
type runResult struct {
	record
	Found     []vk.Report `json:"found,omitempty"`
	Sanitized bool        `json:"sanitized,omitempty"`
}

// task returns the task of the flags.
func (f *runFlags) task() runTask {
	p := &f.pipeline
	return runTask{f.engine.engine, f.engine.level, f.opts.TargetEnv, f.through, f.schedule, f.opts.Timeout, f.opts.Digest, f.reading,
		p.robustness, p.subgroup, p.full, p.varying, p.contract, p.kill, p.derivatives, p.sanitize, f.differential}
}

// flags returns the flags of a task.
func (t *runTask) flags() (f runFlags) {
	f.engine = engineFlags{engine: t.Engine, level: t.Level}
	f.opts.TargetEnv, f.through, f.schedule, f.opts.Timeout, f.opts.Digest, f.reading = t.TargetEnv, t.Through, t.Schedule, t.Timeout, t.Digest, t.Reading
	f.differential = t.Differential
	f.pipeline = pipelineFlags{t.Robustness, t.Subgroup, t.Full, t.Varying, t.Contract, t.Kill, t.Derivatives, t.Sanitize}
	return f
}

// travel says how the items of a verb travel to a fleet.
type travel struct {
	verb    string
	options any
	item    func(ctx context.Context, i int, sent *sentModules) (*wire.Item, bool) // false for one that this process must run
}

// onFleet returns the part of a pool that sends items to the fleet of --on; nil without one.
func (f *runFlags) onFleet(c console, how travel, items []runItem, sent *sentModules, stop context.CancelCauseFunc) func(context.Context, func(int), func(int, record)) {
	if f.on == "" {
		return nil
	}
	s := &submission[record]{c: c, on: f.on, jobs: f.jobs, verb: how.verb, options: how.options, items: len(items), item: how.item, sent: sent,
		take: func(_ context.Context, i int, a *wire.Answer) (record, bool) { return ranElsewhere(&items[i], a) },
	}
	return s.elsewhere(stop)
}

// scriptItem returns the item of a script; false for one that this process must run.
func (f *runFlags) scriptItem(ctx context.Context, c console, file string, sent *sentModules) (*wire.Item, bool) {
	files, ok := scriptFiles(ctx, c, file, f.allowOutside, f.opts, sent)
	return &wire.Item{Name: file, Kind: "script", Files: files}, ok
}

// ranElsewhere returns the record of an item from its answer; false for an answer without one that this process can give.
func ranElsewhere(item *runItem, a *wire.Answer) (record, bool) {
	x := item.record
	var r runResult
	switch {
	case a.Status == wire.Invalid:
		return x, false
	case a.Status == wire.Timeout:
		x.Status, x.Message = "timeout", lost(x.title(), a)
		return x, true
	case a.Status != "":
		x.Status, x.Message = "internal", lost(x.title(), a)
		return x, true
	case json.Unmarshal(a.Result, &r) != nil || r.Status == "":
		return x, false
	}
	r.record.File, r.record.Test, r.record.Shard = x.File, x.Test, x.Shard
	r.found, r.sanitized = r.Found, r.Sanitized
	return r.record, true
}

// runAnswerer runs the scripts and the tests of a fleet.
type runAnswerer struct {
	c      console
	f      runFlags
	tables tableStore
}

func newRunAnswerer(c console, options json.RawMessage) (answerer, error) {
	var t runTask
	if err := json.Unmarshal(options, &t); err != nil {
		return nil, err
	}
	w := &runAnswerer{c: c, f: t.flags()}
	return w, w.f.check(c)
}

func (w *runAnswerer) answer(ctx context.Context, it *wire.Item) (any, error) {
	files, err := itemFiles(it)
	if err != nil {
		return nil, err
	}
	item := runItem{record: record{File: it.Name}}
	var missing error
	switch kind, name, _ := strings.Cut(it.Kind, " "); kind {
	case "script":
		item.run = func(ctx context.Context, x *record) { missing = w.script(ctx, files, x) }
	case "launch":
		c := w.c
		c.read = func(name string) ([]byte, error) { return fileOf(files, name) }
		f := &testFlags{runFlags: w.f}
		item.run = func(ctx context.Context, x *record) { f.runLaunchTest(ctx, c, x) }
	case "test":
		test, err := w.tables.test(it, files, name)
		if err != nil {
			return nil, err
		}
		item.Test = name
		f := &testFlags{runFlags: w.f, files: files}
		item.run = func(ctx context.Context, x *record) { f.runTest(ctx, w.c, test, x) }
	default:
		return nil, fmt.Errorf("kind %q; must be script, launch or test", it.Kind)
	}
	result, err := ranHere(ctx, w.c, &item)
	if err == nil {
		err = missing
	}
	return result, err
}

// ranHere runs an item and returns its result as it travels.
func ranHere(ctx context.Context, c console, item *runItem) (any, error) {
	x := runOne(ctx, c, item)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return &runResult{x, x.found, x.sanitized}, nil
}

// script runs a script. The error is of a module that the item does not have.
func (w *runAnswerer) script(ctx context.Context, files map[string][]byte, x *record) (missing error) {
	script, err := travelScript(x.File, files)
	if err != nil {
		x.Status, x.Message = "error", located(x.File, err)
		return nil
	}
	f := w.f
	f.opts.Modules = scriptModules(files)
	f.inOrders(ctx, x, func(ctx context.Context, opts amber.Options) {
		r := amber.Run(ctx, script, opts)
		x.set(&r, f.opts.Timeout)
		if errors.Is(r.Err, amber.ErrNoModule) {
			missing = r.Err
		}
	})
	return missing
}
