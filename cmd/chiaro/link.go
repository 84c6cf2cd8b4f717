package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
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
		Use:   "link --vert FILE --frag FILE [--layout FILE]",
		Short: "Judge whether the stages of a pipeline fit each other and a layout",
		Long: `Judge the interfaces between the stages of one pipeline, and its resources and push constants
against a pipeline layout in YAML or JSON:

  sets:
    0:
      0: {type: uniform_buffer, stages: [vertex]}
      1: {type: combined_image_sampler, count: 4, stages: [fragment]}
  push_constants:
    - {offset: 0, size: 16, stages: [vertex, fragment]}

The modules themselves are judged by check.`,
		Example: "  chiaro link --vert mesh.vert.spv --frag mesh.frag.spv --layout layout.yaml",
		Args:    cobra.NoArgs,
		RunE:    func(_ *cobra.Command, _ []string) error { return linkPipeline(c, f) },
	}
	fl := cmd.Flags()
	for _, s := range linkStages {
		f.files[s.flag] = fl.String(s.flag, "", "module of the "+s.what+" stage")
	}
	fl.StringVar(&f.entry, "entry", "", "name of the entry points; the only one of the stage by default")
	fl.StringVar(&f.layout, "layout", "", "pipeline layout, YAML or JSON")
	fl.StringVar(&f.format, "format", "text", "what is written: "+strings.Join(linkFormats, ", "))
	fl.StringVar(&f.targetEnv, "target-env", "vulkan1.4", "environment that text is assembled for")
	fl.StringVar(&f.maintenance4, "maintenance4", "", "whether the feature maintenance4 is enabled: on, off; not known by default")
	fl.BoolVar(&f.library, "library", false, "the stages are a part of a pipeline: others may be missing")
	complete(cmd, "format", linkFormats...)
	complete(cmd, "maintenance4", "on", "off")
	complete(cmd, "target-env", asm.Targets()...)
	return cmd
}

// linkPipeline judges one pipeline.
func linkPipeline(c console, f linkFlags) error {
	d := &link.Description{Library: f.library}
	switch f.maintenance4 {
	case "":
	case "on":
		d.Maintenance4 = link.On
	case "off":
		d.Maintenance4 = link.Off
	default:
		return unreadable("--maintenance4 %q: must be on or off", f.maintenance4)
	}
	env, ok := valid.ParseEnv(f.targetEnv)
	if !ok {
		return unreadable("--target-env %q: must be one such as vulkan1.3 or spv1.6", f.targetEnv)
	}
	for _, s := range linkStages {
		file := *f.files[s.flag]
		if file == "" {
			continue
		}
		shader, err := linkShader(c, file, s.what, f.entry, env)
		if err != nil {
			return err
		}
		d.Stages = append(d.Stages, *shader)
	}
	if len(d.Stages) == 0 {
		return &coded{exitNothing, "no stage: name modules with --vert, --frag and the like"}
	}
	if f.layout != "" {
		var err error
		if d.Layout, err = readLayout(f.layout); err != nil {
			return err
		}
	}
	found := link.Link(d)
	if err := writeLink(c.out, f.format, found); err != nil {
		return err
	}
	if len(found) > 0 {
		return &coded{exitFindings, ""}
	}
	return nil
}

// linkShader reads the module of a stage and finds its entry point.
func linkShader(c console, file, stage, name string, env *valid.Env) (*link.Shader, error) {
	data, err := readModule(c, file)
	if err != nil {
		return nil, err
	}
	m, err := decodeModule(data, file, env, nil)
	if err != nil {
		return nil, unreadable("%s: %v", file, err)
	}
	v := valid.Assume(facts.Gather(m, nil))
	want, _ := link.ParseStage(strings.ReplaceAll(stage, " ", "_"))
	var found []*iface.Entry
	for _, e := range iface.Reflect(v) {
		if k := link.StageOf(e.Model); k >= 0 && want>>k&1 != 0 && (name == "" || name == e.Name) {
			found = append(found, e)
		}
	}
	if len(found) != 1 {
		return nil, unreadable("%s: has %d entry points of the %s stage; must have one, or --entry must name it", file, len(found), stage)
	}
	return &link.Shader{File: file, Module: v, Entry: found[0]}, nil
}

