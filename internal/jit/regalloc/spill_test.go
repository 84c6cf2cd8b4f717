package regalloc_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// No two registers overlap, each is aligned to its size or to 64 bytes, and
// none reaches into what goes out.
func TestSpill(t *testing.T) {
	f := &vcode.Func{}
	for i := range 100 {
		f.NewReg(vcode.Class(1 + i*7%3))
	}
	const outgoing = 192
	frame, ok := regalloc.Spill(f, outgoing, 1<<20)
	if !ok || frame.Size%regalloc.Alignment != 0 {
		t.Fatalf("ok %t, size %d", ok, frame.Size)
	}
	owner := make([]int, frame.Size)
	for r := 1; r < len(f.Classes); r++ {
		size, at := f.Classes[r].Size(), frame.Slots[r]
		if at < outgoing || at%min(size, regalloc.Alignment) != 0 {
			t.Errorf("register %d of %d bytes is at %d", r, size, at)
		}
		for i := at; i < at+size; i++ {
			if owner[i] != 0 {
				t.Fatalf("registers %d and %d share byte %d", owner[i], r, i)
			}
			owner[i] = r
		}
	}
	if _, ok := regalloc.Spill(f, outgoing, int64(frame.Size)/2); ok {
		t.Error("half the frame held all")
	}
}

func TestSequence(t *testing.T) {
	at, end := regalloc.Sequence([]vcode.Class{vcode.Mask, vcode.Mask, vcode.Vec, vcode.Mask, vcode.Wide}, 0)
	want := []int32{0, 8, 64, 128, 192}
	for i := range want {
		if at[i] != want[i] {
			t.Errorf("value %d is at %d, want %d", i, at[i], want[i])
		}
	}
	if end != 320 {
		t.Errorf("end %d", end)
	}
}
