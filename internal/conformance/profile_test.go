package conformance

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/contest"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/modgen"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/profile"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// witness counts the lanes and the steps in which the interpreter executes the first operation of each instruction of the
// module.
type witness struct {
	exec.NoHook
	first map[[2]int]int // by function and value: the instruction
	lanes map[int]uint64
	steps map[int]uint64
}

func newWitness(p *ir.Program) *witness {
	w := &witness{first: map[[2]int]int{}, lanes: map[int]uint64{}, steps: map[int]uint64{}}
	for n, f := range p.Funcs {
		seen := map[int32]bool{}
		for _, v := range f.Code {
			x := f.Val(v)
			if x.Origin <= 0 || seen[x.Origin] {
				continue
			}
			seen[x.Origin] = true
			if x.Op.HasResult() && !x.Op.Is(ir.Control) && x.Op != ir.Call {
				w.first[[2]int{n, int(v)}] = int(x.Origin) - 1
			}
		}
	}
	return w
}

func (w *witness) Step(s *exec.Step) error {
	if i, ok := w.first[[2]int{s.Func, int(s.Value)}]; ok {
		w.lanes[i] += uint64(s.Active.Len())
		w.steps[i]++
	}
	return nil
}

// TestProfile compares the profiles of random modules on both engines with counts of the interpreter, which runs the program
// without counters before all passes. The programs also write the same memory.
func TestProfile(t *testing.T) {
	n := uint64(12)
	if os.Getenv("CHIARO_LONG") != "" {
		n = 500
	}
	judged, divergent := 0, 0
	for seed := range n {
		c := &contest.Contest{Module: modgen.New(seed, modgen.Options{Peers: seed%2 == 0, Subgroups: seed%3 == 0})}
		plain, err := c.Lowered(16)
		if err != nil {
			t.Fatal(err)
		}
		w := newWitness(plain)
		c.Hook = w
		want, err := c.Run(t.Context(), interp.Engine{}, plain)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		c.Hook = nil
		words, _ := c.Module.Words()
		m, _ := spirv.FromWords(words)
		f := facts.Gather(m, nil)
		p, err := lower.Stage(valid.Assume(f), &f.EntryPoints[0], lower.Options{SubgroupSize: 16, Profile: true})
		if err != nil {
			t.Fatal(err)
		}
		pass.Run(p)
		for _, e := range []exec.Engine{interp.Engine{}, jit.Engine{}} {
			data := make([]byte, 8*(lower.NewCounters(f, &f.EntryPoints[0]).Words+1))
			c.More = map[compute.Binding][]exec.Buffer{{Set: lower.ProfileSet, Binding: lower.ProfileBinding + uint32(ir.Compute)}: {{Bytes: data}}}
			got, err := c.Run(t.Context(), e, p)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("seed %d, %s: other bytes", seed, e.Name())
			}
			var counters []uint64
			for len(data) > 0 {
				counters, data = append(counters, binary.LittleEndian.Uint64(data)), data[8:]
			}
			s := profile.New(f, &f.EntryPoints[0], 16, counters, func(int) profile.Place { return profile.Place{} })
			for _, fn := range s.Functions {
				for _, b := range fn.Blocks {
					for _, in := range b.Instructions {
						if in.Divergent > 0 {
							divergent++
						}
						if lanes, ok := w.lanes[in.Index]; ok {
							judged++
							if in.Executed != lanes || in.Subgroups != w.steps[in.Index] {
								t.Errorf("seed %d, %s: instruction %d %v has the counts %+v, want %d invocations in %d subgroups", seed, e.Name(), in.Index, in.Op, in.Count, lanes, w.steps[in.Index])
							}
						}
					}
					checkEdges(t, &b)
				}
			}
		}
	}
	if judged < 20*int(n) || divergent == 0 {
		t.Errorf("%d instructions were judged, %d branches diverged", judged, divergent)
	}
}

// checkEdges checks that each invocation that executes the end of a block takes one of its edges.
func checkEdges(t *testing.T, b *profile.Block) {
	t.Helper()
	if len(b.Branches) == 0 {
		return
	}
	sum := uint64(0)
	for _, edge := range b.Branches {
		sum += edge.Taken
	}
	if last := b.Instructions[len(b.Instructions)-1]; sum != last.Executed {
		t.Errorf("block %%%d: %d invocations took its edges, %d executed its end", b.Label, sum, last.Executed)
	}
}
