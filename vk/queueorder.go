package vk

import (
	"slices"
	"sync"
)

// The accesses of different submissions are ordered by the barriers of their queue, by semaphores, and by the host: a submission begins
// after all that the host has seen finished, by a fence, a semaphore or a wait for a queue (Vulkan, "Semaphores", "Fences", "Host
// Write Ordering Guarantees").

// progress is a number of submissions of each queue, the first ones.
type progress []uint64

// of returns the number of a queue.
func (p progress) of(queue int) uint64 {
	if queue >= len(p) {
		return 0
	}
	return p[queue]
}

// join raises the numbers to those of o.
func (p *progress) join(o progress) {
	for i, n := range o {
		p.raise(i, n)
	}
}

func (p *progress) raise(queue int, n uint64) {
	for len(*p) <= queue {
		*p = append(*p, 0)
	}
	(*p)[queue] = max((*p)[queue], n)
}

// queueOrders are the accesses of the queues of a device, with the sanitizer race.
type queueOrders struct {
	mu     sync.Mutex // also guards the queues, but not their reports
	queues []*commandOrder
	seen   progress // submissions that the host has seen finished

	recent []*mark // those with accesses, the oldest first
	kept   int     // the accesses of all of them
}

// add adds a queue; nil for nil.
func (q *queueOrders) add() *commandOrder {
	if q == nil {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	o := &commandOrder{all: q, queue: len(q.queues)}
	q.queues = append(q.queues, o)
	return o
}

// now returns what the host has seen.
func (q *queueOrders) now() progress {
	if q == nil {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.seen)
}

// see notes that the host has seen submissions finished.
func (q *queueOrders) see(p progress) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.seen.join(p)
}

// drop forgets the accesses of memory that is freed: another allocation may have the same addresses.
func (q *queueOrders) drop(memory []byte) {
	if q == nil || len(memory) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	gone := spanOf(memory)
	for _, o := range q.queues {
		o.remove(func(a *commandAccess) bool { return commonBytes(a.Spans, gone) })
	}
}

// remove removes accesses.
func (o *commandOrder) remove(is func(*commandAccess) bool) {
	o.accesses = slices.DeleteFunc(o.accesses, func(a *commandAccess) bool {
		gone := is(a)
		if gone {
			o.forget(a)
		}
		return gone
	})
}

// forget ends the comparison of an access that is removed from the list. Signals may refer to it: its spans, which are large, are not theirs.
func (o *commandOrder) forget(a *commandAccess) {
	o.spans -= len(a.Spans)
	delete(o.imports, a.origin)
	a.Spans, a.visible, a.gone = nil, nil, true
}

// keep notes the accesses of a new signal, and forgets those of the oldest signals of all timelines if there are too many.
func (q *queueOrders) keep(m *mark) {
	if len(m.accesses) == 0 {
		return
	}
	q.recent = append(q.recent, m)
	q.kept += len(m.accesses)
	n := 0
	for ; q.kept > maxKept && n < len(q.recent)-1; n++ {
		q.kept -= len(q.recent[n].accesses)
		q.recent[n].accesses, q.recent[n].whole = nil, true
	}
	q.recent = slices.Delete(q.recent, 0, n)
}

// release forgets the accesses of a signal that its timeline does not keep; nil for none.
func (q *queueOrders) release(m *mark) {
	if m == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.recent, m); i >= 0 {
		q.kept -= len(m.accesses)
		q.recent = slices.Delete(q.recent, i, i+1)
	}
}

// destroyed forgets the signals of an event.
func (q *queueOrders) destroyed(e *Event) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, o := range q.queues {
		delete(o.signals, e)
	}
}

// begin begins a submission with a number, which the host submitted when it had seen other submissions finished.
func (o *commandOrder) begin(number uint64, seen progress) {
	if o == nil {
		return
	}
	o.all.mu.Lock()
	defer o.all.mu.Unlock()
	o.submission, o.reported, o.subpasses = number, nil, nil
	o.dropped, o.barriers, o.dependencies = o.now(), nil, 0 // no access is added any more that ran before them
	o.after(seen)
}

// after notes that what follows on the queue is after submissions.
func (o *commandOrder) after(p progress) {
	o.earlier.join(p)
	o.remove(func(a *commandAccess) bool { return a.submission <= o.earlier.of(a.queue) })
}

// mark is a signal of a timeline.
type mark struct {
	value    uint64
	finished progress   // submissions that were finished before, as far as the signal orders them
	earlier  progress   // submissions that are ordered before everything after the signal
	accesses []signaled // before the signal; not of a fence. The lock of queueOrders guards it.
	first    uint64     // the first synchronization scope
	whole    bool       // the accesses are not kept: a wait for it is after all that was finished then
}

// marks are the last signals of a timeline, and the join of those before them.
type marks struct {
	list []*mark
	old  progress
}

// maxKept bounds the accesses that the signals of all timelines keep, so that many semaphores need little memory.
const maxKept = 1 << 16

// maxMarks bounds the signals that a timeline keeps. What waits for an older one is after all that was finished then.
const maxMarks = 8

