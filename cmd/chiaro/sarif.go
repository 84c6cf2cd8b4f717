package main

import (
	"bytes"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// sarifLog is a SARIF 2.1.0 log, the input format of code scanning services, with one run of chiaro. It lists only
// rules that have a result.
type sarifLog struct {
	w   io.Writer
	run *sarif.Run
	ok  bool // whether every file was examined
}

func newSARIFLog(w io.Writer) *sarifLog {
	run := sarif.NewRunWithInformationURI("chiaro", "https://github.com/chiaro-gpu/chiaro")
	run.Tool.Driver.WithVersion(version())
	return &sarifLog{w, run.WithColumnKind("unicodeCodePoints"), true}
}

// add adds a result of a rule. words is one sentence on the rule, help the text that a service shows for it.
// fingerprint identifies the result in later runs; "" for none.
func (l *sarifLog) add(rule, words, help, level, message, fingerprint string, at *sarif.Location) *sarif.Result {
	if r := l.run.AddRule(rule); r.Help == nil { // the rule is new
		r.WithDescription(words).WithHelp(sarif.NewMultiformatMessageString().WithText(help))
	}
	result := l.run.CreateResultForRule(rule).WithLevel(level).WithMessage(sarif.NewTextMessage(message)).AddLocation(at)
	if fingerprint != "" {
		result.WithPartialFingerprints(map[string]string{"chiaro/v1": plain.Line(fingerprint)})
	}
	return result
}

// close writes the log.
func (l *sarifLog) close() error {
	l.run.AddInvocation(sarif.NewInvocation().WithExecutionSuccessful(l.ok))
	var b bytes.Buffer
	if err := sarif.NewReport().AddRun(l.run).PrettyWrite(&b); err != nil {
		return err
	}
	_, err := l.w.Write(append(plain.JSON(b.Bytes()), '\n'))
	return err
}

// sarifAt returns a location in a file; a nil region is the whole file.
func sarifAt(file string, region *sarif.Region) *sarif.Location {
	p := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(sarifURI(file)))
	if region != nil {
		p.WithRegion(region)
	}
	return sarif.NewLocationWithPhysicalLocation(p)
}

// sarifLine returns the region from a column, which is at least 1, of a line, which also is at least 1.
func sarifLine(line, column int) *sarif.Region {
	return sarif.NewRegion().WithStartLine(max(line, 1)).WithStartColumn(max(column, 1))
}

// sarifURI returns the URI reference of a file. A relative name stays relative.
func sarifURI(file string) string {
	path := filepath.ToSlash(file)
	u := url.URL{Path: path}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
		if !strings.HasPrefix(path, "/") {
			u.Path = "/" + path
		}
	}
	return u.String() // net/url writes ./a:b for a:b, whose beginning would be a scheme
}
