package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxText bounds a request of the playground in bytes, maxSide the sides of its picture.
const (
	maxText = 1 << 20
	maxSide = 4096
)

// playRequest is a shader and how to run it. All of its strings that become arguments of chiaro are values of flags, joined by "=",
// so that none of them is a flag.
type playRequest struct {
	Kind     string   `json:"kind"`
	Text     string   `json:"text"`
	Groups   string   `json:"groups,omitempty"`  // of a compute shader
	Buffers  []string `json:"buffers,omitempty"` // of a compute shader: BINDING=CONTENT
	Push     []string `json:"push,omitempty"`    // of a compute shader
	Spec     []string `json:"spec,omitempty"`    // of a compute shader
	Width    int      `json:"width,omitempty"`   // of the picture of a fragment shader
	Height   int      `json:"height,omitempty"`
	Show     string   `json:"show,omitempty"`     // of a script: picture, or the name of a buffer; "" for neither
	Sanitize string   `json:"sanitize,omitempty"` // "", faults or all
	Listing  string   `json:"listing,omitempty"`  // "", spirv, ir or asm
	Heat     bool     `json:"heat,omitempty"`     // count instructions
}

// playKind is a language of the playground. The name of the file tells chiaro the language.
type playKind struct {
	file   string
	script bool // a script, with its own pipelines
	framed bool // a fragment shader, which needs a script around it
}

var playKinds = map[string]playKind{
	"comp": {file: "shader.comp"}, "frag": {file: "shader.frag", framed: true}, "spvasm": {file: "shader.spvasm"},
	"hlsl": {file: "shader.comp.hlsl"}, "wgsl": {file: "shader.wgsl"}, "slang": {file: "shader.slang"}, "amber": {file: "script.amber", script: true},
}

// frame is the script around a fragment shader. The lines before the shader are frameLines, which the browser takes off the lines
// of findings. The shader is checked before, without the script, so that none can end its section early.
const (
	frame = `#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment f GLSL
%s
END
BUFFER frame FORMAT R8G8B8A8_UNORM
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE %d %d
  BIND BUFFER frame AS color LOCATION 0
END
CLEAR p
RUN p DRAW_RECT POS 0 0 SIZE %[2]d %[3]d
`
	frameLines  = 3
	frameFile   = "frame.amber"
	moduleFile  = "module.spv"
	pictureFile = "picture.png"
	bufferFile  = "buffer.txt"
)

// playPart is one line of the answer.
type playPart struct {
	Part    string          `json:"part"` // check, listing, run, picture, buffer, heat, or end
	Code    int             `json:"code"`
	Result  json.RawMessage `json:"result,omitempty"` // the report of check or run
	Lines   []string        `json:"lines,omitempty"`  // instructions, or text
	Picture []byte          `json:"picture,omitempty"`
	Heat    *heat           `json:"heat,omitempty"`
	Log     string          `json:"log,omitempty"`
	Ended   string          `json:"ended,omitempty"`  // the limit that ended it
	Before  int             `json:"before,omitempty"` // lines of the page before the first one of the shader
}

// play answers with the parts as they come, one a line, so that the findings are there before a long run ends. The last part is
// "end": an answer without it was cut off.
func (s *Server) play(w http.ResponseWriter, r *http.Request) {
	var q playRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxText)).Decode(&q); err != nil {
		http.Error(w, "the request cannot be read: "+err.Error(), http.StatusBadRequest)
		return
	}
	if err := q.check(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.playing.Add(1)
	defer s.playing.Done()
	dir, err := os.MkdirTemp("", tempPattern)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer os.RemoveAll(dir)
	w.Header().Set("Content-Type", "application/x-ndjson")
	out, flush := json.NewEncoder(w), http.NewResponseController(w)
	_ = flush.SetReadDeadline(time.Time{}) // of the request, which is read
	p := player{&s.tool, dir, &q, playKinds[q.Kind], func(part *playPart) {
		_ = out.Encode(part) // an error is the browser's end, which ends the context
		_ = flush.Flush()
	}}
	if err := p.play(r.Context()); err != nil && r.Context().Err() == nil {
		p.give(&playPart{Part: "end", Code: -1, Ended: err.Error()})
	} else {
		p.give(&playPart{Part: "end"})
	}
}

