package ptxlower

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// wildHead begins a kernel with buffers, a wild pointer and a number, and variables in each space.
const wildHead = `.version 8.6
.target %s
.address_size 64
.global .u32 gv[16] = {1, 2, 3};
.const .u32 cv[16] = {4, 5, 6};
.shared .align 16 .b8 sv[256];
.extern .shared .align 16 .b8 dyn[];
.func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %%a; ld.param.b32 %%a, [a]; shl.b32 %%a, %%a, 1; st.param.b32 [r], %%a; ret; }
.func (.param .b32 r) half(.param .b32 a) { .reg .b32 %%a; .reg .pred %%p; ld.param.b32 %%a, [a]; setp.lt.s32 %%p, %%a, 0; @%%p bra N; shr.u32 %%a, %%a, 1; N: st.param.b32 [r], %%a; ret; }
.global .u64 table[2] = {twice, half};
.visible .entry k(.param .u64 o, .param .u64 i, .param .u64 w, .param .u32 n)
{
.reg .b32 x<16>; .reg .b64 d<12>; .reg .b16 h<4>; .reg .f32 f<6>; .reg .f64 g<4>; .reg .pred p<6>; .reg .b32 c<40>;
.local .align 16 .b8 lv[128];
ld.param.u64 d0, [o]; ld.param.u64 d1, [i]; ld.param.u64 d2, [w]; ld.param.u32 x1, [n];
mov.u32 x0, %%tid.x; mul.wide.u32 d3, x0, 32; add.u64 d3, d3, d0; mov.u64 d4, lv; cvta.local.u64 d5, d4; mov.u64 d6, sv; cvta.shared.u64 d7, d6;
ld.global.v4.u32 {x2, x3, x4, x5}, [d1]; ld.global.f32 f0, [d1+16]; ld.global.f64 g0, [d1+24];
`

// wildSource makes the text of kernels.
type wildSource struct {
	r      *rand.Rand
	b      strings.Builder
	labels int // named ones
	tables int
	loops  int
}

func (w *wildSource) pick(list ...string) string { return list[w.r.IntN(len(list))] }

// word returns a register of a kind, or a constant of its type.
func (w *wildSource) word(kind string) string {
	n := map[string]int{"x": 16, "d": 12, "h": 4, "f": 6, "g": 4, "p": 6}[kind]
	if w.r.IntN(6) == 0 {
		switch kind {
		case "x", "h":
			return w.pick("0", "1", "-1", "31", "32", "255", "0x7fff", "12345")
		case "d":
			return w.pick("0", "1", "-1", "4294967296", "0x7fffffffffffffff", "0x4000000000000000", "0x5000000000000010", "64")
		case "f":
			return w.pick("0f00000000", "0f3f800000", "0f7f800000", "0f7fc00000", "0f80000001", "0fff7fffff")
		case "g":
			return w.pick("0d0000000000000000", "0d3ff0000000000000", "0d7ff0000000000000", "0d7ff8000000000001", "0d0000000000000001")
		}
	}
	return w.register(kind, n)
}

func (w *wildSource) register(kind string, n int) string { return fmt.Sprint(kind, w.r.IntN(n)) }

// result returns a register of a kind that an instruction may write: the pointers to the buffers stay.
func (w *wildSource) result(kind string) string {
	switch kind {
	case "x":
		return fmt.Sprint("x", 2+w.r.IntN(14))
	case "d":
		return fmt.Sprint("d", 4+w.r.IntN(8))
	}
	return w.register(kind, map[string]int{"h": 4, "f": 6, "g": 4, "p": 6}[kind])
}

