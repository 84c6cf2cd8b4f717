package amber

import (
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/format"
)

// glslTypes are the types from GLSL in VkScript, by name.
var glslTypes = map[string]Scalar{
	"int": {Int, 32}, "uint": {Uint, 32}, "float": {Float, 32}, "double": {Float, 64}, "float16_t": {Float, 16},
	"int8_t": {Int, 8}, "uint8_t": {Uint, 8}, "int16_t": {Int, 16}, "uint16_t": {Uint, 16},
	"int64_t": {Int, 64}, "uint64_t": {Uint, 64},
}

// glslPrefixes are the prefixes of vec and mat in names of types.
var glslPrefixes = map[string]Scalar{
	"": {Float, 32}, "d": {Float, 64}, "f16": {Float, 16}, "i": {Int, 32}, "u": {Uint, 32}, "i8": {Int, 8}, "u8": {Uint, 8},
	"i16": {Int, 16}, "u16": {Uint, 16}, "i64": {Int, 64}, "u64": {Uint, 64},
}

// parseGLSLType reads a type such as uint, ivec3, mat2x4 or dmat3.
func parseGLSLType(s string) (Type, bool) {
	if sc, ok := glslTypes[s]; ok {
		return Type{Scalar: sc, Columns: 1, Rows: 1}, true
	}
	if prefix, n, ok := strings.Cut(s, "vec"); ok {
		sc, known := glslPrefixes[prefix]
		t := Type{Scalar: sc, Columns: 1, Rows: 1}
		if n != "" {
			t.Rows = dimension(n[0])
		}
		return t, known && len(n) <= 1 && t.Rows != 0
	}
	if prefix, n, ok := strings.Cut(s, "mat"); ok && (len(n) == 1 || len(n) == 3 && n[1] == 'x') {
		sc, known := glslPrefixes[prefix]
		t := Type{Scalar: sc, Columns: dimension(n[0]), Rows: dimension(n[len(n)-1])}
		return t, known && sc.Kind == Float && t.Columns != 0 && t.Rows != 0
	}
	return Type{}, false
}

// section is one section of a VkScript.
type section struct {
	name string // as between the brackets
	text string
	at   diag.Pos // of the bracket
}

// sections cuts a VkScript at lines in brackets.
func (p *parser) sections(text string) []section {
	var found []section
	line, end, start := 0, 0, 0
	for l := range strings.Lines(text) {
		line++
		begin := end
		end += len(l)
		t := strings.TrimSpace(l)
		if name, ok := strings.CutPrefix(t, "["); ok && !strings.ContainsAny(name, ";=") {
			name, _, closed := strings.Cut(name, "]")
			if closed && isSection(name) {
				if n := len(found); n > 0 {
					found[n-1].text = text[start:begin]
				}
				start = end
				found = append(found, section{name: name, at: diag.Pos{Line: line, Column: 1}})
				continue
			}
			if closed && (len(found) == 0 || !strings.Contains(found[len(found)-1].name, "shader")) {
				p.fail(CodeWord, diag.Pos{Line: line, Column: 1}, "[%s] is no section of a script", name)
				return nil
			}
		}
		if len(found) == 0 && t != "" && t[0] != '#' {
			p.fail(CodeWord, diag.Pos{Line: line, Column: 1}, "%q; must be a section in brackets", l[:min(len(l), 40)])
			return nil
		}
	}
	if n := len(found); n > 0 {
		found[n-1].text = text[start:]
	}
	return found
}

func isSection(name string) bool {
	switch name {
	case "comment", "require", "indices", "vertex data", "test":
		return true
	}
	_, _, ok := shaderSection(name)
	return ok
}

// shaderSection reads the name of a section with a shader.
func shaderSection(name string) (Stage, ShaderFormat, bool) {
	stage, form, ok := strings.Cut(name, " shader")
	if !ok {
		return 0, 0, false
	}
	formats := map[string]ShaderFormat{"": GLSL, " spirv": SPIRVAssembly, " spirv hex": SPIRVHex, " passthrough": Passthrough}
	f, ok := formats[form]
	s, known := parseStage(strings.ReplaceAll(stage, " ", "_"))
	return s, f, ok && known && s <= Compute
}

// vkParser reads a VkScript.
type vkParser struct {
	*parser
	graphics, compute *Pipeline
	framebuffer       format.Format
	depthStencil      *format.Format
	width, height     int
	tolerance         []Tolerance
	layouts           map[string]Layout // of ssbo, ubo and push
	buffers           map[string]*Buffer
	sized             []*Buffer       // buffers of bindings
	elements          map[*Buffer]int // their sizes, if the script has one
	hasType           map[*Buffer]bool
}

