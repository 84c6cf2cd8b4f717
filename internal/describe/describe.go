// Package describe reads hand-written descriptions of pipelines: YAML or JSON, with the
// words of Vulkan in lower case. It does not read modules, which is the task of its caller,
// and does not check pipelines, which is the task of package link. Every error has the
// file, and the line if there is one.
package describe

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/chiaro-gpu/chiaro/device"
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// pipelineFile is a pipeline as it is written.
type pipelineFile struct {
	Kind          kindName             `yaml:"kind"`
	Flags         enum.PipelineFlags   `yaml:"flags"`
	Stages        map[string]stageFile `yaml:"stages"`
	Layout        *layoutFile          `yaml:"layout"`
	Vertex        *link.VertexInput    `yaml:"vertex_input"`
	Assembly      *link.InputAssembly  `yaml:"input_assembly"`
	Tessellation  *link.Tessellation   `yaml:"tessellation"`
	Viewport      *link.Viewport       `yaml:"viewport"`
	Rasterization *link.Rasterization  `yaml:"rasterization"`
	Multisample   *link.Multisample    `yaml:"multisample"`
	DepthStencil  *link.DepthStencil   `yaml:"depth_stencil"`
	Blend         *link.ColorBlend     `yaml:"color_blend"`
	ShadingRate   *link.ShadingRate    `yaml:"fragment_shading_rate"`
	Dynamic       *[]enum.DynamicState `yaml:"dynamic"`
	Pass          *link.RenderPass     `yaml:"render_pass"`
	Subpass       uint32               `yaml:"subpass"`
	Rendering     *link.Rendering      `yaml:"rendering"`
	RayStages     []rayStageFile       `yaml:"ray_stages"`
	Nodes         []StageBody          `yaml:"nodes"`
	Graph         *graphFile           `yaml:"data_graph"`
	Rays          *link.Rays           `yaml:"ray_tracing"`
	Robustness    *link.Robustness     `yaml:"robustness"`
	Attributes    *[]link.Attribute    `yaml:"vertex_attributes"` // vertex_input without its buffers
	Features      map[string]bool      `yaml:"features"`
	Limits        map[string]uint64    `yaml:"limits"`
	Extensions    map[string]bool      `yaml:"extensions"`
	VertexFormats map[string]bool      `yaml:"vertex_formats"` // that buffers of vertices may have
	Library       bool                 `yaml:"library"`
	Parts         enum.Parts           `yaml:"parts"`
	Libraries     []pipelineFile       `yaml:"libraries"`
	NoLayout      bool                 `yaml:"no_layout"`
	Call          *link.Call           `yaml:"call"`
	Queues        *[]link.Queue        `yaml:"queues"`
	Commands      *commandsFile        `yaml:"commands"`
	Base          *enum.PipelineFlags  `yaml:"base_pipeline_flags"` // of the one that it derives from
	Reading       readingName          `yaml:"reading"`
}

// stageFile is a stage: the name of its file, or more than that.
type stageFile struct {
	StageBody `yaml:",inline"`
}

// StageBody is the description of a stage. It is exported because the YAML reader sets
// embedded structs only if they are exported.
type StageBody struct {
	File           string           `yaml:"file"`
	Entry          string           `yaml:"entry"`
	Specialization map[uint32]any   `yaml:"specialization"`
	Flags          enum.StageFlags  `yaml:"flags"`
	SubgroupSize   uint32           `yaml:"subgroup_size"`
	Robustness     *link.Robustness `yaml:"robustness"`
	Entries        []link.SpecEntry `yaml:"specialization_entries"` // the positions of the values; the values are in Specialization
	Object         enum.ObjectFlags `yaml:"object_flags"`
	Identifier     uint32           `yaml:"identifier_size"` // bytes of an identifier of the module
	InChain        bool             `yaml:"code_in_chain"`
	Next           *[]link.Stages   `yaml:"next_stages"`
	Mappings       *[]link.Mapping  `yaml:"mappings"`
	Node           *link.Node       `yaml:"node"`
}

// rayStageFile is a stage of a ray tracing pipeline; its groups refer to stages by index.
type rayStageFile struct {
	Stage     string `yaml:"stage"`
	StageBody `yaml:",inline"`
}

// UnmarshalYAML also accepts a name alone.
func (s *stageFile) UnmarshalYAML(read func(any) error) error {
	var v any
	if err := read(&v); err != nil {
		return err
	}
	if name, ok := v.(string); ok {
		s.File = name
		return nil
	}
	return read(&s.StageBody)
}

