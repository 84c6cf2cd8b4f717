package main

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// row is the table entry of one opcode, enumerant or extended instruction.
type row struct {
	name                                     uint32
	value                                    uint32
	version, last                            uint16
	operands, capabilities, extensions, also span
}

// shape is the information on an opcode that the decoder needs before it reads operands one
// by one; see the type of that name in package spirv.
type shape struct {
	class, flags, fixed, min, max, tail, next int
	ids                                       uint32
}

// The flags and tails of a shape, as package spirv numbers them.
const (
	hasType, hasResult, specConstant         = 1, 2, 4
	tailNone, tailIDs, tailWords, tailWalked = 0, 1, 2, 3
	unbounded                                = 255
)

// quantifiers numbers the quantifiers of operands, as package spirv does.
var quantifiers = map[string]int{"": 0, "?": 1, "*": 2}

// operandRow is an operand in the shared pool of operands.
type operandRow struct {
	kind, quantifier int
	name             uint32
}

// kindRow is the table entry of one operand kind.
type kindRow struct {
	kind       kind
	rows       span
	dense      int
	bits, args uint32
	bases      [2]int
}

// setRow is the table entry of one extended instruction set.
type setRow struct {
	set  set
	name uint32
	rows span
}

// model is the grammar laid out as tables.
type model struct {
	core    grammar
	texts   texts
	rows    []row
	nops    int
	shapes  []shape
	kinds   []kindRow // kinds[0] is no kind
	kindNo  map[string]int
	sets    []setRow
	operand pool[operandRow]
	capable pool[string]
	extends pool[string]
	also    pool[uint32]
	names   []named
	classes []string
}

// The first name space of kinds and of sets in the name table; opcodes are
// space 0.
const (
	kindSpace = 1
	setSpace  = 128
)

// build lays the grammar out as tables.
func build(core grammar, ext []set) (*model, error) {
	m := &model{core: core, kindNo: map[string]int{}}
	m.core.Instructions = order(core.Instructions)
	for _, c := range core.Classes {
		m.classes = append(m.classes, c.Tag)
	}
	m.kinds = append(m.kinds, kindRow{})
	m.addKinds(core.Kinds)
	for _, s := range ext {
		m.addKinds(s.grammar.Kinds)
	}
	if len(m.kinds) > setSpace-kindSpace {
		return nil, fmt.Errorf("%d operand kinds, more than the name table has room for", len(m.kinds))
	}
	m.addOps()
	if err := m.addEnumerants(); err != nil {
		return nil, err
	}
	for i, s := range ext {
		m.addSet(i, s)
	}
	return m, nil
}

func (m *model) addKinds(kinds []kind) {
	for _, k := range kinds {
		m.kindNo[k.Name] = len(m.kinds)
		m.kinds = append(m.kinds, kindRow{kind: k})
	}
	for i := range m.kinds {
		for j, b := range m.kinds[i].kind.Bases {
			m.kinds[i].bases[j] = m.kindNo[b]
		}
	}
}

func (m *model) addOps() {
	for _, in := range m.core.Instructions {
		m.name(0, strings.TrimPrefix(in.Name, "Op"), in.Aliases)
		m.rows = append(m.rows, m.instructionRow(in, "Op"))
		m.shapes = append(m.shapes, m.shapeOf(in))
	}
	m.nops = len(m.rows)
}

// instructionRow makes the row of an opcode or extended instruction.
func (m *model) instructionRow(in instruction, prefix string) row {
	caps := in.Capabilities
	if in.Capability != "" {
		caps = append(caps, in.Capability)
	}
	return row{
		name: m.texts.add(strings.TrimPrefix(in.Name, prefix)), value: in.Code,
		version: since(in.Version), last: version(in.LastVersion),
		operands: m.operands(in.Operands), capabilities: m.capable.add(caps),
		extensions: m.extends.add(in.Extensions), also: m.aliases(in.Aliases, prefix),
	}
}

// name enters the row that comes next under its name and its aliases.
func (m *model) name(space uint8, name string, aliases []string) {
	for _, n := range append([]string{name}, aliases...) {
		if space == 0 {
			n = strings.TrimPrefix(n, "Op")
		}
		m.texts.add(n)
		m.names = append(m.names, named{space, n, len(m.rows)})
	}
}

func (m *model) aliases(list []string, prefix string) span {
	var out []uint32
	for _, a := range list {
		out = append(out, m.texts.add(strings.TrimPrefix(a, prefix)))
	}
	return m.also.add(out)
}

