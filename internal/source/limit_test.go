package source

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestLimits compiles, with each compiler of GLSL that is there, shaders beyond the limits of the compilers.
func TestLimits(t *testing.T) {
	shaders := map[string]string{
		"geom": "#version 450\nlayout(points) in;\nlayout(points, max_vertices = 1024) out;\nvoid main() { gl_Position = vec4(gl_MaxGeometryOutputVertices); EmitVertex(); }\n",
		"comp": "#version 450\nlayout(local_size_z = 1024) in;\nvoid main() {}\n",
		"vert": "#version 450\nlayout(xfb_buffer = 0, xfb_stride = 2048) out;\nlayout(location = 0, xfb_offset = 0) out vec4 x;\nvoid main() { x = vec4(1); }\n",
	}
	found := 0
	for _, c := range compilers[GLSL] {
		path, err := exec.LookPath(c.program)
		if err != nil {
			continue
		}
		found++
		for stage, text := range shaders {
			text, err := writeText(t.TempDir(), "a."+stage, text)
			if err != nil {
				t.Fatal(err)
			}
			j := &job{language: GLSL, file: text, stage: stage, entry: "main", target: targetOf("")}
			if _, err := j.compile(t.Context(), &c, path); err != nil {
				t.Errorf("%s, %s: %v", c.program, stage, err)
			}
		}
		bad, err := writeText(t.TempDir(), "a.geom", "#version 450\nlayout(points) in;\nlayout(points, max_vertices = 1025) out;\nvoid main() {}\n")
		if err != nil {
			t.Fatal(err)
		}
		var wrong *Error
		if _, err := (&job{language: GLSL, file: bad, stage: "geom", entry: "main", target: targetOf("")}).compile(t.Context(), &c, path); !errors.As(err, &wrong) {
			t.Errorf("%s: more vertices than the device has: %v", c.program, err)
		}
	}
	if found == 0 {
		t.Skip("neither glslc nor glslangValidator is on the PATH")
	}
}

// TestLimitFile raises the limits in the settings of a compiler, and no others.
func TestLimitFile(t *testing.T) {
	const settings = "MaxLights 32\nMaxGeometryOutputVertices 256\nMaxGeometryOutputVerticesMore 1\nwhileLoops 1\n"
	if got, want := withLimits(settings), "MaxLights 32\nMaxGeometryOutputVertices 1024\nMaxGeometryOutputVerticesMore 1\nwhileLoops 1\n"; got != want {
		t.Errorf("%q; must be %q", got, want)
	}
}

// writeText writes a source to a file of a folder.
func writeText(folder, name, text string) (string, error) {
	file := filepath.Join(folder, name)
	return file, os.WriteFile(file, []byte(text), 0o600)
}

// TestSettingsOnce: the settings of a program are read once, and a program without settings is asked again.
func TestSettingsOnce(t *testing.T) {
	dir := t.TempDir()
	program, asked := filepath.Join(dir, "program"), filepath.Join(dir, "asked")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(program, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	write("#!/bin/sh\nexit 1\n")
	if name, err := limitFile(t.Context(), program, dir); err == nil {
		t.Errorf("%s; must be an error", name)
	}
	write("#!/bin/sh\necho >>" + asked + "\necho MaxGeometryOutputVertices 256\n")
	for range 3 {
		name, err := limitFile(t.Context(), program, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := os.ReadFile(name); string(text) != "MaxGeometryOutputVertices 1024\n" {
			t.Errorf("the settings are %q", text)
		}
	}
	if runs, _ := os.ReadFile(asked); len(runs) != 1 {
		t.Errorf("the program ran %d times; must run once", len(runs))
	}
}
