package ptxlower

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// hostileHead begins a kernel: each of its threads has 64 bytes from %out and from %in on.
const hostileHead = ".version 8.6\n.target sm_90\n.address_size 64\n%s.visible .entry rows(.param .u64 o, .param .u64 i)\n{\n.reg .b64 %%in, %%out, %%v;\n.reg .b32 %%t;\n" +
	"ld.param.u64 %%out, [o];\nld.param.u64 %%in, [i];\nmov.u32 %%t, %%tid.x;\nmul.wide.u32 %%v, %%t, 64;\nadd.u64 %%out, %%out, %%v;\nadd.u64 %%in, %%in, %%v;\n"

// flowLines are loops, tables, calls and local memory around the registers of rows.
var flowLines = []string{
	"ld.global.u32 x0, [%in]; and.b32 x1, x0, 7; L: add.u32 x2, x2, x0; sub.u32 x1, x1, 1; setp.gt.s32 p0, x1, 0; @p0 bra L; st.global.u32 [%out], x2;",
	"ld.global.u32 x0, [%in]; rem.u32 x0, x0, 3; brx.idx x0, T; T: .branchtargets A, B, C; A: mov.u32 x1, 5; bra D; B: mov.u32 x1, 6; bra D; C: mov.u32 x1, x0; D: st.global.u32 [%out], x1;",
	"ld.global.u32 x0, [%in]; ld.global.u32 x1, [%in+4]; { .param .b32 a; .param .b32 b; .param .b32 r; st.param.b32 [a], x0; st.param.b32 [b], x1; call.uni (r), sum, (a, b); ld.param.b32 x2, [r]; } st.global.u32 [%out], x2;",
	".local .b32 l[4]; ld.global.u32 x0, [%in]; and.b32 x1, x0, 12; cvt.u64.u32 d0, x1; mov.u64 d1, l; add.u64 d1, d1, d0; st.local.u32 [d1], x0; ld.local.u32 x2, [l+8]; st.global.u32 [%out], x2;",
	".shared .b32 s[32]; mov.u32 x0, %tid.x; shl.b32 x1, x0, 2; mov.u32 x2, s; add.u32 x1, x1, x2; ld.global.u32 x3, [%in]; st.shared.u32 [x1], x3; bar.sync 0; ld.shared.u32 x4, [s+4]; st.global.u32 [%out], x4;",
	"ld.global.f32 x0, [%in]; ld.global.f32 x1, [%in+8]; setp.lt.f32 p0, x0, x1; @p0 bra A; fma.rn.f32 x2, x0, x1, x0; bra B; A: div.rn.f32 x2, x0, x1; B: st.global.f32 [%out], x2; @!p0 exit; st.global.f32 [%out+4], x0;",
	"ld.global.v4.u32 {x0, x1, x2, x3}, [%in]; shfl.sync.down.b32 x4|p0, x0, 1, 31, -1; vote.sync.ballot.b32 x5, p0, -1; selp.b32 x6, x4, x5, p0; st.global.v2.u32 [%out+8], {x5, x6};",
	"mov.u64 d0, sum; ld.global.u32 x0, [%in]; { .param .b32 a; .param .b32 b; .param .b32 r; st.param.b32 [a], x0; st.param.b32 [b], x0; P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _); call (r), d0, (a, b), P; ld.param.b32 x1, [r]; } st.global.u32 [%out], x1;",
}

