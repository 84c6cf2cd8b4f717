package valid

import "embed"

// cases has the cases that the tests judge. They are the examples of the rules.
//
//go:embed testdata/*.txtar
var cases embed.FS

// Case returns the example of a rule: an archive in txtar's form whose sections
// named fail… break it, marked with "; ERROR" and the code at the line where the
// finding stands, and those named pass… keep it. The comment before the first
// says what it is judged for: "env: vulkan1.2" (without it spv1.6 for SPV-…, and
// vulkan1.4 for a VUID), "device: min", or what is known of a device ("feature:
// shaderInt64 off", "extension: VK_X on", "limit: maxX 4"), universal limits
// by their flags ("max-struct-members: 2"), and other flags of the command line.
// ok is false where the rule has none.
func Case(code string) (text string, ok bool) {
	data, err := cases.ReadFile("testdata/" + code + ".txtar")
	return string(data), err == nil
}
