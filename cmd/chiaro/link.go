package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/describe"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// linkFlags are the flags of link.
type linkFlags struct {
	files        map[string]*string // by stage
	entry        string
	layout       string
	format       string
	targetEnv    string
	maintenance4 string
	library      bool
	check        checkFlags // its profiles
}

// linkStages are the flags that name the module of a stage.
var linkStages = []struct{ flag, what string }{
	{"vert", "vertex"}, {"tesc", "tessellation control"}, {"tese", "tessellation evaluation"}, {"geom", "geometry"},
	{"task", "task"}, {"mesh", "mesh"}, {"frag", "fragment"}, {"comp", "compute"},
}

var linkFormats = []string{"text", "json"}

func newLink(c console) *cobra.Command {
	f := linkFlags{files: map[string]*string{}}
	cmd := &cobra.Command{
		Use:   "link FILE.pipeline.yaml... | --vert FILE --frag FILE [--layout FILE]",
		Short: "Check the stages of a pipeline against each other and a pipeline layout",
		Long: `Check the interfaces between the stages of a pipeline, its resources and push constants against
its layout, and vertex inputs against vertex attributes. A description in YAML or JSON has the pipeline.
The names of its files are relative to the folder of the description:

  stages:
    vertex: mesh.vert.spv
    fragment: {file: mesh.frag.spv, entry: main, specialization: {0: 4, 1: true}}
  layout:
    sets:
      0:
        0: {type: uniform_buffer, stages: [vertex]}
        1: {type: combined_image_sampler, count: 4, stages: [fragment]}
    push_constants:
      - {offset: 0, size: 16, stages: [vertex, fragment]}
  vertex_attributes:
    - {location: 0, format: R32G32B32_SFLOAT}
  features: {maintenance4: true}

Flags can describe a pipeline too; the file of --layout then has the part "layout" of a description.
Descriptions may have more parts: vertex_input, input_assembly, tessellation, viewport, rasterization,
multisample, depth_stencil, color_blend, dynamic, render_pass, rendering, ray_tracing and libraries
(docs/pipeline.schema.json). A set with the value null is a set that a library omits.

The command check also checks the modules themselves, and accepts the same descriptions.`,
		Example: "  chiaro link mesh.pipeline.yaml\n  chiaro link --vert mesh.vert.spv --frag mesh.frag.spv --layout layout.yaml",
		RunE:    stoppable(func(ctx context.Context, args []string) error { return linkPipelines(ctx, c, &f, args) }),
	}
	fl := cmd.Flags()
	for _, s := range linkStages {
		f.files[s.flag] = fl.String(s.flag, "", "module of the "+s.what+" stage")
	}
	fl.StringVar(&f.entry, "entry", "", "name of the entry points (default: the stage's only one)")
	fl.StringVar(&f.layout, "layout", "", "pipeline layout, YAML or JSON")
	fl.StringVar(&f.format, "format", "text", "output format: "+strings.Join(linkFormats, ", "))
	fl.StringVar(&f.targetEnv, "target-env", "vulkan1.4", "target environment of the assembler")
	fl.StringVar(&f.maintenance4, "maintenance4", "", "state of the feature maintenance4: on, off; unknown by default")
	addReading(cmd, &f.check.env.Reading)
	f.check.profileFlags(cmd)
	outsideFlag(fl, &f.check.allowOutside)
	fl.BoolVar(&f.library, "library", false, "the stages are part of a pipeline; others may be missing")
	onFlag(fl, &f.check.on)
	complete(cmd, "format", linkFormats...)
	complete(cmd, "maintenance4", "on", "off")
	complete(cmd, "target-env", asm.Targets()...)
	return cmd
}

