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

// Options configure Compile and CompileText.
type Options struct {
	Target string     // an environment such as vulkan1.3 or spv1.4; "" for vulkan1.3
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

// MissingError is a language without a compiler on the PATH.
type MissingError struct{ Language Language }

// Error names the language, its compilers and their packages.
func (e *MissingError) Error() string {
	var names []string
	for _, c := range compilers[e.Language] {
		names = append(names, c.program+" from the package "+c.pack)
	}
	return fmt.Sprintf("in %s, and the PATH has no compiler for it; install %s", e.Language, strings.Join(names, ", or "))
}

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
	j := &job{language: l, file: file, text: string(text), stage: stage, entry: "main", target: targetOf(o.Target)}
	code, err := j.run(ctx, o.Cache)
	if missing := (*MissingError)(nil); errors.As(err, &missing) {
		return nil, fmt.Errorf("%s: error: the source is %w", file, err)
	}
	return code, err
}

// Text is a source without a file.
type Text struct {
	Language Language
	Stage    string            // as Stages has it
	Name     string            // of a file without a folder; debug information and errors contain it
	Code     string            // the source
	Entry    string            // the entry point of a source in HLSL; "" for main
	Files    map[string]string // files that the source includes, by their paths from its folder
	Search   []string          // further folders of such files
}

// CompileText compiles a source that is in no file. It does not judge the files that the source includes. The error is
// an *Error if the source does not compile, and a *MissingError if no program compiles it.
func CompileText(ctx context.Context, t *Text, o Options) ([]byte, error) {
	dir, remove, err := temporaryFolder("chiaro-text-")
	if err != nil {
		return nil, err
	}
	defer remove()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for name, text := range t.Files {
		if name = filepath.FromSlash(name); !filepath.IsLocal(name) {
			continue // a path from elsewhere is no name below the folder of the source
		}
		if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return nil, err
		}
		if err := root.WriteFile(name, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	if err := root.WriteFile(t.Name, []byte(t.Code), 0o600); err != nil {
		return nil, err
	}
	j := &job{language: t.Language, folder: dir, file: t.Name, text: t.Code, stage: t.Stage, entry: t.Entry, target: targetOf(o.Target), search: t.Search}
	if j.entry == "" {
		j.entry = "main"
	}
	return j.run(ctx, o.Cache)
}

// job is a source to compile.
type job struct {
	language Language
	folder   string // in which the compiler runs; "" for the working directory
	file     string // from folder
	text     string
	stage    string
	entry    string
	target   target
	search   []string // folders of included files
}

// run compiles the source by the first compiler on the PATH, unless the cache has its module.
func (j *job) run(ctx context.Context, cache *store.Dir) ([]byte, error) {
	for _, c := range compilers[j.language] {
		path, err := exec.LookPath(c.program)
		if err != nil {
			continue
		}
		if cache == nil {
			return j.compile(ctx, &c, path)
		}
		key, ok := cacheKey(path, c.args(j, j.file, ""), j.text)
		if ok {
			if code, ok := cache.Load(key); ok {
				return code, nil
			}
		}
		code, err := j.compile(ctx, &c, path)
		if err == nil && ok {
			_ = cache.Save(key, code) // a full cache costs only time
		}
		return code, err
	}
	return nil, &MissingError{j.language}
}

// cacheKey is a hash of everything that a module depends on; ok is false if that is not known.
func cacheKey(path string, args []string, text string) (key store.Key, ok bool) {
	info, err := os.Stat(path)
	if err != nil || imports.MatchString(text) {
		return key, false
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %d %d %q %q\n", path, info.Size(), info.ModTime().UnixNano(), args, limitFlag())
	h.Write([]byte(text))
	return store.Key(h.Sum(nil)), true
}

// compile runs the compiler c at a path.
func (j *job) compile(ctx context.Context, c *compiler, path string) ([]byte, error) {
	dir, remove, err := temporaryFolder("chiaro-source-")
	if err != nil {
		return nil, err
	}
	defer remove()
	in := j.file
	if strings.HasPrefix(in, "-") {
		in = "." + string(filepath.Separator) + in // no flag
	}
	out := filepath.Join(dir, "out.spv")
	args := c.args(j, in, out)
	if c.program == "glslangValidator" && j.language == GLSL {
		limits, err := limitFile(ctx, path, dir)
		if err != nil {
			return nil, err
		}
		args = append(args, limits)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = j.folder
	cmd.WaitDelay = time.Second // for a compiler with processes of its own that outlive it
	said, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return nil, &Error{j.messages(c.program, string(said))}
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(out)
	if err != nil || info.Size() > maxModule {
		return nil, &Error{j.messages(c.program, string(said)+"\nno module")}
	}
	return os.ReadFile(out)
}
