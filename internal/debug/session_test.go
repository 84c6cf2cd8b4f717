package debug

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/internal/engine"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vk"
)

// driver is a session in a test: it waits for stops.
type driver struct {
	*Session
	t     testing.TB
	stops chan Stop
	done  chan error
	said  []string
	data  []byte
}

// start runs testdata/collatz.spvasm on groups of 8 invocations, with the numbers 0, 1, 2, … in its buffer.
func start(t *testing.T, groups uint32, c Config, breakpoints ...*Breakpoint) *driver {
	t.Helper()
	return startTimes(t, 1, groups, c, breakpoints...)
}

// startTimes is start with several dispatches.
func startTimes(t *testing.T, times int, groups uint32, c Config, breakpoints ...*Breakpoint) *driver {
	t.Helper()
	return startModule(t, collatz(t), times, groups, c, breakpoints...)
}

// collatz returns the assembly of testdata/collatz.spvasm, with replacements in pairs.
func collatz(t *testing.T, replaced ...string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/collatz.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.NewReplacer(replaced...).Replace(string(text)))
}

// startModule is startTimes with another module.
func startModule(t testing.TB, text []byte, times int, groups uint32, c Config, breakpoints ...*Breakpoint) *driver {
	t.Helper()
	m := asmtest.Module(t, text, spirv.Version16)
	d := &driver{t: t, stops: make(chan Stop, 64), done: make(chan error, 1)}
	c.Events = Events{
		Stopped: func(s Stop) { d.stops <- s },
		Output:  func(text string) { d.said = append(d.said, text) },
	}
	c.Locate = func(s *shader.Stage) func(int) Location {
		return func(i int) Location {
			at, _ := s.Facts.Line(i)
			return Location{at.File, int(at.Line)}
		}
	}
	d.Session = New(c)
	d.SetBreakpoints(breakpoints)
	t.Cleanup(d.End)
	go func() { d.done <- d.run(m.Encode(), times, groups) }()
	return d
}

// run dispatches the module.
func (d *driver) run(code []byte, times int, groups uint32) error {
	device, err := vk.Chiaro().NewDevice(vk.DeviceInfo{Engine: engine.ForHooks(), Workers: 1, DeferFree: true, Debugger: d.Session})
	if err != nil {
		return err
	}
	defer device.Close()
	buffer, memory, err := host.NewBuffer(device, uint64(32*groups), vk.StorageBuffer)
	if err != nil {
		return err
	}
	for i := range 8 * groups {
		binary.LittleEndian.PutUint32(memory.Bytes()[4*i:], i)
	}
	l, err := device.NewSetLayout(vk.SetLayoutInfo{Bindings: []link.Binding{{Type: link.StorageBuffer, Count: 1, Stages: link.AllStages}}})
	if err != nil {
		return err
	}
	pool, _ := device.NewPool(vk.PoolInfo{MaxSets: 1})
	set, err := pool.Allocate(l)
	if err == nil {
		err = set.Update(vk.Write{Type: link.StorageBuffer, Buffers: []vk.BufferDescriptor{{Buffer: buffer, Range: vk.WholeSize}}})
	}
	if err != nil {
		return err
	}
	layout, err := device.NewPipelineLayout(vk.PipelineLayoutInfo{Sets: []*vk.SetLayout{l}})
	if err != nil {
		return err
	}
	p, err := device.NewComputePipeline(context.Background(), vk.ComputePipelineInfo{Stage: vk.StageInfo{Code: code}, Layout: layout})
	if err != nil {
		return err
	}
	b, err := device.NewCommandBuffer(vk.CommandBufferInfo{})
	if err == nil {
		err = b.Begin(vk.BeginInfo{OneTime: true})
	}
	if err != nil {
		return err
	}
	b.BindPipeline(p)
	b.BindSets(vk.Compute, layout, 0, []*vk.Set{set}, nil)
	for range times {
		b.Dispatch(groups, 1, 1)
	}
	if err = b.End(); err == nil {
		err = host.Run(device, b)
	}
	d.data = slices.Clone(memory.Bytes())
	return err
}

// at waits for a stop and checks its reason, thread and lines, the innermost first.
func (d *driver) at(reason Reason, local uint32, lines ...int) Stop {
	d.t.Helper()
	select {
	case s := <-d.stops:
		var got []int
		for _, f := range d.Frames(s.Thread) {
			got = append(got, f.At.Line)
		}
		if s.Reason != reason || s.Thread.Local != local || !slices.Equal(got, lines) {
			d.t.Fatalf("stopped by %s (%s) in thread %d of %v at %v; want %s in thread %d at %v", s.Reason, s.Text, s.Thread.Local, s.Thread.Group, got, reason, local, lines)
		}
		return s
	case err := <-d.done:
		d.t.Fatalf("the run ended with %v; want a stop", err)
	case <-time.After(time.Minute):
		d.t.Fatal("no stop")
	}
	panic("unreachable")
}

