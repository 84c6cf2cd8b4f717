package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// TestSendPanic checks that an item stays in the process of the command if a panic prevents its journey: the pool of the process reports
// an internal error of this item alone.
func TestSendPanic(t *testing.T) {
	var in, log bytes.Buffer
	s := submission[record]{c: console{err: &log}, on: wire.Local, jobs: 2, items: 3, item: func(_ context.Context, i int, _ *sentModules) (*wire.Item, bool) {
		if i == 1 {
			panic("an item with a mistake")
		}
		return &wire.Item{}, true
	}}
	mine, n, whole := s.send(t.Context(), &in, nil)
	if !slices.Equal(mine, []int{1}) || n != 2 || !whole {
		t.Errorf("%d items travel and %v stay; want 2, and item 1", n, mine)
	}
}

// TestSendEnd checks that no further item is made ready after the end of the program that submits, which has rejected the run.
func TestSendEnd(t *testing.T) {
	in, out := io.Pipe()
	var calls atomic.Int32
	s := submission[record]{on: wire.Local, jobs: 1, items: 100, item: func(context.Context, int, *sentModules) (*wire.Item, bool) {
		if calls.Add(1) == 3 {
			_ = in.Close()
		}
		return &wire.Item{}, true
	}}
	go func() { _, _ = io.Copy(io.Discard, in) }()
	if mine, n, whole := s.send(t.Context(), out, nil); len(mine) > 0 || n != s.items || whole || calls.Load() > 5 {
		t.Errorf("%d of %d items made ready, whole %v; want at most 5 and a part", calls.Load(), n, whole)
	}
}

// TestAheadEnd checks that ahead waits for the calls that it has begun, so that they can remove their files.
func TestAheadEnd(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var running atomic.Int32
	for range ahead(ctx, 10, 4, func(int) int {
		running.Add(1)
		defer running.Add(-1)
		stop()
		time.Sleep(10 * time.Millisecond)
		return 0
	}) {
	}
	if n := running.Load(); n > 0 {
		t.Errorf("%d calls run after the end", n)
	}
}

// TestScriptFilesTimeout checks that the time for a script bounds the compilation of its sources on a fleet too.
func TestScriptFilesTimeout(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	compiler := filepath.Join(bin, "glslc")
	if runtime.GOOS == "windows" {
		compiler += ".exe"
	}
	if err := os.WriteFile(compiler, data, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(endlessVariable, "1")
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	path := filepath.Join(dir, "a.amber")
	text := "#!amber\nSHADER compute s GLSL\nvoid main() {}\nEND\nPIPELINE compute p\nATTACH s\nEND\nRUN p 1 1 1\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var sent sentModules
	defer sent.remove()
	if _, err := sent.open(); err != nil {
		t.Fatal(err)
	}
	if files, ok := scriptFiles(t.Context(), console{}, path, false, amber.Options{Timeout: 100 * time.Millisecond}, &sent); ok {
		t.Errorf("%v; want a script that stays, with the result timeout", files)
	}
	for _, name := range []string{"a.comp", "a.test.yaml"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("shader: a.comp\ntests:\n- name: one\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var f testFlags
	f.opts.Timeout = 100 * time.Millisecond
	for _, i := range f.items(console{}, filepath.Join(dir, "a.test.yaml")) {
		if item, ok := i.travel(t.Context(), &sent); ok {
			t.Errorf("%v; want a test that stays", item)
		}
	}
}
