package amd64

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Reserved registers in compiled code: R15 holds the Context, R14 the record of the subgroup, R13 the
// handle table, R12 the workgroup memory, RSP the frame. operand.go lists the allocatable registers.

// machine compiles one program.
//
// A program is one unit: all functions, the stubs and the constants are in one block of code, with
// distances known at compile time. Positions are labels of Asm, so that no function needs an address
// before Finish.
type machine struct {
	Asm
	set          selection
	prog         *ir.Program
	level        target.Level
	features     target.Feature
	funcs        []*vcode.Func
	frames       []frame
	record       target.Record
	layout       target.HandleLayout
	writeOnly    []bool         // of each resource: the program only stores to it, so that nontemporal stores are permitted; nil if never
	privatizable []target.Tally // of each resource: PrivatizableAtomics
	sites        []target.Site
	data         int      // offset of the constants in the code
	bases        []uint32 // first slot of each variable (ir.Program.VarBase)

	allocated int // number of functions with a frame
	facts     codegen.Facts

	entries []Label // entry of each function
	service Label   // service stub: exits for the site in EAX
	barrier Label   // barrier stub: switches to the next subgroup
	yield   Label   // yield stub: exits as Polled for the site in EAX, preserves all registers

	literals       literals
	slowPaths      []func()        // emit out-of-line code at the end of the function
	slowPathOwners []slowPathOwner // of each slow path
	marks          []target.Mark   // in code order

	// State of the current function.
	f              *vcode.Func
	frame          frame
	blocks         []Label
	nextRecordCopy int32 // offset of the next copy of a record
}

// selection is the instruction selector of a level: the code that depends on the vector width and
// the representation of masks. zmm implements it for AVX-512, ymm for AVX2. An interface costs an
// indirect call per vcode instruction at compile time, and nothing in the code.
type selection interface {
	machineFor(f *vcode.Func) *regalloc.Machine
	native(in *vcode.Inst) bool            // it needs no exit to Go
	lane(in *vcode.Inst)                   // Lane and Strip
	copy(in *vcode.Inst)                   // Copy
	roundToHalf(in *vcode.Inst, near bool) // fusedRoundHalf; near: of a smallSum
	widenHalf(in *vcode.Inst, high bool)   // fusedWordHalf
	weighBytes(in *vcode.Inst)             // fusedWeighBytes
	byteWeights(in *vcode.Inst)            // fusedByteWeights
	multiplySubtract(in *vcode.Inst)       // fusedNegMulAdd and fusedMulSub
	maskOp(in *vcode.Inst)                 // And, AndNot and Or
	testMasks(masks []vcode.Reg)           // sets the zero flag if all masks are empty
	toMemory(to Mem, r vcode.Reg)          // from a physical register, stack slot or constant
	fromMemory(r vcode.Reg, from Mem)
	initial(to Mem, part int)      // the mask of the lanes that have an invocation
	clear(r Reg, off int32, n int) // zeros n bytes, a multiple of 64; may change r

	// Operations of vcode with similar names.
	broadcastGen(in *vcode.Inst) // Broadcast
	extract(in *vcode.Inst)
	firstWide(g Reg, u vcode.Reg) // g = lane 0 of a Wide
	stridedLoad(in *vcode.Inst)
	stridedStore(in *vcode.Inst)
	gather(in *vcode.Inst)
	tableLookup(in *vcode.Inst)
	slide(in *vcode.Inst)
	scatter(in *vcode.Inst)
	atomic(in *vcode.Inst, lock bool)
	floatAtomic(in *vcode.Inst)
	broadcastLoad(in *vcode.Inst) // BroadcastLoad
	slotLoads(list []vcode.Inst)
	slotStores(list []vcode.Inst)
}

// builder implements target.Builder.
type builder struct{ m machine }

// NewBuilder returns a builder for a program without functions. AVX2 sets vexOnly: an EVEX instruction by
// mistake is a panic at compile time instead of an illegal instruction at run time.
func (t Target) NewBuilder(p *ir.Program, level target.Level, extras target.Feature) target.Builder {
	d := &builder{machine{prog: p, level: level, features: extras, record: t.Record(p, level), layout: target.HandleLayoutOf(p), writeOnly: target.WriteOnlyResources(p), privatizable: target.PrivatizableAtomics(p)}}
	m := &d.m
	m.set = zmm{m}
	if level == target.AVX2 {
		m.set, m.vexOnly = ymm{m}, true
	}
	m.bases = codegen.VarBases(p)
	return d
}

// Add adds vectorized functions of the program, the entry point first. The callees of a function
// must be added with it or before. The order lets a frame reserve the outgoing area for its callees
// (frame.calls).
func (d *builder) Add(funcs ...*vcode.Func) {
	for _, f := range funcs {
		var fr frame
		var end int32
		fr.args, end = regalloc.Layout(f.Form, f.Args, 0)
		fr.results, fr.outgoing = regalloc.Layout(f.Form, f.Results, end)
		d.m.funcs, d.m.frames = append(d.m.funcs, f), append(d.m.frames, fr)
	}
}

