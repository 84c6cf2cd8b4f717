package amber

import (
	"fmt"

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
	r.reports.Add(x)
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
