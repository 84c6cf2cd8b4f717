package jit_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
	"github.com/chiaro-gpu/chiaro/internal/pass"
)

// memoryOfQuads runs a program of Quads and returns the memory of its job.
func memoryOfQuads(t *testing.T, e exec.Engine, seed int64, optimised bool) []byte {
	t.Helper()
	p := irgen.Quads(seed)
	if err := p.Verify(); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, p)
	}
	if optimised {
		pass.Run(p)
	}
	prog, err := e.Compile(p, exec.Options{})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, p)
	}
	defer prog.Close()
	job, memory := irgen.QuadsJob(seed)
	if err := prog.Run(context.Background(), job); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, p)
	}
	return memory()
}

// TestQuads compares the engines on programs with quadswaps, helpers and killed lanes. CHIARO_SEEDS=from-to
// runs other seeds.
func TestQuads(t *testing.T) {
	from, to := irgen.Seeds(t, 400, 60)
	for seed := from; seed < to; seed++ {
		want := memoryOfQuads(t, interp.Engine{}, seed, false)
		for _, level := range jit.Levels() {
			if got := memoryOfQuads(t, jit.Engine{Level: level}, seed, seed%4 > 1); !bytes.Equal(got, want) {
				t.Fatalf("seed %d, %s: other bytes\n%s", seed, level, irgen.Quads(seed))
			}
		}
	}
}

// tileOfQuads begins a program over a tile: the position and the index of the invocation, a buffer to write and one to read, and the
// offset of the invocation's word in both.
const tileOfQuads = `in local.x i32 0
in local.y i32 0
in localindex i32 0
res storage 0 0 count 1 disjoint
res storage 0 1 count 1 nonwritable

func "main"() L1 {
	vx = in.i32 #0
	vy = in.i32 #1
	vi = in.i32 #2
	vB = res 0:i32, #0
	vA = res 0:i32, #1
	vo = at 0:i32, vi, #4
`

// fragments shades a tile: lanes that are not covered become helpers first, all lanes read their
// neighbours, some are killed then, and the others update their pixels.
const fragments = `program "fragments" compute
subgroup 16
local 8 8 1
quadrow 8
` + tileOfQuads + `	vn = ld.i32 vA, vo, #0
	vc = and.i32 vn, 1:i32
	vu = eq.i32 vc, 0:i32
	if vu {
		demote
	}
	vright = quadswap.i32 vn, #1
	vbelow = quadswap.i32 vn, #2
	vs1 = add.i32 vn, vright
	vk = and.i32 vn, 6:i32
	vd = eq.i32 vk, 0:i32
	if vd {
		kill
	}
	vacross = quadswap.i32 vn, #3
	vs2 = add.i32 vbelow, vacross
	vs = add.i32 vs1, vs2
	vrow = mul.i32 vy, 64:i32
	vat = at vrow, vx, #4
	vold = ld.i32 vB, vat, #8
	vnew = add.i32 vold, vs
	st.i32 vB, vat, vnew, #8
	vodd = and.i32 vx, 1:i32
	vtwice = eq.i32 vodd, 1:i32
	if vtwice {
		vagain = ld.i32 vB, vat, #8
		vmore = add.i32 vagain, 1000:i32
		st.i32 vB, vat, vmore, #8
	}
	vh = helper
	if vh {
		st.i32 vB, vat, 7:i32, #8
	}
}
`

