package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Bounds of what is known at one place, so that the walk takes no longer than
// the code is long.
const (
	maxCopies   = 48
	maxNonEmpty = 4
	maxHops     = 16 // blocks that a jump is followed through
)

// maskFacts is what is known of masks where the code stands: which hold no lane or
// the same as another one, and groups of which one at least holds a lane.
type maskFacts struct {
	copies   []maskCopy
	nonEmpty [][]vcode.Reg
}

// maskCopy says that a mask holds what another one does.
type maskCopy struct{ reg, source vcode.Reg }

// propagateMasks follows what is known of masks through the code. A test whose
// outcome is known goes, a jump whose goal only tests and jumps again goes to
// where that leads, an operation with the set of no lane or of all becomes a
// copy, and masks are read where they were copied from.
func propagateMasks(f *vcode.Func) {
	mem := acquireArena()
	defer mem.release()
	s := &maskPropagator{f: f, arriving: make([]*maskFacts, len(f.Blocks)), lastLatch: mem.numbers.Alloc(len(f.Blocks)), lastDef: mem.numbers.Alloc(len(f.Classes))}
	s.scan()
	here := &maskFacts{}
	for b := range f.Blocks {
		here = s.entryFacts(b, here)
		if here == nil {
			f.Blocks[b].Insts = nil // no way leads here
			continue
		}
		here = s.block(b, here)
	}
}

// hasMaskCopies reports whether there is a copy of a mask that is no constant.
func hasMaskCopies(f *vcode.Func) bool {
	found := false
	each(f, func(in *vcode.Inst) {
		if in.Op == vcode.Copy && f.Classes[in.Defs[0]] == vcode.Mask {
			_, constant := f.Const(in.Uses[0])
			found = found || !constant
		}
	})
	return found
}

type maskPropagator struct {
	f         *vcode.Func
	arriving  []*maskFacts // what is known where jumps arrive at a block
	lastLatch []int32      // of a loop's first block: the last that jumps back to it
	lastDef   []int32      // the last block that writes a mask
	noLane    vcode.Reg    // a constant: no lane
	allLanes  vcode.Reg    // a constant: all lanes
}

// surveyPhases finds the loops, the constants, and where masks are written last.
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
			}
			if in.Op.Jumps() && in.Target <= b {
				s.lastLatch[in.Target] = int32(b)
			}
		}
	}
}

// acquireArena is what is known at the start of block b: what all ways there agree on,
// and around a loop only what the loop leaves alone.
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

func (s *maskPropagator) isConst(r vcode.Reg) bool {
	_, ok := s.f.Const(r)
	return ok
}

// block goes through a block, and returns what is known behind it, nil where
// nothing gets there.
func (s *maskPropagator) block(b int, k *maskFacts) *maskFacts {
	list, n := s.f.Blocks[b].Insts, 0 // of which so many stay
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
			in.Target = s.threadJump(b, in.Target, k)
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

// simplifyTest looks at a test for no lane: it returns the masks of which it is not
// known that they hold none, and whether one is known to hold some.
func (s *maskPropagator) simplifyTest(k *maskFacts, masks []vcode.Reg) (set []vcode.Reg, never bool) {
	for _, r := range masks {
		r = k.origin(r)
		if bits, ok := s.f.Const(r); ok {
			never = never || bits&1 != 0
			continue
		}
		if !slices.Contains(set, r) {
			set = append(set, r)
		}
	}
	for _, g := range k.nonEmpty {
		never = never || !slices.ContainsFunc(g, func(r vcode.Reg) bool { return !slices.Contains(set, r) })
	}
	return set, never
}

// arrive notes what is known where a jump arrives, and returns where it leads.
func (s *maskPropagator) threadJump(from, to int, k *maskFacts) int {
	for hops := 0; hops < maxHops && to > from; hops++ {
		next, ok := s.follow(to, k)
		if !ok || next <= from {
			break
		}
		to = next
	}
	if to <= from { // the start of a loop, which takes what it leaves alone alone
		return to
	}
	if s.arriving[to] == nil {
		s.arriving[to] = k.clone()
	} else {
		s.arriving[to] = s.arriving[to].meet(k)
	}
	return to
}

// follow returns the block that follows block b at once, where b does nothing
// but jump, given what is known.
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

// isNop reports whether an instruction changes nothing, given what is known.
func (s *maskPropagator) isNop(k *maskFacts, in *vcode.Inst) bool {
	if len(in.Defs) != 1 || s.f.Classes[in.Defs[0]] != vcode.Mask {
		return false
	}
	one := *in
	s.simplify(k, &one)
	return one.Op == vcode.Copy && !one.Merging && k.origin(one.Uses[0]) == k.origin(one.Defs[0])
}

// inst simplifies an instruction and learns from it. It returns false where
// nothing is left of it.
func (s *maskPropagator) inst(k *maskFacts, in *vcode.Inst) bool {
	s.simplify(k, in)
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

// simplify makes an instruction read masks where they come from, and a copy of
// an operation on masks where one is enough.
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
	case vcode.And, vcode.AndNot, vcode.Or:
		if same := s.foldMaskOp(in.Op, in.Uses[0], in.Uses[1]); same != 0 {
			*in = vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{d}, Uses: []vcode.Reg{same}, Origin: in.Origin}
		}
	}
}

