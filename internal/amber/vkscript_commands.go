package amber

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// testLine reads one line of [test].
func (v *vkParser) testLine(w word) {
	step := Step{w.pos}
	switch w.text {
	case "draw":
		v.draw(step)
	case "clear":
		v.clear(step)
	case "ssbo", "ubo", "uniform", "push":
		v.memory(step, w.text)
	case "probe":
		v.probe(step, false)
	case "relative":
		v.keyword("probe")
		v.probe(step, true)
	case "tolerance":
		if v.tolerance = v.tolerances(); len(v.tolerance) != 1 && len(v.tolerance) != 4 {
			v.fail(CodeNumber, w.pos, "%d tolerances; there must be 1 or 4", len(v.tolerance))
		}
	case "compute":
		if v.lex.peek().is("entrypoint") {
			v.entryPoint(step, Compute)
			break
		}
		v.add(&Dispatch{Step: step, Pipeline: v.pipeline(step, ComputePipeline), Groups: v.groups()})
	case "vertex", "fragment", "geometry":
		s, _ := parseStage(w.text)
		v.entryPoint(step, s)
	case "tessellation":
		v.entryPoint(step, TessellationControl+Stage(v.oneOf("a stage", "control", "evaluation")))
	case "patch":
		v.keyword("parameter")
		v.keyword("vertices")
		v.state(step, "patch parameter vertices", []string{v.numberWord()})
	default:
		v.stateLine(step, w)
	}
	v.endLine()
}

func (v *vkParser) add(c Command) {
	if v.err == nil {
		v.script.Commands = append(v.script.Commands, c)
	}
}

// pipeline returns the script's pipeline of a kind, which must be there.
func (v *vkParser) pipeline(step Step, kind PipelineKind) *Pipeline {
	q := v.graphics
	if kind == ComputePipeline {
		q = v.compute
	}
	if q == nil {
		v.fail(CodeShader, step.At, "the script has no shader for a %s pipeline", kind)
		return &Pipeline{Kind: kind}
	}
	return q
}

func (v *vkParser) entryPoint(step Step, s Stage) {
	v.keyword("entrypoint")
	kind := GraphicsPipeline
	if s == Compute {
		kind = ComputePipeline
	}
	v.add(&SetEntryPoint{step, v.pipeline(step, kind), s, v.word("the name of an entry point").text})
}

func (v *vkParser) draw(step Step) {
	d := &Draw{Step: step, Pipeline: v.pipeline(step, GraphicsPipeline), NumInstance: 1}
	if v.oneOf("a kind of draw", "rect", "arrays") == 1 {
		v.drawArrays(d)
	} else {
		d.Normalized = true
		for w := v.lex.peek(); w.is("ortho") || w.is("patch"); w = v.lex.peek() {
			d.Normalized = d.Normalized && !w.is("ortho")
			d.Patch = d.Patch || w.is("patch")
			v.lex.next()
		}
		d.X, d.Y = v.float("a place"), v.float("a place")
		d.Width, d.Height = v.float("a width"), v.float("a height")
		if n := len(d.Pipeline.Graphics.Vertices); n > 1 {
			v.fail(CodeRun, step.At, "draw rect with %d sets of vertex data; there may be at most 1", n)
		}
	}
	v.add(d)
}

func (v *vkParser) drawArrays(d *Draw) {
	d.Kind = DrawArray
	instanced := false
	for w := v.lex.peek(); w.is("indexed") || w.is("instanced"); w = v.lex.peek() {
		d.Indexed = d.Indexed || w.is("indexed")
		instanced = instanced || w.is("instanced")
		v.lex.next()
	}
	w := v.word("a topology")
	name := strings.TrimPrefix(w.text, "GL_")
	if w.text != name {
		name = glTopologies[name]
	}
	if !slices.Contains(topologies, name) && !w.eol {
		v.fail(CodeWord, w.pos, "%s is no topology", w)
	}
	d.Topology = name
	d.Start, d.Count = v.uint32("a first vertex"), v.uint32("a number of vertices")
	if instanced && !v.lex.peek().eol {
		d.NumInstance = v.uint32("a number of instances")
	}
}

// glTopologies maps OpenGL's names, without GL_, to topologies.
var glTopologies = map[string]string{
	"POINTS": "POINT_LIST", "LINES": "LINE_LIST", "LINE_STRIP": "LINE_STRIP", "TRIANGLES": "TRIANGLE_LIST",
	"TRIANGLE_STRIP": "TRIANGLE_STRIP", "TRIANGLE_FAN": "TRIANGLE_FAN", "LINES_ADJACENCY": "LINE_LIST_WITH_ADJACENCY",
	"LINE_STRIP_ADJACENCY": "LINE_STRIP_WITH_ADJACENCY", "TRIANGLES_ADJACENCY": "TRIANGLE_LIST_WITH_ADJACENCY",
	"TRIANGLE_STRIP_ADJACENCY": "TRIANGLE_STRIP_WITH_ADJACENCY", "PATCHES": "PATCH_LIST",
}

