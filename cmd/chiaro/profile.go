package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"image/png"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/debug"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/internal/profile"
	"github.com/chiaro-gpu/chiaro/internal/ptxlower"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vk"
)

// profileFormats are the formats of profile.
var profileFormats = []string{"text", "json", "pprof", "lcov", "cobertura", "html"}

func newProfile(c console) *cobra.Command {
	var f runFlags
	invocations := false
	cmd := &cobra.Command{
		Use:   "profile FILE",
		Short: "Count how often each line and instruction of a shader executes",
		Long: `Run a compute shader, a script or a launch of a CUDA kernel as run does, and report exact counts of each line, instruction, block, branch and
function of its shaders: the invocations that executed it (executed) without helper invocations, the share of active
lanes in the subgroups that executed it (lanes), the executions of branches by subgroups with invocations that took different
edges (divergent), the executions of the line's instructions (instructions), and the bytes that its instructions read and
wrote in buffers, push constants and workgroup memory. The counts are the same with both engines.

The formats are text, a table of lines; html, a page with the source in colors; json, all instructions; pprof, for go tool pprof; lcov
and cobertura, coverage of lines, branches and functions. A module without positions in sources has the lines of its assembly.

--invocations runs the file again on the interpreter. text, html and json then also have, for each compute shader, the invocations with
the most instructions, and for each buffer its accesses, different bytes and cache lines, and contended atomics.

` + shaderHelp[:strings.Index(shaderHelp, "\n\n--out")],
		Example: "  chiaro profile saxpy.comp --groups 16 --buffer x=float:1,2,3,4 --buffer 0.1='float*4'\n  chiaro profile terrain.amber --out pprof=terrain.pb.gz --out lcov=terrain.info",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return limited(0, func(ctx context.Context) error { return runProfile(ctx, c, f, args[0], invocations) })
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "", "format of standard output: "+strings.Join(profileFormats, ", ")+" (default text, or nothing with --out)")
	fl.StringArrayVar(&f.out, "out", nil, "write the profile to a file: FORMAT=FILE; repeatable")
	fl.BoolVar(&invocations, "invocations", false, "also count the instructions of each invocation of dispatches, and the accesses of each buffer")
	f.engine.add(cmd)
	jobsVar(fl, &f.jobs, "number of threads that run a shader")
	fl.DurationVar(&f.opts.Timeout, "timeout", 60*time.Second, "time limit; 0 for none")
	f.add(cmd)
	complete(cmd, "format", profileFormats...)
	complete(cmd, "target-env", "vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3", "vulkan1.4")
	f.through = throughNames[amber.Whole]
	return cmd
}

// runProfile runs a file and writes its profile.
func runProfile(ctx context.Context, c console, f runFlags, file string, invocations bool) error {
	var outs [][2]string
	if f.format != "" || len(f.out) == 0 {
		outs = append(outs, [2]string{orElse(f.format, "text"), "-"})
	}
	for _, o := range f.out {
		format, name, ok := strings.Cut(o, "=")
		if !ok || name == "" {
			return unreadable("--out %q; want FORMAT=FILE", o)
		}
		outs = append(outs, [2]string{format, name})
	}
	if n := countOf(outs, func(o [2]string) bool { return isStandard(o[1]) }); n > 1 {
		return unreadable("%d profiles to standard output; want one", n)
	}
	for _, o := range outs {
		if !slices.Contains(profileFormats, o[0]) {
			return unreadable("unknown format %q; want one of %s", o[0], strings.Join(profileFormats, ", "))
		}
	}
	if err := spareInputs("out", f.out, []string{file}); err != nil {
		return err
	}
	if err := f.check(c); err != nil {
		return err
	}
	f.opts.Lowering.Profile, f.opts.Workers = true, f.jobs
	defer collectSeldom(compilePercent)()
	x := profiled{file: file}
	var err error
	switch {
	case isPTX(file):
		return onlyPTX(file)
	case isLaunch(file) && invocations:
		return unreadable("--invocations is for a compute shader or a script, not for a launch")
	case isLaunch(file):
		if err = cmp.Or(f.refuse(shaderOnly, "a launch", "a compute shader"), f.refuse(scriptOnly, "a launch", "a script")); err == nil {
			err = x.launch(ctx, c, &f)
		}
	case isShader(file):
		err = x.shader(ctx, c, &f)
	default:
		if err = f.refuse(observedOnly, "a script", "a compute shader"); err == nil {
			err = x.script(ctx, c, &f)
		}
	}
	if len(x.profile.Stages) == 0 {
		if err == nil {
			err = &coded{exitNothing, file + ": no shader has run"}
		}
		return err
	}
	if invocations && err == nil {
		if err = x.trace(ctx, c, f); err != nil {
			return err
		}
	}
	for _, o := range outs {
		if o[0] == "html" && x.from != nil && len(x.profile.Pictures) == 0 {
			x.heat(ctx, c, f)
		}
		var b bytes.Buffer
		if err := x.write(&b, o[0]); err != nil {
			return err
		}
		if err := writeOutput(c, o[1], b.Bytes()); err != nil {
			return err
		}
	}
	return err
}

