package debug

import (
	"encoding/binary"
	"testing"
)

// TestAssign changes variables, a component, workgroup memory and a buffer: the shader goes on with the new values, and a run again has
// them where they were made.
func TestAssign(t *testing.T) {
	d := start(t, 2, Config{Thread: Thread{Local: 2}}, line(23))
	s := d.at(AtBreakpoint, 2, 23)
	assign := func(to, value, want string) {
		t.Helper()
		text, err := d.Assign(d.Frames(s.Thread)[0], to, value)
		if err != nil {
			text = "error: " + err.Error()
		}
		if text != want {
			t.Errorf("%s = %s is %s; must be %s", to, value, text, want)
		}
	}
	for _, c := range [][3]string{
		{"s", "100", "100"}, {"s", "s + 1.75", "101"}, {"s", "-1", "4294967295"}, {"s", "100", "100"}, {"v.x", "8", "8"}, {"v.yx", "8", "error: v.yx is not a variable with numbers"}, {"v[0]", "8", "8"},
		{"v", "vec3(10, 0.5, -2)", "(10, 0.5, -2)"}, {"v", "1", "error: 1 numbers; v has 3"}, {"total[0]", "1000", "1000"}, {"data[15]", "7", "7"},
		{"data[16]", "7", "error: index 16 of data; must be less than 16"}, {"nope", "1", "error: no variable nope here"}, {"%50", "1", "error: a value, which does not change; want a variable"},
		{"gl_LocalInvocationIndex", "1", "error: gl_LocalInvocationIndex is not a variable with numbers"}, {"s", "1 +", "error: the expression ends; want a value"},
		{"1", "1", "error: 1 is not a variable with numbers"},
	} {
		assign(c[0], c[1], c[2])
	}
	d.Next(s.Thread, false, true)
	d.at(AtStep, 2, 22)
	if got := d.value("s"); got != "7" { // collatz(3)
		t.Errorf("s is %s before the change; must be 7", got)
	}
	d.Next(s.Thread, false, false)
	d.at(AtBreakpoint, 2, 23)
	if got := d.value("s"); got != "100" {
		t.Errorf("s is %s; must be 100 again", got)
	}
	d.SetBreakpoints(nil)
	d.Continue(false)
	if err := <-d.done; err != nil {
		t.Fatal(err)
	}
	// data[i] = s + total[0] + uint(v.x), with s and v of invocation 2 changed.
	for i, want := range map[int]uint32{2: 100 + 1000 + 10, 3: 2 + 1000 + 6} {
		if got := binary.LittleEndian.Uint32(d.data[4*i:]); got != want {
			t.Errorf("data[%d] is %d; must be %d", i, got, want)
		}
	}
	// The second workgroup reads 7 in place of 15: collatz(8) has 3 steps, the first invocation's collatz(9) has 19.
	if got := binary.LittleEndian.Uint32(d.data[4*15:]); got != 3+19+30 {
		t.Errorf("data[15] is %d; must be %d", got, 3+19+30)
	}
}

// TestAssignBack changes a buffer after going back: checkpoints of the run before do not undo the change.
func TestAssignBack(t *testing.T) {
	end, inside := line(14), line(12)
	end.Condition = "gl_LocalInvocationIndex == 7"
	inside.Condition = "steps == 100 && gl_LocalInvocationIndex == 7"
	d := startModule(t, manyLoops(t, "11"), 1, 1, Config{Thread: Thread{Local: 7}}, end)
	s := d.at(AtBreakpoint, 7, 14, 20)
	d.SetBreakpoints([]*Breakpoint{inside})
	d.Continue(true)
	d.at(AtBreakpoint, 7, 12, 20)
	if _, err := d.Assign(d.Frames(s.Thread)[1], "data[6]", "7777"); err != nil {
		t.Fatal(err)
	}
	d.SetBreakpoints([]*Breakpoint{end})
	d.Continue(false)
	d.at(AtBreakpoint, 7, 14, 20)
	d.Next(s.Thread, false, true)
	d.at(AtStep, 7, 7, 20)
	if got, _, _, err := d.Evaluate(d.Frames(s.Thread)[1], "data[6]"); err != nil || got != "7777" {
		t.Errorf("data[6] is %s after a step back, error %v; must be 7777", got, err)
	}
	d.SetBreakpoints(nil)
	d.Continue(false)
	if err := <-d.done; err != nil {
		t.Fatal(err)
	}
}
