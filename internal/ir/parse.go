package ir

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// SyntaxError is a fault in the text of a program.
type SyntaxError struct {
	Line    int
	Message string
}

// Error returns "line N: message".
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// Parse reads the text that Program.String writes; a semicolon begins a
// comment. It checks the syntax and no more: see Program.Verify. Its error is a
// *SyntaxError.
func Parse(text string) (p *Program, err error) {
	r := &parser{p: &Program{LocalSize: [3]uint32{1, 1, 1}, SubgroupSize: 16}}
	defer func() {
		if e := recover(); e != nil {
			fault, ok := e.(*SyntaxError)
			if !ok {
				panic(e)
			}
			p, err = nil, fault
		}
	}()
	for i, line := range strings.Split(text, "\n") {
		r.line = i + 1
		r.lex(line)
		if len(r.toks) == 0 {
			continue
		}
		if r.b == nil {
			r.declaration()
		} else {
			r.statement()
		}
	}
	if r.b != nil {
		r.fail("the function is not closed; want }")
	}
	return r.p, nil
}

type parser struct {
	p      *Program
	line   int
	toks   []string
	b      *Builder // of the function being read, else nil
	values map[string]V
	labels map[string]V

	texture *Texture // the head of the function that follows
}

func (r *parser) fail(format string, args ...any) {
	panic(&SyntaxError{r.line, fmt.Sprintf(format, args...)})
}

// lex splits a line into names, numbers, strings and single marks.
func (r *parser) lex(line string) {
	r.toks = r.toks[:0]
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		n := 1
		switch c := line[0]; {
		case c == ';':
			return
		case c == '"':
			q, err := strconv.QuotedPrefix(line)
			if err != nil {
				r.fail("%s is no quoted string", line)
			}
			n = len(q)
		case strings.HasPrefix(line, "->"):
			n = 2
		case strings.IndexByte("(){},=", c) < 0:
			if n = strings.IndexAny(line, " \t(){},=;"); n < 0 {
				n = len(line)
			}
		}
		r.toks = append(r.toks, line[:n])
		line = line[n:]
	}
}

func (r *parser) peek() string {
	if len(r.toks) == 0 {
		return ""
	}
	return r.toks[0]
}

func (r *parser) next() string {
	t := r.peek()
	if t == "" {
		r.fail("the line ends early")
	}
	r.toks = r.toks[1:]
	return t
}

func (r *parser) want(s string) {
	if t := r.next(); t != s {
		r.fail("%q; want %q", t, s)
	}
}

func (r *parser) accept(s string) bool {
	if r.peek() == s {
		r.toks = r.toks[1:]
		return true
	}
	return false
}

func (r *parser) uint(bits int) uint64 {
	t := r.next()
	x, err := strconv.ParseUint(t, 0, bits)
	if err != nil {
		r.fail("%q; want a number of %d bits", t, bits)
	}
	return x
}

func (r *parser) u32() uint32 { return uint32(r.uint(32)) }

func (r *parser) quoted() string {
	t := r.next()
	s, err := strconv.Unquote(t)
	if err != nil {
		r.fail("%q; want a quoted string", t)
	}
	return s
}

func (r *parser) typ() Type {
	t := r.next()
	x := typeByName(t)
	if x == None {
		r.fail("%q; want a type", t)
	}
	return x
}

// index returns the index of the next token among n names.
func (r *parser) index(what string, n int, name func(int) string) int {
	t := r.next()
	for i := range n {
		if name(i) == t {
			return i
		}
	}
	r.fail("%q; want a %s", t, what)
	return 0
}

func (r *parser) semantic() Semantic {
	return Semantic(r.index("semantic", int(numSemantics), func(i int) string { return semanticNames[i] }))
}

