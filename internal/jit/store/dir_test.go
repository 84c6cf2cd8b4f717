package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func open(t *testing.T, limit int64) (*Dir, string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("files are not trusted here")
	}
	path := filepath.Join(t.TempDir(), "a", "b")
	d, err := Open(path, limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, path
}

func TestKeep(t *testing.T) {
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
			t.Errorf("piece %d: %v, %d bytes", n, ok, len(got))
		}
	}
	if _, ok := d.Load(Key{99}); ok {
		t.Error("a piece that nobody kept")
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info.Mode(), err)
	}
}

// TestDistrust changes a good file in every way that must not be believed.
func TestDistrust(t *testing.T) {
	k, data := Key{1, 2, 3}, []byte("some code")
	for what, spoil := range map[string]func(file string) error{
		"first byte":      func(f string) error { return flip(f, 0) },
		"key":             func(f string) error { return flip(f, len(magic)) },
		"length":          func(f string) error { return flip(f, len(magic)+32) },
		"checksum":        func(f string) error { return flip(f, headBytes-1) },
		"data":            func(f string) error { return flip(f, headBytes+3) },
		"empty":           func(f string) error { return os.Truncate(f, 0) },
		"cut in the head": func(f string) error { return os.Truncate(f, 20) },
		"cut in the data": func(f string) error { return os.Truncate(f, int64(headBytes+4)) },
		"longer":          func(f string) error { return os.Truncate(f, int64(headBytes+len(data)+1)) },
		"others write":    func(f string) error { return os.Chmod(f, 0o602) },
		"group writes":    func(f string) error { return os.Chmod(f, 0o620) },
		"folder":          func(f string) error { os.Remove(f); return os.Mkdir(f, 0o700) },
		"link": func(f string) error {
			if err := os.Rename(f, f+"2"); err != nil {
				return err
			}
			return os.Symlink(f+"2", f)
		},
		"another's piece": func(f string) error {
			other := filepath.Join(filepath.Dir(f), name(Key{9}))
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
			t.Fatal("the good file is not believed")
		}
		if err := spoil(filepath.Join(path, name(k))); err != nil {
			t.Fatal(err)
		}
		if got, ok := d.Load(k); ok {
			t.Errorf("%s: %q is believed", what, got)
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

// TestOwner: what belongs to somebody else is not believed. Only root can make
// such a thing.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	d, path := open(t, 1<<20)
	if err := d.Save(Key{}, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(filepath.Join(path, name(Key{})), 12345, -1); err != nil {
		t.Skip(err)
	}
	if _, ok := d.Load(Key{}); ok {
		t.Error("a file of another user is believed")
	}
	if err := os.Chown(path, 12345, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, 1<<20); err == nil {
		t.Error("a folder of another user is believed")
	}
}

func TestFolder(t *testing.T) {
	_, path := open(t, 1<<20)
	for _, mode := range []os.FileMode{0o777, 0o720, 0o702} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, 1<<20); err == nil {
			t.Errorf("a folder with permissions %v is believed", mode)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file, 1<<20); err == nil {
		t.Error("a file is no folder")
	}
}

// TestLimit: the pieces that were not used for the longest time go first.
func TestLimit(t *testing.T) {
	const piece = 1000
	d, path := open(t, int64(3*(piece+headBytes)+10))
	for n := range 3 {
		if err := d.Save(Key{byte(n)}, make([]byte, piece)); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(time.Duration(n-10) * time.Minute)
		if err := os.Chtimes(filepath.Join(path, name(Key{byte(n)})), old, old); err != nil {
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
		t.Errorf("pieces %v are left; want [0 2 3]", have)
	}
	if err := d.Save(Key{4}, make([]byte, 4*piece)); err != nil {
		t.Error(err)
	}
	if _, ok := d.Load(Key{4}); ok {
		t.Error("a piece larger than the limit was kept")
	}
}