// changed waits for the stop of a data breakpoint with a text.
func (d *driver) changed(text string) {
	d.t.Helper()
	select {
	case s := <-d.stops:
		if s.Reason != DataBreakpoint || !strings.HasPrefix(s.Text, text) {
			d.t.Errorf("stopped by %s: %s; want %s", s.Reason, s.Text, text)
		}
	case err := <-d.done:
		d.t.Fatalf("the run ended with %v; want a stop", err)
	}
}

// ends waits for the end of the run and checks the result of the shader.
func (d *driver) ends(groups int) {
	d.t.Helper()
	select {
	case err := <-d.done:
		if err != nil {
			d.t.Fatal(err)
		}
	case s := <-d.stops:
		d.t.Fatalf("stopped by %s (%s); want the end", s.Reason, s.Text)
	}
	first := uint32(0)
	for i := range 8 * groups {
		steps := uint32(0)
		for n := i + 1; n > 1; steps++ {
			if n%2 == 0 {
				n /= 2
			} else {
				n = 3*n + 1
			}
		}
		if i%8 == 0 {
			first = steps
		}
		if got, want := binary.LittleEndian.Uint32(d.data[4*i:]), steps+first+2*uint32(i); got != want {
			d.t.Fatalf("data[%d] is %d; must be %d", i, got, want)
		}
	}
}

// finish runs to the end without breakpoints.
func (d *driver) finish(groups int) {
	d.t.Helper()
	d.SetBreakpoints(nil)
	d.Continue(false)
	d.ends(groups)
}

// value returns the text of an expression in the innermost frame of the thread in focus.
func (d *driver) value(expression string) string {
	t, _ := d.Stopped()
	text, _, _, err := d.Evaluate(d.Frames(t)[0], expression)
	if err != nil {
		return "error: " + err.Error()
	}
	return text
}

func line(n int) *Breakpoint {
	return &Breakpoint{Number: n, At: Location{"collatz.comp", n}}
}

// TestStep steps through a function: into it, over its lines and out of it, and the shader's result is right.
func TestStep(t *testing.T) {
	d := start(t, 1, Config{StopOnEntry: true, Thread: Thread{Local: 2}})
	d.at(Entry, 2, 16)
	me := Thread{Local: 2}
	for _, n := range []int{17, 18, 19, 20} {
		d.Next(me, false, false)
		d.at(AtStep, 2, n)
	}
	d.StepIn(me, false)
	d.at(AtStep, 2, 5, 20)
	d.Next(me, false, false)
	d.at(AtStep, 2, 6, 20)
	d.Next(me, false, false)
	d.at(AtStep, 2, 7, 20)
	d.StepOut(me)
	d.at(AtStep, 2, 20)
	d.Next(me, false, false)
	d.at(AtStep, 2, 21)
	d.Continue(false)
	d.ends(1)
}

// TestStepOver does not stop in the function that a line calls.
func TestStepOver(t *testing.T) {
	d := start(t, 1, Config{}, line(20))
	d.at(AtBreakpoint, 0, 20)
	d.Next(Thread{}, false, false)
	d.at(AtStep, 0, 21)
	d.Continue(false)
	d.ends(1)
}

// TestInstructions stops at each instruction of a line.
func TestInstructions(t *testing.T) {
	d := start(t, 1, Config{}, line(19))
	d.at(AtBreakpoint, 0, 19)
	last := d.Frames(Thread{})[0].Instruction
	for range 2 { // a load, a product, a store
		d.Next(Thread{}, true, false)
		d.at(AtStep, 0, 19)
		if n := d.Frames(Thread{})[0].Instruction; n <= last {
			t.Errorf("at instruction %d after %d", n, last)
		} else {
			last = n
		}
	}
	d.Next(Thread{}, true, false)
	d.at(AtStep, 0, 20)
	d.SetBreakpoints([]*Breakpoint{{Number: 7, Instruction: last + 1000}, {Number: 8, Instruction: d.Frames(Thread{})[0].Instruction}})
	d.Continue(true)
	d.at(AtStep, 0, 16) // the beginning: the instruction is not before
	d.Continue(false)
	if s := d.at(AtInstruction, 0, 20); !slices.Equal(s.Hit, []int{8}) {
		t.Errorf("hit %v; want 8", s.Hit)
	}
	d.Continue(false)
	d.ends(1)
}

