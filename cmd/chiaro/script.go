package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/amber"
)

// outsideFlag adds --allow-outside.
func outsideFlag(fl *pflag.FlagSet, outside *bool) {
	fl.BoolVar(outside, "allow-outside", false, "let scripts and their shaders read files outside the script's folder, and sources include files outside theirs and the working directory")
}

// maxScriptFile bounds the files that a script names, in bytes.
const maxScriptFile = 256 << 20

// loadScript reads a script from a file, or from standard input for "-". It reads the files that the script names
// only if they are in the folder of the script, links included, or if outside is set. The folder of standard input
// is the working directory.
func loadScript(c console, file string, outside bool) (*amber.Script, error) {
	return loadScriptNoting(c, file, outside, func(string) {})
}

// loadScriptNoting is loadScript; it tells note the names of the files that the script reads.
func loadScriptNoting(c console, file string, outside bool, note func(name string)) (*amber.Script, error) {
	if isShader(file) {
		return nil, errors.New("a shader; want a script")
	}
	var text []byte
	var err error
	folder := "."
	if file == "-" {
		text, err = readInput(c, file)
	} else {
		folder = filepath.Dir(file)
		text, err = readFile(file)
	}
	if err == nil {
		err = packed(file, text)
	}
	if err != nil {
		return nil, err
	}
	s, err := amber.Parse(file, text, func(name string) ([]byte, error) {
		data, err := readBeside(folder, filepath.FromSlash(name), outside)
		if err == nil {
			note(name)
		}
		return data, err
	})
	if err != nil || outside {
		return s, err
	}
	for _, shader := range s.Shaders {
		if words, ok := s.OutsideInclude(shader); ok {
			return nil, &amber.Fault{File: file, Finding: diag.New(amber.CodeShader, shader.At,
				"shader %s includes%s, which is no file below the script's folder; --allow-outside permits others", shader.Name, words)}
		}
	}
	return s, nil
}

// readBeside reads a regular file that a script in a folder names.
func readBeside(folder, name string, outside bool) ([]byte, error) {
	var f *os.File
	if outside {
		path := name
		if !filepath.IsAbs(name) {
			path = filepath.Join(folder, name)
		}
		info, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			return nil, &os.PathError{Op: "open", Path: name, Err: errors.Unwrap(err)}
		}
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: must be a regular file", name)
		}
		if f, err = os.Open(path); err != nil {
			return nil, err
		}
	} else {
		root, err := os.OpenRoot(folder)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		info, err := root.Stat(name)
		switch {
		case errors.Is(err, os.ErrNotExist): // without the name of the system's call
			return nil, &os.PathError{Op: "open", Path: name, Err: errors.Unwrap(err)}
		case err != nil:
			return nil, fmt.Errorf("%s: is outside the script's folder, or cannot be read there (%w); --allow-outside permits other folders", name, errors.Unwrap(err))
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s: must be a regular file", name)
		}
		if f, err = root.Open(name); err != nil {
			return nil, err
		}
	}
	defer f.Close()
	return readBounded(f, name, 0, maxScriptFile)
}
