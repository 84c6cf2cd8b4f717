package main

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/device"
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/ledger"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/valid"
)

// profileUsage describes the names of profiles in help texts.
const profileUsage = "min, max, self, min1.0 to min1.4, VP_KHR_roadmap_2022, 2024 and 2026, a file of profiles or a pattern of such, or FILE#NAME for one of a file"

// builtinProfiles are the names of profiles that need no file.
func builtinProfiles() []string { return slices.Insert(device.BuiltinNames(), 2, "self") }

// builtinProfile returns a profile that needs no file.
func builtinProfile(name string, v valid.Version) (device.Profile, bool) {
	if name == "self" {
		return selfProfile(), true
	}
	return device.Builtin(name, v)
}

// chosen is an argument that names profiles of a file.
type chosen struct{ file, pattern string }

// readProfiles returns the profiles that the arguments name, in order and without
// duplicates. v is the version of Vulkan of "min". Warnings go to the console.
func readProfiles(c console, args []string, v valid.Version) ([]device.Profile, error) {
	var sources []device.Source
	var order []any // device.Profile or chosen
	for _, a := range args {
		if p, ok := builtinProfile(a, v); ok {
			order = append(order, p)
			continue
		}
		files, pattern, err := profileFiles(a)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			order = append(order, chosen{f, pattern})
			if slices.ContainsFunc(sources, func(s device.Source) bool { return s.Name == f }) {
				continue
			}
			data, err := readInput(c, f)
			if err != nil {
				return nil, err
			}
			sources = append(sources, device.Source{Name: f, Data: data})
		}
	}
	read, warnings, err := device.Read(sources...)
	if err != nil {
		return nil, unreadable("%v", err)
	}
	for _, w := range warnings {
		plain.Fprintf(c.err, "%s\n", w)
	}
	var out []device.Profile
	add := func(p device.Profile) {
		for _, have := range out {
			if have.Name == p.Name && have.File != p.File { // the file tells them apart
				p.Name = p.File + "#" + p.Name
				p.Device.Name = p.Name
			}
			if have.Name == p.Name && have.File == p.File {
				return
			}
		}
		out = append(out, p)
	}
	for _, o := range order {
		if p, ok := o.(device.Profile); ok {
			add(p)
			continue
		}
		want, found := o.(chosen), false
		for _, p := range read {
			if p.File == want.file && matches(want.pattern, p.Name) {
				found = true
				add(p)
			}
		}
		if !found {
			return nil, unreadable("%s: no profile %s", want.file, want.pattern)
		}
	}
	return out, nil
}

// matches reports whether pattern matches name, or the name of the profile that it is
// an alternative of.
func matches(pattern, name string) bool {
	whole, _, _ := strings.Cut(name, "/")
	for _, n := range []string{name, whole} {
		if ok, _ := path.Match(pattern, n); ok || pattern == n {
			return true
		}
	}
	return pattern == "*"
}

// profileFiles returns the files that an argument names, and which of their
// profiles.
func profileFiles(arg string) (files []string, pattern string, err error) {
	if _, err := os.Stat(arg); err == nil || arg == "-" {
		return []string{arg}, "*", nil
	}
	name, pattern := arg, "*"
	if i := strings.LastIndexByte(arg, '#'); i >= 0 {
		name, pattern = arg[:i], arg[i+1:]
	}
	if _, err := os.Stat(name); err == nil || name == "-" {
		return []string{name}, pattern, nil
	}
	files, err = filepath.Glob(name)
	switch {
	case err == nil && len(files) > 0:
	case strings.ContainsAny(name, "*?["):
		return nil, "", unreadable("%s: matches no file", name)
	case strings.ContainsAny(name, "./\\"):
		return nil, "", unreadable("%s: no such file", name)
	default:
		return nil, "", unreadable("unknown device %q; want %s", arg, profileUsage)
	}
	return files, pattern, nil
}

