package target

import (
	"encoding/binary"
	"errors"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Code is a compiled program. It contains no address and no reference to the IR, so that it can be
// serialized.
type Code struct {
	Level      Level
	Bytes      []byte // starts with the entry point
	Sites      []Site
	StackBytes int // stack size that each subgroup needs
	Record     Record

	// For listings; code from the disk cache has none.
	Marks []Mark
	Funcs []string // names of the functions
	Data  int      // offset of the constants, after all instructions
}

// Append serializes c for ParseCode. It omits the fields for listings.
func (c *Code) Append(b []byte) []byte {
	for _, n := range []int{int(c.Level), c.StackBytes, int(c.Record.Lanes), int(c.Record.Local), int(c.Record.Steps), int(c.Record.Helpers),
		int(c.Record.Scratch), int(c.Record.Private), int(c.Record.Size), len(c.Sites), len(c.Bytes)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for i := range c.Sites {
		b = c.Sites[i].append(b)
	}
	return append(b, c.Bytes...)
}

func (s *Site) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(s.Func)))
	b = append(b, s.Func...)
	for _, n := range []uint64{uint64(s.Op), uint64(s.Part), uint64(bit(s.Merging)), uint64(s.IR), uint64(s.Key.Type), uint64(s.Key.From),
		uint64(s.Key.Flags), s.Key.Aux, uint64(uint32(s.Value)), uint64(uint32(s.Origin))} {
		b = binary.AppendUvarint(b, n)
	}
	for _, list := range [][]Location{s.Defs, s.Uses, s.Masks} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, p := range list {
			b = append(b, byte(p.Class), bit(p.Const))
			b = binary.AppendUvarint(b, uint64(uint32(p.Slot)))
			b = binary.AppendUvarint(b, p.Bits)
			b = binary.AppendUvarint(b, uint64(p.Step))
		}
	}
	return b
}

// errCode is the error of ParseCode.
var errCode = errors.New("jit: no code that was kept")

// ParseCode decodes the output of Append. Malformed input is an error, never a panic. The machine code
// itself cannot be verified, so the caller must trust its source.
func ParseCode(b []byte) (*Code, error) {
	r := &codeReader{rest: b}
	c := &Code{Level: Level(r.number()), StackBytes: int(r.word())}
	for _, to := range []*int32{&c.Record.Lanes, &c.Record.Local, &c.Record.Steps, &c.Record.Helpers, &c.Record.Scratch, &c.Record.Private, &c.Record.Size} {
		*to = r.word()
	}
	sites, size := r.count(), r.count()
	for range sites {
		if r.bad {
			break
		}
		c.Sites = append(c.Sites, r.site())
	}
	c.Bytes = r.rest
	if r.bad || c.Level == Best || c.Level >= NumLevels || len(c.Bytes) != size || size == 0 {
		return nil, errCode
	}
	return c, nil
}

// codeReader decodes varints; bad is set at the first malformed one.
type codeReader struct {
	rest []byte
	bad  bool
}

func (r *codeReader) number() uint64 {
	n, used := binary.Uvarint(r.rest)
	if used <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[used:]
	return n
}

// word reads a number that fits in 32 bits, signed or unsigned.
func (r *codeReader) word() int32 {
	n := r.number()
	r.bad = r.bad || n > 1<<32-1
	return int32(uint32(n))
}

// count reads the number of following elements. Each has at least one byte, so that a hostile count
// cannot make ParseCode allocate more than its input has.
func (r *codeReader) count() int {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.bad, n = true, 0
	}
	return int(n)
}

func (r *codeReader) site() Site {
	n := r.count()
	s := Site{Func: string(r.rest[:n])}
	r.rest = r.rest[n:]
	s.Op, s.Part, s.Merging = vcode.Op(r.number()), uint8(r.number()), r.number() != 0
	s.IR = ir.Op(r.number())
	s.Key = ir.Key{Type: ir.Type(r.number()), From: ir.Type(r.number()), Flags: ir.Flags(r.number()), Aux: r.number()}
	s.Value, s.Origin = ir.V(r.word()), r.word()
	for _, to := range []*[]Location{&s.Defs, &s.Uses, &s.Masks} {
		for range r.count() {
			p := Location{Class: vcode.Class(r.number()), Const: r.number() != 0, Slot: r.word(), Bits: r.number(), Step: uint32(r.word())}
			if r.bad = r.bad || p.Class >= vcode.NumClasses; r.bad {
				return s
			}
			*to = append(*to, p)
		}
	}
	return s
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}
