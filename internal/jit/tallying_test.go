package jit

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

func TestTallying(t *testing.T) {
	p := &ir.Program{LocalSize: [3]uint32{64, 1, 1}, SubgroupSize: 16, Res: []ir.Resource{{Count: 1}, {Count: 2}}}
	memory := make([]byte, 1<<20)

	part := func(from, to int) exec.Buffer { return exec.Buffer{Bytes: memory[from:to]} }
	words, long := target.Tally{Op: ir.AtomAdd, Type: ir.I32}, target.Tally{Op: ir.AtomAdd, Type: ir.I64}
	for _, c := range []struct {
		what   string
		tally  target.Tally
		groups uint32
		first  exec.Buffer
		second []exec.Buffer
		want   [2]bool // of the descriptors of the second
	}{
		{"two", words, 1, part(0, 64), []exec.Buffer{part(64, 128), part(128, 256)}, [2]bool{true, true}},
		{"none that is bound", words, 1, part(0, 64), []exec.Buffer{part(0, 0), part(128, 256)}, [2]bool{false, true}},
		{"other accesses", target.Tally{}, 1, part(0, 64), []exec.Buffer{part(64, 128), part(128, 320)}, [2]bool{}},
		{"more than half as many words as lanes", words, 1, part(0, 64), []exec.Buffer{part(64, 128), part(128, 256+8)}, [2]bool{true, false}},
		{"more than a cache holds", words, 1 << 14, part(0, 64), []exec.Buffer{part(64, 128), part(128, 128+maxPrivateBytes)}, [2]bool{true, false}},
		{"more words than half the lanes of a worker", words, 2, part(0, 64), []exec.Buffer{part(64, 128), part(128, 256+8)}, [2]bool{true, false}},
		{"as much as a cache holds", words, 1 << 14, part(0, 64), []exec.Buffer{part(0, 0), part(128, 128+maxPrivateBytes)}, [2]bool{false, true}},
		{"as many long words", long, 1, part(0, 64), []exec.Buffer{part(64, 128), part(128, 384)}, [2]bool{true, true}},
		{"long words that are not aligned", long, 1, part(0, 64), []exec.Buffer{part(68, 132), part(136, 264)}, [2]bool{false, true}},
		{"a byte with another resource", words, 1, part(0, 72), []exec.Buffer{part(64, 128), part(128, 320)}, [2]bool{}},
		{"a byte with each other", words, 1, part(0, 64), []exec.Buffer{part(64, 136), part(128, 320)}, [2]bool{}},
	} {
		job := &exec.Job{Groups: [3]uint32{c.groups, 1, 1}, Workers: 2, Resources: [][]exec.Buffer{{c.first}, c.second}}
		h, places := new(handles), target.HandleLayoutOf(p)
		h.fill(p, &places, job, false)
		h.privatize(p, job, []target.Tally{{}, c.tally})
		for i, want := range c.want {
			if got := h.list[int(h.resources[2])+i].private != (target.Tally{}); got != want {
				t.Errorf("%s: descriptor %d: %v", c.what, i, got)
			}
		}
	}
}