// wildForms are instructions: upper letters are results, lower ones operands, of a kind.
var wildForms = strings.FieldsFunc(`add.s32 X, x, x; sub.u32 X, x, x; mul.lo.u32 X, x, x; mul.hi.s32 X, x, x; mad.lo.s32 X, x, x, x; mad.hi.u32 X, x, x, x; mul24.lo.s32 X, x, x; div.s32 X, x, x; div.u32 X, x, x; rem.s32 X, x, x; rem.u32 X, x, x
add.sat.s32 X, x, x; min.s32 X, x, x; max.u32 X, x, x; abs.s32 X, x; neg.s32 X, x; and.b32 X, x, x; or.b32 X, x, x; xor.b32 X, x, x; not.b32 X, x; cnot.b32 X, x; shl.b32 X, x, x; shr.s32 X, x, x; shr.u32 X, x, x
shf.l.wrap.b32 X, x, x, x; shf.r.clamp.b32 X, x, x, x; prmt.b32 X, x, x, x; prmt.b32.f4e X, x, x, x; bfe.u32 X, x, x, x; bfe.s32 X, x, x, x; bfi.b32 X, x, x, x, x; popc.b32 X, x; clz.b32 X, x; brev.b32 X, x
bfind.shiftamt.u32 X, x; fns.b32 X, x, x, x; lop3.b32 X, x, x, x, 0x6a; sad.u32 X, x, x, x; dp4a.u32.s32 X, x, x, x; dp2a.lo.s32.u32 X, x, x, x; add.s64 D, d, d; sub.s64 D, d, d; mul.lo.u64 D, d, d; mul.hi.u64 D, d, d
div.s64 D, d, d; rem.u64 D, d, d; shl.b64 D, d, x; shr.u64 D, d, x; and.b64 D, d, d; xor.b64 D, d, d; mul.wide.u32 D, x, x; mad.wide.s32 D, x, x, d; popc.b64 X, d; clz.b64 X, d; bfe.u64 D, d, x, x; min.u64 D, d, d
selp.b64 D, d, d, p; add.u16 H, h, h; mul.lo.u16 H, h, h; mul.wide.s16 X, h, h; div.s16 H, h, h; rem.u16 H, h, h; shl.b16 H, h, x; min.s16 H, h, h; add.f16 H, h, h; fma.rn.f16 H, h, h, h; mul.f16 H, h, h; max.f16 H, h, h
add.bf16 H, h, h; fma.rn.bf16x2 X, x, x, x; add.f16x2 X, x, x; fma.rn.f16x2 X, x, x, x; min.NaN.bf16x2 X, x, x; tanh.approx.f16x2 X, x; ex2.approx.f16 H, h; add.f32 F, f, f; sub.rz.f32 F, f, f; mul.rm.f32 F, f, f
fma.rp.f32 F, f, f, f; fma.rn.ftz.f32 F, f, f, f; div.rn.f32 F, f, f; div.full.f32 F, f, f; div.approx.ftz.f32 F, f, f; rcp.rn.f32 F, f; sqrt.rn.f32 F, f; rsqrt.approx.f32 F, f; sin.approx.f32 F, f; lg2.approx.f32 F, f
ex2.approx.ftz.f32 F, f; tanh.approx.f32 F, f; min.f32 F, f, f; max.NaN.f32 F, f, f; abs.f32 F, f; neg.ftz.f32 F, f; copysign.f32 F, f, f; add.sat.f32 F, f, f; add.f64 G, g, g; mul.rz.f64 G, g, g; fma.rm.f64 G, g, g, g
div.rn.f64 G, g, g; sqrt.rn.f64 G, g; rcp.rn.f64 G, g; min.f64 G, g, g; rcp.approx.ftz.f64 G, g; add.rp.f64 G, g, g; cvt.u64.u32 D, x; cvt.s64.s32 D, x; cvt.u32.u64 X, d; cvt.sat.u8.s32 X, x; cvt.s16.s32 H, x
cvt.u32.u16 X, h; cvt.rn.f32.s32 F, x; cvt.rzi.s32.f32 X, f; cvt.rni.u32.f32 X, f; cvt.rpi.f32.f32 F, f; cvt.f64.f32 G, f; cvt.rn.f32.f64 F, g; cvt.rzi.s64.f64 D, g; cvt.rn.f64.u64 G, d; cvt.rn.f16.f32 H, f
cvt.f32.f16 F, h; cvt.rn.bf16x2.f32 X, f, f; cvt.rz.f16x2.f32 X, f, f; cvt.sat.f32.f32 F, f; setp.lt.s32 P, x, x; setp.hs.u32 P, x, x; setp.eq.s64 P, d, d; setp.ltu.f32 P, f, f; setp.nan.f64 P, g, g
setp.ge.and.s32 P|P, x, x, p; set.lt.u32.f32 X, f, f; set.ne.f32.s32 F, x, x; selp.b32 X, x, x, p; selp.f32 F, f, f, p; slct.s32.f32 X, x, x, f; and.pred P, p, p; xor.pred P, p, p; not.pred P, p; testp.finite.f32 P, f
mov.b32 X, f; mov.b32 F, x; mov.b64 D, {x, x}; mov.b64 {X, X}, d; mov.b64 G, d; mov.b32 X, {h, h}; mov.pred P, p; vadd.s32.s32.s32.sat X, x.h0, x.b2, x; vmax4.u32.u32.u32.add X, x, x, x; vshl.u32.u32.u32.wrap X, x, x
add.cc.u32 X, x, x; addc.u32 X, x, x; madc.hi.cc.u32 X, x, x, x; subc.u32 X, x, x; mov.u32 X, %laneid; mov.u32 X, %ntid.x; mov.u32 X, %ctaid.x; mov.u32 X, %lanemask_lt; mov.u32 X, %nctaid.y; mov.u64 D, gv; mov.u64 D, cv
mov.u64 D, sv; mov.u64 D, dyn; mov.u64 D, lv; cvta.global.u64 D, d; cvta.shared.u64 D, d; cvta.local.u64 D, d; cvta.to.shared.u64 D, d; cvta.to.local.u64 D, d; isspacep.shared P, d; isspacep.local P, d
isspacep.global P, d; isspacep.const P, d; shfl.sync.bfly.b32 X|P, x, x, 31, -1; shfl.sync.idx.b32 X, x, x, x, -1; shfl.sync.up.b32 X|P, x, 1, 0, -1; vote.sync.ballot.b32 X, p, -1; vote.sync.any.pred P, p, -1
match.any.sync.b32 X, x, -1; redux.sync.add.s32 X, x, -1; redux.sync.and.b32 X, x, -1; activemask.b32 X; elect.sync X|P, -1`,
	func(c rune) bool { return c == ';' || c == '\n' })

