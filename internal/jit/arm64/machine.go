package arm64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Reserved registers in compiled code. The platform has X18, and Go's signal handlers find the goroutine in X28.
const (
	ctx     = X19 // the Context
	record  = X20 // the record of the subgroup
	handles = X21 // the handle table
	shared  = X22 // the workgroup memory
	address = X16 // scratch of Asm.Access
	scratch = X17 // scratch of constants
)

// machine compiles one program: one block of code with all functions, the stubs and the constants. Positions are labels of Asm, so that
// no function needs an address before Finish.
type machine struct {
	Asm
	prog   *ir.Program
	funcs  []*vcode.Func
	frames []frame
	record target.Record
	layout target.HandleLayout
	sites  []target.Site
	data   int      // offset of the constants in the code
	bases  []uint32 // first slot of each variable (ir.Program.VarBase)

	allocated int // number of functions with a frame
	facts     codegen.Facts

	entries []Label // entry of each function
	service Label   // service stub: exits for the site in X0
	barrier Label   // barrier stub: switches to the next subgroup
	yield   Label   // yield stub: exits as Polled for the site in X0, preserves all registers

	remainder Label // the function of remainderRoutine; 0 if no code calls it

	literals  literals
	slowPaths []slowPath // out-of-line code at the end of the function
	marks     []target.Mark

	// State of the current function.
	f              *vcode.Func
	frame          frame
	blocks         []Label
	nextRecordCopy int64 // offset of the next copy of a record
}

// slowPath is out-of-line code of an instruction.
type slowPath struct {
	in   *vcode.Inst
	emit func()
}

// builder compiles a program. Functions may be added until Code.
type builder struct{ m machine }

func newBuilder(p *ir.Program) *builder {
	b := &builder{machine{prog: p, record: recordOf(p), layout: target.HandleLayoutOf(p)}}
	b.m.bases = codegen.VarBases(p)
	return b
}

// Add adds vectorized functions of the program, the entry point first. The callees of a function must be added with it or before: the
// frame reserves the outgoing area for its callees (frame.calls).
func (b *builder) Add(funcs ...*vcode.Func) {
	for _, f := range funcs {
		var fr frame
		var end int32
		fr.args, end = regalloc.Layout(f.Form, f.Args, 0)
		fr.results, fr.outgoing = regalloc.Layout(f.Form, f.Results, end)
		b.m.funcs, b.m.frames = append(b.m.funcs, f), append(b.m.frames, fr)
	}
}

// Spilled returns the share of vector operands in memory in the entry point, twice, as every function has all registers.
func (b *builder) Spilled() (usual, best float32, ok bool) {
	ok = b.m.allocateFrames(1)
	return b.m.frames[0].spilled, b.m.frames[0].spilled, ok
}

// Code returns the machine code of all functions. It returns false if a subgroup would need more than MaxStack. If the code is too long
// for the distances of conditional jumps and literals, it is made again with long ones.
func (b *builder) Code() (*target.Code, bool) {
	m := &b.m
	if !m.allocateFrames(len(m.funcs)) {
		return nil, false
	}
	depth := codegen.Depth(m.funcs, func(i int) int64 { return m.frames[i].size() }) + int64(m.outgoing()) + stubBytes
	if depth > target.MaxStack {
		return nil, false
	}
	m.emitProgram()
	if len(m.Asm.Code) > maxNear {
		m.far = true
		m.emitProgram()
	}
	return &target.Code{Level: target.NEON, Bytes: m.Finish(), Marks: m.marks, Data: m.data, Funcs: codegen.NamesOf(m.funcs), Sites: m.sites,
		StackBytes: int(depth), Record: m.record}, true
}

// emitProgram generates all code from the start.
func (m *machine) emitProgram() {
	m.Reset()
	m.sites, m.marks = nil, m.marks[:0]
	m.mark(target.SharedCode, nil)
	m.literals = literals{labels: map[[4]uint32]Label{}}
	m.entries = m.entries[:0]
	for range m.funcs {
		m.entries = append(m.entries, m.NewLabel())
	}
	m.remainder = 0
	m.dispatcher()
	for i := range m.funcs {
		m.function(i)
	}
	if m.remainder != 0 {
		m.remainderRoutine()
	}
	m.mark(target.SharedCode, nil)
	m.Align(16)
	m.data = len(m.Asm.Code)
	m.emitLiterals()
}

// mark records the origin of the code from here on: an instruction of function f, or of the function itself.
func (m *machine) mark(f int, in *vcode.Inst) {
	m.marks = append(m.marks, target.MarkAt(len(m.Asm.Code), f, in))
}

// function emits the i-th function, and after it its slow paths. No register survives a call, so callers spill their live values, and
// the prologue saves only the return address.
func (m *machine) function(i int) {
	m.f, m.frame = m.funcs[i], m.frames[i]
	m.nextRecordCopy = m.frame.recordCopies
	m.blocks = m.blocks[:0]
	for range m.f.Blocks {
		m.blocks = append(m.blocks, m.NewLabel())
	}
	m.Bind(m.entries[i])
	m.mark(i, nil)
	m.plus(SP, SP, -m.frame.size())
	m.Access(STRX, LR, At(SP, m.frame.size()-frameTop), address)
	for b := range m.f.Blocks {
		m.Bind(m.blocks[b])
		insts := m.f.Blocks[b].Insts
		for j := range insts {
			m.f.Form.Arena.Poll()
			// A jump to the next block, as the last instruction, is a fall-through.
			if in := &insts[j]; in.Op != vcode.Jump || in.Target != b+1 || j < len(insts)-1 {
				m.mark(i, in)
				m.inst(in)
			}
		}
	}
	for len(m.slowPaths) > 0 { // a slow path may add others
		list := m.slowPaths
		m.slowPaths = nil
		for _, s := range list {
			m.mark(i, s.in)
			s.emit()
		}
	}
}

