package vk

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// Queue runs submissions in order on its own goroutine.
type Queue struct {
	dev *Device
	ctx *exec.StopContext // of its commands

	family, index int
	labels        labels   // open ones of Queue.BeginLabel; guarded by mu
	labeled       []string // their names, which do not change

	mu      sync.Mutex
	work    *sync.Cond // signaled when list or stopped changes
	list    []*submission
	batch   []*submission // of the goroutine: the list that it works on
	free    []*submission
	stopped bool
	done    chan struct{} // closed when the goroutine has ended

	order *commandOrder // nil without the sanitizer race

	submitted uint64
	finished  timeline // counts finished submissions
}

// errNoQueue is the error of calls on a queue that no device has.
var errNoQueue = usage("", "the queue is nil or a zero value; must be of a device")

// SemaphoreValue is a point of a timeline. Binary semaphores have no Value.
type SemaphoreValue struct {
	Semaphore *Semaphore
	Value     uint64
}

// SubmitInfo describes a submission.
type SubmitInfo struct {
	Wait     []SemaphoreValue // before the commands begin
	Commands []*CommandBuffer
	Signal   []SemaphoreValue // after the commands are finished
	Fence    *Fence           // nil for none

	// WaitStages and SignalStages are the stages that each wait and each signal orders (VkPipelineStageFlags2); 0, and the end of the
	// list, is all. They matter to the sanitizer race alone: the commands begin after all waits.
	WaitStages, SignalStages []uint64

	sparse []sparseChange // of BindSparse, before the commands
}

// submission is the queue's copy of a SubmitInfo.
type submission struct {
	wait, signal []SemaphoreValue
	commands     []*CommandBuffer
	sparse       []sparseChange
	held         []*object       // acquired
	labels       []string        // of the queue
	sets         map[*Set]uint64 // the versions of sets with acquired descriptors
	fence        *Fence
	fenceValue   uint64
	number       uint64   // in the queue, from 1
	seen         progress // submissions that the host had seen finished

	waitStages, signalStages []uint64

	each func(*object) // holds an object, and sets err if it is closed
	err  error
}

func newSubmission() *submission {
	s := &submission{sets: map[*Set]uint64{}}
	s.each = func(o *object) {
		if s.err == nil {
			s.err = s.hold(o)
		}
	}
	return s
}

func newQueue(d *Device, family, index int) *Queue {
	q := &Queue{dev: d, family: family, index: index, ctx: exec.NewStopContext(), done: make(chan struct{}), order: d.printer.queues.add()}
	q.finished.dev = d
	q.work = sync.NewCond(&q.mu)
	go q.run()
	return q
}

// Submit appends a submission. After an error nothing of it runs. One without work, on a queue without work, finishes at once.
func (q *Queue) Submit(info SubmitInfo) error {
	if q == nil || q.dev == nil {
		return errNoQueue
	}
	if err := q.dev.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped {
		return q.dev.Err()
	}
	s := q.take()
	if err := s.fill(q, &info); err != nil {
		s.release()
		s.clear()
		q.free = append(q.free, s)
		return err
	}
	for _, c := range s.commands {
		if c.once {
			c.state = invalid
		}
	}
	s.labels = q.labeled
	instant := q.instant(s)
	if q.submitted++; instant {
		q.finish(s)
		q.retire(s)
		return nil
	}
	if s.number = q.submitted; q.order != nil {
		s.seen, s.waitStages, s.signalStages = q.order.all.now(), slices.Clone(info.WaitStages), slices.Clone(info.SignalStages)
	}
	q.list = append(q.list, s)
	q.work.Signal()
	return nil
}

// instant reports whether a submission has nothing to run and nothing to wait for: a switch to the goroutine and back would be all of
// its time. The goroutine has no work, and gets none while q.mu is held. The sanitizer race needs the marks of execute.
func (q *Queue) instant(s *submission) bool {
	if len(s.commands)+len(s.sparse) > 0 || q.order != nil || q.finished.now() != q.submitted || q.ctx.Err() != nil {
		return false
	}
	for _, v := range s.wait {
		if v.Semaphore.now() < v.Value {
			return false
		}
	}
	return true
}

// take returns an unused submission.
func (q *Queue) take() *submission {
	n := len(q.free)
	if n == 0 {
		return newSubmission()
	}
	s := q.free[n-1]
	q.free = q.free[:n-1]
	return s
}

