package amber

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/source"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// maxTextName bounds the bytes of a name from Shader.textName without its ending.
const maxTextName = 64

// textName returns the file name under which a compiler reads the text of a shader, such as blur.frag. Debug
// information and errors of the compiler contain it. A name with other characters than letters, digits, _ and - gets
// the line of the shader, so that it stays unique.
func (s *Shader) textName(stage Stage) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s.Name)
	if name != s.Name || len(name) > maxTextName || strings.HasPrefix(name, "-") {
		name = fmt.Sprintf("shader_%s_%d", name[:min(len(name), maxTextName)], s.Line)
	}
	return name + "." + stage.Extension()
}

// scriptLine returns the line of the script for a position in the text of a shader for a compiler; 0 if the position
// is elsewhere. A #line directive moves the positions of the lines after it. Modules that were compiled before have
// the names of compilers for the standard input.
func (s *Shader) scriptLine(stage Stage, file string, line int) int {
	if s.Format != GLSL && s.Format != HLSL {
		return 0
	}
	if f := s.files[path.Clean(file)]; f != nil && file != s.textName(stage) {
		return f.scriptLine(line)
	}
	if s.Line <= 0 {
		return 0
	}
	if file != "" && file != "<stdin>" && file != "stdin" && file != s.textName(stage) {
		return 0
	}
	s.indexed.Do(func() {
		s.lines = map[int]int{}
		for n, l := range source.Lines("", s.Source) {
			if _, ok := s.lines[l.Number]; l.File == "" && !ok {
				s.lines[l.Number] = s.Line + n - 1
			}
		}
	})
	return s.lines[line]
}

// scriptLine returns the line of the script for a line of the file; 0 if the file has no such line, or is a file of its
// own.
func (f *VirtualFile) scriptLine(line int) int {
	if line <= 0 || f.Line == 0 || line > strings.Count(f.Text, "\n")+1 {
		return 0
	}
	return f.Line + line - 1
}

// located returns a report of an undefined result with its position in the script, if a shader of the script contains
// its position at the beginning: file:line: text. A name of the standard input is ambiguous in a script with several
// shaders that have the line; such a report does not change.
func (s *Script) located(text string) string {
	file, rest, _ := strings.Cut(text, ":")
	number, rest, ok := strings.Cut(rest, ":")
	line, err := strconv.Atoi(number)
	if !ok || err != nil {
		return text
	}
	found := s.LineOf(file, line)
	if found == 0 {
		return text
	}
	return fmt.Sprintf("%s:%d:%s", s.File, found, rest)
}

// LineOf returns the line of the script for a line of a source as a module names it; 0 if no shader of the script has the
// line, or several have it at different lines of the script. Shaders share the lines of a file that they include.
func (s *Script) LineOf(file string, line int) (found int) {
	for _, x := range s.Shaders {
		n := x.scriptLine(x.Stage, file, line)
		if n > 0 && found > 0 && n != found {
			return 0
		}
		found = max(found, n)
	}
	return found
}

// ScriptLine returns the line of the script for an instruction of the stage's module, counted from 1: the line of
// its source position at, whose file is empty if the module has none, else its line in the text of a shader in
// assembly. It is 0 if the script does not contain the line.
func (s *DescribedStage) ScriptLine(at facts.Position, instruction int) int {
	x := s.source
	if x == nil {
		return 0
	}
	if at.Line > 0 {
		return x.scriptLine(s.stage, at.File, int(at.Line))
	}
	if x.Format != SPIRVAssembly || x.Line <= 0 {
		return 0
	}
	if !s.assembled {
		s.assembled = true
		version, _ := asm.Target(s.target)
		words, err := asm.Assemble([]byte(x.Source), asm.AssembleOptions{Version: version, Starts: &s.starts})
		if err != nil || !bytes.Equal(asm.Bytes(words), s.Code) { // the module comes from elsewhere
			s.starts = nil
		}
	}
	if i := instruction - 1; i >= 0 && i < len(s.starts) {
		return x.Line + strings.Count(x.Source[:s.starts[i]], "\n")
	}
	return 0
}

// compilerForm is the beginning of a line of package source that has a position.
var compilerForm = regexp.MustCompile(`^(.+?):(\d+):(\d+): `)

// placed returns the messages of package source with positions in the script, or in the file of the shader, and the
// line of the first position in the script; 0 if there is none.
func (r *runner) placed(s *Shader, stage Stage, said string) (text string, first int) {
	lines := strings.Split(said, "\n")
	for i, l := range lines {
		m := compilerForm.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		line, _ := strconv.Atoi(m[2]) // a number too large is no line
		file := filepath.ToSlash(filepath.Clean(m[1]))
		switch own := path.Base(file) == s.textName(stage); {
		case own && s.Path != "":
			lines[i] = fmt.Sprintf("%s:%d:%s: %s", s.Path, line, m[3], l[len(m[0]):])
			continue
		case own && s.Line > 0: // package source has followed #line
			line += s.Line - 1
		case own || r.script.Files[file] == nil:
			continue
		default:
			line = r.script.Files[file].scriptLine(line)
		}
		if line <= 0 {
			continue
		}
		lines[i] = fmt.Sprintf("%s:%d:%s: %s", r.script.File, line, m[3], l[len(m[0]):])
		if first == 0 {
			first = line
		}
	}
	return strings.Join(lines, "\n"), first
}
