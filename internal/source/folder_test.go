package source

import (
	"os"
	"testing"
)

// TestClean checks that the end of the process leaves no folder of a compilation, and that none begins after it.
func TestClean(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	defer func() { folders.closed, folders.list = false, nil }()
	done, remove, err := temporaryFolder("chiaro-test-")
	if err != nil {
		t.Fatal(err)
	}
	left, _, err := temporaryFolder("chiaro-test-")
	if err != nil {
		t.Fatal(err)
	}
	remove()
	if _, err := os.Stat(left); err != nil {
		t.Fatal(err)
	}
	Clean()
	for _, dir := range []string{done, left} {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is there", dir)
		}
	}
	if _, _, err := temporaryFolder("chiaro-test-"); err == nil {
		t.Error("a folder after the end")
	}
}
