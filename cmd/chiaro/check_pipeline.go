package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/fossil"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// shownFinding is a finding as it is shown: one of a pipeline has both sides.
type shownFinding struct {
	valid.Finding
	sides []link.Side
}

// more is what formats without a place of their own for it show behind the
// message: the profiles on which a finding stands, and its sides.
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

// judge is what all files of one run share.
type judge struct {
	c       console
	f       checkFlags
	env     *valid.Env
	modules *moduleStore
	cache   *resultCache // nil for none
}

// judge judges one subject.
func (j *judge) judge(ctx context.Context, s subject, x *checked) {
	switch {
	case s.err != nil:
		x.message = s.err.Error()
	case s.kind == isModule:
		j.moduleFile(ctx, s.file, x)
	case s.kind == isDescription:
		d, err := j.readPipeline(s.file)
		if err != nil {
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

// judgeObject judges an object of an archive. It returns what else a pipeline is
// made of.
func (j *judge) judgeObject(ctx context.Context, s *subject, x *checked) []fossil.Ref {
	if s.ref.Tag != fossil.ShaderModule {
		return j.object(s, x)
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
func (j *judge) object(s *subject, x *checked) []fossil.Ref {
	p, err := s.set.Pipeline(s.ref)
	if err != nil {
		x.message = fmt.Sprintf("%s: error: %v", s.name, err)
		return nil
	}
	d := p.Description
	d.Name = s.name
	d.Library = d.Library || len(p.Libraries) > 0
	x.skipped = p.Skipped
	for i := range p.Stages {
		k := &p.Stages[i]
		if k.Module == 0 {
			d.Library = true // it is in a library, or known by an identifier alone
			d.Stages = append(d.Stages, link.Shader{})
			continue
		}
		name := fmt.Sprintf("%s#module/%s", s.file, k.Module)
		m, err := j.modules.get(name, k.Spec, func() (*facts.Module, error) {
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
			shader, err = m.shader(name, k.Stage, k.Entry)
		}
		if err != nil {
			x.message = fmt.Sprintf("%s: error: stages[%d]: %v", s.name, i, err)
			return nil
		}
		shader.Flags, shader.SubgroupSize, shader.Robustness, shader.Specialization = k.Flags, k.SubgroupSize, k.Robustness, k.Entries
		d.Stages = append(d.Stages, *shader)
	}
	j.link(d, x)
	return p.Uses
}

// link judges a pipeline, on each profile.
func (j *judge) link(d *link.Description, x *checked) {
	x.verdict, x.pipeline = verdictClean, true
	if x.profiles = j.f.profileNames(); len(j.f.envs) == 0 {
		d.Env = j.env
		x.findings = merge(x.findings, linkFindings(link.Link(d), ""))
	}
	for i, env := range j.f.envs {
		d.Env, d.Device = env, env.Device
		x.findings = merge(x.findings, linkFindings(link.Link(d), x.profiles[i]))
	}
	if len(x.findings) > 0 {
		x.verdict = verdictFindings
	}
}

// linkFindings turns what link found into what is shown.
func linkFindings(found []link.Finding, profile string) []shownFinding {
	out := make([]shownFinding, 0, len(found))
	for _, f := range found {
		r := shownFinding{Finding: valid.Finding{Finding: diag.Finding{Code: f.Code, Severity: f.Severity, Message: f.Message}}, sides: f.Sides}
		if len(f.Sides) > 0 {
			r.Source, r.HasSource = f.Sides[0].Source, f.Sides[0].HasSource
		}
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