// bulkLines are bulk copies, the stack, 128 bits and memory of several devices around the registers of rows.
var bulkLines = []string{
	".shared .align 16 .b8 s[256]; .shared .b64 m; mov.u32 x0, %tid.x; setp.eq.u32 p0, x0, 0; @p0 mbarrier.init.shared.b64 [m], 1; bar.sync 0; @p0 mbarrier.arrive.expect_tx.shared.b64 _, [m], 64; @p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%in], 64, [m]; W: mbarrier.try_wait.parity.shared.b64 p1, [m], 0; @!p1 bra W; ld.shared.u32 x1, [s+16]; st.global.u32 [%out], x1;",
	".shared .align 16 .b8 s[256]; ld.global.v4.u32 {x0, x1, x2, x3}, [%in]; st.shared.v4.u32 [s], {x0, x1, x2, x3}; cp.async.bulk.global.shared::cta.bulk_group [%out], [s], 32; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], [s], 16; st.bulk.shared::cta [s], x0, 0; cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%out+32], [s], 16, x1;",
	"ld.global.u32 x0, [%in]; and.b32 x0, x0, 255; stacksave.u32 x1; alloca.u32 x2, x0, 16; st.local.u32 [x2], x0; ld.local.u32 x3, [x2]; stackrestore.u32 x1; st.global.u32 [%out], x3;",
	"ld.global.u64 d0, [%in]; alloca.u64 d1, d0; st.local.u8 [d1], x0; cvta.local.u64 d2, d1; ld.u32 x3, [d2+4]; stackrestore.u64 d0; alloca.u64 d3, 64, 1024; st.global.u64 [%out], d3;",
	"ld.relaxed.sys.global.b128 q0, [%in]; mov.b128 {d0, d1}, q0; atom.cas.b128 q1, [d0], q0, q0; atom.global.exch.b128 q2, [%out+16], q1; atom.acq_rel.gpu.global.cas.b128 _, [%out+8], q2, q0; st.release.gpu.global.b128 [%out], q2;",
	"ld.global.b128 q0, [%in]; mov.b128 {d0, d1}, q0; mov.b128 q1, {d1, d0}; st.global.b128 [%out+16], q1; multimem.red.relaxed.sys.global.add.u64 [%out], d0; multimem.ld_reduce.weak.global.min.u32 x0, [%out]; multimem.st.global.u32 [%out+8], x0;",
	"ld.global.v4.u32 {x0, x1, x2, x3}, [%in]; cvt.rs.f16x2.f32 x4, x0, x1, x2; cvt.rs.satfinite.bf16x2.f32 x5, x1, x2, x3; cvt.rs.satfinite.e4m3x4.f32 x6, {x0, x1, x2, x3}, x1; st.global.v2.u32 [%out], {x4, x5};",
}

// flowHead declares the function that flowLines call.
const flowHead = ".func (.param .b32 r) sum(.param .b32 a, .param .b32 b)\n{\n.reg .b32 %a, %b;\nld.param.b32 %a, [a];\nld.param.b32 %b, [b];\nadd.u32 %a, %a, %b;\nst.param.b32 [r], %a;\nret;\n}\n"

// hostileKernels returns kernels as words: one of each instruction, and the lines of flowLines.
func hostileKernels() (list [][]string) {
	const registers = ".reg .b32 x<16>; .reg .b64 d<4>; .reg .pred p<4>; .reg .b128 q<4>;\n"
	for i := range instructionRows {
		list = append(list, strings.Fields(fmt.Sprintf(hostileHead, "")+rowText(0, &instructionRows[i])+"ret;\n}\n"))
	}
	for _, line := range warpLines {
		list = append(list, strings.Fields(fmt.Sprintf(hostileHead, "")+registers+line+"\nst.global.v4.u32 [%out+32], {x0, x1, x2, x3};\nret;\n}\n"))
	}
	for range 8 { // loops and calls are as frequent as the instructions of a chapter
		for _, line := range append(flowLines[:len(flowLines):len(flowLines)], bulkLines...) {
			list = append(list, strings.Fields(fmt.Sprintf(hostileHead, flowHead)+registers+line+"\nret;\n}\n"))
		}
	}
	return list
}

// hostileWords returns n words, of which many are limits of the types.
func hostileWords(r *rand.Rand, n int) []byte {
	limits := []uint32{0, 1, 2, 0xffffffff, 0x80000000, 0x7fffffff, inf32, 0xff800000, nan32, denormal, 0x3f800000, 0x7c00, 0xffff, 32, 0x43300000}
	var b []byte
	for range n {
		x := r.Uint32()
		if r.IntN(2) == 0 {
			x = limits[r.IntN(len(limits))]
		}
		b = append(b, words(x)...)
	}
	return b
}

// hostileLaunches is a run of inputs, with counts of their fates.
type hostileLaunches struct {
	t                  *testing.T
	r                  *rand.Rand
	ways               []engineWay
	parsed, ran, ended int
}

