package facts

import (
	"math"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// view adapts a type to the interface of the typing table.
type view struct{ t *Type }

// View returns the type as the typing table reads it; nil for nil.
func (t *Type) View() typing.View {
	if t == nil {
		return nil
	}
	return view{t}
}

// Shape returns the kind of the type.
func (v view) Shape() typing.Shapes {
	switch t := v.t; {
	case t.IsScalar():
		return typing.One
	case t.IsVector():
		return typing.Vec
	case t.IsMatrix():
		return typing.Mat
	case t.IsArray():
		return typing.Arr
	case t.IsStruct():
		return typing.Struct
	case t.IsPointer():
		return typing.Ptr
	case t.IsVoid():
		return typing.Void
	}
	return typing.Opaque
}

// Class returns the numeric class and the width in bits of a scalar or of the
// components.
func (v view) Class() (typing.Class, int) {
	switch s := v.t.Scalar(); {
	case s.IsBool():
		return typing.Bool, 1
	case s.IsInt() && s.Signed:
		return typing.Int, int(s.Width)
	case s.IsInt():
		return typing.UInt, int(s.Width)
	case s.IsFloat():
		return typing.Float, int(s.Width)
	}
	return typing.Bool, 0
}

// Len returns the number of parts; 0 if it is not known, for example if a
// specialization constant is the length of a vector.
func (v view) Len() int {
	if l := v.t.Length; v.t.Op == spirv.OpTypeVectorIdEXT && (l == nil || !l.Known || l.Spec) {
		return 0
	}
	return int(min(v.t.Parts(), math.MaxInt32))
}

// Part returns part i, or the pointee of a pointer.
func (v view) Part(i int) typing.View {
	if v.t.IsPointer() {
		return v.t.Elem.View()
	}
	if v.t.IsStruct() {
		if i >= len(v.t.Members) {
			return nil
		}
		return v.t.Members[i].Type.View()
	}
	return v.t.Elem.View()
}

// Operands returns the types of the id operands of an instruction, without the
// parameters of enumerants, as a form of the typing table expects them: nil for
// an operand without a type, and the type itself for the id of a type.
func (m *Module) Operands(i int) []typing.View {
	var list []typing.View
	for w := m.Code.Walk(i); w.Next(); {
		switch w.Kind {
		case spirv.KindIdRef, spirv.KindIdScope, spirv.KindIdMemorySemantics:
			if w.Parameter {
				continue
			}
			id := spirv.ID(w.Words[0])
			switch t := m.Type(id); {
			case t != nil:
				list = append(list, t.View())
			case m.Function(id) != nil:
				list = append(list, nil)
			default:
				list = append(list, m.TypeOf(id).View())
			}
		}
	}
	return list
}

// Misfit returns the position of the first type of an instruction that does not
// match its form in the typing table: 0 for the result, i for the i-th id
// operand. It is −1 if all match, or if the instruction has no form.
func (m *Module) Misfit(i int) int {
	in := m.Code.Inst(i)
	f := typing.FormAt(in.Op())
	if f == nil {
		return -1
	}
	var result typing.View
	if in.Op().HasType() {
		result = m.Type(in.Type()).View()
	}
	return f.Misfit(result, m.Operands(i))
}
