package link_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// number is a scalar, a vector or a matrix.
type number struct {
	kind              byte // 'f', 'i', 'u'
	width, rows, cols int
}

// shape is the type of a value that two stages share: a number, or a struct if it has
// members, and arrays of either.
type shape struct {
	number
	members []part
	arrays  []int // the outermost first
}

// part is a member of a struct; −1 is no Location, no Component.
type part struct {
	of                  shape
	location, component int
}

// sharing is a variable of one side; −1 is no Location, no Component.
type sharing struct {
	of                          shape
	block                       bool
	location, component         int
	patch, primitive, perVertex bool
	onMembers                   bool     // Patch decorates the members of the block
	marks                       []string // decorations that need not be the same on both sides
	used                        bool
}

func (s shape) clone() shape {
	s.arrays, s.members = slices.Clone(s.arrays), slices.Clone(s.members)
	for i := range s.members {
		s.members[i].of = s.members[i].of.clone()
	}
	return s
}

func cloneSide(side []sharing) []sharing {
	out := slices.Clone(side)
	for i := range out {
		out[i].of, out[i].marks = out[i].of.clone(), slices.Clone(out[i].marks)
	}
	return out
}

// slots returns the number of Locations of a shape.
func (s shape) slots() int {
	n := 0
	for _, m := range s.members {
		n += m.of.slots()
	}
	if len(s.members) == 0 {
		n = s.cols
		if s.width == 64 && s.rows > 2 {
			n *= 2
		}
	}
	for _, k := range s.arrays {
		n *= k
	}
	return n
}

// stagePairs are the stages that may follow on each other with variables between
// them.
var stagePairs = [][2]string{
	{"vert", "frag"}, {"vert", "tesc"}, {"vert", "geom"}, {"tesc", "tese"}, {"tese", "geom"}, {"tese", "frag"}, {"geom", "frag"}, {"mesh", "frag"},
}

// pairMaker makes variables that two stages share.
type pairMaker struct {
	*rand.Rand
	out, in string
	next    int // the first Location that is free
}

func (g *pairMaker) number() number {
	n := number{"fiu"[g.IntN(3)], []int{32, 32, 32, 16, 64}[g.IntN(5)], 1 + g.IntN(4), 1}
	if n.kind == 'f' && n.rows > 1 && g.IntN(5) == 0 {
		n.cols = 2 + g.IntN(3)
	}
	return n
}

// leaf is a number or an array of numbers.
func (g *pairMaker) leaf() shape {
	s := shape{number: g.number()}
	for g.IntN(5) == 0 && len(s.arrays) < 2 {
		s.arrays = append(s.arrays, 1+g.IntN(3))
	}
	return s
}

// structure is a struct without Locations.
func (g *pairMaker) structure(depth int) shape {
	var s shape
	for range 1 + g.IntN(3) {
		m := part{g.leaf(), -1, -1}
		if depth > 0 && g.IntN(4) == 0 {
			m.of = g.structure(depth - 1)
			if g.IntN(3) == 0 {
				m.of.arrays = []int{1 + g.IntN(2)}
			}
		}
		s.members = append(s.members, m)
	}
	return s
}

// interpolate returns decorations of interpolation and precision for a side. An
// input of a fragment stage that is not interpolated must say so.
func (g *pairMaker) interpolate(of shape, stage string) []string {
	var marks []string
	if stage == "frag" && of.rigid() {
		return []string{"Flat"}
	}
	if g.IntN(2) == 0 {
		marks = append(marks, [][]string{{"Flat"}, {"NoPerspective"}, {"Centroid"}, {"Sample"}, {"NoPerspective", "Centroid"}, {"RelaxedPrecision"}}[g.IntN(6)]...)
	}
	if of.has(func(n number) bool { return n.width != 32 }) || len(of.members) > 0 {
		marks = slices.DeleteFunc(marks, func(s string) bool { return s == "RelaxedPrecision" })
	}
	return marks
}

// has reports whether a number of the shape is so.
func (s shape) has(is func(number) bool) bool {
	if len(s.members) == 0 {
		return is(s.number)
	}
	return slices.ContainsFunc(s.members, func(m part) bool { return m.of.has(is) })
}

// rigid reports whether the shape has numbers that no fragment stage interpolates.
func (s shape) rigid() bool {
	return s.has(func(n number) bool { return n.kind != 'f' || n.width == 64 })
}

// packed are several variables that share one Location.
func (g *pairMaker) packed() (out []sharing) {
	n := number{"fiu"[g.IntN(3)], []int{32, 16, 64}[g.IntN(3)], 1, 1}
	step := 1
	if n.width == 64 {
		step = 2
	}
	for at := step * g.IntN(2); at < 4; {
		n.rows = 1 + g.IntN((4-at)/step)
		out = append(out, sharing{of: shape{number: n}, location: g.next, component: at})
		at += step * (n.rows + g.IntN(2))
	}
	g.next++
	return out
}

