package fleet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// waitingItems returns a submitter, and a batch of n items with files of their own.
func waitingItems(t *testing.T, n int) (*submitter, *batch) {
	t.Helper()
	x, b := &submitter{scope: "scope", files: newHasher()}, &batch{}
	dir := t.TempDir()
	for i := range n {
		name := fmt.Sprintf("shaders/forest/tree%d.spv", i)
		path := filepath.Join(dir, fmt.Sprintf("tree%d.spv", i))
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		it := wire.Item{Index: 3 * i, Name: name, Kind: "module", Files: []wire.File{{Name: name, Path: path}}}
		data, err := x.files.fill(&it)
		if err != nil {
			t.Fatal(err)
		}
		b.add(it, itemKey(&it), data)
	}
	return x, b
}

// TestPack: a batch that waits is small, and it is the same batch when its work is lost.
func TestPack(t *testing.T) {
	x, b := waitingItems(t, 64)
	token := b.key(x.scope).token()
	for range 2 { // the writer is used again
		packed, err := x.packer.pack(b.items)
		if err != nil {
			t.Fatal(err)
		}
		if each := len(packed) / len(b.items); each > 40 {
			t.Errorf("%d bytes an item; must be at most 40", each)
		}
		again, err := x.unpack(packed, token)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(again, b) {
			t.Errorf("a packed batch comes back as %+v; must be %+v", again, b)
		}
	}
}

// TestPackChanged: a lost batch whose files have changed is not sent with other contents.
func TestPackChanged(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"other contents": func(path string) error { return os.WriteFile(path, []byte("other"), 0o600) },
		"no file":        os.Remove,
	} {
		x, b := waitingItems(t, 2)
		packed, err := x.packer.pack(b.items)
		if err != nil {
			t.Fatal(err)
		}
		if err := change(b.items[1].Files[0].Path); err != nil {
			t.Fatal(err)
		}
		if _, err := x.unpack(packed, b.key(x.scope).token()); !errors.Is(err, errInput) {
			t.Errorf("%s: %v; must be the error of changed inputs", name, err)
		}
	}
}
