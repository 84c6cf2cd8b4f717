package lower

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/printf"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// script is the run section of a case: what is bound, and what must be in the
// buffers when all has run. One item a line:
//
//	groups 2 1 1              workgroups, 1 1 1 if not said
//	subgroup 4                lanes of a subgroup, 16 if not said
//	contract                  Options.Contract
//	spec 0 7                  the specialization constant with SpecId 0
//	push 1 2.5                push constants, in words
//	bank 2 1 2.5              a bank of push constants
//	buffer 0.1 1 -2 0x30 4.5  set 0, binding 1: 32-bit words; w×n is n words w
//	element 0.1 7             the next descriptor of the same array
//	inline 0.1 1 2            an inline uniform block
//	tensor 0.1 4 3×2 1 2 …    a tensor: bytes of an element, sizes, words of memory
//	strides 0.1 16 4          the strides of the last tensor of the array
//	image 0.1 2d:R32_UINT:4×2 1 2 …  an image, perhaps with :layers=n :levels=n :samples=n; of each row sample 0, sample 1, …
//	texels 0.1 R32_UINT 1 2 … a texel buffer
//	sampler 0.1 linear repeat a sampler
//	dynamic 0.1 16            dynamic offsets, by descriptor, in bytes
//	null 0.1                  the next descriptor of the array is null
//	range 0.1 8               the last descriptor names only so many bytes
//	robustness 0.1 robust     what holds out of the ranges of a place
//	killdemotes               OpKill demotes
//	profile                   Options.Profile; the counters are buffer 32.64 + stage
//	subgroups full varying    what the pipeline asks of subgroups
//	heap 0x10000 8            the next descriptor of the heap: address and length
//	region 0x10000 1 2        an allocation with a physical address
//	want 0.1 …                what the first descriptor must have in the end;
//	want 0x10000 …            what the allocation must have; _ is any word
//	bottom, triangles, boxes, instance, top 0.1  acceleration structures (sceneScript)
//	log text                  the next message: what is printed, or "break"
//	fails text                how the run's error begins
type script struct {
	args    compute.Args
	options Options
	spec    facts.Spec
	want    []expectation
	log     []string
	fails   string
	stage   stageScript
	scene   sceneScript
	images  map[compute.Binding][][]byte // the base levels, by array element
}

type expectation struct {
	at    string
	bytes func() []byte
	words []string
}

func parseScript(text string) (s script, err error) {
	s.args = compute.Args{Groups: [3]uint32{1, 1, 1}, Bindings: map[compute.Binding][]exec.Buffer{}}
	s.spec = facts.Spec{}
	for _, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		if err := s.item(f[0], f[1:]); err != nil {
			return s, fmt.Errorf("%q: %w", line, err)
		}
	}
	return s, nil
}

func (s *script) item(key string, f []string) error {
	if s.stage.item(key, f) {
		return nil
	}
	if ok, err := s.scene.item(key, f); ok {
		return err
	}
	switch key {
	case "log":
		s.log = append(s.log, strings.Join(f, " "))
		return nil
	case "fails":
		s.fails = strings.Join(f, " ")
		return nil
	case "contract":
		s.options.Contract = true
		return nil
	case "killdemotes":
		s.options.KillDemotes = true
		return nil
	case "profile":
		s.options.Profile = true
		return nil
	case "want":
		s.want = append(s.want, expectation{f[0], s.bound(f[0]), repeated(f[1:])})
		return nil
	case "subgroups":
		s.options.FullSubgroups = slices.Contains(f, "full")
		s.options.VaryingSubgroups = slices.Contains(f, "varying")
		return nil
	case "heapimage", "heapsampler": // the image or sampler bound there by its number in the heap
		n, err := strconv.ParseUint(f[0], 0, 64)
		if err != nil {
			return err
		}
		at := binding(f[1])
		if key == "heapimage" {
			put(&s.args.HeapImages, n, s.args.Images[at][0])
		} else {
			put(&s.args.HeapSamplers, n, s.args.Samplers[at][0])
		}
		return nil
	case "top":
		d, err := s.scene.top()
		if f[0] == "heap" {
			s.args.Heap = append(append(s.args.Heap, d.Bytes...), make([]byte, ir.HeapDescriptor-len(d.Bytes))...)
			return err
		}
		s.args.Bindings[binding(f[0])] = append(s.args.Bindings[binding(f[0])], d)
		return err
	case "buffer", "element", "null", "range", "inline", "dynamic", "robustness", "tensor", "strides", "image", "texels", "sampler":
		return s.bind(key, binding(f[0]), f[1:])
	}
	w, err := words(f)
	if err != nil {
		return err
	}
	switch key {
	case "groups":
		s.args.Groups = [3]uint32(w)
	case "subgroup":
		s.options.SubgroupSize = w[0]
	case "loops":
		s.options.looped = true
	case "spec":
		s.spec[w[0]] = uint64(w[1])
	case "samplerheap":
		for _, x := range w {
			s.args.SamplerHeap = binary.LittleEndian.AppendUint64(s.args.SamplerHeap, uint64(x))
		}
	case "heap":
		for _, x := range w {
			s.args.Heap = binary.LittleEndian.AppendUint64(s.args.Heap, uint64(x))
		}
	case "push":
		s.args.Push, err = wordBytes(f)
	case "bank":
		if s.args.Banks == nil {
			s.args.Banks = map[uint32][]byte{}
		}
		s.args.Banks[w[0]], err = wordBytes(f[1:])
	case "region":
		data, _ := wordBytes(f[1:])
		s.args.Regions = append(s.args.Regions, exec.Region{Address: uint64(w[0]), Bytes: data})
	default:
		err = fmt.Errorf("no such item")
	}
	return err
}

