package exec

import (
	"cmp"
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

	mu      sync.Mutex
	list    []Message
	lastOf  map[invocation]int // index of each invocation's latest message in list, or −1 if it was dropped
	dropped uint64
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
	most := l.Limit
	if most == 0 {
		most = DefaultMessages
	}
	if l.lastOf == nil {
		l.lastOf = map[invocation]int{}
	}
	if len(l.list) >= most {
		l.dropped++
		if _, ok := l.lastOf[invocation{group, lane}]; ok {
			l.lastOf[invocation{group, lane}] = -1
		}
		return
	}
	l.lastOf[invocation{group, lane}] = len(l.list)
	l.list = append(l.list, Message{Program: p, Group: group, Lane: lane, Number: message})
}

// AddArg appends a value, as its bits, to the invocation's latest message.
func (l *Log) AddArg(group [3]uint32, lane uint32, bits uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i, ok := l.lastOf[invocation{group, lane}]; ok && i >= 0 && len(l.list[i].Args) < maxArgs {
		l.list[i].Args = append(l.list[i].Args, bits)
	}
}

// Messages returns the recorded messages, sorted by program (in the order of their first messages), then by workgroup
// (x fastest), then by lane, then in program order.
func (l *Log) Messages() []Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := slices.Clone(l.list)
	rank := map[*ir.Program]int{}
	for i := range out {
		if _, ok := rank[out[i].Program]; !ok {
			rank[out[i].Program] = len(rank)
		}
	}
	slices.SortStableFunc(out, func(a, b Message) int {
		return cmp.Or(cmp.Compare(rank[a.Program], rank[b.Program]), cmp.Compare(a.Group[2], b.Group[2]), cmp.Compare(a.Group[1], b.Group[1]),
			cmp.Compare(a.Group[0], b.Group[0]), cmp.Compare(a.Lane, b.Lane))
	})
	return out
}

// Dropped returns the number of messages beyond the limit, which were not recorded.
func (l *Log) Dropped() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped
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
			return &AbortError{Group: s.Group, Local: s.Local(), Types: m.Args, Args: s.Args}
		}
	}
	return nil
}
