package exec

import (
	"errors"
	"os"
	"testing"
)

// TestSpace maps pages of an allocation at two places: a store to one is visible in all, also after the allocation is freed.
func TestSpace(t *testing.T) {
	page := os.Getpagesize()
	s, err := NewSpace(4 * page)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("the system maps no memory twice")
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
