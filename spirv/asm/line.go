package asm

import (
	"bytes"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// Lines prints single instructions of a module, as Disassemble would. It is for
// one goroutine at a time.
type Lines struct {
	p printer
}

// NewLines returns the lines of a module with friendly names, or with raw ids.
func NewLines(m *spirv.Module, raw bool) *Lines {
	l := &Lines{printer{m: m, o: DisassembleOptions{NoIndent: true, RawIDs: raw}, limit: maxText}}
	if !raw {
		l.p.names = nameModule(m)
	}
	return l
}

// Text returns instruction i, from 0, without an end of line. A string in it
// may have ends of lines of its own.
func (l *Lines) Text(i int) string { return l.Start(i, maxText) }

// Start returns the start of the text of instruction i: no operand begins beyond limit bytes.
// It prevents quadratic time if each of many findings is about an instruction of 65,534 operands.
func (l *Lines) Start(i, limit int) string {
	l.p.dst, l.p.limit = l.p.dst[:0], limit
	l.p.instruction(i, 0)
	l.p.limit = maxText
	return strings.TrimRight(string(l.p.dst), "\n")
}

// ID returns the name of an id in the text: "%name".
func (l *Lines) ID(id spirv.ID) string {
	l.p.dst = l.p.dst[:0]
	l.p.id(id)
	return string(l.p.dst)
}

// Numbers returns in which line of Disassemble's text, from 1, each instruction
// begins.
func (l *Lines) Numbers() []int {
	out := make([]int, l.p.m.Len())
	line := 1 + headerLines
	for i := range out {
		out[i] = line
		l.p.dst = l.p.dst[:0]
		l.p.instruction(i, 0)
		line += bytes.Count(l.p.dst, []byte{'\n'})
	}
	return out
}

// headerLines is the number of lines of the header.
const headerLines = 5
