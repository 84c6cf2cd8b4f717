package exec

import (
	"errors"
	"math"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMemoryFile maps the file of a memory again: both show the same bytes, and each lives without the other.
func TestMemoryFile(t *testing.T) {
	for _, n := range []int{1, 4096, 10000} {
		m, err := AllocFile(n)
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.File()
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(0); err == nil {
			t.Error("the file shrinks")
		}
		o, err := MapFile(f, n)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Bytes()) != n {
			t.Errorf("%d bytes, want %d", len(o.Bytes()), n)
		}
		m.Bytes()[n-1] = 7
		if o.Bytes()[n-1] != 7 {
			t.Error("the mappings have different bytes")
		}
		for _, more := range []int{n + 4096, math.MaxInt, -1} {
			if _, err := MapFile(f, more); err == nil {
				t.Errorf("%d bytes of a file of %d: no error", more, n)
			}
		}
		if err := errors.Join(m.Free(), f.Close()); err != nil {
			t.Fatal(err)
		}
		o.Bytes()[0] = 9
		again, err := o.File()
		if err != nil {
			t.Fatal(err)
		}
		p, err := MapFile(again, n)
		if err != nil || p.Bytes()[0] != 9 {
			t.Fatalf("the second generation: %v", err)
		}
		if err := errors.Join(o.Free(), p.Free(), again.Close(), p.Free()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOtherFiles maps files that are no memory.
func TestOtherFiles(t *testing.T) {
	plain, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	if err := plain.Truncate(8192); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	closed, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	others := []*os.File{nil, {}, plain, r, w, closed}
	if fd, err := unix.MemfdCreate("huge", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_HUGETLB); err == nil { // the system has huge pages
		huge := os.NewFile(uintptr(fd), "huge")
		defer huge.Close()
		if err := huge.Truncate(1 << 30); err != nil {
			t.Fatal(err)
		}
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, fileSeals); err != nil {
			t.Fatal(err)
		}
		others = append(others, huge)
	}
	for _, f := range others {
		if _, err := MapFile(f, 4096); !errors.Is(err, ErrFile) {
			t.Errorf("the error is %v, want ErrFile", err)
		}
	}
	m, err := Alloc(4096)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Free()
	if _, err := m.File(); !errors.Is(err, ErrFile) {
		t.Errorf("memory without a file: %v", err)
	}
	if err := errors.Join(plain.Close(), r.Close(), w.Close()); err != nil {
		t.Error(err)
	}
}
