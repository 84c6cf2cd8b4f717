package pass

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// insertions is a program with invocations that insert values into arrays, by loops that lanes leave in different iterations. Some arms store to
// another slot or variable than the code after the loop, or have a load in between.
func insertions(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("program \"p\" compute\nsubgroup 16\nlocal 16 1 1\nin localindex i32 0\nres storage 0 0 count 1\nvar \"a\" 8 0\nvar \"b\" 8 0\n\n" +
		"func \"main\"() L1 {\n\tvr = res 0:i32, #0\n\tvi = in.i32 #0\n\tvo = at 0:i32, vi, #128\n")
	for k := range 8 {
		fmt.Fprintf(&b, "\tvx%d = mul.i32 vi, %d:i32\n\tpst.i32 %d:i32, vx%d, #%d\n", k, r.Uint32(), k, k, r.Intn(2))
	}
	rare := func(usual, other string) string {
		if r.Intn(5) == 0 {
			return other
		}
		return usual
	}
	n := 1 + r.Intn(3)
	for k := range n {
		name := func(kind string) string { return fmt.Sprint(kind, k) }
		step, slot, slotAfter := []string{"sub", "add"}[r.Intn(2)], r.Intn(2), r.Intn(2)
		fmt.Fprintf(&b, "\tvt%d = lshr.i32 vx%d, %d:i32\n", k, r.Intn(8), r.Intn(4))
		fmt.Fprintf(&b, "\tblock L%d(vp%d i32) {\n\tloop L%d(vj%d i32 = %s) {\n", 10+k, k, 20+k, k, []string{"6:i32", "3:i32", "vi", "vx1"}[r.Intn(4)])
		fmt.Fprintf(&b, "\tvin%d = ult.i32 vj%d, 8:i32\n\tve%d = pld.i32 vj%d, #0\n\tvs%d = ult.i32 vt%d, ve%d\n\tvc%d = and.b1 vin%d, vs%d\n", k, k, k, k, k, k, k, k, k, k)
		stay := fmt.Sprintf("\tva%d = add.i32 vj%d, %d:i32\n", k, k, slot)
		value := name("ve")
		if r.Intn(5) == 0 {
			stay += fmt.Sprintf("\tvl%d = pld.i32 va%d, #0\n", k, k)
			value = name("vl")
		}
		stay += fmt.Sprintf("\tpst.i32 va%d, %s, #0\n", k, value)
		leave := fmt.Sprintf("\tbr L%d(vj%d)\n", 10+k, k)
		if r.Intn(3) == 0 {
			leave = fmt.Sprintf("\tvw%d = xor.i32 vt%d, vj%d\n\tbr L%d(%s)\n", k, k, k, 10+k, rare(name("vj"), name("vw")))
		}
		switch r.Intn(3) {
		case 0:
			fmt.Fprintf(&b, "\tif vc%d {\n%s\t} else {\n%s\t}\n", k, stay, leave)
		case 1:
			fmt.Fprintf(&b, "\tif vc%d {\n\t} else {\n%s\t}\n%s", k, leave, stay)
		default:
			fmt.Fprintf(&b, "\tvn%d = not.b1 vc%d\n\tif vn%d {\n%s\t}\n%s", k, k, k, leave, stay)
		}
		fmt.Fprintf(&b, "\tvk%d = %s.i32 vj%d, 1:i32\n\tbr L%d(vk%d)\n\t}\n\t}\n", k, step, k, 20+k, k)
		fmt.Fprintf(&b, "\tvb%d = add.i32 vp%d, %d:i32\n", k, k, slotAfter*r.Intn(2)+slot*r.Intn(2))
		if r.Intn(5) == 0 {
			fmt.Fprintf(&b, "\tvm%d = pld.i32 vb%d, #0\n\tst.i32 vr, vo, vm%d, #%d\n", k, k, k, 100+4*k)
		}
		fmt.Fprintf(&b, "\tpst.i32 vb%d, %s, #%s\n\tst.i32 vr, vo, vp%d, #%d\n", k, []string{name("vt"), name("vp"), "vi"}[r.Intn(3)], rare("0", "1"), k, 64+4*k)
	}
	for k := range 8 {
		fmt.Fprintf(&b, "\tvy%d = pld.i32 %d:i32, #0\n\tst.i32 vr, vo, vy%d, #%d\n\tvz%d = pld.i32 %d:i32, #1\n\tst.i32 vr, vo, vz%d, #%d\n", k, k, k, 4*k, k, k, k, 32+4*k)
	}
	return b.String() + "}\n"
}

// TestLeaveStore: programs compute the same with hoisted stores, of which there are some.
func TestLeaveStore(t *testing.T) {
	hoisted := 0
	sameStores(t, 600, insertions, func(p *ir.Program) {
		before := strings.Count(p.String(), "pst.")
		hoistLeavingStores(p, p.Funcs[0])
		hoisted += before - strings.Count(p.String(), "pst.")
	})
	if hoisted < 100 {
		t.Errorf("%d hoisted stores", hoisted)
	}
}
