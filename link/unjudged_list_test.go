package link

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/vuid"
)

// TestUnjudged demands that each code in the lists of unchecked rules is a rule, is there
// once, and is not checked.
func TestUnjudged(t *testing.T) {
	seen := map[string]bool{}
	for k := range reasons() {
		for _, c := range k.codes {
			begin, many := strings.CutSuffix(c, "*")
			if many {
				if !slices.ContainsFunc(vuid.All[:], func(code string) bool {
					_, judged := RuleOf(code)
					return !judged && strings.HasPrefix(code, "VUID-"+begin)
				}) {
					t.Errorf("%s matches no unchecked rule", c)
				}
				continue
			}
			_, judged := RuleOf("VUID-" + c)
			switch {
			case judged:
				t.Errorf("%s is judged, and has a reason not to be", c)
			case !slices.Contains(vuid.All[:], "VUID-"+c):
				t.Errorf("%s is no rule", c)
			case seen[c]:
				t.Errorf("%s: twice", c)
			}
			seen[c] = true
		}
	}
}

// TestJudgedElsewhere demands that the sources of the packages that run shaders name the
// rules that a run or an object of the API judges.
func TestJudgedElsewhere(t *testing.T) {
	var text strings.Builder
	for _, pattern := range []string{"../vk/*.go", "../internal/amber/*.go", "../internal/texture/*.go", "../internal/lower/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(b)
		}
	}
	for k := range reasons() {
		for _, c := range k.codes {
			_, rule, _ := strings.Cut(c, "-") // dispatches have it under their own name
			name := strings.ReplaceAll(strings.ToUpper(c[:1])+c[1:], "-", "_")
			if (k.by == ByRun || k.by == ByObjects) && !strings.Contains(text.String(), "-"+rule) && !strings.Contains(text.String(), "vuid."+name) {
				t.Errorf("no source of a run or of the objects names %s", c)
			}
		}
	}
}
