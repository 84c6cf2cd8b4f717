package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/fossil"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// shownFinding is a finding as it is shown: one of a pipeline has both sides.
type shownFinding struct {
	valid.Finding
	sides     []link.Side
	described bool // Source is a position in the description of the pipeline
}

// more returns the profiles and sides of a finding as text to append to its message,
// for formats without fields for them.
func (f *shownFinding) more() string {
	s := ""
	if len(f.Profiles) > 0 {
		s = "\non " + strings.Join(f.Profiles, ", ")
	}
	if len(f.sides) > 0 {
		s += "\n" + strings.TrimRight(sidesText(f.sides), "\n")
	}
	return s
}

// judge is the state that all files of one run share.
type judge struct {
	c       console
	f       checkFlags
	env     *valid.Env
	modules *moduleStore
	cache   *resultCache      // nil for none
	files   map[string][]byte // of an item of a fleet, by name: the only ones that its description may read; nil for the file system
}

// judge judges one subject.
func (j *judge) judge(ctx context.Context, s subject, x *checked) {
	switch {
	case s.err != nil:
		x.message = s.err.Error()
	case s.kind == isModule:
		j.moduleFile(ctx, s.file, x)
	case s.kind == isDescription:
		d, err := j.readPipeline(ctx, s.file)
		if err != nil {
			x.message = err.Error()
			return
		}
		j = j.read(d.Reading)
		if err := j.on(d.Device).stageModules(ctx, d, x); err != nil {
			x.message = err.Error()
			return
		}
		j.link(d, x)
	case s.kind == isScript:
		j.script(ctx, s.file, x)
	default:
		j.cached(ctx, &s, x)
	}
}

// on returns a judge of modules for the device of a description. Profiles replace that device.
func (j *judge) on(d *valid.Device) *judge {
	if d == nil || len(j.f.envs) > 0 {
		return j
	}
	k, env := *j, *j.env
	env.Device, k.env = d, &env
	return &k
}

// judgeObject checks an object of an archive. It returns the other objects that a
// pipeline consists of.
func (j *judge) judgeObject(ctx context.Context, s *subject, x *checked) []fossil.Ref {
	if s.ref.Tag != fossil.ShaderModule {
		return j.object(ctx, s, x)
	}
	code, err := s.set.Code(s.ref.Hash)
	if err != nil {
		x.message = fmt.Sprintf("%s: error: %v", s.name, err)
		return nil
	}
	j.module(ctx, code, s.name+".spv", x)
	return nil
}

// object judges a pipeline of an archive.
func (j *judge) object(ctx context.Context, s *subject, x *checked) []fossil.Ref {
	p, err := s.set.Pipeline(s.ref)
	if err != nil {
		x.message = fmt.Sprintf("%s: error: %v", s.name, err)
		return nil
	}
	d := p.Description
	d.Name = s.name
	d.Position = objectPosition(s)
	x.skipped = p.Skipped
	if err := j.objectStages(ctx, s, p, x); err != nil {
		x.message = fmt.Sprintf("%s: error: %v", s.name, err)
		return nil
	}
	uses := p.Uses
	left := maxLibraries
	if err := j.libraries(ctx, s, p, &uses, &left, []fossil.Ref{s.ref}); err != nil {
		x.message = fmt.Sprintf("%s: error: %v", s.name, err)
		return nil
	}
	j.link(d, x)
	return uses
}

// objectPosition returns the positions of the parts of an object: in the JSON document, or
// in the JSON of the object of an archive, by its name.
func objectPosition(s *subject) func(string) (string, int, int) {
	var places map[string]fossil.Place
	return func(path string) (string, int, int) {
		if places == nil {
			places = s.set.Places(s.ref)
		}
		key, _, _ := strings.Cut(path, ".")
		at, ok := places[orElse(objectMembers[key], key)]
		if !ok && key == "stages" {
			at, ok = places["stage"]
		}
		if !ok {
			at = places[""]
		}
		if s.set.Document() {
			return s.file, at.Line, at.Column
		}
		return s.name, at.Line, at.Column
	}
}

// objectMembers are the members of Fossilize's objects, by the parts of a description.
var objectMembers = map[string]string{
	"vertex_input": "vertexInputState", "input_assembly": "inputAssemblyState", "tessellation": "tessellationState", "viewport": "viewportState",
	"rasterization": "rasterizationState", "multisample": "multisampleState", "depth_stencil": "depthStencilState", "color_blend": "colorBlendState",
	"dynamic": "dynamicState", "render_pass": "renderPass", "rendering": "pNext", "ray_tracing": "groups",
}

// maxLibraries bounds the libraries of one pipeline, including libraries of
// libraries: an archive may contain reference cycles.
const maxLibraries = 64

