package lower

import (
	"bytes"
	"context"
	"errors"
	"hash/fnv"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// TestCasesAtEverySize runs the module of each case in subgroups of every size, with
// the bytes of the case and with random bytes. The results are not known, but all
// engines must agree on them, before and after the passes. Without CHIARO_LONG a case
// runs with every third size, and different cases with different sizes.
func TestCasesAtEverySize(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(a.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "run") })
			if at < 0 {
				return
			}
			h := fnv.New64a()
			h.Write([]byte(name))
			for size := uint32(LeastSubgroup); size <= MaxSubgroup; size *= 2 {
				if log := uint64(bits.TrailingZeros32(size)); os.Getenv("CHIARO_LONG") == "" && (log+h.Sum64())%3 != 0 {
					continue
				}
				for seed := range uint64(2) {
					meetAtSize(t, a.Files[0].Data, string(a.Files[at].Data), size, seed*h.Sum64())
				}
			}
		})
	}
}

// meetAtSize runs a module on all engines and compares; seed 0 is for the bytes
// of the script.
func meetAtSize(t *testing.T, source []byte, text string, size uint32, seed uint64) {
	var want [][]byte
	var fails error
	for i, engine := range engines() {
		for k, behind := range []bool{false, true} {
			s, err := parseScript(text)
			if err != nil {
				t.Fatal(err)
			}
			s.options.SubgroupSize = size
			p, err := stage(t, source, s.spec, s.options)
			if err != nil {
				var no *Unsupported
				if errors.As(err, &no) || s.options.FullSubgroups {
					return // a matrix that a lane cannot hold, workgroups that are not full
				}
				t.Fatal(err)
			}
			if behind {
				p = passed(t, source, s.spec, s.options)
			}
			got, err := s.scramble(seed).run(engine, p)
			switch {
			case i+k == 0:
				want, fails = got, err
			case (err == nil) != (fails == nil):
				t.Fatalf("subgroups of %d, seed %#x: %s: %v; the interpreter: %v", size, seed, engine.Name(), err, fails)
			case err != nil:
			default:
				for j, b := range got {
					if !bytes.Equal(b, want[j]) {
						t.Fatalf("subgroups of %d, seed %#x: %s, behind passes %v: buffer %d:\n% x\nwant\n% x", size, seed, engine.Name(), behind, j, b, want[j])
					}
				}
			}
		}
	}
}

// places are the bindings that have buffers, in order.
func (s *script) places() []compute.Binding {
	var list []compute.Binding
	for at := range s.args.Bindings {
		list = append(list, at)
	}
	slices.SortFunc(list, func(a, b compute.Binding) int {
		return int(a.Set)<<16 + int(a.Binding) - int(b.Set)<<16 - int(b.Binding)
	})
	return list
}

// scramble gives all buffers other bytes, some of them numbers that are small or
// at an end of a range.
func (s *script) scramble(seed uint64) *script {
	if seed == 0 {
		return s
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for _, at := range s.places() {
		for _, b := range s.args.Bindings[at] {
			for i := range b.Bytes {
				b.Bytes[i] = []byte{byte(r.Uint32()), 0, 0, byte(r.Uint32() % 32), 0xff, 0x80, 0x7f, byte(r.Uint32())}[r.IntN(8)]
			}
		}
	}
	return s
}

// run runs a program and returns all buffers, regions and tensors.
func (s *script) run(e exec.Engine, p *ir.Program) (all [][]byte, err error) {
	prog, err := compute.NewPipeline(p, e, exec.Options{})
	if err != nil {
		return nil, err
	}
	defer prog.Close()
	s.args.Log, s.args.Workers, s.args.Budget = &exec.Log{}, 1, 1<<16
	if err := prog.Dispatch(context.Background(), s.args); err != nil {
		return nil, err
	}
	for _, at := range s.places() {
		for _, b := range s.args.Bindings[at] {
			all = append(all, b.Bytes)
		}
	}
	for _, r := range s.args.Regions {
		all = append(all, r.Bytes)
	}
	return all, nil
}
