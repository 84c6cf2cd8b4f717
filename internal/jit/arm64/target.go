package arm64

import (
	"encoding/binary"
	"fmt"
	"runtime"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Target is the back end for AArch64 with Advanced SIMD.
type Target struct{}

var _ target.Target = Target{}

// Levels returns the only level.
func (Target) Levels() []target.Level { return []target.Level{target.NEON} }

// Runs reports whether the processor has the level: every AArch64 processor of an operating system has it.
func (Target) Runs(l target.Level) bool { return runtime.GOARCH == "arm64" && l == target.NEON }

// Features returns none: the baseline is all that the code uses.
func (Target) Features() target.Feature { return 0 }

// Form returns the register model.
func (Target) Form(target.Level) vcode.Form { return form }

// Native reports whether an IR operation has machine code.
func (Target) Native(_ target.Level, k ir.Key, op ir.Op) bool { return ruleOf(op, k) != nil }

// Record lays out the record of a program's subgroups.
func (Target) Record(p *ir.Program, _ target.Level) target.Record { return recordOf(p) }

// NewBuilder returns a builder for a program without functions.
func (Target) NewBuilder(p *ir.Program, _ target.Level, _ target.Feature) target.Builder {
	return newBuilder(p)
}

// Disassemble calls line for each instruction of code.
func (Target) Disassemble(code []byte, line func(offset int, text string)) {
	for at := 0; at+4 <= len(code); at += 4 {
		w := binary.LittleEndian.Uint32(code[at:])
		text := fmt.Sprintf(".inst 0x%08x", w)
		if i, ok := decode(w); ok {
			text = i.text(at)
		}
		line(at, text)
	}
}

// Control returns the FPCR of the code: rounding to nearest even, denormals preserved, no exception traps. The IR has no floating-point modes.
func (Target) Control() uint32 { return 0 }

// ProbeCode returns the code for trampoline.ProbePreemption.
func (Target) ProbeCode() []byte { return probeCode() }
