package ptxlower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// Threads of a warp that make progress independently (PTX ISA, "Independent Thread Scheduling", for targets from sm_70 on). In a function
// with a spin loop a thread must not wait at a merge for another one that spins until it goes on (ElTantawy and Aamodt 2016). So a guide
// (reduce.go) has all blocks:
//
//	loop g {                one iteration: each thread executes the block that its variable names, and chooses the next one
//	  the warp's threads    of them all, those that have not ended
//	  block 1 … block n     each with the threads that are there, one block after the other
//	}
//
// Every thread executes one block in each iteration, so that all make progress, whichever waits for which. Threads that come to a block in
// the same iteration execute it together. An instruction that the threads of a mask execute together (.sync) begins a block, its gate: threads
// stay there until all of the mask are there or have ended. A thread may also meet others at another instruction of the same kind, and a function
// with gates may be called for a part of the warp: if all threads of the warp stay at gates, those that cannot wait for a whole warp open.
//
// If all threads of a warp spin or stay at a gate, the other warps of the block run: a warp on an older target does so in each iteration of a
// spin loop. A function with a spin loop takes the place of its calls (inline.go). The threads of one that does not, because the kernel calls it
// through a pointer for example, are independent until they return.

// findSpins finds the functions with spin loops, and makes their threads independent if the target has such threads.
func (u *unit) findSpins() {
	var gates, whole map[string]bool // functions; a call of one of gates is a gate
	spins := false
	for _, f := range u.list {
		if f.ofHeap(f.f) || !f.markSpins() && !f.waitsInParts() {
			continue
		}
		if spins = true; !independent(u.module.Target) {
			continue
		}
		if gates == nil {
			gates, whole = u.callersOf(isGate), u.callersOf(isWhole)
		}
		f.findGates(gates, whole)
		f.makeIndependent()
	}
	if spins && !u.yields {
		u.placeWaits()
	}
}

// makeIndependent adds the guide of all blocks that threads may reach at different times: those that follow a branch or have several
// predecessors, and gates. Block 0 is empty, so that no edge goes there.
func (f *function) makeIndependent() {
	f.apart, f.blocks = true, nil
	f.phase = f.variable("phase of a barrier", 1)
	f.buildBlocks()
	f.markSpins()
	n := len(f.blocks)
	f.blocks = append(f.blocks, f.blocks[0])
	f.blocks[0] = block{succs: []int{n}}
	several := make([]int, n+1)
	for i := range f.blocks {
		b := &f.blocks[i]
		for k, s := range b.succs {
			if s == 0 {
				b.succs[k] = n
			}
			if several[b.succs[k]]++; b.end != jumps {
				several[b.succs[k]]++
			}
		}
	}
	f.findAround()
	f.numbers = map[int]uint32{}
	var entries []int
	for v := range f.blocks {
		if several[v] > 1 || f.hasGate(v) {
			f.numbers[v] = uint32(len(entries))
			entries = append(entries, v)
		}
	}
	f.all = f.newReducer().addGuide(entries)
	f.spinning, f.alive, f.awaited = f.variable("spins", 1), f.variable("threads of the warp", 1), f.variable("threads that gates wait for", 1)
	f.staying = f.variable("threads at gates", 1)
}

// findAround finds the block that begins the first spin loop of the text.
func (f *function) findAround() {
	f.around = len(f.blocks) - 1
	at := len(f.items) + 1
	for i := range f.blocks {
		b := &f.blocks[i]
		for k, again := range b.spins {
			if s := b.succs[k]; again && f.blocks[s].from < at {
				f.around, at = s, f.blocks[s].from
			}
		}
	}
}

// The values of the variable that says whether a thread spins.
const (
	notSpinning = iota
	goesAround  // a spin loop
	staysAtGate
)

// isGate reports whether an instruction by itself waits for threads of its warp.
func isGate(in *ptx.Instr) bool {
	switch in.Op {
	case "bar":
		return true
	case "barrier": // other threads of the warp may be on the way to one that is not .aligned
		return in.Has(".aligned") || !in.Has(".arrive")
	}
	return in.Has(".sync")
}

// isWhole reports whether an instruction waits for all threads of its warp, and could not go on without one: a barrier of the block.
func isWhole(in *ptx.Instr) bool {
	return in.Op == "bar" && !in.Has(".warp") || in.Op == "barrier" && in.Has(".aligned")
}

// callersOf returns the functions with an instruction of a kind, by themselves or in calls.
func (u *unit) callersOf(kind func(*ptx.Instr) bool) map[string]bool {
	var work []string
	for _, f := range u.reached {
		has := false
		forInstrs(f.Body, func(in *ptx.Instr) { has = has || kind(in) })
		if has {
			work = append(work, f.Name)
		}
	}
	return u.withCallers(work)
}

// withCallers returns functions and those that call them, by their names.
func (u *unit) withCallers(work []string) map[string]bool {
	callers := map[string][]string{}
	for _, f := range u.reached {
		forInstrs(f.Body, func(in *ptx.Instr) {
			if in.Op == "call" {
				callee, _, _ := callParts(in)
				callers[callee.Name] = append(callers[callee.Name], f.Name)
			}
		})
	}
	all := map[string]bool{}
	for len(work) > 0 {
		name := work[len(work)-1]
		work = work[:len(work)-1]
		if !all[name] {
			all[name] = true
			work = append(work, callers[name]...)
		}
	}
	return all
}