// ownLibrary is the error of a pipeline that is among its own libraries.
type ownLibrary fossil.Ref

func (e ownLibrary) Error() string {
	return fmt.Sprintf("%s is among its own libraries; must not be", fossil.Ref(e))
}

// libraries reads the libraries of a pipeline. If one is missing or unreadable, which
// is reported at the library alone, that part of the pipeline counts as unknown.
// above is the chain of pipelines that contain these libraries, the checked one
// first. A cycle through the checked pipeline is an error; a cycle through another
// one is reported when that one is checked.
func (j *judge) libraries(ctx context.Context, s *subject, p *fossil.Pipeline, uses *[]fossil.Ref, left *int, above []fossil.Ref) error {
	d := p.Description
	for i, h := range p.Libraries {
		ref := fossil.Ref{Tag: fossil.GraphicsPipeline, Hash: h}
		if d.Kind == link.RayTracing {
			ref.Tag = fossil.RayTracingPipeline
		}
		if slices.Contains(above, ref) {
			return ownLibrary(ref)
		}
		if *left--; *left < 0 {
			d.Library = true
			return nil
		}
		b, err := s.set.Pipeline(ref)
		if err == nil {
			b.Description.Path = fmt.Sprintf("%slibraries[%d].", d.Path, i)
			err = j.objectStages(ctx, s, b, nil)
		}
		if err != nil {
			d.Library = true
			continue
		}
		*uses = append(append(*uses, ref), b.Uses...)
		b.Description.Name, b.Description.Apart = ref.String(), true
		if err := j.libraries(ctx, s, b, uses, left, append(above[:len(above):len(above)], ref)); err == ownLibrary(above[0]) {
			return err
		} else if err != nil {
			d.Library = true
			continue
		}
		if r := b.Description.Rays; r != nil && d.Rays != nil {
			n := link.RayLibrary{Flags: b.Description.Flags, Depth: &r.Depth, Interface: r.Interface}
			for i := range b.Stages {
				n.Stages = append(n.Stages, b.Stages[i].Stage)
			}
			for _, o := range r.Libraries {
				n.Stages = append(n.Stages, o.Stages...)
			}
			d.Rays.Libraries = append(d.Rays.Libraries, n)
			continue
		}
		d.Libraries = append(d.Libraries, b.Description)
	}
	return nil
}

// objectStages reads the stages of a pipeline of an archive. Errors that come from
// specialization go to x, if it is not nil.
func (j *judge) objectStages(ctx context.Context, s *subject, p *fossil.Pipeline, x *checked) error {
	d := p.Description
	for i := range p.Stages {
		k := &p.Stages[i]
		if k.Module == 0 {
			d.Library = true // it is in a library, or known by an identifier alone
			d.Stages = append(d.Stages, link.Shader{Stage: k.Stage, Identifier: k.Identifier})
			continue
		}
		name := fmt.Sprintf("%s#module/%s", s.file, k.Module)
		m, err := j.modules.get(name, k.Spec, j.env.Reading, func() (*facts.Module, error) {
			code, err := s.set.Code(k.Module)
			if err != nil {
				return nil, err
			}
			m, err := spirv.Decode(code)
			if err != nil {
				return nil, err
			}
			return facts.Gather(m, k.Spec), nil
		})
		var shader *link.Shader
		if err == nil {
			var missing *link.NoEntryError
			if shader, err = m.shader(name, k.Stage, k.Entry); errors.As(err, &missing) {
				shader, err = &link.Shader{File: name, Stage: k.Stage, Missing: missing}, nil
			}
		}
		if err == nil && len(k.Spec) > 0 && x != nil {
			err = j.specialized(ctx, name, m, x)
		}
		if err != nil {
			return fmt.Errorf("stages[%d]: %w", i, err)
		}
		shader.Path = fmt.Sprintf("%sstages[%d]", d.Path, i)
		shader.Identifier, shader.Flags, shader.SubgroupSize, shader.Robustness, shader.Specialization = k.Identifier, k.Flags, k.SubgroupSize, k.Robustness, k.Entries
		d.Stages = append(d.Stages, *shader)
	}
	return nil
}

// stageModules judges the modules that a description names, each once, with the
// values of its specialization constants.
func (j *judge) stageModules(ctx context.Context, d *link.Description, x *checked) error {
	x.profiles = j.f.profileNames()
	judged := map[*valid.Module]bool{}
	for s := range d.Shaders() {
		if s.Load == nil {
			continue
		}
		v := s.Load()
		if v == nil || judged[v] {
			continue
		}
		judged[v] = true
		first := len(x.findings)
		if err := j.scriptModule(ctx, s.File, v.Facts(), x); err != nil {
			return err
		}
		for i := range x.findings[first:] {
			x.findings[first+i].describedAt(d, s.Path)
		}
	}
	return nil
}

