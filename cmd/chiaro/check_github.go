package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// checkGitHub is workflow commands of GitHub Actions, which show each finding
// at its line.
type checkGitHub struct{ w *bufio.Writer }

func (r *checkGitHub) Record(x *checked) {
	if x.verdict == verdictNotRun {
		return // the tally counts them
	}
	if x.verdict == verdictUnreadable || x.verdict == verdictInternal {
		for _, p := range splitPositions(x) {
			fmt.Fprintf(r.w, "::%s %s::%s\n", p.level(), p.properties(verdictUnreadable), data(p.text))
		}
		r.w.Flush()
		return
	}
	v := newViewer(x)
	for i := range x.findings {
		f := &x.findings[i]
		kind := "warning"
		if f.Severity == diag.Error {
			kind = "error"
		}
		message := plain.Line(f.Message)
		if t := v.place(f.Pos); t != "" {
			message += "\n" + t
		}
		message += f.more()
		file, line, column := x.file, 0, 0
		if v.sited(&f.Finding) {
			file, line, column = v.where(x, &f.Finding)
		}
		archive, object := objectName(file)
		if object != "" {
			message += "\nin " + object
		} else if line > 0 {
			fmt.Fprintf(r.w, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", kind, property(file), line, column, property(f.Code), data(message))
			continue
		}
		fmt.Fprintf(r.w, "::%s file=%s,title=%s::%s\n", kind, property(archive), property(f.Code), data(message))
	}
	r.w.Flush()
}

func (r *checkGitHub) Close(t checkTally) error {
	fmt.Fprintf(r.w, "::notice::%s\n", data(t.String()))
	return r.w.Flush()
}

// data escapes the message of a command, which may have several lines.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\n", "%0A").Replace(string(plain.Block(s, "")))
}

// property escapes the value of a property.
func property(s string) string {
	return strings.NewReplacer("%", "%25", ":", "%3A", ",", "%2C").Replace(plain.Line(s))
}
