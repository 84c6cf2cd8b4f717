package debug

import (
	"context"
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/vk"
)

// hook observes the runs of one command: the first, and those that begin again at a checkpoint.
type hook struct {
	session *Session
	ctx     context.Context
	command vk.DebugCommand
	stages  []*shader.Stage
	*code   // of the group that runs
	history history
	job     *exec.Job // likewise

	now      position
	furthest position    // the latest position of all runs: a replay up to it repeats no output
	first    uint64      // the groups before it are skipped, or run without steps
	point    int         // the checkpoint that the run takes its memory from before group first; 0 if it has it
	groups   uint64      // begun in this run
	resumed  *checkpoint // at which this run began; nil for the beginning
	saved    uint64      // the step up to which the history has counted the operations of the group

	request  request
	focus    Thread
	depth    int // of the calls of the thread in focus at the request
	entering bool
	search   *search

	initial position // the first stop of the command, from its beginning; zero before it
	given   uint64   // revision of the breakpoints and watches at the beginning

	seen    uint64 // revision of the watches
	watches []*Watch
	met     map[met]bool // the hits at which a breakpoint stopped, for runs again

	step   *exec.Step        // where the session is stopped
	latest *exec.Step        // of the group; nil at its beginning
	edits  map[uint64][]edit // by group
	lanes  exec.Lanes        // the active lanes of the step that the pick permits
	silent bool              // the group has steps, but no stops
	calm   uint64            // the step of the group before which only some operations matter; see calmUntil
	judged uint32            // the subgroup, from 1, of which it is known whether it has picked lanes
	last   []place           // of the threads of the group, by their index, but for recent
	recent recent
	calls  []exec.Call
}

func newHook(ctx context.Context, s *Session, c vk.DebugCommand, stages []*shader.Stage) *hook {
	h := &hook{session: s, ctx: ctx, command: c, stages: stages, focus: s.config.Thread, met: map[met]bool{}}
	h.code = s.codeOf(stages[0].Program, stages[0])
	if s.config.StopOnEntry {
		h.request.action, h.entering = stepInto, true
	}
	return h
}

// begin prepares the next run.
func (h *hook) begin() { h.groups = 0 }

// BeginGroup skips the groups before the checkpoint of the run, and stops the run at the end of a search.
func (h *hook) BeginGroup(g *exec.Group) error {
	h.now = position{group: h.groups}
	h.groups++
	h.latest, h.judged, h.silent, h.saved, h.calm = nil, 0, false, 0, 0
	stage := h.stageOf(g.Program)
	if stage == nil { // a program of the command itself
		h.silent = true
		return nil
	}
	h.job = g.Job
	h.enter(g.Program, stage)
	h.history.meet(h, g)
	switch {
	case h.now.group < h.first && h.history.independent(stage):
		return exec.ErrSkipGroup
	case h.now.group < h.first:
		return h.unobserved(false)
	case h.point > 0:
		h.history.restore(h.point)
		h.point = 0
	}
	if s := h.search; s != nil && s.passing && h.now.group == s.exact.group {
		h.search = nil
	}
	if err := h.passed(); err != nil {
		return err
	}
	resumes := h.resume(g)
	if h.markBreakpoints(); !h.observes(g) {
		return h.unobserved(resumes)
	}
	if n := int(g.Program.Invocations()); n > cap(h.last) {
		h.last = make([]place, n)
	} else {
		h.last = h.last[:n]
		clear(h.last)
	}
	h.recent = recent{}
	if resumes {
		copy(h.last, h.resumed.inside.last)
	}
	return nil
}

// Yield stops at changes of data by the last operations of a subgroup, before another one runs. It is a position of its own.
func (h *hook) Yield(s *exec.Step) error {
	if h.silent || h.latest != s {
		return nil
	}
	h.now.step, h.now.lane, h.calm = h.now.step+1, 0, 0
	return h.atEnd()
}

