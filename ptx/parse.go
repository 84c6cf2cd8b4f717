package ptx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
)

// The codes of findings.
const (
	CodeSyntax      = "PTX-Syntax"
	CodeSymbol      = "PTX-Symbol"
	CodeInstruction = "PTX-Instruction"
	CodeType        = "PTX-Type"
	CodeTarget      = "PTX-Target"  // a feature that the version or the target of the module lacks
	CodeSupport     = "PTX-Support" // a kernel that Chiaro cannot run
)

// Limits of a text, which bound the time and the memory of everything that reads it.
const (
	MaxBytes    = 64 << 20 // of a text
	MaxNames    = 1 << 20  // registers that one declaration declares
	maxDepth    = 64       // of nested blocks, lists and expressions
	maxFindings = 100      // of one text
)

// Parse returns the module of a text, and the faults of its syntax. With a fault the module has the statements without one. A
// terminating 0 byte, which CUDA's loaders demand, is no part of the text.
func Parse(src string) (*Module, []*diag.Finding) {
	p := &parser{lex: lexer{src: strings.TrimRight(src, "\x00"), line: 1}, module: &Module{AddressSize: 32}}
	if len(src) > MaxBytes {
		return p.module, []*diag.Finding{diag.New(CodeSyntax, diag.Pos{Line: 1, Column: 1}, "the text has %d bytes; must have at most %d", len(src), MaxBytes)}
	}
	p.advance()
	p.parseModule()
	return p.module, p.findings
}

// parser is a parser by recursive descent with one token of lookahead.
type parser struct {
	lex      lexer
	tok      token
	module   *Module
	findings []*diag.Finding
	depth    int
	broken   bool // a fault of the statement has been reported

	before string // the directive of the module before this one
}

// head reports a directive at the wrong place in the module: .version is the first one, the first .target the second one, and
// .address_size follows a .target (PTX ISA, "PTX Module Directives").
func (p *parser) head(d string) {
	switch {
	case len(p.findings) >= maxFindings:
	case d == ".version" && p.before != "":
		p.misplaced("%s is after %s; must be the first directive of the module, once", d, p.before)
	case d == ".target" && p.before != ".version" && p.module.Version != [2]int{} && len(p.module.Target) == 0:
		p.misplaced("%s is after %s; must be after .version", d, p.before)
	case d == ".address_size" && p.before != ".target":
		p.misplaced("%s is not after .target; must be, once", d)
	}
}

// misplaced adds a finding at the current token. The parser understands the directive all the same.
func (p *parser) misplaced(format string, args ...any) {
	at := diag.Pos{Line: p.tok.pos.Line, Column: p.tok.pos.Col}
	p.findings = append(p.findings, diag.New(CodeSyntax, at, format, args...))
}

// fail reports that something else must be at the current token: the first fault of a statement only.
func (p *parser) fail(format string, args ...any) {
	if !p.broken && len(p.findings) < maxFindings {
		at := diag.Pos{Line: p.tok.pos.Line, Column: p.tok.pos.Col}
		p.findings = append(p.findings, diag.New(CodeSyntax, at, format, args...))
	}
	p.broken = true
}

// expected reports an unexpected token.
func (p *parser) expected(what string) { p.fail("%v is here; must be %s", p.tok, what) }

func (p *parser) advance() {
	t, fault := p.lex.next()
	p.tok = t
	if fault != "" {
		p.fail("%s is here; must be a token", fault)
		if p.lex.at >= len(p.lex.src) {
			p.tok.kind = eof
		}
	}
}

// is reports whether the current token is a punctuation.
func (p *parser) is(s string) bool { return p.tok.kind == punct && p.tok.text == s }

// accept skips a punctuation if it is there.
func (p *parser) accept(s string) bool {
	if !p.is(s) {
		return false
	}
	p.advance()
	return true
}

// want skips a punctuation that must be there.
func (p *parser) want(s string) {
	if !p.broken && !p.accept(s) {
		p.expected(strconv.Quote(s))
	}
}

// name returns a word that must be there.
func (p *parser) name(what string) string {
	s := p.tok.text
	if p.tok.kind != word {
		p.expected(what)
		return ""
	}
	p.advance()
	return s
}

// deeper counts a level of nesting; false beyond the limit.
func (p *parser) deeper() bool {
	if p.depth++; p.depth > maxDepth {
		p.fail("the nesting is deeper than %d levels; must not be", maxDepth)
		return false
	}
	return true
}

// recover skips to the end of a statement after a fault: past the next ";", or to a brace.
func (p *parser) recover() {
	for p.broken && p.tok.kind != eof && !p.is("{") && !p.is("}") {
		semicolon := p.is(";")
		p.advance()
		if semicolon {
			break
		}
	}
	p.broken = false
}

