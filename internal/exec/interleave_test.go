package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// ran is a group of a job that has run, or a span for which a Go task was called.
type ran struct{ task, at int }

// patchwork is a random interleaving in which each task records its execution.
type patchwork struct {
	tasks []exec.Task
	spans [][]exec.Piece
	want  [][]ran // expected records, per span
	owner map[ran]int
	got   [][]ran
	mu    sync.Mutex
}

// random creates tasks and assigns groups of some of them to each span.
func random(r *rand.Rand) *patchwork {
	p := &patchwork{owner: map[ran]int{}, spans: make([][]exec.Piece, r.Intn(40)+1)}
	p.want, p.got = make([][]ran, len(p.spans)), make([][]ran, len(p.spans))
	for part := range r.Intn(8) + 1 {
		inGo, next := r.Intn(4) == 0, 0
		for s := range p.spans {
			n := max(r.Intn(9)-3, 0)
			if n == 0 {
				continue
			}
			p.spans[s] = append(p.spans[s], exec.Piece{Task: int32(part), First: uint32(next), Count: uint32(n)})
			if inGo {
				p.want[s] = append(p.want[s], ran{part, s})
				continue
			}
			for range n {
				p.owner[ran{part, next}] = s
				p.want[s] = append(p.want[s], ran{part, next})
				next++
			}
		}
		if inGo {
			p.tasks = append(p.tasks, exec.Task{Do: func(s int) { p.note(s, ran{part, s}) }})
			continue
		}
		program := grouped(func(b exec.Batch) error {
			for n := range b.Count {
				x := ran{part, int(b.First + n)}
				p.note(p.owner[x], x)
			}
			return nil
		})
		job := &exec.Job{Groups: [3]uint32{uint32(next), 1, 1}}
		ready, _ := program.Prepare(job)
		p.tasks = append(p.tasks, exec.Task{Program: program, Prepared: ready, Job: job})
	}
	return p
}

// grouped returns a program that runs each batch by a call of run.
func grouped(run func(exec.Batch) error) exec.Program {
	return inGo(func() (func(exec.Batch) error, func()) { return run, nil })
}

func (p *patchwork) note(span int, x ran) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got[span] = append(p.got[span], x)
}

// TestInterleaver: with any number of workers, with and without homes, all pieces of a span run once and in order.
func TestInterleaver(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var x exec.Interleaver
	var pool exec.Pool
	for round := range 300 {
		p := random(r)
		if round%2 == 0 {
			if err := x.Run(context.Background(), round%5, p.tasks, p.spans); err != nil {
				t.Fatal(err)
			}
		} else {
			homes := make([]int32, len(p.spans))
			for i := range homes {
				homes[i] = int32(r.Intn(8) - 2)
			}
			if err := x.RunNear(context.Background(), &pool, round%5, p.tasks, p.spans, homes); err != nil {
				t.Fatal(err)
			}
		}
		for s := range p.spans {
			if got, want := fmt.Sprint(p.got[s]), fmt.Sprint(p.want[s]); got != want {
				t.Fatalf("round %d: span %d ran\n%s; want\n%s", round, s, got, want)
			}
		}
	}
}

// TestInterleaverFails checks the returned error, the propagation of a panic, and cancellation by a context.
func TestInterleaverFails(t *testing.T) {
	var x exec.Interleaver
	run := func(ctx context.Context, list ...func(exec.Batch) error) error {
		var parts []exec.Task
		spans := make([][]exec.Piece, 100)
		for i, f := range list {
			parts = append(parts, exec.Task{Program: grouped(f), Job: &exec.Job{}})
			for s := range spans {
				spans[s] = append(spans[s], exec.Piece{Task: int32(i), First: uint32(s), Count: 1})
			}
		}
		return x.Run(ctx, 4, parts, spans)
	}
	good := func(exec.Batch) error { return nil }
	bad := errors.New("bad")
	if err := run(context.Background(), good, func(exec.Batch) error { return bad }, good); err != bad {
		t.Errorf("%v; want the part's error", err)
	}
	ctx, cancel := context.WithCancel(context.Background())

	err := run(ctx, func(exec.Batch) error { cancel(); return nil })
	if err == nil {
		t.Error("no error after the context is done")
	}
	if err := run(context.Background(), good); err != nil {
		t.Errorf("%v after a run that was ended", err)
	}
	defer func() {
		if r := recover(); !strings.Contains(fmt.Sprint(r), "by design") {
			t.Errorf("recovered %v; want the worker's panic", r)
		}
	}()
	run(context.Background(), func(exec.Batch) error { panic("by design") })
}

