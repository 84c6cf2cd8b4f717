package amd64

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Registers with a fixed meaning in compiled code: R15 the Context, R14 the
// record of the subgroup, R13 the handles, R12 the workgroup
// memory, RSP the frame. operand.go says which
// of the others are given out.

// MaxStack bounds the bytes of stack that a subgroup may need, so that all
// offsets fit.
const MaxStack = 1 << 30

// machine makes the code of one program.
type machine struct {
	Asm
	set     selection
	prog    *ir.Program
	level   Level
	extras  Extra
	funcs   []*vcode.Func
	frames  []frame
	record  Record
	places  Places
	unread  []bool  // of each resource: the program stores to it alone; nil where stores must go the usual way
	tallies []ir.Op // TalliesOf
	sites   []Site
	data    int      // offset of the constants
	bases   []uint32 // of the variables of prog; ir.Program.VarBase

	demotes bool      // lanes may become helpers
	meets   bool      // there are barriers
	steps   [256]bool // of each part: its subgroup counts steps

	entries []Label // of the functions
	service Label   // leaves for the service whose site is in EAX
	barrier Label
	yield   Label // comes back as Polled, with every register kept, for the site in EAX

	literals literals
	later    []func()      // make code that is rarely run, behind the function
	owners   []*vcode.Inst // of each of them, what it is for
	marks    []Mark        // in the order of the code

	// Of the function being made.
	f      *vcode.Func
	frame  frame
	blocks []Label
}

// frame is a function's memory. Its size is 8 less than a multiple of 64, so
// that RSP is one behind the return address.
type frame struct {
	regalloc.Frame
	args, results []int32 // in the caller's frame
	outgoing      int32   // size of both
	first         Reg     // the first vector that is given out
	more          bool    // it takes those from fewVec on
}

// selection is the code of a level: how it computes, holds and moves values of
// vectors and masks.
type selection interface {
	machineFor(f *vcode.Func) *regalloc.Machine
	native(in *vcode.Inst) bool     // it does not leave for Go
	lane(in *vcode.Inst)            // of Lane and Strip
	copy(in *vcode.Inst)            // of Copy
	half(in *vcode.Inst, near bool) // of Own, where Fused is fusedHalf; near: of a nearSum
	maskOp(in *vcode.Inst)          // of And, AndNot and Or
	testMasks(masks []vcode.Reg)    // sets the zero flag where no lane is in any of them
	save(r vcode.Reg)               // from its register to its slot
	restore(r vcode.Reg)            // back
	toMemory(to Mem, r vcode.Reg)   // from where it lives
	fromMemory(r vcode.Reg, from Mem)
	initial(to Mem, part int)      // the mask of the lanes that have an invocation
	clear(r Reg, off int32, n int) // n bytes, a multiple of 64; may move r

	// Of the operations of vcode with these names.
	spread(in *vcode.Inst) // Broadcast
	extract(in *vcode.Inst)
	rowLoad(in *vcode.Inst)
	rowStore(in *vcode.Inst)
	gather(in *vcode.Inst)
	scatter(in *vcode.Inst)
	atomic(in *vcode.Inst, lock bool)
	floatAtomic(op ir.Op)
	spreadLoad(in *vcode.Inst) // Spread
	slotLoad(in *vcode.Inst)
	slotStore(in *vcode.Inst)
}

// Compile makes the code of a program that was widened to funcs, for a level
// that Choose returned and instructions of Extras. It returns false where a subgroup would need more than
// MaxStack.
func Compile(p *ir.Program, funcs []*vcode.Func, level Level, extras Extra) (*Code, bool) {
	m := &machine{prog: p, funcs: funcs, level: level, extras: extras, record: RecordOf(p, level.Form()), places: PlacesOf(p), unread: unreadOf(p), tallies: TalliesOf(p)}
	m.set = zmm{m}
	if level == AVX2 {
		m.set, m.vexOnly = ymm{m}, true
	}
	base := uint32(0)
	for _, v := range p.Vars {
		m.bases = append(m.bases, base)
		base += v.Slots
	}
	if !m.layOut(level == AVX512) {
		return nil, false
	}
	if m.trial() {
		if m.emit(); m.named&(1<<firstVec-1) >= 1<<fewVec { // the scratch that was given out is needed
			if !m.layOut(false) {
				return nil, false
			}
		}
		for i := range m.frames {
			if f := &m.frames[i]; f.more {
				f.first = fewVec
			}
		}
	}
	m.emit()
	depth := m.depth()
	if depth > MaxStack {
		return nil, false
	}
	return &Code{Level: m.level, Bytes: m.Finish(), Marks: m.marks, Data: m.data, Funcs: namesOf(m.funcs), Sites: m.sites, StackBytes: int(depth), Spilled: m.frames[0].Spilled, Record: m.record}, true
}

