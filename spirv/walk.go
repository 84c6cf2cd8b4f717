package spirv

// Walk iterates over the operands of one instruction in order, each with its kind
// and its words. It separates enumerants from their parameters and pairs into their
// halves, and finds the width of literal numbers and the operands of extended
// instructions in the module. A loop
//
//	for w := m.Walk(i); w.Next(); { … }
//
// sees each word after the first exactly once and allocates nothing.
type Walk struct {
	Kind      Kind     // of the operand; never one of CategoryPair
	Words     []uint32 // its words
	Pos       int      // index of the first of them in the instruction; the first word is 0
	Operand   *Operand // its place in the shape; nil in an instruction that is not Known
	Parameter bool     // whether it is a parameter of the enumerant before it
	Number    Number   // the format of a literal number whose type is in the module
	Set       ExtSet   // from a KindLiteralExtInstInteger on

	m      *Module
	in     Inst
	lim    uint32 // bound-1
	pos    int
	fault  fault
	shape  []Operand
	params []Operand
	mask   uint32 // bits with parameters still to come
	maskOf Kind
	half   Kind // second kind of a pair that was begun
}

// fault is the kind of fault of an operand.
type fault uint8

const (
	faultNone fault = iota
	faultMissing
	faultExtra
	faultIDZero
	faultIDBound
	faultString
	faultEnumerant
	faultBits
	faultType     // of a literal: not a number
	faultSelector // of a switch: has no integer type
	faultTruncated
	faultSet
	faultExtInst
	faultSpecOp
)

// Walk begins to walk over the operands of instruction i, from 0.
func (m *Module) Walk(i int) Walk {
	in := m.Inst(i)
	w := Walk{m: m, in: in, lim: m.lim, pos: 1}
	if m.odd != nil && !m.Known(i) {
		w.shape = rawShape[:]
		return w
	}
	w.shape = in.Op().Row().Operands()
	return w
}

// rawShape is the shape of an unknown instruction.
var rawShape = [...]Operand{{Kind: KindNone, Quant: Repeated}}

// Row returns the grammar's entry of the current operand: the row of its
// enumerant, of the extended instruction or of the opcode that it names; nil
// if it names none, or more than one bit.
func (w *Walk) Row() *Row {
	switch k := w.Kind; {
	case k == KindLiteralExtInstInteger:
		return w.Set.Inst(w.Words[0])
	case k == KindLiteralSpecConstantOpInteger:
		return Op(w.Words[0]).Row()
	case k.Category() == CategoryValue, k.Category() == CategoryMask:
		return k.Enumerant(w.Words[0])
	}
	return nil
}

// Next goes to the next operand. It returns false at the end.
func (w *Walk) Next() bool {
	if w.half != KindNone {
		k := w.half
		w.half = KindNone
		return w.take(k)
	}
	if len(w.params) > 0 || w.mask != 0 {
		if o := w.parameter(); o != nil {
			w.Operand, w.Parameter = o, true
			return w.take(o.Kind)
		}
	}
	w.Parameter = false
	for len(w.shape) > 0 {
		o := &w.shape[0]
		if o.Quant != Repeated {
			w.shape = w.shape[1:]
		}
		if o.Quant != Once && w.pos >= len(w.in) {
			if o.Quant == Repeated {
				w.shape = w.shape[1:]
			}
			continue
		}
		w.Operand = o
		return w.take(o.Kind)
	}
	if w.pos < len(w.in) {
		if !w.further() {
			return w.fail(faultExtra)
		}
		w.Operand = &furtherShape[0]
		return w.take(KindIdRef)
	}
	return false
}

// furtherShape is the shape of the ids that later revisions add to an instruction.
var furtherShape = [...]Operand{{Kind: KindIdRef, Quant: Repeated}}

// further reports whether the instruction may have more ids than its shape
// has: instructions of non-semantic sets gain operands without a new number.
func (w *Walk) further() bool {
	switch w.in.Op() {
	case OpExtInst, OpExtInstWithForwardRefsKHR:
		return w.Set.NonSemantic()
	}
	return false
}

