package ir

import (
	"strconv"
	"strings"
)

// statement reads a line inside a function.
func (r *parser) statement() {
	b := r.b
	b.Origin = r.origin()
	if r.peek() == "}" {
		r.close()
		r.done()
		return
	}
	switch r.peek() {
	case "block", "loop":
		r.region(r.next() == "loop")
	case "if":
		r.next()
		b.If(r.value())
		r.want("{")
	case "br":
		r.next()
		label := r.label()
		var args []V
		if r.accept("(") {
			args = r.valueList(")")
		}
		b.Br(label, args...)
	case "switch":
		r.next()
		r.switchOf()
	default:
		r.operation()
	}
	r.done()
}

// origin removes "@n" from the end of the line.
func (r *parser) origin() int32 {
	n := len(r.toks) - 1
	s, ok := strings.CutPrefix(r.toks[n], "@")
	if !ok {
		return 0
	}
	x, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		r.fail("%q; want the number of an instruction", s)
	}
	if r.toks = r.toks[:n]; n == 0 {
		r.fail("an origin alone; want an operation before it")
	}
	return int32(x)
}

func (r *parser) close() {
	r.want("}")
	if r.accept("else") {
		r.want("{")
		if v := r.b.open[len(r.b.open)-1]; r.b.Func.Val(v).Op != If {
			r.fail("an else after a %s; want an if", r.b.Func.Val(v).Op)
		}
		r.b.Else()
		return
	}
	r.b.End()
	if len(r.b.open) == 0 {
		r.p.Funcs = append(r.p.Funcs, r.b.Func)
		r.b = nil
	}
}

func (r *parser) region(loop bool) {
	name := r.next()
	var names []string
	var types []Type
	var inits []V
	if r.accept("(") {
		names, types, inits = r.params(")", loop)
	}
	r.want("{")
	if loop {
		r.bind(r.b.Loop(inits...), name, names)
		for i, t := range types {
			r.b.Func.Val(r.b.Param(r.labels[name], i)).Type = t
		}
		return
	}
	r.bind(r.b.Block(types...), name, names)
}

func (r *parser) switchOf() {
	x := r.value()
	r.want("{")
	var cases []Case
	for {
		if strings.HasPrefix(r.peek(), "L") {
			r.b.Switch(x, r.label(), cases)
			r.want("}")
			return
		}
		k := r.b.Func.Val(r.value())
		if k.Op != Const || k.Type != r.b.Func.Type(x) {
			r.fail("the case is no constant of the selector's type")
		}
		r.want("->")
		cases = append(cases, Case{k.Aux, r.label()})
		r.want(",")
	}
}

// operation reads a call, or an operation that its row describes wholly.
func (r *parser) operation() {
	var names []string
	var types []Type
	if strings.HasPrefix(r.peek(), "v") {
		for {
			names = append(names, r.next())
			if t := typeByName(r.peek()); t != None {
				types = append(types, t)
				r.next()
			}
			if !r.accept(",") {
				break
			}
		}
		r.want("=")
	}
	word := r.next()
	if word == "call" {
		callee := r.u32()
		r.want("(")
		if len(types) != len(names) {
			r.fail("%d results with %d types; want a type for each", len(names), len(types))
		}
		for i, v := range r.b.Call(int(callee), types, r.valueList(")")...) {
			r.values[names[i]] = v
		}
		return
	}
	parts := strings.Split(word, ".")
	op, ok := opByName[parts[0]]
	if !ok || op.Is(Implicit) || op.Is(Control) && op != Kill {
		r.fail("%q; want an operation", word)
	}
	v := r.build(op, parts[1:])
	if op.HasResult() != (len(names) == 1) || len(types) > 0 {
		r.fail("%s with %d names before it; want %s", op, len(names), map[bool]string{true: "one", false: "none"}[op.HasResult()])
	}
	if op.HasResult() {
		r.values[names[0]] = v
	}
}

// build reads the operands of op after its printed types.
func (r *parser) build(op Op, types []string) V {
	sig := op.Row().Sig
	var t Type
	if strings.ContainsRune(sig, 'T') {
		if len(types) == 0 || typeByName(types[0]) == None {
			r.fail("%s without a type; want one after a dot", op)
		}
		t = typeByName(types[0])
	}
	x := Val{Op: op, Type: t}
	switch sig[0] {
	case 'b':
		x.Type = B1
	case 'i':
		x.Type = I32
	case 'h':
		x.Type = H
	}
	for i := range op.Args() {
		if i > 0 {
			r.want(",")
		}
		x.Args[i] = r.value()
	}
	comma := func() {
		if op.Args() > 0 {
			r.want(",")
		}
	}
	if op.Is(Imm) {
		comma()
		x.Aux = r.immediate()
	}
	if op.Is(Combine) {
		comma()
		operator, ok := opByName[r.next()]
		if !ok {
			r.fail("want an operator such as add")
		}
		comma()
		x.Aux = uint64(operator) | r.immediate()<<8
	}
	for strings.HasPrefix(r.peek(), "!") {
		x.Flags |= flagNames[r.index("flag", len(flagNames), func(i int) string { return "!" + flagNames[i].name })].flag
	}
	return r.b.Emit(x)
}

func (r *parser) immediate() uint64 {
	t := r.next()
	s, ok := strings.CutPrefix(t, "#")
	x, err := strconv.ParseUint(s, 0, 64)
	if !ok || err != nil {
		r.fail("%q; want an immediate such as #4", t)
	}
	return x
}

var opByName = func() map[string]Op {
	m := make(map[string]Op, numOps)
	for o := Const; o < numOps; o++ {
		m[ops[o].Name] = o
	}
	return m
}()
