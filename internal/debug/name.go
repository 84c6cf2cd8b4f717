package debug

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vk"
)

// named is a value with a name, from an instruction on.
type named struct {
	id     spirv.ID
	member int // of a block without a name of its instance, whose members are in the scope of the shader; −1 for the whole
	from   int // the number of the instruction after which the name holds
}

// names are the names of a function of the program.
type names struct {
	ids    []spirv.ID               // all values, in declaration order
	of     map[string][]named       // by name; the innermost is the last
	values map[spirv.ID][]debugName // of debug information, by value
}

// debugName is a name that DebugDeclare (from the beginning) or DebugValue gives a value.
type debugName struct {
	name string
	from int
}

// namesOf returns the names of a function; they are found once.
func (x *view) namesOf() *names {
	if n := x.marks.names[x.fn]; n != nil {
		return n
	}
	m := x.own().stage.Facts
	n := &names{x.own().stage.Symbols.Values(x.own().fn), map[string][]named{}, map[spirv.ID][]debugName{}}
	slices.SortStableFunc(n.ids, func(a, b spirv.ID) int { return m.Code.Def(a) - m.Code.Def(b) })
	x.marks.names[x.fn] = n
	if fn := x.own().stage.Symbols.Function(x.own().fn); fn != nil {
		n.readDebug(m, fn)
	}
	for _, id := range n.ids { // later declarations shadow earlier ones
		at := named{id: id, member: -1, from: 0}
		if list := n.values[id]; len(list) > 0 {
			for _, d := range list {
				n.of[d.name] = append(n.of[d.name], named{id, -1, d.from})
			}
			n.of[idText(id)] = append(n.of[idText(id)], named{id, -1, list[0].from})
			continue
		}
		v := m.Variable(id)
		if v == nil && m.Const(id) == nil {
			at.from = m.Code.Def(id) + 1
		}
		if v != nil && v.Func == nil && v.Type.IsStruct() && m.Name(id) == "" {
			for i := range v.Type.Members {
				name := m.MemberName(v.Type.ID, i)
				n.of[name] = append(n.of[name], named{id, i, 0})
			}
		}
		n.of[nameOf(m, id)] = append(n.of[nameOf(m, id)], at)
		if text := idText(id); text != nameOf(m, id) {
			n.of[text] = append(n.of[text], at)
		}
	}
	return n
}

// readDebug reads the debug information of a function.
func (n *names) readDebug(m *facts.Module, fn *facts.Function) {
	for i := fn.Index; i < fn.End; i++ {
		in := m.Code.Inst(i)
		if in.Op() != spirv.OpExtInst || len(in) < 8 || m.ExtSet(inst.ExtInst(in).Set()) != spirv.ExtSetNonSemanticShaderDebugInfo {
			continue
		}
		d := debugName{from: i + 1}
		switch spirv.NonSemanticShaderDebugInfoOp(inst.ExtInst(in).Instruction()) {
		case spirv.NonSemanticShaderDebugInfoDebugDeclare:
			d.from = 0
		case spirv.NonSemanticShaderDebugInfoDebugValue:
		default:
			continue
		}
		if v := m.Code.DefInst(spirv.ID(in[5])); len(v) > 5 {
			d.name, _ = m.String(inst.NonSemanticShaderDebugInfoDebugLocalVariable(v).Name())
		}
		if d.name != "" {
			n.values[spirv.ID(in[6])] = append(n.values[spirv.ID(in[6])], d)
		}
	}
}

// nameOf returns the name of a variable or value without debug information: of an OpName, of the type of a block, or its id.
func nameOf(m *facts.Module, id spirv.ID) string {
	if n := m.Name(id); n != "" {
		return n
	}
	if v := m.Variable(id); v != nil && v.Func == nil && v.Type != nil {
		if n := m.Name(v.Type.ID); n != "" {
			return n
		}
	}
	return idText(id)
}

// idText is the name of a value that has no other one, or the name of another value.
func idText(id spirv.ID) string { return fmt.Sprintf("%%%d", id) }

// debugName returns the name of debug information at the position; "" if there is none.
func (x *view) debugName(id spirv.ID) (name string) {
	for _, d := range x.namesOf().values[id] {
		if d.from < x.Instruction || d.from == 0 {
			name = d.name
		}
	}
	return name
}

// name returns the name of a variable or value at the position.
func (x *view) name(id spirv.ID) string {
	if n := x.debugName(id); n != "" {
		return n
	}
	return nameOf(x.own().stage.Facts, id)
}

// find returns the variable of a name in the frame; nil if there is none.
func (x *view) find(name string) *Variable {
	if x.kernel() != nil {
		return x.findKernel(name)
	}
	if n, ok := x.innermost(name); ok {
		if d, ok := x.own().stage.Facts.Decoration(n.id, spirv.DecorationBuiltIn); ok && !x.isOutput(n.id) {
			if b := x.builtin(spirv.BuiltIn(d.Literal()).String()); b != nil && b.kind == unsigned || x.command.Kind == vk.DebugDispatch {
				return x.declared(b, n.id)
			}
		}
		v := x.variable(n.id)
		if n.member >= 0 {
			v = v.child(uint64(n.member))
		}
		return v
	}
	if v := x.builtin(strings.TrimPrefix(name, "gl_")); v != nil {
		return v
	}
	for _, v := range x.attachments() {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// innermost returns the latest declaration with a name before the instruction of the frame; false if there is none.
func (x *view) innermost(name string) (named, bool) {
	list := x.namesOf().of[name]
	for i := len(list) - 1; i >= 0; i-- {
		if n := list[i]; n.from == 0 || n.from < x.Instruction {
			return n, true
		}
	}
	return named{}, false
}

// isOutput reports whether an id is an output, which has another value than the input with its built-in.
func (x *view) isOutput(id spirv.ID) bool {
	v := x.own().stage.Facts.Variable(id)
	return v != nil && v.Storage == spirv.StorageClassOutput
}

// declared returns a built-in value of integers with the sign that its variable in the shader has.
func (x *view) declared(b *Variable, id spirv.ID) *Variable {
	t := x.own().stage.Symbols.Type(x.own().fn, id)
	if b == nil || b.kind != unsigned || t == nil || t.Scalar() == nil || kindOf(t.Scalar()) != signed {
		return b
	}
	of := *b
	of.kind, of.Type, of.numbers = signed, typeName(x.own().stage.Facts, t), slices.Clone(b.numbers)
	for i := range of.numbers {
		of.numbers[i] = of.numbers[i].fit(signed)
	}
	of.Value = result{kind: signed, numbers: of.numbers}.String()
	return &of
}

// builtin returns a built-in value of the invocation; nil if the debugger does not have it. The suffix of its extension does not matter.
func (x *view) builtin(name string) *Variable {
	switch name { // the names of GLSL with other words
	case "SubgroupInvocationID":
		name = "SubgroupLocalInvocationId"
	case "DrawID":
		name = "DrawIndex"
	case "PrimitiveIDIn", "PatchVerticesIn":
		name = strings.TrimSuffix(name, "In")
	}
	base := func(name string) string { return strings.TrimSuffix(strings.TrimSuffix(name, "KHR"), "EXT") }
	for _, v := range x.builtins() {
		if strings.EqualFold(base(v.Name), base(name)) {
			return v
		}
	}
	return nil
}
