package ptxlower

import (
	"slices"
	"strings"
)

// A multimem address refers to the memories of several devices (PTX ISA, "multimem"). There is one device here, so that it refers to one
// memory: a load has no other value to reduce with, and a store and a reduction are the usual ones.

// multimemMods are the modifiers of multimem.
const multimemMods = ".ld_reduce .st .red .global " + ordering + ".min .max .add .and .or .xor .acc::f32 .acc::f16 .v2 .v4 .v8"

// multimem emits multimem.ld_reduce, multimem.st and multimem.red.
func (e *emitter) multimem() {
	if len(e.in.Mods) == 0 {
		malformed(e.in.Pos, "multimem has no operation; must have one")
	}
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