// resume lets the group of a checkpoint inside of it go on there.
func (h *hook) resume(g *exec.Group) bool {
	p := h.resumed
	if p == nil || p.inside == nil || p.at.group != h.now.group {
		return false
	}
	g.Resume, h.judged, h.now.step, h.saved = p.inside.state, p.inside.judged, p.at.step-1, p.at.step-1
	return true
}

// EndGroup stops at changes of data by the last operations, and makes checkpoints.
func (h *hook) EndGroup(g *exec.Group) error {
	if h.now.group < h.first || h.stageOf(g.Program) == nil {
		return nil
	}
	h.now.step, h.now.lane = h.now.step+1, 0
	if err := h.atEnd(); err != nil {
		return err
	}
	operations := h.now.step - h.saved
	if h.latest == nil { // it ran without steps
		operations = uint64(g.Program.Subgroups()) * uint64(len(g.Program.Funcs[0].Code)) / gainWithoutSteps
	}
	if next := (position{group: h.groups}); h.history.independent(h.stage) && h.history.pass(operations, next) && h.mayCheck() {
		h.history.save(next, nil)
	}
	return nil
}

// mayCheck reports whether the run may make checkpoints: a search has the numbers of the existing ones.
func (h *hook) mayCheck() bool { return h.search == nil || h.search.exact != nil }

// check makes a checkpoint before a step after an interval.
func (h *hook) check(s *exec.Step) {
	operations := h.now.step - h.saved
	if operations < minInterval/8 || s.Snapshot == nil || !h.history.independent(h.stage) {
		return
	}
	h.saved = h.now.step
	if at := (position{group: h.now.group, step: h.now.step}); h.history.pass(operations, at) && h.mayCheck() {
		h.settle()
		h.history.save(at, &inside{s.Snapshot(), slices.Clone(h.last), h.judged})
	}
}

