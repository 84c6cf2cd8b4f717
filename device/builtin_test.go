package device

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/valid"
)

// rows returns the cells of a table of Vulkan, by the names of the columns.
func rows(t *testing.T, name string) (out []map[string]string) {
	t.Helper()
	text, err := os.ReadFile("../../shared/spec/" + name)
	if err != nil {
		t.Skip("the tables of the Vulkan specification are not beside this repository, so the profiles are not compared with them: ", err)
	}
	var columns []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if columns == nil {
			columns = cells
			continue
		}
		row := map[string]string{}
		for i, c := range cells {
			row[columns[i]] = c
		}
		out = append(out, row)
	}
	return out
}

// TestRequiredLimits compares the built-in profiles with Vulkan's tables of required
// limits: whole numbers and Booleans, the first row of each limit.
func TestRequiredLimits(t *testing.T) {
	seen := map[string]bool{}
	table := rows(t, "limits.tsv")
	for _, r := range table {
		if seen[r["limit"]] {
			continue
		}
		seen[r["limit"]] = true
		for profile, columns := range map[string][]string{
			"min1.0": {"required_core"}, "min1.3": {"required_core"}, "min1.4": {"vk14", "required_core"},
			"VP_KHR_roadmap_2022": {"roadmap2022", "required_core"}, "VP_KHR_roadmap_2024": {"roadmap2024", "roadmap2022", "required_core"},
			"VP_KHR_roadmap_2026": {"roadmap2026", "roadmap2024", "roadmap2022", "required_core"},
		} {
			for _, c := range columns {
				cell := strings.NewReplacer("VK_TRUE", "1", "TRUE", "1", "VK_FALSE", "0").Replace(r[c])
				want, err := strconv.ParseUint(cell, 10, 64)
				if err != nil {
					continue
				}
				p, _ := Builtin(profile, valid.Vulkan10)
				got, ok := p.Device.Limits[r["limit"]]
				weaker := got < want
				if properties[r["limit"]].stronger == smaller {
					weaker = got > want
				}
				if !ok || weaker {
					t.Errorf("%s: %s is %d, %t; must be %d", profile, r["limit"], got, ok, want)
				}
				break
			}
		}
	}
}

// TestRequiredFeatures compares the built-in profiles with the features that version
// 1.4 of Vulkan requires. It requires pipelineProtectedAccess only with protectedMemory.
func TestRequiredFeatures(t *testing.T) {
	p, _ := Builtin("min1.4", valid.Vulkan10)
	for _, r := range rows(t, "features.tsv") {
		if strings.TrimSpace(r["required_by"]) == "VK_VERSION_1_4" && r["feature"] != "pipelineProtectedAccess" && !p.Device.Features[r["feature"]] {
			t.Errorf("min1.4 lacks %s", r["feature"])
		}
	}
}

// TestRoadmaps checks facts of the published roadmap profiles.
func TestRoadmaps(t *testing.T) {
	for _, c := range []struct {
		name              string
		version           valid.Version
		on, off           string
		limit             string
		value             uint64
		extension, absent string
	}{
		{"VP_KHR_roadmap_2022", valid.Vulkan13, "runtimeDescriptorArray", "shaderInt8", "maxPerStageDescriptorSampledImages", 200, "VK_KHR_global_priority", "VK_KHR_shader_quad_control"},
		{"VP_KHR_roadmap_2024", valid.Vulkan13, "shaderFloat16", "cooperativeMatrix", "maxBoundDescriptorSets", 7, "VK_KHR_shader_quad_control", "VK_KHR_robustness2"},
		{"VP_KHR_roadmap_2026", valid.Vulkan14, "cooperativeMatrix", "geometryShader", "maxComputeSharedMemorySize", 32768, "VK_KHR_robustness2", "VK_EXT_mesh_shader"},
	} {
		p, ok := Builtin(c.name, valid.Vulkan10)
		if !ok || p.Version != c.version {
			t.Errorf("%s: %t, Vulkan %s", c.name, ok, p.Version)
			continue
		}
		on, _ := p.Device.Feature(c.on)
		off, known := p.Device.Feature(c.off)
		if !on || off || !known {
			t.Errorf("%s: %s is %t, %s is %t", c.name, c.on, on, c.off, off)
		}
		if got := p.Device.Limits[c.limit]; got != c.value {
			t.Errorf("%s: %s is %d, must be %d", c.name, c.limit, got, c.value)
		}
		with, _ := p.Device.Extension(c.extension)
		without, _ := p.Device.Extension(c.absent)
		if !with || without {
			t.Errorf("%s: %s is %t, %s is %t", c.name, c.extension, with, c.absent, without)
		}
		if p.Device.Limits["shaderSignedZeroInfNanPreserveFloat32"] != 1 {
			t.Errorf("%s: shaderSignedZeroInfNanPreserveFloat32 is off", c.name)
		}
		for f := range p.Device.Features {
			if !Feature(f) {
				t.Errorf("%s: %s is no feature", c.name, f)
			}
		}
	}
	if _, ok := Builtin("VP_KHR_roadmap_2023", valid.Vulkan10); ok {
		t.Error("VP_KHR_roadmap_2023 is a profile")
	}
}
