package chiaro_test

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/vk"
)

// TestReadmeExample compares the Go code of the README with ExampleCompileFile, which runs.
func TestReadmeExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "```go\n")
	shown, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("the README has no Go code")
	}
	file, err := os.ReadFile("shader_example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ = strings.Cut(string(file), "func ExampleCompileFile() {\n")
	body, _, _ := strings.Cut(rest, "\t// Output:")
	if body = strings.ReplaceAll("\n"+body, "\n\t", "\n"); strings.TrimSpace(shown) != strings.TrimSpace(body) {
		t.Errorf("the README has\n%s\nand the example is\n%s", shown, body)
	}
}

func compile(t *testing.T, text string) (*chiaro.Shader, error) {
	t.Helper()
	version, _ := asm.Target("vulkan1.3")
	words := asmtest.Words(t, text, version)
	s, err := chiaro.Compile(context.Background(), asm.Bytes(words))
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, err
}

// TestRunBudget: a shader whose loop never ends ends with an error that has the budget.
func TestRunBudget(t *testing.T) {
	endless := strings.Replace(squares, "OpReturn\n", "OpBranch %loop\n%loop = OpLabel\nOpLoopMerge %out %next None\nOpBranch %next\n%next = OpLabel\nOpBranch %loop\n%out = OpLabel\nOpReturn\n", 1)
	for _, o := range []chiaro.Options{{Budget: 1000}, {Budget: 1000, Interpreter: true}, {}} {
		s, err := o.Compile(t.Context(), asm.Bytes(asmtest.Words(t, endless, spirv.Version14)))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var spent *vk.BudgetError
		want := cmp.Or(o.Budget, chiaro.DefaultBudget)
		if err := s.Run(t.Context(), [3]uint32{1, 1, 1}, chiaro.Buffer(3, make([]uint32, 8))); !errors.As(err, &spent) || spent.Steps != want {
			t.Errorf("budget %d: %v; must be an error of %d steps", o.Budget, err, want)
		}
	}
}

// TestRunArguments runs with arguments that do not fit the shader.
func TestRunArguments(t *testing.T) {
	ctx := context.Background()
	s, err := compile(t, squares)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]uint32, 8)
	one := [3]uint32{1, 1, 1}
	for name, args := range map[string][]chiaro.Argument{
		"none":   nil,
		"other":  {chiaro.Buffer(3, out), chiaro.Buffer(4, out)},
		"set":    {chiaro.SetBuffer(1, 3, out)},
		"twice":  {chiaro.Buffer(3, out), chiaro.Buffer(3, out)},
		"pushed": {chiaro.Buffer(3, out), chiaro.Push(1.0)},
	} {
		if err := s.Run(ctx, one, args...); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := s.Run(ctx, [3]uint32{1, 1 << 31, 1}, chiaro.Buffer(3, out)); err == nil {
		t.Error("too many workgroups: no error")
	}
	if err := s.Run(ctx, one, chiaro.Buffer(3, []uint32(nil))); err != nil { // the null descriptor: stores are discarded
		t.Error(err)
	}
	if err := s.Run(ctx, one, chiaro.Buffer(3, out)); err != nil || out[7] != 49 {
		t.Errorf("%v, %v; want 49 at the end", out, err)
	}
}

// TestCompileErrors compiles shaders that break rules.
func TestCompileErrors(t *testing.T) {
	if _, err := chiaro.Compile(context.Background(), nil); err == nil {
		t.Error("no module: no error")
	}
	var invalid *vk.InvalidModuleError
	if _, err := compile(t, strings.Replace(squares, "OpIMul %uint %i %i", "OpFMul %uint %i %i", 1)); !errors.As(err, &invalid) {
		t.Errorf("a float product of integers: %v", err)
	}
	if _, err := compile(t, strings.Replace(squares, "GLCompute", "Vertex", 1)); err == nil {
		t.Error("a vertex shader: no error")
	}
}

// TestRunCancel ends an endless shader with the context.
func TestRunCancel(t *testing.T) {
	endless := squares[:strings.Index(squares, "%i = ")] + `OpBranch %head
%head = OpLabel
OpLoopMerge %out %next None
OpBranch %next
%next = OpLabel
OpBranch %head
%out = OpLabel
OpReturn
OpFunctionEnd`
	s, err := compile(t, endless)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := s.Run(ctx, [3]uint32{1, 1, 1}, chiaro.Buffer(3, make([]uint32, 8))); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v; want the end of the context", err)
	}
}

// TestSchedule: two workgroups add 1 to a word without an atomic, so one sum is lost if both load first: the choice 1 after the first
// load is the other workgroup.
func TestSchedule(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		choices []int
		want    uint32
	}{{nil, 2}, {[]int{0, 1}, 1}, {[]int{1, 0}, 2}, {[]int{99, -1}, 2}} {
		n := 0
		s, err := chiaro.Options{Schedule: func(int) int {
			if n++; n > len(c.choices) {
				return 0
			}
			return c.choices[n-1]
		}}.CompileFile(ctx, "docs/tour/count.spvasm")
		if err != nil {
			t.Fatal(err)
		}
		word := make([]uint32, 1)
		if err := s.Run(ctx, [3]uint32{2, 1, 1}, chiaro.Buffer(0, word)); err != nil || word[0] != c.want {
			t.Errorf("choices %v: %d, %v; must be %d", c.choices, word[0], err, c.want)
		}
		s.Close()
	}
}

// TestCompileStream checks that a device without an end is an error, not a file that is read for ever.
func TestCompileStream(t *testing.T) {
	const zero = "/dev/zero"
	if info, err := os.Stat(zero); err != nil || info.Mode().IsRegular() {
		return // a system without this device
	}
	if _, err := chiaro.CompileFile(t.Context(), zero); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("%v; want an error with the limit", err)
	}
}
