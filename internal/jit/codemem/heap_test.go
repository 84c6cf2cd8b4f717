package codemem

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

func heaps(t *testing.T, size int) map[string]*Heap {
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		t.Skip("executable memory needs linux or windows")
	}
	out := map[string]*Heap{}
	for name, m := range map[string]func(int) (mapping, error){"twice": mapDual, "once": mapSingle} {
		v, err := m(size)
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		out[name] = newHeap(v)
	}
	if len(out) == 0 {
		t.Fatal("no mapping of code works")
	}
	return out
}

// at returns the bytes of a block in the executable view.
func (h *Heap) at(b Block) []byte { return h.mapping.run[b.at.off : b.at.off+b.at.size] }

func TestAdd(t *testing.T) {
	for name, h := range heaps(t, 1<<20) {
		code := bytes.Repeat([]byte{0x90}, 100)
		b, err := h.Add(code)
		if err != nil {
			t.Fatal(name, err)
		}
		lo, hi := h.Range()
		if b.Entry() < lo || b.Entry()+uintptr(b.Size()) > hi || b.Entry()%blockAlign != 0 {
			t.Errorf("%s: block at %#x, %d bytes, range %#x to %#x", name, b.Entry(), b.Size(), lo, hi)
		}
		if got := h.at(b); !bytes.Equal(got[:100], code) || got[100] != trap {
			t.Errorf("%s: wrong bytes", name)
		}
		if unsafe.Pointer(&h.at(b)[0]) != unsafe.Pointer(&h.mapping.run[b.Entry()-lo]) {
			t.Errorf("%s: entry is not the block", name)
		}
		if err := h.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWriteXorExecute reads /proc/self/maps: no mapping may be writable and executable.
func TestWriteXorExecute(t *testing.T) {
	for name, h := range heaps(t, 1<<20) {
		if _, err := h.Add([]byte{0xc3}); err != nil {
			t.Fatal(err)
		}
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Skip("no /proc/self/maps")
		}
		for _, l := range strings.Split(string(maps), "\n") {
			if f := strings.Fields(l); len(f) > 1 && strings.Contains(f[1], "wx") {
				t.Errorf("%s: %s", name, l)
			}
		}
		h.Close()
	}
}

func TestFree(t *testing.T) {
	for name, h := range heaps(t, 1<<20) {
		whole := len(h.mapping.run)
		var blocks []Block
		for {
			b, err := h.Add(make([]byte, 100<<10))
			if errors.Is(err, ErrFull) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			blocks = append(blocks, b)
		}
		if len(blocks) < 8 {
			t.Fatalf("%s: only %d blocks", name, len(blocks))
		}
		for i := 0; i < len(blocks); i += 2 {
			h.Free(blocks[i])
		}
		if _, err := h.Add(make([]byte, 300<<10)); !errors.Is(err, ErrFull) {
			t.Errorf("%s: scattered free spans fit a large block: %v", name, err)
		}
		again, err := h.Add([]byte{1, 2, 3})
		if err != nil || h.at(again)[1] != 2 {
			t.Errorf("%s: %v", name, err)
		}
		h.Free(again)
		for i := 1; i < len(blocks); i += 2 {
			h.Free(blocks[i])
		}
		if len(h.free) != 1 || h.free[0] != (span{0, whole}) {
			t.Errorf("%s: free spans are not merged: %v", name, h.free)
		}
		h.Close()
	}
}

func TestNewRejects(t *testing.T) {
	if _, err := New(0); err == nil {
		t.Error("a reservation of 0 bytes is accepted")
	}
}