// fill copies info and acquires its objects.
func (s *submission) fill(q *Queue, info *SubmitInfo) error {
	d := q.dev
	for _, list := range [...][]SemaphoreValue{info.Wait, info.Signal} {
		for _, v := range list {
			if err := check(d, "a semaphore", v.Semaphore); err != nil {
				return err
			}
			if err := s.hold(&v.Semaphore.object); err != nil {
				return err
			}
		}
	}
	for _, c := range info.Commands {
		if err := s.add(q, c); err != nil {
			return err
		}
	}
	if len(info.sparse) > 0 {
		if err := s.bindLater(info.sparse); err != nil {
			return err
		}
	}
	if err := s.takeSemaphores(info); err != nil || info.Fence == nil {
		return err
	}
	err := check(d, "the fence", info.Fence)
	if err == nil {
		err = s.hold(&info.Fence.object)
	}
	if err == nil {
		s.fenceValue, err = info.Fence.take()
	}
	if s.fence = info.Fence; err != nil {
		s.giveSemaphores()
	}
	return err
}

// takeSemaphores copies the semaphores with their values.
func (s *submission) takeSemaphores(info *SubmitInfo) error {
	for _, v := range info.Wait {
		value, err := v.Semaphore.take(v.Value, false)
		if err != nil {
			s.giveSemaphores()
			return err
		}
		s.wait = append(s.wait, SemaphoreValue{v.Semaphore, value})
	}
	for _, v := range info.Signal {
		value, err := v.Semaphore.take(v.Value, true)
		if err != nil {
			s.giveSemaphores()
			return err
		}
		s.signal = append(s.signal, SemaphoreValue{v.Semaphore, value})
	}
	return nil
}

// giveSemaphores undoes takeSemaphores.
func (s *submission) giveSemaphores() {
	for _, v := range s.wait {
		v.Semaphore.give(false)
	}
	for _, v := range s.signal {
		v.Semaphore.give(true)
	}
}

// add adds a command buffer with all that it uses.
func (s *submission) add(q *Queue, c *CommandBuffer) error {
	if err := check(q.dev, "a command buffer", c); err != nil {
		return err
	}
	if c.state != executable || c.secondary {
		return usage("VUID-vkQueueSubmit-pCommandBuffers-00070", "%v must be an executable primary command buffer", &c.object)
	}
	if c.family != q.family {
		return usage("VUID-vkQueueSubmit-pCommandBuffers-00074", "%v is for queues of family %d, and the queue is of family %d; must be of the same", &c.object, c.family, q.family)
	}
	s.commands = append(s.commands, c)
	if err := s.hold(&c.object); err != nil {
		return err
	}
	return s.holdAll(c)
}

// holdAll acquires the objects of a command buffer and of the sets that it binds.
func (s *submission) holdAll(c *CommandBuffer) error {
	for _, o := range c.refs {
		if err := s.hold(o); err != nil {
			return err
		}
	}
	for i, set := range c.sets {
		if set == nil {
			continue
		}
		if _, err := s.holdSet(set); err != nil {
			return err
		}
		if set.dev.checking >= All && set.updates() != c.epochs[i] {
			return usage("VUID-vkQueueSubmit-pCommandBuffers-00070", "%v was updated after %v bound it, which made this invalid; must not be, or its bindings must be for updates after they are bound", &set.object, &c.object)
		}
	}
	for i := range c.commands {
		if x := &c.commands[i]; x.kind == executeCommands {
			secondary := x.a.(*CommandBuffer)
			if secondary.state != executable || secondary.stamp != x.x[0] {
				return usage("VUID-vkQueueSubmit-pCommandBuffers-00072", "%v was recorded again after %v that executes it; must not be", &secondary.object, &c.object)
			}
			if err := s.holdAll(secondary); err != nil {
				return err
			}
		}
	}
	return nil
}

// holdSet acquires the objects of the descriptors of a set, once for each version, and returns the descriptors. It makes those
// null that need not be valid and that have closed objects.
func (s *submission) holdSet(set *Set) (compute.Set, error) {
	for {
		set.mu.RLock()
		content, err := set.content, s.holdVersion(set)
		set.mu.RUnlock()
		if err == nil || !set.dropClosed() {
			return content, err
		}
	}
}

// holdVersion acquires the objects of the present version of a set. set.mu is held.
func (s *submission) holdVersion(set *Set) error {
	if v, ok := s.sets[set]; ok && v == set.version {
		return nil
	}
	s.err = nil
	if set.refer(s.each); s.err == nil {
		s.sets[set] = set.version
	}
	return s.err
}

