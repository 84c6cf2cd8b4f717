package asm

import (
	"bytes"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// Lines prints single instructions of a module, as Disassemble would. It is for
// one goroutine at a time.
type Lines struct {
	p    printer
	stop func() error // nil: never stops
}

// NewLines returns the lines of a module with friendly names, or with raw ids.
func NewLines(m *spirv.Module, raw bool) *Lines {
	l, _ := NewLinesUntil(m, raw, nil)
	return l
}

// NewLinesUntil is NewLines with a stop function, such as ctx.Err of a context. It
// calls stop at intervals, also in Lines.Numbers, and returns the first error. nil
// never stops.
func NewLinesUntil(m *spirv.Module, raw bool, stop func() error) (*Lines, error) {
	l := &Lines{printer{m: m, o: DisassembleOptions{NoIndent: true, RawIDs: raw}, limit: maxText}, stop}
	if !raw {
		var err error
		if l.p.names, err = nameModule(m, stop); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// stopInterval is the number of instructions for each call of a stop function.
const stopInterval = 4096

// stopped calls the stop function for every stopInterval-th instruction, not for the
// first one: a small module never stops.
func stopped(i int, stop func() error) error {
	if stop == nil || i%stopInterval != stopInterval-1 {
		return nil
	}
	return stop()
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
// begins; nil if the stop function of the lines returns an error.
func (l *Lines) Numbers() []int {
	out := make([]int, l.p.m.Len())
	line := 1 + headerLines
	for i := range out {
		if stopped(i, l.stop) != nil {
			return nil
		}
		out[i] = line
		l.p.dst = l.p.dst[:0]
		l.p.instruction(i, 0)
		line += bytes.Count(l.p.dst, []byte{'\n'})
	}
	return out
}

// headerLines is the number of lines of the header.
const headerLines = 5
