package main

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// fieldType returns the Go type of a member or, if arrays are pointers, of a parameter.
func (w *writer) fieldType(f field) string {
	base, ok := w.scalar(f.typ)
	name := base.goType
	if t := w.resolve(f.typ); !ok && t != nil && t.known {
		name = bare(t.name)
	}
	switch {
	case f.pointers > 1 || f.pointers == 1 && (name == "" || name == pointer.goType):
		return pointer.goType
	case f.pointers == 1:
		return "*" + name
	}
	dims := ""
	for _, d := range f.dims {
		dims += fmt.Sprintf("[%d]", w.registry.number(d))
	}
	return dims + name
}

// extends reports whether a struct may be in the chain of another: it extends it, or a struct that does.
func (w *writer) extends(t *typ, name string) bool {
	return slices.ContainsFunc(t.extends, func(x string) bool {
		between := w.types[x]
		return x == name || between != nil && w.extends(between, name)
	})
}

// need marks a struct that is mirrored, with the structs that it names.
func (w *writer) need(name string) {
	t := w.resolve(name)
	if t == nil || !t.known || w.mirrored[t.name] {
		return
	}
	w.mirrored[t.name] = true
	for _, f := range t.fields {
		w.need(f.typ)
	}
}

// structs writes the handles and the mirrors of all required structs and of the structs in them, in several files.
func (w *writer) structs() {
	for name := range w.needTypes {
		w.need(name)
	}
	for _, c := range w.real {
		for _, p := range c.params {
			w.need(p.typ)
		}
	}
	var handles bytes.Buffer
	handles.WriteString("package abi\n\n")
	var names []string
	for name, t := range w.types {
		if t.category == "handle" && t.alias == "" {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		if w.types[name].dispatchable {
			fmt.Fprintf(&handles, "// %s is %s, a dispatchable handle.\ntype %s = *Dispatch\n\n", bare(name), name, bare(name))
		} else {
			fmt.Fprintf(&handles, "// %s is %s.\ntype %s uint64\n\n", bare(name), name, bare(name))
		}
	}
	w.put("internal/abi/handle_gen.go", &handles)

	bodies := map[string]*bytes.Buffer{}
	for _, t := range w.registry.structs {
		if !w.mirrored[t.name] {
			continue
		}
		file := "struct_a_m_gen.go"
		switch first := bare(t.name)[0]; {
		case strings.HasPrefix(t.name, "VkPhysicalDevice"):
			file = "struct_physicaldevice_gen.go"
		case first >= 'N':
			file = "struct_n_z_gen.go"
		}
		b := bodies[file]
		if b == nil {
			b = &bytes.Buffer{}
			b.WriteString("package abi\n\nimport \"unsafe\"\n\nvar _ unsafe.Pointer\n\n")
			bodies[file] = b
		}
		w.mirror(b, t)
	}
	for file, b := range bodies {
		w.put("internal/abi/"+file, b)
	}
	w.layoutTest()
}

// mirror writes a struct. A union is an array of words of its alignment.
func (w *writer) mirror(b *bytes.Buffer, t *typ) {
	name := bare(t.name)
	if t.category == "union" {
		word := map[int]string{1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64"}[t.align]
		fmt.Fprintf(b, "// %s is the union %s.\ntype %s [%d]%s\n\n", name, t.name, name, t.size/t.align, word)
		return
	}
	fmt.Fprintf(b, "// %s is %s.\ntype %s struct {\n", name, t.name, name)
	last := -1
	for _, f := range t.fields {
		if f.bits == 0 {
			fmt.Fprintf(b, "\t%s %s\n", title(f.name), w.fieldType(f))
		} else if f.offset != last {
			last = f.offset
			fmt.Fprintf(b, "\tBits%s uint32 // bit-fields\n", title(f.name))
		}
	}
	b.WriteString("}\n\n")
}

// layoutTest writes the sizes and offsets of all mirrors: Go's, and those of C by the rules of layout.go.
func (w *writer) layoutTest() {
	var b bytes.Buffer
	b.WriteString("package abi\n\nimport \"unsafe\"\n\n// layouts are the mirrors with their layout in Go and in C.\nvar layouts = []layout{\n")
	for _, t := range w.registry.structs {
		name := bare(t.name)
		if !w.mirrored[t.name] {
			continue
		}
		fmt.Fprintf(&b, "\t{%q, unsafe.Sizeof(*(*%s)(nil)), %d, []member{", t.name, name, t.size)
		for _, f := range t.fields {
			if f.bits == 0 && t.category == "struct" {
				fmt.Fprintf(&b, "{%q, unsafe.Offsetof((*%s)(nil).%s), %d}, ", f.name, name, title(f.name), f.offset)
			}
		}
		b.WriteString("}},\n")
	}
	b.WriteString("}\n")
	w.put("internal/abi/layout_gen_test.go", &b)
}

// constants writes all constants, with the names of Go.
func (w *writer) constants() {
	var b bytes.Buffer
	b.WriteString("package abi\n\n// HeaderVersion is the version of the registry: the last number of a version of Vulkan.\nconst HeaderVersion = " + w.version + "\n\n")
	b.WriteString("// The constants of Vulkan.\nconst (\n")
	seen := map[string]string{}
	for _, c := range w.order {
		if strings.HasSuffix(c, "_SPEC_VERSION") || strings.HasSuffix(c, "_EXTENSION_NAME") {
			continue // Extensions has them
		}
		value := w.registry.constants[c]
		if _, ok := w.registry.constants[value]; ok {
			value = w.constantName(value)
		} else if strings.HasPrefix(value, "VK_") {
			continue // a constant of another API
		}
		name := w.constantName(c)
		if other, ok := seen[name]; ok {
			if w.err == nil && w.resolved(c) != w.resolved(other) { // old names are aliases
				w.err = fmt.Errorf("%s and %s have one name, %s", c, other, name)
			}
			continue
		}
		seen[name] = c
		fmt.Fprintf(&b, "\t%s = %s\n", name, strings.TrimSuffix(value, "U"))
	}
	b.WriteString(")\n")
	w.put("internal/abi/constant_gen.go", &b)
}

// constantName returns the name of a constant in Go.
func (w *writer) constantName(c string) string {
	name := camel(c)
	if w.mirrored["Vk"+name] {
		name += "Value" // the struct has the name
	}
	return name
}

// resolved returns the value of a constant without aliases.
func (w *writer) resolved(name string) string {
	for {
		value, ok := w.registry.constants[name]
		if !ok {
			return name
		}
		name = value
	}
}
