package main

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// TestReadMissing: the message about a file that does not exist names it, as a user wrote it, and no call of the system but to open it.
func TestReadMissing(t *testing.T) {
	for _, outside := range []bool{false, true} {
		_, err := readBeside(t.TempDir(), "plain.png", outside)
		if !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "open plain.png: ") {
			t.Errorf("outside %v: %v; must begin with open plain.png, and be an error of a missing file", outside, err)
		}
	}
}
