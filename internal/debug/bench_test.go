package debug

import (
	"os"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/cputime"
)

// benchGroups are about 10⁶ invocations of testdata/sum.spvasm, in groups of 64.
const benchGroups = 15625

// BenchmarkCondition runs 10⁶ invocations until a conditional breakpoint stops the last one. The back variants set the breakpoints again
// and continue in reverse to the start of the dispatch, the step variants step back. The first line variant steps back from the first line of
// the last invocation to the start of the dispatch.
func BenchmarkCondition(b *testing.B) {
	text, err := os.ReadFile("testdata/sum.spvasm")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name, condition string
		line            int
	}{
		{"built-in", "gl_GlobalInvocationID.x == 999999", 10},
		{"variable", "i == 999999u", 10},
		{"element", "gl_GlobalInvocationID[0] == 999999", 10},
		{"array", "data[i >> 3u] == -1 || i == 999999u", 10},
		{"choice", "(i > 5u ? i : 7u) == 999999u", 10},
		{"call", "max(int(i), 5) == 999999", 10},
		{"loop", "k == 3 && x > 2.0 || i == 999999u", 8},
	} {
		at := func() *Breakpoint {
			return &Breakpoint{Number: 1, At: Location{"sum.comp", c.line}, Condition: c.condition}
		}
		b.Run(c.name, func(b *testing.B) {
			before := cputime.Now()
			for range b.N {
				d := startModule(b, text, 1, benchGroups, Config{}, at())
				d.benchStop(b, AtBreakpoint, 63)
				d.End()
				<-d.done
			}
			b.ReportMetric(float64((cputime.Now()-before).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
		b.Run(c.name+"/back", func(b *testing.B) {
			benchBack(b, text, at, func(d *driver, _ Stop) {
				d.SetBreakpoints([]*Breakpoint{at()})
				for s := (Stop{}); s.Reason != AtStep; s = d.benchStop(b, "", 0) {
					d.Continue(true)
				}
			})
		})
		b.Run(c.name+"/step", func(b *testing.B) {
			benchBack(b, text, at, func(d *driver, s Stop) {
				d.Next(s.Thread, false, true)
				d.benchStop(b, "", 0)
			})
		})
	}
	b.Run("first line", func(b *testing.B) {
		at := func() *Breakpoint {
			return &Breakpoint{Number: 1, At: Location{"sum.comp", 5}, Condition: "gl_GlobalInvocationID.x == 999999"}
		}
		benchBack(b, text, at, func(d *driver, s Stop) {
			for s.Text == "" { // the beginning of the dispatch has a text
				d.Next(s.Thread, false, true)
				s.Text = d.benchStop(b, "", 0).Text
			}
		})
	})
}

// benchBack runs to a breakpoint, and measures the way back from there.
func benchBack(b *testing.B, text []byte, at func() *Breakpoint, back func(*driver, Stop)) {
	spent := time.Duration(0)
	for range b.N {
		b.StopTimer()
		d := startModule(b, text, 1, benchGroups, Config{}, at())
		s := d.benchStop(b, AtBreakpoint, 63)
		before := cputime.Now()
		b.StartTimer()
		back(d, s)
		b.StopTimer()
		spent += cputime.Now() - before
		d.End()
		<-d.done
		b.StartTimer()
	}
	b.ReportMetric(float64(spent.Milliseconds())/float64(b.N), "cpu-ms/op")
}

// benchStop waits for a stop, and checks its reason and thread if there is a reason.
func (d *driver) benchStop(b *testing.B, reason Reason, local uint32) Stop {
	b.Helper()
	select {
	case s := <-d.stops:
		if reason != "" && (s.Reason != reason || s.Thread.Local != local) {
			b.Fatalf("stopped by %s (%s) in thread %d; want %s in thread %d", s.Reason, s.Text, s.Thread.Local, reason, local)
		}
		return s
	case err := <-d.done:
		b.Fatalf("the run ended with %v; want a stop", err)
	}
	panic("unreachable")
}