// declaration reads a line outside functions.
func (r *parser) declaration() {
	p := r.p
	switch word := r.next(); word {
	case "program":
		p.Name = r.quoted()
		p.Stage = Stage(r.index("stage", int(numStages), func(i int) string { return stageNames[i] }))
	case "subgroup":
		p.SubgroupSize = r.u32()
	case "local":
		p.LocalSize = [3]uint32{r.u32(), r.u32(), r.u32()}
	case "quadrow":
		p.QuadRow = r.u32()
	case "modes":
		for len(r.toks) > 0 {
			p.Modes |= 1 << r.index("mode", len(modeNames), func(i int) string { return modeNames[i] })
		}
	case "outputvertices":
		p.OutputVertices = r.u32()
	case "instances":
		p.Instances = r.u32()
	case "outputprimitives":
		p.OutputPrimitives = r.u32()
	case "payload":
		p.PayloadBytes = r.u32()
	case "attributes":
		p.AttributeSlots = r.u32()
	case "tilelayers":
		p.TileLayers = r.u32()
	case "push":
		p.PushBytes = r.u32()
	case "shared":
		p.SharedBytes = r.u32()
	case "in":
		p.In = append(p.In, r.input())
	case "capture":
		x := Capture{Buffer: r.u32()}
		r.want("stride")
		x.Stride = r.u32()
		if r.accept("stream") {
			x.Stream = r.u32()
		}
		p.Captures = append(p.Captures, x)
	case "out":
		p.Out = append(p.Out, r.output())
	case "res":
		r.resource()
	case "var":
		v := Var{Name: r.quoted(), Slots: r.u32()}
		n, err := strconv.Atoi(r.next())
		if err != nil {
			r.fail("%q; want the number of a function or -1", err)
		}
		v.Func = n
		p.Vars = append(p.Vars, v)
	case "table":
		var t []byte
		var err error
		if len(r.toks) > 0 { // else it is empty
			t, err = hex.DecodeString(r.next())
		}
		if err != nil {
			r.fail("%v; want hexadecimal bytes", err)
		}
		p.Tables = append(p.Tables, t)
	case "message":
		m := Message{Kind: MessageKind(r.index("kind of message", numMessageKinds, func(i int) string { return messageKindNames[i] })), Text: r.quoted()}
		for len(r.toks) > 0 && r.peek() != "at" && r.peek() != "site" && r.peek() != "event" {
			m.Args = append(m.Args, r.typ())
		}
		if r.accept("at") {
			for len(r.toks) > 0 && r.peek() != "site" && r.peek() != "event" {
				m.At = append(m.At, r.u32())
			}
		}
		if r.accept("site") {
			m.Site = Site{Sanitizers(r.uint(8)), Stage(r.uint(8)), r.quoted(), r.quoted(), r.u32(), r.u32(), r.quoted(), r.u32(), r.u32()}
		}
		if r.accept("event") {
			m.Event = r.event()
		}
		p.Messages = append(p.Messages, m)
	case "effects":
		words := p.Effects.effectWords()
		for len(r.toks) > 0 {
			*words[r.index("effect", len(words), func(i int) string { return words[i].name })].on = true
		}
	case "texture":
		r.textureHead()
	case "func":
		r.function()
	default:
		r.fail("%q; want a declaration", word)
	}
	r.done()
}

func (r *parser) done() {
	if len(r.toks) > 0 {
		r.fail("%q; want the end of the line", r.toks[0])
	}
}

func (r *parser) input() Input {
	x := Input{Semantic: r.semantic(), Type: r.typ(), Index: r.u32()}
	for i, name := range interpolationNames {
		if i > 0 && r.accept(name) {
			x.Interpolation = Interpolation(i)
		}
	}
	for i, name := range samplingNames {
		if i > 0 && r.accept(name) {
			x.Sampling = Sampling(i)
		}
	}
	x.Patch = r.accept("patch")
	return x
}

func (r *parser) output() Output {
	x := Output{Semantic: r.semantic(), Type: r.typ(), Index: r.u32()}
	if r.accept("source") {
		x.Source = r.u32()
	}
	x.Patch = r.accept("patch")
	if r.accept("stream") {
		x.Stream = r.u32()
	}
	if r.accept("capture") {
		x.Capture = r.u32()
		r.want("offset")
		x.Offset = r.u32()
	}
	x.PerPrimitive = r.accept("perprimitive")
	x.Signed = r.accept("signed")
	return x
}