// bind is an item that says what is bound at a place.
func (s *script) bind(key string, at compute.Binding, f []string) error {
	list := s.args.Bindings[at]
	switch key {
	case "range":
		n, err := strconv.Atoi(f[0])
		list[len(list)-1].Beyond = len(list[len(list)-1].Bytes) - n
		return err
	case "robustness":
		level, ok := exec.ParseRobustness(f[0])
		if !ok {
			return fmt.Errorf("no such level")
		}
		put(&s.args.Robustness.Bindings, at, level)
		return nil
	case "dynamic":
		offsets, err := words(f)
		put(&s.args.Dynamic, at, offsets)
		return err
	}
	switch key {
	case "tensor":
		return s.tensor(at, f)
	case "image":
		return s.image(at, f)
	case "texels":
		return s.texels(at, f)
	case "sampler":
		return s.sampler(at, f)
	case "strides":
		all := s.args.Tensors[at]
		return numbers(f, &all[len(all)-1].Strides)
	}
	data, err := wordBytes(f) // none is null
	if key == "inline" {
		put(&s.args.Inline, at, data)
	} else {
		s.args.Bindings[at] = append(list, exec.Buffer{Bytes: data})
	}
	return err
}

// tensor binds a tensor; one without operands is null.
func (s *script) tensor(at compute.Binding, f []string) (err error) {
	var t compute.Tensor
	if len(f) > 1 {
		var size []uint64
		err = errors.Join(numbers(f[:1], &size), numbers(strings.Split(f[1], "×"), &t.Dimensions))
		t.ElementBytes = size[0]
		data, err2 := wordBytes(f[2:])
		t.Bytes, err = data, errors.Join(err, err2)
	}
	put(&s.args.Tensors, at, append(s.args.Tensors[at], t))
	return err
}

func numbers(f []string, to *[]uint64) error {
	for _, x := range f {
		n, err := strconv.ParseUint(x, 0, 64)
		if err != nil {
			return err
		}
		*to = append(*to, n)
	}
	return nil
}

// put puts a value into a map that may not be there yet.
func put[K comparable, V any](m *map[K]V, at K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[at] = v
}

func binding(s string) (at compute.Binding) {
	fmt.Sscanf(s, "%d.%d", &at.Set, &at.Binding)
	return at
}

// bound returns what gives the bytes of a buffer or an allocation.
func (s *script) bound(at string) func() []byte {
	if strings.HasPrefix(at, "0x") {
		for _, r := range s.args.Regions {
			if a, _ := word(at); r.Address == uint64(a) {
				return func() []byte { return r.Bytes }
			}
		}
		return func() []byte { return nil }
	}
	args, images := &s.args, s.images[binding(at)]
	return func() []byte {
		if len(images) > 0 {
			return images[0]
		}
		if list := args.Bindings[binding(at)]; len(list) > 0 {
			return list[0].Bytes
		}
		if list := args.Tensors[binding(at)]; len(list) > 0 {
			return list[0].Bytes
		}
		return nil
	}
}

// repeated expands w×n.
func repeated(f []string) []string {
	var out []string
	for _, w := range f {
		n := 1
		if a, b, ok := strings.Cut(w, "×"); ok {
			w = a
			n, _ = strconv.Atoi(b)
		}
		for range n {
			out = append(out, w)
		}
	}
	return out
}

