package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Mask propagation and jump threading
//
// The vectorizer tests masks at every join, often with a known result. A forward dataflow analysis tracks
// two kinds of facts: a mask is a copy of another one or of a constant, and at least one of a group of
// masks is not empty. With them, in one walk over the blocks, masks are read from the source of a copy,
// operations with no lane or all lanes become copies, so do comparisons of constants, tests with a known result disappear, and a jump to a
// block that only tests and jumps again goes on to the final target (jump threading):
//
//	       copy       in, none                  copy       in, none
//	       jumpifnone arm, join                 jumpifnone arm, L9       in is empty at join
//	       …                             →      …
//	       or         in, in, arm               copy       in, arm       in was empty
//	join:  jumpifnone in, L9             join:                           in equals arm, which is not empty
//
// Facts of different paths are intersected at joins. At the start of a loop only the facts about masks that
// the loop does not write survive, so a single walk is sound. Kildall 1973 has the framework for copies and
// constants, Mueller & Whalley 1995, "Avoiding conditional branches by code replication", jump threading.

// Limits of the facts at one point, so that the time is linear in the code, and of the blocks that a jump
// is followed through.
const (
	maxCopies   = 48
	maxNonEmpty = 4
	maxHops     = 16
)

// maskFacts are the facts at one point of the code.
type maskFacts struct {
	copies   []maskCopy    // masks that equal another one
	nonEmpty [][]vcode.Reg // groups of masks, of each of which at least one has a lane
}

// maskCopy is the fact that reg equals source.
type maskCopy struct{ reg, source vcode.Reg }

// propagateMasks simplifies all blocks of f, and empties those that are unreachable.
func propagateMasks(f *vcode.Func) {
	mem := acquireArena()
	defer mem.release()
	s := &maskPropagator{f: f, arriving: make([]*maskFacts, len(f.Blocks)), lastLatch: mem.numbers.Alloc(len(f.Blocks)), lastDef: mem.numbers.Alloc(len(f.Classes)), writes: mem.numbers.Alloc(len(f.Classes)), partial: mem.flags.Alloc(len(f.Classes))}
	s.scan()
	here := &maskFacts{}
	for b := range f.Blocks {
		here = s.entryFacts(b, here)
		if here == nil {
			f.Blocks[b].Insts = nil // unreachable
			continue
		}
		here = s.block(b, here)
	}
}

// hasMaskCopies reports whether f copies a mask other than a constant.
func hasMaskCopies(f *vcode.Func) bool {
	found := false
	f.Each(func(in *vcode.Inst) {
		if in.Op == vcode.Copy && f.Classes[in.Defs[0]] == vcode.Mask {
			_, constant := f.Const(in.Uses[0])
			found = found || !constant
		}
	})
	return found
}

// maskPropagator is the state of propagateMasks.
type maskPropagator struct {
	f         *vcode.Func
	arriving  []*maskFacts // by block: the facts at all jumps to it so far, nil without any
	lastLatch []int32      // by block: the last block that jumps back to it, or −1
	lastDef   []int32      // by mask: the last block that writes it
	writes    []int32      // by register: instructions that write it
	partial   []bool       // by mask with one write: it has lanes, but not all, as a comparison of constants yields
	noLane    vcode.Reg    // constants, or 0
	allLanes  vcode.Reg
}

// scan finds the loops, the constants, and the last definition of each mask.
func (s *maskPropagator) scan() {
	for r := vcode.Reg(1); int(r) < len(s.f.Classes); r++ {
		if bits, ok := s.f.Const(r); ok && s.f.Classes[r] == vcode.Mask {
			if bits&1 == 0 {
				s.noLane = r
			} else {
				s.allLanes = r
			}
		}
	}
	for b := range s.f.Blocks {
		s.lastLatch[b] = -1
		for i := range s.f.Blocks[b].Insts {
			in := &s.f.Blocks[b].Insts[i]
			for _, d := range in.Defs {
				s.lastDef[d] = int32(b)
				s.writes[d]++
			}
			if in.Op.Jumps() && in.Target <= b {
				s.lastLatch[in.Target] = int32(b)
			}
		}
	}
}

// entryFacts returns the facts at the start of block b: those that hold on all paths to it, for a loop
// without those about masks that it may write. before are the facts at the end of the previous block, if
// control falls through.
func (s *maskPropagator) entryFacts(b int, before *maskFacts) *maskFacts {
	k := s.arriving[b]
	switch {
	case before == nil:
	case k == nil:
		k = before
	default:
		k = k.meet(before)
	}
	if k == nil || s.lastLatch[b] < 0 {
		return k
	}
	stays := func(r vcode.Reg) bool { return s.isConst(r) || s.lastDef[r] < int32(b) }
	out := &maskFacts{}
	for _, x := range k.copies {
		if stays(x.reg) && stays(x.source) {
			out.copies = append(out.copies, x)
		}
	}
	for _, g := range k.nonEmpty {
		if !slices.ContainsFunc(g, func(r vcode.Reg) bool { return !stays(r) }) {
			out.nonEmpty = append(out.nonEmpty, g)
		}
	}
	return out
}

