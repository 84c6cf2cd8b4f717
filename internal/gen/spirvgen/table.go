package main

import (
	"fmt"
	"strings"
)

// tableFile writes the arrays that say everything of the grammar but Go names.
func (m *model) tableFile() string {
	var b strings.Builder
	b.WriteString(header + "package spirv\n\n")
	var kindTexts []uint32
	for _, k := range m.kinds {
		kindTexts = append(kindTexts, m.texts.add(k.kind.Name))
	}
	m.writeTexts(&b)
	m.writeRows(&b)
	m.writeShapes(&b)
	m.writePools(&b)
	m.writeKinds(&b, kindTexts)
	b.WriteString("var sets = [...]setRow{{},\n")
	for _, s := range m.sets {
		fmt.Fprintf(&b, "{%d, %d, %d, %v},\n", s.name, s.rows.at, s.rows.n, s.set.Versioned)
	}
	b.WriteString("}\n\n")
	m.writeNames(&b)
	return b.String()
}

// writeTexts writes the string that all names are cut from.
func (m *model) writeTexts(b *strings.Builder) {
	s := m.texts.b.String()
	b.WriteString("const textPool = \"\" +\n")
	for len(s) > 100 {
		fmt.Fprintf(b, "%q +\n", s[:100])
		s = s[100:]
	}
	fmt.Fprintf(b, "%q\n\n", s)
}

func (m *model) writeRows(b *strings.Builder) {
	b.WriteString("// Opcodes first, then the enumerants kind by kind, then the extended instructions.\nvar rows = [...]Row{\n")
	for _, r := range m.rows {
		fmt.Fprintf(b, "{%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d},\n", r.name, r.value, r.version, r.last,
			r.operands.at, r.capabilities.at, r.extensions.at, r.also.at, r.operands.n, r.capabilities.n, r.extensions.n, r.also.n)
	}
	b.WriteString("}\n\n")
}

func (m *model) writeShapes(b *strings.Builder) {
	b.WriteString("// Number of an opcode's row plus one, by opcode.\nvar opRow = [...]uint16{\n")
	next := uint32(0)
	for i, in := range m.core.Instructions {
		if in.Code != next {
			fmt.Fprintf(b, "\n%d: ", in.Code)
		}
		fmt.Fprintf(b, "%d,", i+1)
		next = in.Code + 1
	}
	b.WriteString("\n}\n\nvar shapes = [...]shape{\n")
	for _, s := range m.shapes {
		fmt.Fprintf(b, "{%#x,%d,%d,%d,%d,%d,%d,%d},\n", s.ids, s.class, s.flags, s.fixed, s.min, s.max, s.tail, s.next)
	}
	b.WriteString("}\n\n")
}

func (m *model) writePools(b *strings.Builder) {
	b.WriteString("var operandPool = [...]Operand{\n")
	for _, o := range m.operand.all {
		fmt.Fprintf(b, "{%d,%d,%d},\n", o.name, o.kind, o.quantifier)
	}
	b.WriteString("}\n\nvar capabilityPool = [...]Capability{\n")
	for _, c := range m.capable.all {
		fmt.Fprintf(b, "Capability%s,\n", c)
	}
	b.WriteString("}\n\nvar extensionPool = [...]string{\n")
	for _, e := range m.extends.all {
		fmt.Fprintf(b, "%q,\n", e)
	}
	b.WriteString("}\n\nvar aliasPool = [...]text{")
	for _, a := range m.also.all {
		fmt.Fprintf(b, "%d,", a)
	}
	b.WriteString("}\n\n")
}

func (m *model) writeKinds(b *strings.Builder, names []uint32) {
	b.WriteString("var kinds = [...]kindRow{{},\n")
	category := map[string]string{"BitEnum": "Mask", "ValueEnum": "Value", "Id": "ID", "Literal": "Literal", "Composite": "Pair"}
	for i, k := range m.kinds[1:] {
		fmt.Fprintf(b, "{%d,%d,%d,%d,%#x,%#x,Category%s,[2]Kind{%d,%d}},\n", names[i+1], k.rows.at, k.rows.n, k.dense,
			k.bits, k.args, category[k.kind.Category], k.bases[0], k.bases[1])
	}
	b.WriteString("}\n\n")
}

func (m *model) writeNames(b *strings.Builder) {
	b.WriteString("// The name table: entries, and an open-addressing index of entry numbers plus one.\nvar nameEntries = [...]nameEntry{\n")
	for _, e := range m.names {
		fmt.Fprintf(b, "{%d,%d,%d},\n", m.texts.add(e.name), e.row, e.space)
	}
	slots := hashTable(m.names)
	fmt.Fprintf(b, "}\n\nvar nameSlots = [%d]uint16{\n", len(slots))
	for i, s := range slots {
		fmt.Fprintf(b, "%d,", s)
		if i%32 == 31 {
			b.WriteByte('\n')
		}
	}
	b.WriteString("}\n")
}
