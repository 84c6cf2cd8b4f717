package ptxlower

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// sparseCase is a form of mma.sp: K, the elements of a register, of a chunk and of a unit that an index selects, the bits of an element, and
// where the metadata of a chunk of a row is (PTX ISA, "Matrix fragments for multiply-accumulate operation with sparse matrix A").
type sparseCase struct {
	name               string
	k, per, chunk      int
	element, addition  func(int) uint64
	selectors, threads int // of the selector; threads of a group that one value of it chooses
}

// metadataPlace returns the thread of a group of four and the first bit of the metadata of a chunk of row or row + 8.
func (x *sparseCase) metadataPlace(chunk, high, selector int) (thread, bit int) {
	if x.per <= 2 { // each thread has 16 bits of both rows
		return selector*x.threads + chunk/4, 16*high + 4*(chunk%4)
	}
	return selector*x.threads + high + 2*(chunk/8), 4 * (chunk % 8)
}

// TestSparseMatrices multiplies sparse matrices of small integers by dense ones, with each selector.
func TestSparseMatrices(t *testing.T) {
	float := func(x int) uint64 { return uint64(math.Float32bits(float32(x))) }
	integer := func(x int) uint64 { return uint64(uint32(int32(x))) }
	low := func(bits int) func(int) uint64 { return func(x int) uint64 { return uint64(x) & (1<<bits - 1) } }
	for _, x := range []sparseCase{
		{"sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16, 2, 4, halfOf, float, 4, 1},
		{"sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 32, 2, 4, halfOf, float, 2, 2},
		{"sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32", 32, 2, 4, func(x int) uint64 { return float(x) >> 16 }, float, 2, 2},
		{"sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 8, 1, 2, float, float, 4, 1},
		{"sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", 16, 1, 2, float, float, 2, 2},
		{"sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 32, 4, 4, low(8), integer, 2, 2},
		{"sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.s8.s8.s32", 64, 4, 4, low(8), integer, 1, 0},
		{"sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32", 64, 4, 4, func(x int) uint64 { return smallOf(x, 3, 7) }, float, 1, 0},
		{"sp.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 64, 8, 8, low(4), integer, 2, 2},
		{"sp::ordered_metadata.sync.aligned.m16n8k128.row.col.s32.s4.s4.s32", 128, 8, 8, low(4), integer, 1, 0},
	} {
		for selector := range x.selectors {
			testSparse(t, &x, selector)
		}
	}
}

// sparseRow is a row of A: all elements, those that mma.sp gets, and the metadata of each chunk.
type sparseRow struct {
	dense, packed []int
	nibbles       []int
}

// newSparseRow returns a row with random places of the elements that are not 0.
func (x *sparseCase) newSparseRow(r *rand.Rand) (row sparseRow) {
	for range x.k / x.chunk {
		pair := [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}[r.IntN(6)]
		units := pair[:]
		nibble := pair[0] | pair[1]<<2
		if x.chunk == 2 {
			units = []int{r.IntN(2)}
			nibble = []int{0b0100, 0b1110}[units[0]]
		}
		unit := max(x.chunk/4, 1) // elements
		chunk := make([]int, x.chunk)
		for _, u := range units {
			for i := range unit {
				chunk[u*unit+i] = r.IntN(8) - 4
				row.packed = append(row.packed, chunk[u*unit+i])
			}
		}
		row.dense, row.nibbles = append(row.dense, chunk...), append(row.nibbles, nibble)
	}
	return row
}

func testSparse(t *testing.T, x *sparseCase, selector int) {
	r := rand.New(rand.NewPCG(uint64(x.k), uint64(selector)))
	var rows [16]sparseRow
	for i := range rows {
		rows[i] = x.newSparseRow(r)
	}
	b := func(i, j int) int { return (i*7+j*2+i*i)%9 - 4 }
	pack := func(element func(int) int) uint32 {
		v := uint64(0)
		for p := range x.per {
			v |= x.element(element(p)) << (32 / x.per * p)
		}
		return uint32(v)
	}
	halves := x.k / 2 / x.per / 4
	const thread = 16 // words: A, B from word 4, C from word 8, metadata in word 12
	in, want := make([]byte, 4*thread*32), []uint32{}
	for i := range in {
		in[i] = byte(r.IntN(256)) // the metadata of threads that have none is not used
	}
	put := func(lane, at int, v uint32) { binary.LittleEndian.PutUint32(in[4*(thread*lane+at):], v) }
	for lane := range 32 {
		for h := range halves {
			first := x.per * (4*h + lane%4)
			for high := range 2 {
				put(lane, 2*h+high, pack(func(p int) int { return rows[lane/4+8*high].packed[first+p] }))
			}
		}
		for h := range 2 * halves {
			put(lane, 4+h, pack(func(p int) int { return b(x.per*(4*h+lane%4)+p, lane/4) }))
		}
		for e := range 4 {
			row, column := lane/4+8*(e/2), 2*(lane%4)+e%2
			put(lane, 8+e, uint32(x.addition(row-column)))
			sum := row - column
			for i, a := range rows[row].dense {
				sum += a * b(i, column)
			}
			want = append(want, uint32(x.addition(sum)))
		}
	}
	for i := range rows {
		for chunk, nibble := range rows[i].nibbles {
			at, bit := x.metadataPlace(chunk, i/8, selector)
			p := in[4*(thread*(4*(i%8)+at)+12):]
			binary.LittleEndian.PutUint32(p, binary.LittleEndian.Uint32(p)&^(15<<bit)|uint32(nibble)<<bit)
		}
	}
	m := parse(t, sparseModule(x.name, 2*halves, selector))
	for _, e := range everyEngine() {
		out := make([]byte, 4*len(want))
		l := launch{kernel: "multiply", grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}, args: []any{out, in}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(x.name, err)
		}
		for i, w := range want {
			if got := word(out[4*i:]); got != w {
				t.Errorf("%s with selector %d on the %s: element %d of thread %d is %#x; must be %#x", x.name, selector, e.name, i%4, i/4, got, w)
				break
			}
		}
	}
}

// sparseModule returns a module with a kernel that executes an mma.sp with n registers of A and of B.
func sparseModule(name string, n, selector int) string {
	src := ".version 8.5\n.target sm_90\n.address_size 64\n.entry multiply(.param .u64 o, .param .u64 i)\n{\n" +
		".reg .b32 %t, a<4>, b<4>, c<4>, d<4>, e; .reg .b64 %in, %out, %x;\n" +
		"ld.param.u64 %in, [i]; ld.param.u64 %out, [o];\nmov.u32 %t, %tid.x;\n" +
		"mul.wide.u32 %x, %t, 64; add.u64 %in, %in, %x;\nmul.wide.u32 %x, %t, 16; add.u64 %out, %out, %x;\n" +
		"ld.global.v4.b32 {a0, a1, a2, a3}, [%in]; ld.global.v4.b32 {b0, b1, b2, b3}, [%in+16]; ld.global.v4.b32 {c0, c1, c2, c3}, [%in+32]; ld.global.b32 e, [%in+48];\n"
	list := func(name string, n int) string {
		var l []string
		for i := range n {
			l = append(l, fmt.Sprint(name, i))
		}
		return "{" + strings.Join(l, ", ") + "}"
	}
	return src + fmt.Sprintf("mma.%s %s, %s, %s, %s, e, %d;\n", name, list("d", 4), list("a", n), list("b", n), list("c", 4), selector) +
		"st.global.v4.b32 [%out], {d0, d1, d2, d3};\nret;\n}\n"
}
