package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Bounds of what is known at one place, so that the walk takes no longer than
// the code is long.
const (
	maxFacts  = 48
	maxGroups = 4
	maxHops   = 16 // blocks that a jump is followed through
)

// known is what is known of masks where the code stands: which hold no lane or
// the same as another one, and groups of which one at least holds a lane.
type known struct {
	facts  []fact
	groups [][]vcode.Reg
}

// fact says that a mask holds what another one does.
type fact struct{ reg, as vcode.Reg }

// settleMasks follows what is known of masks through the code. A test whose
// outcome is known goes, a jump whose goal only tests and jumps again goes to
// where that leads, an operation with the set of no lane or of all becomes a
// copy, and masks are read where they were copied from.
func settleMasks(f *vcode.Func) {
	in := enter()
	defer in.leave()
	s := &settler{f: f, at: make([]*known, len(f.Blocks)), last: in.numbers.Alloc(len(f.Blocks)), defs: in.numbers.Alloc(len(f.Classes))}
	s.survey()
	here := &known{}
	for b := range f.Blocks {
		here = s.enter(b, here)
		if here == nil {
			f.Blocks[b].Insts = nil // no way leads here
			continue
		}
		here = s.block(b, here)
	}
}

// copiesMasks reports whether there is a copy of a mask that is no constant.
func copiesMasks(f *vcode.Func) bool {
	found := false
	each(f, func(in *vcode.Inst) {
		if in.Op == vcode.Copy && f.Classes[in.Defs[0]] == vcode.Mask {
			_, constant := f.Const(in.Uses[0])
			found = found || !constant
		}
	})
	return found
}

type settler struct {
	f     *vcode.Func
	at    []*known  // what is known where jumps arrive at a block
	last  []int32   // of a loop's first block: the last that jumps back to it
	defs  []int32   // the last block that writes a mask
	empty vcode.Reg // a constant: no lane
	all   vcode.Reg // a constant: all lanes
}

// survey finds the loops, the constants, and where masks are written last.
func (s *settler) survey() {
	for r := vcode.Reg(1); int(r) < len(s.f.Classes); r++ {
		if bits, ok := s.f.Const(r); ok && s.f.Classes[r] == vcode.Mask {
			if bits&1 == 0 {
				s.empty = r
			} else {
				s.all = r
			}
		}
	}
	for b := range s.f.Blocks {
		s.last[b] = -1
		for i := range s.f.Blocks[b].Insts {
			in := &s.f.Blocks[b].Insts[i]
			for _, d := range in.Defs {
				s.defs[d] = int32(b)
			}
			if in.Op.Jumps() && in.Target <= b {
				s.last[in.Target] = int32(b)
			}
		}
	}
}

// enter is what is known at the start of block b: what all ways there agree on,
// and around a loop only what the loop leaves alone.
func (s *settler) enter(b int, before *known) *known {
	k := s.at[b]
	switch {
	case before == nil:
	case k == nil:
		k = before
	default:
		k = k.meet(before)
	}
	if k == nil || s.last[b] < 0 {
		return k
	}
	stays := func(r vcode.Reg) bool { return s.constant(r) || s.defs[r] < int32(b) }
	out := &known{}
	for _, x := range k.facts {
		if stays(x.reg) && stays(x.as) {
			out.facts = append(out.facts, x)
		}
	}
	for _, g := range k.groups {
		if !slices.ContainsFunc(g, func(r vcode.Reg) bool { return !stays(r) }) {
			out.groups = append(out.groups, g)
		}
	}
	return out
}

func (s *settler) constant(r vcode.Reg) bool {
	_, ok := s.f.Const(r)
	return ok
}

