//go:build unix

package conformance

import (
	"errors"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// TestStop stops lowering, the passes and each engine at every few polls of a
// compilation. Each returns the error of the stop function, and polls it no more.
func TestStop(t *testing.T) {
	m, err := spirv.Decode(families[2].module(t, 30_000))
	if err != nil {
		t.Fatal(err)
	}
	f := facts.Gather(m, nil)
	lowered := func(stop func() error) (*ir.Program, error) {
		return lower.Stage(valid.Assume(f), &f.EntryPoints[0], lower.Options{Stop: stop})
	}
	p, err := lowered(nil)
	if err != nil {
		t.Fatal(err)
	}
	final := p.Clone()
	pass.Run(final)
	stages := map[string]func(stop func() error) error{
		"lower": func(stop func() error) error { _, err := lowered(stop); return err },
		"pass":  func(stop func() error) error { return pass.RunUntil(p.Clone(), stop) },
	}
	for _, e := range engines {
		if e.Name() == "jit" && !hasJIT() {
			continue
		}
		stages[e.Name()] = func(stop func() error) error {
			prog, err := e.Compile(final, exec.Options{Stop: stop})
			if err == nil {
				return prog.Close()
			}
			return err
		}
	}
	stopped := errors.New("stopped")
	for name, run := range stages {
		polls := 0
		if err := run(func() error { polls++; return nil }); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if polls < 10 {
			t.Errorf("%s: %d polls", name, polls)
		}
		for last := 1; last <= polls; last += max(1, polls/5) {
			n := 0
			err := run(func() error {
				if n++; n >= last {
					return stopped
				}
				return nil
			})
			if err != stopped || n != last {
				t.Errorf("%s: stopped at poll %d of %d: error %v after %d polls", name, last, polls, err, n)
			}
		}
	}
}
