package pass

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// meld is control-flow melding (Saumya, Sundararajah and Kulkarni 2022, "DARM"): arms of an if or a switch that do the same
// with other operands become one. The arms must end with a branch to one label. A new block gets a parameter for each operand
// that differs:
//
//	block L2(v9 f32) {             block L2(v9 f32) {
//		if v1 {                        block L3(v5 f32) {
//			v3 = fmul.f32 v2, 3.0          if v1 {
//			v4 = fsqrt.f32 v3                  br L3(3.0)
//			br L2(v4)                      }
//		}                                  br L3(5.0)
//		v5 = fmul.f32 v2, 5.0          }
//		v6 = fsqrt.f32 v5              v6 = fmul.f32 v2, v5
//		br L2(v6)                      v7 = fsqrt.f32 v6
//	}                                  br L2(v7)
//	                               }
//
// Lanes of different arms then run together, and the engines compile the code once.
// Functions of one template, inlined into the cases of a switch, are such arms. Arms may
// differ in a few operations, which all lanes then run (meld_align.go); a select takes
// the operand of the arm.
//
// Lanes of the arms meet nowhere in them: an arm has no effects outside the memory of
// its lane, and no operation at which lanes communicate. It runs later than before
// relative to the code around the arms, so that a load may be in an arm only if that
// code writes no memory. Operands that decide about addresses, iterations or branches
// must not become different between lanes: that would cost more than melding saves.
//
// All of it is linear in the code: a round has a bound for the code of nested arms that it
// looks at, and one for the alignment of arms that differ.
func meld(p *ir.Program) {
	some := false
	pure := pureFuncs(p)
	for _, f := range p.Funcs {
		if f.Texture != nil {
			continue
		}
		for range maxMeldRounds {
			if !meldOnce(p, f, pure) {
				break
			}
			some = true
		}
	}
	if some {
		inline(p) // functions that melded arms called may have few calls now
	}
}

// The limits of the pass.
const (
	maxMeldRounds = 8       // in each round, melded ranges do not overlap
	minArm        = 24      // operations of an arm: fewer are not worth another block
	maxArm        = 1 << 12 // operations of an arm
	maxArms       = 64      // of a group
	maxGroups     = 4       // groups that an arm is compared with
	maxTable      = 1 << 16 // cells of an alignment table
	maxMeldParams = 64      // parameters of a new block
	maxMelds      = 64      // groups melded in a round
)

// part is the code of a block or loop, or of one arm of an if.
type part struct {
	parent     int32
	opener     int32 // the index of the opener in the code
	begin, end int32 // its code
	closed     bool  // no lane reaches its end
}

// arm is code that ends with a branch.
type arm struct {
	from, br int32   // the operations are code[from:br], the branch is code[br]
	part     int32   // the part that contains it
	size     int     // operations, with the operations of callees
	anchors  uint64  // the hash of its anchors
	exact    uint64  // the hash of its operations, without operands outside
	loads    bool    // reads memory
	slots    []int32 // of a group, by operation, the branch included; −1 for none yet
}

// melder is the state of one round in one function.
type melder struct {
	p     *ir.Program
	f     *ir.Func
	edit  editor
	pure  []purity
	code  []ir.V
	pos   []int32 // by value: the index in the code of the operation that defines it
	uni   []bool  // by value: likely the same in all lanes
	ords  []int32 // by label: its number among the anchors of its arm
	parts []part
	arms  map[ir.V][]arm // by the label that they branch to
	order []ir.V         // the labels, in the order of the code
	left  int            // operations that the round may still look at
	cells int            // cells of tables that it may still fill
	climb int            // steps from a part to the one around it that span may still take
	harms []int32        // by index in the code: how many operations before it are not harmless
	table []int16        // the alignment table
}

