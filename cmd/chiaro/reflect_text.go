package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// writeEntry writes an entry point as text.
func writeEntry(w io.Writer, file string, e *iface.Entry) {
	plain.Fprintf(w, "%s: %s %s", file, e.Model, strconv.Quote(e.Name))
	if g := e.Workgroup; g != nil {
		plain.Fprintf(w, ", workgroup %d × %d × %d", g.Size[0], g.Size[1], g.Size[2])
	}
	if e.SharedMemory > 0 {
		plain.Fprintf(w, ", %d bytes of workgroup memory", e.SharedMemory)
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	writeVariables(t, "inputs", e.Inputs)
	writeVariables(t, "outputs", e.Outputs)
	writeBuiltIns(t, e.BuiltIns)
	writeResources(t, e.Resources)
	for _, p := range e.PushConstants {
		plain.Fprintf(t, "  push constants %s, %d bytes%s\n", p.Name, p.Size, unused(p.Used))
		writeMembers(t, p.Members, "    ")
	}
	for _, p := range e.Payloads {
		plain.Fprintf(t, "  %s %s %s, location %d%s\n", p.Class, p.Type, p.Name, p.Location, unused(p.Used))
	}
	for i, k := range e.Constants {
		if i == 0 {
			fmt.Fprintln(t, "  specialization constants")
		}
		plain.Fprintf(t, "    %d\t%s\t%s\t= %v%s\n", k.SpecID, k.Type, k.Name, k.Default.Any(), unused(k.Used))
	}
	var modes []string
	for _, m := range e.Modes {
		modes = append(modes, strings.TrimSpace(m.Mode.String()+" "+strings.Trim(fmt.Sprint(m.Operands), "[]")))
	}
	writeList(t, "modes", modes)
	writeList(t, "capabilities", strings.Fields(join(e.Capabilities, " ")))
	writeList(t, "extensions", e.Extensions)
	t.Flush()
}

func writeList(w io.Writer, what string, list []string) {
	if len(list) > 0 {
		plain.Fprintf(w, "  %s\n    %s\n", what, strings.Join(list, ", "))
	}
}

// unused returns a note for unused resources, else "".
func unused(used bool) string {
	if used {
		return ""
	}
	return ", not used"
}

func writeVariables(w io.Writer, what string, list []iface.Variable) {
	for i, v := range list {
		if i == 0 {
			plain.Fprintf(w, "  %s\n", what)
		}
		at := fmt.Sprintf("location %d", v.Location)
		switch {
		case v.Missing:
			at = "no location"
		case v.Slots > 1:
			at = fmt.Sprintf("location %d–%d", v.Location, uint64(v.Location)+v.Slots-1)
		}
		if v.Component > 0 {
			at += fmt.Sprintf(".%d", v.Component)
		}
		if v.Index > 0 {
			at += fmt.Sprintf(", index %d", v.Index)
		}
		plain.Fprintf(w, "    %s\t%s\t%s%s%s\n", at, v.Type, v.Name, decorated(v.Interpolation, v.Arrayed), unused(v.Used))
	}
}

// decorated lists the decorations of a variable.
func decorated(i iface.Interpolation, arrayed bool) string {
	s := ""
	for _, k := range [...]struct {
		on   bool
		word string
	}{
		{arrayed, "one per vertex or primitive"}, {i.Flat, "Flat"}, {i.NoPerspective, "NoPerspective"}, {i.Centroid, "Centroid"},
		{i.Sample, "Sample"}, {i.Patch, "Patch"}, {i.PerPrimitive, "PerPrimitiveEXT"}, {i.PerVertex, "PerVertexKHR"},
		{i.PerView, "PerViewNV"}, {i.PerTask, "PerTaskNV"}, {i.Explicit, "ExplicitInterpAMD"}, {i.Invariant, "Invariant"},
		{i.Relaxed, "RelaxedPrecision"},
	} {
		if k.on {
			s += ", " + k.word
		}
	}
	return s
}

func writeBuiltIns(w io.Writer, list []iface.BuiltIn) {
	for i, b := range list {
		if i == 0 {
			fmt.Fprintln(w, "  built-ins")
		}
		plain.Fprintf(w, "    %s\t%s\t%s%s%s\n", b.Class, b.Type, b.BuiltIn, decorated(b.Interpolation, b.Arrayed), unused(b.Used))
	}
}

func writeResources(w io.Writer, list []iface.Resource) {
	for i, r := range list {
		if i == 0 {
			fmt.Fprintln(w, "  resources")
		}
		count := ""
		for _, n := range r.Arrays {
			if n == 0 {
				count += "[]" // a runtime array: the layout determines its length
				continue
			}
			count += "[" + strconv.FormatUint(n, 10) + "]"
		}
		plain.Fprintf(w, "    set %d binding %d\t%s%s\t%s%s%s\n", r.Set, r.Binding, r.Type, count, r.Name, resourceWords(r), unused(r.Used))
		if r.Block != nil {
			writeMembers(w, r.Block.Members, "      ")
		}
	}
}

// resourceWords describes a resource beyond its type.
func resourceWords(r iface.Resource) string {
	s := ""
	if i := r.Image; i != nil {
		s += fmt.Sprintf(", %s of %s", i.Dim, i.Sampled)
		if i.Format != 0 {
			s += ", " + i.Format.String()
		}
		for _, k := range [...]struct {
			on   bool
			word string
		}{{i.Arrayed, "arrayed"}, {i.Multisampled, "multisampled"}, {i.Depth, "depth"}} {
			if k.on {
				s += ", " + k.word
			}
		}
	}
	if b := r.Block; b != nil {
		s += fmt.Sprintf(", %s, %d bytes", b.Name, b.Size)
		if b.Unsized > 0 {
			s += fmt.Sprintf(" and %d for each element", b.Unsized)
		}
	}
	if r.Attachment != nil {
		s += fmt.Sprintf(", attachment %d", *r.Attachment)
	}
	for _, k := range [...]struct {
		on   bool
		word string
	}{{r.NonReadable, "NonReadable"}, {r.NonWritable, "NonWritable"}, {r.Coherent, "Coherent"}, {r.Volatile, "Volatile"}, {r.Restrict, "Restrict"}, {r.Aliased, "Aliased"}} {
		if k.on {
			s += ", " + k.word
		}
	}
	return s
}

// writeMembers writes the members of a block with their offsets and sizes.
func writeMembers(w io.Writer, list []iface.Member, indent string) {
	for _, m := range list {
		how := ""
		if m.ArrayStride > 0 {
			how += fmt.Sprintf(", stride %d", m.ArrayStride)
		}
		if m.MatrixStride > 0 {
			how += fmt.Sprintf(", matrix stride %d", m.MatrixStride)
		}
		if m.RowMajor {
			how += ", row major"
		}
		if m.Padding > 0 {
			how += fmt.Sprintf(", %d bytes of padding after it", m.Padding)
		}
		plain.Fprintf(w, "%s@%d\t%d bytes\t%s %s%s%s\n", indent, m.Offset, m.Size, m.Type, m.Name, how, unused(m.Used))
		writeMembers(w, m.Members, indent+"  ")
	}
}
