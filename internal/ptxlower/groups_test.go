package ptxlower

import (
	"encoding/binary"
	"math"
	"os"
	"testing"
)

// blockSize is the number of threads of the kernels of groups.
const blockSize = 64

// groupKernels compute what each kernel of testdata/groups/g1 writes for the words x, by the definitions of CUDA.
var groupKernels = map[string]func(x, out []uint32){
	"k_reverse": func(x, out []uint32) {
		for i := range x {
			out[i] = x[blockSize-1-i]
		}
	},
	"k_sum": func(x, out []uint32) {
		for _, v := range x {
			out[0] += v
		}
	},
	"k_scan": func(x, out []uint32) {
		sum := uint32(0)
		for i, v := range x {
			sum += v
			out[i] = sum
		}
	},
	"k_histogram": func(x, out []uint32) {
		for _, v := range x {
			out[v&15]++
		}
	},
	"k_atomics": func(x, out []uint32) {
		sum := uint64(0)
		for _, v := range x {
			out[0] += v
			out[1] = max(out[1], v)
			out[2] = uint32(min(int32(out[2]), int32(v)))
			out[3] ^= v
			out[4] |= v
			sum += uint64(v) << 20 // of an unsigned number
		}
		out[5] = blockSize % 10                   // counts 0 to 9
		out[6] = uint32((10 - blockSize%10) % 10) // counts 0, 9, 8 … 1, 0
		out[8], out[9] = uint32(sum), uint32(sum>>32)
	},
	"k_shuffle": func(x, out []uint32) {
		at := func(i, lane int) uint32 { return x[i&^31|lane] }
		for i := range x {
			lane := i & 31
			up, down := lane, lane
			if lane >= 3 {
				up = lane - 3
			}
			if lane+2 <= 31 {
				down = lane + 2
			}
			out[i] = at(i, lane^5) + 3*at(i, up) + 7*at(i, down) + 11*at(i, 9)
			// Segments of 8: the clamp is 7 and the mask 0x18.
			out[i+blockSize] = at(i, lane^3) + 5*at(i, lane&0x18|6)
		}
	},
	"k_vote": func(x, out []uint32) {
		for w := 0; w < blockSize; w += 32 {
			ballot, third, anyLarge, all := uint32(0), uint32(0), false, true
			for i, v := range x[w : w+32] {
				ballot |= v & 1 << i
				third |= v >> 3 & 1 << i
				anyLarge = anyLarge || v > 0xf0000000
				all = all && v > 5
			}
			for i := w; i < w+32; i++ {
				v := ballot
				if anyLarge {
					v ^= 0x1000
				}
				if all {
					v ^= 0x2000
				}
				if third == 0 || third == math.MaxUint32 {
					v ^= 0x4000
				}
				out[i] = v
				for k, y := range x[w : w+32] {
					if y&3 == x[i]&3 {
						out[i+blockSize] |= 1 << k
					}
				}
			}
		}
	},
	"k_lanes": func(x, out []uint32) {
		for i := range x {
			lane := uint32(i & 31)
			below := uint32(1)<<lane - 1
			out[i] = lane + 100*uint32(i/32) + below*3 + ^below*5
			out[i+blockSize] = blockSize*1000 + 1
		}
	},
	"k_barrier_red": func(x, out []uint32) {
		odd, and, or := uint32(0), uint32(2), uint32(0)
		for _, v := range x {
			odd += v & 1
			if v == 0 {
				and = 0
			}
			if v == 7 {
				or = 1
			}
		}
		for i := range x {
			out[i] = odd*4 + and + or
		}
	},
	"k_tile": func(x, out []uint32) {
		for i := range x {
			s := float32(0) // all sums are exact
			for k := range 8 {
				s += float32(x[i/8*8+k]&255) * float32(x[(k*8+i%8)*5%blockSize]&63)
			}
			out[i] = math.Float32bits(s)
		}
	},
}

