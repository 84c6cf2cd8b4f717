package source

import (
	"os"
	"path/filepath"
	"testing"
)

// TestIncludesInside checks sources that include files inside and outside of their folder.
func TestIncludesInside(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("secret", "x")
	write("in/a.glsl", `#include "sub/b.glsl"`)
	write("in/sub/b.glsl", "float b;")
	write("in/sub/c.glsl", `#include "../../secret"`)
	write("in/sub/d.glsl", `#include "../secret"`) // from in: glslangValidator searches the folders of all includers
	if err := os.Symlink(filepath.Join(dir, "secret"), filepath.Join(dir, "in/link")); err != nil {
		t.Skip(err)
	}
	for text, ok := range map[string]bool{
		"void main() { }":                     true,
		`#include "a.glsl"`:                   true,
		`#include <sub/b.glsl>`:               true,
		`#include "missing.glsl"`:             true,
		`#include "sub/../a.glsl"`:            true,
		`#include "../secret"`:                false,
		"# /* */ include \"../secret\"":       false,
		"#inc\\\nlude \"../secret\"":          false,
		"#include /* */ \"../secret\"":        false,
		`%:include "../secret"`:               false,
		`#include "` + dir + `/secret"`:       false,
		`#include "link"`:                     false,
		`#include "sub"`:                      false,
		`#include "sub/c.glsl"`:               false,
		`#include "sub/d.glsl"`:               false,
		"#define F \"../secret\"\n#include F": false,
		`import "../secret";`:                 false,
		`import a.b;`:                         true,
	} {
		if err := includesInside(filepath.Join(dir, "in", "main.comp"), []byte(text)); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
	// Below the working directory, the sources of one tree include each other.
	t.Chdir(dir)
	if err := includesInside("in/sub/c.comp", []byte(`#include "../a.glsl"`)); err != nil {
		t.Error(err)
	}
	if err := includesInside("in/sub/c.comp", []byte(`#include "../../../x"`)); err == nil {
		t.Error("no error outside of the working directory")
	}
}
