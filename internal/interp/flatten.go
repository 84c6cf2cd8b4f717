package interp

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// code is a program as a dense array of instructions: the functions that the
// entry point reaches, in sequence, the entry point first.
//
// Every value of every function has a register of its own (frames are static: no
// function is active twice), numbered from 0; register 0 belongs to no value and is
// always 0. The constants come first.
type code struct {
	insts  []inst
	regOf  [][]int  // by function and value
	consts []uint64 // the values of registers 1, 2, …
	regs   int
	sets   int // lane sets: one for each block and loop, two for each if
	temps  int // registers needed by the longest list of moves
	err    error

	barriers bool // there is an operation at which a subgroup waits
}

// inst is one instruction. Its handler defines the meaning of the fields.
type inst struct {
	run     handler
	op      ir.Op
	key     ir.Key
	eval    ir.Eval
	dst     int    // register of the result
	x, y, z int    // registers of the operands; 0 is none
	w       int    // register of the fourth operand
	set     int    // lane set of the label or if
	to      int    // index of the next instruction
	skip    int    // index of the next instruction at which A may grow: the target if A is empty
	moves   []move // of registers
	arms    []arm  // of a switch
	fn      int    // the function, and
	v       ir.V   // the value that this was made from
}

type handler func(s *subgroup, in *inst)

// move copies a register for the active lanes.
type move struct{ from, to int }

// arm is a case of a switch: the lanes with this value go to this set.
type arm struct {
	value uint64
	set   int
}

// laneBytes returns the size of a subgroup's state for one lane.
func (c *code) laneBytes() uint64 { return 8*uint64(c.regs+c.temps) + 16*uint64(c.sets)/4 }

// reachable returns the numbers of the functions that the entry point calls,
// itself first. The error reports a function that may call itself.
func reachable(p *ir.Program) ([]int, error) {
	const (
		unseen = iota
		open   // being walked
		closed
	)
	state := make([]uint8, len(p.Funcs))
	type frame struct{ fn, at int }
	var order []int
	stack := []frame{{0, 0}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		f := p.Funcs[top.fn]
		if top.at == 0 {
			state[top.fn] = open
			order = append(order, top.fn)
		}
		for top.at < len(f.Code) && f.Val(f.Code[top.at]).Op != ir.Call {
			top.at++
		}
		if top.at == len(f.Code) {
			state[top.fn] = closed
			stack = stack[:len(stack)-1]
			continue
		}
		call := f.Code[top.at]
		top.at++
		switch callee := f.Callee(call); state[callee] {
		case unseen:
			stack = append(stack, frame{callee, 0})
		case open:
			return nil, &exec.UnsupportedError{
				Engine:  name,
				Feature: fmt.Sprintf("recursion: %q calls %q, which is active", f.Name, p.Funcs[callee].Name),
				Origin:  f.Val(call).Origin,
			}
		}
	}
	return order, nil
}

// region is an open block, loop or if while flattening.
type region struct {
	opener ir.V
	at     int   // index of the opener's instruction
	inside []int // instructions of the open arm whose skip is the arm's end
}

// flattener makes code.
type flattener struct {
	*code
	p     *ir.Program
	entry []int // by function: its first instruction
	calls []int // indexes of the calls: their targets are known last
	stop  func() error

	fn   int
	f    *ir.Func
	set  map[ir.V]int // of the labels of f
	open []region
}

// stopInterval is the number of operations for each call of a stop function.
const stopInterval = 1 << 10

// flatten makes the code of the functions in order. It polls stop; its error becomes
// that of the code.
func flatten(p *ir.Program, order []int, stop func() error) *code {
	c := &flattener{code: &code{regs: 1, regOf: make([][]int, len(p.Funcs))}, p: p, entry: make([]int, len(p.Funcs)), stop: stop}
	for _, fn := range order {
		c.regOf[fn] = make([]int, len(p.Funcs[fn].Vals))
	}
	c.number(order, true)
	c.number(order, false)
	for _, fn := range order {
		c.function(fn)
		if c.err != nil {
			return c.code
		}
	}
	for _, at := range c.calls {
		in := &c.insts[at]
		in.to = c.entry[c.p.Funcs[in.fn].Callee(in.v)]
	}
	return c.code
}

// number assigns registers to the values that are constants, or to the others.
func (c *flattener) number(order []int, consts bool) {
	for _, fn := range order {
		for v, x := range c.p.Funcs[fn].Vals {
			if v == 0 || (x.Op == ir.Const) != consts || !hasReg(x.Op) {
				continue
			}
			if consts {
				c.consts = append(c.consts, x.Aux)
			}
			c.regOf[fn][v] = c.regs
			c.regs++
		}
	}
}

func hasReg(op ir.Op) bool { return op.Is(ir.Implicit) || op.HasResult() }

func (c *flattener) function(fn int) {
	c.fn, c.f, c.set = fn, c.p.Funcs[fn], map[ir.V]int{}
	c.entry[fn] = len(c.insts)
	for i, v := range c.f.Code {
		if i%stopInterval == 0 && c.err == nil {
			c.err = c.stop()
		}
		if c.err != nil {
			return
		}
		c.value(v)
	}
}

