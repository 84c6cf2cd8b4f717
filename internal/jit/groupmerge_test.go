package jit_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// placeInputs are the built-in inputs that tell the place of an invocation.
var placeInputs = []string{"global.x", "global.y", "global.z", "local.x", "local.y", "local.z", "workgroup.x", "workgroup.y", "workgroup.z", "numworkgroups.x", "numworkgroups.y", "numworkgroups.z", "localindex"}

// inputsProgram stores each of placeInputs to a resource, to an element that differs between all invocations of a dispatch of
// at most 2048 in x, 8 in y and 8 in z.
func inputsProgram(local [3]uint32) string {
	var b strings.Builder
	fmt.Fprintf(&b, "program \"g\" compute\nsubgroup 16\nlocal %d %d %d\n", local[0], local[1], local[2])
	for _, n := range placeInputs {
		fmt.Fprintf(&b, "in %s i32 0\n", n)
	}
	for i := range placeInputs {
		fmt.Fprintf(&b, "res storage 0 %d count 1\n", i)
	}
	b.WriteString("effects writes\n\nfunc \"main\"() L1 {\n")
	for i := range placeInputs {
		fmt.Fprintf(&b, "\tv%d = in.i32 #%d\n\tv%d = res 0:i32, #%d\n", 2+i, i, 30+i, i)
	}
	b.WriteString("\tv20 = shl.i32 v4, 3:i32\n\tv21 = add.i32 v20, v3\n\tv22 = shl.i32 v21, 11:i32\n\tv23 = add.i32 v22, v2\n\tv24 = at 0:i32, v23, #4\n")
	for i := range placeInputs {
		fmt.Fprintf(&b, "\tst.i32 v%d, v24, v%d, #0\n", 30+i, 2+i)
	}
	b.WriteString("}\n")
	return b.String()
}

// placeOutputs returns the resources of inputsProgram.
func placeOutputs() (list [][]exec.Buffer) {
	for range placeInputs {
		list = append(list, []exec.Buffer{{Bytes: make([]byte, 4<<17)}})
	}
	return list
}

// samePlaces reports whether the resources of inputsProgram have equal bytes.
func samePlaces(a, b [][]exec.Buffer) bool {
	return slices.EqualFunc(a, b, func(x, y []exec.Buffer) bool { return bytes.Equal(x[0].Bytes, y[0].Bytes) })
}

// TestMergedGroups checks that no invocation can tell that its workgroup is one with others: for all sizes of small workgroups, and
// numbers of them that are no multiple of those that are one.
func TestMergedGroups(t *testing.T) { eachLevel(t, testMergedGroups) }

func testMergedGroups(t *testing.T, engine jit.Engine) {
	for _, c := range []struct {
		local, groups, base [3]uint32
		merged              bool
	}{
		{[3]uint32{1, 1, 1}, [3]uint32{200, 1, 1}, [3]uint32{}, true},
		{[3]uint32{1, 1, 1}, [3]uint32{65, 3, 2}, [3]uint32{0, 1, 1}, true},
		{[3]uint32{1, 1, 1}, [3]uint32{1030, 2, 1}, [3]uint32{}, true},
		{[3]uint32{1, 1, 1}, [3]uint32{700, 1, 3}, [3]uint32{0, 2, 0}, true},
		{[3]uint32{2, 1, 1}, [3]uint32{1023, 1, 1}, [3]uint32{}, true},
		{[3]uint32{2, 1, 1}, [3]uint32{129, 2, 1}, [3]uint32{}, true},
		{[3]uint32{4, 1, 1}, [3]uint32{64, 2, 2}, [3]uint32{}, true},
		{[3]uint32{3, 1, 1}, [3]uint32{100, 2, 1}, [3]uint32{}, true},
		{[3]uint32{4, 2, 1}, [3]uint32{71, 2, 1}, [3]uint32{}, true},
		{[3]uint32{2, 2, 2}, [3]uint32{70, 2, 2}, [3]uint32{}, true},
		{[3]uint32{1, 4, 1}, [3]uint32{100, 2, 1}, [3]uint32{}, true},
		{[3]uint32{32, 1, 1}, [3]uint32{33, 1, 1}, [3]uint32{}, true},
		{[3]uint32{1, 1, 1}, [3]uint32{200, 1, 1}, [3]uint32{5, 0, 0}, false},
		{[3]uint32{1, 1, 1}, [3]uint32{0, 1, 1}, [3]uint32{}, false},
		{[3]uint32{64, 1, 1}, [3]uint32{20, 1, 1}, [3]uint32{}, false},
	} {
		text := inputsProgram(c.local)
		job := exec.Job{Groups: c.groups, Base: c.base, Workers: 1}
		p := compileWith(t, engine, text)
		job.Resources = placeOutputs()
		want := job
		want.Resources = placeOutputs()
		if err := compileWith(t, interp.Engine{}, text).Run(context.Background(), &want); err != nil {
			t.Fatal(err)
		}
		if err := p.Run(context.Background(), &job); err != nil {
			t.Fatal(err)
		}
		if !samePlaces(want.Resources, job.Resources) {
			t.Errorf("local %d, groups %d, base %d: the inputs differ", c.local, c.groups, c.base)
		}
		if got := jit.MergedGroups(p) > 0; got != c.merged && c.merged {
			t.Errorf("local %d: workgroups are not merged", c.local)
		}
	}
}

