package jit

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// hashOf returns a hash of everything in a program: equal hashes mean equal programs. It must be a
// cryptographic hash, because a module can come from an attacker: a collision would run the code of
// another program. The origins of instructions belong to it, as error messages have them and the
// code's sites store them.
func hashOf(p *ir.Program) [sha256.Size]byte {
	var h hasher
	h.text(p.Name)
	h.numbers(uint64(p.Stage), uint64(p.SubgroupSize), uint64(p.PushBytes), uint64(p.SharedBytes), uint64(p.QuadRow),
		uint64(p.Modes), uint64(p.OutputVertices), uint64(p.Instances))
	for _, n := range p.LocalSize {
		h.numbers(uint64(n))
	}
	h.numbers(uint64(len(p.In)))
	for _, x := range p.In {
		h.numbers(uint64(x.Semantic), uint64(x.Type), uint64(x.Index), uint64(x.Interpolation), uint64(x.Sampling))
		h.bools(x.Patch)
	}
	h.numbers(uint64(len(p.Captures)))
	for _, x := range p.Captures {
		h.numbers(uint64(x.Buffer), uint64(x.Stride), uint64(x.Stream))
	}
	h.numbers(uint64(len(p.Out)))
	for _, x := range p.Out {
		h.numbers(uint64(x.Semantic), uint64(x.Type), uint64(x.Index), uint64(x.Source), uint64(x.Stream), uint64(x.Capture), uint64(x.Offset))
		h.bools(x.Patch)
	}
	h.numbers(uint64(len(p.Res)))
	for _, x := range p.Res {
		h.numbers(uint64(x.Set), uint64(x.Binding), uint64(x.Kind), uint64(x.Count))
		h.bools(x.Restrict, x.NonWritable, x.Disjoint, x.Heap)
	}
	h.numbers(uint64(len(p.Vars)))
	for _, x := range p.Vars {
		h.text(x.Name)
		h.numbers(uint64(x.Slots), uint64(x.Func))
	}
	h.numbers(uint64(len(p.Tables)))
	for _, t := range p.Tables {
		h.text(string(t))
	}
	h.numbers(uint64(len(p.Messages)))
	for _, m := range p.Messages {
		h.text(m.Text)
		h.numbers(uint64(m.Kind), uint64(len(m.Args)))
		for _, t := range m.Args {
			h.numbers(uint64(t))
		}
	}
	e := p.Effects
	h.bools(e.Barrier, e.GroupOps, e.Quads, e.Ordered, e.Discards, e.Writes)
	h.numbers(uint64(len(p.Funcs)))
	for _, f := range p.Funcs {
		h.function(f)
	}
	return sha256.Sum256(h.b)
}

// hasher collects an unambiguous encoding of a program: lengths precede lists. Varints are
// self-delimiting; without the lengths the texts "ab", "c" and "a", "bc" would be equal.
type hasher struct{ b []byte }

func (h *hasher) numbers(list ...uint64) {
	for _, n := range list {
		h.b = binary.AppendUvarint(h.b, n)
	}
}

func (h *hasher) bools(list ...bool) {
	for _, t := range list {
		if t {
			h.b = append(h.b, 1)
		} else {
			h.b = append(h.b, 0)
		}
	}
}

func (h *hasher) text(s string) {
	h.numbers(uint64(len(s)))
	h.b = append(h.b, s...)
}

func (h *hasher) values(list []ir.V) {
	h.numbers(uint64(len(list)))
	for _, v := range list {
		// A negative value would need ten bytes as a 64-bit varint.
		h.numbers(uint64(uint32(v)))
	}
}

func (h *hasher) function(f *ir.Func) {
	h.text(f.Name)
	h.numbers(uint64(len(f.Vals)))
	for i := range f.Vals {
		x := &f.Vals[i]
		h.b = append(h.b, byte(x.Op), byte(x.Type))
		h.numbers(uint64(x.Flags), uint64(uint32(x.Origin)), x.Aux)
		for _, a := range x.Args {
			h.numbers(uint64(uint32(a)))
		}
	}
	h.values(f.Code)
	h.values(f.Extra)
	h.values(f.Args)
}