// linkPipelines judges the pipelines that files describe, and the one that flags do.
func linkPipelines(ctx context.Context, c console, f *linkFlags, files []string) error {
	env, ok := valid.ParseEnv(f.targetEnv)
	switch {
	case !ok:
		return unreadable("--target-env %q: must be one such as vulkan1.3 or spv1.6", f.targetEnv)
	case f.check.matrix:
		return unreadable("--matrix: use chiaro check --matrix, which accepts descriptions too")
	case !slices.Contains([]string{"", "on", "off"}, f.maintenance4):
		return unreadable("--maintenance4 %q: must be on or off", f.maintenance4)
	}
	env.Reading = f.check.env.Reading
	f.check.format, f.check.targetEnv = "text", f.targetEnv
	if err := f.check.loadProfiles(c, env); err != nil {
		return err
	}
	j := &judge{c: c, f: f.check, env: env, modules: newModuleStore()}
	flagged, err := j.flaggedPipeline(ctx, f)
	if err != nil {
		return err
	}
	if len(flagged.Stages) > 0 {
		files = append(slices.Clone(files), "")
	}
	if len(files) == 0 {
		return &coded{exitNothing, "no pipeline: name a description, or modules with --vert, --frag and the like"}
	}
	var found []shownFinding
	judged := 0
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var sent sentModules
	defer sent.remove()
	pool[*checked]{
		items: len(files), jobs: runtime.GOMAXPROCS(0),
		work: func(i int) *checked {
			return j.linkOne(files[i], func() (*link.Description, error) {
				if files[i] == "" {
					return flagged, nil
				}
				return j.readPipeline(ctx, files[i])
			}, f)
		},
		notRun: func(i int) *checked { return notChecked(&subject{name: files[i]}) },
		live:   func(*checked) {},
		ordered: func(x *checked) {
			found = append(found, x.findings...)
			if e := x.broken(); e == nil {
				judged++
			} else if err == nil {
				err = e
			}
		},
		elsewhere: f.onFleet(j, files, &sent, stop),
	}.run(ctx)
	if err := fleetError(ctx); err != nil {
		return err
	}
	if err != nil && len(found) == 0 {
		return err
	}
	// A description that cannot be read does not hide the findings in the others.
	if err := cmp.Or(writeLink(c.out, f.format, found, judged), err); err != nil {
		return err
	}
	if len(found) > 0 {
		return &coded{exitFindings, ""}
	}
	return nil
}

// linkOne judges one pipeline.
func (j *judge) linkOne(file string, read func() (*link.Description, error), f *linkFlags) *checked {
	x := &checked{file: file, verdict: verdictUnreadable}
	j.guarded(file, x, func(x *checked) {
		d, err := read()
		if err != nil {
			x.message = err.Error()
			return
		}
		f.complete(d)
		j.read(d.Reading).link(d, x)
	})
	return x
}

// complete adds the flags for all pipelines to a description.
func (f *linkFlags) complete(d *link.Description) {
	d.Library = d.Library || f.library
	if f.maintenance4 == "" {
		return
	}
	if d.Device == nil {
		d.Device = &valid.Device{}
	}
	if d.Device.Features == nil {
		d.Device.Features = map[string]bool{}
	}
	d.Device.Features["maintenance4"] = f.maintenance4 == "on"
}

// broken returns the error of a pipeline without a verdict.
func (x *checked) broken() error {
	switch x.verdict {
	case verdictUnreadable:
		return unreadable("%s", x.message)
	case verdictInternal:
		return &coded{exitInternal, x.message}
	case verdictNotRun:
		return &coded{exitInterrupt, "interrupted"}
	}
	return nil
}

// flaggedPipeline returns the pipeline that the flags describe; it has no stages if
// no flag names one.
func (j *judge) flaggedPipeline(ctx context.Context, f *linkFlags) (*link.Description, error) {
	d := &link.Description{}
	for _, s := range linkStages {
		file := *f.files[s.flag]
		if file == "" {
			continue
		}
		stage, _ := link.ParseStage(strings.ReplaceAll(s.what, " ", "_"))
		shader, err := j.fileShader(ctx, describe.Stage{File: file, Stage: stage, Entry: f.entry})
		var missing *link.NoEntryError
		if errors.As(err, &missing) {
			return nil, unreadable("%v", err)
		}
		if err != nil {
			return nil, err
		}
		d.Stages = append(d.Stages, *shader)
	}
	if f.layout != "" {
		data, err := readFile(f.layout)
		if err != nil {
			return nil, unreadable("%v", err)
		}
		if d.Layout, err = describe.Layout(data, f.layout); err != nil {
			return nil, unreadable("%v", err)
		}
		d.Position = positions(data, f.layout, "layout")
	}
	return d, nil
}

