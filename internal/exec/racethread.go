package exec

import "github.com/chiaro-gpu/chiaro/internal/ir"

// thread is an invocation.
type thread struct {
	workgroup *workgroup
	standing
	arrived *round // the split barrier at which it arrived last; nil for none
	lane    uint32 // in the workgroup
	number  uint32 // in vectors
	owned   bool   // no other invocation has the state
}

// standing is the part that events change.
type standing struct {
	state    *state
	waits    *round    // the barrier before the next event; nil for none
	rounds   [2]uint32 // control barriers of the workgroup and of the subgroup so far
	now      clock
	acquires uint8 // the domains of the acquire semantics of waits
	fenced   uint8 // domains with a fence since the last access: it counts for the next control barrier (see wide, near)
}

// state is what happens before the next access of an invocation. Invocations that passed the same barriers share one, which does
// not change then.
type state struct {
	seen     [domains]vector
	own      [domains]clock     // in seen, of the workgroup of the invocation
	released [reaches]published // at its last release fence, of each reach
	read     [reaches][domains]vector
	fences   bool // there was a release fence
}

// beginning is the standing of a new invocation.
var beginning = standing{state: &state{}, now: 1}

// workgroup is a workgroup of a run. Two jobs have different workgroups, even with equal ids.
type workgroup struct {
	of      groupOf
	number  uint32   // in vectors
	first   uint32   // number of invocation 0 in vectors
	threads []thread // by lane; nil while all are in the start state, and without a workgroup
	pages   []pageOf // of its workgroup memory
	open    *round   // the last round at which one of its invocations arrived
	last    change
	bytes   uint64 // its share in the limit
}

// groupOf identifies a workgroup of a job.
type groupOf struct {
	stage ir.Stage
	id    [3]uint32
	lanes uint32 // in whole subgroups
	width uint32 // of a subgroup; 0 without workgroups
}

// laneOf identifies an invocation of a stage without workgroups.
type laneOf struct {
	workgroup  *workgroup
	lane       uint32
	invocation [3]uint32 // the values that identify it
}

// The reaches are what a fence orders: the invocations of the device, of the workgroup or of the subgroup, from the greatest.
const (
	onDevice = iota
	inGroup
	inSubgroup
	reaches
)

// reachOf returns the reach of a scope.
func reachOf(scope uint8) int {
	switch scope {
	case ir.EventDevice:
		return onDevice
	case ir.EventGroup:
		return inGroup
	}
	return inSubgroup
}

// wide returns the domains with a fence of the workgroup or more since the last access.
func (s *standing) wide() uint8 { return s.fenced & (1<<domains - 1) }

// near returns the domains with a fence of the subgroup since the last access.
func (s *standing) near() uint8 { return s.fenced >> domains }

// noteFence notes the domains of a fence, which counts for the next control barrier.
func (s *standing) noteFence(set, scope uint8) {
	if reachOf(scope) == inSubgroup {
		set <<= domains
	}
	s.fenced |= set
}

// access ends the effect of the fences of a domain on the next control barrier.
func (s *standing) access(domain uint8) { s.fenced &^= 1<<domain | 1<<(domains+domain) }

// subgroupOf returns the number of the subgroup of an invocation. All invocations of a stage without workgroups count as one, because
// the detector does not know their subgroups.
func (t *thread) subgroupOf() subgroupOf {
	return subgroupOf{t.workgroup.number, t.lane / max(t.workgroup.of.width, 1) * min(t.workgroup.of.width, 1)}
}

// subgroupOf identifies a subgroup of a run.
type subgroupOf struct{ workgroup, number uint32 }

// published is what the last release fence of each domain published: what the invocation had seen, and its own clock; 0 without a
// fence.
type published struct {
	seen  [domains]vector
	when  [domains]clock
	meets [domains]*meeting // the barrier that was the fence; nil for others
}

// workgroupOf returns the workgroup of an event.
func (r *races) workgroupOf(x *record) *workgroup {
	of := groupOf{x.program.Messages[x.number].Stage, x.id, 0, 0}
	if x.grouped {
		of.lanes, of.width = lanesOf(x.program), max(x.program.SubgroupSize, 1)
	} else if of.stage != ir.Fragment { // values identify the invocation, which may run several times
		of.id = [3]uint32{}
	}
	if g := r.latest; g != nil && g.of == of {
		return g
	}
	g := r.groups[of]
	if g == nil {
		r.retire(x.program)
		g = &workgroup{of: of, number: r.nextGroup, first: r.nextThread, bytes: groupBytes}
		r.groups[of] = g
		r.nextGroup++
		r.nextThread += of.lanes
		r.kept += groupBytes
	}
	r.latest = g
	return g
}

