package amber

import (
	"context"
	"errors"
	"fmt"
)

// ErrNoModule is the error of a shader that Options.Modules does not have.
var ErrNoModule = errors.New("the module of the shader is not there, and no compiler may start")

// Modules returns the modules of the shaders that Run and Describe would compile with the same options, or read from
// Options.SpirvDir. With them as Options.Modules, another machine needs neither compilers nor the folder. The error is of a
// shader that has no module.
func Modules(ctx context.Context, s *Script, o Options) (map[string][]byte, error) {
	r := &runner{script: s, options: o}
	g := usage{entryPoints: map[entryKey]string{}}
	g.commands(s.Commands)
	out := map[string][]byte{}
	for _, u := range g.uses {
		r.entryPoints = u.entryPoints
		for i := range u.pipeline.Stages {
			if err := r.addModule(ctx, out, u.pipeline, &u.pipeline.Stages[i]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// addModule adds the module of a stage, unless the script itself has it.
func (r *runner) addModule(ctx context.Context, out map[string][]byte, p *Pipeline, a *Attachment) error {
	key := r.moduleKey(p, a)
	if out[key] != nil || a.Shader.Format == Passthrough {
		return nil
	}
	code, err := r.readyModule(p, a)
	if err == nil && code == nil && a.Shader.Format.compiled() {
		code, err = r.module(ctx, p, a)
	}
	if err == nil && code != nil {
		out[key] = code
	}
	return err
}

// moduleKey returns the name of a module in Options.Modules.
func (r *runner) moduleKey(p *Pipeline, a *Attachment) string {
	return fmt.Sprintf("%q %q %s %q", p.Name, a.Shader.Name, a.Stage.Extension(), r.entryPoint(p, a))
}
