package regalloc_test

import (
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

var machine = regalloc.Machine{
	Registers: [vcode.NumClasses]int{vcode.Mask: 2, vcode.Vec: 3},
	Clobbers:  func(in *vcode.Inst) bool { return in.Op == vcode.Barrier },
}

// allocate runs the allocation with all registers of the machine.
func allocate(f *vcode.Func, m *regalloc.Machine, outgoing int32, limit int64) (regalloc.Frame, bool) {
	return regalloc.Analyze(f, m).Allocate(m.Registers).Frame(outgoing, limit)
}

// Without registers everything is in the frame: slots do not overlap, are aligned to their size or to 64
// bytes, and do not reach into the outgoing area.
func TestSlots(t *testing.T) {
	f := &vcode.Func{Form: vcode.Form{Lanes: 16}, Blocks: make([]vcode.Block, 1)}
	for i := range 100 {
		r := f.NewReg(vcode.Class(1 + i*7%3))
		f.Blocks[0].Insts = append(f.Blocks[0].Insts, vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{r}})
	}
	const outgoing = 192
	none := &regalloc.Machine{Clobbers: machine.Clobbers}
	frame, ok := allocate(f, none, outgoing, 1<<20)
	if !ok || frame.Size%regalloc.Alignment != 0 {
		t.Fatalf("ok %t, size %d", ok, frame.Size)
	}
	owner := make([]int, frame.Size)
	for r := 1; r < len(f.Classes); r++ {
		size, at := f.Form.Size(f.Classes[r]), frame.Slots[r]
		if at < outgoing || at%min(size, regalloc.Alignment) != 0 {
			t.Errorf("register %d of %d bytes is at %d", r, size, at)
		}
		for i := at; i < at+size; i++ {
			if owner[i] != 0 {
				t.Fatalf("registers %d and %d share byte %d", owner[i], r, i)
			}
			owner[i] = r
		}
	}
	if _, ok := allocate(f, none, outgoing, int64(frame.Size)/2); ok {
		t.Error("half the frame was enough")
	}
}

func inst(op vcode.Op, def vcode.Reg, uses ...vcode.Reg) vcode.Inst {
	in := vcode.Inst{Op: op, Uses: uses}
	if def != 0 {
		in.Defs = []vcode.Reg{def}
	}
	return in
}

// A value from before a loop that the loop reads has a register to the loop's end; values that are live at
// once have different registers; values used in the loop have priority over others.
func TestLoop(t *testing.T) {
	f := &vcode.Func{Form: vcode.Form{Lanes: 16}}
	var r [7]vcode.Reg
	for i := 1; i < len(r); i++ {
		r[i] = f.NewReg(vcode.Vec)
	}
	f.Blocks = []vcode.Block{
		{Insts: []vcode.Inst{inst(vcode.Arg, r[1]), inst(vcode.Arg, r[2]), inst(vcode.Arg, r[3]), inst(vcode.Arg, r[6])}},
		{Insts: []vcode.Inst{
			inst(vcode.Lane, r[4], r[1], r[2]),
			inst(vcode.Lane, r[5], r[4], r[2]),
			inst(vcode.Copy, r[1], r[5]),
			{Op: vcode.Jump, Target: 1},
		}},
		{Insts: []vcode.Inst{inst(vcode.Lane, 0, r[1], r[3]), inst(vcode.Lane, 0, r[6]), {Op: vcode.Return}}},
	}
	frame, _ := allocate(f, &machine, 0, 1<<20)
	for _, i := range []int{1, 2, 4, 5} {
		if frame.Regs[r[i]] == regalloc.None {
			t.Errorf("register %d, used in the loop, has no physical register", i)
		}
	}
	for _, i := range []int{3, 6} {
		if frame.Regs[r[i]] != regalloc.None || frame.Slots[r[i]] == regalloc.None {
			t.Errorf("register %d, not used in the loop, is in %d", i, frame.Regs[r[i]])
		}
	}
	if a, b, c := frame.Regs[r[1]], frame.Regs[r[2]], frame.Regs[r[4]]; a == b || b == c || a == c && frame.Regs[r[5]] == b {
		t.Errorf("registers %d, %d, %d", a, b, c)
	}
}