// TestConditions: a breakpoint stops the first thread in which its condition holds, at the hits that it names, and writes its log.
func TestConditions(t *testing.T) {
	condition := line(12)
	condition.Condition = "steps == 2 && n > 3"
	hits := line(23)
	hits.Hits = "%5"
	log := line(22)
	log.Log = "i={i} s={s} {nothing}"
	d := start(t, 2, Config{}, condition, hits, log)
	d.at(AtBreakpoint, 2, 12, 20) // 3, 10, 5, 16
	if got := d.value("n"); got != "16" {
		t.Errorf("n is %s; must be 16", got)
	}
	d.Continue(false)
	d.at(AtBreakpoint, 4, 12, 20) // 5, 16, 8, 4
	d.Continue(false)
	d.at(AtBreakpoint, 5, 12, 20) // 6, 3, 10, 5
	d.Continue(true)
	d.at(AtBreakpoint, 4, 12, 20)
	d.Continue(true)
	d.at(AtBreakpoint, 2, 12, 20)
	d.Continue(false)
	d.at(AtBreakpoint, 4, 12, 20)
	d.SetBreakpoints([]*Breakpoint{hits, log})
	d.Continue(false)
	d.at(AtBreakpoint, 4, 23)
	d.Continue(false)
	d.at(AtBreakpoint, 1, 23) // of the second workgroup: the tenth hit
	if want := "i=3 s=2 {nothing: no variable nothing here}"; len(d.said) != 16 || d.said[3] != want {
		t.Errorf("the log is %q; want 16 lines, one of them %q", d.said, want)
	}
	d.finish(2)
}

// TestBadConditions: a condition that cannot be evaluated stops and says why.
func TestBadConditions(t *testing.T) {
	for _, b := range []*Breakpoint{{Condition: "nope > 1"}, {Condition: "i +"}, {Hits: "often"}, {Condition: strings.Repeat("(", 1000)}} {
		b.At = Location{"collatz.comp", 18}
		d := start(t, 1, Config{}, b)
		if s := d.at(AtBreakpoint, 0, 18); s.Text == "" {
			t.Errorf("%+v stops without a text", b)
		}
		d.finish(1)
	}
}

// TestBack goes back by lines, to breakpoints, and to the beginning. The shader runs on as if it had never stopped, and a log has each
// message once.
func TestBack(t *testing.T) {
	log := line(21)
	log.Log = "{i}"
	d := start(t, 40, Config{}, line(23), log)
	for range 3 {
		d.at(AtBreakpoint, 0, 23)
		d.Continue(false)
	}
	s := d.at(AtBreakpoint, 0, 23)
	before := d.value("data[24]")
	d.Next(s.Thread, false, true)
	d.at(AtStep, 0, 22)
	d.Next(s.Thread, false, true)
	d.at(AtStep, 0, 21)
	d.Next(s.Thread, false, true)
	d.at(AtStep, 0, 20) // not in collatz
	if got := d.value("data[16]"); got != "56" {
		t.Errorf("data[16] is %s; the workgroup before wrote 56", got)
	}
	d.Continue(true)
	if s := d.at(AtBreakpoint, 0, 23); s.Thread.Group != [3]uint32{2} {
		t.Errorf("back at workgroup %v; want 2", s.Thread.Group)
	}
	if got := d.value("data[16]"); got != "16" {
		t.Errorf("data[16] is %s before the store; must be 16", got)
	}
	d.Continue(true)
	d.at(AtBreakpoint, 0, 23)
	d.Continue(true)
	d.at(AtBreakpoint, 0, 23)
	d.Continue(true)
	d.at(AtStep, 0, 16)
	d.Continue(true)
	d.at(AtStep, 0, 16)
	for range 4 {
		d.Continue(false)
		d.at(AtBreakpoint, 0, 23)
	}
	if got := d.value("data[24]"); got != before {
		t.Errorf("data[24] is %s; was %s before", got, before)
	}
	d.SetBreakpoints([]*Breakpoint{log})
	d.Continue(false)
	d.ends(40)
	for i, text := range d.said {
		if text != fmt.Sprint(i) {
			t.Fatalf("message %d of the log is %s", i, text)
		}
	}
	if len(d.said) != 320 {
		t.Errorf("%d messages in the log; must be 320", len(d.said))
	}
}

// TestCheckpoints goes back over more workgroups than there are checkpoints, when the memory of all copies is bounded.
func TestCheckpoints(t *testing.T) {
	h := &history{ranges: [][]byte{make([]byte, 64)}, bytes: 64, interval: 10}
	h.save(position{}, nil)
	for g := range uint64(10000) {
		h.ranges[0][0] = byte(g)
		if next := (position{group: g + 1}); h.pass(10, next) {
			h.save(next, nil)
		}
	}
	if n := len(h.points); n < maxCheckpoints/4 || n > maxCheckpoints {
		t.Errorf("%d checkpoints", n)
	}
	for _, g := range []uint64{0, 1, 77, 5000, 10000} {
		n := h.find(position{group: g})
		p := h.points[n]
		if p.at.group > g || n+1 < len(h.points) && h.points[n+1].at.group <= g {
			t.Errorf("the checkpoint before workgroup %d is at %d", g, p.at.group)
		}
		h.restore(n)
		if p.at.group > 0 && h.ranges[0][0] != byte(p.at.group-1) {
			t.Errorf("the copy before workgroup %d has %d; must have %d", p.at.group, h.ranges[0][0], byte(p.at.group-1))
		}
	}
}