// readPTX returns a module of testdata.
func readPTX(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestGroups runs kernels with shared memory, barriers, exchanges in a warp and atomics.
func TestGroups(t *testing.T) {
	x := (&program{}).inputs()
	for _, level := range []string{"O0", "O1", "O2", "O3"} {
		m := parse(t, readPTX(t, "groups/g1."+level+".ptx"))
		if len(m.Entries()) != len(groupKernels) {
			t.Errorf("%d kernels; must be %d", len(m.Entries()), len(groupKernels))
		}
		for _, f := range m.Entries() {
			want := make([]uint32, 2*blockSize)
			groupKernels[f.Name](x, want)
			for _, e := range engines {
				out := make([]byte, 8*blockSize)
				l := launch{kernel: f.Name, grid: [3]uint32{1, 1, 1}, block: [3]uint32{blockSize, 1, 1}, args: []any{out, words(x...), blockSize}}
				if err := l.run(m, e.engine, e.optimize); err != nil {
					t.Errorf("%s, %s: %v", level, f.Name, err)
					break
				}
				for i, w := range want {
					if got := word(out[4*i:]); got != w {
						t.Errorf("%s, %s on the %s: word %d is %#x; must be %#x", level, f.Name, e.name, i, got, w)
						break
					}
				}
			}
		}
	}
}

// TestVectorAdd adds vectors with several blocks, of which the last one is not full.
func TestVectorAdd(t *testing.T) {
	for _, level := range []string{"O0", "O1", "O2", "O3"} {
		m := parse(t, readPTX(t, "groups/vecadd."+level+".ptx"))
		for _, e := range engines {
			var a, b []uint32
			for i := range 100 {
				a, b = append(a, math.Float32bits(float32(i))), append(b, math.Float32bits(0.5))
			}
			c := make([]byte, 400)
			l := launch{kernel: "vecadd", grid: [3]uint32{2, 1, 1}, block: [3]uint32{blockSize, 1, 1}, args: []any{words(a...), words(b...), c, 90}}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Fatal(level, e.name, err)
			}
			for i := range 100 {
				want := math.Float32bits(float32(i) + 0.5)
				if i >= 90 {
					want = 0
				}
				if got := binary.LittleEndian.Uint32(c[4*i:]); got != want {
					t.Fatalf("%s on the %s: number %d is %#x; must be %#x", level, e.name, i, got, want)
				}
			}
		}
	}
}

// TestReduxMasks checks that each half of a warp reduces over its own mask when both execute one redux.sync.
func TestReduxMasks(t *testing.T) {
	m := parse(t, `.version 8.6
.target sm_90
.address_size 64
.visible .entry halves(.param .u64 o)
{
.reg .b64 %out, %at;
.reg .b32 %lane, %mask, %sum, %least;
.reg .pred %low;
ld.param.u64 %out, [o];
mov.u32 %lane, %laneid;
setp.lt.u32 %low, %lane, 16;
selp.b32 %mask, 0xffff, 0xffff0000, %low;
redux.sync.add.u32 %sum, %lane, %mask;
redux.sync.min.s32 %least, %lane, %mask;
mad.lo.u32 %sum, %least, 1000, %sum;
mad.wide.u32 %at, %lane, 4, %out;
st.global.u32 [%at], %sum;
ret;
}
`)
	for _, e := range engines {
		out := make([]byte, 4*WarpSize)
		l := launch{kernel: "halves", grid: [3]uint32{1, 1, 1}, block: [3]uint32{WarpSize, 1, 1}, args: []any{out}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(e.name, err)
		}
		for i := range WarpSize {
			want := uint32(120) // 0 + 1 + … + 15
			if i >= 16 {
				want = 16*1000 + 376 // 16 + 17 + … + 31
			}
			if got := word(out[4*i:]); got != want {
				t.Errorf("thread %d on the %s: %d; must be %d", i, e.name, got, want)
			}
		}
	}
}
