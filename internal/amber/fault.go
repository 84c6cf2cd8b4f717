package amber

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/diag"
)

// The codes of faults in scripts.
const (
	CodeWord   = "SPV-Script-Word"   // a word that the grammar does not have there
	CodeNumber = "SPV-Script-Number" // a number that is none, or out of its range
	CodeEnd    = "SPV-Script-End"    // a block or a line ends too early or too late
	CodeName   = "SPV-Script-Name"   // a name that is not declared, or declared twice
	CodeType   = "SPV-Script-Type"   // a type that is unknown or does not fit
	CodeSize   = "SPV-Script-Size"   // data of impossible or unequal size
	CodeFile   = "SPV-Script-File"   // a file that cannot be read
	CodeShader = "SPV-Script-Shader" // a shader that cannot be made ready
	CodeRun    = "SPV-Script-Run"    // a command that may not run
)

// Fault is an error in a script and its file.
type Fault struct {
	File string
	*diag.Finding
}

// Error returns "file:line:column: message [code]".
func (f *Fault) Error() string { return f.File + ":" + f.Finding.Error() }

// Unwrap returns the finding.
func (f *Fault) Unwrap() error { return f.Finding }

// Unsupported is the error for a requirement of a script that Chiaro does not support: a
// construct of the language, a device feature, an instruction.
type Unsupported struct {
	File string
	Pos  diag.Pos // zero for the whole script
	What string   // names the thing, such as "graphics pipelines"
}

// Error returns "unsupported: " and the requirement, with its position if known.
func (u *Unsupported) Error() string {
	if u.Pos.Line == 0 {
		return "unsupported: " + u.What
	}
	return fmt.Sprintf("%s:%s: unsupported: %s", u.File, u.Pos, u.What)
}
