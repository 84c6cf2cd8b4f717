package main

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// required writes the requirements on every device: features and limits.
func required(dir fs.FS) (string, error) {
	feats, err := table(dir, "features.tsv")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("package valid\n\n// requiredFeatures has, for each feature that a version of Vulkan requires, the first one.\n")
	b.WriteString("var requiredFeatures = map[string]Version{\n")
	seen := map[string]string{}
	var names []string
	for _, r := range feats {
		f := r["feature"]
		for _, v := range strings.FieldsFunc(r["required_by"], func(c rune) bool { return c == ',' || c == ' ' || c == ';' }) {
			v, ok := strings.CutPrefix(v, "VK_VERSION_")
			if !ok || v < conditional[f] {
				continue
			}
			if old, ok := seen[f]; !ok {
				names = append(names, f)
				seen[f] = v
			} else if v < old {
				seen[f] = v
			}
		}
	}
	slices.Sort(names)
	for _, n := range names {
		fmt.Fprintf(&b, "\t%q: Vulkan%s,\n", n, strings.ReplaceAll(seen[n], "_", ""))
	}
	b.WriteString("}\n\n// requiredLimits has the minimum limits of every device of Vulkan 1.0 and of 1.4.\n")
	b.WriteString("var requiredLimits = map[string][2]uint64{\n")
	limits, err := table(dir, "limits.tsv")
	if err != nil {
		return "", err
	}
	done := map[string][2][]string{}
	for _, r := range limits {
		if _, twice := done[r["limit"]]; twice {
			continue
		}
		old, ok := amounts(r["required_core"])
		now, grew := amounts(r["vk14"])
		if same, refers := done[strings.TrimSpace(r["required_core"])]; refers { // the value of another limit
			old, now, ok, grew = same[0], same[1], true, true
		}
		if sum, ok := addition(r["raw_required"], done); ok {
			old, now, grew = sum[0], sum[1], true
		}
		switch {
		case ok && !grew:
			now = old
		case !ok && grew && r["ctype"] == "VkBool32":
			old = []string{"0"}
		case !ok:
			continue
		}
		done[r["limit"]] = [2][]string{old, now}
		for i := range old {
			name := r["limit"]
			if len(old) > 1 {
				name = fmt.Sprintf("%s[%d]", name, i)
			}
			fmt.Fprintf(&b, "\t%q: {%s, %s},\n", name, old[i], now[i])
		}
	}
	b.WriteString("}\n")
	return b.String(), nil
}

// addition reads a cell that is the sum of two limits of one number, each of which is done.
func addition(cell string, done map[string][2][]string) (sum [2][]string, ok bool) {
	a, b, ok := strings.Cut(cell, " + ")
	b, _, _ = strings.Cut(b, " ") // a footnote follows
	x, y := done[a], done[b]
	if !ok || len(x[0]) != 1 || len(y[0]) != 1 {
		return sum, false
	}
	for i := range sum {
		n, err := strconv.ParseUint(x[i][0], 10, 32)
		m, err2 := strconv.ParseUint(y[i][0], 10, 32)
		if err != nil || err2 != nil {
			return sum, false
		}
		sum[i] = []string{strconv.FormatUint(n+m, 10)}
	}
	return sum, true
}

// conditional has features that a version requires only of devices that have another
// feature or an extension that the version promoted (Vulkan, Feature Requirements, and the
// differences in the appendix Core Revisions), with the version that requires them of all
// devices, or never.
var conditional = map[string]string{
	"storageBuffer16BitAccess":                           "1_4",
	"storageBuffer8BitAccess":                            "1_4",
	"samplerMirrorClampToEdge":                           "1_4",
	"shaderSampledImageArrayDynamicIndexing":             "1_4",
	"shaderStorageBufferArrayDynamicIndexing":            "1_4",
	"shaderUniformTexelBufferArrayDynamicIndexing":       "1_4",
	"shaderStorageTexelBufferArrayDynamicIndexing":       "1_4",
	"pipelineProtectedAccess":                            never,
	"shaderDrawParameters":                               never,
	"shaderInt64":                                        never,
	"drawIndirectCount":                                  never,
	"samplerFilterMinmax":                                never,
	"shaderOutputLayer":                                  never,
	"shaderOutputViewportIndex":                          never,
	"descriptorIndexing":                                 never,
	"runtimeDescriptorArray":                             never,
	"shaderSampledImageArrayNonUniformIndexing":          never,
	"shaderStorageBufferArrayNonUniformIndexing":         never,
	"shaderUniformTexelBufferArrayNonUniformIndexing":    never,
	"descriptorBindingPartiallyBound":                    never,
	"descriptorBindingUpdateUnusedWhilePending":          never,
	"descriptorBindingSampledImageUpdateAfterBind":       never,
	"descriptorBindingStorageBufferUpdateAfterBind":      never,
	"descriptorBindingStorageImageUpdateAfterBind":       never,
	"descriptorBindingStorageTexelBufferUpdateAfterBind": never,
	"descriptorBindingUniformTexelBufferUpdateAfterBind": never,
	"descriptorBindingInlineUniformBlockUpdateAfterBind": never,
}