// varBase is the place of a variable's first slot.
func (m *machine) varBase(v int) uint32 { return m.bases[v] }

// emit makes the code, and forgets what it made before.
func (m *machine) emit() {
	m.Asm, m.sites, m.marks = Asm{vexOnly: m.vexOnly}, nil, m.marks[:0]
	m.mark(aside, nil)
	m.literals = literals{labels: map[literal]Label{}}
	m.entries = m.entries[:0]
	for range m.funcs {
		m.entries = append(m.entries, m.NewLabel())
	}
	m.dispatcher()
	for i := range m.funcs {
		m.function(i)
	}
	m.mark(aside, nil)
	m.data = len(m.Code)
	m.emitLiterals()
}

// trial reports whether a function was given vectors that its code may need as
// scratch. What it does need is found by making code in which they have numbers
// beyond the machine's.
func (m *machine) trial() bool {
	return slices.ContainsFunc(m.frames, func(f frame) bool { return f.more })
}

// layOut gives every function its frame. Where it is eager it may give out more
// vectors than all code can spare.
func (m *machine) layOut(eager bool) bool {
	m.frames = make([]frame, len(m.funcs))
	for i, f := range m.funcs {
		fr := &m.frames[i]
		var end int32
		fr.args, end = regalloc.Sequence(f.Form, f.Args, 0)
		fr.results, fr.outgoing = regalloc.Sequence(f.Form, f.Results, end)
	}
	rare := make([]bool, len(m.funcs)) // what strips begin anew in whose rows are not all in range
	for i, f := range m.funcs {
		out := int32(0)
		each(f, func(in *vcode.Inst) {
			m.know(f, in)
			if in.Leaves() && in.Op != vcode.Guard {
				rare[in.Target] = true
			}
			m.demotes = m.demotes || in.IR == ir.Demote
			m.meets = m.meets || in.Op == vcode.Barrier
			m.steps[in.Part] = m.steps[in.Part] || in.Op == vcode.Step
			if m.set.native(in) && !in.Keep && !masked(in.IR) {
				in.Masks = nil // so that nobody keeps the mask for it
			}
			if in.Op == vcode.Call {
				out = max(out, m.frames[in.Target].outgoing)
			}
		})
		allocated, ok := regalloc.Allocate(f, m.set.machineFor(f), out, MaxStack)
		if !ok {
			return false
		}
		m.frames[i].Frame, m.frames[i].first = allocated, firstVec
		if m.level == AVX512 && !rare[i] && m.wantsMore(f, allocated.Memory) {
			m.better(i, out, eager)
		}
	}
	return true
}

// better allocates again, with more of all vectors for what is 64 bits a lane, and
// where it is eager with those that not all code can spare, and keeps what keeps
// most out of memory.
func (m *machine) better(i int, outgoing int32, eager bool) {
	fr := &m.frames[i]
	spare, first := 0, Reg(firstVec)
	if eager {
		spare, first = firstVec-fewVec, trialVec
	}
	for _, extra := range [...]int{0, 1, 2, 3} {
		with := m.set.machineFor(m.funcs[i])
		if extra > 0 && with.Registers[vcode.Wide] == 0 {
			break
		}
		with.Registers[vcode.Wide] += extra
		with.Registers[vcode.Vec] += spare - 2*extra
		if made, ok := regalloc.Allocate(m.funcs[i], with, outgoing, MaxStack); ok && made.Memory < fr.Memory {
			fr.Frame, fr.first, fr.more = made, first, eager
		}
	}
}

// maxEager bounds the instructions of functions for which it is tried to give
// out more vectors.
const maxEager = 8000

func (m *machine) wantsMore(f *vcode.Func, memory float32) bool {
	n := 0
	for b := range f.Blocks {
		n += len(f.Blocks[b].Insts)
	}
	return memory > float32(n)/8 && n <= maxEager
}

// depth returns how much stack the deepest chain of calls takes. Functions do
// not recurse, and a program lists them in any order.
func (m *machine) depth() int64 {
	deepest := make([]int64, len(m.funcs))
	callees := make([][]int, len(m.funcs))
	for i, f := range m.funcs {
		each(f, func(in *vcode.Inst) {
			if in.Op == vcode.Call || in.Leaves() {
				callees[i] = append(callees[i], in.Target)
			}
		})
	}
	for range m.funcs { // one more link of every chain each time
		changed := false
		for i := range m.funcs {
			below := int64(0)
			for _, c := range callees[i] {
				below = max(below, deepest[c])
			}
			if d := int64(m.frames[i].Size) + 64 + below; d != deepest[i] {
				deepest[i], changed = d, true
			}
		}
		if !changed {
			break
		}
	}
	return deepest[0] + 256 + yieldBytes // the call of Funcs[0], and what services push
}

func each(f *vcode.Func, do func(*vcode.Inst)) {
	for i := range f.Blocks {
		for j := range f.Blocks[i].Insts {
			do(&f.Blocks[i].Insts[j])
		}
	}
}

