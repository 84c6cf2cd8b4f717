package amd64

import (
	"golang.org/x/sys/cpu"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Target is the back end of x86-64.
type Target struct{}

var _ target.Target = Target{}

// Levels returns the levels of the code, the best one first.
func (Target) Levels() []target.Level { return []target.Level{target.AVX512, target.AVX2} }

// Runs reports whether the processor supports a level.
func (Target) Runs(l target.Level) bool {
	x := &cpu.X86
	if l == target.AVX2 {
		return x.HasAVX2 && x.HasFMA && x.HasF16C && x.HasBMI1 && x.HasPOPCNT
	}
	return x.HasAVX512F && x.HasAVX512BW && x.HasAVX512CD && x.HasAVX512DQ && x.HasAVX512VL
}

// Form returns the register model of a level.
func (Target) Form(l target.Level) vcode.Form {
	made := vcode.Form{Lanes: 16, Vectors: 28, Records: true, NarrowAccesses: true, QuadSides: true, Addresses: true, LaunchWords: target.LaunchWords, Fuse: func(f *vcode.Func) { fuse(f, l) }}
	if l == target.AVX2 {
		made.Lanes, made.Vectors, made.VectorMasks = 8, 15, true
		made.Fours, made.Distances = true, true
	}
	return made
}

// Native reports whether an IR operation has machine code, so that it needs no exit to Go.
func (Target) Native(l target.Level, k ir.Key, op ir.Op) bool {
	if l == target.AVX2 {
		return ymmNative(k, op)
	}
	return zmmNative(k, op)
}

// Record lays out the record of a program's subgroups.
func (t Target) Record(p *ir.Program, l target.Level) target.Record {
	form, scratch := t.Form(l), int32(scratchBytes)
	if form.Parts(p.SubgroupSize) > 1 && l != target.AVX2 {
		scratch = multiScratchBytes
	}
	return target.RecordOf(p, form, scratch)
}

// Disassemble calls line for each instruction of code of this package.
func (Target) Disassemble(code []byte, line func(offset int, text string)) {
	for d := newDecoder(code); d.left() > 0; {
		at := d.at
		line(at, d.next())
	}
}
