package ptxlower

import (
	"strings"
	"testing"
)

// pointerHead has functions in a table, and one that calls what a pointer names.
const pointerHead = `.version 7.0
.target sm_70
.address_size 64
.func (.param .b32 r) twice(.param .b32 x)
{
.reg .b32 %r<2>;
ld.param.u32 %r0, [x];
add.u32 %r0, %r0, %r0;
st.param.b32 [r], %r0;
ret;
}
.func (.param .b32 r) other(.param .b64 x)
{
st.param.b32 [r], 99;
ret;
}
.func (.param .b32 r) through(.param .b32 x);
.global .u64 table[3] = {twice, other, through};
.func (.param .b32 r) through(.param .b32 x)
{
.reg .b32 %r<2>;
.reg .b64 %rd<2>;
ld.param.u32 %r0, [x];
add.u32 %r0, %r0, 1;
AT_THROUGH
{
.param .b32 a;
.param .b32 b;
st.param.b32 [a], %r0;
form: .callprototype (.param .b32 _) _ (.param .b32 _);
call (b), %rd0, (a), form;
ld.param.b32 %r1, [b];
}
st.param.b32 [r], %r1;
ret;
}
.entry k(.param .u64 out, .param .u32 which)
{
.reg .b32 %r<3>;
.reg .b64 %rd<4>;
ld.param.u64 %rd3, [out];
ld.param.u32 %r0, [which];
mul.wide.u32 %rd0, %r0, 8;
mov.u64 %rd1, table;
add.u64 %rd1, %rd1, %rd0;
ld.global.u64 %rd2, [%rd1];
{
.param .b32 a;
.param .b32 b;
st.param.b32 [a], 20;
form: .callprototype (.param .b32 _) _ (.param .b32 _);
call (b), %rd2, (a), form;
ld.param.b32 %r1, [b];
}
st.global.u32 [%rd3], %r1;
ret;
}
`

// TestFunctionTable calls functions by the pointers that a variable is initialized with, as virtual functions are called: one of them
// calls another one through a pointer. A pointer to a function of another form ends the launch, and so does one that recurs.
func TestFunctionTable(t *testing.T) {
	first := strings.Replace(pointerHead, "AT_THROUGH", "ld.global.u64 %rd0, [table];", 1)
	itself := strings.Replace(pointerHead, "AT_THROUGH", "ld.global.u64 %rd0, [table+16];", 1)
	for _, x := range []struct {
		text  string
		which int
		want  uint32
		fault string
	}{
		{first, 0, 40, ""},
		{first, 2, 42, ""},
		{first, 1, 0, "a call through a pointer"},
		{itself, 2, 0, "a call through a pointer"},
	} {
		for _, e := range engines {
			out := make([]byte, 4)
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}, args: []any{out, x.which}}
			err := l.run(parse(t, x.text), e.engine, e.optimize)
			switch {
			case x.fault == "" && err != nil, x.fault != "" && (err == nil || !strings.Contains(err.Error(), x.fault)):
				t.Errorf("function %d on the %s: %v; must be %q", x.which, e.name, err, x.fault)
			case x.fault == "" && word(out) != x.want:
				t.Errorf("function %d on the %s is %d; must be %d", x.which, e.name, word(out), x.want)
			}
		}
	}
}

// TestReturnedPointer: a generic address that a function returns to the kernel points to any space, here to local and to shared memory.
func TestReturnedPointer(t *testing.T) {
	m := parse(t, `.version 7.0
.target sm_70
.address_size 64
.func (.param .b64 r) next(.param .b64 x)
{
.reg .b64 %rd<2>;
ld.param.u64 %rd0, [x];
add.u64 %rd0, %rd0, 4;
st.param.b64 [r], %rd0;
ret;
}
.entry k(.param .u64 out)
{
.reg .b32 %r<4>;
.reg .b64 %rd<8>;
.local .align 8 .b8 own[16];
.shared .align 8 .b8 all[16];
ld.param.u64 %rd0, [out];
st.local.u32 [own+4], 77;
st.shared.u32 [all+4], 88;
mov.u64 %rd1, own;
cvta.local.u64 %rd1, %rd1;
mov.u64 %rd2, all;
cvta.shared.u64 %rd2, %rd2;
{
.param .b64 a;
.param .b64 b;
st.param.b64 [a], %rd1;
call (b), next, (a);
ld.param.b64 %rd3, [b+0];
}
{
.param .b64 a;
.param .b64 b;
st.param.b64 [a], %rd2;
call (b), next, (a);
ld.param.b64 %rd4, [b];
}
ld.u32 %r1, [%rd3];
ld.u32 %r2, [%rd4];
st.global.v2.u32 [%rd0], {%r1, %r2};
ret;
}
`)
	for _, e := range engines {
		out := make([]byte, 8)
		l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}, args: []any{out}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(err)
		}
		if got := [2]uint32{word(out), word(out[4:])}; got != [2]uint32{77, 88} {
			t.Errorf("the %s loads %d; must load 77 and 88", e.name, got)
		}
	}
}