// function makes the code of the i-th function.
func (m *machine) function(i int) {
	m.f, m.frame = m.funcs[i], m.frames[i]
	m.blocks = m.blocks[:0]
	for range m.f.Blocks {
		m.blocks = append(m.blocks, m.NewLabel())
	}
	m.Align(16)
	m.Bind(m.entries[i])
	m.mark(i, nil)
	m.GI(SubI, true, RSP, m.frame.Size+56)
	for b := range m.f.Blocks {
		m.Bind(m.blocks[b])
		for j := 0; j < len(m.f.Blocks[b].Insts); j++ {
			in := &m.f.Blocks[b].Insts[j]
			if in.Op == vcode.Jump && in.Target == b+1 && j == len(m.f.Blocks[b].Insts)-1 {
				continue
			}
			m.mark(i, in)
			if n := m.sideBySide(m.f.Blocks[b].Insts[j:]); n > 1 {
				m.terms(m.f.Blocks[b].Insts[j : j+n])
				j += n - 1
				continue
			}
			m.inst(in)
			m.charge(in)
		}
	}
	for len(m.later) > 0 {
		list, owners := m.later, m.owners
		m.later, m.owners = nil, nil
		for j, do := range list {
			m.mark(i, owners[j])
			do()
			m.charge(owners[j])
		}
	}
}

// know makes a handle that has its place in every job a constant. Nothing else
// writes the register of such an operation.
func (m *machine) know(f *vcode.Func, in *vcode.Inst) {
	if in.Op != vcode.Scalar {
		return
	}
	n := 0
	switch in.IR {
	case ir.Push:
		n = HandlePush
	case ir.Wg:
		n = HandleShared
	case ir.Table:
		n = HandleTables + int(in.Key.Aux)
	case ir.Res:
		i, ok := f.Const(in.Uses[0])
		if !ok || i >= uint64(m.places.Counts[in.Key.Aux]) {
			return
		}
		n = m.places.Resources[in.Key.Aux] + int(i)
	default:
		return
	}
	f.Fix(in.Defs[0], uint64(n)*HandleBytes)
	*in = vcode.Inst{Op: vcode.Undef}
}

// inst makes the code of one instruction.
func (m *machine) inst(in *vcode.Inst) {
	switch in.Op {
	case vcode.Undef:
	case vcode.Copy:
		m.set.copy(in)
	case vcode.And, vcode.AndNot, vcode.Or:
		m.set.maskOp(in)
	case vcode.Lane, vcode.Strip:
		m.set.lane(in)
	case vcode.Arg:
		m.set.fromMemory(in.Defs[0], m.incoming(m.frame.args[in.Key.Aux]))
	case vcode.SetResult:
		m.set.toMemory(m.incoming(m.frame.results[in.Key.Aux]), in.Uses[0])
	case vcode.Call:
		m.call(in)
	case vcode.Barrier:
		m.meet(in)
	case vcode.Step:
		m.step(in)
	case vcode.Jump:
		m.Jmp(m.blocks[in.Target])
	case vcode.JumpIfNone:
		m.set.testMasks(in.Masks)
		m.Jcc(Equal, m.blocks[in.Target])
	case vcode.JumpIfZero:
		m.jumpIfZero(in)
	case vcode.Own:
		m.own(in)
	case vcode.Guard:
		m.guard(in)
	case vcode.Return:
		m.GI(AddI, true, RSP, m.frame.Size+56)
		m.Ret()
	default:
		m.special(in)
	}
}

// incoming is a place in the caller's frame.
func (m *machine) incoming(off int32) Mem { return At(RSP, m.frame.Size+64+off) }

// special makes the code of instructions on general registers and of those
// whose addresses have a shape.
func (m *machine) special(in *vcode.Inst) {
	switch in.Op {
	case vcode.Scalar:
		m.scalar(in)
	case vcode.Broadcast:
		m.set.spread(in)
	case vcode.Extract:
		m.set.extract(in)
	case vcode.RowIn:
		m.rowIn(in)
	case vcode.Window:
		m.window(in, handleLength)
	case vcode.StoreWindow:
		m.window(in, handleWrites)
	case vcode.RowBase:
		m.rowBase(in)
	case vcode.RowLoad:
		m.set.rowLoad(in)
	case vcode.RowStore:
		m.set.rowStore(in)
	case vcode.Gather:
		m.set.gather(in)
	case vcode.Scatter:
		m.set.scatter(in)
	case vcode.Atomic, vcode.AtomicLocal:
		m.alone(in, func(lock bool) { m.set.atomic(in, lock) })
	case vcode.Spread:
		m.set.spreadLoad(in)
	case vcode.SlotLoad:
		m.set.slotLoad(in)
	case vcode.SlotStore:
		m.set.slotStore(in)
	}
}
