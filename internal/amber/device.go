package amber

import (
	"context"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// device makes programs of shaders and has an engine run them. All that this
// package knows of execution stands in this file.
type device struct {
	options  Options
	programs map[programKey]exec.Program
}

// programKey names a program that was made.
type programKey struct {
	pipeline   *Pipeline
	entryPoint string
}

func newDevice(o Options) *device {
	return &device{options: o, programs: map[programKey]exec.Program{}}
}

// close frees the programs.
func (d *device) close() {
	for _, p := range d.programs {
		p.Close()
	}
}

// dispatch runs a compute pipeline.
func (r *runner) dispatch(ctx context.Context, c *Dispatch) error {
	prog, err := r.program(ctx, c.Pipeline)
	if err != nil {
		return err
	}
	bindings, err := r.bindings(c.Pipeline)
	if err != nil {
		return err
	}
	workers := r.options.Workers
	if workers == 0 {
		workers = 1
	}
	args := compute.Args{Groups: c.Groups, Bindings: bindings, Workers: workers, Budget: r.options.Budget}
	if c.Pipeline.Push != nil {
		args.Push = r.memory[c.Pipeline.Push]
	}
	return compute.Dispatch(ctx, prog, args)
}

// program returns the pipeline's program, made when it is first asked for.
func (r *runner) program(ctx context.Context, p *Pipeline) (exec.Program, error) {
	a := &p.Stages[0]
	entry := a.EntryPoint
	if name, ok := r.entryPoints[entryKey{p, a.Stage}]; ok {
		entry = name
	}
	key := programKey{p, entry}
	if prog := r.device.programs[key]; prog != nil {
		return prog, nil
	}
	data, err := r.module(ctx, p, a)
	if err != nil {
		return nil, err
	}
	prog, err := r.device.compile(data, entry, a)
	if err != nil {
		return nil, err
	}
	r.device.programs[key] = prog
	return prog, nil
}

// compile makes a program of one entry point of a module.
func (d *device) compile(_ []byte, _ string, _ *Attachment) (exec.Program, error) {
	return nil, &Unsupported{What: "execution of shaders"}
}

// bindings returns what the pipeline binds.
func (r *runner) bindings(p *Pipeline) (map[compute.Binding][]exec.Buffer, error) {
	all := map[compute.Binding][]exec.Buffer{}
	for _, b := range p.Bindings {
		var array []exec.Buffer
		for i, buf := range b.Buffers {
			bytes, err := r.slice(&b, i, r.memory[buf])
			if err != nil {
				return nil, err
			}
			array = append(array, exec.Buffer{Bytes: bytes})
		}
		all[compute.Binding{Set: b.Set, Binding: b.Binding}] = array
	}
	return all, nil
}

// slice returns the part of a buffer that descriptor i of an array names.
func (r *runner) slice(b *Binding, i int, data []byte) ([]byte, error) {
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
		return nil, r.fault(CodeSize, b.At, "buffer %s has %d bytes; descriptor %d of set %d, binding %d names %d bytes from byte %d on",
			b.Buffers[i].Name, len(data), i, b.Set, b.Binding, size, offset)
	}
	return data[offset : offset+size : offset+size], nil
}
