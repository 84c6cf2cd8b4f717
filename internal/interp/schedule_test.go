package interp_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/schedule"
)

// The programs have subgroups of one or two invocations. Vulkan defines no order between invocations, except at barriers.
const (
	// Two groups add 1 to a word, by a load and a store: 6 interleavings of 2 and 2 accesses, 2 of which keep both sums.
	lostUpdate = `program "lost" compute
subgroup 1
local 1 1 1
in localindex i32 0
res storage 0 0 count 1

func "main"() L1 {
	vh = res 0:i32, #0
	v0 = ld.i32 vh, 0:i32, #0
	v1 = add.i32 v0, 1:i32
	st.i32 vh, 0:i32, v1, #0
}
`
	// Two subgroups: the first stores to a word of workgroup memory. Both load it after a barrier.
	handover = `program "handover" compute
subgroup 1
local 2 1 1
shared 4
in localindex i32 0
res storage 0 0 count 1

func "main"() L1 {
	vi = in.i32 #0
	vh = res 0:i32, #0
	vw = wg
	v0 = eq.i32 vi, 0:i32
	if v0 {
		st.i32 vw, 0:i32, 7:i32, #0
	}
	barrier
	v1 = ld.i32 vw, 0:i32, #0
	vo = mul.i32 vi, 4:i32
	st.i32 vh, vo, v1, #0
}
`
	// Two invocations of a subgroup store their numbers to one word.
	sameWord = `program "same" compute
subgroup 2
local 2 1 1
in localindex i32 0
res storage 0 0 count 1

func "main"() L1 {
	vi = in.i32 #0
	vh = res 0:i32, #0
	st.i32 vh, 0:i32, vi, #0
}
`
	// Message passing by two groups, the first of which stores data and then a flag, and the second reads the flag and then the data.
	message = `program "message" compute
subgroup 1
local 1 1 1
in workgroup.x i32 0
res storage 0 0 count 1

func "main"() L1 {
	vg = in.i32 #0
	vh = res 0:i32, #0
	v0 = eq.i32 vg, 0:i32
	if v0 {
		st.i32 vh, 0:i32, 1:i32, #0
		st.i32 vh, 4:i32, 1:i32, #0
	} else {
		v1 = ld.i32 vh, 4:i32, #0
		v2 = ld.i32 vh, 0:i32, #0
		st.i32 vh, 8:i32, v1, #0
		st.i32 vh, 12:i32, v2, #0
	}
}
`
)

// runOrders runs a program in each order of a plan. It returns the results, and how many orders there are.
func runOrders(t *testing.T, text, plan string, groups uint32, words int, inOrder bool) (results []string, orders int, all bool) {
	t.Helper()
	p, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := interp.Engine{}.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer prog.Close()
	plans, err := schedule.Parse(plan)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	orders, all = plans.Run(func(_ schedule.Order, choices func(int) int) bool {
		memory := make([]uint64, words)
		data := unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), 4*words)
		job := &exec.Job{Groups: [3]uint32{groups, 1, 1}, Resources: [][]exec.Buffer{{{Bytes: data}}}, Schedule: choices, InOrder: inOrder}
		if err := prog.Run(context.Background(), job); err != nil {
			t.Fatal(err)
		}
		var list []uint32
		for i := range words {
			list = append(list, binary.LittleEndian.Uint32(data[4*i:]))
		}
		seen[fmt.Sprint(list)] = true
		return true
	})
	return slices.Sorted(maps.Keys(seen)), orders, all
}

