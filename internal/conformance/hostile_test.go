package conformance

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// travel sends a module, sound or not, all the way to memory. It may be
// refused anywhere, by an error; what is not refused must verify, before and
// after the passes, and end.
func travel(t *testing.T, data []byte) {
	m, err := spirv.Decode(data)
	if err != nil {
		return
	}
	f := facts.Gather(m, nil)
	for i := range f.EntryPoints {
		p, err := lower.Stage(valid.Assume(f), &f.EntryPoints[i], lower.Options{MaxValues: 1 << 16})
		if err != nil {
			continue
		}
		if err := p.Verify(); err != nil {
			t.Fatalf("lower made what does not verify: %v\n%s", err, p)
		}
		pass.Run(p)
		if err := p.Verify(); err != nil {
			t.Fatalf("the passes made what does not verify: %v\n%s", err, p)
		}
		runBriefly(t, p)
	}
}

// runBriefly runs one workgroup with little memory, time and budget.
func runBriefly(t *testing.T, p *ir.Program) {
	prog, err := interp.Engine{}.Compile(p, exec.Options{})
	if err != nil {
		return
	}
	defer prog.Close()
	bindings := map[compute.Binding][]exec.Buffer{}
	for _, r := range p.Res {
		bindings[compute.Binding{Set: r.Set, Binding: r.Binding}] = []exec.Buffer{{Bytes: make([]byte, 64)}}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	err = compute.Dispatch(ctx, prog, compute.Args{Groups: [3]uint32{1, 1, 1}, Bindings: bindings, Workers: 1, Budget: 1000})
	if errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a thousand steps took half a minute\n%s", p)
	}
}

// hostileSeeds are sound modules to begin with: our own golden cases.
func hostileSeeds(t testing.TB) [][]byte {
	var seeds [][]byte
	add := func(name string, text []byte) {
		words, err := asm.Assemble(text, asm.AssembleOptions{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		seeds = append(seeds, asm.Bytes(words))
	}
	for _, pattern := range []string{"testdata/hostile/*.spvasm", "../../internal/lower/testdata/*/*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files %s: %v", pattern, err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(name) == ".spvasm" {
				add(name, text)
				continue
			}
			for _, part := range txtar.Parse(text).Files {
				if part.Name == "in.spvasm" {
					add(name, part.Data)
				}
			}
		}
	}
	if dir := os.Getenv("CHIARO_SPV_DIR"); dir != "" {
		files, err := filepath.Glob(filepath.Join(dir, "*.spv"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if data, err := os.ReadFile(name); err == nil {
				seeds = append(seeds, data)
			}
		}
	}
	return seeds
}

// FuzzModule sends mutated modules through every layer.
func FuzzModule(f *testing.F) {
	for _, s := range hostileSeeds(f) {
		f.Add(s)
	}
	f.Fuzz(travel)
}

// TestHostileModules changes sound modules at random. The sequence is the same
// in every run.
func TestHostileModules(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 10
	}
	for n, seed := range hostileSeeds(t) {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		travel(t, seed)
		for range rounds {
			travel(t, spoil(r, seed))
			travel(t, mutate(r, seed))
		}
	}
}

// spoil returns a copy with one to four of its words changed, whichever they
// are, or some cut out: few of them decode.
func spoil(r *rand.Rand, seed []byte) []byte {
	data := append([]byte(nil), seed...)
	words := len(data) / 4
	for range 1 + r.IntN(4) {
		i := 5 + r.IntN(words-5)
		if r.IntN(6) > 0 {
			old := binary.LittleEndian.Uint32(data[4*i:])
			binary.LittleEndian.PutUint32(data[4*i:], [...]uint32{old ^ 1<<r.IntN(32), old&0xffff0000 | uint32(r.IntN(500)), r.Uint32()}[r.IntN(3)])
			continue
		}
		j := min(words, i+1+r.IntN(8))
		data = append(data[:4*i], data[4*j:]...)
		if words -= j - i; words < 6 {
			break
		}
	}
	return data
}

// mutate returns a copy with one to four of its instructions changed, moved,
// doubled or left out, so that most of what it makes decodes: the seed, where
// nothing does.
func mutate(r *rand.Rand, seed []byte) []byte {
	m, err := spirv.Decode(seed)
	if err != nil {
		return seed
	}
	for range 20 {
		list := make([][]uint32, m.Len())
		for i := range list {
			list[i] = slices.Clone(m.Inst(i))
		}
		for range 1 + r.IntN(4) {
			list = mutateOne(r, list, m.Bound)
		}
		words := append(slices.Clone(m.Words[:5]), slices.Concat(list...)...)
		if got, err := spirv.FromWords(words); err == nil {
			return got.Encode()
		}
	}
	return seed
}

// mutateOne changes one instruction of a list.
func mutateOne(r *rand.Rand, list [][]uint32, bound uint32) [][]uint32 {
	i, j := r.IntN(len(list)), r.IntN(len(list))
	in, other := list[i], list[j]
	switch r.IntN(8) {
	case 0:
		list[i], list[j] = other, in
	case 1:
		return slices.Insert(list, j, slices.Clone(in))
	case 2:
		if len(list) > 1 {
			return slices.Delete(list, i, i+1)
		}
	case 3: // another opcode of the same length
		if len(in) == len(other) {
			in[0] = other[0]
		}
	default:
		if len(in) == 1 || len(other) == 1 {
			break
		}
		w := &in[1+r.IntN(len(in)-1)]
		*w = [...]uint32{1 + r.Uint32N(bound-1), other[1+r.IntN(len(other)-1)], *w + 1, *w - 1, 1 << r.IntN(32)}[r.IntN(5)]
	}
	return list
}
