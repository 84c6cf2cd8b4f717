package irgen

import (
	"fmt"
	"os"
	"testing"
)

// Seeds returns the range of seeds of a test: from 0 to usual, or to few in short runs. CHIARO_SEEDS=from-to runs others.
func Seeds(t *testing.T, usual, few int64) (from, to int64) {
	to = usual
	if testing.Short() {
		to = few
	}
	if s := os.Getenv("CHIARO_SEEDS"); s != "" {
		if _, err := fmt.Sscanf(s, "%d-%d", &from, &to); err != nil {
			t.Fatalf("CHIARO_SEEDS is %q; must be from-to: %v", s, err)
		}
	}
	return from, to
}
