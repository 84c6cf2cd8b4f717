package ptxlower

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// machineKernel is a random graph of blocks: block i does x = x·a + b, counts a step, and branches by a bit of x to one of two blocks. It
// ends after so many steps.
type machineKernel struct{ a, b, yes, no []int }

const machineSteps = 40

func newMachine(r *rand.Rand, n int) *machineKernel {
	m := &machineKernel{}
	for range n {
		m.a, m.b = append(m.a, 2*r.IntN(50)+1), append(m.b, r.IntN(1000))
		m.yes, m.no = append(m.yes, r.IntN(n)), append(m.no, r.IntN(n))
	}
	return m
}

// text returns the kernel as PTX.
func (m *machineKernel) text() string {
	var b strings.Builder
	b.WriteString(".version 7.0\n.target sm_70\n.address_size 64\n.entry walk(.param .u64 o, .param .u64 i)\n{\n.reg .pred p, q; .reg .u32 x, n, t; .reg .u64 in, out, at;\n" +
		"ld.param.u64 out, [o]; ld.param.u64 in, [i]; mov.u32 t, %tid.x; mul.wide.u32 at, t, 4; add.u64 in, in, at; add.u64 out, out, at;\nld.global.u32 x, [in]; mov.u32 n, 0;\n")
	for i := range m.a {
		fmt.Fprintf(&b, "B%d: mad.lo.u32 x, x, %d, %d; add.u32 n, n, 1; setp.gt.u32 q, n, %d; @q bra DONE;\nand.b32 t, x, 0x10000; setp.ne.u32 p, t, 0; @p bra B%d; bra B%d;\n", i, m.a[i], m.b[i], machineSteps, m.yes[i], m.no[i])
	}
	b.WriteString("DONE: st.global.u32 [out], x; ret;\n}\n")
	return b.String()
}

// walk computes what the kernel does.
func (m *machineKernel) walk(x uint32) uint32 {
	at := 0
	for n := 1; ; n++ {
		x = x*uint32(m.a[at]) + uint32(m.b[at])
		if n > machineSteps {
			return x
		}
		if x&0x10000 != 0 {
			at = m.yes[at]
		} else {
			at = m.no[at]
		}
	}
}

// TestControlFlow runs random graphs of blocks, most of them irreducible: each thread takes its own path.
func TestControlFlow(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 60 {
		k := newMachine(r, 2+r.IntN(9))
		m := parse(t, k.text())
		in := (&program{}).inputs()[:32]
		for _, e := range engines {
			out := make([]byte, 4*32)
			l := launch{kernel: "walk", grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}, args: []any{out, words(in...)}}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Fatal(err, k.text())
			}
			for i, x := range in {
				if got, want := binary.LittleEndian.Uint32(out[4*i:]), k.walk(x); got != want {
					t.Fatalf("thread %d on the %s: %#x; must be %#x of\n%s", i, e.name, got, want, k.text())
				}
			}
		}
	}
}

// TestReconvergence checks that the threads that diverge at a branch are together again after it, and after a loop that each leaves at
// another time.
func TestReconvergence(t *testing.T) {
	m := parse(t, `.version 7.0
.target sm_70
.address_size 64
.entry meet(.param .u64 o)
{
	.reg .pred p; .reg .u32 t, n, a, b; .reg .u64 out, at;
	ld.param.u64 out, [o]; mov.u32 t, %tid.x; mul.wide.u32 at, t, 8; add.u64 out, out, at;
	and.b32 n, t, 3; setp.eq.u32 p, n, 0;
	@p bra ELSE;
	mov.u32 n, 5; bra JOIN;
ELSE:
	mov.u32 n, 9;
JOIN:
	activemask.b32 a;
LOOP:
	sub.u32 n, n, 1; setp.gt.u32 p, n, t; @p bra LOOP;
	activemask.b32 b;
	st.global.v2.u32 [out], {a, b};
	ret;
}
`)
	for _, e := range engines {
		out := make([]byte, 8*32)
		l := launch{kernel: "meet", grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}, args: []any{out}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(err)
		}
		for i := range 64 {
			if got := word(out[4*i:]); got != allLanes {
				t.Errorf("thread %d on the %s meets %#x; must be all", i/2, e.name, got)
			}
		}
	}
}