// isConst reports whether a mask is constant.
func (s *maskPropagator) isConst(r vcode.Reg) bool {
	_, ok := s.f.Const(r)
	return ok
}

// block simplifies a block, and returns the facts at its end, or nil if the end is not reached.
func (s *maskPropagator) block(b int, k *maskFacts) *maskFacts {
	list, n := s.f.Blocks[b].Insts, 0 // n: instructions that remain
	for i := range list {
		if n != i {
			list[n] = list[i]
		}
		in := &list[n]
		switch in.Op {
		case vcode.Jump:
			in.Target = s.threadJump(b, in.Target, k)
			s.f.Blocks[b].Insts = list[:n+1]
			return nil
		case vcode.JumpIfZero:
			bits, known := s.f.Const(in.Uses[0])
			if known && bits != 0 {
				continue
			}
			if in.Target = s.threadJump(b, in.Target, k); known {
				*in = vcode.Inst{Op: vcode.Jump, Target: in.Target, Origin: in.Origin}
				s.f.Blocks[b].Insts = list[:n+1]
				return nil
			}
		case vcode.JumpIfNone:
			set, never := s.simplifyTest(k, in.Masks)
			if never {
				continue
			}
			if len(set) == 0 {
				*in = vcode.Inst{Op: vcode.Jump, Target: s.threadJump(b, in.Target, k), Origin: in.Origin}
				s.f.Blocks[b].Insts = list[:n+1]
				return nil
			}
			in.Masks = set
			taken := k.clone()
			for _, r := range set {
				taken.learn(r, s.noLane)
			}
			in.Target = s.threadJump(b, in.Target, taken)
			k.learnNonEmpty(set)
		case vcode.Return:
			s.f.Blocks[b].Insts = list[:n+1]
			return nil
		default:
			if !s.inst(k, in) {
				continue
			}
		}
		n++
	}
	s.f.Blocks[b].Insts = list[:n]
	return k
}

// simplifyTest returns the masks of a JumpIfNone that may have a lane, and whether one certainly has.
func (s *maskPropagator) simplifyTest(k *maskFacts, masks []vcode.Reg) (set []vcode.Reg, never bool) {
	for _, r := range masks {
		r = k.origin(r)
		if bits, ok := s.f.Const(r); ok {
			never = never || bits&1 != 0
			continue
		}
		never = never || s.partial[r]
		if !slices.Contains(set, r) {
			set = append(set, r)
		}
	}
	for _, g := range k.nonEmpty {
		never = never || !slices.ContainsFunc(g, func(r vcode.Reg) bool { return !slices.Contains(set, r) })
	}
	return set, never
}

// threadJump follows a jump with facts k to its final target, adds the facts to those that arrive there,
// and returns the target.
func (s *maskPropagator) threadJump(from, to int, k *maskFacts) int {
	for hops := 0; hops < maxHops && to > from; hops++ {
		next, ok := s.follow(to, k)
		if !ok || next <= from {
			break
		}
		to = next
	}
	if to <= from { // a loop; entryFacts does not need the facts of its back edges
		return to
	}
	if s.arriving[to] == nil {
		s.arriving[to] = k.clone()
	} else {
		s.arriving[to] = s.arriving[to].meet(k)
	}
	return to
}

// follow returns the block that control reaches from the start of block b without changing anything but
// masks that facts k make redundant. It returns false if there is none.
func (s *maskPropagator) follow(b int, k *maskFacts) (int, bool) {
	for i := range s.f.Blocks[b].Insts {
		in := &s.f.Blocks[b].Insts[i]
		switch in.Op {
		case vcode.Jump:
			return in.Target, true
		case vcode.JumpIfNone:
			set, never := s.simplifyTest(k, in.Masks)
			if never {
				continue
			}
			return in.Target, len(set) == 0
		case vcode.Undef:
			return 0, false
		default:
			if !s.isNop(k, in) {
				return 0, false
			}
		}
	}
	return b + 1, b+1 < len(s.f.Blocks)
}

// isNop reports whether an instruction changes nothing, given facts k.
func (s *maskPropagator) isNop(k *maskFacts, in *vcode.Inst) bool {
	if len(in.Defs) != 1 || s.f.Classes[in.Defs[0]] != vcode.Mask {
		return false
	}
	one := *in
	s.simplify(k, &one)
	return one.Op == vcode.Copy && !one.Merging && k.origin(one.Uses[0]) == k.origin(one.Defs[0])
}