// event parses an event after its keyword.
func (r *parser) event() Event {
	small := func() uint8 { return uint8(r.uint(8)) }
	e := Event{Kind: EventKind(small()), Memory: r.quoted(), Size: r.u32(), Domain: small(), Scope: small(), Execution: small(), Acquire: small(), Release: small()}
	e.Read, e.Write, e.Atomic, e.Private = r.accept("read"), r.accept("write"), r.accept("atomic"), r.accept("private")
	e.Uninit = r.accept("uninit")
	if r.accept("texel") {
		e.Texel, e.Axes = small(), small()
	}
	if e.Bound = r.accept("bound"); e.Bound {
		e.Resource, e.Set, e.Binding = r.resourceKind(), r.u32(), r.u32()
	}
	return e
}

func (r *parser) resourceKind() ResourceKind {
	return ResourceKind(r.index("kind of resource", int(numResourceKinds), func(i int) string { return resourceKindNames[i] }))
}

func (r *parser) resource() {
	kind := r.resourceKind()
	x := Resource{Kind: kind, Set: r.u32(), Binding: r.u32()}
	r.want("count")
	x.Count = r.u32()
	x.Restrict = r.accept("restrict")
	x.NonWritable = r.accept("nonwritable")
	x.Disjoint = r.accept("disjoint")
	x.Heap = r.accept("inheap")
	x.Structure = r.accept("structure")
	x.Tile = r.accept("tile")
	x.Sorted = r.accept("sorted")
	r.p.Res = append(r.p.Res, x)
}

func (r *parser) function() {
	name := r.quoted()
	r.values, r.labels = map[string]V{}, map[string]V{}
	r.want("(")
	args, argTypes, _ := r.params(")", false)
	label := r.next()
	var results []string
	var types []Type
	if r.accept("(") {
		results, types, _ = r.params(")", false)
	}
	r.want("{")
	r.b = NewFunc(name, argTypes, types)
	r.b.Func.Texture, r.texture = r.texture, nil
	for i, n := range args {
		r.values[n] = r.b.Func.Args[i]
	}
	r.bind(r.b.Func.Body(), label, results)
}

// params reads "name type [= init], …" up to the mark end.
func (r *parser) params(end string, inits bool) (names []string, types []Type, init []V) {
	for !r.accept(end) {
		if len(names) > 0 {
			r.want(",")
		}
		names = append(names, r.next())
		types = append(types, r.typ())
		if inits {
			r.want("=")
			init = append(init, r.value())
		}
	}
	return names, types, init
}

func (r *parser) bind(label V, name string, params []string) {
	if !strings.HasPrefix(name, "L") {
		r.fail("%q; want a label such as L1", name)
	}
	r.labels[name] = label
	for i, n := range params {
		r.values[n] = r.b.Param(label, i)
	}
}

func (r *parser) label() V {
	t := r.next()
	v, ok := r.labels[t]
	if !ok {
		r.fail("%q; want an enclosing label", t)
	}
	return v
}

// value reads a constant or the name of a value that was defined above.
func (r *parser) value() V {
	t := r.next()
	if t == "true" || t == "false" {
		return r.b.Bool(t == "true")
	}
	if num, name, ok := strings.Cut(t, ":"); ok {
		typ := typeByName(name)
		bits, err := constant(typ, num)
		if err != nil {
			r.fail("%q is no constant of type %q", num, name)
		}
		return r.b.Const(typ, bits)
	}
	v, ok := r.values[t]
	if !ok {
		r.fail("%q; want a value", t)
	}
	return v
}

// constant returns the bits of a literal. The value of an integer literal is its bits.
func constant(t Type, s string) (uint64, error) {
	if t == None || t == H {
		return 0, strconv.ErrSyntax
	}
	if i, err := strconv.ParseInt(s, 0, 64); err == nil && i < 0 && t.IsInt() {
		return uint64(i) & t.Mask(), nil
	}
	if u, err := strconv.ParseUint(s, 0, int(t.Bits())); err == nil {
		return u, nil
	}
	f, err := strconv.ParseFloat(s, int(max(t.Bits(), 32)))
	switch {
	case err != nil:
		return 0, err
	case t == F32:
		return uint64(math.Float32bits(float32(f))), nil
	case t == F64:
		return math.Float64bits(f), nil
	}
	return 0, strconv.ErrSyntax
}

func (r *parser) valueList(end string) (list []V) {
	for !r.accept(end) {
		if len(list) > 0 {
			r.want(",")
		}
		list = append(list, r.value())
	}
	return list
}
