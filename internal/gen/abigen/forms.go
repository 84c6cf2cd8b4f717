package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/vuid"
)

// former writes the forms of the structs and commands that have rules of implicit valid usage in package vuid, and of the structs
// in them.
type former struct {
	*writer
	body    bytes.Buffer // of Forms
	index   map[string]int
	queue   []string
	values  bytes.Buffer // of FormValues
	sets    map[string]int
	handles []string
}

// implicit are the ends of the names of rules of implicit valid usage.
var implicit = []string{"-parameter", "-parent", "-commonparent", "-sType-sType", "-sType-unique", "-pNext-pNext", "-arraylength", "-zerobitmask", "-requiredbitmask", "-queuecount"}

// heads are the commands whose chains have structs with such rules.
var heads = []string{"vkGetPhysicalDeviceFeatures2", "vkGetPhysicalDeviceProperties2"}

// forms writes the forms.
func (w *writer) forms() {
	f := &former{writer: w, index: map[string]int{}, sets: map[string]int{}}
	for _, code := range vuid.All {
		if slices.ContainsFunc(implicit, func(end string) bool { return strings.HasSuffix(code, end) }) {
			name, _, _ := strings.Cut(strings.TrimPrefix(code, "VUID-"), "-")
			f.form(name)
		}
	}
	for _, name := range heads {
		f.form(name)
	}
	for n := 0; n < len(f.queue); n++ {
		f.write(f.queue[n])
	}
	var b bytes.Buffer
	b.WriteString("package abi\n\nimport \"unsafe\"\n\n// Forms are the forms of the structs and commands with rules in package vuid, and of the structs in them.\nvar Forms = []Form{\n")
	b.Write(f.body.Bytes())
	b.WriteString("}\n\n// FormSets are the values of enumerations and masks.\nvar FormSets = []FormValues{\n")
	b.Write(f.values.Bytes())
	b.WriteString("}\n\n// FormHandles are the types of handles.\nvar FormHandles = []string{\n")
	for _, h := range f.handles {
		fmt.Fprintf(&b, "\t%q,\n", h)
	}
	b.WriteString("}\n\n// RepeatedTypes are the types of the structs that a chain may have more than once.\nvar RepeatedTypes = []uint32{\n")
	for _, t := range w.registry.structs {
		if t.repeats && w.mirrored[t.name] {
			fmt.Fprintf(&b, "\t%s,\n", w.constantName(t.stype))
		}
	}
	b.WriteString("}\n")
	w.put("internal/abi/form_gen.go", &b)
}

// form returns the number of the form of a struct or a command; −1 if the interface does not have it.
func (f *former) form(name string) int {
	if t := f.resolve(name); t != nil {
		name = t.name
	}
	n, ok := f.index[name]
	if !ok {
		n = len(f.queue)
		if t := f.resolve(name); (t == nil || !f.mirrored[name] || t.category != "struct") && f.number[name] == 0 {
			n = -1
		} else {
			f.queue = append(f.queue, name)
		}
		f.index[name] = n
	}
	return n
}

// write writes a form.
func (f *former) write(name string) {
	fields, goName := []field(nil), bare(name)
	var t *typ
	if c := f.target(name); c != nil {
		goName += "Args"
		for _, p := range c.params {
			fields = append(fields, parameter(p))
		}
	} else {
		t = f.resolve(name)
		if !slices.Contains(t.extends, "VkPhysicalDeviceProperties2") { // the device writes properties
			fields = t.fields
		}
	}
	fmt.Fprintf(&f.body, "\t{Name: %q, Size: unsafe.Sizeof(%s{})", name, goName)
	if t != nil && t.stype != "" {
		fmt.Fprintf(&f.body, ", SType: %s, Chain: []uint32{", f.constantName(t.stype))
		for _, x := range f.registry.structs {
			if f.extends(x, name) && x.stype != "" && f.mirrored[x.name] {
				fmt.Fprintf(&f.body, "%s, ", f.constantName(x.stype))
				f.form(x.name)
			}
		}
		f.body.WriteString("}")
	}
	f.body.WriteString(", Fields: []FormField{\n")
	for _, m := range fields {
		f.member(goName, fields, m)
	}
	f.body.WriteString("\t}},\n")
}

