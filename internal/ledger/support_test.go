package ledger

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// runs reports whether a case runs its modules: it has a run section, or launches of a ray tracing pipeline.
func runs(data []byte) bool {
	return bytes.Contains(data, []byte("\n-- run")) || bytes.Contains(data, []byte("\n-- trace")) || bytes.Contains(data, []byte("\n-- graph --")) || bytes.Contains(data, []byte("\n-- clusters --"))
}

// casesOf returns the test of the element with a name: the first truth table, or the first
// case that runs, that has the name as a word.
func casesOf(t *testing.T) func(string) string {
	const root = "../lower/testdata/"
	tables, _ := filepath.Glob(root + "truth/*.txt")
	cases, _ := filepath.Glob(root + "*/*.txtar")
	if len(tables) == 0 || len(cases) == 0 {
		t.Fatal("no cases")
	}
	word := regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	first := map[string]string{}
	for _, file := range append(tables, cases...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(file) == ".txtar" && !runs(data) {
			continue
		}
		for _, w := range word.FindAllString(string(data), -1) {
			if first[w] == "" {
				first[w] = strings.TrimPrefix(file, root)
			}
		}
	}
	return func(name string) string { return first[name] }
}

// TestSupport compares docs/support.md with the tables.
func TestSupport(t *testing.T) {
	const file = "../../docs/support.md"
	want := Support(casesOf(t))
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(old) != want {
		t.Error("docs/support.md is not what the tables say; see go test ./internal/ledger -update and git diff")
	}
}

// TestStagesAreComplete demands typing, lowering and a case of every instruction that
// Vulkan allows in functions of shaders of the stages that run, except for the unsupported
// ones in refused.txt, which may only shrink.
func TestStagesAreComplete(t *testing.T) {
	tested := casesOf(t)
	data, err := os.ReadFile("testdata/refused.txt")
	if err != nil {
		t.Fatal(err)
	}
	refused := map[string]bool{}
	for _, l := range strings.Fields(string(data)) {
		refused[l] = true
	}
	for _, r := range spirv.Ops() {
		op := spirv.Op(r.Value())
		e := Of(op)
		switch StatusOf(op) {
		case Refused:
			if !refused[op.String()] {
				t.Errorf("%s is refused and does not stand in testdata/refused.txt", op)
			}
		case Other, Foreign:
			if refused[op.String()] {
				t.Errorf("%s is %s and stands in testdata/refused.txt", op, StatusOf(op))
			}
		case Works:
			if refused[op.String()] {
				t.Errorf("%s works and stands in testdata/refused.txt", op)
			}
			if e.Lowered != "" && (e.Typed == "" || tested(op.String()) == "") {
				t.Errorf("%s: typed %q, tested by %q; want both", op, e.Typed, tested(op.String()))
			}
		}
	}
	list := spirv.ExtSetGLSL.Insts()
	for i := range list {
		if lower.HasInstruction(spirv.ExtSetGLSL, list[i].Value()) && tested(list[i].Name()) == "" {
			t.Errorf("GLSL.std.450 %s has no case", list[i].Name())
		}
	}
}

// TestWhatCasesDeclare inspects the capabilities and extensions of each module that a case
// runs: neither the tables nor the profile that is made from them may refuse them.
func TestWhatCasesDeclare(t *testing.T) {
	files, _ := filepath.Glob("../lower/testdata/*/*.txtar")
	if len(files) == 0 {
		t.Fatal("no cases")
	}
	declares := regexp.MustCompile(`(?m)^OpCapability (\w+)|^OpExtension "(\w+)"`)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !runs(data) {
			continue
		}
		for _, m := range declares.FindAllStringSubmatch(string(data), -1) {
			if r := spirv.KindCapability.EnumerantByName(m[1]); r != nil {
				if works, known := capabilities[spirv.Capability(r.Value())]; known && !works {
					t.Errorf("%s runs with %s, which is refused", file, m[1])
				}
			}
			if works, known := extensions[m[2]]; known && !works {
				t.Errorf("%s runs with %s, which is refused", file, m[2])
			}
		}
	}
}

// TestVulkanTables compares the tables with the tables of the specification, if present.
func TestVulkanTables(t *testing.T) {
	const folder = "../../../shared/spec/"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no tables of the specification:", err)
	}
	n := map[spirv.Capability]bool{spirv.CapabilitySubpassShadingHUAWEI: true} // of an extension in Vulkan; the table lacks it
	for _, row := range columns(t, folder+"capabilities.tsv", "capability", "in_vulkan_now") {
		r := spirv.KindCapability.EnumerantByName(row[0])
		if r == nil || !strings.HasPrefix(row[1], "yes") {
			continue // the grammar does not have it, or Vulkan
		}
		n[spirv.Capability(r.Value())] = true
		if _, ok := capabilities[spirv.Capability(r.Value())]; !ok {
			t.Errorf("no capability %s", row[0])
		}
	}
	if len(n) != len(capabilities) {
		t.Errorf("%d capabilities; there are %d", len(capabilities), len(n))
	}
	rows := columns(t, folder+"extensions.tsv", "spirv_extension")
	for _, row := range rows {
		if _, ok := extensions[row[0]]; !ok {
			t.Errorf("no extension %s", row[0])
		}
	}
	if len(rows) != len(extensions) {
		t.Errorf("%d extensions; there are %d", len(extensions), len(rows))
	}
}

// columns returns columns of a file of values between tabs.
func columns(t *testing.T, file string, names ...string) (out [][]string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	head := strings.Split(lines[0], "\t")
	for _, l := range lines[1:] {
		f := strings.Split(l, "\t")
		var row []string
		for _, n := range names {
			row = append(row, f[slices.Index(head, n)])
		}
		out = append(out, row)
	}
	return out
}