// selfProfile describes Chiaro as a device: the features of the capabilities that its
// shaders support, and the limits of its stages. A feature that no capability needs
// is unknown, and so is a limit that only memory bounds.
func selfProfile() device.Profile {
	d := &valid.Device{Name: "self", Features: map[string]bool{}, Limits: map[string]uint64{}, Extensions: map[string]bool{}}
	take := func(ways []valid.Way, works bool) {
		for _, w := range ways {
			if w.Extension != "" {
				d.Extensions[w.Extension] = d.Extensions[w.Extension] || works
			}
			if w.Feature != "" {
				d.Features[w.Feature] = d.Features[w.Feature] || works
			}
			if w.Property != "" {
				has := w.Bits
				if !works {
					has = 0
				}
				d.Limits[w.Property] |= has
			}
		}
	}
	for k, works := range ledger.Capabilities() {
		take(valid.CapabilityWays(k), works)
	}
	for name, works := range ledger.Extensions() {
		take(valid.ExtensionWays(name), works)
	}
	for name, n := range map[string]uint64{
		"maxPushConstantsSize": compute.MaxPushBytes, "maxInlineUniformBlockSize": compute.MaxInlineBytes,
		"minSubgroupSize": lower.MinSubgroup, "maxSubgroupSize": lower.MaxSubgroup, "subgroupSize": lower.DefaultSubgroup,
		"requiredSubgroupSizeStages": 0x3f, "subgroupSupportedStages": 0x3f, // compute and all of graphics
		"maxTransformFeedbackStreams": ir.MaxStreams, "maxTransformFeedbackBuffers": ir.MaxCaptures, "transformFeedbackStreamsLinesTriangles": 1,
		"maxTransformFeedbackBufferDataStride": ir.MaxCaptureStride, "maxTransformFeedbackBufferDataSize": ir.MaxCaptureStride, "maxTransformFeedbackStreamDataSize": state.MaxCapturedBytes,
	} {
		d.Limits[name] = n
	}
	selfDescriptors(d)
	for i, n := range compute.MaxGroups() {
		d.Limits["maxComputeWorkGroupCount["+strconv.Itoa(i)+"]"] = uint64(n)
	}
	return device.Profile{Name: "self", Label: "the features of the capabilities that Chiaro supports", Device: d}
}

// selfDescriptors adds what no capability needs: the kinds of descriptors and heaps, and the robustness of accesses.
func selfDescriptors(d *valid.Device) {
	for _, name := range []string{"inlineUniformBlock", "mutableDescriptorType", "nullDescriptor", "pipelineRobustness",
		"robustBufferAccess", "robustBufferAccess2", "robustImageAccess", "robustImageAccess2"} {
		d.Features[name] = true
	}
	for _, name := range []string{"VK_EXT_image_robustness", "VK_EXT_inline_uniform_block", "VK_EXT_mutable_descriptor_type",
		"VK_EXT_pipeline_robustness", "VK_EXT_robustness2", "VK_KHR_robustness2"} {
		d.Extensions[name] = true
	}
	const robust2 = uint64(enum.BufferRobustnessRobustBufferAccess2) // the same number for images
	for name, n := range map[string]uint64{
		"robustStorageBufferAccessSizeAlignment": exec.StorageAlignment, "robustUniformBufferAccessSizeAlignment": exec.UniformAlignment,
		"defaultRobustnessStorageBuffers": robust2, "defaultRobustnessUniformBuffers": robust2,
		"defaultRobustnessVertexInputs": robust2, "defaultRobustnessImages": robust2,
		"bufferDescriptorSize": ir.HeapDescriptor, "bufferDescriptorAlignment": ir.HeapDescriptor,
		"imageDescriptorSize": 2 * ir.HeapDescriptor, "imageDescriptorAlignment": 2 * ir.HeapDescriptor,
		"samplerDescriptorSize": 2 * ir.HeapDescriptor, "samplerDescriptorAlignment": 2 * ir.HeapDescriptor,
		"maxResourceHeapSize": compute.MaxHeapBytes, "maxSamplerHeapSize": compute.MaxHeapBytes, "maxPushDataSize": compute.MaxPushBytes,
	} {
		d.Limits[name] = n
	}
}
