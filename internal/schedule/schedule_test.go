package schedule

import (
	"fmt"
	"slices"
	"testing"
)

// TestAll checks that an exhaustive plan makes each sequence of choices of a run exactly once: the run chooses among 3, then among 2,
// or among 2 and 2 after its first choice 1. These are 2 + 4 + 2 sequences.
func TestAll(t *testing.T) {
	var seen []string
	run := func(o Order, choose func(int) int) bool {
		a := choose(3)
		text := fmt.Sprint(a, choose(2))
		if a == 1 {
			text += fmt.Sprint(" ", choose(2))
		}
		seen = append(seen, text)
		again, err := Parse(o.String())
		if err != nil {
			t.Fatalf("%s: %v", o, err)
		}
		again.Run(func(o Order, choose func(int) int) bool {
			b := choose(3)
			if s := fmt.Sprint(b, choose(2)); s != text[:len(s)] {
				t.Errorf("%s replays %s as %s", o, text, s)
			}
			return true
		})
		return true
	}
	p, err := Parse("all")
	if err != nil {
		t.Fatal(err)
	}
	n, all := p.Run(run)
	if n != 8 || !all || len(seen) != 8 {
		t.Errorf("%d orders, all %v: %q", n, all, seen)
	}
	slices.Sort(seen)
	if n := len(slices.Compact(seen)); n != 8 {
		t.Errorf("an order is there twice: %q", seen)
	}
	p.Most = 7
	if n, all := p.Run(func(o Order, choose func(int) int) bool { seen = nil; return run(o, choose) }); n != 7 || all {
		t.Errorf("a bound of 7: %d orders, all %v", n, all)
	}
	if n, all := p.Run(func(Order, func(int) int) bool { return false }); n != 1 || all {
		t.Errorf("a run that stops: %d orders, all %v", n, all)
	}
}

// TestRandom checks that a seed makes the same choices again, and that other seeds make others.
func TestRandom(t *testing.T) {
	choices := func(o Order) (list []int) {
		choose := o.Choices()
		for range 20 {
			list = append(list, choose(5))
		}
		return list
	}
	if a, b := choices(Random(7)), choices(Random(7)); !slices.Equal(a, b) {
		t.Errorf("the seed 7 chooses %v and %v", a, b)
	}
	if a, b := choices(Random(7)), choices(Random(8)); slices.Equal(a, b) {
		t.Errorf("the seeds 7 and 8 choose %v", a)
	}
	p, _ := Parse("random:3:9")
	var names []string
	p.Run(func(o Order, _ func(int) int) bool { names = append(names, o.String()); return true })
	if !slices.Equal(names, []string{"seed=9", "seed=10", "seed=11"}) {
		t.Errorf("random:3:9 runs %v", names)
	}
}

// TestParse has plans that cannot be read.
func TestParse(t *testing.T) {
	for _, bad := range []string{"", "frob", "random:", "random:0", "random:-1", "random:1:x", "random:1:2:3", "all:1:2", "all:99999999999", "seed=", "seed=-1",
		"order=", "order=1", "order=1:0", "order=2:1,1:1", "order=1:1,1:2", "order=x:1"} {
		if p, err := Parse(bad); err == nil {
			t.Errorf("%q is %+v", bad, p)
		}
	}
}
