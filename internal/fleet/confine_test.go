package fleet

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/confine/filter"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// trespass tries what a process that answers must not do, with a folder of the worker. It returns what succeeds.
func trespass(dir string) (done []string) {
	try := func(what string, f func() error) {
		if f() == nil {
			done = append(done, what)
		}
	}
	try("a connection", func() error {
		c, err := net.Dial("udp", "127.0.0.1:9")
		if err == nil {
			c.Close()
		}
		return err
	})
	try("a listener", func() error {
		l, err := net.Listen("unix", filepath.Join(dir, "socket"))
		if err == nil {
			l.Close()
		}
		return err
	})
	try("a new file", func() error { return os.WriteFile(filepath.Join(dir, "new"), nil, 0o600) })
	try("a write", func() error {
		f, err := os.OpenFile(filepath.Join(dir, "input"), os.O_RDWR, 0)
		if err == nil {
			f.Close()
		}
		return err
	})
	try("a folder", func() error { return os.Mkdir(filepath.Join(dir, "folder"), 0o700) })
	try("another name", func() error { return os.Rename(filepath.Join(dir, "spare"), filepath.Join(dir, "other")) })
	try("a link", func() error { return os.Symlink("/etc/passwd", filepath.Join(dir, "link")) })
	try("another mode", func() error { return os.Chmod(filepath.Join(dir, "input"), 0o777) })
	try("a process", func() error { return exec.Command("/bin/true").Run() })
	try("a signal", func() error {
		p, err := os.FindProcess(os.Getppid())
		if err == nil {
			err = p.Signal(syscall.Signal(0)) // to no effect
		}
		return err
	})
	try("a removal", func() error { return os.Remove(filepath.Join(dir, "input")) })
	return done
}

// trespasses is the number of things that trespass tries.
const trespasses = 11

// TestConfine checks that a process which answers reads its files and answers, and does nothing else. The same process does it
// without the filter.
func TestConfine(t *testing.T) {
	t.Parallel()
	if !filter.Supported() {
		t.Skip("this system has no seccomp")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, confined := range []bool{false, true} {
		dir := t.TempDir()
		for _, name := range []string{"input", "spare"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("file 0"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := command(t, "v1")
		if confined {
			cmd = append([]string{"/usr/bin/env", roleVariable + "=confine", self}, cmd...)
		}
		p := &process{command: cmd}
		a := p.answer(t.Context(), &wire.Head{Version: "v1"}, &wire.Item{Name: "x", Kind: "trespass " + dir, Files: []wire.File{{Path: filepath.Join(dir, "input")}}})
		p.stop()
		if p.failed != nil || a.Status != "" {
			t.Fatalf("confined: %v: %+v, %v; want an answer", confined, a, p.failed)
		}
		var did []string
		if err := json.Unmarshal(a.Result, &did); err != nil || !confined && len(did) != trespasses || confined && len(did) != 0 {
			t.Errorf("confined: %v: %v, %v; want none if confined, else %d", confined, did, err, trespasses)
		}
		if list, err := os.ReadDir(dir); err != nil || confined && fmt.Sprint(names(list)) != "[input spare]" {
			t.Errorf("confined: %v: the folder has %v, %v; want the two that were there", confined, names(list), err)
		}
	}
}

// names returns the names of a folder.
func names(list []os.DirEntry) (out []string) {
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}