// The pipeline and its shaders are so named in files with ready SPIR-V.
const (
	vkPipeline = "vk_pipeline"
	vkShader   = "vk_shader_"
)

// vkScript reads a whole VkScript.
func (p *parser) vkScript(text string) {
	v := &vkParser{parser: p, width: 250, height: 250, buffers: map[string]*Buffer{},
		elements: map[*Buffer]int{}, hasType: map[*Buffer]bool{},
		layouts: map[string]Layout{"ssbo": Std430, "ubo": Std140, "push": Std430}}
	v.framebuffer, _ = format.ByName("B8G8R8A8_UNORM")
	all := p.sections(text)
	if len(all) == 0 {
		p.fail(CodeEnd, diag.Pos{Line: 1, Column: 1}, "a script must begin with #!amber or have sections in brackets")
	}
	for _, s := range all { // declarations first, because [test] may come anywhere
		switch s.name {
		case "comment", "test", "vertex data", "indices":
		case "require":
			v.lines(s, v.requireLine)
		default:
			v.shaderSection(s)
		}
	}
	v.pipelines()
	for _, s := range all {
		switch s.name {
		case "vertex data":
			v.vertexData(s)
		case "indices":
			v.indices(s)
		}
	}
	for _, s := range all {
		if s.name == "test" {
			v.lines(s, v.testLine)
		}
	}
	v.sizes()
}

// lines reads a section line by line; f reads from the first word to the end.
func (v *vkParser) lines(s section, f func(word)) {
	if v.err != nil {
		return
	}
	v.lex = newLexer(s.text, s.at.Line+1, "(),")
	for v.err == nil {
		w := v.lex.next()
		if w.eof {
			return
		}
		if !w.eol {
			f(w)
		}
	}
}

func (v *vkParser) shaderSection(s section) {
	stage, form, _ := shaderSection(s.name)
	v.script.Shaders = append(v.script.Shaders, &Shader{
		Name: vkShader + strconv.Itoa(len(v.script.Shaders)), Stage: stage, Format: form,
		Source: s.text, Line: s.at.Line + 1, At: s.at,
	})
}

// requireLine reads one line of [require].
func (v *vkParser) requireLine(w word) {
	switch w.text {
	case "framebuffer":
		if f := v.formatWord(); f != nil {
			v.framebuffer = *f
		}
	case "depthstencil":
		v.depthStencil = v.formatWord()
	case "fbsize":
		v.width, v.height = v.side("a width"), v.side("a height")
	case "fence_timeout":
		v.uint32("a time in milliseconds")
	default:
		kind := Feature
		if strings.HasPrefix(w.text, "VK_") {
			kind = AnyExtension
		}
		v.script.Requirements = append(v.script.Requirements, Requirement{kind, w.text, w.pos})
	}
	v.endLine()
}

func (v *vkParser) formatWord() *format.Format {
	w := v.word("a format")
	f, ok := format.ByName(w.text)
	if !ok && !w.eol {
		v.fail(CodeType, w.pos, "%s is no known format", w)
		return nil
	}
	return &f
}

// pipelines makes the pipelines that the shaders need: one for graphics, if there are any
// shaders for it or none at all, and one for compute.
func (v *vkParser) pipelines() {
	for _, s := range v.script.Shaders {
		into := &v.graphics
		kind := GraphicsPipeline
		if s.Stage == Compute {
			into, kind = &v.compute, ComputePipeline
		}
		if *into == nil {
			*into = v.newPipeline(kind)
		}
		(*into).Stages = append((*into).Stages, Attachment{Shader: s, Stage: s.Stage, EntryPoint: "main"})
	}
	if v.graphics == nil && v.compute == nil {
		v.graphics = v.newPipeline(GraphicsPipeline)
	}
	if v.graphics == nil {
		return
	}
	g := &v.graphics.Graphics
	g.Colors = []ColorAttachment{{Buffer: v.attachment("framebuffer", v.framebuffer)}}
	if v.depthStencil != nil {
		g.DepthStencil = v.attachment("depthstencil", *v.depthStencil)
	}
}

func (v *vkParser) newPipeline(kind PipelineKind) *Pipeline {
	q := &Pipeline{Name: vkPipeline, Kind: kind, At: diag.Pos{Line: 1, Column: 1},
		Graphics: Graphics{Width: v.width, Height: v.height, PatchControlPoints: 3}}
	v.script.Pipelines = append(v.script.Pipelines, q)
	return q
}

