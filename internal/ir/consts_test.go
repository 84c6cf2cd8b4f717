package ir_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

func TestConsts(t *testing.T) {
	var c ir.Consts
	for range 2 {
		type key struct {
			t    ir.Type
			bits uint64
		}
		want := map[key]ir.V{}
		for i := range 5000 {
			for _, typ := range []ir.Type{ir.I32, ir.F32, ir.I64} {
				k := key{typ, uint64(i%7)<<(8*(i%9)) ^ uint64(i/3)}
				v := c.Find(k.t, k.bits)
				if v != want[k] {
					t.Fatalf("%v is %d, not %d", k, v, want[k])
				}
				if v == 0 {
					want[k] = ir.V(len(want) + 1)
					c.Add(k.t, k.bits, want[k])
				}
			}
		}
		c.Reset()
	}
	if v := c.Find(ir.I32, 0); v != 0 {
		t.Errorf("%d was forgotten", v)
	}
}