// TestOrders checks the results of all orders, and their number.
func TestOrders(t *testing.T) {
	for _, c := range []struct {
		name, text    string
		groups        uint32
		words, orders int
		results       []string
	}{
		{"lost update", lostUpdate, 2, 1, 6, []string{"[1]", "[2]"}},
		// 6!/(2!)³ = 90 interleavings
		{"three lost updates", lostUpdate, 3, 1, 90, []string{"[1]", "[2]", "[3]"}},
		// two accesses of each subgroup after the barrier
		{"barrier", handover, 1, 2, 6, []string{"[7 7]"}},
		{"same word", sameWord, 1, 1, 2, []string{"[0]", "[1]"}},
		// 2 and 4 accesses: 6!/(2!·4!) = 15. An invocation's accesses stay in order, so flag 1 with data 0 is impossible.
		{"message", message, 2, 4, 15, []string{"[1 1 0 0]", "[1 1 0 1]", "[1 1 1 1]"}},
	} {
		results, orders, all := runOrders(t, c.text, "all", c.groups, c.words, false)
		if !slices.Equal(results, c.results) || orders != c.orders || !all {
			t.Errorf("%s: %d orders, all %v, with the results %q; must be %d with %q", c.name, orders, all, results, c.orders, c.results)
		}
	}
	if results, _, _ := runOrders(t, lostUpdate, "random:200", 2, 1, false); len(results) != 2 {
		t.Errorf("200 random orders have the results %q", results)
	}
	// More groups than are interleaved at once: each of them runs.
	if results, _, _ := runOrders(t, message, "random:3", 1, 4, false); !slices.Equal(results, []string{"[1 1 0 0]"}) {
		t.Errorf("one group has the results %q", results)
	}
	// Groups in order lose no update, while the invocations of a group remain in any order.
	if results, orders, all := runOrders(t, lostUpdate, "all", 3, 1, true); !slices.Equal(results, []string{"[3]"}) || orders != 1 || !all {
		t.Errorf("3 groups in order: %d orders, all %v, with the results %q", orders, all, results)
	}
	if results, _, _ := runOrders(t, sameWord, "all", 1, 1, true); len(results) != 2 {
		t.Errorf("one group in order has the results %q", results)
	}
	if results, _, _ := runOrders(t, sum, "random:20", 40, 1, false); !slices.Equal(results, []string{"[40]"}) {
		t.Errorf("40 groups that add 1 have the results %q", results)
	}
}

// sum adds 1 to a word with an atomic.
const sum = `program "sum" compute
subgroup 1
local 1 1 1
in localindex i32 0
res storage 0 0 count 1

func "main"() L1 {
	vh = res 0:i32, #0
	v0 = atomadd.i32 vh, 0:i32, 1:i32, #0
}
`

// wait has a group that waits in a loop for a store of the other one.
const wait = `program "wait" compute
subgroup 1
local 1 1 1
in workgroup.x i32 0
res storage 0 0 count 1

func "main"() L1 {
	vg = in.i32 #0
	vh = res 0:i32, #0
	v0 = eq.i32 vg, 0:i32
	if v0 {
		block L2 {
			loop L3() {
				v1 = ld.i32 vh, 0:i32, #0
				v2 = eq.i32 v1, 1:i32
				if v2 {
					br L2
				}
				br L3()
			}
		}
	} else {
		st.i32 vh, 0:i32, 1:i32, #0
	}
}
`

// TestProgress: a group has no right to run while another waits for it, so the usual order never ends; a fair order does.
func TestProgress(t *testing.T) {
	p, err := ir.Parse(wait)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := interp.Engine{}.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer prog.Close()
	run := func(o schedule.Order) error {
		memory := make([]uint64, 1)
		data := unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), 4)
		return prog.Run(context.Background(), &exec.Job{Groups: [3]uint32{2, 1, 1}, Budget: 1000, Resources: [][]exec.Buffer{{{Bytes: data}}}, Schedule: o.Choices()})
	}
	var endless *exec.BudgetError
	if err := run(schedule.Usual); !errors.As(err, &endless) {
		t.Errorf("the usual order: %v; must exhaust the budget", err)
	}
	for seed := range uint64(20) {
		if err := run(schedule.Random(seed)); err != nil {
			t.Errorf("the seed %d: %v", seed, err)
		}
	}
}