// block goes through a block, and returns what is known behind it, nil where
// nothing gets there.
func (s *settler) block(b int, k *known) *known {
	list, n := s.f.Blocks[b].Insts, 0 // of which so many stay
	for i := range list {
		if n != i {
			list[n] = list[i]
		}
		in := &list[n]
		switch in.Op {
		case vcode.Jump:
			in.Target = s.send(b, in.Target, k)
			s.f.Blocks[b].Insts = list[:n+1]
			return nil
		case vcode.JumpIfZero:
			in.Target = s.send(b, in.Target, k)
		case vcode.JumpIfNone:
			set, never := s.test(k, in.Masks)
			if never {
				continue
			}
			if len(set) == 0 {
				*in = vcode.Inst{Op: vcode.Jump, Target: s.send(b, in.Target, k), Origin: in.Origin}
				s.f.Blocks[b].Insts = list[:n+1]
				return nil
			}
			in.Masks = set
			gone := k.clone()
			for _, r := range set {
				gone.learn(r, s.empty)
			}
			in.Target = s.send(b, in.Target, gone)
			k.group(set)
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

// test looks at a test for no lane: it returns the masks of which it is not
// known that they hold none, and whether one is known to hold some.
func (s *settler) test(k *known, masks []vcode.Reg) (set []vcode.Reg, never bool) {
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
	for _, g := range k.groups {
		never = never || !slices.ContainsFunc(g, func(r vcode.Reg) bool { return !slices.Contains(set, r) })
	}
	return set, never
}

// send notes what is known where a jump arrives, and returns where it leads.
func (s *settler) send(from, to int, k *known) int {
	for hops := 0; hops < maxHops && to > from; hops++ {
		next, ok := s.through(to, k)
		if !ok || next <= from {
			break
		}
		to = next
	}
	if to <= from { // the start of a loop, which takes what it leaves alone alone
		return to
	}
	if s.at[to] == nil {
		s.at[to] = k.clone()
	} else {
		s.at[to] = s.at[to].meet(k)
	}
	return to
}

// through returns the block that follows block b at once, where b does nothing
// but jump, given what is known.
func (s *settler) through(b int, k *known) (int, bool) {
	for i := range s.f.Blocks[b].Insts {
		in := &s.f.Blocks[b].Insts[i]
		switch in.Op {
		case vcode.Jump:
			return in.Target, true
		case vcode.JumpIfNone:
			set, never := s.test(k, in.Masks)
			if never {
				continue
			}
			return in.Target, len(set) == 0
		case vcode.Undef:
			return 0, false
		default:
			if !s.idle(k, in) {
				return 0, false
			}
		}
	}
	return b + 1, b+1 < len(s.f.Blocks)
}

// idle reports whether an instruction changes nothing, given what is known.
func (s *settler) idle(k *known, in *vcode.Inst) bool {
	if len(in.Defs) != 1 || s.f.Classes[in.Defs[0]] != vcode.Mask {
		return false
	}
	one := *in
	s.simplify(k, &one)
	return one.Op == vcode.Copy && !one.Merging && k.origin(one.Uses[0]) == k.origin(one.Defs[0])
}

// inst simplifies an instruction and learns from it. It returns false where
// nothing is left of it.
func (s *settler) inst(k *known, in *vcode.Inst) bool {
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
func (s *settler) simplify(k *known, in *vcode.Inst) {
	in.Uses, in.Masks = s.origins(k, in.Uses), s.origins(k, in.Masks)
	if len(in.Defs) != 1 || s.f.Classes[in.Defs[0]] != vcode.Mask {
		return
	}
	d := in.Defs[0]
	switch in.Op {
	case vcode.Copy:
		if in.Merging {
			s.simplifyKeep(k, in)
		}
	case vcode.And, vcode.AndNot, vcode.Or:
		if same := s.combine(in.Op, in.Uses[0], in.Uses[1]); same != 0 {
			*in = vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{d}, Uses: []vcode.Reg{same}, Origin: in.Origin}
		}
	}
}

// simplifyKeep looks at a copy under a mask.
func (s *settler) simplifyKeep(k *known, in *vcode.Inst) {
	d, u, m := in.Defs[0], in.Uses[0], in.Masks[0]
	plain := func(op vcode.Op, uses ...vcode.Reg) {
		*in = vcode.Inst{Op: op, Defs: []vcode.Reg{d}, Uses: uses, Origin: in.Origin}
	}
	switch {
	case m == s.empty && m != 0:
		plain(vcode.Copy, d)
	case m == s.all && m != 0:
		plain(vcode.Copy, u)
	case k.origin(d) == s.empty && s.empty != 0:
		plain(vcode.And, u, m)
	case u == s.empty && u != 0:
		plain(vcode.AndNot, d, m)
	}
}

// combine returns the mask that an operation on two others gives, 0 where it is
// neither of them nor a constant.
func (s *settler) combine(op vcode.Op, x, y vcode.Reg) vcode.Reg {
	switch {
	case op == vcode.And && (x == y || y == s.all), op == vcode.And && x == s.empty:
		return x
	case op == vcode.And && (x == s.all || y == s.empty):
		return y
	case op == vcode.AndNot && (x == s.empty || y == s.empty):
		return x
	case op == vcode.AndNot && (x == y || y == s.all):
		return s.empty
	case op == vcode.Or && (x == y || y == s.empty || x == s.all):
		return x
	case op == vcode.Or && (x == s.empty || y == s.all):
		return y
	}
	return 0
}

// origins replaces masks by those that they are copies of. Lists are shared
// between instructions, so a changed one is a new one.
func (s *settler) origins(k *known, list []vcode.Reg) []vcode.Reg {
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
func (k *known) origin(r vcode.Reg) vcode.Reg {
	for i := range k.facts {
		if k.facts[i].reg == r {
			return k.facts[i].as
		}
	}
	return r
}

// learn notes that r holds what as does.
func (k *known) learn(r, as vcode.Reg) {
	if r == as || as == 0 {
		return
	}
	if len(k.facts) == maxFacts {
		k.facts = slices.Delete(k.facts, 0, 1)
	}
	k.facts = append(k.facts, fact{r, as})
}

// group notes that one at least of some masks holds a lane.
func (k *known) group(set []vcode.Reg) {
	if len(k.groups) == maxGroups {
		k.groups = k.groups[1:]
	}
	k.groups = append(k.groups[:len(k.groups):len(k.groups)], set)
}

// forget drops all that is known of a mask that is written.
func (k *known) forget(d vcode.Reg) {
	k.facts = slices.DeleteFunc(k.facts, func(x fact) bool { return x.reg == d || x.as == d })
	gone := func(g []vcode.Reg) bool { return slices.Contains(g, d) }
	if slices.ContainsFunc(k.groups, gone) {
		k.groups = slices.DeleteFunc(slices.Clone(k.groups), gone) // others may have them
	}
}

func (k *known) clone() *known {
	return &known{facts: slices.Clone(k.facts), groups: slices.Clone(k.groups)}
}

// meet is what is known on both of two ways.
func (k *known) meet(o *known) *known {
	out := &known{}
	for _, x := range k.facts {
		if slices.Contains(o.facts, x) {
			out.facts = append(out.facts, x)
		}
	}
	for _, g := range k.groups {
		if slices.ContainsFunc(o.groups, func(h []vcode.Reg) bool { return slices.Equal(g, h) }) {
			out.groups = append(out.groups, g)
		}
	}
	return out
}
