package ptxlower

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// reaches reports whether a path leads from a node to another one that is not through the node avoid.
func reaches(blocks []block, from, to, avoid int) bool {
	seen := make([]bool, len(blocks))
	work := []int{from}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if v == avoid || seen[v] {
			continue
		}
		if seen[v] = true; v == to {
			return true
		}
		work = append(work, blocks[v].succs...)
	}
	return false
}

// TestFlow compares dominators and loops of random graphs with their definitions: x dominates y if no path to y avoids it; the loop of h has
// the nodes that reach, without h, one with an edge to h that h dominates; of two loops with a node the smaller one is the inner one.
func TestFlow(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	reducibles := 0
	for range 3000 {
		n := 2 + r.IntN(9)
		blocks := make([]block, n)
		for i := range blocks {
			for range r.IntN(3) {
				blocks[i].succs = append(blocks[i].succs, r.IntN(n))
			}
		}
		dominates := func(x, y int) bool { return x == y || !reaches(blocks, 0, y, x) }
		loops := map[int]map[int]bool{}
		want := true
		for h := range n {
			for p := range n {
				for _, s := range blocks[p].succs {
					if s != h || !reaches(blocks, 0, p, -1) || !dominates(h, p) {
						continue
					}
					if loops[h] == nil {
						loops[h] = map[int]bool{h: true}
					}
					for v := range n {
						if reaches(blocks, 0, v, -1) && reaches(blocks, v, p, h) {
							loops[h][v] = true
						}
					}
				}
			}
		}
		for v := range n { // without the edges back to dominators a reducible graph has no cycle
			rest := make([]block, n)
			for p := range n {
				for _, s := range blocks[p].succs {
					if !dominates(s, p) {
						rest[p].succs = append(rest[p].succs, s)
					}
				}
			}
			for _, s := range rest[v].succs {
				want = want && (!reaches(blocks, 0, v, -1) || !reaches(rest, s, v, -1))
			}
		}
		if got := reducible(blocks); got != want {
			t.Fatalf("%v is reducible: %v; must be %v", blocks, got, want)
		}
		if !want {
			continue
		}
		reducibles++
		a := newFlow(blocks, -1)
		for y := range n {
			if !reaches(blocks, 0, y, -1) {
				continue
			}
			header := -1
			for h, body := range loops {
				if body[y] && (header < 0 || len(body) < len(loops[header])) {
					header = h
				}
			}
			if a.header[y] != header {
				t.Fatalf("%v: %d is in the loop of %d; must be in that of %d", blocks, y, a.header[y], header)
			}
			for x := range n {
				if !reaches(blocks, 0, x, -1) {
					continue
				}
				if got := a.dominates(x, y); got != dominates(x, y) {
					t.Fatalf("%v: %d dominates %d: %v", blocks, x, y, got)
				}
				if got, want := a.contains(x, y), loops[x][y]; loops[x] != nil && got != want {
					t.Fatalf("%v: the loop of %d has %d: %v; must be %v", blocks, x, y, got, want)
				}
			}
		}
	}
	if reducibles < 1000 {
		t.Errorf("%d reducible graphs; must be 1000 at least", reducibles)
	}
}

// TestDeepNests lowers nests of loops, some of which wait for other threads, and many branches to one block: no stage may look at every loop
// around an instruction, or compare all edges with each other.
func TestDeepNests(t *testing.T) {
	const n = 2000
	nest := func(inner string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "L%d: add.u32 %%r3, %%r3, %d;\n", i, i)
		}
		b.WriteString(inner)
		for i := n - 1; i >= 0; i-- {
			fmt.Fprintf(&b, "add.u32 %%r1, %%r1, 1; setp.lt.u32 %%p1, %%r1, %d; @%%p1 bra L%d;\n", i, i)
		}
		return b.String()
	}
	for name, body := range map[string]string{
		"loops":      nest(""),
		"spin loops": nest("W: ld.volatile.global.u32 %r2, [%rd0]; setp.eq.u32 %p1, %r2, 0; @%p1 bra W;\n"),
		"exits":      strings.Repeat("add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 7; @%p1 bra E;\n", n) + "E:",
	} {
		m := shortModule(t, "sm_60", body)
		image, err := NewImage(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Lower(m, image, "k", Options{Block: [3]uint32{64, 1, 1}, Base: 1 << 20}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
