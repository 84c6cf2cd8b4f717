package lower

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/internal/modgen"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// TestAccepted demands that what valid accepts is lowered, or named as
// unsupported: no module that keeps the rules makes no sense. It takes the cases
// of the rules, modules that modgen makes, and both with words changed.
func TestAccepted(t *testing.T) {
	env, ok := valid.ParseEnv("vulkan1.3")
	if !ok {
		t.Fatal("no environment")
	}
	var accepted, lowered, unsupported int
	judge := func(name string, words []uint32) {
		m, err := spirv.FromWords(words)
		if err != nil {
			return
		}
		report, err := valid.Check(context.Background(), facts.Gather(m, nil), env, valid.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !report.Clean() {
			return
		}
		v := report.Module
		for i := range v.Facts().EntryPoints {
			accepted++
			var u *Unsupported
			switch _, err := Stage(v, &v.Facts().EntryPoints[i], Options{}); {
			case err == nil:
				lowered++
			case errors.As(err, &u):
				unsupported++
			default:
				t.Errorf("%s: accepted, and yet: %v", name, err)
			}
		}
	}
	all := acceptable(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		words := all[name]
		judge(name, words)
		r := rand.New(rand.NewPCG(uint64(crc32.ChecksumIEEE([]byte(name))), 0)) // a new case leaves the others as they are
		for range 10 {
			judge(name+" changed", changed(r, words))
		}
	}
	t.Logf("%d entry points accepted, %d lowered, %d unsupported", accepted, lowered, unsupported)
	if lowered == 0 {
		t.Error("nothing was lowered")
	}
}

// acceptable returns modules most of which keep the rules.
func acceptable(t *testing.T) map[string][]uint32 {
	out := map[string][]uint32{}
	for seed := range uint64(40) {
		words := asmtest.Words(t, modgen.New(seed, modgen.Options{}).Text, modgen.Version)
		out[fmt.Sprintf("module %02d", seed)] = words
	}
	files, err := filepath.Glob("../../valid/testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range a.Files {
			if words, err := asm.Assemble(s.Data, asm.AssembleOptions{}); err == nil {
				out[filepath.Base(file)+" "+s.Name] = words
			}
		}
	}
	return out
}

// changed returns words with one of them changed.
func changed(r *rand.Rand, words []uint32) []uint32 {
	out := slices.Clone(words)
	at := spirv.HeaderWords + r.IntN(len(out)-spirv.HeaderWords)
	if r.IntN(2) == 0 {
		out[at] = r.Uint32N(words[3])
	} else {
		out[at] ^= 1 << r.IntN(5)
	}
	return out
}
