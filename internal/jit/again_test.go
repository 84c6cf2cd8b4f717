package jit_test

import (
	"bytes"
	"math/rand"
	"sync"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/pass"
)

// codeOfSeed is the code of a random program, after all passes.
func codeOfSeed(t *testing.T, seed int64, level target.Level) []byte {
	p := irgen.Program(seed)
	pass.Run(p)
	run, err := jit.Engine{Level: level}.Compile(p, exec.Options{})
	if err != nil {
		t.Errorf("seed %d: %v", seed, err)
		return nil
	}
	defer run.Close()
	return bytes.Clone(run.(interface{ Code() []byte }).Code())
}

// TestCodeAgain: the code of a program is the same whatever was compiled before, in the
// memory that is used again, and whatever is compiled beside it.
func TestCodeAgain(t *testing.T) {
	needMachine(t)
	const programs, compilers = 40, 4
	for _, level := range jit.Levels() {
		var want [programs][]byte
		for i := range want {
			want[i] = codeOfSeed(t, int64(i), level)
		}
		var wait sync.WaitGroup
		for c := range compilers {
			wait.Go(func() {
				for _, i := range rand.New(rand.NewSource(int64(c))).Perm(programs) {
					if !bytes.Equal(codeOfSeed(t, int64(i), level), want[i]) {
						t.Errorf("seed %d, %s: the code is another one, compiled again", i, level)
					}
				}
			})
		}
		wait.Wait()
	}
}
