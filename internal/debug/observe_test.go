package debug

import (
	"encoding/binary"
	"errors"
	"testing"
)

// manyLoops returns a module whose function returns n << bits after as many loop iterations.
func manyLoops(t *testing.T, bits string) []byte {
	return collatz(t,
		"%20 = OpLoad %uint %n\n", "%20 = OpLoad %uint %steps\n %200 = OpLoad %uint %n\n %201 = OpShiftLeftLogical %uint %200 %uint_n\n",
		"%23 = OpUGreaterThan %bool %20 %uint_1", "%23 = OpULessThan %bool %20 %201",
		"OpStore %n %31", "", "OpStore %n %36", "",
		"%int = OpTypeInt 32 1", "%int = OpTypeInt 32 1\n %uint_n = OpConstant %uint "+bits)
}

// TestManyLoops: groups without stops that exceed the bound of groups without steps run again with steps, from memory as it was.
// The first group is within the bound, the second is not.
func TestManyLoops(t *testing.T) {
	text := manyLoops(t, "13")
	d := startModule(t, text, 1, 3, Config{})
	check := func() {
		t.Helper()
		if err := <-d.done; err != nil {
			t.Fatal(err)
		}
		for i := range uint32(24) {
			want := (i+1)<<13 + (i&^7+1)<<13 + 2*i
			if got := binary.LittleEndian.Uint32(d.data[4*i:]); got != want {
				t.Fatalf("data[%d] is %d; must be %d", i, got, want)
			}
		}
	}
	check()
	for _, c := range d.codes {
		if !c.slow {
			t.Error("the program runs without steps; must have steps after it exceeded the bound")
		}
	}
	last := line(23)
	last.Condition = "i == 23"
	d = startModule(t, text, 1, 3, Config{}, last)
	d.at(AtBreakpoint, 7, 23)
	if got := d.value("data[9]"); got != "155666" { // (10 << 13) + (9 << 13) + 18
		t.Errorf("data[9] is %s; must be 155666", got)
	}
	d.SetBreakpoints(nil)
	d.Continue(false)
	check()
}

// TestBackInside goes back in a workgroup that takes long: to the line before, and to a far breakpoint, from checkpoints inside of it.
func TestBackInside(t *testing.T) {
	end, inside := line(14), line(12)
	end.Condition = "gl_LocalInvocationIndex == 7"
	d := startModule(t, manyLoops(t, "11"), 1, 1, Config{Thread: Thread{Local: 7}}, end)
	s := d.at(AtBreakpoint, 7, 14, 20)
	if got := d.value("steps"); got != "16384" {
		t.Fatalf("steps is %s; must be 16384", got)
	}
	if n := len(d.hook.history.points); n < 2 {
		t.Fatalf("%d checkpoints; must have some inside of the workgroup", n)
	}
	for _, n := range []int{7, 7, 12, 9, 8, 7, 12} { // n is 8; the end of the loop is of line 7, too
		d.Next(s.Thread, false, true)
		d.at(AtStep, 7, n, 20)
	}
	if got := d.value("steps"); got != "16382" {
		t.Errorf("steps is %s two iterations before; must be 16382", got)
	}
	for _, at := range []string{"9000", "100", "5"} {
		inside.Condition = "steps == " + at + " && gl_LocalInvocationIndex == 7"
		inside.condition = nil
		d.SetBreakpoints([]*Breakpoint{inside})
		d.Continue(true)
		d.at(AtBreakpoint, 7, 12, 20)
		if got := d.value("steps"); got != at {
			t.Errorf("steps is %s; must be %s", got, at)
		}
	}
	w, err := d.Watch(s.Thread, d.Frames(s.Thread)[0], "steps")
	if err != nil {
		t.Fatal(err)
	}
	d.SetBreakpoints([]*Breakpoint{end})
	d.Continue(false)
	s = d.at(AtBreakpoint, 7, 14, 20)
	d.SetWatches([]*Watch{w})
	d.Continue(true)
	d.changed("steps changed from 16383 to 16384")
	d.SetWatches(nil)
	d.SetBreakpoints(nil)
	d.Continue(false)
	if err := <-d.done; err != nil {
		t.Fatal(err)
	}
	for i := range uint32(8) {
		want := (i+1)<<11 + 1<<11 + 2*i
		if got := binary.LittleEndian.Uint32(d.data[4*i:]); got != want {
			t.Fatalf("data[%d] is %d; must be %d", i, got, want)
		}
	}
}