// TestWatch stops after the store that changes a value: of a buffer by any thread, of a local variable by its own.
func TestWatch(t *testing.T) {
	d := start(t, 3, Config{StopOnEntry: true})
	d.at(Entry, 0, 16)
	me := Thread{}
	buffer, err := d.Watch(me, d.Frames(me)[0], "data[17]")
	if err != nil {
		t.Fatal(err)
	}
	local, err := d.Watch(me, d.Frames(me)[0], "v.yx")
	if err == nil || local != nil {
		t.Error("a swizzle of two components is no variable, and can be watched")
	}
	if y, err := d.Watch(me, d.Frames(me)[0], "v.y"); err != nil || len(y.places) != 1 {
		t.Errorf("a component is not watched: %v", err)
	}
	if local, err = d.Watch(me, d.Frames(me)[0], "v"); err != nil {
		t.Fatal(err)
	}
	d.SetWatches([]*Watch{buffer, local})
	for _, text := range []string{"v changed from (0, 0, 0) to (0, 2, 3.5)", "v changed from (0, 2, 3.5) to (0, 4, 7)"} {
		d.Continue(false)
		d.changed(text)
	}
	d.SetWatches([]*Watch{buffer})
	d.Continue(false)
	d.changed("data[17] changed from 17 to 66") // 20 steps from 18, 12 from 17, and 2·17
	d.SetWatches(nil)
	d.finish(3)
}

// TestScopes lists the variables of frames, by their names in the source.
func TestScopes(t *testing.T) {
	d := start(t, 1, Config{}, line(14))
	d.at(AtBreakpoint, 0, 14, 20)
	frames := d.Frames(Thread{})
	have := func(f Frame) map[string]string {
		m := map[string]string{}
		for _, s := range d.Scopes(f) {
			for _, v := range d.Variables(s) {
				m[s.Name+" "+v.Name] = v.Type + " " + v.Value
			}
		}
		return m
	}
	for _, c := range []struct {
		frame      int
		name, want string
	}{
		{0, "Locals n", "uint 1"}, {0, "Locals steps", "uint 0"}, {1, "Locals v", "vec3 (0, 4, 7)"}, {1, "Locals i", "uint 0"},
		{1, "Globals total", "uint[8] 8 elements"}, {1, "Resources B", "B 1 member"}, {0, "Invocation GlobalInvocationId", "uvec3 (0, 0, 0)"},
	} {
		if got := have(frames[c.frame])[c.name]; got != c.want {
			t.Errorf("%s of frame %d is %q; must be %q", c.name, c.frame, got, c.want)
		}
	}
	_, _, v, err := d.Evaluate(frames[1], "B")
	if err != nil {
		t.Fatal(err)
	}
	data := d.Children(v, 0, 0)[0]
	if list := d.Children(data, 6, 2); data.Parts != 8 || len(list) != 2 || list[1].Value != "7" || list[1].Path() != "B.data[7]" {
		t.Errorf("data has %d elements, and the last is %+v", data.Parts, list)
	}
	d.finish(1)
}

