package vk

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestCompatibleSamplers makes layouts whose immutable samplers are other objects: they are compatible if the parameters of the samplers
// are equal, also after a sampler is closed.
func TestCompatibleSamplers(t *testing.T) {
	d := newRig(t, DeviceInfo{}, storage).dev
	layout := func(s *Sampler) *PipelineLayout {
		set := must(d.NewSetLayout(SetLayoutInfo{
			Bindings: []link.Binding{{Type: link.CombinedImageSampler, Count: 1, Stages: link.AllStages}},
			Samplers: map[uint32][]*Sampler{0: {s}},
		}))(t)
		return must(d.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{set}}))(t)
	}
	first, second := must(d.NewSampler(SamplerInfo{MaxLod: 3}))(t), must(d.NewSampler(SamplerInfo{MaxLod: 3}))(t)
	other := must(d.NewSampler(SamplerInfo{MaxLod: 4}))(t)
	a, b, c := layout(first), layout(second), layout(other)
	first.Close()
	if !a.compatible(b, 0) {
		t.Error("layouts with samplers of the same parameters are not compatible; must be")
	}
	if a.compatible(c, 0) {
		t.Error("layouts with samplers of other parameters are compatible; must not be")
	}
}

// TestNullSetLayout makes pipeline layouts with a set that is null: with independent sets, or with the feature graphicsPipelineLibrary
// (VUID-VkPipelineLayoutCreateInfo-graphicsPipelineLibrary-06753).
func TestNullSetLayout(t *testing.T) {
	for _, library := range []bool{false, true} {
		d := newRig(t, DeviceInfo{Enabled: map[string]bool{"graphicsPipelineLibrary": library}}, storage).dev
		set := must(d.NewSetLayout(SetLayoutInfo{}))(t)
		for flags, want := range map[enum.LayoutFlags]bool{0: library, enum.LayoutFlagsIndependentSets: true} {
			if _, err := d.NewPipelineLayout(PipelineLayoutInfo{Flags: flags, Sets: []*SetLayout{set, nil, set}}); (err == nil) != want {
				t.Errorf("with the feature %v and the flags %v, a null set has the error %v; must be valid: %v", library, flags, err, want)
			}
		}
	}
}
