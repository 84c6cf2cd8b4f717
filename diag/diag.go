// Package diag is the form of a finding: what is wrong with a shader, where,
// and by which rule. It knows no rule and renders no source line; a reader
// that has the module turns positions into words.
package diag

import (
	"fmt"
	"strings"
)

// Severity grades a Finding.
type Severity uint8

// The severities, gravest first.
const (
	Error Severity = iota
	Warning
	Note
)

// String returns "error", "warning" or "note".
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	}
	return "note"
}

// Pos is a place in a module or in a text. The zero Pos is the whole module.
type Pos struct {
	Instruction int // number of the instruction, from 1; 0 where unknown
	Word        int // offset in words from the start of the module
	Line        int // line of a text, from 1; 0 where the input is no text
	Column      int // column of a text in bytes, from 1
}

// String returns "line:column" for a text, else "instruction I, word W".
func (p Pos) String() string {
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%d:%d", p.Line, p.Column)
	case p.Instruction > 0:
		return fmt.Sprintf("instruction %d, word %d", p.Instruction, p.Word)
	}
	return fmt.Sprintf("word %d", p.Word)
}

// Related is another place that a Finding speaks of.
type Related struct {
	Pos     Pos
	Message string
}

// Finding is one fault of a shader. Code is the VUID in full where Vulkan has
// one, else SPV-Subject-Rule; it is never empty. Message says what is and what
// must be, in lower case and without a period.
type Finding struct {
	Code     string
	Severity Severity
	Pos      Pos
	Message  string
	Related  []Related
}

// Error returns the position, the message and the code. It makes *Finding an
// error, so that readers that stop at the first fault can return it as one;
// use errors.As to have the fields back.
func (f *Finding) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s [%s]", f.Pos, f.Message, f.Code)
	for _, r := range f.Related {
		fmt.Fprintf(&b, "\n\t%s: %s", r.Pos, r.Message)
	}
	return b.String()
}

// New returns an error finding.
func New(code string, pos Pos, format string, args ...any) *Finding {
	return &Finding{Code: code, Pos: pos, Message: fmt.Sprintf(format, args...)}
}
