package facts

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// survey visits each instruction once: it numbers the facts, allocates the arenas
// for them, and records the facts that depend on no other (capabilities,
// extensions, memory model, lines, names).
func (g *gatherer) survey() {
	var s surveyor
	for i, in := range g.Code.All() {
		op := in.Op()
		if !g.Code.Known(i) {
			continue
		}
		switch surveyOps[op] {
		case surveyNothing:
		case surveyType:
			g.tag(i, typeFact, &g.count.types)
		case surveyConstant:
			g.constant(i, op, in)
		case surveyVariable:
			g.tag(i, varFact, &g.count.vars)
		case surveyFunction:
			s.function(g, i, op)
		case surveyLabel:
			if s.inside {
				g.tag(i, blockFact, &g.count.blocks)
			}
		case surveyAnnotation:
			g.annot = append(g.annot, int32(i))
		case surveyDebug:
			s.mark(g, i, op)
			g.names.debug(i, op, in)
		case surveyExtension:
			s.mark(g, i, op)
			g.extension(i, op, in)
		case surveySetting:
			g.setting(i, op, in)
		case surveyEnd:
			s.mark(g, i, op)
		}
	}
	g.allocate()
}

// The classes of opcodes that a survey distinguishes.
const (
	surveyNothing uint8 = iota
	surveyType
	surveyConstant
	surveyVariable
	surveyFunction
	surveyLabel
	surveyAnnotation
	surveyDebug
	surveyExtension
	surveySetting
	surveyEnd // a block terminator
)

// surveyOps maps each opcode to its class.
var surveyOps = func() []uint8 {
	rows := spirv.Ops()
	t := make([]uint8, rows[len(rows)-1].Value()+1)
	for i := range rows {
		op := spirv.Op(rows[i].Value())
		t[op] = surveyed(op)
	}
	return t
}()

func surveyed(op spirv.Op) uint8 {
	switch op {
	case spirv.OpUndef, spirv.OpPoisonKHR:
		return surveyConstant
	case spirv.OpVariable, spirv.OpUntypedVariableKHR:
		return surveyVariable
	case spirv.OpLabel:
		return surveyLabel
	case spirv.OpDecorationGroup:
		return surveyNothing
	}
	switch op.Class() {
	case spirv.ClassTypeDeclaration, spirv.ClassReserved, spirv.ClassExclude:
		if IsType(op) {
			return surveyType
		}
	case spirv.ClassConstantCreation:
		return surveyConstant
	case spirv.ClassFunction:
		return surveyFunction
	case spirv.ClassAnnotation:
		return surveyAnnotation
	case spirv.ClassDebug:
		return surveyDebug
	case spirv.ClassExtension:
		return surveyExtension
	case spirv.ClassModeSetting:
		return surveySetting
	}
	if IsTerminator(op) {
		return surveyEnd
	}
	return surveyNothing
}

// IsType reports whether an instruction declares a type: it has a result without
// a type, and its name begins with Type, whatever its chapter.
func IsType(op spirv.Op) bool { return int(op) < len(typeOps) && typeOps[op] }

// typeOps maps each opcode to the result of IsType.
var typeOps = func() []bool {
	rows := spirv.Ops()
	t := make([]bool, rows[len(rows)-1].Value()+1)
	for i := range rows {
		op := spirv.Op(rows[i].Value())
		t[op] = op.HasResult() && !op.HasType() && strings.HasPrefix(rows[i].Name(), "Type")
	}
	return t
}()

// surveyor is the state of a survey.
type surveyor struct {
	inside bool // in a function
}

// tag assigns the next fact of a kind to instruction i.
func (g *gatherer) tag(i int, kind fact, n *int) {
	g.fact[i] = fact(*n)<<factBits | kind
	*n++
}

func (g *gatherer) constant(i int, op spirv.Op, in spirv.Inst) {
	if !op.HasResult() {
		return
	}
	g.tag(i, constFact, &g.count.consts)
	switch op {
	case spirv.OpConstantComposite, spirv.OpSpecConstantComposite:
		g.count.elems += len(in) - 3
	case spirv.OpConstantCompositeReplicateEXT, spirv.OpSpecConstantCompositeReplicateEXT:
		g.count.elems++
	}
}

func (s *surveyor) function(g *gatherer, i int, op spirv.Op) {
	switch op {
	case spirv.OpFunction:
		g.tag(i, funcFact, &g.count.funcs)
		s.inside = true
	case spirv.OpFunctionEnd:
		s.inside = false
	}
}

