package pass

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// This file finds arms that do the same, for meld. An arm is a sequence of anchors with
// segments of pure operations before them. Anchors are the operations that all arms of a
// group must have: control, calls, and accesses to memory. Segments are aligned
// (Needleman and Wunsch 1970, as Rocha et al. 2019 do for functions):
//
//	arm 1     v10 = fmul.f32 v1, 2.0    v11 = fadd.f32 v10, 1.0    v12 = fsqrt.f32 v11
//	arm 2     v20 = fmul.f32 v1, 3.0                               v22 = fsqrt.f32 v20
//	slot      0                         1                          2
//
// Slots have references, which are the numbers of values in the melded code.

// purity tells which effects a call of a function may have.
type purity struct {
	known, pure bool
	loads       bool // reads memory
	arithmetic  bool // has no addresses, no loops and no branches: any argument may differ between lanes
	size        int
}

// pureFuncs finds the functions without effects outside the memory of the lane. In a cycle of calls none is pure.
func pureFuncs(p *ir.Program) []purity {
	pure := make([]purity, len(p.Funcs))
	order, _ := callOrder(p)
	for _, fn := range order {
		f := p.Funcs[fn]
		x := purity{known: true, pure: f.Texture == nil, arithmetic: true, size: len(f.Code)}
		for _, v := range f.Code {
			o := f.Val(v)
			switch {
			case o.Op == ir.Call:
				c := pure[f.Callee(v)]
				x.pure, x.loads, x.arithmetic = x.pure && c.pure, x.loads || c.loads, x.arithmetic && c.arithmetic
				x.size = min(x.size+c.size, maxArm)
			case o.Op == ir.Kill || !movable(o) && !o.Op.Is(ir.Control):
				x.pure = false
			}
			x.loads = x.loads || o.Op == ir.Ld
			x.arithmetic = x.arithmetic && !decides(o.Op)
		}
		pure[fn] = x
	}
	return pure
}

// movable reports whether an operation without control has no effect outside the lane, and no lane sees when it runs.
func movable(x *ir.Val) bool {
	switch x.Op {
	case ir.Ld:
		return x.Flags&(ir.Volatile|ir.Coherent) == 0
	case ir.PLd, ir.PSt, ir.PClr, ir.PLdI, ir.PStI:
		return true
	}
	return x.Op.Pure()
}

// decides reports whether the operands of an operation should be the same in all lanes if they can be.
func decides(op ir.Op) bool {
	switch op.Family() {
	case ir.Memory, ir.PrivateMemory, ir.Handles, ir.IntDivision, ir.BitFields:
		return true
	}
	return op == ir.If || op == ir.Loop || op == ir.Switch
}

// harmless reports whether an operation writes no memory that other lanes see.
func (m *melder) harmless(v ir.V, x *ir.Val) bool {
	return x.Op == ir.Call && m.pure[m.f.Callee(v)].pure || x.Op != ir.Call && x.Op.Is(ir.Control) || movable(x)
}

// anchor reports whether all arms of a group must have the operation.
func anchor(op ir.Op) bool { return !op.Pure() }

// candidate enters an arm if it can be melded. It hashes the anchors, and separately
// everything but the operands from outside. Arms of a group have equal hashes of the
// anchors; equal hashes of everything save an alignment. Either is only a hint: equal
// compares operations.
func (m *melder) candidate(a arm, target ir.V) {
	n := int(a.br - a.from)
	if m.left -= n; n > maxArm || m.left < 0 {
		return
	}
	f, count := m.f, int32(0)
	for i := a.from; i < a.br; i++ {
		v := m.code[i]
		x := f.Val(v)
		a.size++
		switch {
		case x.Op == ir.Call:
			c := m.pure[f.Callee(v)]
			if !c.pure {
				return
			}
			a.size, a.loads = a.size+c.size, a.loads || c.loads
		case x.Op == ir.Switch || x.Op == ir.Kill || !x.Op.Is(ir.Control) && !movable(x):
			return
		}
		a.loads = a.loads || x.Op == ir.Ld
		key := m.hash(v, x, a.from)
		if anchor(x.Op) {
			m.ords[v] = count
			count++
			a.anchors = mix(a.anchors, key)
		}
		a.exact = mix(a.exact, key)
		f.Operands(v, func(o ir.V) {
			if m.inside(&a, o) {
				a.exact = mix(a.exact, uint64(i-m.pos[o]))
			}
		})
	}
	if a.size < minArm {
		return
	}
	if m.arms[target] == nil {
		m.order = append(m.order, target)
	}
	m.arms[target] = append(m.arms[target], a)
}