// check rejects requests that the page does not make. Contents of files are among them: the playground of a page that a proxy
// makes public must not show the files of this machine.
func (q *playRequest) check() error {
	k, ok := playKinds[q.Kind]
	switch {
	case !ok:
		return fmt.Errorf("kind %q is unknown", q.Kind)
	case !slices.Contains([]string{"", "faults", "all"}, q.Sanitize):
		return fmt.Errorf("sanitize %q; must be empty, faults or all", q.Sanitize)
	case !slices.Contains([]string{"", "spirv", "ir", "asm"}, q.Listing):
		return fmt.Errorf("listing %q; must be empty, spirv, ir or asm", q.Listing)
	case k.framed && (q.Width < 1 || q.Width > maxSide || q.Height < 1 || q.Height > maxSide):
		return fmt.Errorf("a picture of %d×%d; must be 1×1 to %d×%[3]d", q.Width, q.Height, maxSide)
	}
	for _, x := range slices.Concat(q.Buffers, q.Push) {
		if strings.Contains(x, "@") {
			return fmt.Errorf("%q: the playground reads no files; want values", x)
		}
	}
	return nil
}

// player answers a request of the playground.
type player struct {
	tool *runner
	dir  string
	q    *playRequest
	kind playKind
	give func(*playPart)
}

// play gives the parts. After an input that cannot be read, with exit code 2, there is only the first: each further process would
// report the same error. An invalid shader goes on, since its findings need not prevent its run.
func (p *player) play(ctx context.Context) error {
	text := p.q.Text
	if err := os.WriteFile(filepath.Join(p.dir, p.kind.file), []byte(text), 0o600); err != nil {
		return err
	}
	if p.kind.framed {
		text = fmt.Sprintf(frame, text, p.q.Width, p.q.Height)
		if err := os.WriteFile(filepath.Join(p.dir, frameFile), []byte(text), 0o600); err != nil {
			return err
		}
	}
	x, err := p.step(ctx, "check", 0, "check", "--format=json", p.kind.file)
	if err != nil || x.code == 2 || x.ended != "" {
		return err
	}
	if p.q.Listing != "" && !p.kind.script {
		if err := p.listing(ctx); err != nil {
			return err
		}
	}
	if err := p.run(ctx); err != nil || !p.q.Heat {
		return err
	}
	args, before := p.target(p.runArgs())
	if x, err = p.tool.run(ctx, p.dir, append([]string{"profile", "--format=json"}, args...)...); err != nil {
		return err
	}
	part := playPart{Part: "heat", Code: x.code, Log: x.log, Ended: x.ended, Before: before}
	if h, err := heatOf(x.out); err == nil {
		part.Heat = h
	}
	p.give(&part)
	return nil
}

// step runs chiaro and gives its report as a part.
func (p *player) step(ctx context.Context, part string, before int, args ...string) (outcome, error) {
	x, err := p.tool.run(ctx, p.dir, args...)
	if err != nil {
		return x, err
	}
	out := playPart{Part: part, Code: x.code, Log: x.log, Ended: x.ended, Before: before}
	if json.Valid(x.out) {
		out.Result = x.out
	}
	p.give(&out)
	return x, nil
}

// listing gives the disassembly. It needs no run: a shader that fails has one too.
func (p *player) listing(ctx context.Context) error {
	file := p.kind.file
	if filepath.Ext(file) == ".spvasm" { // dis reads modules and sources
		file = moduleFile
		if x, err := p.tool.run(ctx, p.dir, "asm", "--output="+file, p.kind.file); err != nil || x.code != 0 {
			return err
		}
	}
	x, err := p.tool.run(ctx, p.dir, listingArgs(p.q.Listing, file)...)
	if err != nil {
		return err
	}
	p.give(&playPart{Part: "listing", Code: x.code, Log: x.log, Ended: x.ended, Lines: listingLines(p.q.Listing, x.out)})
	return nil
}