// signalled notes that the end of a submission signals a timeline, whose first scope has stages. A fence has no accesses: the host
// waits for it.
func (o *commandOrder) signalled(t *timeline, value, stages uint64, fence bool) {
	if o == nil {
		return
	}
	o.all.mu.Lock()
	m := &mark{value: value, first: MemoryDependency{SourceStages: stages}.expanded().first, finished: slices.Clone(o.earlier), earlier: slices.Clone(o.earlier)}
	m.finished.join(o.known)
	m.finished.raise(o.queue, o.submission)
	if !fence {
		m.accesses = o.states()
		o.all.keep(m)
	}
	o.all.mu.Unlock()
	t.mu.Lock()
	first := t.marks.add(m)
	t.mu.Unlock()
	o.all.release(first)
}

// hostMark returns the mark of a signal of the host, which is after all that the host has seen when it signals; nil for nil.
func (q *queueOrders) hostMark(value uint64) *mark {
	if q == nil {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return &mark{value: value, finished: slices.Clone(q.seen), earlier: slices.Clone(q.seen)}
}

// add adds a signal. It returns the first one if there are too many. The lock of the timeline is held.
func (x *marks) add(m *mark) (first *mark) {
	if len(x.list) == maxMarks {
		first = x.list[0]
		x.old.join(first.finished)
		x.list = slices.Delete(x.list, 0, 1)
	}
	x.list = append(x.list, m)
	return first
}

// stagesAt returns the stages of a wait or a signal.
func stagesAt(list []uint64, i int) uint64 {
	if i < len(list) && list[i] != 0 {
		return list[i]
	}
	return everyFlag
}

// upTo returns the signals up to the first one that reaches a value, and whether there is one that reaches it.
func (m *marks) upTo(value uint64) (list []*mark, reached bool) {
	for i := range m.list {
		if m.list[i].value >= value {
			return slices.Clone(m.list[:i+1]), true
		}
	}
	return slices.Clone(m.list), false
}

// awaited notes that stages of a submission begin after the signal of a semaphore. A signal without a mark is after all that the host has
// seen. One of a binary semaphore that no queue has signaled is of a presentation engine or of an import, which may have waited for anything that
// began before.
func (o *commandOrder) awaited(t *timeline, value, stages uint64, binary bool) {
	if o == nil {
		return
	}
	t.mu.Lock()
	list, reached := t.marks.upTo(value)
	old := slices.Clone(t.marks.old)
	t.mu.Unlock()
	o.all.mu.Lock()
	defer o.all.mu.Unlock()
	if o.after(old); !reached {
		o.after(o.all.seen)
	}
	if !reached && binary {
		o.after(o.begun())
	}
	second := MemoryDependency{TargetStages: stages}.expanded().second
	for _, m := range list {
		if o.after(m.earlier); m.whole {
			o.after(m.finished)
			continue
		}
		o.known.join(m.finished)
		d := []dependency{{MemoryDependency{SourceStages: everyFlag, SourceAccess: everyFlag, TargetStages: everyFlag, TargetAccess: everyFlag}, m.first, second}}
		for _, x := range m.accesses {
			if a := o.imported(x.of); a != nil {
				a.applyFrom(d, x.reached, x.available)
			}
		}
	}
}

// begun returns the submissions that have begun before the current one.
func (o *commandOrder) begun() (p progress) {
	for _, q := range o.all.queues {
		if q != o {
			p.raise(q.queue, q.submission)
		} else if q.submission > 0 {
			p.raise(q.queue, q.submission-1)
		}
	}
	return p
}

// imported returns the state of an access for this queue: its own accesses have one; nil if it is before everything that follows.
func (o *commandOrder) imported(a *commandAccess) *commandAccess {
	if a.origin != nil {
		a = a.origin
	}
	switch {
	case a.gone, a.submission <= o.earlier.of(a.queue):
		return nil
	case a.queue == o.queue:
		return a
	case o.imports[a] != nil:
		return o.imports[a]
	}
	if o.imports == nil {
		o.imports = map[*commandAccess]*commandAccess{}
	}
	b := &commandAccess{Access: a.Access, name: a.name, stage: a.stage, access: a.access, queue: a.queue, submission: a.submission, origin: a, barriers: o.now()}
	o.imports[a] = b
	o.accesses = append(o.accesses, b)
	o.spans += len(b.Spans)
	o.bound()
	return b
}

// foreign adds the races of an access with those of other queues that no semaphore orders.
func (o *commandOrder) foreign(b *commandAccess) {
	for _, q := range o.all.queues {
		if q == o {
			continue
		}
		for _, a := range q.accesses {
			if a.origin == nil && a.submission > max(o.earlier.of(a.queue), o.known.of(a.queue)) && a.conflicts(b) {
				o.report(raceOf(a, b))
			}
		}
	}
}

// saw notes that the host has seen that a timeline has a value.
func (t *timeline) saw(value uint64) {
	if t.dev == nil || t.dev.printer.queues == nil {
		return
	}
	t.mu.Lock()
	list, _ := t.marks.upTo(value) // the last one may reach more
	finished, has := slices.Clone(t.marks.old), t.value
	t.mu.Unlock()
	for i := range list {
		if list[i].value <= has {
			finished.join(list[i].finished)
		}
	}
	t.dev.printer.queues.see(finished)
}

// sawIdle notes that the host has seen that a queue has finished its first submissions.
func (q *Queue) sawIdle(n uint64) {
	o := q.order
	if o == nil {
		return
	}
	o.all.mu.Lock()
	defer o.all.mu.Unlock()
	o.all.seen.join(o.earlier)
	o.all.seen.join(o.known)
	o.all.seen.raise(o.queue, n)
}
