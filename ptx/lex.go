package ptx

import (
	"fmt"
	"strings"
)

// Position is a place in the text, both numbers from 1. The column counts bytes.
type Position struct{ Line, Col int }

// String returns "line:column".
func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	eof    tokenKind = iota
	word             // an identifier or an opcode
	dotted           // a directive or a modifier, with its dot, such as ".global" and ".shared::cta"
	number
	text  // a string, without the quotes
	punct // one character, or "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"
)

// token is a word of the language.
type token struct {
	kind tokenKind
	text string
	pos  Position
}

// String returns the token for a message.
func (t token) String() string {
	if t.kind == eof {
		return "the end of the text"
	}
	return fmt.Sprintf("%q", t.text)
}

// source returns the token as it is written.
func (t token) source() string {
	if t.kind == text {
		return `"` + t.text + `"`
	}
	return t.text
}

// lexer cuts a text into tokens.
type lexer struct {
	src  string
	at   int
	line int
	from int // the offset of the first byte of the line
}

func (l *lexer) position() Position { return Position{l.line, l.at - l.from + 1} }

// peek returns the byte n after the next one, 0 at the end.
func (l *lexer) peek(n int) byte {
	if l.at+n < len(l.src) {
		return l.src[l.at+n]
	}
	return 0
}

func isLetter(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '$' || c == '%'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool { return isLetter(c) && c != '%' || isDigit(c) }

// space skips white space, comments, lines of the C preprocessor and of debugging information. It returns an error text for a comment without
// end, which begins at at.
func (l *lexer) space(at *Position) string {
	for l.at < len(l.src) {
		*at = l.position()
		switch c := l.src[l.at]; {
		case c == '\n':
			l.at++
			l.line, l.from = l.line+1, l.at
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			l.at++
		case c == '/' && l.peek(1) == '/', c == '#' && l.from == l.at, l.dwarf():
			for l.at < len(l.src) && l.src[l.at] != '\n' {
				l.at++
			}
		case c == '/' && l.peek(1) == '*':
			if !l.comment() {
				return "a comment without end"
			}
		default:
			return ""
		}
	}
	return ""
}

// until skips the text up to the next end, and returns it. Without an end it is all of the rest.
func (l *lexer) until(end string) string {
	text := l.src[l.at:]
	if n := strings.Index(text, end); n >= 0 {
		text = text[:n]
	}
	if last := strings.LastIndexByte(text, '\n'); last >= 0 {
		l.line, l.from = l.line+strings.Count(text, "\n"), l.at+last+1
	}
	l.at += len(text)
	return strings.TrimSpace(text)
}

// dwarf reports whether a line of debugging information begins here: "@@DWARF" and its data, before version 2.0 (PTX ISA, "@@dwarf"). It has
// no effect on the execution, like a comment.
func (l *lexer) dwarf() bool {
	const begin = "@@dwarf"
	return len(l.src)-l.at >= len(begin) && strings.EqualFold(l.src[l.at:l.at+len(begin)], begin) && !isWord(l.peek(len(begin)))
}

// comment skips a comment of C.
func (l *lexer) comment() bool {
	for l.at += 2; l.at < len(l.src); l.at++ {
		switch {
		case l.src[l.at] == '\n':
			l.line, l.from = l.line+1, l.at+1
		case l.src[l.at] == '*' && l.peek(1) == '/':
			l.at += 2
			return true
		}
	}
	return false
}

// next returns the next token, or an error text.
func (l *lexer) next() (token, string) {
	t := token{pos: l.position()}
	if fault := l.space(&t.pos); fault != "" {
		return t, fault
	}
	t.pos = l.position()
	if l.at >= len(l.src) {
		return t, ""
	}
	start := l.at
	switch c := l.src[l.at]; {
	case isLetter(c):
		t.kind = word
		for l.at++; isWord(l.peek(0)); l.at++ {
		}
	case isDigit(c), c == '.' && isDigit(l.peek(1)) && !l.modifier():
		t.kind = number
		l.number()
	case c == '.' && isWord(l.peek(1)):
		t.kind = dotted
		l.dotted()
	case c == '"':
		return l.quoted(t)
	default:
		t.kind = punct
		l.at++
		if two := l.src[start:min(start+2, len(l.src))]; operators[two] {
			l.at++
		}
		if c < ' ' || c >= 0x7f || c == '#' { // # begins a line of the preprocessor alone
			return t, fmt.Sprintf("the byte %#x", c)
		}
	}
	t.text = l.src[start:l.at]
	return t, ""
}

// operators are the tokens of two characters.
var operators = map[string]bool{"<<": true, ">>": true, "<=": true, ">=": true, "==": true, "!=": true, "&&": true, "||": true}

// modifier reports whether a dot and a digit begin a modifier such as ".2d", not a number.
func (l *lexer) modifier() bool {
	n := 1
	for isDigit(l.peek(n)) {
		n++
	}
	return isWord(l.peek(n)) && l.peek(n)|0x20 != 'e'
}

// dotted skips a modifier. Parts after "::" belong to it, and a ratio such as in ".sp::2:4".
func (l *lexer) dotted() {
	parts := false
	for l.at++; ; l.at++ {
		switch {
		case isWord(l.peek(0)):
		case l.peek(0) == ':' && l.peek(1) == ':' && isWord(l.peek(2)):
			parts = true
			l.at++
		case parts && l.peek(0) == ':' && isDigit(l.peek(1)) && isDigit(l.src[l.at-1]):
		default:
			return
		}
	}
}

// number skips a number: letters belong to it, and a dot, and a sign after the exponent of a decimal one.
func (l *lexer) number() {
	hex := l.peek(0) == '0' && isLetter(l.peek(1)) && l.peek(1)|0x20 != 'e' && l.peek(1)|0x20 != 'u'
	for dot := false; ; l.at++ {
		switch c := l.peek(0); {
		case isWord(c):
			if !hex && c|0x20 == 'e' && (l.peek(1) == '+' || l.peek(1) == '-') {
				l.at++
			}
		case c == '.' && !hex && !dot && isDigit(l.peek(1)), c == '.' && !hex && !dot && !isWord(l.peek(1)):
			dot = true
		default:
			return
		}
	}
}

// quoted returns a string without its quotes; a backslash keeps the byte after it.
func (l *lexer) quoted(t token) (token, string) {
	start := l.at + 1
	for l.at++; l.at < len(l.src) && l.src[l.at] != '\n'; l.at++ {
		switch l.src[l.at] {
		case '\\':
			l.at++
		case '"':
			t.kind, t.text = text, l.src[start:l.at]
			l.at++
			return t, ""
		}
	}
	l.at = min(l.at, len(l.src))
	return t, "a string without end"
}
