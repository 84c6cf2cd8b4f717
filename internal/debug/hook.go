package debug

import (
	"context"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/shader"
)

// hook observes the runs of one dispatch: the first, and those that begin again at a checkpoint.
type hook struct {
	session *Session
	ctx     context.Context
	stage   *shader.Stage
	marks   *marks
	history history
	job     *exec.Job

	now      position
	furthest position // the latest position of all runs: a replay up to it repeats no output
	first    uint64   // the groups before it are skipped
	groups   uint64   // begun in this run

	request  request
	focus    Thread
	depth    int // of the calls of the thread in focus at the request
	entering bool
	search   *search

	revision uint64 // of the breakpoints in the marks
	places   map[place][]*Breakpoint
	watches  []*Watch
	met      map[met]bool // the hits at which a breakpoint stopped, for runs again

	step   *exec.Step // where the session is stopped
	latest *exec.Step // of the group; nil at its beginning
	last   []place    // of the threads of the group, by their index
	calls  []exec.Call
}

func newHook(ctx context.Context, s *Session, stage *shader.Stage) *hook {
	h := &hook{
		session: s, ctx: ctx, stage: stage,
		marks: newMarks(stage.Program, stage.Facts, stage.Symbols, s.config.Locate(stage)),
		focus: s.config.Thread,
		last:  make([]place, stage.Program.Invocations()),
		met:   map[met]bool{},
	}
	if s.config.StopOnEntry {
		h.request.action, h.entering = stepInto, true
	}
	return h
}

// BeginRun makes the first checkpoint.
func (h *hook) BeginRun(job *exec.Job) error {
	h.groups = 0
	if h.job == nil {
		h.history.begin(h.stage.Program, job)
	}
	h.job = job
	return nil
}

// BeginGroup skips the groups before the checkpoint of the run, and makes checkpoints.
func (h *hook) BeginGroup([3]uint32) error {
	h.now = position{group: h.groups}
	h.groups++
	if h.now.group < h.first {
		return exec.ErrSkipGroup
	}
	clear(h.last)
	h.latest = nil
	return h.passed()
}

// EndGroup stops at changes of data by the last operations, and makes checkpoints.
func (h *hook) EndGroup([3]uint32) error {
	h.now.step, h.now.lane = h.now.step+1, 0
	if err := h.atEnd(); err != nil {
		return err
	}
	h.history.pass(h.now.step, h.groups)
	return nil
}

// atEnd is Step after the last operation of a group, for data breakpoints alone.
func (h *hook) atEnd() error {
	s := h.search
	switch {
	case h.latest == nil:
		return nil
	case s != nil && s.exact != nil && *s.exact == h.now:
		h.search = nil
		return h.wait(h.latest, s.reason)
	case len(h.watches) == 0 || s != nil && (s.exact != nil || s.first):
		return nil
	}
	if err := h.passed(); err != nil {
		return err
	}
	stop, ok := h.changed(h.latest)
	switch {
	case ok && s != nil:
		s.found = &found{h.now, stop}
	case ok:
		return h.wait(h.latest, stop)
	}
	return nil
}

// Step stops the session if it is to stop before an operation.
func (h *hook) Step(s *exec.Step) error {
	h.now.step, h.now.lane, h.latest = h.now.step+1, 0, s
	of := h.marks.of[s.Func]
	if int(s.Value) >= len(of) || of[s.Value] == 0 {
		return nil
	}
	if h.session.ended.Load() {
		return ErrEnded
	}
	if err := h.passed(); err != nil {
		return err
	}
	h.markBreakpoints()
	base := s.Subgroup * h.stage.Program.SubgroupSize
	for lane := range s.Active.All {
		h.last[base+uint32(lane)] = place{s.Func, s.Value}
	}
	m := of[s.Value]
	if h.search != nil {
		return h.searching(s, m)
	}
	if stop, ok := h.stops(s, m); ok {
		if err := h.wait(s, stop); err != nil {
			return err
		}
	}
	return h.lanes(s, m, 0)
}

// wait tells the controller of a stop, and waits for its next request.
func (h *hook) wait(s *exec.Step, stop Stop) error {
	h.focus = stop.Thread
	h.setStep(s)
	defer h.setStep(nil)
	for {
		h.session.config.Events.Stopped(stop)
		select {
		case <-h.ctx.Done():
			return h.ctx.Err()
		case <-h.session.done:
			return ErrEnded
		case h.request = <-h.session.resume:
		}
		if h.request.action != proceed {
			h.focus = h.request.thread
		}
		h.calls = s.Calls(h.calls[:0])
		h.depth = len(h.calls)
		switch {
		case !h.request.backward:
			h.markBreakpoints()
			h.sample(s)
			return nil
		case h.back():
			return errRewind
		}
		stop = Stop{Reason: Exception, Text: h.tooLarge(), Thread: h.focus}
	}
}

func (h *hook) setStep(s *exec.Step) {
	h.session.state.Lock()
	defer h.session.state.Unlock()
	h.step = s
}

// laneOf returns the lane of a thread in the subgroup of a step; false if it is in another one.
func (h *hook) laneOf(s *exec.Step, t Thread) (uint32, bool) {
	size := h.stage.Program.SubgroupSize
	return t.Local % size, s.Group == t.Group && s.Subgroup == t.Local/size
}

// active reports whether a thread executes the operation of a step.
func (h *hook) active(s *exec.Step, t Thread) bool {
	lane, ok := h.laneOf(s, t)
	return ok && s.Active.Has(lane)
}

// thread returns the thread in a lane of the subgroup of a step.
func (h *hook) thread(s *exec.Step, lane uint32) Thread {
	return Thread{s.Group, s.Subgroup*h.stage.Program.SubgroupSize + lane}
}

// chosen returns the thread to show at a step: the one in focus if it executes the step, else the first that does.
func (h *hook) chosen(s *exec.Step) Thread {
	if h.active(s, h.focus) {
		return h.focus
	}
	return h.thread(s, s.Active.First())
}

// stops decides whether to stop before an operation with marks, for a reason that concerns the subgroup or the thread in focus.
func (h *hook) stops(s *exec.Step, m mark) (Stop, bool) {
	if h.search == nil && h.session.pause.CompareAndSwap(true, false) {
		return Stop{Reason: Pause, Thread: h.chosen(s)}, true
	}
	if m&undefines != 0 {
		return Stop{Reason: Exception, Text: h.marks.message(s.Func, s.Value), Thread: h.chosen(s)}, true
	}
	if len(h.watches) > 0 {
		if stop, ok := h.changed(s); ok {
			return stop, true
		}
	}
	if m&breaks != 0 {
		for _, b := range h.places[place{s.Func, s.Value}] {
			if !b.single() {
				return b.stop(h.chosen(s)), true
			}
		}
	}
	return h.stepped(s, m)
}

// stepped decides whether the step of the request is done.
func (h *hook) stepped(s *exec.Step, m mark) (Stop, bool) {
	r := &h.request
	if r.action == proceed || !h.active(s, h.focus) {
		return Stop{}, false
	}
	want := beginsLine
	if r.instruction || r.action == stepOut {
		want = beginsInstruction
	}
	if m&want == 0 {
		return Stop{}, false
	}
	if r.action != stepInto {
		h.calls = s.Calls(h.calls[:0])
		if n := len(h.calls); n > h.depth || r.action == stepOut && n == h.depth {
			return Stop{}, false
		}
	}
	reason := AtStep
	if h.entering {
		h.entering, reason = false, Entry
	}
	return Stop{Reason: reason, Thread: h.focus}, true
}
