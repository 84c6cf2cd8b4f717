package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// The vectorizer: emission of predicated code
//
// The vectorizer walks the code of a function in order and emits vcode for each operation. The set of
// active lanes (A in internal/ir, "Control") is a list of masks, one for each part of the strip. Divergent
// control flow becomes operations on masks, and lane operations are predicated by the masks of A (Allen et
// al. 1983; Karrenberg & Hack 2011):
//
//	if c {                           and        arm,  active, c        for each part
//		x = fadd.f32 a, b            andnot     rest, active, c        for each part
//	} else {                         jumpifnone arm,  else
//		…                     →      lane fadd  x, a, b   {arm}        for each part
//	}                          else: jumpifnone rest, end
//	                                 …                {rest}
//	                           end:
//
// Code is executed for at least one active lane: after each operation that removes lanes from A, it tests A
// and, if A is empty, jumps to the next point at which A can grow (region.go: resumeBlock). Uniform values
// rely on that: they are computed without a mask, and so are their loads.

// vectorizer vectorizes one function.
type vectorizer struct {
	*builder
	p          *ir.Program
	src        *ir.Func
	parts      int         // registers per value
	wholeGroup bool        // all subgroups of the workgroup are one stream (workgroup.go)
	groupStart []vcode.Reg // of wholeGroup, by input: its value in the workgroup's first invocation
	loopIndex  vcode.Reg   // in a work-item loop: the subgroup's first invocation; over chunks: the first lane
	firstPart  int         // number of the first part, if several subgroups are in one stream
	subgroupAt int         // of a part of a work-item loop: its first lane in the subgroup (itempart.go)
	funcIndex  []int       // by function of the program: its index among the vectorized ones
	entry      bool        // this function is the entry point
	liveOuts   *liveOuts
	shapes     *divergence
	quads      quads
	kills      bool // invocations may end here (kill)

	sunk          *sinking      // select arms to sink, or nil
	accumulators  map[ir.V]ir.V // by parameter: the value with the same registers (accumulator.go)
	exitCounters  exitCounters  // countexit.go
	shortCounters map[ir.V]bool // parameters that count few iterations; nil until first use

	knownConditions map[ir.V]bool // conditions of ifs that have this value in all lanes (phasejoin.go)
	laneTables      map[ir.V]laneTable
	atMostMinuend   map[ir.V]bool    // differences, or sums with a negative number, that do not wrap
	counters        map[[2]ir.V]bool // by parameter and if: see countsFromZero

	assumed *assumptions // nil in the general version
	bailout int          // index of the general version

	bounds map[ir.V]uint32 // by bound of ir.Every: the span of lessBound

	factors map[[2]uint64]factors // found so far, by divisor and bits of the dividend

	stripLanes uint32 // lanes of the strip if it is executed in chunks of parts (strip mining), else 0
	chunkTop   int    // first block of the loop over chunks

	noLane   vcode.Reg // constants: no lane, all lanes of each part, and 0 as a Gen
	allLanes []vcode.Reg
	zero     vcode.Reg
	values   []*value    // by value; nil until first use
	active   []vcode.Reg // A; nil if it is known to be empty
	open     []*region   // innermost last
	regions  []*region   // by opener

	at int // index in src.Code of the operation that is emitted

	reports map[ir.V]bool // see findReports

	lastLanes map[end]vcode.Reg // of indices, for the guards of quotients
}

// newVectorizer analyses function fn of p and returns its vectorizer, under the assumptions a, which may be
// nil.
func newVectorizer(p *ir.Program, form vcode.Form, fn int, a *assumptions) *vectorizer {
	f, parts, mem := p.Funcs[fn], form.Parts(p.SubgroupSize), acquireArena()
	if a != nil && a.order != nil {
		ordered := *f
		ordered.Code = a.order
		f = &ordered
	}
	w := &vectorizer{builder: newBuilder(f.Name, form, parts, 2*min(parts, usualParts)*len(f.Code), mem), p: p, src: f, parts: parts, assumed: a}
	w.windows = !form.VectorMasks
	w.rows = p.LocalSize[0] < p.SubgroupSize && p.LocalSize[0]%uint32(form.Lanes) == 0
	w.twoRuns = !form.VectorMasks && 2*p.LocalSize[0] == uint32(form.Lanes)
	liveOuts := findLiveOuts(f, allDivergent, mem)
	w.shapes, w.liveOuts = analyzeDivergence(p, f, liveOuts, partLanes(p, form), a, mem), liveOuts
	if liveOuts.hasLoops {
		w.liveOuts = findLiveOuts(f, func(loop ir.V) bool { return !w.shapes.divergent[loop] }, mem)
	}
	w.findBounds()
	w.findReports()
	return w
}

