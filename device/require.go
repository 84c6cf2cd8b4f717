package device

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// Requirements are the requirements of modules on a device.
type Requirements struct {
	// Declared are the requirements of versions, capabilities and extensions, each once.
	Declared []valid.Requirement

	// Features are the features that rules need beyond the capabilities, with
	// the code of the rule.
	Features map[string]string

	// Limits are the minimal values of limits, with the instruction that needs most.
	Limits map[string]Bound
}

// Bound is the value that a limit must have at the least, or the flags that it must include.
type Bound struct {
	Value uint64 `json:"value"`
	Why   string `json:"why"` // "workgroup of main"
}

// Require returns the requirements of a module on a Vulkan device: the declared
// ones, the features that the rules need, and the limits that its entry points
// reach. The only error is the error of ctx.
func Require(ctx context.Context, m *facts.Module) (*Requirements, error) {
	r := &Requirements{Declared: valid.Requirements(m), Features: map[string]string{}, Limits: map[string]Bound{}}
	env, _ := valid.ParseEnv("vulkan1.4")
	_, err := valid.Check(ctx, m, env, valid.Options{Asked: func(code, feature string) { r.Features[feature] = code }})
	for e := range iface.Entries(valid.Assume(m), facts.ReadingDefault) {
		if err != nil {
			return r, err
		}
		r.entry(e)
		err = ctx.Err()
	}
	return r, err
}

// Add merges the requirements of other modules.
func (r *Requirements) Add(o *Requirements) {
	for _, d := range o.Declared {
		if !slices.ContainsFunc(r.Declared, func(have valid.Requirement) bool { return have.What == d.What }) {
			r.Declared = append(r.Declared, d)
		}
	}
	if r.Features == nil {
		r.Features, r.Limits = map[string]string{}, map[string]Bound{}
	}
	maps.Copy(r.Features, o.Features)
	for name, b := range o.Limits {
		r.least(name, b.Value, b.Why)
	}
}

// least raises the least value of a limit, or adds flags to it.
func (r *Requirements) least(name string, v uint64, why string) {
	have := r.Limits[name].Value
	switch flags := IsFlags(name); {
	case flags && v&^have != 0:
		r.Limits[name] = Bound{v | have, why}
	case !flags && v > have:
		r.Limits[name] = Bound{v, why}
	}
}

// IsFlags reports whether a limit is a set of flags.
func IsFlags(limit string) bool { return properties[limit].stronger == union }

// Missing returns the requirements that a device of a version of Vulkan does not
// meet, and those that are not known of it, each as words.
func (r *Requirements) Missing(d *valid.Device, v valid.Version) (lacks, unknown []string) {
	say := func(ok, known bool, format string, args ...any) {
		switch {
		case ok && known:
		case known:
			lacks = append(lacks, fmt.Sprintf(format, args...))
		default:
			unknown = append(unknown, fmt.Sprintf(format, args...))
		}
	}
	for _, n := range r.Declared {
		ok, known := d.Meets(n, v)
		say(ok, known, "%s: %s", n.What, Words(n.Ways))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Features)) {
		on, known := d.Feature(name)
		say(on, known, "feature %s [%s]", name, r.Features[name])
	}
	for _, name := range slices.Sorted(maps.Keys(r.Limits)) {
		b := r.Limits[name]
		has, known := d.Limits[name]
		switch {
		case known && IsFlags(name):
			say(has&b.Value == b.Value, true, "%s: 0x%x, must include 0x%x (%s)", name, has, b.Value, b.Why)
		case IsFlags(name):
			say(false, false, "%s: must include 0x%x (%s)", name, b.Value, b.Why)
		case known:
			say(has >= b.Value, true, "%s: %d, must be at least %d (%s)", name, has, b.Value, b.Why)
		default:
			say(false, false, "%s: must be at least %d (%s)", name, b.Value, b.Why)
		}
	}
	return lacks, unknown
}

