package interp_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestInputs checks every built-in of every invocation against the
// definitions of Vulkan's "Built-In Variables".
func TestInputs(t *testing.T) {
	p := &ir.Program{Name: "inputs", SubgroupSize: 4, LocalSize: [3]uint32{3, 2, 2}, Res: []ir.Resource{{Count: 1}}}
	for s := ir.GlobalInvocationIdX; s <= ir.NumSubgroups; s++ {
		p.In = append(p.In, ir.Input{Semantic: s, Type: ir.I32})
	}
	groups, base := [3]uint32{2, 3, 2}, [3]uint32{10, 0, 7}
	b := ir.NewFunc("main", nil, nil)
	in := func(s ir.Semantic) ir.V { return b.OpAux(ir.In, ir.I32, uint64(s-ir.GlobalInvocationIdX)) }
	minus := func(x ir.V, n uint32) ir.V { return b.Op(ir.Sub, ir.I32, x, b.I32(n)) }
	index := b.OpAux(ir.At, ir.I32, 2, minus(in(ir.WorkgroupIdX), base[0]), in(ir.WorkgroupIdY))
	index = b.OpAux(ir.At, ir.I32, 6, index, minus(in(ir.WorkgroupIdZ), base[2]))
	index = b.OpAux(ir.At, ir.I32, 12, in(ir.LocalInvocationIndex), index)
	n := uint32(len(p.In))
	to := b.OpAux(ir.At, ir.I32, uint64(4*n), b.I32(0), index)
	h := b.OpAux(ir.Res, ir.H, 0, b.I32(0))
	for i, x := range p.In {
		b.OpAux(ir.St, ir.I32, uint64(4*i), h, to, in(x.Semantic))
	}
	p.Funcs = []*ir.Func{b.Finish()}
	prog := mustCompile(t, p)
	out := make([]byte, 12*12*4*n)
	if err := prog.Run(context.Background(), &exec.Job{Groups: groups, Base: base, Workers: 3, Resources: [][]exec.Buffer{{{Bytes: out}}}}); err != nil {
		t.Fatal(err)
	}
	got := dump(out)
	for g := range uint32(12) {
		w := [3]uint32{g%2 + base[0], g / 2 % 3, g/6 + base[2]}
		for i := range uint32(12) {
			l := [3]uint32{i % 3, i / 3 % 2, i / 6}
			want := []uint32{w[0]*3 + l[0], w[1]*2 + l[1], w[2]*2 + l[2], l[0], l[1], l[2], w[0], w[1], w[2], 2, 3, 2, i, i % 4, i / 4, 3}
			at := (g*12 + i) * n
			if fmt.Sprint(got[at:at+n]) != fmt.Sprint(want) {
				t.Fatalf("group %d, invocation %d: %d; want %d", g, i, got[at:at+n], want)
			}
		}
	}
}

func mustCompile(t testing.TB, p *ir.Program) exec.Program {
	t.Helper()
	p.StateEffects()
	prog, err := interp.Engine{}.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// endless is a program whose lanes 2 and 3 never end.
const endless = `
local 4 1 1
subgroup 4
in localindex i32 0
func "main"() L1 {
	v1 = in.i32 #0
	v2 = ult.i32 1:i32, v1
	if v2 {
		call 1() @7
	}
}
func "spin"() L1 {
	loop L2 { @8
		br L2
	}
}`

// TestBudgetError checks what the error says, for programs to read.
func TestBudgetError(t *testing.T) {
	prog, err := compile(endless)
	if err != nil {
		t.Fatal(err)
	}
	err = prog.Run(context.Background(), &exec.Job{Groups: [3]uint32{1, 1, 2}, Base: [3]uint32{0, 5, 0}, Budget: 99, Workers: 1})
	var b *exec.BudgetError
	if !errors.As(err, &b) {
		t.Fatalf("%v; want a *exec.BudgetError", err)
	}
	loop := prog.IR().Funcs[1].Code[1]
	want := exec.BudgetError{Position: exec.Position{Func: "spin", Loop: loop, Origin: 8, Group: [3]uint32{0, 5, 0}, Local: [3]uint32{2, 0, 0}}, Steps: 99}
	if *b != want {
		t.Errorf("%+v; want %+v", *b, want)
	}
}

// TestCancel checks that a job ends when its context does, on one worker and
// on several.
func TestCancel(t *testing.T) {
	prog, err := compile(endless)
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
		err := prog.Run(ctx, &exec.Job{Groups: [3]uint32{100, 1, 1}, Budget: 1 << 62, Workers: workers})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d workers: %v; want that the deadline is exceeded", workers, err)
		}
	}
}

