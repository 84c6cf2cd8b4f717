package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// function is the state of one function.
type function struct {
	*unit
	f         *ptx.Function
	number    int // in the program
	component int // of the graph of calls
	b         *ir.Builder
	top       *scope
	outer     *scope // around top: the registers of the module

	registers    []*register
	frame        []*symbol
	items        []item
	blocks       []block
	names        map[string]int // of the labels: the index of the item after each
	depth        int            // of the control tree
	counted      *CountedFunction
	cc           *register
	sure         ir.V               // with SanitizeUninit: whether all that the instruction has read has a value; 0 is yes
	bits, copied ir.V               // of the last operand: the shadow of each bit; of the result, 0 if it is no copy
	written      map[*register]bool // those with a value in the rest of the block
	guarded      bool               // the instruction has a guard
	loc          *ptx.Directive     // while instructions are listed: the last .loc
	saved        uint64             // 1 + the variable of the stack's bytes when the function began; 0 without alloca

	loopSteps       int            // of maxLoopSteps
	apart           bool           // its threads are independent (independent.go)
	all             int            // then the guide of its blocks
	around          int            // and the first block of its first spin loop
	gates           map[int]bool   // the items that begin a block because threads of the warp wait there; whether a barrier of the block is one
	numbers         map[int]uint32 // of the blocks in the guide
	spinning, alive uint64         // variables: whether the thread spins, and the threads of the warp that have not ended
	staying         uint64         // variable: those that stay at gates
	phase           uint64         // variable: the phase of the barrier that the thread waits at (partwait.go)
	awaited         uint64         // variable: those that gates wait for, none if only gates without a barrier of the block can open
}

// item is an instruction and the scope that its names are in.
type item struct {
	in    *ptx.Instr
	at    *scope
	parts []string       // of a video instruction: the selectors of its operands
	loc   *ptx.Directive // the last .loc before it; nil without one
	wide  bool           // its access of 128 bits is indivisible
}

// analyze lists the instructions and analyzes each name.
func (f *function) analyze() {
	f.outer = newScope(nil)
	f.top = newScope(f.outer)
	for _, v := range f.unit.registers {
		f.declare(f.outer, v)
	}
	f.names = map[string]int{}
	f.checkParameters()
	if f.number == 0 {
		for name, s := range f.params {
			f.top.symbols[name] = s
		}
	} else {
		for _, v := range append(f.f.Params[:len(f.f.Params):len(f.f.Params)], f.f.Results...) {
			f.parameter(v)
		}
	}
	f.flatten(f.f.Body, f.top)
	f.buildBlocks()
	f.countDefinitions()
	f.findEscapes()
	f.findOrigins()
}

// checkParameters checks the spaces of parameters and results.
func (f *function) checkParameters() {
	for _, v := range append(f.f.Params[:len(f.f.Params):len(f.f.Params)], f.f.Results...) {
		if v.Type == ".pred" && v.Space != ".reg" {
			unsupported(v.Pos, "the predicate %s as a parameter", v.Name)
		}
		if v.Space != ".param" && (v.Space != ".reg" || f.f.Entry) {
			malformed(v.Pos, "the parameter %s is in %s; must be in .param", v.Name, v.Space)
		}
	}
}

// place gives registers and variables their places in private memory.
func (f *function) place() {
	f.placeFrame()
	f.typeRegisters()
}

// lower makes the code of the function.
func (f *function) lower() *ir.Func {
	f.b = ir.NewFunc(f.f.Name, nil, nil)
	f.beginBlock()
	f.clear()
	if f.number > 0 {
		f.enter()
		f.saveStack()
	}
	f.structure()
	return f.b.Finish()
}

// parameter declares a parameter or a result of a device function. One in a register is a register and a frame variable, which
// calls access.
func (f *function) parameter(v *ptx.Variable) {
	if v.Space == ".reg" {
		if v.Count > 0 || v.Vector > len(components) {
			unsupported(v.Pos, "the list %s as a parameter", v.Name)
		}
		f.declare(f.top, v)
		f.frameOf(v) // has a place before the first call
		return
	}
	f.top.symbols[v.Name] = f.frameOf(v)
}

// frameOf returns the frame variable of a parameter or a result of a device function.
func (u *unit) frameOf(v *ptx.Variable) *symbol {
	x := u.frames[v]
	if x == nil {
		x = &symbol{decl: v, space: inFrame}
		u.order = append(u.order, x)
		u.frames[v] = x
	}
	return x
}

