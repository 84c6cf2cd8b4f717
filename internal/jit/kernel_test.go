package jit_test

import (
	"encoding/binary"
	"math"
	"math/rand"
	"os"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// A kernel is one of testdata's programs with a job, and what its resource
// must hold afterwards, computed here in the plainest Go.
type kernel struct {
	name     string
	job      exec.Job
	resource int
	want     []uint32
}

// kernels makes the jobs. Sizes are no multiples of the groups'.
func kernels() []kernel {
	return []kernel{saxpy(1000), mandelbrot(50, 37, 200), reduceShared(5), localArray(300)}
}

// scrambled returns n different words, the products of their indices and the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
func scrambled(n int) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = uint32(i) * 2654435761
	}
	return list
}

func buffer(words []uint32) []exec.Buffer { return []exec.Buffer{{Bytes: loadLittleEndian(words)}} }

func float(r *rand.Rand) uint32 { return math.Float32bits(float32(r.NormFloat64())) }

func saxpy(n int) kernel {
	r := rand.New(rand.NewSource(1))
	x, y := make([]uint32, n), make([]uint32, n+40)
	want := make([]uint32, len(y))
	a := float32(1.7)
	for i := range y {
		y[i] = float(r)
		want[i] = y[i]
	}
	for i := range x {
		x[i] = float(r)
		product := float32(a * math.Float32frombits(x[i])) // rounded: no fused product
		want[i] = math.Float32bits(product + math.Float32frombits(y[i]))
	}
	return kernel{"saxpy", exec.Job{
		Groups:    [3]uint32{uint32(n+127) / 128, 2, 1},
		Push:      loadLittleEndian([]uint32{uint32(n), math.Float32bits(a)}),
		Resources: [][]exec.Buffer{buffer(x), buffer(y)},
	}, 1, want}
}

func mandelbrot(w, h, limit uint32) kernel {
	want := make([]uint32, w*h)
	for i := range want {
		x, y := uint32(i)%w, uint32(i)/w
		tx, ty := 3*float32(x), 2.4*float32(y)
		qx, qy := tx/float32(w), ty/float32(h)
		cr, ci := -2.2+qx, -1.2+qy
		var zr, zi float32
		n := uint32(0)
		for ; n < limit; n++ {
			r2, i2 := zr*zr, zi*zi
			if sum := float32(r2) + float32(i2); sum > 4 {
				break
			}
			twice := float32(2 * zr)
			product := float32(twice * zi)
			zi = product + ci
			difference := float32(r2) - float32(i2)
			zr = float32(difference) + cr
		}
		want[i] = n
	}
	return kernel{"mandelbrot", exec.Job{
		Groups:    [3]uint32{(w + 15) / 16, (h + 15) / 16, 1},
		Push:      loadLittleEndian([]uint32{w, h, limit}),
		Resources: [][]exec.Buffer{buffer(make([]uint32, w*h))},
	}, 0, want}
}

func reduceShared(groups int) kernel {
	r := rand.New(rand.NewSource(2))
	a := make([]uint32, groups*2048-100) // the last group reads beyond the end: zeros
	for i := range a {
		a[i] = float(r)
	}
	want := make([]uint32, groups)
	for g := range want {
		var s [256]float32
		for l := range s {
			for k := range 8 {
				if i := g*2048 + l + 256*k; i < len(a) {
					s[l] += math.Float32frombits(a[i])
				}
			}
		}
		for d := 128; d > 0; d /= 2 {
			for l := range d {
				s[l] += s[l+d]
			}
		}
		want[g] = math.Float32bits(s[0])
	}
	return kernel{"reduce_shared", exec.Job{
		Groups:    [3]uint32{uint32(groups), 1, 1},
		Resources: [][]exec.Buffer{buffer(a), buffer(make([]uint32, groups))},
	}, 1, want}
}

func localArray(rows int) kernel {
	r := rand.New(rand.NewSource(3))
	a := make([]uint32, 16*rows)
	for i := range a {
		a[i] = r.Uint32()
	}
	want := slices.Clone(a)
	for i := range rows {
		slices.Sort(want[16*i:][:16])
	}
	return kernel{"localarr", exec.Job{
		Groups:    [3]uint32{uint32(rows+127) / 128, 1, 1},
		Resources: [][]exec.Buffer{buffer(a), buffer(make([]uint32, len(a)))},
	}, 1, want}
}

// TestKernels runs them at every width of subgroup, with one worker and with
// several: the results are those of Go and, bit for bit, the interpreter's.
func TestKernels(t *testing.T) { eachLevel(t, testKernels) }

func testKernels(t *testing.T, engine jit.Engine) {
	for _, k := range kernels() {
		t.Run(k.name, func(t *testing.T) {
			text, err := os.ReadFile("testdata/" + k.name + ".ir")
			if err != nil {
				t.Fatal(err)
			}
			for _, subgroup := range []uint32{4, 8, 16, 32, 64, 128} {
				for _, workers := range []int{1, 3} {
					k.job.Workers = workers
					got := run(engine, string(text), subgroup, k.job)
					same(t, run(interp.Engine{}, string(text), subgroup, k.job), got)
					if got.err != nil {
						t.Fatal(got.err)
					}
					check(t, got.resources[k.resource][0].Bytes, k.want)
				}
			}
		})
	}
}

func check(t *testing.T, got []byte, want []uint32) {
	t.Helper()
	for i, w := range want {
		if g := binary.LittleEndian.Uint32(got[4*i:]); g != w {
			t.Fatalf("word %d is %#x, want %#x", i, g, w)
		}
	}
}
