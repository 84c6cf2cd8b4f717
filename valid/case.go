package valid

import "embed"

// cases holds the examples of the rules, which are also the test cases.
//
//go:embed testdata/*.txtar
var cases embed.FS

// Case returns the example of a rule: a txtar archive. Sections named fail…
// violate the rule, with "; ERROR" and the code at the line of the finding;
// sections named pass… satisfy it. The comment before the first section lists
// the options of the check: "env: vulkan1.2" (default: spv1.6 for SPV-…,
// vulkan1.4 for a VUID), "device: min", or properties of a device ("feature:
// shaderInt64 off", "extension: VK_X on", "limit: maxX 4"), universal limits by
// their flags ("max-struct-members: 2"), and other flags of the command line.
// ok is false if the rule has no example.
func Case(code string) (text string, ok bool) {
	data, err := cases.ReadFile("testdata/" + code + ".txtar")
	return string(data), err == nil
}
