package valid

import (
	"context"
	"encoding/binary"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// seeds are the modules of all cases, as bytes.
func seeds(f *testing.F) [][]byte {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	var out [][]byte
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range a.Files {
			if words, err := asm.Assemble(s.Data, asm.AssembleOptions{}); err == nil {
				out = append(out, asm.Bytes(words))
			}
		}
	}
	return out
}

// FuzzCheck checks modules with changed words. A module that decodes is checked
// without a panic, in bounded time, and twice with the same result; findings are in
// module order and at existing instructions.
func FuzzCheck(f *testing.F) {
	for i, data := range seeds(f) {
		f.Add(data, byte(i), byte(i/7))
	}
	names := asm.Targets()
	f.Fuzz(func(t *testing.T, data []byte, which, device byte) {
		if len(data) > 1<<16 {
			return
		}
		m, err := spirv.DecodeWith(data, spirv.Options{AllowUnknown: device&4 != 0})
		if err != nil {
			return
		}
		env, ok := ParseEnv(names[int(which)%len(names)])
		if !ok {
			t.Fatalf("no environment %s", names[int(which)%len(names)])
		}
		if d := DeviceNames(); device&3 != 0 {
			env.Device, _ = BuiltinDevice(d[int(device&3)%len(d)], env.Version)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		facts := facts.Gather(m, nil)
		r, err := Check(ctx, facts, env, Options{})
		if err != nil {
			t.Fatalf("not done in time: %d words", len(data)/4)
		}
		again, err := Check(ctx, facts, env, Options{})
		if err != nil || len(again.Findings) != len(r.Findings) {
			t.Fatalf("%d findings, and then %d", len(r.Findings), len(again.Findings))
		}
		for i := range r.Findings {
			x := &r.Findings[i]
			if x.Pos.Instruction < 0 || x.Pos.Instruction > m.Len() || i > 0 && x.Pos.Instruction < r.Findings[i-1].Pos.Instruction {
				t.Errorf("finding %d is at instruction %d of %d: %v", i, x.Pos.Instruction, m.Len(), x)
			}
			if _, ok := RuleOf(x.Code); !ok || x.Message != again.Findings[i].Message {
				t.Errorf("finding %d: %v, and then %v", i, x, &again.Findings[i])
			}
		}
	})
}

// TestMutated checks each module of the cases with one word changed in many
// ways, which fuzzing does longer.
func TestMutated(t *testing.T) {
	env, _ := ParseEnv("vulkan1.4")
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	state := uint32(1)
	random := func(n int) int { // a linear congruential generator: the same each time
		state = state*1664525 + 1013904223
		return int(state>>8) % n
	}
	judged := 0
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range a.Files {
			words, err := asm.Assemble(s.Data, asm.AssembleOptions{})
			if err != nil {
				continue // it needs an older version
			}
			for range 20 {
				data := asm.Bytes(words)
				at := spirv.HeaderWords + random(len(words)-spirv.HeaderWords)
				switch w := words[at]; random(4) {
				case 0:
					binary.LittleEndian.PutUint32(data[4*at:], w+1)
				case 1:
					binary.LittleEndian.PutUint32(data[4*at:], words[random(len(words))])
				case 2:
					binary.LittleEndian.PutUint32(data[4*at:], w^1<<random(16))
				case 3:
					binary.LittleEndian.PutUint32(data[4*at:], uint32(random(int(words[3])+1)))
				}
				if m, err := spirv.Decode(data); err == nil {
					judged++
					if _, err := Check(context.Background(), facts.Gather(m, nil), env, Options{}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	t.Logf("%d modules", judged)
}
