package chiaro

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"

	"github.com/chiaro-gpu/chiaro/internal/oracle"
)

// Violation is a number of a result that Vulkan does not permit.
type Violation struct {
	Set, Binding uint32
	Offset       int    // in the buffer, in bytes
	Got          []byte // little-endian
	Value        string // Got in words
	Permitted    string // the permitted values in words
	Instruction  int    // that computed the number, from 1; 0 if the shader does not store to it
	Name         string // of the instruction; "" without one
}

// String describes the violation.
func (v *Violation) String() string {
	by := ""
	if v.Name != "" {
		by = fmt.Sprintf(", by instruction %d, %s", v.Instruction, v.Name)
	}
	return fmt.Sprintf("set %d, binding %d, byte %d is %s; permitted: %s%s", v.Set, v.Binding, v.Offset, v.Value, v.Permitted, by)
}

// UndecidedError is the error of Judge for a shader whose permitted results are not known; docs/allowed.md lists the reasons.
type UndecidedError struct {
	Reason      string
	Instruction int // from 1
}

// Error returns the reason.
func (e *UndecidedError) Error() string {
	return fmt.Sprintf("the permitted results are not decided at instruction %d: %s", e.Instruction, e.Reason)
}

// Judge judges results, of Run or of another implementation, by the values that Vulkan permits: args are the arguments before the run,
// and results the buffers after it; buffers that are not among them are not judged. The violations are in the order of the
// instructions that computed them. With Options.SubgroupSize, group operations have the values of subgroups of that size. Their
// invocations have consecutive local indices. The error is an *UndecidedError if any result is permitted.
func (s *Shader) Judge(ctx context.Context, groups [3]uint32, args, results []Argument) ([]Violation, error) {
	job := &oracle.Job{Module: s.facts, Groups: groups, Buffers: map[oracle.Place][]byte{}, Pictures: map[oracle.Place]*oracle.Picture{},
		SubgroupSize: s.subgroup}
	job.Entry = s.facts.EntryPoint(s.entry.Name, s.entry.Model)
	for _, a := range args {
		switch {
		case a.push:
			job.Push = append(job.Push, a.data...)
		case a.isImage && a.image != nil && !a.image.Bounds().Empty():
			job.Pictures[oracle.Place{Set: a.set, Binding: a.binding}] = pictureOf(a.image)
		case !a.isImage:
			job.Buffers[oracle.Place{Set: a.set, Binding: a.binding}] = a.data
		}
	}
	contents := map[oracle.Place][]byte{}
	for _, a := range results {
		at := oracle.Place{Set: a.set, Binding: a.binding}
		before, ok := job.Buffers[at]
		switch {
		case a.push || a.isImage:
			return nil, errors.New("a result that is no buffer; must be a buffer")
		case !ok || len(before) != len(a.data):
			return nil, fmt.Errorf("the result for set %d, binding %d has %d bytes; must have the %d of its argument", a.set, a.binding, len(a.data), len(before))
		}
		contents[at] = a.data
	}
	r, err := oracle.Run(ctx, job)
	if err != nil {
		return nil, err
	}
	if r.Undecided != "" {
		return nil, &UndecidedError{r.Undecided, r.Instruction}
	}
	var list []Violation
	for _, v := range r.Judge(contents) {
		x := Violation{Set: v.Set, Binding: v.Binding, Offset: int(v.Offset), Got: v.Got, Value: v.Text(v.Got), Permitted: v.Permitted.String(), Instruction: v.At}
		if v.At > 0 {
			x.Name = s.facts.Code.Inst(v.At - 1).Op().String()
		}
		list = append(list, x)
	}
	return list, nil
}

// pictureOf returns a picture as Run binds it.
func pictureOf(m image.Image) *oracle.Picture {
	pixels := pixelsOf(m)
	p := &oracle.Picture{Width: m.Bounds().Dx(), Height: m.Bounds().Dy(), Texels: make([]uint16, len(pixels)/2)}
	for i := range p.Texels {
		p.Texels[i] = binary.LittleEndian.Uint16(pixels[2*i:])
	}
	return p
}
