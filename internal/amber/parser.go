package amber

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
)

// Open returns the contents of a file that a script names.
type Open func(name string) ([]byte, error)

// maxFile bounds the files that a script may name.
const maxFile = 256 << 20

// Load reads the script in a file. Files that it names are relative to its folder. An error
// in the script is a *Fault, a construct that Chiaro does not support is an *Unsupported;
// other errors come from the file system.
func Load(path string) (*Script, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text, func(name string) ([]byte, error) {
		return readFile(filepath.Join(filepath.Dir(path), filepath.FromSlash(name)))
	})
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s: more than %d bytes", path, maxFile)
	}
	return data, err
}

// Parse reads a script from text; file is its name in messages. A first line
// that begins with #!amber makes it AmberScript, all else is VkScript.
func Parse(file string, text []byte, open Open) (*Script, error) {
	p := &parser{
		script: &Script{File: file, Files: map[string]*VirtualFile{}},
		open:   open,
		names:  map[string]bool{}, buffers: map[string]*Buffer{}, shaders: map[string]*Shader{},
		samplers: map[string]*Sampler{}, pipelines: map[string]*Pipeline{},
		structs: map[string]*Struct{}, structures: map[string]*Structure{},
		budget: MaxBytes,
	}
	if bytes.HasPrefix(text, []byte("#!amber")) {
		p.lex = newLexer(string(text), 1, "")
		p.amberScript()
	} else {
		p.script.Language = VkScript
		p.vkScript(string(text))
	}
	p.finish()
	p.include()
	if p.err != nil {
		return nil, p.err
	}
	return p.script, nil
}

// parser reads a script. After the first error its lexer is at the end of the text, so that
// every loop ends.
type parser struct {
	script     *Script
	lex        *lexer
	open       Open
	names      map[string]bool // declared names, with their kind before them
	buffers    map[string]*Buffer
	shaders    map[string]*Shader
	samplers   map[string]*Sampler
	pipelines  map[string]*Pipeline
	structs    map[string]*Struct
	structures map[string]*Structure
	budget     int // bytes that buffers may still take
	fields     int // numbers of one element of each buffer so far
	repeats    int // depth of REPEAT blocks
	references int // written descriptors so far
	err        error
}

// fail records the first fault.
func (p *parser) fail(code string, pos diag.Pos, form string, args ...any) {
	p.stop(&Fault{p.script.File, diag.New(code, pos, form, args...)})
}

// unsupported records that the script needs an unsupported feature.
func (p *parser) unsupported(pos diag.Pos, what string) {
	p.stop(&Unsupported{p.script.File, pos, what})
}

func (p *parser) stop(err error) {
	if p.err == nil {
		p.err = err
	}
	if p.lex != nil {
		p.lex.at = len(p.lex.text)
	}
}

// word reads a word; the argument describes the expected word for the message.
func (p *parser) word(what string) word {
	w := p.lex.next()
	if w.eol {
		p.fail(CodeEnd, w.pos, "%s; must be %s", w, what)
	}
	return w
}

// keyword reads a given word.
func (p *parser) keyword(k string) {
	if w := p.lex.next(); !w.is(k) {
		p.fail(CodeWord, w.pos, "%s; must be %s", w, k)
	}
}

// optional reads a given word if it is the next one.
func (p *parser) optional(k string) bool {
	if p.lex.peek().is(k) {
		p.lex.next()
		return true
	}
	return false
}

// endLine reads the end of a line.
func (p *parser) endLine() {
	if w := p.lex.next(); !w.eol {
		p.fail(CodeEnd, w.pos, "%s; the line must end", w)
	}
}

// skipLines passes ends of lines.
func (p *parser) skipLines() {
	for {
		if w := p.lex.peek(); !w.eol || w.eof {
			return
		}
		p.lex.next()
	}
}

// blockWord reads the next word of a block that ends with END, on any line. It returns
// false at END.
func (p *parser) blockWord(block string) (word, bool) {
	p.skipLines()
	w := p.lex.next()
	if w.eof {
		p.fail(CodeEnd, w.pos, "%s in %s, which must close with END", w, block)
	}
	return w, !w.eof && w.text != "END"
}

