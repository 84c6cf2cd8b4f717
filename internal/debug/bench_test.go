package debug

import (
	"os"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/cputime"
)

// benchGroups are about 10⁶ invocations of testdata/sum.spvasm, in groups of 64.
const benchGroups = 15625

// BenchmarkCondition runs 10⁶ invocations until a conditional breakpoint stops the last one. The back variants set the breakpoints again
// and continue in reverse to the start of the dispatch. The first line variant steps back from the first line of the last invocation.
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
			for range b.N {
				b.StopTimer()
				d := startModule(b, text, 1, benchGroups, Config{}, at())
				d.benchStop(b, AtBreakpoint, 63)
				d.SetBreakpoints([]*Breakpoint{at()})
				b.StartTimer()
				for {
					d.Continue(true)
					if s := d.benchStop(b, "", 0); s.Reason == AtStep {
						break
					}
				}
				b.StopTimer()
				d.End()
				<-d.done
				b.StartTimer()
			}
		})
	}
	b.Run("first line", func(b *testing.B) {
		for range b.N {
			b.StopTimer()
			d := startModule(b, text, 1, benchGroups, Config{}, &Breakpoint{Number: 1, At: Location{"sum.comp", 5}, Condition: "gl_GlobalInvocationID.x == 999999"})
			s := d.benchStop(b, AtBreakpoint, 63)
			b.StartTimer()
			for s.Text == "" { // the beginning of the dispatch has a text
				d.Next(s.Thread, false, true)
				s.Text = d.benchStop(b, "", 0).Text
			}
			b.StopTimer()
			d.End()
			<-d.done
			b.StartTimer()
		}
	})
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
