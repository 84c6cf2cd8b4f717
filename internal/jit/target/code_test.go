package target

import (
	"reflect"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// kept is code with all that there may be in it.
func kept() *Code {
	return &Code{
		Level: AVX512, Bytes: []byte{0xc3, 0x90}, StackBytes: 1 << 20,
		Record: Record{Lanes: 32, Local: 128, Steps: 640, Helpers: 704, Scratch: 768, Private: 1024, Size: 4096},
		Sites: []Site{
			{Func: "main", Op: vcode.Step, Value: 7, Origin: -1, Masks: []Location{{Class: vcode.Mask, Slot: 64}}},
			{
				Func: "", Op: vcode.Lane, Part: 1, Merging: true, IR: ir.AtomAdd, Origin: 12,
				Key:  ir.Key{Type: ir.I64, From: ir.H, Flags: ir.Unused, Aux: 1<<64 - 1},
				Defs: []Location{{Class: vcode.Wide, Slot: -1}},
				Uses: []Location{{Class: vcode.Vec, Const: true, Bits: 1 << 63}, {Class: vcode.Gen, Slot: 8}, {Class: vcode.Vec, Const: true, Bits: 3, Step: 1<<32 - 2}},
			},
		},
	}
}

func TestCodeIsKept(t *testing.T) {
	want := kept()
	b := want.Append(nil)
	got, err := ParseCode(b)
	if err != nil || !reflect.DeepEqual(want, got) {
		t.Errorf("%v\n%+v; want\n%+v", err, got, want)
	}
	for n := range b {
		if c, err := ParseCode(b[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are code: %+v", n, len(b), c)
		}
	}
	if _, err := ParseCode(append(b, 0)); err == nil {
		t.Error("more bytes than there are")
	}
}

func FuzzParseCode(f *testing.F) {
	f.Add(kept().Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := ParseCode(b); err == nil && len(c.Bytes) > len(b) {
			t.Errorf("%d bytes of %d", len(c.Bytes), len(b))
		}
	})
}
