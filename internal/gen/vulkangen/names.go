package main

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// names writes the features and the properties of a device, with the type of the values of
// a property and the stronger one of two promises.
func names(dir fs.FS) (string, error) {
	feats, err := table(dir, "features.tsv")
	if err != nil {
		return "", err
	}
	var list []string
	for _, r := range feats {
		list = append(list, r["feature"])
	}
	slices.Sort(list)
	var b strings.Builder
	b.WriteString("package device\n\n// features are the names of all features.\nvar features = map[string]bool{\n")
	for _, n := range slices.Compact(list) {
		fmt.Fprintf(&b, "\t%q: true,\n", n)
	}
	b.WriteString("}\n\n// properties are the properties by their names; a name that several structs\n")
	b.WriteString("// have with different meanings has the struct before it.\nvar properties = map[string]property{\n")
	props, err := table(dir, "limits.tsv")
	if err != nil {
		return "", err
	}
	seen := map[string]bool{}
	for _, r := range props {
		if n := r["limit"]; !seen[n] {
			seen[n] = true
			fmt.Fprintf(&b, "\t%q: {%s, %s},\n", n, kindOf(r["ctype"]), strongest(r["vkxml_limittype"]))
		}
	}
	b.WriteString("}\n")
	return b.String(), nil
}

// kindOf returns the JSON kind of a type of C.
func kindOf(ctype string) string {
	ctype, _, _ = strings.Cut(ctype, ",")
	switch ctype {
	case "VkBool32":
		return "truth"
	case "uint8_t", "uint32_t", "uint64_t", "size_t", "VkDeviceSize":
		return "whole"
	case "int32_t", "int64_t":
		return "signed"
	case "float":
		return "floating"
	case "VkExtent2D":
		return "extent"
	case "VkShaderStageFlags", "VkSubgroupFeatureFlags", "VkSampleCountFlags", "VkSampleCountFlagBits", "VkResolveModeFlags":
		return "flags"
	case "VkShaderFloatControlsIndependence":
		return "choice"
	}
	return "other"
}

// strongest returns which of two promised values of a limit implies the other: the larger
// or the smaller.
func strongest(limit string) string {
	switch {
	case strings.HasPrefix(limit, "max"), limit == "bits":
		return "larger"
	case strings.HasPrefix(limit, "min"):
		return "smaller"
	case limit == "bitmask":
		return "union"
	}
	return "last"
}
