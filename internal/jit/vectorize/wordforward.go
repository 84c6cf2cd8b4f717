package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Words of workgroup memory in registers
//
// In one straight stream of a workgroup, an access at the index of the invocation and a constant is at constant words. A load of
// words that the stream has stored needs no memory: it is a vector of the stores, or the lanes of two of them side by side.
// Prefix sums (Hillis & Steele 1986) and reductions by trees exchange all values of a workgroup in this way:
//
//	s[l] = v                           v0 v1 v2 …               one vector for each part
//	if l >= 1 { v += s[l - 1] }   →    v1 += slide v0, v1       lane 3 of v0, then lanes 0 to 2 of v1
//	s[l] = v                           v2 += slide v1, v2
//	if l >= 8 { v += s[l - 8] }        v2 += v0
//
// It is store-to-load forwarding, as a processor does it for single accesses of the same bytes; these loads overlap two stores, which
// stalls. Stores that no load reads any more are deleted: the memory ends with the workgroup.
//
// The order of the code is that of the program, and so is the order in which a word changes: the result is the same for words that
// subgroups access without a barrier, too. Masks must be known, for which conditions compare the numbers of lanes with constants.

// wordOf is the content of a word of workgroup memory: a lane of a register, or unknown without a register.
type wordOf struct {
	reg  vcode.Reg
	lane int32
}

// wordForwarder is the state of forwardWords.
type wordForwarder struct {
	f           *vcode.Func
	lanes       int
	all         uint32               // the set of all lanes of a part
	local       []bool               // by register: a handle of workgroup memory
	defs, seen  []int32              // by register: instructions that write it, and those before the current one
	masks       map[vcode.Reg]uint32 // the lanes of masks that are known
	words       []wordOf
	replacement []vcode.Reg // by register: the one that holds the same value, or 0
	out         []vcode.Inst
}

// forwardWords replaces loads of workgroup memory, of a number of words, in a function of one block, and orders its code by demand. movable
// reports whether a load of other memory yields the same at any time.
func forwardWords(f *vcode.Func, words int, movable func(*vcode.Inst) bool) {
	if len(f.Blocks) != 1 {
		return
	}
	mem := acquireArena()
	defer mem.release()
	list, n := f.Blocks[0].Insts, len(f.Classes)
	w := &wordForwarder{
		f: f, lanes: f.Form.Lanes, all: 1<<f.Form.Lanes - 1, local: mem.flags.Alloc(n), defs: mem.numbers.Alloc(n), seen: mem.numbers.Alloc(n),
		masks: map[vcode.Reg]uint32{}, words: make([]wordOf, words), replacement: mem.regs.Alloc(n), out: f.Form.Arena.Insts(len(list)),
	}
	dropUndefs(f, list, mem)
	list = deleteIf(list, cleared)
	for i := range list {
		in := &list[i]
		if in.BailsOut() && in.Op != vcode.Guard { // guards come before all stores
			return
		}
		for _, d := range in.Defs {
			w.defs[d]++
		}
		if in.Op == vcode.Scalar && in.IR == ir.Wg {
			w.local[in.Defs[0]] = true
		}
	}
	for i := range list {
		w.inst(list[i])
	}
	f.Blocks[0].Insts = w.deleteStores(w.out)
	eliminateDead(f)
	f.Blocks[0].Insts = orderByDemand(f, f.Blocks[0].Insts, movable, mem)
}

// dropUndefs clears each Undef before a write of all lanes without a read between them.
func dropUndefs(f *vcode.Func, list []vcode.Inst, mem *arena) {
	written := mem.flags.Alloc(len(f.Classes)) // by register: the next mention is such a write
	for i := len(list) - 1; i >= 0; i-- {
		in := &list[i]
		if in.Op == vcode.Undef && len(in.Defs) == 1 && written[in.Defs[0]] {
			*in = vcode.Inst{}
			continue
		}
		for _, d := range in.Defs {
			written[d] = !in.Merging && in.Op != vcode.Undef
		}
		eachRead(in, func(r vcode.Reg) { written[r] = false })
	}
}

