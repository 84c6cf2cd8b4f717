package exec

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Log collects the messages of invocations (debug printf, asserts, aborts); see "Groups" in
// the documentation of package ir. The zero Log is ready to use. It is safe for concurrent use, but a run
// with a log uses one worker, so that the set of recorded messages is deterministic.
type Log struct {
	// Limit is the maximum number of recorded messages; 0 means DefaultMessages.
	Limit int

	// RaceBytes is about the memory that the detector of data races may use; 0 means DefaultRaceBytes.
	RaceBytes uint64

	// OneJob says that the log is of one job of a compute program. The detector then takes no events of memory that its invocations cannot share.
	OneJob bool

	// Commands keeps the accesses of memory for a comparison with other commands; see Accesses.
	Commands bool

	mu      sync.Mutex
	list    []*Message
	reports map[siteOf]*Report
	races   *races // nil before the first traced event
	groups  derivativeGroups
	lastOf  map[invocation]*Message // the latest message of each invocation; absent if it was dropped
	dropped uint64
}

// siteOf identifies the place of a report.
type siteOf struct {
	program *ir.Program
	number  uint32
}

// Report is the first report of a place, in the order of [Log.Messages], and the number of all. The log keeps one for each
// place, so that no place is lost.
type Report struct {
	First *Message
	Times uint64
}

// DefaultMessages is the message limit of a log with Limit 0.
const DefaultMessages = 1 << 16

// maxArgs limits the values of one message; more are dropped.
const maxArgs = 1 << 12

// Message is one message of an invocation.
type Message struct {
	Program *ir.Program // of the invocation: the programs of a draw share a log
	Group   [3]uint32   // WorkgroupId
	Lane    uint32      // index in the workgroup: subgroup · SubgroupSize + lane
	Number  uint32      // index in Program.Messages
	Args    []uint64    // bits of the values
}

// Of returns the text and the types of the values of the message.
func (m *Message) Of() *ir.Message { return &m.Program.Messages[m.Number] }

// Local returns LocalInvocationId.
func (m *Message) Local() [3]uint32 {
	x, y := m.Program.LocalSize[0], m.Program.LocalSize[1]
	return [3]uint32{m.Lane % x, m.Lane / x % y, m.Lane / x / y}
}

type invocation struct {
	group [3]uint32
	lane  uint32
}

// Begin records a new message of an invocation of a program, without values. message is an index in p.Messages.
func (l *Log) Begin(p *ir.Program, group [3]uint32, lane, message uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lastOf == nil {
		l.lastOf, l.reports = map[invocation]*Message{}, map[siteOf]*Report{}
	}
	by := invocation{group, lane}
	switch p.Messages[message].Kind {
	case ir.Undefined, ir.Unwritten:
		l.report(p, by, message)
		return
	case ir.Traced:
		m := &Message{Program: p, Group: group, Lane: lane, Number: message}
		if l.lastOf[by] = m; len(m.Of().Args) == 0 || l.races != nil && l.races.stopped != nil {
			l.trace(m)
		}
		return
	}
	most := l.Limit
	if most == 0 {
		most = DefaultMessages
	}
	if len(l.list) >= most {
		l.dropped++
		delete(l.lastOf, by)
		return
	}
	m := &Message{Program: p, Group: group, Lane: lane, Number: message}
	l.lastOf[by] = m
	l.list = append(l.list, m)
}

// report counts a report, and keeps it if it is the first of its place.
func (l *Log) report(p *ir.Program, by invocation, number uint32) {
	r := l.reports[siteOf{p, number}]
	if r == nil {
		r = &Report{}
		l.reports[siteOf{p, number}] = r
	}
	r.Times++
	m := &Message{Program: p, Group: by.group, Lane: by.lane, Number: number}
	if r.First != nil && r.First.order(m) <= 0 {
		delete(l.lastOf, by)
		return
	}
	r.First = m
	l.lastOf[by] = m
}

// place tells the detector of data races the resources of a job. A nil log has none.
func (l *Log) place(p *ir.Program, j *Job) {
	if l == nil || !slices.ContainsFunc(p.Messages, func(m ir.Message) bool { return m.Kind == ir.Traced && m.Event.Kind == ir.AccessEvent }) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.detector().place(p, j)
}