// integer reads an integer from 0 to most.
func (p *parser) integer(what string, most uint64) uint64 {
	w := p.word(what)
	n, ok := parseNumber(w.text)
	switch {
	case w.eol:
		return 0
	case !ok || !n.Integer:
		p.fail(CodeNumber, w.pos, "%s; must be %s, an integer", w, what)
	case n.Float < 0 || n.Bits > most:
		p.fail(CodeNumber, w.pos, "%s is %s; it must be from 0 to %d", what, w, most)
	default:
		return n.Bits
	}
	return 0
}

func (p *parser) uint32(what string) uint32 { return uint32(p.integer(what, math.MaxUint32)) }

// size reads an integer within the size limit of a script.
func (p *parser) size(what string) int { return int(p.integer(what, MaxBytes)) }

// count reads a size of at least 1.
func (p *parser) count(what string) int {
	pos := p.lex.peek().pos
	n := p.size(what)
	if n == 0 {
		p.fail(CodeNumber, pos, "%s is 0; it must be at least 1", what)
		return 1
	}
	return n
}

// float reads a number of any form.
func (p *parser) float(what string) float64 {
	w := p.word(what)
	n, ok := parseNumber(w.text)
	if !ok {
		p.fail(CodeNumber, w.pos, "%s; must be %s, a number", w, what)
	}
	return n.Float
}

// within reads a number from least to most.
func (p *parser) within(what string, least, most float64) float32 {
	pos := p.lex.peek().pos
	x := p.float(what)
	if p.err == nil && !(x >= least && x <= most) {
		p.fail(CodeNumber, pos, "%s is %v; it must be from %v to %v", what, x, least, most)
	}
	return float32(x)
}

// number reads a number that s may hold.
func (p *parser) number(what string, s Scalar) Number {
	w := p.word(what)
	return p.numberOf(w, what, s)
}

func (p *parser) numberOf(w word, what string, s Scalar) Number {
	n, ok := parseNumber(w.text)
	switch {
	case !ok:
		p.fail(CodeNumber, w.pos, "%s; must be %s, a number of type %s", w, what, s)
	case !s.accepts(n):
		p.fail(CodeNumber, w.pos, "%s is %s, which type %s cannot hold", what, w, s)
	}
	return n
}

// numbers reads numbers up to the end of the line, the k-th of type f(k). A
// percent sign or a word ends them too; it stays.
func (p *parser) numbers(what string, f func(int) Scalar) []Number {
	var ns []Number
	for {
		w := p.lex.peek()
		if w.eol {
			break
		}
		if _, ok := parseNumber(w.text); !ok && len(ns) > 0 {
			break
		}
		ns = append(ns, p.number(what, f(len(ns))))
	}
	if len(ns) == 0 {
		p.word(what)
	}
	return ns
}

// declare reads a new name of the given kind.
func (p *parser) declare(kind string) word {
	w := p.word("the name of a " + kind)
	key := kind + " " + w.text
	if kind == "image" {
		key = "buffer " + w.text
	}
	if p.names[key] {
		p.fail(CodeName, w.pos, "%s %s is declared twice", kind, w)
	}
	p.names[key] = true
	return w
}

// known reads a name out of a table.
func known[T any](p *parser, kind string, from map[string]T) T {
	w := p.word("the name of a " + kind)
	v, ok := from[w.text]
	if !ok {
		p.fail(CodeName, w.pos, "%s is no %s declared so far", w, kind)
	}
	return v
}

// oneOf reads one of several words and returns its place among them.
func (p *parser) oneOf(what string, words ...string) int {
	w := p.word(what)
	for i, v := range words {
		if w.is(v) {
			return i
		}
	}
	if !w.eol {
		p.fail(CodeWord, w.pos, "%s; must be %s: %s", w, what, strings.Join(words, ", "))
	}
	return 0
}

// onOff reads on or off.
func (p *parser) onOff(what string) bool { return p.oneOf(what, "off", "on") == 1 }

// file returns the contents of a file that the script names.
func (p *parser) file() []byte {
	w := p.word("the name of a file")
	if p.err != nil {
		return nil
	}
	if f := p.script.Files[w.text]; f != nil {
		return []byte(f.Text)
	}
	if p.open == nil {
		p.fail(CodeFile, w.pos, "file %s cannot be read: no files are at hand", w)
		return nil
	}
	data, err := p.open(w.text)
	if err != nil {
		p.fail(CodeFile, w.pos, "file %s cannot be read: %v", w, err)
	}
	return data
}
