package link

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// robustness is the robustness setting of one sort of resources: its name, the value that
// is Vulkan's default, the highest two values, and their rules.
type robustness struct {
	what  string
	value func(*Robustness) uint32

	// needs is the rule on values other than the default, stronger the rule on the highest
	// value, after the rule on robust values if descriptors are updated after they are
	// bound, and basic the rule on the value below the highest, "" if there is none.
	needs, basic, stronger, after string

	basicFeature, strongFeature string
	updates                     []string // the features that after needs
	name                        func(uint32) string
}

func bufferRobustness(v uint32) string { return enum.BufferRobustness(v).String() }
func imageRobustness(v uint32) string  { return enum.ImageRobustness(v).String() }

var robustnesses = [...]robustness{
	{
		"storage buffers", func(r *Robustness) uint32 { return uint32(r.StorageBuffers) },
		vuid.VkPipelineRobustnessCreateInfo_pipelineRobustness_06926, "", vuid.VkPipelineRobustnessCreateInfo_robustBufferAccess2_06931,
		vuid.VkPipelineRobustnessCreateInfo_storageBuffers_10636, "", "robustBufferAccess2",
		[]string{"descriptorBindingStorageBufferUpdateAfterBind", "descriptorBindingStorageTexelBufferUpdateAfterBind"}, bufferRobustness,
	},
	{
		"uniform buffers", func(r *Robustness) uint32 { return uint32(r.UniformBuffers) },
		vuid.VkPipelineRobustnessCreateInfo_pipelineRobustness_06927, "", vuid.VkPipelineRobustnessCreateInfo_robustBufferAccess2_06932,
		vuid.VkPipelineRobustnessCreateInfo_uniformBuffers_10637, "", "robustBufferAccess2",
		[]string{"descriptorBindingInlineUniformBlockUpdateAfterBind", "descriptorBindingUniformBufferUpdateAfterBind", "descriptorBindingUniformTexelBufferUpdateAfterBind"}, bufferRobustness,
	},
	{
		"vertex inputs", func(r *Robustness) uint32 { return uint32(r.VertexInputs) },
		vuid.VkPipelineRobustnessCreateInfo_pipelineRobustness_06928, "", vuid.VkPipelineRobustnessCreateInfo_robustBufferAccess2_06933,
		"", "", "robustBufferAccess2", nil, bufferRobustness,
	},
	{
		"images", func(r *Robustness) uint32 { return uint32(r.Images) },
		vuid.VkPipelineRobustnessCreateInfo_pipelineRobustness_06929, vuid.VkPipelineRobustnessCreateInfo_robustImageAccess_06930, vuid.VkPipelineRobustnessCreateInfo_robustImageAccess2_06934,
		vuid.VkPipelineRobustnessCreateInfo_images_10638, "robustImageAccess", "robustImageAccess2",
		[]string{"descriptorBindingStorageImageUpdateAfterBind", "descriptorBindingSampledImageUpdateAfterBind"}, imageRobustness,
	},
}

// robustnessRules are the rules of how robust accesses of a pipeline or of a
// stage are.
var robustnessRules = func() (out []Rule) {
	for _, k := range robustnesses {
		out = append(out,
			Rule{k.needs, "the robustness of " + k.what + " is the default of the device without the feature pipelineRobustness"},
			Rule{k.stronger, "the robustness of " + k.what + " is of the second kind only with the feature " + k.strongFeature})
		if k.basic != "" {
			out = append(out, Rule{k.basic, "the robustness of " + k.what + " is of the first kind only with the feature " + k.basicFeature})
		}
		if k.after != "" {
			out = append(out, Rule{k.after, k.what + " that are robust and may be updated after they are bound need robustBufferAccessUpdateAfterBind"})
		}
	}
	return out
}()

// robust checks how robust the accesses of the pipeline and of its stages are.
func (l *linker) robust() {
	l.robustOf(l.d.Robustness, Side{Stage: "pipeline"})
	for _, s := range l.stages {
		l.robustOf(s.Robustness, entrySide(s))
	}
}

// robustOf checks the settings of one structure; r is nil if there is none.
func (l *linker) robustOf(r *Robustness, at Side) {
	if r == nil {
		return
	}
	side := []Side{at}
	for i := range robustnesses {
		k := &robustnesses[i]
		v := k.value(r)
		if v == 0 {
			continue
		}
		what := fmt.Sprintf("the robustness of %s is %s", k.what, k.name(v))
		l.off(k.needs, "pipelineRobustness", side, what)
		switch {
		case v == 3:
			l.off(k.stronger, k.strongFeature, side, what)
		case v == 2 && k.basic != "":
			l.off(k.basic, k.basicFeature, side, what)
		}
		if v < 2 || k.after == "" {
			continue
		}
		if both, known := l.d.limit("robustBufferAccessUpdateAfterBind"); !known || both != 0 {
			continue
		}
		for _, feature := range k.updates {
			if on, known := l.d.feature(feature); on && known {
				l.fail(k.after, side, "%s, with the feature %s; must have robustBufferAccessUpdateAfterBind", what, feature)
				break
			}
		}
	}
}
