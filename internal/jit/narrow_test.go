package jit_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// narrowProgram moves 16 bits of each lane, of every step bytes, from one buffer
// to another: those in an odd place, too, and where some is set in some lanes only.
func narrowProgram(step, imm, base int, some bool) string {
	guard, end := "", ""
	if some {
		guard, end = "v9 = and.i32 v3, 5:i32\nv10 = ult.i32 v9, 4:i32\nif v10 {\n", "}\n"
	}
	return fmt.Sprintf(`program "t" compute
subgroup 16
local 64 1 1
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1
effects writes

func "main"() L1 {
v1 = res 0:i32, #0
v2 = res 0:i32, #1
v3 = in.i32 #0
v4 = at %d:i32, v3, #%d
v5 = ld.i16 v1, v4, #%d
v6 = add.i16 v5, 0xfff1:i16
%sst.i16 v2, v4, v6, #%d
%s}
`, base, step, imm, guard, imm, end)
}

// Accesses to 16 bits of rows are those of the interpreter wherever buffers end.
func TestNarrowRows(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	data := make([]byte, 1024)
	r.Read(data)
	for _, step := range []int{2, 4} {
		for _, imm := range []int{0, 1, 2, 6} {
			for _, some := range []bool{false, true} {
				text := narrowProgram(step, imm, 8*(imm&1), some)
				for _, size := range []int{0, 1, 2, 3, 62, 63, 64, 65, 66, 126, 128, 130, 255, 256, 257, 258, 510, 511, 512, 513, 514, 517, 1024} {
					job := exec.Job{Groups: [3]uint32{2, 1, 1}, Resources: [][]exec.Buffer{{{Bytes: data[:size]}}, {{Bytes: make([]byte, 1024-size)}}}}
					want := run(interp.Engine{}, text, 0, job)
					if want.err != nil {
						t.Fatal(want.err)
					}
					eachLevel(t, func(t *testing.T, engine jit.Engine) {
						if same(t, want, run(engine, text, 0, job)); t.Failed() {
							t.Fatalf("step %d, at %d, %d bytes", step, imm, size)
						}
					})
				}
			}
		}
	}
}

// gatheredProgram loads 8, 16 or 32 bits for each lane at offsets from a third buffer, in descriptor 1 or in the one of the push
// constants.
func gatheredProgram(typ string, imm int, pushed, some bool) string {
	index, guard, end := "1:i32", "", ""
	if pushed {
		index = "v20"
	}
	if some {
		guard, end = "v9 = and.i32 v3, 5:i32\nv10 = ult.i32 v9, 4:i32\nif v10 {\n", "}\n"
	}
	return fmt.Sprintf(`program "t" compute
subgroup 16
local 64 1 1
push 4
in global.x i32 0
res storage 0 0 count 2
res storage 0 1 count 1
res storage 0 2 count 1
effects writes

func "main"() L1 {
v19 = push
v20 = ld.i32 v19, 0:i32, #0
v1 = res %s, #0
v2 = res 0:i32, #1
v6 = res 0:i32, #2
v3 = in.i32 #0
v4 = at 0:i32, v3, #4
v5 = ld.i32 v6, v4, #0
%sv7 = ld.%s v1, v5, #%d
st.%s v2, v4, v7, #0
%s}
`, index, guard, typ, imm, typ, end)
}

// TestNarrowGathers compares loads of 8, 16 and 32 bits at arbitrary offsets with the interpreter's, for buffers of every short
// length: offsets around the end, above 2³¹ and just below 2³², and near each other.
func TestNarrowGathers(t *testing.T) {
	data := make([]byte, 1024)
	r := rand.New(rand.NewSource(2))
	r.Read(data)
	for i := range 64 {
		at := []uint32{uint32(i), uint32(r.Intn(24)), uint32(r.Intn(24)), 1<<31 + uint32(i), -uint32(r.Intn(8))}[r.Intn(5)]
		if i/16%2 > 0 { // lanes whose elements are near each other
			at = 4 + uint32(i/8%2*i%8) + uint32(r.Intn(13))&^1
		}
		binary.LittleEndian.PutUint32(data[4*i:], at)
	}
	for _, typ := range []string{"i8", "i16", "f16", "i32"} {
		for n := range 12 {
			imm, pushed, some := []int{0, 1, 6}[n%3], n/3%2 > 0, n/6 > 0
			text := gatheredProgram(typ, imm, pushed, some)
			for size := range 40 {
				job := exec.Job{Groups: [3]uint32{1, 1, 1}, Push: []byte{1, 0, 0, 0}, Resources: [][]exec.Buffer{
					{{Bytes: data[:4]}, {Bytes: data[512:][:size:size]}}, {{Bytes: make([]byte, 256)}}, {{Bytes: data[:256]}}}}
				want := run(interp.Engine{}, text, 0, job)
				if want.err != nil {
					t.Fatal(want.err)
				}
				eachLevel(t, func(t *testing.T, engine jit.Engine) {
					if same(t, want, run(engine, text, 0, job)); t.Failed() {
						t.Fatalf("%s at %d, %d bytes, pushed %v, some %v", typ, imm, size, pushed, some)
					}
				})
			}
		}
	}
}

