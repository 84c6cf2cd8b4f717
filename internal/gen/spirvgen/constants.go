package main

import (
	"fmt"
	"strings"
)

// opFile writes the opcodes, the extended instructions and the classes.
func (m *model) opFile() string {
	var b strings.Builder
	b.WriteString(header + "package spirv\n\n// The opcodes, under Khronos' names (SPIR-V §3.3).\nconst (\n")
	taken := map[string]bool{}
	for _, in := range m.core.Instructions {
		taken[in.Name] = true
		fmt.Fprintf(&b, "%s Op = %d\n", in.Name, in.Code)
	}
	b.WriteString(")\n\n// The opcodes' other names.\nconst (\n")
	for _, in := range m.core.Instructions {
		for _, a := range in.Aliases {
			if !taken[a] {
				taken[a] = true
				fmt.Fprintf(&b, "%s = %s\n", a, in.Name)
			}
		}
	}
	b.WriteString(")\n\n// The classes of instructions, in the order of SPIR-V §3.3.\nconst (\n")
	for i, c := range m.classes {
		fmt.Fprintf(&b, "Class%s Class = %d\n", camel(c), i)
	}
	b.WriteString(")\n\nvar classNames = [...]string{")
	for _, c := range m.core.Classes {
		if c.Heading == "" {
			c.Heading = "Excluded"
		}
		fmt.Fprintf(&b, "%q, ", strings.TrimSuffix(c.Heading, " Instructions"))
	}
	b.WriteString("}\n\n// The extended instruction sets.\nconst (\nExtSetNone ExtSet = iota // no set\n")
	for _, s := range m.sets {
		fmt.Fprintf(&b, "ExtSet%s // %s\n", s.set.Prefix, s.set.Import)
	}
	b.WriteString("ExtSetUnknown // a NonSemantic. set that is not listed here\n)\n")
	for _, s := range m.sets {
		typ := s.set.Prefix + "Op"
		fmt.Fprintf(&b, "\n// %s is the number of an instruction of the set %s.\ntype %s uint32\n\n", typ, s.set.Import, typ)
		fmt.Fprintf(&b, "// String returns the name of the instruction.\nfunc (o %s) String() string { return ExtSet%s.instName(uint32(o)) }\n\n", typ, s.set.Prefix)
		if len(s.set.grammar.Instructions) == 0 {
			continue
		}
		fmt.Fprintf(&b, "// The instructions of the set %s.\nconst (\n", s.set.Import)
		for _, in := range s.set.grammar.Instructions {
			fmt.Fprintf(&b, "%s%s %s = %d\n", s.set.Prefix, camel(in.Name), typ, in.Code)
		}
		b.WriteString(")\n")
	}
	return b.String()
}

// enumFile writes one Go type for each kind of enumerant, and the kinds.
func (m *model) enumFile() string {
	var b strings.Builder
	b.WriteString(header + "package spirv\n\n// The kinds of operands.\nconst (\nKindNone Kind = iota // not an operand\n")
	for _, k := range m.kinds[1:] {
		fmt.Fprintf(&b, "Kind%s\n", k.kind.Name)
	}
	b.WriteString(")\n")
	for _, k := range m.kinds[1:] {
		if len(k.kind.Enumerants) > 0 {
			enumType(&b, k.kind)
		}
	}
	return b.String()
}

func enumType(b *strings.Builder, k kind) {
	what, method := "an enumerant", "valueName"
	if k.Category == "BitEnum" {
		what, method = "a mask", "maskName"
	}
	fmt.Fprintf(b, "\n// %s is %s.\ntype %s uint32\n\n", k.Name, what, k.Name)
	fmt.Fprintf(b, "// String returns the name in assembly.\nfunc (v %s) String() string { return Kind%s.%s(uint32(v)) }\n\n", k.Name, k.Name, method)
	fmt.Fprintf(b, "// MarshalText returns the name in assembly.\nfunc (v %s) MarshalText() ([]byte, error) { return []byte(v.String()), nil }\n\n", k.Name)
	fmt.Fprintf(b, "// The values of %s.\nconst (\n", k.Name)
	taken := map[string]bool{}
	for _, e := range k.Enumerants {
		c := constant(k, e.Name, uint32(e.Value))
		taken[c] = true
		if k.Category == "BitEnum" {
			fmt.Fprintf(b, "%s %s = %#x\n", c, k.Name, uint32(e.Value))
		} else {
			fmt.Fprintf(b, "%s %s = %d\n", c, k.Name, uint32(e.Value))
		}
	}
	for _, e := range k.Enumerants {
		for _, a := range e.Aliases {
			if n := constant(k, a, uint32(e.Value)); !taken[n] {
				taken[n] = true
				fmt.Fprintf(b, "%s = %s\n", n, constant(k, e.Name, uint32(e.Value)))
			}
		}
	}
	b.WriteString(")\n")
}