// speculate returns the assumptions that pay for the function, or nil if there are none.
func (w *vectorizer) speculate() *assumptions {
	return speculate(w.src, w.shapes, func(a *assumptions) *divergence {
		return analyzeDivergence(w.p, w.src, findLiveOuts(w.src, allDivergent, w.arena), partLanes(w.p, w.dst.Form), a, w.arena)
	})
}

// startsFull reports whether all lanes of every strip are active at the start.
func (w *vectorizer) startsFull() bool {
	return w.p.Invocations()%w.p.SubgroupSize == 0 && w.p.SubgroupSize%uint32(w.dst.Form.Lanes) == 0
}

// constants creates the constant registers.
func (w *vectorizer) constants() {
	w.noLane = w.dst.NewConst(vcode.Mask, 0)
	w.zero = w.dst.NewConst(vcode.Gen, 0)
	w.allLanes = w.splat(w.dst.NewConst(vcode.Mask, 1))
}

// emit appends an instruction.
func (w *vectorizer) emit(in vcode.Inst) {
	in.Origin = w.origin
	in.Part += uint8(w.firstPart)
	w.add(in)
}

// regs returns a new register of class c for each part.
func (w *vectorizer) regs(c vcode.Class) []vcode.Reg {
	out := w.dst.Form.Arena.Regs(w.parts)
	for i := range out {
		out[i] = w.dst.NewReg(c)
	}
	return out
}

// splat returns a list of the same register for all parts.
func (w *vectorizer) splat(r vcode.Reg) []vcode.Reg {
	out := w.dst.Form.Arena.Regs(w.parts)
	for p := range out {
		out[p] = r
	}
	return out
}

// copy emits to = from for one part. A merging copy writes the active lanes alone.
func (w *vectorizer) copy(to, from vcode.Reg, part int, merging bool) {
	if to == from {
		return
	}
	in := vcode.Inst{Op: vcode.Copy, Defs: w.regList(to), Uses: w.regList(from), Merging: merging && !w.isFull(w.active)}
	if in.Merging {
		in.Masks = w.active[part : part+1]
	}
	w.emit(in)
}

// merging reports whether a write of v must preserve the inactive lanes.
func (w *vectorizer) merging(v ir.V) bool { return w.liveOuts.of[v].merging && !w.isFull(w.active) }

// isFull reports whether a set is statically known to have all lanes.
func (w *vectorizer) isFull(set []vcode.Reg) bool { return slices.Equal(set, w.allLanes) }

// mask emits d = a op b for each part.
func (w *vectorizer) mask(op vcode.Op, d, a, b []vcode.Reg) {
	for p := range d {
		w.emit(vcode.Inst{Op: op, Defs: d[p : p+1], Uses: w.regList(a[p], b[p])})
	}
}

// set emits d = a for each part, in all lanes.
func (w *vectorizer) set(d, a []vcode.Reg) {
	for p := range d {
		w.emit(vcode.Inst{Op: vcode.Copy, Defs: d[p : p+1], Uses: a[p : p+1]})
	}
}

// clear emits d = no lanes, for each part.
func (w *vectorizer) clear(d []vcode.Reg) {
	for p := range d {
		w.emit(vcode.Inst{Op: vcode.Copy, Defs: d[p : p+1], Uses: w.regList(w.noLane)})
	}
}

// jump emits a jump to a block.
func (w *vectorizer) jump(to int) { w.emit(vcode.Inst{Op: vcode.Jump, Target: to}) }

// jumpIfNone emits a jump to a block if a set is empty.
func (w *vectorizer) jumpIfNone(set []vcode.Reg, to int) {
	w.emit(vcode.Inst{Op: vcode.JumpIfNone, Masks: set, Target: to})
}
