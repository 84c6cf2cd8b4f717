package amber

import (
	"time"

	"github.com/chiaro-gpu/chiaro/diag"
)

// amberScript reads a whole AmberScript: one statement a line.
func (p *parser) amberScript() {
	for {
		w := p.lex.next()
		if w.eof {
			return
		}
		if !w.eol {
			p.statement(w)
		}
	}
}

// statement reads a statement with the first word w.
func (p *parser) statement(w word) {
	switch w.text {
	case "DEVICE_FEATURE":
		p.requirement(Feature, w.pos)
	case "DEVICE_PROPERTY":
		p.requirement(Property, w.pos)
	case "DEVICE_EXTENSION":
		p.requirement(DeviceExtension, w.pos)
	case "INSTANCE_EXTENSION":
		p.requirement(InstanceExtension, w.pos)
	case "SET":
		p.engineData()
	case "VIRTUAL_FILE":
		p.virtualFile()
	case "SHADER":
		p.shader(w.pos)
	case "STRUCT":
		p.structure(w.pos)
	case "BUFFER":
		p.buffer(w.pos, false)
	case "IMAGE":
		p.buffer(w.pos, true)
	case "SAMPLER":
		p.sampler(w.pos)
	case "ACCELERATION_STRUCTURE":
		p.accelerationStructure(w.pos)
	case "PIPELINE":
		p.pipeline(w.pos)
	case "DERIVE_PIPELINE":
		p.derivePipeline(w.pos)
	default:
		if c := p.command(w); c != nil {
			p.script.Commands = append(p.script.Commands, c)
		}
	}
}

func (p *parser) requirement(kind RequirementKind, at diag.Pos) {
	w := p.word("the name of a " + kind.String())
	p.endLine()
	p.script.Requirements = append(p.script.Requirements, Requirement{kind, w.text, at})
}

// engineData reads SET ENGINE_DATA.
func (p *parser) engineData() {
	p.keyword("ENGINE_DATA")
	p.oneOf("a variable of the engine", "fence_timeout_ms")
	p.script.FenceTimeout = time.Duration(p.uint32("a time in milliseconds")) * time.Millisecond
	p.endLine()
}

func (p *parser) virtualFile() {
	w := p.declare("virtual file")
	text, line, ok := p.lex.body()
	if !ok {
		p.fail(CodeEnd, w.pos, "virtual file %s has no END", w)
	}
	p.script.Files[w.text] = &VirtualFile{text, line}
}

// shader reads a SHADER with its source.
func (p *parser) shader(at diag.Pos) {
	w := p.word("a shader's stage")
	stage, ok := parseStage(w.text)
	if !ok && !w.eol {
		p.fail(CodeWord, w.pos, "%s is no stage of a shader", w)
	}
	s := &Shader{Stage: stage, At: at, files: p.script.Files}
	name := p.declare("shader")
	s.Name = name.text
	s.Format = ShaderFormat(p.oneOf("a form of shader", shaderFormats[:]...))
	inline := s.Format != Passthrough
	for {
		w := p.lex.peek()
		if w.eol {
			break
		}
		p.lex.next()
		switch w.text {
		case "TARGET_ENV":
			s.TargetEnv = p.word("a target environment").text
		case "FILE", "VIRTUAL_FILE":
			name := p.lex.peek().text
			s.Source, inline = string(p.file()), false
			if f := p.script.Files[name]; f != nil {
				s.Line = f.Line
			} else {
				s.Path = name
			}
		default:
			p.fail(CodeWord, w.pos, "%s; must be TARGET_ENV, FILE, VIRTUAL_FILE or the end of the line", w)
		}
	}
	if inline && p.err == nil {
		if s.Source, s.Line, ok = p.lex.body(); !ok {
			p.fail(CodeEnd, at, "shader %s has no END", name)
		}
	}
	p.shaders[s.Name] = s
	p.script.Shaders = append(p.script.Shaders, s)
	p.endLine()
}

// structure reads a STRUCT: members of a type and a name each.
func (p *parser) structure(at diag.Pos) {
	name := p.declare("struct")
	s := &Struct{Name: name.text}
	if p.optional("STRIDE") {
		s.Stride = p.count("a stride")
	}
	p.endLine()
	for {
		w, ok := p.blockWord("a STRUCT")
		if !ok {
			break
		}
		s.Members = append(s.Members, p.member(w))
	}
	if len(s.Members) == 0 {
		p.fail(CodeType, at, "struct %s has no members", name)
	}
	p.structs[s.Name] = s
	p.endLine()
}

