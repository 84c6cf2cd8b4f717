// Package source compiles shader sources to SPIR-V with the compiler that it finds on the PATH. It refuses to know
// any shading language: the end of a file's name determines the language and the stage.
package source

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/jit/store"
)

// Language is a shading language.
type Language string

// The languages.
const (
	GLSL  Language = "GLSL"
	HLSL  Language = "HLSL"
	WGSL  Language = "WGSL"
	Slang Language = "Slang"
)

// Stages are the names of stages in file names, as glslc has them.
var Stages = []string{"vert", "tesc", "tese", "geom", "frag", "comp", "task", "mesh", "rgen", "rint", "rahit", "rchit", "rmiss", "rcall"}

// Endings returns the ends of the names of files that are complete shaders.
func Endings() []string {
	out := []string{".wgsl", ".slang"}
	for _, s := range Stages {
		out = append(out, "."+s, "."+s+".glsl", "."+s+".hlsl")
	}
	return out
}

// Of returns the language of a file, and its stage or "" if the name has none; ok is false for a file that is no
// shader source.
func Of(file string) (l Language, stage string, ok bool) {
	name := filepath.Base(file)
	ext := strings.TrimPrefix(filepath.Ext(name), ".")
	if before := strings.TrimPrefix(filepath.Ext(strings.TrimSuffix(name, "."+ext)), "."); slices.Contains(Stages, before) {
		stage = before
	}
	switch {
	case slices.Contains(Stages, ext):
		return GLSL, ext, true
	case ext == "glsl":
		return GLSL, stage, true
	case ext == "hlsl":
		return HLSL, stage, true
	case ext == "wgsl":
		return WGSL, "", true
	case ext == "slang":
		return Slang, "", true
	}
	return "", "", false
}

// Options configure Compile.
type Options struct {
	Target string     // an environment such as vulkan1.3; "" for vulkan1.3
	Cache  *store.Dir // nil for none
	// Outside permits #include of files outside the folder of the source and, if the source is below the working
	// directory, outside that directory.
	Outside bool
}

// Error is a source that does not compile. Message has a line for each error of the compiler:
// file:line:column: error: text.
type Error struct{ Message string }

// Error returns Message.
func (e *Error) Error() string { return e.Message }

// compiler is one program that compiles a language.
type compiler struct {
	program string
	pack    string // the package that has it
	args    func(in, out, stage, target string) []string
}

// stageless are compilers that make one module of all entry points.
func stageless(args ...string) func(in, out, stage, target string) []string {
	return func(in, out, _, _ string) []string {
		full := slices.Clone(args)
		for i := range full {
			full[i] = strings.NewReplacer("IN", in, "OUT", out).Replace(full[i])
		}
		return full
	}
}

// compilers has the compilers of each language, the preferred one first.
var compilers = map[Language][]compiler{
	GLSL: {
		{"glslc", "glslc", func(in, out, stage, target string) []string {
			return []string{"-g", "-fshader-stage=" + stage, "--target-env=" + target, "-o", out, in}
		}},
		{"glslangValidator", "glslang-tools", func(in, out, stage, target string) []string {
			return []string{"-g", "-V", "-S", stage, "--target-env", target, "-o", out, in}
		}},
	},
	HLSL: {
		{"dxc", "directx-shader-compiler (https://github.com/microsoft/DirectXShaderCompiler)", func(in, out, stage, target string) []string {
			return []string{"-spirv", "-Zi", "-fspv-target-env=" + target, "-T", profiles[stage], "-E", "main", "-Fo", out, in}
		}},
		{"glslc", "glslc", func(in, out, stage, target string) []string {
			return []string{"-g", "-x", "hlsl", "-fshader-stage=" + stage, "--target-env=" + target, "-o", out, in}
		}},
		{"glslangValidator", "glslang-tools", func(in, out, stage, target string) []string {
			return []string{"-g", "-D", "-V", "-e", "main", "-S", stage, "--target-env", target, "-o", out, in}
		}},
	},
	WGSL: {
		{"naga", "naga-cli (cargo install naga-cli)", stageless("-g", "IN", "OUT")},
		{"tint", "tint (https://dawn.googlesource.com/dawn)", stageless("--format", "spirv", "-o", "OUT", "IN")},
	},
	Slang: {{"slangc", "slang (https://github.com/shader-slang/slang)", stageless("-g", "-target", "spirv", "-o", "OUT", "IN")}},
}

// profiles are the shader models of dxc.
var profiles = map[string]string{"vert": "vs_6_6", "tesc": "hs_6_6", "tese": "ds_6_6", "geom": "gs_6_6", "frag": "ps_6_6", "comp": "cs_6_6",
	"task": "as_6_6", "mesh": "ms_6_6", "rgen": "lib_6_6", "rint": "lib_6_6", "rahit": "lib_6_6", "rchit": "lib_6_6", "rmiss": "lib_6_6", "rcall": "lib_6_6"}

