package ptx

// parseBlock parses a body in braces. A fault ends a statement, not the body.
func (p *parser) parseBlock() *Block {
	b := &Block{Pos: p.tok.pos}
	defer func() { p.depth-- }()
	if p.want("{"); !p.deeper() {
		return b
	}
	for !p.accept("}") {
		if p.tok.kind == eof {
			p.broken = false
			p.expected(`"}"`)
			return b
		}
		if len(p.findings) >= maxFindings {
			return b
		}
		p.parseStmt(b)
		if !p.broken {
			continue
		}
		if p.recover(); p.is("{") {
			p.skipBraces()
		}
	}
	return b
}

// parseStmt parses a statement.
func (p *parser) parseStmt(b *Block) {
	switch {
	case p.accept(";"):
	case p.is("{"):
		b.Stmts = append(b.Stmts, p.parseBlock())
	case p.is("@"):
		p.guarded(b)
	case p.tok.kind == dotted && spaces[p.tok.text]:
		for _, v := range p.parseVariables(nil) {
			b.Stmts = append(b.Stmts, v)
		}
	case p.tok.kind == dotted:
		if d := p.parseDirective(""); d != nil {
			b.Stmts = append(b.Stmts, d)
		}
	case p.tok.kind == word:
		p.labelled(b)
	default:
		p.expected("a statement")
		p.advance()
	}
}

// guarded parses an instruction with a guard.
func (p *parser) guarded(b *Block) {
	pos := p.tok.pos
	p.advance()
	not := p.accept("!")
	guard := p.name("a predicate register")
	t := p.tok
	if op := p.name("an instruction"); !p.broken {
		i := p.instruction(t, op)
		i.Pos, i.Guard, i.Not = pos, guard, not
		if !p.broken {
			b.Stmts = append(b.Stmts, i)
		}
	}
}

// labelled parses a label or an instruction, which both begin with a word.
func (p *parser) labelled(b *Block) {
	t := p.tok
	p.advance()
	if !p.accept(":") {
		if i := p.instruction(t, t.text); !p.broken {
			b.Stmts = append(b.Stmts, i)
		}
		return
	}
	if !needsLabel[p.tok.text] {
		b.Stmts = append(b.Stmts, &Label{t.pos, t.text})
		return
	}
	if d := p.parseDirective(t.text); d != nil {
		b.Stmts = append(b.Stmts, d)
	}
}

// needsLabel are the directives that instructions name.
var needsLabel = map[string]bool{".callprototype": true, ".branchtargets": true, ".calltargets": true}

// instruction parses the modifiers and operands after an opcode.
func (p *parser) instruction(t token, op string) *Instr {
	i := &Instr{Pos: t.pos, Op: op}
	for p.tok.kind == dotted {
		i.Mods = append(i.Mods, p.tok.text)
		p.advance()
	}
	for !p.is(";") && !p.broken {
		if len(i.Operands) > 0 {
			if p.want(","); p.broken {
				break
			}
		}
		if op == "call" {
			i.Operands = append(i.Operands, p.callOperand())
			continue
		}
		i.Operands = append(i.Operands, p.operand())
	}
	p.want(";")
	return i
}

// callOperand parses an operand of call: a list of results or arguments, or the name of a function, a register or a table.
func (p *parser) callOperand() *Operand {
	o := &Operand{Pos: p.tok.pos}
	if p.accept("(") {
		o.Kind, o.Elems = List, p.operands(")")
		return o
	}
	o.Kind, o.Name = Symbol, p.name("a name, or a list in parentheses")
	return o
}

