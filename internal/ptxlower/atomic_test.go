package ptxlower

import (
	"bytes"
	"fmt"
	"testing"
)

// TestAtomicHalves adds to .bf16 and to pairs of halves from 32 threads; the sums are exact.
func TestAtomicHalves(t *testing.T) {
	for _, row := range []struct {
		typ       string
		size      int
		add, want uint32
	}{
		{"f16", 2, 0x3c00, 0x5000},            // 1, 32
		{"bf16", 2, 0x3f80, 0x4200},           // 1, 32
		{"f16x2", 4, 0xbc003800, 0xd0004c00},  // 0.5 and -1: 16 and -32
		{"bf16x2", 4, 0xbf803f00, 0xc2004180}, // the same
	} {
		reg := map[int]string{2: "%h0", 4: "%r0"}[row.size]
		for _, op := range []string{"atom.global.add.noftz." + row.typ + " " + map[int]string{2: "%h1", 4: "%r1"}[row.size] + ", [%o], " + reg + ";", "red.global.add.noftz." + row.typ + " [%o], " + reg + ";"} {
			m := parse(t, fmt.Sprintf(`.version 7.8
.target sm_90
.address_size 64
.entry k(.param .u64 o)
{
	.reg .b16 %%h<2>;
	.reg .b32 %%r<2>;
	.reg .b64 %%o;
	ld.param.u64 %%o, [o];
	mov.u32 %%r0, %#x;
	cvt.u16.u32 %%h0, %%r0;
	%s
	ret;
}
`, row.add, op))
			for _, e := range engines {
				out := make([]byte, 4)
				l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}, args: []any{out}}
				if err := l.run(m, e.engine, e.optimize); err != nil {
					t.Fatal(op, err)
				}
				if got := word(out); got != row.want {
					t.Errorf("%s on the %s: %#x; must be %#x", op, e.name, got, row.want)
				}
			}
		}
	}
}

// TestUnalignedAtomics checks that an atomic at an address without alignment, whose behavior the ISA leaves undefined, changes nothing and
// yields 0, whatever loop it is made of.
func TestUnalignedAtomics(t *testing.T) {
	for _, op := range []string{"add.noftz.f16x2", "add.noftz.bf16x2", "inc.u32", "dec.u32", "add.u32", "add.f32"} {
		m := parse(t, fmt.Sprintf(`.version 7.8
.target sm_90
.address_size 64
.entry k(.param .u64 o)
{
	.reg .b32 %%r<4>;
	.reg .b64 %%o;
	.shared .align 8 .b8 s[16];
	ld.param.u64 %%o, [o];
	mov.u32 %%r0, 0x3c003c00;
	st.shared.u32 [s], 7;
	st.shared.u32 [s+4], 7;
	atom.global.%[1]s %%r1, [%%o+2], %%r0;
	atom.shared.%[1]s %%r2, [s+2], %%r0;
	ld.shared.u32 %%r3, [s];
	st.global.u32 [%%o+8], %%r1;
	st.global.u32 [%%o+12], %%r2;
	st.global.u32 [%%o+16], %%r3;
	ret;
}
`, op))
		for _, e := range engines {
			out := words(7, 7, 9, 9, 9)
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}, args: []any{out}}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Fatal(op, err)
			}
			if want := words(7, 7, 0, 0, 7); !bytes.Equal(out, want) {
				t.Errorf("%s on the %s: %x; must be %x", op, e.name, out, want)
			}
		}
	}
}

