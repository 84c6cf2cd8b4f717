package ray

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// pieceSize is the number of primitives that are worth a goroutine in a build for fast traces. fastShare times as many are in a fast
	// build, and updateShare times as many in an update: they take about this part of its time.
	pieceSize              = 1 << 10
	fastShare, updateShare = 4, 8
	// spinTime is how long a goroutine of a team looks for work before it sleeps: about the time to wake one (Karlin et al. 1991,
	// "Empirical Studies of Competitive Spinning for a Shared-Memory Multiprocessor").
	spinTime = 50 * time.Microsecond
	// spinLooks is how often it looks between two looks at the clock, which also let other goroutines run.
	spinLooks = 1 << 9
)

// team is the goroutines of a build. A build has many short steps: its goroutines stay awake between them. A nil team is the caller
// alone.
type team struct {
	size int // with the caller
	_    [56]byte
	// free is the number of goroutines without a function, less the functions in the queue. One that waits for a group counts as free: it
	// takes parts of a half that others have not ended. It may leave after a claim, so that free is negative until another goroutine
	// takes the function. free has a cache line of its own, as queued has.
	free atomic.Int32
	_    [60]byte
	// running is the number of functions that have started and not ended, also those in the queue: at most mostRunning.
	running atomic.Int32
	_       [60]byte
	queued  atomic.Int32 // the length of queue
	_       [60]byte
	lock    sync.Mutex
	queue   []func()
	wake    sync.Cond // of goroutines that sleep; its lock is lock
	asleep  atomic.Int32
	closed  atomic.Bool
}

// newTeam starts a team for a build for fast traces of so many primitives, or as much work; nil if the caller is enough.
func newTeam(threads, primitives int) *team {
	if threads = min(threads, primitives/pieceSize); threads <= 1 {
		return nil
	}
	t := &team{size: threads}
	t.wake.L = &t.lock
	t.free.Store(int32(threads - 1))
	for range threads - 1 {
		go t.work(t.closed.Load)
	}
	return t
}

// mostRunning is how many functions run for each goroutine of a team: one, and one that it has interrupted to wait for others.
const mostRunning = 2

// threads returns the number of goroutines, with the caller.
func (t *team) threads() int {
	if t == nil {
		return 1
	}
	return t.size
}

// close ends the goroutines. All functions have ended.
func (t *team) close() {
	if t != nil {
		t.closed.Store(true)
		t.notify()
	}
}

// notify wakes the goroutines that sleep, because one of them may be done.
func (t *team) notify() {
	if t.asleep.Load() > 0 {
		t.lock.Lock()
		t.wake.Broadcast()
		t.lock.Unlock()
	}
}

// work calls the functions of the queue until done.
func (t *team) work(done func() bool) {
	var end time.Time
	for looks := 1; !done(); looks++ {
		if t.queued.Load() > 0 {
			if f := t.next(); f != nil {
				f()
				looks, end = 0, time.Time{}
			}
			continue
		}
		if looks%spinLooks != 0 {
			continue
		}
		switch now := time.Now(); {
		case end.IsZero():
			end = now.Add(spinTime)
		case now.After(end):
			t.sleep(done)
			end = time.Time{}
			continue
		}
		runtime.Gosched()
	}
}

// next removes a function from the queue; nil if there is none.
func (t *team) next() (f func()) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if n := len(t.queue) - 1; n >= 0 {
		f, t.queue[n] = t.queue[n], nil
		t.queue = t.queue[:n]
		t.queued.Store(int32(n))
	}
	return f
}

// sleep waits for a function in the queue, or for done. A goroutine counts as asleep before it looks a last time, so that notify sees it.
func (t *team) sleep(done func() bool) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.asleep.Add(1)
	for len(t.queue) == 0 && !done() {
		t.wake.Wait()
	}
	t.asleep.Add(-1)
}

// claim takes one of the free goroutines, and reports whether there was one.
func (t *team) claim() bool {
	for n := t.free.Load(); n > 0; n = t.free.Load() {
		if t.free.CompareAndSwap(n, n-1) {
			return true
		}
	}
	return false
}

// push adds a function for a goroutine that the caller claimed.
func (t *team) push(f func()) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.queue = append(t.queue, f)
	t.queued.Store(int32(len(t.queue)))
	if t.asleep.Load() > 0 {
		t.wake.Signal()
	}
}

// group is functions that one goroutine of a team started and waits for.
type group struct {
	team    *team
	pending atomic.Int32
}

// start calls f on a free goroutine, and reports whether there is one.
func (g *group) start(f func()) bool {
	t := g.team
	if t == nil || t.free.Load() <= 0 {
		return false
	}
	if int(t.running.Add(1)) > mostRunning*t.size || !t.claim() {
		t.running.Add(-1)
		return false
	}
	g.pending.Add(1)
	t.push(func() {
		f()
		t.running.Add(-1)
		t.free.Add(1) // before the end of the wait: the next step starts with all goroutines
		if g.pending.Add(-1) == 0 {
			t.notify()
		}
	})
	return true
}

// wait returns once all functions of the group have ended. It calls functions of the queue meanwhile.
func (g *group) wait() {
	if g.pending.Load() > 0 {
		g.team.free.Add(1)
		g.team.work(func() bool { return g.pending.Load() == 0 })
		g.team.free.Add(-1)
	}
}

// each calls f(0) to f(n−1) on the caller and the free goroutines.
func (t *team) each(n int, f func(i int)) {
	if t == nil {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			f(i)
		}
	}
	g := group{team: t}
	for i := 1; i < n && g.start(work); i++ {
	}
	work()
	g.wait()
}