// decode reads YAML into a value; its errors have a line and a column. name is the file
// name in errors.
func decode(data []byte, name string, to any) error {
	root, err := parse(data, name)
	if err != nil || root == nil {
		return err
	}
	if f := conform(root, reflect.TypeOf(to).Elem()); f != nil {
		return f.error(name)
	}
	if err := yaml.NodeToValue(root, to, yaml.DisallowUnknownField()); err != nil {
		return faultOf(root, name, err)
	}
	return nil
}

// kindName is the kind of a pipeline as it is written.
type kindName string

// Names returns the names that a description may have.
func (kindName) Names() []string {
	var out []string
	for n := range kinds {
		if n != "" {
			out = append(out, string(n))
		}
	}
	slices.Sort(out)
	return out
}

// UnmarshalText reads a name.
func (k *kindName) UnmarshalText(text []byte) error {
	if _, ok := kinds[kindName(text)]; !ok {
		return &enum.ValueError{Text: string(text), Want: strings.Join(k.Names(), ", ")}
	}
	*k = kindName(text)
	return nil
}

// UnmarshalYAML reads a name.
func (k *kindName) UnmarshalYAML(read func(any) error) error {
	var name string
	if err := read(&name); err != nil {
		return err
	}
	return k.UnmarshalText([]byte(name))
}

// readingName is a reading as it is written: a text, or a number such as 1.1.
type readingName struct{ facts.Reading }

// UnmarshalYAML reads a name.
func (r *readingName) UnmarshalYAML(read func(any) error) error {
	var v any
	if err := read(&v); err != nil {
		return err
	}
	name := fmt.Sprint(v)
	if n, ok := v.(float64); ok && n == 1 {
		name = "1.0"
	}
	var ok bool
	if r.Reading, ok = facts.ParseReading(name); !ok || name == "" {
		return &enum.ValueError{Text: name, Want: strings.Join(facts.Readings, ", ")}
	}
	return nil
}

// kinds are the kinds of pipelines.
var kinds = map[kindName]link.Kind{"": link.Any, "graphics": link.Graphics, "compute": link.Compute, "ray_tracing": link.RayTracing, "shader_objects": link.ShaderObjects, "execution_graph": link.ExecutionGraph, "ray_tracing_nv": link.RayTracingNV, "data_graph": link.DataGraph}

// Stage is a stage as a description names it.
type Stage struct {
	File           string // as written: relative to the folder of the description
	Stage          link.Stages
	Entry          string // "" for the only one of the stage
	Specialization facts.Spec
	Graph          bool // it is no stage, but the module of a data graph pipeline
	Reading        facts.Reading
}

// Read reads the description of a pipeline; load reads the modules it names.
// name is for errors.
func Read(data []byte, name string, load func(Stage) (*link.Shader, error)) (*link.Description, error) {
	var in pipelineFile
	if err := decode(data, name, &in); err != nil {
		return nil, err
	}
	if in.empty() {
		return nil, fmt.Errorf("%s: describes nothing; must have stages, or another member", name)
	}
	d, err := in.pipeline(name, "", 0, load)
	return d, find(data, name, err)
}

// empty reports whether nothing is written at all.
func (in *pipelineFile) empty() bool { return reflect.ValueOf(in).Elem().IsZero() }

// maxLibraries bounds the nesting depth of libraries.
const maxLibraries = 4

// pipeline is the pipeline that was written, with its stages and libraries.
// path is its own path, with a period, "" for the whole description.
func (in *pipelineFile) pipeline(name, path string, depth int, load func(Stage) (*link.Shader, error)) (*link.Description, error) {
	d, err := in.description(name)
	if err != nil {
		return nil, err
	}
	d.Path = path
	if depth > maxLibraries {
		return nil, at("libraries", "deeper than %d", maxLibraries)
	}
	for i := range in.Libraries {
		in.Libraries[i].Reading.Reading = cmp.Or(in.Libraries[i].Reading.Reading, d.Reading)
		b, err := in.Libraries[i].pipeline(fmt.Sprintf("%s: libraries[%d]", name, i), fmt.Sprintf("%slibraries[%d].", path, i), depth+1, load)
		if err != nil {
			return nil, inside(fmt.Sprintf("libraries[%d]", i), err)
		}
		d.Libraries = append(d.Libraries, b)
	}
	for _, n := range slices.Sorted(maps.Keys(in.Stages)) {
		s := in.Stages[n]
		if err := s.add(d, load, n, path+"stages."+n); err != nil {
			return nil, inside("stages."+n, err)
		}
	}
	for i := range in.Nodes {
		if err := in.Nodes[i].add(d, load, "compute", fmt.Sprintf("%snodes[%d]", path, i)); err != nil {
			return nil, inside(fmt.Sprintf("nodes[%d]", i), err)
		}
	}
	for i := range in.RayStages {
		s := &in.RayStages[i]
		if err := s.add(d, load, s.Stage, fmt.Sprintf("%sray_stages[%d]", path, i)); err != nil {
			return nil, inside(fmt.Sprintf("ray_stages[%d]", i), err)
		}
	}
	return d, in.addGraph(d, load)
}