// atEnd is Step after the last operation of a subgroup or a group, for data breakpoints alone.
func (h *hook) atEnd() error {
	s := h.search
	switch {
	case h.latest == nil:
		return nil
	}
	h.redo(h.latest)
	switch {
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
	if h.silent {
		return exec.ErrNoSteps
	}
	h.now.step, h.now.lane, h.latest = h.now.step+1, 0, s
	of := h.marks.of[s.Func]
	if int(s.Value) >= len(of) || of[s.Value] == 0 {
		return nil
	}
	m := of[s.Value]
	if h.now.step < h.calm && m&(breaks|undefines) == 0 && h.judged == s.Subgroup+1 && !h.session.calls(h.seen) {
		h.arrive(s)
		return nil
	}
	err := h.look(s, m)
	h.calm = h.calmUntil(s)
	return err
}

// calls reports whether the controller wants something of a hook that knows a revision of the breakpoints.
func (s *Session) calls(revision uint64) bool {
	return s.ended.Load() || s.pause.Load() || s.revision.Load() != revision
}

// calmUntil returns the step of the group before which operations without breakpoints and reports neither stop nor make a checkpoint,
// unless the controller calls; 0 if any may. A dispatch has many such steps: each needs only the places of its threads.
func (h *hook) calmUntil(s *exec.Step) uint64 {
	if h.request.action != proceed || len(h.watches) > 0 || len(h.edits) > 0 || h.revision != h.seen || !h.session.picked.Load() {
		return 0
	}
	until := uint64(math.MaxUint64)
	if s.Snapshot != nil && h.history.independent(h.stage) {
		until = h.saved + minInterval/8 // see check
	}
	switch x := h.search; {
	case x == nil:
	case x.exact != nil && h.now.group == x.exact.group:
		return min(until, x.exact.step)
	case x.first, x.exact == nil && h.now.group >= x.until.group: // the run ends here
		return 0
	}
	return until
}

// look stops the session if it is to stop before an operation with marks.
func (h *hook) look(s *exec.Step, m mark) error {
	if h.session.ended.Load() {
		return ErrEnded
	}
	if err := h.passed(); err != nil {
		return err
	}
	h.lanes = h.picked(s)
	if first := h.judged != s.Subgroup+1; first { // all lanes with an invocation are active
		h.judged = s.Subgroup + 1
		if h.lanes.Empty() && h.command.Kind != vk.DebugLaunch { // a shader of rays begins with the lanes that run it
			h.latest = nil
			return exec.ErrNoSteps
		}
	}
	h.markBreakpoints()
	h.check(s)
	h.redo(s)
	h.arrive(s)
	if h.lanes.Empty() {
		return nil
	}
	if !h.session.picked.Load() {
		h.session.picked.Store(true)
	}
	if h.search != nil {
		return h.searching(s, m)
	}
	if stop, ok := h.stops(s, m); ok {
		if err := h.wait(s, stop); err != nil {
			return err
		}
	}
	return h.each(s, m, 0)
}

// recent is the place of the lanes of the last step, which is in hook.last after settle. Most steps of a subgroup have the lanes of the step
// before, so that their places need not be stored one by one.
type recent struct {
	base  uint32 // the first thread of the subgroup
	lanes exec.Lanes
	at    place
}

// arrive notes the place of the active lanes.
func (h *hook) arrive(s *exec.Step) {
	base := s.Subgroup * h.program.SubgroupSize
	if base == h.recent.base && s.Active == h.recent.lanes {
		h.recent.at = place{s.Func, s.Value}
		return
	}
	if base != h.recent.base || !h.recent.lanes.Without(s.Active).Empty() {
		h.settle()
	}
	h.recent = recent{base, s.Active, place{s.Func, s.Value}}
}

// settle stores the places of the last step.
func (h *hook) settle() {
	for lane := range h.recent.lanes.All {
		h.last[h.recent.base+uint32(lane)] = h.recent.at
	}
	h.recent.lanes = exec.Lanes{}
}

// wait tells the controller of a stop, and waits for its next request.
func (h *hook) wait(s *exec.Step, stop Stop) error {
	h.focus = stop.Thread
	if h.initial == (position{}) {
		h.initial = h.now
	}
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
	h.settle()
	h.step = s
}

// laneOf returns the lane of a thread in the subgroup of a step; false if it is in another one.
func (h *hook) laneOf(s *exec.Step, t Thread) (uint32, bool) {
	size := h.program.SubgroupSize
	return t.Local % size, s.Group == t.Group && s.Subgroup == t.Local/size && t.run == h.run()
}

// active reports whether a thread executes the operation of a step.
func (h *hook) active(s *exec.Step, t Thread) bool {
	lane, ok := h.laneOf(s, t)
	return ok && s.Active.Has(lane)
}

// thread returns the thread in a lane of the subgroup of a step.
func (h *hook) thread(s *exec.Step, lane uint32) Thread {
	return Thread{s.Group, s.Subgroup*h.program.SubgroupSize + lane, h.run()}
}

// run returns the number of the threads of the group that runs.
func (h *hook) run() uint64 {
	if h.command.Kind != vk.DebugDraw {
		return 0
	}
	return h.now.group + 1
}

// chosen returns the thread to show at a step: the one in focus if it executes the step and the pick permits it, else the first such one.
func (h *hook) chosen(s *exec.Step) Thread {
	if lane, _ := h.laneOf(s, h.focus); h.active(s, h.focus) && (h.lanes.Empty() || h.lanes.Has(lane)) {
		return h.focus
	}
	if h.lanes.Empty() {
		return h.thread(s, s.Active.First())
	}
	return h.thread(s, h.lanes.First())
}

// stops decides whether to stop before an operation with marks, for a reason that concerns the subgroup or the thread in focus.
func (h *hook) stops(s *exec.Step, m mark) (Stop, bool) {
	if h.search == nil && h.session.pause.Load() && h.session.pause.CompareAndSwap(true, false) {
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
	if r.action == proceed {
		return Stop{}, false
	}
	if h.entering && h.command.Kind != vk.DebugDispatch {
		h.focus = h.chosen(s) // the first that runs
	}
	if !h.active(s, h.focus) {
		return Stop{}, false
	}
	if x := h.search; x != nil && h.now.group == x.origin.group && h.now.step == x.origin.step {
		return Stop{}, false // a breakpoint stopped the thread here, after the step began
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