// inst visits one instruction.
func (w *wordForwarder) inst(in vcode.Inst) {
	if slices.ContainsFunc(in.Uses, func(r vcode.Reg) bool { return int(r) < len(w.replacement) && w.replacement[r] != 0 }) {
		in.Uses = slices.Clone(in.Uses) // other instructions may share the list
		for i, r := range in.Uses {
			if w.replacement[r] != 0 {
				in.Uses[i] = w.replacement[r]
			}
		}
	}
	for _, d := range in.Defs {
		if w.seen[d]++; w.seen[d] > 1 {
			w.forget(d)
		}
	}
	w.learnMask(&in)
	switch r, ok := w.rowOf(&in); {
	case in.Op == vcode.StridedLoad && ok && w.load(&in, r):
		return
	case in.Op == vcode.Copy && w.isRedundant(&in):
		w.replacement[in.Defs[0]] = in.Uses[0]
		return
	case in.Op == vcode.StridedStore && ok:
		w.store(&in, r)
	case w.mayWrite(&in):
		clear(w.words)
	}
	w.out = append(w.out, in)
}

// forget removes a register that changes.
func (w *wordForwarder) forget(r vcode.Reg) {
	for i := range w.words {
		if w.words[i].reg == r {
			w.words[i] = wordOf{}
		}
	}
}

// learnMask computes the lanes of a mask that a comparison of constants yields, or masks of them.
func (w *wordForwarder) learnMask(in *vcode.Inst) {
	if len(in.Defs) != 1 || w.f.Classes[in.Defs[0]] != vcode.Mask || w.defs[in.Defs[0]] != 1 || in.Merging {
		return
	}
	switch in.Op {
	case vcode.Copy:
		if a, ok := w.maskLanes(in.Uses[0]); ok {
			w.masks[in.Defs[0]] = a
		}
	case vcode.And, vcode.AndNot, vcode.Or:
		a, ok := w.maskLanes(in.Uses[0])
		b, okB := w.maskLanes(in.Uses[1])
		switch {
		case !ok || !okB:
			return
		case in.Op == vcode.And:
			a &= b
		case in.Op == vcode.AndNot:
			a &^= b
		default:
			a |= b
		}
		w.masks[in.Defs[0]] = a
	case vcode.Lane:
		if lanes, ok := comparisonLanes(w.f, in); ok {
			w.masks[in.Defs[0]] = lanes
		}
	}
}

// maskLanes returns the lanes of a mask, if they are known.
func (w *wordForwarder) maskLanes(k vcode.Reg) (lanes uint32, ok bool) {
	if bits, ok := w.f.Const(k); ok {
		return w.all * uint32(bits&1), true
	}
	lanes, ok = w.masks[k]
	return lanes, ok
}

// row is adjacent words: those from word low on, the others are out of range. A negative index is a great one, so its word is out of range
// whatever the start of the array.
type row struct{ first, low int }

// rowOf returns the words of a strided access to workgroup memory, and whether they are constant and adjacent.
func (w *wordForwarder) rowOf(in *vcode.Inst) (r row, ok bool) {
	if in.Op != vcode.StridedLoad && in.Op != vcode.StridedStore || !w.local[in.Uses[0]] || in.Checked || in.Merging || in.Key.Flags&(ir.Volatile|ir.Coherent) != 0 {
		return r, false
	}
	start, okStart := w.f.Const(in.Uses[2])
	index, okIndex := w.f.Const(in.Uses[3])
	bytes := int64(int32(uint32(index)+in.IndexOffset)) * int64(in.Stride) // of lane 0
	if !okStart || !okIndex || in.Step*in.Stride != 4 || bytes%4 != 0 || in.Key.Type.Size() != 4 || (start+in.Key.Aux)%4 != 0 || start+in.Key.Aux >= 1<<20 {
		return r, false
	}
	low := int(start+in.Key.Aux) / 4
	return row{int(bytes/4) + low, low}, true
}

// pair is the two vectors of which a load of a part yields the lanes from number slide on, side by side:
//
//	lo  a0 a1 a2 a3     hi  b0 b1 b2 b3
//	slide 3             a3 b0 b1 b2
//
// A vector without an active lane is 0.
type pair struct {
	lo, hi vcode.Reg
	slide  int
}