// TestCallsAreSteps checks that calls of calls of calls end in time without a
// loop: 2⁴⁰ of them.
func TestCallsAreSteps(t *testing.T) {
	var text strings.Builder
	fmt.Fprintf(&text, "func \"main\"() L1 {\n\tcall 1()\n}\n")
	for i := 2; i < 42; i++ {
		fmt.Fprintf(&text, "func \"f%d\"() L1 {\n\tcall %d()\n\tcall %d() @3\n}\n", i-1, i, i)
	}
	text.WriteString("func \"leaf\"() L1 {\n}\n")
	prog, err := compile(text.String())
	if err != nil {
		t.Fatal(err)
	}
	err = prog.Run(context.Background(), &exec.Job{Groups: [3]uint32{1, 1, 1}, Budget: 10000})
	var b *exec.BudgetError
	if !errors.As(err, &b) {
		t.Fatalf("%v; want a *exec.BudgetError", err)
	}
}

// watcher records what a hook sees.
type watcher struct {
	exec.NoHook
	log   []string
	limit int
}

var errEnough = errors.New("enough")

func (w *watcher) BeginGroup(g *exec.Group) error {
	w.log = append(w.log, fmt.Sprint("begin ", g.ID))
	return nil
}

func (w *watcher) Step(s *exec.Step) error {
	w.log = append(w.log, fmt.Sprintf("%d.%d %#x %d", s.Func, s.Value, s.Active[0], s.Read(s.Func, 2, 1)))
	if len(w.log) == w.limit {
		return errEnough
	}
	return nil
}

// TestHook checks the steps that a hook sees, and that its error ends the run.
func TestHook(t *testing.T) {
	prog, err := compile(`
local 3 1 1
subgroup 4
in localindex i32 0
func "main"() L1 {
	v1 = in.i32 #0
	v2 = eq.i32 v1, 1:i32
	if v2 {
		kill
	}
}`)
	if err != nil {
		t.Fatal(err)
	}
	// Values: 1 the block, 2 in, 3 the constant, 4 eq, 5 if, 6 kill, 7 and 8 ends.
	// No lane arrives at 7: a step has an active lane.
	want := []string{"begin [0 0 0]", "0.1 0x7 0", "0.2 0x7 0", "0.4 0x7 1", "0.5 0x7 1", "0.6 0x2 1", "0.8 0x5 1"}
	var w watcher
	job := &exec.Job{Groups: [3]uint32{1, 1, 1}, Hook: &w}
	if err := prog.Run(context.Background(), job); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(w.log, "\n")
	if got != strings.Join(want, "\n") {
		t.Errorf("saw\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	w = watcher{limit: 3}
	if err := prog.Run(context.Background(), job); err != errEnough || len(w.log) != 3 {
		t.Errorf("%v after %d lines; want the hook's error after 3", err, len(w.log))
	}
}

// TestLimits checks that programs which demand too much are refused before
// they cost anything.
func TestLimits(t *testing.T) {
	const main = "func \"main\"() L1 {\n}\n"
	for _, head := range []string{
		"local 4294967295 4294967295 4294967295\n",
		"local 65536 65536 1\n",
		"local 0 1 1\n",
		"local 2049 1 1\n",
		"shared 4294967295\n",
		"var \"x\" 4294967295 -1\nvar \"y\" 4294967295 -1\n",
		"local 2048 1 1\nvar \"x\" 1048576 -1\n",
	} {
		_, err := compile(head + main)
		var l *exec.LimitError
		if !errors.As(err, &l) {
			t.Errorf("%q: %v; want a *exec.LimitError", head, err)
		}
	}
	for _, text := range []string{"", "subgroup 3\n" + main, "subgroup 256\n" + main, "subgroup 12\n" + main} {
		_, err := compile(text)
		var v *ir.VerifyError
		if !errors.As(err, &v) {
			t.Errorf("%q: %v; want a *ir.VerifyError", text, err)
		}
	}
	for _, text := range []string{"program \"x\" fragment\n" + main, "in location i32 0\n" + main} {
		_, err := compile(text)
		var u *exec.UnsupportedError
		if !errors.As(err, &u) {
			t.Errorf("%q: %v; want a *exec.UnsupportedError", text, err)
		}
	}
}

// FuzzProgram checks that no text of a program makes the interpreter panic or
// run on, whatever the job.
func FuzzProgram(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(a.Files[0].Data))
	}
	if text, err := os.ReadFile("../ir/testdata/ops.ir"); err == nil {
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ir.Parse(text)
		if err != nil {
			return
		}
		p.StateEffects()
		limits := exec.Limits{Invocations: 256, SharedBytes: 1 << 12, PrivateSlots: 256, GroupBytes: 1 << 24}
		prog, err := interp.Engine{}.Compile(p, exec.Options{Limits: limits})
		if err != nil {
			return
		}
		// one worker: the program may race with itself, which is not our race
		job := &exec.Job{Groups: [3]uint32{2, 1, 1}, Budget: 200, Workers: 1, Push: make([]byte, 16)}
		for range p.Res {
			job.Resources = append(job.Resources, []exec.Buffer{{Bytes: make([]byte, 64)}, {}, {Bytes: make([]byte, 8)[:7]}})
		}
		var b *exec.BudgetError
		if err := prog.Run(context.Background(), job); err != nil && !errors.As(err, &b) {
			t.Fatal(err)
		}
	})
}

