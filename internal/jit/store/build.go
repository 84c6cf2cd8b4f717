package store

import (
	"bufio"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"reflect"
	"sync"
)

// BuildID returns an id that differs between any two builds of this code; "" if the system does not provide one. The code may be in a
// library of another program, and the file of the library may change while it runs: the id is the one in memory.
var BuildID = sync.OnceValue(func() string {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return ""
	}
	defer maps.Close()
	base, ok := imageBase(maps, uint64(reflect.ValueOf(imageBase).Pointer()))
	if !ok {
		return ""
	}
	memory, err := os.Open("/proc/self/mem")
	if err != nil {
		return ""
	}
	defer memory.Close()
	return hex.EncodeToString(buildNote(memory, base))
})

// imageBase returns the address of the beginning of the file that the code at an address is mapped from. maps has the form of
// proc_pid_maps(5): one mapping a line, in ascending order of addresses.
func imageBase(maps io.Reader, code uint64) (base uint64, ok bool) {
	var first uint64 // the inode of the mapping at base
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var begin, end, offset, inode uint64
		var access, device string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s %x %s %d", &begin, &end, &access, &offset, &device, &inode); err != nil {
			return 0, false
		}
		if offset == 0 {
			base, first = begin, inode
		}
		if begin <= code && code < end {
			return base, inode == first && inode != 0
		}
	}
	return 0, false
}

// The owner and the type of the note that the linker of Go writes (cmd/link, ELF_NOTE_GOBUILDID_TAG).
const (
	noteOwner = "Go\x00\x00"
	noteType  = 4
)

// Limits on the segments and the bytes of notes that buildNote reads.
const (
	maxSegments  = 1 << 8
	maxNoteBytes = 1 << 16
)

// buildNote returns the build id that Go wrote to the ELF image of 64 bits at an address; nil if it has none (System V ABI, Object Files).
func buildNote(memory io.ReaderAt, base uint64) []byte {
	var h elf.Header64
	read := func(at uint64, to any) bool {
		return binary.Read(io.NewSectionReader(memory, int64(at), maxNoteBytes), binary.NativeEndian, to) == nil
	}
	if !read(base, &h) || string(h.Ident[:4]) != elf.ELFMAG || elf.Class(h.Ident[elf.EI_CLASS]) != elf.ELFCLASS64 || h.Phnum > maxSegments {
		return nil
	}
	segments := make([]elf.Prog64, h.Phnum)
	if int(h.Phentsize) != binary.Size(elf.Prog64{}) || !read(base+h.Phoff, segments) {
		return nil
	}
	bias := base // the address in memory of the image's address 0
	for _, s := range segments {
		if elf.ProgType(s.Type) == elf.PT_LOAD && s.Off == 0 {
			bias = base - s.Vaddr
		}
	}
	for _, s := range segments {
		if elf.ProgType(s.Type) != elf.PT_NOTE || s.Filesz > maxNoteBytes {
			continue
		}
		notes := make([]byte, s.Filesz)
		if !read(bias+s.Vaddr, notes) {
			continue
		}
		if id := goNote(notes); id != nil {
			return id
		}
	}
	return nil
}

// goNote returns the value of the note of Go in a segment of notes: sizes of owner and value and a type, each of 32 bits, then the
// owner and the value, each filled to a multiple of 4 bytes.
func goNote(notes []byte) []byte {
	const head = 12
	for len(notes) >= head {
		owner, value := uint64(binary.NativeEndian.Uint32(notes)), uint64(binary.NativeEndian.Uint32(notes[4:]))
		at := head + (owner+3)&^3
		next := at + (value+3)&^3
		if next > uint64(len(notes)) {
			return nil
		}
		if binary.NativeEndian.Uint32(notes[8:]) == noteType && string(notes[head:at]) == noteOwner {
			return notes[at : at+value]
		}
		notes = notes[next:]
	}
	return nil
}
