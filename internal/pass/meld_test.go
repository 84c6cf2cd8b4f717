package pass

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
)

// TestMeldRandom melds the arms of random programs, which must compute the same bytes. Many must become one.
func TestMeldRandom(t *testing.T) {
	from, n := irgen.Seeds(t, 400, 100)
	melds := 0
	for seed := from; seed < n; seed++ {
		p := irgen.Arms(seed)
		if err := p.Verify(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		before := p.String()
		want, ran := outcome(t, p), seen{}
		ran.again(p)
		ops := len(p.Funcs[0].Code)
		meld(p)
		p.StateEffects()
		if len(p.Funcs[0].Code) < ops*3/4 {
			melds++
		}
		agree(t, seed, func() string { return fmt.Sprintf("meld on\n%s\nyields", before) }, p, want, ran)
		Run(p)
		agree(t, seed, func() string { return "all after meld" }, p, want, ran)
		q := irgen.Arms(seed)
		Run(q)
		agree(t, seed, func() string { return "all" }, q, want, ran)
	}
	t.Logf("%d of %d programs have a quarter less code", melds, n-from)
	if melds < int(n-from)/4 {
		t.Errorf("%d of %d programs have a quarter less code; must be a quarter of them", melds, n-from)
	}
}

// TestMeldRules melds two arms of 24 operations each with different constants, and leaves arms that must not become one.
func TestMeldRules(t *testing.T) {
	const chain = 24
	arm := func(from int, first string, c string) string {
		s, last := "", first
		for i := range chain {
			v := fmt.Sprintf("v%d", from+i)
			s += fmt.Sprintf("%s = mul.i32 %s, %s:i32\n", v, last, c)
			last = v
		}
		return s
	}
	program := func(a, between, b string) string {
		return head + "v1 = res 0:i32, #0\nv2 = in.i32 #0\nv3 = eq.i32 v2, 3:i32\nblock L2(v4 i32) {\nif v3 {\n" + a + "br L2(v33)\n}\n" +
			between + b + "br L2(v63)\n}\nst.i32 v1, 0:i32, v4, #0\n}\n"
	}
	load := func(v int, h, off string) string { return fmt.Sprintf("v%d = ld.i32 %s, %s, #0\n", v, h, off) }
	for _, c := range []struct {
		name, text string
		melds      bool
	}{
		{"constants", program(arm(10, "v2", "3"), "", arm(40, "v2", "5")), true},
		{"loads", program(load(9, "v1", "8:i32")+arm(10, "v9", "3"), "", load(39, "v1", "8:i32")+arm(40, "v39", "5")), true},
		{"store between", program(load(9, "v1", "8:i32")+arm(10, "v9", "3"), "st.i32 v1, 8:i32, 1:i32, #0\n", load(39, "v1", "8:i32")+arm(40, "v39", "5")), false},
		{"other address", program(load(9, "v1", "8:i32")+arm(10, "v9", "3"), "", load(39, "v1", "4:i32")+arm(40, "v39", "5")), false},
		{"lanes meet", program("v9 = reduce.i32 v2, add, #0\n"+arm(10, "v9", "3"), "", "v39 = reduce.i32 v2, add, #0\n"+arm(40, "v39", "5")), false},
		{"short", strings.ReplaceAll(program(arm(10, "v2", "3"), "", arm(40, "v2", "5")), "v10 = mul.i32 v2, 3:i32\nv11 = mul.i32 v10,", "v11 = mul.i32 v2,"), false},
	} {
		p, err := ir.Parse(c.text)
		if err == nil {
			err = p.Verify()
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		meld(p)
		if err := p.Verify(); err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, p)
		}
		if n := strings.Count(p.String(), "mul.i32"); (n == chain) != c.melds {
			t.Errorf("%s: %d multiplications; melds must be %v\n%s", c.name, n, c.melds, p)
		}
	}
}

// TestMeldFar melds pairs of equal arms of one switch, half of the cases apart: the ranges of all pairs overlap, so that a round
// melds one pair. A store between the arms of each pair leaves all.
func TestMeldFar(t *testing.T) {
	for _, store := range []bool{false, true} {
		p := farArms(2000, store)
		if err := p.Verify(); err != nil {
			t.Fatal(err)
		}
		want := len(p.Funcs[0].Code)
		if !store {
			want -= maxMeldRounds * farArm
		}
		meld(p)
		if err := p.Verify(); err != nil {
			t.Fatal(err)
		}
		// A melded pair needs two more branches, and a block and its end.
		if n := len(p.Funcs[0].Code); n < want || n > want+4*maxMeldRounds {
			t.Errorf("store %v: %d operations are left; must be about %d", store, n, want)
		}
	}
}

// farArm is the number of operations of an arm of farArms besides its load.
const farArm = 26

// farArms makes a switch with n cases. The first half does the same as the second; each arm of a half is different.
func farArms(n int, store bool) *ir.Program {
	p := &ir.Program{
		Name: "far", SubgroupSize: 16, LocalSize: [3]uint32{16, 1, 1},
		In:  []ir.Input{{Semantic: ir.LocalInvocationIndex, Type: ir.I32}},
		Res: []ir.Resource{{Kind: ir.StorageBuffer, Count: 1}, {Kind: ir.StorageBuffer, Binding: 1, Count: 1}},
	}
	b := ir.NewFunc("main", nil, nil)
	lane := b.OpAux(ir.In, ir.I32, 0)
	put := func(v ir.V) {
		b.OpAux(ir.St, ir.I32, 0, b.OpAux(ir.Res, ir.H, 0, b.I32(0)), b.OpAux(ir.At, ir.I32, 4, b.I32(0), lane), v)
	}
	end := b.Block(ir.I32)
	var labels []ir.V
	for range n {
		labels = append(labels, b.Block())
	}
	var list []ir.Case
	for i, l := range labels {
		list = append(list, ir.Case{Value: uint64(i), Label: l})
	}
	b.Switch(lane, labels[0], list)
	for i := range n {
		b.End()
		if store && i == n/2 {
			b.If(b.Cmp(ir.Eq, lane, b.I32(7)))
			put(lane)
			b.Br(end, lane)
			b.End()
		}
		x := b.OpAux(ir.Ld, ir.I32, uint64(i%(n/2)), b.OpAux(ir.Res, ir.H, 1, b.I32(0)), lane)
		for k := range farArm {
			x = b.Op(ir.Mul, ir.I32, x, b.I32(uint32(i+k)))
		}
		b.Br(end, x)
	}
	b.End()
	put(b.Param(end, 0))
	p.Funcs = []*ir.Func{b.Finish()}
	p.StateEffects()
	return p
}
