package debug

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bounds of an expression: its text in bytes, and its nesting.
const (
	maxExpression = 1 << 12
	maxNesting    = 64
)

// node is a part of an expression, with its value in a frame.
type node struct {
	value  func(x *view) (result, error)
	quick  quick      // nil if there is none
	name   *reference // of a name alone
	part   *element   // of a name with an index
	fill   fill       // nil if the quick form does
	filter filter     // nil if the fill or the quick form does
}

// parser reads an expression by operator precedence (Pratt 1973). The syntax is that of GLSL: variables with members, components,
// indices and length(); literals; unary and binary operators, and the conditional one; constructors of scalars, vectors and matrices;
// functions.
type parser struct {
	text  string
	token string // the next; "" at the end
	depth int
	known func(name string) bool // reports whether a variable has the name, and hides a type of it
}

// parse returns the node of an expression in the frame of a view: in (half) - 2 a variable named half is subtracted from, and a type casts.
func parse(text string, in *view) (*node, error) {
	if len(text) > maxExpression {
		return nil, fmt.Errorf("an expression of %d bytes; must have at most %d", len(text), maxExpression)
	}
	p := &parser{text: text, known: func(name string) bool { return in.find(name) != nil }}
	p.next()
	n, err := p.conditional()
	switch {
	case err == nil && p.token == "=":
		err = errors.New("\"=\" after the expression, which changes nothing; want \"==\" to compare")
	case err == nil && p.token != "":
		err = fmt.Errorf("%q after the expression", p.token)
	}
	return n, err
}

// evaluate returns the value of an expression in the frame.
func (x *view) evaluate(text string) (result, error) {
	n, err := parse(text, x)
	if err != nil {
		return result{}, err
	}
	return n.value(x)
}

