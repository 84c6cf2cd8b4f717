package ray

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestTeam checks that each number is called once, in steps that follow each other and in steps inside others, by goroutines that
// are awake or asleep.
func TestTeam(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8} {
		team := newTeam(threads, 8*pieceSize)
		if team.threads() != threads {
			t.Errorf("%d goroutines; must be %d", team.threads(), threads)
		}
		for step := range 50 {
			if step%20 == 19 {
				time.Sleep(4 * spinTime)
			}
			n := step % 7
			var calls [7][5]atomic.Int32
			team.each(n, func(i int) {
				team.each(5, func(j int) { calls[i][j].Add(1) })
			})
			for i := range calls {
				for j := range calls[i] {
					if got := calls[i][j].Load(); got != 1 && i < n || got != 0 && i >= n {
						t.Fatalf("%d goroutines, %d numbers: %d, %d is called %d times", threads, n, i, j, got)
					}
				}
			}
		}
		team.close()
	}
}

// TestTeamSize checks that a build has no more goroutines than primitives are worth.
func TestTeamSize(t *testing.T) {
	for primitives, want := range map[int]int{0: 1, 2*pieceSize - 1: 1, 2 * pieceSize: 2, 3*pieceSize + 5: 3, 100 * pieceSize: 4} {
		team := newTeam(4, primitives)
		if got := team.threads(); got != want {
			t.Errorf("%d primitives have %d goroutines; must have %d", primitives, got, want)
		}
		team.close()
	}
}

// TestTeamWaits checks that a goroutine that waits for a group runs functions that the group starts meanwhile, and that no more than
// mostRunning functions run for each goroutine.
func TestTeamWaits(t *testing.T) {
	team := newTeam(2, 8*pieceSize)
	defer team.close()
	var outer group
	outer.team = team
	var ran atomic.Int32
	started := outer.start(func() {
		inner := group{team: team}
		for end := time.Now().Add(time.Minute); !inner.start(func() { ran.Add(1) }); runtime.Gosched() {
			if time.Now().After(end) {
				t.Error("no goroutine is free while one waits")
				break
			}
		}
		inner.wait()
	})
	if !started {
		t.Fatal("no goroutine is free at first")
	}
	outer.wait()
	if ran.Load() != 1 {
		t.Errorf("%d functions ran; must be 1", ran.Load())
	}

	var deep func(depth int) int
	deep = func(depth int) (most int) {
		g := group{team: team}
		most = int(team.running.Load())
		if depth > 0 {
			var other int
			g.start(func() { other = deep(depth - 1) })
			most = max(most, deep(depth-1))
			g.wait()
			most = max(most, other)
		}
		return most
	}
	if most := deep(12); most > mostRunning*team.size+1 { // one more for a moment: of a claim that fails
		t.Errorf("%d functions run; must be at most %d", most, mostRunning*team.size)
	}
	if free, running := team.free.Load(), team.running.Load(); free != 1 || running != 0 {
		t.Errorf("%d goroutines are free and %d functions run at the end; must be 1 and 0", free, running)
	}
}
