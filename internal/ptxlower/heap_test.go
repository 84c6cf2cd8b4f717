package ptxlower

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// heapKernel declares malloc and free as CUDA's compiler does, and has a body with macros: ALLOC n to %rd1 and FREE of %rd1.
func heapKernel(body string) string {
	alloc := "{ .param .b64 n; .param .b64 r; st.param.b64 [n], %rd2; call.uni (r), malloc, (n); ld.param.b64 %rd1, [r]; }"
	free := "{ .param .b64 p; st.param.b64 [p], %rd1; call.uni free, (p); }"
	return `.version 7.0
.target sm_60
.address_size 64
.extern .func (.param .b64 func_retval0) malloc(.param .b64 malloc_param_0);
.extern .func free(.param .b64 free_param_0);
.entry k(.param .u64 o)
{
	.reg .pred %p<4>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>, %o;
	ld.param.u64 %o, [o];
	mov.u32 %r0, %tid.x;
	mul.wide.u32 %rd0, %r0, 8;
	add.u64 %o, %o, %rd0;
` + strings.NewReplacer("ALLOC", alloc, "FREE", free).Replace(body) + `
	ret;
}
`
}

// runHeap runs a kernel with blocks of 64 threads on all engines. check gets the words that the threads of a block write.
func runHeap(t *testing.T, blocks uint32, body string, wantError bool, check func(out []uint64) string) {
	t.Helper()
	m := parse(t, heapKernel(body))
	for _, e := range engines {
		b := make([]byte, 8*64)
		l := launch{kernel: "k", grid: [3]uint32{blocks, 1, 1}, block: [3]uint32{64, 1, 1}, args: []any{b}, workers: 4}
		err := l.run(m, e.engine, e.optimize)
		if (err != nil) != wantError || err != nil && !strings.Contains(err.Error(), "free of a pointer that malloc did not return") {
			t.Fatalf("on the %s: %v", e.name, err)
		}
		out := make([]uint64, 64)
		for i := range out {
			out[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
		if fault := check(out); fault != "" {
			t.Errorf("on the %s: %s", e.name, fault)
		}
	}
}

// TestMalloc gives each thread memory of its own, aligned to 16 bytes, which keeps its values; memory that is free is used again.
func TestMalloc(t *testing.T) {
	runHeap(t, 1, `
	mov.u64 %rd3, 0;
	mov.u32 %r1, 0;
AGAIN:
	add.u32 %r2, %r0, 1;
	mul.wide.u32 %rd2, %r2, 12; add.u64 %rd2, %rd2, 300;
	ALLOC
	and.b64 %rd4, %rd1, 15;
	or.b64 %rd3, %rd3, %rd4;
	st.u32 [%rd1], %r0;
	st.u32 [%rd1+8], %r1;
	bar.sync 0;
	ld.u32 %r3, [%rd1];
	ld.u32 %r4, [%rd1+8];
	setp.ne.u32 %p1, %r3, %r0;
	@%p1 or.b64 %rd3, %rd3, 16;
	setp.ne.u32 %p1, %r4, %r1;
	@%p1 or.b64 %rd3, %rd3, 32;
	FREE
	bar.sync 0;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p2, %r1, 300;
	@%p2 bra AGAIN;
	st.global.u64 [%o], %rd3;`, false, func(out []uint64) string {
		for _, x := range out {
			if x != 0 {
				return "a thread had memory of another one, or without alignment"
			}
		}
		return ""
	})
}

// TestMallocLimits checks that malloc returns null for no bytes and when the heap is full, and that free takes null.
func TestMallocLimits(t *testing.T) {
	runHeap(t, 1, `
	mov.u64 %rd1, 0;
	FREE
	mov.u64 %rd2, 0;
	ALLOC
	mov.u64 %rd3, %rd1;
	mov.u64 %rd2, 0x7fffffffffffffff;
	ALLOC
	or.b64 %rd3, %rd3, %rd1;
	mov.u64 %rd2, 1000000;
	ALLOC
	setp.ne.u64 %p1, %rd1, 0;
	selp.u64 %rd4, 1, 0, %p1;
	setp.ne.u64 %p1, %rd3, 0;
	selp.u64 %rd3, 100, 0, %p1;
	add.u64 %rd4, %rd4, %rd3;
	st.global.u64 [%o], %rd4;`, false, func(out []uint64) string {
		n := uint64(0)
		for _, x := range out {
			n += x
		}
		if n == 0 || n > HeapBytes/1000000 {
			return "the number of blocks of 10⁶ bytes does not fit the heap, or malloc of nothing is not null"
		}
		return ""
	})
}

// TestWrongFree frees pointers that malloc did not return.
func TestWrongFree(t *testing.T) {
	for _, body := range []string{
		"mov.u64 %rd2, 100; ALLOC FREE FREE",
		"mov.u64 %rd2, 100; ALLOC add.u64 %rd1, %rd1, 32; FREE",
		"mov.u64 %rd1, %o; FREE",
		"mov.u64 %rd1, 1; FREE",
	} {
		runHeap(t, 1, body, true, func([]uint64) string { return "" })
	}
}

// TestMallocWorkers checks that blocks on several processors get memory of their own: a thread finds its number in the first and in the
// last word of memory of 4 to 259 bytes.
func TestMallocWorkers(t *testing.T) {
	runHeap(t, 16, `
	mov.u32 %r5, %ctaid.x;
	mad.lo.u32 %r5, %r5, 64, %r0;
	mov.u32 %r1, 0;
AGAIN:
	mad.lo.u32 %r2, %r1, 37, %r5;
	and.b32 %r2, %r2, 255;
	cvt.u64.u32 %rd2, %r2; add.u64 %rd2, %rd2, 4;
	ALLOC
	and.b64 %rd4, %rd2, 0xfffffffffffffffc;
	add.u64 %rd4, %rd4, %rd1;
	st.u32 [%rd1], %r5;
	st.u32 [%rd4-4], %r5;
	ld.volatile.u32 %r3, [%rd1];
	ld.volatile.u32 %r4, [%rd4-4];
	FREE
	setp.ne.u32 %p1, %r3, %r5;
	setp.ne.or.u32 %p1, %r4, %r5, %p1;
	@%p1 red.global.add.u64 [%o], 1;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p2, %r1, 20;
	@%p2 bra AGAIN;`, false, func(out []uint64) string {
		for _, x := range out {
			if x != 0 {
				return "a thread had memory of another one"
			}
		}
		return ""
	})
}

// TestHeapRace writes blocks that other threads have freed: free and malloc order the accesses, so that there is no race. Writes of another
// thread's live block are one.
func TestHeapRace(t *testing.T) {
	again := "mov.u64 %rd2, 8; ALLOC st.u32 [%rd1], %r0; FREE ALLOC st.u32 [%rd1], %r0;"
	for body, want := range map[string]int{
		again: 0,
		again + "and.b64 %rd3, %rd1, -64; st.u32 [%rd3+16], %r0;": 1,
	} {
		m := parse(t, heapKernel(body))
		for _, e := range engines {
			l := launch{kernel: "k", grid: [3]uint32{2, 1, 1}, block: [3]uint32{64, 1, 1}, args: []any{make([]byte, 8*64)}, workers: 2, sanitize: ir.SanitizeRace}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Fatal(err)
			}
			if min(len(l.reports), 1) != want {
				t.Errorf("on the %s %s has the reports %v; must have %d", e.name, body, l.reports, want)
			}
		}
	}
}