// listingArgs returns the arguments for a listing of a file.
func listingArgs(kind, file string) []string {
	args := []string{"dis", "--no-header"}
	if kind != "spirv" {
		args = []string{"dis", "--" + kind}
	}
	return append(args, file)
}

// listingLines splits a listing: into instructions, or into lines of IR or machine code.
func listingLines(kind string, out []byte) []string {
	if kind == "spirv" {
		return instructions(string(out))
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// runArgs returns the flags of a compute shader.
func (p *player) runArgs() (args []string) {
	if p.kind.script || p.kind.framed {
		return nil
	}
	if p.q.Groups != "" {
		args = append(args, "--groups="+p.q.Groups)
	}
	for _, f := range []struct {
		flag string
		list []string
	}{{"buffer", p.q.Buffers}, {"push", p.q.Push}, {"spec", p.q.Spec}} {
		for _, x := range f.list {
			args = append(args, "--"+f.flag+"="+x)
		}
	}
	return args
}

// target appends the file to run, and returns the number of lines of the page before the first one of the shader.
func (p *player) target(args []string) ([]string, int) {
	if p.kind.framed {
		return append(args, frameFile), frameLines
	}
	return append(args, p.kind.file), 0
}

// run runs the shader and gives its results, its picture and its buffer.
func (p *player) run(ctx context.Context) error {
	args := []string{"run", "--format=json"}
	if p.q.Sanitize != "" {
		args = append(args, "--sanitize="+p.q.Sanitize)
	}
	switch {
	case p.kind.framed || p.kind.script && p.q.Show == "picture":
		args = append(args, "--image="+pictureFile)
	case p.kind.script && p.q.Show != "":
		args = append(args, "--buffer="+bufferFile, "--buffer-name="+p.q.Show)
	}
	target, before := p.target(p.runArgs())
	x, err := p.step(ctx, "run", before, append(args, target...)...)
	if err != nil || x.ended != "" {
		return err
	}
	for _, f := range []string{pictureFile, bufferFile} {
		data, err := p.written(f)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case f == pictureFile:
			p.give(&playPart{Part: "picture", Picture: data})
		default:
			p.give(&playPart{Part: "buffer", Lines: strings.Split(strings.TrimSpace(string(data)), "\n")})
		}
	}
	return nil
}

// written reads a file of the folder of the playground, never one outside of it.
func (p *player) written(name string) ([]byte, error) {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return readBounded(root, name, maxFile)
}

// samples lists the shaders of the playground. The first line of a sample is a comment with its request as JSON, which the editor
// does not show.
func samples(w http.ResponseWriter, _ *http.Request) {
	type sample struct {
		playRequest
		Name  string       `json:"name"`
		Title string       `json:"title"`
		Shown *sampleImage `json:"shown,omitempty"`
	}
	list, err := fs.ReadDir(files, "samples")
	if err != nil {
		panic(err) // the folder is in the binary
	}
	var out []sample
	for _, f := range list {
		data, err := files.ReadFile("samples/" + f.Name())
		if err != nil {
			panic(err)
		}
		head, text, _ := strings.Cut(string(data), "\n")
		var x sample
		if err := json.Unmarshal([]byte(strings.TrimLeft(head, "/;# ")), &x); err != nil {
			panic(strconv.Quote(f.Name()) + ": " + err.Error())
		}
		x.Name, x.Text = f.Name(), text
		x.Kind = strings.TrimPrefix(filepath.Ext(f.Name()), ".")
		out = append(out, x)
	}
	writeJSON(w, out)
}

// sampleImage says that a buffer of a sample is a picture.
type sampleImage struct {
	Buffer string `json:"buffer"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}