// word reads a number of 32 bits: a float where it has a point or is nan or
// inf.
func word(s string) (uint32, error) {
	if strings.HasPrefix(s, "0x") {
		n, err := strconv.ParseUint(s[2:], 16, 32)
		return uint32(n), err
	}
	if strings.ContainsAny(s, ".") || strings.Contains(s, "inf") || s == "nan" {
		x, err := strconv.ParseFloat(s, 32)
		if s == "nan" {
			return 0x7fc00000, nil
		}
		return math.Float32bits(float32(x)), err
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return uint32(n), err
}

func words(f []string) ([]uint32, error) {
	var out []uint32
	for _, s := range repeated(f) {
		n, err := word(s)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

func wordBytes(f []string) ([]byte, error) {
	w, err := words(f)
	var out []byte
	for _, n := range w {
		out = binary.LittleEndian.AppendUint32(out, n)
	}
	return out, err
}

// engines are those that this machine has. Each must do the same.
func engines() []exec.Engine {
	list := []exec.Engine{interp.Engine{}}
	for _, l := range jit.Levels() {
		list = append(list, jit.Engine{Level: l})
	}
	return list
}

// runCase runs a module as a script says, as it was lowered and behind the
// passes, on every engine; accesses through tensor layouts also as loops.
func runCase(t *testing.T, source []byte, text string) {
	t.Helper()
	forms := []func(*testing.T, []byte, facts.Spec, Options) *ir.Program{lowered, passed}
	if bytes.Contains(source, []byte("TensorNV")) {
		forms = append(forms, looped)
	}
	for _, engine := range engines() {
		for _, prepare := range forms {
			s, err := parseScript(text)
			if err != nil {
				t.Fatal(err)
			}
			p := prepare(t, source, s.spec, s.options)
			outs := p.Out
			if p.Stage != ir.Compute {
				s.bindStage(t, p)
			}
			prog, err := compute.NewPipeline(p, engine, exec.Options{})
			if err != nil {
				t.Fatalf("%s: %v\n%s", engine.Name(), err, p)
			}
			s.args.Log, s.args.Rays = &exec.Log{}, s.scene.service()
			err = prog.Dispatch(context.Background(), s.args)
			if (err != nil) != (s.fails != "") || err != nil && !strings.HasPrefix(err.Error(), s.fails) {
				t.Fatalf("%s: %v\n%s", engine.Name(), err, p)
			}
			if got := said(s.args.Log); !slices.Equal(got, s.log) {
				t.Errorf("%s: log\n%s\nwant\n%s\n%s", engine.Name(), strings.Join(got, "\n"), strings.Join(s.log, "\n"), p)
			}
			for _, w := range s.want {
				w.check(t, engine.Name(), p)
			}
			if outs != nil {
				s.checkStage(t, engine.Name(), p, outs)
			}
			prog.Close()
		}
	}
}

// said returns what the invocations said, as a log line each.
func said(log *exec.Log) (out []string) {
	for _, x := range log.Messages() {
		m := x.Of()
		var args []printf.Arg
		for i, bits := range x.Args {
			args = append(args, printf.Arg{Bits: bits, Width: m.Args[i].Bits(), Float: m.Args[i].IsFloat()})
		}
		if m.Kind == ir.Print {
			out = append(out, printf.Format(m.Text, args))
		} else {
			out = append(out, m.Kind.String())
		}
	}
	return out
}

func (e *expectation) check(t *testing.T, engine string, p *ir.Program) {
	t.Helper()
	data := e.bytes()
	if len(data) != 4*len(e.words) {
		t.Fatalf("%v: the number of words is not that of the buffer", e.at)
	}
	for i, s := range e.words {
		got := binary.LittleEndian.Uint32(data[4*i:])
		if s == "_" {
			continue
		}
		want, err := word(s)
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s: %s word %d: 0x%x = %d = %v; want 0x%x = %s\n%s", engine, e.at, i, got, int32(got), math.Float32frombits(got), want, s, p)
			return
		}
	}
}

// dispatchOnce runs one workgroup of a program. The buffers have the bindings 0, 1, … of set 0.
func dispatchOnce(t *testing.T, p *ir.Program, e exec.Engine, buffers ...[]byte) {
	t.Helper()
	prog, err := compute.NewPipeline(p, e, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer prog.Close()
	args := compute.Args{Groups: [3]uint32{1, 1, 1}, Bindings: map[compute.Binding][]exec.Buffer{}}
	for i, b := range buffers {
		args.Bindings[compute.Binding{Binding: uint32(i)}] = []exec.Buffer{{Bytes: b}}
	}
	if err := prog.Dispatch(context.Background(), args); err != nil {
		t.Fatal(err)
	}
}

// operations returns the number of operations of a program.
func operations(p *ir.Program) (n int) {
	for _, f := range p.Funcs {
		n += len(f.Code)
	}
	return n
}