// TestInterruptedTasks: tasks that were stopped have no report of a barrier that their other invocations might reach. After an abort, which
// ends one invocation alone, they have.
func TestInterruptedTasks(t *testing.T) {
	for _, c := range []struct {
		failure error
		aborts  bool
		missed  int
	}{{nil, false, 1}, {errors.New("bad"), false, 0}, {nil, true, 1}} {
		p, l := traced(4, ir.Event{Kind: ir.BarrierEvent, Scope: ir.EventGroup, Execution: ir.EventGroup}), &exec.Log{}
		p.Messages = append(p.Messages, ir.Message{Kind: ir.Abort})
		// One of four invocations reaches the barrier.
		task := exec.Task{Job: &exec.Job{Log: l}, Program: grouped(func(exec.Batch) error {
			logged(l, p, 0, 0, 0, 0)
			if c.aborts {
				l.Begin(p, [3]uint32{}, 0, 1)
			}
			return c.failure
		})}
		var x exec.Interleaver
		err := x.Run(t.Context(), 1, []exec.Task{task}, [][]exec.Piece{{{Count: 1}}})
		if n := len(l.Barriers()); n != c.missed || (err != nil) != (c.aborts || c.failure != nil) {
			t.Errorf("%+v: error %v, %d barriers that not all reached", c, err, n)
		}
	}
}

// TestOrderedTasks: if one task has ordered effects, a single worker runs all spans in order.
func TestOrderedTasks(t *testing.T) {
	var got []uint64
	program := grouped(func(b exec.Batch) error { got = append(got, b.First); return nil })
	program.IR().Effects = ir.Effects{Ordered: true}
	spans := make([][]exec.Piece, 50)
	for s := range spans {
		spans[s] = []exec.Piece{{First: uint32(2 * s), Count: 1}}
	}
	var x exec.Interleaver
	if err := x.Run(context.Background(), 4, []exec.Task{{Program: program, Job: &exec.Job{}}}, spans); err != nil {
		t.Fatal(err)
	}
	for s, first := range got {
		if first != uint64(2*s) {
			t.Fatalf("spans ran in the order %d", got)
		}
	}
}

// TestScheduledSpans: a schedule chooses the order of the spans. The pieces of each span run in order.
func TestScheduledSpans(t *testing.T) {
	var got []uint64
	program := grouped(func(b exec.Batch) error { got = append(got, b.First); return nil })
	spans := [][]exec.Piece{{{First: 0, Count: 1}, {First: 10, Count: 1}}, {{First: 1, Count: 1}}, {{First: 2, Count: 1}, {First: 12, Count: 1}}}
	last := func(n int) int { return n - 1 }
	var x exec.Interleaver
	if err := x.Run(context.Background(), 4, []exec.Task{{Program: program, Job: &exec.Job{Schedule: last}}}, spans); err != nil {
		t.Fatal(err)
	}
	if want := []uint64{2, 12, 1, 0, 10}; !slices.Equal(got, want) {
		t.Errorf("the spans ran in the order %d; must be %d", got, want)
	}
}

// TestPrefetch: the pieces of a span are prefetched in order, each before its own groups run and before the
// previous piece runs.
func TestPrefetch(t *testing.T) {
	type seen struct {
		ask         bool
		part, first int
	}
	var got []seen
	var parts []exec.Task
	for i := range 2 {
		program := grouped(func(b exec.Batch) error {
			got = append(got, seen{false, i, int(b.First)})
			return nil
		})
		parts = append(parts, exec.Task{Program: program, Job: &exec.Job{}, Prefetch: func(first, count uint32) {
			if count != 3 {
				t.Errorf("asked for %d groups; want 3", count)
			}
			got = append(got, seen{true, i, int(first)})
		}})
	}
	span := []exec.Piece{{Task: 0, First: 0, Count: 3}, {Task: 1, First: 0, Count: 3}, {Task: 0, First: 9, Count: 3}}
	var x exec.Interleaver
	if err := x.Run(context.Background(), 1, parts, [][]exec.Piece{span}); err != nil {
		t.Fatal(err)
	}
	want := []seen{{true, 0, 0}, {true, 1, 0}, {false, 0, 0}, {true, 0, 9}, {false, 1, 0}, {false, 0, 9}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v; want %v", got, want)
	}
}
