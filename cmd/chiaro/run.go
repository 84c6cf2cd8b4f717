package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/engine"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/internal/schedule"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// runFlags are the flags of run.
type runFlags struct {
	format    string
	out       []string
	filesFrom string
	engine    engineFlags
	pipeline  pipelineFlags
	jobs      int
	dump      dumpFlags
	shader    shaderFlags
	shard     string
	on        string // server of a fleet; "" for none
	through   string
	allowed   bool
	schedule  string
	plan      schedule.Plan // of schedule, if it is not empty

	differential bool
	engines      []namedEngine // of differential, the reference first
	opts         amber.Options
	reading      facts.Reading // of the static use of a shader's resources

	given func(flag string) bool // whether the command line has a flag

	allowOutside bool // scripts may read files outside their folder
}

func newRun(c console) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [FILE|DIRECTORY|-]...",
		Short: "Run AmberScript, VkScript, or a compute shader",
		Long: `Run scripts and check their expectations. A directory is searched for *.amber and *.vkscript; the name -
is standard input. A script is reported as unsupported if it needs a feature that does not exist yet; the
message names the feature.

` + shaderHelp,
		Example: "  chiaro run examples/mandelbrot.amber -i mandelbrot.png\n  chiaro run --format junit tests/",
		RunE: func(_ *cobra.Command, args []string) error {
			return runScripts(c, f, args)
		},
	}
	fl := cmd.Flags()
	f.given = fl.Changed
	fl.StringVar(&f.format, "format", "text", "format of standard output: "+strings.Join(formats, ", "))
	fl.StringArrayVar(&f.out, "out", nil, "also write a report to a file: FORMAT=FILE; repeatable")
	fl.StringVar(&f.filesFrom, "files-from", "", "read more file names from a file, one per line; - for standard input")
	f.engine.add(cmd)
	fl.StringVar(&f.shard, "shard", "", "I/N: run every Nth script, from the Ith on; see report merge")
	jobsVar(fl, &f.jobs, "number of scripts to run in parallel")
	fl.DurationVar(&f.opts.Timeout, "timeout", 60*time.Second, "time limit per script; 0 for none")
	fl.StringVar(&f.opts.TargetEnv, "target-env", "", "target environment of shaders without one, such as vulkan1.1")
	addReading(cmd, &f.reading)
	fl.StringVar(&f.opts.SpirvDir, "spirv-dir", "", "use DIR/<script>/<pipeline>.<shader>.<stage>.spv instead of compiling")
	fl.StringVar(&f.opts.ScriptRoot, "script-root", "", "folder that <script> of --spirv-dir is relative to")
	fl.BoolVar(&f.opts.Digest, "digest", false, "report the SHA-256 of every buffer")
	outsideFlag(fl, &f.allowOutside)
	onFlag(fl, &f.on)
	fl.StringVar(&f.through, "through", "pipelines", "way to make the pipelines of scripts and shaders: "+strings.Join(throughNames, ", "))
	addSchedule(cmd, &f.schedule)
	addDifferential(fl, &f.differential)
	fl.BoolVar(&f.allowed, "allowed", false, "show the values that Vulkan permits for each number of a shader's result, and judge it; for a script: judge its pictures")
	f.pipeline.add(cmd)
	f.dump.add(cmd)
	f.shader.add(cmd)
	complete(cmd, "format", formats...)
	complete(cmd, "through", throughNames...)
	complete(cmd, "target-env", "vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3", "vulkan1.4")
	return cmd
}

// throughNames are the values of --through, in the order of amber's ways.
var throughNames = []string{amber.Whole: "pipelines", amber.Libraries: "libraries", amber.Binaries: "binaries", amber.Objects: "objects", amber.LinkedObjects: "linked"}

// checkHooked is check for a run that a hook observes: it has an engine of its own.
func (f *runFlags) checkHooked(c console) error {
	f.engine = engineFlags{engine: engineNames[0], level: levelNames[0]}
	err := f.check(c)
	f.opts.Engine = engine.ForHooks()
	return err
}

