package debug

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/lower"
)

// Watch is a data breakpoint: it stops when a value changes. A variable in private memory is that of one thread, and one in
// workgroup memory that of one workgroup.
type Watch struct {
	Name string

	thread   Thread
	variable *Variable
	places   []lower.Place
	kind     lower.PlaceKind
	known    bool
	bits     []uint64
	from     Location // of the last operation with marks
}

// maxWatched bounds the scalars of a data breakpoint.
const maxWatched = 64

// Watch returns a data breakpoint on the value of an expression that is a variable, or a part of one, in a frame of a thread.
func (s *Session) Watch(t Thread, f Frame, expression string) (*Watch, error) {
	s.state.RLock()
	defer s.state.RUnlock()
	x := s.view(f)
	if x == nil {
		return nil, fmt.Errorf("the shader is not stopped")
	}
	r, err := x.evaluate(expression)
	switch {
	case err != nil:
		return nil, err
	case r.variable == nil || r.variable.t == nil:
		return nil, fmt.Errorf("%s is not a variable", expression)
	}
	v := r.variable
	places, err := v.places()
	places = slices.Clone(places)
	switch {
	case err != nil:
		return nil, err
	case len(places) == 0 || len(places) > maxWatched:
		return nil, fmt.Errorf("%s has %d scalars; must have 1 to %d", expression, len(places), maxWatched)
	case places[0].Kind == lower.InRegister:
		return nil, fmt.Errorf("%s is a value, which does not change; want a variable", expression)
	}
	for i := range places { // an offset of now holds
		if p := &places[i]; p.Value != 0 {
			p.Offset, p.Value = p.Offset+x.at.Read(x.fn, p.Value, x.lane), 0
		}
	}
	return &Watch{Name: expression, thread: t, variable: v, places: places, kind: places[0].Kind}, nil
}

// SetWatches replaces the data breakpoints.
func (s *Session) SetWatches(list []*Watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watches = list
	s.revision.Add(1)
}

// forgetWatched forgets the values of the data breakpoints: the memory has changed by a rewind.
func (h *hook) forgetWatched() {
	for _, w := range h.watches {
		w.known = false
	}
}

// applies returns the view of a data breakpoint at a step; nil if its memory is that of another thread or workgroup.
func (w *Watch) applies(h *hook, s *exec.Step) *view {
	lane, same := h.laneOf(s, w.thread)
	private := w.kind == lower.InVariable || w.kind == lower.InPrivate
	if private && !same || w.kind == lower.InWorkgroup && s.Group != w.thread.Group {
		return nil
	}
	return &view{h, s, Frame{fn: w.variable.of.fn, lane: lane}}
}

// read returns the bits of the scalars.
func (w *Watch) read(x *view) []uint64 {
	bits := make([]uint64, len(w.places))
	for i, p := range w.places {
		bits[i], _ = x.read(p)
	}
	return bits
}

// sample records the values before the operation of a stop executes.
func (h *hook) sample(s *exec.Step) {
	for _, w := range h.watches {
		if x := w.applies(h, s); x != nil {
			w.bits, w.known, w.from = w.read(x), true, h.marks.location(s.Func, s.Value)
		}
	}
}

// changed returns the stop of a data breakpoint whose value has changed since the last operation with marks.
func (h *hook) changed(s *exec.Step) (Stop, bool) {
	here := h.marks.location(s.Func, s.Value)
	var stop *Stop
	for _, w := range h.watches {
		x := w.applies(h, s)
		if x == nil {
			continue
		}
		bits := w.read(x)
		differ := w.known && !slices.Equal(bits, w.bits)
		if differ && stop == nil {
			text := fmt.Sprintf("%s changed from %s to %s", w.Name, format(w.variable.t, w.bits), format(w.variable.t, bits))
			if w.from.Line > 0 {
				text += fmt.Sprintf(" at line %d", w.from.Line)
			}
			stop = &Stop{Reason: DataBreakpoint, Text: text, Thread: h.chosen(s)}
		}
		w.bits, w.known, w.from = bits, true, here
	}
	if stop == nil {
		return Stop{}, false
	}
	return *stop, true
}