// trace passes an event to the detector of data races, or to the one of derivatives.
func (l *Log) trace(m *Message) {
	if !m.Of().Event.Kind.OfQuads() {
		l.detector().event(m)
	} else if len(m.Args) == 2 {
		l.groups.add(m.Program, m.Number, Lanes{1}, m.Args[:1], m.Args[1:])
	}
	delete(l.lastOf, invocation{m.Group, m.Lane})
}

// detector returns the detector of data races.
func (l *Log) detector() *races {
	if l.races == nil {
		l.races = newRaces(l.RaceBytes, l.Commands)
		l.races.oneJob = l.OneJob
	}
	return l.races
}

// Heeds reports whether an event of a program has an effect: reads of memory that a job does not write have none.
func (l *Log) Heeds(p *ir.Program, message uint32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.Messages[message].Event.Kind.OfQuads() {
		return l.groups.stopped == nil
	}
	r := l.detector()
	return r.stopped == nil && r.heeds(p, message)
}

// Event records an event of invocations of a subgroup: with the values x and y by lane, as far as its message has values. first is the
// number in the workgroup of lane 0.
func (l *Log) Event(p *ir.Program, group [3]uint32, first uint32, lanes Lanes, message uint32, x, y []uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.Messages[message].Event.Kind.OfQuads() {
		l.groups.add(p, message, lanes, x, y)
		return
	}
	r := l.detector()
	if r.stopped != nil || lanes.Empty() || !r.heeds(p, message) {
		return
	}
	e := r.newRecord(p, message)
	r.values = [2][]uint64{x, y}
	e.id, e.lane, e.values = group, first, &r.values
	r.add(e, lanes)
}

// NewJob starts a job. Workgroup numbers restart at 0, as in each job of a mesh draw. No invocation may be running.
func (l *Log) NewJob() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.races != nil {
		l.races.newJob()
	}
}

// Stopped returns the end of the search for data races; nil if it went on to the end of the run.
func (l *Log) Stopped() *Stopped {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.races == nil {
		return nil
	}
	return l.races.stopped
}

// Races returns the data races, in the order of the places of the second accesses.
func (l *Log) Races() []Race {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.races == nil {
		return nil
	}
	return sorted(l.races.found, func(a, b Race) int { return cmp.Or(a.Second.place(b.Second), a.First.place(b.First)) })
}

// sorted returns the elements of m in an order.
func sorted[K comparable, V any](m map[K]*V, order func(a, b V) int) (list []V) {
	for _, v := range m {
		list = append(list, *v)
	}
	slices.SortFunc(list, order)
	return list
}

// Unwritten returns the loads of workgroup memory to which nothing was stored, in the order of their places.
func (l *Log) Unwritten() []Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.races == nil {
		return nil
	}
	return sorted(l.races.unread, func(a, b Report) int { return a.First.place(b.First) })
}

// Barriers returns the barriers that not all invocations reached, in the order of their places. The run must have ended.
func (l *Log) Barriers() []Barrier {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.races == nil {
		return nil
	}
	open := slices.Collect(maps.Values(l.races.rounds))
	slices.SortFunc(open, func(a, b *round) int {
		return cmp.Or(a.first.place(b.first), a.first.order(b.first))
	})
	clear(l.races.rounds)
	for _, x := range open {
		l.races.judge(x)
	}
	return sorted(l.races.missed, func(a, b Barrier) int { return a.First.place(b.First) })
}

// Interrupt ends a run that was stopped: invocations that did not run to their ends miss no barrier and no derivative. A nil log has none.
func (l *Log) Interrupt() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.races != nil {
		clear(l.races.rounds)
	}
	l.groups = l.groups.results()
}

// EndPrimitives ends all primitives: none of them has further fragments. A nil log has none.
func (l *Log) EndPrimitives() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.groups.judge()
}

