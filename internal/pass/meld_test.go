package pass

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
)

// TestMeldRandom melds the arms of random programs, which must compute the same bytes. Many must become one.
func TestMeldRandom(t *testing.T) {
	from, n := int64(0), int64(400)
	if testing.Short() {
		n = 100
	}
	if s := os.Getenv("CHIARO_SEEDS"); s != "" { // for longer runs by hand: from,to
		fmt.Sscanf(s, "%d,%d", &from, &n)
	}
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
