package exec

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// The detector of data races finds accesses of a location by two invocations that happens-before does not order, one of
// them a write and not both atomic (Vulkan, "Memory Model", "Data Race"). It keeps the last accesses of each word, and vector
// clocks of the invocations (Flanagan and Freund 2009, "FastTrack"); the barriers of a workgroup make the clocks of its
// invocations equal, so that a clock for a workgroup stands for those of its invocations (Eizenberg et al. 2017, "BARRACUDA").

// Race is a pair of accesses that are not ordered.
type Race struct {
	First, Second *Message // the second one ran later
	Times         uint64
	SameGroup     bool
}

// domains is the number of kinds of memory that a barrier orders by itself; see ir.Event.
const domains = ir.EventDomains

// thread is the state of an invocation.
type thread struct {
	workgroup *workgroup
	lane      uint32
	number    uint32 // in vectors
	now       clock
	seen      [domains]vector    // what happens before its next access
	released  [reaches]published // at its last release fence, of each reach
	read      [reaches][domains]vector
	rounds    [2]uint32 // control barriers of the workgroup and of the subgroup so far
	arrived   *round    // the split barrier at which it arrived last; nil for none
	waits     *round    // the barrier before its next event; nil for none
	acquires  uint8     // the domains of its acquire semantics
	fenced    uint8     // domains with a fence since the last access: it counts for the next control barrier
}

// workgroup is a workgroup of a run. Two jobs have different workgroups, even with equal ids.
type workgroup struct {
	number uint32 // in vectors
	stage  ir.Stage
}

// The reaches are what a fence orders: the invocations of the device or of the workgroup. Those of a subgroup count as those of
// the workgroup, so that no sound program has a report.
const (
	onDevice = iota
	inGroup
	reaches
)

// reachOf returns the reach of a scope.
func reachOf(scope uint8) int {
	if scope == ir.EventDevice {
		return onDevice
	}
	return inGroup
}

// published is what the last release fence of each domain published: what the invocation had seen, and its own clock; 0 without a
// fence.
type published struct {
	seen [domains]vector
	when [domains]clock
}

// round is one control barrier.
type round struct {
	arrived      [domains]vector
	last         clock
	count, size  uint32   // invocations that are here, and those that must be
	first, other *Message // of the first invocation, and of one at another barrier; nil for none
}

// Barrier is a control barrier that not all invocations reach.
type Barrier struct {
	First, Other *Message // the invocation that was there first, and one that waits at another barrier; nil for none
	Count, Size  uint32   // invocations that reached it, of those of its scope
	Times        uint64
}

// roundOf identifies a round: of a workgroup, or of a subgroup.
type roundOf struct {
	group    uint32
	subgroup uint32 // 1 + its number; 0 is the workgroup
	number   uint32
}

// races is the state of the detector.
type races struct {
	clocks
	nextGroup uint32
	limit     uint64 // of bytes; see Log.RaceBytes
	commands  bool   // see Log.Commands
	kept      uint64 // bytes of threads, cells and accesses
	groups    map[groupOf]*workgroup
	threads   map[laneOf]*thread
	passed    map[laneOf][2]uint32 // the barriers of invocations without a thread; see readOnly
	rounds    map[roundOf]*round
	cells     map[location]*cell
	written   map[*ir.Program]map[string]bool // memory that the program writes
	placed    map[*ir.Program]*placed         // the resources of the programs
	found     map[[2]siteOf]*Race
	missed    map[siteOf]*Barrier
	unread    map[siteOf]*Report // loads of bytes without a store
	stopped   *Stopped           // nil while the detector follows the run
}

// Stopped is the end of the search for races in a run that is too large.
type Stopped struct {
	At  *Message // the first event that is not checked
	Why string
}

// groupOf identifies a workgroup of a job.
type groupOf struct {
	stage ir.Stage
	id    [3]uint32
}

// laneOf identifies an invocation of a run.
type laneOf struct {
	workgroup  *workgroup
	lane       uint32
	invocation [3]uint32 // without a workgroup: the values that identify it
}

