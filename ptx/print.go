package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns the module as a text that Parse reads as the same module.
func (m *Module) String() string {
	p := &printer{}
	p.line(".version %d.%d", m.Version[0], m.Version[1])
	for _, list := range targetLists(m.Target) {
		p.line(".target %s", strings.Join(list, ", "))
	}
	p.line(".address_size %d", m.AddressSize)
	for _, x := range m.Items {
		switch x := x.(type) {
		case *Variable:
			p.line("%s;", declarationText(x))
		case *Function:
			p.function(x)
		case *Directive:
			p.line("%s", directiveText(x))
		}
	}
	return p.b.String()
}

// printer writes indented lines.
type printer struct {
	b      strings.Builder
	indent int
}

func (p *printer) line(format string, args ...any) {
	p.b.WriteString(strings.Repeat("\t", p.indent))
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

func (p *printer) function(f *Function) {
	kind := ".func"
	if f.Entry {
		kind = ".entry"
	}
	head := strings.Join(append(f.Linkage[:len(f.Linkage):len(f.Linkage)], kind), " ") + signatureText(f)
	head += attributesText(f.Attrs)
	if f.Body == nil {
		p.line("%s;", head)
		return
	}
	p.line("%s", head)
	p.block(f.Body)
}

// attributesText returns the directives of a function, each with a space before it.
func attributesText(list []*Directive) string {
	text := ""
	for _, d := range list {
		text += " " + d.Name
		if len(d.Words) > 0 {
			text += " " + strings.Join(d.Words, ", ")
		}
	}
	return text
}

// signatureText returns results, name and parameters, with a space before them.
func signatureText(f *Function) string {
	text := " "
	list := func(vars []*Variable) string {
		parts := make([]string, len(vars))
		for i, v := range vars {
			parts[i] = declarationText(v)
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	if len(f.Results) > 0 {
		text += list(f.Results) + " "
	}
	return text + f.Name + list(f.Params)
}

func (p *printer) block(b *Block) {
	p.line("{")
	p.indent++
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *Instr:
			p.line("%s;", instructionText(x))
		case *Label:
			p.indent--
			p.line("%s:", x.Name)
			p.indent++
		case *Variable:
			p.line("%s;", declarationText(x))
		case *Directive:
			p.line("%s", directiveText(x))
		case *Block:
			p.block(x)
		}
	}
	p.indent--
	p.line("}")
}

func declarationText(v *Variable) string {
	words := append(v.Linkage[:len(v.Linkage):len(v.Linkage)], v.Space)
	for _, d := range v.Attrs {
		words = append(words, d.Name+"("+strings.Join(d.Words, "")+")")
	}
	if v.Align > 0 {
		words = append(words, ".align", strconv.Itoa(v.Align))
	}
	if v.Vector > 1 {
		words = append(words, ".v"+strconv.Itoa(v.Vector))
	}
	words = append(words, v.Type)
	if v.Pointer != "" {
		words = append(words, ".ptr")
		if v.Pointer != ".generic" {
			words = append(words, v.Pointer)
		}
		if v.PtrTo > 0 {
			words = append(words, ".align", strconv.Itoa(v.PtrTo))
		}
	}
	text := strings.Join(words, " ") + " " + v.Name
	if v.Count > 0 {
		text += fmt.Sprintf("<%d>", v.Count)
	}
	for _, d := range v.Dims {
		if d < 0 {
			text += "[]"
		} else {
			text += fmt.Sprintf("[%d]", d)
		}
	}
	if v.Init != nil {
		text += " = " + valueText(v.Init)
	}
	return text
}

func valueText(x *Value) string {
	if x.Field != "" {
		y := *x
		y.Field = ""
		return x.Field + " = " + valueText(&y)
	}
	if x.Expr != nil {
		return exprText(x.Expr)
	}
	parts := make([]string, len(x.List))
	for i := range x.List {
		parts[i] = valueText(&x.List[i])
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// directiveText returns a directive with its end.
func directiveText(d *Directive) string {
	text := d.Name
	if d.Label != "" {
		text = d.Label + ": " + text
	}
	switch d.Name {
	case ".section":
		return text + " " + d.Words[0] + " {\n" + strings.Join(d.Words[1:], " ") + "\n}"
	case sourceSection:
		return text + " {\n" + strings.Join(d.Words, " ") + "\n}"
	case ".loc_intermediate":
		return text + " " + strings.Join(d.Words, " ")
	case ".callprototype":
		return text + signatureText(d.Proto) + attributesText(d.Proto.Attrs) + ";"
	case ".loc":
		return text + locationText(d.Words)
	case ".file":
		return text + " " + strings.Join(d.Words[:2], " ") + commaText(d.Words[2:])
	}
	words := d.Words
	for _, o := range d.Names {
		words = append(words[:len(words):len(words)], o.Name)
	}
	return text + " " + strings.Join(words, ", ") + ";"
}

// commaText returns words, each after a comma.
func commaText(words []string) string {
	text := ""
	for _, w := range words {
		text += ", " + w
	}
	return text
}

// locationText returns the operands of .loc.
func locationText(words []string) string {
	text := ""
	for _, w := range words {
		if w == "function_name" || w == "inlined_at" {
			text += ","
		}
		text += " " + w
	}
	return text
}

func instructionText(i *Instr) string {
	text := ""
	if i.Guard != "" {
		text = "@" + strings.Repeat("!", int(truth(i.Not))) + i.Guard + " "
	}
	text += i.Name()
	for k, o := range i.Operands {
		if k > 0 {
			text += ","
		}
		text += " " + operandText(o)
	}
	return text
}

func operandText(o *Operand) string {
	list := func(between string) string {
		parts := make([]string, len(o.Elems))
		for i, e := range o.Elems {
			parts[i] = operandText(e)
		}
		return strings.Join(parts, between)
	}
	text := strings.Repeat("!", int(truth(o.Not))) + strings.Repeat("-", int(truth(o.Neg)))
	switch o.Kind {
	case Immediate:
		return text + exprText(o.Expr)
	case Vector:
		return "{" + list(", ") + "}"
	case Address:
		return "[" + list(", ") + "]" + o.Part
	case List:
		return "(" + list(", ") + ")"
	case Pair:
		return list("|")
	case Sink:
		return "_"
	}
	text += o.Name
	switch {
	case o.Part == "[]":
		return text + "[" + exprText(o.Expr) + "]"
	case o.Expr != nil:
		return text + o.Part + "+" + exprText(o.Expr)
	}
	return text + o.Part
}

// exprText returns an expression, with parentheses around each operation.
func exprText(e *Expr) string {
	switch {
	case len(e.Args) == 0:
		return e.Text
	case e.Op == "call":
		return e.Text + "(" + exprText(e.Args[0]) + ")"
	case e.Op == ".s64" || e.Op == ".u64":
		return "(" + e.Op + ")" + exprText(e.Args[0])
	case e.Op == "?":
		return "(" + exprText(e.Args[0]) + " ? " + exprText(e.Args[1]) + " : " + exprText(e.Args[2]) + ")"
	case len(e.Args) == 1:
		return "(" + e.Op + exprText(e.Args[0]) + ")"
	}
	return "(" + exprText(e.Args[0]) + " " + e.Op + " " + exprText(e.Args[1]) + ")"
}