// TestExpressions evaluates expressions by the rules of GLSL.
func TestExpressions(t *testing.T) {
	d := start(t, 1, Config{Thread: Thread{Local: 3}}, line(21))
	d.at(AtBreakpoint, 3, 21)
	for text, want := range map[string]string{
		"i": "3", "s": "2", "v": "(6, 4, 7)", "v.zx": "(7, 6)", "v.b": "7", "v[1]": "4", "v * 2.0": "(12, 8, 14)", "v.x + i": "9",
		"-v.x": "-6", "1 + 2 * 3": "7", "(1 + 2) * 3": "9", "7 / 2": "3", "7.0 / 2": "3.5", "-7 / 2": "-3", "-7 % 3": "-1", "0x10u >> 2": "4", "0x8000000000000000u >> 63": "1", "-8 >> 1": "-4",
		"i == 3": "true", "i != 3 || s > 1": "true", "!(i < 2)": "true", "true ^^ true": "false", "~0": "-1", "6 & 3 | 8": "10",
		"vec2(1, 2) == vec2(1, 2)": "true", "vec3(1.5)": "(1.5, 1.5, 1.5)", "ivec2(v.xy)": "(6, 4)", "uint(3.7)": "3", "abs(-2.5)": "2.5",
		"length(vec2(3, 4))": "5", "data[i]": "3", "B.data[7]": "7", "data[total[3]]": "0", "gl_GlobalInvocationID.x": "3", "isnan(0.0 / 0.0)": "true",
		"1e3": "1000", "%1.x": "error: no variable %1 here", "%": "error: no variable % here", ".5 + 1.": "1.5", "false && nope": "false",
		"nope": "error: no variable nope here", "v.q": `error: "q" is not a component`, "v[3]": "error: index 3 of v; must be less than 3",
		"1 / 0": "error: a division by 0", "1 +": "error: the expression ends; want a value", "1 2": `error: "2" after the expression`,
		"s = 2": `error: "=" after the expression, which changes nothing; want "==" to compare`,
		"f(1)":  "error: no function f of 1 values in the debugger", "data[8]": "error: index 8 of data; must be less than 8",
		"i > 2 ? v.x : nope": "6", "i > 3 ? 1 : i > 2 ? 2 : 3": "2", "true ? 1": `error: ""; want ":"`,
		"data.length()": "8", "v.length()": "3", "i.length()": "error: length() of a value that is no array, vector or matrix",
		"0.1": "0.1", "float(0.1lf) == 0.1": "true", "0.1 + 0.2": "0.3", "0.1lf + 0.2lf": "0.30000000000000004", "16777216.0 + 1.0": "1.6777216e+07",
		"2147483647 + 1": "-2147483648", "0u - 1u": "4294967295", "uint(-1)": "4294967295", "~0u": "4294967295",
		"gl_NumWorkGroups": "(1, 1, 1)", "gl_WorkGroupSize": "(8, 1, 1)", "gl_SubgroupInvocationID": "3", "gl_SubgroupSize > 0": "true", "gl_NumSubgroups": "1",
		"dot(v, vec3(1, 2, 3))": "35", "cross(vec3(1, 0, 0), vec3(0, 1, 0))": "(0, 0, 1)", "normalize(vec2(3, 4))": "(0.6, 0.8)", "distance(vec2(1), vec2(4, 5))": "5",
		"min(v, 5.0)": "(5, 4, 5)", "max(i, 7)": "7", "clamp(9, 1, 4)": "4", "mix(1.0, 3.0, 0.25)": "1.5", "pow(2.0, 10.0)": "1024", "mod(-1.0, 3.0)": "2", "fract(-0.25)": "0.75",
		"sign(vec2(-3, 0))": "(-1, 0)", "abs(-3)": "3", "inversesqrt(4.0)": "0.5", "step(2.0, v)": "(1, 1, 1)", "smoothstep(0.0, 2.0, 1.0)": "0.5", "atan(1.0, 0.0)": "1.5707964",
		"floatBitsToUint(1.0)": "1065353216", "uintBitsToFloat(0x40000000u)": "2", "floatBitsToInt(-0.0)": "-2147483648", "bitCount(-1)": "32",
		"lessThan(v, vec3(5))": "(false, true, false)", "all(equal(v, v))": "true", "any(lessThan(v, vec3(0)))": "false", "not(bvec2(true, false))": "(false, true)",
		"mat2(1, 2, 3, 4) * vec2(1, 10)": "(31, 42)", "vec2(1, 10) * mat2(1, 2, 3, 4)": "(21, 43)", "mat2(1, 2, 3, 4) * mat2(0, 1, 1, 0)": "((3, 4), (1, 2))",
		"mat3(2.0)[1]": "(0, 2, 0)", "transpose(mat2x3(1, 2, 3, 4, 5, 6))": "((1, 4), (2, 5), (3, 6))", "mat3(mat2(5.0))[2]": "(0, 0, 1)", "2.0 * mat2(1.0)": "((2, 0), (0, 2))",
		"mat2(1.0).x": `error: "x" of mat2x2; want an index of a column`, "mat2(1.0)[1].y": "1", "mat2(1.0).length()": "2", "mat2(1, 2, 3)": "error: mat2 of 3 components", "mat2(1.0) + vec4(1)": "error: + with mat2x2 and vec4", "dot(v, vec2(1))": "error: a function of two vectors with vec3 and vec2",
		"inverse(mat2(2, 0, 1, 4))": "((0.5, -0), (-0.125, 0.25))", "inverse(mat3(2.0)) * mat3(2.0)": "((1, 0, 0), (0, 1, 0), (0, 0, 1))", "determinant(mat4(2.0))": "16", "determinant(mat2(1, 2, 3, 4))": "-2",
		"determinant(mat3(1, 2, 3, 4, 5, 6, 7, 8, 10))": "-3", "inverse(mat2(1, 2, 2, 4))": "error: inverse of a matrix with the determinant 0", "inverse(v)": "error: inverse with vec3; must be a square matrix",
		"outerProduct(vec2(1, 2), vec3(1, 2, 3))": "((1, 2), (2, 4), (3, 6))", "matrixCompMult(mat2(1, 2, 3, 4), mat2(2, 2, 2, 3))": "((2, 4), (6, 12))", "reflect(vec2(1, -1), vec2(0, 1))": "(1, 1)",
		"refract(vec2(0, -1), vec2(0, 1), 0.5)": "(0, -1)", "refract(vec2(1, 0), vec2(0, 1), 2.0)": "(0, 0)", "faceforward(vec2(0, 1), vec2(0, 1), vec2(0, 1))": "(-0, -1)", "faceforward(v, v, -v)": "(6, 4, 7)", "ldexp(1.5, 3)": "12",
		"findLSB(8)": "3", "findLSB(0)": "-1", "findMSB(255u)": "7", "findMSB(-1)": "-1", "findMSB(-256)": "7", "findMSB(ivec2(1, 0x40000000))": "(0, 30)", "bitfieldReverse(1u)": "2147483648",
		"findLSB(1.5)": "error: findLSB of float; must be integers", "bitCount(vec2(1))": "error: bitCount of vec2; must be integers", "sin(true)": "error: sin of bool; must be integers or floats",
		"min(1, true)": "error: min of bool; must be integers or floats", "any(vec2(1))": "error: any of vec2; must be booleans", "not(1)": "error: not of int; must be booleans",
		"lessThan(bvec2(true), bvec2(true))": "error: lessThan of bvec2; must be integers or floats", "equal(bvec2(true), bvec2(true, false))": "(true, false)", "mix(1.0, 2.0, true)": "2",
		"intBitsToFloat(1.0)": "error: intBitsToFloat of float; must be integers", "floatBitsToInt(1)": "error: floatBitsToInt of int; must be floats", "sqrt(4)": "2",
		"ldexp(1.0, 2.0)": "error: ldexp of float; must be integers", "min(1, true) == 1": "error: min of bool; must be integers or floats",
		"bitfieldExtract(0xf0, 4, 4)": "-1", "bitfieldExtract(-16, 4, 4)": "-1", "bitfieldExtract(240u, 4, 4)": "15", "bitfieldExtract(1, 30, 4)": "error: bitfieldExtract of 4 bits at 30; must be in the 32 bits of the integer",
		"bitfieldInsert(0, 15, 4, 4)": "240", "bitfieldInsert(-1, 0, 0, 32)": "0", "packUnorm4x8(vec4(1, 0, 1, 0.5))": "2164195583", "unpackUnorm4x8(255u)": "(1, 0, 0, 0)", "packSnorm2x16(vec2(-1, 1))": "2147450881",
		"unpackSnorm4x8(0x7f80u)": "(-1, 1, 0, 0)", "packHalf2x16(vec2(1, -2))": "3221240832", "unpackHalf2x16(0x3c00c000u)": "(-2, 1)", "packUnorm2x16(vec2(0.0 / 0.0, 2))": "4294901760", "packHalf2x16(v)": "error: packHalf2x16 of vec3; must be vec2",
		"packUnorm2x16(vec2(0.3, 0))": "19660", "packUnorm2x16(vec2(0.9, 0))": "58982",
		"5ul / 2ul": "2", "1l << 40": "1099511627776", "0xfful << 32": "1095216660480",
		"v & 1": "error: an operator on integers has a float", "vec2(1,2) + vec3(1)": "error: + with 2 and 3 components",
	} {
		if got := d.value(text); got != want {
			t.Errorf("%s is %s; must be %s", text, got, want)
		}
	}
	at, _ := d.Stopped()
	for text, want := range map[string]string{"v * 2.0": "vec3", "1 + 1": "int", "1u": "uint", "i > 0": "bool", "1.0lf": "double", "5ul": "uint64_t", "3l": "int64_t", "packHalf2x16(vec2(1))": "uint", "inverse(mat2(1))": "mat2x2", "mat2x3(1.0)": "mat2x3", "ivec2(1)": "ivec2"} {
		if _, got, _, err := d.Evaluate(d.Frames(at)[0], text); err != nil || got != want {
			t.Errorf("the type of %s is %s (%v); must be %s", text, got, err, want)
		}
	}
	d.finish(1)
}