// Spilled returns two shares of vector operands in memory in the entry point (regalloc.Allocation), and
// false if a subgroup would need more than MaxStack: with the registers that every function can spare, and
// with all that this one can spare.
func (d *builder) Spilled() (usual, best float32, ok bool) {
	ok = d.m.allocateFrames(1)
	return d.m.frames[0].spilled, d.m.frames[0].left, ok
}

// Code returns the machine code of all functions. It returns false if a subgroup would need more than
// MaxStack.
func (d *builder) Code() (*target.Code, bool) {
	m := &d.m
	if !m.allocateFrames(len(m.funcs)) {
		return nil, false
	}
	for attempt := 1; ; attempt++ {
		conflicts := m.emit()
		if len(conflicts) == 0 {
			break
		}
		for _, i := range conflicts {
			if !m.allocate(i, attempt) {
				return nil, false
			}
		}
	}
	depth := codegen.Depth(m.funcs, func(i int) int64 { return int64(m.frames[i].Size) + 64 }) // with return address and padding
	depth += 256 + yieldBytes                                                                  // the call of Funcs[0], and the pushes of the stubs
	if depth > target.MaxStack {
		return nil, false
	}
	return &target.Code{Level: m.level, Bytes: m.Finish(), Marks: m.marks, Data: m.data, Funcs: codegen.NamesOf(m.funcs), Sites: m.sites, StackBytes: int(depth), Record: m.record}, true
}

// varBase returns the first slot of a variable.
func (m *machine) varBase(v int) uint32 { return m.bases[v] }

// emit generates all code from the start. It returns the functions with a conflict of scratch and values
// (sharing); Code then allocates them again and retries, a few times at most.
func (m *machine) emit() (conflicts []int) {
	m.Reset()
	m.sites, m.marks = nil, m.marks[:0]
	m.expect()
	m.mark(target.SharedCode, nil)
	m.literals = literals{labels: map[literal]Label{}}
	m.entries = m.entries[:0]
	for range m.funcs {
		m.entries = append(m.entries, m.NewLabel())
	}
	m.dispatcher()
	for i := range m.funcs {
		if !m.function(i) {
			conflicts = append(conflicts, i)
		}
	}
	m.mark(target.SharedCode, nil)
	m.data = len(m.Code)
	m.emitLiterals()
	return conflicts
}

// expect grows the code buffer to its likely size. A reallocation would copy the whole code. The
// marks are about one per instruction, and some for slow paths.
func (m *machine) expect() {
	n := 0
	for _, f := range m.funcs {
		n += f.Len()
	}
	m.Code = slices.Grow(m.Code, commonBytes+instBytes*n)
	m.marks = slices.Grow(m.marks, n+n/4+2)
}

// Average code size of a vcode instruction, and of the code that all programs share, in bytes.
const (
	instBytes   = 24
	commonBytes = 1 << 10
)

// function emits the i-th function, and after it its slow paths. It returns false after a conflict of
// scratch and values (sharing).
//
// The prologue is one subtraction, and no register is saved: none survives a call, so callers spill
// their live values. Slow paths come after the function, so that the usual path is contiguous in the
// instruction cache. A slow path may itself add slow paths; the loop runs until there are none.
func (m *machine) function(i int) bool {
	m.f, m.frame, m.named = m.funcs[i], m.frames[i], 0
	m.nextRecordCopy = m.frame.recordCopies
	m.blocks = m.blocks[:0]
	for range m.f.Blocks {
		m.blocks = append(m.blocks, m.NewLabel())
	}
	m.Align(16)
	m.Bind(m.entries[i])
	m.mark(i, nil)
	m.GI(SubI, true, RSP, m.frame.Size+56)
	for _, far := range []bool{false, true} {
		at := 0 // number of the instruction in the function
		for b := range m.f.Blocks {
			if x := &m.f.Blocks[b]; x.Far == far {
				m.block(i, b, at)
			}
			at += len(m.f.Blocks[b].Insts)
		}
	}
	for len(m.slowPaths) > 0 {
		list, owners := m.slowPaths, m.slowPathOwners
		m.slowPaths, m.slowPathOwners = nil, nil
		for j, do := range list {
			m.mark(i, owners[j].in)
			do()
			m.attribute(owners[j])
		}
	}
	return !m.frame.sharing.conflict
}