// What the parts of the detector count for its limit, with the maps and messages that hold them.
const (
	groupBytes  = 96
	threadBytes = 384
	passedBytes = 64
	roundBytes  = 256
	cellBytes   = 256
	accessBytes = 160
	localBytes  = 192 // what atomics published in a workgroup
)

// DefaultRaceBytes is the limit of the detector of a log with RaceBytes 0.
const DefaultRaceBytes = 1 << 30

func newRaces(limit uint64, commands bool) *races {
	if limit == 0 {
		limit = DefaultRaceBytes
	}
	r := &races{
		limit: limit, commands: commands, written: map[*ir.Program]map[string]bool{}, placed: map[*ir.Program]*placed{},
		found: map[[2]siteOf]*Race{}, missed: map[siteOf]*Barrier{}, unread: map[siteOf]*Report{},
	}
	r.forget()
	return r
}

// results returns a detector with the same findings that has not followed any event; nil for nil.
func (r *races) results() *races {
	if r == nil {
		return nil
	}
	out := newRaces(r.limit, r.commands)
	out.stopped, out.placed = r.stopped, r.placed
	out.found, out.missed, out.unread = copies(r.found), copies(r.missed), copies(r.unread)
	return out
}

// copies returns a map with copies of the elements of m.
func copies[K comparable, V any](m map[K]*V) map[K]*V {
	out := make(map[K]*V, len(m))
	for k, v := range m {
		c := *v
		out[k] = &c
	}
	return out
}

// forget drops the state of the run; the findings remain.
func (r *races) forget() {
	r.groups, r.threads, r.passed = map[groupOf]*workgroup{}, map[laneOf]*thread{}, map[laneOf][2]uint32{}
	r.rounds, r.cells = map[roundOf]*round{}, map[location]*cell{}
	r.kept, r.bytes = 0, 0
}

// stop ends the search: what follows is not checked, and has no report.
func (r *races) stop(at *Message, why string) {
	r.stopped = &Stopped{at, why}
	r.forget()
}

// event adds an event of an invocation, with all of its values.
func (r *races) event(m *Message) {
	if r.stopped != nil {
		return
	}
	switch w := r.writesOf(m.Program); {
	case w == nil:
		r.stop(m, "the shader has too many accesses and barriers")
		return
	case len(w) == 0 && !r.commands:
		r.readOnly(m)
	default:
		r.follow(m, w)
	}
	if r.kept+r.bytes > r.limit {
		r.stop(m, fmt.Sprintf("the invocations, accesses and clocks of the run need more than %d MiB", r.limit>>20))
	}
}

// readOnly adds an event of a program that writes nothing, or without the sanitizer race: no access can race, and clocks would be
// most of the memory for the barriers of many invocations.
func (r *races) readOnly(m *Message) {
	switch e := &m.Of().Event; e.Kind {
	case ir.AccessEvent:
		if e.Uninit {
			r.noteUnwritten(m)
		}
	case ir.BarrierEvent, ir.ArriveEvent:
		g := r.workgroupOf(m)
		i := laneOf{workgroup: g, lane: m.Lane}
		n, ok := r.passed[i]
		if !ok {
			r.kept += passedBytes
		}
		r.roundOf(m, e, g, &n)
		r.passed[i] = n
	}
}

// follow adds an event to the clocks. written is the memory that the program writes: reads alone do not race.
func (r *races) follow(m *Message, written map[string]bool) {
	t := r.threadOf(m)
	r.resume(t)
	switch e := &m.Of().Event; e.Kind {
	case ir.AccessEvent:
		if written[e.Memory] || r.commands || r.shares(m.Program, e.Memory) {
			r.access(t, m, e)
		} else if e.Uninit {
			r.noteUnwritten(m)
		}
	case ir.FenceEvent:
		if e.Scope == ir.EventInvocation {
			break
		}
		t.release(e.Release, e.Scope)
		r.fence(t, e.Acquire, e.Scope)
		t.fenced |= e.Release & e.Acquire
	case ir.BarrierEvent:
		r.wait(t, r.arrive(t, m, e), e)
	case ir.ArriveEvent:
		t.arrived = r.arrive(t, m, e)
	case ir.WaitEvent:
		r.wait(t, t.arrived, e)
	}
}