// findGates finds the instructions that wait for threads of the warp. gates are the functions that do so, and whole the ones among them with a
// barrier of the block.
func (f *function) findGates(gates, whole map[string]bool) {
	f.gates = map[int]bool{}
	for i := range f.items {
		in := f.items[i].in
		gate, all := isGate(in), isWhole(in)
		if in.Op == "call" {
			callee, _, _ := callParts(in)
			gate, all = gates[callee.Name], whole[callee.Name]
			if f.image.functions[callee.Name] == nil { // through a pointer
				gate = slices.ContainsFunc(f.image.taken, func(f *ptx.Function) bool { return gates[f.Name] })
			}
		}
		if gate {
			f.gates[i] = all
		}
	}
}

// hasGate reports whether a block begins with a gate.
func (f *function) hasGate(v int) bool {
	b := &f.blocks[v]
	_, gate := f.gates[b.from]
	return b.from < b.to && gate
}

// gateMask returns the operand of a gate that has the mask of the threads; nil for all of the warp.
func gateMask(in *ptx.Instr) *ptx.Operand {
	at := -1
	switch in.Op {
	case "bar":
		if in.Has(".warp") {
			at = 0
		}
	case "shfl":
		at = 4
	case "vote", "match", "redux":
		at = 2
	case "elect":
		at = 1
	}
	if at < 0 || at >= len(in.Operands) {
		return nil
	}
	return in.Operands[at]
}

// beginIndependent emits the code at the start of a block of a function with independent threads. loops are the labels of loops by their
// first block.
func (f *function) beginIndependent(v int, loops []ir.V) {
	switch {
	case !f.apart:
	case v == 0:
		f.store(f.spinning, f.b.I32(notSpinning))
	case v == f.all:
		f.beginIteration()
	case f.hasGate(v):
		f.openGate(v, loops[f.all])
	}
}

// load loads a word from a variable of the thread.
func (f *function) load(variable uint64) ir.V { return f.b.OpAux(ir.PLd, ir.I32, variable, f.b.I32(0)) }

// beginIteration finds the threads of the warp that have not ended. If all spin, the other warps of the block run.
func (f *function) beginIteration() {
	b := f.b
	before, state := f.load(f.alive), f.load(f.spinning)
	alive := b.Op(ir.Ballot, ir.I32, b.Bool(true))
	f.store(f.alive, alive)
	// No gate has opened in the last iteration if all threads stay at one and none has ended meanwhile.
	stay := b.Op(ir.Ballot, ir.I32, b.Cmp(ir.Eq, state, b.I32(staysAtGate)))
	stuck := b.Op(ir.And, ir.B1, b.Cmp(ir.Eq, stay, alive), b.Cmp(ir.Eq, before, alive))
	f.store(f.staying, stay)
	f.store(f.awaited, b.Select(stuck, b.I32(0), alive))
	spin := b.Op(ir.Not, ir.B1, b.Cmp(ir.Eq, state, b.I32(notSpinning)))
	b.If(b.Cmp(ir.Eq, b.Op(ir.Ballot, ir.I32, spin), alive))
	b.If(b.Op(ir.Not, ir.B1, b.Cmp(ir.Eq, stay, alive))) // a thread that spins may wait for another block
	f.advance()
	b.End()
	f.runOthers()
	b.End()
}

// openGate lets threads stay in front of a block until its first instruction can go on. loop is the label of the guide.
func (f *function) openGate(v int, loop ir.V) {
	b, it := f.b, &f.items[f.blocks[v].from]
	e := &emitter{function: f, in: it.in, item: it, scope: it.at}
	var stays ir.V
	if isPartWait(it.in) {
		stays = e.waitsOn()
	} else {
		stays = e.gate(v)
	}
	b.If(stays)
	e.failIdle()
	f.store(f.spinning, b.I32(staysAtGate))
	f.store(f.blocks[f.all].guide, b.I32(f.numbers[v]))
	b.Br(loop)
	b.End()
	// A thread that goes round a spin loop with a gate spins until it leaves the loop.
	around := b.Cmp(ir.Eq, f.load(f.spinning), b.I32(goesAround))
	f.store(f.spinning, b.Select(around, b.I32(goesAround), b.I32(notSpinning)))
	b.If(b.Cmp(ir.Eq, f.load(f.awaited), b.I32(0))) // no other thread of the warp has made progress
	f.advance()
	b.End()
}

// gate returns whether threads stay in front of an instruction until all of its mask are there.
func (e *emitter) gate(v int) ir.V {
	f, b, it := e.function, e.b, e.item
	awaited := f.awaited
	if f.gates[f.blocks[v].from] {
		awaited = f.alive
	}
	here, must := b.Bool(true), b.Op(ir.And, ir.I32, f.load(awaited), b.I32(allLanes))
	if it.in.Guard != "" {
		here = f.guard(it)
	}
	if o := gateMask(it.in); o != nil {
		f.separately(func() { must = b.Op(ir.And, ir.I32, must, e.read(o, ir.I32)) })
	}
	missing := b.Op(ir.And, ir.I32, must, b.Op(ir.Xor, ir.I32, b.Op(ir.Ballot, ir.I32, here), b.I32(allLanes)))
	return b.Op(ir.And, ir.B1, here, b.Op(ir.Not, ir.B1, b.Cmp(ir.Eq, missing, b.I32(0))))
}

// advanceOthers tells the threads that wait that the block makes progress if other threads of the warp than those here may do so: they are
// not at a gate.
func (f *function) advanceOthers() {
	if !f.apart {
		return
	}
	b := f.b
	away := b.Op(ir.Xor, ir.I32, b.Op(ir.Or, ir.I32, b.Op(ir.Ballot, ir.I32, b.Bool(true)), f.load(f.staying)), b.I32(allLanes))
	b.If(b.Op(ir.Not, ir.B1, b.Cmp(ir.Eq, b.Op(ir.And, ir.I32, f.load(f.alive), away), b.I32(0))))
	f.advance()
	b.End()
}
