package asm

import (
	"io"
	"slices"
	"strconv"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Disassemble appends the text of a module to dst. Assembled again with numeric
// ids preserved, the text with raw ids yields the same instructions. The only
// module that is refused, with a *diag.Finding, is one whose text would have more
// bytes than Assemble reads; dst is then returned unchanged.
func Disassemble(dst []byte, m *spirv.Module, o DisassembleOptions) ([]byte, error) {
	return disassemble(dst, m, o, maxText)
}

// disassemble is Disassemble with a limit to the bytes of the text.
func disassemble(dst []byte, m *spirv.Module, o DisassembleOptions, limit int) ([]byte, error) {
	p := printer{m: m, o: o, dst: dst, limit: len(dst) + limit}
	if n := len(dst) + 10*len(m.Words); n > cap(dst) {
		p.dst = append(make([]byte, 0, n), dst...) // slices.Grow clears the memory in one step, which delays signals
	}
	if err := p.module(limit, nil); err != nil {
		return dst, err
	}
	return p.dst, nil
}

// Print writes the text of Disassemble in pieces, so that the memory does not
// grow with the text. It stops when a write fails or when stop, such as ctx.Err
// of a context, returns an error; nil never stops. A text that is too long is
// refused when its beginning is written.
func Print(w io.Writer, m *spirv.Module, o DisassembleOptions, stop func() error) error {
	p := printer{m: m, o: o, w: w, dst: make([]byte, 0, 2*pieceSize), limit: maxText}
	if err := p.module(maxText, stop); err != nil {
		return err
	}
	p.piece()
	return p.err
}

// pieceSize is the number of bytes from which Print writes a piece of text.
const pieceSize = 1 << 16

// piece writes the text so far, unless an error came before.
func (p *printer) piece() {
	if p.err == nil {
		_, p.err = p.w.Write(p.dst)
	}
	p.limit -= len(p.dst)
	p.dst = p.dst[:0]
}

// module prints the module. limit is the limit that its error names.
func (p *printer) module(limit int, stop func() error) error {
	p.o.NoIndent = p.o.NoIndent && !p.o.NestedIndent
	p.stop = stop
	m, o := p.m, p.o
	if !o.RawIDs {
		var err error
		if p.names, err = nameModule(m, stop); err != nil {
			return err
		}
	}
	if o.Comment {
		p.notes = map[spirv.ID][]byte{}
	}
	if !o.NoHeader {
		p.header()
	}
	if o.NestedIndent || o.Reorder {
		p.structured()
	} else {
		for i := range m.Len() {
			p.instruction(i, 0)
		}
	}
	if p.err == nil && len(p.dst) > p.limit {
		return diag.New("SPV-Text-Size", diag.Pos{}, "the text would have more than %d bytes, which is all that can be assembled", limit)
	}
	return p.err
}

// Columns of the printed form.
const (
	equalOffset   = 15 // after the equal sign and its space
	commentOffset = 50 // minimal column of comments
	commentLimit  = 256
)

// spaces is a supply of indentation.
const spaces = "                                                                                "

// The colours of the printed form, as ANSI escape sequences.
const (
	colorReset  = "\x1b[0m"
	colorResult = "\x1b[34m"
	colorID     = "\x1b[33m"
	colorNumber = "\x1b[31m"
	colorString = "\x1b[32m"
	colorNote   = "\x1b[1;30m"
)

// printer is the state of one run over a module.
type printer struct {
	m     *spirv.Module
	o     DisassembleOptions
	dst   []byte
	names *names       // nil for raw ids
	raw   bool         // literals of the instruction print as immediate words
	limit int          // length of dst beyond which nothing more is printed
	w     io.Writer    // gets dst in pieces; nil keeps all of it
	stop  func() error // nil never stops
	err   error        // of w or stop; nothing more is printed
	said  []byte       // escaped strings of the instruction, for a comment

	sections section             // sections with a printed heading
	notes    map[spirv.ID][]byte // decorations of ids, if comments are on
	align    int                 // column of the last comment, 0 after a line without one
}

// header prints the header of the module as comments.
func (p *printer) header() {
	p.dst = append(p.dst, "; SPIR-V\n; Version: "...)
	p.dst = strconv.AppendInt(p.dst, int64(p.m.Version.Major()), 10)
	p.dst = append(p.dst, '.')
	p.dst = strconv.AppendInt(p.dst, int64(p.m.Version.Minor()), 10)
	p.dst = append(p.dst, "\n; Generator: "...)
	if tool := p.m.Generator >> 16; int(tool) < len(generators) {
		p.dst = append(p.dst, generators[tool]...)
	} else {
		p.dst = append(p.dst, "Unknown("...)
		p.dst = appendUint(p.dst, tool)
		p.dst = append(p.dst, ')')
	}
	p.dst = append(p.dst, "; "...)
	p.dst = appendUint(p.dst, p.m.Generator&0xffff)
	p.dst = append(p.dst, "\n; Bound: "...)
	p.dst = appendUint(p.dst, p.m.Bound)
	p.dst = append(p.dst, "\n; Schema: "...)
	p.dst = appendUint(p.dst, p.m.Schema)
	p.dst = append(p.dst, '\n')
}

// instruction prints instruction i on a line of its own, indented by nest more
// columns than usual.
func (p *printer) instruction(i, nest int) {
	if p.w != nil && len(p.dst) >= pieceSize {
		p.piece()
	}
	if p.err == nil {
		p.err = stopped(i, p.stop)
	}
	if p.err != nil || len(p.dst) > p.limit {
		return
	}
	in := p.m.Inst(i)
	op := in.Op()
	if p.o.Comment {
		p.heading(in)
	}
	start := len(p.dst)
	p.raw, p.said = false, p.said[:0]
	if !p.m.Known(i) {
		p.unknown(in)
		return
	}
	if id := in.Result(); id != 0 {
		p.result(id, nest)
	} else if !p.o.NoIndent {
		p.pad(equalOffset + nest)
	}
	p.dst = append(p.dst, "Op"...)
	p.dst = append(p.dst, op.Row().Name()...)
	p.operands(in, 1, op.Row().Operands())
	if p.o.Offsets || p.o.Comment || len(p.said) > 0 {
		p.comments(i, start)
	}
	p.dst = append(p.dst, '\n')
}

// result prints the result id and the equal sign.
func (p *printer) result(id spirv.ID, nest int) {
	if p.o.Color {
		p.dst = append(p.dst, colorResult...)
	}
	at := len(p.dst)
	p.id(id)
	if !p.o.NoIndent {
		if n := equalOffset - len(" = ") - (len(p.dst) - at); n > 0 {
			p.dst = slices.Insert(p.dst, at, []byte(spaces[:n])...)
		}
	}
	if p.o.Color {
		p.dst = append(p.dst, colorReset...)
	}
	p.dst = append(p.dst, " = "...)
	p.pad(nest)
}

// pad prints n spaces.
func (p *printer) pad(n int) {
	for ; n > len(spaces); n -= len(spaces) {
		p.dst = append(p.dst, spaces...)
	}
	p.dst = append(p.dst, spaces[:n]...)
}

// id prints an id.
func (p *printer) id(id spirv.ID) {
	p.dst = append(p.dst, '%')
	if p.names != nil {
		p.dst = p.names.append(p.dst, id)
		return
	}
	p.dst = appendUint(p.dst, uint32(id))
}

// appendUint appends a number in decimal.
func appendUint(dst []byte, v uint32) []byte { return strconv.AppendUint(dst, uint64(v), 10) }

// unknown prints the words of an instruction that the grammar does not know, in
// the form that the assembler reads back.
func (p *printer) unknown(in spirv.Inst) {
	if !p.o.NoIndent {
		p.pad(equalOffset)
	}
	p.dst = append(p.dst, "OpUnknown("...)
	p.dst = appendUint(p.dst, uint32(in.Op()))
	p.dst = append(p.dst, ", "...)
	p.dst = appendUint(p.dst, uint32(len(in)))
	p.dst = append(p.dst, ')')
	for _, w := range in[1:] {
		p.dst = append(p.dst, ' ')
		p.dst = appendUint(p.dst, w)
	}
	p.dst = append(p.dst, "  ; note: ID bound may be incorrect after reassembly\n"...)
}
