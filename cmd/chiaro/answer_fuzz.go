package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// fuzzTask has the flags that the results of fuzz on a fleet depend on.
type fuzzTask struct {
	Timeout   time.Duration
	TargetEnv string
}

// fuzzAnswerer runs the seeds of a fleet.
type fuzzAnswerer struct {
	c console
	f fuzzFlags
}

func newFuzzAnswerer(c console, options json.RawMessage) (answerer, error) {
	var t fuzzTask
	if err := json.Unmarshal(options, &t); err != nil {
		return nil, err
	}
	w := &fuzzAnswerer{c: c}
	w.f.opts.Timeout, w.f.opts.TargetEnv = t.Timeout, t.TargetEnv
	return w, w.f.prepare()
}

func (w *fuzzAnswerer) answer(ctx context.Context, it *wire.Item) (any, error) {
	kind, number, _ := strings.Cut(it.Kind, " ")
	seed, err := strconv.ParseUint(number, 10, 64)
	if err != nil || kind != "shader" && kind != "change" {
		return nil, fmt.Errorf("kind %q; must be shader or change, and a seed", it.Kind)
	}
	i := fuzzItem{seed: seed}
	if kind == "change" {
		files, err := itemFiles(it)
		if err != nil {
			return nil, err
		}
		if i.data, err = fileOf(files, ""); err != nil {
			return nil, err
		}
		i.file = it.Name
	}
	return ranHere(ctx, w.c, &runItem{i.record(nil), func(ctx context.Context, x *record) { w.f.one(ctx, &i, x) }})
}
