package engine_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/engine"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// sums adds the number of the group, from 1, to a word in each of its invocations.
const sums = `
local 32 1 1
subgroup 8
in workgroup.x i32 0
res storage 0 0 count 1
effects writes
func "main"() L1 {
	v1 = in.i32 #0
	v2 = add.i32 v1, 1:i32
	v3 = res 0:i32, #0
	v4 = atomadd.i32 v3, 0:i32, v2, #0 !unused
}`

// chooser has steps of some groups, and skips others.
type chooser struct {
	memory  []byte
	steps   map[uint32]int
	current uint32
	sums    []uint32 // at the ends of groups
}

func (c *chooser) BeginGroup(g *exec.Group) error {
	c.current = g.ID[0]
	switch {
	case c.current == 5:
		return exec.ErrSkipGroup
	case c.current%2 == 1:
		return exec.ErrNoSteps
	}
	return nil
}

func (c *chooser) EndGroup(*exec.Group) error {
	c.sums = append(c.sums, binary.LittleEndian.Uint32(c.memory))
	return nil
}

func (c *chooser) Step(*exec.Step) error {
	c.steps[c.current]++
	return nil
}

// TestHooked: the hook sees the steps of the groups that it wants to see, and the effects of each group at its end.
func TestHooked(t *testing.T) {
	p, err := ir.Parse(sums)
	if err != nil {
		t.Fatal(err)
	}
	p.StateEffects()
	prog, err := engine.ForHooks().Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer prog.Close()
	memory := make([]byte, 8)
	c := &chooser{memory: memory, steps: map[uint32]int{}}
	job := &exec.Job{Groups: [3]uint32{8, 1, 1}, Resources: [][]exec.Buffer{{{Bytes: memory}}}, Hook: c}
	if err := prog.Run(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	var want []uint32
	sum := uint32(0)
	for g := range uint32(8) {
		if g == 5 {
			continue
		}
		sum += 32 * (g + 1)
		want = append(want, sum)
		if seen := c.steps[g] > 0; seen != (g%2 == 0) {
			t.Errorf("%d steps of group %d; want some of groups with even numbers alone", c.steps[g], g)
		}
	}
	if !slices.Equal(c.sums, want) {
		t.Errorf("sums %d at the ends of groups; must be %d", c.sums, want)
	}
	job.Hook = nil
	clear(memory)
	if err := prog.Run(t.Context(), job); err != nil || binary.LittleEndian.Uint32(memory) != 32*36 {
		t.Errorf("%d without a hook, %v; must be %d", binary.LittleEndian.Uint32(memory), err, 32*36)
	}
	calls := 0
	job.Hook, job.Schedule = nil, func(n int) int { calls++; return n - 1 }
	clear(memory)
	if err := prog.Run(t.Context(), job); err != nil || binary.LittleEndian.Uint32(memory) != 32*36 || calls == 0 {
		t.Errorf("%d with a schedule of %d choices, %v; must be %d with some", binary.LittleEndian.Uint32(memory), calls, err, 32*36)
	}
}

// bounded wants no steps, and a bound of two steps of loops.
type bounded struct{ exec.NoHook }

func (bounded) BeginGroup(*exec.Group) error { return exec.ErrNoSteps }
func (bounded) Budget() uint64               { return 2 }

// TestHookedBudget: a group without steps has the bound of its hook on machines with a JIT, and that of the job on others.
func TestHookedBudget(t *testing.T) {
	p, err := ir.Parse(`
local 8 1 1
subgroup 8
func "main"() L1 {
	block L2 {
		loop L3(v1 i32 = 0:i32) {
			v2 = add.i32 v1, 1:i32
			v3 = eq.i32 v2, 100:i32
			if v3 {
				br L2
			}
			br L3(v2)
		}
	}
}`)
	if err != nil {
		t.Fatal(err)
	}
	p.StateEffects()
	e := engine.ForHooks()
	prog, err := e.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer prog.Close()
	err = prog.Run(t.Context(), &exec.Job{Groups: [3]uint32{1, 1, 1}, Hook: bounded{}})
	var b *exec.BudgetError
	if _, two := e.(engine.Hooked); errors.As(err, &b) != two {
		t.Errorf("%v; want a *exec.BudgetError: %v", err, two)
	}
}
