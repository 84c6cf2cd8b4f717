package exec

import (
	"cmp"
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Log takes what the invocations of a run say; see package ir's document,
// "Inputs, outputs, groups". The zero Log is ready. A run with a log uses one
// worker, so that it is always the same messages that are kept.
type Log struct {
	// Most is how many messages are kept; 0 is DefaultMessages.
	Most int

	mu   sync.Mutex
	list []Said
	last map[sayer]int // the last message of each invocation; −1 where it was not kept
	lost uint64
}

// DefaultMessages is how many messages a log keeps where it says no number.
const DefaultMessages = 1 << 16

// maxArgs bounds the values of one message.
const maxArgs = 1 << 12

// Said is a message of an invocation.
type Said struct {
	Group   [3]uint32 // its WorkgroupId
	Lane    uint32    // its number in the workgroup: subgroup · size + lane
	Message uint32    // number in ir.Program.Messages
	Args    []uint64  // bits of the values
}

type sayer struct {
	group [3]uint32
	lane  uint32
}

// Begin takes a message of an invocation.
func (l *Log) Begin(group [3]uint32, lane, message uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	most := l.Most
	if most == 0 {
		most = DefaultMessages
	}
	if l.last == nil {
		l.last = map[sayer]int{}
	}
	if len(l.list) >= most {
		l.lost++
		if _, ok := l.last[sayer{group, lane}]; ok {
			l.last[sayer{group, lane}] = -1
		}
		return
	}
	l.last[sayer{group, lane}] = len(l.list)
	l.list = append(l.list, Said{Group: group, Lane: lane, Message: message})
}

// Add takes the next value of an invocation's last message.
func (l *Log) Add(group [3]uint32, lane uint32, bits uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i, ok := l.last[sayer{group, lane}]; ok && i >= 0 && len(l.list[i].Args) < maxArgs {
		l.list[i].Args = append(l.list[i].Args, bits)
	}
}

// Messages returns what was said, in the order of the workgroups (x fastest), of
// their lanes, and of each lane's saying it.
func (l *Log) Messages() []Said {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := slices.Clone(l.list)
	slices.SortStableFunc(out, func(a, b Said) int {
		return cmp.Or(cmp.Compare(a.Group[2], b.Group[2]), cmp.Compare(a.Group[1], b.Group[1]),
			cmp.Compare(a.Group[0], b.Group[0]), cmp.Compare(a.Lane, b.Lane))
	})
	return out
}

// Lost returns how many messages were not kept.
func (l *Log) Lost() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// Heard returns the job itself, or, where p may say something and the job has no
// log, a copy of it that has one.
func (j *Job) Heard(p *ir.Program) *Job {
	if len(p.Messages) == 0 || j.Log != nil {
		return j
	}
	c := *j
	c.Log = &Log{}
	return &c
}

// aborted returns an *AbortError where an invocation has said an Abort: that of
// the first.
func (j *Job) aborted(p *ir.Program) error {
	if j.Log == nil {
		return nil
	}
	for _, s := range j.Log.Messages() {
		if int(s.Message) < len(p.Messages) && p.Messages[s.Message].Kind == ir.Abort {
			x, y := p.LocalSize[0], p.LocalSize[1]
			return &AbortError{
				Group: s.Group, Local: [3]uint32{s.Lane % x, s.Lane / x % y, s.Lane / x / y},
				Types: p.Messages[s.Message].Args, Args: s.Args,
			}
		}
	}
	return nil
}
