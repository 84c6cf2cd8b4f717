package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/modgen"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// contest runs one module on every engine.
type contest struct {
	m    *modgen.Module
	full bool // after each pass, at every subgroup size
	hook exec.Hook
	more map[compute.Binding][]exec.Buffer // buffers that the module does not declare
}

// lowered returns the module's program at a subgroup size.
func (c *contest) lowered(size uint32) (*ir.Program, error) {
	words, err := c.m.Words()
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

// run runs a program and returns the bytes of all buffers, in order.
func (c *contest) run(e exec.Engine, p *ir.Program) (out []byte, err error) {
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
	for _, b := range c.m.Buffers {
		data := bytes.Clone(b.Bytes)
		all = append(all, data)
		bindings[compute.Binding{Binding: b.Binding}] = []exec.Buffer{{Bytes: data}}
	}
	maps.Copy(bindings, c.more)
	args := compute.Args{Groups: c.m.Groups, Bindings: bindings, Push: c.m.Push, Workers: 1, Budget: 1 << 14, Hook: c.hook}
	drawn, err := c.pictures(&args)
	if err != nil {
		return nil, err
	}
	all = append(all, drawn...)
	err = prog.Dispatch(context.Background(), args)
	if err != nil {
		return nil, fmt.Errorf("%s: run: %w", e.Name(), err)
	}
	return bytes.Join(all, nil), nil
}

// pictures binds the images, and returns the texels of those that the module writes.
func (c *contest) pictures(args *compute.Args) (drawn [][]byte, err error) {
	args.Images, args.Samplers = map[compute.Binding][]*texture.View{}, map[compute.Binding][]*texture.Sampler{}
	for _, x := range c.m.Pictures {
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
func (c *contest) compare(what string, want, got []byte) error {
	if bytes.Equal(want, got) {
		return nil
	}
	at := 0
	for want[at] == got[at] {
		at++
	}
	buffer := at
	for _, b := range c.m.Buffers {
		if buffer < len(b.Bytes) {
			return fmt.Errorf("%s: binding %d, byte %d: %x, must be %x", what, b.Binding, buffer, got[at], want[at])
		}
		buffer -= len(b.Bytes)
	}
	return fmt.Errorf("%s differs", what)
}

// hold runs the module everywhere at one subgroup size. The result is what the
// interpreter gives before all passes, and an error whose text begins with
// what went wrong, up to a colon.
func (c *contest) hold(size uint32) (want []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	p, err := c.lowered(size)
	if err != nil {
		return nil, err
	}
	if want, err = c.run(interp.Engine{}, p); err != nil {
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
		got, err := c.run(interp.Engine{}, p)
		if err != nil {
			return nil, fmt.Errorf("after %s: %w", name, err)
		}
		if err := c.compare(name, want, got); err != nil {
			return nil, err
		}
	}
	p.StateEffects()
	for _, level := range amd64.Levels() {
		got, err := c.run(jit.Engine{Level: level}, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", level, err)
		}
		if err := c.compare("jit "+level.String(), want, got); err != nil {
			return nil, err
		}
	}
	return want, nil
}

// all holds the module at some or all subgroup sizes; where nothing depends on
// the size they must agree.
func (c *contest) all(sizes []uint32, independent bool) error {
	var first []byte
	for _, size := range sizes {
		out, err := c.hold(size)
		if err != nil {
			return fmt.Errorf("%w (subgroups of %d)", err, size)
		}
		if first == nil {
			first = out
		}
		if independent {
			if err := c.compare(fmt.Sprintf("subgroups of %d and %d", sizes[0], size), first, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// class is what errors of one cause have in common: their text up to a colon,
// and no number.
func class(err error) string {
	if err == nil {
		return ""
	}
	s, _, _ := strings.Cut(err.Error(), ":")
	return s
}

// reduce takes lines out of the module, or makes their values null, as long as
// the class of the error stays.
func reduce(m modgen.Module, fails func(*modgen.Module) string) *modgen.Module {
	want := fails(&m)
	lines := strings.Split(strings.TrimSpace(m.Text), "\n")
	tries := 0
	try := func(i, j int, with ...string) bool {
		next := append(append(append([]string(nil), lines[:i]...), with...), lines[j:]...)
		tries++
		c := m
		c.Text = strings.Join(next, "\n") + "\n"
		if fails(&c) != want {
			return false
		}
		lines = next
		return true
	}
	for n := 32; n > 0 && tries < 6000; n /= 2 {
		for i := len(lines) - n; i >= 0; i -= n {
			if i+n > len(lines) || try(i, i+n) || n > 1 {
				continue
			}
			word := strings.Fields(lines[i])
			if len(word) > 4 && word[2] != "OpPhi" && word[2] != "OpVariable" && !strings.HasPrefix(word[2], "OpType") && !strings.HasPrefix(word[2], "OpConstant") {
				try(i, i+1, word[0]+" = OpUndef "+word[3])
			}
		}
	}
	m.Text = strings.Join(lines, "\n") + "\n"
	return &m
}

// hasJIT reports whether this machine has the compiling engine.
func hasJIT() bool { return len(amd64.Levels()) > 0 }

// variety are the kinds of modules that the engines run.
var variety = []modgen.Options{{}, {Subgroups: true}, {Peers: true}, {Size: 25}, {Size: 150, Subgroups: true}, {Peers: true, Size: 150}, {Atomics64: true, Subgroups: true}, {Images: true}, {Images: true, Size: 150, Subgroups: true}}

// meetEngines runs the module of a seed and fails with what is left of it.
func meetEngines(t *testing.T, seed uint64, data []byte, full bool) {
	o := variety[seed%uint64(len(variety))]
	c := &contest{m: modgen.FromBytes(seed, data, o), full: full}
	sizes := []uint32{4, 16, 32, 128}
	if !full {
		k := seed / 7 % uint64(len(sizes))
		sizes = sizes[k : k+1]
	}
	independent := o.Peers && !o.Subgroups
	err := c.all(sizes, independent)
	if err == nil {
		return
	}
	var budget *exec.BudgetError
	if errors.As(err, &budget) {
		t.Fatalf("seed %d: %v: modules must end\n%s", seed, err, c.m.Text)
	}
	c.full = true
	if again := c.all(sizes, independent); again != nil {
		err = again // names the pass
	}
	small := reduce(*c.m, func(m *modgen.Module) string {
		return class((&contest{m: m, full: true}).all(sizes, independent))
	})
	t.Errorf("seed %d: %v\n%s", seed, err, small.Text)
}

// TestEngines runs random modules on both engines, the JIT at every level of the
// machine, before and after each pass, at several subgroup sizes: all results must be
// equal. CHIARO_LONG runs more modules; CHIARO_SEEDS=from-to runs others, with one
// subgroup size each.
func TestEngines(t *testing.T) {
	if list, ok := os.LookupEnv("CHIARO_SEEDS"); ok {
		from, to, _ := strings.Cut(list, "-")
		a, _ := strconv.ParseUint(from, 10, 64)
		b, _ := strconv.ParseUint(to, 10, 64)
		for ; a < b; a++ {
			meetEngines(t, a, nil, a%16 == 0)
			if a%1000 == 999 {
				t.Logf("%d seeds", a+1)
			}
		}
		return
	}
	n := uint64(24)
	if os.Getenv("CHIARO_LONG") != "" {
		n = 60
	}
	for seed := range n {
		meetEngines(t, seed, nil, true)
	}
}

// FuzzEngines runs modules whose choices a fuzzer makes.
func FuzzEngines(f *testing.F) {
	for seed := range uint64(len(variety)) {
		f.Add(seed, []byte(nil))
	}
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) { meetEngines(t, seed, data, false) })
}
