package describe

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/xeipuuv/gojsonschema"

	"github.com/chiaro-gpu/chiaro/link"
)

var update = flag.Bool("update", false, "write docs/pipeline.schema.json")

// TestSchema compares the published schema with the types of the reader.
func TestSchema(t *testing.T) {
	const file = "../../docs/pipeline.schema.json"
	want := Schema()
	if *update {
		if err := os.WriteFile(file, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("%s is not what descriptions are; write it with: go test ./internal/describe -update", file)
	}
}

// TestSchemaTakes tests that the schema accepts exactly the documents that the reader
// accepts.
func TestSchemaTakes(t *testing.T) {
	schema, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{"stages: {vertex: v.spv, fragment: {file: f.spv, specialization: {3: 1.5}, flags: [require_full_subgroups]}}", true},
		{"layout: {flags: independent_sets, sets: {0: {1: {type: sampler, count: 2, stages: [fragment]}}}, push_constants: [{offset: 0, size: 4}]}", true},
		{"color_blend: {attachments: [{enable: true, src_color: src1_alpha, write_mask: 7}]}\nrender_pass: {subpasses: [{color: [0, unused]}]}", true},
		{"ray_stages: [{stage: raygen, file: r.spv}]\nray_tracing: {groups: [{type: general, general: 0}], max_recursion_depth: 1}", true},
		{"fragment_shading_rate: {combiners: [keep, max]}\nrasterization: {cull_mode: [front, back]}\ndynamic: [viewport]\nfeatures: {maintenance4: true}\nlimits: {maxVertexInputBindings: 3}", true},
		{"vertex_input: {attributes: [{location: 0, format: R32_SFLOAT}]}", true},
		{"kind: data_graph\ndata_graph: {file: g.spv, constants: [{id: 0, tensor: {format: R8_SINT, dimensions: [2]}}], resources: [{set: 0, binding: 1, array_element: 0}]}", true},
		{"rasterization: {cull_mode: none}\nlayout: {flags: [none]}", true},
		{"rasterization: {front_face: none}", false},
		{"call: {index: 1, base_pipeline_index: -1}", true},
		{"call: {base_pipeline_index: 1.5}", false},
		{"subpass: 1.5", false},
		{"subpass: -1.0", false},
		{"subpass: 1.0", true},
		{"subpass: 5e9", false},
		{"subpass: \"3\"", false},
		{"stages: {vertex: {file: 3}}", false},
		{"rasterization: {line_width: \"1\"}", false},
		{"reading: 1.1", true},
		{"reading: \"1.0\"", true},
		{"reading: current", true},
		{"reading: 1.2", false},
		{"stages: {vertex: 3}", false},
		{"input_assembly: {topology: triangles}", false},
		{"layouts: {}", false},
		{"layout: {sets: {a: {1: {type: sampler}}}}", false},
		{"vertex_input: {bindings: [{binding: -1}]}", false},
	} {
		data, err := yaml.YAMLToJSON([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		r, err := schema.Validate(gojsonschema.NewGoLoader(v))
		if err != nil {
			t.Fatal(err)
		}
		if r.Valid() != c.ok {
			t.Errorf("%s: the schema takes it: %t, must be %t: %v", c.text, r.Valid(), c.ok, r.Errors())
		}
		_, err = Read([]byte(c.text), "x.yaml", func(Stage) (*link.Shader, error) { return &link.Shader{}, nil })
		if (err == nil) != c.ok {
			t.Errorf("%s: it is read with %v; must be as the schema says", c.text, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "x.yaml:1:") {
			t.Errorf("%s: %v; must begin with the file", c.text, err)
		}
	}
}

// TestSchemaDescriptions demands a description of each key of each object, and no other.
func TestSchemaDescriptions(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	if id, _ := schema["$id"].(string); id == "" {
		t.Error("no $id")
	}
	used := map[string]bool{}
	described(t, "", schema, used)
	for key, text := range descriptions {
		if !used[text] {
			t.Errorf("%s is no key", key)
		}
	}
}

// described walks a schema: every object forbids unknown keys and describes its own. It collects the descriptions.
func described(t *testing.T, path string, v any, used map[string]bool) {
	if list, ok := v.([]any); ok {
		for _, x := range list {
			described(t, path, x, used)
		}
	}
	s, ok := v.(map[string]any)
	if !ok {
		return
	}
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		text, _ := p.(map[string]any)["description"].(string)
		if used[text] = true; text == "" {
			t.Errorf("%s.%s has no description", path, name)
		}
	}
	if more, ok := s["additionalProperties"].(bool); properties != nil && (!ok || more) {
		t.Errorf("%s: unknown keys are allowed", path)
	}
	for key, x := range s {
		described(t, path+"/"+key, x, used)
	}
}
