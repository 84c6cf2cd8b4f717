package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// opcode is what the walk asks of every instruction, by its opcode: it is looked
// up in the grammar once for all modules.
type opcode struct {
	op      spirv.Op
	number  int // of its row in the grammar
	class   spirv.Class
	section section
	hasType bool
	plain   bool // it stands in a block, and where in it does not matter
	ends    bool // it ends a block or a function
	chains  bool // it derives a pointer from another

	// ids are the words that are ids, among those that always stand and without
	// the result type: bit i is word i+1. Behind the fixed words all are ids,
	// where rest is set, or there is a tail that must be looked at operand by
	// operand. It is odd where the words of an operand depend on more than it.
	ids   uint32
	fixed int
	rest  bool
	odd   bool
	tail  []spirv.Operand

	yields yield // what its result is
	names  yield // what its operands may be, wherever they stand
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
	yieldsOther // what has no type: a label, a string, an imported set
)

// opcodes has a row for each opcode, one that says nothing for those that the
// grammar does not know.
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
		switch op { // behind the ids they have strings and literals alone
		case spirv.OpName, spirv.OpMemberName, spirv.OpString, spirv.OpConstant, spirv.OpSpecConstant, spirv.OpExtInstImport, spirv.OpExtension:
			o.tail = nil
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

// framing reports whether where an instruction stands in a function matters.
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

// yieldOf returns what the result of an opcode is.
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
// Where some only may, or must, kind judges the operand.
func mayName(op spirv.Op, k yield) bool {
	switch k {
	case yieldsGroup:
		return op.Class() == spirv.ClassAnnotation || op == spirv.OpName
	case yieldsFunction:
		return namesFunction(op)
	case yieldsValue, yieldsConstant:
		return op.Class() != spirv.ClassTypeDeclaration && typeAt(op) == 0
	case yieldsForm:
		return false // kind judges it
	case yieldsType:
		return op != spirv.OpFunction && op != spirv.OpSpecConstantOp && namesType(op, 0)
	}
	return namesUntyped(op, 0)
}
