package main

import (
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// positionedMessage is a message of a record with the place at its beginning split off.
type positionedMessage struct {
	file, text   string
	line, column int // 0 if the message has no place
	warning      bool
}

var (
	positionForm = regexp.MustCompile(`^(.+?):(\d+):(\d+): (.*)$`)
	placeForm    = regexp.MustCompile(`^:(\d+):(\d+): (.*)$`)
)

// splitPosition splits a message "file:line:column: text". The text may have several lines.
func splitPosition(x *record) positionedMessage {
	first, rest, more := strings.Cut(strings.TrimSpace(x.Message), "\n")
	p, ok := parsePosition(x.File, first)
	if !ok {
		return positionedMessage{file: x.File, text: x.Message}
	}
	p.text = strings.TrimPrefix(p.text, "error: ")
	if more {
		p.text += "\n" + rest
	}
	return p
}

// splitPositions splits the message on an unreadable file, such as the errors of a compiler, at each line that begins
// with a place. The severity of such a line is no part of its text: formats have their own words for it.
func splitPositions(x *checked) (out []positionedMessage) {
	for line := range strings.SplitSeq(strings.TrimSpace(x.message), "\n") {
		if p, ok := parsePosition(x.file, line); ok {
			p.text, p.warning = strings.CutPrefix(strings.TrimPrefix(p.text, "error: "), "warning: ")
			out = append(out, p)
		} else if len(out) > 0 {
			out[len(out)-1].text += "\n" + line
		} else {
			out = append(out, positionedMessage{file: x.file, text: line})
		}
	}
	return out
}

// placedBlock returns a message as it is printed: the further lines are indented, except for lines with a place in the
// file of the first, such as the errors of a compiler.
func placedBlock(message string) plain.Safe {
	first, isPlaced := positionedMessage{}, false
	var b strings.Builder
	for line := range strings.SplitSeq(message, "\n") {
		p, ok := parsePosition(first.file, line)
		switch {
		case b.Len() == 0:
			first, isPlaced = p, ok
		case ok && isPlaced && p.file == first.file:
			b.WriteByte('\n')
		default:
			b.WriteString("\n    ")
		}
		b.WriteString(string(plain.Block(line, "")))
	}
	return plain.Safe(b.String())
}

// level returns the word of SARIF and of workflow commands for the severity.
func (p *positionedMessage) level() string {
	if p.warning {
		return "warning"
	}
	return "error"
}

// parsePosition parses a line "file:line:column: text". A known file comes first: its name can look like a place itself.
func parsePosition(known, line string) (p positionedMessage, ok bool) {
	var m []string // match, line, column, text
	if rest, found := strings.CutPrefix(line, known); found && known != "" {
		p.file, m = known, placeForm.FindStringSubmatch(rest)
	}
	if m == nil {
		if m = positionForm.FindStringSubmatch(line); m == nil {
			return positionedMessage{}, false
		}
		p.file, m = m[1], m[1:]
	}
	p.text = m[3]
	p.line, _ = strconv.Atoi(m[1]) // a number too large is no place
	p.column, _ = strconv.Atoi(m[2])
	return p, true
}

// location returns the location in a SARIF log: of an object in its archive, else in the file.
func (p *positionedMessage) location() *sarif.Location {
	if archive, object := objectName(p.file); object != "" {
		return sarifAt(archive, nil).AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(plain.Line(object)).WithKind("object"))
	}
	return sarifAt(p.file, p.region())
}

// region returns the place in a SARIF log, nil for the whole file.
func (p *positionedMessage) region() *sarif.Region {
	if p.line == 0 {
		return nil
	}
	return sarifLine(p.line, p.column)
}

// properties returns the properties of a workflow command.
func (p *positionedMessage) properties(title string) string {
	archive, object := objectName(p.file)
	at := "file=" + property(archive)
	if p.line > 0 && object == "" {
		at += fmt.Sprintf(",line=%d,col=%d", p.line, max(p.column, 1))
	}
	return at + ",title=" + property(title)
}

// runGitHub is workflow commands of GitHub Actions for scripts that do not pass.
type runGitHub struct{ w io.Writer }

func (r *runGitHub) Record(x record) {
	kind := "error"
	switch x.Status {
	case "pass", statusNotRun:
		return
	case "unsupported":
		kind = "notice"
	}
	p := splitPosition(&x)
	fmt.Fprintf(r.w, "::%s %s::%s\n", kind, p.properties(x.Status), data(p.text))
}

func (r *runGitHub) Close(t tally) error {
	_, err := fmt.Fprintf(r.w, "::notice::%s\n", data(t.String()))
	return err
}

// runSARIF is a SARIF log with a result for each script that does not pass.
type runSARIF struct{ log *sarifLog }

// runRules describe the statuses.
var runRules = map[string]string{
	"fail": "An expectation of the script does not hold", "error": "The script cannot be read or run", "timeout": "The script does not end",
	"internal": "Chiaro has a defect", "unsupported": "The script needs a feature that Chiaro does not have",
}

func (r *runSARIF) Record(x record) {
	if x.Status == statusNotRun || x.Status == "internal" {
		r.log.ok = false
	}
	addReports(r.log, x.File, x.found)
	words, ok := runRules[x.Status]
	if !ok || x.sanitized {
		return
	}
	level := "error"
	if x.Status == "unsupported" {
		level = "note"
	}
	p := splitPosition(&x)
	r.log.add(x.Status, words, words+".", level, orElse(string(plain.Block(p.text, "")), words), x.title()+"\t"+x.Status, sarifAt(p.file, sarifLine(p.line, p.column)))
}

func (r *runSARIF) Close(tally) error { return r.log.close() }

// runHTML is one page that needs nothing else: the tally and a row for each script.
type runHTML struct {
	w    io.Writer
	verb string
	rows []record
}

func (r *runHTML) Record(x record) {
	x.File, x.Message = plain.Line(x.title()), string(plain.Block(strings.TrimSpace(x.Message), ""))
	for i, l := range x.Log {
		x.Log[i] = string(plain.Block(l, ""))
	}
	r.rows = append(r.rows, x)
}

const runPage = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Verb}}: {{.Tally}}</title>
<style>
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em }
table { border-collapse: collapse } td, th { padding: .2em .8em; text-align: left; vertical-align: top; border-bottom: 1px solid #8884 }
pre { font: 13px/1.45 ui-monospace, monospace; margin: 0; white-space: pre-wrap }
.fail, .error, .timeout, .internal { color: #c22 } .unsupported { color: #a70 } .pass { color: #282 }
</style>
</head>
<body>
<h1>{{.Verb}}</h1>
<p>{{.Tally}} <small>chiaro {{.Version}}</small></p>
<table>
<tr><th>status<th>script<th>seconds<th>message
{{range .Rows}}<tr><td class="{{.Status}}">{{.Status}}<td>{{.File}}<td>{{printf "%.2f" .Seconds}}<td>{{if .Message}}<pre>{{.Message}}</pre>{{end}}{{range .Log}}<pre>log: {{.}}</pre>{{end}}{{range .Found}}<pre>{{.}}</pre>{{end}}
{{end}}</table>
</body>
</html>
`

func (r *runHTML) Close(t tally) error {
	page, err := template.New("page").Parse(runPage)
	if err != nil {
		return err
	}
	return page.Execute(r.w, map[string]any{"Verb": r.verb, "Tally": t.String(), "Version": version(), "Rows": r.rows})
}
