package arm64

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Op is an instruction: a row of the table.
type Op uint16

// Insn is one instruction with its operands. Fields that the row's template does not name are zero.
type Insn struct {
	Op         Op
	Wide       bool  // general registers have 64 bits
	Arr        Arr   // arrangement of the vector operands; of the narrower ones if they differ
	Cond       Cond  // condition
	Index      uint8 // lane of the destination or of the only operand with one; further numbers of some instructions
	From       uint8 // lane of the source
	D, N, M, A Reg   // destination or first data register, operands
	Imm        int64 // immediate; the distance of a branch or a literal in bytes, from this instruction on
}

// row describes an instruction: its name, its fixed bits, and its template. The template has the text after the name, with a token in
// braces for each field. Encoder, decoder and printer all follow it. A second list of tokens has the fields without text of their own.
//
//	fadd   0x0e20d400   "{Vd}, {Vn}, {Vm}"   "q sz"      fadd v0.4s, v1.4s, v2.4s
type row struct {
	op       Op
	name     string
	bits     uint32
	template string
	hidden   string

	mask   uint32 // the bits that are fixed
	tokens []*token
	text   []string // literal text before each token, and after the last one
}

// rows are the rows in the order of Op; byMask are those with most fixed bits first, so that a decoder finds aliases before the general
// instruction.
var rows, byMask = func() ([]*row, []*row) {
	list := make([]*row, numOps)
	for i := range table {
		r := &table[i]
		if list[r.op] != nil {
			panic("arm64: two rows of " + r.name)
		}
		r.parse()
		list[r.op] = r
	}
	order := slices.DeleteFunc(slices.Clone(list), func(r *row) bool { return r == nil })
	slices.SortStableFunc(order, func(a, b *row) int { return cmp.Compare(bits.OnesCount32(b.mask), bits.OnesCount32(a.mask)) })
	return list, order
}()

// parse cuts the template into tokens.
func (r *row) parse() {
	rest := r.template
	for {
		at := strings.IndexByte(rest, '{')
		if at < 0 {
			break
		}
		end := at + strings.IndexByte(rest[at:], '}')
		r.text = append(r.text, rest[:at])
		r.add(rest[at+1 : end])
		rest = rest[end+1:]
	}
	r.text = append(r.text, rest)
	for _, name := range strings.Fields(r.hidden) {
		r.add(name)
	}
	r.mask = ^r.mask
}

func (r *row) add(name string) {
	t := tokens[name]
	if t == nil {
		panic("arm64: " + r.name + " has an unknown token " + name)
	}
	r.tokens = append(r.tokens, t)
	r.mask |= t.field
}

// word returns the word of an instruction, and false if an operand is out of range.
func (i *Insn) word() (uint32, bool) {
	r := rows[i.Op]
	w := r.bits
	for _, t := range r.tokens {
		v, ok := t.put(i)
		if !ok || v&^t.field != 0 {
			return 0, false
		}
		w |= v
	}
	return w, true
}

// encode returns the word of an instruction. Operands out of range are an error of the compiler.
func (i *Insn) encode() uint32 {
	w, ok := i.word()
	if !ok {
		panic(fmt.Sprintf("arm64: an operand is out of range: %s %+v", rows[i.Op].name, *i))
	}
	return w
}

// decode returns the instruction of a word, and false if the table has none.
func decode(w uint32) (Insn, bool) {
	for _, r := range byMask {
		if w&r.mask != r.bits {
			continue
		}
		if i, ok := r.decode(w); ok {
			return i, true
		}
	}
	return Insn{}, false
}

func (r *row) decode(w uint32) (Insn, bool) {
	i := Insn{Op: r.op}
	for n := len(r.tokens) - 1; n >= 0; n-- { // hidden tokens first: they have the widths
		if !r.tokens[n].get(&i, w) {
			return i, false
		}
	}
	return i, true
}

// text returns the instruction as in a listing, at an address in the code.
func (i *Insn) text(at int) string {
	r := rows[i.Op]
	var b strings.Builder
	name := r.name
	if i.Arr&1 != 0 && strings.HasSuffix(name, "{2}") {
		name = name[:len(name)-3] + "2"
	}
	b.WriteString(strings.TrimSuffix(name, "{2}"))
	for n, s := range r.text {
		if n == 0 && (s != "" || len(r.text) > 1) && !strings.HasSuffix(name, ".") {
			b.WriteByte(' ')
		}
		b.WriteString(s)
		if n < len(r.text)-1 {
			b.WriteString(r.tokens[n].text(i, at))
		}
	}
	return b.String()
}
