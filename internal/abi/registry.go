package abi

// Level is the first parameter of a command, and with it the way to find it.
type Level uint8

// The levels.
const (
	Global Level = iota // without an instance
	InstanceLevel
	Physical
	OfDevice // of a device, a queue or a command buffer
)

// Name is a name of a command.
type Name struct {
	Name   string
	Number int
	Level  Level
	Blocks string // the versions and extensions that have it, separated by spaces
}

// Extension is an extension of Vulkan.
type Extension struct {
	Name     string
	Revision int
	Instance bool
	Promoted string   // the version or extension that contains it
	Depends  string   // the registry's expression: versions and extensions with + (and) and , (or)
	Features []string // that a device with the extension supports
}

// Kind is the type of a member of a struct of features or properties.
type Kind uint8

// The kinds.
const (
	Bool Kind = iota
	Char
	Uint8
	Uint32
	Int32
	Uint64
	Int64
	Float
)

// Size returns the size of a member in bytes.
func (k Kind) Size() uintptr {
	switch k {
	case Char, Uint8:
		return 1
	case Uint64, Int64:
		return 8
	}
	return 4
}

// Member is a member of a struct of features or properties.
type Member struct {
	Name   string
	Offset uintptr
	Kind   Kind
	Count  int // of an array; else 1
}

// Chained is a struct of features or properties that a chain can have.
type Chained struct {
	Name    string
	SType   uint32 // 0 if the struct is a part of another one
	Size    uintptr
	Blocks  string // the versions and extensions that have it, separated by spaces
	Members []Member
}
