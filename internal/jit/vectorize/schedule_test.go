package vectorize

import (
	"hash/maphash"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// outcome simulates a function symbolically, and returns the final contents of its registers: each
// instruction yields a hash of its operation, part and operands.
func outcome(f *vcode.Func) []uint64 {
	held := make([]uint64, len(f.Classes))
	for r := range held {
		held[r] = uint64(r)
	}
	f.Each(func(in *vcode.Inst) {
		words := []uint64{uint64(in.Op), uint64(in.IR), uint64(in.Part)}
		for _, list := range [...][]vcode.Reg{in.Uses, in.Masks} {
			for _, r := range list {
				words = append(words, held[r])
			}
		}
		for i, d := range in.Defs {
			if in.Merging {
				words = append(words, held[d])
			}
			held[d] = maphash.Comparable(outcomes, [2]uint64{uint64(i), sum(words)})
		}
	})
	return held
}

// outcomes is the seed of all hashes.
var outcomes = maphash.MakeSeed()

func sum(words []uint64) uint64 {
	n := uint64(0)
	for _, w := range words {
		n = maphash.Comparable(outcomes, [2]uint64{n, w})
	}
	return n
}

// TestSchedulePreserves schedules random runs of instructions that write registers several times. The final
// contents of each register stay the same.
func TestSchedulePreserves(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		parts := 1 + rng.IntN(8)
		f := &vcode.Func{Parts: parts, Form: vcode.Form{Lanes: 16}}
		var regs, masks []vcode.Reg
		for range 2 + rng.IntN(30) {
			regs = append(regs, f.NewReg(vcode.Vec))
			masks = append(masks, f.NewReg(vcode.Mask))
		}
		regs = append(regs, f.NewConst(vcode.Vec, 7))
		writable := len(regs) - 1
		var list []vcode.Inst
		for range rng.IntN(80) {
			list = append(list, randomInst(rng, parts, regs, masks, writable))
		}
		f.Blocks = []vcode.Block{{Insts: list}}
		want := outcome(f)
		n := len(list)
		schedule(f)
		if len(f.Blocks[0].Insts) != n {
			t.Fatalf("%d instructions of %d", len(f.Blocks[0].Insts), n)
		}
		for r, x := range outcome(f) {
			if x != want[r] {
				t.Fatalf("register %d has other contents:\n%s", r, f)
			}
		}
	}
}

func randomInst(rng *rand.Rand, parts int, regs, masks []vcode.Reg, writable int) vcode.Inst {
	one := func(list []vcode.Reg) vcode.Reg { return list[rng.IntN(len(list))] }
	in := vcode.Inst{Op: vcode.Lane, IR: ir.FAdd, Part: uint8(rng.IntN(parts)), Uses: []vcode.Reg{one(regs), one(regs)}, Defs: []vcode.Reg{one(regs[:writable])}}
	switch rng.IntN(8) {
	case 0:
		in.IR, in.Uses = ir.FSqrt, in.Uses[:1]
	case 1:
		in.IR = ir.FDiv
	case 2:
		in.Masks, in.Merging = []vcode.Reg{one(masks)}, true
	case 3:
		in = vcode.Inst{Op: vcode.Copy, Uses: in.Uses[:1], Defs: in.Defs, Merging: rng.IntN(2) == 0}
	case 4:
		in = vcode.Inst{Op: vcode.AndNot, Uses: []vcode.Reg{one(masks), one(masks)}, Defs: []vcode.Reg{one(masks)}}
	case 5:
		in.IR, in.Defs = ir.FLt, []vcode.Reg{one(masks)}
	case 6:
		if rng.IntN(4) == 0 {
			in = vcode.Inst{Op: vcode.Barrier}
		}
	}
	return in
}

// TestSchedulePairs: computations of one pair of parts come before the next pair's if there are square
// roots, and in the original order if not.
func TestSchedulePairs(t *testing.T) {
	for _, root := range []bool{true, false} {
		f := &vcode.Func{Parts: 4, Form: vcode.Form{Lanes: 16}}
		var list []vcode.Inst
		x := make([]vcode.Reg, 4)
		for p := range x {
			x[p] = f.NewReg(vcode.Vec)
		}
		for _, op := range []ir.Op{ir.FAdd, ir.FSqrt, ir.FMul} {
			if op == ir.FSqrt && !root {
				op = ir.FSub
			}
			for p := range x {
				list = append(list, vcode.Inst{Op: vcode.Lane, IR: op, Part: uint8(p), Uses: []vcode.Reg{x[p], x[p]}, Defs: []vcode.Reg{x[p]}})
			}
		}
		f.Blocks = []vcode.Block{{Insts: list}}
		schedule(f)
		want := []uint8{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}
		if root {
			want = []uint8{0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3}
		}
		for i, in := range f.Blocks[0].Insts {
			if in.Part != want[i] {
				t.Errorf("root %v: instruction %d is of part %d; want %d", root, i, in.Part, want[i])
			}
		}
	}
}

// TestRunEnd: a long run with a division ends before the next division, a short one does not.
func TestRunEnd(t *testing.T) {
	lane := func(op ir.Op) vcode.Inst { return vcode.Inst{Op: vcode.Lane, IR: op} }
	list := []vcode.Inst{lane(ir.FDiv), lane(ir.FAdd), lane(ir.FAdd), lane(ir.FDiv), lane(ir.FAdd), {Op: vcode.Barrier}}
	for least, want := range map[int]int{2: 3, 3: 3, 4: 5, 100: 5} {
		if end, waits := runEnd(list, 0, least); end != want || !waits {
			t.Errorf("runs of %d: the first ends at %d; must end at %d", least, end, want)
		}
	}
	if end, waits := runEnd(list[4:], 0, 1); end != 1 || waits {
		t.Errorf("a run without a division ends at %d and waits: %t; must end at 1 and not wait", end, waits)
	}
}
