package debug

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Breakpoint stops the threads that begin a line or an instruction.
type Breakpoint struct {
	Number      int
	At          Location // the line, unless Instruction is a number
	Instruction int      // of the module, from 1; 0 for a line

	Condition string // an expression; "" for none
	Hits      string // the hits at which it stops: N or ==N, >N, >=N, <N, <=N, %N; "" for all
	Log       string // the message of a logpoint, which does not stop; {expression} is replaced by its value

	count     uint64
	condition *node     // of Condition; nil before it is needed
	filter    filter    // of condition; nil if there is none
	log       []logPart // of Log; likewise
}

// met is a place in time at which the hit condition of a breakpoint held.
type met struct {
	breakpoint *Breakpoint
	at         position
}

// maxMet bounds the hits that a dispatch keeps.
const maxMet = 1 << 16

// place is an operation of a function.
type place struct {
	fn int
	v  ir.V
}

// SetBreakpoints replaces the breakpoints. It may be called at any time.
func (s *Session) SetBreakpoints(list []*Breakpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.breakpoints = list
	s.revision.Add(1)
}

// SameFile reports whether two names may be of one file: the names of modules are often relative.
func SameFile(a, b string) bool {
	a, b = path.Clean(strings.ReplaceAll(a, `\`, "/")), path.Clean(strings.ReplaceAll(b, `\`, "/"))
	if len(a) < len(b) {
		a, b = b, a
	}
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasPrefix(b, "../") && path.Base(a) == path.Base(b)
}

// Resolve returns the line at which a breakpoint of a running dispatch stops: its own, or the next one that an operation begins.
// It returns false if there is none. The session is stopped, or the call is in the event of the dispatch.
func (s *Session) Resolve(at Location) (Location, bool) {
	s.state.RLock()
	defer s.state.RUnlock()
	if s.hook == nil {
		return at, false
	}
	best, ok := at, false
	for _, stage := range s.hook.stages {
		if l, found := s.codeOf(stage.Program, stage).marks.resolve(at); found && (!ok || l.Line < best.Line) {
			best, ok = l, true
		}
	}
	return best, ok
}

func (x *marks) resolve(at Location) (Location, bool) {
	best, ok := Location{}, false
	x.each(func(p place, m mark) {
		if m&beginsLine == 0 {
			return
		}
		if l := x.location(p.fn, p.v); l.Line >= at.Line && (!ok || l.Line < best.Line) && SameFile(l.File, at.File) {
			best, ok = l, true
		}
	})
	return best, ok
}

// each calls yield for the operations that begin instructions.
func (x *marks) each(yield func(p place, m mark)) {
	for fn, list := range x.of {
		for v, m := range list {
			if m&beginsInstruction != 0 {
				yield(place{fn, ir.V(v)}, m)
			}
		}
	}
}

// markBreakpoints finds the operations of the breakpoints if they have changed.
func (h *hook) markBreakpoints() {
	n := h.session.revision.Load()
	if n == h.revision && n == h.seen {
		return
	}
	h.session.mu.Lock()
	defer h.session.mu.Unlock()
	if n != h.seen {
		h.watches = slices.Clone(h.session.watches)
		if h.seen == 0 { // the first breakpoints of the command: its memory before is unknown
			h.given = n
			h.forgetWatched()
		}
		h.seen = n
	}
	if n == h.revision {
		return
	}
	h.revision = n
	for _, list := range h.marks.of {
		for v := range list {
			list[v] &^= breaks
		}
	}
	h.places = map[place][]*Breakpoint{}
	for _, b := range h.session.breakpoints {
		at, ok := b.At, true
		if b.Instruction == 0 {
			at, ok = h.marks.resolve(b.At)
		}
		if !ok {
			continue
		}
		h.marks.each(func(p place, m mark) {
			here := m&beginsLine != 0 && h.marks.location(p.fn, p.v) == at
			if b.Instruction > 0 {
				i, _ := h.marks.instruction(p.fn, p.v)
				here = i+1 == b.Instruction
			}
			if here {
				h.marks.of[p.fn][p.v] |= breaks
				h.places[p] = append(h.places[p], b)
			}
		})
	}
}

// single reports whether each thread of a subgroup meets the breakpoint by itself. Without a condition a subgroup stops once.
func (b *Breakpoint) single() bool { return b.Condition != "" || b.Hits != "" || b.Log != "" }

// each stops at an operation for each thread that meets a breakpoint by itself, in the order of lanes, from one on.
func (h *hook) each(s *exec.Step, m mark, from uint32) error {
	if m&breaks == 0 {
		return nil
	}
	list := h.places[place{s.Func, s.Value}]
	at := &view{h, s, Frame{fn: s.Func, v: s.Value}}
	if i, ok := h.marks.instruction(s.Func, s.Value); ok {
		at.Instruction = i + 1
	}
	lanes := at.mayHit(list)
	for lane := range h.lanes.All {
		if uint32(lane) < from || !lanes.Has(uint32(lane)) {
			continue
		}
		h.now.lane = uint32(lane) + 1
		if h.search != nil && !h.now.before(h.search.until) {
			break
		}
		for _, b := range list {
			if !b.single() {
				continue
			}
			at.lane = uint32(lane)
			stop, ok := h.hit(at, b, h.thread(s, uint32(lane)))
			switch {
			case !ok:
				continue
			case h.search != nil:
				h.search.found = &found{h.now, stop}
			default:
				if err := h.wait(s, stop); err != nil {
					return err
				}
				h.markBreakpoints()
				list = h.places[place{s.Func, s.Value}]
				lanes = at.mayHit(list) // the controller may have changed values
			}
			break
		}
	}
	return nil
}

// stop returns a stop of the breakpoint.
func (b *Breakpoint) stop(t Thread) Stop {
	r := AtBreakpoint
	if b.Instruction > 0 {
		r = AtInstruction
	}
	return Stop{Reason: r, Thread: t, Hit: []int{b.Number}}
}

// hit decides whether a breakpoint stops a thread; its frame has no name and no line. A thread that executed the operation before the session went back counts once.
func (h *hook) hit(at *view, b *Breakpoint, t Thread) (Stop, bool) {
	if b.Condition != "" {
		err := b.parse(at)
		holds := false
		if err == nil {
			holds, err = b.condition.truth(at)
		}
		if err != nil {
			return Stop{Reason: AtBreakpoint, Text: fmt.Sprintf("condition %q: %v", b.Condition, err), Thread: t, Hit: []int{b.Number}}, true
		}
		if !holds {
			return Stop{}, false
		}
	}
	again := h.search != nil || h.now.before(h.furthest)
	if b.Hits != "" {
		ok, err := h.counted(b, again)
		if err != nil {
			return Stop{Reason: AtBreakpoint, Text: err.Error(), Thread: t, Hit: []int{b.Number}}, true
		}
		if !ok {
			return Stop{}, false
		}
	}
	if b.Log == "" {
		return b.stop(t), true
	}
	if !again {
		if b.log == nil {
			b.log = parseLog(b.Log, at)
		}
		h.session.config.Events.Output(at.interpolate(b.log))
	}
	return Stop{}, false
}

// parse finds the node of the condition; it does so once if there is one.
func (b *Breakpoint) parse(at *view) error {
	if b.condition != nil {
		return nil
	}
	n, err := parse(b.Condition, at)
	if err == nil {
		b.condition, b.filter = n, n.filterOf()
	}
	return err
}

// counted counts a hit and reports whether the hit condition holds. A run again answers as the first run did.
func (h *hook) counted(b *Breakpoint, again bool) (bool, error) {
	if again {
		return h.met[met{b, h.now}], nil
	}
	b.count++
	ok, err := meets(b.count, b.Hits)
	if ok && len(h.met) < maxMet {
		h.met[met{b, h.now}] = true
	}
	return ok, err
}

// meets reports whether the number of a hit meets a condition such as ">= 3".
func meets(n uint64, condition string) (bool, error) {
	text := strings.TrimSpace(condition)
	op := text[:len(text)-len(strings.TrimLeft(text, "<>=%"))]
	x, err := strconv.ParseUint(strings.TrimSpace(text[len(op):]), 10, 64)
	if err != nil {
		return false, fmt.Errorf("hit condition %q; want N, ==N, >N, >=N, <N, <=N or %%N", condition)
	}
	switch op {
	case "", "=", "==":
		return n == x, nil
	case ">":
		return n > x, nil
	case ">=":
		return n >= x, nil
	case "<":
		return n < x, nil
	case "<=":
		return n <= x, nil
	case "%":
		return x > 0 && n%x == 0, nil
	}
	return false, fmt.Errorf("hit condition %q; want N, ==N, >N, >=N, <N, <=N or %%N", condition)
}

// logPart is a text of a log, and the expression after it; nil after the last text.
type logPart struct {
	text       string
	expression string
	value      *node
	err        error // the expression is malformed
}

// parseLog reads the text of a log. A brace without its pair is text.
func parseLog(text string, in *view) (list []logPart) {
	for {
		before, rest, ok := strings.Cut(text, "{")
		inside, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			return append(list, logPart{text: text})
		}
		p := logPart{text: before, expression: inside}
		p.value, p.err = parse(inside, in)
		list, text = append(list, p), after
	}
}

// interpolate returns the text of a log with the values of its expressions.
func (x *view) interpolate(list []logPart) string {
	var out strings.Builder
	for _, p := range list {
		out.WriteString(p.text)
		err := p.err
		var v result
		if p.value != nil {
			v, err = p.value.value(x)
		}
		switch {
		case err != nil:
			fmt.Fprintf(&out, "{%s: %v}", p.expression, err)
		case p.value != nil:
			out.WriteString(v.String())
		}
	}
	return out.String()
}
