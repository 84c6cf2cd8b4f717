// Package tool is the frame of the generators: their arguments, and the writing of their files.
//
// The package does not know any source or any generated file.
package tool

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Main runs a generator as a command: [-o ROOT] [SOURCE]. generate reads the source and returns the generated files by their path
// under the module's root. Without a default source the argument is required.
func Main(name, source string, generate func(source string) (map[string][]byte, error)) {
	root := flag.String("o", ".", "root of the module, to write under")
	flag.Parse()
	if flag.NArg() > 0 {
		source = flag.Arg(0)
	}
	if source == "" || flag.NArg() > 1 {
		fmt.Fprintf(os.Stderr, "%s: the argument must be one source\n", name)
		os.Exit(2)
	}
	if err := run(*root, source, generate); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

func run(root, source string, generate func(string) (map[string][]byte, error)) error {
	files, err := generate(source)
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(root, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// File returns a generator that reads one file.
func File(generate func(io.Reader) (map[string][]byte, error)) func(string) (map[string][]byte, error) {
	return func(source string) (map[string][]byte, error) {
		f, err := os.Open(source)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return generate(f)
	}
}
