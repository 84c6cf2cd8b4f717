package exec

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// The detector of data races finds accesses of a location by two invocations that happens-before does not order, one of
// them a write and not both atomic (Vulkan, "Memory Model", "Data Race"). It keeps the last accesses of each word, and vector
// clocks of the invocations (Flanagan and Freund 2009, "FastTrack"); the barriers of a workgroup make the clocks of its
// invocations equal, so that a clock for a workgroup stands for those of its invocations (Eizenberg et al. 2017, "BARRACUDA").
// The invocations of a subgroup that execute an instruction together pass it one event.

// Race is a pair of accesses that are not ordered.
type Race struct {
	First, Second *Message // the second one ran later
	Times         uint64
	SameGroup     bool
}

// domains is the number of kinds of memory that a barrier orders by itself; see ir.Event.
const domains = ir.EventDomains

// races is the state of the detector.
type races struct {
	clocks
	nextGroup  uint32
	nextThread uint32
	limit      uint64 // of bytes; see Log.RaceBytes
	commands   bool   // see Log.Commands
	oneJob     bool   // see Log.OneJob
	kept       uint64 // bytes of threads, shadow and records
	groups     map[groupOf]*workgroup
	latest     *workgroup         // of the last event
	alone      map[laneOf]*thread // the invocations without a workgroup
	rounds     map[roundOf]*round
	left       map[uint32][]leaving // by workgroup
	shadow
	programs map[*ir.Program]*traced // also those that were not placed
	names    map[string]uint32       // the numbers of the names of memory
	newcomer thread                  // of the access that is added, in a workgroup without threads
	last     struct {                // the program of the last event
		of     *ir.Program
		traced *traced
	}
	jobs    int         // that were placed
	raced   uint64      // pairs of accesses so far
	values  [2][]uint64 // of the event that is added, by lane
	found   map[[2]siteOf]*Race
	missed  map[siteOf]*Barrier
	unread  map[siteOf]*Report // loads of bytes without a store
	stopped *Stopped           // nil while the detector follows the run
}

// Stopped is the end of the search for races in a run that is too large.
type Stopped struct {
	At  *Message // the first event that is not checked
	Why string
}

// What the parts of the detector count for its limit, with the maps and messages that hold them.
const (
	groupBytes   = 256
	sharedBytes  = 2 * stateBytes // the states that the invocations of a workgroup share
	threadBytes  = 80
	aloneBytes   = 256 // of an invocation without a workgroup
	stateBytes   = 592
	roundBytes   = 320
	leavingBytes = 64
	pageBytes    = 24*pageRows + 256
	rowBytes     = 24 * rowWords
	noteBytes    = 40 * pageWords
	recordBytes  = 144
	historyBytes = 192
	accessBytes  = 16
	localBytes   = 192 // vectors that atomics published in a workgroup or a subgroup
)

// DefaultRaceBytes is the limit of the detector of a log with RaceBytes 0.
const DefaultRaceBytes = 1 << 30

func newRaces(limit uint64, commands bool) *races {
	if limit == 0 {
		limit = DefaultRaceBytes
	}
	r := &races{
		limit: limit, commands: commands, programs: map[*ir.Program]*traced{}, names: map[string]uint32{},
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
	out.oneJob = r.oneJob
	out.stopped, out.programs, out.names, out.jobs = r.stopped, r.programs, r.names, r.jobs
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
	r.groups, r.alone, r.rounds = map[groupOf]*workgroup{}, map[laneOf]*thread{}, map[roundOf]*round{}
	r.left = map[uint32][]leaving{}
	r.latest, r.shadow = nil, newShadow()
	r.kept, r.bytes = 0, 0
}

// newJob forgets the numbers of the workgroups.
func (r *races) newJob() {
	clear(r.groups)
	r.latest = nil
}

// stop ends the search: what follows is not checked, and has no report.
func (r *races) stop(at *Message, why string) {
	r.stopped = &Stopped{at, why}
	r.forget()
}

// full stops the search if it needs too much memory.
func (r *races) full(x *record, lane int) bool {
	if r.kept+r.bytes > r.limit {
		r.stop(x.message(lane), fmt.Sprintf("the invocations, accesses and clocks of the run need more than %d MiB", r.limit>>20))
	}
	return r.stopped != nil
}

// event adds an event of an invocation, with all of its values.
func (r *races) event(m *Message) {
	if r.stopped != nil {
		return
	}
	x := r.newRecord(m.Program, m.Number)
	x.single, x.id, x.lane = m, m.Group, m.Lane
	r.add(x, Lanes{1})
}

// heeds reports whether an event of a program has an effect on the findings.
func (r *races) heeds(p *ir.Program, message uint32) bool {
	e, x := &p.Messages[message].Event, r.programOf(p)
	return e.Kind != ir.AccessEvent || e.Uninit || x.lost || r.follows(x, p, message)
}

// add adds the event of a record for some lanes.
func (r *races) add(x *record, lanes Lanes) {
	p := r.programOf(x.program)
	if p.lost {
		r.stop(x.message(int(lanes.First())), "the shader has too many accesses and barriers")
		return
	}
	// A load of memory that nothing writes has no race, but may be of memory without a value.
	switch e := x.event; {
	case e.Kind == ir.AccessEvent && !r.follows(p, x.program, x.number):
		if e.Uninit {
			for lane := range lanes.All {
				r.noteUnwritten(x, lane)
			}
		}
	case e.Kind == ir.AccessEvent:
		r.access(p, x, lanes)
	case e.Kind == ir.LeaveEvent:
		r.leave(x, lanes)
	default:
		// A program that writes nothing, or without the sanitizer race, has no race. Clocks would be most of the memory for the
		// barriers of many invocations.
		r.synchronize(x, lanes, !p.writes && !r.commands)
	}
	if r.stopped == nil {
		r.settle(x, lanes)
	}
}

// noteUnwritten counts a load of bytes of which no store wrote any.
func (r *races) noteUnwritten(x *record, lane int) {
	at := siteOf{x.program, x.number}
	if r.unread[at] == nil {
		r.unread[at] = &Report{First: x.message(lane)}
	}
	r.unread[at].Times++
}

// report counts a race of lanes of two records.
func (r *races) report(a, b *record, first, second int) {
	r.raced++
	at := [2]siteOf{{a.program, a.number}, {b.program, b.number}}
	if at[0].number > at[1].number {
		at[0], at[1] = at[1], at[0]
	}
	x := r.found[at]
	if x == nil {
		x = &Race{First: a.message(first), Second: b.message(second), SameGroup: a.grouped && a.workgroup == b.workgroup}
		r.found[at] = x
	}
	x.Times++
}
