package main

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// commandList numbers the commands of the versions and extensions from 1 on, sorted by name.
func (w *writer) commandList() {
	w.blocksOf, w.number = map[string][]string{}, map[string]int{}
	for _, b := range append(w.features, w.extensions...) {
		for _, c := range b.commands {
			t := w.target(c)
			if t == nil || !w.callable(t) {
				continue
			}
			if w.blocksOf[c] == nil {
				w.names = append(w.names, c)
			}
			w.blocksOf[c] = append(w.blocksOf[c], b.name)
		}
	}
	sort.Strings(w.names)
	seen := map[string]bool{}
	for _, n := range w.names {
		if t := w.target(n); !seen[t.name] {
			seen[t.name] = true
			w.real = append(w.real, t)
		}
	}
	sort.Slice(w.real, func(i, j int) bool { return w.real[i].name < w.real[j].name })
	for i, c := range w.real {
		w.number[c.name] = i + 1
	}
	for _, n := range w.names {
		w.number[n] = w.number[w.target(n).name]
	}
}

// callable reports whether all parameters of a command have known types.
func (w *writer) callable(c *command) bool {
	for _, p := range c.params {
		if _, ok := w.scalar(p.typ); !ok && p.pointers == 0 {
			return false
		}
	}
	return true
}

// parameter returns a parameter as a member: arrays are pointers.
func parameter(p field) field {
	if len(p.dims) > 0 {
		p.pointers, p.dims = p.pointers+1, nil
	}
	return p
}

// level returns the level of a command: of the instance, of a physical device, of a device, or global.
func level(c *command) string {
	switch {
	case c.name == "vkCreateInstance" || strings.HasPrefix(c.name, "vkEnumerateInstance"):
		return "Global"
	case c.params[0].typ == "VkInstance":
		return "InstanceLevel"
	case c.params[0].typ == "VkPhysicalDevice":
		return "Physical"
	}
	return "OfDevice"
}

// commands writes the numbers of the commands, a struct of the arguments of each, and the table of their names.
func (w *writer) commands() {
	var b bytes.Buffer
	b.WriteString("package abi\n\nimport \"unsafe\"\n\nvar _ unsafe.Pointer\n\n// The numbers of the commands.\nconst (\n")
	for i, c := range w.real {
		fmt.Fprintf(&b, "\tCmd%s = %d\n", bare(c.name), i+1)
	}
	fmt.Fprintf(&b, "\n\tCommandCount = %d // the largest number + 1\n)\n\n", len(w.real)+1)
	for _, c := range w.real {
		fmt.Fprintf(&b, "// %sArgs are the arguments of %s.\ntype %sArgs struct {\n", bare(c.name), c.name, bare(c.name))
		for _, p := range c.params {
			fmt.Fprintf(&b, "\t%s %s\n", title(p.name), w.fieldType(parameter(p)))
		}
		b.WriteString("}\n\n")
	}
	w.put("internal/abi/command_gen.go", &b)

	var t bytes.Buffer
	t.WriteString("package abi\n\n// Names are the names of the commands with aliases, sorted.\nvar Names = []Name{\n")
	for _, n := range w.names {
		fmt.Fprintf(&t, "\t{%q, %d, %s, %q},\n", n, w.number[n], level(w.target(n)), strings.Join(w.blocksOf[n], " "))
	}
	t.WriteString("}\n")
	w.put("internal/abi/name_gen.go", &t)
}

// results writes the results that each command may return.
func (w *writer) results() {
	var b bytes.Buffer
	b.WriteString("package abi\n\n// Results are the results that a command may return, by number; nil if it does not return a VkResult.\nvar Results = [CommandCount][]Result{\n")
	for _, c := range w.real {
		if c.result != "VkResult" {
			continue
		}
		fmt.Fprintf(&b, "\tCmd%s: {", bare(c.name))
		for _, code := range c.codes {
			if _, ok := w.registry.constants[code]; ok {
				fmt.Fprintf(&b, "%s, ", w.constantName(code))
			}
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
	w.put("internal/abi/result_gen.go", &b)
}

// blocks writes the extensions.
func (w *writer) blocks() {
	var b bytes.Buffer
	b.WriteString("package abi\n\n// Extensions are the extensions of Vulkan, sorted by name.\nvar Extensions = []Extension{\n")
	for _, x := range w.extensions {
		revision := w.registry.number(x.version)
		fmt.Fprintf(&b, "\t{Name: %q, Revision: %d, Instance: %t", x.name, max(revision, 1), x.instance)
		if x.promoted != "" {
			fmt.Fprintf(&b, ", Promoted: %q", x.promoted)
		}
		if x.depends != "" {
			fmt.Fprintf(&b, ", Depends: %q", x.depends)
		}
		if len(x.supported) > 0 {
			b.WriteString(", Features: []string{")
			for _, f := range x.supported {
				fmt.Fprintf(&b, "%q, ", f.name)
			}
			b.WriteString("}")
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
	w.put("internal/abi/extension_gen.go", &b)
}

// chains writes the structs that extend the queries of features and properties, with their members.
func (w *writer) chains() {
	var b bytes.Buffer
	b.WriteString("package abi\n\n")
	blocks := w.structBlocks()
	for _, list := range []struct{ name, words, base, extended string }{
		{"FeatureStructs", "the structs of features", "VkPhysicalDeviceFeatures", "VkPhysicalDeviceFeatures2"},
		{"PropertyStructs", "the structs of properties", "VkPhysicalDeviceLimits", "VkPhysicalDeviceProperties2"},
	} {
		fmt.Fprintf(&b, "// %s are %s, by name.\nvar %s = []Chained{\n", list.name, list.words, list.name)
		for _, t := range w.registry.structs {
			if !w.mirrored[t.name] || t.name != list.base && !w.extends(t, list.extended) {
				continue
			}
			stype := "0"
			if t.stype != "" {
				stype = camel(t.stype)
			}
			fmt.Fprintf(&b, "\t{%q, %s, %d, %q, []Member{\n", t.name, stype, t.size, strings.Join(blocks[t], " "))
			for _, f := range t.fields {
				if f.name == "sType" || f.name == "pNext" {
					continue
				}
				if kind := w.kind(f); kind != "" {
					n := 1
					for _, d := range f.dims {
						n *= w.registry.number(d)
					}
					fmt.Fprintf(&b, "\t\t{%q, %d, %s, %d},\n", f.name, f.offset, kind, n)
				}
			}
			b.WriteString("\t}},\n")
		}
		b.WriteString("}\n\n")
	}
	w.put("internal/abi/chain_gen.go", &b)
}

// structBlocks returns the versions and extensions that have a struct, with the aliases of the struct.
func (w *writer) structBlocks() map[*typ][]string {
	out := map[*typ][]string{}
	for _, b := range append(w.features, w.extensions...) {
		for _, name := range b.structs {
			if t := w.registry.resolve(name); t != nil && !slices.Contains(out[t], b.name) {
				out[t] = append(out[t], b.name)
			}
		}
	}
	return out
}

// kind returns the kind of a member of a struct of features or properties, "" if it is a struct or a pointer.
func (w *writer) kind(f field) string {
	if f.pointers > 0 {
		return ""
	}
	if f.typ == "VkBool32" {
		return "Bool"
	}
	p, ok := w.scalar(f.typ)
	if !ok {
		return ""
	}
	return map[string]string{"uint8": "Uint8", "byte": "Char", "uint32": "Uint32", "int32": "Int32", "uint64": "Uint64", "int64": "Int64", "uint": "Uint64", "float32": "Float"}[p.goType]
}