func (s *submission) hold(o *object) error {
	if !o.acquire() {
		return usage("", "the submission uses %v, which is closed; must be alive", o)
	}
	s.held = append(s.held, o)
	return nil
}

// release ends the use of all objects.
func (s *submission) release() {
	for _, o := range s.held {
		o.release()
	}
	clear(s.held)
	s.held = s.held[:0]
}

// clear empties s.
func (s *submission) clear() {
	clear(s.sets)
	clear(s.commands)
	s.sparse = nil
	clear(s.wait)
	clear(s.signal)
	s.commands, s.wait, s.signal, s.fence = s.commands[:0], s.wait[:0], s.signal[:0], nil
}

// run runs submissions until the queue stops.
func (q *Queue) run() {
	defer close(q.done)
	x := newExecutor(q)
	for {
		q.mu.Lock()
		for len(q.list) == 0 && !q.stopped {
			q.work.Wait()
		}
		q.list, q.batch = q.batch[:0], q.list
		q.mu.Unlock()
		if len(q.batch) == 0 {
			return
		}
		for i, s := range q.batch {
			q.batch[i] = nil
			q.one(x, s)
		}
	}
}

// one runs a submission. After a loss it only releases its objects.
func (q *Queue) one(x *executor, s *submission) {
	if err := q.execute(x, s); err != nil {
		if lost, ok := err.(*LostError); ok && q.dev.Err() == nil {
			lost.Labels = append(slices.Clone(s.labels), x.labels.all()...)
		}
		q.dev.lose(err)
	}
	q.finish(s)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.retire(s)
}

// finish releases the objects of a submission, and signals if the device is not lost.
func (q *Queue) finish(s *submission) {
	s.release() // first: after a wait for the submission its objects can be closed
	if q.dev.Err() == nil {
		for i, v := range s.signal {
			q.order.signalled(&v.Semaphore.timeline, v.Value, stagesAt(s.signalStages, i), false)
			v.Semaphore.raise(v.Value)
		}
		if s.fence != nil {
			q.order.signalled(&s.fence.timeline, s.fenceValue, everyFlag, true)
			s.fence.raise(s.fenceValue)
		}
	}
}

// retire counts a finished submission, which can be used again. q.mu is held.
func (q *Queue) retire(s *submission) {
	s.clear()
	q.free = append(q.free, s)
	q.finished.raise(q.finished.now() + 1)
}

// execute waits for the semaphores of a submission and runs its command buffers.
func (q *Queue) execute(x *executor, s *submission) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &LostError{Command: "submission", Index: -1, Cause: &InternalError{Panic: r, Stack: debug.Stack()}}
			x.abandon()
		}
		x.endTile()
	}()
	if err := q.dev.Err(); err != nil {
		return err
	}
	if err := q.ctx.Err(); err != nil { // see Device.end
		return &LostError{Command: "submission", Index: -1, Cause: err}
	}
	for _, v := range s.wait {
		if err := v.Semaphore.wait(q.ctx, v.Value); err != nil {
			return &LostError{Command: "wait for a semaphore", Index: -1, Cause: err}
		}
	}
	q.order.begin(s.number, s.seen)
	for i, v := range s.wait {
		q.order.awaited(&v.Semaphore.timeline, v.Value, stagesAt(s.waitStages, i), v.Semaphore.binary)
	}
	for _, b := range s.sparse {
		if err := b.apply(); err != nil {
			return &LostError{Command: "bind sparse", Cause: err}
		}
	}
	for _, c := range s.commands {
		if err := x.run(s, c); err != nil {
			return err
		}
	}
	return x.endSubmission()
}

// WaitIdle waits until all submissions so far are finished; see [Semaphore.Wait]. A lost device finishes submissions without
// their work: the error then is its loss.
func (q *Queue) WaitIdle(ctx context.Context) error {
	if q == nil || q.dev == nil {
		return errNoQueue
	}
	q.mu.Lock()
	n := q.submitted
	q.mu.Unlock()
	if err := q.finished.wait(ctx, n); err != nil {
		return err
	}
	q.sawIdle(n)
	return q.dev.Err()
}

// stop ends the goroutine after the submissions that it has.
func (q *Queue) stop() {
	q.mu.Lock()
	q.stopped = true
	q.work.Signal()
	q.mu.Unlock()
	<-q.done
}