// check rejects invalid values, selects the engine, and reads the pipeline flags.
func (f *runFlags) check(c console) (err error) {
	if err := requireFolder("spirv-dir", f.opts.SpirvDir); err != nil {
		return err
	}
	if f.opts.Engine, err = f.engine.choose(c); err != nil {
		return err
	}
	way := slices.Index(throughNames, f.through)
	if way < 0 {
		return unreadable("--through %q; want one of %s", f.through, strings.Join(throughNames, " "))
	}
	f.opts.Way = amber.Way(way)
	if f.opts.Lowering, err = f.pipeline.lowering(); err != nil {
		return err
	}
	if f.opts.Robustness, f.opts.StageRobustness, err = f.pipeline.robust(); err != nil {
		return err
	}
	if f.schedule != "" {
		if f.plan, err = schedule.Parse(f.schedule); err != nil {
			return unreadable("--schedule %v", err)
		}
	}
	if f.differential {
		if f.engines, err = f.everyEngine(c); err != nil {
			return err
		}
	}
	if f.opts.Timeout < 0 {
		return unreadable("--timeout %v; want a positive time, or 0 for no limit", f.opts.Timeout)
	}
	if env := f.opts.TargetEnv; env != "" {
		if _, ok := asm.Target(env); !ok {
			return unreadable("unknown target environment %q; want one of %s", env, strings.Join(asm.Targets(), " "))
		}
	}
	return nil
}

// The flags that have a meaning only for scripts, and only for a compute shader.
var (
	scriptOnly = []string{"buffer-name", "digest", "files-from", "image", "image-buffer", "on", "script-root", "shard", "spirv-dir"}
	shaderOnly = []string{"base", "entry", "groups", "indirect", "memory", "push", "spec"}
)

// refuse returns an error if the command line has one of the flags.
func (f *runFlags) refuse(flags []string, what, want string) error {
	for _, flag := range flags {
		if f.given(flag) {
			return unreadable("--%s with %s; want %s", flag, what, want)
		}
	}
	return nil
}

func runScripts(c console, f runFlags, args []string) error {
	if len(args) == 0 && f.filesFrom == "" {
		return unreadable("run without a script; want a file, a directory or --files-from")
	}
	if err := f.check(c); err != nil {
		return err
	}
	if f.on != "" && f.dump.any() {
		return unreadable("-i and -b with --on; want one of them, since a worker writes no files")
	}
	defer collectSeldom(compilePercent)()
	if err := noLaunches(args); err != nil {
		return err
	}
	if len(args) == 1 && isLaunch(args[0]) {
		if err := cmp.Or(f.refuse(append([]string{"allowed"}, shaderOnly...), "a launch", "a compute shader"), f.refuse(scriptOnly, "a launch", "a script")); err != nil {
			return err
		}
		return limited(0, func(ctx context.Context) error { return runLaunch(ctx, c, f, args[0]) })
	}
	switch shader, err := shaderOf(args); {
	case err != nil:
		return err
	case f.allowed && f.schedule != "":
		return unreadable("--allowed with --schedule; want one of them")
	case shader != "":
		if err := f.refuse(append([]string{"differential"}, scriptOnly...), "a shader", "a script"); err != nil {
			return err
		}
		return limited(0, func(ctx context.Context) error { return runShader(ctx, c, f, shader) })
	}
	if err := f.refuse(shaderOnly, "a script", "a compute shader"); err != nil {
		return err
	}
	if f.allowed {
		return allowedScripts(c, &f, args)
	}
	sources, done := openSources()
	defer done()
	f.opts.Compiler.Cache = sources
	files, err := listFiles(c, args, f.filesFrom, ".amber", ".vkscript")
	if err != nil {
		return err
	}
	files, shard, err := shardOf(files, f.shard, func(file string) string { return file })
	if err != nil {
		return err
	}
	if err := f.dump.check(files); err != nil {
		return err
	}
	reports := c
	if f.dump.standard() { // the report and data never share a stream
		reports.out = &stream{w: c.err, name: "standard error"}
	}
	rs, err := newReporters(reports, f.format, f.out, files, runReporters("chiaro run"))
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	var items []runItem
	for _, file := range files {
		items = append(items, runItem{record{File: file, Shard: shard}, func(ctx context.Context, x *record) { runScript(ctx, c, f, x) }})
	}
	return f.spread(ctx, reports, travel{"run", f.task(), func(ctx context.Context, i int, sent *sentModules) (*wire.Item, bool) {
		return f.scriptItem(ctx, c, items[i].File, sent)
	}}, items, rs)
}

