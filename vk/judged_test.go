package vk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// TestJudged compares the rules that docs/pipelines.md attributes to this package with its sources and its tests: both name each of
// them, and no source names a rule that the page reports as not judged.
func TestJudged(t *testing.T) {
	var sources, tests strings.Builder
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			tests.Write(b)
		} else {
			sources.Write(b)
		}
	}
	ids := func(text string) map[string]bool {
		found := map[string]bool{}
		for _, word := range strings.FieldsFunc(text, func(r rune) bool {
			return r != '-' && r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		}) {
			found[word] = true
		}
		return found
	}
	// Tests and sources may name the rule of another draw or dispatch than vkCmdDraw.
	suffixes := func(found map[string]bool) map[string]bool {
		ends := map[string]bool{}
		for id := range found {
			if _, end, ok := strings.Cut(strings.TrimPrefix(id, "VUID-"), "-"); ok {
				ends[end] = true
			}
		}
		return ends
	}
	source := ids(sources.String())
	test := ids(tests.String())
	sourced, tested := suffixes(source), suffixes(test)
	for _, code := range vuid.All {
		of := strings.TrimPrefix(code, "VUID-")
		constant := "vuid." + strings.ToUpper(of[:1]) + strings.ReplaceAll(of[1:], "-", "_")
		_, end, _ := strings.Cut(of, "-")
		a, _ := link.AnswerOf(code)
		switch named := source[code] || source[constant]; {
		case named && !a.By.Judged():
			t.Errorf("%s is in the sources, and its answer is %v", code, a)
		case a.By == link.ByObjects && !named && !sourced[end] && !source[end]:
			t.Errorf("%s is judged by no source", code)
		case a.By == link.ByObjects && !tested[end] && !test[end]:
			t.Errorf("%s is in no test", code)
		}
	}
}
