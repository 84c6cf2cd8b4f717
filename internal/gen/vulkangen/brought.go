package main

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// unlisted are the capabilities of extensions in Vulkan that its table lacks, or has without a number. Each needs a feature.
var unlisted = []struct {
	name               string
	number             int
	extension, feature string
}{
	{"SubpassShadingHUAWEI", 6272, "VK_HUAWEI_subpass_shading", "subpassShading"},
	{"ClusterCullingShadingHUAWEI", 6273, "VK_HUAWEI_cluster_culling_shader", "clustercullingShader"},
}

// brought writes the sources of each capability and each extension of SPIR-V.
func brought(dir fs.FS) (string, error) {
	var b strings.Builder
	b.WriteString("package valid\n\nimport \"github.com/chiaro-gpu/chiaro/spirv\"\n\n")
	caps, err := table(dir, "capabilities.tsv")
	if err != nil {
		return "", err
	}
	b.WriteString("// capabilityWays has, for each capability in Vulkan, the ways to support it.\n")
	b.WriteString("var capabilityWays = map[spirv.Capability][]way{\n")
	seen := map[string]bool{} // a capability may have an old name too
	for _, r := range caps {
		if _, ok := number(r["value"]); ok && r["in_vulkan_now"] == "yes" && !seen[r["value"]] {
			seen[r["value"]] = true
			fmt.Fprintf(&b, "\t// %s\n\t%s: {%s},\n", r["capability"], r["value"], ways(r["enabled_now_by"]))
		}
	}
	for _, u := range unlisted {
		fmt.Fprintf(&b, "\t// %s\n\t%d: {{extension: %q, feature: %q}},\n", u.name, u.number, u.extension, u.feature)
	}
	b.WriteString("}\n\n")
	exts, err := table(dir, "extensions.tsv")
	if err != nil {
		return "", err
	}
	b.WriteString("// extensionWays has, for each SPIR-V extension in Vulkan, the ways to support it.\n")
	b.WriteString("var extensionWays = map[string][]way{\n")
	for _, r := range exts {
		fmt.Fprintf(&b, "\t%q: {%s},\n", r["spirv_extension"], ways(r["enabled_now_by"]))
	}
	b.WriteString("}\n")
	return b.String(), nil
}

// ways turns the column enabled_now_by into ways.
func ways(cell string) string {
	var out []string
	for _, clause := range strings.Split(cell, " | ") {
		clause, needs, _ := strings.Cut(clause, " [requires ")
		clause, _, _ = strings.Cut(clause, " (alias")
		kind, name, _ := strings.Cut(strings.TrimSpace(clause), ":")
		var version string
		var exts []string
		for _, n := range strings.Split(strings.TrimSuffix(needs, "]"), ",") {
			switch v, ok := strings.CutPrefix(n, "VK_VERSION_"); {
			case ok:
				version = "Vulkan" + strings.ReplaceAll(v, "_", "")
			case n != "":
				exts = append(exts, n)
			}
		}
		switch kind {
		case "version":
			out = append(out, fmt.Sprintf("{since: Vulkan%s}", strings.ReplaceAll(strings.TrimPrefix(name, "VK_VERSION_"), "_", "")))
		case "extension":
			out = append(out, fmt.Sprintf("{extension: %q}", name))
		case "feature", "property":
			structure, name, _ := strings.Cut(name, "::")
			if structure == "VkPhysicalDeviceVulkan11Features" {
				version = "Vulkan11" // 1.2 brought the structure, 1.1 each feature in one of its own
			}
			if w := way(kind, name, version, exts); !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return strings.Join(out, ", ")
}

// way writes one way by a feature or a property.
func way(kind, name, version string, exts []string) string {
	var parts []string
	if version != "" {
		parts = append(parts, "since: "+version)
	}
	if len(exts) > 0 {
		parts = append(parts, fmt.Sprintf("extension: %q", exts[0]))
	}
	if kind == "property" {
		name, value, _ := strings.Cut(name, "==")
		parts = append(parts, fmt.Sprintf("property: %q, bits: %#x", name, bits[value]))
	} else {
		parts = append(parts, fmt.Sprintf("feature: %q", name))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// bits are the values that a property must have.
var bits = map[string]int{
	"VK_TRUE": 1, "VK_SUBGROUP_FEATURE_BASIC_BIT": 0x1, "VK_SUBGROUP_FEATURE_VOTE_BIT": 0x2,
	"VK_SUBGROUP_FEATURE_ARITHMETIC_BIT": 0x4, "VK_SUBGROUP_FEATURE_BALLOT_BIT": 0x8,
	"VK_SUBGROUP_FEATURE_SHUFFLE_BIT": 0x10, "VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT": 0x20,
	"VK_SUBGROUP_FEATURE_CLUSTERED_BIT": 0x40, "VK_SUBGROUP_FEATURE_QUAD_BIT": 0x80,
	"VK_SUBGROUP_FEATURE_PARTITIONED_BIT_EXT": 0x100, "VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV": 0x100,
	"VK_SUBGROUP_FEATURE_ROTATE_BIT": 0x200, "VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT": 0x400,
}
