package fossil

import (
	"bytes"
	"compress/zlib"
	"runtime"
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
		if cap(out) > n+1+bytes.MinRead+n/4 { // the allocator rounds up
			t.Errorf("%d bytes have memory of %d", n, cap(out))
		}
	}
}

// TestUnpackLong checks that a payload with more bytes than its header declares is an error that costs no second buffer.
func TestUnpackLong(t *testing.T) {
	const n = 16 << 20
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(make([]byte, n+100)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := unpack(Entry{Format: deflated, Full: n}, packed.Bytes()); err == nil {
		t.Fatal("no error")
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > n+n/2 {
		t.Errorf("%d bytes took memory of %d", n, took)
	}
}
