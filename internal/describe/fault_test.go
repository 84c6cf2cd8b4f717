package describe

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/link"
)

// TestExponents reads whole numbers with an exponent, which the YAML reader leaves a text.
func TestExponents(t *testing.T) {
	d, err := Read([]byte("subpass: 1e1\nrasterization: {line_width: 1.5e0}\nlimits: {maxViewports: 2e3}"), "f", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(d.Subpass, d.Rasterization.LineWidth, d.Device.Limits); got != "10 1.5 map[maxViewports:2000]" {
		t.Error(got)
	}
	for _, text := range []string{"subpass: 15e-1", "subpass: \"1e1\"", "subpass: 1e10", "limits: {maxViewports: 1e30}", "rasterization: {line_width: .nan0}"} {
		if _, err := Read([]byte(text), "f", nil); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

// TestFaults tests the messages for invalid descriptions: the position, the actual value
// and the required one.
func TestFaults(t *testing.T) {
	load := func(s Stage) (*link.Shader, error) { return nil, errors.New("no such file") }
	for _, c := range []struct{ text, want string }{
		{"kind: [", "f:1:7: sequence end token ']' not found"},
		{"kind: box", `f:1:7: kind: the text "box"; must be one of compute, data_graph, execution_graph, graphics`},
		{"kind: 3", "f:1:7: kind: the number 3; must be one of "},
		{"- 1", "f:1:1: a list; must be a mapping (schema #"},
		{"stages:\n  vertx: v.spv", `f:2:3: stages.vertx: the stage "vertx"; must be one of cluster_culling, vertex, `},
		{"stages:\n  vertex: v.spv", "f:2:3: stages.vertex: no such file"},
		{"stages:\n  vertex: {file: v.spv, specialization: {0: x}}", "f:2:42: stages.vertex.specialization.0: x; must be a number, true or false"},
		{"stages: {vertex: {fil: v.spv}}", "f:1:19: stages.vertex.fil: unknown member; must be one of code_in_chain, entry, file"},
		{"stages: {vertex: [1]}", "f:1:18: stages.vertex: a list; must be a text or a mapping (schema #/$defs/stage)"},
		{"layout:\n  sets:\n    0:\n      1: {type: samplr}", `f:4:17: layout.sets.0.1.type: the text "samplr"; must be one of sampler, `},
		{"layout:\n  sets:\n    0:\n      1: {count: 1}", "f:4:7: layout.sets.0.1: no type; must have one"},
		{"layout:\n  set_flags: {3: push_descriptor}", "f:2:15: layout.set_flags.3: there is no such set"},
		{"layout:\n  flagged_bindings: {3: 1}", "f:2:22: layout.flagged_bindings.3: there is no such set"},
		{"layout: {sets: {0: {0: {type: sampler, count: 4294967296}}}}", "f:1:47: layout.sets.0.0.count: the number 4294967296; must be a whole number from 0"},
		{"layout: {sets: {0: {0: {type: sampler, stages: vertex}}}}", `f:1:48: layout.sets.0.0.stages: the text "vertex"; must be a list`},
		{"libraries:\n  - kind: graphics\n  - kind: box", `f:3:11: libraries[1].kind: the text "box"; must be`},
		{"libraries:\n  - layout: {sets: {0: {0: {}}}}", "f:2:25: libraries[0].layout.sets.0.0: no type"},
		{"flags: [library, fast]", `f:1:18: flags[1]: the text "fast"; must be one of `},
		{"rasterization: {line_width: wide}", `f:1:29: rasterization.line_width: the text "wide"; must be a number`},
		{"color_blend: {attachments: [{enable: 1}]}", "f:1:38: color_blend.attachments[0].enable: the number 1; must be true or false"},
		{"vertex_attributes: [{format: R8}]", `f:1:30: "R8": must be the name of a format`},
		{"kind: compute\nkind: compute", `f:2:1: mapping key "kind" already defined`},
		{"", "f: describes nothing"},
		{"layout: {sets: {4294967296: {0: {type: sampler}}}}", "f:1:17: the number 4294967296; must be a whole number of 32 bits"},
		{"# nothing", "f: describes nothing"},
		{"stages: {}\nfeatures:\n  geometryShadr: true", "f:3:3: features.geometryShadr: no feature of Vulkan has this name"},
		{"stages: {}\nlimits:\n  maxViewport: 3", "f:3:3: limits.maxViewport: no limit of Vulkan has this name"},
		{"limits: {maxComputeWorkGroupSize: 128}", `f:1:10: limits.maxComputeWorkGroupSize: a limit of 3 values; each one needs an index, as in "maxComputeWorkGroupSize[0]": 1`},
		{"limits: {maxMeshMultiviewViewCount: 1}", "f:1:10: limits.maxMeshMultiviewViewCount: structs have limits of this name; must be with the struct"},
		{"limits: {maxSampleLocationGridSize: 1}", "f:1:10: limits.maxSampleLocationGridSize: a limit of 2 values;"},
		{`limits: {"maxComputeWorkGroupSize[3]": 128}`, "f:1:1: limits.maxComputeWorkGroupSize[3]: a limit of 3 values; the index must be from [0] to [2]"},
		{`limits: {"maxViewports[0]": 3}`, "f:1:1: limits.maxViewports[0]: a limit of one value; must have no index"},
		{"stages: " + strings.Repeat("[", 65), "f:1:73: deeper than 64"},
		{"kind: data_graph", "f:1:1: kind: a data graph pipeline without data_graph; must have it"},
		{"kind: compute\ndata_graph: {file: g.spv}", "f:2:1: data_graph: must not be in a pipeline of the kind compute"},
		{"data_graph: {}", "f:1:1: data_graph: no file; must have one"},
		{"data_graph: {file: g.spv, specialization: {3: x}}", "f:1:44: data_graph.specialization.3: x; must be a number"},
		{"data_graph: {file: g.spv, constants: [{id: 0, tensor: {dimensions: [-1]}}]}", "f:1:69: data_graph.constants[0].tensor.dimensions[0]: the number -1; must be a whole number"},
		{"vertex_input: {}\nvertex_attributes: []", "f:2:1: vertex_attributes: must not be beside vertex_input"},
	} {
		_, err := Read([]byte(c.text), "f", load)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: error %v; must begin with %s", c.text, err, c.want)
		}
	}
}

// stairs are mappings in mappings, each a line further to the right.
func stairs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// TestNesting reads documents with very deep nesting, of anchors and of brackets.
func TestNesting(t *testing.T) {
	for _, text := range []string{
		"layout: &a {sets: *a}", "a: &a [*a]", strings.Repeat("[", 5000), strings.Repeat("[", 1<<20), strings.Repeat("[#]\n", 1<<16), strings.Repeat("- ", 1<<18),
		strings.Repeat("? ", 1<<18), strings.Repeat("a: ", 1<<18), "{" + strings.Repeat("a:\n", 1<<18), strings.Repeat("- &a !b ", 1<<16), stairs(2000), strings.Repeat("{a: ", 5000), "stages: &s {vertex: *s}", "<<: &m {<<: *m}",
	} {
		if _, err := Read([]byte(text), "f", nil); err == nil {
			t.Errorf("%.20s: no error; must be one", text)
		}
	}
}
