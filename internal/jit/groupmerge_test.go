package jit_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// inputsProgram stores the built-in inputs that tell the place of an invocation to an element of its own, which differs between
// all invocations of a dispatch of at most 16384 in x, 8 in y and 8 in z.
func inputsProgram(local [3]uint32) string {
	var b strings.Builder
	fmt.Fprintf(&b, "program \"g\" compute\nsubgroup 16\nlocal %d %d %d\n", local[0], local[1], local[2])
	names := []string{"global.x", "global.y", "global.z", "local.x", "local.y", "local.z", "workgroup.x", "workgroup.y", "workgroup.z", "numworkgroups.x", "numworkgroups.y", "numworkgroups.z", "localindex"}
	for _, n := range names {
		fmt.Fprintf(&b, "in %s i32 0\n", n)
	}
	b.WriteString("res storage 0 0 count 1\neffects writes\n\nfunc \"main\"() L1 {\n\tv1 = res 0:i32, #0\n")
	for i := range names {
		fmt.Fprintf(&b, "\tv%d = in.i32 #%d\n", 2+i, i)
	}
	b.WriteString("\tv20 = shl.i32 v4, 3:i32\n\tv21 = add.i32 v20, v3\n\tv22 = shl.i32 v21, 14:i32\n\tv23 = add.i32 v22, v2\n\tv24 = at 0:i32, v23, #64\n")
	for i := range names {
		fmt.Fprintf(&b, "\tst.i32 v1, v24, v%d, #%d\n", 2+i, 4*i)
	}
	b.WriteString("}\n")
	return b.String()
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
		job.Resources = [][]exec.Buffer{{{Bytes: make([]byte, 16<<20)}}}
		want := job
		want.Resources = [][]exec.Buffer{{{Bytes: make([]byte, 16<<20)}}}
		if err := compileWith(t, interp.Engine{}, text).Run(context.Background(), &want); err != nil {
			t.Fatal(err)
		}
		if err := p.Run(context.Background(), &job); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want.Resources[0][0].Bytes, job.Resources[0][0].Bytes) {
			t.Errorf("local %d, groups %d, base %d: the inputs differ", c.local, c.groups, c.base)
		}
		if got := jit.MergedGroups(p) > 0; got != c.merged && c.merged {
			t.Errorf("local %d: workgroups are not merged", c.local)
		}
	}
}

// Programs whose results tell the order of workgroups: a counter, words that several invocations write after reading, and
// workgroup memory.
const (
	mergeHead = "program \"g\" compute\nsubgroup 16\nlocal 1 1 1\nin global.x i32 0\nres storage 0 0 count 1\n%s\nfunc \"main\"() L1 {\n\tv1 = res 0:i32, #0\n\tv2 = in.i32 #0\n\tv3 = at 0:i32, v2, #4\n"
	counted   = "\tv4 = atomadd.i32 v1, 0:i32, 1:i32, #0\n\tst.i32 v1, v3, v4, #4\n}\n"
	chained   = "\tv4 = ld.i32 v1, v3, #0\n\tv5 = add.i32 v4, 1:i32\n\tst.i32 v1, v3, v5, #4\n}\n"
)

// TestGroupsInOrder checks that workgroups with results that tell their order are not merged.
func TestGroupsInOrder(t *testing.T) { eachLevel(t, testGroupsInOrder) }

func testGroupsInOrder(t *testing.T, engine jit.Engine) {
	for _, body := range []string{counted, chained} {
		text := fmt.Sprintf(mergeHead, "effects writes") + body
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
	job := &exec.Job{Workers: 1, Resources: [][]exec.Buffer{{{Bytes: make([]byte, 1<<20)}}}}
	for _, c := range []struct{ groups, base [3]uint32 }{
		{[3]uint32{200, 1, 1}, [3]uint32{}}, {[3]uint32{130, 1, 1}, [3]uint32{}}, {[3]uint32{100, 1, 1}, [3]uint32{7, 0, 0}},
		{[3]uint32{1, 1, 1}, [3]uint32{}}, {[3]uint32{999, 1, 1}, [3]uint32{}},
	} {
		job.Groups, job.Base = c.groups, c.base
		clear(job.Resources[0][0].Bytes)
		want := exec.Job{Groups: c.groups, Base: c.base, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: make([]byte, 1<<20)}}}}
		if err := reference.Run(context.Background(), &want); err != nil {
			t.Fatal(err)
		}
		if err := s.Run(context.Background(), p, job, &stop); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want.Resources[0][0].Bytes, job.Resources[0][0].Bytes) {
			t.Errorf("groups %d, base %d: the inputs differ", c.groups, c.base)
		}
	}
}
