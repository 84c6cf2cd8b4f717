package link

import (
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/vuid"
)

// TestUnjudged demands that each code in the lists of unchecked rules is a rule, is there
// once, and is not checked.
func TestUnjudged(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range unjudged {
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
