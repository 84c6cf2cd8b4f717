package conformance

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/contest"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// hasJIT reports whether this machine has the compiling engine.
func hasJIT() bool { return len(jit.Levels()) > 0 }

// meetEngines runs the module of a seed and fails with what is left of it.
func meetEngines(t *testing.T, seed uint64, data []byte, full bool) {
	c := contest.Of(seed, data, full)
	err := c.All(t.Context())
	if err == nil {
		return
	}
	var budget *exec.BudgetError
	if errors.As(err, &budget) {
		t.Fatalf("seed %d: %v: modules must end\n%s", seed, err, c.Module.Text)
	}
	small, err := c.Reduce(t.Context(), err)
	t.Errorf("seed %d: %v\n%s", seed, err, small.Text)
}

// TestEngines runs random modules on both engines, the JIT at every level of the
// machine, before and after each pass, at several subgroup sizes: all results must be
// equal. CHIARO_LONG runs more modules; CHIARO_SEEDS=from-to runs others, with one
// subgroup size each.
func TestEngines(t *testing.T) {
	if list, ok := os.LookupEnv("CHIARO_SEEDS"); ok {
		from, to, _ := strings.Cut(list, "-")
		a, _ := strconv.ParseUint(from, 10, 64)
		b, _ := strconv.ParseUint(to, 10, 64)
		for ; a < b; a++ {
			meetEngines(t, a, nil, a%16 == 0)
			if a%1000 == 999 {
				t.Logf("%d seeds", a+1)
			}
		}
		return
	}
	n := uint64(24)
	if os.Getenv("CHIARO_LONG") != "" {
		n = 60
	}
	for seed := range n {
		meetEngines(t, seed, nil, true)
	}
}

// FuzzEngines runs modules whose choices a fuzzer makes.
func FuzzEngines(f *testing.F) {
	for seed := range uint64(contest.Kinds) {
		f.Add(seed, []byte(nil))
	}
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) { meetEngines(t, seed, data, false) })
}