func (m *model) operands(list []operand) span {
	names := operandNames(list)
	var out []operandRow
	for i, o := range list {
		out = append(out, operandRow{m.kindNo[o.Kind], quantifiers[o.Quantifier], m.texts.add(names[i])})
	}
	return m.operand.add(out)
}

// shapeOf summarizes the operands of an opcode: how many words are there in
// any case, which of them are ids, and how the rest is to be read.
func (m *model) shapeOf(in instruction) shape {
	s := shape{class: slices.Index(m.classes, in.Class), tail: tailNone}
	i := 0
prefix:
	for ; i < len(in.Operands); i++ {
		o := in.Operands[i]
		switch {
		case o.Quantifier != "":
			break prefix
		case m.kinds[m.kindNo[o.Kind]].kind.Category == "Id":
			s.ids |= 1 << s.fixed
		case o.Kind == "LiteralInteger", o.Kind == "LiteralFloat":
		default:
			break prefix
		}
		s.fixed++
	}
	for _, o := range in.Operands {
		switch o.Kind {
		case "IdResultType":
			s.flags |= hasType
		case "IdResult":
			s.flags |= hasResult
		}
	}
	if typing.TraitsOf(typing.Op(in.Code)).Has(typing.SpecConstant) {
		s.flags |= specConstant
	}
	s.next = i
	s.tail = m.tailOf(in.Operands[i:])
	s.min, s.max = m.bounds(in.Operands)
	return s
}

// tailOf returns the encoding of the operands after the fixed ones.
func (m *model) tailOf(rest []operand) int {
	if len(rest) == 0 {
		return tailNone
	}
	ids, words := true, true
	for _, o := range rest {
		ids = ids && o.Quantifier != "" && m.kinds[m.kindNo[o.Kind]].kind.Category == "Id"
		words = words && o.Quantifier != "" && o.Kind == "LiteralInteger"
	}
	switch {
	case ids:
		return tailIDs
	case words:
		return tailWords
	}
	return tailWalked
}

// bounds returns the least and the greatest number of words of an
// instruction, the first included; unbounded if there is no greatest.
func (m *model) bounds(ops []operand) (least, most int) {
	least, most = 1, 1
	for _, o := range ops {
		k := m.kinds[m.kindNo[o.Kind]].kind
		if o.Quantifier == "" {
			least++
		}
		open := o.Quantifier == "*" || k.Category == "BitEnum" || k.Category == "Literal" && o.Kind != "LiteralInteger" && o.Kind != "LiteralFloat"
		for _, e := range k.Enumerants {
			open = open || len(e.Parameters) > 0
		}
		if open {
			most = unbounded
		}
		if most < unbounded {
			most++
		}
	}
	return least, most
}

func (m *model) addEnumerants() error {
	for i := range m.kinds {
		k := &m.kinds[i]
		list := slices.Clone(k.kind.Enumerants)
		sort.SliceStable(list, func(i, j int) bool { return list[i].Value < list[j].Value })
		k.kind.Enumerants = list
		k.rows = span{len(m.rows), len(list)}
		for j, e := range list {
			if uint32(e.Value) == uint32(j) && k.dense == j {
				k.dense++
			}
			if k.kind.Category == "BitEnum" {
				k.bits |= uint32(e.Value)
				if len(e.Parameters) > 0 {
					k.args |= uint32(e.Value)
				}
			}
			for _, p := range e.Parameters {
				for _, q := range m.kinds[m.kindNo[p.Kind]].kind.Enumerants {
					if len(q.Parameters) > 0 {
						return fmt.Errorf("%s %s: parameters of parameters", k.kind.Name, e.Name)
					}
				}
			}
			m.name(uint8(kindSpace+i), e.Name, e.Aliases)
			m.rows = append(m.rows, row{
				name: m.texts.add(e.Name), value: uint32(e.Value), version: since(e.Version), last: version(e.LastVersion),
				operands: m.operands(e.Parameters), capabilities: m.capable.add(e.Capabilities),
				extensions: m.extends.add(e.Extensions), also: m.aliases(e.Aliases, ""),
			})
		}
	}
	return nil
}

func (m *model) addSet(i int, s set) {
	list := order(s.grammar.Instructions)
	s.grammar.Instructions = list
	r := setRow{s, m.texts.add(s.Import), span{len(m.rows), len(list)}}
	for _, in := range list {
		m.name(uint8(setSpace+i), in.Name, nil)
		m.rows = append(m.rows, m.instructionRow(in, ""))
	}
	m.sets = append(m.sets, r)
}
