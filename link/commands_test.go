package link

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestCovers compares covers with a set of bytes.
func TestCovers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var ranges []Range
		var bytes [32]bool
		for range rnd.IntN(6) {
			r := Range{Offset: rnd.Uint32N(24), Size: rnd.Uint32N(8), Stages: Stages(1 + rnd.Uint32N(3))}
			ranges = append(ranges, r)
			for i := r.Offset; r.Stages&1 != 0 && i < r.Offset+r.Size; i++ {
				bytes[i] = true
			}
		}
		from, size := rnd.IntN(24), rnd.IntN(8)
		want := true
		for i := from; i < from+size; i++ {
			want = want && bytes[i]
		}
		if got := covers(spans(ranges, 1), uint64(from), uint64(from+size)); got != want {
			t.Fatalf("%v: bytes %d to %d: %t; must be %t", ranges, from, from+size, got, want)
		}
	}
}

// TestManyCommands checks a description with as many ranges and commands as its reader
// accepts. A check that looks at all ranges for each byte does not end here.
func TestManyCommands(t *testing.T) {
	const n = 10_000
	d := &Description{Layout: &Layout{}, Commands: &Commands{}}
	for i := range uint32(n) {
		d.Layout.Push = append(d.Layout.Push, Range{Offset: 4 * (n - 1 - i), Size: 4, Stages: AllStages})
		d.Commands.Push = append(d.Commands.Push, PushCommand{Size: 4 * n, Stages: []Stages{AllStages}})
	}
	begin := time.Now()
	l := newLinker(d)
	l.commands()
	if len(l.found) > 0 {
		t.Errorf("%v; must be no finding", l.found[0].Message)
	}
	if spent := time.Since(begin); spent > 20*time.Second {
		t.Errorf("%v; must be less", spent)
	}
}