// A loop-carried mask, and its value for the next iteration, stay in registers although others have shorter
// intervals. If masks are vectors, which can be memory operands, the longest interval is spilled.
func TestCarried(t *testing.T) {
	f := &vcode.Func{Form: vcode.Form{Lanes: 16}}
	a, next, left := f.NewReg(vcode.Mask), f.NewReg(vcode.Mask), f.NewReg(vcode.Mask)
	f.Blocks = []vcode.Block{
		{Insts: []vcode.Inst{inst(vcode.Arg, a)}},
		{Insts: []vcode.Inst{
			inst(vcode.Lane, next, a),
			inst(vcode.Lane, left, a),
			inst(vcode.Lane, 0, left),
			inst(vcode.Lane, 0),
			inst(vcode.Lane, 0),
			inst(vcode.Lane, 0),
			inst(vcode.Copy, a, next),
			{Op: vcode.Jump, Target: 1},
		}},
		{Insts: []vcode.Inst{{Op: vcode.Return}}},
	}
	frame, _ := allocate(f, &machine, 0, 1<<20)
	if frame.Regs[a] == regalloc.None || frame.Regs[next] == regalloc.None || frame.Regs[left] != regalloc.None {
		t.Errorf("loop-carried masks are in registers %d and %d, the other in %d", frame.Regs[a], frame.Regs[next], frame.Regs[left])
	}
	shared := machine
	shared.Registers = [vcode.NumClasses]int{vcode.Vec: 2}
	shared.Pools[vcode.Mask] = vcode.Vec
	frame, _ = allocate(f, &shared, 0, 1<<20)
	if frame.Regs[left] == regalloc.None {
		t.Error("no register for the shortest interval")
	}
}

// Around an instruction that preserves no register, live registers have slots too.
func TestSaves(t *testing.T) {
	f := &vcode.Func{Form: vcode.Form{Lanes: 16}}
	a, b, c := f.NewReg(vcode.Vec), f.NewReg(vcode.Mask), f.NewReg(vcode.Vec)
	f.Blocks = []vcode.Block{{Insts: []vcode.Inst{
		inst(vcode.Arg, a), inst(vcode.Arg, b), inst(vcode.Lane, c, a),
		{Op: vcode.Barrier, Masks: []vcode.Reg{b}},
		inst(vcode.Lane, 0, a),
	}}}
	frame, _ := allocate(f, &machine, 0, 1<<20)
	s := frame.Saves[&f.Blocks[0].Insts[3]]
	if len(s.Before) != 2 || len(s.After) != 1 || s.After[0] != a {
		t.Errorf("saved %v, restored %v", s.Before, s.After)
	}
	if frame.Slots[a] == regalloc.None || frame.Slots[b] == regalloc.None || frame.Slots[c] != regalloc.None {
		t.Errorf("slots %v", frame.Slots)
	}
}

func TestLayout(t *testing.T) {
	at, end := regalloc.Layout(vcode.Form{Lanes: 16}, []vcode.Class{vcode.Mask, vcode.Mask, vcode.Vec, vcode.Mask, vcode.Wide}, 0)
	want := []int32{0, 8, 64, 128, 192}
	for i := range want {
		if at[i] != want[i] {
			t.Errorf("value %d is at %d, want %d", i, at[i], want[i])
		}
	}
	if end != 320 {
		t.Errorf("end %d", end)
	}
}

// Classes that share a pool of registers never share a register.
func TestPools(t *testing.T) {
	shared := machine
	shared.Registers = [vcode.NumClasses]int{vcode.Vec: 2}
	shared.Pools[vcode.Mask] = vcode.Vec
	f := &vcode.Func{Form: vcode.Form{Lanes: 8, VectorMasks: true}}
	k, v, w := f.NewReg(vcode.Mask), f.NewReg(vcode.Vec), f.NewReg(vcode.Vec)
	f.Blocks = []vcode.Block{{Insts: []vcode.Inst{
		inst(vcode.Copy, k), inst(vcode.Copy, v), inst(vcode.Copy, w, k), inst(vcode.SetResult, 0, k), inst(vcode.SetResult, 0, v, w),
	}}}
	frame, _ := allocate(f, &shared, 0, 1<<20)
	in := map[int8]vcode.Reg{}
	for _, r := range []vcode.Reg{k, v, w} {
		n := frame.Regs[r]
		if n == regalloc.None {
			continue
		}
		if other, ok := in[n]; ok {
			t.Errorf("registers %d and %d are both in %d", other, r, n)
		}
		in[n] = r
	}
	if len(in) != 2 {
		t.Errorf("%d of 2 registers are used", len(in))
	}
}