func (v *vkParser) clear(step Step) {
	q := v.pipeline(step, GraphicsPipeline)
	if v.lex.peek().eol {
		v.add(&Clear{step, q})
		return
	}
	c := &SetClear{Step: step, Pipeline: q}
	switch v.oneOf("an aspect", "color", "depth", "stencil") {
	case 0:
		for i := range c.Value {
			c.Value[i] = v.float("a channel")
		}
	case 1:
		c.What, c.Value[0] = ClearDepth, v.float("a depth")
	case 2:
		c.What, c.Value[0] = ClearStencil, float64(v.uint32("a stencil value"))
	}
	v.add(c)
}

// memory reads lines that make and fill buffers.
func (v *vkParser) memory(step Step, kind string) {
	if v.lex.peek().is("layout") {
		v.lex.next()
		v.setLayout(map[string]string{"ssbo": "ssbo", "ubo": "ubo", "uniform": "ubo", "push": "push"}[kind])
		return
	}
	switch {
	case kind == "push":
		v.push(step)
	case kind == "uniform" && v.optional("ubo"):
		v.write(step, v.bound(step, Uniform), v.layouts["ubo"])
	case kind == "uniform":
		v.push(step)
	default:
		b := v.bound(step, map[string]BindingKind{"ssbo": Storage, "ubo": Uniform}[kind])
		if v.optional("subdata") {
			v.write(step, b, v.layouts[kind])
			return
		}
		v.elements[b] = v.size("a size in elements")
	}
}

func (v *vkParser) setLayout(kind string) {
	for !v.lex.peek().eol {
		pos := v.lex.peek().pos
		switch v.oneOf("a layout", "std430", "std140", "column_major", "row_major") {
		case 0:
			v.layouts[kind] = Std430
		case 1:
			v.layouts[kind] = Std140
		case 3:
			v.unsupported(pos, "row_major data in VkScript")
		}
	}
}

// bound reads a binding, as 3 or as 0:3, and returns its buffer.
func (v *vkParser) bound(step Step, kind BindingKind) *Buffer {
	set, binding := v.bindingNumber()
	name := map[BindingKind]string{Storage: "ssbo ", Uniform: "ubo "}[kind] +
		Number{Bits: uint64(set), Integer: true}.String() + ":" + Number{Bits: uint64(binding), Integer: true}.String()
	if b := v.buffers[name]; b != nil {
		return b
	}
	b := v.newBuffer(step, name)
	v.sized = append(v.sized, b)
	for _, q := range v.script.Pipelines {
		q.bind(Binding{Kind: kind, Set: set, Binding: binding, Buffers: []*Buffer{b}, At: step.At})
	}
	return b
}

func (v *vkParser) newBuffer(step Step, name string) *Buffer {
	t := Type{Scalar: Scalar{Uint, 8}, Columns: 1, Rows: 1}
	b := &Buffer{Name: name, At: step.At, Type: t, Shape: Shape{Stride: 1, Fields: []Field{{0, t.Scalar}}}}
	v.buffers[name] = b
	v.script.Buffers = append(v.script.Buffers, b)
	return b
}

func (v *vkParser) bindingNumber() (set, binding uint32) {
	w := v.word("a binding")
	first, second, two := strings.Cut(w.text, ":")
	if !two {
		first, second = "0", first
	}
	s, ok1 := parseNumber(first)
	b, ok2 := parseNumber(second)
	if !ok1 || !ok2 || !s.Integer || !b.Integer || s.Bits > math.MaxUint32 || b.Bits > math.MaxUint32 {
		v.fail(CodeNumber, w.pos, "%s; must be a binding, as 1 or 0:1", w)
	}
	return uint32(s.Bits), uint32(b.Bits)
}

// push reads push constants: a type, an offset and numbers. They go into the
// push constants of all pipelines; the buffer that the line declares holds its
// own numbers alone.
func (v *vkParser) push(step Step) {
	const name = "push constants"
	all := v.buffers[name]
	if all == nil {
		all = v.newBuffer(step, name)
		all.Whole = true
		for _, q := range v.script.Pipelines {
			q.Push = all
		}
	}
	c := v.write(step, all, v.layouts["push"])
	own := *c
	own.Buffer = v.newBuffer(step, fmt.Sprintf("%s %d", name, len(v.script.Buffers)))
	own.Offset = 0
	v.typed(own.Buffer, all.Type, own.Shape)
	v.grow(step, own.Buffer, own.Shape.end(0, len(own.Values)))
	v.add(&own)
}

