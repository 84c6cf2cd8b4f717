package debug

import "testing"

// TestBackToBeginning: before the first stop of a dispatch is its beginning, unless the breakpoints have changed since.
func TestBackToBeginning(t *testing.T) {
	b := line(23)
	b.Condition = "i == 75u"
	d := start(t, 10, Config{}, b)
	d.at(AtBreakpoint, 3, 23)
	for range 2 {
		d.Continue(true)
		d.at(AtStep, 0, 16)
		d.Continue(false)
		d.at(AtBreakpoint, 3, 23)
	}
	before := line(23)
	before.Condition = "i == 10u"
	d.SetBreakpoints([]*Breakpoint{b, before})
	d.Continue(true)
	d.at(AtBreakpoint, 2, 23)
	d.Continue(true)
	d.at(AtStep, 0, 16)
	d.Continue(false)
	d.at(AtBreakpoint, 2, 23)
	d.Continue(false)
	s := d.at(AtBreakpoint, 3, 23)
	d.Next(s.Thread, false, true)
	d.at(AtStep, 3, 22)
	d.finish(10)

	first := line(17)
	first.Condition = "gl_GlobalInvocationID.x == 75"
	d = start(t, 10, Config{}, first)
	s = d.at(AtBreakpoint, 3, 17)
	d.Next(s.Thread, false, true)
	d.at(AtStep, 3, 16)
	d.Next(s.Thread, false, true)
	d.at(AtStep, 0, 16) // no line of the thread is before
	d.Continue(false)
	d.at(AtBreakpoint, 3, 17)
	d.finish(10)
}
