// Package plain makes untrusted text safe to print: names of a module, messages with such names, file names and
// output of shaders. It escapes characters that a terminal or the log of a CI system acts on instead of showing
// them. It refuses to know any format of reports.
//
//	\x1b      a control character or an invalid byte
//	\u{202e}  a character that reorders text or ends a line
//	\x3a:     the start of a workflow command of GitHub Actions, "::"
package plain

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Safe is text that is safe to print as it is.
type Safe string

// Line returns s as one line of safe text. Tabs stay.
func Line(s string) string {
	if i := firstUnsafe(s); i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	if strings.HasPrefix(strings.TrimLeft(s, " \t"), "::") {
		at := strings.IndexByte(s, ':')
		b.WriteString(s[:at] + `\x3a`)
		s = s[at+1:]
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case control(r) && r != '\t':
			fmt.Fprintf(&b, `\x%02x`, r)
		case reorders(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		case r == '#' && logCommand(s[i:]):
			b.WriteString(`\x23`)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// firstUnsafe returns the offset of a character that Line changes, -1 if there is none.
func firstUnsafe(s string) int {
	if strings.HasPrefix(strings.TrimLeft(s, " \t"), "::") {
		return 0
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < ' ' && c != '\t', c == 0x7f:
			return i
		case c == '#' && logCommand(s[i:]):
			return i
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 || control(r) || reorders(r) {
				return i
			}
			i += n - 1
		}
	}
	return -1
}

// control reports whether r is a control character: C0, DEL or C1.
func control(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }

// reorders reports whether r is a control of the bidirectional algorithm (Unicode UAX #9) or a line separator.
func reorders(r rune) bool {
	switch r {
	case 0x061c, 0x200e, 0x200f, 0x2028, 0x2029:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// logCommand reports whether s begins with a command that runners read anywhere in a line of their log.
func logCommand(s string) bool { return strings.HasPrefix(s, "##[") || strings.HasPrefix(s, "##vso[") }

// Block returns the lines of s, each safe. indent is put before each line but the first. A carriage return at the
// end of a line is dropped.
func Block(s, indent string) Safe {
	if !strings.Contains(s, "\n") {
		return Safe(Line(strings.TrimSuffix(s, "\r")))
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = Line(strings.TrimSuffix(l, "\r"))
	}
	return Safe(strings.Join(lines, "\n"+indent))
}

// Literal reports whether s, which may have several lines, is safe to print between quotes. Invalid UTF-8 is:
// texts in other encodings are common in sources.
func Literal(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n':
			if strings.HasPrefix(strings.TrimLeft(s[i+1:], " \t\r"), "::") {
				return false
			}
		case c == '\t', c == '\r' && strings.HasPrefix(s[i:], "\r\n"):
		case c < ' ', c == 0x7f, c == '#' && logCommand(s[i:]):
			return false
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			if control(r) || reorders(r) {
				return false
			}
			i += n - 1
		}
	}
	return true
}

// Fprintf is fmt.Fprintf with every string, error and Stringer among args as one line of safe text, Safe as it is.
func Fprintf(w io.Writer, format string, args ...any) (int, error) {
	safe := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case Safe:
			safe[i] = string(a)
		case string:
			safe[i] = Line(a)
		case error:
			safe[i] = Line(a.Error())
		case fmt.Stringer:
			safe[i] = Line(a.String())
		default:
			safe[i] = a
		}
	}
	return fmt.Fprintf(w, format, safe...)
}

// JSON escapes the characters in JSON text that encoding/json leaves as they are but that a terminal acts on.
// Outside of strings JSON has none of them.
func JSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, unsafeJSON) && !bytes.Contains(text, []byte("##")) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if unsafeJSON(r) || r == '#' && logCommand(string(text[:min(len(text), len("##vso["))])) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, text[:n]...)
		}
		text = text[n:]
	}
	return out
}

func unsafeJSON(r rune) bool { return r >= 0x7f && (control(r) || reorders(r)) }
