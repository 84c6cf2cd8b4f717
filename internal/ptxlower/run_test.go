package ptxlower

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// launch is a run of a kernel. An argument is a number of 4 or 8 bytes, or a buffer, which is passed by its address.
type launch struct {
	kernel  string
	grid    [3]uint32
	block   [3]uint32
	shared  uint32
	args    []any
	workers int    // 0 is 1
	budget  uint64 // of steps; 0 is the default

	sanitize ir.Sanitizers
	reports  []shader.Report // of sanitize
	schedule func(int) int   // as exec.Job.Schedule
	inlined  int             // as Options.inlined

	textures, surfaces []*texture.View // by the number in a handle
	samplers           []*texture.Sampler
	handles            map[string]uint64 // of variables
}

// run runs a kernel on an engine; buffers have their new content afterwards.
func (l *launch) run(m *ptx.Module, e exec.Engine, optimize bool) error {
	image, err := NewImage(m)
	if err != nil {
		return err
	}
	memory := [][]byte{make([]byte, len(image.Bytes)+8), make([]byte, LockBytes)}
	if image.UsesHeap() {
		memory = append(memory, make([]byte, HeapBytes))
	}
	first := len(memory)
	var buffers, around [][]byte
	for _, a := range l.args {
		if b, ok := a.([]byte); ok {
			around = append(around, withMargins(b))
			memory, buffers = append(memory, around[len(buffers)][margin:margin+len(b)]), append(buffers, b)
		}
	}
	regions := compute.RegionsOf(memory)
	p, err := Lower(m, image, l.kernel, Options{Block: l.block, SharedBytes: l.shared, Base: regions[0].Address, Locks: regions[1].Address, Heap: regions[first-1].Address, Sanitize: l.sanitize, inlined: l.inlined})
	if err != nil {
		return err
	}
	copy(memory[0], image.Place(regions[0].Address))
	for name, h := range l.handles {
		binary.LittleEndian.PutUint64(memory[0][image.offsets[name]:], h)
	}
	push, err := l.push(m, regions[first:], p.PushBytes)
	if err != nil {
		return err
	}
	if optimize {
		pass.Run(p)
	}
	pipeline, err := compute.NewPipeline(p, e, exec.Options{})
	if err != nil {
		return err
	}
	defer pipeline.Close()
	args := compute.Args{Groups: l.grid, Push: push, Regions: regions, Workers: max(l.workers, 1), Budget: l.budget, Schedule: l.schedule,
		Images:   map[compute.Binding][]*texture.View{{Binding: TextureBinding}: l.textures, {Binding: SurfaceBinding}: l.surfaces},
		Samplers: map[compute.Binding][]*texture.Sampler{{Binding: SamplerBinding}: l.samplers}}
	if l.sanitize != 0 {
		args.Log = &exec.Log{}
		defer func() { l.reports = shader.Reports(args.Log, nil, false) }()
	}
	if err := pipeline.Dispatch(context.Background(), args); err != nil {
		return err
	}
	for i, b := range buffers {
		if copy(b, memory[first+i]); !keepsMargins(around[i]) {
			return errMargin
		}
	}
	return nil
}

// margin is the number of bytes around a buffer that no launch may change.
const margin = 64

var errMargin = errors.New("a byte outside of a buffer is changed; must not be")

// withMargins returns a copy of a buffer with a margin before and after it.
func withMargins(b []byte) []byte {
	all := bytes.Repeat([]byte{0xa5}, len(b)+2*margin)
	copy(all[margin:], b)
	return all
}

// keepsMargins reports whether the margins of withMargins are as they were.
func keepsMargins(all []byte) bool {
	want := bytes.Repeat([]byte{0xa5}, margin)
	return bytes.HasPrefix(all, want) && bytes.HasSuffix(all, want)
}

// push returns the bytes of the arguments.
func (l *launch) push(m *ptx.Module, regions []exec.Region, n uint32) ([]byte, error) {
	f := m.Function(l.kernel)
	if len(f.Params) != len(l.args) {
		return nil, fmt.Errorf("%d arguments for %d parameters", len(l.args), len(f.Params))
	}
	push := make([]byte, n)
	for i, at := range ParamOffsets(f) {
		switch a := l.args[i].(type) {
		case []byte:
			if f.Params[i].Size() == 4 { // the low half
				binary.LittleEndian.PutUint32(push[at:], uint32(regions[0].Address))
			} else {
				binary.LittleEndian.PutUint64(push[at:], regions[0].Address)
			}
			regions = regions[1:]
		case int:
			binary.LittleEndian.PutUint32(push[at:], uint32(a))
		case uint64:
			binary.LittleEndian.PutUint64(push[at:], a)
		default:
			return nil, fmt.Errorf("an argument of type %T", a)
		}
	}
	return push, nil
}

// parse returns the module of a text without findings.
func parse(t testing.TB, src string) *ptx.Module {
	t.Helper()
	m, findings := ptx.Parse(src)
	if len(findings) > 0 {
		t.Fatal((&ptx.Error{Findings: findings}).Error())
	}
	return m
}

// engineWay is a way to run a program.
type engineWay struct {
	name     string
	engine   exec.Engine
	optimize bool
}

// engines are the ways, which must agree.
var engines = []engineWay{{"interpreter, without passes", interp.Engine{}, false}, {"interpreter", interp.Engine{}, true}, {"JIT", jit.Engine{}, true}}

// everyEngine returns engines, and the JIT at each other level of the processor.
func everyEngine() []engineWay {
	list := engines
	for i, level := range jit.Levels() {
		if i > 0 {
			list = append(list[:len(list):len(list)], engineWay{"JIT at level " + level.String(), jit.Engine{Level: level}, true})
		}
	}
	return list
}

// words returns the bytes of 32-bit numbers.
func words(list ...uint32) []byte {
	var b []byte
	for _, x := range list {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

// word returns 4 bytes as a number.
func word(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
