package amber

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/source"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// module returns the SPIR-V of a shader in a pipeline, as bytes: the one in Options.Modules or the precompiled module if
// there is one, otherwise the compiled source.
func (r *runner) module(ctx context.Context, p *Pipeline, a *Attachment) ([]byte, error) {
	if given := r.options.Modules; given != nil {
		if code := given[r.moduleKey(p, a)]; code != nil {
			return code, nil
		}
		if a.Shader.Format.compiled() {
			return nil, r.shaderError(a.Shader, ErrNoModule)
		}
	}
	ready, err := r.readyModule(p, a)
	if err != nil || ready != nil {
		return ready, err
	}
	for _, o := range a.Optimize {
		if strings.Contains(o, "robust") { // this option changes the behaviour of the shader
			return nil, r.unsupported(p.At, "shader optimization "+o)
		}
	}
	s := a.Shader
	switch s.Format {
	case SPIRVAssembly:
		return r.assemble(s)
	case SPIRVHex:
		return r.hex(s)
	case SPIRVBinary:
		return []byte(s.Source), nil
	case GLSL, HLSL:
		return r.compile(ctx, s, a.Stage, r.entryPoint(p, a))
	}
	return nil, r.unsupported(s.At, "shaders in "+s.Format.String()+" without ready SPIR-V")
}

// readyModule reads the module from Options.SpirvDir, or returns nil if it is absent.
func (r *runner) readyModule(p *Pipeline, a *Attachment) ([]byte, error) {
	o := r.options
	if o.SpirvDir == "" {
		return nil, nil
	}
	script := r.script.File
	if o.ScriptRoot != "" {
		rel, err := below(o.ScriptRoot, script)
		if err != nil {
			return nil, err
		}
		script = rel
	}
	name := p.Name + "." + a.Shader.Name + "." + a.Stage.Extension() + ".spv"
	data, err := readFile(filepath.Join(o.SpirvDir, script, name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// below returns the path of a file from a folder on; either may be relative to
// the working directory.
func below(folder, file string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if file, err = filepath.Abs(file); err != nil {
		return "", err
	}
	return filepath.Rel(folder, file)
}

// targetEnv returns the environment that a shader is made for.
func (r *runner) targetEnv(s *Shader) string {
	switch {
	case s.TargetEnv != "":
		return s.TargetEnv
	case r.options.TargetEnv != "":
		return r.options.TargetEnv
	}
	return "vulkan1.0"
}

// assemble makes a module from SPIR-V assembly. Faults get their line in the
// script.
func (r *runner) assemble(s *Shader) ([]byte, error) {
	env := r.targetEnv(s)
	version, ok := asm.Target(env)
	if !ok {
		return nil, r.fault(CodeShader, s.At, "target environment %q of shader %s is not known", env, s.Name)
	}
	var starts []int
	words, err := asm.Assemble([]byte(s.Source), asm.AssembleOptions{Version: version, Starts: &starts})
	var f *diag.Finding
	if errors.As(err, &f) {
		g := *f
		if s.Line > 0 {
			g.Pos.Line += s.Line - 1
		}
		g.Message = "shader " + s.Name + ": " + g.Message
		return nil, &Fault{r.script.File, &g}
	}
	if err != nil {
		return nil, err
	}
	if s.Line > 0 {
		r.assembled = append(r.assembled, assembledText{s, starts})
	}
	return asm.Bytes(words), nil
}

// hex reads a module in hexadecimal: bytes if the first number has at most two digits,
// otherwise words of 32 bits; each may have the prefix 0x.
func (r *runner) hex(s *Shader) ([]byte, error) {
	lex := newLexer(s.Source, max(s.Line, 1), ",")
	var data []byte
	inBytes := false
	for w := lex.next(); !w.eof; w = lex.next() {
		if w.eol {
			continue
		}
		digits := w.text
		if d, ok := cutHex(digits); ok {
			digits = d
		}
		if data == nil {
			inBytes = len(digits) <= 2
		}
		n, ok := parseNumber("0x" + digits)
		switch {
		case !ok || n.Bits>>32 != 0 || inBytes && n.Bits>>8 != 0:
			return nil, r.fault(CodeNumber, w.pos, "%s; must be a number in hexadecimal, of 8 bits or of 32 as the first", w)
		case inBytes:
			data = append(data, byte(n.Bits))
		default:
			data = binary.LittleEndian.AppendUint32(data, uint32(n.Bits))
		}
	}
	return data, nil
}

// compile has a compiler on the PATH make a module of a source in GLSL or HLSL. Faults get their line in the script.
func (r *runner) compile(ctx context.Context, s *Shader, stage Stage, entry string) ([]byte, error) {
	env := r.targetEnv(s)
	if _, ok := asm.Target(env); !ok {
		return nil, r.fault(CodeShader, s.At, "target environment %q of shader %s is not known", env, s.Name)
	}
	t := source.Text{
		Language: source.Language(s.Format.String()), Stage: stage.Extension(), Name: s.textName(stage), Code: s.Source, Entry: entry,
		Files: map[string]string{},
	}
	for name, f := range r.script.Files {
		t.Files[name] = f.Text
	}
	if strings.Contains(s.Source, "include") {
		t.Search = s.folders()
	}
	if _, ok := r.script.OutsideInclude(s); ok { // other files are relative to the working directory
		if here, err := os.Getwd(); err == nil {
			t.Search = append(t.Search, here)
		}
	}
	o := r.options.Compiler
	o.Target = env
	code, err := source.CompileText(ctx, &t, o)
	var missing *source.MissingError
	var failed *source.Error
	switch {
	case errors.As(err, &missing):
		return nil, r.fault(CodeShader, s.At, "shader %s is %v", s.Name, missing)
	case errors.As(err, &failed):
		text, line := r.placed(s, stage, failed.Message)
		at := s.At
		if line > 0 {
			at = diag.Pos{Line: line, Column: 1}
			text = strings.Replace(text, fmt.Sprintf("%s:%s: ", r.script.File, at), "", 1) // the fault has it
		}
		return nil, r.fault(CodeShader, at, "shader %s does not compile: %s", s.Name, text)
	}
	return code, err
}
