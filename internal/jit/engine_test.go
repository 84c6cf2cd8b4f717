package jit_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

func compile(t testing.TB, text string) exec.Program {
	t.Helper()
	needMachine(t)
	return compileWith(t, jit.Engine{}, text)
}

func compileWith(t testing.TB, e exec.Engine, text string) exec.Program {
	t.Helper()
	p, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p.StateEffects()
	prog, err := e.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { prog.Close() })
	return prog
}

func read(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const forever = `
program "forever" compute
subgroup 16
local 16 1 1

func "main"() L1 {
	loop L2 { @7
		br L2
	}
}
`

// TestCancel: an endless loop ends soon after its context does.
func TestCancel(t *testing.T) {
	prog := compile(t, forever)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	begin := time.Now()
	err := prog.Run(ctx, &exec.Job{Groups: [3]uint32{4, 1, 1}, Budget: 1 << 40})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if d := time.Since(begin); d > 30*time.Second {
		t.Errorf("it took %v to stop", d)
	}
}

// TestBudget: the error is the interpreter's, word for word.
func TestBudget(t *testing.T) { eachLevel(t, testBudget) }

func testBudget(t *testing.T, engine jit.Engine) {
	job := exec.Job{Groups: [3]uint32{3, 1, 1}, Base: [3]uint32{5, 0, 0}, Budget: 999, Workers: 1}
	want := run(interp.Engine{}, forever, 0, job)
	var budget *exec.BudgetError
	if !errors.As(want.err, &budget) {
		t.Fatal(want.err)
	}
	same(t, want, run(engine, forever, 0, job))
}

func TestUnsupported(t *testing.T) { eachLevel(t, testUnsupported) }

func testUnsupported(t *testing.T, engine jit.Engine) {
	for text, want := range map[string]string{
		"program \"x\" compute\nlocal 1 1 1\nfunc \"main\"() L1 {\n\temit #0 @9\n}\n":                                 "jit: unsupported: operation emit of a graphics stage (instruction 9)",
		"program \"x\" fragment\nlocal 1 1 1\nfunc \"main\"() L1 {\n}\n":                                              "jit: unsupported: stage fragment",
		"program \"x\" compute\nlocal 1 1 1\nfunc \"main\"() L1 {\n\tcall 1()\n}\nfunc \"f\"() L1 {\n\tcall 1()\n}\n": `jit: unsupported: recursion: "f" calls "f", which is active`,
	} {
		if o := run(engine, text, 0, exec.Job{}); o.err == nil || o.err.Error() != want {
			t.Errorf("error %v; want %s", o.err, want)
		}
	}
}

func TestHookIsRefused(t *testing.T) {
	prog := compile(t, forever)
	err := prog.Run(context.Background(), &exec.Job{Groups: [3]uint32{1, 1, 1}, Hook: exec.NoHook{}})
	var u *exec.UnsupportedError
	if !errors.As(err, &u) {
		t.Errorf("error %v", err)
	}
}

func TestLimits(t *testing.T) { eachLevel(t, testLimits) }

func testLimits(t *testing.T, engine jit.Engine) {
	p, err := ir.Parse(read(t, "localarr.ir"))
	if err != nil {
		t.Fatal(err)
	}
	var l *exec.LimitError
	for _, o := range []exec.Limits{{Invocations: 127}, {PrivateSlots: 15}, {GroupBytes: 128 * 100}} {
		if _, err := engine.Compile(p, exec.Options{Limits: o}); !errors.As(err, &l) {
			t.Errorf("%+v: error %v", o, err)
		}
	}
	p.Vars[0].Slots = 1 << 30
	if _, err := engine.Compile(p, exec.Options{}); !errors.As(err, &l) {
		t.Errorf("2³⁰ slots: error %v", err)
	}
}

// TestTogether runs one program in several goroutines, beside the collector
// and programs that come and go.
func TestTogether(t *testing.T) {
	k := reduceShared(3)
	text := read(t, k.name+".ir")
	prog := compile(t, text)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				job := k.job
				job.Resources = [][]exec.Buffer{k.job.Resources[0], buffer(make([]uint32, len(k.want)))}
				if err := prog.Run(context.Background(), &job); err != nil {
					t.Error(err)
					return
				}
				if got := job.Resources[1][0].Bytes; string(got) != string(loadLittleEndian(k.want)) {
					t.Errorf("% x", got)
				}
			}
		})
	}
	for range 20 {
		runtime.GC()
		if o := run(jit.Engine{}, text, 64, k.job); o.err != nil {
			t.Error(o.err)
		}
	}
	wg.Wait()
}

func TestListing(t *testing.T) {
	p, err := ir.Parse(forever)
	if err != nil {
		t.Fatal(err)
	}
	text, err := jit.Listing(p)
	if err != nil || !strings.Contains(text, "step {") {
		t.Errorf("error %v, listing:\n%s", err, text)
	}
}

func BenchmarkCompile(b *testing.B) {
	needMachine(b)
	p, err := ir.Parse(read(b, "mandelbrot.ir"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		prog, err := jit.Engine{}.Compile(p, exec.Options{})
		if err != nil {
			b.Fatal(err)
		}
		prog.Close()
	}
}

func BenchmarkMandelbrot(b *testing.B) {
	needMachine(b)
	k := mandelbrot(512, 512, 256)
	k.job.Workers = 1
	p, err := ir.Parse(read(b, "mandelbrot.ir"))
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range []exec.Engine{jit.Engine{}, interp.Engine{}} {
		prog, err := e.Compile(p, exec.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(e.Name(), func(b *testing.B) {
			for b.Loop() {
				if err := prog.Run(context.Background(), &k.job); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
