package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadme runs the commands of the README and compares their output. It ignores
// times, line numbers of Chiaro's sources and instruction numbers, which depend on
// the GLSL compiler.
func TestReadme(t *testing.T) { runDocument(t, "README.md") }

// TestTour runs the commands of other documents with files of the tour.
func TestTour(t *testing.T) {
	for _, file := range []string{"docs/testing.md", "docs/schedules.md", "docs/allowed.md", "docs/sanitizers.md", "docs/debugging.md"} {
		t.Run(file, func(t *testing.T) { runDocument(t, file) })
	}
}

// runDocument runs the commands that a document shows and compares their output.
func runDocument(t *testing.T, file string) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, dir := range []string{"examples", "docs", "cmd/chiaro/testdata"} {
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, dir))); err != nil {
			t.Fatal(err)
		}
	}
	ran := 0
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for shown := range strings.SplitSeq(block[1], "$ chiaro ") {
			command, want, _ := strings.Cut(shown, "\n")
			if command == "" || !runnable(command) {
				continue
			}
			ran++
			var got bytes.Buffer
			run(strings.Fields(strings.ReplaceAll(command, "'", "")), console{strings.NewReader(""), &got, &got, new(lastInput), nil})
			begin, _, shortened := strings.Cut(want, "⋮\n") // the document shows the first lines alone
			if g, w := stable(got.String()), stable(begin); g != w && !(shortened && strings.HasPrefix(g, w)) {
				t.Errorf("chiaro %s prints\n%s\n%s shows\n%s", command, g, file, w)
			}
		}
	}
	if ran == 0 {
		t.Errorf("%s shows no commands", file)
	}
}

// runnable reports whether this machine has the tools that a command needs.
func runnable(command string) bool {
	switch {
	case strings.Contains(command, ".comp "), strings.HasSuffix(command, "endless.amber"), strings.HasSuffix(command, "examples/"): // GLSL
		_, one := exec.LookPath("glslc")
		_, other := exec.LookPath("glslangValidator")
		return one == nil || other == nil
	}
	return true
}

// changing matches the output that differs between runs, machines, commits and compilers.
var changing = regexp.MustCompile(`\(\d+\.\d+s\)|\.go:\d+|instruction \d+|Op[A-Za-z]+ %\d+`)

func stable(output string) string { return changing.ReplaceAllString(output, "…") }
