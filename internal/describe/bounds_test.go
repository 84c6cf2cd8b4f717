package describe

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/link"
)

// numbered joins n copies of a format with the numbers from 0.
func numbered(n int, format, separator string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(separator)
		}
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestBounds tests that a description beyond a bound is refused at the position of the
// bound.
func TestBounds(t *testing.T) {
	bomb := "stages:\n  vertex:\n    specialization:\n      1: &a1 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 2; i < 20; i++ {
		bomb += fmt.Sprintf("      %d: &a%d [%s]\n", i, i, numbered(10, fmt.Sprintf("*a%d#%%d\n", i-1), ","))
	}
	bomb = strings.ReplaceAll(bomb, "#", " #")
	merges := "limits: &a0 {x: 1}\n"
	for i := 1; i < 40; i++ {
		merges += fmt.Sprintf("k%d: &a%d {<<: [*a%d, *a%d]}\n", i, i, i-1, i-1)
	}
	keys := strings.Repeat(`"`+strings.Repeat("k", 250)+`": {`, 60)
	for _, c := range []struct{ name, text, want string }{
		{"bytes", strings.Repeat(" ", maxDescription+1), "f: larger than 4194304 bytes"},
		{"marks", strings.Repeat("-\n", maxMarks+1), "f:131073:1: more than 131072 punctuation characters"},
		{"members", "limits:\n" + numbered(100_000, "  k%d: %[1]d", "\n"), "f:2050:8: a mapping with more than 2048 members"},
		{"key", "limits: {" + strings.Repeat("k", 257) + ": 1}", "f:1:10: a key of 257 bytes; must have at most 256"},
		{"paths", "{" + keys + "a: [" + strings.Repeat("1,", 100_000), "f:1:"},
		{"columns", stairs(2000), "f:65:66: deeper than 64"},
		{"brackets", strings.Repeat("[", 10_000), "f:1:65: deeper than 64"},
		{"entries", strings.Repeat("- ", 10_000), "f:1:129: deeper than 64"},
		{"aliases", bomb, "f:"},
		{"merges", merges, "f:"},
		{"itself", "libraries: &a [{libraries: *a}]", "f:1:28: the alias a; must be the name of an anchor before it"},
		{"later", "limits: {a: *x, b: &x 1}", "f:1:13: the alias x; must be"},
		{"tags", "kind: !a\n !b\n x", "f:2:2: a second tag"},
		{"documents", strings.Repeat("---\nkind: compute\n", 10_000), "f:3:1: another document"},
		{"second", "kind: compute\n---\nkind: compute", "f:3:1: another document"},
	} {
		_, err := Read([]byte(c.text), "f", nil)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error %.200v; must begin with %s", c.name, err, c.want)
		}
	}
	for name, text := range map[string]string{"aliases": bomb, "merges": merges} {
		if _, err := parse([]byte(text), "f"); err == nil || !strings.Contains(err.Error(), "more than 131072 values, with the values of aliases") {
			t.Errorf("%s: error %v; must be about the number of values", name, err)
		}
	}
}

// TestLarge reads descriptions that are just within the bounds. A reader with work or
// memory that grows with the square of their values does not end here.
func TestLarge(t *testing.T) {
	for _, c := range []struct {
		name, text string
		count      func(*link.Description) int
		want       int
	}{
		{"names", "dynamic: [" + strings.Repeat("viewport,", 100_000) + "]", func(d *link.Description) int { return len(d.Dynamic) }, 100_000},
		{"extensions", "extensions: {" + numbered(40_000, "k%d: true", ",") + "}", func(d *link.Description) int { return len(d.Device.Extensions) }, 40_000},
		{"anchors", "extensions: {" + numbered(20_000, "k%d: &a%[1]d true, l%[1]d: *a%[1]d", ", ") + "}", func(d *link.Description) int { return len(d.Device.Extensions) }, 40_000},
		{"block", "extensions:\n" + numbered(2048, "  k%d: true", "\n"), func(d *link.Description) int { return len(d.Device.Extensions) }, 2048},
		{"bindings", "layout: {sets: {0: {" + numbered(10_000, "%d: {type: sampler}", ",") + "}}}", func(d *link.Description) int { return len(d.Layout.Sets[0].Bindings) }, 10_000},
	} {
		d, err := Read([]byte(c.text), "f", nil)
		if err != nil {
			t.Errorf("%s: %.200v", c.name, err)
		} else if n := c.count(d); n != c.want {
			t.Errorf("%s: %d; must be %d", c.name, n, c.want)
		}
	}
}

// TestAliases tests that an alias has the value of the last anchor of its name, also in the
// messages about it.
func TestAliases(t *testing.T) {
	d, err := Read([]byte("%YAML 1.2\n--- # one document\nlimits: {maxViewports: &x 1, subgroupSize: *x, minSubgroupSize: &x 2, maxSubgroupSize: *x}\nfeatures: &f {geometryShader: true}\nextensions: {<<: *f, VK_KHR_maintenance1: true}\n..."), "f", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(d.Device.Limits, d.Device.Extensions); got != "map[maxSubgroupSize:2 maxViewports:1 minSubgroupSize:2 subgroupSize:1] map[VK_KHR_maintenance1:true geometryShader:true]" {
		t.Error(got)
	}
	if _, err := Read([]byte("limits: {a: &x 1}\nkind: *x"), "f", nil); err == nil || !strings.HasPrefix(err.Error(), "f:1:16: kind: the number 1; must be one of") {
		t.Error(err)
	}
}
