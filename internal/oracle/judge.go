package oracle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// Permitted is the permitted values of a number in a buffer after the dispatch.
type Permitted struct {
	Offset uint64 // bytes
	Size   uint64
	Number
	Float  bool
	Signed bool
	bytes  []byte // without a store: as before
}

// Permitted returns the numbers of a buffer that the shader accesses, in order. Other bytes are as before. any reports that every
// content is permitted.
func (r *Result) Permitted(at Place) (list []Permitted, any bool) {
	b := r.buffers[at]
	if b == nil || b.any {
		return nil, true
	}
	for offset, c := range b.cells {
		p := Permitted{Offset: offset, Size: b.unit, Number: c.number, Float: c.kind.IsFloat(), Signed: c.kind.Signed}
		if c.writer == 0 {
			p.bytes = b.bytes[offset : offset+b.unit]
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Permitted) int { return int(a.Offset) - int(b.Offset) })
	return list, false
}

// Kept reports that no invocation stored to the number.
func (p *Permitted) Kept() bool { return p.bytes != nil }

// Has reports whether a content of the number is permitted.
func (p *Permitted) Has(content []byte) bool {
	if p.bytes != nil {
		return bytes.Equal(content, p.bytes)
	}
	if p.Any {
		return true
	}
	bits := p.number(content)
	if !p.Float {
		return bits == p.Bits
	}
	v := scalar.Float(uint8(8*p.Size), bits)
	return p.Low <= v && v <= p.High
}

// Text returns a content of the number, as the type of the shader shows it.
func (p *Permitted) Text(content []byte) string {
	bits := p.number(content)
	switch {
	case p.Float:
		return p.float(scalar.Float(uint8(8*p.Size), bits))
	case p.Signed:
		unused := 64 - 8*p.Size
		return fmt.Sprint(int64(bits<<unused) >> unused)
	}
	return fmt.Sprint(bits)
}

func (p *Permitted) number(content []byte) (bits uint64) {
	for i, b := range content {
		bits |= uint64(b) << (8 * i)
	}
	return bits
}

func (p *Permitted) float(v float64) string {
	return strconv.FormatFloat(v, 'g', -1, max(int(8*p.Size), 32))
}

// String returns the permitted values in words.
func (p *Permitted) String() string {
	switch {
	case p.bytes != nil:
		return "the value before: no store"
	case p.Any:
		return "any value"
	case !p.Float:
		return p.Text(binary.LittleEndian.AppendUint64(nil, p.Bits)[:p.Size])
	case p.Low == p.High:
		return p.float(p.Low)
	}
	return p.float(p.Low) + " to " + p.float(p.High)
}

// Violation is a number that is not permitted.
type Violation struct {
	Place
	Permitted
	Got []byte
}

// Judge returns the numbers of contents that are not permitted: in the order of the instructions that computed them.
func (r *Result) Judge(contents map[Place][]byte) (list []Violation) {
	for at, content := range contents {
		b := r.buffers[at]
		sets, any := r.Permitted(at)
		if any {
			continue
		}
		known := map[uint64]bool{}
		for _, p := range sets {
			known[p.Offset] = true
			if p.Offset+p.Size > uint64(len(content)) {
				continue
			}
			if got := content[p.Offset : p.Offset+p.Size]; !p.Has(got) {
				list = append(list, Violation{at, p, got})
			}
		}
		unit := max(b.unit, 1)
		for k := uint64(0); k+unit <= uint64(min(len(content), len(b.bytes))); k += unit {
			if before := b.bytes[k : k+unit]; !known[k] && !bytes.Equal(before, content[k:k+unit]) {
				list = append(list, Violation{at, Permitted{Offset: k, Size: unit, bytes: before}, content[k : k+unit]})
			}
		}
	}
	order := func(v *Violation) int {
		if v.At == 0 {
			return math.MaxInt
		}
		return v.At
	}
	slices.SortFunc(list, func(a, b Violation) int {
		for _, d := range [...]int{order(&a) - order(&b), int(a.Set) - int(b.Set), int(a.Binding) - int(b.Binding), int(a.Offset) - int(b.Offset)} {
			if d != 0 {
				return d
			}
		}
		return 0
	})
	return list
}
