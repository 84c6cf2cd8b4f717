package ray

import (
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
