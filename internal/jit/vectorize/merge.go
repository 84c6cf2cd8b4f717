package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Subgroup merging: the width of a strip
//
// A strip may be several subgroups of a workgroup, or one vector of a subgroup, if no result can tell (internal/ir,
// "Strips and the order of effects"). Wider strips have more parts: independent instructions that hide latency, and more lanes
// for each uniform instruction and branch. They also need more registers and wait for the slowest of more
// lanes. This file decides which widths are legal, and up to which they are likely to pay; internal/jit
// tries the widest first and halves it as long as too much spills. GPU compilers know the transformation as
// thread coarsening (Magni, Dubach, O'Boyle 2013).
//
//	legal      no barrier, group operation, atomic or shared memory; a resource with stores is accessed by
//	           each lane in bytes of its own (disjoint), or by one store alone; device addresses only in one
//	           store alone (mergeaddress.go)
//	reports    of sanitizers are no obstacle without loops: a log keeps the first and the number, by invocation. A loop can
//	           use up the budget, and then the log must have no reports of subgroups that come later
//	counters   of ir.Count and ir.CountEdge are no obstacle: ExpandCounts adds for each subgroup of a strip
//	likely     64 lanes; fewer if loops are divergent or the program filters textures; more if it mostly waits

// Merge is the result of MergeOf: how many lanes a strip of a program may have.
type Merge struct {
	Widest    uint32 // lanes of the widest strip; the subgroup size if none may be merged
	Narrowest uint32 // lanes of the narrowest strip to try; above Widest if strips must be subgroups
	Multiple  uint32 // the lanes of a strip are a multiple of so many: a quad stays in one strip
	PartMajor uint32 // lanes of the widest strip to try for part-major code (PartMajor); 0 is none
	LongMajor uint32 // the same for merged workgroups (MergeWorkgroups), which are worth a longer compilation
	Waits     bool   // divergent loops spend much of their time on waiting for square roots or divisions
	Written   []int  // resources that are stored to, and must share no byte with other bindings
}

// Lanes of the widest strip that is likely to pay: usually, and with divergent loops. Parts of the widest
// one with divergent loops that wait for divisions and square roots, of which one pair of parts computes
// while the other waits (schedule.go), and with loops that mostly wait for conversions to f16.
const (
	maxMerged       = 64
	maxDivergent    = 32
	maxLongLatency  = 2 * scheduledParts
	maxRoundedParts = 8
)

// manyFilteredLoads is how many texel loads of filters make a program wait for little else. One strip then
// has more of them than the machine holds in flight, so wider strips do not help: two parts at most, or one
// if the values of loops (other than over strips) would be spilled.
const manyFilteredLoads = 4

// maxPerWait is the largest number of floating-point operations in loops for each square root or division with which
// loops wait: many others have work for the machine meanwhile.
const maxPerWait = 64

// Limits of part-major code: parts of a strip, and operations of a program.
const (
	maxPartMajorParts = 16
	maxLongMajorParts = 32
	maxPartMajorCode  = 64
)

// MergeOf decides how many lanes strips of p may have on a machine with the given register form.
func MergeOf(p *ir.Program, form vcode.Form) Merge {
	m := merger{p: p, form: form, f: p.Funcs[0], stores: make([][]ir.V, len(p.Res)), loads: make([][]ir.V, len(p.Res)), inLoop: make([]bool, len(p.Res)), manyCases: ManyCases(p, form)}
	narrow := Merge{Widest: p.SubgroupSize, Narrowest: 2 * p.SubgroupSize, Multiple: 1}
	if p.Invocations() < 2*p.SubgroupSize || !m.collect() {
		return narrow
	}
	widest := uint32(maxMerged)
	switch {
	case m.filteredLoads >= manyFilteredLoads && m.loops > m.stripLoops:
		widest = uint32(form.Lanes)
	case m.filteredLoads >= manyFilteredLoads:
		widest = uint32(2 * form.Lanes)
	case m.waiting > 0 && m.hasDivergentLoop():
		widest = max(maxDivergent, maxLongLatency*uint32(form.Lanes))
	case m.hasDivergentLoop():
		widest = maxDivergent
	case m.rounded > 0 && 2*m.rounded >= m.computed:
		widest = max(widest, uint32(maxRoundedParts*form.Lanes))
	}
	if row := p.LocalSize[0]; form.RowStrips && row > uint32(form.Lanes) && row%m.multiple() == 0 {
		widest = min(widest, row)
	}
	out := Merge{Widest: m.widest(widest), Narrowest: 2 * p.SubgroupSize, Multiple: m.multiple(), Waits: maxPerWait*m.waiting >= max(m.computed, 1) && m.hasDivergentLoop()}
	// Strips of a vector are legal if strips of two subgroups are: then no lane's effects depend on another's.
	// A quad stays in one strip. A program that filters waits for loads, of which two parts have more in flight.
	if one := uint32(form.Lanes); !m.counts && one < p.SubgroupSize && m.filteredLoads < manyFilteredLoads && 2*p.QuadRow <= one && (out.Widest > p.SubgroupSize || m.fits(2*p.SubgroupSize)) {
		out.Narrowest = one
		if m.manyCases {
			out.Widest = one
		}
	}
	if m.loops == 0 && !m.calls && !m.counts && len(m.f.Code) <= maxPartMajorCode {
		if n := m.widest(uint32(maxPartMajorParts * form.Lanes)); form.Parts(n) > 1 {
			out.PartMajor, out.LongMajor = n, m.widest(uint32(maxLongMajorParts*form.Lanes))
		}
	}
	if out.Widest < out.Narrowest || m.calls && out.Widest > uint32(form.Lanes) {
		return narrow
	}
	for r, list := range m.stores {
		if len(list) > 0 {
			out.Written = append(out.Written, r)
		}
	}
	return out
}

