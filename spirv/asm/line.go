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
func (l *Lines) Text(i int) string {
	l.p.dst = l.p.dst[:0]
	l.p.instruction(i, 0)
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
