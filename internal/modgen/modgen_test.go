package modgen_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/modgen"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

var kinds = []modgen.Options{{}, {Peers: true}, {Subgroups: true, Size: 120}, {Peers: true, Subgroups: true, Size: 20},
	{Peers: true, Words: true}, {Words: true, Subgroups: true}, {Peers: true, Atomics64: true}, {Atomics64: true, Size: 90}, {Images: true, Size: 90}}

// TestAssembles makes modules of every kind, twice, and assembles them.
func TestAssembles(t *testing.T) {
	for seed := range uint64(200) {
		o := kinds[seed%uint64(len(kinds))]
		m := modgen.New(seed, o)
		if again := modgen.New(seed, o); again.Text != m.Text || !bytes.Equal(again.Push, m.Push) {
			t.Fatalf("seed %d: two calls made two modules", seed)
		}
		if _, err := m.Words(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, m.Text)
		}
	}
}

// TestValidates checks with a validator of the field, if one is installed, that the
// modules are legal.
func TestValidates(t *testing.T) {
	tool, err := exec.LookPath("spirv-val")
	if err != nil {
		t.Skip("no spirv-val (Debian package spirv-tools)")
	}
	n := uint64(60)
	if testing.Short() {
		n = 8
	}
	for seed := range n {
		m := modgen.New(seed, kinds[seed%uint64(len(kinds))])
		words, err := m.Words()
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "m.spv")
		if err := os.WriteFile(name, asm.Bytes(words), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(tool, "--target-env", "vulkan1.2", name).CombinedOutput(); err != nil {
			t.Fatalf("seed %d: %s\n%s", seed, out, m.Text)
		}
	}
}
