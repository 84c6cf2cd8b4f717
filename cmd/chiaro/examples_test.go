package main

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	engine "github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// pictured are the examples with pictures in the README.
var pictured = []string{"mandelbrot", "model", "terrain", "burst", "rays", "path"}

// ran runs the text of an example and returns the buffer with its picture and the contents of the buffer.
func ran(t *testing.T, name, text string, o amber.Options) (b *amber.Buffer, contents []byte) {
	dir := filepath.Join("..", "..", "examples")
	s, err := amber.Parse(name, []byte(text), func(file string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, file)) })
	if err != nil {
		t.Fatal(err)
	}
	r := amber.Run(context.Background(), s, o)
	if r.Status != amber.Pass {
		t.Fatalf("%s: %s: %s", name, r.Status, r.Message)
	}
	b = firstPicture(s)
	return b, r.Contents[b.Name]
}

// encoded returns the picture of a buffer as the command writes it.
func encoded(t *testing.T, b *amber.Buffer, contents []byte) []byte {
	m, err := b.Picture(contents)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// engineOptions are the fastest engine of this machine with several numbers of threads, then
// the others.
func engineOptions() (list []amber.Options) {
	var engines []engine.Engine
	for _, level := range jit.Levels() {
		engines = append(engines, jit.Engine{Level: level})
	}
	for _, e := range append(engines, interp.Engine{}) {
		for _, n := range []int{1, 2, 4} {
			list = append(list, amber.Options{Engine: e, Workers: n})
		}
	}
	return list
}

// TestPictures runs the examples and compares their pictures with the README's. On
// machines without the JIT, -short skips the comparison.
func TestPictures(t *testing.T) {
	t.Parallel()
	all := engineOptions()
	if len(all) == 3 && testing.Short() {
		t.Skip("-short: the interpreter is too slow for whole pictures")
	}
	for _, name := range pictured {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "..", "examples", name+".amber"))
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join("..", "..", "docs", name+".png"))
			if err != nil {
				t.Fatal(err)
			}
			var first []byte
			for i, o := range all[:min(len(all), 3)] {
				b, got := ran(t, name, string(text), o)
				if i == 0 {
					if first = got; !bytes.Equal(encoded(t, b, got), want) {
						t.Errorf("another picture than docs/%s.png", name)
					}
				}
				if !bytes.Equal(got, first) {
					t.Errorf("with %d threads on %s: another picture than with the first", o.Workers, o.Engine.Name())
				}
			}
		})
	}
}

// TestPicturesEverywhere runs the examples with small pictures, terrain.amber with a quarter of its patches and
// model.amber with a twelfth of its triangles (CHIARO_LONG: all), on every engine and with several numbers of threads:
// all pictures are equal.
func TestPicturesEverywhere(t *testing.T) {
	t.Parallel()
	less := []string{"WIDTH 512 HEIGHT 384", "WIDTH 64 HEIGHT 48", "FRAMEBUFFER_SIZE 512 384", "FRAMEBUFFER_SIZE 64 48",
		"WIDTH 256 HEIGHT 192", "WIDTH 64 HEIGHT 48", "FRAMEBUFFER_SIZE 256 192", "FRAMEBUFFER_SIZE 64 48", "COUNT 4096", "COUNT 1024", "hits 256 192 1", "hits 64 48 1"}
	if os.Getenv("CHIARO_LONG") == "" {
		less = append(less, "COUNT 73728", "COUNT 6144")
	}
	small := strings.NewReplacer(less...)
	for _, name := range pictured[1:] {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "..", "examples", name+".amber"))
			if err != nil {
				t.Fatal(err)
			}
			whole, _, _ := strings.Cut(string(text), "EXPECT") // for the whole picture
			var first []byte
			for i, o := range engineOptions() {
				_, got := ran(t, name, small.Replace(whole), o)
				if i == 0 {
					first = got
				}
				if !bytes.Equal(got, first) {
					t.Errorf("with %d threads on %s: another picture than with the first", o.Workers, o.Engine.Name())
				}
			}
		})
	}
}

// shadersBy is the compiler that made the SPIR-V of the examples.
const shadersBy = "shaderc 2023.2-1"

// TestExampleShaders compiles the GLSL of the examples and compares the result with
// the SPIR-V next to it.
func TestExampleShaders(t *testing.T) {
	t.Parallel()
	glslc, err := exec.LookPath("glslc")
	if err != nil {
		t.Skip("glslc is not on the PATH")
	}
	version, err := exec.Command(glslc, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(version), shadersBy+"\n") {
		t.Skipf("the output differs by compiler version; the shaders are the output of %s, the PATH has\n%s", shadersBy, version)
	}
	t.Run("1.1", func(t *testing.T) { compiledAs(t, glslc, "vulkan1.1", "../../examples/shaders/*.spv") })
	t.Run("1.2", func(t *testing.T) { compiledAs(t, glslc, "vulkan1.2", "../../examples/shaders/*/*.spv") }) // ray tracing
}

// compiledAs compiles the GLSL of SPIR-V files for an environment and compares the results.
func compiledAs(t *testing.T, glslc, environment, pattern string) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no shaders: %v", err)
	}
	// One process compiles all of them, since most of its time is its start.
	cmd := exec.Command(glslc, "-O", "--target-env="+environment, "-c")
	cmd.Dir = t.TempDir()
	for _, f := range files {
		source, err := filepath.Abs(strings.TrimSuffix(f, ".spv"))
		if err != nil {
			t.Fatal(err)
		}
		cmd.Args = append(cmd.Args, source)
	}
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, f := range files {
		out := filepath.Join(cmd.Dir, filepath.Base(f))
		got, err := os.ReadFile(out)
		if err != nil { // the names of modules of ray tracing have no stage
			stage := filepath.Ext(strings.TrimSuffix(out, ".spv"))
			got, err = os.ReadFile(strings.TrimSuffix(out, stage+".spv") + ".spv")
		}
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from its compiled GLSL: glslc -O --target-env=%s -o %s %s", f, environment, f, strings.TrimSuffix(f, ".spv"))
		}
	}
}
