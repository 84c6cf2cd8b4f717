package debug

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
)

// Watch is a data breakpoint: it stops when a value changes. A variable in private memory is that of one thread, and one in
// workgroup memory that of one workgroup.
type Watch struct {
	Name string

	thread    Thread
	stage     *shader.Stage // has these places
	fn        int
	t         *facts.Type
	places    []lower.Place // of one kind; none of a texel
	texel     *imagePart    // a texel
	component int           // of the texel, from 1; 0 for all

	known      bool
	bits, next []uint64
	from       Location // of the last operation with marks
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
	case r.variable == nil || r.variable.t == nil && r.variable.image == nil:
		return nil, fmt.Errorf("%s is not a variable", expression)
	}
	v := r.variable
	if v.image != nil {
		if !v.image.isTexel() {
			return nil, fmt.Errorf("%s has several texels; want one, such as imageLoad(%s, ivec2(0, 0))", expression, expression)
		}
		texel := *v.image
		w := &Watch{Name: expression, thread: t, stage: x.stage, fn: x.fn, t: v.t, texel: &texel, component: v.component}
		return w, nil
	}
	places, err := v.places()
	places = slices.Clone(places)
	switch {
	case err != nil:
		return nil, err
	case len(places) == 0 || len(places) > maxWatched:
		return nil, fmt.Errorf("%s has %d scalars; must have 1 to %d", expression, len(places), maxWatched)
	case places[0].Kind == lower.InRegister || places[0].Kind == lower.InTable:
		return nil, fmt.Errorf("%s is a value, which does not change; want a variable", expression)
	}
	for i := range places { // an offset of now holds
		switch p := &places[i]; {
		case p.Kind == lower.InFrame || p.Kind == lower.InPayload:
			p.Kind, p.Offset = lower.InPrivate, x.offset(*p)
		case p.Kind == lower.InAddress && p.Value == 0: // it is fixed
		case p.Kind == lower.InAddress || p.Kind == lower.InRecord || p.Kind == lower.InLaunch:
			return nil, fmt.Errorf("%s is not in memory that can be watched; want a variable or a buffer", expression)
		case p.Value != 0:
			p.Offset, p.Value = p.Offset+x.at.Read(x.fn, p.Value, x.lane), 0
		}
	}
	return &Watch{Name: expression, thread: t, stage: x.stage, fn: x.fn, t: v.t, places: places, bits: make([]uint64, len(places)), next: make([]uint64, len(places))}, nil
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

// read reads the scalars at a step into next. It returns false if the memory is that of another thread, workgroup or shader.
func (w *Watch) read(h *hook, s *exec.Step) bool {
	if w.texel != nil {
		return w.readTexel(h)
	}
	lane, same := h.laneOf(s, w.thread)
	switch kind := w.places[0].Kind; {
	case h.stage != w.stage,
		!same && (kind == lower.InVariable || kind == lower.InPrivate || kind == lower.InBytes),
		kind == lower.InWorkgroup && s.Group != w.thread.Group:
		return false
	}
	x := view{h, s, Frame{fn: w.fn, lane: lane}}
	for i, p := range w.places {
		w.next[i], _ = x.read(p)
	}
	return true
}

// readTexel is read for a texel. An attachment belongs to the draw, in any stage.
func (w *Watch) readTexel(h *hook) bool {
	if w.texel.attachment < 0 && h.stage != w.stage || !w.texel.show(h) || !w.texel.isTexel() {
		return false
	}
	bits, err := w.texel.texelBits(w.component)
	w.next = append(w.next[:0], bits...)
	return err == nil
}

// keep records the values that were read, at a line.
func (w *Watch) keep(at Location) { w.bits, w.next, w.known, w.from = w.next, w.bits, true, at }

// sample records the values before the operation of a stop executes.
func (h *hook) sample(s *exec.Step) {
	for _, w := range h.watches {
		if w.read(h, s) {
			w.keep(h.marks.location(s.Func, s.Value))
		}
	}
}

// changed returns the stop of a data breakpoint whose value has changed since the last operation with marks.
func (h *hook) changed(s *exec.Step) (Stop, bool) {
	here := h.marks.location(s.Func, s.Value)
	var stop *Stop
	for _, w := range h.watches {
		if !w.read(h, s) {
			continue
		}
		if w.known && stop == nil && !slices.Equal(w.next, w.bits) {
			text := fmt.Sprintf("%s changed from %s to %s", w.Name, format(w.t, w.bits), format(w.t, w.next))
			if w.from.Line > 0 {
				text += fmt.Sprintf(" at line %d", w.from.Line)
			}
			stop = &Stop{Reason: DataBreakpoint, Text: text, Thread: h.chosen(s)}
		}
		w.keep(here)
	}
	if stop == nil {
		return Stop{}, false
	}
	return *stop, true
}