// load replaces a load, and reports whether it could.
func (w *wordForwarder) load(in *vcode.Inst, r row) bool {
	parts := make([]pair, len(in.Defs))
	for i, d := range in.Defs {
		lanes, ok := w.maskLanes(in.Masks[i])
		if !ok || w.defs[d] != 1 {
			return false
		}
		if parts[i], ok = w.pairOf(row{r.first + i*w.lanes, r.low}, lanes); !ok {
			return false
		}
	}
	for i, p := range parts {
		w.define(in.Defs[i:i+1:i+1], p, in.Origin)
	}
	return true
}

// pairOf returns the vectors that hold the words of some lanes of a part, and whether there are at most two, side by side.
func (w *wordForwarder) pairOf(r row, lanes uint32) (p pair, ok bool) {
	for j := range w.lanes {
		if lanes>>j&1 == 0 {
			continue // the lane is undefined
		}
		at := r.first + j
		if at < r.low || at >= len(w.words) || w.words[at].reg == 0 {
			return p, false // a word out of range is 0, one that nothing stored is in memory
		}
		x := w.words[at]
		if p.lo == 0 && p.hi == 0 { // the first active lane decides
			p.slide = (int(x.lane) - j + w.lanes) % w.lanes
		}
		from := &p.lo
		if j+p.slide >= w.lanes {
			from = &p.hi
		}
		if int(x.lane) != (j+p.slide)%w.lanes || *from != 0 && *from != x.reg {
			return p, false
		}
		*from = x.reg
	}
	return p, true
}

// define makes the register of a part the lanes of a pair. If they are one vector that does not change any more, its readers read that vector.
func (w *wordForwarder) define(d []vcode.Reg, p pair, origin int32) {
	in := vcode.Inst{Op: vcode.Slide, Defs: d, Uses: []vcode.Reg{p.lo, p.hi}, Key: ir.Key{Aux: uint64(p.slide)}, Origin: origin}
	switch {
	case p.lo == 0 && p.hi == 0:
		in = vcode.Inst{Op: vcode.Undef, Defs: d, Origin: origin}
	case p.slide == 0 && w.isFinal(p.lo):
		w.replacement[d[0]] = p.lo
		return
	case p.slide == 0:
		in = vcode.Inst{Op: vcode.Copy, Defs: d, Uses: []vcode.Reg{p.lo}, Origin: origin}
	case p.lo == 0:
		in.Uses[0] = p.hi // no active lane reads it
	case p.hi == 0:
		in.Uses[1] = p.lo
	}
	w.out = append(w.out, in)
}

// isFinal reports whether no later instruction writes a register.
func (w *wordForwarder) isFinal(r vcode.Reg) bool {
	return int(r) >= len(w.defs) || w.seen[r] == w.defs[r]
}

// isRedundant reports whether the register of a copy can be the source.
func (w *wordForwarder) isRedundant(in *vcode.Inst) bool {
	return w.f.Classes[in.Defs[0]] == vcode.Vec && w.defs[in.Defs[0]] == 1 && !in.Merging && len(in.Masks) == 0 && w.isFinal(in.Uses[0])
}

// store records the words of a store.
func (w *wordForwarder) store(in *vcode.Inst, r row) {
	for i, k := range in.Masks {
		value, at := in.Uses[4+i], row{r.first + i*w.lanes, r.low}
		lanes, ok := w.maskLanes(k)
		if !ok {
			w.record(at, 0, w.all)
			continue
		}
		if lanes != 0 && lanes != w.all {
			if old := w.around(at, lanes); old != 0 {
				merged := w.f.NewReg(vcode.Vec)
				w.out = append(w.out, vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{merged}, Uses: []vcode.Reg{old}, Origin: in.Origin},
					vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{merged}, Uses: []vcode.Reg{value}, Masks: []vcode.Reg{k}, Merging: true, Origin: in.Origin})
				value, lanes = merged, w.all
			}
		}
		w.record(at, value, lanes)
	}
}