// TestMergedRows: long rows have more workgroups in one, and the first and last ones of a row run, also if the program ends in the middle of
// a strip of all parts.
func TestMergedRows(t *testing.T) {
	eachLevel(t, func(t *testing.T, engine jit.Engine) {
		for _, c := range []struct {
			local, row, factor uint32
		}{{1, 100, 64}, {1, 511, 64}, {1, 512, 128}, {1, 1030, 256}, {4, 1030, 64}, {3, 2000, 64}, {32, 300, 8}} {
			text := fmt.Sprintf("program \"g\" compute\nsubgroup 16\nlocal %d 1 1\npush 4\nin global.x i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\neffects writes\n\n"+
				"func \"main\"() L1 {\n\tv1 = res 0:i32, #0\n\tv2 = res 0:i32, #1\n\tv3 = in.i32 #0\n\tv4 = push\n\tv5 = ld.i32 v4, 0:i32, #0\n\tv6 = ult.i32 v3, v5\n\tif v6 {\n"+
				"\t\tv7 = at 0:i32, v3, #4\n\t\tv8 = ld.f32 v1, v7, #0\n\t\tv9 = ld.f32 v2, v7, #0\n\t\tv10 = fadd.f32 v8, v9\n\t\tst.f32 v2, v7, v10, #0\n\t}\n}\n", c.local)
			n := int(c.local * c.row)
			for _, end := range []int{n, n - 1, n/2 + 3, 0} {
				job := func() *exec.Job {
					words := make([]uint32, n)
					for i := range words {
						words[i] = 0x3f800000 + uint32(i)<<8
					}
					return &exec.Job{Groups: [3]uint32{c.row, 1, 1}, Workers: 1, Push: binary.LittleEndian.AppendUint32(nil, uint32(end)),
						Resources: [][]exec.Buffer{buffer(words), buffer(slices.Clone(words))}}
				}
				p, want, got := compileWith(t, engine, text), job(), job()
				if err := compileWith(t, interp.Engine{}, text).Run(context.Background(), want); err != nil {
					t.Fatal(err)
				}
				if err := p.Run(context.Background(), got); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(want.Resources[1][0].Bytes, got.Resources[1][0].Bytes) {
					t.Errorf("%d workgroups of %d, end %d: another result", c.row, c.local, end)
				}
				if factor := jit.MergedGroups(p); factor != c.factor {
					t.Errorf("%d workgroups of %d: %d are one; must be %d", c.row, c.local, factor, c.factor)
				}
			}
		}
	})
}

// Programs whose results tell the order of workgroups: a counter, words that several invocations write after reading, and
// workgroup memory.
const (
	mergeHead = "program \"g\" compute\nsubgroup 16\nlocal 1 1 1\nin global.x i32 0\nres storage 0 0 count 1\n%s\nfunc \"main\"() L1 {\n\tv1 = res 0:i32, #0\n\tv2 = in.i32 #0\n\tv3 = at 0:i32, v2, #4\n"
	counted   = "\tv4 = atomadd.i32 v1, 0:i32, 1:i32, #0\n\tst.i32 v1, v3, v4, #4\n}\n"
	chained   = "\tv4 = ld.i32 v1, v3, #0\n\tv5 = add.i32 v4, 1:i32\n\tst.i32 v1, v3, v5, #4\n}\n"
)