// form writes an instruction with registers in place of its letters.
func (w *wildSource) form(text string) {
	op, operands, _ := strings.Cut(text, " ")
	w.b.WriteString(op + " ")
	for k, c := range operands {
		bare := (k == 0 || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz_%.0123456789", rune(operands[k-1]))) &&
			(k+1 == len(operands) || strings.ContainsRune(",}|. ", rune(operands[k+1])))
		switch {
		case bare && strings.ContainsRune("XDHFGP", c):
			w.b.WriteString(w.result(strings.ToLower(string(c))))
		case bare && c == 'p', bare && strings.HasPrefix(op, "v") && c == 'x' && strings.HasPrefix(operands[k+1:], "."):
			w.b.WriteString(w.register(string(c), 6))
		case bare && c == 'd' && strings.HasPrefix(op, "isspacep"), bare && strings.HasPrefix(op, "mov.b") && strings.ContainsRune("xdhfg", c):
			w.b.WriteString(w.register(string(c), 4))
		case bare && strings.ContainsRune("xdhfg", c):
			w.b.WriteString(w.word(string(c)))
		default:
			w.b.WriteRune(c)
		}
	}
	w.b.WriteString(";\n")
}

// address returns an address of a space: of a variable or a buffer, or a wild one.
func (w *wildSource) address(space string) string {
	plus := w.pick("", "+4", "+8", "+16", "-4", "+31", "+1048576", "+2147483647", "-2147483648")
	if w.r.IntN(3) > 0 {
		plus = w.pick("", "+4", "+8", "+16")
	}
	base := w.register("d", 12)
	switch {
	case w.r.IntN(4) == 0:
	case space == ".shared":
		base = w.pick("sv", "dyn", "d6", "x2")
	case space == ".local":
		base = w.pick("lv", "d4")
	case space == ".const":
		base = "cv"
	case space == ".param":
		base, plus = w.pick("o", "n"), ""
	case space == "":
		base = w.pick("d3", "d5", "d7", "d1")
	default:
		base = w.pick("d3", "d3", "d1", "gv")
	}
	return "[" + base + plus + "]"
}

// memory writes a load, a store or an atomic.
func (w *wildSource) memory() {
	space := w.pick(".global", ".global", ".shared", ".local", "", ".const", ".param")
	kind := w.pick("u32 X x", "b32 F f", "u64 D d", "f64 G g", "u16 H h", "s8 X x", "u8 X x", "b16 X x", "v2.u32 {X,X} {x,x}", "v4.f32 {F,F,F,F} {f,f,f,f}", "v2.b64 {D,D} {d,d}", "v4.u8 {X,X,X,X} {x,x,x,x}")
	f := strings.Fields(kind)
	qualifier := w.pick("", "", "", ".volatile", ".relaxed.gpu")
	if qualifier != "" && (space == ".const" || space == ".param" || space == ".local") {
		qualifier = ""
	}
	guard := w.pick("", "", "@"+w.register("p", 6)+" ", "@!"+w.register("p", 6)+" ")
	switch {
	case space == ".const" || space == ".param" || w.r.IntN(2) == 0:
		fmt.Fprintf(&w.b, "%sld%s%s.%s %s, %s;\n", guard, qualifier, space, f[0], w.filled(f[1]), w.address(space))
	case w.r.IntN(4) > 0 || space == ".local":
		fmt.Fprintf(&w.b, "%sst%s%s.%s %s, %s;\n", guard, qualifier, space, f[0], w.address(space), w.filled(f[2]))
	default:
		op := w.pick("add.u32 X x", "min.s32 X x", "and.b32 X x", "exch.b32 X x", "cas.b32 X x,x", "add.u64 D d", "cas.b64 D d,d", "inc.u32 X x", "add.f32 F f", "add.noftz.f16x2 X x", "max.u64 D d", "add.f64 G g")
		g := strings.Fields(op)
		fmt.Fprintf(&w.b, "%satom%s.%s %s, %s, %s;\n", guard, space, g[0], w.filled(g[1]), w.address(space), w.filled(g[2]))
	}
}

// filled returns a list of letters with registers in their place.
func (w *wildSource) filled(text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case strings.ContainsRune("XDHFG", c):
			b.WriteString(w.result(strings.ToLower(string(c))))
		case strings.ContainsRune("xdhfg", c):
			b.WriteString(w.register(string(c), 4))
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// statements writes some statements, with others nested in them.
func (w *wildSource) statements(depth int) {
	for range 1 + w.r.IntN(6) {
		switch k := w.r.IntN(20); {
		case k < 9:
			w.form(strings.TrimSpace(wildForms[w.r.IntN(len(wildForms))]))
		case k < 14:
			w.memory()
		case k < 18 && depth > 0:
			w.nest(depth - 1)
		case k == 18:
			w.rare()
		}
	}
}

// nest writes a branch or a loop around statements.
func (w *wildSource) nest(depth int) {
	n := w.labels
	w.labels += 2
	p := w.register("p", 6)
	switch w.r.IntN(6) {
	case 0, 1:
		fmt.Fprintf(&w.b, "@%s bra L%d;\n", p, n)
		w.statements(depth)
		fmt.Fprintf(&w.b, "bra L%d;\nL%d:\n", n+1, n)
		w.statements(depth)
		fmt.Fprintf(&w.b, "L%d:\n", n+1)
	case 2, 3:
		c := w.loops % 40
		w.loops++
		fmt.Fprintf(&w.b, "mov.u32 c%d, 0;\nL%d:\n", c, n)
		w.statements(depth)
		fmt.Fprintf(&w.b, "add.u32 c%d, c%d, 1; setp.lt.u32 %s, c%d, %d; @%s bra L%d;\nL%d:\n", c, c, p, c, w.r.IntN(6), p, n, n+1)
	case 4: // a loop that data ends, or the budget
		fmt.Fprintf(&w.b, "L%d:\n", n)
		w.statements(depth)
		fmt.Fprintf(&w.b, "add.u32 x14, x14, 1; setp.lt.u32 %s, x14, x%d; @%s bra L%d;\nL%d:\n", p, 1+w.r.IntN(15), p, n, n+1)
	case 5:
		fmt.Fprintf(&w.b, "and.b32 x15, x%d, 1; brx.idx x15, T%d; T%d: .branchtargets L%d, L%d;\nL%d:\n", w.r.IntN(15), w.tables, w.tables, n, n+1, n)
		w.tables++
		w.statements(depth)
		fmt.Fprintf(&w.b, "L%d:\n", n+1)
	}
}

// rare writes a statement that few programs have: jumps between all labels, calls, barriers, ends, traps.
func (w *wildSource) rare() {
	p := w.register("p", 6)
	switch w.r.IntN(8) {
	case 0, 1:
		if w.labels > 0 {
			fmt.Fprintf(&w.b, "@%s bra L%d;\n", p, w.r.IntN(w.labels))
		}
	case 2:
		fmt.Fprintf(&w.b, "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %s; call.uni (r), %s, (a); ld.param.b32 x9, [r]; }\n", w.register("x", 16), w.pick("twice", "half"))
	case 3:
		fmt.Fprintf(&w.b, "ld.global.u64 d9, [table%s]; { .param .b32 a; .param .b32 r; st.param.b32 [a], x3; P%d: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), %s, (a), P%d; ld.param.b32 x9, [r]; }\n", w.pick("", "+8", "+4"), w.tables, w.pick("d9", "d9", w.register("d", 12)), w.tables)
		w.tables++
	case 4:
		w.b.WriteString(w.pick("bar.sync 0;", "bar.warp.sync -1;", "membar.gl;", "fence.sc.cta;", "bar.red.popc.u32 x8, 0, p1;") + "\n")
	case 5:
		fmt.Fprintf(&w.b, "@%s %s;\n", p, w.pick("exit", "ret", "exit"))
	case 6:
		if w.r.IntN(4) == 0 {
			fmt.Fprintf(&w.b, "@%s trap;\n", p)
		}
	case 7:
		fmt.Fprintf(&w.b, "cp.async.ca.shared.global %s, %s, %s;\ncp.async.wait_all;\n", w.address(".shared"), w.address(".global"), w.pick("4", "8", "16"))
	}
}

// wildKernel returns the text of a kernel.
func wildKernel(r *rand.Rand) string {
	w := &wildSource{r: r}
	fmt.Fprintf(&w.b, wildHead, w.pick("sm_60", "sm_90", "sm_100"))
	for range 1 + r.IntN(3) {
		w.statements(3)
	}
	w.b.WriteString("st.global.v4.u32 [d3], {x2, x5, x8, x9}; st.global.f32 [d3+16], f1; st.global.f64 [d3+24], g1;\nret;\n}\n")
	return w.b.String()
}

// wildLaunches runs kernels.
type wildLaunches struct {
	t                            *testing.T
	ways                         []engineWay
	parsed, launches, ran, ended int
	slowest                      time.Duration
}

// launch runs a text on each engine. The engines agree about a fault, and about each byte where there is none.
func (x *wildLaunches) launch(r *rand.Rand, text string) {
	m, findings := ptx.Parse(text)
	if len(findings) > 0 || len(ptx.Check(m)) > 0 {
		return
	}
	x.parsed++
	pick := func(list ...int) uint32 { return uint32(list[r.IntN(len(list))]) }
	in, number := hostileWords(r, 64), int(r.Int32())
	pointers := []uint64{0, 1, FirstAddress - 4, FirstAddress, FirstAddress + 1<<20, 4 << 60, 4<<60 + 250, 5 << 60, 6 << 60, 7 << 60, 1<<64 - 8, 1 << 63, r.Uint64()}
	pointer := pointers[r.IntN(len(pointers))]
	block := [3]uint32{pick(1, 1, 7, 32, 32, 32, 33, 64), 1, 1}
	l := launch{kernel: "k", grid: [3]uint32{pick(1, 1, 1, 2), 1, pick(1, 1, 0, 2)}, block: block, shared: pick(0, 0, 64, 1024, MaxSharedBytes-256), budget: uint64(pick(1<<8, 1<<10, 1<<12))}
	switch r.IntN(40) {
	case 0:
		l.block = [3]uint32{pick(1024, 1025, 0, -1), pick(1, 2, 0), pick(1, 1, 65)}
	case 1:
		l.shared = pick(MaxSharedBytes, MaxSharedBytes+1, -1)
	}
	var want []byte
	var failed error
	ordered := uint64(l.block[0])*uint64(l.block[1])*uint64(l.block[2]) <= WarpSize && l.grid[0]*l.grid[2] == 1 // no warps race
	for i, e := range x.ways {
		begin := time.Now()
		out := make([]byte, 64*32)
		l.args = []any{out, bytes.Clone(in), pointer, number}
		err := l.run(m, e.engine, e.optimize)
		x.slowest = max(x.slowest, time.Since(begin))
		switch {
		case errors.As(err, new(*ir.VerifyError)) || errors.Is(err, errMargin):
			x.t.Errorf("on the %s: %v\n%s", e.name, err, text)
		case errors.As(err, new(*exec.BudgetError)), errors.As(err, new(*LaunchError)), errors.As(err, new(*Unsupported)), errors.As(err, new(*Malformed)):
			return
		case i == 0:
			want, failed = out, err
		case !ordered:
		case (err == nil) != (failed == nil):
			x.t.Errorf("on the %s: %v; must be as on the %s: %v\nlaunch %+v\n%s", e.name, err, x.ways[0].name, failed, l, text)
		case err == nil && !bytes.Equal(out, want):
			x.t.Errorf("%d × %d threads have other results on the %s than on the %s\n%s", l.grid, l.block, e.name, x.ways[0].name, text)
		}
		x.launches++
	}
	if x.ran++; failed == nil {
		x.ended++
	}
}

// TestWildLaunches runs random kernels with wild pointers, loops without an end and launches at and over the limits: nothing panics,
// passes its budget or writes outside of the buffers, and the engines agree. An eighth of the texts has random changes.
// CHIARO_SEEDS=from-to runs others.
func TestWildLaunches(t *testing.T) {
	from, to := irgen.Seeds(t, 600, 150)
	x := &wildLaunches{t: t, ways: append([]engineWay{engines[1]}, everyEngine()[2:]...)}
	for seed := from; seed < to && !t.Failed(); seed++ {
		r := rand.New(rand.NewPCG(uint64(seed), 27))
		text := wildKernel(r)
		if seed%8 == 7 {
			text = mutated(r, [][]string{strings.Fields(text), strings.Fields(wildKernel(r))})
		}
		x.launch(r, text)
		if seed%100000 == 99999 {
			t.Logf("to seed %d: %d modules, %d compared, %d without an error, %d runs, the slowest %v", seed+1, x.parsed, x.ran, x.ended, x.launches, x.slowest)
		}
	}
	t.Logf("%d kernels: %d modules, %d compared, %d without an error", to-from, x.parsed, x.ran, x.ended)
	if x.ended < int(to-from)/4 {
		t.Errorf("%d of %d kernels ran to their end; must be at least a quarter, or the test shows little", x.ended, to-from)
	}
}