// TestConstantTable shows the elements of a variable that is a constant, the name of a function without the types of its parameters, and a
// built-in value with the sign of its variable, and a buffer, both of which only the caller uses.
func TestConstantTable(t *testing.T) {
	const text = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize 8 1 1
OpName %index "index"
OpName %weights "weights"
OpName %weigh "weigh(u1;"
OpName %data "data"
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%file = OpString "weights.comp"
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%pint = OpTypePointer Input %int
%index = OpVariable %pint Input
%weighs = OpTypeFunction %uint %uint
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u3 = OpConstant %uint 3
%u7 = OpConstant %uint 7
%array = OpTypeArray %uint %u3
%list = OpConstantComposite %array %u1 %u7 %u3
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%pblock = OpTypePointer StorageBuffer %block
%pword = OpTypePointer StorageBuffer %uint
%parray = OpTypePointer Function %array
%pf = OpTypePointer Function %uint
%data = OpVariable %pblock StorageBuffer
%weigh = OpFunction %uint None %weighs
%i = OpFunctionParameter %uint
%l2 = OpLabel
%weights = OpVariable %parray Function
OpLine %file 3 0
OpStore %weights %list
OpLine %file 4 0
%pe = OpAccessChain %pf %weights %i
%e = OpLoad %uint %pe
OpReturnValue %e
OpFunctionEnd
%main = OpFunction %void None %fn
%l = OpLabel
OpLine %file 9 0
%p = OpAccessChain %pword %data %u0 %u0
%n = OpLoad %uint %p
%at = OpLoad %int %index
%w = OpFunctionCall %uint %weigh %n
OpStore %p %w
OpReturn
OpFunctionEnd
`
	d := startModule(t, []byte(text), 1, 1, Config{}, &Breakpoint{Number: 1, At: Location{"weights.comp", 4}})
	s := d.at(AtBreakpoint, 0, 4, 9)
	if name := d.Frames(s.Thread)[0].Name; name != "weigh" {
		t.Errorf("the function is %s; must be weigh", name)
	}
	for text, want := range map[string]string{"weights[0]": "1", "weights[1]": "7", "index - 1": "-1", "data.member0[3]": "3", "weights[2] + weights[i]": "error: no variable i here"} {
		if got := d.value(text); got != want {
			t.Errorf("%s is %s; must be %s", text, got, want)
		}
	}
	if _, err := d.Watch(s.Thread, d.Frames(s.Thread)[0], "weights[1]"); err == nil {
		t.Error("a constant has a data breakpoint")
	}
	d.SetBreakpoints(nil)
	d.Continue(false)
	if err := <-d.done; err != nil {
		t.Error(err)
	}
}

// TestThreads: the invocations of the subgroup are threads; one that is inactive is where it was.
func TestThreads(t *testing.T) {
	d := start(t, 1, Config{}, line(9)) // of the even numbers
	s := d.at(AtBreakpoint, 1, 9, 20)
	list := d.Threads()
	if len(list) != 8 || list[0].Active || !list[1].Active || list[2].Active || list[s.Thread.Local].Name != "invocation 1,0,0 of workgroup 0,0,0" {
		t.Fatalf("the threads are %+v", list)
	}
	if f := d.Frames(list[2].Thread); len(f) != 1 || f[0].At.Line != 8 {
		t.Errorf("the inactive thread is at %+v; want line 8", f)
	}
	d.SetBreakpoints(nil)
	d.Next(list[2].Thread, false, false)
	d.at(AtStep, 2, 11, 20)
	d.Continue(false)
	d.ends(1)
}

// TestPause stops a shader that runs, and TestEnd ends one that is stopped or runs.
func TestPause(t *testing.T) {
	d := start(t, 50, Config{StopOnEntry: true})
	d.at(Entry, 0, 16)
	d.Pause()
	d.Continue(false)
	d.at(Pause, 0, 17)
	d.End()
	if err := <-d.done; !errors.Is(err, ErrEnded) {
		t.Errorf("the run ended with %v; want %v", err, ErrEnded)
	}
	d.Continue(false) // has no effect
}

// TestWatchHere: a data breakpoint that is set before the store that changes the data stops after the store.
func TestWatchHere(t *testing.T) {
	d := start(t, 1, Config{}, line(23))
	s := d.at(AtBreakpoint, 0, 23)
	store := 0
	for i, in := range d.hook.stage.Facts.Code.All() {
		if l, _ := d.hook.stage.Facts.Line(i); in.Op() == spirv.OpStore && l.Line == 23 {
			store = i + 1
		}
	}
	d.SetBreakpoints([]*Breakpoint{{Number: 1, Instruction: store}})
	d.Continue(false)
	s = d.at(AtInstruction, 0, 23)
	w, err := d.Watch(s.Thread, d.Frames(s.Thread)[0], "data[1]")
	if err != nil {
		t.Fatal(err)
	}
	d.SetBreakpoints(nil)
	d.SetWatches([]*Watch{w})
	d.Continue(false)
	d.changed("data[1] changed from 1 to 3")
	d.SetWatches(nil)
	d.finish(1)
}

// TestHitsBack: going back stops at the hits at which a breakpoint stopped, and at no others.
func TestHitsBack(t *testing.T) {
	b := line(23)
	b.Hits = "%10"
	d := start(t, 5, Config{}, b)
	d.at(AtBreakpoint, 1, 23) // hits 10 and 20
	d.Continue(false)
	d.at(AtBreakpoint, 3, 23)
	d.Continue(true)
	d.at(AtBreakpoint, 1, 23)
	d.Continue(true)
	d.at(AtStep, 0, 16)
	d.Continue(false)
	d.at(AtBreakpoint, 1, 23)
	d.finish(5)
}

// TestWatchAgain: a local variable of a later dispatch is another one, whose first value is no change.
func TestWatchAgain(t *testing.T) {
	d := startTimes(t, 2, 1, Config{StopOnEntry: true})
	d.at(Entry, 0, 16)
	w, err := d.Watch(Thread{}, d.Frames(Thread{})[0], "v")
	if err != nil {
		t.Fatal(err)
	}
	d.SetWatches([]*Watch{w})
	d.Continue(false)
	d.changed("v changed from (0, 0, 0) to (0, 2, 3.5)")
	d.Continue(false)
	d.changed("v changed from (0, 2, 3.5) to (0, 4, 7)")
	d.Continue(false)
	d.at(Entry, 0, 16)
	d.Continue(false)
	d.changed("v changed from (0, 0, 0) to (0, 2, 3.5)")
	d.End()
	<-d.done
}

// TestWatchElsewhere: the data breakpoint of a shader has no effect on another one, whose memory is laid out in another way.
func TestWatchElsewhere(t *testing.T) {
	d := start(t, 1, Config{StopOnEntry: true})
	d.at(Entry, 0, 16)
	w, err := d.Watch(Thread{}, d.Frames(Thread{})[0], "v")
	if err != nil {
		t.Fatal(err)
	}
	d.End()
	<-d.done
	other := start(t, 1, Config{StopOnEntry: true})
	other.at(Entry, 0, 16)
	other.SetWatches([]*Watch{w})
	other.finish(1)
}

// TestHitsAgain: going back in a later dispatch stops at the hits of this dispatch.
func TestHitsAgain(t *testing.T) {
	b := line(18)
	b.Hits = "%5"
	d := startTimes(t, 2, 1, Config{}, b)
	d.at(AtBreakpoint, 4, 18)
	d.Continue(false)
	d.at(AtBreakpoint, 1, 18) // hit 10: the second of the second dispatch
	d.Continue(false)
	d.at(AtBreakpoint, 6, 18)
	d.Continue(true)
	d.at(AtBreakpoint, 1, 18)
	d.End()
	<-d.done
}

// TestEndWhileLooked: the end of a session waits for the looks at its shader, and later ones find no shader.
func TestEndWhileLooked(t *testing.T) {
	for range 20 {
		d := start(t, 1, Config{}, line(23))
		s := d.at(AtBreakpoint, 0, 23)
		d.End()
		for range 100 {
			d.Threads()
			if f := d.Frames(s.Thread); len(f) > 0 {
				d.Evaluate(f[0], "data[0]")
			}
		}
		<-d.done
	}
}

// TestHiddenNames: two variables of a function have one name, as copies of arguments have, and each one an expression of its own.
func TestHiddenNames(t *testing.T) {
	const text = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpName %a "param"
OpName %b "param"
%file = OpString "twins.comp"
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%pu = OpTypePointer Function %uint
%pf = OpTypePointer Function %float
%u7 = OpConstant %uint 7
%f2 = OpConstant %float 2.5
%main = OpFunction %void None %fn
%l = OpLabel
%a = OpVariable %pu Function
%b = OpVariable %pf Function
OpLine %file 3 0
OpStore %a %u7
OpStore %b %f2
OpLine %file 4 0
%x = OpLoad %uint %a
%y = OpLoad %float %b
OpReturn
OpFunctionEnd
`
	d := startModule(t, []byte(text), 1, 1, Config{}, &Breakpoint{Number: 1, At: Location{"twins.comp", 4}})
	f := d.Frames(d.at(AtBreakpoint, 0, 4).Thread)[0]
	seen := map[string]bool{}
	for _, s := range d.Scopes(f) {
		for _, v := range d.Variables(s) {
			if v.Name != "param" {
				continue
			}
			seen[v.Path()] = true
			if got := d.value(v.Path()); got != v.Value {
				t.Errorf("%s is %s; must be %s", v.Path(), got, v.Value)
			}
		}
	}
	if len(seen) != 2 {
		t.Errorf("the expressions are %v; must be two", seen)
	}
	d.SetBreakpoints(nil)
	d.Continue(false)
	if err := <-d.done; err != nil {
		t.Error(err)
	}
}