// meldOnce melds groups of arms with ranges that do not overlap. It reports whether there was one.
func meldOnce(p *ir.Program, f *ir.Func, pure []purity) bool {
	if !branchy(f) {
		return false
	}
	r := newArena()
	defer r.release()
	m := &melder{p: p, f: f, edit: editor{f: f}, pure: pure, code: f.Code, arms: map[ir.V][]arm{}, left: 8*len(f.Code) + 1<<12, cells: 32*len(f.Code) + 1<<18}
	m.climb = 8*len(f.Code) + 1<<12
	m.pos, m.ords, m.harms = r.numbers.Alloc(len(f.Vals)), r.numbers.Alloc(len(f.Vals)), r.numbers.Alloc(len(f.Code)+1)
	m.uni = make([]bool, len(f.Vals))
	m.collect(newScope(f, r))
	var done []*melded
	// Outer labels come first if their first branch does. Ranges that overlap wait for
	// the next round.
	for _, label := range m.order {
		for _, g := range m.groups(label) {
			if len(g.arms) < 2 || len(done) == maxMelds {
				continue
			}
			from, to, ok := m.span(g)
			if !ok || slices.ContainsFunc(done, func(d *melded) bool { return from < d.to && d.from < to }) {
				continue
			}
			if d := m.emit(g, from, to); d != nil {
				done = append(done, d)
			}
		}
	}
	if len(done) == 0 {
		return false
	}
	m.rebuild(done)
	return true
}

// branchy reports whether a function has two branches to one label, an if or a switch, and enough code for two arms.
func branchy(f *ir.Func) bool {
	if len(f.Code) < 2*minArm {
		return false
	}
	return slices.ContainsFunc(f.Code, func(v ir.V) bool { op := f.Val(v).Op; return op == ir.If || op == ir.Switch })
}

// collect finds the parts and the arms. An arm begins where its part begins, or after
// the last block that a switch branches to, or after the last if that all lanes leave:
//
//	block L3 {
//		block L4 {
//			switch v1 {0:i32 -> L4, L3}
//		}
//		…           the arm of case 0
//		br L2(v5)
//	}
//	…               the arm of the default
//	br L2(v7)
func (m *melder) collect(s scope) {
	f := m.f
	type level struct {
		part, from int32
		second     bool // the arm of an if after its else
	}
	switched := make(map[ir.V]bool)
	var open []level
	enter := func(i int) {
		parent := int32(-1)
		if len(open) > 0 {
			parent = open[len(open)-1].part
		}
		m.parts = append(m.parts, part{parent: parent, opener: int32(i), begin: int32(i + 1)})
		open = append(open, level{part: int32(len(m.parts) - 1), from: int32(i + 1)})
	}
	for i, v := range m.code {
		x := f.Val(v)
		m.define(v, int32(i))
		m.harms[i+1] = m.harms[i]
		if !m.harmless(v, x) {
			m.harms[i+1]++
		}
		dead := s.dead
		s.step(f, v, 0)
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			enter(i)
		case ir.Else:
			top := open[len(open)-1]
			m.close(top.part, i, dead)
			open = open[:len(open)-1]
			enter(int(m.parts[top.part].opener))
			m.parts[len(m.parts)-1].begin = int32(i + 1) // enter takes the opener's place for it
			top = open[len(open)-1]
			open[len(open)-1] = level{part: top.part, from: int32(i + 1), second: true}
		case ir.End:
			top := open[len(open)-1]
			m.close(top.part, i, dead)
			open = open[:len(open)-1]
			opener := f.Val(x.Args[0])
			if len(open) > 0 && (switched[x.Args[0]] || opener.Op == ir.If && !top.second && dead) {
				open[len(open)-1].from = int32(i + 1)
			}
		case ir.Switch:
			switched[x.Args[1]] = true
			for k, c := range f.Cases(v) {
				if k%2 == 1 {
					switched[c] = true
				}
			}
		case ir.Br:
			top := open[len(open)-1]
			m.candidate(arm{from: top.from, br: int32(i), part: top.part}, x.Args[0])
		}
	}
}

func (m *melder) close(part int32, end int, closed bool) {
	m.parts[part].end, m.parts[part].closed = int32(end), closed
}