// never is later than any version.
const never = "9"

// amounts reads the cell of a limit: a whole number, a power such as 2^27, a
// number below zero, or one for each dimension, such as (128,128,64). They are
// returned as Go writes them.
func amounts(cell string) (out []string, ok bool) {
	cell = strings.TrimSpace(cell)
	if bits, ok := flags(cell); ok {
		return []string{strconv.FormatUint(bits, 10)}, true
	}
	if inner, list := strings.CutPrefix(cell, "("); list {
		for _, one := range strings.Split(strings.TrimSuffix(inner, ")"), ",") {
			n, ok := number(one)
			if !ok {
				return nil, false
			}
			out = append(out, strconv.FormatUint(n, 10))
		}
		return out, true
	}
	if base, exponent, power := strings.Cut(cell, "^"); power && base == "2" {
		exponent, less, one := strings.Cut(exponent, "-")
		n, ok := number(exponent)
		if one {
			return []string{fmt.Sprintf("1<<%d - %s", n, less)}, ok && n < 64 && less == "1"
		}
		return []string{fmt.Sprintf("1 << %d", n)}, ok && n < 64
	}
	if n, err := strconv.ParseInt(cell, 10, 64); err == nil && n < 0 {
		return []string{fmt.Sprintf("1<<64 - %d", -n)}, true
	}
	n, ok := number(cell)
	return []string{strconv.FormatUint(n, 10)}, ok
}

// number reads a whole number.
func number(cell string) (uint64, bool) {
	n, err := strconv.ParseUint(strings.TrimSpace(cell), 10, 64)
	return n, err == nil
}

// cellBits are the flags and the truth values in cells of limits.
var cellBits = map[string]uint64{
	"VK_SAMPLE_COUNT_1_BIT": 1, "VK_SAMPLE_COUNT_4_BIT": 4, "VK_SHADER_STAGE_VERTEX_BIT": 0x1, "VK_SHADER_STAGE_FRAGMENT_BIT": 0x10,
	"VK_SHADER_STAGE_COMPUTE_BIT": 0x20, "VK_QUEUE_COMPUTE_BIT": 0x2, "VK_INDIRECT_COMMANDS_INPUT_MODE_VULKAN_INDEX_BUFFER_EXT": 0x1,
	"VK_TRUE": 1, "TRUE": 1, "VK_FALSE": 0, "FALSE": 0, "false": 0,
}

// flags reads a truth value, or names of flags with | between them.
func flags(cell string) (sum uint64, ok bool) {
	for _, name := range strings.Split(strings.Trim(cell, "()"), "|") {
		bit, known := cellBits[strings.Trim(name, " \\")]
		if !known {
			return 0, false
		}
		sum |= bit
	}
	return sum, true
}

// roadmaps writes the limits of the roadmap profiles.
func roadmaps(dir fs.FS) (string, error) {
	limits, err := table(dir, "limits.tsv")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("package device\n\n// roadmapLimits are the limits that each roadmap profile adds, by its year.\nvar roadmapLimits = map[string]map[string]uint64{\n")
	for _, year := range []string{"2022", "2024", "2026"} {
		fmt.Fprintf(&b, "\t%q: {\n", year)
		for _, r := range limits {
			values, ok := amounts(r["roadmap"+year])
			if !ok || strings.HasPrefix(r["limit"], "subgroupSupported") { // these cells name one flag of several
				continue
			}
			for i, v := range values {
				name := r["limit"]
				if len(values) > 1 {
					name = fmt.Sprintf("%s[%d]", name, i)
				}
				fmt.Fprintf(&b, "\t\t%q: %s,\n", name, v)
			}
		}
		b.WriteString("\t},\n")
	}
	b.WriteString("}\n")
	return b.String(), nil
}
