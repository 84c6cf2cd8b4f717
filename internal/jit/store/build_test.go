package store

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestBuildID compares the id with the one in the file of the test.
func TestBuildID(t *testing.T) {
	if runtime.GOOS != "linux" {
		if id := BuildID(); id != "" {
			t.Errorf("the id is %q; must be empty", id)
		}
		return
	}
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := ""
	if note := f.Section(".note.go.buildid"); note != nil {
		b, err := note.Data()
		if err != nil {
			t.Fatal(err)
		}
		want = hex.EncodeToString(b[16:][:binary.NativeEndian.Uint32(b[4:])])
	}
	if id := BuildID(); id != want {
		t.Errorf("the id is %q; must be %q", id, want)
	}
}

// TestImageBase finds the code of a library between others in a table as proc_pid_maps(5) shows it.
func TestImageBase(t *testing.T) {
	const table = `55d4c0a00000-55d4c0a01000 r--p 00000000 08:01 77                         /usr/bin/app
55d4c0a01000-55d4c0a02000 r-xp 00001000 08:01 77                         /usr/bin/app
55d4c1000000-55d4c1021000 rw-p 00000000 00:00 0                          [heap]
7f0000000000-7f0000004000 r--p 00000000 08:01 99                         /usr/lib/a name (deleted)
7f0000004000-7f0000008000 r-xp 00004000 08:01 99                         /usr/lib/a name (deleted)
7f0000008000-7f0000009000 r-xp 00008000 08:01 98                         /usr/lib/b
7f0000009000-7f000000a000 rwxp 00000000 00:00 0
`
	for _, c := range []struct {
		code, base uint64
		ok         bool
	}{
		{0x55d4c0a01234, 0x55d4c0a00000, true}, {0x7f0000000000, 0x7f0000000000, true}, {0x7f0000007fff, 0x7f0000000000, true},
		{0x7f0000008000, 0, false}, // the beginning of its file is not mapped
		{0x7f0000009000, 0, false}, // not of a file
		{0x7f000000a000, 0, false}, {0, 0, false},
	} {
		if base, ok := imageBase(strings.NewReader(table), c.code); ok != c.ok || ok && base != c.base {
			t.Errorf("code at %#x: %#x, %v; must be %#x, %v", c.code, base, ok, c.base, c.ok)
		}
	}
	if _, ok := imageBase(strings.NewReader("no table\n"), 1); ok {
		t.Error("text that is no table has a base")
	}
}

// image returns an ELF image for the address 0x10000, with two notes at its address vaddr+0x200, of which the last has the value.
func image(vaddr uint64, owner, value string) []byte {
	b := make([]byte, 0x10000)
	put := func(v any) {
		var err error
		if b, err = binary.Append(b, binary.NativeEndian, v); err != nil {
			panic(err)
		}
	}
	h := elf.Header64{Phoff: 64, Phentsize: 56, Phnum: 2}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS] = byte(elf.ELFCLASS64)
	put(h)
	note := func(owner, value string, kind uint32) (out []byte) {
		for _, n := range []uint32{uint32(len(owner)), uint32(len(value)), kind} {
			out = binary.NativeEndian.AppendUint32(out, n)
		}
		for _, s := range []string{owner, value} {
			out = append(append(out, s...), make([]byte, -len(s)&3)...)
		}
		return out
	}
	notes := append(note("GNU\x00", "12345", 3), note(owner, value, 4)...)
	put([]elf.Prog64{{Type: uint32(elf.PT_LOAD), Vaddr: vaddr, Filesz: 0x1000}, {Type: uint32(elf.PT_NOTE), Off: 0x200, Vaddr: vaddr + 0x200, Filesz: uint64(len(notes))}})
	b = append(b, make([]byte, 0x10200-len(b))...)
	return append(b, notes...)
}

// TestBuildNote reads images at their address and elsewhere, and images with faults, which have no id.
func TestBuildNote(t *testing.T) {
	for _, vaddr := range []uint64{0, 0x10000, 0x400000} {
		if id := buildNote(bytes.NewReader(image(vaddr, "Go\x00\x00", "the id")), 0x10000); string(id) != "the id" {
			t.Errorf("linked at %#x: the id is %q", vaddr, id)
		}
	}
	if id := buildNote(bytes.NewReader(image(0, "No\x00\x00", "the id")), 0x10000); id != nil {
		t.Errorf("a note of another owner: the id is %q", id)
	}
	whole := image(0, "Go\x00\x00", "the id")
	for n := range len(whole) - 0x10000 {
		if id := buildNote(bytes.NewReader(whole[:0x10000+n]), 0x10000); id != nil {
			t.Errorf("%d bytes of an image: the id is %q", n, id)
		}
		for _, x := range []byte{1, 0x80, 0xff} { // any id, but no read outside of the image
			damaged := slices.Clone(whole)
			damaged[0x10000+n] ^= x
			buildNote(bytes.NewReader(damaged), 0x10000)
		}
	}
}