// ManyCases reports whether the entry point has a switch with more cases than a part has lanes. The lanes of a strip often take
// different cases then: nearly every lane more is a case more to execute, for all parts. So the strips of such a program are one
// vector if they may be.
func ManyCases(p *ir.Program, form vcode.Form) bool {
	f := p.Funcs[0]
	for _, v := range f.Code {
		if f.Val(v).Op == ir.Switch && len(f.Cases(v)) > 2*form.Lanes {
			return true
		}
	}
	return false
}

// widest returns the lanes of the widest legal strip of at most that many.
func (m *merger) widest(most uint32) uint32 {
	for most > m.p.SubgroupSize && (m.p.Invocations()%most != 0 || most%m.multiple() != 0 || !m.fits(most)) {
		most /= 2
	}
	return max(most, m.p.SubgroupSize)
}

// multiple returns the number of lanes from one that begins with a quad to the next.
func (m *merger) multiple() uint32 {
	if !m.quads {
		return 1
	}
	return max(4, 2*m.p.QuadRow)
}

// merger collects the properties of a program that decide.
type merger struct {
	p             *ir.Program
	form          vcode.Form
	f             *ir.Func
	stores, loads [][]ir.V // by resource
	inLoop        []bool   // by resource: a store to it is in a loop
	addressed     addressedAccesses
	loops         int  // number of loops
	stripLoops    int  // how many of them are over strips (ir.ResetBudget)
	manyCases     bool // the result of ManyCases
	calls         bool // the entry point has calls
	counts        bool // there are counters of subgroups
	quads         bool // lanes of a quad meet

	computed, rounded int // in loops: floating-point operations, and conversions to f16
	filteredLoads     int // texel loads of filters
	waiting           int // operations of ir.LongLatency in loops
}

// collect visits all operations, and returns false if one of them forbids merging.
func (m *merger) collect() bool {
	e := m.p.Effects
	if e.Barrier || e.GroupOps || e.Ordered && !m.p.OrderedByReports() || e.InGroup || m.p.SharedBytes > 0 {
		return false
	}
	for _, in := range m.p.In {
		switch in.Semantic {
		case ir.SubgroupLocalInvocationId, ir.SubgroupId, ir.NumSubgroups:
			return false
		}
	}
	var isLoop []bool // of the open regions
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
		case ir.FCvt:
			if loops > 0 && x.Type == ir.F16 {
				m.rounded++
			}
		case ir.ResetBudget:
			m.stripLoops++
		case ir.Count, ir.CountEdge:
			m.counts = true
		case ir.Call:
			if !m.manyCases || !m.calls && !m.onlyComputes() { // other widths are tried without the callees
				return false
			}
			m.calls = true
		default:
			m.quads = m.quads || x.Op == ir.QuadSwap // a quad is within one subgroup
			if x.Op.Family() == ir.Atomics || x.Op.Is(ir.Meets) && x.Op != ir.QuadSwap {
				return false
			}
			if loops > 0 && x.Op.Family() == ir.FloatArithmetic {
				m.computed++
				if x.Op.Is(ir.LongLatency) {
					m.waiting++
				}
			}
		}
	}
	if e.Ordered && (m.loops > 0 || m.calls) {
		return false
	}
	// The counters of a strip are by words of 32 lanes, in the order of LocalInvocationIndex.
	return m.addressedOnce() && !(m.counts && (m.p.SubgroupSize > wordLanes || m.p.QuadRow > 0 || m.calls))
}

// onlyComputes reports whether no function but the entry point accesses memory or has an operation at which lanes meet.
func (m *merger) onlyComputes() bool {
	for _, f := range m.p.Funcs[1:] {
		for _, v := range f.Code {
			x := f.Val(v)
			if x.Op != ir.Call && (x.Op.Is(ir.Reads) || x.Op.Is(ir.Writes) || x.Op.Is(ir.Meets) || x.Op == ir.Region || x.Op == ir.RegionOff) {
				return false
			}
		}
	}
	return true
}

// hasDivergentLoop reports whether lanes leave a loop in different iterations.
func (m *merger) hasDivergentLoop() bool {
	if m.loops == 0 {
		return false
	}
	mem := acquireArena()
	defer mem.release()
	s := analyzeDivergence(m.p, m.f, findLiveOuts(m.f, allDivergent, mem), partLanes(m.p, m.form), nil, mem)
	return slices.Contains(s.divergent, true)
}

// access records a load or store, and returns false if it forbids merging.
func (m *merger) access(v ir.V, inLoop bool) bool {
	x := m.f.Val(v)
	h := m.f.Val(x.Args[0])
	store := x.Op == ir.St
	switch h.Op {
	case ir.Push, ir.Table:
		return !store
	case ir.Res:
	case ir.Region:
		return m.addressed.add(v, store, inLoop)
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

// fits reports whether strips of so many lanes are legal. Every resource that is stored to has one store,
// executed once per lane, and no load; or each lane accesses only bytes of its own, as the shape of the
// offsets proves or the program promises (Disjoint).
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

// disjoint reports whether all accesses of the list have the same offset, and it differs between lanes by
// no less than the bytes accessed from there on.
func (m *merger) disjoint(s *divergence, list []ir.V) bool {
	off := m.f.Val(list[0]).Args[1]
	if s.liveOuts.of[off].loop != 0 { // differs from iteration to iteration
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