// Layout reads only the layout of a description.
func Layout(data []byte, name string) (*link.Layout, error) {
	var in layoutFile
	if err := decode(data, name, &in); err != nil {
		return nil, err
	}
	out, err := in.layout()
	return out, find(data, name, err)
}

// description converts the parsed file, without its stages.
func (in *pipelineFile) description(file string) (*link.Description, error) {
	d := &link.Description{
		Name: file, Kind: kinds[in.Kind], Flags: in.Flags, Vertex: in.Vertex, Assembly: in.Assembly, Tessellation: in.Tessellation,
		Viewport: in.Viewport, Rasterization: in.Rasterization, Multisample: in.Multisample, DepthStencil: in.DepthStencil,
		Blend: in.Blend, ShadingRate: in.ShadingRate, Pass: in.Pass, Subpass: in.Subpass, Rendering: in.Rendering,
		Rays: in.Rays, Robustness: in.Robustness, Library: in.Library || in.Flags&enum.PipelineFlagsLibrary != 0, Parts: in.Parts, NoLayout: in.NoLayout, Base: in.Base, Call: in.Call, Queues: in.Queues,
		Reading: in.Reading.Reading,
	}
	if in.Dynamic != nil {
		d.Dynamic, d.HasDynamic = *in.Dynamic, true
	}
	if in.Attributes != nil {
		if d.Vertex != nil {
			return nil, at("vertex_attributes", "must not be beside vertex_input, which has its own attributes")
		}
		d.Vertex = &link.VertexInput{Attributes: *in.Attributes}
	}
	for _, n := range slices.Sorted(maps.Keys(in.Features)) {
		if !device.Feature(n) {
			return nil, at("features."+n, "no feature of Vulkan has this name")
		}
	}
	for _, n := range slices.Sorted(maps.Keys(in.Limits)) {
		if err := device.CheckLimit(n); err != nil {
			return nil, &pathError{"limits." + n, err}
		}
	}
	if in.Features != nil || in.Limits != nil || in.Extensions != nil || in.VertexFormats != nil {
		d.Device = &valid.Device{Name: file, Features: in.Features, Limits: in.Limits, Extensions: in.Extensions, VertexFormats: in.VertexFormats}
	}
	if in.NoLayout && in.Layout != nil {
		return nil, at("no_layout", "must not be beside layout")
	}
	if in.Commands != nil {
		var err error
		if d.Commands, err = in.Commands.commands(); err != nil {
			return nil, inside("commands", err)
		}
	}
	if in.Layout != nil {
		var err error
		if d.Layout, err = in.Layout.layout(); err != nil {
			return nil, inside("layout", err)
		}
	}
	return d, nil
}

// add adds the stage to a pipeline; path is its path in the description.
func (s *StageBody) add(d *link.Description, load func(Stage) (*link.Shader, error), stage, path string) error {
	set, ok := link.ParseStage(stage)
	if !ok || strings.HasPrefix(stage, "all") {
		return fmt.Errorf("the stage %q; must be one of %s", stage, strings.Join(link.StageNames()[2:], ", "))
	}
	out := Stage{File: s.File, Stage: set, Entry: s.Entry, Reading: d.Reading}
	values, err := specialization(s.Specialization)
	if err != nil {
		return err
	}
	out.Specialization = values.Spec()
	shader := &link.Shader{NoModule: s.File == "" && s.Identifier == 0}
	if s.File != "" {
		var missing *link.NoEntryError
		shader, err = load(out)
		if err == nil && shader.Entry != nil {
			var other bool
			if other, err = values.fit(out.Specialization, shader.Entry.Constants); other && err == nil {
				shader, err = load(out)
			}
		}
		if errors.As(err, &missing) {
			shader = &link.Shader{File: s.File, Missing: missing}
		} else if err != nil {
			return err
		}
	}
	shader.Path = path
	shader.Stage, shader.Identifier, shader.InChain = set, s.Identifier, s.InChain
	shader.Flags, shader.SubgroupSize, shader.Robustness = s.Flags, s.SubgroupSize, s.Robustness
	shader.Specialization, shader.Object, shader.Mappings = s.Entries, s.Object, s.Mappings
	shader.Node = s.Node
	if s.Next != nil {
		shader.HasNext = true
		for _, n := range *s.Next {
			shader.Next |= n
		}
	}
	d.Stages = append(d.Stages, *shader)
	return nil
}

