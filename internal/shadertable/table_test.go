package shadertable

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/amber"
)

// all has each field of a table.
const all = `
shaders: {vertex: a.vert, fragment: b.frag}
entry: main
tests:
- name: draws
  subgroup-size: 8
  spec: {0: {type: uint, value: 3}, 7: {type: float, value: 0.5}}
  push: {type: vec4<float>, data: [1, 2, 3, 4]}
  buffers:
    0: {type: uint, kind: uniform, layout: std140, data: [1]}
    1.2: {type: int8, layout: scalar, size: 16, fill: -1, expect: [-1], tolerance: {ulp: 1, absolute: 0.5, relative: 0.25}}
    3: {type: uint8, size: 3, file: bytes.bin}
  images:
    4: {format: R32_SFLOAT, size: [2, 2], data: [1, 2, 3, 4], kind: sampled}
    5: {file: one.png, kind: combined, filter: nearest}
    6: {size: [2, 2], fill: 1, expect: out.png, tolerance: {levels: 2, pixels: 3}}
  draw:
    topology: triangle_list
    count: 3
    vertices: {0: {type: vec2<float>, data: [0, 0, 1, 0, 0, 1]}}
    indices: [0, 1, 2]
    clear: [0, 0, 0, 255]
    target: {size: [8, 8], expect: target.png}
  findings: [bounds, uninit a load]
- name: computes
  shader: c.comp
  entry: second
  groups: [1, 2, 3]
  buffers: {0: {type: float, size: 4, expect: [0, 0x10, 1e3, nan]}}
`

// TestScript parses the scripts of tables, and looks for their parts.
func TestScript(t *testing.T) {
	table, err := Read("t.test.yaml", []byte(all))
	if err != nil {
		t.Fatal(err)
	}
	for i, parts := range [][]string{
		{"SPECIALIZE 0 AS uint32 3 SPECIALIZE 7 AS float 0.5", "REQUIRED_SIZE 8", "AS uniform DESCRIPTOR_SET 0 BINDING 0", "DATA_TYPE int8 SCALAR SIZE 16 FILL -1",
			"DESCRIPTOR_SET 1 BINDING 2", "BIND BUFFER push AS push_constant", "VERTEX_DATA v_0 LOCATION 0", "RUN p DRAW_ARRAY AS TRIANGLE_LIST INDEXED START_IDX 0 COUNT 3", "CLEAR_COLOR p 0 0 0 255"},
		{"ATTACH s_compute ENTRY_POINT second", "RUN p 1 2 3"},
	} {
		text, err := table.Tests[i].Script()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			if !strings.Contains(text, p) {
				t.Errorf("test %s: the script\n%s\nhas no %q", table.Tests[i].Name, text, p)
			}
		}
		_, err = amber.Parse("t", []byte(text), func(name string) ([]byte, error) {
			if strings.HasSuffix(name, ".png") {
				return []byte(onePixel), nil
			}
			return []byte{3: 0}[:3], nil
		})
		if err != nil {
			t.Errorf("test %s: %v in\n%s", table.Tests[i].Name, err, text)
		}
	}
}

// onePixel is a PNG of one black pixel: signature, IHDR (1×1, 8-bit gray), IDAT, IEND.
const onePixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU" +
	"\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82"

// TestBadTables has mistakes with the part of the error that names them.
func TestBadTables(t *testing.T) {
	const name = "tests:\n- name: x\n"
	for text, want := range map[string]string{
		"":                   "t:1:1: no tests",
		"tests: {}":          "t:1:",
		"tests: [3]":         "t:1:",
		"a: &a [*a]":         "alias",
		name:                 "no shader",
		"shader: a\n" + name: "nothing is expected",
		"shader: a\ntests:\n- findings: [bounds]":                                                "no name",
		name + "  shader: a\n  shaders: {vertex: b}\n  findings: [bounds]":                       "shader and shaders",
		name + "  shaders: {compute: a, vertex: b}\n  findings: [bounds]":                        "must be alone",
		name + "  shaders: {vertex: b}\n  findings: [bounds]":                                    "without draw",
		name + "  shaders: {vertex: b}\n  groups: [1]\n  draw: {}\n  findings: [bounds]":         "only a compute shader has groups",
		name + "  shader: a\n  findings: [bounds]\n- name: x\n  shader: a\n  findings: [bounds]": "there twice",
		name + "  shader: a\n  images: {0: {expect: a, tolerance: {levels: -1}}}":                "negative tolerance",
		name + "  shader: a\n  buffers: {0: {expect: [1], tolerance: {relative: .nan}}}":         "tolerance of NaN",
		name + "  shaders: {vertex: b}\n  draw: {}\n  permitted: true":                           "must be a compute shader with buffers",
		name + "  shader: a\n  buffers: {0: {expect: [[1]]}}":                                    "must be a number or a word",
	} {
		_, err := Read("t", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v; must contain %q", text, err, want)
		}
	}
	for body, want := range map[string]string{
		"groups: [1, 1, 1, 1]":                                      "at most 3",
		"groups: [-1]":                                              "must be a whole number",
		"groups: [1.5]":                                             "must be a whole number",
		"buffers: {a: {type: float}}":                               "must be SET.BINDING",
		"buffers: {0: {type: 'a b'}}":                               "must be one word",
		"buffers: {0: {type: '#'}}":                                 "must be one word",
		"buffers: {0: {type: a, kind: frob}}":                       "must be one of storage, uniform",
		"buffers: {0: {type: a, data: [1], fill: 2}}":               "must have one of them",
		"images: {0: {size: [1]}}":                                  "must have width and height",
		"push: {type: a, expect: [1]}":                              "only buffers and images have results",
		"entry: 'a b'":                                              "must be one word",
		"images: {0: {size: [1, 1], kind: combined, filter: frob}}": "must be one of linear, nearest",
	} {
		table, err := Read("t", []byte(name+"  shader: a\n  findings: [bounds]\n  "+body))
		if err == nil {
			_, err = table.Tests[0].Script()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v; must contain %q", body, err, want)
		}
	}
}

// FuzzRead reads any text, and parses its scripts.
func FuzzRead(f *testing.F) {
	f.Add([]byte(all))
	f.Add([]byte("tests: [{name: x, shader: a, findings: [all]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := Read("t", data)
		if err != nil {
			return
		}
		for _, x := range table.Tests {
			if text, err := x.Script(); err == nil && len(text) < 1<<16 {
				_, _ = amber.Parse("t", []byte(text), nil)
			}
		}
	})
}
