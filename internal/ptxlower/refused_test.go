package ptxlower

import (
	"strings"
	"testing"
)

// refusedRows are instructions that PTX does not have or that are not built, and a part of the error.
var refusedRows = []struct{ text, want string }{
	{"add.rn.f32.f16 %f0, %h0, %f1;", "add.rn.f32.f16 is not supported"}, // of mixed precision
	{"fma.rn.f32.bf16 %f0, %h0, %h1, %f1;", "fma.rn.f32.bf16 is not supported"},
	{"sub.u16x2 %r0, %r1, %r2;", "sub.u16x2 is not supported"},
	{"min.relu.u32 %r0, %r1, %r2;", "min.relu.u32 of 3 operands does not exist"},
	{"max.s32 %r0, %r1, %r2, %r3;", "max.s32 of 4 operands does not exist"},
	{"cvt.rn.satfinite.f32.f64 %f0, %d0;", "must not have it"},
}

// TestRefused checks that Lower refuses each instruction with its position.
func TestRefused(t *testing.T) {
	for _, row := range refusedRows {
		m := parse(t, `.version 8.8
.target sm_100
.address_size 64
.entry k(.param .u64 p)
{
.reg .pred %p<4>;
.reg .b16 %h<4>;
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
.reg .f32 %f<4>;
.reg .f64 %d<4>;
`+row.text+`
}
`)
		image, err := NewImage(m)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Lower(m, image, "k", Options{Block: [3]uint32{WarpSize, 1, 1}})
		if err == nil || !strings.HasPrefix(err.Error(), "12:") || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v; must be an error at line 12 with %q", row.text, err, row.want)
		}
	}
}
