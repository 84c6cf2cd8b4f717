package driver

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// TestStaticSampleMask reads the mask of a pipeline: its length is of rasterizationSamples, "if VK_DYNAMIC_STATE_SAMPLE_MASK_EXT dynamic
// state is not set", whether the number of samples itself is dynamic or not.
func TestStaticSampleMask(t *testing.T) {
	const all = ^uint32(0)
	number, masked := uint32(abi.DynamicStateRasterizationSamplesEXT), uint32(abi.DynamicStateSampleMaskEXT)
	words := [2]uint32{0xfffffff0, 0x0ffffff0}
	for _, x := range []struct {
		samples uint32
		dynamic []uint32
		want    *[2]uint32
	}{
		{4, nil, &[2]uint32{words[0], all}},
		{4, []uint32{number}, &[2]uint32{words[0], all}},
		{32, []uint32{number}, &[2]uint32{words[0], all}},
		{64, []uint32{number}, &words},
		{64, nil, &words},
		{64, []uint32{masked}, nil},
		{64, []uint32{masked, number}, nil},
	} {
		info := abi.GraphicsPipelineCreateInfo{PMultisampleState: &abi.PipelineMultisampleStateCreateInfo{
			SType: abi.StructureTypePipelineMultisampleStateCreateInfo, RasterizationSamples: x.samples, PSampleMask: &words[0],
		}}
		if len(x.dynamic) > 0 {
			info.PDynamicState = &abi.PipelineDynamicStateCreateInfo{
				SType: abi.StructureTypePipelineDynamicStateCreateInfo, DynamicStateCount: uint32(len(x.dynamic)), PDynamicStates: &x.dynamic[0],
			}
		}
		r := graphicsReader{GraphicsPipelineCreateInfo: &info, parts: allParts}
		r.dynamics()
		var s vk.FixedState
		r.fragments(&s)
		if got := s.SampleMask; (got == nil) != (x.want == nil) || got != nil && *got != *x.want {
			t.Errorf("%d samples and the dynamic states %d: the mask is %x; must be %x", x.samples, x.dynamic, got, x.want)
		}
	}
}
