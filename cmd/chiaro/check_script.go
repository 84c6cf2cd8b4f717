package main

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/jit/store"
	"github.com/chiaro-gpu/chiaro/internal/source"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// script judges the pipelines that the commands of a script run, and their
// modules.
func (j *judge) script(ctx context.Context, file string, x *checked) {
	j.scriptOf(ctx, file, func() (*amber.Script, error) { return loadScript(j.c, file, j.f.allowOutside) }, x)
}

// scriptOptions returns the options of the modules of scripts.
func (j *judge) scriptOptions(cache *store.Dir) amber.Options {
	o := amber.Options{SpirvDir: j.f.spirvDir, ScriptRoot: j.f.scriptRoot, Compiler: source.Options{Cache: cache}}
	if j.files != nil {
		o.Modules = scriptModules(j.files)
	}
	return o
}

// scriptOf is script with a function that loads the script.
func (j *judge) scriptOf(ctx context.Context, file string, load func() (*amber.Script, error), x *checked) {
	s, err := load()
	var list []amber.Described
	if err == nil {
		cache, done := openSources()
		list, err = amber.Describe(ctx, s, j.scriptOptions(cache))
		done()
	}
	if err != nil {
		x.message = located(file, err)
		return
	}
	x.verdict, x.pipeline, x.profiles = verdictClean, true, j.f.profileNames()
	enabled := scriptFeatures(s)
	judged := map[string]*amber.DescribedStage{}
	defer func() { inScript(file, judged, x) }()
	for i := range list {
		d, err := j.scriptPipeline(ctx, file, &list[i], judged, x)
		if err != nil {
			x.verdict, x.message = verdictUnreadable, fmt.Sprintf("%s: error: %v", list[i].Description.Name, err)
			return
		}
		d.Device = enabled
		j.link(d, x)
	}
}

// scriptPipeline completes the description of a script's pipeline with its modules and its libraries.
func (j *judge) scriptPipeline(ctx context.Context, file string, p *amber.Described, judged map[string]*amber.DescribedStage, x *checked) (*link.Description, error) {
	d := p.Description
	d.Name = file + "#" + p.Name
	d.Position = scriptPositions(file, p)
	for k := range p.Stages {
		shader, err := j.scriptShader(ctx, file, &p.Stages[k], judged, x)
		if err != nil {
			return d, err
		}
		shader.Path = stagePath(k)
		d.Stages = append(d.Stages, *shader)
	}
	for i := range p.Libraries {
		l, err := j.scriptPipeline(ctx, file, &p.Libraries[i], judged, x)
		if err != nil {
			return d, err
		}
		d.Libraries = append(d.Libraries, l)
	}
	return d, nil
}

// stagePath is the path of a stage of a script's pipeline.
func stagePath(k int) string { return fmt.Sprintf("stages[%d]", k) }

// scriptPositions returns the positions of a script's pipeline: of a shader for its stage,
// of the pipeline for everything else.
func scriptPositions(file string, p *amber.Described) func(string) (string, int, int) {
	return func(path string) (string, int, int) {
		for k := range p.Stages {
			if at := p.Stages[k].At; at.Line > 0 && path == stagePath(k) {
				return file, at.Line, max(at.Column, 1)
			}
		}
		return file, p.At.Line, max(p.At.Column, 1)
	}
}

// scriptFeatures returns a device with exactly the features and extensions that a
// script requires; everything else about it is unknown.
func scriptFeatures(s *amber.Script) *valid.Device {
	d := &valid.Device{Name: s.File, Features: map[string]bool{}, Extensions: map[string]bool{}}
	for _, r := range s.Requirements {
		switch r.Kind {
		case amber.Feature:
			d.Features[r.Name] = true
		case amber.DeviceExtension, amber.AnyExtension:
			d.Extensions[r.Name] = true
		}
	}
	return d
}

// scriptShader makes the shader of a stage, and judges its module once.
func (j *judge) scriptShader(ctx context.Context, file string, s *amber.DescribedStage, judged map[string]*amber.DescribedStage, x *checked) (*link.Shader, error) {
	name := file + "#" + s.Shader
	m, err := j.modules.get(fmt.Sprintf("%s\x00%x", name, sha256.Sum256(s.Code)), s.Spec, j.env.Reading, func() (*facts.Module, error) {
		m, err := spirv.Decode(s.Code)
		if err != nil {
			return nil, err
		}
		return facts.Gather(m, s.Spec), nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Shader, err)
	}
	if judged[name] == nil {
		judged[name] = s
		if v := m.load(); v != nil {
			if err := j.scriptModule(ctx, name, v.Facts(), x); err != nil {
				return nil, err
			}
		}
	}
	shader, err := m.shader(name, s.Stage, s.Entry)
	if err != nil {
		return nil, err
	}
	shader.Flags, shader.SubgroupSize, shader.Robustness = s.Flags, s.Size, s.Robustness
	shader.Mappings, shader.Node = s.Mappings, s.Node
	return shader, nil
}

// inScript changes the positions of findings in the shaders of a script, which are by the names of their modules, to
// lines of the script. A finding without a known line is at its shader.
func inScript(file string, shaders map[string]*amber.DescribedStage, x *checked) {
	for i := range x.findings {
		f := &x.findings[i]
		for k := range f.sides {
			side := &f.sides[k]
			s := shaders[side.File]
			if s == nil || side.Pos.Instruction == 0 {
				continue
			}
			line := s.ScriptLine(side.Source, side.Pos.Instruction)
			at, known := side.Source, side.HasSource
			switch {
			case line > 0:
				at, known = facts.Position{File: file, Line: uint32(line), Column: at.Column}, true
			case !known && s.At.Line > 0:
				at, known = facts.Position{File: file, Line: uint32(s.At.Line), Column: uint32(max(s.At.Column, 1))}, true
			}
			if k == 0 && !f.described {
				f.Source, f.HasSource = at, known
			}
			if side.HasSource { // a side without debug information has the name of its shader
				side.Source, side.At = at, at.String()
			}
		}
	}
}

// scriptModule checks a module of a script or of a description. Findings show the
// module as their side, because the file is the script.
func (j *judge) scriptModule(ctx context.Context, name string, m *facts.Module, x *checked) error {
	report, err := j.report(ctx, m, nil)
	if err != nil {
		return err
	}
	for i := range report.Findings {
		f := report.Findings[i]
		side := link.Side{File: name, Slot: fmt.Sprintf("instruction %d", f.Pos.Instruction), Pos: f.Pos, Source: f.Source, HasSource: f.HasSource}
		f.Finding.Pos.Instruction, f.Finding.Pos.Word = 0, 0
		f.Related = nil
		x.findings = append(x.findings, shownFinding{Finding: f, sides: []link.Side{side}})
	}
	if len(x.findings) > 0 {
		x.verdict = verdictFindings
	}
	return nil
}
