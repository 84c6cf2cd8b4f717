package ir

import (
	"encoding/binary"
	"errors"
)

// errBinary is the error for bytes that are not a program.
var errBinary = errors.New("ir: the bytes are not an encoded program")

// Append appends the binary form of p to b: everything in p, so that programs with equal bytes are equal. Numbers are
// varints and lengths precede lists, so that no two programs share an encoding.
func (p *Program) Append(b []byte) []byte {
	c := coder{b: b}
	c.program(p)
	return c.b
}

// Decode returns the program of a binary form, which may come from anywhere: the program is verified. Its memory is
// proportional to the bytes.
func Decode(b []byte) (*Program, error) {
	c := coder{b: b, reads: true}
	p := new(Program)
	c.program(p)
	if c.bad || len(c.b) > 0 {
		return nil, errBinary
	}
	if err := p.Verify(); err != nil {
		return nil, err
	}
	return p, nil
}

// coder writes a program to bytes, or reads it: each method does both, so that the two directions cannot differ.
type coder struct {
	b     []byte // written so far, or not yet read
	reads bool
	bad   bool // the bytes that are read are not a program
}

// number codes a number of up to bits bits.
func (c *coder) number(x uint64, bits int) uint64 {
	if !c.reads {
		c.b = binary.AppendUvarint(c.b, x)
		return x
	}
	x, n := binary.Uvarint(c.b)
	if n <= 0 || bits < 64 && x>>bits != 0 {
		c.fail()
		return 0
	}
	c.b = c.b[n:]
	return x
}

// fail ends the reading.
func (c *coder) fail() { c.bad, c.b = true, nil }

func (c *coder) u32(list ...*uint32) {
	for _, x := range list {
		*x = uint32(c.number(uint64(*x), 32))
	}
}

func (c *coder) bools(list ...*bool) {
	for _, x := range list {
		n := uint64(0)
		if *x {
			n = 1
		}
		*x = c.number(n, 1) == 1
	}
}

// small codes numbers of one byte, such as operations, types and semantics.
func small[T ~uint8](c *coder, list ...*T) {
	for _, x := range list {
		*x = T(c.number(uint64(*x), 8))
	}
}

// index codes a number that may be −1: it is coded as its successor.
func (c *coder) index(x *int) {
	n := c.number(uint64(*x+1), 32)
	*x = int(n) - 1
}

// length codes the length of a list. Each element needs a byte at least: the bytes that exist bound the memory of the list.
func (c *coder) length(n int) int {
	x := c.number(uint64(n), 64)
	if c.reads && x > uint64(len(c.b)) {
		c.fail()
		return 0
	}
	return int(x)
}

// list codes a list with a function for its elements.
func list[T any](c *coder, x *[]T, element func(*T)) {
	n := c.length(len(*x))
	if c.reads && n > 0 {
		*x = make([]T, n)
	}
	for i := range *x {
		if c.bad {
			return
		}
		element(&(*x)[i])
	}
}

func (c *coder) text(s *string) {
	n := c.length(len(*s))
	if !c.reads {
		c.b = append(c.b, *s...)
		return
	}
	*s, c.b = string(c.b[:n]), c.b[n:]
}

func (c *coder) bytes(x *[]byte) {
	s := string(*x)
	c.text(&s)
	*x = []byte(s)
}

// values codes a list of values. A negative value would need ten bytes as a number of 64 bits.
func (c *coder) values(x *[]V) { list(c, x, c.value) }

func (c *coder) value(v *V) { *v = V(uint32(c.number(uint64(uint32(*v)), 32))) }

