package ptxlower

import (
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// space is a state space.
type space uint8

const (
	inGeneric space = iota
	inGlobal        // and .const: device addresses
	inShared
	inLocal
	inParam   // the parameters of the kernel
	inFrame   // a .param of a call or of a device function, and a .local whose address is always known: a variable of its own
	inInteger // of the analysis of addresses: a number, or an address that was computed from parts
	inNone    // of the analysis of addresses: a constant, or not known yet
)

// register is a register, or an element of a vector register. All are private variables, which mem2reg makes values.
type register struct {
	decl   *ptx.Variable
	size   int // in bytes; 0 of a predicate
	typ    ir.Type
	number uint64 // its variable, if typ is not None
	common string // of a register of the module, in a program of several functions: its name
	floats int    // how many more operands are floats than integers

	defs   int // instructions that write it
	def    *item
	shadow uint64 // 1 + the variable of its shadow
	origin space  // of the pointee; inGeneric if it is not known
	known  *symbol
	plus   int64 // the offset from known
	state  uint8 // of the search for known
}

// symbol is a variable in memory, or a label of one.
type symbol struct {
	decl    *ptx.Variable
	name    string // in the image
	space   space
	offset  uint32 // in bytes: in the push constants, in shared or in local memory
	number  uint64 // inFrame: the variable
	shadow  uint64 // inFrame: 1 + the variable of its shadow
	placed  bool
	escapes bool   // its address is used in another way than for accesses
	address uint64 // inGlobal
}

// scope has the names of a block.
type scope struct {
	parent    *scope
	registers map[string]*register
	prefixes  map[string]*ptx.Variable // parameterised names
	symbols   map[string]*symbol
	labels    map[string]*ptx.Directive
}

func newScope(parent *scope) *scope {
	return &scope{parent, map[string]*register{}, map[string]*ptx.Variable{}, map[string]*symbol{}, map[string]*ptx.Directive{}}
}

// register returns the register with a name; nil if there is none.
func (f *function) register(s *scope, name string) *register {
	for ; s != nil; s = s.parent {
		if r := f.registerOf(s, name); r != nil {
			return r
		}
	}
	return nil
}

// registerOf returns the register of a scope itself with a name; nil if there is none.
func (f *function) registerOf(s *scope, name string) *register {
	if r := s.registers[name]; r != nil {
		return r
	}
	base, element, _ := strings.Cut(name, ".")
	prefix := strings.TrimRight(base, "0123456789")
	v := s.prefixes[prefix]
	if v == nil || prefix == base {
		return nil
	}
	n, err := strconv.Atoi(base[len(prefix):])
	switch {
	case err != nil || n >= v.Count || strconv.Itoa(n) != base[len(prefix):] || v.Vector <= 1 && element != "":
		return nil
	case v.Vector > 1:
		// Also an instruction on the whole vector names all elements.
		if s.registers[base+".x"] == nil {
			f.newElements(s, v, base)
		}
		return s.registers[name]
	}
	return f.newRegister(s, v, name)
}

// newElements declares the elements of a vector register.
func (f *function) newElements(s *scope, v *ptx.Variable, name string) {
	for _, c := range "xyzw"[:min(v.Vector, 4)] {
		f.newRegister(s, v, name+"."+string(c))
	}
}

// newRegister declares a register.
func (f *function) newRegister(s *scope, v *ptx.Variable, name string) *register {
	if f.registers = append(f.registers, nil); len(f.registers) > maxRegisters {
		unsupported(v.Pos, "a function with more than %d registers", maxRegisters)
	}
	r := &register{decl: v, size: ptx.TypeSize(v.Type)}
	switch {
	case v.Type == ".pred":
		r.size = 0
	case r.size > 8:
		unsupported(v.Pos, "a register of type %s", v.Type)
	case strings.HasPrefix(v.Type, ".f") && v.Type != ".f16x2":
		r.floats = 1
	}
	if s == f.outer && len(f.reached) > 1 {
		r.common, r.defs = name, 2 // any call may write it
	}
	f.registers[len(f.registers)-1] = r
	s.registers[name] = r
	return r
}

// symbol returns the variable with a name; nil if there is none.
func (f *function) symbol(s *scope, name string) *symbol {
	for ; s != nil; s = s.parent {
		if x := s.symbols[name]; x != nil {
			return x
		}
	}
	return f.moduleSymbol(name)
}

// moduleSymbol returns the variable of the module with a name.
func (u *unit) moduleSymbol(name string) *symbol {
	if at, ok := u.shared[name]; ok {
		return &symbol{space: inShared, offset: at, escapes: true}
	}
	if at, ok := u.fixed[name]; ok {
		return &symbol{space: inLocal, offset: at, escapes: true}
	}
	if at, ok := u.image.offsets[name]; ok {
		return &symbol{name: name, space: inGlobal, address: u.o.Base + at, escapes: true}
	}
	return nil
}

// directive returns the .branchtargets, .calltargets or .callprototype with a label.
func (s *scope) directive(name string) *ptx.Directive {
	for ; s != nil; s = s.parent {
		if d := s.labels[name]; d != nil {
			return d
		}
	}
	return nil
}

// declare adds a variable to a scope.
func (f *function) declare(s *scope, v *ptx.Variable) {
	owner := f.owner(f.f, v)
	v = halvesOf(v)
	switch v.Space {
	case ".reg":
		if v.Count > 0 {
			s.prefixes[v.Name] = v
			return
		}
		if v.Vector > 1 {
			f.newElements(s, v, v.Name)
			return
		}
		f.newRegister(s, v, v.Name)
	case ".param", ".local":
		if v.Count > 0 {
			unsupported(v.Pos, "a variable %s with a parameterised name", v.Name)
		}
		x := &symbol{decl: v, space: inFrame}
		s.symbols[v.Name] = x
		f.frame = append(f.frame, x)
	case ".shared":
		s.symbols[v.Name] = &symbol{decl: v, space: inShared, offset: f.shared[sharedName(owner, v)], escapes: true}
		if dynamic(v) {
			s.symbols[v.Name] = f.moduleSymbol(v.Name)
		}
	case ".global", ".const", ".tex":
		s.symbols[v.Name] = f.moduleSymbol(ownName(owner, v))
	default:
		unsupported(v.Pos, "a variable of a function in %s", v.Space)
	}
}