// heat runs a script again with the interpreter, and counts the instructions at each pixel of its draws. A run that fails has the counts so
// far: the profile is there already.
func (x *profiled) heat(ctx context.Context, c console, f runFlags) {
	h := debug.Heat{}
	if err := f.checkHooked(c); err != nil {
		return
	}
	f.opts.Workers, f.opts.Debugger = 1, &h
	amber.Run(ctx, x.from, f.opts)
	for _, m := range h.Maps {
		p := profile.Picture{Width: m.Width, Height: m.Height, Draws: m.Draws, Most: m.Most()}
		for _, n := range m.Counts {
			p.Total += n
		}
		var picture, heat bytes.Buffer
		if png.Encode(&picture, m.Picture) != nil || png.Encode(&heat, m.Image()) != nil {
			continue
		}
		p.Image, p.Heat = picture.Bytes(), heat.Bytes()
		x.profile.Pictures = append(x.profile.Pictures, p)
	}
}

// profiled is a file that has run.
type profiled struct {
	file    string
	profile profile.Profile
	sources map[profile.Place]string
	from    *amber.Script // nil for a shader
	models  map[string]int
}

// shader runs a compute shader.
func (x *profiled) shader(ctx context.Context, c console, f *runFlags) error {
	job, err := readShader(ctx, c, f, x.file)
	if err != nil {
		return err
	}
	c.out = c.err // standard output is for the profile
	return job.run(ctx, c, f, func(d *shaderDevice) error {
		x.add(d.device.Profiles(), job.source)
		return nil
	})
}

// launch runs a kernel.
func (x *profiled) launch(ctx context.Context, c console, f *runFlags) error {
	j, err := readLaunch(c, x.file)
	if err != nil {
		return err
	}
	c.out = c.err // standard output is for the profile
	x.file = j.module
	x.sources = map[profile.Place]string{}
	place := x.placesOf(j)
	return j.runOn(ctx, c, *f, j.unjudged(), func(d *vk.Device) {
		for _, s := range d.Profiles() {
			x.profile.Stages = append(x.profile.Stages, profile.OfKernel(s.Kernel, s.SubgroupSize, s.Counters, place))
		}
	})
}

// placesOf returns the function that finds the lines of instructions of a kernel: those that .loc names, else of the PTX, which x quotes.
func (x *profiled) placesOf(j *launchJob) func(*ptxlower.CountedInstruction) profile.Place {
	lines := strings.Split(string(j.text), "\n")
	return func(in *ptxlower.CountedInstruction) profile.Place {
		if in.File != "" {
			return profile.Place{File: in.File, Line: in.Line}
		}
		p := profile.Place{File: j.module, Line: in.Pos.Line}
		if n := p.Line - 1; n >= 0 && n < len(lines) {
			x.quote(p, lines[n])
		}
		return p
	}
}

