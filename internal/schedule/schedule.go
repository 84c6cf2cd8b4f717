// Package schedule chooses orders of execution for exec.Job.Schedule: at random from a seed, as written, or all orders of a run one
// after the other. It refuses to know what runs.
//
// A run asks for a choice among n alternatives at each place where the order is free; 0 is the usual order. An order is
// written as the choices that are not 0: 3:1,7:2 chooses 1 at the choice number 3 and 2 at number 7 (delay-bounded scheduling,
// Emmi, Qadeer and Rakamarić 2011).
package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Order is an order of execution: its text, and the choices that make it.
type Order struct {
	seed    uint64
	random  bool
	changes []change
}

// change is a choice that is not 0.
type change struct{ at, take int }

// Usual is the order of a run without a schedule.
var Usual = Order{}

// Random returns the order of a seed.
func Random(seed uint64) Order { return Order{seed: seed, random: true} }

// String returns the text that Parse reads.
func (o Order) String() string {
	if o.random {
		return "seed=" + strconv.FormatUint(o.seed, 10)
	}
	if len(o.changes) == 0 {
		return "order=usual"
	}
	var list []string
	for _, c := range o.changes {
		list = append(list, fmt.Sprintf("%d:%d", c.at, c.take))
	}
	return "order=" + strings.Join(list, ",")
}

// Choices returns a function that makes the choices of one run.
func (o Order) Choices() func(alternatives int) int {
	if o.random {
		r := rand.New(rand.NewPCG(o.seed, 0))
		return r.IntN
	}
	n, next := -1, 0
	return func(int) int {
		if n++; next < len(o.changes) && o.changes[next].at == n {
			next++
			return o.changes[next-1].take
		}
		return 0
	}
}

// Plan is the orders to run.
type Plan struct {
	one    Order
	first  uint64 // seed
	Most   int    // orders at most
	random bool
	all    bool
}

// Limits of a plan.
const (
	defaultRandom = 100
	defaultAll    = 10000
	maxOrders     = 1 << 24
	maxChanges    = 1 << 12 // of a text
)

// Parse reads a plan: random, random:COUNT, random:COUNT:SEED, all, all:COUNT, seed=SEED, order=CHANGES.
func Parse(text string) (Plan, error) {
	fail := func() (Plan, error) {
		return Plan{}, fmt.Errorf("%q; must be random[:COUNT[:SEED]], all[:COUNT], seed=SEED, or order=NUMBER:CHOICE,… as a failure shows it", text)
	}
	if s, ok := strings.CutPrefix(text, "seed="); ok {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return fail()
		}
		return Plan{one: Random(n), Most: 1}, nil
	}
	if s, ok := strings.CutPrefix(text, "order="); ok {
		o, ok := parseOrder(s)
		if !ok {
			return fail()
		}
		return Plan{one: o, Most: 1}, nil
	}
	parts := strings.Split(text, ":")
	p := Plan{random: parts[0] == "random", all: parts[0] == "all", first: 1, Most: defaultRandom}
	if p.all {
		p.Most = defaultAll
	}
	if !p.random && !p.all || len(parts) > 3 || p.all && len(parts) > 2 {
		return fail()
	}
	if len(parts) > 1 {
		n, err := strconv.ParseUint(parts[1], 10, 32)
		if err != nil || n < 1 || n > maxOrders {
			return fail()
		}
		p.Most = int(n)
	}
	if len(parts) > 2 {
		n, err := strconv.ParseUint(parts[2], 10, 64)
		if err != nil {
			return fail()
		}
		p.first = n
	}
	return p, nil
}

func parseOrder(s string) (o Order, ok bool) {
	if s == "usual" {
		return Usual, true
	}
	list := strings.Split(s, ",")
	if len(list) > maxChanges {
		return o, false
	}
	last := -1
	for _, x := range list {
		a, b, _ := strings.Cut(x, ":")
		at, err := strconv.ParseUint(a, 10, 31)
		take, err2 := strconv.ParseUint(b, 10, 31)
		if err != nil || err2 != nil || int(at) <= last || take == 0 {
			return o, false
		}
		o.changes, last = append(o.changes, change{int(at), int(take)}), int(at)
	}
	return o, true
}

// maxWaiting bounds the changes that the orders of a search hold while they wait.
const maxWaiting = 1 << 24

// Run calls run with the orders of the plan, until run returns false. all reports that every order of the run was among them. An
// exhaustive plan begins with the orders that differ least from the usual one. run must make the same choices possible for the same
// order.
func (p Plan) Run(run func(o Order, choices func(alternatives int) int) bool) (orders int, all bool) {
	switch {
	case p.random:
		for i := range p.Most {
			o := Random(p.first + uint64(i))
			if !run(o, o.Choices()) {
				return i + 1, false
			}
		}
		return p.Most, false
	case !p.all:
		run(p.one, p.one.Choices())
		return 1, false
	}
	waiting, held, left := []Order{Usual}, 0, true
	for n := 0; len(waiting) > 0; {
		if n == p.Most {
			return n, false
		}
		o := waiting[0]
		waiting[0] = Order{}
		waiting = waiting[1:]
		held -= len(o.changes)
		choices := o.Choices()
		var counts []int // of alternatives, behind the last change
		at, last := -1, -1
		if k := len(o.changes); k > 0 {
			last = o.changes[k-1].at
		}
		keep := p.Most - n - len(waiting) // more orders than these never run
		sum := 0
		n++
		again := run(o, func(alternatives int) int {
			if at++; at > last && sum < keep {
				for len(counts) < at-last-1 {
					counts = append(counts, 1)
				}
				counts = append(counts, alternatives)
				sum += alternatives - 1
			}
			return choices(alternatives)
		})
		if !again {
			return n, false
		}
		for i, alternatives := range counts {
			for take := 1; take < alternatives; take++ {
				if len(waiting)+n > p.Most || held > maxWaiting {
					left = false
					break
				}
				changes := append(slices.Clip(o.changes), change{last + 1 + i, take})
				held += len(changes)
				waiting = append(waiting, Order{changes: changes})
			}
		}
		orders = n
	}
	return orders, left
}
