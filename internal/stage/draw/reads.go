package draw

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// reads reports whether the target's memory is bound to the programs of a draw, which
// then may see what earlier draws have left there: all of these must have been made.
func (d *recorded) reads(memory [][]byte) bool {
	if shares(d.args.Index, memory) || d.vertexBound.touches(memory) || d.fragmentBound.touches(memory) {
		return true
	}
	for i := range d.middleBound {
		if d.programs[i] != nil && d.middleBound[i].touches(memory) {
			return true
		}
	}
	return false
}

// touches reports whether what is bound to a program, its attachments aside, shares
// bytes with memory.
func (b *bound) touches(memory [][]byte) bool {
	for i, r := range b.program.IR().Res {
		if r.Set == ownSet && (r.Kind == ir.Texels || r.Kind == ir.ImageShape) {
			continue
		}
		for _, x := range b.fixed[i] {
			if shares(x.Bytes, memory) {
				return true
			}
		}
	}
	for _, x := range b.args.Regions {
		if shares(x.Bytes, memory) {
			return true
		}
	}
	return false
}

// shares reports whether bytes are among others.
func shares(x []byte, memory [][]byte) bool {
	for _, y := range memory {
		if len(x) > 0 && len(y) > 0 && begin(x) < begin(y)+uintptr(len(y)) && begin(y) < begin(x)+uintptr(len(x)) {
			return true
		}
	}
	return false
}

func begin(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