// script runs a script.
func (x *profiled) script(ctx context.Context, c console, f *runFlags) error {
	script, err := loadScript(c, x.file, f.allowOutside)
	if err != nil {
		return &coded{exitUsage, located(x.file, err)}
	}
	x.from = script
	r := amber.Run(ctx, script, f.opts)
	x.add(r.Profiles, checked{file: x.file})
	for _, l := range r.Log {
		plain.Fprintf(c.err, "log: %s\n", plain.Block(l, "     "))
	}
	switch {
	case r.Status == amber.Pass:
		return nil
	case ctx.Err() != nil:
		return &coded{exitInterrupt, "interrupted"}
	case r.Status == amber.Failed:
		return &coded{exitFindings, located(x.file, r.Err)}
	case errors.Is(r.Err, context.DeadlineExceeded):
		return &coded{exitFindings, x.file + ": not done within --timeout"}
	}
	return &coded{exitFindings, x.file + ": " + string(r.Status) + ": " + r.Message}
}

// maxQuoted bounds the lines of sources in a profile.
const maxQuoted = 1 << 16

// add adds the counts of stages. module describes the file of the shader.
func (x *profiled) add(stages []vk.StageProfile, module checked) {
	x.sources = map[profile.Place]string{}
	for _, s := range stages {
		m := module
		m.facts = s.Facts
		if m.text != "" && len(m.starts) < s.Facts.Code.Len() { // the module has changed after its assembly
			m.text, m.starts = "", nil
		}
		if x.from != nil {
			m.file = x.assembly(s.Entry.Model.String())
		}
		places := placer{profiled: x, module: &m, viewer: newViewer(&m), lines: map[profile.Place]profile.Place{}}
		x.profile.Stages = append(x.profile.Stages, profile.New(s.Facts, s.Entry, s.SubgroupSize, s.Counters, places.of))
	}
}

// assembly returns a name for the assembly of the next module of a script with an execution model.
func (x *profiled) assembly(model string) string {
	if x.models == nil {
		x.models = map[string]int{}
	}
	x.models[model]++
	if n := x.models[model]; n > 1 {
		model += "." + strconv.Itoa(n)
	}
	return x.file + "." + model + ".spvasm"
}

// placer finds the places of the instructions of one module.
type placer struct {
	*profiled
	module *checked
	viewer *viewer
	lines  map[profile.Place]profile.Place // places in the profile by places in the module
}

// of returns the place of an instruction: its line in the source, in the script, or in the assembly. A source without a name gets
// the name of the module. An instruction without a position in a module with positions, such as the branch at the end of a loop,
// has no place.
func (x *placer) of(i int) profile.Place {
	at, stated := x.module.facts.Line(i)
	if !stated || at.Line == 0 {
		if x.module.facts.HasLines() {
			return profile.Place{}
		}
		p := profile.Place{File: x.module.file, Line: max(x.viewer.shownLine(instructionPos(i)), 1)}
		x.quote(p, x.viewer.text(instructionPos(i)))
		return p
	}
	own := profile.Place{File: at.File, Line: int(at.Line)}
	p, known := x.lines[own]
	if known {
		return p
	}
	p = profile.Place{File: orElse(at.File, x.module.file), Line: own.Line}
	if x.from != nil {
		if n := x.from.LineOf(own.File, own.Line); n > 0 {
			p = profile.Place{File: x.file, Line: n}
		}
	}
	x.lines[own] = p
	f := valid.Finding{HasSource: true, Source: at}
	f.Pos = instructionPos(i)
	x.quote(p, x.viewer.source(&f))
	return p
}

// quote records the text of a line.
func (x *profiled) quote(at profile.Place, text string) {
	if _, ok := x.sources[at]; !ok && len(x.sources) < maxQuoted {
		x.sources[at] = text
	}
}

// whole returns the lines of the file of the profile: of the script, or of the shader. Other files are not read, because a module
// names them.
func (x *profiled) whole(file string) []string {
	if file != x.file {
		return nil
	}
	data, err := readFile(file)
	if err != nil || isBinary(data) {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// write writes the profile in a format.
func (x *profiled) write(w io.Writer, format string) error {
	p := &x.profile
	switch format {
	case "json":
		return writeJSON(w, p)
	case "pprof":
		return p.Pprof(w)
	case "lcov":
		return p.LCOV(w)
	case "cobertura":
		return p.Cobertura(w)
	case "html":
		return p.HTML(w, x.file, func(at profile.Place) string { return x.sources[at] }, x.whole)
	}
	return p.Text(w, func(at profile.Place) string { return strings.TrimSpace(x.sources[at]) })
}
