package oracle

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestStencilOperations checks the values of "Stencil Test": operations on 8 bits, of which those outside of the write mask remain.
func TestStencilOperations(t *testing.T) {
	for _, c := range []struct {
		op          enum.StencilOp
		mask        uint32
		value, want uint64
	}{
		{enum.StencilOpKeep, 0xff, 7, 7},
		{enum.StencilOpZero, 0xff, 7, 0},
		{enum.StencilOpZero, 0x0f, 0x77, 0x70},
		{enum.StencilOpReplace, 0xff, 7, 0x5a},
		{enum.StencilOpReplace, 0xf0, 7, 0x57},
		{enum.StencilOpIncrementAndClamp, 0xff, 254, 255},
		{enum.StencilOpIncrementAndClamp, 0xff, 255, 255},
		{enum.StencilOpIncrementAndWrap, 0xff, 255, 0},
		{enum.StencilOpDecrementAndClamp, 0xff, 1, 0},
		{enum.StencilOpDecrementAndClamp, 0xff, 0, 0},
		{enum.StencilOpDecrementAndWrap, 0xff, 0, 255},
		{enum.StencilOpDecrementAndWrap, 0x01, 0x10, 0x11},
		{enum.StencilOpInvert, 0xff, 0x0f, 0xf0},
		{enum.StencilOpInvert, 0x3c, 0x0f, 0x33},
		{enum.StencilOpInvert, 0, 0x0f, 0x0f},
	} {
		f := stencilFace{link.StencilFace{Reference: 0x35a, WriteMask: c.mask}}
		if got := f.after(c.op, Number{Bits: c.value}); got.Any || got.Bits != c.want {
			t.Errorf("%v of %#x with mask %#x is %+v; must be %#x", c.op, c.value, c.mask, got, c.want)
		}
	}
	any := Number{Any: true}
	f := stencilFace{link.StencilFace{Reference: 3, WriteMask: 0xff}}
	if got := f.after(enum.StencilOpReplace, any); got.Any || got.Bits != 3 {
		t.Errorf("a replaced value is %+v; must be 3", got)
	}
	if got := f.after(enum.StencilOpInvert, any); !got.Any {
		t.Errorf("the inverse of any value is %+v; must be any", got)
	}
	// The reference is the first operand; both are masked.
	for _, c := range []struct {
		op              enum.CompareOp
		reference, mask uint32
		value           Number
		want            result
	}{
		{enum.CompareOpLess, 1, 0xff, Number{Bits: 2}, passes},
		{enum.CompareOpLess, 2, 0xff, Number{Bits: 1}, fails},
		{enum.CompareOpGreaterOrEqual, 0x12, 0xf, Number{Bits: 0x42}, passes},
		{enum.CompareOpEqual, 0x12, 0xff, Number{Bits: 0x42}, fails},
		{enum.CompareOpEqual, 0x12, 0, any, passes},
		{enum.CompareOpEqual, 0x12, 1, any, either},
		{enum.CompareOpNever, 0, 1, any, fails},
	} {
		f := stencilFace{link.StencilFace{Reference: c.reference, CompareMask: c.mask, Compare: c.op}}
		if got := f.test(c.value); got != c.want {
			t.Errorf("%v of %#x and %+v with mask %#x is %d; must be %d", c.op, c.reference, c.value, c.mask, got, c.want)
		}
	}
}
