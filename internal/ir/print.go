package ir

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// String returns the text of the program. Values and labels are numbered in
// order of appearance, so that Parse and String undo each other.
func (p *Program) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "program %q %s\nsubgroup %d\n", p.Name, p.Stage, p.SubgroupSize)
	fmt.Fprintf(&w, "local %d %d %d\n", p.LocalSize[0], p.LocalSize[1], p.LocalSize[2])
	if p.QuadRow > 0 {
		fmt.Fprintf(&w, "quadrow %d\n", p.QuadRow)
	}
	if p.Modes != 0 {
		fmt.Fprintf(&w, "modes%s\n", p.Modes)
	}
	if p.OutputVertices > 0 {
		fmt.Fprintf(&w, "outputvertices %d\n", p.OutputVertices)
	}
	if p.Instances > 0 {
		fmt.Fprintf(&w, "instances %d\n", p.Instances)
	}
	if p.OutputPrimitives > 0 {
		fmt.Fprintf(&w, "outputprimitives %d\n", p.OutputPrimitives)
	}
	if p.PayloadBytes > 0 {
		fmt.Fprintf(&w, "payload %d\n", p.PayloadBytes)
	}
	if p.AttributeSlots > 0 {
		fmt.Fprintf(&w, "attributes %d\n", p.AttributeSlots)
	}
	if p.TileLayers > 0 {
		fmt.Fprintf(&w, "tilelayers %d\n", p.TileLayers)
	}
	if p.PushBytes > 0 {
		fmt.Fprintf(&w, "push %d\n", p.PushBytes)
	}
	if p.SharedBytes > 0 {
		fmt.Fprintf(&w, "shared %d\n", p.SharedBytes)
	}
	for _, x := range p.In {
		fmt.Fprintf(&w, "in %s %s %d%s%s%s\n", x.Semantic, x.Type, x.Index,
			word(x.Interpolation != 0, " "+x.Interpolation.String()), word(x.Sampling != 0, " "+x.Sampling.String()), word(x.Patch, " patch"))
	}
	for _, x := range p.Captures {
		fmt.Fprintf(&w, "capture %d stride %d%s\n", x.Buffer, x.Stride, word(x.Stream != 0, fmt.Sprint(" stream ", x.Stream)))
	}
	for _, x := range p.Out {
		fmt.Fprintf(&w, "out %s %s %d%s%s%s%s%s%s\n", x.Semantic, x.Type, x.Index,
			word(x.Source != 0, fmt.Sprint(" source ", x.Source)), word(x.Patch, " patch"), word(x.Stream != 0, fmt.Sprint(" stream ", x.Stream)),
			word(x.Capture != 0, fmt.Sprint(" capture ", x.Capture, " offset ", x.Offset)), word(x.PerPrimitive, " perprimitive"), word(x.Signed, " signed"))
	}
	for _, r := range p.Res {
		fmt.Fprintf(&w, "res %s %d %d count %d%s%s%s%s%s%s%s\n", r.Kind, r.Set, r.Binding, r.Count,
			word(r.Restrict, " restrict"), word(r.NonWritable, " nonwritable"), word(r.Disjoint, " disjoint"), word(r.Heap, " inheap"), word(r.Structure, " structure"), word(r.Tile, " tile"), word(r.Sorted, " sorted"))
	}
	for _, x := range p.Vars {
		fmt.Fprintf(&w, "var %q %d %d\n", x.Name, x.Slots, x.Func)
	}
	for _, t := range p.Tables {
		fmt.Fprintf(&w, "table%s%x\n", word(len(t) > 0, " "), t)
	}
	for _, m := range p.Messages {
		fmt.Fprintf(&w, "message %s %q", m.Kind, m.Text)
		for _, t := range m.Args {
			w.WriteString(" " + t.String())
		}
		if len(m.At) > 0 {
			w.WriteString(" at")
			for _, n := range m.At {
				fmt.Fprintf(&w, " %d", n)
			}
		}
		if m.Site != (Site{}) {
			fmt.Fprintf(&w, " site %d %d %q %q %d %d %q %d %d", m.Sanitizer, m.Stage, m.Rule, m.File, m.Line, m.Instruction, m.Name, m.Where, m.Column)
		}
		if e := &m.Event; e.Kind != NoEvent {
			fmt.Fprintf(&w, " event %d %q %d %d %d %d %d %d%s%s%s%s%s", e.Kind, e.Memory, e.Size, e.Domain, e.Scope, e.Execution, e.Acquire, e.Release,
				word(e.Read, " read"), word(e.Write, " write"), word(e.Atomic, " atomic"), word(e.Private, " private"), word(e.Uninit, " uninit"))
			if e.Texel > 0 {
				fmt.Fprintf(&w, " texel %d %d", e.Texel, e.Axes)
			}
			if e.Bound {
				fmt.Fprintf(&w, " bound %s %d %d", e.Resource, e.Set, e.Binding)
			}
		}
		w.WriteByte('\n')
	}
	if p.Effects != (Effects{}) {
		fmt.Fprintf(&w, "effects%s\n", p.Effects)
	}
	for _, f := range p.Funcs {
		w.WriteString("\n" + f.String())
	}
	return w.String()
}

