package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// opcode is the properties of an opcode that the walk needs for every instruction.
// The table is computed from the grammar once for all modules.
type opcode struct {
	op      spirv.Op
	number  int // of its row in the grammar
	class   spirv.Class
	section section
	hasType bool
	plain   bool // it is in a block, at any place
	ends    bool // it ends a block or a function
	chains  bool // it derives a pointer from another

	// ids are the words that are ids, among the words that are always present and
	// without the result type: bit i is word i+1. If rest is set, all words after
	// the fixed words are ids. Otherwise tail lists the operands after the fixed
	// words. odd is set if the words of an operand depend on more than the operand.
	ids   uint32
	fixed int
	rest  bool
	odd   bool
	tail  []spirv.Operand

	yields yield // the kind of its result
	names  yield // the allowed kinds of its operands, at any place
}

// yield is a set of kinds of results.
type yield uint8

// The kinds of results.
const (
	yieldsValue    yield = 1 << iota // a value that is no constant
	yieldsConstant                   // a constant, or an OpUndef
	yieldsType
	yieldsFunction
	yieldsGroup // an OpDecorationGroup
	yieldsForm  // an OpTypeFunction, which is no type of values
	yieldsOther // results without a type: a label, a string, an imported set
)

// opcodes has a row for each opcode; opcodes outside of the grammar share an
// empty one.
var opcodes = newOpcodes()

func newOpcodes() []*opcode {
	rows := spirv.Ops()
	table := make([]opcode, len(rows)+1)
	list := make([]*opcode, rows[len(rows)-1].Value()+1)
	for i := range list {
		list[i] = &table[len(rows)]
	}
	for i := range rows {
		op := spirv.Op(rows[i].Value())
		l := op.Layout()
		o := &table[i]
		*o = opcode{
			op: op, class: op.Class(), section: sectionOf(op), hasType: op.HasType(),
			chains: chainWord(op) != 0,
			ends:   op == spirv.OpFunctionEnd || facts.IsTerminator(op),
			ids:    l.IDs, fixed: l.Fixed, rest: l.Rest, odd: oddTail(l.Tail), tail: l.Tail, yields: yieldOf(op),
		}
		switch op { // strings and literals alone follow the ids
		case spirv.OpName, spirv.OpMemberName, spirv.OpString, spirv.OpConstant, spirv.OpSpecConstant, spirv.OpExtInstImport, spirv.OpExtension:
			o.odd, o.tail = false, nil
		}
		if o.hasType {
			o.ids &^= 1
		}
		for k := yieldsValue; k <= yieldsOther; k <<= 1 {
			if mayName(op, k) {
				o.names |= k
			}
		}
		o.number, o.plain = op.Row().Number(), o.section == functionSection && !o.ends && !framing(op)
		list[op] = o
	}
	return list
}

// framing reports whether the place of an instruction in a function matters.
func framing(op spirv.Op) bool {
	switch op {
	case spirv.OpFunction, spirv.OpFunctionParameter, spirv.OpLabel, spirv.OpPhi, spirv.OpSelectionMerge, spirv.OpLoopMerge:
		return true
	}
	return false
}

// oddTail reports whether the words of an operand depend on others, on the
// module, or on a pair.
func oddTail(shape []spirv.Operand) bool {
	for _, o := range shape {
		switch o.Kind {
		case spirv.KindLiteralContextDependentNumber, spirv.KindLiteralSpecConstantOpInteger:
			return true
		}
		if o.Kind.Category() == spirv.CategoryPair || o.Kind.Category() == spirv.CategoryNone {
			return true
		}
	}
	return false
}

// yieldOf returns the kind of an opcode's result.
func yieldOf(op spirv.Op) yield {
	switch {
	case op == spirv.OpDecorationGroup:
		return yieldsGroup
	case op == spirv.OpFunction:
		return yieldsFunction
	case op == spirv.OpUndef, op.HasType() && constantDef(op):
		return yieldsConstant
	case op.HasType():
		return yieldsValue
	case op == spirv.OpTypeFunction:
		return yieldsForm
	case isType(op):
		return yieldsType
	}
	return yieldsOther
}

// mayName reports whether all operands of an opcode may name a kind of results.
// If the answer depends on the operand, kind checks the operand.
func mayName(op spirv.Op, k yield) bool {
	switch k {
	case yieldsGroup:
		return op.Class() == spirv.ClassAnnotation || op == spirv.OpName
	case yieldsFunction:
		return namesFunction(op) && op != spirv.OpExtInst // kind checks its set
	case yieldsValue, yieldsConstant:
		return op.Class() != spirv.ClassTypeDeclaration && typeAt(op) == 0
	case yieldsForm:
		return false // kind checks it
	case yieldsType:
		return op != spirv.OpFunction && op != spirv.OpSpecConstantOp && namesType(op, 0)
	}
	return namesUntyped(op, 0)
}
