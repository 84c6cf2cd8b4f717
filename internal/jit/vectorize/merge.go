package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Merge says how subgroups of a program may be run as one strip.
type Merge struct {
	Widest  uint32 // lanes of the widest strip; the subgroup size where none may be merged
	Columns uint32 // lanes of the widest strip for code by columns (Columns), 0 where none is worth trying
	Written []int  // resources that are stored to; while merged, nothing else that is bound may share their bytes
}

// Bounds of the lanes of a strip: that loops do not tear apart, and that they do; and
// of the parts of one whose loops tear it apart but wait for roots or quotients, which
// one pair of parts does while another computes, and whose loops wait for results of f16
// most of the time.
const (
	maxMerged  = 64
	maxTorn    = 32
	maxLasting = 2 * orderedParts
	maxWaiting = 8
)

// manyTexels is how many texels a program loads for filters at least, for its strips to
// be no wider than two vectors, or one where it has loops other than over strips, whose
// values would not stay in registers: nearly all that it waits for are those loads, and
// one strip has more of them than the machine has under way.
const manyTexels = 4

// Bounds of the parts of a strip for code by columns, and of the operations of a
// program for which that is tried.
const (
	maxColumns    = 16
	maxColumnCode = 64
)

// MergeOf finds out, for a machine that holds values as form says, whether a result could tell that several subgroups ran as
// one strip (internal/ir, "Strips and the order of effects"): they must not see
// each other, and a place that one stores to must not be read or stored to by
// another in an order that merging changes.
func MergeOf(p *ir.Program, form vcode.Form) Merge {
	m := merging{p: p, form: form, f: p.Funcs[0], stores: make([][]ir.V, len(p.Res)), loads: make([][]ir.V, len(p.Res)), inLoop: make([]bool, len(p.Res))}
	narrow := Merge{Widest: p.SubgroupSize}
	if p.Invocations() < 2*p.SubgroupSize || !m.collect() {
		return narrow
	}
	widest := uint32(maxMerged)
	switch {
	case m.filtered >= manyTexels && m.loops > m.begins:
		widest = uint32(form.Lanes)
	case m.filtered >= manyTexels:
		widest = uint32(2 * form.Lanes)
	case m.lasting && m.torn():
		widest = max(maxTorn, maxLasting*uint32(form.Lanes))
	case m.torn():
		widest = maxTorn
	case m.rounded > 0 && 2*m.rounded >= m.computed:
		widest = max(widest, uint32(maxWaiting*form.Lanes))
	}
	out := Merge{Widest: m.widest(widest)}
	if m.loops == 0 && len(m.f.Code) <= maxColumnCode {
		if n := m.widest(uint32(maxColumns * form.Lanes)); form.Parts(n) > 1 {
			out.Columns = n
		}
	}
	if out.Widest == p.SubgroupSize {
		return narrow
	}
	for r, list := range m.stores {
		if len(list) > 0 {
			out.Written = append(out.Written, r)
		}
	}
	return out
}

// widest returns the lanes of the widest strip that may be merged, of up to most.
func (m *merging) widest(most uint32) uint32 {
	for most > m.p.SubgroupSize && (m.p.Invocations()%most != 0 || !m.fits(most)) {
		most /= 2
	}
	return max(most, m.p.SubgroupSize)
}

type merging struct {
	p             *ir.Program
	form          vcode.Form
	f             *ir.Func
	stores, loads [][]ir.V // of each resource
	inLoop        []bool   // a store to it stands in a loop
	loops         int      // how many there are
	begins        int      // how many of them go over strips, which begin anew

	computed, rounded int  // operations on f32 in loops, and what is rounded to f16
	filtered          int  // loads of texels for filters
	lasting           bool // loops have operations that last (ir.Lasts)
}