// Words describes the ways in which a device can support a requirement.
func Words(ways []valid.Way) string {
	var out []string
	for _, w := range ways {
		var from, what []string
		if w.Since > valid.Vulkan10 {
			from = append(from, "Vulkan "+w.Since.String())
		}
		if w.Extension != "" {
			from = append(from, w.Extension)
		}
		if w.Feature != "" {
			what = append(what, w.Feature)
		}
		if w.Property != "" {
			what = append(what, propertyWords(w))
		}
		if len(from) > 0 {
			what = append(what, strings.Join(from, " or "))
		}
		out = append(out, strings.Join(what, " in "))
	}
	return strings.Join(out, "; or ")
}

// propertyWords names the property of a way, and the flags of which it needs one.
func propertyWords(w valid.Way) string {
	if properties[w.Property].kind != flags {
		return w.Property
	}
	var names []string
	for n, b := range bits {
		if b == w.Bits && strings.HasPrefix(n, "VK_SUBGROUP_FEATURE_") && w.Property == "subgroupSupportedOperations" {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return fmt.Sprintf("%s with bit %#x", w.Property, w.Bits)
	}
	return slices.Min(names) + " of " + w.Property
}

// entry collects the limits that an entry point reaches.
func (r *Requirements) entry(e *iface.Entry) {
	r.workgroup(e)
	r.resources(e)
	r.locations(e)
	for _, p := range e.PushConstants {
		if p.Used {
			r.least("maxPushConstantsSize", p.Size, "push constants of "+e.Name)
		}
	}
	for _, m := range e.Modes {
		if len(m.Operands) == 0 {
			continue
		}
		n, why := uint64(m.Operands[0]), fmt.Sprintf("%s of %s", m.Mode, e.Name)
		switch {
		case m.Mode == spirv.ExecutionModeInvocations:
			r.least("maxGeometryShaderInvocations", n, why)
		case m.Mode == spirv.ExecutionModeOutputVertices && e.Model == spirv.ExecutionModelGeometry:
			r.least("maxGeometryOutputVertices", n, why)
		case m.Mode == spirv.ExecutionModeOutputVertices && e.Model == spirv.ExecutionModelTessellationControl:
			r.least("maxTessellationPatchSize", n, why)
		case m.Mode == spirv.ExecutionModeOutputVertices && e.Model == spirv.ExecutionModelMeshEXT:
			r.least("VkPhysicalDeviceMeshShaderPropertiesEXT::maxMeshOutputVertices", n, why)
		case m.Mode == spirv.ExecutionModeOutputPrimitivesEXT && e.Model == spirv.ExecutionModelMeshEXT:
			r.least("VkPhysicalDeviceMeshShaderPropertiesEXT::maxMeshOutputPrimitives", n, why)
		}
	}
}

// workgroup collects the limits of workgroups. Task and mesh shaders have limits
// of their own beside the limits of compute shaders.
func (r *Requirements) workgroup(e *iface.Entry) {
	size, total, shared := "maxComputeWorkGroupSize", "maxComputeWorkGroupInvocations", "maxComputeSharedMemorySize"
	const mesh = "VkPhysicalDeviceMeshShaderPropertiesEXT::"
	switch e.Model {
	case spirv.ExecutionModelTaskEXT:
		size, total, shared = mesh+"maxTaskWorkGroupSize", mesh+"maxTaskWorkGroupInvocations", mesh+"maxTaskSharedMemorySize"
	case spirv.ExecutionModelMeshEXT:
		size, total, shared = mesh+"maxMeshWorkGroupSize", mesh+"maxMeshWorkGroupInvocations", mesh+"maxMeshSharedMemorySize"
	case spirv.ExecutionModelGLCompute:
	default:
		return
	}
	if w := e.Workgroup; w != nil {
		all := uint64(1)
		for i, n := range w.Size {
			if n > 1 { // which every device has
				r.least(fmt.Sprintf("%s[%d]", size, i), uint64(n), "workgroup of "+e.Name)
			}
			all = min(all*uint64(n), 1<<32)
		}
		r.least(total, all, "workgroup of "+e.Name)
	}
	r.least(shared, e.SharedMemory, "shared memory of "+e.Name)
}

// perStage are the limits of one stage that a descriptor of a type counts for.
var perStage = map[iface.Descriptor][]string{
	iface.Sampler:               {"maxPerStageDescriptorSamplers"},
	iface.CombinedImageSampler:  {"maxPerStageDescriptorSamplers", "maxPerStageDescriptorSampledImages"},
	iface.SampledImage:          {"maxPerStageDescriptorSampledImages"},
	iface.UniformTexelBuffer:    {"maxPerStageDescriptorSampledImages"},
	iface.StorageImage:          {"maxPerStageDescriptorStorageImages"},
	iface.StorageTexelBuffer:    {"maxPerStageDescriptorStorageImages"},
	iface.UniformBuffer:         {"maxPerStageDescriptorUniformBuffers"},
	iface.StorageBuffer:         {"maxPerStageDescriptorStorageBuffers"},
	iface.InputAttachment:       {"maxPerStageDescriptorInputAttachments"},
	iface.AccelerationStructure: {"maxPerStageDescriptorAccelerationStructures"},
}

// resources counts the descriptors that an entry point uses. Sets with layouts for
// update after bind, and inline uniform blocks, count against other limits; a
// module does not contain this information.
func (r *Requirements) resources(e *iface.Entry) {
	type descriptorSlot struct{ set, binding uint32 }
	seen := map[descriptorSlot]bool{}
	counts := map[string]uint64{}
	for _, s := range e.Resources {
		at := descriptorSlot{s.Set, s.Binding}
		if !s.Used || s.MissingSet || s.MissingBinding || seen[at] {
			continue
		}
		seen[at] = true
		r.least("maxBoundDescriptorSets", uint64(s.Set)+1, "sets of "+e.Name)
		for _, name := range perStage[s.Type] {
			counts[name] = min(counts[name]+s.Count, 1<<32)
		}
		if s.Type != iface.Sampler && s.Type != iface.AccelerationStructure {
			counts["maxPerStageResources"] = min(counts["maxPerStageResources"]+s.Count, 1<<32)
		}
	}
	for name, n := range counts {
		r.least(name, n, "descriptors of "+e.Name)
	}
}

// locations collects how far inputs and outputs reach (RuntimeSpirv,
// Location-06272): a Location has four components.
func (r *Requirements) locations(e *iface.Entry) {
	far := func(list []iface.Variable, patch bool) (n uint64) {
		for _, v := range list {
			if v.Patch == patch && !v.Missing && !v.PerPrimitive {
				n = max(n, uint64(v.Location)+v.Slots)
			}
		}
		return n
	}
	in, out := "inputs of "+e.Name, "outputs of "+e.Name
	switch e.Model {
	case spirv.ExecutionModelVertex:
		r.least("maxVertexInputAttributes", far(e.Inputs, false), in)
		r.least("maxVertexOutputComponents", 4*far(e.Outputs, false), out)
	case spirv.ExecutionModelTessellationControl:
		r.least("maxTessellationControlPerVertexInputComponents", 4*far(e.Inputs, false), in)
		r.least("maxTessellationControlPerVertexOutputComponents", 4*far(e.Outputs, false), out)
		r.least("maxTessellationControlPerPatchOutputComponents", 4*far(e.Outputs, true), out)
	case spirv.ExecutionModelTessellationEvaluation:
		r.least("maxTessellationEvaluationInputComponents", 4*far(e.Inputs, false), in)
		r.least("maxTessellationEvaluationOutputComponents", 4*far(e.Outputs, false), out)
	case spirv.ExecutionModelGeometry:
		r.least("maxGeometryInputComponents", 4*far(e.Inputs, false), in)
		r.least("maxGeometryOutputComponents", 4*far(e.Outputs, false), out)
	case spirv.ExecutionModelFragment:
		r.least("maxFragmentInputComponents", 4*far(e.Inputs, false), in)
		r.least("maxFragmentOutputAttachments", far(e.Outputs, false), out)
	}
}