// layoutFile is a pipeline layout as it is written.
type layoutFile struct {
	Sets map[uint32]map[uint32]struct {
		Type    link.DescriptorType   `yaml:"type"`
		Count   *uint32               `yaml:"count"`
		Stages  []string              `yaml:"stages"`
		Mutable []link.DescriptorType `yaml:"mutable"`
	} `yaml:"sets"`
	Push []struct {
		Offset uint32   `yaml:"offset"`
		Size   uint32   `yaml:"size"`
		Stages []string `yaml:"stages"`
	} `yaml:"push_constants"`
}

// maxLayout bounds the text of a layout: 16 MiB.
const maxLayout = 16 << 20

// readLayout reads a layout; what is wrong in it is said with line and column.
func readLayout(file string) (*link.Layout, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, unreadable("%v", err)
	}
	if len(data) > maxLayout {
		return nil, unreadable("%s: larger than %d bytes", file, maxLayout)
	}
	var in layoutFile
	if err := yaml.UnmarshalWithOptions(data, &in, yaml.DisallowUnknownField()); err != nil {
		return nil, unreadable("%s: %s", file, yaml.FormatError(err, false, true))
	}
	out := &link.Layout{}
	for number, bindings := range in.Sets {
		set := link.Set{Number: number}
		for n, b := range bindings {
			stages, err := stagesOf(b.Stages)
			if err == nil {
				err = knownTypes(append(b.Mutable, b.Type))
			}
			if err != nil {
				return nil, unreadable("%s: set %d binding %d: %v", file, number, n, err)
			}
			k := link.Binding{Binding: n, Type: b.Type, Count: 1, Stages: stages, Mutable: b.Mutable}
			if b.Count != nil {
				k.Count = *b.Count
			}
			set.Bindings = append(set.Bindings, k)
		}
		out.Sets = append(out.Sets, set)
	}
	for i, p := range in.Push {
		stages, err := stagesOf(p.Stages)
		if err != nil {
			return nil, unreadable("%s: push constant range %d: %v", file, i, err)
		}
		out.Push = append(out.Push, link.Range{Offset: p.Offset, Size: p.Size, Stages: stages})
	}
	return out, nil
}

// stagesOf reads names of stages; none are all.
func stagesOf(names []string) (link.Stages, error) {
	if len(names) == 0 {
		return link.AllStages, nil
	}
	var out link.Stages
	for _, n := range names {
		s, ok := link.ParseStage(n)
		if !ok {
			return 0, fmt.Errorf("stage %q: must be %s", n, strings.Join(link.StageNames(), ", "))
		}
		out |= s
	}
	return out, nil
}

func knownTypes(list []link.DescriptorType) error {
next:
	for _, t := range list {
		for _, k := range link.DescriptorTypes() {
			if t == k {
				continue next
			}
		}
		return fmt.Errorf("type %q: must be one of %v", t, link.DescriptorTypes())
	}
	return nil
}

// linkRecord is a finding in machine output.
type linkRecord struct {
	Code     string      `json:"code"`
	Severity string      `json:"severity"`
	Message  string      `json:"message"`
	Sides    []link.Side `json:"sides"`
}

// writeLink writes the findings, both sides in columns.
func writeLink(w io.Writer, format string, found []link.Finding) error {
	switch format {
	case "json":
		out := []linkRecord{}
		for _, x := range found {
			out = append(out, linkRecord{x.Code, x.Severity.String(), x.Message, x.Sides})
		}
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(out)
	case "text":
	default:
		return unreadable("--format %q: must be %s", format, strings.Join(linkFormats, ", "))
	}
	for _, x := range found {
		where := "pipeline"
		if len(x.Sides) > 0 && x.Sides[0].File != "" {
			where = sideFile(x.Sides[0])
		}
		fmt.Fprintf(w, "%s: %s: %s [%s]\n", where, x.Severity, x.Message, x.Code)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, s := range x.Sides {
			fmt.Fprintf(t, "    %s\t%s\t%s\t%s\t%s\t%s\n", s.Stage, s.Name, s.Place, s.Type, s.Decorations, sideFile(s))
		}
		t.Flush()
	}
	fmt.Fprintf(w, "LINKED  findings %d\n", len(found))
	return nil
}

// sideFile is the file and the line of a side.
func sideFile(s link.Side) string {
	if s.HasSource {
		return fmt.Sprintf("%s:%d:%d", s.Source.File, s.Source.Line, s.Source.Column)
	}
	return s.File
}