// TestManyBranches runs a sequence of more forward branches than regions may be nested: thread 0 takes them all, thread 1 none.
func TestManyBranches(t *testing.T) {
	const n = maxNesting + 100
	var body strings.Builder
	for i := range n {
		fmt.Fprintf(&body, "@%%p bra L%d;\nadd.u32 %%r1, %%r1, 1;\nL%d:\n", i, i)
	}
	m := parse(t, `.version 7.0
.target sm_70
.address_size 64
.entry k(.param .u64 o)
{
.reg .pred %p;
.reg .b32 %r<2>;
.reg .b64 %rd<3>;
ld.param.u64 %rd1, [o];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd2, %r0, 4;
add.u64 %rd1, %rd1, %rd2;
setp.eq.u32 %p, %r0, 0;
mov.u32 %r1, 0;
`+body.String()+`st.global.u32 [%rd1], %r1;
ret;
}
`)
	for _, e := range engines {
		out := make([]byte, 8)
		l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{2, 1, 1}, args: []any{out}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(e.name, err)
		}
		if a, b := word(out), word(out[4:]); a != 0 || b != n {
			t.Errorf("the threads count %d and %d on the %s; must count 0 and %d", a, b, e.name, n)
		}
	}
}

// TestManyEnds runs a sequence of more branches to one label than regions may be nested: they are in one region. Thread 0 takes the first one.
func TestManyEnds(t *testing.T) {
	const n = maxNesting + 100
	var body strings.Builder
	for range n {
		body.WriteString("@%p bra E;\nadd.u32 %r1, %r1, 1;\n")
	}
	m := parse(t, `.version 7.0
.target sm_70
.address_size 64
.entry k(.param .u64 o)
{
.reg .pred %p;
.reg .b32 %r<2>;
.reg .b64 %rd<3>;
ld.param.u64 %rd1, [o];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd2, %r0, 4;
add.u64 %rd1, %rd1, %rd2;
setp.eq.u32 %p, %r0, 0;
mov.u32 %r1, 0;
`+body.String()+`E: st.global.u32 [%rd1], %r1;
ret;
}
`)
	for _, e := range engines {
		out := make([]byte, 8)
		l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{2, 1, 1}, args: []any{out}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(e.name, err)
		}
		if a, b := word(out), word(out[4:]); a != 0 || b != n {
			t.Errorf("the threads count %d and %d on the %s; must count 0 and %d", a, b, e.name, n)
		}
	}
}

// nestedCycles returns a kernel of n cycles, each in the one before and with two entries.
func nestedCycles(n int) string {
	var b strings.Builder
	b.WriteString(".version 7.0\n.target sm_70\n.address_size 64\n.entry k()\n{\n.reg .pred %p; .reg .b32 %r;\nmov.u32 %r, %tid.x; setp.gt.u32 %p, %r, 99;\n")
	for i := range n {
		fmt.Fprintf(&b, "X%d: @%%p bra Y%d;\n", i, min(i+1, n-1))
	}
	for i := n - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "Y%d: @%%p bra X%d;\n", i, i)
	}
	b.WriteString("ret;\n}\n")
	return b.String()
}

// TestNestedCycles lowers irreducible cycles in each other up to the limit, which the error names.
func TestNestedCycles(t *testing.T) {
	for _, x := range []struct {
		n     int
		error string
	}{{100, ""}, {maxCycles + 10, "irreducible control flow with cycles that are nested deeper than 1024 levels"}} {
		m := parse(t, nestedCycles(x.n))
		image, err := NewImage(m)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Lower(m, image, "k", Options{Block: [3]uint32{32, 1, 1}})
		if x.error == "" && err != nil || x.error != "" && (err == nil || !strings.Contains(err.Error(), x.error)) {
			t.Errorf("%d cycles: %v; must be %q", x.n, err, x.error)
		}
	}
}
