package contest

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// ChangeByGrammar returns a module with changes that keep it well-formed: an enumerant, an
// id, a declaration, a decoration, a storage class, a width or the version differs. Each has
// the form that the grammar requires, so a checker must judge its meaning. A malformed module
// stays as it is.
func (r *Changer) ChangeByGrammar(words []uint32) []uint32 {
	m, err := spirv.FromWords(slices.Clone(words))
	if err != nil || m.Len() < 2 {
		return slices.Clone(words)
	}
	for range 1 + r.IntN(max(r.Most, 1)) {
		for range 20 { // not every change fits every module
			next := r.grammarChanges()(m)
			if next == nil {
				continue
			}
			if changed, err := spirv.FromWords(next); err == nil && changed.Len() > 1 {
				m = changed
				break
			}
		}
	}
	return m.Words
}

// grammarChanges returns one of the changes. Each returns nil if it does not fit.
func (r *Changer) grammarChanges() func(m *spirv.Module) []uint32 {
	switch k := r.IntN(32); {
	case k < 8:
		return r.enumerant
	case k < 16:
		return r.otherID
	case k < 18:
		return r.undeclared
	case k < 21:
		return r.decorated
	case k < 23:
		return r.newDecoration
	case k < 26:
		return r.storage
	case k < 28:
		return r.literal
	case k < 29:
		return r.version
	case k < 30:
		return r.newMode
	default:
		return r.retyped
	}
}

// choose returns the index of a random instruction for which ok is true, or -1.
func (r *Changer) choose(m *spirv.Module, ok func(op spirv.Op) bool) int {
	at, n := -1, 0
	for i := range m.Len() {
		if ok(m.OpAt(i)) {
			if n++; r.IntN(n) == 0 {
				at = i
			}
		}
	}
	return at
}

// replaced returns the module's words with another instruction at i.
func replaced(m *spirv.Module, i int, in []uint32) []uint32 {
	at := m.Offset(i)
	in[0] = spirv.Head(spirv.Op(in[0]&0xffff), len(in))
	return slices.Replace(slices.Clone(m.Words), at, at+len(m.Inst(i)), in...)
}

// operandOf is an operand of an instruction.
type operandOf struct {
	kind      spirv.Kind
	pos, size int
}

// operandsOf returns the operands of an instruction for which ok is true.
func operandsOf(m *spirv.Module, i int, ok func(k spirv.Kind) bool) (list []operandOf) {
	for w := m.Walk(i); w.Next(); {
		if ok(w.Kind) {
			list = append(list, operandOf{w.Kind, w.Pos, len(w.Words)})
		}
	}
	return list
}

// parameters returns words for the parameters of an enumerant.
func (r *Changer) parameters(m *spirv.Module, list []spirv.Operand) (out []uint32) {
	for _, o := range list {
		if o.Quant != spirv.Once && r.IntN(2) == 0 {
			continue
		}
		switch c := o.Kind.Category(); {
		case c == spirv.CategoryID:
			i := r.choose(m, func(op spirv.Op) bool { return op == spirv.OpConstant || op == spirv.OpVariable })
			if i < 0 {
				i = r.choose(m, spirv.Op.HasResult)
			}
			if i < 0 {
				return nil
			}
			out = append(out, uint32(m.Inst(i).Result()))
		case c == spirv.CategoryValue:
			e := r.pick(o.Kind)
			out = append(append(out, e.Value()), r.parameters(m, e.Operands())...)
		case o.Kind == spirv.KindLiteralString:
			out = spirv.AppendString(out, "a")
		default:
			out = append(out, uint32(r.IntN(5)))
		}
	}
	return out
}

// pick returns a random enumerant of a kind, often one of the first.
func (r *Changer) pick(k spirv.Kind) *spirv.Row {
	list := k.Enumerants()
	if r.IntN(2) == 0 {
		list = list[:min(len(list), 45)]
	}
	return &list[r.IntN(len(list))]
}

// enumerant replaces an enumerant by another of its kind, with parameters.
func (r *Changer) enumerant(m *spirv.Module) []uint32 {
	i := r.IntN(m.Len())
	list := operandsOf(m, i, func(k spirv.Kind) bool {
		return k.Category() == spirv.CategoryValue || k.Category() == spirv.CategoryMask
	})
	if len(list) == 0 {
		return nil
	}
	o := list[r.IntN(len(list))]
	e := r.pick(o.kind)
	in := slices.Clone(m.Inst(i))
	old := o.kind.Enumerant(in[o.pos])
	if o.kind.Category() == spirv.CategoryMask { // only bits without parameters
		if len(e.Operands()) > 0 {
			return nil
		}
		in[o.pos] ^= e.Value()
		return replaced(m, i, in)
	}
	end := o.pos + 1
	if old != nil && len(old.Operands()) > 0 || len(e.Operands()) > 0 {
		if op := m.OpAt(i); op == spirv.OpEntryPoint || op == spirv.OpTypeImage {
			return nil
		}
		end = len(in) // the enumerants of decorations and modes are last
	}
	return replaced(m, i, slices.Concat(in[:o.pos], []uint32{e.Value()}, r.parameters(m, e.Operands()), in[end:]))
}

