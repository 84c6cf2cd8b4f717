package main

import (
	"fmt"
	"strings"
)

// view is the generated view of one instruction in package inst.
type view struct {
	name     string // of the Go type
	op       string // the opcode constant
	code     string // the number in the extended set, if it is of one
	doc      string
	operands []viewOperand
}

// viewOperand is one operand of a view, with its position: at word at, or after the
// operands that follow at, if these have no fixed length.
type viewOperand struct {
	operand
	name  string
	kind  kind
	at    int
	after []string // kinds of the operands between at and this one
}

// viewFiles writes the typed views (package inst) and the builders (package build), one file
// each for each class and each extended set.
func (m *model) viewFiles() map[string]string {
	files := map[string]*strings.Builder{}
	file := func(pkg, name string) *strings.Builder {
		name = "spirv/" + pkg + "/" + strings.ToLower(strings.NewReplacer("-", "_", ".", "_", "@", "").Replace(name)) + "_gen.go"
		if files[name] == nil {
			files[name] = &strings.Builder{}
			files[name].WriteString(header + "package " + pkg + "\n\nimport \"github.com/chiaro-gpu/chiaro/spirv\"\n")
		}
		return files[name]
	}
	for _, in := range m.core.Instructions {
		v := view{name: strings.TrimPrefix(in.Name, "Op"), op: in.Name, doc: in.Name}
		v.operands = m.viewOperands(in.Operands)
		v.write(file("inst", in.Class))
		v.builder(file("build", in.Class))
	}
	for _, s := range m.sets {
		for _, in := range s.set.grammar.Instructions {
			name := s.set.Prefix + camel(in.Name)
			v := view{name: name, op: "OpExtInst", code: name, doc: "OpExtInst " + s.set.Import + " " + in.Name}
			head := []operand{{Kind: "IdResultType"}, {Kind: "IdResult"}, {Kind: "IdRef", Name: "Set"}, {Kind: "LiteralExtInstInteger", Name: "Instruction"}}
			v.operands = m.viewOperands(append(head, in.Operands...))
			v.write(file("inst", s.set.File))
			v.builder(file("build", s.set.File))
		}
	}
	out := map[string]string{}
	for name, b := range files {
		out[name] = b.String()
	}
	return out
}

// viewOperands assigns names and positions to operands.
func (m *model) viewOperands(ops []operand) []viewOperand {
	names := operandNames(ops)
	var out []viewOperand
	at, after := 1, []string(nil)
	for i, o := range ops {
		k := m.kinds[m.kindNo[o.Kind]].kind
		out = append(out, viewOperand{o, names[i], k, at, after})
		switch {
		case o.Kind == "LiteralString" || len(after) > 0 || parametric(k):
			after = append(after[:len(after):len(after)], o.Kind)
		default:
			at++
		}
	}
	return out
}

// parametric reports whether enumerants of the kind bring parameters.
func parametric(k kind) bool {
	for _, e := range k.Enumerants {
		if len(e.Parameters) > 0 {
			return true
		}
	}
	return false
}

// goType returns the Go type of a single operand, and the type of its words.
func (o viewOperand) goType() string {
	switch {
	case o.kind.Category == "Id":
		return "spirv.ID"
	case o.Kind == "LiteralString":
		return "string"
	case o.Kind == "LiteralSpecConstantOpInteger":
		return "spirv.Op"
	case len(o.kind.Enumerants) > 0:
		return "spirv." + o.kind.Name
	}
	return "uint32"
}

// index returns the expression of the operand's place.
func (o viewOperand) index() string {
	if len(o.after) == 0 {
		return fmt.Sprint(o.at)
	}
	return fmt.Sprintf("skip(v, %d, spirv.Kind%s)", o.at, strings.Join(o.after, ", spirv.Kind"))
}

func (v view) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n// %s is an %s.\ntype %s spirv.Inst\n", v.name, v.doc, v.name)
	for i, o := range v.operands {
		if v.code == "" || i < 2 || i > 3 { // an extended instruction is known by its set and number
			v.method(b, o)
		}
		if parametric(o.kind) {
			v.line(b, o.name+"Words", "[]uint32", "the words of "+o.name+"'s parameters", fmt.Sprintf("parameters(v, %s, spirv.Kind%s)", o.index(), o.Kind))
		}
	}
	if v.name == "SpecConstantOp" {
		v.line(b, "Operands", "[]uint32", "the words after Opcode: its operands without type and result", "v[4:]")
	}
}

// line writes a method.
func (v view) line(b *strings.Builder, name, result, doc, value string) {
	fmt.Fprintf(b, "// %s returns %s.\nfunc (v %s) %s() %s { return %s }\n", name, doc, v.name, name, result, value)
}

// method writes the method that reads one operand, or all operands from one on.
func (v view) method(b *strings.Builder, o viewOperand) {
	typ, p, doc := o.goType(), o.index(), "operand "+o.name
	value := fmt.Sprintf("%s(v[%s])", typ, p)
	switch {
	case o.Kind == "PairIdRefIdRef":
		typ, value = "[][2]spirv.ID", fmt.Sprintf("pairs[spirv.ID](v, %s)", p)
	case o.Kind == "PairIdRefLiteralInteger":
		typ, value = "[][2]uint32", fmt.Sprintf("pairs[uint32](v, %s)", p)
	case o.Quantifier == "*":
		typ, value = "[]"+typ, fmt.Sprintf("many[%s](v, %s)", typ, p)
	case o.Kind == "LiteralContextDependentNumber":
		typ, value, doc = "[]uint32", fmt.Sprintf("v[%s:]", p), "the words of the literal, low-order first"
	case o.Quantifier == "?" && typ == "string":
		typ, value, doc = "(string, bool)", fmt.Sprintf("maybeString(v, %s)", p), doc+", if it is present"
	case o.Quantifier == "?":
		typ, value, doc = "("+typ+", bool)", fmt.Sprintf("maybe[%s](v, %s)", typ, p), doc+", if it is present"
	case typ == "string":
		value = fmt.Sprintf("spirv.String(v[%s:])", p)
	case typ == "uint32":
		value = fmt.Sprintf("v[%s]", p)
	}
	v.line(b, o.name, typ, doc, value)
}
