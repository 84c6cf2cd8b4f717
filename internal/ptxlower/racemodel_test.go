package ptxlower

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// blocks is a kernel with a block for each text, of one thread. The data are at %rd0, the flag at %rd1. A reader ends before the data
// if %r1 is not the flag's value 1.
func blocks(list ...string) string {
	var out strings.Builder
	out.WriteString(`.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b32 %r<9>;
.reg .b64 %rd<9>;
.reg .b128 %q<4>;
.reg .pred %p<9>;
ld.param.u64 %rd0, [out];
add.u64 %rd1, %rd0, 16;
mov.u64 %rd2, 0;
mov.u64 %rd3, 1;
mov.b128 %q0, {%rd2, %rd2};
mov.b128 %q1, {%rd3, %rd2};
mov.u32 %r0, %ctaid.x;
`)
	for i, text := range list {
		fmt.Fprintf(&out, "setp.ne.u32 %%p0, %%r0, %d; @%%p0 bra N%d;\n%s\nret;\nN%[1]d:\n", i, i, text)
	}
	return out.String() + "ret;\n}\n"
}

// TestScheduledRaces runs message passing in several orders: a reader that has seen the flag sees the data if a release pattern of the
// writer and an acquire pattern of the reader are morally strong; without one of them, or of a scope without the other block, an order has
// a race (PTX ISA, "Memory Consistency Model": "Release and Acquire Patterns", "Synchronizes-with", "Causality order").
func TestScheduledRaces(t *testing.T) {
	const (
		data  = "st.global.u32 [%rd0], 7; "
		put   = data + "st.release.gpu.global.u32 [%rd1], 1;"
		loose = data + "st.relaxed.gpu.global.u32 [%rd1], 1;"
		seen  = " setp.ne.u32 %p1, %r1, 1; @%p1 ret; ld.global.u32 %r2, [%rd0];"
		get   = "ld.acquire.gpu.global.u32 %r1, [%rd1];" + seen
		// A lock: an owner adds 1 to the data.
		lock = "setp.ne.u32 %p1, %r1, 0; @%p1 ret; ld.global.u32 %r2, [%rd0]; add.u32 %r2, %r2, 1; st.global.u32 [%rd0], %r2; st.release.gpu.global.u32 [%rd1], 0;"
		take = "atom.acquire.gpu.global.cas.b32 %r1, [%rd1], 0, 1; " + lock
	)
	for _, c := range []struct {
		name string
		list []string
		racy bool
	}{
		{"loads and stores", []string{put, get, get}, false},
		{"loads and stores of generic addresses", []string{strings.ReplaceAll(put, ".global", ""), strings.ReplaceAll(get, ".global", "")}, false},
		{"a relaxed store", []string{loose, get}, true},
		{"a relaxed load", []string{put, strings.Replace(get, "acquire", "relaxed", 1)}, true},
		{"a volatile load", []string{put, strings.Replace(get, "acquire.gpu", "volatile", 1)}, true},
		{"the scope of a block, store", []string{strings.Replace(put, ".gpu", ".cta", 1), get}, true},
		{"the scope of a block, load", []string{put, strings.Replace(get, ".gpu", ".cta", 1)}, true},
		{"fences", []string{data + "fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%rd1], 1;", "ld.relaxed.gpu.global.u32 %r1, [%rd1]; fence.acq_rel.gpu;" + seen}, false},
		{"fences, volatile", []string{data + "membar.gl; st.volatile.global.u32 [%rd1], 1;", "ld.volatile.global.u32 %r1, [%rd1]; membar.gl;" + seen}, false},
		{"a fence before the read", []string{put, "fence.acq_rel.gpu; ld.relaxed.gpu.global.u32 %r1, [%rd1];" + seen}, true},
		{"a fence behind the write", []string{loose + "fence.acq_rel.gpu;", get}, true},
		{"exchanges", []string{data + "atom.release.gpu.global.exch.b32 %r1, [%rd1], 1;", "atom.acquire.gpu.global.add.u32 %r1, [%rd1], 0;" + seen}, false},
		{"a reduction and another one between", []string{data + "red.release.gpu.global.or.b32 [%rd1], 1;", "red.relaxed.gpu.global.max.u32 [%rd1], 0;", get}, false},
		{"an atomic of a loop", []string{data + "atom.release.gpu.global.inc.u32 %r1, [%rd1], 9;", get, get}, false},
		{"relaxed atomics", []string{data + "atom.relaxed.gpu.global.exch.b32 %r1, [%rd1], 1;", get}, true},
		{"vectors", []string{data + "st.release.gpu.global.v2.u32 [%rd1], {1, 1};", get, strings.Replace(get, ".u32 %r1, [%rd1]", ".v2.u32 {%r3, %r1}, [%rd1]", 1)}, false},
		{"a vector, relaxed", []string{put, "ld.relaxed.gpu.global.v2.u32 {%r1, %r3}, [%rd1];" + seen}, true},
		{"a reduction of vectors", []string{data + "red.release.gpu.global.v2.f32.add [%rd1], {0f3f800000, 0f3f800000};",
			"ld.acquire.gpu.global.u32 %r1, [%rd1+4]; setp.ne.u32 %p1, %r1, 0x3f800000; @%p1 ret; ld.global.u32 %r2, [%rd0];"}, false},

		// A comparison that fails is a read: it acquires, and releases nothing.
		{"comparisons that succeed", []string{data + "atom.release.gpu.global.cas.b32 %r1, [%rd1], 0, 1;", "atom.acquire.gpu.global.cas.b32 %r1, [%rd1], 1, 2;" + seen}, false},
		{"a comparison that fails acquires", []string{put, "atom.acq_rel.gpu.global.cas.b32 %r1, [%rd1], 5, 6;" + seen}, false},
		{"a comparison that fails, relaxed", []string{put, "atom.relaxed.gpu.global.cas.b32 %r1, [%rd1], 5, 6;" + seen}, true},
		{"a comparison that fails releases nothing", []string{data + "atom.acq_rel.gpu.global.cas.b32 %r1, [%rd1], 5, 6; st.relaxed.gpu.global.u32 [%rd1], 1;", get}, true},
		{"a comparison that fails and a load", []string{"atom.relaxed.gpu.global.cas.b32 %r1, [%rd1], 5, 6;", "ld.global.u32 %r1, [%rd1];"}, false},
		{"a comparison that succeeds and a load", []string{"atom.relaxed.gpu.global.cas.b32 %r1, [%rd1], 0, 6;", "ld.global.u32 %r1, [%rd1];"}, true},
		{"a lock", []string{take, take, take}, false},
		{"a lock without an acquire", []string{strings.Replace(take, "acquire", "relaxed", 1), take}, true},

		// Accesses of 128 bits.
		{"128 bits", []string{data + "st.release.gpu.global.b128 [%rd1], %q1;",
			"ld.acquire.gpu.global.b128 %q2, [%rd1]; mov.b128 {%rd4, %rd5}, %q2; cvt.u32.u64 %r1, %rd4;" + seen}, false},
		{"128 bits, relaxed", []string{data + "st.release.gpu.global.b128 [%rd1], %q1;",
			"ld.relaxed.gpu.global.b128 %q2, [%rd1]; mov.b128 {%rd4, %rd5}, %q2; cvt.u32.u64 %r1, %rd4;" + seen}, true},
		{"128 bits, a comparison that fails", []string{data + "atom.release.gpu.global.exch.b128 %q2, [%rd1], %q1;",
			"atom.acquire.gpu.global.cas.b128 %q2, [%rd1], %q0, %q0; mov.b128 {%rd4, %rd5}, %q2; cvt.u32.u64 %r1, %rd4;" + seen}, false},
	} {
		m := parse(t, blocks(c.list...))
		found := 0
		for seed := range uint64(40) {
			l := launch{kernel: "k", grid: [3]uint32{uint32(len(c.list)), 1, 1}, block: [3]uint32{1, 1, 1}, args: []any{make([]byte, 64)},
				sanitize: ir.SanitizeRace, schedule: rand.New(rand.NewPCG(seed, 0)).IntN}
			if err := l.run(m, engines[0].engine, engines[0].optimize); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			for _, r := range l.reports {
				if found++; !c.racy {
					t.Fatalf("%s, order %d: %s", c.name, seed, r.Text())
				}
			}
		}
		if c.racy && found == 0 {
			t.Errorf("%s: no race in 40 orders; must have one", c.name)
		}
	}
}