// otherID replaces an id by another that is made by an instruction of the same class: a
// type by a type, a value by a value. Half of the values have the same type.
func (r *Changer) otherID(m *spirv.Module) []uint32 {
	i := r.IntN(m.Len())
	list := operandsOf(m, i, func(k spirv.Kind) bool {
		return k.Category() == spirv.CategoryID && k != spirv.KindIdResult
	})
	if len(list) == 0 {
		return nil
	}
	o := list[r.IntN(len(list))]
	in := slices.Clone(m.Inst(i))
	d := m.Def(spirv.ID(in[o.pos]))
	if d < 0 {
		return nil
	}
	was := m.Inst(d)
	sameType := r.IntN(2) == 0
	j := -1
	n := 0
	for k := range m.Len() {
		other := m.Inst(k)
		if other.Result() == 0 || k == d || other.Op().HasType() != was.Op().HasType() {
			continue
		}
		if was.Op().HasType() {
			if sameType && other.Type() != was.Type() || k >= i && r.IntN(8) != 0 {
				continue
			}
		} else if other.Op().Class() != was.Op().Class() {
			continue
		}
		if n++; r.IntN(n) == 0 {
			j = k
		}
	}
	if j < 0 {
		return nil
	}
	in[o.pos] = uint32(m.Inst(j).Result())
	return replaced(m, i, in)
}

// undeclared leaves a capability, an extension, a mode or a decoration out, or declares a
// capability.
func (r *Changer) undeclared(m *spirv.Module) []uint32 {
	i := r.choose(m, func(op spirv.Op) bool {
		return op == spirv.OpCapability || op == spirv.OpExtension || op == spirv.OpExecutionMode || op == spirv.OpExecutionModeId ||
			op == spirv.OpDecorate || op == spirv.OpMemberDecorate
	})
	if i < 0 {
		return nil
	}
	at := m.Offset(i)
	if m.OpAt(i) == spirv.OpCapability && r.IntN(3) == 0 {
		return slices.Insert(slices.Clone(m.Words), at, spirv.Head(spirv.OpCapability, 2), r.pick(spirv.KindCapability).Value())
	}
	return slices.Delete(slices.Clone(m.Words), at, at+len(m.Inst(i)))
}

func isDecoration(op spirv.Op) bool {
	return op == spirv.OpDecorate || op == spirv.OpDecorateId || op == spirv.OpMemberDecorate
}

// decorated gives a decoration to another target, in place of the first or in addition.
func (r *Changer) decorated(m *spirv.Module) []uint32 {
	i := r.choose(m, isDecoration)
	if i < 0 {
		return nil
	}
	in := slices.Clone(m.Inst(i))
	if m.OpAt(i) == spirv.OpMemberDecorate && r.IntN(2) == 0 {
		in[2] = uint32(r.IntN(4))
	} else {
		target := r.choose(m, func(op spirv.Op) bool { return op.HasResult() && op != spirv.OpExtInstImport })
		if m.OpAt(i) == spirv.OpMemberDecorate {
			target = r.choose(m, func(op spirv.Op) bool { return op == spirv.OpTypeStruct })
		}
		if target < 0 {
			return nil
		}
		in[1] = uint32(m.Inst(target).Result())
	}
	if r.IntN(2) == 0 {
		return replaced(m, i, in)
	}
	return slices.Insert(slices.Clone(m.Words), m.Offset(i), in...)
}

// newDecoration adds a random decoration.
func (r *Changer) newDecoration(m *spirv.Module) []uint32 {
	first := 0
	for first < m.Len() && m.OpAt(first).Class() != spirv.ClassTypeDeclaration {
		first++
	}
	target := r.choose(m, func(op spirv.Op) bool {
		return op == spirv.OpVariable || op == spirv.OpFunction || op == spirv.OpFunctionParameter || r.IntN(4) == 0 && op.HasResult() && op != spirv.OpExtInstImport
	})
	if target < 0 || first == m.Len() {
		return nil
	}
	e := r.pick(spirv.KindDecoration)
	in := append([]uint32{0, uint32(m.Inst(target).Result()), e.Value()}, r.parameters(m, e.Operands())...)
	if members := m.Inst(target); members.Op() == spirv.OpTypeStruct && len(members) > 2 && r.IntN(2) == 0 {
		in = slices.Insert(in, 2, uint32(r.IntN(len(members)-2)))
		in[0] = spirv.Head(spirv.OpMemberDecorate, len(in))
	} else {
		in[0] = spirv.Head(spirv.OpDecorate, len(in))
	}
	return slices.Insert(slices.Clone(m.Words), m.Offset(first), in...)
}