// imports finds sources that other files are a part of; they are not cached.
var imports = regexp.MustCompile(`(?m)\b(include|import|__include|implementing)\b`)

// maxModule bounds the bytes of a compiled module.
const maxModule = 256 << 20

// Compile compiles the contents of a file, whose name determines the language. Files that the source includes are
// sought beside it. The error is an *Error if the source does not compile.
func Compile(ctx context.Context, file string, text []byte, o Options) ([]byte, error) {
	l, stage, ok := Of(file)
	if !ok {
		return nil, fmt.Errorf("%s: is no shader source by its name", file)
	}
	if stage == "" && (l == GLSL || l == HLSL) {
		ext := filepath.Ext(file)
		return nil, fmt.Errorf("%s: error: a source in %s needs its stage in the name, such as %s", file, l, strings.TrimSuffix(filepath.Base(file), ext)+".frag"+ext)
	}
	if !o.Outside {
		if line, err := includesInside(file, text); err != nil {
			return nil, fmt.Errorf("%s:%d:1: error: %w; --allow-outside permits other folders", file, line, err)
		}
	}
	target := o.Target
	if !strings.HasPrefix(target, "vulkan1.") || target == "vulkan1.4" || strings.Contains(target, "spv") {
		target = "vulkan1.3" // the newest that all compilers know; it has the same SPIR-V as 1.4
	}
	for _, c := range compilers[l] {
		path, err := exec.LookPath(c.program)
		if err != nil {
			continue
		}
		args := c.args(file, "", stage, target)
		key, cached := cacheKey(path, args, text)
		cached = cached && o.Cache != nil
		if cached {
			if code, ok := o.Cache.Load(key); ok {
				return code, nil
			}
		}
		code, err := c.compile(ctx, path, file, string(text), stage, target)
		if err == nil && cached {
			_ = o.Cache.Save(key, code) // a full cache costs only time
		}
		return code, err
	}
	var names []string
	for _, c := range compilers[l] {
		names = append(names, c.program+" from the package "+c.pack)
	}
	return nil, fmt.Errorf("%s: error: the source is in %s, and the PATH has no compiler for it; install %s", file, l, strings.Join(names, ", or "))
}

// cacheKey is a hash of everything that a module depends on; ok is false if that is not known.
func cacheKey(path string, args []string, text []byte) (key store.Key, ok bool) {
	info, err := os.Stat(path)
	if err != nil || imports.Match(text) {
		return key, false
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %d %d %q\n", path, info.Size(), info.ModTime().UnixNano(), args)
	h.Write(text)
	return store.Key(h.Sum(nil)), true
}

// compile runs the compiler.
func (c *compiler) compile(ctx context.Context, path, file, text, stage, target string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "chiaro-source-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in := file
	if strings.HasPrefix(in, "-") {
		in = "." + string(filepath.Separator) + in // no flag
	}
	out := filepath.Join(dir, "out.spv")
	cmd := exec.CommandContext(ctx, path, c.args(in, out, stage, target)...)
	cmd.WaitDelay = time.Second // for a compiler with processes of its own that outlive it
	said, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return nil, &Error{messages(file, c.program, string(said), text)}
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(out)
	if err != nil || info.Size() > maxModule {
		return nil, &Error{messages(file, c.program, string(said)+"\nno module", text)}
	}
	return os.ReadFile(out)
}

// The forms of errors: of glslc, dxc and tint; of glslangValidator; of slangc; and of naga in two lines.
var (
	plainForm    = regexp.MustCompile(`^(.+?):(\d+):(?:(\d+):?)? *(?:fatal )?(error|warning): (.*)$`)
	tintForm     = regexp.MustCompile(`^(.+?):(\d+):(\d+) (error|warning): (.*)$`)
	glslang      = regexp.MustCompile(`^(ERROR|WARNING): (.+?):(\d+): (.*)$`)
	slangForm    = regexp.MustCompile(`^(.+?)\((\d+)\): (error|warning) (.*)$`)
	nagaError    = regexp.MustCompile(`^(error|warning): (.*)$`)
	nagaPosition = regexp.MustCompile(`^\s*┌─ (.+?):(\d+):(\d+)`)
	maxMessage   = 50 // lines
)

// positions turns the positions of a compiler into positions in files.
type positions struct {
	file string        // the source
	own  map[place]int // see ownLines
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
			if info, err := os.Stat(f); err == nil && info.Mode().IsRegular() {
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
// if any has a known one. text is the source.
func messages(file, program, said, text string) string {
	var out, other []string
	at := positions{file, ownLines(file, text)}
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
		case glslang.MatchString(line):
			m := glslang.FindStringSubmatch(line)
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
		out = []string{fmt.Sprintf("%s: error: %s fails: %s", file, program, strings.Join(other[:min(len(other), maxMessage)], "\n"))}
	}
	return strings.Join(out[:min(len(out), maxMessage)], "\n")
}
