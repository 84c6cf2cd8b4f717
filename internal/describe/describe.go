// Package describe reads descriptions of pipelines that people write: YAML or
// JSON, with the words of Vulkan in lower case. It refuses to know how modules
// are read, which its caller does, and what is wrong in a pipeline, which is
// link's. Every error says the file, and the line where there is one.
package describe

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// pipelineFile is a pipeline as it is written.
type pipelineFile struct {
	Kind          string               `yaml:"kind"`
	Flags         link.PipelineFlags   `yaml:"flags"`
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
	Dynamic       *[]link.DynamicState `yaml:"dynamic"`
	Pass          *link.RenderPass     `yaml:"render_pass"`
	Subpass       uint32               `yaml:"subpass"`
	Rendering     *link.Rendering      `yaml:"rendering"`
	RayStages     []rayStageFile       `yaml:"ray_stages"`
	Nodes         []StageBody          `yaml:"nodes"`
	Rays          *link.Rays           `yaml:"ray_tracing"`
	Robustness    *link.Robustness     `yaml:"robustness"`
	Attributes    *[]link.Attribute    `yaml:"vertex_attributes"` // vertex_input without its buffers
	Features      map[string]bool      `yaml:"features"`
	Limits        map[string]uint64    `yaml:"limits"`
	Extensions    map[string]bool      `yaml:"extensions"`
	VertexFormats map[string]bool      `yaml:"vertex_formats"` // that buffers of vertices may have
	Library       bool                 `yaml:"library"`
	Parts         link.Parts           `yaml:"parts"`
	Libraries     []pipelineFile       `yaml:"libraries"`
	NoLayout      bool                 `yaml:"no_layout"`
	Base          *link.PipelineFlags  `yaml:"base_pipeline_flags"` // of the one that it derives from
}

// stageFile is a stage: the name of its file, or more than that.
type stageFile struct {
	StageBody `yaml:",inline"`
}

// StageBody is what is said of a stage. It is exported for the reader of YAML,
// which sets no others that are embedded.
type StageBody struct {
	File           string           `yaml:"file"`
	Entry          string           `yaml:"entry"`
	Specialization map[uint32]any   `yaml:"specialization"`
	Flags          link.StageFlags  `yaml:"flags"`
	SubgroupSize   uint32           `yaml:"subgroup_size"`
	Robustness     *link.Robustness `yaml:"robustness"`
	Entries        []link.SpecEntry `yaml:"specialization_entries"` // where values stand, of which none is read
	Object         link.ObjectFlags `yaml:"object_flags"`
	Identifier     uint32           `yaml:"identifier_size"` // bytes of an identifier of the module
	InChain        bool             `yaml:"code_in_chain"`
	Next           *[]link.Stages   `yaml:"next_stages"`
	Mappings       *[]link.Mapping  `yaml:"mappings"`
	Node           *link.Node       `yaml:"node"`
}

// rayStageFile is a stage of a ray tracing pipeline, whose groups count them.
type rayStageFile struct {
	Stage     string `yaml:"stage"`
	StageBody `yaml:",inline"`
}

// UnmarshalYAML takes a name alone, too.
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

// maxDescription bounds the text of a description: 16 MiB.
const maxDescription = 16 << 20

// Decode reads YAML into a value; what is wrong in it is said with line and
// column. name is for errors.
func Decode(data []byte, name string, to any) error {
	if len(data) > maxDescription {
		return fmt.Errorf("%s: larger than %d bytes", name, maxDescription)
	}
	if err := yaml.UnmarshalWithOptions(data, to, yaml.DisallowUnknownField()); err != nil {
		var value *link.ValueError
		if errors.As(err, &value) {
			return fmt.Errorf("%s: %s%w", name, placeOf(data, value.Text), value)
		}
		return fmt.Errorf("%s: %s", name, yaml.FormatError(err, false, true))
	}
	return nil
}

// placeOf is the line and column of the first value that is a text, as
// "[3:7] ", and nothing where there is none.
func placeOf(data []byte, text string) string {
	f, err := parser.ParseBytes(data, 0)
	if err != nil {
		return ""
	}
	w := &placeFinder{text: text}
	for _, d := range f.Docs {
		ast.Walk(w, d)
	}
	return w.place
}

// placeFinder looks for a text among the values of a document.
type placeFinder struct{ text, place string }

