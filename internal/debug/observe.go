package debug

import (
	"errors"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Groups in which the session cannot stop run without steps, as machine code if the engine has it.

// gainWithoutSteps is about how many times as fast a group runs without steps.
const gainWithoutSteps = 16

// maxLoops bounds the loop iterations and calls of a subgroup without steps. A program that exceeds it runs with steps from then on, so
// that the controller can stop a shader that does not end.
const maxLoops = 1 << 16

// Budget is the bound of groups without steps.
func (h *hook) Budget() uint64 { return maxLoops }

// unobserved is the answer of BeginGroup for a group in which the session does not stop. If the group may not run again, because its
// program has exceeded its bound, or its memory cannot be restored, or if it goes on inside, it begins with steps, of which the first says
// that no others are needed.
func (h *hook) unobserved(resumes bool) error {
	if h.session.ended.Load() {
		return ErrEnded
	}
	if h.slow || h.history.blocked || resumes {
		h.silent = true
		return nil
	}
	return exec.ErrNoSteps
}

// observes reports whether the session may stop in a group, or does not know yet whether the pick has its invocations.
func (h *hook) observes(g *exec.Group) bool {
	c, s := &h.session.config, h.search
	switch {
	case len(h.edits[h.now.group]) > 0:
		return true
	case h.command.Kind == vk.DebugLaunch && (!c.Pick.stage(h.stages) || c.Pick.Launch != nil && !h.launches(g)):
		return false
	case h.command.Kind != vk.DebugLaunch && !c.Pick.of(h.stage.Program.Stage), c.Pick.Pixel != nil && !mayContain(g, h.command.Attachments, c.Pick.Pixel[0], c.Pick.Pixel[1]):
		return false
	case s != nil && s.exact != nil:
		return h.now.group == s.exact.group
	case s != nil && s.first, c.Pick.any() && !h.session.Picked():
		return true
	}
	h.session.picked.Store(true)
	if s != nil && s.unbroken {
		return h.awaits(g)
	}
	return h.session.pause.Load() || h.marks.undefined || len(h.places) > 0 || h.awaits(g) || h.watching(g)
}

// awaits reports whether a step of the controller may end in a group.
func (h *hook) awaits(g *exec.Group) bool {
	switch {
	case h.request.action == proceed:
		return false
	case h.entering && h.command.Kind != vk.DebugDispatch:
		return true
	}
	return h.focus.Group == g.ID && h.focus.run == h.run()
}

// watching reports whether a data breakpoint may stop in a group.
func (h *hook) watching(g *exec.Group) bool {
	for _, w := range h.watches {
		if w.texel != nil {
			if w.texel.attachment >= 0 || h.stage == w.stage {
				return true
			}
			continue
		}
		switch kind := w.places[0].Kind; {
		case h.stage != w.stage:
		case kind != lower.InVariable && kind != lower.InPrivate && kind != lower.InBytes && kind != lower.InWorkgroup, w.thread.Group == g.ID && w.thread.run == h.run():
			return true
		}
	}
	return false
}

// slowly prepares a run again after the error of a group that exceeded its bound without steps: its program then runs with steps. It
// returns false for other errors.
func (h *hook) slowly(err error) bool {
	var budget *exec.BudgetError
	if !errors.As(err, &budget) || h.silent || h.slow || h.history.blocked {
		return false
	}
	h.slow = true
	at := position{group: h.now.group}
	if s := h.search; s == nil {
		h.search = &search{exact: &at, passing: true, point: h.history.find(at)}
	} else if s.exact != nil { // the run may have made checkpoints
		s.point = h.history.find(*s.exact)
	}
	h.restart()
	return true
}
