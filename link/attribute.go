package link

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// attributeRules are the rules of the Vertex Input Interface.
var attributeRules = []Rule{
	{vuid.VkGraphicsPipelineCreateInfo_Input_07904, "each input of a vertex stage has an attribute, unless vertexAttributeRobustness or maintenance9 is enabled"},
	{vuid.VkGraphicsPipelineCreateInfo_Input_08733, "an attribute is of the numeric type of the input that reads it"},
	{vuid.VkGraphicsPipelineCreateInfo_pVertexInputState_08929, "an input that reads an attribute of 64 bits has 64 bits"},
	{vuid.VkGraphicsPipelineCreateInfo_pVertexInputState_08930, "an input of 64 bits reads an attribute of 64 bits"},
}

// numeric returns the kind and width of the value that a shader reads from a format
// (Vulkan, Interpretation of Numeric Format): float except for UINT and SINT, and 64 bits
// if a component has 64 bits.
func (f Format) numeric() (kind iface.Kind, width int) {
	i := format.ByID(uint32(f))
	if i == nil {
		return iface.Float, 32
	}
	kind, width = [...]iface.Kind{format.Float: iface.Float, format.Int: iface.Int, format.Uint: iface.Uint}[i.Sampled], 32
	if i.Wide {
		width = 64
	}
	return kind, width
}

// components returns how many components a format has.
func components(f Format) int {
	if i := format.ByID(uint32(f)); i != nil {
		return len(i.Components)
	}
	return 4
}

// attributes checks the inputs of the vertex stage against the vertex
// attributes (Vulkan, Vertex Input Interface).
func (l *linker) attributes() {
	s := l.stage(vertex)
	if s == nil || l.d.Vertex == nil {
		return
	}
	if l.d.dynamic(enum.DynamicStateVertexInput) && l.d.Kind != ShaderObjects {
		if l.recorded = l.setFor(enum.DynamicStateVertexInput); !l.recorded {
			return
		}
	}
	defer func() { l.recorded = false }()
	at := map[uint32]*Attribute{}
	for i := range l.d.Vertex.Attributes {
		at[l.d.Vertex.Attributes[i].Location] = &l.d.Vertex.Attributes[i]
	}
	for i := range s.Entry.Inputs {
		v := &s.Entry.Inputs[i]
		if v.Missing || !v.Type.Numeric() {
			continue
		}
		for n := range min(v.Slots, maxSlots) {
			step := uint64(1)
			if v.Type.Width == 64 && v.Type.Rows > 2 {
				step = 2 // the second Location of a long vector has no attribute of its own
			}
			if n%step == 0 && !l.attribute(s, v, at, v.Location+uint32(n)) {
				break
			}
		}
	}
}

// legacy reports whether an attribute that a command sets may be of another numeric type
// than an input: with the feature legacyVertexAttributes, unless the input has 64 bits.
func (l *linker) legacy(v *iface.Variable) bool {
	on, known := l.d.feature("legacyVertexAttributes")
	return on && known && v.Type.Width != 64 && (l.recorded || l.d.Kind == ShaderObjects)
}

// attribute checks one Location of an input. It returns whether there is more
// to say of the input.
func (l *linker) attribute(s *Shader, v *iface.Variable, at map[uint32]*Attribute, location uint32) bool {
	side := variableSide(s, v)
	a := at[location]
	if a == nil {
		robust, known := l.d.feature("vertexAttributeRobustness")
		late, knownToo := l.d.feature("maintenance9")
		if known && knownToo && !robust && !late {
			l.fail(vuid.VkGraphicsPipelineCreateInfo_Input_07904, []Side{side}, "the vertex stage reads %s at location %d, for which there is no attribute; must be one", v.Name, location)
		}
		return false
	}
	sides := []Side{side, {Stage: "vertex input", Slot: fmt.Sprintf("location %d", location), Type: a.Format.String()}}
	switch kind, width := a.Format.numeric(); {
	case kind != v.Type.Kind && !l.legacy(v):
		l.fail(vuid.VkGraphicsPipelineCreateInfo_Input_08733, sides, "%s is %s, its attribute %s; must be of the same numeric type", v.Name, v.Type, a.Format)
		return false
	case width == 64 && v.Type.Width != 64:
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pVertexInputState_08929, sides, "%s is %s, its attribute %s has 64 bits; must have as many", v.Name, v.Type, a.Format)
		return false
	case width == 64 && int(v.Component)/2+v.Type.Rows > components(a.Format):
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pVertexInputState_09198, sides, "%s is %s, its attribute %s has %d components; must have as many", v.Name, v.Type, a.Format, components(a.Format))
		return false
	case width != 64 && v.Type.Width == 64:
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pVertexInputState_08930, sides, "%s is %s, its attribute %s has no 64 bits; must have as many", v.Name, v.Type, a.Format)
		return false
	}
	return true
}