// operand parses an operand.
func (p *parser) operand() *Operand {
	o := &Operand{Pos: p.tok.pos}
	defer func() { p.depth-- }()
	if !p.deeper() {
		return o
	}
	switch {
	case p.accept("{"):
		o.Kind, o.Elems = Vector, p.operands("}")
	case p.accept("["):
		o.Kind, o.Elems = Address, p.operands("]")
		if p.tok.kind == dotted && p.tok.text == ".unified" { // of ld: memory of the host and the device at one address
			o.Part = p.tok.text
			p.advance()
		}
	case p.is("!"):
		p.advance()
		o.Not = true
		if p.tok.kind != word {
			o.Kind, o.Expr = Immediate, p.unary()
			break
		}
		o.Name = p.name("a predicate register")
	case p.tok.kind == word && p.tok.text == "_":
		o.Kind = Sink
		p.advance()
	case p.tok.kind == word && p.tok.text != "WARP_SZ":
		p.symbol(o)
	default:
		o.Kind = Immediate
		if p.is("-") { // the minus of a register: PTX 1.x
			p.advance()
			if p.tok.kind == word && p.tok.text != "WARP_SZ" {
				o.Neg = true
				p.symbol(o)
				break
			}
			e := p.unary()
			o.Expr = p.rest(&Expr{Pos: o.Pos, Op: "-", Args: []*Expr{e}}, 1)
			break
		}
		o.Expr = p.expr(1)
	}
	if p.accept("|") {
		return &Operand{Pos: o.Pos, Kind: Pair, Elems: []*Operand{o, p.operand()}}
	}
	return o
}

// operands parses operands up to a closing token.
func (p *parser) operands(end string) (list []*Operand) {
	for !p.accept(end) && !p.broken {
		if len(list) > 0 {
			if p.want(","); p.broken {
				break
			}
		}
		list = append(list, p.operand())
	}
	return list
}

// symbol parses a name with its component or offset.
func (p *parser) symbol(o *Operand) {
	o.Kind = Symbol
	o.Name = p.name("a name")
	if p.tok.kind == dotted {
		o.Part = p.tok.text
		p.advance()
	}
	if p.is("[") { // an element of an array: a[4]
		p.advance()
		o.Expr = p.expr(1)
		o.Part = "[]"
		p.want("]")
		return
	}
	if p.is("+") || p.is("-") {
		minus := p.is("-")
		pos := p.tok.pos
		p.advance()
		o.Expr = p.expr(precedence["*"])
		if minus {
			o.Expr = &Expr{Pos: pos, Op: "-", Args: []*Expr{o.Expr}}
		}
	}
}

// expr parses a constant expression with operators of at least a precedence.
func (p *parser) expr(least int) *Expr { return p.rest(p.unary(), least) }

// rest parses the operators after a first operand.
func (p *parser) rest(x *Expr, least int) *Expr {
	defer func() { p.depth-- }()
	if !p.deeper() {
		return x
	}
	for p.tok.kind == punct && !p.broken {
		op, pos := p.tok.text, p.tok.pos
		n := precedence[op]
		if n == 0 || n < least {
			break
		}
		p.advance()
		x = &Expr{Pos: pos, Op: op, Args: []*Expr{x, p.expr(n + 1)}}
	}
	if least <= 1 && p.is("?") {
		pos := p.tok.pos
		p.advance()
		a := p.expr(1)
		p.want(":")
		x = &Expr{Pos: pos, Op: "?", Args: []*Expr{x, a, p.expr(1)}}
	}
	return x
}

// unary parses an operand of an expression.
func (p *parser) unary() *Expr {
	defer func() { p.depth-- }()
	t := p.tok
	e := &Expr{Pos: t.pos, Op: "int", Text: "0"}
	if !p.deeper() {
		return e
	}
	switch {
	case t.kind == number:
		x, ok := literal(t)
		if !ok {
			p.expected("a number that fits 64 bits")
			return e
		}
		p.advance()
		return x
	case t.kind == punct && (t.text == "-" || t.text == "+" || t.text == "~" || t.text == "!"):
		p.advance()
		return &Expr{Pos: t.pos, Op: t.text, Args: []*Expr{p.unary()}}
	case p.accept("("):
		if c := p.tok.text; c == ".s64" || c == ".u64" {
			p.advance()
			p.want(")")
			return &Expr{Pos: t.pos, Op: c, Args: []*Expr{p.unary()}}
		}
		e = p.expr(1)
		p.want(")")
		return e
	case t.kind == word:
		p.advance()
		e = &Expr{Pos: t.pos, Op: "name", Text: t.text}
		if p.accept("(") { // generic(x), and a mask of an address: 0xff(x)
			e.Op = "call"
			e.Args = append(e.Args, p.expr(1))
			p.want(")")
		}
		return e
	}
	p.expected("a constant")
	return e
}