// TestFlushedSums checks that a sum of .f32 in global memory flushes subnormal numbers, and that one in shared memory or with .noftz does
// not (PTX ISA, "atom", "red", "cp.reduce.async.bulk"). The space of a generic address is known only at run time.
func TestFlushedSums(t *testing.T) {
	const small, normal, minus = 0x007fffff, 0x00800000, 0x80000000
	for _, row := range []struct{ old, operand, kept, flushed uint32 }{
		{1, 1, 2, 0}, {small, 1, normal, 0}, {minus | 1, minus | 3, minus | 4, minus}, {normal, small, 0x00ffffff, normal},
		{small, normal, 0x00ffffff, normal}, {normal, minus | normal | 1, minus | 1, minus}, {normal | 1, minus | normal, 1, 0},
		{minus | 1, 0, minus | 1, 0}, {1, 0x3f800000, 0x3f800000, 0x3f800000}, {0x7fc00001, 1, 0x7fffffff, 0x7fffffff},
	} {
		for _, c := range []struct {
			code    string
			flushes bool
		}{
			{"atom.global.add.f32 %f1, [%o], %f0;", true},
			{"mov.f32 %f1, %f2; red.global.add.f32 [%o], %f0;", true},
			{"mov.f32 %f1, %f2; red.relaxed.gpu.global.add.f32 [%o], %f0;", true},
			{"atom.add.f32 %f1, [%o], %f0;", true},
			{"atom.add.f32 %f1, [%both], %f0;", true},
			{"mov.f32 %f1, %f2; red.add.f32 [%both], %f0;", true},
			{"atom.global.v2.f32.add {%f1, _}, [%o], {%f0, %f0};", true},
			{"mov.f32 %f1, %f2; red.global.v2.f32.add [%o], {%f0, %f0};", true},
			{"mov.f32 %f1, %f2; st.shared.v4.b32 [s], {%r0, %r1, %r1, %r1}; @%p cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%o], [s], 16;", true},
			{"mov.f32 %f1, %f2; st.shared.v4.b32 [s], {%r0, %r1, %r1, %r1}; @%p cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f32 [%o], [s], 16;", false},
			{"atom.global.add.noftz.f32 %f1, [%o], %f0;", false},
			{"mov.f32 %f1, %f2; red.global.add.noftz.f32 [%o], %f0;", false},
			{"mov.f32 %f1, %f2; multimem.red.relaxed.sys.global.add.f32 [%o], %f0;", false},
			{"atom.shared.add.f32 %f1, [s], %f0; ld.shared.f32 %f3, [s]; st.global.f32 [%o], %f3;", false},
			{"mov.f32 %f1, %f2; red.shared.add.f32 [s], %f0; ld.shared.f32 %f3, [s]; st.global.f32 [%o], %f3;", false},
			{"setp.eq.u32 %q, %r1, 0; cvta.shared.u64 %s, %s; selp.b64 %both, %s, %o, %q; atom.add.f32 %f1, [%both], %f0; ld.f32 %f3, [%both]; st.global.f32 [%o], %f3;", false},
		} {
			m := parse(t, fmt.Sprintf(`.version 9.4
.target sm_100
.address_size 64
.entry k(.param .u64 o, .param .u32 old, .param .u32 operand)
{
	.reg .b32 %%r<4>;
	.reg .b64 %%o, %%s, %%both;
	.reg .f32 %%f<4>;
	.reg .pred %%p, %%q;
	.shared .align 16 .b8 s[16];
	ld.param.u64 %%o, [o];
	ld.param.u32 %%r0, [operand];
	ld.param.f32 %%f0, [operand];
	ld.param.f32 %%f2, [old];
	mov.u32 %%r1, %%tid.x;
	setp.eq.u32 %%p, %%r1, 0;
	setp.eq.u32 %%q, %%r1, 1;
	mov.u64 %%s, s;
	cvta.shared.u64 %%both, %%s;
	selp.b64 %%both, %%both, %%o, %%q;
	st.shared.f32 [s], %%f2;
	@!%%p exit;
	%s
	st.global.f32 [%%o+16], %%f1;
	ret;
}
`, c.code))
			for _, e := range everyEngine() {
				out := words(row.old, 0, 0, 0, 9)
				l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}, args: []any{out, int(row.old), int(row.operand)}}
				if err := l.run(m, e.engine, e.optimize); err != nil {
					t.Fatal(c.code, err)
				}
				want := row.kept
				if c.flushes {
					want = row.flushed
				}
				if got := word(out); got != want && (want != 0x7fffffff || got&want <= 0x7f800000) || word(out[16:]) != row.old {
					t.Errorf("%s of %#x and %#x on the %s: %#x, old %#x; must be %#x", c.code, row.old, row.operand, e.name, got, word(out[16:]), want)
				}
			}
		}
	}
}