// hash returns the hash of an operation of an arm that begins at from, without its
// operands. A label of the arm has the number of its anchor, any other one itself.
func (m *melder) hash(v ir.V, x *ir.Val, from int32) uint64 {
	key := mix(uint64(x.Op)<<32|uint64(x.Type)<<24|uint64(x.Flags), x.Aux)
	switch x.Op {
	case ir.Br:
		key = mix(key, uint64(x.Args[0]))
		if m.pos[x.Args[0]] >= from {
			key = mix(1, uint64(m.ords[x.Args[0]]))
		}
	case ir.Block, ir.Loop:
		for _, p := range m.f.Params(v) {
			key = mix(key, uint64(m.f.Type(p)))
		}
	}
	return key
}

// mix adds a number to a hash (multiplicative hashing, Knuth, TAOCP 3, 6.4).
func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// slot is an operation of melded arms.
type slot struct {
	vals []ir.V // by arm: its operation; 0 if it has none
	ref  int32  // the reference of its value; its parameters or results have the following ones
}

// one returns the operation of the first arm that has one, and the number of the arm.
func (s *slot) one() (v ir.V, k int) {
	for s.vals[k] == 0 {
		k++
	}
	return s.vals[k], k
}

// group is a set of arms that can be melded.
type group struct {
	arms     []arm
	slots    []slot
	segments [][]int32 // slots in the order of the code; the last one of a segment is an anchor
	refs     int32     // references so far
	ops      opCounts  // of the slots
}

// opCounts has the number of operations of each kind.
type opCounts [256]int32

// common returns how many operations two counts have in common.
func (c *opCounts) common(d *opCounts) (n int) {
	for op := range c {
		n += int(min(c[op], d[op]))
	}
	return n
}

// groups divides the arms that branch to a label into groups.
func (m *melder) groups(label ir.V) (all []*group) {
	begun := map[uint64][]*group{}
next:
	for _, a := range m.arms[label] {
		// An arm that contains an earlier one cannot be in its group.
		same := begun[a.anchors]
		for _, g := range same {
			if len(g.arms) < maxArms && g.arms[len(g.arms)-1].br < a.from && m.place(g, a) {
				continue next
			}
		}
		if len(same) < maxGroups {
			g := &group{refs: 1}
			m.found(g, a)
			begun[a.anchors], all = append(same, g), append(all, g)
		}
	}
	return all
}

// found begins a group with its first arm.
func (m *melder) found(g *group, a arm) {
	a.slots = make([]int32, a.br-a.from+1)
	var segment []int32
	for i := range a.slots {
		v := m.code[int(a.from)+i]
		a.slots[i] = int32(len(g.slots))
		segment = append(segment, a.slots[i])
		m.newSlot(g, v, 0)
		if anchor(m.f.Val(v).Op) {
			g.segments, segment = append(g.segments, segment), nil
		}
	}
	g.arms = append(g.arms, a)
}

// newSlot adds the slot of an operation that only arm k has so far.
func (m *melder) newSlot(g *group, v ir.V, k int) {
	s := slot{vals: make([]ir.V, k+1), ref: g.refs}
	s.vals[k] = v
	g.refs += 1 + int32(len(m.owned(v)))
	g.slots = append(g.slots, s)
	g.ops[m.f.Val(v).Op]++
}