// simplifyMaskedCopy looks at a copy under a mask.
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

// affine returns the mask that an operation on two others gives, 0 where it is
// neither of them nor a constant.
func (s *maskPropagator) foldMaskOp(op vcode.Op, x, y vcode.Reg) vcode.Reg {
	switch {
	case op == vcode.And && (x == y || y == s.allLanes), op == vcode.And && x == s.noLane:
		return x
	case op == vcode.And && (x == s.allLanes || y == s.noLane):
		return y
	case op == vcode.AndNot && (x == s.noLane || y == s.noLane):
		return x
	case op == vcode.AndNot && (x == y || y == s.allLanes):
		return s.noLane
	case op == vcode.Or && (x == y || y == s.noLane || x == s.allLanes):
		return x
	case op == vcode.Or && (x == s.noLane || y == s.allLanes):
		return y
	}
	return 0
}

// origins replaces masks by those that they are copies of. Lists are shared
// between instructions, so a changed one is a new one.
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

// origin is the mask that r is known to be a copy of, or r.
func (k *maskFacts) origin(r vcode.Reg) vcode.Reg {
	for i := range k.copies {
		if k.copies[i].reg == r {
			return k.copies[i].source
		}
	}
	return r
}

// learn notes that r holds what as does.
func (k *maskFacts) learn(r, as vcode.Reg) {
	if r == as || as == 0 {
		return
	}
	if len(k.copies) == maxCopies {
		k.copies = slices.Delete(k.copies, 0, 1)
	}
	k.copies = append(k.copies, maskCopy{r, as})
}

// learnNonEmpty notes that one at least of some masks holds a lane.
func (k *maskFacts) learnNonEmpty(set []vcode.Reg) {
	if len(k.nonEmpty) == maxNonEmpty {
		k.nonEmpty = k.nonEmpty[1:]
	}
	k.nonEmpty = append(k.nonEmpty[:len(k.nonEmpty):len(k.nonEmpty)], set)
}

// forget drops all that is known of a mask that is written.
func (k *maskFacts) forget(d vcode.Reg) {
	k.copies = slices.DeleteFunc(k.copies, func(x maskCopy) bool { return x.reg == d || x.source == d })
	mentions := func(g []vcode.Reg) bool { return slices.Contains(g, d) }
	if slices.ContainsFunc(k.nonEmpty, mentions) {
		k.nonEmpty = slices.DeleteFunc(slices.Clone(k.nonEmpty), mentions) // others may have them
	}
}

func (k *maskFacts) clone() *maskFacts {
	return &maskFacts{copies: slices.Clone(k.copies), nonEmpty: slices.Clone(k.nonEmpty)}
}

// combineParts is what is known on both of two ways.
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
