package chiaro

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
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
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err = compute.Dispatch(ctx, prog, compute.Args{Groups: [3]uint32{1, 1, 1}, Bindings: bindings, Workers: 1, Budget: 1000})
	if errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a thousand steps took five seconds\n%s", p)
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
	for _, pattern := range []string{"testdata/hostile/*.spvasm", "internal/lower/testdata/*/*.txtar"} {
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

// FuzzModule sends mutated modules through every floor.
func FuzzModule(f *testing.F) {
	for _, s := range hostileSeeds(f) {
		f.Add(s)
	}
	f.Fuzz(travel)
}

// TestHostileModules changes words of sound modules at random: ids, opcodes,
// lengths, literals. The sequence is the same in every run.
func TestHostileModules(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 30
	}
	for n, seed := range hostileSeeds(t) {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		travel(t, seed)
		for range rounds {
			travel(t, mutate(r, seed))
		}
	}
}

// mutate returns a copy with one to four words changed, or some cut out.
func mutate(r *rand.Rand, seed []byte) []byte {
	data := append([]byte(nil), seed...)
	words := len(data) / 4
	word := func(i int) []byte { return data[4*i:] }
	for range 1 + r.IntN(4) {
		i := 5 + r.IntN(words-5)
		old := binary.LittleEndian.Uint32(word(i))
		switch r.IntN(6) {
		case 0:
			binary.LittleEndian.PutUint32(word(i), uint32(r.IntN(int(binary.LittleEndian.Uint32(word(3))))))
		case 1:
			binary.LittleEndian.PutUint32(word(i), old^1<<r.IntN(32))
		case 2:
			binary.LittleEndian.PutUint32(word(i), old&0xffff0000|uint32(r.IntN(500)))
		case 3:
			binary.LittleEndian.PutUint32(word(i), binary.LittleEndian.Uint32(word(5+r.IntN(words-5))))
		case 4:
			binary.LittleEndian.PutUint32(word(i), r.Uint32())
		case 5:
			j := min(words, i+1+r.IntN(8))
			data = append(data[:4*i], data[4*j:]...)
			words -= j - i
			if words < 6 {
				return data
			}
		}
	}
	return data
}