func word(yes bool, s string) string {
	if yes {
		return s
	}
	return ""
}

// effectWords pairs each effect with its printed form.
func (e *Effects) effectWords() [8]struct {
	name string
	on   *bool
} {
	return [8]struct {
		name string
		on   *bool
	}{{"barrier", &e.Barrier}, {"groupops", &e.GroupOps}, {"quads", &e.Quads}, {"ordered", &e.Ordered}, {"ingroup", &e.InGroup}, {"discards", &e.Discards}, {"writes", &e.Writes}, {"rays", &e.Rays}}
}

// String returns the printed form: a space and a word for each effect.
func (e Effects) String() string {
	s := ""
	for _, x := range e.effectWords() {
		s += word(*x.on, " "+x.name)
	}
	return s
}

// maxIndent is the greatest indentation in tabs. It keeps the text of n nested blocks linear in n.
const maxIndent = 100

// printer writes one function.
type printer struct {
	strings.Builder
	f      *Func
	names  []int32 // number of each value or label in the text; 0 is none yet
	values int32
	labels int32
	depth  int
}

// String returns the text of the function.
func (f *Func) String() string {
	p := &printer{f: f, names: make([]int32, len(f.Vals))}
	if f.Texture != nil {
		p.WriteString(f.Texture.String() + "\n")
	}
	fmt.Fprintf(p, "func %q(", f.Name)
	p.defs(f.Args, nil)
	p.WriteString(") ")
	for i, v := range f.Code {
		if i == 0 {
			p.label(v)
			p.WriteString(" {\n")
			p.depth = 1
			continue
		}
		p.line(v)
	}
	return p.Builder.String()
}

func (p *printer) line(v V) {
	x := p.f.Val(v)
	if x.Op == End || x.Op == Else {
		p.depth--
	}
	for range min(p.depth, maxIndent) {
		p.WriteByte('\t')
	}
	switch x.Op {
	case End:
		p.WriteString("}")
	case Else:
		p.WriteString("} else {")
		p.depth++
	case Block, Loop:
		p.WriteString(x.Op.String() + " ")
		p.label(v)
		p.WriteString(" {")
		p.depth++
	case If:
		p.WriteString("if " + p.use(x.Args[0]) + " {")
		p.depth++
	case Br:
		p.WriteString("br " + p.labelName(x.Args[0]))
		if x.Aux > 0 {
			p.WriteString("(" + p.uses(p.f.BrArgs(v)) + ")")
		}
	case Switch:
		p.switchOf(v)
	case Call:
		p.defs(p.f.CallResults(v), nil)
		fmt.Fprintf(p, "%scall %d(%s)", word(x.Args[1] > 0, " = "), p.f.Callee(v), p.uses(p.f.CallArgs(v)))
	default:
		p.operation(v)
	}
	if x.Origin != 0 {
		fmt.Fprintf(p, " @%d", x.Origin)
	}
	p.WriteByte('\n')
}