// TestFragments compares fragments with a model, on both engines, with several subgroup sizes and, in the
// jit, with merged subgroups.
func TestFragments(t *testing.T) {
	source := make([]uint32, 64)
	for i := range source {
		source[i] = (uint32(i*i) * 2654435761) >> 7
	}
	want := make([]uint32, 8*16+16)
	alive := func(i int) bool { return source[i]&6 != 0 }
	for i, n := range source {
		sum := n + source[i^1] + source[i^8]
		if other := i ^ 9; alive(other) {
			sum += source[other]
		} else {
			sum += n
		}
		at := i/8*16 + i%8 + 2
		want[at] = uint32(at)
		if alive(i) && n&1 != 0 {
			want[at] += sum + uint32(i&1)*1000
		}
	}
	for _, engine := range engines() {
		for _, size := range []uint32{16, 32, 64} {
			p, err := ir.Parse(fragments)
			if err != nil {
				t.Fatal(err)
			}
			p.SubgroupSize = size
			p.StateEffects()
			if w := vectorize.MergeOf(p, jit.FormOf(target.AVX512)).Widest; w != 64 {
				t.Errorf("strips of %d lanes; want the whole workgroup of 64", w)
			}
			prog, err := engine.Compile(p, exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			target := make([]byte, 4*len(want))
			for i := range want {
				if x := i%16 - 2; x >= 0 && x < 8 && i < 8*16 {
					binary.LittleEndian.PutUint32(target[4*i:], uint32(i))
				}
			}
			job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: target}}, buffer(source)}}
			if err := prog.Run(context.Background(), &job); err != nil {
				t.Fatal(err)
			}
			if got := words(target); !equalWords(got, want) {
				t.Errorf("%s, subgroups of %d:\n got %d\nwant %d", engine.Name(), size, got, want)
			}
			if x, ok := prog.(interface{ Exits() uint64 }); ok && x.Exits() > 0 {
				t.Errorf("subgroups of %d: left for Go %d times", size, x.Exits())
			}
			prog.Close()
		}
	}
}

// engines returns the interpreter and the jit at every level.
func engines() (list []exec.Engine) {
	list = append(list, interp.Engine{})
	for _, level := range jit.Levels() {
		list = append(list, jit.Engine{Level: level})
	}
	return list
}

func words(b []byte) []uint32 {
	w := make([]uint32, len(b)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return w
}

func equalWords(a, b []uint32) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// TestQuadConditions: the analysis of a condition is linear in its values, though they have exponentially
// many paths.
func TestQuadConditions(t *testing.T) { eachLevel(t, testQuadConditions) }

func testQuadConditions(t *testing.T, engine jit.Engine) {
	const levels = 60
	var chain strings.Builder
	for i := range levels {
		fmt.Fprintf(&chain, "\tva%d = and.i32 va%d, vb%d\n\tvb%d = or.i32 va%d, vb%d\n", i+1, i, i, i+1, i, i)
	}
	text := fmt.Sprintf(`program "ways" compute
subgroup 16
local 32 1 1
in global.x i32 0
res storage 0 0 count 1

func "main"() L1 {
	vx = in.i32 #0
	vB = res 0:i32, #0
	vo = at 0:i32, vx, #4
	va0 = ld.i32 vB, vo, #0
	vb0 = ld.i32 vB, vo, #128
	vq = quadswap.i32 va0, #1
%s
	vc = eq.i32 va%d, vb%d
	if vc {
		st.i32 vB, vo, vq, #0
	}
}
`, chain.String(), levels, levels)
	words := make([]uint32, 64)
	for i := range words {
		words[i] = uint32(i * 5 % 9)
	}
	job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(words)}}
	want := run(interp.Engine{}, text, 16, job)
	if want.err != nil {
		t.Fatal(want.err)
	}
	same(t, want, run(engine, text, 16, job))
}

// TestLoadsByQuad: loads at an offset that belongs to a quad, with all quads active, some of them, and parts of them.
func TestLoadsByQuad(t *testing.T) { eachLevel(t, testLoadsByQuad) }