// blocks returns a block with a Location on each member.
func (g *pairMaker) blocks() sharing {
	v := sharing{block: true, location: -1, component: -1}
	for range 1 + g.IntN(3) {
		m := part{g.leaf(), g.next, -1}
		if m.of.cols == 1 && len(m.of.arrays) == 0 && m.of.width != 64 && m.of.rows < 4 && g.IntN(3) == 0 {
			m.component = g.IntN(5 - m.of.rows)
		}
		g.next += m.of.slots() + g.IntN(2)
		v.of.members = append(v.of.members, m)
	}
	return v
}

// sides makes the declarations of both sides, so that they match.
func (g *pairMaker) sides() (out, in []sharing) {
	var all []sharing
	for range 1 + g.IntN(4) {
		g.next += g.IntN(2)
		switch g.IntN(6) {
		case 0:
			all = append(all, g.packed()...)
		case 1:
			all = append(all, g.blocks())
		case 2:
			v := sharing{of: g.structure(2), block: g.IntN(2) == 0, location: g.next, component: -1}
			g.next += v.of.slots()
			all = append(all, v)
		default:
			v := sharing{of: g.leaf(), location: g.next, component: -1}
			g.next += v.of.slots()
			all = append(all, v)
		}
	}
	for i := range all {
		v := &all[i]
		if g.out == "tesc" {
			v.patch = g.IntN(3) == 0
		}
		if g.out == "mesh" && v.component < 0 {
			v.primitive = g.IntN(3) == 0
		}
		if g.in == "frag" && g.out != "mesh" && v.component < 0 && len(v.of.members) == 0 {
			v.perVertex = g.IntN(8) == 0
		}
		if i > 0 && v.component >= 0 && all[i-1].location == v.location { // variables that share a Location are alike
			v.patch = all[i-1].patch
		}
	}
	out, in = all, cloneSide(all)
	g.decorate(out, g.out)
	g.decorate(in, g.in)
	for i := range out {
		out[i].perVertex = false
	}
	return out, in
}

// decorate adds decorations that may differ between the two sides.
func (g *pairMaker) decorate(side []sharing, stage string) {
	for i := range side {
		v := &side[i]
		v.used, v.onMembers = g.IntN(2) == 0, v.block && g.IntN(2) == 0
		switch {
		case v.primitive && stage == "frag" && v.of.rigid():
			v.marks = []string{"Flat"}
		case !v.primitive && !v.perVertex:
			v.marks = g.interpolate(v.of, stage)
		}
		if i > 0 && v.component >= 0 && side[i-1].location == v.location {
			v.marks = side[i-1].marks
		}
		if v.component < 0 && v.location >= 0 && len(v.of.members) == 0 && v.of.cols == 1 && len(v.of.arrays) == 0 && (v.of.width != 64 || v.of.rows < 3) && g.IntN(6) == 0 {
			v.component = 0
		}
	}
}

// stageText writes modules.
type stageText struct {
	annotations, types, body strings.Builder
	known                    map[string]bool
	structs                  int
}

// stages are the begin of the module of each stage and the code at its end; outer are the
// lengths of the arrays around inputs and outputs, or 0 if there is none.
var stages = map[string]struct {
	model, modes, end string
	outerIn, outerOut int
}{
	"vert": {"Vertex", "", "OpReturn", 0, 0},
	"tesc": {"TessellationControl", "OpExecutionMode %main OutputVertices 3\n", "OpReturn", 32, 3},
	"tese": {"TessellationEvaluation", "OpExecutionMode %main Triangles\nOpExecutionMode %main SpacingEqual\nOpExecutionMode %main VertexOrderCcw\n", "OpReturn", 32, 0},
	"geom": {"Geometry", "OpExecutionMode %main Triangles\nOpExecutionMode %main Invocations 1\nOpExecutionMode %main OutputTriangleStrip\nOpExecutionMode %main OutputVertices 3\n", "OpReturn", 3, 0},
	"mesh": {"MeshEXT", "OpExecutionMode %main LocalSize 1 1 1\nOpExecutionMode %main OutputVertices 3\nOpExecutionMode %main OutputPrimitivesEXT 5\nOpExecutionMode %main OutputTrianglesEXT\n", "OpSetMeshOutputsEXT %n0 %n0\nOpReturn", 0, 3},
	"frag": {"Fragment", "OpExecutionMode %main OriginUpperLeft\n", "OpReturn", 0, 0},
}

// declare writes a type or constant once.
func (w *stageText) declare(id, text string) string {
	if !w.known[id] {
		w.known[id] = true
		fmt.Fprintf(&w.types, "%s = %s\n", id, text)
	}
	return id
}

func (w *stageText) length(n int) string {
	w.declare("%u32", "OpTypeInt 32 0")
	return w.declare(fmt.Sprintf("%%n%d", n), fmt.Sprintf("OpConstant %%u32 %d", n))
}

func (w *stageText) array(of string, n int) string {
	return w.declare(fmt.Sprintf("%s_a%d", of, n), "OpTypeArray "+of+" "+w.length(n))
}