// slotsOf returns the slots of a variable. Each element of a vector in registers has slots of its own.
func slotsOf(v *ptx.Variable) uint32 {
	if v.Space == ".reg" && v.Vector > 1 {
		return uint32(v.Vector) * elementBytes(v) / 4
	}
	return uint32(v.Size()+3) / 4
}

// elementBytes returns the bytes in the frame of an element of a vector in registers.
func elementBytes(v *ptx.Variable) uint32 { return uint32(max(ptx.TypeSize(v.Type), 4)) }

const components = "xyzw" // of a vector register

// parts returns the names of the registers of a variable: its own, or one for each element of a vector.
func parts(v *ptx.Variable) []string {
	if v.Vector <= 1 {
		return []string{v.Name}
	}
	var list []string
	for _, c := range components[:v.Vector] {
		list = append(list, v.Name+"."+string(c))
	}
	return list
}

// enter copies the parameters in registers from the frame.
func (f *function) enter() {
	for _, v := range f.f.Params {
		if v.Space == ".reg" {
			f.sure, f.copied = 0, 0
			for i, name := range parts(v) {
				r := f.register(f.top, name)
				f.set(r, f.loadFrame(f.frameOf(v), uint64(i)*uint64(elementBytes(v)), bitsType(max(r.size, 1))))
			}
		}
	}
}

// leave copies the results in registers to the frame.
func (f *function) leave() {
	f.restoreStack()
	for _, v := range f.f.Results {
		if v.Space == ".reg" {
			f.sure, f.copied = 0, 0
			for i, name := range parts(v) {
				r := f.register(f.top, name)
				f.storeFrame(f.frameOf(v), uint64(i)*uint64(elementBytes(v)), f.as(f.get(r), bitsType(max(r.size, 1))))
			}
		}
	}
}

// flatten lists the instructions of a body with their scopes.
func (f *function) flatten(b *ptx.Block, s *scope) {
	for _, x := range b.Stmts { // a label may be used before it
		switch d := x.(type) {
		case *ptx.Directive:
			if d.Label != "" {
				s.labels[d.Label] = d
			}
		case *ptx.Variable:
			f.declare(s, d)
		}
	}
	for _, x := range b.Stmts {
		switch x := x.(type) {
		case *ptx.Label:
			if _, twice := f.names[x.Name]; twice {
				unsupported(x.Pos, "a second label %s in a function", x.Name)
			}
			f.names[x.Name] = len(f.items)
		case *ptx.Directive:
			if x.Name == ".loc" {
				f.loc = x
			}
		case *ptx.Instr:
			it := item{in: withHalves(x), at: s, loc: f.loc, wide: isStrongWide(x)}
			x = it.in
			if isVideo(x.Op) {
				it.in, it.parts = withoutSelectors(x)
			}
			if x.Op == "tex" {
				it.in = withBrackets(x)
			}
			if f.items = append(f.items, it); f.splits(it.in) {
				f.items = append(f.items, item{in: partWait(it.in), at: s, loc: f.loc})
			}
		case *ptx.Block:
			f.flatten(x, newScope(s))
		}
	}
}

// withBrackets returns a lookup in a texture with the texture and the coordinates in brackets, which the ISA does not require: "for
// compatibility with prior versions of PTX".
func withBrackets(in *ptx.Instr) *ptx.Instr {
	list := in.Operands
	if len(list) < 3 || list[1].Kind != ptx.Symbol {
		return in
	}
	x := *in
	address := &ptx.Operand{Pos: list[1].Pos, Kind: ptx.Address, Elems: list[1:3]}
	x.Operands = append([]*ptx.Operand{list[0], address}, list[3:]...)
	return &x
}

// placeFrame gives each .param and .local of the body a variable of its own, or a place in the local memory if its address is used
// in another way than for accesses.
func (f *function) placeFrame() {
	for _, s := range append(f.frame, f.order...) {
		if s.placed {
			continue
		}
		s.placed = true
		if s.escapes {
			s.space = inLocal
			s.offset = f.reserve(s.decl.Pos, s.decl.Size(), max(s.decl.Alignment(), 4)) // the alignment of a slot
			continue
		}
		s.number = f.variable(s.decl.Name, slotsOf(s.decl))
	}
}

// clear makes the registers 0: a variable that keeps values from call to call could not become values.
func (f *function) clear() {
	if f.number == 0 {
		return
	}
	for _, r := range f.registers {
		if r.typ != 0 && r.common == "" {
			f.b.OpAux(ir.PClr, 0, r.number)
			if f.following() {
				f.b.OpAux(ir.PClr, 0, f.shadowOf(r))
			}
		}
	}
}
