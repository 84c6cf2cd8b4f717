package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// checkFlags are the flags of check.
type checkFlags struct {
	format               string
	out                  []string
	filesFrom            string
	targetEnv            string
	profiles             []string
	matrix               bool
	jobs                 int
	verbose              bool
	spirvDir, scriptRoot string // ready modules of scripts
	allowOutside         bool   // scripts may read files outside their folder
	noCache              bool
	on                   string // server of a fleet; "" for none
	cacheDir             string
	shard                string
	shardOf              *shardRecord // nil without a shard
	opts                 valid.Options
	env                  valid.Env    // the environment of the flags other than --target-env
	given                bool         // the target environment is given
	envs                 []*valid.Env // for each profile
	filter               findingFilter
}

func newCheck(c console) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check [FILE|DIRECTORY|-]...",
		Short: "Validate modules and pipelines",
		Long: `Check SPIR-V modules, binary or text, against the rules of SPIR-V and of the target environment, and pipelines
against the rules of Vulkan. One run reports every finding. Pipelines come from descriptions (*.pipeline.yaml, see link), archives
of Fossilize (*.foz) and its JSON, Amber scripts and VkScript. The syntax and the names of PTX (*.ptx, also of a launch,
*.launch.yaml) are checked, and a warning names each kernel that Chiaro cannot run. A directory is searched for all of these files.
The name - is standard input, and ARCHIVE#graphics/HASH is one object of an archive.

Rules on the features and limits of a device are checked for each device of --profile: min, max, self, min1.0 to min1.4,
VP_KHR_roadmap_2022, 2024 and 2026, or files of Vulkan profiles, which vulkaninfo --json writes too. Without --profile the modules of
a description are checked for its features, limits and extensions.

` + sourceUsage,
		Example: "  chiaro check shader.spv\n  chiaro check --target-env vulkan1.1 --format jsonl shaders/",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given = cmd.Flags().Changed("target-env")
			return checkFiles(c, f, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "format of standard output: "+strings.Join(formats, ", "))
	fl.StringArrayVar(&f.out, "out", nil, "also write a report to a file: FORMAT=FILE; repeatable")
	fl.StringVar(&f.filesFrom, "files-from", "", "read more file names from a file, one per line; - for standard input")
	fl.StringVar(&f.targetEnv, "target-env", "vulkan1.4", "target environment, such as vulkan1.3, vulkan1.1spv1.4 or spv1.6")
	addReading(cmd, &f.env.Reading)
	f.profileFlags(cmd)
	jobsVar(fl, &f.jobs, "number of modules to check in parallel")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "list the rules that could not be checked, and the information they need")
	fl.StringVar(&f.shard, "shard", "", "I/N: check every Nth object, from the Ith on; see report merge")
	fl.BoolVar(&f.noCache, "no-cache", false, "do not use cached results of archive objects")
	fl.StringVar(&f.cacheDir, "cache-dir", "", "folder of cached results (default: chiaro/check in the user's cache folder)")
	fl.StringVar(&f.spirvDir, "spirv-dir", "", "for scripts: use DIR/<script>/<pipeline>.<shader>.<stage>.spv instead of compiling")
	fl.StringVar(&f.scriptRoot, "script-root", "", "folder that <script> of --spirv-dir is relative to")
	outsideFlag(fl, &f.allowOutside)
	onFlag(fl, &f.on)
	f.filter.flags(fl)
	f.validatorFlags(fl)
	complete(cmd, "format", formats...)
	complete(cmd, "target-env", asm.Targets()...)
	return cmd
}

// environment returns the environment that the flags describe.
func (f *checkFlags) environment() (*valid.Env, error) {
	base, ok := valid.ParseEnv(f.targetEnv)
	if !ok {
		return nil, unreadable("unknown target environment %q; want one of %s", f.targetEnv, strings.Join(asm.Targets(), " "))
	}
	if f.env.Reading != facts.ReadingDefault && base.API != valid.Vulkan {
		return nil, unreadable("--reading %s; needs a target environment of Vulkan", f.env.Reading)
	}
	e := f.env
	e.Name, e.API, e.Version, e.SPIRV, e.Embedded = base.Name, base.API, base.Version, base.SPIRV, base.Embedded
	return &e, nil
}

