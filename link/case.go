package link

import "embed"

//go:embed testdata/*.txtar testdata/stock/*.spvasm
var cases embed.FS

// Case returns the example of a rule in the txtar format: fail.yaml, which breaks the rule,
// pass.yaml, which satisfies it, and the modules that they name; other modules are in
// [Stock]. It returns false if the rule has no example.
func Case(code string) (string, bool) {
	text, err := cases.ReadFile("testdata/" + code + ".txtar")
	return string(text), err == nil
}

// Stock returns a module that examples name and do not have.
func Stock(name string) (string, bool) {
	text, err := cases.ReadFile("testdata/stock/" + name)
	return string(text), err == nil
}
