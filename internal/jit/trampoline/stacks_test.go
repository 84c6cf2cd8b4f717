//go:build linux && (amd64 || arm64)

package trampoline

import "testing"

func TestStacks(t *testing.T) {
	s, err := NewStacks(8, 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 8 {
		top := s.Top(i)
		if top%64 != 0 {
			t.Errorf("top %d is %#x", i, top)
		}
		if i > 0 {
			if d := top - s.Top(i-1); d < 1<<16+guard || d%4096 == 0 {
				t.Errorf("stack %d is %d bytes above the one before", i, d)
			}
		}
		b := s.Bytes(top - 1<<16)
		b[0], b[1<<16-1] = 1, 1 // both ends are mapped
	}
	if s.Bytes(1) != nil {
		t.Error("memory of nobody")
	}
}
