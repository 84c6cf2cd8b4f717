package main

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// executionModes generates entry points with random modes.
type executionModes struct{ *soup }

// stages are the models, with the modes of a valid entry point.
var stages = []struct {
	model        string
	capabilities []string
	modes        [][]string // one of each
}{
	{"Vertex", nil, nil},
	{"Fragment", nil, [][]string{{"OriginUpperLeft"}}},
	{"GLCompute", nil, [][]string{{"LocalSize 1 1 1", "LocalSize 8 8 1"}}},
	{"Geometry", []string{"Geometry"}, [][]string{{"Triangles", "InputPoints", "InputLines"}, {"OutputTriangleStrip", "OutputPoints", "OutputLineStrip"}, {"OutputVertices 3"}, {"Invocations 1"}}},
	{"TessellationControl", []string{"Tessellation"}, [][]string{{"OutputVertices 3"}}},
	{"TessellationEvaluation", []string{"Tessellation"}, [][]string{{"Triangles", "Quads", "Isolines"}, {"SpacingEqual"}, {"VertexOrderCw"}}},
	{"MeshEXT", []string{"MeshShadingEXT"}, [][]string{{"OutputVertices 3"}, {"OutputPrimitivesEXT 1"}, {"OutputTrianglesEXT", "OutputPoints", "OutputLinesEXT"}, {"LocalSize 1 1 1"}}},
	{"RayGenerationKHR", []string{"RayTracingKHR"}, nil},
	{"AnyHitKHR", []string{"RayTracingKHR"}, nil},
}

// stage declares a random model and returns the entry point and its modes, of which one may
// be missing.
func (g *soup) stage() (model string, modes []string) {
	s := stages[g.IntN(len(stages))]
	for _, name := range s.capabilities {
		if !g.usable[name] {
			return g.stage()
		}
		g.declare(spirv.KindCapability.EnumerantByName(name))
	}
	for _, list := range s.modes {
		if g.IntN(30) != 0 {
			modes = append(modes, "OpExecutionMode %main "+list[g.IntN(len(list))])
		}
	}
	return s.model, modes
}

// generate returns the text of a module.
func (g *executionModes) generate() string {
	g.reset()
	g.types = []string{"%int = OpTypeInt 32 0", "%float = OpTypeFloat 32", "%v = OpTypeVector %float 4", "%bool = OpTypeBool",
		"%c0 = OpConstant %int 0", "%c1 = OpConstant %int 1", "%c2 = OpConstant %int 2", "%c8 = OpConstant %int 8", "%c64 = OpConstant %int 64",
		"%s = OpSpecConstant %int 4", "%f = OpConstant %float 1", "%t = OpConstantTrue %bool"}
	g.ids = []string{"%c0", "%c1", "%c1", "%c2", "%c2", "%c8", "%c64", "%s", "%s"}
	if g.IntN(5) == 0 {
		g.ids = append(g.ids, "%f", "%t", "%int", "%main", "%float", "%v")
	}
	model, modes := g.stage()
	for range 1 + g.IntN(2) {
		r := g.pick(spirv.KindExecutionMode)
		op := "OpExecutionMode"
		for _, o := range r.Operands() {
			if o.Kind.Category() == spirv.CategoryID && g.version >= 1<<16|2<<8 {
				op = "OpExecutionModeId"
			}
		}
		if g.IntN(100) == 0 && g.version >= 1<<16|2<<8 {
			op = "OpExecutionMode"
		}
		line := fmt.Sprintf("%s %%main %s%s", op, r.Name(), g.operands(r.Operands()))
		if g.IntN(4) == 0 && len(modes) > 0 { // in place of another
			modes = slices.Delete(modes, 0, 1)
		}
		modes = append(modes, line)
	}
	if g.IntN(20) == 0 {
		g.declare(spirv.KindCapability.EnumerantByName("Int8"))
	}
	return g.text("OpEntryPoint "+model+` %main "main"`, modes...)
}
