package source

import (
	"iter"
	"regexp"
	"strconv"
	"strings"
)

// Line is a line of a source as compilers count it: by the #line directives before it.
type Line struct {
	File   string // of the directive, else of the source; a directive may have a number instead of a name
	Number int
	Text   string // without white space at its end
}

var lineDirective = regexp.MustCompile(`^\s*#\s*(?:line\s+)?(\d+)(?:\s+(?:"([^"]*)"|(\d+)))?\s*(?://.*)?$`)

// Lines yields the lines of a source, except for directives, with their numbers in the
// file from 1.
func Lines(file, text string) iter.Seq2[int, Line] {
	return func(yield func(int, Line) bool) {
		at := Line{File: file, Number: 1}
		n := 0
		for line := range strings.Lines(text) {
			n++
			at.Text = strings.TrimRight(line, " \t\r\n")
			if m := lineDirective.FindStringSubmatch(at.Text); m != nil {
				if number, err := strconv.Atoi(m[1]); err == nil {
					at.Number = number
					if m[2] != "" {
						at.File = m[2]
					} else if m[3] != "" && m[3] != "0" {
						at.File = m[3]
					} else if m[3] == "0" {
						at.File = file
					}
					continue
				}
			}
			if !yield(n, at) {
				return
			}
			at.Number++
		}
	}
}

// place is a position of a compiler: the file as it names it, and a line.
type place struct {
	file string
	line int
}

// ownLines returns the numbers in the file of the lines of a source that has #line
// directives, by their positions for compilers; the first line with a position counts.
func ownLines(file, text string) map[place]int {
	index := map[place]int{}
	moved := false
	for n, l := range Lines(file, text) {
		at := place{l.File, l.Number}
		if _, ok := index[at]; !ok {
			index[at] = n
		}
		moved = moved || n != l.Number || l.File != file
	}
	if !moved {
		return nil
	}
	return index
}
