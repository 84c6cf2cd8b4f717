package main

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// namedLine is a line as a module names it: compilers count lines as #line says, and a file may begin with lines that
// the compiler has added, such as "// OpModuleProcessed …" of glslang before "#line 1".
type namedLine struct {
	file string
	line int
}

var lineDirective = regexp.MustCompile(`^\s*#\s*(?:line\s+)?(\d+)(?:\s+(?:"([^"]*)"|(\d+)))?\s*(?://.*)?$`)

// indexLines adds the lines of a source with the name file to an index. The first line with a place counts.
func indexLines(index map[namedLine]string, file, text string) {
	if strings.HasPrefix(text, "// OpModuleProcessed ") {
		if _, rest, ok := strings.Cut(text, "\n#line 1\n"); ok {
			text = rest // without the lines that glslang has added
		}
	}
	at := namedLine{file, 1}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if m := lineDirective.FindStringSubmatch(line); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				at.line = n
				if m[2] != "" {
					at.file = m[2]
				} else if m[3] != "" && m[3] != "0" {
					at.file = m[3]
				} else if m[3] == "0" {
					at.file = file
				}
				continue
			}
		}
		if _, ok := index[at]; !ok {
			index[at] = line
		}
		at.line++
	}
}

// sourceIndex returns the lines of the sources in a module by their places: the sources of OpSource and source, the
// source of an instruction.
func sourceIndex(m *facts.Module, source spirv.ID, name string) map[namedLine]string {
	index := map[namedLine]string{}
	indexLines(index, name, m.SourceText(source))
	if len(index) > 0 {
		return index
	}
	done := map[spirv.ID]bool{} // a name that a #line has is no source of its own
	for _, in := range m.Code.All() {
		if in.Op() != spirv.OpSource {
			continue
		}
		if file, ok := inst.Source(in).File(); ok && !done[file] && len(done) < maxSources {
			done[file] = true
			own, _ := m.String(file)
			indexLines(index, own, m.SourceText(file))
		}
	}
	return index
}

// maxSources bounds the sources that a line is sought in: each is sought in the whole module.
const maxSources = 16