// BenchmarkMandelbrot runs the loop of testdata/mandelbrot.ir over 512×512
// points, of which most take 256 rounds.
func BenchmarkMandelbrot(b *testing.B) {
	text, err := os.ReadFile("testdata/mandelbrot.ir")
	if err != nil {
		b.Fatal(err)
	}
	prog, err := compile(string(text))
	if err != nil {
		b.Fatal(err)
	}
	out := make([]byte, 512*512*4)
	job := &exec.Job{Groups: [3]uint32{32, 32, 1}, Resources: [][]exec.Buffer{{{Bytes: out}}}}
	for b.Loop() {
		if err := prog.Run(context.Background(), job); err != nil {
			b.Fatal(err)
		}
	}
}

// TestMandelbrot compares with the same loop in Go, and one worker with four.
func TestMandelbrot(t *testing.T) {
	text, err := os.ReadFile("testdata/mandelbrot.ir")
	if err != nil {
		t.Fatal(err)
	}
	prog, err := compile(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 4} {
		out := make([]byte, 512*64*4)
		job := &exec.Job{Groups: [3]uint32{32, 4, 1}, Workers: workers, Resources: [][]exec.Buffer{{{Bytes: out}}}}
		if err := prog.Run(context.Background(), job); err != nil {
			t.Fatal(err)
		}
		for y := range 64 {
			for x := range 512 {
				want := mandelbrot(float32(float32(x)*0.005859375)-2, float32(float32(y)*0.00390625)-1)
				if got := binary.LittleEndian.Uint32(out[4*(y*512+x):]); got != want {
					t.Fatalf("%d workers: point %d, %d is %d; want %d", workers, x, y, got, want)
				}
			}
		}
	}
}

func mandelbrot(cx, cy float32) (n uint32) {
	var x, y float32
	for ; n < 256; n++ {
		xx, yy, xy := float32(x*x), float32(y*y), float32(x*y)
		if float32(xx+yy) > 4 {
			return n
		}
		x, y = float32(float32(xx-yy)+cx), float32(float32(xy+xy)+cy)
	}
	return n
}

// skipper skips the first group, and records the calls and a private slot at the steps of the others.
type skipper struct {
	exec.NoHook
	groups []uint32
	deep   int
	slot   uint32
}

func (k *skipper) BeginGroup(g *exec.Group) error {
	if g.ID[0] == 0 {
		return exec.ErrSkipGroup
	}
	k.groups = append(k.groups, g.ID[0])
	return nil
}

func (k *skipper) Step(s *exec.Step) error {
	if list := s.Calls(nil); len(list) == 1 && list[0].Func == 0 && s.Func == 1 {
		k.deep++
	}
	k.slot = max(k.slot, s.ReadPrivate(uint64(s.Bases[0]), 1))
	if s.ReadPrivate(1<<40, 1) != 0 || s.Read(0, 1<<20, 0) != 0 {
		return errEnough
	}
	return nil
}

