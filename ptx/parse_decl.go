package ptx

// spaces are the state spaces of variables.
var spaces = map[string]bool{".reg": true, ".sreg": true, ".param": true, ".shared": true, ".local": true, ".const": true, ".global": true, ".tex": true}

// attributes are the directives between the head and the body of a function, with the most operands of each; -1 for a string.
var attributes = map[string]int{
	".maxntid": 3, ".reqntid": 3, ".minnctapersm": 1, ".maxnctapersm": 1, ".maxnreg": 1, ".noreturn": 0, ".pragma": -1,
	".explicitcluster": 0, ".reqnctapercluster": 3, ".maxclusterrank": 1, ".abi_preserve": 1, ".abi_preserve_control": 1, ".blocksareclusters": 0, ".minperctamemory": 1, ".language": 1 << 10,
}

// parseFunction parses a kernel or a device function.
func (p *parser) parseFunction(linkage []string) *Function {
	f := &Function{Pos: p.tok.pos, Entry: p.tok.text == ".entry", Linkage: linkage}
	p.advance()
	p.signature(f)
	for p.tok.kind == dotted && !beginsItem(p.tok.text) && !p.broken {
		f.Attrs = append(f.Attrs, p.attribute())
	}
	if p.accept(";") || p.broken || p.tok.kind == eof || p.tok.kind == dotted {
		return f
	}
	f.Body = p.parseBlock()
	return f
}

// beginsItem reports whether a directive begins an item of a module. The item before it may be a prototype without a semicolon, as
// compilers of PTX 2 write them: "A .func definition with no body provides a function prototype" (PTX ISA, ".func").
func beginsItem(d string) bool {
	return linkages[d] || spaces[d] || d == ".func" || d == ".entry" || d == ".file" || d == ".section" || d == sourceSection
}

// attribute parses a directive of a function.
func (p *parser) attribute() *Directive {
	d := &Directive{Pos: p.tok.pos, Name: p.tok.text}
	most, ok := attributes[d.Name]
	if p.advance(); !ok {
		p.fail("%q is here; must be a directive of a function", d.Name)
		return d
	}
	if most < 0 {
		p.words(d, 1)
		p.accept(";")
		return d
	}
	for n := 0; n < most; n++ {
		if p.words(d, 1); n+1 == most || !p.accept(",") {
			break
		}
	}
	return d
}

// signature parses results, name and parameters.
func (p *parser) signature(f *Function) {
	if !f.Entry && p.is("(") {
		f.Results = p.parameters()
	}
	f.Name = p.name("the name of a function")
	if p.is("(") {
		f.Params = p.parameters()
	}
}

// parameters parses a list of parameters in parentheses.
func (p *parser) parameters() (list []*Variable) {
	p.want("(")
	for !p.accept(")") && !p.broken {
		if len(list) > 0 {
			p.want(",")
		}
		if p.tok.kind != dotted || !spaces[p.tok.text] {
			p.expected("a parameter")
			return list
		}
		v := p.declaration(nil)
		p.declarator(v)
		list = append(list, v)
	}
	return list
}

// parseVariables parses a declaration of one or more variables.
func (p *parser) parseVariables(linkage []string) (list []*Variable) {
	head := p.declaration(linkage)
	for !p.broken {
		v := *head
		p.declarator(&v)
		if p.accept("=") {
			v.Init = p.initializer()
		}
		if !p.broken {
			list = append(list, &v)
		}
		if !p.accept(",") {
			break
		}
	}
	p.want(";")
	return list
}

// types are the types of variables and of modifiers, with their sizes in bytes.
var types = map[string]int{
	".pred": 1, ".b8": 1, ".u8": 1, ".s8": 1, ".b16": 2, ".u16": 2, ".s16": 2, ".f16": 2, ".bf16": 2, ".b32": 4, ".u32": 4, ".s32": 4,
	".f32": 4, ".tf32": 4, ".f16x2": 4, ".bf16x2": 4, ".u16x2": 4, ".s16x2": 4, ".b64": 8, ".u64": 8, ".s64": 8, ".f64": 8, ".f32x2": 8, ".b128": 16,
	".texref": 8, ".samplerref": 8, ".surfref": 8, ".e4m3": 1, ".e5m2": 1, ".e4m3x2": 2, ".e5m2x2": 2,
	".e2m3x2": 2, ".e3m2x2": 2, ".e2m1x2": 1, ".ue8m0x2": 2, ".e4m3x4": 4, ".e5m2x4": 4, ".e2m3x4": 4, ".e3m2x4": 4, ".e2m1x4": 2, ".s2f6x2": 2,
	".u8x4": 4, ".s8x4": 4, ".e2m1p4x4": 4, ".ue8m0x4": 4, ".ue5m3x2": 2,
}

// TypeSize returns the size of a type in bytes; 0 if there is no such type.
func TypeSize(t string) int { return types[t] }

