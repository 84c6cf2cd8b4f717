package pass

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
)

// outcome runs a program and returns the contents of its memory.
func outcome(t *testing.T, p *ir.Program) []byte {
	t.Helper()
	prog, err := interp.Engine{}.Compile(p, exec.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	defer prog.Close()
	job := irgen.Job()
	if err := prog.Run(context.Background(), job); err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	return irgen.Bytes(job)
}

// seen has the encodings of programs that have run with the right result. A pass often changes nothing; an equal program
// computes the same.
type seen map[string]bool

// again reports whether an equal program has run, and enters the program.
func (s seen) again(p *ir.Program) bool {
	key := string(p.Append(nil))
	if s[key] {
		return true
	}
	s[key] = true
	return false
}

// agree fails if the program does not verify or computes other bytes.
func agree(t *testing.T, seed int64, name func() string, p *ir.Program, want []byte, ran seen) {
	t.Helper()
	if ran.again(p) {
		return
	}
	if err := p.Verify(); err != nil {
		t.Fatalf("seed %d, %s: %v\n%s", seed, name(), err, p)
	}
	if got := outcome(t, p); !bytes.Equal(got, want) {
		t.Fatalf("seed %d, %s: other bytes\n%s", seed, name(), p)
	}
}

// TestRandom runs random programs before and after each pass, and after all.
func TestRandom(t *testing.T) {
	from, n := irgen.Seeds(t, 80, 30)
	for seed := from; seed < n; seed++ {
		fresh := func() *ir.Program { return irgen.Program(seed) }
		p := fresh()
		if err := p.Verify(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		want, ran := outcome(t, p), seen{}
		ran.again(p)
		before := p.String()
		for i, x := range Passes {
			one := fresh()
			x.Run(one)
			one.StateEffects()
			agree(t, seed, func() string { return fmt.Sprintf("%s alone, on\n%s\nyields", x.Name, before) }, one, want, ran)
			if i == 0 && seed%3 == 0 {
				continue // without inline others have more to do
			}
			last := p.Clone()
			x.Run(p)
			p.StateEffects()
			agree(t, seed, func() string { return fmt.Sprintf("pass %d, %s, on\n%s\nyields", i, x.Name, last) }, p, want, ran)
		}
		all := fresh()
		Run(all)
		agree(t, seed, func() string { return "all" }, all, want, ran)
	}
}

// left runs a program of Workgroup and returns the memory of its job.
func left(t *testing.T, seed int64, p *ir.Program) []byte {
	t.Helper()
	prog, err := interp.Engine{}.Compile(p, exec.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	defer prog.Close()
	job, memory := irgen.WorkgroupJob(seed)
	if err := prog.Run(context.Background(), job); err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	return memory
}

// TestWorkgroups is TestRandom for programs with interacting invocations: each pass
// alone, and all in order. It uses even seeds only: their read-only buffers do not
// overlap written ones, which passes rely on.
func TestWorkgroups(t *testing.T) {
	from, n := irgen.Seeds(t, 300, 60)
	for seed := from; seed < n; seed++ {
		even := 2 * seed
		p := irgen.Workgroup(even)
		want, ran := left(t, even, p), seen{}
		ran.again(p)
		for _, x := range Passes {
			one := irgen.Workgroup(even)
			for _, p := range []*ir.Program{one, p} {
				x.Run(p)
				p.StateEffects()
				if ran.again(p) {
					continue
				}
				if err := p.Verify(); err != nil {
					t.Fatalf("seed %d, %s: %v\n%s", even, x.Name, err, p)
				}
				if !bytes.Equal(left(t, even, p), want) {
					t.Fatalf("seed %d, %s: other bytes\n%s", even, x.Name, p)
				}
			}
		}
	}
}

// TestQuads is the same for programs with quad operations, helper lanes and lanes
// that end early.
func TestQuads(t *testing.T) {
	n := int64(120)
	if testing.Short() {
		n = 40
	}
	outcome := func(seed int64, p *ir.Program) []byte {
		prog, err := interp.Engine{}.Compile(p, exec.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		defer prog.Close()
		job, memory := irgen.QuadsJob(seed)
		if err := prog.Run(context.Background(), job); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		return memory()
	}
	for seed := range n {
		if seed%4 == 3 {
			continue // a read-only buffer may overlap a written one, which passes rule out
		}
		p := irgen.Quads(seed)
		want, ran := outcome(seed, p), seen{}
		ran.again(p)
		for _, x := range Passes {
			one := irgen.Quads(seed)
			for _, p := range []*ir.Program{one, p} {
				x.Run(p)
				p.StateEffects()
				if ran.again(p) {
					continue
				}
				if err := p.Verify(); err != nil {
					t.Fatalf("seed %d, %s: %v\n%s", seed, x.Name, err, p)
				}
				if !bytes.Equal(outcome(seed, p), want) {
					t.Fatalf("seed %d, %s: other bytes\n%s", seed, x.Name, p)
				}
			}
		}
	}
}
