// Package diag defines the form of a finding: the fault of a shader, its
// position, and the rule it violates. It knows no rule and renders no source
// line; a reader with the module at hand turns positions into text.
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
	Instruction int // number of the instruction, from 1; 0 if unknown
	Word        int // offset in words from the start of the module
	Line        int // line of a text, from 1; 0 if the input is not a text
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

// Related is another position that concerns a Finding.
type Related struct {
	Pos     Pos
	Message string
}

// Finding is one fault of a shader. Code is the full VUID if Vulkan has one, else
// SPV-Subject-Rule; it is never empty. Message has the form "X is …; must be …",
// in lower case and without a period.
type Finding struct {
	Code     string
	Severity Severity
	Pos      Pos
	Message  string
	Related  []Related
}

// Error returns the position, the message and the code. It makes *Finding an
// error, so that readers that stop at the first fault can return it as one;
// errors.As recovers the fields.
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