// ref returns the reference of a value that an arm uses; 0 if it is from outside, or if
// its slot is not known yet.
func (m *melder) ref(g *group, a *arm, v ir.V) int32 {
	if !m.inside(a, v) {
		return 0
	}
	x, sub := m.f.Val(v), int32(0)
	if x.Op == ir.Param || x.Op == ir.Result {
		v, sub = x.Args[0], 1+int32(x.Aux)
	}
	if s := a.slots[m.pos[v]-a.from]; s >= 0 {
		return g.slots[s].ref + sub
	}
	return 0
}

// inside reports whether an arm defines a value that it uses.
func (m *melder) inside(a *arm, v ir.V) bool {
	switch x := m.f.Val(v); x.Op {
	case ir.Const, ir.Arg:
		return false
	case ir.Param, ir.Result:
		v = x.Args[0]
	}
	return m.pos[v] >= a.from
}

// owned returns the parameters or results of an operation.
func (m *melder) owned(v ir.V) []ir.V {
	switch m.f.Val(v).Op {
	case ir.Block, ir.Loop:
		return m.f.Params(v)
	case ir.Call:
		return m.f.CallResults(v)
	}
	return nil
}

// place adds an arm to a group with equal anchors if few operations differ: at most an
// eighth of its operations are new, and it lacks as few. It changes the group only then.
func (m *melder) place(g *group, a arm) bool {
	n := int(a.br - a.from + 1)
	a.slots = make([]int32, n)
	var ops opCounts
	for i := range a.slots {
		a.slots[i] = -1
		ops[m.f.Val(m.code[int(a.from)+i]).Op]++
	}
	if most := ops.common(&g.ops); n-most > n/8 || len(g.slots)-most > n/8 { // no alignment can match more
		return false
	}
	twin := slices.IndexFunc(g.arms, func(b arm) bool { return b.exact == a.exact && len(b.slots) == n })
	matched, begin, segment := 0, 0, 0
	for i := range n {
		v := m.code[int(a.from)+i]
		if !anchor(m.f.Val(v).Op) {
			continue
		}
		if segment == len(g.segments) || !m.alignSegment(g, &a, begin, i, g.segments[segment], twin) {
			return false
		}
		for _, s := range a.slots[begin : i+1] {
			if s >= 0 {
				matched++
			}
		}
		begin, segment = i+1, segment+1
	}
	if segment != len(g.segments) || n-matched > n/8 || len(g.slots)-matched > n/8 {
		return false
	}
	m.insert(g, a)
	return true
}

// alignSegment fills a.slots[begin:end+1], a segment: the slot of each operation, −1 for
// a new one. It reports false if the anchors differ or the segments are too long. The
// twin is an arm with the same operations, or −1: its slots are a good alignment, and
// so is one by one if the lengths are equal.
func (m *melder) alignSegment(g *group, a *arm, begin, end int, ids []int32, twin int) bool {
	last := len(ids) - 1
	if !m.equal(g, a, m.code[int(a.from)+end], ids[last]) {
		return false
	}
	a.slots[end] = ids[last]
	ops, ids := m.code[int(a.from)+begin:int(a.from)+end], ids[:last]
	out := a.slots[begin:end]
	if twin >= 0 {
		copy(out, g.arms[twin].slots[begin:end])
	} else if len(ops) == len(ids) {
		copy(out, ids)
	} else {
		return m.align(g, a, ops, ids, out)
	}
	for i, v := range ops {
		if !m.equal(g, a, v, out[i]) {
			return m.align(g, a, ops, ids, out)
		}
	}
	return true
}

