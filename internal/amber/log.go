package amber

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/vk"
)

// MaxLog bounds the bytes of the log of a script.
const MaxLog = 4 << 20

// say adds printed output to the script's log.
func (r *runner) say(text string) {
	r.log = append(r.log, text)
	r.logged += len(text)
}

// noteReport adds a report of a sanitizer to those of the script; the script then fails.
func (r *runner) noteReport(x vk.Report) {
	if n := r.script.LineOf(x.File, x.Line); x.File != "" && n > 0 {
		x.File, x.Line = r.script.File, n
	}
	if n := r.lineOfInstruction(&x); x.File == "" && n > 0 {
		x.File, x.Line = r.script.File, n
	}
	r.reports.Add(x)
}

// assembledText is the text of a module in the script, with the offset of each instruction in it.
type assembledText struct {
	shader *Shader
	starts []int
}

// lineOfInstruction returns the line of the script for the instruction of a report; 0 if no module in assembly has the instruction
// there, or several have it at different lines.
func (r *runner) lineOfInstruction(x *vk.Report) (found int) {
	op, _, _ := strings.Cut(x.Name, " ")
	for _, m := range r.assembled {
		i := x.Instruction - 1
		if i < 0 || i >= len(m.starts) {
			continue
		}
		end := len(m.shader.Source)
		if i+1 < len(m.starts) {
			end = m.starts[i+1]
		}
		if !strings.Contains(m.shader.Source[m.starts[i]:end], op) {
			continue
		}
		n := m.shader.Line + strings.Count(m.shader.Source[:m.starts[i]], "\n")
		if found > 0 && n != found {
			return 0
		}
		found = n
	}
	return found
}

// SanitizerError reports that sanitizers found faults in shaders.
type SanitizerError struct {
	Reports []vk.Report
}

// Error returns the first report and the number of others.
func (e *SanitizerError) Error() string {
	text := e.Reports[0].Sanitizer + ": " + e.Reports[0].Text()
	if n := len(e.Reports); n > 1 {
		text += fmt.Sprintf(" (and %d more)", n-1)
	}
	return text
}
