package amber

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// module returns the SPIR-V of a shader in a pipeline, as bytes: the precompiled module if
// there is one, otherwise the compiled source.
func (r *runner) module(ctx context.Context, p *Pipeline, a *Attachment) ([]byte, error) {
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
	case GLSL:
		return r.compileGLSL(ctx, s, a.Stage)
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
	words, err := asm.Assemble([]byte(s.Source), asm.AssembleOptions{Version: version})
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

// glslTargets are the compiler arguments for each SPIR-V environment; the compilers name it
// by a version of Vulkan.
var glslTargets = map[string][]string{
	"spv1.0": {"vulkan1.0", "spv1.0"}, "spv1.1": {"vulkan1.1", "spv1.1"}, "spv1.2": {"vulkan1.1", "spv1.2"},
	"spv1.3": {"vulkan1.1", "spv1.3"}, "spv1.4": {"vulkan1.1", "spv1.4"}, "spv1.5": {"vulkan1.2", "spv1.5"},
	"spv1.6": {"vulkan1.3", "spv1.6"}, "vulkan1.1spv1.4": {"vulkan1.1", "spv1.4"},
}

// compileGLSL has a compiler on the PATH make a module.
func (r *runner) compileGLSL(ctx context.Context, s *Shader, stage Stage) ([]byte, error) {
	target := glslTargets[r.targetEnv(s)]
	if target == nil {
		target = []string{r.targetEnv(s)}
	}
	dir, err := os.MkdirTemp("", "chiaro-glsl-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := s.textName(stage)
	if err := os.WriteFile(filepath.Join(dir, name), []byte(s.Source), 0o600); err != nil {
		return nil, err
	}
	const out = "out.spv"
	tail := []string{"-o", out, name}
	if strings.Contains(s.Source, "include") { // files that a shader includes are relative to the working directory
		if here, err := os.Getwd(); err == nil {
			tail = append([]string{"-I" + here}, tail...)
		}
	}
	var cmd *exec.Cmd
	if path, err := exec.LookPath("glslc"); err == nil {
		args := []string{"-g", "-fshader-stage=" + stage.Extension(), "--target-env=" + target[0]}
		if len(target) > 1 {
			args = append(args, "--target-spv="+target[1])
		}
		cmd = exec.CommandContext(ctx, path, append(args, tail...)...)
	} else if path, err := exec.LookPath("glslangValidator"); err == nil {
		args := []string{"-g", "-S", stage.Extension(), "--target-env", target[len(target)-1]}
		if len(target) == 1 {
			args = append(args, "-V")
		}
		cmd = exec.CommandContext(ctx, path, append(args, tail...)...)
	} else {
		return nil, r.fault(CodeShader, s.At, "shader %s is GLSL and there is no glslc and no glslangValidator on the PATH; "+
			"the Debian packages glslc and glslang-tools bring one each", s.Name)
	}
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		text, line := r.placed(s, stage, head(string(said), err))
		at := s.At
		if line > 0 {
			at = diag.Pos{Line: line, Column: 1}
			text = strings.Replace(text, fmt.Sprintf("%s:%s: ", r.script.File, at), "", 1) // the fault has it
		}
		return nil, r.fault(CodeShader, at, "shader %s does not compile: %s", s.Name, text)
	}
	return readFile(filepath.Join(dir, out))
}

// head returns the first lines of the output of a compiler, or the error if the output is
// empty.
func head(said string, err error) string {
	const most = 20
	lines := strings.SplitN(strings.TrimSpace(said), "\n", most+1)
	switch {
	case lines[0] == "":
		return fmt.Sprint(err)
	case len(lines) > most:
		lines[most] = "…"
	}
	return strings.Join(lines, "\n")
}
