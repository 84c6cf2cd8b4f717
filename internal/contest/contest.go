package contest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"runtime/debug"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/modgen"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// Contest runs one module on every engine.
type Contest struct {
	Module *modgen.Module
	Hook   exec.Hook                         // of the runs; nil for none
	More   map[compute.Binding][]exec.Buffer // buffers that the module does not declare

	full        bool     // after each pass
	sizes       []uint32 // of subgroups
	independent bool     // the results do not depend on the size
}

// variety are the kinds of modules that the engines run.
var variety = []modgen.Options{{}, {Subgroups: true}, {Peers: true}, {Size: 25}, {Size: 150, Subgroups: true}, {Peers: true, Size: 150}, {Atomics64: true, Subgroups: true}, {Images: true}, {Images: true, Size: 150, Subgroups: true}}

// Kinds is the number of kinds of modules: consecutive seeds have different kinds.
var Kinds = len(variety)

// Of returns the contest of a seed. Its module's choices are data, and when they are spent choices of the seed. full runs it after
// each pass, at every subgroup size.
func Of(seed uint64, data []byte, full bool) *Contest {
	o := variety[seed%uint64(len(variety))]
	sizes := []uint32{4, 16, 32, 128}
	if !full {
		k := seed / 7 % uint64(len(sizes))
		sizes = sizes[k : k+1]
	}
	return &Contest{Module: modgen.FromBytes(seed, data, o), full: full, sizes: sizes, independent: o.Peers && !o.Subgroups}
}

// Lowered returns the module's program at a subgroup size.
func (c *Contest) Lowered(size uint32) (*ir.Program, error) {
	words, err := c.Module.Words()
	if err != nil {
		return nil, fmt.Errorf("assemble: %w", err)
	}
	m, err := spirv.FromWords(words)
	if err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	f := facts.Gather(m, nil)
	if len(f.EntryPoints) != 1 {
		return nil, fmt.Errorf("facts: %d entry points", len(f.EntryPoints))
	}
	p, err := lower.Stage(valid.Assume(f), &f.EntryPoints[0], lower.Options{SubgroupSize: size})
	if err != nil {
		return nil, fmt.Errorf("lower: %w", err)
	}
	if err := p.Verify(); err != nil {
		return nil, fmt.Errorf("verify: lower made: %w", err)
	}
	return p, nil
}

// Run runs a program and returns the bytes of all buffers, in order.
func (c *Contest) Run(ctx context.Context, e exec.Engine, p *ir.Program) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: panic: %v\n%s", e.Name(), r, debug.Stack())
		}
	}()
	prog, err := compute.NewPipeline(p, e, exec.Options{})
	if err != nil {
		return nil, fmt.Errorf("%s: compile: %w", e.Name(), err)
	}
	defer prog.Close()
	bindings := map[compute.Binding][]exec.Buffer{}
	var all [][]byte
	for _, b := range c.Module.Buffers {
		data := bytes.Clone(b.Bytes)
		all = append(all, data)
		bindings[compute.Binding{Binding: b.Binding}] = []exec.Buffer{{Bytes: data}}
	}
	maps.Copy(bindings, c.More)
	args := compute.Args{Groups: c.Module.Groups, Bindings: bindings, Push: c.Module.Push, Workers: 1, Budget: 1 << 14, Hook: c.Hook}
	drawn, err := c.pictures(&args)
	if err != nil {
		return nil, err
	}
	all = append(all, drawn...)
	err = prog.Dispatch(ctx, args)
	if err != nil {
		return nil, fmt.Errorf("%s: run: %w", e.Name(), err)
	}
	return bytes.Join(all, nil), nil
}

// pictures binds the images, and returns the texels of those that the module writes.
func (c *Contest) pictures(args *compute.Args) (drawn [][]byte, err error) {
	args.Images, args.Samplers = map[compute.Binding][]*texture.View{}, map[compute.Binding][]*texture.Sampler{}
	for _, x := range c.Module.Pictures {
		at := compute.Binding{Binding: x.Binding}
		if x.Texels {
			v, err := texture.NewBufferView(bytes.Clone(x.Bytes), x.Format)
			if err != nil {
				return nil, err
			}
			args.Images[at] = append(args.Images[at], v)
			continue
		}
		m, err := texture.NewImage(texture.Desc{Format: x.Format, Dim: ir.Dim2D, Width: x.Width, Height: x.Height, Levels: x.Levels})
		if err != nil {
			return nil, err
		}
		for n := range x.Levels {
			copy(m.LevelBytes(0, n), x.Bytes)
		}
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
		if err != nil {
			return nil, err
		}
		args.Images[at] = append(args.Images[at], v)
		if x.Storage {
			drawn = append(drawn, m.LevelBytes(0, 0))
			continue
		}
		d := texture.SamplerDesc{MipLinear: x.Linear, MaxLod: 9}
		if x.Linear {
			d.Mag, d.Min = enum.FilterLinear, enum.FilterLinear
		}
		d.Address[0], d.Address[1] = enum.AddressMode(x.Address), enum.AddressMode(x.Address)
		s, err := texture.NewSampler(d)
		if err != nil {
			return nil, err
		}
		args.Samplers[at] = append(args.Samplers[at], s)
	}
	return drawn, nil
}

// compare says where two runs differ.
func (c *Contest) compare(what string, want, got []byte) error {
	if bytes.Equal(want, got) {
		return nil
	}
	at := 0
	for want[at] == got[at] {
		at++
	}
	buffer := at
	for _, b := range c.Module.Buffers {
		if buffer < len(b.Bytes) {
			return fmt.Errorf("%s: binding %d, byte %d: %x, must be %x", what, b.Binding, buffer, got[at], want[at])
		}
		buffer -= len(b.Bytes)
	}
	return fmt.Errorf("%s differs", what)
}

// hold runs the module everywhere at one subgroup size. The result is the
// interpreter's before all passes, and an error. The text of the error begins
// with its kind, up to a colon.
func (c *Contest) hold(ctx context.Context, size uint32) (want []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	p, err := c.Lowered(size)
	if err != nil {
		return nil, err
	}
	if want, err = c.Run(ctx, interp.Engine{}, p); err != nil {
		return nil, err
	}
	for i, x := range pass.Passes {
		x.Run(p)
		if !c.full && i+1 < len(pass.Passes) {
			continue
		}
		name := fmt.Sprintf("pass %d %s", i, x.Name)
		if err := p.Verify(); err != nil {
			return nil, fmt.Errorf("verify: %s: %w", name, err)
		}
		got, err := c.Run(ctx, interp.Engine{}, p)
		if err != nil {
			return nil, fmt.Errorf("after %s: %w", name, err)
		}
		if err := c.compare(name, want, got); err != nil {
			return nil, err
		}
	}
	p.StateEffects()
	for _, level := range jit.Levels() {
		got, err := c.Run(ctx, jit.Engine{Level: level}, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", level, err)
		}
		if err := c.compare("jit "+level.String(), want, got); err != nil {
			return nil, err
		}
	}
	return want, nil
}

// All holds the module at some or all subgroup sizes; where nothing depends on
// the size they must agree.
func (c *Contest) All(ctx context.Context) error {
	var first []byte
	for _, size := range c.sizes {
		out, err := c.hold(ctx, size)
		if err != nil {
			return fmt.Errorf("%w (subgroups of %d)", err, size)
		}
		if first == nil {
			first = out
		}
		if c.independent {
			if err := c.compare(fmt.Sprintf("subgroups of %d and %d", c.sizes[0], size), first, out); err != nil {
				return err
			}
		}
	}
	return nil
}
