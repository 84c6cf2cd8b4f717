package regalloc

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// Alignment is that of a frame and of everything in it that is as large.
const Alignment = 64

// Frame is the memory of one activation of a function, in bytes from its start:
// first the arguments and results of the functions that it calls, then a slot
// for each register.
type Frame struct {
	Slots []int32 // offset of each register; entry 0 is no register
	Size  int32   // a multiple of Alignment
}

// Spill gives each register of f a slot of its own behind the first outgoing
// bytes. It returns false where the frame would exceed limit.
func Spill(f *vcode.Func, outgoing int32, limit int64) (Frame, bool) {
	slots := make([]int32, len(f.Classes))
	at := int64(outgoing)
	for r := 1; r < len(f.Classes); r++ {
		size := int64(f.Classes[r].Size())
		align := min(size, Alignment)
		at = (at + align - 1) &^ (align - 1)
		slots[r] = int32(at)
		if at += size; at > limit {
			return Frame{}, false
		}
	}
	at = (at + Alignment - 1) &^ (Alignment - 1)
	return Frame{slots, int32(at)}, true
}

// Sequence lays values of the given classes out one behind the other and
// returns their offsets from start and the end, a multiple of Alignment.
func Sequence(classes []vcode.Class, start int32) (offsets []int32, end int32) {
	offsets = make([]int32, len(classes))
	for i, c := range classes {
		align := min(c.Size(), Alignment)
		start = (start + align - 1) &^ (align - 1)
		offsets[i] = start
		start += c.Size()
	}
	return offsets, (start + Alignment - 1) &^ (Alignment - 1)
}
