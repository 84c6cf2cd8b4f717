package lower

// KernelSymbols has the places of the registers and variables of a kernel in the program that package ptxlower makes, for a debugger. They
// hold for the program as it was lowered: passes move values.
type KernelSymbols struct {
	Functions []*KernelFunction  // by number in the program
	Lines     int                // the last line of the module with an instruction
	Sources   map[int]SourceLine // by line of the module: the place that .loc names
}

// SourceLine is a line of a source.
type SourceLine struct {
	File string
	Line int
}

// KernelFunction has the symbols of a function.
type KernelFunction struct {
	Instructions map[int]bool   // the lines of the module with an instruction; true if one begins a basic block
	Symbols      []KernelSymbol // in the order of the scopes, and by name
}

// SymbolKind is the kind of a symbol.
type SymbolKind uint8

// The kinds of symbols.
const (
	RegisterSymbol SymbolKind = iota
	ParameterSymbol
	LocalSymbol // also the .param variables of a body
	SharedSymbol
	ModuleSymbol // .global and .const
)

// KernelSymbol is a register or a variable.
type KernelSymbol struct {
	Name     string
	Kind     SymbolKind
	Type     string // of PTX, of one element
	Count    int    // the elements; 0 if it is none of several
	From, To int    // the lines of the module where the name holds
	Place    Place
	Step     uint64 // from one element to the next: slots of private memory, or bytes
	Float    bool   // a register of bits that float instructions use
}
