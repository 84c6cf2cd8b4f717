package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"

	"github.com/rogpeppe/go-internal/testscript"
)

// writeLibrary is the command of scripts "library FILE SYMBOL": a shared library without code that exports a symbol.
func writeLibrary(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: library FILE SYMBOL")
	}
	const head, section, symbol = 64, 64, 24 // sizes in the file
	names := "\x00" + args[1] + "\x00"
	symbols := head + 3*section
	var b bytes.Buffer
	for _, part := range []any{
		elf.Header64{
			Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
			Type:  uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT), Shoff: head, Ehsize: head,
			Shentsize: section, Shnum: 3, Shstrndx: 2,
		},
		elf.Section64{},
		elf.Section64{Type: uint32(elf.SHT_DYNSYM), Off: uint64(symbols), Size: 2 * symbol, Link: 2, Entsize: symbol},
		elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: uint64(symbols + 2*symbol), Size: uint64(len(names))},
		elf.Sym64{},
		elf.Sym64{Name: 1, Info: byte(elf.STB_GLOBAL)<<4 | byte(elf.STT_FUNC), Shndx: 1},
		[]byte(names),
	} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			ts.Fatalf("%v", err)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o755))
}
