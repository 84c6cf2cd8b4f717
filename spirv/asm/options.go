package asm

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// AssembleOptions are the options of Assemble. The zero value is the usual
// choice: the newest version, ids numbered from 1 as they appear.
type AssembleOptions struct {
	// Version goes into the header; instructions that came later and that no
	// extension or capability brings are refused. Zero is the newest version.
	Version spirv.Version
	// PreserveNumericIDs preserves the numbers of ids such as %42. Other ids get
	// the numbers that remain, from 1 upward.
	PreserveNumericIDs bool
	// Generator goes into the header; the registry of generators allows 0.
	Generator uint32
	// Starts, if it is not nil, gets the offset in the text of each
	// instruction appended.
	Starts *[]int
	// Names, if it is not nil, becomes the text's name of each id, without
	// the percent sign, by the number of the id; it becomes nil if numeric ids
	// are preserved.
	Names *[]string
}

// DisassembleOptions are the options of Disassemble. The zero value is the plain
// form: header, indentation, friendly names.
type DisassembleOptions struct {
	RawIDs       bool // ids as numbers instead of names taken from the module
	NoHeader     bool // without the five comment lines that show the header
	NoIndent     bool // without aligning the equal signs
	NestedIndent bool // blocks indented by their place in the structured control flow; overrules NoIndent
	Reorder      bool // blocks in the order of the structured control flow
	Offsets      bool // each instruction's offset in bytes as a comment
	Comment      bool // sections, ids of names and decorations as comments
	Color        bool // ANSI escape sequences
}

// newest is the version that no target means.
const newest = spirv.Version(0x00010600)

// Bytes returns words in little-endian order, as a file has them.
func Bytes(words []uint32) []byte {
	out := make([]byte, 0, 4*len(words))
	for _, w := range words {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}

// Target returns the version of SPIR-V that an environment uses by default,
// given its name: spv1.3, universal1.3, vulkan1.1, vulkan1.1spv1.4, opencl2.1,
// opencl1.2embedded, opengl4.5. ok is false if the name is none of these.
func Target(name string) (v spirv.Version, ok bool) {
	for i := range targets {
		if targets[i].name == name {
			return targets[i].version, true
		}
	}
	return 0, false
}

// Targets returns the names that Target knows.
func Targets() []string {
	out := make([]string, len(targets))
	for i := range targets {
		out[i] = targets[i].name
	}
	return out
}

// targets are the environments by name (Vulkan's versions: Vulkan, appendix
// "Vulkan Environment for SPIR-V").
var targets = []struct {
	name    string
	version spirv.Version
}{
	{"spv1.0", 0x10000}, {"spv1.1", 0x10100}, {"spv1.2", 0x10200}, {"spv1.3", 0x10300},
	{"spv1.4", 0x10400}, {"spv1.5", 0x10500}, {"spv1.6", 0x10600},
	{"universal1.0", 0x10000}, {"universal1.1", 0x10100}, {"universal1.2", 0x10200}, {"universal1.3", 0x10300},
	{"universal1.4", 0x10400}, {"universal1.5", 0x10500}, {"universal1.6", 0x10600},
	{"vulkan1.0", 0x10000}, {"vulkan1.1", 0x10300}, {"vulkan1.1spv1.4", 0x10400},
	{"vulkan1.2", 0x10500}, {"vulkan1.3", 0x10600}, {"vulkan1.4", 0x10600},
	{"opencl1.2", 0x10000}, {"opencl1.2embedded", 0x10000}, {"opencl2.0", 0x10000}, {"opencl2.0embedded", 0x10000},
	{"opencl2.1", 0x10000}, {"opencl2.1embedded", 0x10000}, {"opencl2.2", 0x10200}, {"opencl2.2embedded", 0x10200},
	{"opengl4.0", 0x10000}, {"opengl4.1", 0x10000}, {"opengl4.2", 0x10000}, {"opengl4.3", 0x10000}, {"opengl4.5", 0x10000},
}
