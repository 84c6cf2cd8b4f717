package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// formats writes the properties of each texel format, by its number.
func formats(dir fs.FS) (string, error) {
	rows, err := table(dir, "formats.tsv")
	if err != nil {
		return "", err
	}
	slices.SortFunc(rows, func(x, y map[string]string) int { return cmp.Compare(whole(x["value"]), whole(y["value"])) })
	var b strings.Builder
	b.WriteString("package format\n\n// infos are the formats in order of their numbers.\nvar infos = [...]Info{\n")
	for _, r := range rows {
		if r["components(name:bits:type[:plane])"] == "" {
			continue // UNDEFINED
		}
		var comps, aspects []string
		numeric := ""
		var wide bool
		for c := range strings.FieldsSeq(r["components(name:bits:type[:plane])"]) {
			part := strings.Split(c, ":")
			comps = append(comps, part[0])
			wide = wide || part[1] == "64"
			if numeric == "" {
				numeric = part[2]
			}
		}
		for a := range strings.SplitSeq(r["aspects"], "+") {
			aspects = append(aspects, map[string]string{"color": "Color", "depth": "Depth", "stencil": "Stencil"}[a])
		}
		sampled, _, _ := strings.Cut(r["shader_sampled_type"], "/")
		planes := 0
		if p := r["planes"]; p != "" {
			planes = strings.Count(p, ";") + 1
		}
		fmt.Fprintf(&b, "\t{%s, %q, %q, %q, %s, %s, %d, %t, %t, %d, %q},\n", r["value"], strings.TrimPrefix(r["format"], "VK_FORMAT_"), strings.Join(comps, ""), numeric,
			strings.Join(aspects, "|"), strings.ToUpper(sampled[:1])+strings.TrimRight(sampled[1:], "0123456789"), whole(r["block_size_bytes"]), wide, r["compressed"] != "", planes, r["compat_class"])
	}
	b.WriteString("}\n")
	return b.String(), nil
}

// formatConstants writes a constant for each texel format, such as FormatR8G8B8A8Unorm.
func formatConstants(dir fs.FS) (string, error) {
	rows, err := table(dir, "formats.tsv")
	if err != nil {
		return "", err
	}
	slices.SortFunc(rows, func(x, y map[string]string) int { return cmp.Compare(whole(x["value"]), whole(y["value"])) })
	var b strings.Builder
	b.WriteString("package link\n\n// The formats: Vulkan's names in mixed case. An underscore is between two digits alone, as in FormatG8B8R8_3plane420Unorm.\nconst (\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "\t%s Format = %s\n", formatConstant(strings.TrimPrefix(r["format"], "VK_FORMAT_")), r["value"])
	}
	b.WriteString(")\n")
	return b.String(), nil
}

// components matches the part of a name with components and their bits.
var components = regexp.MustCompile(`^([ABDEGRSX][0-9]+)+$`)

// formatConstant returns the name of the constant of a format.
func formatConstant(name string) string {
	out := "Format"
	for word := range strings.SplitSeq(name, "_") {
		switch digit := func(c byte) bool { return c >= '0' && c <= '9' }; {
		case digit(word[0]) && digit(out[len(out)-1]):
			out += "_" + strings.ToLower(word)
		case components.MatchString(word):
			out += word
		default:
			out += word[:1] + strings.ToLower(word[1:])
		}
	}
	return out
}

// whole is a cell that holds a number, or 0 if it is empty.
func whole(cell string) int {
	n := 0
	fmt.Sscan(cell, &n)
	return n
}