// block emits block b of the i-th function, whose first instruction has the number at in the function. Blocks that rarely run come after
// all others: the slow paths of control flow.
func (m *machine) block(i, b, at int) {
	m.Bind(m.blocks[b])
	list := m.f.Blocks[b].Insts
	next := b + 1
	for next < len(m.f.Blocks) && m.f.Blocks[next].Far != m.f.Blocks[b].Far {
		next++
	}
	apart := next != b+1 && b+1 < len(m.f.Blocks) // the block after it in the code is not the next one of the function
	for insts := list; len(insts) > 0; {
		m.f.Form.Arena.Poll()
		in, n := &insts[0], 1
		if apart && in.Op == vcode.JumpIfNone && in.Target == next && len(insts) == 1 { // over a block that rarely runs: no jump is usual
			m.mark(i, in)
			m.set.testMasks(in.Masks)
			m.Jcc(NotEqual, m.blocks[b+1])
			m.attribute(slowPathOwner{in, at, n})
			return
		}
		// A jump to the next block, as the last instruction, is a fall-through.
		if in.Op != vcode.Jump || in.Target != next || len(insts) > 1 {
			m.mark(i, in)
			n = m.insts(insts)
			m.attribute(slowPathOwner{in, at, n})
		}
		at += n
		insts = insts[n:]
	}
	ended := len(list) > 0 && (list[len(list)-1].Op == vcode.Jump || list[len(list)-1].Op == vcode.Return)
	if apart && !ended {
		m.Jmp(m.blocks[b+1])
	}
}

// insts emits the first instruction of a list, or more that are faster as one. It returns their number.
func (m *machine) insts(list []vcode.Inst) int {
	if n := m.batchSize(list); n > 1 {
		m.halfMulAdds(list[:n])
		return n
	}
	if n := m.storeRun(list); n > 1 {
		m.wideStrideStores(list[:n])
		return n
	}
	if n := m.recordRun(list); n > 1 {
		if y, ok := m.set.(ymm); ok {
			y.recordAccesses(list[:n])
		} else {
			m.wideRecordLoads(list[:n]) // stores have formed runs above
		}
		return n
	}
	if n := m.slotRun(list); n > 0 {
		if list[0].Op == vcode.SlotLoad {
			m.set.slotLoads(list[:n])
		} else {
			m.set.slotStores(list[:n])
		}
		return n
	}
	m.inst(&list[0])
	return 1
}

// inst emits one instruction.
func (m *machine) inst(in *vcode.Inst) {
	switch in.Op {
	// An undefined value is the old content of its register.
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
		m.waitAtBarrier(in)
	case vcode.Step:
		m.safepoint(in)
	case vcode.Jump:
		m.Jmp(m.blocks[in.Target])
	case vcode.JumpIfNone:
		m.set.testMasks(in.Masks)
		m.Jcc(Equal, m.blocks[in.Target])
	case vcode.JumpIfZero:
		m.jumpIfZero(in)
	case vcode.Own:
		m.fused(in)
	case vcode.Guard:
		m.guard(in)
	case vcode.Return:
		m.GI(AddI, true, RSP, m.frame.Size+56)
		m.Ret()
	default:
		m.special(in)
	}
}

// incoming returns the memory at an offset in the caller's outgoing area. The frame is below the
// return address, 8 bytes, and 56 bytes of padding.
func (m *machine) incoming(off int32) Mem { return At(RSP, m.frame.Size+64+off) }

// special emits instructions on general registers and accesses with a known pattern of addresses.
func (m *machine) special(in *vcode.Inst) {
	switch in.Op {
	case vcode.Scalar:
		m.scalar(in)
	case vcode.Broadcast:
		m.set.broadcastGen(in)
	case vcode.Extract:
		m.set.extract(in)
	case vcode.InputBase:
		m.inputBase(in)
	case vcode.BoundsCheck:
		m.hoistedBoundsCheck(in, target.HandleLength)
	case vcode.StoreBoundsCheck:
		m.hoistedBoundsCheck(in, target.HandleWrites)
	case vcode.TwoRuns:
		m.twoRuns(in)
	case vcode.TwoRunsCheck:
		m.twoRunsCheck(in, target.HandleLength)
	case vcode.StoreTwoRunsCheck:
		m.twoRunsCheck(in, target.HandleWrites)
	case vcode.Window:
		m.window(in)
	case vcode.LinearEnd:
		m.linearEnd(in)
	case vcode.LaunchLoad:
		d := m.resultReg(in)
		m.GRM(MOV|W, d, arg(target.ArgLaunch+int(in.Key.Aux)))
		m.storeGen(in.Defs[0], d)
	case vcode.LaunchStore:
		m.GRM(MOV_ST|W, m.gen(in.Uses[0], RAX), arg(target.ArgLaunch+int(in.Key.Aux)))
	case vcode.StridedBase:
		m.stridedBase(in)
	case vcode.StridedLoad:
		m.set.stridedLoad(in)
	case vcode.StridedStore:
		m.set.stridedStore(in)
	case vcode.Gather:
		m.set.gather(in)
	case vcode.TableLookup:
		m.set.tableLookup(in)
	case vcode.Slide:
		m.set.slide(in)
	case vcode.Scatter:
		m.set.scatter(in)
	case vcode.Atomic, vcode.AtomicLocal:
		m.atomicOrPrivate(in, func(lock bool) { m.set.atomic(in, lock) })
	case vcode.BroadcastLoad:
		m.set.broadcastLoad(in)
	}
}