// parameter returns the next parameter of the enumerant or mask that was read,
// nil if there is none left.
func (w *Walk) parameter() *Operand {
	for {
		for len(w.params) > 0 {
			o := &w.params[0]
			if o.Quant != Once && w.pos >= len(w.in) {
				w.params = w.params[1:]
				continue
			}
			if o.Quant != Repeated {
				w.params = w.params[1:]
			}
			return o
		}
		if w.mask == 0 {
			return nil
		}
		bit := w.mask & -w.mask
		w.mask &^= bit
		w.params = w.maskOf.Enumerant(bit).Operands()
	}
}

// take reads one operand of kind k at the current word.
func (w *Walk) take(k Kind) bool {
	w.Kind, w.Pos = k, w.pos
	if w.pos >= len(w.in) {
		return w.fail(faultMissing)
	}
	v := w.in[w.pos]
	n := 1
	switch kinds[k].category {
	case CategoryID:
		if v-1 >= w.lim {
			return w.badID(v)
		}
	case CategoryValue:
		r := k.Enumerant(v)
		if r == nil {
			return w.fail(faultEnumerant)
		}
		if r.nOperands > 0 { // a parameter has none of its own: the generator sees to that
			w.params = r.Operands()
		}
	case CategoryMask:
		if v&^kinds[k].bits != 0 {
			return w.fail(faultBits)
		}
		if args := v & kinds[k].args; args != 0 {
			w.mask, w.maskOf = args, k
		}
	case CategoryPair:
		a, b := k.Pair()
		if w.in.Op() == OpSwitch {
			a = KindLiteralContextDependentNumber
		}
		w.half = b
		return w.take(a)
	case CategoryLiteral:
		if n = w.literal(k, v); n == 0 {
			return false
		}
	case CategoryNone:
		n = len(w.in) - w.pos
	}
	w.Words = w.in[w.pos : w.pos+n]
	w.pos += n
	return true
}

// literal returns the number of words of a literal, 0 after a fault, and
// prepares for the operands that it brings.
func (w *Walk) literal(k Kind, v uint32) int {
	switch k {
	case KindLiteralString:
		n := StringWords(w.in[w.pos:])
		if n == 0 {
			w.fail(faultString)
		}
		return n
	case KindLiteralContextDependentNumber:
		return w.number()
	case KindLiteralExtInstInteger:
		w.Set = w.m.ExtSet(ID(w.in[3]))
		if w.Set == ExtSetNone {
			w.fail(faultSet)
			return 0
		}
		if r := w.Set.Inst(v); r != nil {
			w.shape = r.Operands()
		} else if !w.Set.NonSemantic() {
			w.fail(faultExtInst)
			return 0
		}
	case KindLiteralSpecConstantOpInteger:
		op := Op(v)
		if v > 0xffff || !op.SpecConstant() {
			w.fail(faultSpecOp)
			return 0
		}
		w.shape = op.Row().Operands()[2:]
	}
	return 1
}

// number returns the number of words of a literal. The instruction, or for the
// cases of a switch its selector, determines the type.
func (w *Walk) number() int {
	var ok bool
	if w.in.Op() == OpSwitch {
		sel := w.m.DefInst(ID(w.in[1]))
		if sel != nil {
			w.Number, ok = w.m.Number(sel.Type())
		}
		if !ok || w.Number.Float {
			w.fail(faultSelector)
			return 0
		}
	} else if w.Number, ok = w.m.Number(ID(w.in[1])); !ok {
		w.fail(faultType)
		return 0
	}
	n := w.Number.Words()
	if n > len(w.in)-w.pos {
		w.fail(faultTruncated)
		return 0
	}
	return n
}

func (w *Walk) badID(v uint32) bool {
	if v == 0 {
		return w.fail(faultIDZero)
	}
	return w.fail(faultIDBound)
}

func (w *Walk) fail(f fault) bool {
	w.fault, w.Words = f, nil
	return false
}
