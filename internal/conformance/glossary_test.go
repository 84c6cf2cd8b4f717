package conformance

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxTerms bounds the glossary: a reader must be able to read it whole.
const maxTerms = 80

// TestGlossary checks docs/glossary.md: each word has one row, and each row's place
// exists and contains the word.
func TestGlossary(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range tableRows(t, "../../docs/glossary.md") {
		if len(row) != 4 {
			t.Errorf("row %q: %d columns; must be 4", row, len(row))
			continue
		}
		word := strings.ToLower(row[0])
		if seen[word] {
			t.Errorf("%s has two rows", word)
		}
		seen[word] = true
		for _, place := range treePaths(row[3]) {
			if !strings.Contains(strings.ToLower(goText(t, place)), word) {
				t.Errorf("%s does not contain %q", place, row[0])
			}
		}
	}
	if n := len(seen); n == 0 || n > maxTerms {
		t.Errorf("%d words; must be 1 to %d", n, maxTerms)
	}
}

// fieldTerms are words by which a reader from the field searches the tree.
var fieldTerms = []string{
	`vectoriz`, `divergen`, `\buniform`, `if-convers`, `LCSSA`, `\b(GVN|CSE)\b`, `LICM`, `mem2reg|SROA`, `schedul`,
	`\bspill`, `hierarchical Z|HiZ`, `early Z`, `\bbinning`,
}

// TestFieldTerms checks that each term of fieldTerms occurs in the place of a row of
// the glossary that has it.
func TestFieldTerms(t *testing.T) {
	rows := tableRows(t, "../../docs/glossary.md")
	for _, term := range fieldTerms {
		pattern := regexp.MustCompile(`(?i)` + term)
		defined := slices.ContainsFunc(rows, func(row []string) bool {
			return len(row) == 4 && pattern.MatchString(row[0]+" "+row[1]) && slices.ContainsFunc(treePaths(row[3]), func(place string) bool {
				return pattern.MatchString(goText(t, place))
			})
		})
		if !defined {
			t.Errorf("no row of docs/glossary.md has %s with a place that contains it", term)
		}
	}
}

// TestTechniques checks the table of docs/architecture.md: each place exists and
// contains a Go file.
func TestTechniques(t *testing.T) {
	n := 0
	for _, row := range tableRows(t, "../../docs/architecture.md") {
		for _, cell := range row {
			for _, place := range treePaths(cell) {
				if _, err := os.Stat("../../" + place); err != nil {
					t.Errorf("docs/architecture.md: %v", err)
				}
				n++
			}
		}
	}
	if n < 40 {
		t.Errorf("docs/architecture.md has %d places in its tables; there are more", n)
	}
}

// tableRows returns the cells of the rows of all tables of a Markdown file, without
// headings.
func tableRows(t *testing.T, path string) (rows [][]string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(lines[i+1], "|---") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
		}
		rows = append(rows, cells)
	}
	return rows
}

// treePath matches a file or directory of the tree in back quotes.
var treePath = regexp.MustCompile("`((?:cmd|device|diag|docs|examples|facts|fossil|iface|internal|link|spirv|valid|vuid|\\.ci)(?:/[A-Za-z0-9_./-]*)?)`")

// treePaths returns the files and directories that a cell names.
func treePaths(cell string) (paths []string) {
	for _, m := range treePath.FindAllStringSubmatch(cell, -1) {
		paths = append(paths, m[1])
	}
	return paths
}

// commentBreak is the end of a line of a comment that continues on the next line.
var commentBreak = regexp.MustCompile(`\n[ \t]*//[ \t]*`)

// goText returns the text of a Go file, or of all Go files of a directory but tests,
// with the lines of comments joined.
func goText(t *testing.T, path string) string {
	var text strings.Builder
	err := filepath.WalkDir("../../"+path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		b, err := os.ReadFile(file)
		text.Write(b)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return commentBreak.ReplaceAllString(text.String(), " ")
}
