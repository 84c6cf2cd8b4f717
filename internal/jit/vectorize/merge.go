package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Merge says how subgroups of a program may be run as one strip.
type Merge struct {
	Widest    uint32 // lanes of the widest strip; the subgroup size where none may be merged
	PartMajor uint32 // lanes of the widest strip for code by columns (Columns), 0 where none is worth trying
	Written   []int  // resources that are stored to; while merged, nothing else that is bound may share their bytes
}

// Bounds of the lanes of a strip: that loops do not tear apart, and that they do; and
// of the parts of one whose loops tear it apart but wait for roots or quotients, which
// one pair of parts does while another computes, and whose loops wait for results of f16
// most of the time.
const (
	maxMerged       = 64
	maxDivergent    = 32
	maxLongLatency  = 2 * scheduledParts
	maxRoundedParts = 8
)

// manyFilteredLoads is how many texels a program loads for filters at least, for its strips to
// be no wider than two vectors, or one where it has loops other than over strips, whose
// values would not stay in registers: nearly all that it waits for are those loads, and
// one strip has more of them than the machine has under way.
const manyFilteredLoads = 4

// Bounds of the parts of a strip for code by columns, and of the operations of a
// program for which that is tried.
const (
	maxPartMajorParts = 16
	maxPartMajorCode  = 64
)

// MergeOf finds out, for a machine that holds values as form says, whether a result could tell that several subgroups ran as
// one strip (internal/ir, "Strips and the order of effects"): they must not see
// each other, and a place that one stores to must not be read or stored to by
// another in an order that merging changes.
func MergeOf(p *ir.Program, form vcode.Form) Merge {
	m := merger{p: p, form: form, f: p.Funcs[0], stores: make([][]ir.V, len(p.Res)), loads: make([][]ir.V, len(p.Res)), inLoop: make([]bool, len(p.Res))}
	narrow := Merge{Widest: p.SubgroupSize}
	if p.Invocations() < 2*p.SubgroupSize || !m.collect() {
		return narrow
	}
	widest := uint32(maxMerged)
	switch {
	case m.filteredLoads >= manyFilteredLoads && m.loops > m.stripLoops:
		widest = uint32(form.Lanes)
	case m.filteredLoads >= manyFilteredLoads:
		widest = uint32(2 * form.Lanes)
	case m.longLatency && m.hasDivergentLoop():
		widest = max(maxDivergent, maxLongLatency*uint32(form.Lanes))
	case m.hasDivergentLoop():
		widest = maxDivergent
	case m.rounded > 0 && 2*m.rounded >= m.computed:
		widest = max(widest, uint32(maxRoundedParts*form.Lanes))
	}
	out := Merge{Widest: m.widest(widest)}
	if m.loops == 0 && len(m.f.Code) <= maxPartMajorCode {
		if n := m.widest(uint32(maxPartMajorParts * form.Lanes)); form.Parts(n) > 1 {
			out.PartMajor = n
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
func (m *merger) widest(most uint32) uint32 {
	for most > m.p.SubgroupSize && (m.p.Invocations()%most != 0 || !m.fits(most)) {
		most /= 2
	}
	return max(most, m.p.SubgroupSize)
}

type merger struct {
	p             *ir.Program
	form          vcode.Form
	f             *ir.Func
	stores, loads [][]ir.V // of each resource
	inLoop        []bool   // a store to it stands in a loop
	loops         int      // how many there are
	stripLoops    int      // how many of them go over strips, which begin anew

	computed, rounded int  // operations on f32 in loops, and what is rounded to f16
	filteredLoads     int  // loads of texels for filters
	longLatency       bool // loops have operations that last (ir.LongLatency)
}

// collect finds all accesses, and returns false where something rules merging
// out.
func (m *merger) collect() bool {
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
	var isLoop []bool // of the open regions: it is a loop
	loops := 0
	for _, v := range m.f.Code {
		x := m.f.Val(v)
		switch x.Op {
		case ir.Block, ir.If, ir.Loop:
			isLoop = append(isLoop, x.Op == ir.Loop)
			if x.Op == ir.Loop {
				loops++
				m.loops++
			}
		case ir.End:
			if isLoop[len(isLoop)-1] {
				loops--
			}
			isLoop = isLoop[:len(isLoop)-1]
		case ir.Ld, ir.St:
			if !m.access(v, loops > 0) {
				return false
			}
		case ir.Region, ir.RegionOff:
			return false
		case ir.FCvt:
			if loops > 0 && x.Type == ir.F16 {
				m.rounded++
			}
		case ir.Anew:
			m.stripLoops++
		default:
			if x.Op.Family() == ir.Atomics || x.Op.Is(ir.Meets) && x.Op != ir.QuadSwap { // a quad is within a subgroup
				return false
			}
			if loops > 0 && x.Op.Family() == ir.FloatArithmetic {
				m.computed++
				m.longLatency = m.longLatency || x.Op.Is(ir.LongLatency)
			}
		}
	}
	return true
}

// hasDivergentLoop reports whether there are loops that lanes leave at different times.
func (m *merger) hasDivergentLoop() bool {
	if m.loops == 0 {
		return false
	}
	mem := acquireArena()
	defer mem.release()
	s := analyzeDivergence(m.p, m.f, findLiveOuts(m.f, allDivergent, mem), partLanes(m.p, m.form), nil, mem)
	return slices.Contains(s.divergent, true)
}

func (m *merger) access(v ir.V, inLoop bool) bool {
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
		m.filteredLoads++
	}
	return true
}

// fits reports whether strips of so many lanes may be merged: a resource that is
// stored to is either stored to by one operation, once for each lane, and never
// read, or every access to it is to the lane's own bytes, as the shape of offsets
// shows or the program promises.
func (m *merger) fits(lanes uint32) bool {
	var s *divergence
	mem := acquireArena()
	defer mem.release()
	for r, stores := range m.stores {
		if len(stores) == 0 || m.p.Res[r].Disjoint || len(stores) == 1 && len(m.loads[r]) == 0 && !m.inLoop[r] {
			continue
		}
		if s == nil {
			p := *m.p
			p.SubgroupSize = lanes
			s = analyzeDivergence(&p, m.f, findLiveOuts(m.f, allDivergent, mem), lanes, nil, mem)
		}
		if !m.disjoint(s, slices.Concat(stores, m.loads[r])) {
			return false
		}
	}
	return true
}

// disjoint reports whether accesses are all at one offset that differs between the
// lanes by no less than what is accessed from there on.
func (m *merger) disjoint(s *divergence, list []ir.V) bool {
	off := m.f.Val(list[0]).Args[1]
	if s.liveOuts.of[off].loop != 0 { // another in each iteration
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
	case strided:
		return at.step <= maxStep && uint64(at.step) >= high-low
	case address:
		return uint64(at.step)*at.stride >= high-low
	}
	return false
}
