package amd64

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

// sharedCode is the Func of code that belongs to no function.
const sharedCode = -1

// mark attributes the following code to an instruction of a function, or to the function itself.
func (m *machine) mark(fn int, in *vcode.Inst) {
	x := Mark{Offset: int32(len(m.Code)), Func: int32(fn)}
	if in != nil {
		x.Origin, x.Op, x.IR = in.Origin, in.Op, in.IR
	}
	m.marks = append(m.marks, x)
}

// slowPathOwner is the instruction that a slow path belongs to, the first of n that were emitted as one.
type slowPathOwner struct {
	in    *vcode.Inst
	at, n int // at is the number of the instruction in the function
}

// attribute records the owner of the new slow paths, and the scratch vectors of the code since the last call.
func (m *machine) attribute(o slowPathOwner) {
	for len(m.slowPathOwners) < len(m.slowPaths) {
		m.slowPathOwners = append(m.slowPathOwners, o)
	}
	m.noteScratch(o.at, o.n)
}

func namesOf(funcs []*vcode.Func) []string {
	var list []string
	for _, f := range funcs {
		list = append(list, f.Name)
	}
	return list
}

// Line is one machine instruction, or up to 16 bytes of data.
type Line struct {
	Offset int
	Text   string
	Mark   *Mark // origin; nil if unknown
}

// Lines disassembles the code.
func (c *Code) Lines() []Line {
	var list []Line
	next := 0 // index of the next mark
	end := c.Data
	if c.Marks == nil {
		end = len(c.Bytes)
	}
	for d := newDecoder(c.Bytes[:end]); d.left() > 0; {
		x := Line{Offset: d.at}
		for next < len(c.Marks) && int(c.Marks[next].Offset) <= d.at {
			next++
		}
		if next > 0 {
			x.Mark = &c.Marks[next-1]
		}
		x.Text = d.next()
		list = append(list, x)
	}
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
