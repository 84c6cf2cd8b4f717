package amber

import (
	"maps"

	"github.com/chiaro-gpu/chiaro/internal/format"
)

// The words of fixed-function state.
var (
	polygonModes = []string{"fill", "line", "point"}
	stencilOps   = []string{"keep", "zero", "replace", "increment_and_clamp", "decrement_and_clamp", "invert", "increment_and_wrap",
		"decrement_and_wrap"}
	blendFactors = []string{"zero", "one", "src_color", "one_minus_src_color", "dst_color", "one_minus_dst_color", "src_alpha",
		"one_minus_src_alpha", "dst_alpha", "one_minus_dst_alpha", "constant_color", "one_minus_constant_color", "constant_alpha",
		"one_minus_constant_alpha", "src_alpha_saturate", "src1_color", "one_minus_src1_color", "src1_alpha", "one_minus_src1_alpha"}
	blendOps = []string{"add", "substract", "subtract", "reverse_substract", "reverse_subtract", "min", "max", "zero", "src", "dst", "src_over", "dst_over",
		"src_in", "dst_in", "src_out", "dst_out", "src_atop", "dst_atop", "xor", "multiply", "screen", "overlay", "darken",
		"lighten", "color_dodge", "color_burn", "hard_light", "soft_light", "difference", "exclusion", "invert", "invert_rgb",
		"linear_dodge", "linear_burn", "vivid_light", "linear_light", "pin_light", "hard_mix", "hsl_hue", "hsl_saturation",
		"hsl_color", "hsl_luminosity", "plus", "plus_clamped", "plus_clamped_alpha", "plus_darker", "minus", "minus_clamped",
		"contrast", "invert_org", "red", "green", "blue"}
	onOffWords = []string{"off", "on"}
)

// stateItem is one line of a block of state: a word of a list if there is a list, otherwise
// a number; or named numbers.
type stateItem struct {
	words []string
	named []string // such as BOUNDS min 0 max 1
}

// stateBlocks are the blocks of fixed-function state and their lines.
var stateBlocks = map[string]map[string]stateItem{
	"DEPTH": {
		"TEST": {words: onOffWords}, "WRITE": {words: onOffWords}, "CLAMP": {words: onOffWords}, "COMPARE_OP": {words: compareOps},
		"BOUNDS": {named: []string{"min", "max"}}, "BIAS": {named: []string{"constant", "clamp", "slope"}},
	},
	"STENCIL": {
		"TEST": {words: onOffWords}, "FAIL_OP": {words: stencilOps}, "PASS_OP": {words: stencilOps},
		"DEPTH_FAIL_OP": {words: stencilOps}, "COMPARE_OP": {words: compareOps}, "COMPARE_MASK": {}, "WRITE_MASK": {}, "REFERENCE": {},
	},
	"BLEND": {
		"SRC_COLOR_FACTOR": {words: blendFactors}, "DST_COLOR_FACTOR": {words: blendFactors}, "SRC_ALPHA_FACTOR": {words: blendFactors},
		"DST_ALPHA_FACTOR": {words: blendFactors}, "COLOR_OP": {words: blendOps}, "ALPHA_OP": {words: blendOps},
	},
}

// graphicsItem reads one statement that only graphics pipelines have.
func (p *parser) graphicsItem(q *Pipeline, w word) {
	if q.Kind != GraphicsPipeline && w.text != "FRAMEBUFFER_SIZE" { // scripts have it in others too, without effect
		p.fail(CodeWord, w.pos, "%s in a %s pipeline; must be in a graphics pipeline", w, q.Kind)
	}
	g := &q.Graphics
	switch w.text {
	case "FRAMEBUFFER_SIZE":
		g.Width, g.Height = p.side("a width"), p.side("a height")
	case "VIEWPORT":
		p.viewport(g)
	case "VERTEX_DATA":
		p.vertexData(g)
	case "INDEX_DATA":
		g.Indices = known(p, "buffer", p.buffers)
	case "POLYGON_MODE":
		g.set("POLYGON_MODE", polygonModes[p.oneOf("a polygon mode", polygonModes...)])
	case "PATCH_CONTROL_POINTS":
		g.PatchControlPoints = int(p.integer("a number of points", maxNumber))
	case "TRANSFORM_FEEDBACK":
		p.feedbackBuffer(g)
	case "SHADING_RATE_ATTACHMENT":
		p.rateAttachment(g)
	case "STATE":
		p.extendedState(&g.Settings)
	default:
		p.stateBlock(g, w.text)
	}
	p.endLine()
}