// Visit looks at one node.
func (w *placeFinder) Visit(n ast.Node) ast.Visitor {
	if t := n.GetToken(); n.Type() == ast.StringType && w.place == "" && t.Value == w.text {
		w.place = fmt.Sprintf("[%d:%d] ", t.Position.Line, t.Position.Column)
	}
	return w
}

// kinds are the kinds of pipelines as they are written.
var kinds = map[string]link.Kind{"": link.Any, "graphics": link.Graphics, "compute": link.Compute, "ray_tracing": link.RayTracing, "shader_objects": link.ShaderObjects, "execution_graph": link.ExecutionGraph, "ray_tracing_nv": link.RayTracingNV}

// Stage is a stage as a description names it.
type Stage struct {
	File           string // as it is written: seen from where the description lies
	Stage          link.Stages
	Entry          string // "" for the only one of the stage
	Specialization facts.Spec
}

// Read reads the description of a pipeline; load reads the modules it names.
// name is for errors.
func Read(data []byte, name string, load func(Stage) (*link.Shader, error)) (*link.Description, error) {
	var in pipelineFile
	if err := Decode(data, name, &in); err != nil {
		return nil, err
	}
	return in.pipeline(name, 0, load)
}

// maxLibraries bounds how deep libraries stand in libraries.
const maxLibraries = 4

