package valid

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// TestReadings checks testdata/readings/NAME.txtar: the validity of a module under
// each version and, as ENVIRONMENT@READING, in each reading. After the section NAME.spvasm comes NAME.findings, or findings if
// there is one module. Each line names environments, and after the colon the
// expected findings: "line code", "line code warning" for each,
// separated by semicolons, or "none". The comment may contain "spirv: 1.0", the
// version of the module (by default the newest that each environment accepts), and
// the properties of a device as in the comment of a case.
func TestReadings(t *testing.T) {
	files, err := filepath.Glob("testdata/readings/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Files) == 0 || len(a.Files)%2 != 0 {
				t.Fatal("must have modules and their findings")
			}
			for ; len(a.Files) > 0; a.Files = a.Files[2:] {
				readModule(t, string(a.Comment), a.Files[0], a.Files[1])
			}
		})
	}
}

// readModule checks one module of a case.
func readModule(t *testing.T, comment string, module, findings txtar.File) {
	name, ok := strings.CutSuffix(module.Name, ".spvasm")
	if !ok || findings.Name != "findings" && findings.Name != name+".findings" {
		t.Fatalf("%s and %s; must be NAME.spvasm and NAME.findings", module.Name, findings.Name)
	}
	judged := 0
	for line := range strings.Lines(string(findings.Data)) {
		names, want, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			t.Fatalf("%q is no line of findings", line)
		}
		for _, env := range strings.Fields(names) {
			judged++
			if got := readingOf(t, env, comment, module.Data); got != want {
				t.Errorf("%s in %s:\n%s\nwant\n%s", module.Name, env, got, want)
			}
		}
	}
	if judged < 2 {
		t.Errorf("%s needs two environments or more", module.Name)
	}
	for _, r := range facts.Readings {
		if !strings.Contains(string(findings.Data), "@"+r) {
			t.Errorf("%s needs the reading %s", module.Name, r)
		}
	}
}

// readingOf returns the findings of a text in an environment as a line of a
// case has them.
func readingOf(t *testing.T, name, comment string, text []byte) string {
	var version spirv.Version
	var rest []string
	for line := range strings.Lines(comment) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "spirv: "); ok {
			e, ok := ParseEnv("spv" + v)
			if !ok {
				t.Fatalf("no version %s", v)
			}
			version = e.SPIRV
			continue
		}
		rest = append(rest, strings.TrimSpace(line))
	}
	name, reading, _ := strings.Cut(name, "@")
	env, _ := caseEnv(t, "VUID-", strings.Join(append(rest, "env: "+name), "\n"))
	if env.Reading, _ = facts.ParseReading(reading); env.Reading.String() != reading {
		t.Fatalf("no reading %s", reading)
	}
	if version == 0 {
		version = env.SPIRV
	}
	words, err := asm.Assemble(text, asm.AssembleOptions{Version: version})
	if err != nil {
		t.Fatal(name, err)
	}
	m, err := spirv.FromWords(words)
	if err != nil {
		t.Fatal(name, err)
	}
	r, err := Check(context.Background(), facts.Gather(m, nil), env, Options{})
	if err != nil {
		t.Fatal(name, err)
	}
	lines := caseLines(string(text), "spvasm")
	var out []string
	for i := range r.Findings {
		f, at := &r.Findings[i], 0
		if f.Pos.Instruction > 0 {
			at = lines[f.Pos.Instruction-1]
		}
		s := fmt.Sprint(at, " ", f.Code)
		if f.Severity != diag.Error {
			s += " warning"
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if out == nil {
		return "none"
	}
	return strings.Join(out, "; ")
}

// TestReadingsListed demands that docs/versions.md names each case of a reading,
// and names none that there is not.
func TestReadingsListed(t *testing.T) {
	page, err := os.ReadFile("../docs/versions.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, part := range strings.Split(string(page), "`")[1:] {
		if name, ok := strings.CutPrefix(part, "readings/"); ok && name != "…" {
			named[name] = true
		}
	}
	files, err := filepath.Glob("testdata/readings/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		if !named[name] {
			t.Errorf("docs/versions.md does not name readings/%s", name)
		}
		delete(named, name)
	}
	for name := range named {
		t.Errorf("docs/versions.md names readings/%s, which is no case", name)
	}
}

// TestReadingNotes compares ReadingOf with the cases: a rule has a note if and only if a
// case has another finding of it in a reading than without one.
func TestReadingNotes(t *testing.T) {
	files, err := filepath.Glob("testdata/readings/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	differs := map[string]bool{"SPV-Atomic-Integer": true, "SPV-Interpolation-Stage": true}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for ; len(a.Files) > 1; a.Files = a.Files[2:] {
			for line := range strings.Lines(string(a.Files[1].Data)) {
				names, want, _ := strings.Cut(strings.TrimSpace(line), ": ")
				for _, name := range strings.Fields(names) {
					env, reading, _ := strings.Cut(name, "@")
					if reading == "" {
						continue
					}
					plain := strings.Split(readingOf(t, env, string(a.Comment), a.Files[0].Data), "; ")
					in := strings.Split(want, "; ")
					for _, f := range append(plain, in...) {
						if f != "none" && slices.Contains(plain, f) != slices.Contains(in, f) {
							differs[strings.Fields(f)[1]] = true
						}
					}
				}
			}
		}
	}
	for code := range differs {
		if ReadingOf(code) == "" {
			t.Errorf("%s differs between readings; must have a note", code)
		}
	}
	for code := range readingNotes {
		if !differs[code] {
			t.Errorf("%s has a note; must have a case of testdata/readings that differs", code)
		}
	}
}