// operation writes an operation that its row describes wholly.
func (p *printer) operation(v V) {
	x := p.f.Val(v)
	row := x.Op.Row()
	args := p.uses(x.Args[:x.Op.Args()])
	if row.Sig[0] != '-' {
		p.WriteString(p.def(v) + " = ")
	}
	p.WriteString(row.Name)
	if strings.ContainsRune(row.Sig, 'T') {
		p.WriteString("." + p.f.T(v).String())
	}
	if strings.ContainsRune(row.Sig, 'S') {
		p.WriteString("." + p.f.Type(x.Args[0]).String())
	}
	sep := " "
	if args != "" {
		p.WriteString(sep + args)
		sep = ", "
	}
	if row.Traits&Imm != 0 {
		fmt.Fprintf(p, "%s#%d", sep, x.Aux)
	}
	if row.Traits&Combine != 0 {
		fmt.Fprintf(p, ", %s, #%d", Op(x.Aux&0xff), x.Aux>>8)
	}
	p.WriteString(x.Flags.String())
}

func (p *printer) switchOf(v V) {
	x := p.f.Val(v)
	fmt.Fprintf(p, "switch %s {", p.use(x.Args[0]))
	c := p.f.Cases(v)
	for i := 0; i < len(c); i += 2 {
		fmt.Fprintf(p, "%s -> %s, ", p.use(c[i]), p.labelName(c[i+1]))
	}
	p.WriteString(p.labelName(x.Args[1]) + "}")
}

// label writes a label with its parameters.
func (p *printer) label(v V) {
	p.labels++
	p.names[v] = p.labels
	p.WriteString(p.labelName(v))
	params := p.f.Params(v)
	if len(params) == 0 {
		return
	}
	var inits []V
	if p.f.Val(v).Op == Loop {
		inits = p.f.Inits(v)
	}
	p.WriteString("(")
	p.defs(params, inits)
	p.WriteString(")")
}

// defs writes values that are defined here, with their types.
func (p *printer) defs(list, inits []V) {
	for i, v := range list {
		p.WriteString(word(i > 0, ", "))
		init := ""
		if inits != nil {
			init = " = " + p.use(inits[i])
		}
		p.WriteString(p.def(v) + " " + p.f.Type(v).String() + init)
	}
}

func (p *printer) def(v V) string {
	p.values++
	p.names[v] = p.values
	return "v" + strconv.Itoa(int(p.values))
}

func (p *printer) labelName(v V) string { return "L" + strconv.Itoa(int(p.names[v])) }

func (p *printer) uses(list []V) string {
	s := make([]string, len(list))
	for i, v := range list {
		s[i] = p.use(v)
	}
	return strings.Join(s, ", ")
}

func (p *printer) use(v V) string {
	if x := p.f.Val(v); x.Op == Const {
		return literal(x.Type, x.Aux)
	}
	return "v" + strconv.Itoa(int(p.names[v]))
}

// literal returns the printed form of a constant. Floats that a decimal
// cannot say, and all halves, are hexadecimal bits.
func literal(t Type, bits uint64) string {
	switch t {
	case B1:
		return strconv.FormatBool(bits != 0)
	case F32:
		return floatLiteral(float64(math.Float32frombits(uint32(bits))), 32, bits, t)
	case F64:
		return floatLiteral(math.Float64frombits(bits), 64, bits, t)
	case F16, H:
		return fmt.Sprintf("%#x:%s", bits, t)
	}
	return fmt.Sprintf("%d:%s", bits, t)
}

func floatLiteral(f float64, width int, bits uint64, t Type) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Sprintf("%#x:%s", bits, t)
	}
	s := strconv.FormatFloat(f, 'g', -1, width)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s + ":" + t.String()
}

// T returns the type that an operation is printed with: its own, or for a
// comparison the type of its operands.
func (f *Func) T(v V) Type {
	x := &f.Vals[v]
	if s := x.Op.Row().Sig; s[0] == 'T' || s[0] == '-' && x.Op != Switch {
		return x.Type
	}
	return f.Type(x.Args[0])
}