// shared counts workgroups in words that the invocations of a workgroup have each for itself, but all workgroups have together.
const shared = `program "g" compute
subgroup 16
local 4 1 1
in local.x i32 0
res storage 0 0 count 1 disjoint
effects writes

func "main"() L1 {
	v1 = res 0:i32, #0
	v2 = in.i32 #0
	v3 = at 0:i32, v2, #4
	v4 = ld.i32 v1, v3, #0
	v5 = add.i32 v4, 1:i32
	st.i32 v1, v3, v5, #0
}
`

// lastOfTwo stores the number of each invocation where the last of a workgroup and the first of the next one meet.
const lastOfTwo = `program "g" compute
subgroup 16
local 1 2 1
in workgroup.x i32 0
in local.y i32 0
res storage 0 0 count 1
effects writes

func "main"() L1 {
	v1 = res 0:i32, #0
	v2 = in.i32 #0
	v3 = in.i32 #1
	v4 = shl.i32 v2, 1:i32
	v5 = add.i32 v4, v3
	v6 = add.i32 v5, 1:i32
	v7 = lshr.i32 v6, 1:i32
	v8 = at 0:i32, v7, #4
	st.i32 v1, v8, v5, #0
}
`

// TestGroupsInOrder checks that workgroups with results that tell their order are not merged.
func TestGroupsInOrder(t *testing.T) { eachLevel(t, testGroupsInOrder) }

func testGroupsInOrder(t *testing.T, engine jit.Engine) {
	for _, text := range []string{fmt.Sprintf(mergeHead, "effects writes") + counted, fmt.Sprintf(mergeHead, "effects writes") + chained, shared, lastOfTwo} {
		job := exec.Job{Groups: [3]uint32{300, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: make([]byte, 4096)}}}}
		same(t, run(interp.Engine{}, text, 0, job), run(engine, text, 0, job))
	}
}

// TestMergedSession checks that a session runs jobs one after another whose groups can be merged, and cannot.
func TestMergedSession(t *testing.T) {
	needMachine(t)
	text := inputsProgram([3]uint32{1, 1, 1})
	p, reference := compileWith(t, jit.Engine{}, text), compileWith(t, interp.Engine{}, text)
	var s exec.Session
	defer s.End()
	var stop atomic.Bool
	job := &exec.Job{Workers: 1, Resources: placeOutputs()}
	for _, c := range []struct{ groups, base [3]uint32 }{
		{[3]uint32{200, 1, 1}, [3]uint32{}}, {[3]uint32{130, 1, 1}, [3]uint32{}}, {[3]uint32{100, 1, 1}, [3]uint32{7, 0, 0}},
		{[3]uint32{1, 1, 1}, [3]uint32{}}, {[3]uint32{999, 1, 1}, [3]uint32{}},
	} {
		job.Groups, job.Base = c.groups, c.base
		for _, list := range job.Resources {
			clear(list[0].Bytes)
		}
		want := exec.Job{Groups: c.groups, Base: c.base, Workers: 1, Resources: placeOutputs()}
		if err := reference.Run(context.Background(), &want); err != nil {
			t.Fatal(err)
		}
		if err := s.Run(context.Background(), p, job, &stop); err != nil {
			t.Fatal(err)
		}
		if !samePlaces(want.Resources, job.Resources) {
			t.Errorf("groups %d, base %d: the inputs differ", c.groups, c.base)
		}
	}
}

// pressing is a program that stores to a second resource what it computes of n words of the first, all in registers at once.
func pressing(n int) string {
	var b strings.Builder
	b.WriteString("program \"g\" compute\nsubgroup 16\nlocal 1 1 1\nin global.x i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\neffects writes\n\nfunc \"main\"() L1 {\n")
	b.WriteString("\tv1 = res 0:i32, #0\n\tv2 = res 0:i32, #1\n\tv3 = in.i32 #0\n\tv4 = at 0:i32, v3, #4\n\tv100 = add.i32 v3, 1:i32\n")
	for i := range n {
		fmt.Fprintf(&b, "\tv%d = ld.i32 v1, v4, #%d\n\tv%d = add.i32 v%d, v%d\n", 10+i, 4*i, 101+i, 100+i, 10+i)
	}
	fmt.Fprintf(&b, "\tv200 = add.i32 v%d, 0:i32\n", 100+n)
	for i := range n {
		fmt.Fprintf(&b, "\tv%d = mul.i32 v%d, v%d\n\tv%d = xor.i32 v%d, v%d\n", 300+i, 10+n-1-i, 100+n, 201+i, 200+i, 300+i)
	}
	fmt.Fprintf(&b, "\tst.i32 v2, v4, v%d, #4\n}\n", 200+n)
	return b.String()
}

