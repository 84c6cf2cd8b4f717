package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
	"github.com/chiaro-gpu/chiaro/internal/shadertable"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// testFlags are the flags of test.
type testFlags struct {
	runFlags
	coverage    []string
	record      bool
	differences string
	only        string
	files       map[string][]byte // of an item of a fleet, by name: the only ones that its test may read; nil for the file system
}

// tableEnding is the ending of tables of tests.
const tableEnding = ".test.yaml"

func newTest(c console) *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test [FILE|DIRECTORY]...",
		Short: "Run the tests of shaders: tables of inputs and outputs, scripts, and launches of CUDA kernels",
		Long: `Run tests that are beside shaders: tables (*` + tableEnding + `) with inputs and expected outputs, scripts (*.amber, *.vkscript), and
descriptions of launches of CUDA kernels (*` + launchEndings[0] + `) with expected buffers.
Without a name the folder is the working directory. docs/testing.md has the form of a table.

--coverage FORMAT=FILE writes the lines, branches and functions of shaders that the tests execute, as lcov or cobertura.

--record writes the pictures that differ from the expected ones, and those that do not exist, to the files of the expected ones.
--differences DIRECTORY writes a picture of each difference: the expected picture, the pixels that differ, the result.`,
		Example: "  chiaro test shaders/\n  chiaro test --coverage lcov=shaders.info --out junit=shaders.xml shaders/\n  chiaro test --record --differences /tmp/differences shaders/",
		RunE:    func(_ *cobra.Command, args []string) error { return runTests(c, &f, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "format of standard output: "+strings.Join(formats, ", "))
	fl.StringArrayVar(&f.out, "out", nil, "also write a report to a file: FORMAT=FILE; repeatable")
	fl.StringVar(&f.filesFrom, "files-from", "", "read more file names from a file, one per line; - for standard input")
	fl.StringVar(&f.shard, "shard", "", "I/N: run every Nth test, from the Ith on; see report merge")
	fl.StringVar(&f.only, "run", "", "run only the tests with a text in their name")
	fl.StringArrayVar(&f.coverage, "coverage", nil, "write the coverage of the shaders: lcov=FILE or cobertura=FILE; repeatable")
	fl.BoolVar(&f.record, "record", false, "write the pictures that differ to the files of the expected ones")
	fl.StringVar(&f.differences, "differences", "", "folder for a picture of each difference")
	f.engine.add(cmd)
	jobsVar(fl, &f.jobs, "number of tests to run in parallel")
	fl.DurationVar(&f.opts.Timeout, "timeout", 60*time.Second, "time limit per test; 0 for none")
	onFlag(fl, &f.on)
	fl.StringVar(&f.opts.TargetEnv, "target-env", "", "target environment of shaders without one, such as vulkan1.1")
	outsideFlag(fl, &f.allowOutside)
	addSchedule(cmd, &f.schedule)
	addDifferential(fl, &f.differential)
	f.pipeline.add(cmd)
	f.through = throughNames[amber.Whole]
	complete(cmd, "format", formats...)
	complete(cmd, "target-env", "vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3", "vulkan1.4")
	return cmd
}

// runTests runs the tests of files and folders.
func runTests(c console, f *testFlags, args []string) error {
	if len(args) == 0 && f.filesFrom == "" {
		args = []string{"."}
	}
	if f.on != "" && (len(f.coverage) > 0 || f.record || f.differences != "") {
		return unreadable("--coverage, --record and --differences with --on; want one of them, since a worker writes no files")
	}
	covered, err := openCoverage(c, f.coverage)
	if err != nil {
		return err
	}
	if err := f.check(c); err != nil {
		return err
	}
	f.opts.Lowering.Profile = covered != nil
	defer collectSeldom(compilePercent)()
	sources, done := openSources()
	defer done()
	f.opts.Compiler.Cache = sources
	files, err := listFiles(c, args, f.filesFrom, append([]string{tableEnding, ".amber", ".vkscript"}, launchEndings...)...)
	if err != nil {
		return err
	}
	if err := spareInputs("coverage", f.coverage, files); err != nil {
		return err
	}
	var items []testItem
	for _, file := range files {
		items = append(items, f.items(c, file)...)
	}
	items, shard, err := shardOf(items, f.shard, func(i testItem) string { return i.record.title() })
	if err != nil {
		return err
	}
	runs := make([]runItem, len(items))
	for i := range items {
		runs[i] = items[i].runItem
		runs[i].record.Shard = shard
	}
	rs, err := newReporters(c, f.format, f.out, files, runReporters("chiaro test"))
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	if covered != nil {
		rs.ordered = append(rs.ordered, covered)
	}
	return f.spread(ctx, c, travel{"test", f.task(), func(ctx context.Context, i int, sent *sentModules) (*wire.Item, bool) {
		return items[i].travel(ctx, sent)
	}}, runs, rs)
}

