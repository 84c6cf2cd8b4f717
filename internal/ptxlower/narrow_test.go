package ptxlower

import (
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// narrowKernel is a kernel with addresses of 32 bits in each space: the variables of the module, those of the function, generic ones.
const narrowKernel = `.version 4.2
.target sm_30
.address_size 32
.shared .align 4 .b8 sh[128];
.global .u32 gv = 7;
.const .u32 cv = 5;
.visible .entry k(.param .u32 o, .param .u32 i)
{
	.reg .b32 %r<20>;
	.reg .pred %p<4>;
	.local .align 4 .b8 loc[64];
	ld.param.u32 %r1, [o];
	cvta.to.global.u32 %r1, %r1;
	ld.param.u32 %r2, [i];
	mov.u32 %r3, %tid.x;
	shl.b32 %r4, %r3, 2;
	add.u32 %r2, %r2, %r4;
	mad.lo.u32 %r1, %r3, 28, %r1;
	ld.u32 %r5, [%r2];
	st.global.u32 [%r1], %r5;
	mov.u32 %r6, sh;
	cvta.shared.u32 %r7, %r6;
	add.u32 %r7, %r7, %r4;
	st.u32 [%r7], %r5;
	add.u32 %r6, %r6, %r4;
	ld.shared.u32 %r8, [%r6];
	st.global.u32 [%r1+4], %r8;
	mov.u32 %r9, loc;
	cvta.local.u32 %r10, %r9;
	add.u32 %r10, %r10, %r4;
	st.u32 [%r10], %r3;
	cvta.to.local.u32 %r11, %r10;
	ld.local.u32 %r12, [%r11];
	st.global.u32 [%r1+8], %r12;
	mov.u32 %r9, gv;
	ld.global.u32 %r12, [%r9];
	st.global.u32 [%r1+12], %r12;
	ld.const.u32 %r12, [cv];
	st.global.u32 [%r1+16], %r12;
	mov.u32 %r9, cv;
	ld.const.u32 %r12, [%r9];
	st.global.u32 [%r1+20], %r12;
	isspacep.shared %p1, %r7;
	isspacep.global %p2, %r2;
	isspacep.local %p3, %r10;
	selp.u32 %r13, 1, 0, %p1;
	@%p2 add.u32 %r13, %r13, 2;
	@%p3 add.u32 %r13, %r13, 4;
	st.global.u32 [%r1+24], %r13;
	ret;
}
`

// TestNarrowAddresses runs a kernel with addresses of 32 bits: in global memory they are the low halves of device addresses.
func TestNarrowAddresses(t *testing.T) {
	if FirstAddress != compute.FirstAddress {
		t.Errorf("the first address is %#x; must be %#x", uint64(FirstAddress), uint64(compute.FirstAddress))
	}
	m := parse(t, narrowKernel)
	if list := ptx.Check(m); len(list) > 0 {
		t.Fatal(list[0])
	}
	for _, e := range everyEngine() {
		out := make([]byte, 2*28)
		l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{2, 1, 1}, args: []any{out, words(100, 101)}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Errorf("%s: %v", e.name, err)
		}
		if got, want := words32(out), []uint32{100, 100, 0, 7, 5, 5, 7, 101, 101, 1, 7, 5, 5, 7}; !slices.Equal(got, want) {
			t.Errorf("%s: the results are %d; must be %d", e.name, got, want)
		}
	}
}

// TestFixedLocal runs a kernel and a function of PTX 2.3 that share a .local variable of the module: each thread has its own.
func TestFixedLocal(t *testing.T) {
	m := parse(t, `.version 2.3
.target sm_20
.address_size 64
.local .u32 %L1;
.func twice() { .reg .u32 %a; ld.local.u32 %a, [%L1]; add.u32 %a, %a, %a; st.local.u32 [%L1], %a; ret; }
.entry k(.param .u64 o)
{
	.reg .u32 %r<4>;
	.reg .u64 %d<3>;
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %L1;
	st.local.u32 [%r2], %r1;
	call twice;
	ld.local.u32 %r3, [%L1];
	ld.param.u64 %d1, [o];
	mul.wide.u32 %d2, %r1, 4;
	add.u64 %d1, %d1, %d2;
	st.global.u32 [%d1], %r3;
	ret;
}
`)
	if list := ptx.Check(m); len(list) > 0 {
		t.Fatal(list[0])
	}
	for _, e := range everyEngine() {
		out := make([]byte, 4*4)
		l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{4, 1, 1}, args: []any{out}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Errorf("%s: %v", e.name, err)
		}
		if got, want := words32(out), []uint32{0, 2, 4, 6}; !slices.Equal(got, want) {
			t.Errorf("%s: the results are %d; must be %d", e.name, got, want)
		}
	}
}
