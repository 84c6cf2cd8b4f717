package main

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/source"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// namedLine is a line as a module names it: compilers count lines as #line says, and a file may begin with lines that
// the compiler has added, such as "// OpModuleProcessed …" of glslang before "#line 1".
type namedLine struct {
	file string
	line int
}

// indexLines adds the lines of a source with the name file to an index. The first line with a place counts.
func indexLines(index map[namedLine]string, file, text string) {
	if strings.HasPrefix(text, "// OpModuleProcessed ") {
		if _, rest, ok := strings.Cut(text, "\n#line 1\n"); ok {
			text = rest // without the lines that glslang has added
		}
	}
	for _, l := range source.Lines(file, text) {
		at := namedLine{l.File, l.Number}
		if _, ok := index[at]; !ok {
			index[at] = l.Text
		}
	}
}

// sourceIndex returns the lines of the sources in a module by their places: the sources of OpSource and id, the source
// of an instruction.
func sourceIndex(m *facts.Module, id spirv.ID, name string) map[namedLine]string {
	index := map[namedLine]string{}
	indexLines(index, name, m.SourceText(id))
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
