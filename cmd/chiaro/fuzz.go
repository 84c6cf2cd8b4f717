package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/contest"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// fuzzFlags are the flags of fuzz.
type fuzzFlags struct {
	runFlags
	seeds string
	show  bool
	env   *valid.Env
}

func newFuzz(c console) *cobra.Command {
	var f fuzzFlags
	cmd := &cobra.Command{
		Use:   "fuzz [FILE|DIRECTORY]...",
		Short: "Run random shaders on all engines, or check random changes of modules",
		Long: `Without a file, run the random compute shader of each seed on the interpreter, before and after each pass of the compiler, and on
the JIT at each level of the machine. All results must be equal. With modules, check the random changes of each seed to each
module, which must not end in an internal error. A failure is a fault of chiaro.

The same seed always makes the same shader and the same changes.`,
		Example: "  chiaro fuzz --seeds 1000\n  chiaro fuzz --seeds 1000000-1999999 --on nats://host:4222\n  chiaro fuzz --seeds 100 shaders/",
		RunE:    func(_ *cobra.Command, args []string) error { return fuzz(c, &f, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "format of standard output: "+strings.Join(formats, ", "))
	fl.StringArrayVar(&f.out, "out", nil, "also write a report to a file: FORMAT=FILE; repeatable")
	fl.StringVar(&f.filesFrom, "files-from", "", "read more file names from a file, one per line; - for standard input")
	fl.StringVar(&f.seeds, "seeds", "100", "seeds: COUNT from 0 on, or FIRST-LAST")
	fl.BoolVar(&f.show, "show", false, "write the shader of the first seed, and run nothing")
	fl.StringVar(&f.opts.TargetEnv, "target-env", "vulkan1.4", "target environment of the checks")
	fl.StringVar(&f.shard, "shard", "", "I/N: run every Nth item, from the Ith on; see report merge")
	jobsVar(fl, &f.jobs, "number of shaders to run in parallel")
	fl.DurationVar(&f.opts.Timeout, "timeout", 60*time.Second, "time limit for one item; 0 for none")
	onFlag(fl, &f.on)
	complete(cmd, "format", formats...)
	complete(cmd, "target-env", asm.Targets()...)
	return cmd
}

// maxFuzzItems bounds the items of a run, which are a seed each, or a seed for each module. A list of so many takes about 1 GB.
const maxFuzzItems = 1 << 22

// interval returns the first seed, and the number of seeds.
func (f *fuzzFlags) interval() (first, n uint64, err error) {
	a, b, two := strings.Cut(f.seeds, "-")
	if !two {
		a, b = "0", a
	}
	first, err = strconv.ParseUint(a, 10, 64)
	last, err2 := strconv.ParseUint(b, 10, 64)
	if n = last; two {
		n = last - first + 1
	}
	if err != nil || err2 != nil || last < first || n == 0 || n > maxFuzzItems {
		return 0, 0, unreadable("--seeds %q: must be a count, or FIRST-LAST, of 1 to %d seeds", f.seeds, maxFuzzItems)
	}
	return first, n, nil
}

// fuzz runs the seeds.
func fuzz(c console, f *fuzzFlags, args []string) error {
	first, n, err := f.interval()
	if err != nil {
		return err
	}
	if f.show {
		_, err := c.out.Write([]byte(contest.Of(first, nil, false).Module.Text))
		return err
	}
	if err := f.prepare(); err != nil {
		return err
	}
	var files []string
	if len(args) > 0 || f.filesFrom != "" {
		if files, err = listFiles(c, args, f.filesFrom, ".spv", ".spvasm"); err != nil {
			return err
		}
		if len(files) == 0 {
			return &coded{exitNothing, "no modules (*.spv, *.spvasm)"}
		}
		if uint64(len(files)) > maxFuzzItems/n {
			return unreadable("--seeds %q with %s; want at most %d in all, one for each module and seed", f.seeds, number(len(files), "module"), maxFuzzItems)
		}
	}
	items, shard, err := shardOf(f.items(files, first, n), f.shard, func(i fuzzItem) string { return i.title() })
	if err != nil {
		return err
	}
	if shard != nil {
		shard.Verb = "fuzz"
	}
	rs, err := newReporters(c, f.format, f.out, files, runReporters("chiaro fuzz"))
	if err != nil {
		return err
	}
	defer collectSeldom(compilePercent)()
	ctx, stop := interruptible()
	defer stop()
	runs := make([]runItem, len(items))
	for i := range items {
		runs[i] = runItem{items[i].record(shard), func(ctx context.Context, x *record) { f.one(ctx, &items[i], x) }}
	}
	return f.spread(ctx, c, travel{"fuzz", fuzzTask{f.opts.Timeout, f.opts.TargetEnv}, func(_ context.Context, i int, _ *sentModules) (*wire.Item, bool) { return items[i].item() }}, runs, rs)
}

// prepare checks the flags that a worker has too.
func (f *fuzzFlags) prepare() error {
	env, ok := valid.ParseEnv(f.opts.TargetEnv)
	switch {
	case !ok:
		return unreadable("--target-env %q: must be one of %s", f.opts.TargetEnv, strings.Join(asm.Targets(), " "))
	case f.opts.Timeout < 0:
		return unreadable("--timeout %v; want a positive time, or 0 for no limit", f.opts.Timeout)
	}
	f.env = env
	return nil
}

// fuzzItem is a seed, and the module that it changes; no file: the seed's shader.
type fuzzItem struct {
	seed uint64
	file string
	data []byte // of file, on a worker
}

// title returns the name of an item.
func (i *fuzzItem) title() string { return i.record(nil).title() }

// record returns the record that the run of the item completes.
func (i *fuzzItem) record(shard *shardRecord) record {
	name := fmt.Sprintf("seed %d", i.seed)
	if i.file == "" {
		return record{File: name, Shard: shard}
	}
	return record{File: i.file, Test: name, Shard: shard}
}

// item returns the item for a fleet.
func (i *fuzzItem) item() (*wire.Item, bool) {
	it := &wire.Item{Name: i.title(), Kind: "shader " + strconv.FormatUint(i.seed, 10)}
	if i.file != "" {
		it.Name, it.Kind, it.Files = i.file, "change "+strconv.FormatUint(i.seed, 10), []wire.File{{Path: i.file}}
	}
	return it, i.file != "-"
}

// items returns the items of modules, or of shaders if there is none.
func (f *fuzzFlags) items(files []string, first, n uint64) (list []fuzzItem) {
	if len(files) == 0 {
		files = []string{""}
	}
	for _, file := range files {
		for seed := range n {
			list = append(list, fuzzItem{seed: first + seed, file: file})
		}
	}
	return list
}

// one runs an item.
func (f *fuzzFlags) one(ctx context.Context, i *fuzzItem, x *record) {
	if f.opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.opts.Timeout)
		defer cancel()
	}
	var err error
	if x.Status = "internal"; i.file == "" {
		err = contest.Of(i.seed, nil, i.seed%16 == 0).All(ctx)
	} else {
		err = f.change(ctx, i, x)
	}
	switch {
	case err == nil:
		x.Status = "pass"
	case ctx.Err() != nil:
		x.Status, x.Message = "timeout", fmt.Sprintf("%s: not done after %v, the time for one item", x.title(), f.opts.Timeout)
	default:
		x.Message = fmt.Sprintf("%s: %v", x.title(), err)
	}
}

// maxChanges bounds the changes of a module.
const maxChanges = 8

// change checks the changes of a seed to a module.
func (f *fuzzFlags) change(ctx context.Context, i *fuzzItem, x *record) error {
	data := i.data
	if data == nil {
		var err error
		if data, err = readFile(i.file); err == nil {
			err = packed(i.file, data)
		}
		if err != nil {
			x.Status = "error"
			return err
		}
	}
	m, err := decodeModule(data, i.file, f.env, nil)
	if err != nil {
		x.Status = "error"
		return err
	}
	changer := contest.Changer{Rand: rand.New(rand.NewPCG(i.seed, 0)), Most: maxChanges}
	changed, err := spirv.FromWords(changer.Change(m.Words))
	if err != nil {
		return nil // it is no module any more
	}
	_, err = valid.Check(ctx, facts.Gather(changed, nil), f.env, valid.Options{})
	return err
}
