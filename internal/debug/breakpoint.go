package debug

import (
	"fmt"
	"path"
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
	met       map[position]bool // where Hits was met, for runs again
	condition node              // of Condition; nil before it is needed
}

// maxMet bounds the recorded hits of a breakpoint.
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
	return s.hook.marks.resolve(at)
}

func (x *marks) resolve(at Location) (Location, bool) {
	best, ok := Location{}, false
	x.each(func(p place, m mark) {
		if m&beginsLine == 0 {
			return
		}
		if l := x.location(p.fn, p.v); SameFile(l.File, at.File) && l.Line >= at.Line && (!ok || l.Line < best.Line) {
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
	if n == h.revision {
		return
	}
	h.revision = n
	h.session.mu.Lock()
	defer h.session.mu.Unlock()
	for _, list := range h.marks.of {
		for v := range list {
			list[v] &^= breaks
		}
	}
	h.watches = append([]*Watch(nil), h.session.watches...)
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
			i, _ := h.marks.instruction(p.fn, p.v)
			if b.Instruction > 0 && i+1 == b.Instruction || b.Instruction == 0 && m&beginsLine != 0 && h.marks.location(p.fn, p.v) == at {
				h.marks.of[p.fn][p.v] |= breaks
				h.places[p] = append(h.places[p], b)
			}
		})
	}
}

// single reports whether each thread of a subgroup meets the breakpoint by itself. Without a condition a subgroup stops once.
func (b *Breakpoint) single() bool { return b.Condition != "" || b.Hits != "" || b.Log != "" }

// lanes stops at an operation for each thread that meets a breakpoint by itself, in the order of lanes, from one on.
func (h *hook) lanes(s *exec.Step, m mark, from uint32) error {
	if m&breaks == 0 {
		return nil
	}
	list := h.places[place{s.Func, s.Value}]
	for lane := range s.Active.All {
		if uint32(lane) < from {
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
			stop, ok := h.hit(s, b, h.thread(s, uint32(lane)))
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

// hit decides whether a breakpoint stops a thread. A thread that executed the operation before the session went back counts once.
func (h *hook) hit(s *exec.Step, b *Breakpoint, t Thread) (Stop, bool) {
	at := &view{h, s, h.frame(s, t)}
	if b.Condition != "" {
		var err error
		if b.condition == nil {
			b.condition, err = parse(b.Condition)
		}
		var v result
		if err == nil {
			v, err = b.condition.numbers(at)
		}
		if err != nil {
			return Stop{Reason: AtBreakpoint, Text: fmt.Sprintf("condition %q: %v", b.Condition, err), Thread: t, Hit: []int{b.Number}}, true
		}
		if !v.truth() {
			return Stop{}, false
		}
	}
	again := h.search != nil || h.now.before(h.furthest)
	if b.Hits != "" && !again {
		b.count++
		met, err := meets(b.count, b.Hits)
		if err != nil {
			return Stop{Reason: AtBreakpoint, Text: err.Error(), Thread: t, Hit: []int{b.Number}}, true
		}
		if !met {
			return Stop{}, false
		}
		if b.met == nil {
			b.met = map[position]bool{}
		}
		if len(b.met) < maxMet {
			b.met[h.now] = true
		}
	}
	if b.Hits != "" && again && !b.met[h.now] {
		return Stop{}, false
	}
	if b.Log == "" {
		return b.stop(t), true
	}
	if !again {
		h.session.config.Events.Output(at.interpolate(b.Log))
	}
	return Stop{}, false
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

// interpolate replaces {expression} in a text by its value.
func (x *view) interpolate(text string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		out.WriteString(before)
		inside, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			out.WriteString(text[len(before):])
			return out.String()
		}
		if v, err := x.evaluate(inside); err != nil {
			fmt.Fprintf(&out, "{%s: %v}", inside, err)
		} else {
			out.WriteString(v.String())
		}
		text = after
	}
}
