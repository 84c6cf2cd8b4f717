package fossil

import (
	"bytes"
	"compress/zlib"
	"testing"
)

// TestUnpackMemory checks that the memory of an unpacked payload is that of its bytes, not of a buffer that doubled.
func TestUnpackMemory(t *testing.T) {
	for _, n := range []int{1, 1000, 1 << 16, 1<<20 + 3} {
		var packed bytes.Buffer
		z := zlib.NewWriter(&packed)
		if _, err := z.Write(make([]byte, n)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		out, err := unpack(Entry{Format: deflated, Full: uint32(n)}, packed.Bytes())
		if err != nil || len(out) != n {
			t.Fatalf("%d bytes: %d, %v", n, len(out), err)
		}
		if cap(out) > n+bytes.MinRead+n/4 { // the allocator rounds up
			t.Errorf("%d bytes have memory of %d", n, cap(out))
		}
	}
}
