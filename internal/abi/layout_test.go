package abi

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layout is the size of a struct and the offsets of its members.
type layout struct {
	name    string
	size    uintptr
	members []member
}

type member struct {
	name   string
	offset uintptr
}

// TestLayout compares the sizes and the offsets of all mirrors with a C compiler's, for the structs that the installed headers
// of Vulkan have.
func TestLayout(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("needs gcc (Debian: gcc)")
	}
	header := "/usr/include/vulkan/vulkan_core.h"
	if p := os.Getenv("CHIARO_VULKAN_INCLUDE"); p != "" {
		header = filepath.Join(p, "vulkan/vulkan_core.h")
	}
	text, err := os.ReadFile(header)
	if err != nil {
		t.Skip("needs the headers of Vulkan (Debian: libvulkan-dev)")
	}
	var c bytes.Buffer
	fmt.Fprintf(&c, "#include <stddef.h>\n#define VK_ENABLE_BETA_EXTENSIONS\n#include <%s>\n", header)
	n := 0
	for _, l := range layouts {
		body, ok := definition(string(text), l.name)
		if !ok || slices.ContainsFunc(l.members, func(m member) bool { return !strings.Contains(body, m.name) }) {
			continue // older headers lack newer structs and members
		}
		n++
		fmt.Fprintf(&c, "_Static_assert(sizeof(%s) == %d, \"size\");\n", l.name, l.size)
		for _, m := range l.members {
			fmt.Fprintf(&c, "_Static_assert(offsetof(%s, %s) == %d, \"offset\");\n", l.name, m.name, m.offset)
		}
	}
	compile := exec.Command(gcc, "-I"+filepath.Dir(filepath.Dir(header)), "-fsyntax-only", "-x", "c", "-")
	compile.Stdin = &c
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.3000s", err, out)
	}
	if n < 700 {
		t.Errorf("%d structs are compared; must be most of %d", n, len(layouts))
	}
}

// definition returns the body of a struct in a header.
func definition(text, name string) (string, bool) {
	for _, kind := range []string{"struct", "union"} {
		if _, after, ok := strings.Cut(text, "typedef "+kind+" "+name+" {"); ok {
			body, _, _ := strings.Cut(after, "} "+name+";")
			return body, true
		}
	}
	return "", false
}
