package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func open(t *testing.T, limit int64) (*Dir, string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("files are never trusted on this system")
	}
	path := filepath.Join(t.TempDir(), "a", "b")
	d, err := Open(path, limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, path
}

func TestSave(t *testing.T) {
	d, path := open(t, 1<<20)
	for n := range 3 {
		data := bytes.Repeat([]byte{byte(n)}, 1000*n)
		if err := d.Save(Key{byte(n)}, data); err != nil {
			t.Fatal(err)
		}
		if err := d.Save(Key{byte(n)}, data); err != nil {
			t.Errorf("a second time: %v", err)
		}
	}
	again, err := Open(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for n := range 3 {
		got, ok := again.Load(Key{byte(n)})
		if !ok || !bytes.Equal(got, bytes.Repeat([]byte{byte(n)}, 1000*n)) {
			t.Errorf("entry %d: %v, %d bytes", n, ok, len(got))
		}
	}
	if _, ok := d.Load(Key{99}); ok {
		t.Error("an entry that was never saved")
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory: %v, %v", info.Mode(), err)
	}
}

// TestDistrust corrupts a valid file in every way that Load must detect.
func TestDistrust(t *testing.T) {
	k, data := Key{1, 2, 3}, []byte("some code")
	for what, spoil := range map[string]func(file string) error{
		"first byte":      func(f string) error { return flip(f, 0) },
		"key":             func(f string) error { return flip(f, len(magic)) },
		"length":          func(f string) error { return flip(f, len(magic)+32) },
		"checksum":        func(f string) error { return flip(f, headerBytes-1) },
		"data":            func(f string) error { return flip(f, headerBytes+3) },
		"empty":           func(f string) error { return os.Truncate(f, 0) },
		"cut in the head": func(f string) error { return os.Truncate(f, 20) },
		"cut in the data": func(f string) error { return os.Truncate(f, int64(headerBytes+4)) },
		"longer":          func(f string) error { return os.Truncate(f, int64(headerBytes+len(data)+1)) },
		"others write":    func(f string) error { return os.Chmod(f, 0o602) },
		"group writes":    func(f string) error { return os.Chmod(f, 0o620) },
		"folder":          func(f string) error { os.Remove(f); return os.Mkdir(f, 0o700) },
		"link": func(f string) error {
			if err := os.Rename(f, f+"2"); err != nil {
				return err
			}
			return os.Symlink(f+"2", f)
		},
		"another's entry": func(f string) error {
			other := filepath.Join(filepath.Dir(f), fileName(Key{9}))
			return os.Rename(other, f)
		},
	} {
		d, path := open(t, 1<<20)
		for _, key := range []Key{k, {9}} {
			if err := d.Save(key, data); err != nil {
				t.Fatal(err)
			}
		}
		if _, ok := d.Load(k); !ok {
			t.Fatal("the valid file is not trusted")
		}
		if err := spoil(filepath.Join(path, fileName(k))); err != nil {
			t.Fatal(err)
		}
		if got, ok := d.Load(k); ok {
			t.Errorf("%s: %q is trusted", what, got)
		}
	}
}

func flip(file string, at int) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	b[at] ^= 1
	return os.WriteFile(file, b, 0o600)
}

// TestOwner: files and directories of another user are not trusted. Only root can create such a file.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	d, path := open(t, 1<<20)
	if err := d.Save(Key{}, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(filepath.Join(path, fileName(Key{})), 12345, -1); err != nil {
		t.Skip("the system does not change owners:", err)
	}
	if _, ok := d.Load(Key{}); ok {
		t.Error("a file of another user is trusted")
	}
	if err := os.Chown(path, 12345, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, 1<<20); err == nil {
		t.Error("a directory of another user is trusted")
	}
}

func TestDirectory(t *testing.T) {
	_, path := open(t, 1<<20)
	for _, mode := range []os.FileMode{0o777, 0o720, 0o702} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, 1<<20); err == nil {
			t.Errorf("a directory with permissions %v is trusted", mode)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file, 1<<20); err == nil {
		t.Error("a file is accepted as a directory")
	}
}

// TestLimit: the least recently used entries are evicted first.
func TestLimit(t *testing.T) {
	const piece = 1000
	d, path := open(t, int64(3*(piece+headerBytes)+10))
	for n := range 3 {
		if err := d.Save(Key{byte(n)}, make([]byte, piece)); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(time.Duration(n-10) * time.Minute)
		if err := os.Chtimes(filepath.Join(path, fileName(Key{byte(n)})), old, old); err != nil {
			t.Fatal(err)
		}
	}
	d.Load(Key{0}) // used just now
	if err := d.Save(Key{3}, make([]byte, piece)); err != nil {
		t.Fatal(err)
	}
	var have []string
	for n := range 4 {
		if _, ok := d.Load(Key{byte(n)}); ok {
			have = append(have, fmt.Sprint(n))
		}
	}
	if fmt.Sprint(have) != "[0 2 3]" {
		t.Errorf("entries %v are left; want [0 2 3]", have)
	}
	if err := d.Save(Key{4}, make([]byte, 4*piece)); err != nil {
		t.Error(err)
	}
	if _, ok := d.Load(Key{4}); ok {
		t.Error("an entry larger than the limit was stored")
	}
}

// TestOtherFiles: eviction removes abandoned files of a cache and no other old file with an ending of these.
func TestOtherFiles(t *testing.T) {
	d, path := open(t, int64(headerBytes)+4)
	key := Key{7}
	others := []string{"notes.new", "0123.1.new", fileName(key) + ".new", strings.Repeat("x", 64) + ".code", strings.Repeat("x", 64) + ".1.new", fmt.Sprintf("%x.x.new", key[:])}
	abandoned := tempName(key, 1)
	old := time.Now().Add(-2 * staleAge)
	for _, name := range append([]string{abandoned}, others...) {
		file := filepath.Join(path, name)
		if err := errors.Join(os.WriteFile(file, make([]byte, 100), 0o600), os.Chtimes(file, old, old)); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 2 {
		if err := d.Save(Key{byte(n)}, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range others {
		if _, err := os.Stat(filepath.Join(path, name)); err != nil {
			t.Errorf("a file that is none of the cache was removed: %v", err)
		}
	}
	if _, err := os.Stat(filepath.Join(path, abandoned)); err == nil {
		t.Errorf("%s is left", abandoned)
	}
}