func checkFiles(c console, f checkFlags, args []string) error {
	if len(args) == 0 && f.filesFrom == "" {
		return unreadable("check without a module; want a file, a directory or --files-from")
	}
	if err := requireFolder("spirv-dir", f.spirvDir); err != nil {
		return err
	}
	env, err := f.environment()
	if err != nil {
		return err
	}
	if err := f.loadProfiles(c, env); err != nil {
		return err
	}
	files, err := listFiles(c, args, f.filesFrom, checkEndings...)
	if err != nil {
		return err
	}
	list, closeAll := subjects(c, files)
	defer closeAll()
	if list, f.shardOf, err = shardOf(list, f.shard, func(s subject) string { return s.name }); err != nil {
		return err
	}
	if f.shardOf != nil {
		f.shardOf.Environment, f.shardOf.Profiles = f.targetEnv, f.profileNames()
	}
	if err := f.filter.load(); err != nil {
		return err
	}
	rs, err := newReporters(c, f.format, f.out, files, checkReporters(&f))
	if err != nil {
		return err
	}
	archives := slices.ContainsFunc(list, func(s subject) bool { return s.set != nil })
	// The memory of a module becomes garbage with it; only the objects of archives
	// live long, so collecting seldom costs little memory.
	percent := 400
	if archives {
		percent = 200
	}
	defer collectSeldom(percent)()
	ctx, stop := interruptible()
	defer stop()
	j := &judge{c: c, f: f, env: env, modules: newModuleStore()}
	if !f.noCache && archives {
		j.cache = openCache(c, f.cacheDir, env, &f)
		defer j.cache.close()
	}
	t, failed := checkAll(ctx, j, list, rs)
	if err := rs.close(t); err != nil {
		return err
	}
	if failed != nil && ctx.Err() == nil {
		return failed
	}
	if ctx.Err() != nil {
		return &coded{exitInterrupt, "interrupted"}
	}
	if err := f.filter.save(); err != nil {
		return err
	}
	if code := t.code(); code != exitClean {
		return &coded{code: code}
	}
	return nil
}

// checkAll judges the subjects on f.jobs goroutines or on a fleet, and reports them in order. The error is the fleet's.
func checkAll(ctx context.Context, j *judge, files []subject, rs *reporters[*checked, checkTally]) (t checkTally, err error) {
	f := &j.f
	bar := progress(j.c, len(files))
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var sent sentModules
	defer sent.remove()
	pool[*checked]{
		items: len(files), jobs: f.jobs,
		work: func(i int) *checked {
			x := j.one(ctx, files[i])
			if ctx.Err() != nil && x.verdict == verdictUnreadable {
				return notChecked(&files[i])
			}
			f.filter.apply(x)
			return x
		},
		notRun: func(i int) *checked { return notChecked(&files[i]) },
		live:   rs.recordLive,
		ordered: func(x *checked) {
			t.add(x)
			rs.recordOrdered(x)
			_ = bar.Add(1)
		},
		elsewhere: j.onFleet(files, &sent, stop),
	}.run(ctx)
	_ = bar.Finish()
	return t, fleetError(ctx)
}

// The verdicts on a file.
const (
	verdictClean      = "clean"
	verdictFindings   = "findings"
	verdictUnreadable = "unreadable"
	verdictInternal   = "internal"
	verdictNotRun     = "not run"
)

// notChecked is the result of a subject that an interrupt prevents.
func notChecked(s *subject) *checked {
	return &checked{file: s.name, verdict: verdictNotRun, message: s.name + ": not run: interrupted"}
}

// leftOut counts the findings that --max-errors and --max-duplicates hide, and the
// findings over a report's limit, whose severity is unknown.
type leftOut struct {
	all, errors, beyond int
}

// checked is the result of one file.
type checked struct {
	file     string
	verdict  string
	message  string // why it is unreadable
	findings []shownFinding
	left     leftOut       // findings that are not shown
	report   *valid.Report // nil if the module does not decode, and for pipelines
	facts    *facts.Module // likewise, and nil without findings
	profiles []string      // that it was judged for
	pipeline bool          // it is no module
	skipped  []string      // unknown parts of a pipeline, which were not checked

	text   string   // of a module that is text
	starts []int    // the offset of each instruction in input
	names  []string // of the ids in it

	stop func() error // returns an error after an interrupt, so that the display of findings stops; nil: never

	recorded []findingRecord // of a report that is merged: the findings as they were written; nil otherwise
}