func (c *coder) program(p *Program) {
	c.text(&p.Name)
	small(c, &p.Stage)
	c.u32(&p.SubgroupSize, &p.QuadRow, &p.PushBytes, &p.SharedBytes, &p.OutputVertices, &p.Instances, &p.OutputPrimitives, &p.PayloadBytes, &p.AttributeSlots, &p.TileLayers)
	for i := range p.LocalSize {
		c.u32(&p.LocalSize[i])
	}
	p.Modes = Modes(c.number(uint64(p.Modes), 64))
	list(c, &p.In, func(x *Input) {
		small(c, &x.Semantic)
		small(c, &x.Type)
		c.u32(&x.Index)
		small(c, &x.Interpolation)
		small(c, &x.Sampling)
		c.bools(&x.Patch)
	})
	list(c, &p.Captures, func(x *Capture) { c.u32(&x.Buffer, &x.Stride, &x.Stream) })
	list(c, &p.Out, func(x *Output) {
		small(c, &x.Semantic)
		small(c, &x.Type)
		c.u32(&x.Index, &x.Source, &x.Stream, &x.Capture, &x.Offset)
		c.bools(&x.Patch, &x.PerPrimitive, &x.Signed)
	})
	list(c, &p.Res, func(x *Resource) {
		c.u32(&x.Set, &x.Binding, &x.Count)
		small(c, &x.Kind)
		c.bools(&x.Restrict, &x.NonWritable, &x.Disjoint, &x.Heap, &x.Structure, &x.Tile, &x.Sorted)
	})
	list(c, &p.Vars, func(x *Var) {
		c.text(&x.Name)
		c.u32(&x.Slots)
		c.index(&x.Func)
	})
	list(c, &p.Tables, c.bytes)
	list(c, &p.Messages, func(x *Message) {
		small(c, &x.Kind)
		c.text(&x.Text)
		list(c, &x.Args, func(t *Type) { small(c, t) })
		list(c, &x.At, func(n *uint32) { c.u32(n) })
		small(c, &x.Sanitizer)
		small(c, &x.Stage)
		for _, s := range []*string{&x.Rule, &x.File, &x.Name} {
			c.text(s)
		}
		c.u32(&x.Line, &x.Instruction, &x.Where, &x.Column)
		e := &x.Event
		small(c, &e.Kind)
		c.text(&e.Memory)
		small(c, &e.Resource)
		c.u32(&e.Set, &e.Binding, &e.Size)
		small(c, &e.Axes, &e.Texel, &e.Domain, &e.Scope, &e.Execution, &e.Acquire, &e.Release, &e.Barrier)
		c.bools(&e.Bound, &e.Read, &e.Write, &e.Atomic, &e.Private, &e.Uninit)
	})
	e := &p.Effects
	c.bools(&e.Barrier, &e.GroupOps, &e.Quads, &e.Ordered, &e.InGroup, &e.Discards, &e.Writes, &e.Rays)
	list(c, &p.Funcs, func(f **Func) {
		if c.reads {
			*f = new(Func)
		}
		c.function(*f)
	})
}

func (c *coder) function(f *Func) {
	c.text(&f.Name)
	list(c, &f.Vals, func(x *Val) {
		small(c, &x.Op)
		small(c, &x.Type)
		x.Flags = Flags(c.number(uint64(x.Flags), 16))
		x.Origin = int32(uint32(c.number(uint64(uint32(x.Origin)), 32)))
		x.Aux = c.number(x.Aux, 64)
		for i := range x.Args {
			c.value(&x.Args[i])
		}
	})
	c.values(&f.Code)
	c.values(&f.Extra)
	c.values(&f.Args)
	has := f.Texture != nil
	if c.bools(&has); !has {
		return
	}
	if c.reads {
		f.Texture = new(Texture)
	}
	t := f.Texture
	small(c, &t.Op)
	small(c, &t.Dim)
	small(c, &t.Type)
	small(c, &t.Component)
	c.bools(&t.Arrayed, &t.Multisampled, &t.Squared, &t.Coarse, &t.Subpass, &t.Nearest)
	t.Operands = TextureOperands(c.number(uint64(t.Operands), 16))
	t.Flags = Flags(c.number(uint64(t.Flags), 16))
	for _, x := range []*int{&t.Image, &t.Sampler, &t.Other} {
		c.index(x)
	}
}
