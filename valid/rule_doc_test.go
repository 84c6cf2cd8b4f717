package valid

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// TestRuleDocs checks that docs/rules.md and docs/vuids.md agree with the
// source; with -todo it writes them.
func TestRuleDocs(t *testing.T) {
	at := judges(t, "valid", ".", "../spirv")
	for name, text := range map[string][]byte{"rules.md": rulesPage(at), "vuids.md": vuidsPage(at, judges(t, "link", "../link"), judges(t, "vk", "../vk"))} {
		file := filepath.Join("../docs", name)
		if *writeTodo {
			if err := os.WriteFile(file, text, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, text) {
			t.Errorf("%s is not what the source says; write it with: go test ./valid -run 'TestWriteTodo|TestRuleDocs' -todo", file)
		}
	}
}

// judges returns the places that report each code in some directories, the first of
// which is a package: the function, or the table, outside of the
// list of rules.
func judges(t *testing.T, name string, dirs ...string) map[string]string {
	names := map[string]string{}
	for _, code := range vuid.All {
		ident := strings.ReplaceAll(strings.TrimPrefix(code, "VUID-"), "-", "_")
		names[ident] = code
		if h, rest, ok := strings.Cut(ident, "_"); ok && strings.HasPrefix(rest, h+"_") {
			names[rest] = code
		}
	}
	at := map[string]string{}
	for _, file := range sources(t, dirs...) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			where, table := declared(d)
			ast.Inspect(d, func(n ast.Node) bool {
				if kv, ok := n.(*ast.KeyValueExpr); ok {
					if k, ok := kv.Key.(*ast.Ident); ok && k.Name == "Code" {
						return false
					}
				}
				code := ""
				switch x := n.(type) {
				case *ast.BasicLit:
					if s := strings.Trim(x.Value, `"`); strings.HasPrefix(s, "SPV-") {
						code = s
					}
				case *ast.SelectorExpr:
					if id, ok := x.X.(*ast.Ident); ok && id.Name == "vuid" {
						code = names[x.Sel.Name]
					}
				}
				if _, have := at[code]; code != "" && (!have || !table) {
					at[code] = strings.TrimPrefix(filepath.ToSlash(filepath.Clean(filepath.Join(name, inside(file, dirs[0])))), "./") + " " + where
				}
				return true
			})
		}
	}
	return at
}

// inside returns a file's name relative to a directory, if it is in it.
func inside(file, dir string) string {
	if rel, err := filepath.Rel(dir, file); err == nil {
		return rel
	}
	return file
}

// declared returns the name of a declaration, and whether it is a table.
func declared(d ast.Decl) (name string, table bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name, false
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				return v.Names[0].Name, true
			}
		}
	}
	return "", true
}

// caseLink returns a link to the case of a code.
func caseLink(code string) string {
	if _, ok := Case(code); ok {
		return "[case](../valid/testdata/" + code + ".txtar)"
	}
	return ""
}

// rulesPage lists the universal rules.
func rulesPage(at map[string]string) []byte {
	var b bytes.Buffer
	b.WriteString("<!-- Written by TestRuleDocs of package valid. -->\n\n# Rules of SPIR-V\n\nThe rules without a VUID that `chiaro check` checks. `chiaro explain CODE` shows a rule with a module that\nbreaks it and a module that follows it. [pipelines.md](pipelines.md) counts the answers for all rules of Vulkan:\nit has those on pipelines and commands, [vuids.md](vuids.md) those on modules.\n\n| rule | section | requirement | checked by | example |\n|---|---|---|---|---|\n")
	for r := range Rules() {
		if strings.HasPrefix(r.Code, "SPV-") {
			fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | %s |\n", r.Code, r.Section, strings.ReplaceAll(r.Words, "|", "\\|"), at[r.Code], caseLink(r.Code))
		}
	}
	return b.Bytes()
}

// vuidGroups are the groups of Vulkan's rules on modules by the prefix of their
// VUIDs; a group of built-ins has the name of one.
var vuidGroups = [...]struct{ title, prefix string }{
	{"StandaloneSpirv: what a module decides", "VUID-StandaloneSpirv-"},
	{"RuntimeSpirv: what a device, a pipeline or a run decides too", "VUID-RuntimeSpirv-"},
	{"Built-in variables", ""},
}

// beyondWords describe the needs of rules, after their number.
var beyondWords = [...]string{
	BeyondPipeline: "need a pipeline", BeyondDraw: "need a draw", BeyondRun: "need a run", BeyondText: "are not of this text", BeyondOther: "have the content of others",
}

// vuidsPage lists Vulkan's rules on modules, those that are not checked too.
func vuidsPage(at, link, objects map[string]string) []byte {
	var b bytes.Buffer
	b.WriteString("<!-- Written by TestRuleDocs of package valid. -->\n\n# Vulkan's rules on modules\n\nEach rule of the appendix \"Shader Validation\" and of the chapter \"Built-In Variables\", and the function\nthat checks it. `chiaro check` checks *device* rules only with `--profile`, which describes the device. For\na rule that a module and a device do not decide, the list has its need: a *pipeline* (with its layout,\nflags and other stages), a *draw* (the bound and attached objects and their creation), a *run* (values of\nan execution), *text*: the rule is about a\npart of Vulkan or SPIR-V that this version does not have, or *other*: a checked rule has the same content.\n[pipelines.md](pipelines.md) counts the rules that a run judges.\n\n")
	beyond := map[string]Unjudged{}
	for u := range AllUnjudged() {
		beyond[u.Code] = u
	}
	for g, group := range vuidGroups {
		var rows bytes.Buffer
		total, judged, linked, full, cases := 0, 0, 0, 0, 0
		var needs [BeyondOther + 1]int
		for _, code := range vuid.All {
			if groupOf(code) != g {
				continue
			}
			total++
			r, ok := RuleOf(code)
			if !ok {
				u := beyond[code]
				by := u.Why
				if where := link[code]; where != "" {
					by = "`" + where + "`"
					linked++
				} else if where := objects[code]; where != "" {
					by = "`" + where + "`"
					full++
				} else {
					needs[u.Needs]++
				}
				fmt.Fprintf(&rows, "| `%s` | %s | %s | |\n", code, u.Needs, by)
				continue
			}
			judged++
			example := caseLink(code)
			if example != "" {
				cases++
			}
			fmt.Fprintf(&rows, "| `%s` | %s | `%s` | %s |\n", code, r.Need, at[code], example)
		}
		fmt.Fprintf(&b, "## %s\n\n%d rules: %d checked by `chiaro check`, %d of them with a case; %d checked by `chiaro link`", group.title, total, judged, cases, linked)
		if full > 0 {
			fmt.Fprintf(&b, "; %d by full checking of package `vk`", full)
		}
		for n, count := range needs {
			if count > 0 {
				fmt.Fprintf(&b, "; %d %s", count, beyondWords[n])
			}
		}
		fmt.Fprintf(&b, ".\n\n| rule | needs | checked by, or the reason why not | example |\n|---|---|---|---|\n%s\n", &rows)
	}
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
}

// groupOf returns the group of a VUID, −1 if it is in none of these.
func groupOf(code string) int {
	for g, group := range vuidGroups[:2] {
		if strings.HasPrefix(code, group.prefix) {
			return g
		}
	}
	builtIn, rest, _ := strings.Cut(strings.TrimPrefix(code, "VUID-"), "-")
	// Some have no number in SPIR-V yet: their rules name them twice.
	if spirv.KindBuiltIn.EnumerantByName(builtIn) != nil || strings.HasPrefix(rest, builtIn+"-") {
		return 2
	}
	return -1
}
