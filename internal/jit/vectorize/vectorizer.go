package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// vectorizer widens one function.
type vectorizer struct {
	*builder
	p          *ir.Program
	src        *ir.Func
	parts      int
	wholeGroup bool        // all subgroups of the workgroup are one stream
	groupStart []vcode.Reg // if so, for each input that differs between workgroups: its value for the first invocation
	loopIndex  vcode.Reg   // in a loop over subgroups, the index of the subgroup's first invocation; in turns the first lane's
	firstPart  int         // the number of its first part, where others are widened beside it
	funcIndex  []int       // of each function of the program among those widened
	entry      bool        // it is the entry point
	liveOuts   *liveOuts
	shapes     *divergence
	quads      quads
	kills      bool // lanes may end here for good

	sunk          *sinking      // what stands with selects, or nil
	accumulators  map[ir.V]ir.V // of parameters that live where other values do, those
	shortCounters map[ir.V]bool // parameters of loops: they count few iterations; nil until somebody asks

	assumed *assumptions
	bailout int // the function of strips in which that is not so

	factors map[[2]uint64]factors // that were found, by divisor and bits

	stripLanes uint32 // lanes of the strip, which it does in turns of those of its parts; 0 where they are all
	chunkTop   int    // first block of a turn

	noLane   vcode.Reg   // no lane
	allLanes []vcode.Reg // all lanes
	zero     vcode.Reg   // 0, as a Gen
	values   []*value    // nil where nobody wants it
	active   []vcode.Reg // A
	open     []*region
	regions  []*region // by opener
}

// newVectorizer returns what widens a function of p, all of whose lanes do what is
// assumed.
func newVectorizer(p *ir.Program, form vcode.Form, fn int, a *assumptions) *vectorizer {
	f, parts, mem := p.Funcs[fn], form.Parts(p.SubgroupSize), acquireArena()
	w := &vectorizer{builder: newBuilder(f.Name, form, parts, 2*min(parts, usualParts)*len(f.Code), mem), p: p, src: f, parts: parts, assumed: a}
	w.twoRows = !form.VectorMasks && 2*p.LocalSize[0] == uint32(form.Lanes)
	liveOuts := findLiveOuts(f, allDivergent, mem)
	w.shapes, w.liveOuts = analyzeDivergence(p, f, liveOuts, partLanes(p, form), a, mem), liveOuts
	if liveOuts.hasLoops {
		w.liveOuts = findLiveOuts(f, func(loop ir.V) bool { return !w.shapes.divergent[loop] }, mem)
	}
	return w
}

// startsFull reports whether all lanes of every strip are active in the
// beginning.
func (w *vectorizer) startsFull() bool {
	return w.p.Invocations()%w.p.SubgroupSize == 0 && w.p.SubgroupSize%uint32(w.dst.Form.Lanes) == 0
}

// constants makes the sets of no lane and of all, and 0.
func (w *vectorizer) constants() {
	w.noLane = w.dst.NewConst(vcode.Mask, 0)
	w.zero = w.dst.NewConst(vcode.Gen, 0)
	w.allLanes = w.splat(w.dst.NewConst(vcode.Mask, 1))
}

func (w *vectorizer) emit(in vcode.Inst) {
	in.Origin = w.origin
	in.Part += uint8(w.firstPart)
	w.add(in)
}

// regs returns a new register of the class for each part.
func (w *vectorizer) regs(c vcode.Class) []vcode.Reg {
	out := w.dst.Form.Arena.Regs(w.parts)
	for i := range out {
		out[i] = w.dst.NewReg(c)
	}
	return out
}

// code is one register for all parts.
func (w *vectorizer) splat(r vcode.Reg) []vcode.Reg {
	out := w.dst.Form.Arena.Regs(w.parts)
	for p := range out {
		out[p] = r
	}
	return out
}

// copy emits to = from for the active lanes of a part; for all lanes unless the
// others are to keep what they have.
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

// merging reports whether lanes that are not active keep what they have of v.
func (w *vectorizer) merging(v ir.V) bool { return w.liveOuts.of[v].merging && !w.isFull(w.active) }

// isFull reports whether a set is that of all lanes.
func (w *vectorizer) isFull(set []vcode.Reg) bool { return slices.Equal(set, w.allLanes) }

// mask emits d = a op b for each part.
func (w *vectorizer) mask(op vcode.Op, d, a, b []vcode.Reg) {
	for p := range d {
		w.emit(vcode.Inst{Op: op, Defs: d[p : p+1], Uses: w.regList(a[p], b[p])})
	}
}

// set emits d = a for each part, all lanes.
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

func (w *vectorizer) jump(to int) { w.emit(vcode.Inst{Op: vcode.Jump, Target: to}) }

func (w *vectorizer) jumpIfNone(set []vcode.Reg, to int) {
	w.emit(vcode.Inst{Op: vcode.JumpIfNone, Masks: set, Target: to})
}
