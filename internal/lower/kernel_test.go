package lower

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	osexec "os/exec"
	"path/filepath"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// kernels are where the shaders of the comparison with other drivers lie.
const kernels = "../../../shared/peers/kernels"

// runKernel compiles one of them and dispatches it. Buffers are words.
func runKernel(t *testing.T, name string, spec facts.Spec, groups [3]uint32, push []uint32, buffers ...[]uint32) [][]uint32 {
	t.Helper()
	src := filepath.Join(kernels, name+".comp")
	if _, err := os.Stat(src); err != nil {
		t.Skip("no kernel at", src)
	}
	out := filepath.Join(t.TempDir(), name+".spv")
	if err := osexec.Command("glslc", "--target-env=vulkan1.3", src, "-o", out).Run(); err != nil {
		t.Skip("glslc:", err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	v := valid.Assume(facts.Gather(m, spec))
	p, err := Stage(v, &v.Facts().EntryPoints[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	prog, err := interp.Engine{}.Compile(p, exec.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	args := compute.Args{Groups: groups, Push: toBytes(push), Bindings: map[compute.Binding][]exec.Buffer{}}
	for i, b := range buffers {
		args.Bindings[compute.Binding{Set: 0, Binding: uint32(i)}] = []exec.Buffer{{Bytes: toBytes(b)}}
	}
	if err := compute.Dispatch(context.Background(), prog, args); err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	result := make([][]uint32, len(buffers))
	for i := range buffers {
		b := args.Bindings[compute.Binding{Set: 0, Binding: uint32(i)}][0].Bytes
		for k := 0; k < len(b); k += 4 {
			result[i] = append(result[i], binary.LittleEndian.Uint32(b[k:]))
		}
	}
	return result
}

func toBytes(w []uint32) []byte {
	var out []byte
	for _, x := range w {
		out = binary.LittleEndian.AppendUint32(out, x)
	}
	return out
}

func TestSaxpy(t *testing.T) {
	const n = 1000
	x, y := make([]uint32, 1024), make([]uint32, 1024)
	for i := range x {
		x[i], y[i] = math.Float32bits(float32(i)), math.Float32bits(float32(2*i))
	}
	got := runKernel(t, "saxpy", facts.Spec{0: 64}, [3]uint32{4, 4, 1}, []uint32{n, math.Float32bits(0.5)}, x, y)
	for i, g := range got[1] {
		want := float32(2 * i)
		if i < n {
			want = 0.5*float32(i) + float32(2*i)
		}
		if math.Float32frombits(g) != want {
			t.Fatalf("y[%d] = %v; want %v", i, math.Float32frombits(g), want)
		}
	}
}

func TestMandelbrot(t *testing.T) {
	const w, h, most = 40, 24, 50
	got := runKernel(t, "mandelbrot", nil, [3]uint32{3, 2, 1}, []uint32{w, h, most}, make([]uint32, w*h))
	for i, g := range got[0] {
		x, y := float32(i%w), float32(i/w)
		cr := float32(-2.2) + float32(float32(3.0)*x)/w
		ci := float32(-1.2) + float32(float32(2.4)*y)/h
		zr, zi, it := float32(0), float32(0), uint32(0)
		for ; it < most; it++ {
			r2, i2 := float32(zr*zr), float32(zi*zi)
			if float32(r2+i2) > 4 {
				break
			}
			zi = float32(float32(float32(2*zr)*zi) + ci)
			zr = float32(float32(r2-i2) + cr)
		}
		if g != it {
			t.Fatalf("(%v, %v): %d; want %d", x, y, g, it)
		}
	}
}

func TestReduceShared(t *testing.T) {
	a := make([]uint32, 4096)
	want := [2]float32{}
	for i := range a {
		a[i] = math.Float32bits(float32(i % 7)) // sums stay exact
		want[i/2048] += float32(i % 7)
	}
	got := runKernel(t, "reduce_shared", nil, [3]uint32{2, 1, 1}, nil, a, make([]uint32, 2))
	for i, w := range want {
		if g := math.Float32frombits(got[1][i]); g != w {
			t.Errorf("group %d: %v; want %v", i, g, w)
		}
	}
}

func TestLocalArr(t *testing.T) {
	a := make([]uint32, 16*128)
	for i := range a {
		a[i] = uint32(i*7919) % 1000
	}
	got := runKernel(t, "localarr", nil, [3]uint32{1, 1, 1}, nil, a, make([]uint32, len(a)))
	for i := 0; i < len(a); i += 16 {
		sum := map[uint32]int{}
		for k := range 16 {
			sum[a[i+k]]++
			sum[got[1][i+k]]--
			if k > 0 && got[1][i+k-1] > got[1][i+k] {
				t.Fatalf("block %d is not sorted: %d", i/16, got[1][i:i+16])
			}
		}
		for v, n := range sum {
			if n != 0 {
				t.Fatalf("block %d: %d came or went", i/16, v)
			}
		}
	}
}
