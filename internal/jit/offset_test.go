package jit_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestOffsets computes offsets around the value at which they saturate, with constant and other starts.
func TestOffsets(t *testing.T) { eachLevel(t, testOffsets) }

func testOffsets(t *testing.T, engine jit.Engine) {
	for _, stride := range []uint64{0, 1, 2, 3, 4, 12, 16, 255, 1 << 16, 1<<31 - 1, 1 << 31, math.MaxUint32} {
		for _, start := range []uint64{0, 1, 4, 1 << 31, math.MaxUint32 - 1, math.MaxUint32} {
			for _, from := range []string{"vs", fmt.Sprintf("%d:i32", start)} {
				var x [32]uint32
				about := uint64(math.MaxUint32)
				if stride > 0 {
					about = (math.MaxUint32 - start) / stride
				}
				for i := range x {
					switch i % 3 {
					case 0:
						x[i] = uint32(about) + uint32(i/3) - 3
					case 1:
						x[i] = uint32(i / 3)
					case 2:
						x[i] = math.MaxUint32 - uint32(i/3)<<(i%7)
					}
				}
				var starts [32]uint32
				for i := range starts {
					starts[i] = uint32(start)
				}
				out := make([]byte, 4*len(x))
				text := fmt.Sprintf("program \"offsets\" compute\nsubgroup 32\nlocal 32 1 1\nin localindex i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\nres storage 0 2 count 1\n"+
					"effects writes\n\nfunc \"main\"() L1 {\n\tvi = in.i32 #0\n\tvA = res 0:i32, #0\n\tvB = res 0:i32, #1\n\tvC = res 0:i32, #2\n\tvo = at 0:i32, vi, #4\n"+
					"\tvx = ld.i32 vA, vo, #0\n\tvs = ld.i32 vB, vo, #0\n\tvy = at %s, vx, #%d\n\tst.i32 vC, vo, vy, #0\n}\n", from, stride)
				job := &exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(x[:]), buffer(starts[:]), {{Bytes: out}}}}
				if err := compileWith(t, engine, text).Run(t.Context(), job); err != nil {
					t.Fatal(err)
				}
				for i, index := range x {
					want := uint32(math.MaxUint32)
					if hi := uint64(index); stride == 0 || hi <= (math.MaxUint32-start)/stride {
						want = uint32(start + hi*stride)
					}
					if got := binary.LittleEndian.Uint32(out[4*i:]); got != want {
						t.Errorf("%s + %d·%d, where the start is %d: %d; want %d", from, index, stride, start, got, want)
					}
				}
			}
		}
	}
}
