package jit_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestPairsAtEnd is TestPairs of memory behind which nothing may be read.
func TestPairsAtEnd(t *testing.T) {
	page := os.Getpagesize()
	all, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Skip(err)
	}
	defer unix.Munmap(all)
	if err := unix.Mprotect(all[page:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	eachLevel(t, func(t *testing.T, engine jit.Engine) {
		testPairs(t, engine, func(n int) []byte { return all[page-n : page : page] })
	})
}
