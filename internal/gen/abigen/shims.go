package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// cType returns the type in C of a parameter.
func (w *writer) cType(f field) string {
	f = parameter(f)
	if f.pointers > 0 {
		return "const void *"
	}
	p, _ := w.scalar(f.typ)
	return p.c
}

// payload is an array of a recorded command that is copied.
type payload struct{ name, size string }

// payloads returns the arrays of a command that can be recorded in C: its arguments are values and arrays of values.
func (w *writer) payloads(c *command) (out []payload, ok bool) {
	if !strings.HasPrefix(c.name, "vkCmd") || c.result != "void" || c.params[0].typ != "VkCommandBuffer" {
		return nil, false
	}
	strided := false // elements have space between them
	for _, p := range c.params[1:] {
		if p.name == "stride" {
			strided = true
		}
		if p.pointers == 0 && len(p.dims) == 0 {
			continue
		}
		if p.pointers > 1 || p.pointers == 1 && (!p.constant || len(p.dims) > 0) {
			return nil, false
		}
		size := ""
		switch {
		case len(p.dims) > 0 && w.plain(p.typ):
			s, _, _ := w.fieldLayout(p)
			size = fmt.Sprint(s)
		case p.typ == "void" && p.length != "":
			size = "(size_t)" + p.length
		case p.typ == "void" || !w.plain(p.typ) || strings.ContainsAny(p.length, ",\\ "):
			return nil, false
		default:
			s, _, _ := w.fieldLayout(field{typ: p.typ})
			if size = fmt.Sprint(s); p.length != "" {
				size += " * (size_t)" + p.length
			}
		}
		out = append(out, payload{p.name, size})
	}
	return out, !strided || len(out) == 0
}

// shims writes the C entry points. Each puts its arguments into a struct of the layout of its Go mirror; a command of a
// command buffer without pointers in its arguments is recorded without a call into Go.
func (w *writer) shims() {
	var b bytes.Buffer
	b.WriteString("#include \"icd.h\"\n\n")
	for i, c := range w.real {
		var params, members, names []string
		for _, p := range c.params {
			t := w.cType(p)
			params = append(params, strings.TrimSpace(t+" ")+" "+p.name)
			members = append(members, t+" "+p.name+";")
			names = append(names, p.name)
		}
		result := w.resultType(c)
		fmt.Fprintf(&b, "struct %s_args { %s };\n", c.name, strings.Join(members, " "))
		fmt.Fprintf(&b, "static %s %s(%s)\n{\n", result, c.name, strings.Join(params, ", "))
		if arrays, ok := w.payloads(c); ok {
			w.recorded(&b, c, i+1, names, arrays)
		} else {
			fmt.Fprintf(&b, "\tstruct %s_args args = { %s };\n", c.name, strings.Join(names, ", "))
			call := fmt.Sprintf("call_go(%d, &args)", i+1)
			switch {
			case c.allocates():
				fmt.Fprintf(&b, "\treturn room() ? (%s)%s : out_of_host_memory;\n", result, call)
			case c.params[0].name == "commandBuffer" && result == "void":
				fmt.Fprintf(&b, "\tif (recordable(commandBuffer)) %s;\n", call)
			case result == "void":
				fmt.Fprintf(&b, "\t%s;\n", call)
			default:
				fmt.Fprintf(&b, "\treturn (%s)%s;\n", result, call)
			}
		}
		b.WriteString("}\n\n")
	}
	fmt.Fprintf(&b, "const entry entries[] = {\n\t0,\n")
	for _, c := range w.real {
		fmt.Fprintf(&b, "\t(entry)%s,\n", c.name)
	}
	b.WriteString("};\n")
	w.put("cmd/icd/shim_gen.c", &b)
}

// frugal are the begins of commands that report exhausted memory and need none: a program that waits and reads results goes on.
var frugal = []string{"vkWait", "vkQueueWait", "vkDeviceWait", "vkGet", "vkReset", "vkSet", "vkSignal", "vkAcquireNext", "vkMap", "vkUnmap", "vkFlush", "vkInvalidate"}

// allocates reports whether a command makes or records something, and may report that the memory of the host is exhausted.
func (c *command) allocates() bool {
	return slices.Contains(c.codes, "VK_ERROR_OUT_OF_HOST_MEMORY") &&
		!slices.ContainsFunc(frugal, func(begin string) bool { return strings.HasPrefix(c.name, begin) })
}

// resultType returns the type in C of a result.
func (w *writer) resultType(c *command) string {
	if c.result == "void" {
		return "void"
	}
	if p, ok := w.scalar(c.result); ok {
		return p.c
	}
	return "void *"
}

// recorded writes the body of a command that is recorded in C.
func (w *writer) recorded(b *bytes.Buffer, c *command, number int, names []string, arrays []payload) {
	size := fmt.Sprintf("sizeof(struct %s_args)", c.name)
	for i, p := range arrays {
		fmt.Fprintf(b, "\tsize_t n%d = %s ? %s : 0;\n", i, p.name, p.size)
		size += fmt.Sprintf(" + round8(n%d)", i)
	}
	fmt.Fprintf(b, "\tstruct %s_args *a = record(commandBuffer, %d, %s);\n\tif (!a) return;\n", c.name, number, size)
	for _, n := range names {
		fmt.Fprintf(b, "\ta->%s = %s;\n", n, n)
	}
	if len(arrays) > 0 {
		b.WriteString("\tchar *p = (char *)(a + 1);\n")
	}
	for i, p := range arrays {
		fmt.Fprintf(b, "\ta->%s = copy(&p, %s, n%d);\n", p.name, p.name, i)
	}
}
