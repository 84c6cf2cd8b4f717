package asm

import (
	"github.com/chiaro-gpu/chiaro/spirv"
)

// section is a set of the headings that comments divide a module by.
type section uint8

const (
	sectionDebug section = 1 << iota
	sectionAnnotations
	sectionTypes
)

// heading prints the heading of the section that an instruction is the first
// of, and one before each function.
func (p *printer) heading(in spirv.Inst) {
	var s section
	var title string
	switch op := in.Op(); {
	case op == spirv.OpFunction:
		if p.o.NestedIndent {
			p.dst = append(p.dst, '\n') // one line divides blocks, two divide functions
		}
		p.title("Function ")
		p.dst = p.dst[:len(p.dst)-1]
		if p.names != nil {
			p.dst = p.names.append(p.dst, in.Result())
		} else {
			p.dst = appendUint(p.dst, uint32(in.Result()))
		}
		p.dst = append(p.dst, '\n')
		return
	case isDebug(op):
		s, title = sectionDebug, "Debug Information"
	case isAnnotation(op):
		s, title = sectionAnnotations, "Annotations"
	case isType(op):
		s, title = sectionTypes, "Types, variables and constants"
	default:
		return
	}
	if p.sections&s == 0 {
		p.sections |= s
		p.title(title)
	}
}

// title prints an empty line and a comment.
func (p *printer) title(s string) {
	p.dst = append(p.dst, '\n')
	if !p.o.NoIndent {
		p.pad(equalOffset)
	}
	p.dst = append(p.dst, "; "...)
	p.dst = append(p.dst, s...)
	p.dst = append(p.dst, '\n')
}

// isDebug reports whether an instruction belongs to the names and sources.
func isDebug(op spirv.Op) bool {
	switch op {
	case spirv.OpName, spirv.OpMemberName, spirv.OpSource, spirv.OpSourceContinued, spirv.OpSourceExtension,
		spirv.OpString, spirv.OpLine, spirv.OpNoLine, spirv.OpModuleProcessed:
		return true
	}
	return false
}

// isAnnotation reports whether an instruction belongs to the decorations.
func isAnnotation(op spirv.Op) bool {
	switch op {
	case spirv.OpDecorate, spirv.OpDecorateId, spirv.OpDecorateString, spirv.OpMemberDecorate, spirv.OpMemberDecorateString,
		spirv.OpMemberDecorateIdEXT, spirv.OpGroupDecorate, spirv.OpGroupMemberDecorate:
		return true
	}
	return false
}

// comments prints the comment after instruction i, whose line starts at
// start. Comments of successive lines are aligned.
func (p *printer) comments(i, start int) {
	end := len(p.dst)
	in := p.m.Inst(i)
	if p.o.Offsets {
		p.separate(end)
		p.dst = append(p.dst, "0x"...)
		off := uint32(4 * p.m.Offset(i))
		for shift := 28; shift >= 0; shift -= 4 {
			p.dst = append(p.dst, hexDigits[off>>shift&15])
		}
	}
	if p.o.Comment {
		p.remark(in, end)
	}
	if len(p.said) > 0 {
		p.separate(end)
		p.dst = append(p.dst, p.said...)
	}
	if len(p.dst) == end {
		p.align = 0
		return
	}
	text := append([]byte(nil), p.dst[end:]...)
	p.dst = p.dst[:end]
	width := visible(p.dst[start:])
	column := (max(width+2, p.align, commentOffset) + 3) &^ 3
	p.align = min(column, commentLimit)
	p.pad(column - width)
	if p.o.Color {
		p.dst = append(p.dst, colorNote...)
	}
	p.dst = append(append(p.dst, "; "...), text...)
	if p.o.Color {
		p.dst = append(p.dst, colorReset...)
	}
}

// remark prints the id after an OpName and the decorations after a result,
// and records the decorations of an OpDecorate.
func (p *printer) remark(in spirv.Inst, end int) {
	switch op := in.Op(); {
	case op == spirv.OpName:
		p.separate(end)
		p.dst = append(p.dst, "id %"...)
		p.dst = appendUint(p.dst, in[1])
	case op == spirv.OpDecorate:
		p.decoration(in)
	case in.Result() != 0:
		if note := p.notes[in.Result()]; note != nil {
			p.separate(end)
			p.dst = append(p.dst, note...)
		}
	}
}

// decoration remembers a decoration of an id: all operands but the first.
func (p *printer) decoration(in spirv.Inst) {
	id := spirv.ID(in[1])
	q := printer{m: p.m, names: p.names, dst: p.notes[id]}
	if len(q.dst) > 0 {
		q.dst = append(q.dst, ',')
	}
	at := len(q.dst)
	q.operands(in, 2, spirv.OpDecorate.Row().Operands()[1:])
	if at == 0 {
		q.dst = q.dst[1:]
	}
	p.notes[id] = q.dst
}

// separate puts a comma between two comments of a line.
func (p *printer) separate(end int) {
	if len(p.dst) > end {
		p.dst = append(p.dst, ", "...)
	}
}

// visible returns the width of a line without its colours.
func visible(line []byte) int {
	n := 0
	for i := 0; i < len(line); i++ {
		if line[i] == '\x1b' {
			for i < len(line) && line[i] != 'm' {
				i++
			}
			continue
		}
		n++
	}
	return n
}