// parseModule parses the items of a module. A fault in the header ends nothing.
func (p *parser) parseModule() {
	for p.tok.kind != eof && len(p.findings) < maxFindings {
		before := p.lex.at
		p.parseItem()
		if p.broken {
			p.recover()
			for (p.is("{") || p.is("}")) && p.lex.at >= before { // the body of a function that was not understood
				p.skipBraces()
			}
		}
	}
	if p.module.Version == [2]int{} {
		p.fail("the module has no .version; must have one")
	}
	if p.broken = false; len(p.module.Target) == 0 {
		p.fail("the module has no .target; must have one")
	}
}

// skipBraces skips a block with the blocks in it, or a brace that closes nothing.
func (p *parser) skipBraces() {
	for depth := 0; p.tok.kind != eof; {
		switch {
		case p.is("{"):
			depth++
		case p.is("}"):
			depth--
		}
		if p.advance(); depth <= 0 {
			break
		}
	}
	p.broken = false
}

// linkages are the linking directives.
var linkages = map[string]bool{".extern": true, ".visible": true, ".weak": true, ".common": true}

// parseItem parses a directive, a variable or a function.
func (p *parser) parseItem() {
	if p.accept(";") {
		return
	}
	pos := p.tok.pos
	var linkage []string
	for p.tok.kind == dotted && linkages[p.tok.text] {
		linkage = append(linkage, p.tok.text)
		p.advance()
	}
	if p.tok.kind != dotted {
		p.expected("a directive")
		return
	}
	d := p.tok.text
	p.head(d)
	p.before = d
	switch {
	case d == ".version":
		p.parseVersion()
	case d == ".target":
		p.parseTarget()
	case d == ".address_size":
		p.advance()
		if p.module.AddressSize = p.int("an address size"); p.module.AddressSize != 32 && p.module.AddressSize != 64 {
			p.fail("the address size is %d; must be 32 or 64", p.module.AddressSize)
			p.module.AddressSize = 64
		}
	case d == ".entry" || d == ".func":
		f := p.parseFunction(linkage)
		f.Pos = pos
		if !p.broken {
			p.module.Items = append(p.module.Items, f)
		}
	case spaces[d]:
		for _, v := range p.parseVariables(linkage) {
			p.module.Items = append(p.module.Items, v)
		}
	default:
		if x := p.parseDirective(""); x != nil {
			p.module.Items = append(p.module.Items, x)
		}
	}
}

func (p *parser) parseVersion() {
	p.advance()
	major, minor, dot := strings.Cut(p.tok.text, ".")
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(minor)
	if p.tok.kind != number || !dot || errA != nil || errB != nil || a < 1 || a > 99 {
		p.expected("a version such as 7.5")
		return
	}
	p.module.Version, p.module.VersionPos = [2]int{a, b}, p.tok.pos
	p.advance()
}

// parseTarget parses a .target. The module must have an architecture from the first one on, and one mode of textures at most (PTX ISA,
// "PTX Module Directives: .target", "Texturing Modes").
func (p *parser) parseTarget() {
	of := ""
	first := p.tok.pos
	for p.advance(); ; p.advance() {
		t := p.tok
		if other := otherMode[t.text]; t.kind == word && slices.Contains(p.module.Target, other) && len(p.findings) < maxFindings {
			p.misplaced("%s is in a module with %s; must be in one without it", t.text, other)
		}
		if of != "" && t.kind == word && isArchitecture(t.text) && len(p.findings) < maxFindings {
			p.misplaced("%s is in a .target with %s; must be in another .target", t.text, of)
		}
		if t.kind == word && isArchitecture(t.text) {
			of = t.text
		}
		p.module.Target, p.module.TargetPos = append(p.module.Target, p.name("a target")), append(p.module.TargetPos, t.pos)
		if !p.is(",") {
			break
		}
	}
	if !p.broken && !slices.ContainsFunc(p.module.Target, isArchitecture) && len(p.findings) < maxFindings {
		at := diag.Pos{Line: first.Line, Column: first.Col}
		p.findings = append(p.findings, diag.New(CodeSyntax, at, "the first .target has no architecture; must have one"))
	}
}

// otherMode has the mode of textures that excludes another one.
var otherMode = map[string]string{"texmode_unified": "texmode_independent", "texmode_independent": "texmode_unified"}

// int returns an integer constant that must be there and fit 31 bits.
func (p *parser) int(what string) int {
	if p.tok.kind != number {
		p.expected(what)
		return 0
	}
	e, ok := literal(p.tok)
	if !ok || e.Op != "int" || e.Bits >= 1<<31 {
		p.expected(what)
		return 0
	}
	p.advance()
	return int(e.Bits)
}