func (p *parser) side(what string) int {
	w := p.lex.peek()
	n := p.integer(what, maxSide)
	if n == 0 {
		p.fail(CodeNumber, w.pos, "%s is 0; it must be from 1 to %d", what, maxSide)
	}
	return int(n)
}

// set stores words of state. It copies the map, because derived pipelines share it.
func (g *Graphics) set(name string, words ...string) {
	m := map[string][]string{}
	maps.Copy(m, g.State)
	m[name] = words
	g.State = m
}

func (p *parser) viewport(g *Graphics) {
	v := &Viewport{MaxDepth: 1}
	v.X, v.Y = p.float("a place"), p.float("a place")
	p.keyword("SIZE")
	v.Width, v.Height = p.float("a width"), p.float("a height")
	for !p.lex.peek().eol {
		if p.oneOf("a depth", "MIN_DEPTH", "MAX_DEPTH") == 0 {
			v.MinDepth = p.float("a depth")
		} else {
			v.MaxDepth = p.float("a depth")
		}
	}
	g.Viewport = v
}

func (p *parser) vertexData(g *Graphics) {
	v := VertexInput{Buffer: known(p, "buffer", p.buffers)}
	for !p.lex.peek().eol {
		switch p.oneOf("a parameter of vertex data", "LOCATION", "RATE", "FORMAT", "OFFSET", "STRIDE", "SIZE") {
		case 0:
			v.Location = int(p.integer("a location", maxNumber))
		case 1:
			v.PerInstance = p.oneOf("a rate", "vertex", "instance") == 1
		case 2:
			w := p.word("a format")
			f, ok := format.ByName(w.text)
			if !ok && !w.eol {
				p.fail(CodeType, w.pos, "%s is no known format", w)
			}
			v.Format = &f
		case 3:
			v.Offset = p.size("an offset")
		case 4:
			v.Stride = p.size("a stride")
		case 5:
			v.Range = p.count("a size")
		}
	}
	g.Vertices = append(g.Vertices, v)
}

// stateBlock reads DEPTH, STENCIL or BLEND up to END.
func (p *parser) stateBlock(g *Graphics, block string) {
	prefixes := []string{block + " "}
	if block == "STENCIL" {
		prefixes = [][]string{{"STENCIL front "}, {"STENCIL back "}, {"STENCIL front ", "STENCIL back "}}[p.oneOf("a face", "front", "back", "front_and_back")]
	}
	g.set(block, "on")
	for {
		w, ok := p.blockWord(block)
		if !ok {
			return
		}
		item, ok := stateBlocks[block][w.text]
		if !ok {
			p.fail(CodeWord, w.pos, "%s is nothing that %s has", w, block)
			return
		}
		var words []string
		switch {
		case item.words != nil:
			words = []string{item.words[p.oneOf("a word for "+w.text, item.words...)]}
		case item.named != nil:
			for _, n := range item.named {
				p.keyword(n)
				words = append(words, p.numberWord())
			}
		default:
			words = []string{p.numberWord()}
		}
		for _, prefix := range prefixes {
			g.set(prefix+w.text, words...)
		}
	}
}

// numberWord reads a number and returns it as it is written.
func (p *parser) numberWord() string {
	w := p.lex.peek()
	p.float("a number")
	return w.text
}