// spread runs items here, or on the fleet of --on, and reports them.
func (f *runFlags) spread(ctx context.Context, c console, how travel, items []runItem, rs *reporters[record, tally]) error {
	spread, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var sent sentModules
	defer sent.remove()
	t := runAll(spread, c, f.jobs, items, rs, progress(c, len(items)), f.onFleet(c, how, items, &sent, fail))
	if err := rs.close(t); err != nil {
		return err
	}
	if err := fleetError(spread); err != nil {
		return err
	}
	return t.ended(ctx)
}

// ended returns the error that is the exit code of a tally.
func (t tally) ended(ctx context.Context) error {
	if ctx.Err() != nil {
		return &coded{exitInterrupt, "interrupted"}
	}
	if code := t.code(); code != exitClean {
		return &coded{code: code}
	}
	return nil
}

// runItem is a script or a test: its record, which run completes.
type runItem struct {
	record
	run func(context.Context, *record)
}

// notRun is the record of an item that an interrupt prevents.
func (i *runItem) notRun() record {
	x := i.record
	x.Status, x.Message = statusNotRun, "interrupted"
	return x
}

// runAll runs items on some goroutines, or elsewhere, and reports them.
func runAll(ctx context.Context, c console, jobs int, items []runItem, rs *reporters[record, tally], bar *progressbar.ProgressBar, elsewhere func(context.Context, func(int), func(int, record))) tally {
	t := tally{}
	pool[record]{
		items: len(items), jobs: jobs,
		work: func(i int) record {
			x := runOne(ctx, c, &items[i])
			if ctx.Err() != nil && x.Status != "pass" && x.Status != "fail" {
				return items[i].notRun()
			}
			return x
		},
		notRun: func(i int) record { return items[i].notRun() },
		live:   rs.recordLive,
		ordered: func(x record) {
			t[x.Status]++
			rs.recordOrdered(x)
			_ = bar.Add(1) // fails only if the terminal is gone
		},
		elsewhere: elsewhere,
	}.run(ctx)
	_ = bar.Finish()
	return t
}

// runOne runs one item. It recovers a panic, which then is the result of this item alone.
func runOne(ctx context.Context, c console, item *runItem) (x record) {
	start := time.Now()
	x = item.record
	defer func() {
		if e := recover(); e != nil {
			plain.Fprintf(c.err, "chiaro: %s: internal error: %v\n%s", x.title(), e, debug.Stack())
			x.Status, x.Message = "internal", fmt.Sprintf("internal error: %v", e)
		}
		x.Seconds = time.Since(start).Seconds()
	}()
	item.run(ctx, &x)
	return x
}

// runScript runs the script of a record.
func runScript(ctx context.Context, c console, f runFlags, x *record) {
	file := x.File
	script, err := loadScript(c, file, f.allowOutside)
	if err != nil {
		x.Status, x.Message = "error", located(file, err)
		return
	}
	f.inOrders(ctx, x, func(ctx context.Context, opts amber.Options) {
		r := amber.Run(ctx, script, opts)
		x.set(&r, f.opts.Timeout)
		x.ran = &ranScript{script: script, stages: r.Profiles}
		if err := f.dump.write(c, script, r); err != nil {
			x.Status, x.Message = "error", err.Error()
		}
	})
}

// set sets the result of a script.
func (x *record) set(r *amber.Result, timeout time.Duration) {
	x.Status, x.Message, x.Buffers = string(r.Status), r.Message, r.Digests
	x.Log, x.found, x.Reports = r.Log, r.Reports, reportRecords(r.Reports)
	x.sanitized = errors.As(r.Err, new(*amber.SanitizerError))
	switch {
	case r.Status == amber.Failed:
		x.Message = located(x.File, r.Err)
	case errors.Is(r.Err, context.DeadlineExceeded):
		x.Message = fmt.Sprintf("%s: not done after %v, the time for one script", x.File, timeout)
	}
}