// pipeline is the pipeline that was written, with its stages and libraries.
func (in *pipelineFile) pipeline(name string, depth int, load func(Stage) (*link.Shader, error)) (*link.Description, error) {
	d, err := in.description(name)
	if err != nil {
		return nil, err
	}
	if depth > maxLibraries {
		return nil, fmt.Errorf("%s: libraries: deeper than %d", name, maxLibraries)
	}
	for i := range in.Libraries {
		b, err := in.Libraries[i].pipeline(fmt.Sprintf("%s: libraries[%d]", name, i), depth+1, load)
		if err != nil {
			return nil, err
		}
		d.Libraries = append(d.Libraries, b)
	}
	for _, n := range slices.Sorted(maps.Keys(in.Stages)) {
		s := in.Stages[n]
		if err := s.add(d, load, "stages."+n, n); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for i := range in.Nodes {
		if err := in.Nodes[i].add(d, load, fmt.Sprintf("nodes[%d]", i), "compute"); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for i := range in.RayStages {
		s := &in.RayStages[i]
		if err := s.add(d, load, fmt.Sprintf("ray_stages[%d]", i), s.Stage); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return d, nil
}

// Layout reads what stands under layout of a description, alone.
func Layout(data []byte, name string) (*link.Layout, error) {
	var in layoutFile
	if err := Decode(data, name, &in); err != nil {
		return nil, err
	}
	return in.layout(name)
}

// description is what was written, without its stages.
func (in *pipelineFile) description(file string) (*link.Description, error) {
	kind, ok := kinds[in.Kind]
	if !ok {
		return nil, fmt.Errorf("%s: kind: %q: must be graphics, compute, ray_tracing, ray_tracing_nv, shader_objects or execution_graph", file, in.Kind)
	}
	d := &link.Description{
		Name: file, Kind: kind, Flags: in.Flags, Vertex: in.Vertex, Assembly: in.Assembly, Tessellation: in.Tessellation,
		Viewport: in.Viewport, Rasterization: in.Rasterization, Multisample: in.Multisample, DepthStencil: in.DepthStencil,
		Blend: in.Blend, ShadingRate: in.ShadingRate, Pass: in.Pass, Subpass: in.Subpass, Rendering: in.Rendering,
		Rays: in.Rays, Robustness: in.Robustness, Library: in.Library || in.Flags&link.PipelineFlagsLibrary != 0, Parts: in.Parts, NoLayout: in.NoLayout, Base: in.Base,
	}
	if in.Dynamic != nil {
		d.Dynamic, d.HasDynamic = *in.Dynamic, true
	}
	if in.Attributes != nil {
		if d.Vertex != nil {
			return nil, fmt.Errorf("%s: vertex_attributes: must not stand beside vertex_input, which has attributes of its own", file)
		}
		d.Vertex = &link.VertexInput{Attributes: *in.Attributes}
	}
	if in.Features != nil || in.Limits != nil || in.Extensions != nil || in.VertexFormats != nil {
		d.Device = &valid.Device{Name: file, Features: in.Features, Limits: in.Limits, Extensions: in.Extensions, VertexFormats: in.VertexFormats}
	}
	if in.NoLayout && in.Layout != nil {
		return nil, fmt.Errorf("%s: no_layout: must not stand beside layout", file)
	}
	if in.Layout != nil {
		var err error
		if d.Layout, err = in.Layout.layout(file); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// add adds the stage to a pipeline; where is for errors.
func (s *StageBody) add(d *link.Description, load func(Stage) (*link.Shader, error), where, stage string) error {
	set, ok := link.ParseStage(stage)
	if !ok || strings.HasPrefix(stage, "all") {
		return fmt.Errorf("%s: stage %q: must be %s", where, stage, strings.Join(link.StageNames()[2:], ", "))
	}
	out := Stage{File: s.File, Stage: set, Entry: s.Entry}
	if len(s.Specialization) > 0 {
		out.Specialization = facts.Spec{}
	}
	for id, v := range s.Specialization {
		bits, ok := SpecBits(fmt.Sprint(v))
		if !ok {
			return fmt.Errorf("%s.specialization.%d: %v: must be a number or a Boolean", where, id, v)
		}
		out.Specialization[id] = bits
	}
	shader := &link.Shader{NoModule: s.File == "" && s.Identifier == 0}
	if s.File != "" {
		var err error
		var missing *link.NoEntryError
		if shader, err = load(out); errors.As(err, &missing) {
			shader = &link.Shader{File: s.File, Missing: missing}
		} else if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
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

// SpecBits reads the value of a specialization constant: a Boolean, a whole
// number in any base that Go has, or a float, whose 32 bits it is.
func SpecBits(s string) (uint64, bool) {
	switch s {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return uint64(n), true
	}
	if n, err := strconv.ParseUint(s, 0, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(s, 32)
	return uint64(math.Float32bits(float32(f))), err == nil
}

// layoutFile is a pipeline layout as it is written.
type layoutFile struct {
	Flags    link.LayoutFlags                   `yaml:"flags"`
	SetFlags map[uint32]link.SetFlags           `yaml:"set_flags"`
	Sets     map[uint32]map[uint32]*bindingFile `yaml:"sets"`
	Push     []struct {
		Offset uint32   `yaml:"offset"`
		Size   uint32   `yaml:"size"`
		Stages []string `yaml:"stages"`
	} `yaml:"push_constants"`
}

// bindingFile is one binding of a set.
type bindingFile struct {
	Number   *uint32               `yaml:"binding"` // in place of its key, so that two may have one number
	Type     link.DescriptorType   `yaml:"type"`
	Count    *uint32               `yaml:"count"`
	Stages   []string              `yaml:"stages"`
	Mutable  []link.DescriptorType `yaml:"mutable"`
	Flags    link.BindingFlags     `yaml:"flags"`
	Samplers samplersFile          `yaml:"immutable_samplers"`
	Ycbcr    bool                  `yaml:"ycbcr"`
}

// samplersFile is the immutable samplers of a binding: whether there are some,
// or a list of them.
type samplersFile struct {
	some bool
	list []link.Sampler
}

// UnmarshalYAML takes a Boolean or a list.
func (s *samplersFile) UnmarshalYAML(read func(any) error) error {
	if read(&s.some) == nil {
		return nil
	}
	s.some = true
	return read(&s.list)
}

// layout turns what was written into a layout; file is for errors.
func (in *layoutFile) layout(file string) (*link.Layout, error) {
	out := &link.Layout{Flags: in.Flags}
	for number := range in.SetFlags {
		if _, ok := in.Sets[number]; !ok {
			return nil, fmt.Errorf("%s: set_flags: %d: there is no such set", file, number)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(in.Sets)) {
		bindings := in.Sets[number]
		set := link.Set{Number: number, Flags: in.SetFlags[number], Null: bindings == nil}
		for _, n := range slices.Sorted(maps.Keys(bindings)) {
			b := bindings[n]
			if b == nil {
				return nil, fmt.Errorf("%s: set %d binding %d: must have a type", file, number, n)
			}
			stages, err := stagesOf(b.Stages)
			if err == nil {
				err = knownTypes(append(b.Mutable, b.Type))
			}
			if err != nil {
				return nil, fmt.Errorf("%s: set %d binding %d: %v", file, number, n, err)
			}
			k := link.Binding{
				Binding: n, Type: b.Type, Count: 1, Stages: stages, Mutable: b.Mutable, Flags: b.Flags,
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
	for i, p := range in.Push {
		stages, err := stagesOf(p.Stages)
		if err != nil {
			return nil, fmt.Errorf("%s: push constant range %d: %v", file, i, err)
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