// TestHookSkips: a group that the hook skips does not run; the others show their calls and their private memory.
func TestHookSkips(t *testing.T) {
	b := ir.NewFunc("main", nil, nil)
	b.Emit(ir.Val{Op: ir.PSt, Type: ir.I32, Args: [4]ir.V{b.I32(0), b.I32(7)}})
	b.Call(1, nil)
	f := b.Finish()
	c := ir.NewFunc("callee", nil, nil)
	c.Op(ir.PLd, ir.I32, c.I32(0))
	p := &ir.Program{Stage: ir.Compute, SubgroupSize: 4, LocalSize: [3]uint32{4, 1, 1}, Vars: []ir.Var{{Slots: 1, Func: -1}}, Funcs: []*ir.Func{f, c.Finish()}}
	prog, err := interp.Engine{}.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	k := &skipper{}
	if err := prog.Run(context.Background(), &exec.Job{Groups: [3]uint32{3, 1, 1}, Hook: k}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(k.groups, []uint32{1, 2}) || k.deep == 0 || k.slot != 7 {
		t.Errorf("%+v; want groups 1 and 2, steps in a call, and 7 in the slot", k)
	}
}

// rewinder makes a snapshot of a group at a step, or begins there.
type rewinder struct {
	exec.NoHook
	from  exec.Snapshot
	at    int // the step of the snapshot
	steps int
	last  string
}

func (r *rewinder) BeginGroup(g *exec.Group) error {
	r.steps = 0
	if r.from != nil {
		g.Resume, r.steps = r.from, r.at-1
	}
	return nil
}

func (r *rewinder) Step(s *exec.Step) error {
	r.steps++
	r.last = fmt.Sprint(r.steps, s.Subgroup, s.Func, s.Value, s.Active)
	if r.steps == r.at && r.from == nil {
		r.from = s.Snapshot()
	}
	return nil
}

// TestSnapshot: a group that goes on at a snapshot ends as it did, for each of its steps. It has barriers, so that all subgroups have state.
func TestSnapshot(t *testing.T) {
	prog, err := compile(`
local 8 1 1
subgroup 4
shared 32
in localindex i32 0
res storage 0 0 count 1
func "main"() L1 {
	vi = in.i32 #0
	vo = mul.i32 vi, 4:i32
	vh = res 0:i32, #0
	v1 = wg
	st.i32 v1, vo, vi, #0
	v4 = xor.i32 vi, 5:i32
	v5 = mul.i32 v4, 4:i32
	block L2 {
		loop L3(v6 i32 = 0:i32) {
			barrier
			v7 = ld.i32 v1, v5, #0
			barrier
			v8 = mul.i32 v7, 3:i32
			v9 = add.i32 v8, vi
			st.i32 v1, vo, v9, #0
			v10 = add.i32 v6, 1:i32
			v11 = eq.i32 v10, 3:i32
			if v11 {
				br L2
			}
			br L3(v10)
		}
	}
	st.i32 vh, vo, v9, #0
}`)
	if err != nil {
		t.Fatal(err)
	}
	run := func(r *rewinder) ([]byte, string, int) {
		t.Helper()
		memory := make([]byte, 32)
		job := &exec.Job{Groups: [3]uint32{1, 1, 1}, Resources: [][]exec.Buffer{{{Bytes: memory}}}, Hook: r}
		if err := prog.Run(context.Background(), job); err != nil {
			t.Fatal(err)
		}
		return memory, r.last, r.steps
	}
	want, last, steps := run(&rewinder{})
	for at := 1; at <= steps; at++ {
		r := &rewinder{at: at}
		run(r)
		if r.from == nil || r.from.Bytes() == 0 {
			t.Fatalf("no snapshot at step %d", at)
		}
		got, end, n := run(r)
		for i := range got { // the new memory lacks the stores before the snapshot
			if got[i] != want[i] && got[i] != 0 {
				t.Fatalf("from step %d on the memory is % x; must be % x", at, got, want)
			}
		}
		if n != steps || end != last {
			t.Fatalf("from step %d on the last step is %s; must be %s", at, end, last)
		}
	}
}
