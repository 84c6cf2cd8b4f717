package link

import "embed"

//go:embed testdata/*.txtar testdata/stock/*.spvasm
var cases embed.FS

// Case returns the example of a rule, in the txtar format: fail.yaml, which
// breaks it, pass.yaml, which keeps it, and modules that they name; others are
// [Stock]. It is false where there is none.
func Case(code string) (string, bool) {
	text, err := cases.ReadFile("testdata/" + code + ".txtar")
	return string(text), err == nil
}

// Stock returns a module that examples name and do not have.
func Stock(name string) (string, bool) {
	text, err := cases.ReadFile("testdata/stock/" + name)
	return string(text), err == nil
}
