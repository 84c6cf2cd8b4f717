package compose

import (
	"slices"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// Overlaps reports whether a resource of the program shares bytes with memory. Own images
// (attachments) are not considered.
func (b *Binding) Overlaps(memory [][]byte) bool {
	for i, r := range b.Program.IR().Res {
		if r.Set == compute.OwnSet && (r.Kind == ir.Texels || r.Kind == ir.ImageShape) {
			continue
		}
		if l := b.shared[i]; l != nil {
			if slices.ContainsFunc(memory, l.Overlaps) {
				return true
			}
		} else if anyOverlap(b.fixed[i], memory) {
			return true
		}
	}
	for _, x := range b.args.Regions {
		if Overlap(x.Bytes, memory) {
			return true
		}
	}
	return false
}

func anyOverlap(list []exec.Buffer, memory [][]byte) bool {
	for _, x := range list {
		if Overlap(x.Bytes, memory) {
			return true
		}
	}
	return false
}

// Overlap reports whether x shares bytes with any element of memory.
func Overlap(x []byte, memory [][]byte) bool {
	for _, y := range memory {
		if len(x) > 0 && len(y) > 0 && address(x) < address(y)+uintptr(len(y)) && address(y) < address(x)+uintptr(len(x)) {
			return true
		}
	}
	return false
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
