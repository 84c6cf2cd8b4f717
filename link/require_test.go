package link_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/describe"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// TestRequire checks the needs of a pipeline: a device that has them and nothing else has no
// finding, and one without any of them has one.
func TestRequire(t *testing.T) {
	const text = `
kind: graphics
flags: 64_bit_indexing
stages: {vertex: vert.spvasm, tessellation_control: tesc.spvasm, tessellation_evaluation: tese.spvasm, fragment: frag.spvasm}
vertex_input: {bindings: [{binding: 2, stride: 12, rate: instance, divisor: 0}], attributes: []}
input_assembly: {topology: patch_list}
tessellation: {patch_control_points: 7}
layout:
  sets: {0: {0: {type: mutable, count: 3, mutable: [sampler]}, 1: {type: uniform_buffer, count: 5}}}
  push_constants: [{offset: 16, size: 24}]
libraries: []
`
	env, _ := valid.ParseEnv("vulkan1.4")
	d, err := describe.Read([]byte(text), "test", func(s describe.Stage) (*link.Shader, error) {
		data, err := os.ReadFile(filepath.Join("testdata/stock", s.File))
		if err != nil {
			return nil, err
		}
		return pairShader(string(data), s.Stage.String(), env)
	})
	if err != nil {
		t.Fatal(err)
	}
	needs, err := link.Require(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	features := []string{"mutableDescriptorType", "shader64BitIndexing", "tessellationShader", "vertexAttributeInstanceRateZeroDivisor"}
	if got := slices.Sorted(maps.Keys(needs.Features)); !slices.Equal(got, features) {
		t.Errorf("features %v; must be %v", got, features)
	}
	want := map[string]uint64{
		"maxBoundDescriptorSets": 1, "maxDescriptorSetSamplers": 3, "maxDescriptorSetUniformBuffers": 5, "maxPerStageDescriptorSamplers": 3,
		"maxPerStageDescriptorUniformBuffers": 5, "maxPerStageResources": 5, "maxPushConstantsSize": 40, "maxTessellationPatchSize": 7,
		"maxVertexInputBindings": 3, "maxVertexInputBindingStride": 12,
	}
	device := &valid.Device{Features: map[string]bool{}, Limits: map[string]uint64{}}
	got := map[string]uint64{}
	for n, l := range needs.Limits {
		got[n], device.Limits[n] = l.Value, l.Value
	}
	if !maps.Equal(got, want) {
		t.Errorf("limits %v; must be %v", got, want)
	}
	for n := range needs.Features {
		device.Features[n] = true
	}
	d.Device = device
	for _, f := range link.Link(d) {
		t.Errorf("with all: %s: %s", f.Code, f.Message)
	}
	for n, l := range needs.Limits {
		device.Limits[n]--
		if !slices.ContainsFunc(link.Link(d), func(f link.Finding) bool { return f.Code == l.Code }) {
			t.Errorf("%s %d: no finding of %s", n, device.Limits[n], l.Code)
		}
		device.Limits[n]++
	}
}

// TestRequireFlags checks that a limit of flags is needed with those of the stages, and no others.
func TestRequireFlags(t *testing.T) {
	env, _ := valid.ParseEnv("vulkan1.4")
	text := "stages: {vertex: {file: vert.spvasm, subgroup_size: 16}, fragment: {file: frag.spvasm, subgroup_size: 16}}"
	d, err := describe.Read([]byte(text), "test", func(s describe.Stage) (*link.Shader, error) {
		data, err := os.ReadFile(filepath.Join("testdata/stock", s.File))
		if err != nil {
			return nil, err
		}
		return pairShader(string(data), s.Stage.String(), env)
	})
	if err != nil {
		t.Fatal(err)
	}
	needs, err := link.Require(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	const vertex, fragment = 0x1, 0x10
	if got := needs.Limits["requiredSubgroupSizeStages"].Value; got != vertex|fragment {
		t.Errorf("flags 0x%x; must be 0x%x", got, vertex|fragment)
	}
}
