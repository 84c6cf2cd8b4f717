package ptxlower

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestSystemWords checks that the words of barriers after the shared memory of a kernel are no memory of it: accesses beyond its variables
// and its dynamic memory read 0 and change no barrier, and the sizes are without them.
func TestSystemWords(t *testing.T) {
	const body = `
.shared .align 4 .b32 v[3];
ld.param.u64 %out, [o];
mov.u32 %t, %tid.x;
mul.wide.u32 %at, %t, 16;
add.u64 %out, %out, %at;
setp.eq.u32 %p0, %t, 0;
@%p0 st.shared.u32 [v+8], 7;
WAITS
bar.sync 0;
// from the end of 12 + 20 bytes on: every word that follows
mov.u32 %r0, 32;
mov.u32 %r1, 0;
L: st.shared.u32 [%r0], -1;
ld.shared.u32 %r2, [%r0];
or.b32 %r1, %r1, %r2;
cvt.u64.u32 %at, %r0;
cvta.shared.u64 %at, %at;
ld.u32 %r2, [%at];
or.b32 %r1, %r1, %r2;
atom.shared.add.u32 %r2, [%r0], 1;
or.b32 %r1, %r1, %r2;
add.u32 %r0, %r0, 4;
setp.lt.u32 %p1, %r0, 512;
@%p1 bra L;
bar.red.popc.u32 %r2, 0, %p0;
WAITS
ld.shared.u32 %r3, [v+8];
shl.b32 %r3, %r3, 8;
add.u32 %r2, %r2, %r3;
mov.u32 %r3, %total_smem_size;
mov.u32 %r4, %dynamic_smem_size;
st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};
`
	for name, waits := range map[string]string{
		"a reduction":              "",
		"barriers of some threads": "setp.lt.u32 %p2, %t, 32;\n@%p2 barrier.sync 1, 32;\n",
		"a spin loop":              "W?: ld.volatile.shared.u32 %r5, [v+8];\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra W?;\n",
	} {
		text := strings.Replace(strings.Replace(body, "WAITS", strings.ReplaceAll(waits, "?", "1"), 1), "WAITS", strings.ReplaceAll(waits, "?", "2"), 1)
		head, _, _ := strings.Cut(waitHead, ".shared")
		m := parse(t, head+text+"\n}\n")
		for _, e := range everyEngine() {
			for _, s := range []ir.Sanitizers{0, ir.SanitizeUninit, ir.SanitizeBounds} {
				out := make([]byte, 16*64)
				l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{64, 1, 1}, shared: 20, args: []any{out}, sanitize: s, budget: 1 << 20}
				if err := l.run(m, e.engine, e.optimize); err != nil {
					t.Fatalf("%s on the %s: %v", name, e.name, err)
				}
				if beyond := s == ir.SanitizeBounds; beyond != (len(l.reports) > 0) {
					t.Errorf("%s on the %s: %d reports; must have some: %v", name, e.name, len(l.reports), beyond)
				}
				for i := range 64 {
					if got := [4]uint32{word(out[16*i:]), word(out[16*i+4:]), word(out[16*i+8:]), word(out[16*i+12:])}; got != [4]uint32{0, 7<<8 + 1, 32, 20} {
						t.Fatalf("%s on the %s: thread %d has %v; must be 0, %d, 32, 20", name, e.name, i, got, 7<<8+1)
					}
				}
			}
		}
	}
}
