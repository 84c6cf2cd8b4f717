package modgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// value is an id that dominates the current point. A uniform value is the
// same in all invocations of a workgroup.
type value struct {
	id      string
	t       *typ
	uniform bool
}

// constant declares a scalar constant by its literal.
func (g *maker) constant(t *typ, literal string) string {
	id := "%k_" + t.id()[1:] + "_" + strings.NewReplacer("-", "m", "+", "p", ".", "d").Replace(literal)
	if t.is(typing.Bool) {
		return g.declare(id, "OpConstant"+strings.ToUpper(literal[:1])+literal[1:]+" "+g.typeOf(t))
	}
	return g.declare(id, "OpConstant "+g.typeOf(t)+" "+literal)
}

// splat declares a constant with the literal in all components.
func (g *maker) splat(t *typ, literal string) string {
	c := g.constant(t.component(), literal)
	if t.shape.Count == 1 {
		return c
	}
	return g.declare(fmt.Sprintf("%%s%d_%s", t.shape.Count, c[1:]),
		"OpConstantComposite "+g.typeOf(t)+strings.Repeat(" "+c, int(t.shape.Count)))
}

// literal chooses a literal of a scalar type.
func (g *maker) literal(t *typ) string {
	w := int(t.shape.Width)
	switch t.shape.Class {
	case typing.Bool:
		return choose(g.source, "true", "false")
	case typing.Float:
		if !g.o.Peers && g.chance(6) {
			big := map[int]string{16: "0x1p+16", 32: "0x1p+128", 64: "0x1p+1024"}[w]
			nan := map[int]string{16: "0x1.8p+16", 32: "0x1.8p+128", 64: "0x1.8p+1024"}[w]
			tiny := map[int]string{16: "0x1p-24", 32: "0x1p-149", 64: "0x1p-1074"}[w]
			return choose(g.source, "", "-") + choose(g.source, big, nan, tiny)
		}
		if g.o.Peers { // lavapipe makes 0 of 0 times anything, and −0 of 0 − 0
			return choose(g.source, "1", "-1", "0.5", "2", "3", "-2.5", "100", "0.25", "7.75", "-0.125")
		}
		return choose(g.source, "0", "-0", "1", "-1", "0.5", "2", "3", "-2.5", "100", "0.25", "7.75", "-0.125")
	case typing.Int:
		least, greatest := fmt.Sprint(int64(-1)<<(w-1)), fmt.Sprint(int64(1)<<(w-1)-1+0)
		return choose(g.source, "0", "1", "2", "3", "-1", "-2", "5", "7", "-100", "64", least, greatest, fmt.Sprint(g.intn(127)))
	}
	return choose(g.source, "0", "1", "2", "3", "5", "8", "31", "127", fmt.Sprint(^uint64(0)>>(64-w)), fmt.Sprint(uint64(1)<<(w-1)), fmt.Sprint(g.intn(255)))
}

// fresh returns a constant value of a type.
func (g *maker) fresh(t *typ) value {
	if t.kind == number && t.shape.Count == 1 {
		if w := t.shape.Width; (w == 32 || t.is(typing.Bool)) && g.chance(12) {
			return g.specialized(t)
		}
		return value{g.constant(t, g.literal(t)), t, true}
	}
	if g.chance(8) && !(g.o.Peers && t.floats()) {
		return value{g.declare("%null_"+t.id()[1:], "OpConstantNull "+g.typeOf(t)), t, true}
	}
	form := "OpConstantComposite " + g.typeOf(t)
	for _, e := range t.parts() {
		form += " " + g.fresh(e).id
	}
	g.names++
	return value{g.declare(fmt.Sprintf("%%c%d", g.names), form), t, true}
}

// floats reports whether there is a float in a type.
func (t *typ) floats() bool {
	if t.kind == number {
		return t.is(typing.Float)
	}
	return slices.ContainsFunc(t.elem, (*typ).floats)
}

// parts returns the types of the constituents of a composite.
func (t *typ) parts() []*typ {
	switch t.kind {
	case structure:
		return t.elem
	case number:
		return repeat(t.component(), int(t.shape.Count))
	}
	return repeat(t.elem[0], t.n)
}

func repeat(t *typ, n int) []*typ {
	list := make([]*typ, n)
	for i := range list {
		list[i] = t
	}
	return list
}

// find returns a value at hand for which ok holds, rather a new one.
func (g *maker) find(ok func(value) bool) (value, bool) {
	skip := choose(g.source, 0, 1, 1, 2, 4, 8)
	var last value
	found := false
	for i := len(g.pool) - 1; i >= 0; i-- {
		if ok(g.pool[i]) {
			last, found = g.pool[i], true
			if skip--; skip < 0 {
				break
			}
		}
	}
	return last, found
}

