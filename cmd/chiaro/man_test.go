package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestMan checks the pages of all commands: their macros, their characters, and that each shown option has its paragraph.
func TestMan(t *testing.T) {
	dir := t.TempDir()
	c := console{out: io.Discard, err: io.Discard}
	root := newRoot(c)
	if err := writeMan(c, root, dir); err != nil {
		t.Fatal(err)
	}
	macros := regexp.MustCompile(`^\.(TH .*|SH .*|TP|nf|fi|ad l)$`)
	escapes := regexp.MustCompile(`\\(\[u[0-9A-F]{4,}\]|[-e&]|f[BR])`)
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Hidden || cmd.Name() == "help" {
			return
		}
		page, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"))
		if err != nil {
			t.Error(err)
			return
		}
		for line := range strings.Lines(string(page)) {
			if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, ".") && !macros.MatchString(line) || strings.HasPrefix(line, "'") {
				t.Errorf("%s: the line %q is a request", cmd.CommandPath(), line)
			}
			if rest := escapes.ReplaceAllString(line, ""); strings.ContainsFunc(rest, func(r rune) bool { return r == '\\' || r > '~' }) {
				t.Errorf("%s: the line %q has characters without an escape", cmd.CommandPath(), line)
			}
			if strings.HasSuffix(line, " ") {
				t.Errorf("%s: the line %q ends with a space", cmd.CommandPath(), line)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if has := bytes.Contains(page, []byte(roff("--"+f.Name)+`\fR`)); has == f.Hidden {
				t.Errorf("%s: the page has --%s: %v", cmd.CommandPath(), f.Name, has)
			}
		})
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
}
