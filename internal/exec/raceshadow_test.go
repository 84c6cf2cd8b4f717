package exec

import (
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestShadowBytes checks that pages of random accesses give back all that they count for the limit, and all references to records.
func TestShadowBytes(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := &ir.Program{LocalSize: [3]uint32{32, 1, 1}, SubgroupSize: 16}
		for i := range 6 {
			e := ir.Event{Kind: ir.AccessEvent, Memory: "data", Size: 4, Domain: ir.EventBuffers, Write: r.IntN(2) == 0, Uninit: r.IntN(2) == 0}
			if e.Read = !e.Write; r.IntN(3) == 0 {
				e.Size = 1 << r.IntN(4)
			}
			if r.IntN(4) == 0 {
				e.Atomic, e.Read, e.Write = true, true, true
			}
			p.Messages = append(p.Messages, ir.Message{Kind: ir.Traced, Event: e, Site: ir.Site{Instruction: uint32(i + 1)}, Args: []ir.Type{ir.I32, ir.I32}})
		}
		l := &Log{}
		// Whole rows and single words, of three workgroups with two subgroups each: rows get cells and histories,
		// and are split.
		for range 60 {
			at := make([]uint64, 16)
			base, step := r.Uint64N(4)*64, 4*r.Uint64N(2)
			for i := range at {
				at[i] = base + step*uint64(i)
			}
			lanes := FirstLanes(16)
			if r.IntN(4) == 0 {
				lanes = Lanes{1 + r.Uint64N(65535)}
			}
			l.Event(p, [3]uint32{uint32(r.IntN(3))}, 16*uint32(r.IntN(2)), lanes, uint32(r.IntN(6)), at, make([]uint64, 16))
		}
		// Without barriers, the workgroups alone count beside the pages.
		x := l.races
		for at := range x.pages {
			x.drop(at)
		}
		if want := groupBytes * uint64(len(x.groups)); x.kept != want {
			t.Fatalf("seed %d: %d bytes after the last page is dropped; must be %d", seed, x.kept, want)
		}
		// A record with a reference would remain for the whole run, and a missing one would be used again too early.
		for i, rec := range x.records {
			if i > 0 && rec.refs != 0 {
				t.Fatalf("seed %d: %d references to a record; must be none", seed, rec.refs)
			}
		}
	}
}