// inst simplifies an instruction and updates the facts. It returns false if the instruction is redundant.
func (s *maskPropagator) inst(k *maskFacts, in *vcode.Inst) bool {
	s.simplify(k, in)
	if s.unmerge(in) {
		return false
	}
	if len(in.Defs) == 1 && s.f.Classes[in.Defs[0]] == vcode.Mask && in.Op == vcode.Copy && !in.Merging {
		d, from := in.Defs[0], k.origin(in.Uses[0])
		if from == k.origin(d) {
			return false
		}
		k.forget(d)
		k.learn(d, from)
		return true
	}
	for _, d := range in.Defs {
		if s.f.Classes[d] == vcode.Mask {
			k.forget(d)
		}
	}
	return true
}

// unmerge makes a write that preserves no lane a plain one, which does not read its register. It reports whether the write changes no lane.
func (s *maskPropagator) unmerge(in *vcode.Inst) (nothing bool) {
	if !in.Merging || in.Op != vcode.Lane && in.Op != vcode.Copy || len(in.Defs) != 1 || len(in.Masks) != 1 {
		return false
	}
	lanes, known := s.f.Const(in.Masks[0])
	switch {
	case !known:
	case lanes&1 == 0:
		return !hasEffect(in)
	case in.Op == vcode.Copy:
		in.Merging, in.Masks = false, nil
	default:
		in.Merging = false
	}
	return false
}

// simplify reads masks from the source of a copy, and replaces an operation on masks by a copy if possible.
func (s *maskPropagator) simplify(k *maskFacts, in *vcode.Inst) {
	in.Uses, in.Masks = s.origins(k, in.Uses), s.origins(k, in.Masks)
	if len(in.Defs) != 1 || s.f.Classes[in.Defs[0]] != vcode.Mask {
		return
	}
	d := in.Defs[0]
	switch in.Op {
	case vcode.Copy:
		if in.Merging {
			s.simplifyMaskedCopy(k, in)
		}
	case vcode.Lane:
		lanes, ok := comparisonLanes(s.f, in)
		s.partial[d] = ok && s.writes[d] == 1 && lanes != 0 && lanes != 1<<s.f.Form.Lanes-1
		if same := s.foldComparison(in); same != 0 {
			*in = vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{d}, Uses: []vcode.Reg{same}, Origin: in.Origin}
		}
	case vcode.And, vcode.AndNot, vcode.Or:
		s.partial[d] = in.Op == vcode.AndNot && s.isAll(in.Uses[0]) && s.partial[in.Uses[1]] && s.writes[d] == 1
		if same := s.foldMaskOp(in.Op, in.Uses[0], in.Uses[1]); same != 0 {
			*in = vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{d}, Uses: []vcode.Reg{same}, Origin: in.Origin}
		}
	}
}

// foldComparison returns the mask that a comparison of constants yields if it is the same in all lanes, or 0. A workgroup that is one stream
// of code compares the numbers of its lanes, which are constants (workgroup.go).
func (s *maskPropagator) foldComparison(in *vcode.Inst) vcode.Reg {
	lanes, ok := comparisonLanes(s.f, in)
	if !ok {
		return 0
	}
	switch lanes {
	case 0:
		return s.noLane
	case 1<<s.f.Form.Lanes - 1:
		return s.allLanes
	}
	return 0
}

// comparisonLanes returns the lanes in which a comparison of constants is true.
func comparisonLanes(f *vcode.Func, in *vcode.Inst) (lanes uint32, ok bool) {
	if in.Merging || len(in.Uses) != 2 || in.IR.Family() != ir.Comparisons || in.Key.From != ir.I32 {
		return 0, false
	}
	x, step, ok := constantLanes(f, in.Uses[0])
	y, stepY, okY := constantLanes(f, in.Uses[1])
	if !ok || !okY {
		return 0, false
	}
	for i := range f.Form.Lanes {
		lanes |= uint32(in.IR.Row().Eval(in.Key, uint64(x), uint64(y), 0)) << i
		x, y = x+step, y+stepY
	}
	return lanes, true
}

// constantLanes returns the value of a constant vector in lane 0, and the difference between neighbours.
func constantLanes(f *vcode.Func, r vcode.Reg) (first, step uint32, ok bool) {
	if bits, is := f.Const(r); is {
		return uint32(bits), 0, true
	}
	return f.Sequence(r)
}