// around returns the register that holds the words of a part outside some lanes, each in its lane, or 0.
func (w *wordForwarder) around(at row, lanes uint32) (r vcode.Reg) {
	if at.first < at.low || at.first+w.lanes > len(w.words) {
		return 0
	}
	for j := range w.lanes {
		if lanes>>j&1 != 0 {
			continue
		}
		x := w.words[at.first+j]
		if x.reg == 0 || int(x.lane) != j || r != 0 && x.reg != r {
			return 0
		}
		r = x.reg
	}
	return r
}

// record sets the words of some lanes of a part to those of a register, or to unknown ones.
func (w *wordForwarder) record(r row, value vcode.Reg, lanes uint32) {
	for j := range w.lanes {
		if at := r.first + j; lanes>>j&1 != 0 && at >= r.low && at < len(w.words) {
			w.words[at] = wordOf{value, int32(j)}
		}
	}
}

// mayWrite reports whether an instruction may write workgroup memory other than by a store with known words.
func (w *wordForwarder) mayWrite(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.StridedStore, vcode.Scatter, vcode.Atomic, vcode.AtomicLocal:
		return w.isLocal(in)
	case vcode.Call, vcode.Own:
		return true
	case vcode.Lane, vcode.Strip:
		return in.IR.Is(ir.Writes)
	case vcode.Scalar:
		return in.IR.Is(ir.Writes)
	}
	return false
}

// isLocal reports whether an access may be to workgroup memory.
func (w *wordForwarder) isLocal(in *vcode.Inst) bool { return len(in.Uses) == 0 || w.local[in.Uses[0]] }

// mayRead reports whether an instruction may read workgroup memory.
func (w *wordForwarder) mayRead(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.StridedLoad, vcode.BroadcastLoad, vcode.Gather, vcode.TableLookup, vcode.Atomic, vcode.AtomicLocal, vcode.BoundsCheck, vcode.TwoRunsCheck, vcode.Window:
		return w.isLocal(in)
	case vcode.Call, vcode.Own:
		return true
	case vcode.Lane, vcode.Strip, vcode.Scalar:
		return in.IR.Is(ir.Reads)
	}
	return false
}

// deleteStores deletes the parts of stores that nothing reads afterwards. It keeps a store whose words are not known.
func (w *wordForwarder) deleteStores(list []vcode.Inst) []vcode.Inst {
	needed := make([]bool, len(w.words))
	for i := len(list) - 1; i >= 0; i-- {
		in := &list[i]
		r, ok := w.rowOf(in)
		switch {
		case ok && in.Op == vcode.StridedLoad:
			for at := max(r.first, r.low); at < min(r.first+len(in.Defs)*w.lanes, len(needed)); at++ {
				needed[at] = true
			}
		case ok:
			if !w.isNeeded(in, r, needed) {
				*in = vcode.Inst{}
			}
		case w.isWordLoad(in):
			offset, _ := w.f.Const(in.Uses[1])
			if at := (offset + in.Key.Aux) / 4; at < uint64(len(needed)) {
				needed[at] = true
			}
		case w.mayRead(in):
			for at := range needed {
				needed[at] = true
			}
		}
	}
	return deleteIf(list, cleared)
}

// isWordLoad reports whether an instruction loads one constant word of workgroup memory.
func (w *wordForwarder) isWordLoad(in *vcode.Inst) bool {
	if in.Op != vcode.BroadcastLoad && (in.Op != vcode.Scalar || in.IR != ir.Ld) || in.Checked || !w.isLocal(in) || in.Key.Type.Size() != 4 {
		return false
	}
	offset, ok := w.f.Const(in.Uses[1])
	return ok && (offset+in.Key.Aux)%4 == 0
}

// isNeeded reports whether a store writes a word that is needed, and updates the needed words to those before it.
func (w *wordForwarder) isNeeded(in *vcode.Inst, r row, needed []bool) (some bool) {
	for i, k := range in.Masks {
		lanes, known := w.maskLanes(k)
		for j := range w.lanes {
			at := r.first + i*w.lanes + j
			if at < r.low || at >= len(needed) || known && lanes>>j&1 == 0 {
				continue
			}
			some = some || needed[at]
			needed[at] = needed[at] && !known
		}
	}
	return some
}
