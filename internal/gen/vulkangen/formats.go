package main

import (
	"cmp"
	"fmt"
	"io/fs"
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

// whole is a cell that holds a number, or 0 if it is empty.
func whole(cell string) int {
	n := 0
	fmt.Sscan(cell, &n)
	return n
}
