package jit_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/trampoline"
)

// releases runs a test for both ways in which code gives its processor back.
func releases(t *testing.T, test func(t *testing.T, prepare func(exec.Program))) {
	needMachine(t)
	t.Run("released", func(t *testing.T) { test(t, func(exec.Program) {}) })
	t.Run("polling", func(t *testing.T) { test(t, jit.ForcePolling) })
}

// TestBriefBatches: a batch of little code without loops polls, and is no system call.
func TestBriefBatches(t *testing.T) {
	needMachine(t)
	if !trampoline.GuardIsKnown() {
		t.Skip("code cannot poll in this runtime of Go")
	}
	straight, loops := compile(t, read(t, "saxpy.ir")), compile(t, read(t, "mandelbrot.ir"))
	n := jit.BriefGroups(straight)
	if n == 0 || jit.BriefGroups(loops) != 0 {
		t.Fatalf("%d workgroups without loops and %d with loops are brief; must be some and none", n, jit.BriefGroups(loops))
	}
	for _, c := range []struct {
		name   string
		prog   exec.Program
		kernel kernel
		groups uint64
		polls  bool
	}{
		{"one group", straight, saxpy(1 << 10), 1, true},
		{"as many as are brief", straight, saxpy(64 * int(n)), n, true},
		{"one more", straight, saxpy(64 * int(n+1)), n + 1, false},
		{"loops", loops, mandelbrot(8, 8, 10), 1, false},
	} {
		polls, err := jit.PollsBatch(t.Context(), c.prog, &c.kernel.job, c.groups)
		if err != nil || polls != c.polls {
			t.Errorf("%s: polls %v, %v; must be %v", c.name, polls, err, c.polls)
		}
	}
}

// TestCoexist runs kernels in several goroutines beside collections, deep
// recursion, panics and the profiler's signals: their results stay right.
func TestCoexist(t *testing.T) {
	if err := pprof.StartCPUProfile(io.Discard); err == nil {
		defer pprof.StopCPUProfile()
	}
	releases(t, func(t *testing.T, prepare func(exec.Program)) {
		var kernels, others sync.WaitGroup
		var done atomic.Bool
		for _, k := range []kernel{mandelbrot(150, 137, 2000), reduceShared(50), localArray(3000)} {
			prog := compile(t, read(t, k.name+".ir"))
			prepare(prog)
			for range 2 {
				kernels.Go(func() {
					for range 10 {
						job := k.job
						job.Resources = slices.Clone(k.job.Resources)
						job.Resources[k.resource] = buffer(make([]uint32, len(k.want)))
						if err := prog.Run(context.Background(), &job); err != nil {
							t.Error(err)
						}
						if got := job.Resources[k.resource][0].Bytes; string(got) != string(loadLittleEndian(k.want)) {
							t.Errorf("%s: wrong result", k.name)
						}
						panics(300)
					}
				})
			}
		}
		others.Go(func() {
			for !done.Load() {
				runtime.GC()
			}
		})
		others.Go(func() {
			for !done.Load() {
				panics(1000)
				garbage := make([][]byte, 100)
				for i := range garbage {
					garbage[i] = make([]byte, 1000)
				}
				runtime.Gosched()
			}
		})
		kernels.Wait()
		done.Store(true)
		others.Wait()
	})
}

// panics recovers from a nil dereference behind depth frames.
func panics(depth int) {
	defer func() { _ = recover() }()
	if depth > 0 {
		panics(depth - 1)
	}
	var p *kernel
	p.name = ""
}

