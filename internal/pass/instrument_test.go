package pass_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/bits"
	"os"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/engine"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	levels "github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/pass"
)

const testSet, testBinding = 32, 7

// truth counts the lanes that run the operation after each counter, which Instrument did not add.
type truth struct {
	exec.NoHook
	p      *ir.Program
	block  map[[2]int32]int // number of the block by function and first own operation
	counts []uint64
	steps  []uint64 // operations that lanes executed
}

func newTruth(p *ir.Program) *truth {
	u := &truth{p: p, block: map[[2]int32]int{}}
	n := -1
	for i, f := range p.Funcs {
		starts := false
		for _, v := range f.Code {
			x := f.Val(v)
			switch {
			case x.Op == ir.AtomAdd && x.Type == ir.I64 && x.Flags == ir.Unused && p.Res[f.Val(x.Args[0]).Aux].Set == testSet:
				n++
				starts = true
			case x.Op.Is(ir.Control) || x.Op == ir.Res && p.Res[x.Aux].Set == testSet:
			default:
				u.block[[2]int32{int32(i), int32(v)}] = n
				if starts {
					u.block[[2]int32{int32(i), int32(v)}] = n | 1<<30
				}
				starts = false
			}
		}
	}
	u.counts, u.steps = make([]uint64, n+1), make([]uint64, n+1)
	return u
}

func (u *truth) Step(s *exec.Step) error {
	n, ok := u.block[[2]int32{int32(s.Func), int32(s.Value)}]
	if !ok {
		return nil
	}
	lanes := uint64(0)
	for _, w := range s.Active {
		lanes += uint64(bits.OnesCount64(w))
	}
	if n&(1<<30) != 0 {
		u.counts[n&^(1<<30)] += lanes
	}
	u.steps[n&^(1<<30)] += lanes
	return nil
}

// TestInstrument: on both engines the counters of random programs are the lanes that the interpreter runs in each block,
// and the other memory is as without counters.
func TestInstrument(t *testing.T) {
	n := int64(10)
	if os.Getenv("CHIARO_LONG") != "" {
		n = 300
	}
	entered := 0
	for seed := range n {
		p := irgen.Program(seed)
		pass.Run(p)
		want := pass.Outcome(t, p)
		pass.Instrument(p, testSet, testBinding)
		if err := p.Verify(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		u := newTruth(p)
		sizes := pass.Blocks(p, testSet, testBinding)
		if len(sizes) != len(u.counts) {
			t.Fatalf("seed %d: %d blocks, want %d", seed, len(sizes), len(u.counts))
		}
		for _, e := range []exec.Engine{interp.Engine{}, engine.Best(levels.Best, nil)} {
			prog, err := e.Compile(p, exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			job := irgen.Job()
			counters := make([]byte, 8*max(len(sizes), 2))
			for len(job.Resources) < len(p.Res)-1 {
				job.Resources = append(job.Resources, nil)
			}
			job.Resources = append(job.Resources[:len(p.Res)-1:len(p.Res)-1], []exec.Buffer{{Bytes: counters}})
			if e == (interp.Engine{}) {
				job.Hook = u
			}
			if err := prog.Run(context.Background(), job); err != nil {
				t.Fatal(err)
			}
			job.Resources = job.Resources[:len(p.Res)-1]
			if got := irgen.Bytes(job); !bytes.Equal(got, want) {
				t.Errorf("seed %d, %s: other bytes", seed, e.Name())
			}
			for i, want := range u.counts {
				if got := binary.LittleEndian.Uint64(counters[8*i:]); got != want {
					t.Errorf("seed %d, %s: block %d has the count %d, want %d\n%s", seed, e.Name(), i, got, want, p)
				}
				if want > 0 {
					entered++
				}
				if u.steps[i] != want*sizes[i] {
					t.Errorf("seed %d: block %d of %d operations: %d executed, want %d times as many as %d", seed, i, sizes[i], u.steps[i], sizes[i], want)
				}
			}
			prog.Close()
		}
	}
	if entered < int(n) {
		t.Errorf("%d blocks of %d programs were entered", entered, n)
	}
}

// TestBlocksOfOthers: a program without counters has no blocks.
func TestBlocksOfOthers(t *testing.T) {
	if n := len(pass.Blocks(irgen.Program(1), testSet, testBinding)); n != 0 {
		t.Errorf("%d blocks", n)
	}
}
