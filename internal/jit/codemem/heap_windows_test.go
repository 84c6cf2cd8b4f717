package codemem

import (
	"errors"
	"os"
	"testing"
)

// TestSmallBlocks checks that a small program does not occupy more than a page, although there is one view of the code: the
// reservation would be full after few programs.
func TestSmallBlocks(t *testing.T) {
	for name, h := range heaps(t, 1<<20) {
		n := 0
		for ; ; n++ {
			if _, err := h.Add([]byte{0xc3}); errors.Is(err, ErrFull) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if want := 1 << 20 / os.Getpagesize(); n < want {
			t.Errorf("%s: %d blocks in 1 MiB; want %d", name, n, want)
		}
		h.Close()
	}
}