// operators are the binary operators, the longest first, with their precedences.
var operators = []struct {
	text  string
	binds int
}{
	{"||", 1}, {"^^", 2}, {"&&", 3}, {"==", 7}, {"!=", 7}, {"<<", 9}, {">>", 9}, {"<=", 8}, {">=", 8},
	{"|", 4}, {"^", 5}, {"&", 6}, {"<", 8}, {">", 8}, {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {"%", 11},
}

// next reads the next token.
func (p *parser) next() {
	p.text = strings.TrimLeft(p.text, " \t\r\n")
	n := 0
	for n < len(p.text) && isWord(p.text[n]) {
		n++
	}
	if n > 0 && p.text[0] >= '0' && p.text[0] <= '9' {
		n = numberLength(p.text)
	}
	if n == 0 && len(p.text) > 1 && p.text[0] == '.' && p.text[1] >= '0' && p.text[1] <= '9' {
		n = numberLength(p.text)
	}
	for i := 0; n == 0 && i < len(operators); i++ {
		if strings.HasPrefix(p.text, operators[i].text) {
			n = len(operators[i].text)
		}
	}
	if n == 0 {
		n = min(1, len(p.text))
	}
	p.token, p.text = p.text[:n], p.text[n:]
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// nameLength returns the length of the rest of a name of PTX at the beginning of a text.
func nameLength(s string) (n int) {
	for n < len(s) && (isWord(s[n]) || s[n] == '$') {
		n++
	}
	return n
}

// numberLength returns the length of the number at the beginning of a text.
func numberLength(s string) int {
	n := 0
	for n < len(s) && (isWord(s[n]) || s[n] == '.' || (s[n] == '+' || s[n] == '-') && n > 0 && (s[n-1] == 'e' || s[n-1] == 'E') && !strings.HasPrefix(s, "0x")) {
		n++
	}
	return n
}

// enter begins a nested expression.
func (p *parser) enter() error {
	if p.depth++; p.depth > maxNesting {
		return fmt.Errorf("an expression nested more than %d deep", maxNesting)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

// conditional reads an expression, which may be a choice between two. Only the chosen one is evaluated.
func (p *parser) conditional() (*node, error) {
	n, err := p.binary(0)
	if err != nil || p.token != "?" {
		return n, err
	}
	return p.choice(n)
}

// choice reads the two expressions after a condition.
func (p *parser) choice(condition *node) (*node, error) {
	p.next()
	yes, err := p.conditional()
	if err == nil {
		err = p.expect(":")
	}
	if err != nil {
		return nil, err
	}
	no, err := p.conditional()
	if err != nil {
		return nil, err
	}
	return &node{quick: quickChoice(condition.quick, yes.quick, no.quick), value: func(x *view) (result, error) {
		r, err := condition.numbers(x)
		switch {
		case err != nil:
			return r, err
		case r.truth():
			return yes.value(x)
		}
		return no.value(x)
	}}, nil
}

// binary reads an expression of operators that bind at least as tightly.
func (p *parser) binary(least int) (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	left, err := p.unary()
	for err == nil {
		binds := 0
		for _, o := range operators {
			if o.text == p.token {
				binds = o.binds
			}
		}
		if binds == 0 || binds < least {
			return left, nil
		}
		op := p.token
		p.next()
		var right *node
		if right, err = p.binary(binds + 1); err == nil {
			left = operate(op, left, right)
		}
	}
	return nil, err
}

// operate returns the node of a binary operator. && and || evaluate the right side only if they need it.
func operate(op string, left, right *node) *node {
	value := func(x *view) (result, error) {
		a, err := left.numbers(x)
		if err != nil {
			return a, err
		}
		if op == "&&" && !a.truth() || op == "||" && a.truth() {
			return truthOf(op == "||"), nil
		}
		b, err := right.numbers(x)
		if err != nil {
			return b, err
		}
		if x.isHLSL() {
			return applyHLSL(op, a, b)
		}
		return apply(op, a, b)
	}
	return &node{value: value, quick: operateQuick(op, left.quick, right.quick), filter: operateFilter(op, left, right)}
}

// numbers evaluates a node, and reads its numbers if it is a variable.
func (n *node) numbers(x *view) (result, error) {
	r, err := n.value(x)
	if err != nil {
		return r, err
	}
	return r.load()
}

// length returns the number of elements of an array, of components of a vector, or of columns of a matrix.
func (n *node) length(x *view) (result, error) {
	r, err := n.value(x)
	if err != nil {
		return r, err
	}
	if v := r.variable; v != nil && v.t.IsArray() {
		return result{kind: signed, numbers: []number{{i: int64(v.count())}}}, nil
	}
	r, err = r.load()
	parts := len(r.numbers)
	if r.columns > 0 {
		parts = r.columns
	}
	if err == nil && parts < 2 {
		err = errors.New("length() of a value that is no array, vector or matrix")
	}
	return result{kind: signed, numbers: []number{{i: int64(parts)}}}, err
}

func (p *parser) unary() (*node, error) {
	switch op := p.token; op {
	case "-", "+", "!", "~":
		p.next()
		if err := p.enter(); err != nil {
			return nil, err
		}
		defer p.leave()
		of, err := p.unary()
		if err != nil {
			return nil, err
		}
		value := func(x *view) (result, error) {
			r, err := of.numbers(x)
			if err != nil {
				return r, err
			}
			return applyUnary(op, r)
		}
		n := &node{value: value, quick: unaryQuick(op, of.quick)}
		if op == "!" {
			n.filter = notFilter(of)
		}
		return n, nil
	}
	n, err := p.primary()
	for err == nil {
		of := n
		switch p.token {
		case ".":
			p.next()
			name := p.token
			p.next()
			if name == "length" && p.token == "(" {
				if p.next(); p.token != ")" {
					return nil, p.expect(")")
				}
				p.next()
				n = &node{value: func(x *view) (result, error) { return of.length(x) }}
				continue
			}
			quick := of.name.component(name)
			if quick == nil {
				quick = of.part.component(name)
			}
			n = &node{quick: quick, fill: of.name.fillComponent(name), value: func(x *view) (result, error) {
				r, err := of.value(x)
				if err != nil {
					return r, err
				}
				return r.member(name)
			}}
		case "[":
			p.next()
			var at *node
			if at, err = p.conditional(); err == nil {
				err = p.expect("]")
			}
			if err != nil {
				return nil, err
			}
			part := elementOf(of.name, at)
			n = &node{part: part, quick: part.quick(), value: func(x *view) (result, error) {
				r, err := of.value(x)
				if err != nil {
					return r, err
				}
				i, err := at.numbers(x)
				if err != nil {
					return i, err
				}
				return r.index(i)
			}}
		default:
			return n, nil
		}
	}
	return nil, err
}

func (p *parser) expect(token string) error {
	if p.token != token {
		return fmt.Errorf("%q; want %q", p.token, token)
	}
	p.next()
	return nil
}

func (p *parser) primary() (*node, error) {
	t := p.token
	switch {
	case t == "":
		return nil, fmt.Errorf("the expression ends; want a value")
	case t == "(":
		p.next()
		if p.token != "" && isWord(p.token[0]) && isType(p.token) && strings.HasPrefix(strings.TrimLeft(p.text, " "), ")") && !p.known(p.token) {
			return p.cast(p.token)
		}
		n, err := p.conditional()
		if err == nil {
			err = p.expect(")")
		}
		return n, err
	case t == "true", t == "false":
		p.next()
		return constant(truthOf(t == "true")), nil
	case t[0] >= '0' && t[0] <= '9' || t[0] == '.':
		p.next()
		r, err := literal(t)
		return constant(r), err
	case t == "%" || t == "$": // the id of a value, or a name of PTX
		n := len(p.text) - len(strings.TrimLeft(p.text, "0123456789"))
		if n == 0 {
			n = nameLength(p.text)
		}
		t, p.text = t+p.text[:n], p.text[n:]
	case !isWord(t[0]):
		return nil, fmt.Errorf("%q; want a value", t)
	}
	p.next()
	name := t
	if p.token == "(" || p.token == "<" && !p.known(t) {
		var err error
		if name, err = p.element(t); err != nil {
			return nil, err
		}
	}
	if p.token == "(" {
		return p.call(name)
	}
	value := func(x *view) (result, error) {
		v := x.find(t)
		if v == nil {
			return result{}, fmt.Errorf("no variable %s here", t)
		}
		return result{variable: v}, nil
	}
	of := &reference{name: t}
	return &node{value: value, quick: of.scalar, name: of, fill: of.fill(0, true)}, nil
}

func constant(r result) *node {
	n := &node{value: func(*view) (result, error) { return r, nil }}
	if len(r.numbers) == 1 {
		n.quick = func(*view) (number, kind, bool) { return r.numbers[0], r.kind, true }
		n.fill = fillConstant(r.numbers[0], r.kind)
	}
	return n
}

// call reads the arguments of a constructor or a function.
func (p *parser) call(name string) (*node, error) {
	p.next()
	var args []*node
	for p.token != ")" {
		n, err := p.conditional()
		if err != nil {
			return nil, err
		}
		args = append(args, n)
		if p.token != "," {
			break
		}
		p.next()
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	return &node{quick: quickCall(name, args), value: func(x *view) (result, error) {
		list := make([]result, len(args))
		for i, n := range args {
			var err error
			if list[i], err = n.numbers(x); err != nil {
				return result{}, err
			}
		}
		return callFunction(name, list, x.isHLSL())
	}}, nil
}

// literal returns the value of a number. One with the suffix lf, and an integer that 32 bits do not have, are wide.
func literal(t string) (result, error) {
	lower := strings.ToLower(t)
	if strings.HasPrefix(lower, "0x") || !strings.ContainsAny(lower, ".efh") {
		kind := signed
		lower, long := strings.CutSuffix(lower, "l") // of GL_EXT_shader_explicit_arithmetic_types, and HLSL
		if strings.HasSuffix(lower, "u") {
			kind, lower = unsigned, strings.TrimSuffix(lower, "u")
		} else if !long {
			lower = strings.TrimSuffix(lower, "i") // of WGSL
		}
		n, err := strconv.ParseUint(lower, 0, 64)
		if err != nil {
			return result{}, fmt.Errorf("%q is not a number", t)
		}
		return result{kind: kind, numbers: []number{number{i: int64(n), wide: long || n > math.MaxUint32}.fit(kind)}}, nil
	}
	wide := strings.HasSuffix(lower, "lf")
	f, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimRight(lower, "fh"), "l"), 64)
	if err != nil {
		return result{}, fmt.Errorf("%q is not a number", t)
	}
	return result{kind: float, numbers: []number{number{f: f, wide: wide}.fit(float)}}, nil
}
