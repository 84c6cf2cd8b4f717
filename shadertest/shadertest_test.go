package shadertest

import (
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro"
	"github.com/chiaro-gpu/chiaro/vk"
)

const saxpy = "../docs/tour/saxpy.spvasm" // y[i] = a·x[i] + y[i]

var one = [3]uint32{1, 1, 1}

// recorder is a test that records its failures.
type recorder struct {
	testing.TB
	errors []string
	fatal  bool
}

func (r *recorder) Helper() {}

func (r *recorder) Error(args ...any) { r.errors = append(r.errors, fmt.Sprint(args...)) }

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatal(args ...any) {
	r.fatal = true
	r.Error(args...)
}

// says checks that the test failed as often as there are texts, each of which is in its failure.
func (r *recorder) says(t *testing.T, texts ...string) {
	t.Helper()
	if len(r.errors) != len(texts) {
		t.Fatalf("%d failures %q; must be %d", len(r.errors), r.errors, len(texts))
	}
	for i, s := range texts {
		if !strings.Contains(r.errors[i], s) {
			t.Errorf("failure %q; must contain %q", r.errors[i], s)
		}
	}
}

// TestSizes runs a shader at several sizes of subgroups, with both engines.
func TestSizes(t *testing.T) {
	for _, interp := range []bool{false, true} {
		Options{Interpreter: interp, Sanitize: vk.SanitizeAll}.Subgroups(t, saxpy, func(t *testing.T, s *Shader) {
			x, y := []float32{1, 2, 3, 4}, []float32{10, 20, 30, 40}
			s.Run(one, chiaro.Buffer(0, x), chiaro.Buffer(1, y), chiaro.Push[float32](2))
			Equal(t, y, []float32{12, 24, 36, 48})
		}, 1, 4)
	}
}

// TestFailures has results that are wrong, reports, and shaders that cannot be loaded.
func TestFailures(t *testing.T) {
	r := &recorder{TB: t}
	s := Load(r, saxpy)
	y := make([]float32, 4)
	s.Run(one, chiaro.Buffer(0, []float32{1, 2, 3}), chiaro.Buffer(1, y), chiaro.Push[float32](1))
	r.says(t, "bounds: ")

	r = &recorder{TB: t}
	var reports []vk.Report
	s = Options{Sanitize: vk.SanitizeBounds, Reports: func(r vk.Report) { reports = append(reports, r) }}.Load(r, saxpy)
	s.Run(one, chiaro.Buffer(0, []float32{1, 2, 3}), chiaro.Buffer(1, y), chiaro.Push[float32](1))
	if r.says(t); len(reports) != 1 || reports[0].Sanitizer != "bounds" {
		t.Errorf("the reports are %v", reports)
	}
	if err := s.Fails(one, chiaro.Buffer(0, y)); err == nil || !strings.Contains(err.Error(), "set 0, binding 1") {
		t.Errorf("a run without a buffer: %v", err)
	}

	r = &recorder{TB: t}
	Equal(r, []int32{1, 2, 3}, []int32{1, 5, 3})
	Equal(r, []int32{1, 2, 3}, []int32{1, 2})
	Near(r, []float32{1 + 0x1p-22}, []float32{1}, Tolerance{ULP: 1})
	Near(r, []float32{1 + 0x1p-22}, []float32{1}, Tolerance{ULP: 2})
	Near(r, []float64{1}, []float64{1}, Tolerance{Absolute: -1})
	Equal(r, make([]uint8, 20), []uint8{10: 1, 11: 1, 12: 1, 13: 1, 14: 1, 15: 1, 16: 1, 17: 1, 18: 1, 19: 1})
	r.says(t, "value 1 is 2; must be 5", "3 values; must be 2", "value 0 is 1.0000002; must be 1 (2 ULP)", "a tolerance of -1",
		"value 10", "value 11", "value 12", "value 13", "value 14", "value 15", "value 16", "value 17", "2 more wrong values")
}

// TestGolden records a picture, compares it with itself, and with one that differs.
func TestGolden(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gray.png")
	m := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	m.SetNRGBA(1, 0, color.NRGBA{100, 100, 100, 255})
	t.Setenv(RecordVariable, "1")
	Golden(t, m, file, PictureTolerance{})
	t.Setenv(RecordVariable, "")
	Golden(t, m, file, PictureTolerance{})
	m.SetNRGBA(1, 0, color.NRGBA{102, 100, 100, 255})
	Golden(t, m, file, PictureTolerance{Levels: 2})
	t.Setenv(RecordVariable, "1")
	Golden(t, m, file, PictureTolerance{})
	t.Setenv(RecordVariable, "")
	Golden(t, m, file, PictureTolerance{})
	if _, err := os.Stat(filepath.Join(t.ArtifactDir(), "gray.difference.png")); err != nil {
		t.Error(err)
	}
}

// TestPermitted judges results of 0.1·3, which is 0.3 in 32 bits or the number before it.
func TestPermitted(t *testing.T) {
	r := &recorder{TB: t}
	s := Load(r, saxpy)
	args := []chiaro.Argument{chiaro.Buffer(0, []float32{3, 3, 3, 3}), chiaro.Buffer(1, make([]float32, 4)), chiaro.Push[float32](0.1)}
	s.Permitted(one, args, []chiaro.Argument{chiaro.Buffer(1, []float32{0.3, 0.29999998, 0.3, 0.3})})
	r.says(t)
	s.Permitted(one, args, []chiaro.Argument{chiaro.Buffer(1, []float32{0.3, 0.3, 0.31, 0.3})})
	s.Permitted(one, args, []chiaro.Argument{chiaro.Buffer(1, []float32{0.3})})
	s.Permitted(one, args, []chiaro.Argument{chiaro.Push[float32](1)})
	r.says(t, "set 0, binding 1, byte 8 is 0.31; permitted: 0.29999998 to 0.3, by instruction ", "has 4 bytes; must have the 16", "must be a buffer")

	y := make([]float32, 4)
	s.Run(one, chiaro.Buffer(0, []float32{3, 1, 0.7, 1e30}), chiaro.Buffer(1, y), chiaro.Push[float32](0.1))
	args[0] = chiaro.Buffer(0, []float32{3, 1, 0.7, 1e30})
	s.Permitted(one, args, []chiaro.Argument{chiaro.Buffer(1, y)})
	if len(r.errors) != 3 {
		t.Errorf("the results of Run: %q", r.errors)
	}
}

// TestOrders: two workgroups add 1 to a number without an atomic, so that some orders lose a sum.
func TestOrders(t *testing.T) {
	sums := map[uint32]bool{}
	Orders(t, "../docs/tour/count.spvasm", 30, func(t *testing.T, s *Shader) {
		n := make([]uint32, 1)
		s.Run([3]uint32{2, 1, 1}, chiaro.Buffer(0, n))
		sums[n[0]] = true
	})
	if len(sums) != 2 || !sums[1] || !sums[2] {
		t.Errorf("the sums are %v; must be 1 and 2", sums)
	}
}
