package ptx

// Module is a PTX module.
type Module struct {
	Version     [2]int   // major, minor
	Target      []string // such as "sm_75"
	AddressSize int      // 32 or 64
	Items       []Item   // in the order of the text

	VersionPos Position
	TargetPos  []Position // of each Target
}

// Item is a *Variable, a *Function or a *Directive at module scope.
type Item interface{ item() }

// Function returns the definition of a function, or its last declaration; nil if there is none.
func (m *Module) Function(name string) (found *Function) {
	for _, x := range m.Items {
		if f, ok := x.(*Function); ok && f.Name == name && (found == nil || f.Body != nil) {
			found = f
		}
	}
	return found
}

// Entries returns the kernels that the module defines.
func (m *Module) Entries() (list []*Function) {
	for _, x := range m.Items {
		if f, ok := x.(*Function); ok && f.Entry && f.Body != nil {
			list = append(list, f)
		}
	}
	return list
}

// Function is a kernel (.entry) or a device function (.func).
type Function struct {
	Pos     Position
	Entry   bool
	Linkage []string // such as ".visible"
	Name    string
	Results []*Variable
	Params  []*Variable
	Attrs   []*Directive // such as .maxntid
	Body    *Block       // nil of a declaration
}

// Variable is a declaration of variables, registers or parameters of one name.
type Variable struct {
	Pos     Position
	Linkage []string
	Space   string // ".reg", ".param", ".shared", ".local", ".const", ".global", ".tex"
	Align   int    // 0: the alignment of the type
	Vector  int    // 1, 2 or 4
	Type    string // such as ".u32"
	Pointer string // of a .param with .ptr: the space it points to, ".generic" without one
	PtrTo   int    // the alignment of the pointee; 0 without one
	Name    string
	Count   int   // of a parameterised name such as %r<9>: the number of names; 0 without one
	Dims    []int // of an array; -1 without a size
	Init    *Value
	Attrs   []*Directive // such as .attribute
}

// Value is an initializer: an expression, or a list of them in braces.
type Value struct {
	Pos   Position
	Field string  // of an element that sets a property of a texture, a sampler or a surface: its name
	List  []Value // if Expr is nil
	Expr  *Expr
}

// Directive is a directive with its words as they are: .loc, .file, .pragma, .section, .maxntid and others.
type Directive struct {
	Pos   Position
	Label string // of .branchtargets, .calltargets and .callprototype
	Name  string
	Words []string   // strings with their quotes
	Proto *Function  // of .callprototype
	Names []*Operand // of .branchtargets and .calltargets
}

// Block is a body in braces.
type Block struct {
	Pos   Position
	Stmts []Stmt
}

// Stmt is an *Instr, a *Label, a *Variable, a *Directive or a *Block.
type Stmt interface{ stmt() }

// Label is a label before a statement.
type Label struct {
	Pos  Position
	Name string
}

// Instr is an instruction.
type Instr struct {
	Pos      Position
	Guard    string // the predicate register, "" without one
	Not      bool   // the guard is negated
	Op       string // such as "add"
	Mods     []string
	Operands []*Operand
}

// Has reports whether an instruction has a modifier.
func (i *Instr) Has(mod string) bool {
	for _, m := range i.Mods {
		if m == mod {
			return true
		}
	}
	return false
}

// Name returns the opcode with its modifiers.
func (i *Instr) Name() string {
	name := i.Op
	for _, m := range i.Mods {
		name += m
	}
	return name
}

// OperandKind is the kind of an operand.
type OperandKind uint8

// The kinds.
const (
	Symbol    OperandKind = iota // a register, a special register, a label, a variable or a function; with Offset if Expr is set
	Immediate                    // Expr is a constant expression
	Vector                       // {a, b}
	Address                      // [a] or [a+Expr] in Elems[0], with further operands after a comma
	List                         // (a, b) of a call
	Pair                         // a|b
	Sink                         // _
)

// Operand is an operand of an instruction.
type Operand struct {
	Pos   Position
	Kind  OperandKind
	Not   bool   // !a
	Neg   bool   // -a of a register
	Name  string // of a Symbol
	Part  string // ".x" of a vector register or a special register; ".unified" of an address
	Expr  *Expr  // of an Immediate; the offset of a Symbol, or nil
	Elems []*Operand
}

func (*Function) item()  {}
func (*Variable) item()  {}
func (*Directive) item() {}

func (*Instr) stmt()     {}
func (*Label) stmt()     {}
func (*Variable) stmt()  {}
func (*Directive) stmt() {}
func (*Block) stmt()     {}
