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
		`#include "sub"`:                      false,
		`#include "sub/c.glsl"`:               false,
		`#include "sub/d.glsl"`:               false,
		"#define F \"../secret\"\n#include F": false,
		`import "../secret";`:                 false,
		`import a.b;`:                         true,
	} {
		if _, err := includesInside(filepath.Join(dir, "in", "main.comp"), []byte(text)); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
	t.Run("symbolic link", func(t *testing.T) {
		if err := os.Symlink(filepath.Join(dir, "secret"), filepath.Join(dir, "in/link")); err != nil {
			t.Skip("this system or user cannot create symbolic links: ", err)
		}
		if _, err := includesInside(filepath.Join(dir, "in", "main.comp"), []byte(`#include "link"`)); err == nil {
			t.Error("no error for a link out of the folder")
		}
	})
	// Below the working directory, the sources of one tree include each other.
	t.Chdir(dir)
	if _, err := includesInside("in/sub/c.comp", []byte(`#include "../a.glsl"`)); err != nil {
		t.Error(err)
	}
	if _, err := includesInside("in/sub/c.comp", []byte(`#include "../../../x"`)); err == nil {
		t.Error("no error outside of the working directory")
	}
}

// TestIncludeLine checks the line of the first directive that an error is about.
func TestIncludeLine(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.glsl"), []byte(`#include "../b"`), 0o666); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		"#include \"../b\"": 1,
		"#version 450\n// \"../b\"\n#include \"../b\"\n":            3,
		"#version 450\r\n\r\n# include <../b>\r\n":                  3,
		"#version 450\n#include \"missing\"\n#include \"a.glsl\"\n": 3,
		"\n\nimport \"../b\";\n":                                    3,
	} {
		line, err := includesInside(filepath.Join(dir, "main.comp"), []byte(text))
		if err == nil || line != want {
			t.Errorf("%q: line %d, %v; want line %d and an error", text, line, err, want)
		}
	}
}
