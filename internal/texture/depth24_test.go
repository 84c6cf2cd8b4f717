package texture_test

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// TestDepth24 encodes depths in 24 bits, and expects the exact product rounded to nearest even: depths next to the middle between two
// numbers, of all magnitudes, and beyond 0 and 1.
func TestDepth24(t *testing.T) {
	const most = 1<<24 - 1
	r := rand.New(rand.NewSource(24))
	depths := []float32{0, float32(math.Copysign(0, -1)), 1, 0.5, math.Nextafter32(0.5, 0), math.Nextafter32(0.5, 1), 2, -1, math.MaxFloat32,
		math.SmallestNonzeroFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	for range 1 << 16 {
		n := float64(r.Intn(1 << (1 + r.Intn(24))))
		v := math.Float32bits(float32((n + 0.5) / most))
		depths = append(depths, math.Float32frombits(v+uint32(r.Intn(5))-2), math.Float32frombits(r.Uint32()%math.Float32bits(1)))
	}
	for len(depths)%lanes > 0 {
		depths = append(depths, 0)
	}
	p := &ir.Program{Name: "depth", SubgroupSize: lanes, LocalSize: [3]uint32{lanes, 1, 1}, In: []ir.Input{{Semantic: ir.GlobalInvocationIdX, Type: ir.I32}},
		Res: []ir.Resource{{Count: 1}, {Count: 1, Binding: 1}}}
	b := ir.NewFunc("main", nil, nil)
	at := b.OpAux(ir.At, ir.I32, 4, b.I32(0), b.OpAux(ir.In, ir.I32, 0))
	texel, err := texture.NewTexels(p).Of(b, format.InfoByName("X8_D24_UNORM_PACK32"))
	if err != nil {
		t.Fatal(err)
	}
	raw := texel.PackComponent(0, b.OpAux(ir.Ld, ir.F32, 0, b.OpAux(ir.Res, ir.H, 0, b.I32(0)), at))
	b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{b.OpAux(ir.Res, ir.H, 1, b.I32(0)), at, raw}})
	b.Return()
	p.Funcs = []*ir.Func{b.Finish()}
	p.StateEffects()
	in, out := make([]byte, 4*len(depths)), make([]byte, 4*len(depths))
	for i, v := range depths {
		binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(v))
	}
	for _, e := range engines() {
		compiled, err := e.Compile(p, exec.Options{})
		if err != nil {
			t.Fatalf("%s: %v", e.Name(), err)
		}
		clear(out)
		job := &exec.Job{Groups: [3]uint32{uint32(len(depths) / lanes), 1, 1}, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: in}}, {{Bytes: out}}}}
		if err := compiled.Run(context.Background(), job); err != nil {
			t.Fatalf("%s: %v", e.Name(), err)
		}
		compiled.Close()
		for i, v := range depths {
			want := uint32(0) // of a NaN
			if v == v {
				want = uint32(math.RoundToEven(min(max(float64(v), 0), 1) * most))
			}
			if got := binary.LittleEndian.Uint32(out[4*i:]); got != want {
				t.Fatalf("%s: %g gives %d; must be %d", e.Name(), v, got, want)
			}
		}
	}
}
