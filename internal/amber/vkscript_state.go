package amber

import "strings"

// vkStates are the lines of [test] that set fixed-function state: the value of each is a
// truth value, a number, or words with one of the prefixes.
var vkStates = map[string]string{
	"primitiveRestartEnable": "bool", "depthClampEnable": "bool", "rasterizerDiscardEnable": "bool", "depthBiasEnable": "bool",
	"logicOpEnable": "bool", "blendEnable": "bool", "depthTestEnable": "bool", "depthWriteEnable": "bool",
	"depthBoundsTestEnable": "bool", "stencilTestEnable": "bool",
	"depthBiasConstantFactor": "number", "depthBiasClamp": "number", "depthBiasSlopeFactor": "number", "lineWidth": "number",
	"minDepthBounds": "number", "maxDepthBounds": "number", "front.compareMask": "number", "back.compareMask": "number",
	"front.writeMask": "number", "back.writeMask": "number", "front.reference": "number", "back.reference": "number",
	"topology": "VK_PRIMITIVE_TOPOLOGY_", "polygonMode": "VK_POLYGON_MODE_", "logicOp": "VK_LOGIC_OP_", "frontFace": "VK_FRONT_FACE_",
	"cullMode": "VK_CULL_MODE_", "srcColorBlendFactor": "VK_BLEND_FACTOR_", "dstColorBlendFactor": "VK_BLEND_FACTOR_",
	"srcAlphaBlendFactor": "VK_BLEND_FACTOR_", "dstAlphaBlendFactor": "VK_BLEND_FACTOR_", "colorBlendOp": "VK_BLEND_OP_",
	"alphaBlendOp": "VK_BLEND_OP_", "depthCompareOp": "VK_COMPARE_OP_", "front.compareOp": "VK_COMPARE_OP_",
	"back.compareOp": "VK_COMPARE_OP_", "front.failOp": "VK_STENCIL_OP_", "front.passOp": "VK_STENCIL_OP_",
	"front.depthFailOp": "VK_STENCIL_OP_", "back.failOp": "VK_STENCIL_OP_", "back.passOp": "VK_STENCIL_OP_",
	"back.depthFailOp": "VK_STENCIL_OP_", "colorWriteMask": "VK_COLOR_COMPONENT_",
}

// stateLine reads a line that sets fixed-function state.
func (v *vkParser) stateLine(step Step, w word) {
	form, ok := vkStates[w.text]
	if !ok {
		v.fail(CodeWord, w.pos, "%s is no command", w)
		return
	}
	var values []string
	switch form {
	case "bool":
		values = []string{[]string{"false", "true"}[v.oneOf("a truth value", "false", "true")]}
	case "number":
		values = []string{v.numberWord()}
	default:
		values = v.flagWords(form)
	}
	v.state(step, w.text, values)
}

// flagWords reads words of one prefix with | between them.
func (v *vkParser) flagWords(prefix string) []string {
	var values []string
	for {
		for part := range strings.SplitSeq(v.word("a word").text, "|") {
			if part == "" {
				continue
			}
			if !strings.HasPrefix(part, prefix) {
				v.fail(CodeWord, v.lex.pos(), "%q; must be a word that begins with %s", part, prefix)
			}
			values = append(values, part)
		}
		if v.lex.peek().eol {
			return values
		}
	}
}

func (v *vkParser) state(step Step, name string, values []string) {
	v.add(&SetState{step, v.pipeline(step, GraphicsPipeline), name, values})
}
