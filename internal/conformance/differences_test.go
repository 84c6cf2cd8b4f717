package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDifferencesNameCases checks that the cases that docs/differences.md names
// exist, and that each row of a table with the column "held by" names one.
func TestDifferencesNameCases(t *testing.T) {
	text, err := os.ReadFile("../../docs/differences.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\[case\]\(([^)]+)\)`)
	held, named := false, 0
	for i, line := range strings.Split(string(text), "\n") {
		found := link.FindAllStringSubmatch(line, -1)
		for _, m := range found {
			named++
			if _, err := os.Stat(filepath.Join("../../docs", m[1])); err != nil {
				t.Errorf("line %d: %v", i+1, err)
			}
		}
		row := strings.HasPrefix(line, "| ")
		if held && row && len(found) == 0 {
			t.Errorf("line %d: no case holds it", i+1)
		}
		held = strings.HasSuffix(line, "| held by |") || held && strings.HasPrefix(line, "|")
	}
	if named == 0 {
		t.Error("no case is named")
	}
}
