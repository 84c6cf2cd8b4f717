package main

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// operandKey names an instruction, or an extended instruction.
type operandKey struct {
	op  spirv.Op
	set spirv.ExtSet
	ext uint32
}

// everyOperand replaces every id of an instruction by each other type, or by a value of each
// other type. It judges the first modules with each instruction.
func (t *tool) everyOperand() {
	seen := map[operandKey]int{}
	for _, words := range t.sources {
		m, err := spirv.FromWords(words)
		if err != nil {
			continue
		}
		var todo []int
		for i := range m.Len() {
			in := m.Inst(i)
			k := operandKey{op: in.Op()}
			if k.op == spirv.OpExtInst && len(in) > 4 {
				k.set, k.ext = m.ExtSet(spirv.ID(in[3])), in[4]
			}
			if seen[k] < maxModulesOfOperand {
				seen[k]++
				todo = append(todo, i)
			}
		}
		if len(todo) == 0 {
			continue
		}
		if rich := enrich(m); rich != nil && t.agree(rich) {
			if r, err := spirv.FromWords(rich); err == nil {
				t.replaceAll(r, todoIn(m, r, todo))
				continue
			}
		}
		t.replaceAll(m, todo)
	}
}

// maxModulesOfOperand is how many modules with an instruction are changed.
const maxModulesOfOperand = 2

// todoIn returns the places of instructions of m in r, to which instructions were added.
func todoIn(m, r *spirv.Module, todo []int) (out []int) {
	j := 0
	for i := range m.Len() {
		for j < r.Len() && !slices.Equal(m.Inst(i), r.Inst(j)) {
			j++
		}
		if j == r.Len() {
			return out
		}
		if slices.Contains(todo, i) {
			out = append(out, j)
		}
		j++
	}
	return out
}

// replaceAll replaces the ids of instructions.
func (t *tool) replaceAll(m *spirv.Module, todo []int) {
	var types []uint32
	values := map[spirv.ID][]uint32{} // by type: a constant, and another value
	for i := range m.Len() {
		in := m.Inst(i)
		switch {
		case in.Op().HasType() && in.Result() != 0:
			if l := values[in.Type()]; len(l) < 2 && (len(l) == 0 || m.OpAt(m.Def(spirv.ID(l[0]))) != in.Op()) {
				values[in.Type()] = append(l, uint32(in.Result()))
			}
		case in.Op().Class() == spirv.ClassTypeDeclaration && in.Result() != 0:
			types = append(types, uint32(in.Result()))
		}
	}
	for _, i := range todo {
		in := m.Inst(i)
		for w := m.Walk(i); w.Next(); {
			if w.Kind.Category() != spirv.CategoryID || w.Kind == spirv.KindIdResult {
				continue
			}
			d := m.Def(spirv.ID(in[w.Pos]))
			if d < 0 {
				continue
			}
			list := types
			if m.Inst(d).Op().HasType() {
				list = nil
				for _, k := range types {
					list = append(list, values[spirv.ID(k)]...)
				}
			}
			for _, id := range list {
				if id == in[w.Pos] {
					continue
				}
				out := slices.Clone(m.Words)
				out[m.Offset(i)+w.Pos] = id
				t.both(out)
			}
		}
	}
}

// adder adds types and values to a module, before its first function.
type adder struct {
	m     *spirv.Module
	first int // the first function
	bound uint32
	words []uint32
	types map[string]uint32 // the added ones, by their words
}

// typ returns the id of a type. It declares the type if the module has none with these words: a type without members must
// not be declared twice.
func (a *adder) typ(op spirv.Op, operands ...uint32) uint32 {
	for i := range a.first {
		if in := a.m.Inst(i); in.Op() == op && len(in) == len(operands)+2 && slices.Equal(in[2:], operands) {
			return in[1]
		}
	}
	key := fmt.Sprint(op, operands)
	if id, ok := a.types[key]; ok {
		return id
	}
	id := a.bound
	a.bound++
	a.types[key] = id
	a.words = append(append(a.words, spirv.Head(op, len(operands)+2), id), operands...)
	return id
}

// values adds a constant and an OpUndef of a type.
func (a *adder) values(typ uint32) {
	for _, op := range []spirv.Op{spirv.OpConstantNull, spirv.OpUndef} {
		a.words = append(a.words, spirv.Head(op, 3), typ, a.bound)
		a.bound++
	}
}

// vectors adds values of a scalar type and of its vectors.
func (a *adder) vectors(scalar uint32) {
	a.values(scalar)
	for n := uint32(2); n <= 4; n++ {
		a.values(a.typ(spirv.OpTypeVector, scalar, n))
	}
}

// enrich returns a module with a constant and an OpUndef of each of the common types that its capabilities allow, or nil
// if it has no function.
func enrich(m *spirv.Module) []uint32 {
	a := adder{m: m, bound: m.Bound, types: map[string]uint32{}}
	has := map[spirv.Capability]bool{}
	for a.first < m.Len() && m.OpAt(a.first) != spirv.OpFunction {
		if in := m.Inst(a.first); in.Op() == spirv.OpCapability {
			has[spirv.Capability(in[1])] = true
		}
		a.first++
	}
	if a.first == m.Len() {
		return nil
	}
	has[spirv.CapabilityMatrix] = true // for the widths that need no other
	ints := []capableWidth{{spirv.CapabilityMatrix, 32}, {spirv.CapabilityInt8, 8}, {spirv.CapabilityInt16, 16}, {spirv.CapabilityInt64, 64}}
	floats := []capableWidth{{spirv.CapabilityMatrix, 32}, {spirv.CapabilityFloat16, 16}, {spirv.CapabilityFloat64, 64}}
	for _, w := range ints {
		if has[w.capability] {
			a.vectors(a.typ(spirv.OpTypeInt, w.width, 0))
			if !has[spirv.CapabilityKernel] { // kernels have no signed types
				a.vectors(a.typ(spirv.OpTypeInt, w.width, 1))
			}
		}
	}
	for _, w := range floats {
		if has[w.capability] {
			k := a.typ(spirv.OpTypeFloat, w.width)
			a.vectors(k)
			if has[spirv.CapabilityShader] {
				a.values(a.typ(spirv.OpTypeMatrix, a.typ(spirv.OpTypeVector, k, 3), 4))
			}
		}
	}
	b := a.typ(spirv.OpTypeBool)
	a.values(b)
	a.values(a.typ(spirv.OpTypeVector, b, 3))
	out := slices.Insert(slices.Clone(m.Words), m.Offset(a.first), a.words...)
	out[3] = a.bound
	return out
}

// capableWidth is a width of numbers and the capability for it.
type capableWidth struct {
	capability spirv.Capability
	width      uint32
}