func (p *parser) member(typ word) Member {
	m := Member{Type: p.typeOf(typ), Offset: -1}
	name := p.word("a member's name")
	rest, array, ok := cutArray(name.text)
	if !ok {
		p.fail(CodeWord, name.pos, "%s is no name of a member", name)
	}
	m.Name = rest
	if array != 0 {
		m.Type.Array = array
	}
	if m.Type.Array == Runtime {
		p.fail(CodeType, name.pos, "member %s is an array without a length", name)
	}
	for !p.lex.peek().eol {
		switch p.oneOf("a layout of the member", "OFFSET", "ARRAY_STRIDE", "MATRIX_STRIDE") {
		case 0:
			m.Offset = p.size("an offset")
		case 1:
			m.ArrayStride = p.count("a stride")
		case 2:
			m.MatrixStride = p.count("a stride")
		}
	}
	return m
}

// typeOf reads the name of a type or of a struct.
func (p *parser) typeOf(w word) Type {
	if t, ok := parseType(w.text); ok {
		return t
	}
	name, array, ok := cutArray(w.text)
	s := p.structs[name]
	if !ok || s == nil {
		p.fail(CodeType, w.pos, "%s is no type and no struct declared so far", w)
		return Type{Scalar: Scalar{Uint, 32}, Columns: 1, Rows: 1}
	}
	return Type{Struct: s, Columns: 1, Rows: 1, Array: array}
}

// The words of samplers.
var (
	filters      = []string{"nearest", "linear"}
	addressModes = []string{"repeat", "mirrored_repeat", "clamp_to_edge", "clamp_to_border", "mirror_clamp_to_edge"}
	borderColors = []string{"float_transparent_black", "int_transparent_black", "float_opaque_black", "int_opaque_black",
		"float_opaque_white", "int_opaque_white"}
	compareOps = []string{"never", "less", "equal", "less_or_equal", "greater", "not_equal", "greater_or_equal", "always"}
)

// sampler reads a SAMPLER, which is one line.
func (p *parser) sampler(at diag.Pos) {
	s := &Sampler{At: at, MagFilter: "nearest", MinFilter: "nearest", AddressU: "repeat", V: "repeat", W: "repeat",
		BorderColor: "float_transparent_black", MaxLOD: 1}
	s.Name = p.declare("sampler").text
	pick := func(what string, words []string) string { return words[p.oneOf(what, words...)] }
	maxSet := false
	for !p.lex.peek().eol {
		w := p.lex.next()
		switch w.text {
		case "MAG_FILTER":
			s.MagFilter = pick("a filter", filters)
		case "MIN_FILTER":
			s.MinFilter = pick("a filter", filters)
		case "ADDRESS_MODE_U":
			s.AddressU = pick("an address mode", addressModes)
		case "ADDRESS_MODE_V":
			s.V = pick("an address mode", addressModes)
		case "ADDRESS_MODE_W":
			s.W = pick("an address mode", addressModes)
		case "BORDER_COLOR":
			s.BorderColor = pick("a border color", borderColors)
		case "MIN_LOD":
			s.MinLOD = p.float("a level of detail")
			if !maxSet {
				s.MaxLOD = max(s.MaxLOD, s.MinLOD)
			}
		case "MAX_LOD":
			s.MaxLOD, maxSet = p.float("a level of detail"), true
		case "NORMALIZED_COORDS":
			s.Unnormalized = false
		case "UNNORMALIZED_COORDS":
			s.Unnormalized, s.MinLOD, s.MaxLOD = true, 0, 0
		case "COMPARE":
			s.Compares = p.onOff("on or off")
		case "COMPARE_OP":
			s.CompareOp = pick("a comparison", compareOps)
		default:
			p.fail(CodeWord, w.pos, "%s is nothing that a sampler has", w)
		}
	}
	if s.MaxLOD < s.MinLOD {
		p.fail(CodeNumber, at, "the highest level of detail, %g, is below the lowest, %g", s.MaxLOD, s.MinLOD)
	}
	p.samplers[s.Name] = s
	p.script.Samplers = append(p.script.Samplers, s)
	p.endLine()
}