// specialized checks a module of an archive with the values of its specialization
// constants. It reports only findings that the module does not have without them,
// because the module itself reports the others.
func (j *judge) specialized(ctx context.Context, name string, m *stored, x *checked) error {
	m.judge.Do(func() {
		v := m.load()
		if v == nil {
			return
		}
		var with, without *valid.Report
		if with, m.judgeErr = j.report(ctx, v.Facts(), nil); m.judgeErr != nil || len(with.Findings) == 0 {
			return
		}
		if without, m.judgeErr = j.report(ctx, facts.Gather(v.Facts().Code, nil), nil); m.judgeErr != nil {
			return
		}
		for _, f := range with.Findings {
			if !slices.ContainsFunc(without.Findings, func(o valid.Finding) bool { return o.Code == f.Code && o.Pos == f.Pos }) {
				m.fresh = append(m.fresh, f)
			}
		}
	})
	for _, f := range m.fresh {
		side := link.Side{File: name, Slot: fmt.Sprintf("instruction %d", f.Pos.Instruction), Pos: f.Pos, Source: f.Source, HasSource: f.HasSource}
		f.Message = fmt.Sprintf("after specialization %s (%s)", f.Message, f.Code)
		f.Code, f.Pos, f.Related = vuid.VkPipelineShaderStageCreateInfo_pSpecializationInfo_06849, diag.Pos{}, nil
		x.findings = append(x.findings, shownFinding{Finding: f, sides: []link.Side{side}})
	}
	return m.judgeErr
}

// report checks a module against each profile, or against the target environment
// without profiles. Messages name ids as the source text does, or as the
// disassembly below the finding does if there is no text.
func (j *judge) report(ctx context.Context, m *facts.Module, names []string) (*valid.Report, error) {
	o := j.f.opts
	var lines *asm.Lines
	o.Named = func(id spirv.ID) string {
		if int(id) < len(names) && names[id] != "" {
			return "%" + names[id]
		}
		if lines == nil {
			var err error
			if lines, err = asm.NewLinesUntil(m.Code, false, ctx.Err); err != nil {
				return "" // the check returns the same error
			}
		}
		return lines.ID(id)
	}
	if len(j.f.envs) > 0 {
		return valid.CheckSeveral(ctx, m, j.f.envs, o)
	}
	return valid.Check(ctx, m, j.env, o)
}

// link judges a pipeline, on each profile.
func (j *judge) link(d *link.Description, x *checked) {
	x.verdict, x.pipeline = verdictClean, true
	if x.profiles = j.f.profileNames(); len(j.f.envs) == 0 {
		d.Env = j.env
		x.findings = merge(x.findings, linkFindings(d, ""))
	}
	for i, env := range j.f.envs {
		d.Env, d.Device = env, env.Device
		x.findings = merge(x.findings, linkFindings(d, x.profiles[i]))
	}
	if len(x.findings) > 0 {
		x.verdict = verdictFindings
	}
}

// describedAt sets the source of a finding to a part of a description.
func (f *shownFinding) describedAt(d *link.Description, path string) {
	if d.Position == nil {
		return
	}
	if file, line, column := d.Position(path); line > 0 {
		f.Source, f.HasSource, f.described = facts.Position{File: file, Line: uint32(line), Column: uint32(column)}, true, true
	}
}

// linkFindings checks a pipeline and converts the findings for display.
func linkFindings(d *link.Description, profile string) []shownFinding {
	found := link.Link(d)
	out := make([]shownFinding, 0, len(found))
	for _, f := range found {
		r := shownFinding{Finding: valid.Finding{Finding: diag.Finding{Code: f.Code, Severity: f.Severity, Message: f.Message}}, sides: f.Sides}
		if len(f.Sides) > 0 {
			r.Source, r.HasSource = f.Sides[0].Source, f.Sides[0].HasSource
		}
		r.describedAt(d, f.Path)
		if profile != "" {
			r.Profiles = []string{profile}
		}
		out = append(out, r)
	}
	return out
}

// merge adds findings on another profile to those that there are.
func merge(have, more []shownFinding) []shownFinding {
	for _, m := range more {
		i := slices.IndexFunc(have, func(h shownFinding) bool {
			return h.Code == m.Code && h.Message == m.Message && slices.Equal(h.sides, m.sides)
		})
		if i < 0 {
			have = append(have, m)
			continue
		}
		have[i].Profiles = append(have[i].Profiles, m.Profiles...)
	}
	return have
}

// sidesText shows both sides of a mismatch in columns.
func sidesText(sides []link.Side) string {
	if len(sides) == 0 {
		return ""
	}
	var b strings.Builder
	writeSides(&b, sides)
	return b.String()
}
