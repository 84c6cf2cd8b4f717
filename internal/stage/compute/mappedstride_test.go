package compute

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestMappedStride checks that all elements of an array have the one descriptor that a mapping without an array stride leads to, and that
// with a stride the array ends with the heap (Vulkan: offset = heapOffset + shaderIndex · heapArrayStride).
func TestMappedStride(t *testing.T) {
	heap := make([]byte, 4*ir.HeapDescriptor)
	for _, x := range []struct {
		stride uint32
		want   int
	}{{0, 64}, {ir.HeapDescriptor, 3}} {
		m := Mapping{Source: HeapConstant, Resource: MappedPlace{Offset: ir.HeapDescriptor, ArrayStride: x.stride}}
		r := ir.Resource{Kind: ir.StorageBuffer, Count: 64}
		list := mapped(&Args{}, r, heap, &m.Resource, &m, false, func(d []byte) int { return len(d) })
		if len(list) != x.want || list[0] != 3*ir.HeapDescriptor || x.stride == 0 && list[63] != list[0] {
			t.Errorf("with the stride %d there are %d elements: %v; must be %d", x.stride, len(list), list, x.want)
		}
	}
}
