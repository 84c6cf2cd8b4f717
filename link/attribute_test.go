package link

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// formatOf is the format of a name.
func formatOf(name string) (f Format) {
	if err := f.UnmarshalText([]byte(name)); err != nil {
		panic(err)
	}
	return f
}

// TestAttributes holds the rules of the Vertex Input Interface.
func TestAttributes(t *testing.T) {
	off := map[string]bool{"vertexAttributeRobustness": false, "maintenance9": false}
	matrix := iface.Type{Kind: iface.Float, Width: 32, Rows: 4, Columns: 2}
	for _, c := range []struct {
		name     string
		in       iface.Type
		have     []Attribute
		features map[string]bool
		code     string
	}{
		{"floats of bytes", vec(iface.Float, 32, 4), []Attribute{{Format: formatOf("R8G8B8A8_UNORM")}}, off, ""},
		{"floats", vec(iface.Float, 32, 3), []Attribute{{Format: formatOf("R32G32_SFLOAT")}}, off, ""},
		{"unsigned", vec(iface.Uint, 32, 2), []Attribute{{Format: formatOf("r16g16_uint")}}, off, ""},
		{"signed for unsigned", vec(iface.Uint, 32, 2), []Attribute{{Format: formatOf("R16G16_SINT")}}, off, vuid.VkGraphicsPipelineCreateInfo_Input_08733},
		{"ints for floats", vec(iface.Float, 32, 2), []Attribute{{Format: formatOf("R32G32_UINT")}}, off, vuid.VkGraphicsPipelineCreateInfo_Input_08733},
		{"missing", vec(iface.Float, 32, 2), nil, off, vuid.VkGraphicsPipelineCreateInfo_Input_07904},
		{"missing, nothing known", vec(iface.Float, 32, 2), nil, nil, ""},
		{"missing, robust", vec(iface.Float, 32, 2), nil, map[string]bool{"vertexAttributeRobustness": true, "maintenance9": false}, ""},
		{"second column missing", matrix, []Attribute{{Format: formatOf("R32G32B32A32_SFLOAT")}}, off, vuid.VkGraphicsPipelineCreateInfo_Input_07904},
		{"doubles", vec(iface.Float, 64, 4), []Attribute{{Format: formatOf("R64G64B64A64_SFLOAT")}}, off, ""},
		{"doubles of floats", vec(iface.Float, 64, 2), []Attribute{{Format: formatOf("R32G32_SFLOAT")}}, off, vuid.VkGraphicsPipelineCreateInfo_pVertexInputState_08930},
		{"floats of doubles", vec(iface.Float, 32, 2), []Attribute{{Format: formatOf("R64G64_SFLOAT")}}, off, vuid.VkGraphicsPipelineCreateInfo_pVertexInputState_08929},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := []iface.Variable{{Name: "v", Type: c.in, Slots: c.in.Slots()}}
			found := Link(&Description{
				Vertex: &VertexInput{Attributes: c.have}, Device: &valid.Device{Features: c.features},
				Stages: []Shader{shader(t, iface.Entry{Model: spirv.ExecutionModelVertex, Inputs: in})},
			})
			switch {
			case c.code == "" && len(found) > 0:
				t.Errorf("found %s: %s; must be nothing", found[0].Code, found[0].Message)
			case c.code != "" && (len(found) != 1 || found[0].Code != c.code):
				t.Errorf("found %v; must be %s", found, c.code)
			}
		})
	}
}