// parseDirective parses a directive that keeps its words. It returns nil after a fault.
func (p *parser) parseDirective(label string) *Directive {
	d := &Directive{Pos: p.tok.pos, Name: p.tok.text, Label: label}
	if label == "" && needsLabel[d.Name] {
		p.fail("%s is without a label; must have one", d.Name)
		return nil
	}
	p.advance()
	switch d.Name {
	case ".section":
		p.section(d)
	case sourceSection:
		p.sources(d)
	case ".loc":
		p.location(d)
	case ".loc_intermediate":
		p.numbers(d, 3)
	case ".file":
		p.words(d, 2)
		for p.accept(",") {
			p.words(d, 1)
		}
	case ".pragma", ".alias", ".branchtargets", ".calltargets":
		p.names(d)
	case ".callprototype":
		d.Proto = &Function{Pos: d.Pos}
		p.signature(d.Proto)
		for p.tok.kind == dotted && !p.broken {
			d.Proto.Attrs = append(d.Proto.Attrs, p.attribute())
		}
		p.want(";")
	default:
		p.fail("%q is here; must be a directive that PTX has", d.Name)
	}
	if p.broken {
		return nil
	}
	return d
}

// words appends n tokens to a directive.
func (p *parser) words(d *Directive, n int) {
	for range n {
		switch p.tok.kind {
		case number, word, text:
			d.Words = append(d.Words, p.tok.source())
		default:
			p.expected("a number or a string")
			return
		}
		p.advance()
	}
}

// location parses the operands of .loc: file, line and column, and the function in which a callee is inlined.
func (p *parser) location(d *Directive) {
	p.numbers(d, 3)
	for p.accept(",") && !p.broken {
		switch {
		case p.tok.kind != word:
			p.expected("function_name or inlined_at")
		case p.tok.text == "function_name":
			p.words(d, 1)
			d.Words = append(d.Words, p.name("a label of .debug_str"))
			if p.accept("+") {
				d.Words = append(d.Words, "+")
				p.numbers(d, 1)
			}
		case p.tok.text == "inlined_at":
			p.words(d, 1)
			p.numbers(d, 3)
		default:
			p.expected("function_name or inlined_at")
		}
	}
}

// numbers appends n numbers to a directive.
func (p *parser) numbers(d *Directive, n int) {
	for range n {
		if p.tok.kind != number {
			p.expected("a number")
			return
		}
		p.words(d, 1)
	}
}

// names parses names or strings up to a semicolon.
func (p *parser) names(d *Directive) {
	for {
		switch p.tok.kind {
		case text:
			d.Words = append(d.Words, p.tok.source())
		case word:
			d.Names = append(d.Names, &Operand{Pos: p.tok.pos, Kind: Symbol, Name: p.tok.text})
		default:
			p.expected("a name or a string")
			return
		}
		if p.advance(); !p.accept(",") {
			break
		}
	}
	p.want(";")
}

// section keeps the words of a section, which is debug information.
func (p *parser) section(d *Directive) {
	d.Words = append(d.Words, p.tok.source())
	p.advance()
	p.want("{")
	for !p.is("}") && p.tok.kind != eof && !p.broken {
		d.Words = append(d.Words, p.tok.source())
		p.advance()
	}
	p.want("}")
}

// sourceSection is the construct with the text of an intermediate language (PTX ISA, ".nv_intermediate_source_section").
const sourceSection = ".nv_intermediate_source_section"

// sources keeps the words of a section of sources. Between .source_begin and .source_end is any text.
func (p *parser) sources(d *Directive) {
	p.want("{")
	for depth := 1; !p.broken; {
		switch {
		case p.tok.kind == eof:
			p.expected("the end of " + sourceSection)
		case p.is("{"):
			depth++
		case p.is("}"):
			depth--
		}
		if depth == 0 || p.broken {
			break
		}
		d.Words = append(d.Words, p.tok.source())
		if p.tok.kind == dotted && p.tok.text == ".source_begin" {
			d.Words = append(d.Words, p.lex.until(".source_end"))
		}
		p.advance()
	}
	p.want("}")
}

// errorText returns the findings as one error text, for a message.
func errorText(list []*diag.Finding) string {
	if len(list) > 1 {
		return fmt.Sprintf("%v (and %d more)", list[0], len(list)-1)
	}
	return list[0].Error()
}

// Error is the error of a module with findings.
type Error struct{ Findings []*diag.Finding }

// Error returns the first finding and the number of the others.
func (e *Error) Error() string { return errorText(e.Findings) }
