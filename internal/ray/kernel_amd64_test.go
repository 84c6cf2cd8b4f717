package ray

import (
	"math"
	"testing"
	"unsafe"
)

// TestKernelConstants checks the constants and the field that only the machine code uses.
func TestKernelConstants(t *testing.T) {
	if least, most := math.Float32bits(1.0/extreme), math.Float32bits(extreme); leastDirectionBits != least || mostDirectionBits != most {
		t.Errorf("the bits of the extreme directions are %#x and %#x; must be %#x and %#x", leastDirectionBits, mostDirectionBits, least, most)
	}
	if size := unsafe.Sizeof(session{}.near); size != 32 { // a vector of AVX2
		t.Errorf("the distances of children have %d bytes; must have 32", size)
	}
}