// layoutFile is a pipeline layout as it is written.
type layoutFile struct {
	Flags    enum.LayoutFlags         `yaml:"flags"`
	SetFlags map[uint32]enum.SetFlags `yaml:"set_flags"`
	// Flagged is how many bindings of a set the list of flags is for.
	Flagged map[uint32]uint32                  `yaml:"flagged_bindings"`
	Sets    map[uint32]map[uint32]*bindingFile `yaml:"sets"`
	Push    []rangeFile                        `yaml:"push_constants"`
}

// rangeFile is a push constant range as it is written.
type rangeFile struct {
	Offset uint32         `yaml:"offset"`
	Size   uint32         `yaml:"size"`
	Stages *[]link.Stages `yaml:"stages"` // nil: all
}

// bindingFile is one binding of a set.
type bindingFile struct {
	Number   *uint32               `yaml:"binding"` // in place of its key, so that two may have one number
	Type     link.DescriptorType   `yaml:"type"`
	Count    *uint32               `yaml:"count"`
	Stages   *[]link.Stages        `yaml:"stages"` // nil: all
	Mutable  []link.DescriptorType `yaml:"mutable"`
	Flags    enum.BindingFlags     `yaml:"flags"`
	Samplers samplersFile          `yaml:"immutable_samplers"`
	Ycbcr    bool                  `yaml:"ycbcr"`
}

// samplersFile is the immutable samplers of a binding: whether there are some,
// or a list of them.
type samplersFile struct {
	some bool
	list []link.Sampler
}

// UnmarshalYAML accepts a Boolean or a list.
func (s *samplersFile) UnmarshalYAML(read func(any) error) error {
	if read(&s.some) == nil {
		return nil
	}
	s.some = true
	return read(&s.list)
}

// layout converts the parsed layout.
func (in *layoutFile) layout() (*link.Layout, error) {
	out := &link.Layout{Flags: in.Flags}
	for _, number := range slices.Sorted(maps.Keys(in.SetFlags)) {
		if _, ok := in.Sets[number]; !ok {
			return nil, at(fmt.Sprintf("set_flags.%d", number), "there is no such set; must be one of sets")
		}
	}
	for _, number := range slices.Sorted(maps.Keys(in.Flagged)) {
		if _, ok := in.Sets[number]; !ok {
			return nil, at(fmt.Sprintf("flagged_bindings.%d", number), "there is no such set; must be one of sets")
		}
	}
	for _, number := range slices.Sorted(maps.Keys(in.Sets)) {
		bindings := in.Sets[number]
		set := link.Set{Number: number, Flags: in.SetFlags[number], Null: bindings == nil}
		if n, ok := in.Flagged[number]; ok {
			set.Flagged = &n
		}
		for _, n := range slices.Sorted(maps.Keys(bindings)) {
			b := bindings[n]
			if b == nil || b.Type == "" {
				return nil, at(fmt.Sprintf("sets.%d.%d", number, n), "no type; must have one")
			}
			k := link.Binding{
				Binding: n, Type: b.Type, Count: 1, Stages: allOf(b.Stages), Mutable: b.Mutable, Flags: b.Flags,
				Samplers: b.Samplers.some || b.Ycbcr, Ycbcr: b.Ycbcr, Immutable: b.Samplers.list,
			}
			for _, s := range k.Immutable {
				k.Ycbcr = k.Ycbcr || s.Ycbcr
			}
			if b.Number != nil {
				k.Binding = *b.Number
			}
			if b.Count != nil {
				k.Count = *b.Count
			}
			set.Bindings = append(set.Bindings, k)
		}
		out.Sets = append(out.Sets, set)
	}
	for _, p := range in.Push {
		out.Push = append(out.Push, link.Range{Offset: p.Offset, Size: p.Size, Stages: allOf(p.Stages)})
	}
	return out, nil
}

// allOf is the set of stages that are named, all if there is no list.
func allOf(list *[]link.Stages) (out link.Stages) {
	if list == nil {
		return link.AllStages
	}
	for _, s := range *list {
		out |= s
	}
	return out
}
