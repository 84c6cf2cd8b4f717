package facts

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/scratch"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Spec is the values of specialization constants: SpecId → bits of the value,
// zero-extended. Bits beyond the constant's width are ignored; a boolean is true
// if any of the low 32 bits is set (VkBool32).
type Spec map[uint32]uint64

// Device is the values of constants that depend on the device, by id: the sizes
// of descriptors (OpConstantSizeOfEXT), the lengths of cooperative matrices. A
// missing one, and any value computed from it, is not known.
type Device map[spirv.ID]uint64

// Module is the facts of one module under one specialization.
type Module struct {
	Code *spirv.Module // the words; instruction numbers from 0 refer to it
	Spec Spec          // the given specialization

	Capabilities []spirv.Capability // declared, in order
	Extensions   []string           // declared, in order
	Addressing   spirv.AddressingModel
	Memory       spirv.MemoryModel
	HasMemory    bool // the module has an OpMemoryModel

	Types       []Type     // in order of declaration
	Consts      []Const    // in order of declaration; OpUndef in functions included
	Variables   []Variable // in order of declaration; variables of functions included
	Functions   []Function // in order of definition; declarations without a body included
	EntryPoints []EntryPoint

	capable    []uint64        // a bit for each capability
	extended   map[string]bool // the declared extensions; nil if they are few
	fact       []fact          // of each instruction
	blocks     []Block
	elems      []*Const    // the parts of composites
	uses       []*Variable // Globals of the functions, one after the other; likewise Succs and Preds, Constructs, Members
	edges      scratch.Slab[*Block]
	constructs scratch.Slab[Construct]
	members    scratch.Slab[Member]
	decor      decorations
	names      names
	modes      []Mode // sorted by the instruction that defines their function
	lines      []mark
}

// Gather returns the facts of m under a specialization, which may be nil.
func Gather(m *spirv.Module, spec Spec) *Module { return GatherOn(m, spec, nil) }

// GatherOn is Gather on a device, which may be nil.
func GatherOn(m *spirv.Module, spec Spec, device Device) *Module {
	w := workspaces.Get().(*workspace)
	g := &gatherer{Module: modules.Get().(*Module), device: device, workspace: w}
	g.Code, g.Spec, g.fact = m, spec, zeros(g.fact, m.Len())
	g.survey()
	g.name()
	g.decorate()
	g.rounding = g.roundings()
	g.declare()
	g.functions()
	g.entryPoints()
	w.reset()
	workspaces.Put(w)
	return g.Module
}

// gatherer is a module under construction, with the state that only the
// construction needs.
type gatherer struct {
	*Module
	*workspace
	device Device
	count  counts
	free   []*Const // the end of Module.elems that no composite has yet
	budget int      // elements that evaluated composites may still allocate

	rounding rounding
}

// counts holds the sizes of the arenas, so that they never move.
type counts struct {
	types, consts, vars, funcs, blocks, elems int
}

// fact locates the fact that an instruction declares: the arena in the low
// factBits bits, the index in the arena above them.
type fact uint32

const (
	noFact fact = iota
	typeFact
	constFact
	varFact
	funcFact
	blockFact
	setFact
	factBits = 3
)

func (f fact) kind() fact { return f & (1<<factBits - 1) }

// at returns the index of the fact of the given kind that id declares; −1 if it
// declares none.
func (m *Module) at(id spirv.ID, kind fact) int {
	i := m.Code.Def(id)
	if i < 0 || m.fact[i].kind() != kind {
		return -1
	}
	return int(m.fact[i] >> factBits)
}

// Def returns the number of the instruction with the result id; −1 if there is
// none.
func (m *Module) Def(id spirv.ID) int { return m.Code.Def(id) }

// Inst returns the instruction with the result id; nil if there is none.
func (m *Module) Inst(id spirv.ID) spirv.Inst { return m.Code.DefInst(id) }

// Type returns the type with the given id; nil if the id is no type.
func (m *Module) Type(id spirv.ID) *Type {
	if n := m.at(id, typeFact); n >= 0 {
		return &m.Types[n]
	}
	return nil
}

// TypeOf returns the result type of the value with the given id; nil if it has
// none.
func (m *Module) TypeOf(id spirv.ID) *Type {
	in := m.Code.DefInst(id)
	if in == nil {
		return nil
	}
	return m.Type(in.Type())
}

// Const returns the constant with the given id; nil if the id is no constant.
func (m *Module) Const(id spirv.ID) *Const {
	if n := m.at(id, constFact); n >= 0 {
		return &m.Consts[n]
	}
	return nil
}

// Variable returns the variable with the given id; nil if the id is no variable.
func (m *Module) Variable(id spirv.ID) *Variable {
	if n := m.at(id, varFact); n >= 0 {
		return &m.Variables[n]
	}
	return nil
}

// Function returns the function with the given id; nil if the id is no function.
func (m *Module) Function(id spirv.ID) *Function {
	if n := m.at(id, funcFact); n >= 0 {
		return &m.Functions[n]
	}
	return nil
}

// Block returns the block with the given label; nil if the id labels no block of
// a function.
func (m *Module) Block(label spirv.ID) *Block {
	if n := m.at(label, blockFact); n >= 0 {
		return &m.blocks[n]
	}
	return nil
}

// ExtSet returns the extended instruction set that id imports; ExtSetNone if it
// imports none.
func (m *Module) ExtSet(id spirv.ID) spirv.ExtSet {
	if n := m.at(id, setFact); n >= 0 {
		return spirv.ExtSet(n)
	}
	return spirv.ExtSetNone
}

// Capable reports whether a capability is declared, or implied by a declared one
// (SPIR-V §3.2.30).
func (m *Module) Capable(c spirv.Capability) bool {
	return int(c/64) < len(m.capable) && m.capable[c/64]>>(c%64)&1 != 0
}

// AllCapabilities yields every declared or implied capability, in order of their
// numbers.
func (m *Module) AllCapabilities() iter.Seq[spirv.Capability] {
	return func(yield func(spirv.Capability) bool) {
		for n, w := range m.capable {
			for ; w != 0; w &= w - 1 {
				if !yield(spirv.Capability(n*64 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}

// Extension reports whether an extension is declared.
func (m *Module) Extension(name string) bool {
	if m.extended != nil {
		return m.extended[name]
	}
	return slices.Contains(m.Extensions, name)
}

// Variable is an OpVariable or an OpUntypedVariableKHR.
type Variable struct {
	ID      spirv.ID
	Number  int   // index in Module.Variables
	Index   int   // its instruction
	Pointer *Type // its result type
	Type    *Type // type of the contents; nil if it is missing or unknown
	Storage spirv.StorageClass
	Init    spirv.ID  // its initializer; 0 if it has none
	Func    *Function // the function that contains it; nil at module scope
}
