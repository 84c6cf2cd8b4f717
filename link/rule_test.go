package link_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// judges returns the function that checks each rule, outside of lists of rules.
func judges(t *testing.T) map[string]string {
	t.Helper()
	names := map[string]string{}
	for _, code := range vuid.All {
		name := strings.ReplaceAll(strings.TrimPrefix(code, "VUID-"), "-", "_")
		if of, rest, _ := strings.Cut(name, "_"); strings.HasPrefix(rest, of+"_") { // which package vuid has only once
			name = rest
		}
		names[strings.ToUpper(name[:1])+name[1:]] = code
	}
	at, byFunction := map[string]string{}, map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			where := declares(d)
			if strings.HasSuffix(where, "Rules") {
				continue
			}
			_, function := d.(*ast.FuncDecl)
			note := func(code string) { // a function is more specific than a table of names
				if at[code] == "" || function && !byFunction[code] {
					at[code], byFunction[code] = "link/"+file+" "+where, function
				}
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if x, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(x.Value, `"SPV-`) { // Vulkan has no name for it
					note(strings.Trim(x.Value, `"`))
				}
				if x, ok := n.(*ast.SelectorExpr); ok {
					if id, ok := x.X.(*ast.Ident); ok && id.Name == "vuid" && names[x.Sel.Name] != "" {
						note(names[x.Sel.Name])
					}
				}
				return true
			})
		}
	}
	return at
}

// declares returns the name of the declared object.
func declares(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				return v.Names[0].Name
			}
		}
	}
	return ""
}

