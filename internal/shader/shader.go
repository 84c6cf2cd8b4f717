// Package shader is the way from the words of a module to the program of a stage: decode, facts, check, lower,
// passes. It refuses to know engines, descriptors and the state of a pipeline: its input is a stage of a
// description ([link.Shader]), its output one program per stage.
//
//	[]byte ─ Decode ─▶ spirv.Module ─ Specialize ─▶ valid.Module ─ Find ─▶ link.Shader ─ Compile ─▶ Stage
//	                                 ▲                                        │
//	                            facts.Spec, Judge                        link.Link (the caller's)
package shader

import (
	"context"
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// Judge is the environment in which modules are checked. A nil Judge assumes that they are valid.
type Judge struct {
	Env     *valid.Env
	Options valid.Options
}

// InvalidError reports a module that breaks rules.
type InvalidError struct {
	Report *valid.Report
}

// Error returns the number of findings: callers have their own texts for them.
func (e *InvalidError) Error() string {
	return fmt.Sprintf("the module is invalid: %d findings", len(e.Report.Findings))
}

// Specialize returns a module with the values of its specialization constants, checked by the judge. It returns an
// *InvalidError if the module breaks a rule, and the error of ctx.
func (j *Judge) Specialize(ctx context.Context, m *spirv.Module, spec facts.Spec) (*valid.Module, error) {
	f := facts.Gather(m, spec)
	if j == nil {
		return valid.Assume(f), nil
	}
	report, err := valid.Check(ctx, f, j.Env, j.Options)
	if err != nil {
		return nil, err
	}
	if report.Module == nil {
		return nil, &InvalidError{report}
	}
	return report.Module, nil
}

// otherModels are the execution models that NVIDIA's extension has for a stage.
var otherModels = map[spirv.ExecutionModel]spirv.ExecutionModel{
	spirv.ExecutionModelTaskEXT: spirv.ExecutionModelTaskNV,
	spirv.ExecutionModelMeshEXT: spirv.ExecutionModelMeshNV,
}

// Find returns the stage of an entry point, or a *link.NoEntryError. A task or mesh stage without an entry point of its model may
// have one of NVIDIA's.
func Find(m *valid.Module, name string, model spirv.ExecutionModel) (*link.Shader, error) {
	var other *iface.Entry
	for e := range iface.Entries(m, facts.ReadingDefault) {
		switch {
		case e.Name != name:
		case e.Model == model:
			return &link.Shader{Module: m, Entry: e}, nil
		case e.Model == otherModels[model] && otherModels[model] != 0:
			other = e
		}
	}
	if other != nil {
		return &link.Shader{Module: m, Entry: other}, nil
	}
	return nil, fmt.Errorf("the module has no %v entry point %q; it has %s", model, name, names(iface.Reflect(m)))
}

// names lists entry points for a message.
func names(entries []*iface.Entry) string {
	var list []string
	for _, e := range entries {
		list = append(list, fmt.Sprintf("%v %q", e.Model, e.Name))
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}

// Stage is a compiled stage: its program before an engine compiles it, and its source.
type Stage struct {
	Program *ir.Program
	Facts   *facts.Module // nil if the program is from a cache

	Symbols *lower.Symbols       // of lower.Options; nil for none
	Kernel  *lower.KernelSymbols // of a CUDA kernel that is debugged, which has no Facts; nil for none

	Source func() *facts.Module // returns the facts if they are nil; nil if they are not known

	Origin int32 // what a program that is composed of several stages adds to the origins of this one
}

// Compile lowers a stage and runs the passes. The subgroup requirements of the stage replace the ones of o. Besides
// the errors of lower.Stage it returns the error of ctx.
func Compile(ctx context.Context, s *link.Shader, o lower.Options) (*Stage, error) {
	f := s.Module.Facts()
	entry := f.EntryPoint(s.Entry.Name, s.Entry.Model)
	if entry == nil {
		return nil, fmt.Errorf("the module has no %v entry point %q", s.Entry.Model, s.Entry.Name)
	}
	if s.SubgroupSize != 0 {
		o.SubgroupSize = s.SubgroupSize
	}
	o.FullSubgroups = o.FullSubgroups || s.Flags&enum.StageFlagsRequireFullSubgroups != 0
	o.VaryingSubgroups = o.VaryingSubgroups || s.Flags&enum.StageFlagsAllowVaryingSubgroupSize != 0
	return Lower(ctx, s.Module, entry, o)
}

// Lower is Compile of an entry point alone, with the options of o. The program of a ray tracing stage is as it was lowered: passes need
// the composed program of its pipeline.
func Lower(ctx context.Context, m *valid.Module, entry *facts.EntryPoint, o lower.Options) (*Stage, error) {
	return LowerWatched(ctx, m, entry, o, nil)
}

// LowerWatched is Lower with a function that sees the program as it was lowered, with an empty name, and after each pass. It must
// not change the program. A nil one sees nothing. A program with symbols is as it was lowered, too.
func LowerWatched(ctx context.Context, m *valid.Module, entry *facts.EntryPoint, o lower.Options, watch func(pass string, p *ir.Program)) (*Stage, error) {
	o.Stop = ctx.Err
	p, err := lower.Stage(m, entry, o)
	if err != nil {
		return nil, err
	}
	if watch != nil {
		watch("", p)
	}
	if !p.Stage.OfRays() {
		if err := pass.RunWatched(p, ctx.Err, watch); err != nil {
			return nil, err
		}
	}
	return &Stage{Program: p, Facts: m.Facts(), Symbols: o.Symbols}, nil
}

// Composed runs the passes on a program that is composed of several stages.
func Composed(ctx context.Context, p *ir.Program) (*Stage, error) {
	if err := pass.RunUntil(p, ctx.Err); err != nil {
		return nil, err
	}
	return &Stage{Program: p}, nil
}