// define notes where the values of an operation are defined, and whether they are likely
// the same in all lanes. A parameter is if all its arguments are, whichever lanes branch:
// melding needs a guess only, as it is about cost.
func (m *melder) define(v ir.V, i int32) {
	f, x := m.f, m.f.Val(v)
	m.pos[v] = i
	switch x.Op {
	case ir.Block: // the parameters are defined at the end
		for _, p := range f.Params(v) {
			m.pos[p], m.uni[p] = i, true
		}
	case ir.End:
		if f.Val(x.Args[0]).Op == ir.Block {
			for _, p := range f.Params(x.Args[0]) {
				m.pos[p] = i
			}
		}
	case ir.Loop:
		for k, p := range f.Params(v) {
			m.pos[p], m.uni[p] = i, m.same(f.Inits(v)[k])
		}
	case ir.Br:
		if f.Val(x.Args[0]).Op == ir.Block {
			for k, p := range f.Params(x.Args[0]) {
				m.uni[p] = m.uni[p] && m.same(f.BrArgs(v)[k])
			}
		}
	case ir.Call:
		all := !slices.ContainsFunc(f.CallArgs(v), func(a ir.V) bool { return !m.same(a) })
		for _, p := range f.CallResults(v) {
			m.pos[p], m.uni[p] = i, all
		}
	default:
		m.uni[v] = m.uniform(x)
	}
}

// uniform reports whether the value of an operation without a list is likely the same in all lanes.
func (m *melder) uniform(x *ir.Val) bool {
	switch {
	case x.Op == ir.In:
		return m.p.In[x.Aux].Semantic.Rate() <= ir.PerGroup
	case x.Op != ir.Ld && !x.Op.Pure():
		return false
	}
	for k := range x.Op.Args() {
		if !m.same(x.Args[k]) {
			return false
		}
	}
	return true
}

// same reports whether a value is likely the same in all lanes.
func (m *melder) same(v ir.V) bool { return m.f.Val(v).Op == ir.Const || m.uni[v] }

// span returns the range of the code that the new block of a group contains: from the
// statement with the first arm to the end of the innermost part that contains all arms.
// No lane may reach that end, because it would run the melded code. Code in the range,
// which now runs before the loads of the arms, must not write memory.
func (m *melder) span(g *group) (from, to int32, ok bool) {
	at := g.arms[0].part
	for _, a := range g.arms[1:] {
		at = m.common(at, a.part)
	}
	if at < 0 || m.climb < 0 || !m.parts[at].closed {
		return 0, 0, false
	}
	from, to = g.arms[0].from, m.parts[at].end
	for p := g.arms[0].part; p != at; p = m.parts[p].parent {
		from = m.parts[p].opener
		m.climb--
	}
	loads := slices.ContainsFunc(g.arms, func(a arm) bool { return a.loads })
	return from, to, !loads || m.harms[from] == m.harms[to]
}

// common returns the innermost part that contains two parts, or −1 if the search takes
// too many steps. The number of a part is larger than the number of the part around it.
func (m *melder) common(a, b int32) int32 {
	for a != b {
		if m.climb--; m.climb < 0 {
			return -1
		}
		if a > b {
			a = m.parts[a].parent
		} else {
			b = m.parts[b].parent
		}
	}
	return a
}

// melded is a group that is ready: the new block contains code[from:to], and body follows it.
type melded struct {
	from, to int32
	label    ir.V
	arms     []arm
	brs      []ir.V // by arm: its replacement
	body     []ir.V
}

// rebuild makes the new code of the function: of each range the opener, the code with
// new branches for the arms, the end, and the melded code.
func (m *melder) rebuild(done []*melded) {
	slices.SortFunc(done, func(a, b *melded) int { return int(a.from - b.from) })
	var code []ir.V
	at := int32(0)
	for _, d := range done {
		code = append(append(code, m.code[at:d.from]...), d.label)
		at = d.from
		for i, a := range d.arms {
			code = append(append(code, m.code[at:a.from]...), d.brs[i])
			at = a.br + 1
		}
		code = append(append(code, m.code[at:d.to]...), m.edit.end(d.label))
		code, at = append(code, d.body...), d.to
	}
	m.f.Code = append(code, m.code[at:]...)
}
