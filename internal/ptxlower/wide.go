package ptxlower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// A register of type .b128 is a vector of two words of 64 bits, the first one lowest. ld, st and mov move it as such a vector (PTX ISA,
// "Packing and unpacking of 128-bit", ld, st).

// wideType is the type of 128 bits.
const wideType = ".b128"

// halvesOf returns the declaration of a register of 128 bits as a vector, and any other one as it is.
func halvesOf(v *ptx.Variable) *ptx.Variable {
	if v.Type != wideType || v.Space != ".reg" || v.Vector > 1 {
		return v
	}
	w := *v
	w.Type, w.Vector = ".b64", 2
	return &w
}

// withHalves returns an instruction on 128 bits as one on vectors, and any other one as it is.
func withHalves(in *ptx.Instr) *ptx.Instr {
	i := slices.Index(in.Mods, wideType)
	if i < 0 || in.Op != "ld" && in.Op != "st" && in.Op != "mov" && in.Op != "ldu" {
		return in
	}
	out := *in
	out.Mods = slices.Clone(in.Mods)
	out.Mods[i] = ".b64"
	if k := slices.Index(out.Mods, ".v2"); k >= 0 {
		out.Mods[k] = ".v4"
		out.Operands = nil
		for _, o := range in.Operands {
			out.Operands = append(out.Operands, vectorOfHalves(o))
		}
		return &out
	}
	out.Mods = slices.Insert(out.Mods, i, ".v2")
	return &out
}

// vectorOfHalves returns a vector of registers of 128 bits as the vector of their halves.
func vectorOfHalves(o *ptx.Operand) *ptx.Operand {
	if o.Kind != ptx.Vector {
		return o
	}
	list := &ptx.Operand{Pos: o.Pos, Kind: ptx.Vector}
	for _, x := range o.Elems {
		for _, c := range components[:2] {
			half := *x
			if x.Kind == ptx.Symbol {
				half.Part = "." + string(c)
			}
			list.Elems = append(list.Elems, &half)
		}
	}
	return list
}
