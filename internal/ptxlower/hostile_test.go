package ptxlower

import (
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// TestHostile lowers modules with random changes: words of a line are replaced by words of other lines, lines are removed, repeated and
// moved. Lower returns a program or an error, and never panics.
func TestHostile(t *testing.T) {
	n := 150
	if s := os.Getenv("CHIARO_LONG"); s != "" {
		n = 3000
		if v, err := strconv.Atoi(s); err == nil && v > 1 {
			n = v
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	sources := []string{readPTX(t, "programs/p1.O0.ptx"), readPTX(t, "programs/p1.O2.ptx"), readPTX(t, "programs/p2.O1.ptx"), readPTX(t, "groups/g1.O1.ptx"), readPTX(t, "groups/g1.O0.ptx")}
	for _, row := range independentRows {
		sources = append(sources, independentText(row.target, row.body))
	}
	programs := 0
	for range n {
		lines := strings.Split(sources[r.IntN(len(sources))], "\n")
		for range 1 + r.IntN(4) {
			at, from := r.IntN(len(lines)), r.IntN(len(lines))
			switch r.IntN(4) {
			case 0:
				lines = append(lines[:at:at], lines[at+1:]...)
			case 1:
				lines[at] = lines[from]
			case 2:
				a, b := strings.Fields(lines[at]), strings.Fields(lines[from])
				if len(a) > 0 && len(b) > 0 {
					a[r.IntN(len(a))] = b[r.IntN(len(b))]
					lines[at] = strings.Join(a, " ")
				}
			case 3:
				lines[at], lines[from] = lines[from], lines[at]
			}
		}
		m, findings := ptx.Parse(strings.Join(lines, "\n"))
		if len(findings) > 0 {
			continue
		}
		programs += lowerAll(t, m)
	}
	if programs < n/4 {
		t.Errorf("%d modules made %d programs; must make at least %d, or the test shows little", n, programs, n/4)
	}
}

// lowerAll lowers the kernels of a module that has no findings, and returns how many became programs. An invalid program is an error.
func lowerAll(t *testing.T, m *ptx.Module) (programs int) {
	image, err := NewImage(m)
	if err != nil {
		return 0
	}
	for _, f := range m.Entries() {
		_, err := Lower(m, image, f.Name, Options{Block: [3]uint32{32, 1, 1}, Sanitize: ir.SanitizeAll, Counters: &Counters{}})
		if err == nil {
			programs++
		}
		if form := (*ir.VerifyError)(nil); errors.As(err, &form) {
			t.Errorf("the program of %s: %v\n%s", f.Name, err, m)
		}
		p, err := Lower(m, image, f.Name, Options{Block: [3]uint32{32, 1, 1}})
		if err != nil {
			continue
		}
		if pass.Run(p); p.Verify() != nil {
			t.Errorf("the program of %s after the passes: %v\n%s", f.Name, p.Verify(), m)
		}
	}
	return programs
}

// warpLines are instructions of warps and blocks, atomics, and calls.
var warpLines = []string{
	"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {x0, x1, x2, x3, x4, x5, x6, x7}, [%in], 16;", "wmma.store.d.sync.aligned.col.m16n16k16.s32 [%out], {x0, x1, x2, x3, x4, x5, x6, x7};",
	"wmma.mma.sync.aligned.row.col.m32n8k16.s32.s8.s8.s32.satfinite {x0, x1, x2, x3, x4, x5, x6, x7}, {x0, x1, x2, x3}, {x4}, {x0, x1, x2, x3, x4, x5, x6, x7};",
	"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {x0, x1, x2, x3}, {x4, x5, x6, x7}, {x8, x9}, {x0, x1, x2, x3};", "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {x0, x1}, {x4}, {x8}, {x0, x1};",
	"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {x0, x1, x2, x3}, {x4, x5, x6, x7}, {x8, x9, x10, x11}, {x0, x1, x2, x3}, x12, 1;",
	"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {x0, x1, x2, x3}, [x4];", "shfl.sync.bfly.b32 x0|p1, x1, 3, 31, -1;", "vote.sync.ballot.b32 x0, p1, -1;", "match.all.sync.b32 x0|p2, x1, -1;", "redux.sync.add.s32 x0, x1, x2;",
	"bar.red.popc.u32 x0, 1, p1;", "barrier.sync 0, 32;", "bar.warp.sync x1;", "atom.global.cas.b32 x0, [%out], x1, x2;", "red.shared.add.f32 [x0+4], x1;", "atom.add.noftz.f16x2 x0, [%out+8], x1;",
	".shared .b32 s[8]; cvta.shared.u64 d0, d1; ld.v4.b32 {x0, x1, x2, x3}, [d0+16]; isspacep.const p0, d0;", ".local .b8 l[16]; mov.u64 d0, l; st.local.u8 [d0+3], x1; ld.local.v2.u16 {x0, x1}, [l+4];",
	"lop3.and.b32 x0|p1, x1, x2, x3, 0x1f, p2;", "cvt.pack.sat.u8.s32.b32 x0, x1, x2, x3;", "{ .param .b64 a; .param .b32 r; st.param.b64 [a], d0; call.uni (r), vprintf, (a, a); ld.param.b32 x0, [r]; }",
	".shared .b64 m; mbarrier.init.shared.b64 [m], 3; mbarrier.arrive.shared.b64 d0, [m]; mbarrier.try_wait.parity.shared.b64 p1, [m], 0; mbarrier.pending_count.b64 x0, d0;",
	".shared .b64 m[2]; st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [m+8], {x0, x1}, [m]; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [m+8], x0, [m];",
	"bar.arrive 1, 32; bar.red.and.pred p1, 2, x1, p2; barrier.sync x1, x2; mbarrier.arrive.expect_tx.release.cta.shared::cluster.b64 _, [x0], x1;",
	"L: @p1 bra L; brx.idx x0, T; T: .branchtargets L;", "vmad.s32.s32.s32.sat.shr7 x0, x1.h0, -x2.b3, x3;", "vset4.u32.u32.lt.add x0.b20, x1.b7654, x2.b0000, x3;",
}

// imageLines are instructions on textures and surfaces, and of the heap.
var imageLines = []string{
	"tex.2d.v4.f32.f32 {x0, x1, x2, x3}, [d0, {x4, x5}];", "tex.level.a2d.v4.u32.f32 {x0, x1, x2, x3}|p1, [d0, d1, {x4, x5, x6, x7}], x8, {x1, x2}, x3;", "tex.grad.cube.v4.f32.f32 {x0, x1, x2, x3}, [d0, {x4, x5, x6, x7}], {x1, x1, x1, x1}, {x2, x2, x2, x2};",
	"tex.2dms.v4.f32.s32 {x0, x1, x2, x3}, [d0, {x4, x5, x6, x7}];", "tex.1d.v2.f16x2.s32 {x0, x1}, [d0, x4];", "tld4.g.2d.v4.s32.f32 {x0, x1, x2, x3}, [d0, {x4, x5}], {x1, x2}, x3;",
	"txq.level.width.b32 x0, [d0], x1;", "txq.addr_mode_0.b32 x0, [d0];", "suq.channel_order.b32 x0, [d0];", "istypep.surfref p0, d0;", "suld.b.3d.v2.b32.trap {x0, x1}, [d0, {x1, x2, x3, x4}];",
	"sust.b.a1d.v4.b32.clamp [d0, {x1, x2}], {x0, x1, x2, x3};", "sust.p.2d.v2.b32.zero [d0, {x1, x2}], {x0, x1};", "sured.b.add.1d.u32.zero [d0, x1], x2;", "sured.p.max.2d.b32.trap [d0, {x1, x2}], x2;",
	"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16 {x0, x1, x2, x3, x4, x5, x6, x7}, {x0, x1}, {x2, x3}, {x0, x1, x2, x3};", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {x0, x1, x2, x3}, {x4, x5, x6, x7}, {x8, x9}, {x0, x1, x2, x3};",
	"{ .param .b64 a; .param .b64 r; st.param.b64 [a], d0; call.uni (r), malloc, (a); ld.param.b64 d0, [r]; call.uni free, (a); }", ".loc 1 2 3",
}

// imageHead declares what imageLines name.
const imageHead = ".extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 p); .global .texref t = { width = 4, addr_mode_0 = wrap }; .global .samplerref s = { filter_mode = linear };\n"

// TestHostileRows lowers small kernels, one of each instruction, with changes of single words and characters, and cut off anywhere. A
// number in CHIARO_LONG is that of the inputs.
func TestHostileRows(t *testing.T) {
	n := 2000
	if v, err := strconv.Atoi(os.Getenv("CHIARO_LONG")); err == nil && v > 1 {
		n = v
	}
	seed := uint64(n)
	r := rand.New(rand.NewPCG(seed, 5))
	var sources [][]string
	for i := range instructionRows {
		sources = append(sources, strings.Fields(rowsHead+rowText(i, &instructionRows[i])+"ret;\n}\n"))
	}
	for _, line := range warpLines {
		sources = append(sources, strings.Fields(rowsHead+".reg .b32 x<16>; .reg .b64 d<4>; .reg .pred p<4>;\n"+line+"\nret;\n}\n"))
	}
	version, rest, _ := strings.Cut(rowsHead, ".visible")
	for _, line := range imageLines {
		source := version + imageHead + ".visible" + rest + ".reg .b32 x<16>; .reg .b64 d<4>; .reg .pred p<4>;\nmov.u64 d0, t;\n" + line + "\nret;\n}\n"
		if m := parse(t, source); len(ptx.Check(m)) > 0 || lowerAll(t, m) != 1 {
			t.Errorf("%s was not lowered without changes", line)
		}
		sources = append(sources, strings.Fields(source))
	}
	lowered := 0
	for range n {
		text := mutated(r, sources)
		m, findings := ptx.Parse(text)
		if len(findings) > 0 || len(ptx.Check(m)) > 0 {
			continue
		}
		lowered += lowerAll(t, m)
	}
	if lowered < n/20 {
		t.Errorf("%d kernels were lowered of %d inputs; must be at least %d, or the test shows little", lowered, n, n/20)
	}
}

// mutated returns one of the sources with one to three changes.
func mutated(r *rand.Rand, sources [][]string) string {
	word := func() string {
		s := sources[r.IntN(len(sources))]
		return s[r.IntN(len(s))]
	}
	words := append([]string(nil), sources[r.IntN(len(sources))]...)
	head := len(strings.Fields(rowsHead)) * min(r.IntN(8), 1) // most changes are in the row itself
	for range 1 + r.IntN(3) {
		at := min(head, len(words)-1)
		at += r.IntN(len(words) - at)
		switch r.IntN(8) {
		case 0:
			words = append(words[:at], words[min(at+1+r.IntN(3), len(words)-1):]...)
		case 1:
			words = append(words[:at:at], append([]string{word()}, words[at:]...)...)
		case 2, 3: // a word of the same kind: an instruction, a name, a type
			with := word()
			for try := 0; try < 8 && shape(with) != shape(words[at]); try++ {
				with = word()
			}
			words[at] = with
		case 4:
			a, b := r.IntN(len(words)), r.IntN(len(words))
			words[a], words[b] = words[b], words[a]
		case 5: // a modifier
			if mods := strings.Split(word(), "."); len(mods) > 1 {
				words[at] = strings.TrimRight(words[at], ";") + "." + mods[len(mods)-1]
			}
		case 6:
			if b := []byte(words[at]); len(b) > 0 {
				b[r.IntN(len(b))] = byte(r.IntN(256))
				words[at] = string(b)
			}
		case 7:
			words[at] = []string{"-1", "0", "4294967296", "18446744073709551615", "0f7fc00000", "_", "{%v,", "%v}", "[%v", "%tid.x", "a|b", "!x0"}[r.IntN(12)]
		}
	}
	text := strings.Join(words, " ")
	if r.IntN(16) == 0 {
		text = text[:r.IntN(len(text)+1)]
	}
	return text
}

// shape returns what kind of a word a word is: its ends.
func shape(word string) [2]byte {
	first := word[0]
	if first >= 'a' && first <= 'w' {
		first = 'a'
	}
	return [2]byte{first, word[len(word)-1]}
}
