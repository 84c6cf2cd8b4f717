// Package shadertest tests compute shaders with go test. A shader runs on slices and pictures; the results are compared with
// tolerances and with pictures in files; and each report of a sanitizer fails the test:
//
//	func TestBlur(t *testing.T) {
//		blur := shadertest.Load(t, "blur.comp")
//		in, out := []float32{0, 0, 4, 0, 0}, make([]float32, 5)
//		blur.Run([3]uint32{1, 1, 1}, chiaro.Buffer(0, in), chiaro.Buffer(1, out))
//		shadertest.Near(t, out, []float32{0, 1, 2, 1, 0}, shadertest.Tolerance{ULP: 1})
//	}
//
// The command chiaro test runs tests of other stages, without Go. See docs/testing.md.
//
// # Files
//
//  1. shadertest.go: shaders.
//  2. compare.go: comparisons.
package shadertest

import (
	"context"
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro"
	"github.com/chiaro-gpu/chiaro/internal/schedule"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Options are the options of a shader under test. Reports, if it is set, receives the reports of sanitizers, which then do not fail
// the test.
type Options chiaro.Options

// Shader is a shader under test.
type Shader struct {
	t      testing.TB
	shader *chiaro.Shader
	wants  bool // reports fail the test
	found  []vk.Report
}

// Load compiles a shader as chiaro.CompileFile does, with the sanitizers vk.SanitizeFaults. It ends the test if the shader cannot
// be compiled. The shader is closed at the end of the test.
func Load(t testing.TB, file string) *Shader {
	t.Helper()
	return Options{Sanitize: vk.SanitizeFaults}.Load(t, file)
}

// Load is the function Load with options, and without other sanitizers.
func (o Options) Load(t testing.TB, file string) *Shader {
	t.Helper()
	s := &Shader{t: t, wants: o.Reports == nil}
	if s.wants {
		o.Reports = func(r vk.Report) { s.found = append(s.found, r) }
	}
	shader, err := chiaro.Options(o).CompileFile(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	s.shader = shader
	t.Cleanup(func() { shader.Close() })
	return s
}

// Run runs workgroups, as chiaro.Shader.Run does. It ends the test if the shader cannot run, and fails it for each report of a
// sanitizer.
func (s *Shader) Run(groups [3]uint32, args ...chiaro.Argument) {
	s.t.Helper()
	s.found = nil
	err := s.shader.Run(s.t.Context(), groups, args...)
	if s.wants {
		for i := range s.found {
			s.t.Errorf("%s: %s", s.found[i].Sanitizer, s.found[i].Text())
		}
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// Subgroups calls f as a subtest for each of some sizes of subgroups, with the shader of a file. Without sizes they are 1, 4, 16 and
// 64. A shader whose results depend on the size has a fault that one size does not show.
func (o Options) Subgroups(t *testing.T, file string, f func(t *testing.T, s *Shader), sizes ...uint32) {
	t.Helper()
	if len(sizes) == 0 {
		sizes = []uint32{1, 4, 16, 64}
	}
	for _, n := range sizes {
		t.Run(fmt.Sprintf("subgroup=%d", n), func(t *testing.T) {
			sized := o
			sized.SubgroupSize = n
			f(t, sized.Load(t, file))
		})
	}
}

// Subgroups is the method Subgroups with the options of Load.
func Subgroups(t *testing.T, file string, f func(t *testing.T, s *Shader), sizes ...uint32) {
	t.Helper()
	Options{Sanitize: vk.SanitizeFaults}.Subgroups(t, file, f, sizes...)
}

// Orders calls f as a subtest for each of n random orders of workgroups, subgroups and invocations, with the shader of a file and the
// options of Load. The name of a subtest has the seed of its order: go test -run 'TestName/seed=7' runs it again. See
// docs/schedules.md.
func Orders(t *testing.T, file string, n int, f func(t *testing.T, s *Shader)) {
	t.Helper()
	for seed := range uint64(n) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			f(t, Options{Sanitize: vk.SanitizeFaults, Schedule: schedule.Random(seed).Choices()}.Load(t, file))
		})
	}
}

// Fails checks that a run of a shader ends with an error, and returns it. The shader cannot run again.
func (s *Shader) Fails(groups [3]uint32, args ...chiaro.Argument) error {
	s.t.Helper()
	err := s.shader.Run(context.WithoutCancel(s.t.Context()), groups, args...)
	if err == nil {
		s.t.Error("the shader runs without an error; must fail")
	}
	return err
}
