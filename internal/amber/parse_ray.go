package amber

import (
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
)

// rayItem reads one statement that only ray tracing pipelines have.
func (p *parser) rayItem(q *Pipeline, w word) {
	if q.Kind != RayTracingPipeline {
		p.fail(CodeWord, w.pos, "%s in a %s pipeline; must be in a ray tracing pipeline", w, q.Kind)
	}
	r := &q.RayTracing
	switch w.text {
	case "SHADER_GROUP":
		g := ShaderGroup{Name: p.word("the name of a group").text, Shaders: several(p, "shader", p.shaders)}
		for _, s := range g.Shaders {
			if s != nil && !q.Kind.fits(s.Stage) {
				p.fail(CodeShader, w.pos, "%s shader %s in a ray tracing pipeline; must be of one of its stages", s.Stage, s.Name)
			}
		}
		r.Groups = append(r.Groups, g)
	case "SHADER_BINDING_TABLE":
		t := BindingTable{Name: p.word("the name of a table").text}
		for {
			g, ok := p.blockWord("SHADER_BINDING_TABLE")
			if !ok {
				break
			}
			t.Groups = append(t.Groups, g.text)
		}
		r.Tables = append(r.Tables, t)
	case "USE_LIBRARY":
		r.Libraries = append(r.Libraries, known(p, "pipeline", p.pipelines))
	case "FLAGS":
		for _, f := range p.flags() {
			if f != "LIBRARY" {
				p.fail(CodeWord, w.pos, "%s is no flag of a pipeline; there is LIBRARY", f)
			}
			r.Library = true
		}
	case "MAX_RAY_PAYLOAD_SIZE":
		r.MaxPayload = p.size("a size in bytes")
	case "MAX_RAY_HIT_ATTRIBUTE_SIZE":
		r.MaxHitAttribute = p.size("a size in bytes")
	case "MAX_RAY_RECURSION_DEPTH":
		r.MaxRecurse = p.size("a depth")
	}
	p.endLine()
}

// accelerationStructure reads an ACCELERATION_STRUCTURE.
func (p *parser) accelerationStructure(at diag.Pos) {
	s := &Structure{At: at, Top: p.oneOf("a level", "BOTTOM_LEVEL", "TOP_LEVEL") == 1}
	s.Name = p.declare("acceleration structure").text
	for {
		w, ok := p.blockWord("an ACCELERATION_STRUCTURE")
		if !ok {
			break
		}
		switch {
		case w.text == "GEOMETRY" && !s.Top:
			s.Primitives = append(s.Primitives, p.geometry())
		case w.text == "BOTTOM_LEVEL_INSTANCE" && s.Top:
			s.Instances = append(s.Instances, p.instance())
		case w.text == "BLAS_INSTANCE" && s.Top:
			p.keyword("USE")
			s.Instances = append(s.Instances, Instance{Bottom: known(p, "acceleration structure", p.structures), Mask: 255})
			p.endLine()
		default:
			p.fail(CodeWord, w.pos, "%s is nothing that this acceleration structure has", w)
		}
	}
	p.structures[s.Name] = s
	p.script.Structures = append(p.script.Structures, s)
	p.endLine()
}

// geometry reads a GEOMETRY up to END: numbers, and perhaps flags.
func (p *parser) geometry() Primitives {
	g := Primitives{Boxes: p.oneOf("a kind of geometry", "TRIANGLES", "AABBS") == 1}
	for {
		w, ok := p.blockWord("GEOMETRY")
		if !ok {
			break
		}
		if w.text == "FLAGS" {
			g.Flags = append(g.Flags, p.flags()...)
			continue
		}
		g.Vertices = append(g.Vertices, p.numberOf(w, "a coordinate", Scalar{Float, 64}).Float)
	}
	per := 9
	if g.Boxes {
		per = 6
	}
	if len(g.Vertices)%per != 0 || len(g.Vertices) == 0 {
		p.fail(CodeSize, p.lex.peek().pos, "%d coordinates; each primitive takes %d", len(g.Vertices), per)
	}
	return g
}

// flags reads words in capitals: the words on the rest of the line or, if there are none,
// the words of a block that ends with END.
func (p *parser) flags() []string {
	var fs []string
	if p.lex.peek().eol {
		for {
			w, ok := p.blockWord("FLAGS")
			if !ok {
				return fs
			}
			fs = append(fs, p.flag(w))
		}
	}
	for w := p.lex.peek(); !w.eol; w = p.lex.peek() {
		p.lex.next()
		if w.is("END") {
			break
		}
		fs = append(fs, p.flag(w))
	}
	return fs
}

// flag checks that a word can be a flag: capitals with underscores, or a number.
func (p *parser) flag(w word) string {
	if _, err := strconv.ParseUint(w.text, 0, 32); err == nil {
		return w.text
	}
	if strings.ToUpper(w.text) != w.text || w.text[0] < 'A' {
		p.fail(CodeWord, w.pos, "%s is no flag", w)
	}
	return w.text
}

// instance reads a BOTTOM_LEVEL_INSTANCE up to END.
func (p *parser) instance() Instance {
	in := Instance{Bottom: known(p, "acceleration structure", p.structures), Mask: 255}
	for {
		w, ok := p.blockWord("BOTTOM_LEVEL_INSTANCE")
		if !ok {
			return in
		}
		switch w.text {
		case "MASK":
			in.Mask = uint32(p.integer("a mask", 255))
		case "INDEX":
			in.Index = uint32(p.integer("an index", 1<<24-1))
		case "OFFSET":
			in.Offset = uint32(p.integer("an offset", 1<<24-1))
		case "FLAGS":
			in.Flags = append(in.Flags, p.flags()...)
		case "TRANSFORM":
			in.Transform = p.transform()
		default:
			p.fail(CodeWord, w.pos, "%s is nothing that an instance has", w)
		}
	}
}

// transform reads the 12 numbers of a matrix up to END.
func (p *parser) transform() []float64 {
	var m []float64
	for {
		w, ok := p.blockWord("TRANSFORM")
		if !ok {
			break
		}
		m = append(m, p.numberOf(w, "a number", Scalar{Float, 64}).Float)
	}
	if len(m) != 12 {
		p.fail(CodeSize, p.lex.peek().pos, "%d numbers in TRANSFORM; there must be 12", len(m))
	}
	return m
}