// TestEndlessPause pauses a shader that does not end, in the loop.
func TestEndlessPause(t *testing.T) {
	text := collatz(t, "%23 = OpUGreaterThan %bool %20 %uint_1", "%23 = OpUGreaterThanEqual %bool %20 %uint_0")
	d := startModule(t, text, 1, 1, Config{StopOnEntry: true})
	d.at(Entry, 0, 16)
	d.Continue(false)
	for { // the pause may come before the loop
		d.Pause()
		s := <-d.stops
		if f := d.Frames(s.Thread); s.Reason != Pause || len(f) == 0 {
			t.Fatalf("stopped by %s in %v; want a pause", s.Reason, f)
		} else if len(f) == 2 && f[0].At.Line > 6 && f[1].At.Line == 20 {
			break
		}
		d.Continue(false)
	}
	d.End()
	if err := <-d.done; !errors.Is(err, ErrEnded) {
		t.Errorf("the run ended with %v; want %v", err, ErrEnded)
	}
}

// TestQuick: the quick forms of expressions have the values of the expressions, or none.
func TestQuick(t *testing.T) {
	d := start(t, 2, Config{}, line(23))
	d.at(AtBreakpoint, 0, 23)
	d.Continue(false)
	s := d.at(AtBreakpoint, 0, 23)
	x := d.view(d.Frames(s.Thread)[0])
	for _, c := range []struct {
		text  string
		quick bool
	}{
		{"i", true}, {"i == 8", true}, {"i * 2 - 20", true}, {"i / 0", false}, {"i % 3 == 2u", true}, {"-i", true}, {"~i", true}, {"!i", true},
		{"v.x", true}, {"v.y * 0.5 + i", true}, {"v.w", false}, {"v.xy", false}, {"v", false}, {"~v.x", false}, {"v.x > 15.0 && i < 9", true},
		{"i < 8 || s == 1", true}, {"i < 8 && nowhere", true}, {"nowhere", false}, {"i > 7 ^^ s > 1000", true},
		{"gl_GlobalInvocationID.x", true}, {"gl_GlobalInvocationID.y", true}, {"gl_WorkGroupID.x", true}, {"gl_LocalInvocationIndex", true},
		{"gl_GlobalInvocationID", false}, {"total[0]", true}, {"total[9]", false}, {"data[i]", true}, {"data[1 - 2]", false},
		{"data[0.5]", false}, {"v[1]", true}, {"v[3]", false}, {"v[i - 8u]", true}, {"vec2(1)[0]", false}, {"gl_GlobalInvocationID[0]", true}, {"gl_WorkGroupID[3]", false}, {"i > 3 ? v.x : 1", true}, {"i > 30 ? nowhere : 1", true},
		{"min(i, 3)", true}, {"max(v.x, -1)", true}, {"clamp(v.x, 0, 1)", true}, {"clamp(5, 3, 4.5)", true}, {"abs(-2)", true}, {"sign(-v.x)", true}, {"float(i)", true},
		{"uint(-1)", true}, {"bool(v.x)", true}, {"double(0.1)", true}, {"int(2.9)", true}, {"isnan(v.x)", true}, {"step(0.5, v.y)", true}, {"atan(v.x, 2)", true},
		{"floatBitsToInt(v.x)", true}, {"uintBitsToFloat(i)", true}, {"bitCount(i)", true}, {"lessThan(i, 9)", true}, {"mix(1, v.x, 0.25)", true}, {"sqrt(2.0lf)", true},
		{"length(v)", false}, {"min(v, v)", false}, {"min(i)", false}, {"nothing(i)", false}, {"1.5 < 2", true}, {"0x10 >> 2", true}, {"true", true}, {"vec2(1).x", false}, {"i.x", false},
	} {
		n, err := parse(c.text, x)
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := n.numbers(x)
		if n.quick == nil {
			if c.quick {
				t.Errorf("%s has no quick form", c.text)
			}
			continue
		}
		for range 2 { // with and without the meanings of the names
			got, k, ok := n.quick(x)
			switch {
			case ok != c.quick:
				t.Errorf("%s: the quick form has a value: %v; must be %v", c.text, ok, c.quick)
			case ok && (wantErr != nil || k != want.kind || len(want.numbers) != 1 || got != want.numbers[0]):
				t.Errorf("%s is %v of kind %d; the expression is %v, %v", c.text, got, k, want, wantErr)
			}
		}
	}
	d.finish(2)
}