// A register with merging writes in a loop is live at the loop's first instruction, although its first
// mention follows.
func TestMergingBeforeFirstMention(t *testing.T) {
	f := &vcode.Func{Form: vcode.Form{Lanes: 16}}
	k, a, x := f.NewReg(vcode.Mask), f.NewReg(vcode.Vec), f.NewReg(vcode.Vec)
	kept := inst(vcode.Lane, x, a)
	kept.Merging, kept.Masks = true, []vcode.Reg{k}
	f.Blocks = []vcode.Block{
		{Insts: []vcode.Inst{inst(vcode.Arg, k), inst(vcode.Arg, a)}},
		{Insts: []vcode.Inst{inst(vcode.Barrier, 0), kept, {Op: vcode.Jump, Target: 1}}},
		{Insts: []vcode.Inst{inst(vcode.Lane, 0, x), {Op: vcode.Return}}},
	}
	frame, _ := allocate(f, &machine, 0, 1<<20)
	saves := frame.Saves[&f.Blocks[1].Insts[0]]
	if frame.Regs[x] != regalloc.None && (!slices.Contains(saves.Before, x) || !slices.Contains(saves.After, x)) {
		t.Errorf("the preserved lanes of x are lost: saved %v, restored %v", saves.Before, saves.After)
	}
}

// Of two overlapping loops, both extend to the later end.
func TestOverlappingLoops(t *testing.T) {
	f := &vcode.Func{Form: vcode.Form{Lanes: 16}}
	var r [6]vcode.Reg
	for i := 1; i < len(r); i++ {
		r[i] = f.NewReg(vcode.Vec)
	}
	f.Blocks = []vcode.Block{
		{Insts: []vcode.Inst{inst(vcode.Arg, r[1])}},
		{Insts: []vcode.Inst{inst(vcode.Arg, r[2])}},
		{Insts: []vcode.Inst{inst(vcode.Lane, r[3], r[1], r[2]), {Op: vcode.JumpIfZero, Target: 1}}},
		{Insts: []vcode.Inst{inst(vcode.Arg, r[4]), inst(vcode.Lane, r[5], r[4], r[3]), {Op: vcode.Jump, Target: 2}}},
	}
	f.Blocks[3].Insts[0].Uses = []vcode.Reg{r[3]}
	frame, _ := allocate(f, &machine, 0, 1<<20)
	for _, i := range []int{4, 5} { // the next iteration still reads r1 and r2
		for _, kept := range []int{1, 2} {
			if n := frame.Regs[r[i]]; n != regalloc.None && n == frame.Regs[r[kept]] {
				t.Errorf("virtual registers %d and %d share a register; the second is read again", i, kept)
			}
		}
	}
}

// TestFarWeight: a far block rarely runs, so that its values are spilled before those of the usual path, even if it has loops.
func TestFarWeight(t *testing.T) {
	for _, far := range []bool{false, true} {
		f := &vcode.Func{Form: vcode.Form{Lanes: 16}}
		var r [7]vcode.Reg
		for i := 1; i < len(r); i++ {
			r[i] = f.NewReg(vcode.Vec)
		}
		inner := []vcode.Inst{inst(vcode.Lane, r[4], r[3], r[4]), inst(vcode.Lane, r[5], r[4], r[5]), inst(vcode.Lane, r[6], r[5], r[6]), {Op: vcode.Jump, Target: 2}}
		f.Blocks = []vcode.Block{
			{Insts: []vcode.Inst{inst(vcode.Arg, r[1]), inst(vcode.Lane, r[2], r[1]), {Op: vcode.Jump, Target: 3}}},
			{Insts: []vcode.Inst{inst(vcode.Arg, r[3]), inst(vcode.Arg, r[4]), inst(vcode.Arg, r[5]), inst(vcode.Arg, r[6])}, Far: far},
			{Insts: inner, Far: far},
			{Insts: []vcode.Inst{inst(vcode.Lane, 0, r[1], r[2]), {Op: vcode.Return}}},
		}
		frame, _ := allocate(f, &machine, 0, 1<<20)
		for _, i := range []int{1, 2} {
			if got := frame.Regs[r[i]] != regalloc.None; got != far {
				t.Errorf("far %t: register %d of the usual path has a physical register: %t", far, i, got)
			}
		}
	}
}
