package abi

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// layout is the size of a struct in Go and in C, and its members.
type layout struct {
	name    string
	size, c uintptr
	members []member
}

// member is a member with its offset in Go and in C.
type member struct {
	name      string
	offset, c uintptr
}

var (
	compiler = flag.String("cc", "", "C compiler that also checks the layouts, such as gcc")
	include  = flag.String("include", "/usr/include", "folder of the headers of Vulkan, for -cc")
)

// TestLayout compares the sizes and the offsets of all mirrors with the C layout (System V ABI, AMD64 supplement, 3.1.2). With
// -cc it also compares them with a compiler's, for the structs of the installed headers.
func TestLayout(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("the driver is for 64-bit processors alone, and so are the layouts")
	}
	for _, l := range layouts {
		if l.size != l.c {
			t.Errorf("%s has %d bytes; must have %d", l.name, l.size, l.c)
		}
		for _, m := range l.members {
			if m.offset != m.c {
				t.Errorf("%s.%s is at %d; must be at %d", l.name, m.name, m.offset, m.c)
			}
		}
	}
	if *compiler != "" {
		compile(t)
	}
}

// compile lets the compiler assert the layouts.
func compile(t *testing.T) {
	header := filepath.Join(*include, "vulkan/vulkan_core.h")
	text, err := os.ReadFile(header)
	if err != nil {
		t.Fatal(err)
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
	check := exec.Command(*compiler, "-I"+*include, "-fsyntax-only", "-x", "c", "-")
	check.Stdin = &c
	if out, err := check.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.3000s", err, out)
	}
	if n < 700 {
		t.Errorf("%d structs are compared; must be most of %d", n, len(layouts))
	}
}

// definition returns the body of a struct or a union in a header.
func definition(text, name string) (string, bool) {
	for _, kind := range []string{"struct", "union"} {
		if _, after, ok := strings.Cut(text, "typedef "+kind+" "+name+" {"); ok {
			body, _, _ := strings.Cut(after, "} "+name+";")
			return body, true
		}
	}
	return "", false
}