func (v *vkParser) attachment(name string, f format.Format) *Buffer {
	b := &Buffer{Name: name, At: diag.Pos{Line: 1, Column: 1}, Texel: &f, Type: Type{Format: &f, Columns: 1, Rows: 1}, Lazy: true,
		Shape: Shape{Stride: f.Bytes}, Image: &Image{Dimensions: 2, Depth: 1, MipLevels: 1, Samples: 1}}
	v.script.Buffers = append(v.script.Buffers, b)
	return b
}

// vertexData reads [vertex data]: a line with locations and formats, then a
// row for each vertex.
func (v *vkParser) vertexData(s section) {
	var inputs []VertexInput
	var values [][]Number
	v.lines(s, func(w word) {
		if inputs == nil {
			for ; !w.eol; w = v.lex.next() {
				inputs = append(inputs, v.vertexInput(w))
				values = append(values, nil)
			}
			return
		}
		for i, in := range inputs {
			for _, f := range in.Buffer.Shape.Fields {
				values[i] = append(values[i], v.numberOf(w, "a value", f.Scalar))
				w = v.lex.next()
			}
		}
		if !w.eol {
			v.fail(CodeEnd, w.pos, "%s; the row must end", w)
		}
	})
	if v.err != nil || v.graphics == nil {
		return
	}
	for i, in := range inputs {
		if err := in.Buffer.allot(len(values[i])/len(in.Buffer.Shape.Fields), &v.budget); err != nil {
			v.fail(CodeSize, s.at, "%v", err)
			return
		}
		in.Buffer.set(values[i])
		v.script.Buffers = append(v.script.Buffers, in.Buffer)
	}
	v.graphics.Graphics.Vertices = inputs
}

// vertexInput reads location/format or location/GL type/GLSL type.
func (v *vkParser) vertexInput(w word) VertexInput {
	location, rest, _ := strings.Cut(w.text, "/")
	n, ok := parseNumber(location)
	name := rest
	if gl, glsl, two := strings.Cut(rest, "/"); two {
		name = glFormat(gl, glsl)
	}
	f, known := format.ByName(name)
	if !ok || !n.Integer || n.Bits > maxNumber || !known {
		v.fail(CodeWord, w.pos, "%s; must be a location and a format, as in 0/R32G32_SFLOAT", w)
		f, _ = format.ByName("R32_SFLOAT")
	}
	t := Type{Format: &f, Columns: 1, Rows: 1}
	shape, err := Std430.Shape(t)
	if err != nil {
		v.fail(CodeType, w.pos, "format %s: %v", f.Name, err)
		shape = Shape{Stride: 4, Fields: []Field{{0, Scalar{Float, 32}}}}
	}
	b := &Buffer{Name: "vertices " + location, At: w.pos, Type: t, Texel: &f, Shape: shape}
	return VertexInput{Location: int(n.Bits), Buffer: b, Format: &f}
}

// glTypes maps OpenGL's types to the width and the numeric format.
var glTypes = map[string]struct {
	bits    string
	numeric string
}{
	"byte": {"8", "SINT"}, "ubyte": {"8", "UINT"}, "short": {"16", "SINT"}, "ushort": {"16", "UINT"}, "int": {"32", "SINT"},
	"uint": {"32", "UINT"}, "half": {"16", "SFLOAT"}, "float": {"32", "SFLOAT"}, "double": {"64", "SFLOAT"},
}

// glFormat returns the name of the format of an OpenGL type and a GLSL type.
func glFormat(gl, glsl string) string {
	t, ok := parseGLSLType(glsl)
	g, known := glTypes[gl]
	if !ok || !known || t.Columns != 1 {
		return ""
	}
	name := ""
	for _, c := range "RGBA"[:t.Rows] {
		name += string(c) + g.bits
	}
	return name + "_" + g.numeric
}

// indices reads [indices].
func (v *vkParser) indices(s section) {
	t := Type{Scalar: Scalar{Uint, 32}, Columns: 1, Rows: 1}
	b := &Buffer{Name: "indices", At: s.at, Type: t, Shape: Shape{Stride: 4, Fields: []Field{{0, t.Scalar}}}}
	var ns []Number
	v.lines(s, func(w word) {
		for ; !w.eol; w = v.lex.next() {
			ns = append(ns, v.numberOf(w, "an index", t.Scalar))
		}
	})
	if v.err != nil || v.graphics == nil {
		return
	}
	if err := b.allot(len(ns), &v.budget); err != nil {
		v.fail(CodeSize, s.at, "%v", err)
		return
	}
	b.set(ns)
	v.script.Buffers = append(v.script.Buffers, b)
	v.graphics.Graphics.Indices = b
}
