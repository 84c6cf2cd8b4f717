package debug

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// A CUDA kernel has no module of SPIR-V: its instructions are the lines of the PTX, its names are those of registers and variables.

// Instructions returns the number of instructions of the module of a stage, as the debugger counts them.
func Instructions(s *shader.Stage) int {
	if s.Kernel != nil {
		return s.Kernel.Lines
	}
	return s.Facts.Code.Len()
}

// kernelCode is a function of PTX.
type kernelCode struct{ *lower.KernelFunction }

func (c kernelCode) has(i int) bool {
	_, ok := c.Instructions[i+1]
	return ok
}

func (c kernelCode) block(i, last int) int {
	if c.Instructions[i+1] { // it begins one
		return i
	}
	return max(last, 0)
}

// kernel returns the symbols of the function of the frame; nil if it is none of a CUDA kernel.
func (x *view) kernel() *lower.KernelFunction {
	of := x.own()
	if of.stage == nil || of.stage.Kernel == nil || of.fn >= len(of.stage.Kernel.Functions) {
		return nil
	}
	return of.stage.Kernel.Functions[of.fn]
}

// kernelScopes are the scopes of the frames of kernels.
func (x *view) kernelScopes() (list []Scope) {
	names := []string{"Registers", "Parameters", "Local memory", "Shared memory", "Module"}
	for kind, name := range names {
		kind := lower.SymbolKind(kind)
		if len(x.visible(kind)) > 0 {
			list = append(list, Scope{Name: name, of: x, kind: kind})
		}
		if kind == lower.RegisterSymbol {
			list = append(list, Scope{Name: invocationScope, of: x})
		}
	}
	return list
}

// visible returns the symbols of a kind whose names hold at the position.
func (x *view) visible(kind lower.SymbolKind) (list []*lower.KernelSymbol) {
	k := x.kernel()
	for i := range k.Symbols {
		if s := &k.Symbols[i]; s.Kind == kind && x.holds(s) {
			list = append(list, s)
		}
	}
	return list
}

func (x *view) holds(s *lower.KernelSymbol) bool {
	return x.Instruction == 0 || s.From <= x.Instruction && x.Instruction <= s.To
}

// kernelVariables returns the variables of a scope.
func (x *view) kernelVariables(kind lower.SymbolKind) (list []*Variable) {
	for _, s := range x.visible(kind) {
		v := x.kernelVariable(s)
		v.fill()
		list = append(list, v)
	}
	return list
}

// findKernel is find in a kernel: the innermost symbol, else a special register.
func (x *view) findKernel(name string) *Variable {
	k := x.kernel()
	for i := len(k.Symbols) - 1; i >= 0; i-- {
		if s := &k.Symbols[i]; s.Name == name && x.holds(s) {
			return x.kernelVariable(s)
		}
	}
	return x.builtin(name)
}

// kernelVariable returns the variable of a symbol, without its text.
func (x *view) kernelVariable(s *lower.KernelSymbol) *Variable {
	t := scalarOf(s)
	if s.Count > 0 {
		t = &facts.Type{Op: spirv.OpTypeArray, Elem: t, Count: uint64(s.Count)}
	}
	return &Variable{of: x, Name: s.Name, symbol: s, t: t}
}

// scalarOf returns the type of an element. Bits are unsigned numbers, and floats in a register that instructions on floats use.
func scalarOf(s *lower.KernelSymbol) *facts.Type {
	t := &facts.Type{Op: spirv.OpTypeInt, Width: uint32(s.Place.Type.Bits())}
	switch {
	case s.Type == ".pred":
		t.Op = spirv.OpTypeBool
	case s.Type == ".f16", s.Type == ".f32", s.Type == ".f64", s.Float:
		t.Op = spirv.OpTypeFloat
	case strings.HasPrefix(s.Type, ".s"):
		t.Signed = true
	}
	return t
}

// kernelType returns the type of a variable, or of a part of it, as PTX writes it.
func (v *Variable) kernelType() string {
	if v.symbol.Count > 0 && len(v.path) == 0 {
		return fmt.Sprintf("%s[%d]", v.symbol.Type, v.symbol.Count)
	}
	return v.symbol.Type
}

// maxElements bounds the elements of an array that a look at all of it reads.
const maxElements = 1 << 12

// kernelPlaces returns the places of a variable, or of a part of it.
func (v *Variable) kernelPlaces() (list []lower.Place, err error) {
	s := v.symbol
	from, n := uint64(0), uint64(max(s.Count, 1))
	if len(v.path) > 0 {
		from, n = v.path[0], 1
	}
	if n > maxElements {
		return nil, fmt.Errorf("%s has %d elements; want one of them", s.Name, n)
	}
	for i := range n {
		p := s.Place
		p.Offset += (from + i) * s.Step
		list = append(list, p)
	}
	return list, nil
}

// privateBytes returns the bits of a scalar in private memory with four bytes in a slot.
func (x *view) privateBytes(p lower.Place) uint64 {
	base, at := uint64(x.at.Bases[p.Variable]), p.Offset
	bits := uint64(0)
	for i := range uint64(p.Type.Size()) {
		word := x.at.ReadPrivate(base+(at+i)/4, x.lane)
		bits |= uint64(word>>(8*((at+i)%4))&0xff) << (8 * i)
	}
	return bits
}

// setPrivateBytes changes such a scalar.
func (x *view) setPrivateBytes(p lower.Place, bits uint64) {
	base, at := uint64(x.at.Bases[p.Variable]), p.Offset
	for i := range uint64(p.Type.Size()) {
		slot, shift := base+(at+i)/4, 8*((at+i)%4)
		word := x.at.ReadPrivate(slot, x.lane)&^(0xff<<shift) | uint32(bits>>(8*i)&0xff)<<shift
		x.at.WritePrivate(slot, x.lane, word)
	}
}

// kernelBuiltins are the special registers of the position of a thread.
var kernelBuiltins = []builtinWords{
	{"%tid", ".v3.u32", 3, func(x *view, i int) uint32 { return x.local(x.thread(x.at, x.lane))[i] }},
	{"%ntid", ".v3.u32", 3, func(x *view, i int) uint32 { return x.program.LocalSize[i] }},
	{"%ctaid", ".v3.u32", 3, func(x *view, i int) uint32 { return x.at.Group[i] }},
	{"%laneid", ".u32", 1, func(x *view, _ int) uint32 { return x.lane }},
	{"%warpid", ".u32", 1, func(x *view, _ int) uint32 { return x.at.Subgroup }},
}