// TestRules demands that every rule is checked by a function, that every code in a check is
// a rule, and that a rule without a case is in testdata/todo.txt.
func TestRules(t *testing.T) {
	at := judges(t)
	have := map[string]bool{}
	var missing []string
	for r := range link.Rules() {
		switch {
		case have[r.Code]:
			t.Errorf("%s: twice", r.Code)
		case r.Words == "" || strings.HasSuffix(r.Words, "."):
			t.Errorf("%s: needs words without a period", r.Code)
		case at[r.Code] == "":
			t.Errorf("%s is a rule that nothing judges", r.Code)
		}
		have[r.Code] = true
		if _, err := os.Stat("testdata/" + r.Code + ".txtar"); err != nil {
			missing = append(missing, r.Code)
		}
	}
	for code := range at {
		if !have[code] {
			t.Errorf("%s is judged and is no rule", code)
		}
	}
	text := strings.Join(missing, "\n") + "\n"
	if *writeTodo {
		if err := os.WriteFile("testdata/todo.txt", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	todo, err := os.ReadFile("testdata/todo.txt")
	if err != nil {
		t.Fatal(err)
	}
	if string(todo) != text {
		t.Error("testdata/todo.txt does not list exactly the rules without a case; write it with: go test ./link -todo")
	}
}

// TestDocs compares docs/pipelines.md with the checked rules.
func TestDocs(t *testing.T) {
	want := page(judges(t))
	const file = "../docs/pipelines.md"
	if *writeTodo {
		if err := os.WriteFile(file, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("%s differs from the source; write it with: go test ./link -todo", file)
	}
}

// ofModules reports whether a code is a rule on modules. Package valid checks such rules
// and docs/vuids.md lists them.
func ofModules(code string) bool {
	of, _, _ := strings.Cut(strings.TrimPrefix(code, "VUID-"), "-")
	return !strings.HasPrefix(of, "Vk") && !strings.HasPrefix(of, "vk")
}

// summary counts the answers for all rules of Vulkan.
func summary() string {
	var b strings.Builder
	n := map[link.Judge]int{}
	for _, code := range vuid.All {
		a, _ := link.AnswerOf(code)
		n[a.By]++
	}
	words := map[link.Judge]string{
		link.ByCheck: "`check` judges it for each module: [vuids.md](vuids.md)", link.ByLink: "`check` and `link` judge it for a description of a pipeline: this page",
		link.ByReader: "the reader of modules or descriptions rejects the input", link.ByRun: "a run stops with an error, or [a sanitizer](sanitizers.md) reports the fault", link.ByObjects: "package `vk` checks it, the objects of the API",
		link.ByDriver:  "the driver checks the memory of each call, with a debug messenger or `CHIARO_CHECK`",
		link.ByOther:   "other rules with the same content are judged",
		link.ByRefusal: "the device refuses the extension or the feature that the rule is on, with a message",
		link.NeedsForm: "not judged: it is on memory that the driver cannot judge, or writes itself", link.NeedsCall: "not judged: it needs the handles of a call, or the state of the device",
		link.NeedsCommands: "not judged: it needs the commands that were recorded before", link.NeedsDraw: "not judged: it needs the resources that are bound",
		link.NeedsRun:    "not judged: it needs values of an execution",
		link.NeedsObject: "not judged: it needs an object, a state or a parameter that package `vk` does not have",
		link.NeedsText:   "not judged: this version of the specification does not have the subject",
	}
	judged := 0
	for _, j := range link.Judges() {
		if j.Judged() && j != link.ByRefusal {
			judged += n[j]
		}
	}
	fmt.Fprintf(&b, "Vulkan has %d rules on shaders, pipelines and their use. Chiaro judges %d of them, and refuses the extensions that %d more are on:\n\n| answer | rules | meaning |\n|---|--:|---|\n", len(vuid.All), judged, n[link.ByRefusal])
	for _, j := range link.Judges() {
		fmt.Fprintf(&b, "| %s | %d | %s |\n", j, n[j], words[j])
	}
	return b.String()
}

// page lists Vulkan's rules on pipelines by subject.
func page(at map[string]string) []byte {
	groups := map[string][]string{}
	for _, code := range vuid.All {
		of, _, _ := strings.Cut(strings.TrimPrefix(code, "VUID-"), "-")
		if !ofModules(code) || at[code] != "" {
			groups[of] = append(groups[of], code)
		}
	}
	for r := range link.Rules() {
		if strings.HasPrefix(r.Code, "SPV-") {
			groups["SPV"] = append(groups["SPV"], r.Code)
		}
	}
	var b, rows bytes.Buffer
	judged, cases := 0, 0
	for _, of := range slices.Sorted(maps.Keys(groups)) {
		n := 0
		var lines, not bytes.Buffer
		for _, code := range groups[of] {
			r, ok := link.RuleOf(code)
			if !ok {
				a, _ := link.AnswerOf(code)
				fmt.Fprintf(&not, "| `%s` | %s | %s |\n", code, a.By, a.Why)
				continue
			}
			n++
			example := ""
			if _, err := os.Stat("testdata/" + code + ".txtar"); err == nil {
				example = "[case](../link/testdata/" + code + ".txtar)"
				cases++
			}
			fmt.Fprintf(&lines, "| `%s` | %s | `%s` | %s |\n", code, r.Words, at[code], example)
		}
		judged += n
		fmt.Fprintf(&rows, "\n## %s: %d of %d\n", of, n, len(groups[of]))
		if n > 0 {
			fmt.Fprintf(&rows, "\n| rule | requirement | checked by | example |\n|---|---|---|---|\n%s", lines.Bytes())
		}
		if not.Len() > 0 {
			fmt.Fprintf(&rows, "\n| other rule | answer | reason, or what a check needs |\n|---|---|---|\n%s", not.Bytes())
		}
	}
	fmt.Fprintf(&b, "<!-- Written by TestDocs of package link. -->\n\n# Vulkan's rules on pipelines\n\n%s\nThis page has the rules on pipelines, layouts, shader objects and commands: %d are checked for descriptions of pipelines, %d of\nthem with a case. [vuids.md](vuids.md) has the rules on modules. Each heading has the number of checked rules on its subject.\n", summary(), judged, cases)
	b.Write(rows.Bytes())
	return b.Bytes()
}
