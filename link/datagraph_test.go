package link

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestTensorFormats holds formats against the types of the elements of tensors.
func TestTensorFormats(t *testing.T) {
	truth := &facts.Type{Op: spirv.OpTypeBool}
	whole := func(width uint32, signed bool) *facts.Type {
		return &facts.Type{Op: spirv.OpTypeInt, Width: width, Signed: signed}
	}
	float := func(width uint32, e ...spirv.FPEncoding) *facts.Type {
		t := &facts.Type{Op: spirv.OpTypeFloat, Width: width}
		if len(e) > 0 {
			t.Encoding, t.Encoded = e[0], true
		}
		return t
	}
	for _, c := range []struct {
		format string
		typ    *facts.Type
		want   bool
	}{
		{"R8_BOOL_ARM", truth, true},
		{"R8_BOOL_ARM", whole(8, false), false},
		{"R8_UINT", truth, false},
		{"R8_UINT", whole(8, true), true},
		{"R8_SINT", whole(8, false), true},
		{"R64_SINT", whole(64, true), true},
		{"R16_UINT", whole(8, false), false},
		{"R8G8_UINT", whole(8, false), false},
		{"R8_UNORM", whole(8, false), false},
		{"S8_UINT", whole(8, false), false},
		{"R16_SFLOAT", float(16), true},
		{"R32_SFLOAT", float(32), true},
		{"R32_SFLOAT", whole(32, true), false},
		{"R16_SFLOAT_FPENCODING_BFLOAT16_ARM", float(16, spirv.FPEncodingBFloat16KHR), true},
		{"R16_SFLOAT", float(16, spirv.FPEncodingBFloat16KHR), false},
		{"R16_SFLOAT_FPENCODING_BFLOAT16_ARM", float(16), false},
		{"R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM", float(8, spirv.FPEncodingFloat8E4M3EXT), true},
		{"R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM", float(8, spirv.FPEncodingFloat8E5M2EXT), true},
		{"R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM", float(8, spirv.FPEncodingFloat8E4M3EXT), false},
		{"UNDEFINED", whole(8, false), false},
	} {
		var f Format
		if err := f.UnmarshalText([]byte(c.format)); err != nil {
			t.Fatal(err)
		}
		if got := holds(f, c.typ); got != c.want {
			t.Errorf("%s for %s: compatible: %t; must be %t", c.format, scalarWords(c.typ), got, c.want)
		}
	}
}
