package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
	"github.com/chiaro-gpu/chiaro/internal/shadertable"
)

// tableItem returns the item of a test in a table; false for one that this process must run: one with a file that cannot be
// read, or with a source that does not compile.
func (f *testFlags) tableItem(ctx context.Context, c console, test *shadertable.Test, sent *sentModules) (*wire.Item, bool) {
	if f.opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.opts.Timeout)
		defer cancel()
	}
	files := []wire.File{{Path: test.File}}
	for _, name := range test.Files() {
		if _, err := f.beside(test.File, name); err != nil {
			return nil, false
		}
		path := besideFile(test.File, filepath.FromSlash(name))
		x := wire.File{Name: name, Path: path}
		if isSource(name) {
			code, err := f.stageModule(ctx, c, name, path, orElse(f.opts.TargetEnv, "vulkan1.3"))
			if err == nil {
				x, err = sent.file(name, code)
			}
			if err != nil {
				return nil, false
			}
		}
		files = append(files, x)
	}
	return &wire.Item{Name: test.File, Kind: "test " + test.Name, Files: files}, true
}

// tableStore keeps the last table, since its tests usually follow each other.
type tableStore struct {
	text  []byte
	table *shadertable.Table
}

// test returns a test of the table of an item.
func (s *tableStore) test(it *wire.Item, files map[string][]byte, name string) (*shadertable.Test, error) {
	data, err := fileOf(files, "")
	if err != nil {
		return nil, err
	}
	if s.table == nil || s.table.File != it.Name || !bytes.Equal(s.text, data) {
		table, err := shadertable.Read(it.Name, data)
		if err != nil {
			return nil, err
		}
		*s = tableStore{data, table}
	}
	i := slices.IndexFunc(s.table.Tests, func(t *shadertable.Test) bool { return t.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s: has no test %q", it.Name, name)
	}
	return s.table.Tests[i], nil
}