// TestMergedAliases checks that workgroups are not merged if a resource that they write has memory of another one, whether or not
// the strips of the merged code are wider than a subgroup.
func TestMergedAliases(t *testing.T) { eachLevel(t, testMergedAliases) }

func testMergedAliases(t *testing.T, engine jit.Engine) {
	job := func(memory []byte) *exec.Job {
		return &exec.Job{Groups: [3]uint32{300, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: memory}}, {{Bytes: memory}}}}
	}
	for _, text := range []string{pressing(1), pressing(48)} {
		want, got := make([]byte, 4096), make([]byte, 4096)
		if err := compileWith(t, interp.Engine{}, text).Run(context.Background(), job(want)); err != nil {
			t.Fatal(err)
		}
		if err := compileWith(t, engine, text).Run(context.Background(), job(got)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, got) {
			t.Error("the results tell that workgroups are merged")
		}
	}
}

// TestMergeTogether runs jobs of one program at once while its workgroups begin to be merged.
func TestMergeTogether(t *testing.T) {
	needMachine(t)
	defer jit.MergeAfter(jit.MergeAfter(1000))
	p := compileWith(t, jit.Engine{}, inputsProgram([3]uint32{2, 1, 1}))
	var all sync.WaitGroup
	jobs := make([]exec.Job, 4)
	for i := range jobs {
		jobs[i] = exec.Job{Groups: [3]uint32{70, 2, 1}, Workers: 2, Resources: placeOutputs()}
		all.Go(func() {
			for range 5 {
				if err := p.Run(context.Background(), &jobs[i]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for i := range jobs[1:] {
		if !samePlaces(jobs[0].Resources, jobs[1+i].Resources) {
			t.Error("the results of equal jobs differ")
		}
	}
	if jit.MergedGroups(p) == 0 {
		t.Error("no workgroups are merged")
	}
}

// TestMergeAfter checks that workgroups are merged only after as many as make a compilation worth while, in runs and in a session.
func TestMergeAfter(t *testing.T) {
	needMachine(t)
	defer jit.MergeAfter(jit.MergeAfter(1000))
	var s exec.Session
	defer s.End()
	var stop atomic.Bool
	inSession := func(ctx context.Context, p exec.Program, job *exec.Job) error { return s.Run(ctx, p, job, &stop) }
	for _, run := range []func(context.Context, exec.Program, *exec.Job) error{exec.Run, inSession} {
		p := compileWith(t, jit.Engine{}, inputsProgram([3]uint32{1, 1, 1}))
		job := &exec.Job{Groups: [3]uint32{400, 1, 1}, Workers: 1, Resources: placeOutputs()}
		for i, want := range []bool{false, false, true, true} {
			if err := run(context.Background(), p, job); err != nil {
				t.Fatal(err)
			}
			if got := jit.MergedGroups(p) > 0; got != want {
				t.Errorf("run %d: merged is %v; want %v", i, got, want)
			}
		}
		s.End()
	}
}

// TestMergedLengths checks the inputs of merged workgroups in programs with each number of operations: the added ones may move the others.
func TestMergedLengths(t *testing.T) {
	needMachine(t)
	text := inputsProgram([3]uint32{4, 2, 1})
	for n := range 80 {
		var more strings.Builder
		for i := range n {
			fmt.Fprintf(&more, "\tv%d = add.i32 v2, %d:i32\n", 100+i, i)
		}
		program := strings.TrimSuffix(text, "}\n") + more.String() + "}\n"
		var lists [][][]exec.Buffer
		for _, e := range []exec.Engine{interp.Engine{}, jit.Engine{}} {
			job := exec.Job{Groups: [3]uint32{71, 2, 1}, Workers: 1, Resources: placeOutputs()}
			if err := compileWith(t, e, program).Run(context.Background(), &job); err != nil {
				t.Fatal(err)
			}
			lists = append(lists, job.Resources)
		}
		if !samePlaces(lists[0], lists[1]) {
			t.Fatalf("%d operations more: the inputs differ", n)
		}
	}
}

// reportsProgram logs two messages in some invocations, with numbers of the invocation, and one of the messages twice in a row.
func reportsProgram(local [3]uint32, kind string) string {
	return fmt.Sprintf(`program "g" compute
subgroup 16
local %d %d %d
in global.x i32 0
in localindex i32 0
res storage 0 0 count 1
message %s "a %%u %%u" i32 i32 site 1 0 "r" "" 1 0 "" 0 0
message %s "b %%u" i32 site 1 0 "r" "" 2 0 "" 0 0

func "main"() L1 {
	v1 = res 0:i32, #0
	v2 = in.i32 #0
	v3 = in.i32 #1
	v4 = mul.i32 v2, 40503:i32
	v5 = and.i32 v4, 15:i32
	v6 = ult.i32 v5, 3:i32
	v7 = and.i32 v4, 64:i32
	v8 = eq.i32 v7, 0:i32
	v9 = ult.i32 30:i32, v2
	v10 = and.b1 v6, v9
	if v10 {
		log #0
		logarg.i32 v2
		logarg.i32 v3
		log #0
		logarg.i32 v3
		logarg.i32 v2
	}
	v11 = at 0:i32, v2, #4
	st.i32 v1, v11, v4, #0
	if v8 {
		log #1
		logarg.i32 v4
	}
}
`, local[0], local[1], local[2], kind, kind)
}

// TestMergedReports checks that the reports of merged subgroups and workgroups are the same: the invocations, values and numbers.
// Messages of printf keep their order.
func TestMergedReports(t *testing.T) { eachLevel(t, testMergedReports) }

func testMergedReports(t *testing.T, engine jit.Engine) {
	for _, c := range []struct {
		local, groups [3]uint32
		kind          string
		merged        bool
	}{
		{[3]uint32{1, 1, 1}, [3]uint32{333, 2, 1}, "undefined", true},
		{[3]uint32{3, 1, 1}, [3]uint32{100, 1, 3}, "undefined", true},
		{[3]uint32{4, 2, 1}, [3]uint32{71, 2, 1}, "unwritten", true},
		{[3]uint32{32, 1, 1}, [3]uint32{33, 1, 1}, "undefined", true},
		{[3]uint32{64, 1, 1}, [3]uint32{17, 2, 1}, "undefined", false},
		{[3]uint32{256, 1, 1}, [3]uint32{3, 1, 1}, "undefined", false},
		{[3]uint32{1, 1, 1}, [3]uint32{333, 2, 1}, "print", false},
		{[3]uint32{64, 1, 1}, [3]uint32{17, 1, 1}, "print", false},
	} {
		text := reportsProgram(c.local, c.kind)
		log := func(e exec.Engine) (exec.Program, string) {
			p := compileWith(t, e, text)
			job := exec.Job{Groups: c.groups, Workers: 3, Log: new(exec.Log), Resources: [][]exec.Buffer{{{Bytes: make([]byte, 1<<14)}}}}
			if err := p.Run(context.Background(), &job); err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, r := range job.Log.Reports() {
				fmt.Fprintln(&b, r.First.Number, r.First.Group, r.First.Local(), r.First.Args, r.Times)
			}
			for _, m := range job.Log.Messages() {
				fmt.Fprintln(&b, m.Number, m.Group, m.Local(), m.Args)
			}
			return p, b.String()
		}
		_, want := log(interp.Engine{})
		p, got := log(engine)
		if got != want {
			t.Errorf("local %d, groups %d, %s: the log is\n%swant\n%s", c.local, c.groups, c.kind, got, want)
		}
		if merged := jit.MergedGroups(p) > 0; merged != c.merged {
			t.Errorf("local %d, groups %d, %s: merged workgroups: %v", c.local, c.groups, c.kind, merged)
		}
		if lanes, wide := jit.StripLanes(p), c.local[0] >= 64 && c.kind != "print"; c.local[0] != 32 && lanes > 16 != wide {
			t.Errorf("local %d, groups %d, %s: strips of %d lanes", c.local, c.groups, c.kind, lanes)
		}
	}
}
