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
	done := map[string]bool{}
	for _, r := range limits {
		old, ok := amounts(r["required_core"])
		if !ok || done[r["limit"]] {
			continue
		}
		done[r["limit"]] = true
		now, ok := amounts(r["vk14"])
		if !ok {
			now = old
		}
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
		n, ok := number(exponent)
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
