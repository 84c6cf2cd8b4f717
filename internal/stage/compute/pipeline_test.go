package compute_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// reads is a program that stores the first component of texel (lane, 0) of an image
// in a buffer.
func reads() *ir.Program {
	p := &ir.Program{Name: "reads", SubgroupSize: 4, LocalSize: [3]uint32{4, 1, 1},
		In:  []ir.Input{{Semantic: ir.LocalInvocationIdX, Type: ir.I32}},
		Res: []ir.Resource{{Kind: ir.StorageBuffer, Count: 1}, {Binding: 1, Kind: ir.Texels, Count: 1}, {Binding: 1, Kind: ir.ImageShape, Count: 1, NonWritable: true}}}
	head := ir.Texture{Op: ir.TextureRead, Dim: ir.Dim2D, Type: ir.I32, Image: 1, Sampler: -1}
	b := ir.NewFunc("main", nil, nil)
	x := b.OpAux(ir.In, ir.I32, 0)
	_, results := head.Signature()
	t := b.Call(1, results, b.I32(0), x, b.I32(0))
	h := b.OpAux(ir.Res, ir.H, 0, b.I32(0))
	b.OpAux(ir.St, ir.I32, 0, h, b.OpAux(ir.At, ir.I32, 4, b.I32(0), x), t[0])
	p.Funcs = []*ir.Func{b.Finish(), ir.NewTexture("read", head)}
	p.StateEffects()
	return p
}

// shows returns a view of an image of 4×1 texels of a format, of bytes 1, 2, 3, …
func shows(t *testing.T, format string) *texture.View {
	t.Helper()
	m, err := texture.NewImage(texture.Desc{Format: format, Dim: ir.Dim2D, Width: 4})
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.LevelBytes(0, 0) {
		m.LevelBytes(0, 0)[i] = byte(i + 1)
	}
	v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestPipelineFollowsViews runs one program on views of several formats, some at the
// same time: each is read as its format says, and the null descriptor as 0.
func TestPipelineFollowsViews(t *testing.T) {
	l, err := compute.NewPipeline(reads(), interp.Engine{}, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	views := map[string][4]byte{ // the low bytes of what is read
		"R8_UINT": {1, 2, 3, 4}, "R16_UINT": {1, 3, 5, 7}, "R32_UINT": {1, 5, 9, 13}, "R8G8_UINT": {1, 3, 5, 7}, "": {},
	}
	var wait sync.WaitGroup
	for format, want := range views {
		var v *texture.View
		if format != "" {
			v = shows(t, format)
		}
		wait.Go(func() {
			for range 20 {
				at := compute.Binding{Binding: 1}
				out := make([]byte, 16)
				err := l.Dispatch(context.Background(), compute.Args{Groups: [3]uint32{1, 1, 1},
					Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: out}}},
					Images:   map[compute.Binding][]*texture.View{at: {v}}})
				if got := [4]byte{out[0], out[4], out[8], out[12]}; err != nil || got != want {
					t.Errorf("%s: got %v, want %v: %v", format, got, want, err)
				}
			}
		})
	}
	wait.Wait()
}

// closed counts the programs of an engine that are open.
type closed struct {
	exec.Engine
	open *int
}

func (e closed) Compile(p *ir.Program, o exec.Options) (exec.Program, error) {
	prog, err := e.Engine.Compile(p, o)
	*e.open++
	return counted{prog, e.open}, err
}

type counted struct {
	exec.Program
	open *int
}

func (p counted) Close() error {
	*p.open--
	return p.Program.Close()
}

// TestPipelineKeepsFewVariants compiles for more views than a pipeline keeps: those
// used last stay, the others are closed.
func TestPipelineKeepsFewVariants(t *testing.T) {
	open := 0
	l, err := compute.NewPipeline(reads(), closed{interp.Engine{}, &open}, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := texture.NewImage(texture.Desc{Format: "R8G8B8A8_UINT", Dim: ir.Dim2D})
	if err != nil {
		t.Fatal(err)
	}
	for i := range compute.MaxVariants + 10 { // each swizzle is a key of its own
		s := enum.Swizzle(i % 216)
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Swizzle: [4]enum.Swizzle{1 + s%6, 1 + s/6%6, 1 + s/36%6, 1 + enum.Swizzle(i/216)%6}})
		if err != nil {
			t.Fatal(err)
		}
		args := compute.Args{Images: map[compute.Binding][]*texture.View{{Binding: 1}: {v}}}
		for range 2 {
			if _, err := l.Compile(context.Background(), args); err != nil {
				t.Fatal(err)
			}
		}
		if want := min(i+1, compute.MaxVariants); open != want {
			t.Fatalf("%d programs are open after %d views; want %d", open, i+1, want)
		}
	}
	if err := l.Close(); err != nil || open != 0 {
		t.Errorf("%d programs are open behind Close: %v", open, err)
	}
}

// TestEnginesRefuseUnbound compiles a program whose image is not bound.
func TestEnginesRefuseUnbound(t *testing.T) {
	_, err := interp.Engine{}.Compile(reads(), exec.Options{})
	var unsupported *exec.UnsupportedError
	if !errors.As(err, &unsupported) {
		t.Fatal("no *exec.UnsupportedError:", err)
	}
	if want := "an unbound image: texture read 2d i32 image 1"; unsupported.Feature != want {
		t.Errorf("got %q, want %q", unsupported.Feature, want)
	}
}