// storage changes the storage class of a pointer type and of all its variables.
func (r *Changer) storage(m *spirv.Module) []uint32 {
	i := r.choose(m, func(op spirv.Op) bool { return op == spirv.OpTypePointer || op == spirv.OpTypeUntypedPointerKHR })
	if i < 0 {
		return nil
	}
	out := slices.Clone(m.Words)
	was, class := m.Inst(i)[2], r.pick(spirv.KindStorageClass).Value()
	if r.IntN(2) == 0 {
		class = uint32(r.IntN(13))
	}
	every := r.IntN(2) == 0
	for j := range m.Len() {
		in, at := m.Inst(j), m.Offset(j)
		switch op := in.Op(); {
		case (op == spirv.OpTypePointer || op == spirv.OpTypeUntypedPointerKHR) && in[2] == was && (every || i == j):
			out[at+2] = class
		case (op == spirv.OpVariable || op == spirv.OpUntypedVariableKHR) && in[3] == was && (every || in.Type() == m.Inst(i).Result()):
			out[at+3] = class
		}
	}
	return out
}

// literal changes a literal: by a little, or to a number that is often a limit.
func (r *Changer) literal(m *spirv.Module) []uint32 {
	i := r.IntN(m.Len())
	list := operandsOf(m, i, func(k spirv.Kind) bool {
		return k.Category() == spirv.CategoryLiteral && k != spirv.KindLiteralString && k != spirv.KindLiteralExtInstInteger && k != spirv.KindLiteralSpecConstantOpInteger
	})
	if len(list) == 0 {
		return nil
	}
	o := list[r.IntN(len(list))]
	limits := []uint32{0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 64, 256, 1 << 31, 0xffffffff}
	in := slices.Clone(m.Inst(i))
	if r.IntN(2) == 0 {
		in[o.pos] = limits[r.IntN(len(limits))]
	} else {
		in[o.pos] = uint32(int(in[o.pos]) + r.IntN(5) - 2)
	}
	return replaced(m, i, in)
}

// version changes the version of the header.
func (r *Changer) version(m *spirv.Module) []uint32 {
	out := slices.Clone(m.Words)
	out[1] = 1<<16 | uint32(r.IntN(7))<<8
	return out
}

// newMode adds an execution mode to an entry point.
func (r *Changer) newMode(m *spirv.Module) []uint32 {
	i := r.choose(m, func(op spirv.Op) bool { return op == spirv.OpEntryPoint })
	if i < 0 {
		return nil
	}
	entry := i
	for i+1 < m.Len() && m.OpAt(i+1) == spirv.OpEntryPoint {
		i++
	}
	e := r.pick(spirv.KindExecutionMode)
	in := append([]uint32{0, m.Inst(entry)[2], e.Value()}, r.parameters(m, e.Operands())...)
	op := spirv.OpExecutionMode
	for _, o := range e.Operands() {
		if o.Kind.Category() == spirv.CategoryID {
			op = spirv.OpExecutionModeId
		}
	}
	in[0] = spirv.Head(op, len(in))
	return slices.Insert(slices.Clone(m.Words), m.Offset(i+1), in...)
}

// retyped changes a type: the width of a number, the length of a vector, a parameter of an
// image.
func (r *Changer) retyped(m *spirv.Module) []uint32 {
	i := r.choose(m, func(op spirv.Op) bool {
		switch op {
		case spirv.OpTypeInt, spirv.OpTypeFloat, spirv.OpTypeVector, spirv.OpTypeImage, spirv.OpTypeMatrix:
			return true
		}
		return false
	})
	if i < 0 {
		return nil
	}
	in := slices.Clone(m.Inst(i))
	switch in.Op() {
	case spirv.OpTypeInt:
		if r.IntN(3) == 0 {
			in[3] ^= 1
		} else {
			in[2] = 8 << r.IntN(4)
		}
	case spirv.OpTypeFloat:
		in[2] = 16 << r.IntN(3)
	case spirv.OpTypeVector, spirv.OpTypeMatrix:
		in[3] = uint32(2 + r.IntN(3))
	case spirv.OpTypeImage:
		in[3+r.IntN(len(in)-3)] = uint32(r.IntN(3))
	}
	return replaced(m, i, in)
}