// outOfLine adds a slow path.
func (m *machine) outOfLine(in *vcode.Inst, emit func()) {
	m.slowPaths = append(m.slowPaths, slowPath{in, emit})
}

// leave pops the frame, and restores the return address.
func (m *machine) leave() {
	m.Access(LDRX, LR, At(SP, m.frame.size()-frameTop), address)
	m.plus(SP, SP, m.frame.size())
}

// inst emits one instruction.
func (m *machine) inst(in *vcode.Inst) {
	switch in.Op {
	case vcode.Undef: // the old content of its register
	case vcode.Copy:
		m.copy(in)
	case vcode.And, vcode.AndNot, vcode.Or:
		m.maskOp(in)
	case vcode.Lane, vcode.Strip:
		m.lane(in)
	case vcode.Arg:
		m.fromMemory(in.Defs[0], m.incoming(m.frame.args[in.Key.Aux]))
	case vcode.SetResult:
		m.toMemory(m.incoming(m.frame.results[in.Key.Aux]), in.Uses[0])
	case vcode.Call:
		m.call(in)
	case vcode.Barrier:
		m.waitAtBarrier(in)
	case vcode.Step:
		m.safepoint(in)
	case vcode.Jump:
		m.B(m.blocks[in.Target])
	case vcode.JumpIfNone:
		m.jumpIfNone(in.Masks, m.blocks[in.Target])
	case vcode.JumpIfZero:
		m.jumpIfZero(in)
	case vcode.Guard:
		m.guard(in)
	case vcode.Return:
		m.leave()
		m.emit(Insn{Op: RET})
	default:
		m.special(in)
	}
}

// incoming returns the memory at an offset in the caller's outgoing area, which is above the frame.
func (m *machine) incoming(off int32) Mem { return At(SP, m.frame.size()+int64(off)) }

// special emits instructions on general registers and accesses with a known pattern of addresses.
func (m *machine) special(in *vcode.Inst) {
	switch in.Op {
	case vcode.Scalar:
		m.scalar(in)
	case vcode.Broadcast:
		m.broadcast(in)
	case vcode.Extract:
		m.extract(in)
	case vcode.InputBase:
		m.storeGen(in.Defs[0], m.firstLane(m.prog.In[in.Key.Aux].Semantic, in))
	case vcode.BoundsCheck:
		m.hoistedBoundsCheck(in, target.HandleLength)
	case vcode.StoreBoundsCheck:
		m.hoistedBoundsCheck(in, target.HandleWrites)
	case vcode.LinearEnd:
		m.linearEnd(in)
	case vcode.StridedBase:
		m.stridedBase(in)
	case vcode.StridedLoad:
		m.stridedLoad(in)
	case vcode.StridedStore:
		m.stridedStore(in)
	case vcode.Gather:
		m.gather(in)
	case vcode.Own:
		m.fused(in)
	case vcode.TableLookup:
		m.tableLookup(in)
	case vcode.Slide:
		m.slide(in)
	case vcode.Scatter:
		m.scatter(in)
	case vcode.Atomic, vcode.AtomicLocal:
		m.atomic(in)
	case vcode.BroadcastLoad:
		m.broadcastLoad(in)
	case vcode.SlotLoad:
		m.slotLoad(in)
	case vcode.SlotStore:
		m.slotStore(in)
	default: // TwoRuns and Window need another register model
		panic("arm64: no code for " + in.Op.String())
	}
}

// native reports whether an instruction needs no exit to Go.
func native(in *vcode.Inst) bool {
	if in.Op == vcode.Strip {
		return groupNative(in)
	}
	return in.Op == vcode.Lane && ruleOf(in.IR, in.Key) != nil
}

// lane emits an IR operation: by its rule, or as a service call that is skipped if no lane is active.
func (m *machine) lane(in *vcode.Inst) {
	if native(in) && in.Op == vcode.Strip {
		groups[in.IR](m, in)
		return
	}
	if native(in) {
		m.rounding(in, func() { ruleOf(in.IR, in.Key)(m, in) })
		return
	}
	skip := m.NewLabel()
	m.jumpIfNone(in.Masks, skip)
	if in.IR == ir.LogEvent { // an event without effect has the word 0
		m.loadX(X0, ctxArg(target.ArgHeeded))
		m.loadW(X0, At(X0, 4*int64(in.Key.Aux)))
		m.BZero(CBZ|W, X0, skip)
	}
	m.callService(in)
	m.Bind(skip)
}

// rounding emits an operation that rounds toward zero between two writes of FPCR. Few operations do.
func (m *machine) rounding(in *vcode.Inst, emit func()) {
	cuts := in.Key.Flags&ir.RTZ != 0 && in.IR.Is(ir.Rounds)
	if cuts {
		m.MovI(X0, towardZero)
		m.emit(Insn{Op: WRITEFPCR, D: X0})
	}
	emit()
	if cuts {
		m.emit(Insn{Op: WRITEFPCR, D: ZR})
	}
}

// towardZero is the rounding mode of FPCR for rounding toward zero. FPCR is 0 otherwise: to nearest even, denormals are preserved, and no
// exception traps; the IR has no floating-point modes.
const towardZero = 3 << 22

// clobbers reports whether an instruction preserves no register. An exit to Go preserves nothing, so every live value is in its stack
// slot across such an instruction.
func clobbers(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.Call, vcode.Barrier:
		return true
	case vcode.Lane, vcode.Strip:
		return !native(in)
	}
	return false
}