// testItem is a test with the function that returns its item for a fleet.
type testItem struct {
	runItem
	travel func(context.Context, *sentModules) (*wire.Item, bool) // false for one that this process must run
}

// staysHere is the function of a test that this process must run.
func staysHere(context.Context, *sentModules) (*wire.Item, bool) { return nil, false }

// items returns the tests of a file.
func (f *testFlags) items(c console, file string) (items []testItem) {
	if isLaunch(file) {
		if strings.Contains(file, f.only) {
			run := runItem{record{File: file}, func(ctx context.Context, x *record) { f.runLaunchTest(ctx, c, x) }}
			items = append(items, testItem{run, func(context.Context, *sentModules) (*wire.Item, bool) { return launchItem(c, file) }})
		}
		return items
	}
	if isPTX(file) {
		run := runItem{record{File: file}, func(_ context.Context, x *record) { x.Status, x.Message = "error", onlyPTX(file).Error() }}
		return []testItem{{run, staysHere}}
	}
	if !strings.HasSuffix(file, tableEnding) {
		if strings.Contains(file, f.only) {
			run := runItem{record{File: file}, func(ctx context.Context, x *record) { runScript(ctx, c, f.runFlags, x) }}
			items = append(items, testItem{run, func(ctx context.Context, sent *sentModules) (*wire.Item, bool) {
				return f.scriptItem(ctx, c, file, sent)
			}})
		}
		return items
	}
	data, err := readFile(file)
	var table *shadertable.Table
	if err == nil {
		table, err = shadertable.Read(file, data)
	}
	if err != nil {
		run := runItem{record{File: file}, func(_ context.Context, x *record) { x.Status, x.Message = "error", err.Error() }}
		return []testItem{{run, staysHere}}
	}
	for _, test := range table.Tests {
		if strings.Contains(test.Name, f.only) {
			run := runItem{record{File: file, Test: test.Name}, func(ctx context.Context, x *record) { f.runTest(ctx, c, test, x) }}
			items = append(items, testItem{run, func(ctx context.Context, sent *sentModules) (*wire.Item, bool) {
				return f.tableItem(ctx, c, test, sent)
			}})
		}
	}
	return items
}

// runTest runs a test of a table.
func (f *testFlags) runTest(ctx context.Context, c console, test *shadertable.Test, x *record) {
	x.ran = &ranScript{modules: map[string]checked{}, codes: map[string]*spirv.Module{}}
	script, err := f.scriptOf(ctx, c, test, x.ran)
	if err != nil {
		x.Status, x.Message = "error", err.Error()
		var known *coded
		if !errors.As(err, &known) && !positionForm.MatchString(x.Message) {
			x.Message = test.At() + x.Message
		}
		return
	}
	f.inOrders(ctx, x, func(ctx context.Context, opts amber.Options) { f.runOnce(ctx, c, test, script, opts, x) })
}

// runOnce runs a test in one order of its invocations.
func (f *testFlags) runOnce(ctx context.Context, c console, test *shadertable.Test, script *amber.Script, opts amber.Options, x *record) {
	opts.Lowering.Sanitize |= test.Sanitize
	r := amber.Run(ctx, script, opts)
	x.set(&r, f.opts.Timeout)
	x.ran.stages = r.Profiles
	if r.Status != amber.Pass && !x.sanitized {
		if r.Err != nil && !errors.Is(r.Err, context.DeadlineExceeded) { // its place is in the script
			x.Message = test.At() + withoutPlace(test.File, r.Err.Error())
		}
		return
	}
	// The expected findings are no failure, and the others are below.
	x.Status, x.Message, x.sanitized = "pass", "", false
	var lines []string
	failures := test.Check(script, &r, func(name string) ([]byte, error) { return f.beside(test.File, name) })
	if test.Permitted() {
		more, err := f.judge(ctx, test, script, &r, x.ran)
		if err != nil {
			x.Status, x.Message = "error", test.At()+err.Error()
			return
		}
		failures = append(failures, more...)
	}
	for i := range failures {
		said, failed, err := f.settle(c, test, &failures[i], i)
		if err != nil {
			x.Status, x.Message = "error", err.Error()
			return
		}
		if failed {
			x.Status = "fail"
		}
		lines = append(lines, said)
	}
	x.Message, x.found = strings.Join(lines, "\n"), nil // the lines have the reports that are not expected
}

