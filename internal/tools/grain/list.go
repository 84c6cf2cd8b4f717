package main

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// fileList is the list of files of a package comment.
type fileList struct {
	names        []string // in order; may contain patterns such as memory*.go
	calleesFirst bool
	callersFirst bool
}

// listed matches the name of a file or a pattern of names.
var listed = regexp.MustCompile(`[a-z0-9_*]+\.go\b`)

// parseList returns the list below the heading "# Files" of a package comment, and
// whether there is one. The list ends at the next heading.
func parseList(comment string) (l fileList, ok bool) {
	_, text, ok := strings.Cut(comment, "# Files\n")
	text, _, _ = strings.Cut(text, "\n# ")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, " ") {
			l.names = append(l.names, listed.FindAllString(line, -1)...)
			continue
		}
		l.calleesFirst = l.calleesFirst || strings.Contains(line, "Callees come first")
		l.callersFirst = l.callersFirst || strings.Contains(line, "Callers come first")
	}
	return l, ok
}

// rank returns the position of a file in the list, or -1. The whole name has
// precedence over patterns.
func (l fileList) rank(file string) int {
	pattern := -1
	for i, name := range l.names {
		if name == file {
			return i
		}
		if matches, _ := path.Match(name, file); matches && pattern < 0 {
			pattern = i
		}
	}
	return pattern
}

// check compares the list with the files of the package: each file must be in the
// list, except doc.go and generated files, and each name must match a file.
func (l fileList) check(files []string) error {
	var faults []error
	for _, f := range files {
		if l.rank(f) < 0 && f != "doc.go" && !strings.HasSuffix(f, "_gen.go") {
			faults = append(faults, fmt.Errorf("the list has no %s", f))
		}
	}
	for _, name := range l.names {
		found := false
		for _, f := range files {
			matches, err := path.Match(name, f)
			if err != nil {
				faults = append(faults, err)
			}
			found = found || matches
		}
		if !found {
			faults = append(faults, fmt.Errorf("the list has %s, which does not exist", name))
		}
	}
	return errors.Join(faults...)
}
