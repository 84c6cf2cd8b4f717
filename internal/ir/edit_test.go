package ir

import "testing"

// TestEdit moves a function's code into a new block with other code before it, and
// replaces a value that the code reads.
func TestEdit(t *testing.T) {
	p, err := Parse(`
program "edit" compute
subgroup 4
local 4 1 1
in localindex i32 0
in subgroupid i32 0
res storage 0 0 count 1
func "main"() L1 {
	v1 = in.i32 #0
	v2 = res 0:i32, #0
	v3 = ult.i32 v1, 3:i32
	if v3 {
		br L1
	}
	v4 = add.i32 v1, v1
	st.i32 v2, v4, v1, #0
}`)
	if err != nil {
		t.Fatal(err)
	}
	f := p.Funcs[0]
	b, code := Edit(f)
	b.Block()
	id := b.OpAux(In, I32, 1)
	to := map[V]V{}
	for _, v := range code {
		if f.Val(v).Op == In {
			to[v] = b.Op(Mul, I32, id, b.I32(5))
			continue
		}
		b.Keep(v)
	}
	b.End()
	f.Replace(to)
	if err := p.Verify(); err != nil {
		t.Fatal(err)
	}
	const want = `program "edit" compute
subgroup 4
local 4 1 1
in localindex i32 0
in subgroupid i32 0
res storage 0 0 count 1

func "main"() L1 {
	v2 = in.i32 #1
	block L3 {
		v4 = mul.i32 v2, 5:i32
		v5 = res 0:i32, #0
		v6 = ult.i32 v4, 3:i32
		if v6 {
			br L3
		}
		v7 = add.i32 v4, v4
		st.i32 v5, v7, v4, #0
	}
}
`
	again, err := Parse(p.String())
	if err != nil {
		t.Fatal(err)
	}
	norm, err := Parse(want)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.String(); got != norm.String() {
		t.Errorf("got\n%s\nwant\n%s", got, norm)
	}
}
