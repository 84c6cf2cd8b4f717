package main

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// modulePrefix begins the names of modules among the files of a script. No name of a file has this byte.
const modulePrefix = "\x00"

// scriptFiles returns the files that a script reads, itself first, and the modules of its sources; false for a script
// that this process must read: one that is wrong, or with a source that does not compile in the time for the script.
func scriptFiles(ctx context.Context, c console, file string, outside bool, o amber.Options, sent *sentModules) ([]wire.File, bool) {
	if file == "-" {
		return nil, false
	}
	files := []wire.File{{Path: file}}
	named := map[string]bool{}
	s, err := loadScriptNoting(c, file, outside, func(name string) {
		if !named[name] {
			named[name] = true
			files = append(files, wire.File{Name: name, Path: filepath.Join(filepath.Dir(file), filepath.FromSlash(name))})
		}
	})
	if err != nil {
		return nil, false
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	modules, err := amber.Modules(ctx, s, o)
	for _, key := range slices.Sorted(maps.Keys(modules)) {
		var f wire.File
		if f, err = sent.file(modulePrefix+key, modules[key]); err != nil {
			break
		}
		files = append(files, f)
	}
	return files, err == nil
}

// scriptModules returns the modules among the files of a script. A compiler may read any file of its machine, so that a worker starts
// none.
func scriptModules(files map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	for name, data := range files {
		if key, ok := strings.CutPrefix(name, modulePrefix); ok {
			out[key] = data
		}
	}
	return out
}

// travelScript parses a script from the files of an item.
func travelScript(file string, files map[string][]byte) (*amber.Script, error) {
	text, err := fileOf(files, "")
	if err == nil {
		err = packed(file, text)
	}
	if err != nil {
		return nil, err
	}
	return amber.Parse(file, text, func(name string) ([]byte, error) { return fileOf(files, name) })
}
