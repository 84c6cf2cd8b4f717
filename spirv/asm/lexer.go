package asm

import "github.com/chiaro-gpu/chiaro/diag"

// class tells the characters that matter to the lexer apart.
type class uint8

const (
	classWord   class = iota // part of a word
	classSpace               // space, tab, carriage return, line feed
	classNote                // ; begins a comment
	classPunct               // ( ) , are words of their own
	classQuote               // " begins a string, within which all of these are plain
	classEscape              // \ makes the next character plain
)

// classes has the class of each byte; identifiers has the bytes of ids.
var (
	classes = [256]class{
		' ': classSpace, '\t': classSpace, '\r': classSpace, '\n': classSpace,
		';': classNote, '(': classPunct, ')': classPunct, ',': classPunct,
		'"': classQuote, '\\': classEscape,
	}
	identifiers = identifierBytes()
)

func identifierBytes() (t [256]bool) {
	for c := range t {
		t[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
	}
	return t
}

// lexer splits a text into words. The current word is text[start:end];
// start == len(text) is the end of the text.
type lexer struct {
	text       string
	start, end int
}

// next moves to the next word.
func (l *lexer) next() {
	l.start = l.skip(l.end)
	l.end = l.scan(l.start)
}

// skip returns the first position from i on that is neither white space nor in
// a comment.
func (l *lexer) skip(i int) int {
	for i < len(l.text) {
		switch classes[l.text[i]] {
		case classSpace:
			i++
		case classNote:
			for i < len(l.text) && l.text[i] != '\n' {
				i++
			}
		default:
			return i
		}
	}
	return i
}

// scan returns the end of the word that starts at i.
func (l *lexer) scan(i int) int {
	for j := i; j < len(l.text); j++ {
		switch classes[l.text[j]] {
		case classWord:
		case classPunct:
			if j == i {
				return j + 1
			}
			return j
		case classQuote, classEscape:
			return l.scanQuoted(j)
		default:
			return j
		}
	}
	return len(l.text)
}

// scanQuoted returns the end of a word that has a quote or an escape at j. A
// string that is not closed reaches to the end of the text.
func (l *lexer) scanQuoted(j int) int {
	quoted := false
	for ; j < len(l.text); j++ {
		switch classes[l.text[j]] {
		case classWord:
		case classQuote:
			quoted = !quoted
		case classEscape:
			j++
		default:
			if !quoted {
				return j
			}
		}
	}
	return len(l.text)
}

// word returns the word under the lexer, "" at the end of the text.
func (l *lexer) word() string { return l.text[l.start:l.end] }

// atEnd reports whether the text is used up.
func (l *lexer) atEnd() bool { return l.start == len(l.text) }

// atOp reports whether the word is an opcode: Op and a capital letter.
func (l *lexer) atOp() bool {
	return l.start+2 < l.end && l.text[l.start] == 'O' && l.text[l.start+1] == 'p' && l.text[l.start+2]-'A' < 26
}

// atInstruction reports whether the word begins an instruction: an opcode, or
// an id that an equal sign follows.
func (l *lexer) atInstruction() bool {
	switch l.text[l.start] {
	case 'O':
		return l.atOp()
	case '%':
		i := l.skip(l.end)
		return i < len(l.text) && l.text[i] == '='
	}
	return false
}

// pos returns line and column of an offset. It counts from the start of the
// text, so it is for findings alone.
func (l *lexer) pos(at int) diag.Pos {
	p := diag.Pos{Line: 1, Column: 1}
	for i := 0; i < at && i < len(l.text); i++ {
		if p.Column++; l.text[i] == '\n' {
			p.Line, p.Column = p.Line+1, 1
		}
	}
	return p
}

// found names the word under the lexer in a message.
func (l *lexer) found() string {
	if l.atEnd() {
		return "the end of the text"
	}
	return shorten(l.word())
}

// maxQuoted is the number of bytes of the input that a message repeats.
const maxQuoted = 40

// shorten quotes a piece of input for a message.
func shorten(s string) string {
	if len(s) > maxQuoted {
		return "'" + s[:maxQuoted] + "…'"
	}
	return "'" + s + "'"
}

// article puts a or an before a word.
func article(s string) string {
	if s != "" {
		switch s[0] | 0x20 {
		case 'a', 'e', 'i', 'o', 'u':
			return "an " + s
		}
	}
	return "a " + s
}
