package amber

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
)

// word is one token: a run of characters without blanks, or the end of a
// line, or the end of the text.
type word struct {
	text string // "" at the end of a line or of the text
	pos  diag.Pos
	eol  bool // the end of a line; at the end of the text too
	eof  bool
}

// is reports whether w is the given keyword.
func (w word) is(keyword string) bool { return w.text == keyword && !w.eol }

// String returns how a message names the token.
func (w word) String() string {
	switch {
	case w.eof:
		return "the end of the script"
	case w.eol:
		return "the end of the line"
	}
	const most = 40
	if len(w.text) > most {
		return `"` + w.text[:most] + `…"`
	}
	return `"` + w.text + `"`
}

// lexer cuts a script into words. A # starts a comment, a \ at the end of a
// line joins the next one.
type lexer struct {
	text   string
	at     int
	line   int // of at, from 1
	start  int // the offset of the start of that line
	breaks string
}

// newLexer reads text that starts at the given line number. Each character of breaks is
// also a blank; in VkScript parentheses and commas are blanks.
func newLexer(text string, line int, breaks string) *lexer {
	return &lexer{text: text, line: line, breaks: breaks}
}

func (l *lexer) pos() diag.Pos { return diag.Pos{Line: l.line, Column: l.at - l.start + 1} }

// skip passes blanks, comments and joined lines.
func (l *lexer) skip() {
	for l.at < len(l.text) {
		c := l.text[l.at]
		switch {
		case l.isBlank(c):
			l.at++
		case c == '#':
			l.at = l.lineEnd()
		case c == '\\' && strings.TrimRight(l.text[l.at+1:l.lineEnd()], " \t\r") == "":
			l.at = l.lineEnd()
			l.newline()
		default:
			return
		}
	}
}

func (l *lexer) isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || strings.IndexByte(l.breaks, c) >= 0
}

// lineEnd returns the position of the current line's \n, or the end of the text.
func (l *lexer) lineEnd() int {
	if i := strings.IndexByte(l.text[l.at:], '\n'); i >= 0 {
		return l.at + i
	}
	return len(l.text)
}

// newline passes a \n at the current place, if there is one.
func (l *lexer) newline() {
	if l.at < len(l.text) {
		l.at++
		l.line++
		l.start = l.at
	}
}

// next returns the next word and passes it.
func (l *lexer) next() word {
	l.skip()
	w := word{pos: l.pos()}
	switch {
	case l.at == len(l.text):
		w.eol, w.eof = true, true
		return w
	case l.text[l.at] == '\n':
		w.eol = true
		l.newline()
		return w
	}
	end := l.at
	for end < len(l.text) && l.text[end] != '\n' && l.text[end] != '#' && !l.isBlank(l.text[end]) {
		end++
	}
	w.text = l.text[l.at:end]
	l.at = end
	return w
}

// peek returns the next word and leaves it there.
func (l *lexer) peek() word {
	was := *l
	w := l.next()
	*l = was
	return w
}

// body passes the rest of this line and returns the lines after it up to a line with the
// first word END, which it passes too. It returns the number of the first line, and false
// if there is no such END.
func (l *lexer) body() (text string, line int, ok bool) {
	l.at = l.lineEnd()
	l.newline()
	first, line := l.at, l.line
	for l.at < len(l.text) {
		end := l.lineEnd()
		if f := strings.Fields(l.text[l.at:end]); len(f) > 0 && f[0] == "END" {
			text = l.text[first:l.at]
			l.at += strings.Index(l.text[l.at:end], "END") + len("END")
			return text, line, true
		}
		l.at = end
		l.newline()
	}
	return "", line, false
}
