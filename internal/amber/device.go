package amber

import (
	"context"
	"errors"
	"fmt"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// device holds the programs that were made of shaders.
type device struct {
	programs map[programKey]program
	graphics map[graphicsKey]*graphicsProgram
}

// program is a program and the source that it was compiled from.
type program struct {
	*compute.Pipeline
	source
}

// source is the input of a program's compilation.
type source struct {
	facts  *facts.Module
	shader *Shader
}

// programKey names a program that was made.
type programKey struct {
	pipeline   *Pipeline
	entryPoint string
}

// graphicsKey names the programs of a graphics pipeline.
type graphicsKey struct {
	pipeline    *Pipeline
	entryPoints [numGraphicsStages]string
}

func newDevice() *device {
	return &device{programs: map[programKey]program{}, graphics: map[graphicsKey]*graphicsProgram{}}
}

// close frees the programs.
func (d *device) close() {
	for _, p := range d.programs {
		p.Close()
	}
	for _, p := range d.graphics {
		p.Close()
	}
}

// dispatch runs a compute pipeline.
func (r *runner) dispatch(ctx context.Context, c *Dispatch) error {
	prog, err := r.program(ctx, c.Pipeline)
	if err != nil {
		return err
	}
	args, err := r.arguments(c.Pipeline)
	if err != nil {
		return err
	}
	args.Map(prog.IR(), c.Pipeline.Mappings)
	args.Groups, args.Base = r.groups(c), c.Base
	err = prog.Dispatch(ctx, args)
	r.hear(args.Log)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s:%s: pipeline %s: %w%s", r.script.File, c.At, c.Pipeline.Name, err, prog.location(r.script.File, err))
	}
	return err
}

// arguments returns the arguments of a run with all that a pipeline binds.
func (r *runner) arguments(p *Pipeline) (compute.Args, error) {
	args, err := r.bindings(p)
	if err == nil {
		err = r.bindBanks(&args, p.Banks)
	}
	args.Regions = r.regions()
	r.robustness(&args, p)
	args.Workers, args.Budget = max(r.options.Workers, 1), r.options.Budget
	if p.Push != nil {
		args.Push = r.memory[p.Push]
	}
	args.Log = &exec.Log{}
	return args, err
}

// entryPoint returns the name of a stage's entry point: the one that was set last.
func (r *runner) entryPoint(p *Pipeline, a *Attachment) string {
	if name, ok := r.entryPoints[entryKey{p, a.Stage}]; ok {
		return name
	}
	return a.EntryPoint
}

// program returns the pipeline's program, made when it is first asked for.
func (r *runner) program(ctx context.Context, p *Pipeline) (program, error) {
	a := &p.Stages[0]
	entry := r.entryPoint(p, a)
	key := programKey{p, entry}
	if prog, ok := r.device.programs[key]; ok {
		return prog, nil
	}
	data, err := r.module(ctx, p, a)
	if err != nil {
		return program{}, err
	}
	prog, err := r.compile(ctx, p, data, entry, a)
	if err != nil {
		return program{}, err
	}
	r.device.programs[key] = prog
	return prog, nil
}

// compile makes a program of one entry point of a module.
func (r *runner) compile(ctx context.Context, q *Pipeline, module []byte, entry string, a *Attachment) (program, error) {
	s := a.Shader
	f, e, err := r.stageFacts(module, a, entry, spirv.ExecutionModelGLCompute)
	if err != nil {
		return program{}, err
	}
	if err := r.checkFormats(q, f, e); err != nil {
		return program{}, err
	}
	options := r.options.Lowering
	if n := a.Subgroup.RequiredSize; n != 0 {
		options.SubgroupSize = uint32(n)
	}
	// FULLY_POPULATED is not held against the size of the workgroup: scripts of the
	// conformance tests ask for it with workgroups that have a partial subgroup.
	made, err := shader.Lower(ctx, valid.Assume(f), e, options)
	if err != nil {
		return program{}, r.shaderError(s, err)
	}
	prog, err := compute.NewPipeline(made.Program, r.options.Engine, exec.Options{Stop: ctx.Err})
	if err != nil {
		return program{}, r.shaderError(s, err)
	}
	return program{prog, source{f, s}}, nil
}

