package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/jit/store"
	"github.com/chiaro-gpu/chiaro/internal/source"
)

// sourceUsage is the part of help texts on sources.
const sourceUsage = `A source in GLSL, HLSL, WGSL or Slang is compiled by glslc, glslangValidator, dxc, naga, tint or slangc from the
PATH; its name has the stage: a.frag, a.comp.glsl, a.vert.hlsl, a.wgsl, a.slang.`

// cacheSources bounds the bytes of the cache of compiled sources.
const cacheSources = 128 << 20

// isSource reports whether a file is a shader source, by its name.
func isSource(file string) bool {
	_, _, ok := source.Of(file)
	return ok
}

// openSources opens the cache of compiled sources in the user's cache folder. It returns nil if the system has no
// such folder or the folder cannot be trusted. done closes the cache.
func openSources() (cache *store.Dir, done func()) {
	if base, err := os.UserCacheDir(); err == nil {
		if dir, err := store.Open(filepath.Join(base, "chiaro", "sources"), cacheSources); err == nil {
			return dir, func() { _ = dir.Close() }
		}
	}
	return nil, func() {}
}

// compileSource compiles a source for a target environment. Modules are cached by the contents of the source.
func compileSource(ctx context.Context, file string, text []byte, target string, outside bool) ([]byte, error) {
	cache, done := openSources()
	defer done()
	code, err := source.Compile(ctx, file, text, source.Options{Target: target, Outside: outside, Cache: cache})
	if err != nil {
		return nil, unreadable("%v", err)
	}
	return code, nil
}

// withoutCompiled returns the files of a folder without the sources whose module is beside them: a.frag with
// a.frag.spv or a.frag.spvasm.
func withoutCompiled(files []string) []string {
	all := map[string]bool{}
	for _, f := range files {
		all[f] = true
	}
	return slices.DeleteFunc(files, func(f string) bool {
		return isSource(f) && (all[f+".spv"] || all[f+".spvasm"] || all[strings.TrimSuffix(f, filepath.Ext(f))+".spv"])
	})
}