// member writes the rows of a member.
func (f *former) member(of string, all []field, m field) {
	if m.name == "sType" || m.name == "pNext" || m.bits > 0 {
		return
	}
	if lengthOf(all, m.name) && !m.optional && m.pointers == 0 {
		f.row(of, m, "FormLength", 0, "")
	}
	if !m.implicit || m.typ == "void" && m.length == "" { // nothing is known of memory without a length
		return
	}
	more := f.count(of, all, m)
	if u := f.resolve(m.typ); u != nil && u.category == "union" && m.pointers == 0 && m.selector != "" {
		for _, x := range u.fields {
			f.selected(of, m, x)
		}
		return
	}
	switch t, single := f.resolve(m.typ), m.pointers <= 1; {
	case m.typ == "VkAllocationCallbacks":
		f.row(of, m, "FormCallbacks", 0, "")
	case m.length == "null-terminated", m.typ == "char" && len(m.dims) > 0:
		if m.pointers < 2 {
			f.row(of, m, "FormString", 0, "")
		}
	case t == nil || !single:
		if m.pointers > 0 {
			f.row(of, m, "FormBytes", 0, more)
		}
	case t.category == "struct":
		if n := f.form(t.name); n >= 0 {
			f.row(of, m, "FormStruct", n, more)
		}
	case t.category == "handle":
		if m.pointers > 0 && !m.constant {
			f.row(of, m, "FormBytes", 0, more)
			break
		}
		n := slices.Index(f.handles, t.name)
		if n < 0 {
			n = len(f.handles)
			f.handles = append(f.handles, t.name)
		}
		f.row(of, m, "FormHandle", n, more)
	case t.category == "enum" && m.typ != "VkResult":
		kind := "FormEnum"
		if strings.Contains(t.name, "FlagBits") {
			kind = "FormBit"
		}
		f.row(of, m, kind, f.set(t.name), more)
	case t.category == "bitmask":
		f.row(of, m, "FormMask", f.set(t.bits), more)
	case m.pointers > 0:
		f.row(of, m, "FormBytes", 0, more)
	}
}

// lengthOf reports whether a member is the length of another one, whose implicit valid usage Vulkan states.
func lengthOf(all []field, name string) bool {
	return slices.ContainsFunc(all, func(m field) bool {
		first, _, _ := strings.Cut(m.length, ",")
		return m.pointers > 0 && first == name
	})
}

// count returns the row's member Count, "" for a single element.
func (f *former) count(of string, all []field, m field) string {
	name, unit, _ := strings.Cut(m.length, " / ")
	name, _, _ = strings.Cut(name, ",")
	n := slices.IndexFunc(all, func(x field) bool { return x.name == name })
	if n < 0 || m.pointers == 0 {
		return ""
	}
	size := 4
	if p, ok := f.scalar(all[n].typ); ok {
		size = p.size
	}
	out := fmt.Sprintf(", Count: FormCount{Offset: unsafe.Offsetof(%s{}.%s), Size: %d", of, title(name), size)
	if all[n].pointers > 0 {
		out += ", Pointer: true"
	}
	if unit != "" {
		out += ", Unit: " + unit
	}
	return out + "}"
}

// row writes a row.
func (f *former) row(of string, m field, kind string, n int, more string) {
	fmt.Fprintf(&f.body, "\t\t{Name: %q, Offset: unsafe.Offsetof(%s{}.%s), Kind: %s", m.name, of, title(m.name), kind)
	if n != 0 {
		fmt.Fprintf(&f.body, ", Of: %d", n)
	}
	size, align, ok := 1, 1, true
	if base := m; m.typ != "void" {
		base.pointers = max(m.pointers-1, 0)
		size, align, ok = f.fieldLayout(base)
	}
	if ok {
		fmt.Fprintf(&f.body, ", Size: %d, Align: %d", size, align)
	}
	if m.pointers > 0 {
		f.body.WriteString(", Pointer: true")
		if !m.constant {
			f.body.WriteString(", Output: true")
		}
	}
	if m.optional {
		f.body.WriteString(", Optional: true")
	}
	if m.nullable {
		f.body.WriteString(", Nullable: true")
	}
	f.body.WriteString(more + "},\n")
}

// selected writes the row of a member of a union that another member selects.
func (f *former) selected(of string, union, m field) {
	t := f.resolve(m.typ)
	if t == nil || t.category != "struct" {
		return
	}
	n := f.form(t.name)
	if n < 0 {
		return
	}
	values := make([]string, 0, 2)
	for _, v := range strings.Split(m.selection, ",") {
		values = append(values, f.constantName(v))
	}
	fmt.Fprintf(&f.body, "\t\t{Name: %q, Offset: unsafe.Offsetof(%s{}.%s), Kind: FormStruct, Of: %d, Selector: unsafe.Offsetof(%s{}.%s), Selects: []uint32{%s}},\n",
		m.name, of, title(union.name), n, of, title(union.selector), strings.Join(values, ", "))
}

// set returns the number of the values of an enumeration; of none: the empty set.
func (f *former) set(name string) int {
	if n, ok := f.sets[name]; ok {
		return n
	}
	n := len(f.sets)
	f.sets[name] = n
	var values []uint64
	for _, e := range f.enums[name] {
		if v, ok := f.value(e); ok && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	fmt.Fprintf(&f.values, "\t{Name: %q, Values: []uint64{", name)
	for _, v := range values {
		if strings.Contains(name, "FlagBits") {
			fmt.Fprintf(&f.values, "%#x, ", v)
		} else {
			fmt.Fprintf(&f.values, "%d, ", v)
		}
	}
	f.values.WriteString("}},\n")
	return n
}

// value returns the value of a constant, and whether it is an integer.
func (f *former) value(name string) (uint64, bool) {
	v := f.registry.constants[name]
	if _, alias := f.registry.constants[v]; alias {
		return f.value(v)
	}
	if n, err := strconv.ParseUint(v, 0, 64); err == nil {
		return n, true
	}
	n, err := strconv.ParseInt(v, 0, 64)
	return uint64(n), err == nil
}