// launch runs the entries of a text without findings on each engine, with one thread or a warp. The engines must agree.
func (h *hostileLaunches) launch(text string, threads uint32) {
	m, findings := ptx.Parse(text)
	if len(findings) > 0 || len(ptx.Check(m)) > 0 {
		return
	}
	h.parsed++
	for _, f := range m.Entries() {
		var args []any
		for _, v := range f.Params {
			switch v.Size() {
			case 4:
				args = append(args, 1+h.r.IntN(8))
			case 8:
				args = append(args, hostileWords(h.r, 16*32))
			}
		}
		if len(args) == len(f.Params) {
			h.compare(m, launch{kernel: f.Name, grid: [3]uint32{1, 1, 1}, block: [3]uint32{threads, 1, 1}, args: args, budget: 1 << 10})
		}
	}
}

// compare runs a launch on each engine. A program without a result, or with too many steps on one engine, is not compared.
func (h *hostileLaunches) compare(m *ptx.Module, l launch) {
	var want [][]byte
	var failed error
	for i, e := range h.ways {
		run := l
		run.args = nil
		var got [][]byte
		for _, a := range l.args {
			if b, ok := a.([]byte); ok {
				a = bytes.Clone(b)
				got = append(got, a.([]byte))
			}
			run.args = append(run.args, a)
		}
		err := run.run(m, e.engine, e.optimize)
		if form := (*ir.VerifyError)(nil); errors.As(err, &form) {
			h.t.Errorf("the program of %s: %v\n%s", l.kernel, err, m)
		}
		if errors.As(err, new(*exec.BudgetError)) {
			return
		}
		switch {
		case i == 0:
			want, failed = got, err
		case (err == nil) != (failed == nil):
			h.t.Errorf("%s on the %s: %v; must be as on the %s: %v\n%s", l.kernel, e.name, err, h.ways[0].name, failed, m)
		case err == nil && !bytes.Equal(bytes.Join(got, nil), bytes.Join(want, nil)):
			h.t.Errorf("%s with %d threads has other results on the %s than on the %s\n%s", l.kernel, l.block[0], e.name, h.ways[0].name, m)
		}
	}
	if h.ran++; failed == nil {
		h.ended++
	}
}

// linesChanged returns one of the texts with one to three changed lines or words of lines.
func linesChanged(r *rand.Rand, texts []string) string {
	lines := strings.Split(texts[r.IntN(len(texts))], "\n")
	for range 1 + r.IntN(3) {
		at, from := r.IntN(len(lines)), r.IntN(len(lines))
		a, b := strings.Fields(lines[at]), strings.Fields(lines[from])
		switch k := r.IntN(4); {
		case k == 0:
			lines[at] = ""
		case k == 1:
			lines[at], lines[from] = lines[from], lines[at]
		case len(a) > 0 && len(b) > 0:
			a[r.IntN(len(a))] = b[r.IntN(len(b))]
			lines[at] = strings.Join(a, " ")
		}
	}
	return strings.Join(lines, "\n")
}

// TestHostileLaunches runs kernels with random changes, of single instructions and of the programs in testdata: each is refused, or ends
// within its budget with the same memory on each engine. A number in CHIARO_LONG is the number of inputs, and gives other ones.
func TestHostileLaunches(t *testing.T) {
	n := 1500
	if v, err := strconv.Atoi(os.Getenv("CHIARO_LONG")); err == nil && v > 1 {
		n = v
	}
	h := &hostileLaunches{t: t, r: rand.New(rand.NewPCG(uint64(n), 6)), ways: append([]engineWay{engines[1]}, everyEngine()[2:]...)}
	kernels := hostileKernels()
	var texts []string
	files, _ := filepath.Glob("testdata/programs/p[89].O[23].ptx")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, threads := range []uint32{1, 32} {
			h.launch(string(text), threads)
		}
		texts = append(texts, string(text))
	}
	for i := range n {
		threads := uint32(1 + 31*(i&1))
		if i%64 == 63 && len(texts) > 0 {
			h.launch(linesChanged(h.r, texts), 1)
		} else {
			h.launch(mutated(h.r, kernels), threads)
		}
		if i%100000 == 99999 {
			t.Logf("%d inputs: %d modules, %d launches, %d without an error", i+1, h.parsed, h.ran, h.ended)
		}
	}
	if h.ended < n/20 {
		t.Errorf("%d of %d inputs ran to their end; must be at least %d, or the test shows little", h.ended, n, n/20)
	}
}
