package compute

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestFaultsBounded checks that an array without a length in a large heap has the faults of maxFaults descriptors at most.
func TestFaultsBounded(t *testing.T) {
	a := Args{SamplerHeap: make([]byte, ir.HeapDescriptor*(maxFaults+1))}
	a.addFaults(ir.Resource{Kind: ir.SamplerState}, &Mapping{Resource: MappedPlace{ArrayStride: ir.HeapDescriptor}}, false)
	if got := len(a.Faults[Binding{}]); got != 4*maxFaults {
		t.Errorf("%d bytes of faults, want %d", got, 4*maxFaults)
	}
}
