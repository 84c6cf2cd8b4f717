package shadertest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro"
	"github.com/chiaro-gpu/chiaro/shadertest"
)

func TestSaxpy(t *testing.T) {
	saxpy := shadertest.Load(t, "../docs/tour/saxpy.spvasm") // or .spv, .comp, .hlsl, .wgsl, .slang
	x, y := []float32{1, 2, 3, 0.7}, make([]float32, 4)
	saxpy.Run([3]uint32{1, 1, 1}, chiaro.Buffer(0, x), chiaro.Buffer(1, y), chiaro.Push[float32](0.1))
	shadertest.Near(t, y, []float32{0.1, 0.2, 0.3, 0.07}, shadertest.Tolerance{ULP: 1})
}

// TestDocument compares the Go code of docs/testing.md with TestSaxpy.
func TestDocument(t *testing.T) {
	document, err := os.ReadFile("../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(document), "```go\n")
	shown, _, ok := strings.Cut(rest, "```")
	if !ok || !strings.Contains(string(file), strings.TrimSpace(shown)) {
		t.Errorf("docs/testing.md has\n%s\nwhich is not in example_test.go", shown)
	}
}
