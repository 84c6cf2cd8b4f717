package spirv

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/diag"
)

// explain returns the fault of instruction i. It returns nil if the
// instruction is only unknown and unknown ones are allowed.
func (d *decoder) explain(i int, in Inst, s *shape) *diag.Finding {
	pos := diag.Pos{Instruction: i + 1, Word: d.m.Offset(i)}
	if s == nil {
		if d.letIn(i) {
			return nil
		}
		return diag.New("SPV-Instruction-Opcode", pos, "the opcode is %d, which the grammar does not know", uint16(in.Op()))
	}
	w := Walk{m: d.m, in: in, lim: d.lim, pos: 1, shape: in.Op().Row().Operands()}
	for w.Next() {
	}
	switch w.fault {
	case faultEnumerant, faultBits, faultExtInst:
		if d.letIn(i) {
			return nil
		}
	}
	pos.Word += w.pos
	code, msg := w.reason()
	return diag.New(code, pos, "%v: %s", in.Op(), msg)
}

// letIn records that instruction i is not known, if that is allowed.
func (d *decoder) letIn(i int) bool {
	if !d.allow {
		return false
	}
	if d.m.odd == nil {
		d.m.odd = map[int]struct{}{}
	}
	d.m.odd[i] = struct{}{}
	return true
}

// reason returns the code and the text of a fault.
func (w *Walk) reason() (code, msg string) {
	var v uint32
	if w.pos < len(w.in) {
		v = w.in[w.pos]
	}
	name := w.Kind.String()
	if w.Operand != nil && w.fault != faultExtra {
		name = w.Operand.Name()
	}
	switch w.fault {
	case faultMissing:
		if kind := w.Kind.String(); kind != name {
			name += " (" + kind + ")"
		}
		return "SPV-Operand-Missing", fmt.Sprintf("ends after %d words; operand %s must follow", len(w.in), name)
	case faultExtra:
		return "SPV-Operand-Extra", fmt.Sprintf("has %d words; its operands take %d", len(w.in), w.pos)
	case faultIDZero:
		return "SPV-Id-Zero", fmt.Sprintf("operand %s is id 0; must be 1 at least", name)
	case faultIDBound:
		return "SPV-Id-Bound", fmt.Sprintf("operand %s is id %d; must be below the bound, %d", name, v, w.lim+1)
	case faultString:
		return "SPV-Operand-String", fmt.Sprintf("operand %s is a string without a terminating zero", name)
	case faultEnumerant:
		return "SPV-Operand-Enumerant", fmt.Sprintf("operand %s is %d, which is no %v", name, v, w.Kind)
	case faultBits:
		return "SPV-Operand-Enumerant", fmt.Sprintf("operand %s has the bits %#x, which are none of %v", name, v&^kinds[w.Kind].bits, w.Kind)
	case faultType:
		return "SPV-Literal-Type", fmt.Sprintf("the literal has the type %d; must follow an OpTypeInt or OpTypeFloat of this id", w.in[1])
	case faultSelector:
		return "SPV-Literal-Type", fmt.Sprintf("the selector is id %d; must follow a result of integer type", w.in[1])
	case faultTruncated:
		return "SPV-Operand-Missing", fmt.Sprintf("a literal of %d bits must take %d words; %d are left", w.Number.Bits, w.Number.Words(), len(w.in)-w.pos)
	case faultSet:
		return "SPV-ExtInst-Set", fmt.Sprintf("operand Set is id %d; must follow an OpExtInstImport of this id", w.in[3])
	case faultExtInst:
		return "SPV-ExtInst-Number", fmt.Sprintf("instruction %d of the set %v is not known", v, w.Set)
	case faultSpecOp:
		return "SPV-SpecConstantOp-Opcode", fmt.Sprintf("the opcode is %d, which no specialization constant can be computed with", v)
	}
	return "SPV-Operand-Missing", fmt.Sprintf("has %d words; its operands take %d", len(w.in), w.pos)
}
