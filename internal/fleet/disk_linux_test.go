package fleet

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// TestFullDisk checks that a run on a server whose disk is full says so, and that the same run has its answers when the server has
// started again with room: whether the streams fill the disk, or something else does.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for _, spare := range []int{0, 1 << 20} {
		store := t.TempDir()
		if err := unix.Mount("tmpfs", store, "tmpfs", 0, "size=8m"); err != nil {
			t.Skipf("a small disk cannot be mounted: %v", err)
		}
		t.Cleanup(func() { _ = unix.Unmount(store, unix.MNT_DETACH) })
		filler := filepath.Join(store, "filler")
		c := newChaos(t, filepath.Join(store, "fleet"))
		c.start("server")
		waitForServer(t, c.url)
		if spare > 0 {
			if err := os.WriteFile(filler, make([]byte, 8<<20-spare), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		items := makeItems(t, 300)
		for i := range items {
			if err := os.WriteFile(items[i].Files[0].Path, bytes.Repeat([]byte{byte(i), byte(i >> 8)}, 15<<10), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		head := wire.Head{Version: "v1"}
		s := Submission{Server: Server{URL: c.url}, Patience: time.Second, Audit: 300 * time.Millisecond}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		err := s.Submit(ctx, input(t, head, items), &bytes.Buffer{})
		cancel()
		if err == nil || !strings.Contains(err.Error(), "the server stores no more work") {
			t.Fatalf("spare %d: %v; want that the server stores no more work", spare, err)
		}
		c.kill("server")
		if err := unix.Mount("", store, "", unix.MS_REMOUNT, "size=64m"); err != nil {
			t.Fatal(err)
		}
		c.start("server")
		waitForServer(t, c.url)
		c.start("worker 0")
		wantResults(t, items, submitAll(t, Submission{Server: Server{URL: c.url}, Audit: 300 * time.Millisecond}, head, items), "")
	}
}