// TestWorldStops: a stop of the world does not wait for the end of a kernel,
// and a kernel goes on behind it where it was.
func TestWorldStops(t *testing.T) {
	releases(t, func(t *testing.T, prepare func(exec.Program)) {
		k := mandelbrot(150, 137, 3)
		prog := compile(t, forever)
		prepare(prog)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() {
			ended <- prog.Run(ctx, &exec.Job{Groups: k.job.Groups, Budget: 1 << 50})
		}()
		for range 5 {
			runtime.GC()
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestDeadline: a loop that does not end is left soon after the deadline, and
// the error names it, as the interpreter's does. Of several tries the best
// counts, for the machine may be busy.
func TestDeadline(t *testing.T) {
	const most = 50 * time.Millisecond
	const want = `context deadline exceeded in the loop at instruction 7 of "main", workgroup [0 0 0], invocation [0 0 0]`
	releases(t, func(t *testing.T, prepare func(exec.Program)) {
		prog := compile(t, forever)
		prepare(prog)
		best := time.Hour
		for try := 0; try < 20 && best > most; try++ {
			deadline := time.Now().Add(20 * time.Millisecond)
			ctx, cancel := context.WithDeadline(context.Background(), deadline)
			err := prog.Run(ctx, &exec.Job{Groups: [3]uint32{1, 1, 1}, Budget: 1 << 50})
			best = min(best, time.Since(deadline))
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) || err.Error() != want {
				t.Fatalf("error %v; want %s", err, want)
			}
		}
		t.Logf("%v behind the deadline", best)
		if best > most {
			t.Errorf("it took %v to stop; must be %v at most", best, most)
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	err := compileWith(t, interp.Engine{}, forever).Run(ctx, &exec.Job{Groups: [3]uint32{1, 1, 1}, Budget: 1 << 50})
	if err == nil || err.Error() != want {
		t.Errorf("interp: error %v; want %s", err, want)
	}
}

// polledLoop has more values alive in its loop, vectors, masks and numbers, than
// there are registers. Lanes leave it one by one.
func polledLoop(values int) string {
	var params, body, next, sum strings.Builder
	for i := range values {
		fmt.Fprintf(&params, "vx%d i32 = vi, ", i)
		fmt.Fprintf(&body, "\t\t\tvm%[1]d = mul.i32 vx%[1]d, %[2]d:i32\n\t\t\tvy%[1]d = add.i32 vm%[1]d, vx%[3]d\n", i, 2*i+3, (i+1)%values)
		fmt.Fprintf(&next, ", vy%d", i)
		fmt.Fprintf(&sum, "\tvs%d = xor.i32 vs%d, vr%d\n", i+1, i, i)
	}
	results, leave := "", ""
	for i := range values {
		results += fmt.Sprintf(", vr%d i32", i)
		leave += fmt.Sprintf(", vx%d", i)
	}
	return "program \"polled\" compute\nsubgroup 32\nlocal 64 1 1\nin localindex i32 0\nres storage 0 0 count 1\npush 4\n\nfunc \"main\"() L1 {\n" +
		"\tvi = in.i32 #0\n\tvB = res 0:i32, #0\n\tvo = at 0:i32, vi, #4\n\tvp = push\n\tvn = ld.i32 vp, 0:i32, #0\n\tvk = add.i32 vn, vi\n" +
		"\tblock L2(vc i32" + results + ") {\n\t\tloop L3(" + params.String() + "vj i32 = 0:i32) {\n" +
		"\t\t\tve = ule.i32 vk, vj\n\t\t\tif ve {\n\t\t\t\tbr L2(vj" + leave + ")\n\t\t\t}\n" + body.String() +
		"\t\t\tvj2 = add.i32 vj, 1:i32\n\t\t\tbr L3(" + next.String()[2:] + ", vj2)\n\t\t}\n\t}\n" +
		"\tvs0 = add.i32 vc, 0:i32\n" + sum.String() + fmt.Sprintf("\tst.i32 vB, vo, vs%d, #0\n}\n", values)
}

// TestPolledLoop interrupts a loop again and again: what lives must survive.
func TestPolledLoop(t *testing.T) {
	for _, values := range []int{3, 12, 40} {
		for _, level := range jit.Levels() {
			t.Run(fmt.Sprintf("%d %s", values, level), func(t *testing.T) { interruptLoop(t, level, values) })
		}
	}
}

func interruptLoop(t *testing.T, level target.Level, values int) {
	text := polledLoop(values)
	var want []byte
	releases(t, func(t *testing.T, prepare func(exec.Program)) {
		prog := compileWith(t, jit.Engine{Level: level}, text)
		prepare(prog)
		var done atomic.Bool
		var others sync.WaitGroup
		others.Go(func() {
			for !done.Load() {
				runtime.GC()
			}
		})
		out := buffer(make([]uint32, 64*3))
		err := prog.Run(context.Background(), &exec.Job{
			Groups: [3]uint32{2, 1, 1}, Push: loadLittleEndian([]uint32{uint32(3_000_000 / values)}), Resources: [][]exec.Buffer{out},
		})
		done.Store(true)
		others.Wait()
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = out[0].Bytes
		}
		if string(want) != string(out[0].Bytes) {
			t.Error("another result")
		}
	})
}

// TestAssemble: all code can be shown, on every machine.
func TestAssemble(t *testing.T) {
	for _, level := range []target.Level{target.AVX512, target.AVX2, target.NEON} {
		for _, file := range []string{"saxpy.ir", "mandelbrot.ir", "reduce_shared.ir", "localarr.ir"} {
			p, err := ir.Parse(read(t, file))
			if err != nil {
				t.Fatal(err)
			}
			p.StateEffects()
			code, lines, err := jit.Assemble(p, level)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if len(lines) < 50 || len(code.Funcs) == 0 {
				t.Errorf("%s: %d lines, functions %q", file, len(lines), code.Funcs)
			}
			for _, l := range lines {
				if strings.HasPrefix(l.Text, ".byte") && l.Mark != nil {
					t.Errorf("%s %s: %#x is no instruction that we know: %s", level, file, l.Offset, l.Text)
				}
			}
		}
	}
}

// selected reports whether a test runs the case with a number: each one with
// CHIARO_LONG, otherwise each step-th. A step that is coprime with the lengths of the
// loops around the case selects every value of each loop.
func selected(number, step int) bool {
	return number%step == 0 || os.Getenv("CHIARO_LONG") != ""
}