// typed sets the element type of a buffer, if it has none yet.
func (v *vkParser) typed(b *Buffer, t Type, s Shape) {
	if !v.hasType[b] {
		v.hasType[b] = true
		b.Type, b.Shape = t, s
	}
}

// sizes allocates buffers of their declared sizes: in elements of the type of their first
// write or probe, or in bytes if there is none.
func (v *vkParser) sizes() {
	for _, b := range v.sized {
		if n := v.elements[b]; n > 0 && v.err == nil {
			v.grow(Step{b.At}, b, n*b.Shape.Stride)
		}
	}
}

// grow makes a buffer at least n bytes long.
func (v *vkParser) grow(step Step, b *Buffer, n int) {
	more := n - len(b.Data)
	switch {
	case more <= 0 || v.err != nil:
	case more > v.budget:
		v.fail(CodeSize, step.At, "a buffer of %d bytes is more than a script may hold (%d bytes in all)", n, MaxBytes)
	default:
		v.budget -= more
		b.Data = append(b.Data, make([]byte, more)...)
	}
}

// write reads a type, an offset and numbers.
func (v *vkParser) write(step Step, b *Buffer, l Layout) *Write {
	c := &Write{Step: step, Buffer: b}
	t := v.glslType()
	c.Shape = v.shape(t, l)
	v.typed(b, t, c.Shape)
	c.Offset = v.size("an offset in bytes")
	c.Values = v.wholeElements(c.Shape)
	v.grow(step, b, c.Shape.end(c.Offset, len(c.Values)))
	v.add(c)
	return c
}

func (v *vkParser) glslType() Type {
	w := v.word("a type")
	t, ok := parseGLSLType(w.text)
	if !ok {
		v.fail(CodeType, w.pos, "%s is no known type", w)
		t = Type{Scalar: Scalar{Uint, 32}, Columns: 1, Rows: 1}
	}
	return t
}

// shape returns how elements lie; every type of GLSL's has a layout.
func (v *vkParser) shape(t Type, l Layout) Shape {
	s, err := l.Shape(t)
	if err != nil {
		v.fail(CodeType, v.lex.pos(), "type %s: %v", t, err)
	}
	return s
}

// wholeElements reads numbers of whole elements up to the end of the line.
func (v *vkParser) wholeElements(s Shape) []Number {
	pos := v.lex.peek().pos
	ns := v.numbers("a value", func(k int) Scalar { return s.Fields[k%len(s.Fields)].Scalar })
	if len(ns)%len(s.Fields) != 0 {
		v.fail(CodeSize, pos, "%d values; each element takes %d", len(ns), len(s.Fields))
	}
	return ns
}

// probe reads the rest of a command after the word probe.
func (v *vkParser) probe(step Step, relative bool) {
	if v.optional("ssbo") {
		v.probeBuffer(step)
		return
	}
	e := &ExpectTexels{Step: step, Relative: relative, Tolerances: v.tolerance, Width: 1, Height: 1,
		Buffer: v.pipeline(step, GraphicsPipeline).framebuffer()}
	rect := v.optional("rect")
	e.Rect = rect
	e.Whole = !rect && v.optional("all")
	channels := e.Color[:3]
	if e.Alpha = v.oneOf("which channels", "rgb", "rgba") == 1; e.Alpha {
		channels = e.Color[:]
	}
	if !e.Whole {
		e.X, e.Y = v.float("a place"), v.float("a place")
	}
	if rect {
		e.Width, e.Height = v.float("a width"), v.float("a height")
	}
	for i := range channels {
		channels[i] = v.float("a channel")
	}
	v.add(e)
}

// framebuffer returns the color attachment of VkScript's pipeline.
func (p *Pipeline) framebuffer() *Buffer {
	if len(p.Graphics.Colors) == 0 {
		return nil
	}
	return p.Graphics.Colors[0].Buffer
}

func (v *vkParser) probeBuffer(step Step) {
	t := v.glslType()
	e := &ExpectValues{Step: step, Shape: v.shape(t, v.layouts["ssbo"]), Tolerances: v.tolerance}
	e.Buffer = v.bound(step, Storage)
	v.typed(e.Buffer, t, e.Shape)
	e.Offset = v.size("an offset in bytes")
	var signs []string
	for _, c := range comparisons {
		signs = append(signs, c.sign)
	}
	e.Compare = Comparison(v.oneOf("a comparison", signs...))
	e.Values = v.wholeElements(e.Shape)
	v.add(e)
}