// simplifyMaskedCopy simplifies a merging copy of a mask.
func (s *maskPropagator) simplifyMaskedCopy(k *maskFacts, in *vcode.Inst) {
	d, u, m := in.Defs[0], in.Uses[0], in.Masks[0]
	plain := func(op vcode.Op, uses ...vcode.Reg) {
		*in = vcode.Inst{Op: op, Defs: []vcode.Reg{d}, Uses: uses, Origin: in.Origin}
	}
	switch {
	case m == s.noLane && m != 0:
		plain(vcode.Copy, d)
	case m == s.allLanes && m != 0:
		plain(vcode.Copy, u)
	case k.origin(d) == s.noLane && s.noLane != 0:
		plain(vcode.And, u, m)
	case u == s.noLane && u != 0:
		plain(vcode.AndNot, d, m)
	}
}

// foldMaskOp returns the mask that an operation on two others is equal to, or 0.
func (s *maskPropagator) foldMaskOp(op vcode.Op, x, y vcode.Reg) vcode.Reg {
	switch {
	case op == vcode.And && (x == y || s.isAll(y)), op == vcode.And && s.isNone(x):
		return x
	case op == vcode.And && (s.isAll(x) || s.isNone(y)):
		return y
	case op == vcode.AndNot && (s.isNone(x) || s.isNone(y)):
		return x
	case op == vcode.AndNot && (x == y || s.isAll(y)):
		return s.noLane
	case op == vcode.Or && (x == y || s.isNone(y) || s.isAll(x)):
		return x
	case op == vcode.Or && (s.isNone(x) || s.isAll(y)):
		return y
	}
	return 0
}

// isNone reports whether a mask is the constant without lanes.
func (s *maskPropagator) isNone(k vcode.Reg) bool {
	bits, ok := s.f.Const(k)
	return ok && bits&1 == 0
}

// isAll reports whether a mask is the constant of all lanes.
func (s *maskPropagator) isAll(k vcode.Reg) bool {
	bits, ok := s.f.Const(k)
	return ok && bits&1 != 0
}

// origins replaces masks by the sources that they are copies of. Instructions share lists, so a changed
// list is a new one.
func (s *maskPropagator) origins(k *maskFacts, list []vcode.Reg) []vcode.Reg {
	own := false
	for i, r := range list {
		if s.f.Classes[r] != vcode.Mask {
			continue
		}
		from := k.origin(r)
		if from == r {
			continue
		}
		if !own {
			list, own = slices.Clone(list), true
		}
		list[i] = from
	}
	return list
}

// origin returns the mask that r is a copy of, or r.
func (k *maskFacts) origin(r vcode.Reg) vcode.Reg {
	for i := range k.copies {
		if k.copies[i].reg == r {
			return k.copies[i].source
		}
	}
	return r
}

// learn adds the fact that r equals as.
func (k *maskFacts) learn(r, as vcode.Reg) {
	if r == as || as == 0 {
		return
	}
	if len(k.copies) == maxCopies {
		k.copies = slices.Delete(k.copies, 0, 1)
	}
	k.copies = append(k.copies, maskCopy{r, as})
}

// learnNonEmpty adds the fact that one of a group of masks has a lane.
func (k *maskFacts) learnNonEmpty(set []vcode.Reg) {
	if len(k.nonEmpty) == maxNonEmpty {
		k.nonEmpty = k.nonEmpty[1:]
	}
	k.nonEmpty = append(k.nonEmpty[:len(k.nonEmpty):len(k.nonEmpty)], set)
}

// forget drops the facts about a mask that is written.
func (k *maskFacts) forget(d vcode.Reg) {
	k.copies = slices.DeleteFunc(k.copies, func(x maskCopy) bool { return x.reg == d || x.source == d })
	mentions := func(g []vcode.Reg) bool { return slices.Contains(g, d) }
	if slices.ContainsFunc(k.nonEmpty, mentions) {
		k.nonEmpty = slices.DeleteFunc(slices.Clone(k.nonEmpty), mentions) // clones share the list
	}
}

// clone returns a copy of the facts.
func (k *maskFacts) clone() *maskFacts {
	return &maskFacts{copies: slices.Clone(k.copies), nonEmpty: slices.Clone(k.nonEmpty)}
}

// meet returns the facts that hold on both of two paths.
func (k *maskFacts) meet(o *maskFacts) *maskFacts {
	out := &maskFacts{}
	for _, x := range k.copies {
		if slices.Contains(o.copies, x) {
			out.copies = append(out.copies, x)
		}
	}
	for _, g := range k.nonEmpty {
		if slices.ContainsFunc(o.nonEmpty, func(h []vcode.Reg) bool { return slices.Equal(g, h) }) {
			out.nonEmpty = append(out.nonEmpty, g)
		}
	}
	return out
}