// judge judges the results of a test by the values that Vulkan permits.
func (f *testFlags) judge(ctx context.Context, test *shadertable.Test, script *amber.Script, r *amber.Result, ran *ranScript) ([]shadertable.Failure, error) {
	if most := f.opts.Timeout; most > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, most)
		defer cancel()
	}
	return test.Judge(ctx, script, r, ran.codes["compute"])
}

// scriptOf makes the script of a test from its compiled modules.
func (f *testFlags) scriptOf(ctx context.Context, c console, test *shadertable.Test, ran *ranScript) (*amber.Script, error) {
	env := orElse(f.opts.TargetEnv, "vulkan1.3")
	target, _ := valid.ParseEnv(env)
	sources := map[string]string{}
	for stage := range test.Shaders {
		sources[shadertable.Source(stage)] = stage
	}
	text, err := test.Script()
	if err != nil {
		return nil, err
	}
	var broken error
	script, err := amber.Parse(test.File, []byte(text), func(name string) ([]byte, error) {
		stage, ok := sources[name]
		if !ok {
			return f.beside(test.File, name)
		}
		module, code, err := f.module(ctx, c, test, stage, env, target)
		if err != nil {
			broken = err
			return nil, err
		}
		ran.modules[stage], ran.codes[stage] = *module, code
		return code.Encode(), nil
	})
	if broken != nil {
		return nil, broken
	}
	var fault *amber.Fault
	if errors.As(err, &fault) { // the position is in the script, which the user has not written
		return nil, errors.New(fault.Message)
	}
	return script, err
}

// withoutPlace cuts the place in the script from a message, because the user has not written the script.
func withoutPlace(file, message string) string {
	if p, ok := parsePosition(file, message); ok && p.file == file {
		return p.text
	}
	return message
}

// module reads the module of a stage.
func (f *testFlags) module(ctx context.Context, c console, test *shadertable.Test, stage, env string, target *valid.Env) (*checked, *spirv.Module, error) {
	name := test.Shaders[stage]
	path := filepath.Join(filepath.Dir(test.File), filepath.FromSlash(name))
	switch _, err := f.beside(test.File, name); { // no module outside of the folder
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, fmt.Errorf("the %s shader %s does not exist in the folder of the table", stage, name)
	case err != nil:
		return nil, nil, err
	}
	data, err := f.stageModule(ctx, c, name, path, env)
	if err != nil {
		return nil, nil, err
	}
	x := &checked{file: path}
	m, err := decodeModule(data, path, target, x)
	if err != nil {
		return nil, nil, errors.New(located(path, err))
	}
	return x, m, nil
}

// stageModule reads a module that a table names.
func (f *testFlags) stageModule(ctx context.Context, c console, name, path, env string) ([]byte, error) {
	if f.files != nil {
		return moduleOf(f.files, name)
	}
	return readModule(ctx, c, path, env, f.allowOutside)
}

// beside reads a file that a table names.
func (f *testFlags) beside(table, name string) ([]byte, error) {
	if f.files != nil {
		return fileOf(f.files, name)
	}
	return readBeside(filepath.Dir(table), filepath.FromSlash(name), f.allowOutside)
}

// settle records the picture of a failure, if --record is set, and writes its difference. It returns the message.
func (f *testFlags) settle(c console, test *shadertable.Test, x *shadertable.Failure, number int) (said string, failed bool, err error) {
	said, failed = x.Message, true
	if x.Golden == "" {
		return said, failed, nil
	}
	if x.Differs != nil && f.differences != "" {
		name := strings.Map(fileRune, strings.TrimSuffix(filepath.Base(test.File), tableEnding)+"."+test.Name)
		name = filepath.Join(f.differences, name+"."+strconv.Itoa(number)+".png")
		if err := os.MkdirAll(f.differences, 0o777); err != nil {
			return "", true, unreadable("%v", err)
		}
		if err := writePicture(c, name, x.Differs.Picture()); err != nil {
			return "", true, err
		}
		said += "\n\tdifference: " + name
	}
	if !f.record {
		return said, failed, nil
	}
	if err := writePicture(c, filepath.Join(filepath.Dir(test.File), filepath.FromSlash(x.Golden)), x.Got); err != nil {
		return "", true, err
	}
	return "recorded " + x.Golden + ": " + said, false, nil
}

// fileRune replaces the characters that file names should not have.
func fileRune(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
		return r
	}
	return '_'
}

// writePicture writes a PNG file.
func writePicture(c console, file string, m image.Image) error {
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		return unreadable("%s: %v", file, err)
	}
	return writeOutput(c, file, b.Bytes())
}
