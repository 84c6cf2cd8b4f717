package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// TestSendPanic checks that an item which cannot be made ready for a fleet stays in the process of the command, whose pool reports
// an internal error of this item alone.
func TestSendPanic(t *testing.T) {
	var in, log bytes.Buffer
	s := submission[record]{c: console{err: &log}, on: wire.Local, jobs: 2, items: 3, item: func(_ context.Context, i int, _ *sentModules) (*wire.Item, bool) {
		if i == 1 {
			panic("an item with a mistake")
		}
		return &wire.Item{}, true
	}}
	mine, n := s.send(t.Context(), &in, nil)
	if !slices.Equal(mine, []int{1}) || n != 2 {
		t.Errorf("%d items travel and %v stay; want 2, and item 1", n, mine)
	}
}

// TestScriptFilesTimeout checks that the time for a script bounds the compilation of its sources on a fleet too.
func TestScriptFilesTimeout(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the compiler of this test is a shell script")
	}
	dir, bin := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "glslc"), []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	path := filepath.Join(dir, "a.amber")
	text := "#!amber\nSHADER compute s GLSL\nvoid main() {}\nEND\nPIPELINE compute p\nATTACH s\nEND\nRUN p 1 1 1\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var sent sentModules
	defer sent.remove()
	if files, ok := scriptFiles(t.Context(), console{}, path, false, amber.Options{Timeout: 100 * time.Millisecond}, &sent); ok {
		t.Errorf("%v; want a script that stays, whose result is timeout", files)
	}
}