// need returns a value of a type: one that is at hand, one made of such, or a
// constant.
func (g *maker) need(t *typ) value {
	id := t.id()
	if !g.chance(8) {
		if v, ok := g.find(func(v value) bool { return v.t.id() == id }); ok {
			return v
		}
	}
	if t.kind == number && !g.chance(4) {
		if v, ok := g.bend(t); ok {
			return v
		}
	}
	return g.fresh(t)
}

// bend makes a value of a number type from one of another shape or class.
func (g *maker) bend(t *typ) (value, bool) {
	if t.shape.Count > 1 {
		v := g.need(t.component())
		parts, uniform := "", v.uniform
		for i := range t.shape.Count {
			if i > 0 && g.chance(2) {
				v = g.need(t.component())
				uniform = uniform && v.uniform
			}
			parts += " " + v.id
		}
		return g.put(t, uniform, "OpCompositeConstruct %s"+parts), true
	}
	if t.is(typing.Bool) {
		a, b := g.need(i32), g.need(i32)
		return g.put(t, a.uniform && b.uniform, choose(g.source, "OpSLessThan", "OpINotEqual", "OpUGreaterThan")+" %s "+a.id+" "+b.id), true
	}
	v, ok := g.find(func(v value) bool {
		return v.t.kind == number && v.t.shape.Count == 1 && v.t.shape != t.shape && !v.t.is(typing.Bool)
	})
	if !ok {
		return value{}, false
	}
	return g.convert(v, t), true
}

// convert converts between scalars of numbers.
func (g *maker) convert(v value, t *typ) value {
	from, to := v.t.shape, t.shape
	wider := from.Width != to.Width
	switch {
	case from == to:
		return v
	case from.Class == typing.Float && to.Class == typing.Float:
		return g.put(t, v.uniform, "OpFConvert %s "+v.id)
	case from.Class == typing.Float:
		v = g.tame(v)
		if to.Class == typing.UInt {
			return g.put(t, v.uniform, "OpConvertFToU %s "+v.id)
		}
		return g.put(t, v.uniform, "OpConvertFToS %s "+v.id)
	case to.Class == typing.Float && from.Class == typing.Int:
		v = g.finite(v, t)
		return g.put(t, v.uniform, "OpConvertSToF %s "+v.id)
	case to.Class == typing.Float:
		v = g.below(g.finite(v, t))
		return g.put(t, v.uniform, "OpConvertUToF %s "+v.id)
	case wider && to.Class == typing.UInt:
		return g.put(t, v.uniform, "OpUConvert %s "+v.id)
	case wider:
		return g.put(t, v.uniform, "OpSConvert %s "+v.id)
	}
	return g.put(t, v.uniform, "OpBitcast %s "+v.id)
}

// finite makes an integer that stays finite as a float of type t: lavapipe
// believes that all do, and that 0 times such a float is 0.
func (g *maker) finite(v value, t *typ) value {
	if g.o.Peers && t.shape.Width == 16 && v.t.shape.Width > 8 {
		return g.and(v, "1023")
	}
	return v
}

// below makes an integer less than 2³¹ for peers that round others twice.
func (g *maker) below(v value) value {
	if g.o.Flush {
		return g.and(v, "2147483647")
	}
	return v
}

// put writes an instruction with a result; %s in its form is the type.
func (g *maker) put(t *typ, uniform bool, form string) value {
	g.names++
	v := value{fmt.Sprintf("%%v%d", g.names), t, uniform}
	g.line("%s = %s", v.id, strings.Replace(form, "%s", g.typeOf(t), 1))
	if g.o.Flush && t.is(typing.Float) && denormal(form) {
		v = g.flushed(v)
	}
	g.pool = append(g.pool, v)
	return v
}

// denormal reports whether an instruction may yield a denormal of operands that
// are none.
func denormal(form string) bool {
	op, _, _ := strings.Cut(form, " ")
	switch op {
	case "OpFAdd", "OpFSub", "OpFMul", "OpFDiv", "OpVectorTimesScalar", "OpBitcast":
		return true
	}
	return false
}

// flushed returns 0 if a float is denormal, whether or not it counts as
// 0 already.
func (g *maker) flushed(v value) value {
	abs := g.plain(v.t, v.uniform, "OpExtInst %s %glsl FAbs "+v.id)
	small := g.plain(v.t.bools(), v.uniform, "OpFOrdLessThan %s "+abs.id+" "+g.splat(v.t, "0x1p-126"))
	return g.plain(v.t, v.uniform, "OpSelect %s "+small.id+" "+g.splat(v.t, "0")+" "+v.id)
}

// plain is put for values that others should not use.
func (g *maker) plain(t *typ, uniform bool, form string) value {
	v := g.put(t, uniform, form)
	g.pool = g.pool[:len(g.pool)-1]
	return v
}

// line writes a line of the function's body.
func (g *maker) line(format string, args ...any) {
	fmt.Fprintf(&g.body, format+"\n", args...)
}
