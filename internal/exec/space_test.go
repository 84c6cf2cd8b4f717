package exec

import (
	"errors"
	"os"
	"testing"
)

// TestSpace maps pages of an allocation at two places: a store to one is visible in all, also after the allocation is freed.
func TestSpace(t *testing.T) {
	page := os.Getpagesize()
	s, err := NewSpace(4*page, nil)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this operating system cannot map one memory object at two addresses, which sparse binding needs (Linux can)")
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := AllocShared(2*page + 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{0, 3 * page} {
		if err := s.Map(at, m, page, page); err != nil {
			t.Fatal(err)
		}
	}
	m.Bytes()[page] = 7
	s.Bytes()[3*page+1] = 8
	if b := s.Bytes(); b[0] != 7 || b[1] != 8 || b[3*page] != 7 || m.Bytes()[page+1] != 8 || b[page] != 0 {
		t.Error("the places differ")
	}
	m.Free()
	if b := s.Bytes(); b[0] != 7 || b[3*page+1] != 8 {
		t.Error("the freed allocation is not visible")
	}
	s.Bytes()[2*page] = 1 // a page without an allocation
	if err := s.Unmap(0, 3*page); err != nil {
		t.Fatal(err)
	}
	if b := s.Bytes(); b[0] != 0 || b[2*page] != 0 || b[3*page] != 7 {
		t.Error("the range is not zero")
	}
	shared, _ := AllocShared(page)
	private, _ := Alloc(page)
	for _, err := range []error{
		s.Map(1, shared, 0, page), s.Map(0, shared, 0, 2*page), s.Map(4*page, shared, 0, page), s.Map(0, shared, 0, 0), s.Map(-page, shared, 0, page), s.Map(0, private, 0, page),
		s.Unmap(0, 5*page), s.Unmap(0, 1),
	} {
		if err == nil {
			t.Error("a range outside of the memories is mapped")
		}
	}
	shared.Free()
	private.Free()
	s.Free()
}

// TestSpaceScratch stores to all pages of a space with a scratch allocation: they share its pages, also after a Map and an Unmap.
func TestSpaceScratch(t *testing.T) {
	page := os.Getpagesize()
	scratch, err := AllocShared(2 * page)
	if err != nil {
		t.Fatal(err)
	}
	defer scratch.Free()
	s, err := NewSpace(7*page, scratch)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this operating system cannot map one memory object at two addresses, which sparse binding needs (Linux can)")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	m, err := AllocShared(3 * page)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Free()
	check := func(mapped bool) {
		t.Helper()
		for i := range 7 {
			s.Bytes()[i*page] = byte(i + 1)
		}
		for i := range 7 {
			want := byte(7 - i&1) // the last store to the page of the scratch
			if mapped && i >= 1 && i < 4 {
				want = byte(i + 1)
			}
			if got := s.Bytes()[i*page]; got != want {
				t.Errorf("page %d has %d; must have %d", i, got, want)
			}
		}
	}
	check(false)
	if err := s.Map(page, m, 0, 3*page); err != nil {
		t.Fatal(err)
	}
	check(true)
	if err := s.Unmap(page, 3*page); err != nil {
		t.Fatal(err)
	}
	check(false)
	if got := m.Bytes()[0]; got != 2 {
		t.Errorf("the allocation has %d after Unmap; must have 2", got)
	}
}

// TestShare maps memory of Alloc in a space after Share: its content and its addresses remain.
func TestShare(t *testing.T) {
	page := os.Getpagesize()
	s, err := NewSpace(2*page, nil)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this operating system cannot map one memory object at two addresses, which sparse binding needs (Linux can)")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	for _, n := range []int{2*page + 1, 5 << 20} {
		m, err := Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		b := m.Bytes()
		b[page], b[n-1] = 7, 8
		if s.Map(0, m, page, page) == nil {
			t.Error("private memory is mapped a second time")
		}
		for range 2 {
			if err := m.Share(); err != nil {
				t.Fatal(err)
			}
		}
		if b[page] != 7 || b[n-1] != 8 || &m.Bytes()[0] != &b[0] {
			t.Error("the content or the address of shared memory is another")
		}
		if err := s.Map(page, m, page, page); err != nil {
			t.Fatal(err)
		}
		b[page+1] = 9
		if got := s.Bytes()[page:]; got[0] != 7 || got[1] != 9 {
			t.Errorf("the space shows %v; must show 7, 9", got[:2])
		}
		if err := m.Free(); err != nil {
			t.Error(err)
		}
	}
}