func (g *gatherer) extension(i int, op spirv.Op, in spirv.Inst) {
	switch op {
	case spirv.OpExtension:
		name := inst.Extension(in).Name()
		g.Extensions = append(g.Extensions, name)
		g.extend(name)
	case spirv.OpConditionalExtensionINTEL: // some target has it
		name := inst.ConditionalExtensionINTEL(in).Name()
		g.Extensions = append(g.Extensions, name)
		g.extend(name)
	case spirv.OpExtInstImport:
		set := int(g.Code.ExtSet(in.Result()))
		g.tag(i, setFact, &set)
	}
}

// fewExtensions is the number of extensions that a look-up compares one by one.
const fewExtensions = 16

// extend adds an extension to the map, if there is one.
func (g *gatherer) extend(name string) {
	switch {
	case g.extended != nil:
		g.extended[name] = true
	case len(g.Extensions) > fewExtensions:
		g.extended = map[string]bool{}
		for _, s := range g.Extensions {
			g.extended[s] = true
		}
	}
}

func (g *gatherer) setting(i int, op spirv.Op, in spirv.Inst) {
	switch op {
	case spirv.OpCapability:
		c := inst.Capability(in).Capability()
		g.Capabilities = append(g.Capabilities, c)
		g.imply(c)
	case spirv.OpConditionalCapabilityINTEL: // some target has it
		c := inst.ConditionalCapabilityINTEL(in).Capability()
		g.Capabilities = append(g.Capabilities, c)
		g.imply(c)
	case spirv.OpMemoryModel:
		v := inst.MemoryModel(in)
		g.Addressing, g.Memory, g.HasMemory = v.AddressingModel(), v.MemoryModel(), true
	case spirv.OpEntryPoint, spirv.OpConditionalEntryPointINTEL:
		g.entry = append(g.entry, int32(i))
	case spirv.OpExecutionMode, spirv.OpExecutionModeId:
		g.mode = append(g.mode, int32(i))
	}
}

// imply adds a capability and all that it implies.
func (g *gatherer) imply(c spirv.Capability) {
	list := append(g.implied[:0], c)
	for len(list) > 0 {
		c := list[len(list)-1]
		list = list[:len(list)-1]
		if g.Capable(c) {
			continue
		}
		r := spirv.KindCapability.Enumerant(uint32(c))
		if r == nil {
			continue
		}
		if n := int(c/64) + 1; n > len(g.capable) {
			g.capable = append(g.capable, make([]uint64, n-len(g.capable))...)
		}
		g.capable[c/64] |= 1 << (c % 64)
		list = append(list, r.Capabilities()...)
	}
	g.implied = list
}

// allocate allocates the arenas and fills in the id, opcode and number of each type.
func (g *gatherer) allocate() {
	g.Types = zeros(g.Types, g.count.types)
	g.Consts = zeros(g.Consts, g.count.consts)
	g.Variables = zeros(g.Variables, g.count.vars)
	g.Functions = zeros(g.Functions, g.count.funcs)
	g.blocks = zeros(g.blocks, g.count.blocks)
	g.elems = zeros(g.elems, g.count.elems)
	g.free = g.elems
	g.budget = 4*len(g.Code.Words) + 4096
	for i, f := range g.fact {
		if f.kind() == typeFact {
			in := g.Code.Inst(i)
			t := &g.Types[f>>factBits]
			t.ID, t.Op, t.Index, t.Number = in.Result(), in.Op(), i, int(f>>factBits)
			switch t.Op { // a type declared earlier may read the storage class of a later pointer
			case spirv.OpTypePointer:
				t.Storage = inst.TypePointer(in).StorageClass()
			case spirv.OpTypeUntypedPointerKHR:
				t.Storage = inst.TypeUntypedPointerKHR(in).StorageClass()
			}
		}
	}
}

// declare fills in types, constants and variables, in order.
func (g *gatherer) declare() {
	for i, f := range g.fact {
		n := int(f >> factBits)
		switch f.kind() {
		case typeFact:
			g.typ(&g.Types[n], i, g.Code.Inst(i))
		case constFact:
			g.evaluate(&g.Consts[n], i, g.Code.Inst(i))
		case varFact:
			g.variable(&g.Variables[n], i, g.Code.Inst(i))
		}
	}
}

func (g *gatherer) variable(v *Variable, i int, in spirv.Inst) {
	v.ID, v.Number, v.Index, v.Pointer = in.Result(), int(g.fact[i]>>factBits), i, g.Type(in.Type())
	if in.Op() == spirv.OpVariable {
		w := inst.Variable(in)
		v.Storage = w.StorageClass()
		v.Init, _ = w.Initializer()
		if v.Pointer.IsPointer() {
			v.Type = v.Pointer.Elem
		}
		return
	}
	w := inst.UntypedVariableKHR(in)
	v.Storage = w.StorageClass()
	if t, ok := w.DataType(); ok {
		v.Type = g.Type(t)
	}
	v.Init, _ = w.Initializer()
}