// declaration parses a declaration up to its names.
func (p *parser) declaration(linkage []string) *Variable {
	v := &Variable{Linkage: linkage, Space: p.tok.text, Vector: 1}
	p.advance()
	for p.tok.kind == dotted && !p.broken {
		word := p.tok.text
		p.advance()
		switch word {
		case ".align":
			v.Align = p.alignment()
		case ".v2":
			v.Vector = 2
		case ".v4":
			v.Vector = 4
		case ".v8":
			v.Vector = 8
		case ".attribute":
			p.variableAttribute(v)
		case ".ptr":
			p.pointer(v)
		default:
			if types[word] == 0 {
				p.fail("%q is here; must be a type", word)
			}
			v.Type = word
		}
	}
	if v.Type == "" {
		p.expected("a type")
	}
	return v
}

// alignment parses an alignment: a power of two up to 128, or up to 2¹⁵ of shared memory.
func (p *parser) alignment() int {
	n := p.int("an alignment")
	if n <= 0 || n&(n-1) != 0 || n > 1<<15 {
		p.fail("the alignment is %d; must be a power of two up to 32768", n)
		return 1
	}
	return n
}

// variableAttribute parses .attribute(...).
func (p *parser) variableAttribute(v *Variable) {
	p.want("(")
	d := &Directive{Pos: p.tok.pos, Name: ".attribute"}
	for more := true; more && !p.broken; {
		if p.tok.kind != dotted {
			p.expected("an attribute such as .managed")
			return
		}
		d.Words = append(d.Words, p.tok.text)
		if p.advance(); p.accept("(") { // .unified(1, 2)
			d.Words = append(d.Words, "(")
			for p.numbers(d, 1); p.accept(","); p.numbers(d, 1) {
				d.Words = append(d.Words, ",")
			}
			p.want(")")
			d.Words = append(d.Words, ")")
		}
		if more = p.accept(","); more {
			d.Words = append(d.Words, ",")
		}
	}
	p.want(")")
	v.Attrs = append(v.Attrs, d)
}

// pointer parses the space and the alignment after .ptr.
func (p *parser) pointer(v *Variable) {
	v.Pointer = ".generic"
	if p.tok.kind == dotted && spaces[p.tok.text] {
		v.Pointer = p.tok.text
		p.advance()
	}
	if p.tok.kind == dotted && p.tok.text == ".align" {
		p.advance()
		v.PtrTo = p.alignment()
	}
}

// declarator parses a name, its count and its dimensions.
func (p *parser) declarator(v *Variable) {
	v.Pos = p.tok.pos
	v.Name = p.name("a name")
	if p.accept("<") {
		if v.Count = p.int("a number of names"); v.Count < 1 || v.Count > MaxNames {
			p.fail("the declaration has %d names; must have 1 to %d", v.Count, MaxNames)
		}
		p.want(">")
	}
	for !p.broken && p.accept("[") {
		if p.accept("]") {
			v.Dims = append(v.Dims, -1)
			continue
		}
		e := p.expr(1)
		n, ok := e.Int()
		if !ok || n >= 1<<31 {
			p.fail("the dimension is no constant from 0 to 2³¹−1; must be one")
		}
		v.Dims = append(v.Dims, int(n))
		p.want("]")
	}
	if v.Size() > maxVariable {
		p.fail("the variable %s has more than 2³⁰ bytes; must not have", v.Name)
	}
}

// maxVariable bounds the bytes of a variable.
const maxVariable = 1 << 30

// Size returns the size of a variable in bytes, at most maxVariable + 1; an array without a size has none.
func (v *Variable) Size() int {
	n := int64(types[v.Type] * v.Vector)
	for i, d := range v.Dims {
		if d < 0 {
			d = v.Init.length(i)
		}
		if n *= int64(d); n > maxVariable {
			return maxVariable + 1
		}
	}
	return int(n)
}

// length returns the number of elements of an initializer at a depth of nesting.
func (x *Value) length(depth int) int {
	for ; depth > 0 && x != nil && len(x.List) > 0; depth-- {
		x = &x.List[0]
	}
	if x == nil {
		return 0
	}
	return len(x.List)
}

// Alignment returns the alignment of a variable in bytes.
func (v *Variable) Alignment() int { return max(v.Align, types[v.Type]*v.Vector, 1) }

// initializer parses a value or a list of values.
func (p *parser) initializer() *Value {
	x := &Value{Pos: p.tok.pos}
	if !p.accept("{") {
		x.Expr = p.expr(1)
		return x
	}
	defer func() { p.depth-- }()
	if !p.deeper() {
		return x
	}
	for !p.accept("}") && !p.broken {
		if len(x.List) > 0 {
			p.want(",")
		}
		x.List = append(x.List, *p.element())
	}
	return x
}

// element parses an element of a list: a value, or a property and its value.
func (p *parser) element() *Value {
	x := p.initializer()
	if x.Expr == nil || x.Expr.Op != "name" || !p.accept("=") {
		return x
	}
	y := p.initializer()
	y.Pos, y.Field = x.Pos, x.Expr.Text
	return y
}