// equal reports whether an operation of an arm differs from a slot in its operands at most.
func (m *melder) equal(g *group, a *arm, v ir.V, id int32) bool {
	f := m.f
	w, k := g.slots[id].one()
	b := &g.arms[k]
	x, y := f.Val(v), f.Val(w)
	if x.Op != y.Op || x.Type != y.Type || x.Flags != y.Flags || x.Aux != y.Aux {
		return false
	}
	switch x.Op {
	case ir.Br:
		s, t := x.Args[0], y.Args[0]
		if m.pos[s] < a.from {
			return s == t
		}
		return m.pos[t] >= b.from && m.ref(g, a, s) == m.ref(g, b, t)
	case ir.Else, ir.End:
		return m.ref(g, a, x.Args[0]) == m.ref(g, b, y.Args[0])
	case ir.Block, ir.Loop, ir.Call:
		p, q := m.owned(v), m.owned(w)
		return slices.EqualFunc(p, q, func(v, w ir.V) bool { return f.Type(v) == f.Type(w) }) && len(f.Listed(v)) == len(f.Listed(w))
	}
	for k := range x.Op.Args() {
		if f.Type(x.Args[k]) != f.Type(y.Args[k]) {
			return false
		}
	}
	return true
}

// insert adds an arm with known slots, and makes slots for its new operations. The
// order of the slots is the order of each arm that has them, so that a definition comes
// before its uses.
func (m *melder) insert(g *group, a arm) {
	k, begin := len(g.arms), 0
	for i := range g.slots {
		g.slots[i].vals = append(g.slots[i].vals, 0)
	}
	for segment, ids := range g.segments {
		var merged []int32
		at := 0 // ids before it are in merged
		for end := false; !end; begin++ {
			v := m.code[int(a.from)+begin]
			id := a.slots[begin]
			if end = anchor(m.f.Val(v).Op); id < 0 {
				id = int32(len(g.slots))
				a.slots[begin] = id
				m.newSlot(g, v, k)
				merged = append(merged, id)
				continue
			}
			g.slots[id].vals[k] = v
			next := at + slices.Index(ids[at:], id) + 1
			merged, at = append(merged, ids[at:next]...), next
		}
		g.segments[segment] = merged
	}
	g.arms = append(g.arms, a)
}

// align finds the best alignment of the pure operations of a segment with slots by
// dynamic programming. Cell (i, j) of the table has the best score of the first i
// operations with the first j slots. An operation matches an equal one, the better the
// more operands agree. A score fits in 16 bits: 16 for each of at most 256 matches.
func (m *melder) align(g *group, a *arm, ops []ir.V, ids []int32, out []int32) bool {
	w := len(ids) + 1
	cells := (len(ops) + 1) * w
	if m.cells -= cells; cells > maxTable || m.cells < 0 {
		return false
	}
	if cap(m.table) < cells {
		m.table = make([]int16, maxTable)
	}
	t := m.table[:cells]
	clear(t[:w])
	for i, v := range ops {
		row, above := t[(i+1)*w:(i+2)*w], t[i*w:(i+1)*w]
		row[0] = 0
		for j, id := range ids {
			best := max(above[j+1], row[j])
			if m.equal(g, a, v, id) {
				best = max(best, above[j]+m.score(g, a, v, id))
			}
			row[j+1] = best
		}
	}
	// The way back from the last cell visits the cells of a best alignment.
	i, j := len(ops), len(ids)
	for i > 0 {
		here := t[i*w+j]
		switch {
		case here == t[(i-1)*w+j]:
			i--
			out[i] = -1
		case here == t[i*w+j-1]:
			j--
		default:
			i, j = i-1, j-1
			out[i] = ids[j]
		}
	}
	return true
}

// score rates a match of an operation of an arm with a slot: 4, and for each operand 3
// if it is known to agree, 1 if it may agree. Operands earlier in the segment are not
// known yet.
func (m *melder) score(g *group, a *arm, v ir.V, id int32) int16 {
	w, k := g.slots[id].one()
	x, y := m.f.Val(v), m.f.Val(w)
	n := int16(4)
	for i := range x.Op.Args() {
		ref := m.ref(g, a, x.Args[i])
		switch other := m.ref(g, &g.arms[k], y.Args[i]); {
		case ref != 0 && ref == other:
			n += 3
		case m.inside(a, x.Args[i]) == (other != 0):
			n++
		}
	}
	return n
}