// emit appends an instruction made from v, inside the innermost region.
func (c *flattener) emit(v ir.V, in inst) int {
	at := len(c.insts)
	in.fn, in.v = c.fn, v
	if n := len(c.open); n > 0 {
		c.open[n-1].inside = append(c.open[n-1].inside, at)
	}
	c.insts = append(c.insts, in)
	return at
}

func (c *flattener) value(v ir.V) {
	x := c.f.Val(v)
	switch x.Op {
	case ir.Block, ir.Loop, ir.If:
		c.enter(v)
	case ir.Else:
		c.elseArm(v)
	case ir.End:
		c.leave(v)
	case ir.Br:
		label := x.Args[0]
		c.emit(v, inst{run: (*subgroup).br, set: c.set[label], moves: c.moves(c.f.BrArgs(v), c.f.Params(label))})
	case ir.Switch:
		c.switchOf(v)
	case ir.Call:
		c.call(v)
	default:
		c.operation(v)
	}
}

// moves pairs registers, within the function.
func (c *flattener) moves(from, to []ir.V) []move {
	list := make([]move, len(from))
	for i := range from {
		list[i] = move{c.regOf[c.fn][from[i]], c.regOf[c.fn][to[i]]}
	}
	c.temps = max(c.temps, len(list))
	return list
}

func (c *flattener) enter(v ir.V) {
	x := c.f.Val(v)
	in := inst{run: handlers[x.Op], set: c.sets}
	c.set[v] = c.sets
	c.sets++
	switch x.Op {
	case ir.Loop:
		in.moves = c.moves(c.f.Inits(v), c.f.Params(v))
	case ir.If:
		in.x = c.regOf[c.fn][x.Args[0]]
		c.sets++
	}
	c.open = append(c.open, region{opener: v, at: c.emit(v, in)})
}

// close sets the target of the open arm's instructions for an empty A.
func (c *flattener) close(r *region, at int) {
	for _, i := range r.inside {
		c.insts[i].skip = at
	}
	r.inside = nil
}

func (c *flattener) elseArm(v ir.V) {
	r := &c.open[len(c.open)-1]
	at := len(c.insts)
	c.close(r, at)
	c.emit(v, inst{run: (*subgroup).elseArm, set: c.set[r.opener]})
	c.insts[r.at].to = at
}

// leave emits the end of the innermost region, as seen from the one around it.
func (c *flattener) leave(v ir.V) {
	n := len(c.open) - 1
	r := c.open[n]
	at := len(c.insts)
	c.close(&r, at)
	c.open = c.open[:n]
	in := inst{set: c.set[r.opener]}
	switch opener := c.f.Val(r.opener); {
	case n == 0:
		in.run = (*subgroup).endFunc
		in.to = c.fn
	case opener.Op == ir.Block:
		in.run = (*subgroup).endBlock
	case opener.Op == ir.Loop:
		in.run = (*subgroup).endLoop
		in.to = r.at + 1
		v = r.opener // a budget error names the loop
	default:
		in.run = (*subgroup).endIf
		if c.insts[r.at].to == 0 {
			c.insts[r.at].to = at // no else
		}
	}
	c.emit(v, in)
}

func (c *flattener) switchOf(v ir.V) {
	x := c.f.Val(v)
	cases := c.f.Cases(v)
	in := inst{run: (*subgroup).switchOf, x: c.regOf[c.fn][x.Args[0]], set: c.set[x.Args[1]]}
	for i := 0; i < len(cases); i += 2 {
		in.arms = append(in.arms, arm{c.f.Val(cases[i]).Aux, c.set[cases[i+1]]})
	}
	c.emit(v, in)
}

// call emits two instructions: one that goes to the callee with the arguments,
// and one at the return address that receives the results.
func (c *flattener) call(v ir.V) {
	callee := c.f.Callee(v)
	g := c.p.Funcs[callee]
	enter, leave := inst{run: (*subgroup).call, set: callee}, inst{run: (*subgroup).result}
	for i, a := range c.f.CallArgs(v) {
		enter.moves = append(enter.moves, move{c.regOf[c.fn][a], c.regOf[callee][g.Args[i]]})
	}
	for i, r := range c.f.CallResults(v) {
		leave.moves = append(leave.moves, move{c.regOf[callee][g.Results()[i]], c.regOf[c.fn][r]})
	}
	c.temps = max(c.temps, len(enter.moves), len(leave.moves))
	c.calls = append(c.calls, c.emit(v, enter))
	c.emit(v, leave)
}

// operation emits an operation that is neither control flow nor a call.
func (c *flattener) operation(v ir.V) {
	x := c.f.Val(v)
	in := inst{run: handlers[x.Op], op: x.Op, key: c.f.Key(v), eval: x.Op.Row().Eval}
	if in.eval != nil {
		in.run = valueHandler(in.key)
	}
	if in.run == nil && c.err == nil {
		c.err = &exec.UnsupportedError{Engine: name, Feature: "operation " + x.Op.String(), Origin: x.Origin}
	}
	if x.Op.Is(ir.Combine) {
		in.eval = ir.Op(x.Aux & 0xff).Row().Eval
	}
	c.barriers = c.barriers || x.Op == ir.Barrier
	regs := [4]int{}
	for i := range x.Op.Args() {
		regs[i] = c.regOf[c.fn][x.Args[i]]
	}
	in.x, in.y, in.z, in.w = regs[0], regs[1], regs[2], regs[3]
	in.dst = c.regOf[c.fn][v]
	c.emit(v, in)
}
