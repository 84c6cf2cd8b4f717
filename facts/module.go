package facts

import (
	"iter"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// Spec gives specialization constants their values: SpecId → bits of the
// value, zero-extended. Bits beyond the constant's width are ignored; a boolean
// is true where any of the low 32 bits is set (VkBool32).
type Spec map[uint32]uint64

// Device gives constants whose values are the device's theirs, by id: the sizes
// of descriptors (OpConstantSizeOfEXT), the lengths of cooperative matrices. What
// follows from one that is missing is not known.
type Device map[spirv.ID]uint64

// Module is what is true of one module under one specialization.
type Module struct {
	Code *spirv.Module // the words; instruction numbers from 0 are its
	Spec Spec          // the values that were given

	Capabilities []spirv.Capability // declared, in order
	Extensions   []string           // declared, in order
	Addressing   spirv.AddressingModel
	Memory       spirv.MemoryModel
	HasMemory    bool // whether there is an OpMemoryModel

	Types       []Type     // in order of declaration
	Consts      []Const    // in order of declaration; OpUndef in functions included
	Variables   []Variable // in order of declaration, those of functions included
	Functions   []Function // in order of definition; declarations without a body included
	EntryPoints []EntryPoint

	capable []uint64 // a bit for each capability
	fact    []fact   // of each instruction
	blocks  []Block
	decor   decorations
	names   names
	modes   []Mode // sorted by Target's definition
	lines   []mark
}

// Gather states what is true of m where the specialization constants have the
// values of spec, which may be nil.
func Gather(m *spirv.Module, spec Spec) *Module { return GatherOn(m, spec, nil) }

// GatherOn is Gather for a device.
func GatherOn(m *spirv.Module, spec Spec, device Device) *Module {
	g := &gatherer{Module: &Module{Code: m, Spec: spec, fact: make([]fact, m.Len())}, device: device}
	g.survey()
	g.name()
	g.decorate()
	g.declare()
	g.functions()
	g.entryPoints()
	return g.Module
}

// gatherer is a module that is being gathered, and what is needed only until
// then.
type gatherer struct {
	*Module
	device  Device
	count   counts
	annot   []int32 // instructions that decorate
	entry   []int32 // OpEntryPoint
	mode    []int32 // OpExecutionMode and OpExecutionModeId
	elems   []*Const
	trees   dominators         // scratch
	implied []spirv.Capability // scratch
	budget  int                // elements that evaluated composites may still have
}

// counts is how many of each there are, so that arenas never move.
type counts struct {
	types, consts, vars, funcs, blocks, elems int
}

// fact is which fact an instruction states: its number in an arena, and which
// arena.
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

// at returns the number of the fact of the given kind that id states, -1 where
// it states none.
func (m *Module) at(id spirv.ID, kind fact) int {
	i := m.Code.Def(id)
	if i < 0 || m.fact[i].kind() != kind {
		return -1
	}
	return int(m.fact[i] >> factBits)
}

// Def returns the number of the instruction whose result is id, -1 where there
// is none.
func (m *Module) Def(id spirv.ID) int { return m.Code.Def(id) }

// Inst returns the instruction whose result is id, nil where there is none.
func (m *Module) Inst(id spirv.ID) spirv.Inst { return m.Code.DefInst(id) }

// Type returns the type of the given id, nil where the id is that of none.
func (m *Module) Type(id spirv.ID) *Type {
	if n := m.at(id, typeFact); n >= 0 {
		return &m.Types[n]
	}
	return nil
}

// TypeOf returns the result type of the value of the given id, nil where it has
// none.
func (m *Module) TypeOf(id spirv.ID) *Type {
	in := m.Code.DefInst(id)
	if in == nil {
		return nil
	}
	return m.Type(in.Type())
}

// Const returns the constant of the given id, nil where the id is that of none.
func (m *Module) Const(id spirv.ID) *Const {
	if n := m.at(id, constFact); n >= 0 {
		return &m.Consts[n]
	}
	return nil
}

// Variable returns the variable of the given id, nil where the id is that of
// none.
func (m *Module) Variable(id spirv.ID) *Variable {
	if n := m.at(id, varFact); n >= 0 {
		return &m.Variables[n]
	}
	return nil
}

// Function returns the function of the given id, nil where the id is that of
// none.
func (m *Module) Function(id spirv.ID) *Function {
	if n := m.at(id, funcFact); n >= 0 {
		return &m.Functions[n]
	}
	return nil
}

// Block returns the block of the given label, nil where the id is that of none
// within a function.
func (m *Module) Block(label spirv.ID) *Block {
	if n := m.at(label, blockFact); n >= 0 {
		return &m.blocks[n]
	}
	return nil
}

// ExtSet returns the extended instruction set that id imports, ExtSetNone where
// it imports none.
func (m *Module) ExtSet(id spirv.ID) spirv.ExtSet {
	if n := m.at(id, setFact); n >= 0 {
		return spirv.ExtSet(n)
	}
	return spirv.ExtSetNone
}

// Capable reports whether a capability is declared, or implied by one that is
// (SPIR-V §3.2.30).
func (m *Module) Capable(c spirv.Capability) bool {
	return int(c/64) < len(m.capable) && m.capable[c/64]>>(c%64)&1 != 0
}

// AllCapabilities yields every capability that is declared or implied, in order
// of their numbers.
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
	for _, e := range m.Extensions {
		if e == name {
			return true
		}
	}
	return false
}

// Variable is an OpVariable or an OpUntypedVariableKHR.
type Variable struct {
	ID      spirv.ID
	Number  int   // in Module.Variables
	Index   int   // its instruction
	Pointer *Type // its result type
	Type    *Type // of what it holds
	Storage spirv.StorageClass
	Init    spirv.ID  // its initializer, 0 where it has none
	Func    *Function // the function it stands in, nil at module scope
}