// workgroupOf returns the workgroup of a message.
func (r *races) workgroupOf(m *Message) *workgroup {
	of := groupOf{m.Of().Stage, m.Group}
	if m.Of().Where > 0 && of.stage != ir.Fragment { // values identify the invocation, which may run several times
		of.id = [3]uint32{}
	}
	g := r.groups[of]
	if g == nil {
		g = &workgroup{number: r.nextGroup, stage: of.stage}
		r.groups[of] = g
		r.nextGroup++
		r.kept += groupBytes
	}
	return g
}

// threadOf returns the state of the invocation of a message.
func (r *races) threadOf(m *Message) *thread {
	g := r.workgroupOf(m)
	i := laneOf{workgroup: g, lane: m.Lane}
	if n := int(m.Of().Where); n > 0 {
		for k, x := range m.Args[len(m.Args)-n:] {
			i.invocation[k%len(i.invocation)] = uint32(x)
		}
		if g.stage != ir.Fragment {
			i.lane = 0
		}
	}
	t := r.threads[i]
	if t == nil {
		t = &thread{workgroup: g, lane: i.lane, number: uint32(len(r.threads)), now: 1}
		r.threads[i] = t
		r.kept += threadBytes
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

// release is a release fence of some domains. An atomic makes the vector that it publishes.
func (t *thread) release(set, scope uint8) {
	if set == 0 {
		return
	}
	each(set, func(d int) {
		for reach := reachOf(scope); reach < reaches; reach++ {
			p := &t.released[reach]
			p.seen[d], p.when[d] = t.seen[d], t.now
		}
	})
	t.now++
}

// fence is an acquire fence of some domains.
func (r *races) fence(t *thread, set, scope uint8) {
	each(set, func(d int) { t.seen[d] = r.joined(t.seen[d], t.read[reachOf(scope)][d]) })
}

// roundOf adds an invocation to its round of a barrier. rounds counts those of the invocation.
func (r *races) roundOf(m *Message, e *ir.Event, g *workgroup, rounds *[2]uint32) *round {
	at, kind := roundOf{group: g.number}, 0
	local := m.Program.LocalSize
	size := local[0] * local[1] * local[2]
	if n := m.Program.SubgroupSize; e.Execution >= ir.EventSubgroup {
		at.subgroup, kind = 1+m.Lane/n, 1
		size = min(n, size-m.Lane/n*n)
	}
	at.number = rounds[kind]
	rounds[kind]++
	x := r.rounds[at]
	if x == nil {
		x = &round{first: m, size: size}
		r.rounds[at] = x
		r.kept += roundBytes
	}
	if x.first.Number != m.Number {
		x.other = m
	}
	if x.count++; x.count == size {
		delete(r.rounds, at)
		r.kept -= roundBytes
		r.judge(x)
	}
	return x
}

// arrive records the arrival at a control barrier. An invocation keeps running after it arrives at a split barrier, so the clock of
// its workgroup cannot represent it.
func (r *races) arrive(t *thread, m *Message, e *ir.Event) *round {
	x := r.roundOf(m, e, t.workgroup, &t.rounds)
	x.last = max(x.last, t.now)
	release := e.Release | t.fenced
	each(release, func(d int) {
		v := r.joined(x.arrived[d], t.seen[d])
		if e.Kind == ir.ArriveEvent || max(e.Execution, e.Scope) >= ir.EventSubgroup {
			v.lanes = r.raised(v.lanes, t.number, t.now)
		} else {
			v.groups = r.raised(v.groups, t.workgroup.number, t.now)
		}
		x.arrived[d] = v
	})
	t.release(release, e.Scope)
	return x
}

// wait is the wait for the others of a round: the next event of the invocation is after their arrivals.
func (r *races) wait(t *thread, x *round, e *ir.Event) {
	acquire := e.Acquire | t.fenced
	r.fence(t, acquire, e.Scope)
	t.waits, t.acquires = x, acquire
}

// judge notes a round that not all invocations reached, or at several barriers.
func (r *races) judge(x *round) {
	if x.count == x.size && x.other == nil {
		return
	}
	at := siteOf{x.first.Program, x.first.Number}
	b := r.missed[at]
	if b == nil {
		b = &Barrier{First: x.first, Other: x.other, Count: x.count, Size: x.size}
		r.missed[at] = b
	}
	b.Times++
}

// resume ends the wait of an invocation for a barrier.
func (r *races) resume(t *thread) {
	if t.waits == nil {
		return
	}
	for d := range domains { // an acquire fence behind the barrier reads them, too
		for reach := range reaches {
			t.read[reach][d] = r.joined(t.read[reach][d], t.waits.arrived[d])
		}
	}
	each(t.acquires, func(d int) { t.seen[d] = r.joined(t.seen[d], t.waits.arrived[d]) })
	t.now, t.waits = max(t.now, t.waits.last)+1, nil
}

// access is a load, a store or an atomic.
func (r *races) access(t *thread, m *Message, e *ir.Event) {
	t.fenced &^= 1 << e.Domain
	at, element := placeOf(m)
	size, memory := uint64(e.Size), e.Memory
	if a, n, ok := r.addressOf(m); ok {
		at, size, memory, element = a, n, "", 0
	}
	end := at + size
	written := !e.Uninit || !e.Read
	for word := at / 4; word*4 < end; word++ {
		bytes := uint8(0xf)
		if first := word * 4; first < at {
			bytes &= 0xf << (at - first)
		}
		if last := word*4 + 4; last > end {
			bytes &= 0xf >> (last - end)
		}
		l := location{stage: t.workgroup.stage, memory: memory, element: element, word: word}
		if e.Domain == ir.EventWorkgroup {
			l.group = 1 + t.workgroup.number
		}
		c := r.cells[l]
		if c == nil {
			if r.kept+r.bytes > r.limit {
				return // event stops
			}
			c = &cell{}
			r.cells[l] = c
			r.kept += cellBytes
		}
		written = written || c.written&bytes != 0
		if e.Write {
			c.written |= bytes
		}
		if r.commands {
			c.note(m, e, bytes)
		}
		r.touch(c, t, access{m, t, t.now, bytes}, e)
	}
	if !written {
		r.noteUnwritten(m)
	}
}

// placeOf returns the first byte of an access and the index of its descriptor. A texel is a word.
func placeOf(m *Message) (at uint64, element uint32) {
	if n := int(m.Of().Texel); n > 0 {
		for i, x := range m.Args[:n] {
			at |= x << (15 * i) // images have at most 16,384 texels in a direction; buffers have one
		}
		at |= m.Args[n]<<45 | m.Args[n+1]<<50
		return at * 4, uint32(m.Args[n+2])
	}
	if len(m.Args)-int(m.Of().Where) == 1 { // an address
		return m.Args[0], 0
	}
	return m.Args[0], uint32(m.Args[1])
}

// noteUnwritten counts a load of bytes of which no store wrote any.
func (r *races) noteUnwritten(m *Message) {
	at := siteOf{m.Program, m.Number}
	if r.unread[at] == nil {
		r.unread[at] = &Report{First: m}
	}
	r.unread[at].Times++
}

// writesOf returns the memory that a program writes; nil if the program has events that it does not log.
func (r *races) writesOf(p *ir.Program) map[string]bool {
	w, ok := r.written[p]
	if ok {
		return w
	}
	w = map[string]bool{}
	for i := range p.Messages {
		switch e := &p.Messages[i].Event; {
		case e.Kind == ir.LostEvent:
			r.written[p] = nil
			return nil
		case e.Write:
			w[e.Memory] = true
		}
	}
	r.written[p] = w
	return w
}

// report counts a race.
func (r *races) report(first, second access) {
	a, b := first.message, second.message
	at := [2]siteOf{{a.Program, a.Number}, {b.Program, b.Number}}
	if at[0].number > at[1].number {
		at[0], at[1] = at[1], at[0]
	}
	x := r.found[at]
	if x == nil {
		x = &Race{First: a, Second: b, SameGroup: a.Of().Where == 0 && first.by.workgroup == second.by.workgroup}
		r.found[at] = x
	}
	x.Times++
}
