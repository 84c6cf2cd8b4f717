package valid

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/vuid"
)

// TestRules demands that each rule has one entry with words and a section, and
// that each code that a function reports is a rule, and each rule is reported.
func TestRules(t *testing.T) {
	have := map[string]bool{}
	form := regexp.MustCompile(`^(VUID-\w+-\w+-\d{5}|SPV-\w+-\w+)$`)
	for r := range Rules() {
		switch {
		case have[r.Code]:
			t.Errorf("%s: twice", r.Code)
		case !form.MatchString(r.Code):
			t.Errorf("%s: no VUID and no SPV-Subject-Rule", r.Code)
		case r.Section == "" || r.Words == "" || strings.HasSuffix(r.Words, "."):
			t.Errorf("%s: needs a section, and words without a period", r.Code)
		case strings.HasPrefix(r.Code, "VUID-") && !slices.Contains(vuid.All[:], r.Code):
			t.Errorf("%s: Vulkan has no such rule", r.Code)
		}
		have[r.Code] = true
	}
	declared, used := codes(t)
	for code := range used {
		if !have[code] {
			t.Errorf("%s is reported and is no rule", code)
		}
	}
	for code := range declared {
		if !used[code] {
			t.Errorf("%s is a rule that nothing reports", code)
		}
	}
}

// TestUnjudged checks that each of Vulkan's rules on modules is either checked or
// in the list of unchecked rules, and not both.
func TestUnjudged(t *testing.T) {
	listed := map[string]bool{}
	for u := range AllUnjudged() {
		_, judged := RuleOf(u.Code)
		switch {
		case listed[u.Code]:
			t.Errorf("%s: twice", u.Code)
		case judged:
			t.Errorf("%s is judged", u.Code)
		case groupOf(u.Code) < 0 || !slices.Contains(vuid.All[:], u.Code):
			t.Errorf("%s: Vulkan has no such rule on modules", u.Code)
		case u.Why == "":
			t.Errorf("%s: needs a reason", u.Code)
		}
		listed[u.Code] = true
	}
	for _, code := range vuid.All {
		if _, judged := RuleOf(code); groupOf(code) >= 0 && !judged && !listed[code] {
			t.Errorf("%s is neither judged nor listed", code)
		}
	}
}

// codes returns the codes that the source declares as rules, and those that
// occur anywhere else.
func codes(t *testing.T) (declared, used map[string]bool) {
	declared, used = map[string]bool{}, map[string]bool{}
	names := map[string]string{}
	for _, code := range vuid.All {
		ident := strings.ReplaceAll(strings.TrimPrefix(code, "VUID-"), "-", "_")
		names[ident] = code
		if h, rest, ok := strings.Cut(ident, "_"); ok && strings.HasPrefix(rest, h+"_") {
			names[rest] = code
		}
	}
	for _, file := range sources(t, ".", "../spirv") {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		code := func(e ast.Expr) string {
			switch x := e.(type) {
			case *ast.BasicLit:
				if s, err := strconv.Unquote(x.Value); err == nil && strings.HasPrefix(s, "SPV-") {
					return s
				}
			case *ast.SelectorExpr:
				if id, ok := x.X.(*ast.Ident); ok && id.Name == "vuid" {
					return names[x.Sel.Name]
				}
			}
			return ""
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if kv, ok := n.(*ast.KeyValueExpr); ok {
				if k, ok := kv.Key.(*ast.Ident); ok && k.Name == "Code" {
					if c := code(kv.Value); c != "" {
						declared[c] = true
						return false
					}
				}
			}
			if e, ok := n.(ast.Expr); ok {
				if c := code(e); c != "" {
					used[c] = true
				}
			}
			return true
		})
	}
	return declared, used
}

// sources returns the files that may report a code.
func sources(t *testing.T, dirs ...string) []string {
	var out []string
	for _, dir := range dirs {
		list, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			if !strings.HasSuffix(f, "_test.go") {
				out = append(out, f)
			}
		}
	}
	return out
}

// TestTodo checks that each rule has either a case in testdata or an entry in
// testdata/todo.txt, and not both. The list may only become shorter.
func TestTodo(t *testing.T) {
	text, err := os.ReadFile("testdata/todo.txt")
	if err != nil {
		t.Fatal(err)
	}
	todo := strings.Fields(string(text))
	if !slices.IsSorted(todo) {
		t.Error("todo.txt is not sorted")
	}
	for r := range Rules() {
		_, err := os.Stat(filepath.Join("testdata", r.Code+".txtar"))
		_, listed := slices.BinarySearch(todo, r.Code)
		if (err == nil) == listed {
			t.Errorf("%s: has a case %v, listed in todo.txt %v; must be one of them", r.Code, err == nil, listed)
		}
	}
}
