package vk

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
)

// TestPipelineBinaries has the rules of VK_KHR_pipeline_binary: captured data and its release, keys, data, the cache of the
// device, and data that is damaged.
func TestPipelineBinaries(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, DeviceInfo{}, storage)
	info := r.computeInfo(t, Creation{Flags: enum.PipelineFlagsCaptureData})
	if _, err := r.dev.NewPipelineBinaries(PipelineBinaryInfo{Compute: &info}); err != nil {
		t.Errorf("the device compiled the pipeline of the rig: %v", err)
	}
	other := info
	other.Stage.Specialization = facts.Spec{3: 4}
	if _, err := r.dev.NewPipelineBinaries(PipelineBinaryInfo{Compute: &other}); !errors.Is(err, ErrPipelineBinaryMissing) {
		t.Errorf("a pipeline that was never made: %v", err)
	}
	p := must(r.dev.NewComputePipeline(ctx, info))(t)
	list := must(r.dev.NewPipelineBinaries(PipelineBinaryInfo{Pipeline: p}))(t)
	if len(list) != 1 {
		t.Fatalf("%d binaries", len(list))
	}
	data := must(list[0].Data())(t)
	if data.Key != list[0].Key() || data.Key == (PipelineBinaryKey{}) {
		t.Errorf("key %x", data.Key)
	}
	again := must(r.dev.NewPipelineBinaries(PipelineBinaryInfo{Data: []PipelineBinaryData{data}}))(t)
	if !bytes.Equal(must(again[0].Data())(t).Data, data.Data) {
		t.Error("the data changes by a round trip")
	}
	k1, k2, k3 := must(r.dev.ComputePipelineKey(&info))(t), must(r.dev.ComputePipelineKey(&other))(t), must(r.dev.GlobalPipelineKey())(t)
	if k1 == k2 || k1 == k3 || k1 != must(r.dev.ComputePipelineKey(&info))(t) {
		t.Error("the keys are wrong")
	}
	// The bytes are damaged, or belong to another key: only that binary fails.
	for i := 0; i < len(data.Data); i += 1 + len(data.Data)/64 {
		bad := PipelineBinaryData{data.Key, bytes.Clone(data.Data)}
		bad.Data[i] ^= 1
		out, err := r.dev.NewPipelineBinaries(PipelineBinaryInfo{Data: []PipelineBinaryData{bad, data}})
		var failed *PipelineError
		if !errors.Is(err, ErrIncompatiblePipelineBinary) || !errors.As(err, &failed) || len(failed.Failures) != 1 || failed.Failures[0].Index != 0 || out[0] != nil || out[1] == nil {
			t.Fatalf("byte %d is changed: %v, %v", i, out, err)
		}
	}
	if _, err := r.dev.NewPipelineBinaries(PipelineBinaryInfo{Data: []PipelineBinaryData{{PipelineBinaryKey{1}, data.Data}}}); !errors.Is(err, ErrIncompatiblePipelineBinary) {
		t.Errorf("another key: %v", err)
	}

	if err := r.dev.ReleaseCapturedPipelineData(p); err != nil {
		t.Error(err)
	}
	_, released := r.dev.NewPipelineBinaries(PipelineBinaryInfo{Pipeline: p})
	_, plain := r.dev.NewPipelineBinaries(PipelineBinaryInfo{Pipeline: r.saxpy})
	_, both := r.dev.NewPipelineBinaries(PipelineBinaryInfo{Pipeline: p, Compute: &info})
	_, none := r.dev.NewPipelineBinaries(PipelineBinaryInfo{})
	cached := info
	cached.Binaries, cached.Cache = again, must(r.dev.NewPipelineCache(nil))(t)
	_, cache := r.dev.NewComputePipeline(ctx, cached)
	cached.Cache, cached.Flags = nil, failOnCompile
	_, flags := r.dev.NewComputePipeline(ctx, cached)
	graphics := newScene(t, 1)
	for _, c := range []struct {
		err  error
		rule string
	}{
		{released, "VUID-VkReleaseCapturedPipelineDataInfoKHR-pipeline-09618"},
		{r.dev.ReleaseCapturedPipelineData(p), "VUID-VkReleaseCapturedPipelineDataInfoKHR-pipeline-09618"},
		{plain, "VUID-VkPipelineBinaryCreateInfoKHR-pipeline-09607"},
		{r.dev.ReleaseCapturedPipelineData(r.saxpy), "VUID-VkReleaseCapturedPipelineDataInfoKHR-pipeline-09613"},
		{both, "VUID-VkPipelineBinaryCreateInfoKHR-pKeysAndDataInfo-09619"},
		{none, "VUID-VkPipelineBinaryCreateInfoKHR-pKeysAndDataInfo-09619"},
		{cache, "VUID-vkCreateGraphicsPipelines-pNext-09616"},
		{flags, "VUID-vkCreateGraphicsPipelines-binaryCount-09622"},
	} {
		if ruleOf(c.err) != c.rule {
			t.Errorf("%v; want %s", c.err, c.rule)
		}
	}
	// A binary of another stage makes no pipeline.
	graphics.stages.Binaries = must(graphics.dev.NewPipelineBinaries(PipelineBinaryInfo{Data: []PipelineBinaryData{data}}))(t)
	graphics.stages.State = graphics.fixed
	if _, err := graphics.dev.NewGraphicsPipeline(ctx, graphics.stages); ruleOf(err) != "VUID-VkPipelineBinaryInfoKHR-binaryCount-09603" {
		t.Errorf("a compute binary for a graphics pipeline: %v", err)
	}
}