// collect finds all accesses, and returns false where something rules merging
// out.
func (m *merging) collect() bool {
	e := m.p.Effects
	if e.Barrier || e.GroupOps || e.Ordered || m.p.SharedBytes > 0 {
		return false
	}
	for _, in := range m.p.In {
		switch in.Semantic {
		case ir.SubgroupLocalInvocationId, ir.SubgroupId, ir.NumSubgroups:
			return false
		}
	}
	var ends []bool // of the open regions: it is a loop
	loops := 0
	for _, v := range m.f.Code {
		x := m.f.Val(v)
		switch x.Op {
		case ir.Block, ir.If, ir.Loop:
			ends = append(ends, x.Op == ir.Loop)
			if x.Op == ir.Loop {
				loops++
				m.loops++
			}
		case ir.End:
			if ends[len(ends)-1] {
				loops--
			}
			ends = ends[:len(ends)-1]
		case ir.Ld, ir.St:
			if !m.access(v, loops > 0) {
				return false
			}
		case ir.Call, ir.Region, ir.RegionOff, ir.Fence, ir.Exit:
			return false
		case ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FFma, ir.FSqrt:
			if loops > 0 {
				m.computed++
				m.lasting = m.lasting || x.Op.Is(ir.Lasts)
			}
		case ir.FCvt:
			if loops > 0 && x.Type == ir.F16 {
				m.rounded++
			}
		case ir.Anew:
			m.begins++
		default:
			if x.Op.Is(ir.Atomic) || x.Op.Is(ir.Meets) && x.Op != ir.QuadSwap { // a quad is within a subgroup
				return false
			}
		}
	}
	return true
}

// torn reports whether there are loops that lanes leave at different times.
func (m *merging) torn() bool {
	if m.loops == 0 {
		return false
	}
	r := enter()
	defer r.leave()
	s := shapesOf(m.p, m.f, homesOf(m.f, apart, r), rowLanes(m.p, m.form), nil, r)
	return slices.Contains(s.diverges, true)
}

func (m *merging) access(v ir.V, inLoop bool) bool {
	x := m.f.Val(v)
	h := m.f.Val(x.Args[0])
	store := x.Op == ir.St
	switch h.Op {
	case ir.Push, ir.Table:
		return !store
	case ir.Res:
	default:
		return false
	}
	if store {
		m.stores[h.Aux] = append(m.stores[h.Aux], v)
		m.inLoop[h.Aux] = m.inLoop[h.Aux] || inLoop
	} else {
		m.loads[h.Aux] = append(m.loads[h.Aux], v)
	}
	if x.Flags&ir.Proven != 0 && m.p.Res[h.Aux].Kind == ir.Texels {
		m.filtered++
	}
	return true
}

// fits reports whether strips of so many lanes may be merged: a resource that is
// stored to is either stored to by one operation, once for each lane, and never
// read, or every access to it is to the lane's own bytes, as the shape of offsets
// shows or the program promises.
func (m *merging) fits(lanes uint32) bool {
	var s *shapes
	in := enter()
	defer in.leave()
	for r, stores := range m.stores {
		if len(stores) == 0 || m.p.Res[r].Disjoint || len(stores) == 1 && len(m.loads[r]) == 0 && !m.inLoop[r] {
			continue
		}
		if s == nil {
			p := *m.p
			p.SubgroupSize = lanes
			s = shapesOf(&p, m.f, homesOf(m.f, apart, in), lanes, nil, in)
		}
		if !m.own(s, slices.Concat(stores, m.loads[r])) {
			return false
		}
	}
	return true
}

// own reports whether accesses are all at one offset that differs between the
// lanes by no less than what is accessed from there on.
func (m *merging) own(s *shapes, list []ir.V) bool {
	off := m.f.Val(list[0]).Args[1]
	if s.homes.of[off].loop != 0 { // another in each iteration
		return false
	}
	low, high := uint64(1<<63), uint64(0)
	for _, v := range list {
		x := m.f.Val(v)
		if x.Args[1] != off {
			return false
		}
		low, high = min(low, x.Aux), max(high, x.Aux+uint64(x.Type.Size()))
	}
	at := s.of[off]
	switch at.kind {
	case row:
		return at.step <= maxStep && uint64(at.step) >= high-low
	case address:
		return uint64(at.step)*at.size >= high-low
	}
	return false
}
