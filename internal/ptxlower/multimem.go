package ptxlower

import (
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// A multimem address refers to the memories of several devices (PTX ISA, "multimem"). There is one device here, so that it refers to one
// memory: a load has no other value to reduce with, and a store and a reduction are the usual ones.

// multimemMods are the modifiers of multimem.
const multimemMods = ".ld_reduce .st .red .global " + ordering + ".min .max .add .and .or .xor .acc::f32 .acc::f16 .v2 .v4 .v8 .cp .async .shared::cta" + bulkMods

// multimem emits multimem.ld_reduce, multimem.st and multimem.red.
func (e *emitter) multimem() {
	if len(e.in.Mods) == 0 {
		malformed(e.in.Pos, "multimem has no operation; must have one")
	}
	if e.in.Mods[0] == ".cp" {
		e.multimemCopy()
		return
	}
	if e.in.Has(".async") {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	if len(e.in.Operands) != 2 {
		malformed(e.in.Pos, "%s has %d operands; must have 2", e.in.Name(), len(e.in.Operands))
	}
	e.checkMultimem()
	plain := *e.in
	plain.Mods = slices.DeleteFunc(slices.Clone(e.in.Mods), func(m string) bool {
		return m == ".ld_reduce" || m == ".st" || m == ".red" || strings.HasPrefix(m, ".acc::")
	})
	one := *e
	one.in = &plain
	switch e.in.Mods[0] {
	case ".ld_reduce":
		op := e.operation()
		plain.Op = "ld"
		plain.Mods = slices.DeleteFunc(plain.Mods, func(m string) bool { return m == op })
		one.load()
	case ".st":
		plain.Op = "st"
		one.store()
	case ".red":
		plain.Op, plain.Mods = "red", append(plain.Mods, ".noftz")
		one.red()
	default:
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
}

// multimemCopy emits multimem.cp.async.bulk and multimem.cp.reduce.async.bulk, which copy from shared memory.
func (e *emitter) multimemCopy() {
	if !e.in.Has(".async") || !e.in.Has(".bulk") || !e.in.Has(".bulk_group") || e.in.Has(".prefetch") {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	plain := *e.in
	plain.Op, plain.Mods = "cp", e.in.Mods[1:]
	one := *e
	one.in = &plain
	one.bulkCopy()
}

// multimemOps are the operations of multimem.ld_reduce and multimem.red by type. Of floats that are not packed or short the only one is the sum;
// multimem.red has it alone for all floats.
var multimemOps = map[string]string{
	".u32": ".add .min .max", ".s32": ".add .min .max", ".u64": ".add .min .max", ".s64": ".min .max", ".b32": ".and .or .xor", ".b64": ".and .or .xor",
	".f16": ".add .min .max", ".f16x2": ".add .min .max", ".bf16": ".add .min .max", ".bf16x2": ".add .min .max", ".f32": ".add", ".f64": ".add",
}

// checkMultimem checks the combination of the modifiers of multimem (PTX ISA, "multimem", the syntax and the table of .vec).
func (e *emitter) checkMultimem() {
	in, form := e.in, e.in.Mods[0]
	typ := e.typ(0)
	float := isFloat(typ) || halfKind(typ) != noHalf
	order := map[string][]string{".ld_reduce": {".weak", ".relaxed", ".acquire"}, ".st": {".weak", ".relaxed", ".release"}, ".red": {".relaxed", ".release"}}[form]
	width := 1
	for _, m := range in.Mods[1:] {
		switch {
		case strings.Contains(" .volatile .weak .acq_rel .sc .mmio .relaxed .acquire .release ", " "+m+" ") && !slices.Contains(order, m),
			strings.HasPrefix(m, ".acc::") && (form != ".ld_reduce" || halfKind(typ) == noHalf || m == ".acc::f16"):
			unsupported(in.Pos, "%s of %s", m, in.Name())
		case m == ".v2" || m == ".v4" || m == ".v8":
			width = int(m[2] - '0')
		}
	}
	if scoped := in.Has(".cta") || in.Has(".cluster") || in.Has(".gpu") || in.Has(".sys"); scoped && in.Has(".weak") {
		malformed(in.Pos, "%s has a scope and .weak; must have one of them", in.Name())
	}
	// A vector of floats has 32, 64 or 128 bits.
	if n := width * ptx.TypeSize(typ); width > 1 && (!float || typ == ".f64" || n > 16) {
		unsupported(in.Pos, "%s", in.Name())
	}
	if form == ".ld_reduce" || form == ".red" {
		op := e.operation()
		if ops, ok := multimemOps[typ]; !ok || !slices.Contains(strings.Fields(ops), op) || form == ".red" && float && op != ".add" {
			unsupported(in.Pos, "%s of %s", op, in.Name())
		}
	}
}
