package source

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// The forms of errors: of glslc, dxc and tint; of glslangValidator; of slangc; and of naga in two lines.
var (
	plainForm    = regexp.MustCompile(`^(.+?):(\d+):(?:(\d+):?)? *(?:fatal )?(error|warning): (.*)$`)
	tintForm     = regexp.MustCompile(`^(.+?):(\d+):(\d+) (error|warning): (.*)$`)
	glslangForm  = regexp.MustCompile(`^(ERROR|WARNING): (.+?):(\d+): (.*)$`)
	slangForm    = regexp.MustCompile(`^(.+?)\((\d+)\): (error|warning) (.*)$`)
	nagaError    = regexp.MustCompile(`^(error|warning): (.*)$`)
	nagaPosition = regexp.MustCompile(`^\s*┌─ (.+?):(\d+):(\d+)`)
	maxMessage   = 50 // lines
)

// positions turns the positions of a compiler into positions in files.
type positions struct {
	folder string        // of the compiler; "" for the working directory
	file   string        // the source, from folder
	own    map[place]int // see ownLines
}

// of returns the file and the line that a compiler means: of the source itself, or of a
// file that it includes. A line that a #line directive moves to a file that does not exist
// is where it is in the source.
func (p *positions) of(path, line string) (string, string) {
	at := path
	_, err := strconv.ParseUint(path, 10, 64)
	switch {
	case strings.HasSuffix(path, filepath.Base(p.file)), path == "0":
		at = p.file
	case err == nil: // the number of a string
	default:
		for _, f := range []string{filepath.Clean(path), filepath.Join(filepath.Dir(p.file), path)} {
			full := f
			if !filepath.IsAbs(f) {
				full = filepath.Join(p.folder, f)
			}
			if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() {
				return f, line
			}
		}
	}
	if n, err := strconv.Atoi(line); err == nil {
		if own, ok := p.own[place{at, n}]; ok {
			line = strconv.Itoa(own)
		}
	}
	if strings.HasSuffix(path, filepath.Base(p.file)) {
		return path, line
	}
	return p.file, line // also for a folder of the compiler
}

// messages returns the output of a compiler as lines that problem matchers read. Lines of another form are dropped
// if any has a known one.
func (j *job) messages(program, said string) string {
	var out, other []string
	at := positions{j.folder, j.file, ownLines(j.file, j.text)}
	pending := "" // a message of naga, whose place follows
	add := func(path, line, column, severity, text string) {
		if column == "" || column == "0" {
			column = "1"
		}
		path, line = at.of(path, line)
		out = append(out, fmt.Sprintf("%s:%s:%s: %s: %s", path, line, column, strings.ToLower(severity), strings.TrimSpace(text)))
	}
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case tintForm.MatchString(line):
			m := tintForm.FindStringSubmatch(line)
			add(m[1], m[2], m[3], m[4], m[5])
		case plainForm.MatchString(line):
			m := plainForm.FindStringSubmatch(line)
			add(m[1], m[2], m[3], m[4], m[5])
		case glslangForm.MatchString(line):
			m := glslangForm.FindStringSubmatch(line)
			if !strings.Contains(m[4], "compilation terminated") {
				add(m[2], m[3], "", m[1], m[4])
			}
		case slangForm.MatchString(line):
			m := slangForm.FindStringSubmatch(line)
			add(m[1], m[2], "", m[3], m[4])
		case nagaError.MatchString(line):
			pending = line
			other = append(other, line)
		case pending != "" && nagaPosition.MatchString(line):
			m, text := nagaPosition.FindStringSubmatch(line), nagaError.FindStringSubmatch(pending)
			add(m[1], m[2], m[3], text[1], text[2])
			pending = ""
		case strings.TrimSpace(line) != "":
			other = append(other, line)
		}
	}
	if len(out) == 0 {
		if len(other) == 0 {
			other = []string{"no message"}
		}
		out = []string{fmt.Sprintf("%s: error: %s fails: %s", j.file, program, strings.Join(other[:min(len(other), maxMessage)], "\n"))}
	}
	return strings.Join(out[:min(len(out), maxMessage)], "\n")
}
