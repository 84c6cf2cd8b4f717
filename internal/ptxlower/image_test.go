package ptxlower

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// TestDeclarations declares a variable beside its definition: the memory has the definition's size and values.
func TestDeclarations(t *testing.T) {
	m := parse(t, `.version 7.0
.target sm_70
.address_size 64
.extern .global .b32 a[];
.visible .global .b32 a[4] = {1, 2, 3, 4};
.weak .global .b32 b;
.weak .global .b32 b = 7;
.global .u64 p[2] = {a+8, generic(b)};
.entry k() { ret; }
`)
	image, err := NewImage(m)
	if err != nil {
		t.Fatal(err)
	}
	const base = 1 << 32
	bytes := image.Place(base)
	at := image.offsets["a"]
	for i := range uint64(4) {
		if got := word(bytes[at+4*i:]); got != uint32(i+1) {
			t.Errorf("a[%d] is %d; must be %d", i, got, i+1)
		}
	}
	if got := word(bytes[image.offsets["b"]:]); got != 7 {
		t.Errorf("b is %d; must be 7", got)
	}
	p := image.offsets["p"]
	for i, want := range []uint64{base + at + 8, base + image.offsets["b"]} {
		if got := binary.LittleEndian.Uint64(bytes[p+8*uint64(i):]); got != want {
			t.Errorf("p[%d] is %#x; must be %#x", i, got, want)
		}
	}
}

// TestAddressOfMissing checks the position of an initial value that no memory has.
func TestAddressOfMissing(t *testing.T) {
	m := parse(t, ".version 7.0\n.target sm_70\n.address_size 64\n.shared .u64 f;\n.global .u64 p = f;\n")
	if _, err := NewImage(m); err == nil || err.Error() != "5:18: the address of f as an initial value is not supported" {
		t.Error(err)
	}
}

// TestMissingFunction calls the functions of a table, as of the virtual functions of a class, one of which has no body. The launch fails
// if a thread calls that one.
func TestMissingFunction(t *testing.T) {
	m := parse(t, `.version 7.0
.target sm_70
.address_size 64
.extern .func pure();
.func (.param .b32 r) seven()
{
	.reg .b32 %v;
	mov.u32 %v, 7;
	st.param.b32 [r], %v;
	ret;
}
.global .align 8 .u64 table[2] = {seven, pure};
.entry k(.param .u64 o, .param .u32 n)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd0, [o];
	ld.param.u32 %r0, [n];
	mov.u64 %rd1, table;
	mad.wide.u32 %rd1, %r0, 8, %rd1;
	ld.global.u64 %rd2, [%rd1];
	{ .param .b32 r; call (r), %rd2, (), P; ld.param.b32 %r1, [r]; }
P:	.callprototype (.param .b32 _) _ ();
	st.global.u32 [%rd0], %r1;
	ret;
}
`)
	for _, e := range engines {
		for n := range 2 {
			out := make([]byte, 4)
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}, args: []any{out, n}}
			if err := l.run(m, e.engine, e.optimize); (err != nil) != (n == 1) || n == 0 && word(out) != 7 {
				t.Errorf("function %d on the %s yields %d, %v; must be 7, and an error of the one without a body", n, e.name, word(out), err)
			}
		}
	}
}

// TestLargeModules lowers modules with many copies of one form, in time that grows with their size.
func TestLargeModules(t *testing.T) {
	const n = 20000
	var chain, shared, mentions strings.Builder
	for i := range n { // each register points where the next one does
		fmt.Fprintf(&chain, "mov.u64 %%rd%d, %%rd%d;\n", i, i+1)
		fmt.Fprintf(&shared, ".shared .b8 s%d[1];\n", i)
		fmt.Fprintf(&mentions, "mov.u32 %%r0, s%d;\n", i)
	}
	const head = ".version 7.0\n.target sm_70\n.address_size 64\n"
	for name, text := range map[string]string{
		"chain":  fmt.Sprintf(".entry k(.param .u64 p) {\n.reg .b64 %%rd<%d>;\nL:\n%sld.param.u64 %%rd%d, [p];\nst.global.u64 [%%rd0], 1;\nbra L;\n}", n+1, &chain, n),
		"shared": shared.String() + ".entry k() {\n.reg .b32 %r0;\n" + mentions.String() + "ret;\n}",
	} {
		m := parse(t, head+text)
		image, err := NewImage(m)
		if err == nil {
			_, err = Lower(m, image, "k", Options{Block: [3]uint32{1, 1, 1}})
		}
		if err != nil {
			t.Error(name, err)
		}
	}
}