// Derivatives returns the derivatives that not all invocations of a primitive reached, in the order of their places. If the search for them
// ended early, it also returns the first derivative that was not checked.
func (l *Log) Derivatives() (list []Derivative, unchecked *Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.groups.judge()
	return sorted(l.groups.missed, func(a, b Derivative) int { return a.First.place(b.First) }), l.groups.stopped
}

// order compares two messages of a program: by workgroup (x fastest), then by lane.
func (m *Message) order(o *Message) int {
	return cmp.Or(cmp.Compare(m.Group[2], o.Group[2]), cmp.Compare(m.Group[1], o.Group[1]), cmp.Compare(m.Group[0], o.Group[0]), cmp.Compare(m.Lane, o.Lane))
}

// place compares the places of two messages. An instruction can have several messages, and a stage several programs (variants):
// the invocations decide between those, so that the order is total.
func (m *Message) place(o *Message) int {
	a, b := m.Of(), o.Of()
	return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Instruction, b.Instruction), cmp.Compare(m.Number, o.Number), m.order(o))
}

// AddArg appends a value, as its bits, to the invocation's latest message.
func (l *Log) AddArg(group [3]uint32, lane uint32, bits uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m := l.lastOf[invocation{group, lane}]; m != nil && len(m.Args) < maxArgs {
		if m.Args = append(m.Args, bits); m.Of().Kind == ir.Traced && len(m.Args) == len(m.Of().Args) {
			l.trace(m)
		}
	}
}

// Messages returns the recorded messages other than reports, sorted by program (in the order of their first messages), then
// by workgroup (x fastest), then by lane, then in program order.
func (l *Log) Messages() []Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	rank := map[*ir.Program]int{}
	out := make([]Message, len(l.list))
	for i, m := range l.list {
		out[i] = *m
		if _, ok := rank[m.Program]; !ok {
			rank[m.Program] = len(rank)
		}
	}
	slices.SortStableFunc(out, func(a, b Message) int {
		return cmp.Or(cmp.Compare(rank[a.Program], rank[b.Program]), a.order(&b))
	})
	return out
}

// Reports returns the reports of sanitizers, by stage, then in the order of their first invocations, then of their places.
func (l *Log) Reports() []Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	return sorted(l.reports, func(a, b Report) int {
		return cmp.Or(cmp.Compare(a.First.Of().Stage, b.First.Of().Stage), a.First.order(b.First), cmp.Compare(a.First.Number, b.First.Number))
	})
}

// Dropped returns the number of messages beyond the limit, which were not recorded.
func (l *Log) Dropped() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped
}

// LogState is what a log had recorded between two groups of a run; see Restore.
type LogState struct {
	messages int
	reports  map[siteOf]*Report // copies
	dropped  uint64
	races    *races // with copies of what it found alone; nil for none
	groups   derivativeGroups
}

// State returns the state of the log. No invocation may be running. A nil log has the zero state.
func (l *Log) State() (s LogState) {
	if l == nil {
		return s
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return LogState{len(l.list), copies(l.reports), l.dropped, l.races.results(), l.groups.results()}
}

// Restore discards all entries after a saved state and resets the race detector: it does not compare accesses before the state with
// later ones. No invocation may be running.
func (l *Log) Restore(s LogState) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.races, l.groups = s.races.results(), s.groups.results()
	clear(l.list[s.messages:])
	l.list, l.dropped = l.list[:s.messages], s.dropped
	clear(l.lastOf)
	l.reports = copies(s.reports)
}

// WithLog returns the job itself or, if p has messages and the job has no log, a copy of the job with a new
// log.
func (j *Job) WithLog(p *ir.Program) *Job {
	if len(p.Messages) == 0 || j.Log != nil {
		return j
	}
	c := *j
	c.Log = &Log{}
	return &c
}

// abortError returns the *AbortError of the first Abort message in the log, or nil if there is none.
func (j *Job) abortError() error {
	if j.Log == nil {
		return nil
	}
	for _, s := range j.Log.Messages() {
		if m := s.Of(); m.Kind == ir.Abort {
			return &AbortError{Group: s.Group, Local: s.Local(), Types: m.Args, Args: s.Args, Text: m.Text, Line: m.Line, Column: m.Column, At: m.At}
		}
	}
	return nil
}