// typ writes a type and returns its id; decorate is called with each struct.
func (w *stageText) typ(s shape, decorate func(id string)) string {
	var id string
	if len(s.members) > 0 {
		var list []string
		for _, m := range s.members {
			list = append(list, w.typ(m.of, nil))
		}
		w.structs++
		id = w.declare(fmt.Sprintf("%%s%d", w.structs), "OpTypeStruct "+strings.Join(list, " "))
		if decorate != nil {
			decorate(id)
		}
	} else {
		id = fmt.Sprintf("%%%c%d", s.kind, s.width)
		switch s.kind {
		case 'f':
			w.declare(id, fmt.Sprintf("OpTypeFloat %d", s.width))
		case 'i':
			w.declare(id, fmt.Sprintf("OpTypeInt %d 1", s.width))
		case 'u':
			w.declare(id, fmt.Sprintf("OpTypeInt %d 0", s.width))
		}
		if s.rows > 1 {
			id = w.declare(fmt.Sprintf("%s_v%d", id, s.rows), fmt.Sprintf("OpTypeVector %s %d", id, s.rows))
		}
		if s.cols > 1 {
			id = w.declare(fmt.Sprintf("%s_m%d", id, s.cols), fmt.Sprintf("OpTypeMatrix %s %d", id, s.cols))
		}
	}
	for _, n := range slices.Backward(s.arrays) {
		id = w.array(id, n)
	}
	return id
}

func (w *stageText) note(format string, args ...any) {
	fmt.Fprintf(&w.annotations, format+"\n", args...)
}

// variable writes one variable of a stage.
func (w *stageText) variable(name string, v *sharing, input bool, stage string) {
	t := w.typ(v.of, func(id string) {
		if !v.block {
			return
		}
		w.note("OpDecorate %s Block", id)
		for k, m := range v.of.members {
			if m.location >= 0 {
				w.note("OpMemberDecorate %s %d Location %d", id, k, m.location)
			}
			if m.component >= 0 {
				w.note("OpMemberDecorate %s %d Component %d", id, k, m.component)
			}
			if v.patch && v.onMembers {
				w.note("OpMemberDecorate %s %d Patch", id, k)
			}
			if v.primitive {
				w.note("OpMemberDecorate %s %d PerPrimitiveEXT", id, k)
			}
		}
	})
	if v.location >= 0 {
		w.note("OpDecorate %s Location %d", name, v.location)
	}
	if v.component >= 0 {
		w.note("OpDecorate %s Component %d", name, v.component)
	}
	for _, k := range [...]struct {
		on   bool
		word string
	}{{v.patch && !(v.block && v.onMembers), "Patch"}, {v.primitive && !v.block, "PerPrimitiveEXT"}, {v.perVertex, "PerVertexKHR"}} {
		if k.on {
			w.note("OpDecorate %s %s", name, k.word)
		}
	}
	for _, m := range v.marks {
		w.note("OpDecorate %s %s", name, m)
	}
	class, outer := "Output", stages[stage].outerOut
	if input {
		class, outer = "Input", stages[stage].outerIn
	}
	switch {
	case v.perVertex:
		outer = 3
	case v.patch:
		outer = 0
	case v.primitive && !input:
		outer = 5
	}
	if outer > 0 {
		t = w.array(t, outer)
	}
	p := w.declare(t+"_"+class, "OpTypePointer "+class+" "+t)
	w.declare(name, "OpVariable "+p+" "+class)
	switch {
	case !v.used:
	case input:
		fmt.Fprintf(&w.body, "%s_value = OpLoad %s %s\n", name, t, name)
	case outer == 0:
		fmt.Fprintf(&w.body, "OpStore %s %s\n", name, w.declare(t+"_null", "OpConstantNull "+t))
	}
}

// stageModule writes the module of a stage that declares variables.
func stageModule(stage string, input bool, side []sharing) string {
	w := &stageText{known: map[string]bool{}}
	w.length(0)
	names, extra := "", ""
	perPrimitive, perVertex := stage == "mesh", false
	for i := range side {
		name := fmt.Sprintf("%%v%d", i)
		w.variable(name, &side[i], input, stage)
		names += " " + name
		perPrimitive = perPrimitive || side[i].primitive
		perVertex = perVertex || side[i].perVertex
	}
	if perPrimitive {
		extra += "OpCapability MeshShadingEXT\n"
	}
	if perVertex {
		extra += "OpCapability FragmentBarycentricKHR\n"
	}
	if perPrimitive {
		extra += "OpExtension \"SPV_EXT_mesh_shader\"\n"
	}
	if perVertex {
		extra += "OpExtension \"SPV_KHR_fragment_shader_barycentric\"\n"
	}
	s := stages[stage]
	return "OpCapability Shader\nOpCapability Geometry\nOpCapability Tessellation\nOpCapability SampleRateShading\nOpCapability StorageInputOutput16\n" +
		"OpCapability Float16\nOpCapability Int16\nOpCapability Float64\nOpCapability Int64\n" + extra +
		"OpMemoryModel Logical GLSL450\nOpEntryPoint " + s.model + " %main \"main\"" + names + "\n" + s.modes + w.annotations.String() +
		"%void = OpTypeVoid\n%fn = OpTypeFunction %void\n" + w.types.String() +
		"%main = OpFunction %void None %fn\n%begin = OpLabel\n" + w.body.String() + s.end + "\nOpFunctionEnd\n"
}
