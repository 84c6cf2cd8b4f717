package amber

import (
	"bytes"
	"fmt"
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
	if s.Line <= 0 || s.Format != GLSL && s.Format != HLSL {
		return 0
	}
	if file != "" && file != "<stdin>" && file != "stdin" && file != s.textName(stage) {
		return 0
	}
	for n, l := range source.Lines("", s.Source) {
		if l.File == "" && l.Number == line {
			return s.Line + n - 1
		}
	}
	return 0
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
// line, or several have it.
func (s *Script) LineOf(file string, line int) (found int) {
	for _, x := range s.Shaders {
		n := x.scriptLine(x.Stage, file, line)
		if n > 0 && found > 0 {
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

// compilerForm is the beginning of a line of a compiler that has a position, of glslc or glslangValidator.
var compilerForm = regexp.MustCompile(`^(?:(ERROR|WARNING): )?([^:\n]+):(\d+): `)

// placed returns the output of a compiler with positions in the script, file:line:1: text, and the line of the first
// position; 0 if there is none.
func (r *runner) placed(s *Shader, stage Stage, said string) (text string, first int) {
	lines := strings.Split(said, "\n")
	for i, l := range lines {
		m := compilerForm.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		number, _ := strconv.Atoi(m[3]) // a number too large is no line
		n := s.scriptLine(stage, m[2], number)
		if n == 0 {
			continue
		}
		if l = l[len(m[0]):]; m[1] != "" {
			l = strings.ToLower(m[1]) + ": " + l
		}
		lines[i] = fmt.Sprintf("%s:%d:1: %s", r.script.File, n, l)
		if first == 0 {
			first = n
		}
	}
	return strings.Join(lines, "\n"), first
}