// location describes the source position of the loop in which a run was stopped, as far as the
// module has it: its instruction, and the line of its debug information, which is a line of
// the script if the script contains the source.
func (p *source) location(script string, err error) string {
	var budget *exec.BudgetError
	var interrupt *exec.InterruptError
	origin := int32(0)
	switch {
	case errors.As(err, &budget):
		origin = budget.Origin
	case errors.As(err, &interrupt):
		origin = interrupt.Origin
	}
	if origin <= 0 || int(origin) > p.facts.Code.Len() {
		return ""
	}
	i := int(origin) - 1
	text := ": " + p.facts.Code.Inst(i).Op().String()
	const near = 8 // a label comes shortly before the line of its block
	for j := i; j < min(i+near, p.facts.Code.Len()); j++ {
		at, ok := p.facts.Line(j)
		switch {
		case !ok:
		case p.shader.Line > 0 && (at.File == "" || at.File == "<stdin>"):
			return text + fmt.Sprintf(", %s:%d", script, p.shader.Line+int(at.Line)-1)
		default:
			return text + fmt.Sprintf(", %s:%d", at.File, at.Line)
		}
	}
	return text
}

// shaderError adds the shader's name to an error.
func (r *runner) shaderError(s *Shader, err error) error {
	var missing *lower.Unsupported
	if errors.As(err, &missing) {
		return r.unsupported(s.At, fmt.Sprintf("shader %s: %v", s.Name, err))
	}
	var malformed *lower.Malformed
	if errors.As(err, &malformed) {
		return r.fault(CodeShader, s.At, "shader %s: %v", s.Name, err)
	}
	return fmt.Errorf("%s:%s: shader %s: %w", r.script.File, s.At, s.Name, err)
}

// bindings returns arguments with the bindings of the pipeline.
func (r *runner) bindings(p *Pipeline) (compute.Args, error) {
	args := compute.Args{
		Bindings: map[compute.Binding][]exec.Buffer{},
		Inline:   map[compute.Binding][]byte{},
		Images:   map[compute.Binding][]*texture.View{},
		Samplers: map[compute.Binding][]*texture.Sampler{},
	}
	if err := r.bindHeaps(&args, p.Heaps); err != nil {
		return args, err
	}
	for _, images := range []bool{true, false} { // which have their own memory from then on
		for i := range p.Bindings {
			if b := &p.Bindings[i]; b.Kind.shows() != images {
				continue
			} else if err := r.bindOne(&args, b); err != nil {
				return args, err
			}
		}
	}
	return args, nil
}

func (r *runner) bindOne(args *compute.Args, b *Binding) error {
	if b.Kind.textured() {
		return r.bindTexture(args, b)
	}
	at := compute.Binding{Set: b.Set, Binding: b.Binding}
	for i, buf := range b.Buffers {
		if buf == nil {
			args.Bindings[at] = place(args.Bindings[at], b.Element+uint32(i), exec.Buffer{})
			continue
		}
		descriptor, err := r.slice(b, i, r.memory[buf])
		if err != nil {
			return err
		}
		if b.Kind == InlineUniform {
			args.Inline[at] = descriptor.Bytes[:descriptor.Range()]
			continue
		}
		args.Bindings[at] = place(args.Bindings[at], b.Element+uint32(i), descriptor)
	}
	return nil
}

// slice returns the part of a buffer that descriptor i of an array refers to, and the bytes
// after it.
func (r *runner) slice(b *Binding, i int, data []byte) (exec.Buffer, error) {
	at := func(list []int64, absent int64) int64 {
		if i < len(list) {
			return list[i]
		}
		return absent
	}
	offset, size := at(b.Offsets, 0), at(b.Ranges, WholeBuffer)
	if b.Kind == UniformDynamic || b.Kind == StorageDynamic {
		offset += at(b.DynamicOffsets, 0)
	}
	left := int64(len(data)) - offset
	if size == WholeBuffer {
		size = left
	}
	if offset < 0 || size < 0 || size > left {
		return exec.Buffer{}, r.fault(CodeSize, b.At, "buffer %s has %d bytes; descriptor %d of set %d, binding %d names %d bytes from byte %d on",
			b.Buffers[i].Name, len(data), i, b.Set, b.Binding, size, offset)
	}
	return exec.Buffer{Bytes: data[offset:], Beyond: int(left - size)}, nil
}
