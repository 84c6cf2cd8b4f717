package debug

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/vk"
)

// search is the way back to the last stop before a position: runs from a checkpoint to the checkpoint after it, from the last on,
// until one has a stop; then a run to this stop.
type search struct {
	origin position // of the request
	until  position // a run ends here
	point  int      // the checkpoint at which it begins
	begun  bool
	found  *found // by the run

	unbroken bool // only the step of the request may end in the runs

	exact   *position // the last run goes to it and stops there with the reason
	reason  Stop
	passing bool // it does not stop there, but goes on
	first   bool // the last run stops at the first instruction
}

// found is a stop at a position.
type found struct {
	at   position
	stop Stop
}

// back begins a search before the current position. It returns false if the dispatch has no checkpoints.
func (h *hook) back() bool {
	n := h.history.find(h.now)
	if n < 0 {
		return false
	}
	if n > 0 && h.history.points[n].at == h.now {
		n--
	}
	h.search = &search{origin: h.now, until: h.now, point: n, unbroken: h.unbroken()}
	if h.search.unbroken && h.request.action == proceed {
		h.search.point, h.search.first = 0, true
	}
	return true
}

// unbroken reports whether no breakpoint stops before the current position: the command ran from the beginning to here, or further, with the
// same breakpoints, and did not stop.
func (h *hook) unbroken() bool {
	return !h.initial.before(h.now) && !h.session.config.StopOnEntry && h.session.revision.Load() == h.given && len(h.watches) == 0 && len(h.edits) == 0
}

// rewind prepares the next run of a search.
func (h *hook) rewind() {
	s := h.search
	switch {
	case !s.begun:
		s.begun = true
	case s.found != nil:
		s.exact, s.reason = &s.found.at, s.found.stop
		s.point = h.history.find(*s.exact)
	case s.point > 0:
		s.until = h.history.points[s.point].at
		if s.until.step > 0 { // a change of data by the operation before shows there
			s.until.step++
		}
		s.point--
	default:
		s.first = true
	}
	h.restart()
}

// restart prepares a run from the checkpoint of the search.
func (h *hook) restart() {
	s := h.search
	p := h.history.points[s.point]
	h.first, h.point, h.resumed = p.at.group, 0, &p
	if h.command.Kind != vk.DebugDraw {
		h.history.restore(s.point)
	} else { // groups of earlier stages run first, from the memory of the beginning
		h.history.restore(0)
		h.point = s.point
	}
	h.forgetWatched()
}

// searching handles a step during a search, before an operation with marks.
func (h *hook) searching(x *exec.Step, m mark) error {
	s := h.search
	switch {
	case s.exact != nil && (h.now.group != s.exact.group || h.now.step != s.exact.step), s.first && m&beginsInstruction == 0:
		return nil
	case s.exact != nil:
		h.search, h.now = nil, *s.exact
		if err := h.wait(x, s.reason); err != nil {
			return err
		}
		return h.each(x, m, h.now.lane)
	case s.first:
		h.search = nil
		if err := h.wait(x, Stop{Reason: AtStep, Text: "the beginning of " + h.what(), Thread: h.chosen(x)}); err != nil {
			return err
		}
		return h.each(x, m, 0)
	}
	if stop, ok := h.stops(x, m); ok {
		s.found = &found{h.now, stop}
	}
	return h.each(x, m, 0)
}

// passed ends a run of a search at the end of its stretch.
func (h *hook) passed() error {
	s := h.search
	switch {
	case s == nil && h.furthest.before(h.now):
		h.furthest = h.now
	case s != nil && s.exact == nil && !s.first && !h.now.before(s.until):
		return errRewind
	}
	return nil
}

// searches reports whether a search has not found its stop yet.
func (h *hook) searches() bool { return h.search != nil && h.search.exact == nil && !h.search.first }

// tooLarge says why a session does not go back.
func (h *hook) tooLarge() string {
	return fmt.Sprintf("the shader may write %d bytes; to go back, they must be at most %d", h.history.bytes, maxCopied)
}

// what returns the words for the command.
func (h *hook) what() string {
	switch h.command.Kind {
	case vk.DebugDraw:
		return "the draw"
	case vk.DebugLaunch:
		return "the launch of rays"
	}
	return "the dispatch"
}
