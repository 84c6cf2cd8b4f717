// Command vkgen writes the enumerations of Vulkan that describe a pipeline, as
// types of package link, from Khronos' vk.xml. It carries over names and
// numbers alone.
//
// Usage, from the root of the module:
//
//	go run ./internal/gen/vkgen [-o ROOT] [FILE]
//
// The registry is sought in /usr/share/vulkan/registry, where Debian's
// libvulkan-dev puts it.
package main

import (
	"flag"
	"fmt"
	"go/format"
	"io"
	"os"
	"path/filepath"
)

// Registry is where the registry is sought.
const Registry = "/usr/share/vulkan/registry/vk.xml"

// Output is the file that is written, under the root of the module.
const Output = "link/enum_gen.go"

func main() {
	root := flag.String("o", ".", "root of the module, to write under")
	flag.Parse()
	file := Registry
	if flag.NArg() > 0 {
		file = flag.Arg(0)
	}
	if err := run(*root, file); err != nil {
		fmt.Fprintln(os.Stderr, "vkgen:", err)
		os.Exit(1)
	}
}

func run(root, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := Generate(f)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(filepath.Join(root, Output), data, 0o644)
}

// Generate returns the generated file. Its head names the version of the
// registry.
func Generate(r io.Reader) ([]byte, error) {
	reg, err := read(r)
	if err != nil {
		return nil, err
	}
	return format.Source([]byte(reg.write()))
}