// uniformProgram loads 8, 16 or 32 bits at an offset of the push constants, in every lane the same, of a buffer, of the push constants or
// of workgroup memory. It stores each lane's number plus the number, and the number as an offset and bound of a loop sees it.
func uniformProgram(typ, handle string, imm uint64) string {
	wide := "v7 = zext.i32." + typ + " v6"
	if typ == "f16" {
		wide = "v20 = fcvt.f32.f16 v6\nv7 = ftos.i32.f32 v20"
	}
	return fmt.Sprintf(`program "t" compute
subgroup 16
local 64 1 1
shared 16
push 12
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1
effects writes

func "main"() L1 {
v1 = res 0:i32, #0
v2 = push
v3 = wg
v4 = in.i32 #0
v5 = ld.i32 v2, 0:i32, #0
st.i32 v3, 12:i32, 0x1234ab81:i32, #0
v6 = ld.%s %s, v5, #%d
%s
v8 = add.i32 v7, v4
v9 = and.i32 v7, 7:i32
v10 = at 0:i32, v9, #4
v11 = ld.i32 v2, v10, #0
v12 = xor.i32 v8, v11
v13 = res 0:i32, #1
v14 = at 0:i32, v4, #4
st.i32 v13, v14, v12, #0
}
`, typ, handle, imm, wide)
}

// TestNarrowUniform compares loads of 8 and 16 bits at one offset for all lanes with the interpreter's: around the end of the memory, with
// immediates beyond any instruction's, and at offsets above 2³¹.
func TestNarrowUniform(t *testing.T) {
	data := make([]byte, 16)
	rand.New(rand.NewSource(3)).Read(data)
	for _, typ := range []string{"i8", "i16", "f16"} {
		for _, handle := range []string{"v1", "v2", "v3"} {
			for _, imm := range []uint64{0, 1, 1<<30 + 1, 1<<32 - 2} {
				text := uniformProgram(typ, handle, imm)
				for _, at := range []uint32{0, 5, 6, 7, 11, 14, 15, 1 << 31, 1<<32 - 1} {
					for _, size := range []int{0, 2, 7, 16} {
						push := append(binary.LittleEndian.AppendUint32(nil, at), data[:8]...)
						job := exec.Job{Groups: [3]uint32{1, 1, 1}, Push: push, Resources: [][]exec.Buffer{{{Bytes: data[:size:size]}}, {{Bytes: make([]byte, 256)}}}}
						want := run(interp.Engine{}, text, 0, job)
						if want.err != nil {
							t.Fatal(want.err)
						}
						eachLevel(t, func(t *testing.T, engine jit.Engine) {
							if same(t, want, run(engine, text, 0, job)); t.Failed() {
								t.Fatalf("%s of %s at %d+%d, %d bytes", typ, handle, at, imm, size)
							}
						})
						if handle != "v1" {
							break
						}
					}
				}
			}
		}
	}
}