func testLoadsByQuad(t *testing.T, engine jit.Engine) {
	const text = `program "packs" compute
subgroup 16
local 32 1 1
in localindex i32 0
in workgroup.x i32 0
res storage 0 0 count 1 disjoint
res storage 0 1 count 1 nonwritable
res storage 0 2 count 1 nonwritable

func "main"() L1 {
	vi = in.i32 #0
	vg = in.i32 #1
	vB = res 0:i32, #0
	vQ = res 0:i32, #1
	vP = res 0:i32, #2
	vbase = shl.i32 vg, 3:i32
	vq = lshr.i32 vi, 2:i32
	vn = add.i32 vbase, vq
	vat = shl.i32 vn, 3:i32
	vp = ld.i32 vQ, vat, #0 !proven
	vmask = ld.i32 vQ, vat, #4 !proven
	vlane = and.i32 vi, 3:i32
	vbit = lshr.i32 vmask, vlane
	vmine = and.i32 vbit, 1:i32
	vx = quadswap.i32 vmine, #1
	vone = or.i32 vmine, vx
	vy = quadswap.i32 vone, #2
	vsome = or.i32 vone, vy
	vto = shl.i32 vg, 5:i32
	vlanes = add.i32 vto, vi
	vout = shl.i32 vlanes, 4:i32
	vany = eq.i32 vsome, 1:i32
	if vany {
		vo = mul.i32 vp, 20:i32
		va = ld.i32 vP, vo, #4 !proven
		vb = ld.i32 vP, vo, #8 !proven
		vc = ld.i32 vP, vo, #16 !proven
		vnext = and.i32 va, 60:i32
		vd = ld.i32 vP, vnext, #0 !proven
		ve = add.i32 vc, vd
		st.i32 vB, vout, va, #0
		st.i32 vB, vout, vb, #4
		st.i32 vB, vout, ve, #8
		vodd = eq.i32 vmine, 1:i32
		if vodd {
			vf = ld.i32 vP, vo, #12 !proven
			vh = ld.i32 vP, vo, #0 !proven
			vz = add.i32 vf, vh
			st.i32 vB, vout, vz, #12
		}
	}
}
`
	const groups = 40
	quads, source := make([]uint32, 2*8*groups), make([]uint32, 5*50)
	for i := range source {
		source[i] = uint32(i*i) * 2654435761
	}
	for i := 0; i < len(quads); i += 2 {
		quads[i], quads[i+1] = uint32(i*i*7%50), (uint32(i)*2654435761)>>28
		switch i / 16 % 4 {
		case 1:
			quads[i+1] = 15
		case 2:
			quads[i+1] = uint32(i) / 2 % 3 * 15
		}
		if quads[i+1] == 0 {
			quads[i] = 1 << 30 // an offset outside of the memory is not read
		}
	}
	job := func() exec.Job {
		return exec.Job{Groups: [3]uint32{groups, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(make([]uint32, 4*32*groups)), buffer(quads), buffer(source)}}
	}
	want := run(interp.Engine{}, text, 16, job())
	if want.err != nil {
		t.Fatal(want.err)
	}
	same(t, want, run(engine, text, 16, job()))
}

// swaps reads the other lanes of a quad.
const swaps = `program "swaps" compute
subgroup %d
local %d %d 1
in localindex i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vi = in.i32 #0
	vB = res 0:i32, #0
	vA = res 0:i32, #1
	vo = at 0:i32, vi, #4
	va = ld.i32 vA, vo, #0
	vb = quadswap.i32 va, #1
	vc = quadswap.i32 va, #2
	vd = quadswap.i32 va, #3
	ve = mul.i32 vb, 3:i32
	vf = mul.i32 vc, 5:i32
	vg = xor.i32 vd, ve
	vh = sub.i32 vg, vf
	st.i32 vB, vo, vh, #0
}
`

// TestQuadsOfRows checks that a quad is in one strip if rows of workgroups are no multiples of quads.
func TestQuadsOfRows(t *testing.T) { eachLevel(t, testQuadsOfRows) }

func testQuadsOfRows(t *testing.T, engine jit.Engine) {
	for _, local := range [][2]int{{6, 2}, {10, 2}, {20, 2}, {12, 3}, {5, 4}, {22, 2}, {50, 2}, {18, 4}, {64, 1}} {
		for _, size := range []int{4, 8, 16, 32} {
			text := fmt.Sprintf(swaps, size, local[0], local[1])
			job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(make([]uint32, 128)), buffer(scrambled(128))}}
			want := run(interp.Engine{}, text, 0, job)
			if want.err != nil {
				t.Fatal(want.err)
			}
			if same(t, want, run(engine, text, 0, job)); t.Failed() {
				t.Fatalf("workgroups of %v, subgroups of %d", local, size)
			}
		}
	}
}