// readPipeline reads the description of a pipeline and the modules it names.
func (j *judge) readPipeline(ctx context.Context, file string) (*link.Description, error) {
	data, err := j.readNamed(file)
	if err != nil {
		return nil, unreadable("%v", err)
	}
	if isBinary(data) {
		return nil, unreadable("%s: is a module; must be a description of a pipeline, and modules are named with --vert, --frag and the like", file)
	}
	if err := packed(file, data); err != nil {
		return nil, err
	}
	d, err := describe.Read(data, file, func(s describe.Stage) (*link.Shader, error) {
		s.File = besideFile(file, s.File)
		return j.fileShader(ctx, s)
	})
	if err != nil {
		return nil, unreadable("%v", err)
	}
	d.Env = j.env
	d.Position = positions(data, file, "")
	return d, nil
}

// besideFile returns the path of a file whose name is relative to the folder of a description.
func besideFile(description, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(description), name)
}

// positions returns a function that finds a path in a description, or in the text of one of
// its members.
func positions(data []byte, file, member string) func(string) (string, int, int) {
	text := sync.OnceValue(func() describe.Positions { return describe.NewPositions(data) })
	return func(path string) (string, int, int) {
		rest, ok := strings.CutPrefix(path, member)
		if !ok {
			return "", 0, 0
		}
		line, column := text().At(strings.TrimPrefix(rest, "."))
		return file, line, column
	}
}

// fileShader reads the module of a stage and finds its entry point.
func (j *judge) fileShader(ctx context.Context, s describe.Stage) (*link.Shader, error) {
	m, err := j.modules.get(s.File, s.Specialization, cmp.Or(j.env.Reading, s.Reading), func() (*facts.Module, error) {
		data, err := j.stageModule(ctx, s.File)
		if err != nil {
			return nil, err
		}
		m, err := decodeModule(data, s.File, j.env, nil)
		if err != nil {
			return nil, unreadable("%s: %v", s.File, err)
		}
		return facts.Gather(m, s.Specialization), nil
	})
	if err != nil {
		return nil, err
	}
	if s.Graph {
		return &link.Shader{File: s.File, Load: m.load}, nil
	}
	return m.shader(s.File, s.Stage, s.Entry)
}

// linkRecord is a finding in machine output.
type linkRecord struct {
	Code     string      `json:"code"`
	Severity string      `json:"severity"`
	Message  string      `json:"message"`
	Profiles []string    `json:"profile,omitempty"` // the profiles on which the finding applies
	Sides    []link.Side `json:"sides"`

	Source *sourceRecord `json:"source,omitempty"` // the part of the description that the finding is about
}

// writeLink writes the findings, both sides in columns.
func writeLink(w io.Writer, format string, found []shownFinding, pipelines int) error {
	switch format {
	case "json":
		out := []linkRecord{}
		for _, x := range found {
			r := linkRecord{Code: x.Code, Severity: x.Severity.String(), Message: x.Message, Profiles: x.Profiles, Sides: x.sides}
			if x.described {
				r.Source = &sourceRecord{x.Source.File, x.Source.Line, x.Source.Column}
			}
			out = append(out, r)
		}
		return writeJSON(w, out)
	case "text":
	default:
		return unreadable("--format %q: must be %s", format, strings.Join(linkFormats, ", "))
	}
	for _, x := range found {
		where := "pipeline"
		switch {
		case x.described:
			where = position(x.Source.File, int(x.Source.Line), int(x.Source.Column))
		case len(x.sides) > 0 && x.sides[0].File != "":
			where = sideFile(x.sides[0])
		}
		plain.Fprintf(w, "%s: %s: %s [%s]\n", where, x.Severity, x.Message, x.Code)
		writeSides(w, x.sides)
		if len(x.Profiles) > 0 {
			plain.Fprintf(w, "    on %s\n", strings.Join(x.Profiles, ", "))
		}
	}
	plain.Fprintf(w, "LINKED %d  findings %d\n", pipelines, len(found))
	return nil
}

// writeSides writes the sides of a mismatch, one a line.
func writeSides(w io.Writer, sides []link.Side) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range sides {
		plain.Fprintf(t, "    %s\t%s\t%s\t%s\t%s\t%s\n", s.Stage, s.Name, s.Slot, s.Type, s.Decorations, sideFile(s))
	}
	t.Flush()
}

// sideFile is the file and the line of a side.
func sideFile(s link.Side) string {
	if s.HasSource {
		return s.Source.String()
	}
	return s.File
}