// TestNarrowScatters stores 8 and 16 bits of each lane at distances of several bytes, in an order that writes some of them twice, wherever the
// buffer ends: all lanes, or some. The numbers are conversions of floats beyond both ends of the type.
func TestNarrowScatters(t *testing.T) {
	source := make([]byte, 4*64)
	for i := range 64 {
		binary.LittleEndian.PutUint32(source[4*i:], []uint32{0x42fe3333, 0xc3000000, 0xc3012000, 0x7fc00000, 0xff800000, 0x7f800000, 0x477fff00, 0xbf7fffff}[i%8]+uint32(i)<<12)
	}
	for _, typ := range []string{"i8", "i16"} {
		for _, convert := range []string{"ftos", "ftou"} {
			for _, index := range []string{"v3", "v13"} {
				for _, step := range []int{3, 7, 34} {
					for _, some := range []bool{false, true} {
						guard, end := "", ""
						if some {
							guard, end = "v9 = and.i32 v3, 5:i32\nv10 = ult.i32 v9, 4:i32\nif v10 {\n", "}\n"
						}
						text := fmt.Sprintf("program \"t\" compute\nsubgroup 16\nlocal 64 1 1\nin global.x i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\neffects writes\n\n"+
							"func \"main\"() L1 {\nv1 = res 0:i32, #0\nv2 = res 0:i32, #1\nv3 = in.i32 #0\nv4 = at 0:i32, v3, #4\nv5 = ld.f32 v1, v4, #0\nv6 = %s.%s.f32 v5\nv12 = mul.i32 v3, 13:i32\nv13 = and.i32 v12, 31:i32\nv14 = at 5:i32, %s, #%d\n%sst.%s v2, v14, v6, #2\n%s}\n",
							convert, typ, index, step, guard, typ, end)
						for _, size := range []int{0, 3, 8, 50, 9 + 15*step, 10 + 15*step, 12 + 15*step, 9 + 31*step, 4096} {
							job := exec.Job{Groups: [3]uint32{1, 1, 1}, Resources: [][]exec.Buffer{{{Bytes: source}}, {{Bytes: make([]byte, size)}}}}
							want := run(interp.Engine{}, text, 0, job)
							if want.err != nil {
								t.Fatal(want.err)
							}
							eachLevel(t, func(t *testing.T, engine jit.Engine) {
								if same(t, want, run(engine, text, 0, job)); t.Failed() {
									t.Fatalf("%d bytes:\n%s", size, text)
								}
							})
						}
					}
				}
			}
		}
	}
}

// halfValue returns the number of the bits of an f16 (IEEE 754, binary16).
func halfValue(bits uint16) float64 {
	value, exponent, fraction := 0.0, int(bits>>10&31), float64(bits&1023)
	switch exponent {
	case 31:
		if value = math.Inf(1); fraction != 0 {
			return math.NaN()
		}
	case 0:
		value = math.Ldexp(fraction, -24)
	default:
		value = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 != 0 {
		return -value
	}
	return value
}

// TestNarrowConversions converts every f16 to integers of 8 and 16 bits: toward zero, the bound of the type beyond it, and 0 for NaN.
func TestNarrowConversions(t *testing.T) {
	source := make([]byte, 2<<16)
	for i := range 1 << 16 {
		binary.LittleEndian.PutUint16(source[2*i:], uint16(i))
	}
	eachLevel(t, func(t *testing.T, engine jit.Engine) {
		for _, c := range []struct {
			op          string
			bits        uint
			least, most float64
		}{{"ftos", 8, -128, 127}, {"ftou", 8, 0, 255}, {"ftos", 16, -32768, 32767}, {"ftou", 16, 0, 65535}} {
			text := fmt.Sprintf("program \"t\" compute\nsubgroup 16\nlocal 64 1 1\nin global.x i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\neffects writes\n\n"+
				"func \"main\"() L1 {\nv1 = res 0:i32, #0\nv2 = res 0:i32, #1\nv3 = in.i32 #0\nv4 = at 0:i32, v3, #2\nv5 = ld.f16 v1, v4, #0\nv6 = %s.i%d.f16 v5\nv7 = zext.i32.i%d v6\nv8 = at 0:i32, v3, #4\nst.i32 v2, v8, v7, #0\n}\n", c.op, c.bits, c.bits)
			got := run(engine, text, 0, exec.Job{Groups: [3]uint32{1024, 1, 1}, Resources: [][]exec.Buffer{{{Bytes: source}}, {{Bytes: make([]byte, 4<<16)}}}})
			if got.err != nil {
				t.Fatal(got.err)
			}
			for i := range 1 << 16 {
				want := uint32(0)
				if x := halfValue(uint16(i)); x == x {
					want = uint32(int64(math.Trunc(max(c.least, min(c.most, x))))) & (1<<c.bits - 1)
				}
				if n := binary.LittleEndian.Uint32(got.resources[1][0].Bytes[4*i:]); n != want {
					t.Fatalf("%s.i%d of %#04x: %#x, want %#x", c.op, c.bits, i, n, want)
				}
			}
		}
	})
}
