package main

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// rules writes a constant for the name of each rule.
func rules(dir fs.FS) (string, error) {
	rows, err := table(dir, "vuids.tsv")
	if err != nil {
		return "", err
	}
	var names, common []string
	for _, r := range rows {
		names = append(names, r["vuid"])
		if strings.HasPrefix(r["vuid"], "VUID-vkCmdDraw-") && slices.Contains(strings.Split(r["commands"], ","), "vkCmdDispatch") {
			common = append(common, r["vuid"])
		}
	}
	slices.Sort(common)
	slices.Sort(names)
	names = slices.Compact(names)
	var b strings.Builder
	b.WriteString("package vuid\n\n// The rules by name.\nconst (\n")
	for _, n := range names {
		ident := strings.ReplaceAll(strings.TrimPrefix(n, "VUID-"), "-", "_")
		if h, rest, ok := strings.Cut(ident, "_"); ok && strings.HasPrefix(rest, h+"_") {
			ident = rest // a rule of a built-in has its name twice
		}
		ident = strings.ToUpper(ident[:1]) + ident[1:] // rules of commands begin with vk
		fmt.Fprintf(&b, "\t%s = %q\n", ident, n)
	}
	b.WriteString(")\n\n")
	list := func(comment string, names []string) {
		fmt.Fprintf(&b, "// %s{\n", comment)
		for _, n := range names {
			fmt.Fprintf(&b, "\t%q,\n", n)
		}
		b.WriteString("}\n")
	}
	list("All is every rule's name, in order.\nvar All = [...]string", names)
	list("Common are the rules of vkCmdDraw that dispatches have too, in order.\nvar Common = [...]string", common)
	return b.String(), nil
}
