package target

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Mark is the origin of the code from an offset up to the next mark.
type Mark struct {
	Offset int32
	Func   int32 // index of the function, or −1 for code that all functions share
	Origin int32 // number of the SPIR-V instruction, from 1; 0 if there is none
	Op     vcode.Op
	IR     ir.Op // the IR operation, if Op has one
}

// MarkAt returns the mark of code at an offset: of an instruction of a function, or of the function itself if in is nil.
func MarkAt(offset, function int, in *vcode.Inst) Mark {
	x := Mark{Offset: int32(offset), Func: int32(function)}
	if in != nil {
		x.Origin, x.Op, x.IR = in.Origin, in.Op, in.IR
	}
	return x
}

// SharedCode is the Func of code that belongs to no function.
const SharedCode = -1

// Line is one machine instruction, or up to 16 bytes of data.
type Line struct {
	Offset int
	Text   string
	Mark   *Mark // origin; nil if unknown
}

// Lines returns the disassembled code: t is the target of its level.
func (c *Code) Lines(t Target) []Line {
	var list []Line
	next := 0 // index of the next mark
	end := c.Data
	if c.Marks == nil {
		end = len(c.Bytes)
	}
	t.Disassemble(c.Bytes[:end], func(offset int, text string) {
		x := Line{Offset: offset, Text: text}
		for next < len(c.Marks) && int(c.Marks[next].Offset) <= offset {
			next++
		}
		if next > 0 {
			x.Mark = &c.Marks[next-1]
		}
		list = append(list, x)
	})
	const lineBytes = 16
	for at := end; at < len(c.Bytes); at += lineBytes {
		var b strings.Builder
		for i, v := range c.Bytes[at:min(at+lineBytes, len(c.Bytes))] {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%#02x", v)
		}
		list = append(list, Line{Offset: at, Text: ".byte " + b.String()})
	}
	return list
}
