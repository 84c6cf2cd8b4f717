package main

import (
	"fmt"
	"path/filepath"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// scriptFiles returns the files that a script reads, itself first; false for a script that this process must read: one
// that is wrong, or that needs a compiler or a folder of compiled modules.
func scriptFiles(c console, file, spirvDir string, outside bool) ([]wire.File, bool) {
	if spirvDir != "" || file == "-" {
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
	return files, !needsCompiler(s)
}

// needsCompiler reports whether a script has sources. A compiler may read any file of its machine, so that a worker starts none.
func needsCompiler(s *amber.Script) bool {
	for _, shader := range s.Shaders {
		switch shader.Format {
		case amber.GLSL, amber.HLSL, amber.OpenCLC:
			return true
		}
	}
	return false
}

// travelScript parses a script from the files of an item. It rejects one that needs a compiler.
func travelScript(file string, files map[string][]byte) (*amber.Script, error) {
	text, err := fileOf(files, "")
	if err == nil {
		err = packed(file, text)
	}
	if err != nil {
		return nil, err
	}
	s, err := amber.Parse(file, text, func(name string) ([]byte, error) { return fileOf(files, name) })
	if err == nil && needsCompiler(s) {
		return nil, fmt.Errorf("%s: a worker compiles no source", file)
	}
	return s, err
}