// lanesOf returns the invocations of a workgroup, in whole subgroups.
func lanesOf(p *ir.Program) uint32 {
	n := max(p.SubgroupSize, 1)
	return (max(p.LocalSize[0]*p.LocalSize[1]*p.LocalSize[2], 1) + n - 1) / n * n
}

// retire forgets the last workgroup if it has ended: the run has one job, and its workgroups run one after another. Their accesses
// of other than workgroup memory remain.
func (r *races) retire(p *ir.Program) {
	g, job := r.latest, r.programOf(p).job
	if g == nil || g.of.stage != ir.Compute || job == nil || r.jobs != 1 || job.Schedule != nil || job.Hook != nil {
		return
	}
	// The records of its other accesses have numbers of its invocations, not the invocations, which the next workgroup reuses.
	delete(r.groups, g.of)
	for _, at := range g.pages {
		r.drop(at)
	}
	for i := range g.threads {
		if g.threads[i].owned {
			r.kept -= stateBytes
		}
	}
	r.kept -= g.bytes
	r.spare, r.latest = g.threads, nil
}

// begin makes the invocations of a workgroup.
func (r *races) begin(g *workgroup) {
	if g.threads = r.spare; uint32(len(g.threads)) != g.of.lanes {
		g.threads = make([]thread, g.of.lanes)
	}
	r.spare = nil
	for i := range g.threads {
		g.threads[i] = thread{workgroup: g, standing: beginning, lane: uint32(i), number: g.first + uint32(i)}
	}
	r.count(g, threadBytes*uint64(g.of.lanes))
}

// count adds bytes that remain until a workgroup ends.
func (r *races) count(g *workgroup, bytes uint64) {
	g.bytes += bytes
	r.kept += bytes
}

// lone returns an invocation of a stage without workgroups. follow tells whether the values that identify it count.
func (r *races) lone(g *workgroup, x *record, follow bool) *thread {
	i := laneOf{workgroup: g, lane: x.single.Lane}
	if follow {
		for k, v := range x.single.Args[len(x.single.Args)-int(x.where):] {
			i.invocation[k%len(i.invocation)] = uint32(v)
		}
		if g.of.stage != ir.Fragment {
			i.lane = 0
		}
	}
	t := r.alone[i]
	if t == nil {
		t = &thread{workgroup: g, standing: beginning, lane: i.lane, number: r.nextThread}
		r.alone[i] = t
		r.nextThread++
		r.kept += aloneBytes
	}
	return t
}

// each calls f with each domain of a bit set.
func each(set uint8, f func(d int)) {
	for d := range domains {
		if set>>d&1 != 0 {
			f(d)
		}
	}
}

// change returns the state of an invocation for a change.
func (r *races) change(t *thread) *state {
	if !t.owned {
		s := *t.state
		t.state, t.owned = &s, true
		r.kept += stateBytes
	}
	return t.state
}

// share lets other invocations have the state of an invocation, which does not change any more.
func (r *races) share(t *thread) {
	if t.owned {
		t.owned = false
		r.kept -= stateBytes
	}
}

// see orders a vector before the next access of an invocation.
func (r *races) see(t *thread, d int, v vector) {
	if v = r.joined(t.state.seen[d], v); v != t.state.seen[d] {
		s := r.change(t)
		s.seen[d], s.own[d] = v, v.groups.at(t.workgroup.number)
	}
}

// hear adds a vector that an acquire fence of an invocation would read.
func (r *races) hear(t *thread, reach, d int, v vector) {
	if v = r.joined(t.state.read[reach][d], v); v != t.state.read[reach][d] {
		r.change(t).read[reach][d] = v
	}
}

// publish is a release fence of some domains. An atomic makes the vector that it publishes.
func (r *races) publish(t *thread, set, scope uint8, at *meeting) {
	if set == 0 {
		return
	}
	s := r.change(t)
	each(set, func(d int) {
		for reach := reachOf(scope); reach < reaches; reach++ {
			p := &s.released[reach]
			p.seen[d], p.when[d], p.meets[d] = s.seen[d], t.now, at
		}
	})
	s.fences = true
	t.now++
}

// fence is an acquire fence of some domains.
func (r *races) fence(t *thread, set, scope uint8) {
	each(set, func(d int) { r.see(t, d, t.state.read[reachOf(scope)][d]) })
}