// one judges one subject.
func (j *judge) one(ctx context.Context, s subject) *checked {
	x := &checked{file: s.name, verdict: verdictUnreadable, stop: ctx.Err}
	j.guarded(s.name, x, func(x *checked) { j.judge(ctx, s, x) })
	return x
}

// guarded calls judge. It recovers a panic, which then is the verdict on this subject alone.
func (j *judge) guarded(name string, x *checked, judge func(*checked)) {
	defer func() {
		if e := recover(); e != nil {
			plain.Fprintf(j.c.err, "chiaro: %s: internal error: %v\n%s", name, e, debug.Stack())
			x.verdict, x.message = verdictInternal, fmt.Sprintf("%s: internal error: %v; again alone: chiaro check '%s'", name, e, name)
		}
	}()
	judge(x)
}

// moduleFile judges a module of a file: SPIR-V, a source, PTX, or that of a launch.
func (j *judge) moduleFile(ctx context.Context, file string, x *checked) {
	if isLaunch(file) {
		j.launch(file, x)
		return
	}
	if isPTX(file) {
		data, err := readInput(j.c, file)
		if err != nil {
			x.message = err.Error()
			return
		}
		j.ptx(data, file, x)
		return
	}
	data, err := readModule(ctx, j.c, file, j.env.Name, j.f.allowOutside)
	if err != nil {
		x.message = err.Error()
		return
	}
	j.module(ctx, data, file, x)
}

// module checks a module; the extension of file determines its kind.
func (j *judge) module(ctx context.Context, data []byte, file string, x *checked) {
	m, err := decodeModule(data, file, j.env, x)
	var fault *diag.Finding
	switch {
	case errors.As(err, &fault) && m == nil && fault.Pos.Line == 0 && !noModule[fault.Code]:
		x.verdict, x.findings = verdictFindings, []shownFinding{{Finding: valid.Finding{Finding: *fault}}}
		return
	case err != nil:
		x.message = located(x.file, err)
		return
	}
	x.facts = facts.Gather(m, nil)
	x.profiles = j.f.profileNames()
	x.report, err = j.report(ctx, x.facts, x.names)
	if err != nil {
		x.message = err.Error()
		return
	}
	x.verdict = verdictClean
	x.left = leftOut{all: x.report.Omitted, beyond: x.report.Omitted}
	for i := range x.report.Findings {
		x.findings = append(x.findings, shownFinding{Finding: x.report.Findings[i]})
	}
	if len(x.findings) > 0 {
		x.verdict = verdictFindings
		return
	}
	x.facts.Release()
	m.Release()
	x.facts = nil
}

// noModule are the codes of input without the header of a module: it is unreadable, not a module with a finding.
var noModule = map[string]bool{"SPV-Stream-Size": true, "SPV-Header-Size": true, "SPV-Header-Magic": true, "SPV-Text-Size": true}

// readModule reads a module, and compiles a source for the target environment. It may be called from several
// goroutines at once.
func readModule(ctx context.Context, c console, file, target string, outside bool) ([]byte, error) {
	if file == "-" {
		return readUnpacked(c, file)
	}
	data, err := readFile(file)
	if err != nil {
		return nil, unreadable("%v", err)
	}
	if err := packed(file, data); err != nil {
		return nil, err
	}
	if isSource(file) && !isBinary(data) {
		return compileSource(ctx, file, data, target, outside)
	}
	return data, nil
}

// decodeModule decodes words, or assembles text for env. It records the text in x,
// which may be nil.
func decodeModule(data []byte, file string, env *valid.Env, x *checked) (*spirv.Module, error) {
	if isBinary(data) || strings.HasSuffix(file, ".spv") {
		return spirv.DecodeWith(data, spirv.Options{Shared: true})
	}
	if x == nil {
		x = &checked{}
	}
	x.text = string(data)
	words, err := asm.Assemble(data, asm.AssembleOptions{Version: env.SPIRV, Starts: &x.starts, Names: &x.names})
	if err != nil {
		return nil, err
	}
	return spirv.FromWords(words)
}

// isBinary reports whether data begins with the magic number.
func isBinary(data []byte) bool {
	return len(data) >= 4 && (binary.LittleEndian.Uint32(data) == spirv.Magic || binary.BigEndian.Uint32(data) == spirv.Magic)
}
