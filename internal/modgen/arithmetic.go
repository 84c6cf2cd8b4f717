package modgen

import (
	"fmt"
	"sort"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// absent are instructions of the typing table that modules do not have: those
// of kernels, and those of extensions.
var absent = map[spirv.Op]bool{
	spirv.OpFmaKHR: true, spirv.OpIsFinite: true, spirv.OpIsNormal: true, spirv.OpSignBitSet: true,
	spirv.OpLessOrGreater: true, spirv.OpOrdered: true, spirv.OpUnordered: true,
	spirv.OpSatConvertSToU: true, spirv.OpSatConvertUToS: true,
}

// loose are the instructions with results that Vulkan does not define to the bit.
var loose = map[spirv.Op]bool{spirv.OpFRem: true, spirv.OpFMod: true, spirv.OpQuantizeToF16: true}

// narrow are instructions that Vulkan has for 32 bits alone (without
// VK_KHR_maintenance9), quantize those that SPIR-V has so.
var narrow = map[spirv.Op]bool{
	spirv.OpBitFieldInsert: true, spirv.OpBitFieldSExtract: true, spirv.OpBitFieldUExtract: true,
	spirv.OpBitReverse: true, spirv.OpBitCount: true, spirv.OpQuantizeToF16: true,
}

// resizes are instructions from one width to another.
var resizes = map[spirv.Op]bool{spirv.OpUConvert: true, spirv.OpSConvert: true, spirv.OpFConvert: true}

// signedOrder are comparisons that lavapipe does not make of 64 bits where one
// operand was widened and the other is a constant.
var signedOrder = map[spirv.Op]bool{
	spirv.OpSLessThan: true, spirv.OpSLessThanEqual: true, spirv.OpSGreaterThan: true, spirv.OpSGreaterThanEqual: true,
}

// rows are the instructions that the typing table knows, in order.
var rows = func() (list []spirv.Op) {
	for op := range spirv.Op(600) {
		if _, ok := typing.Of(op); ok && !absent[op] {
			list = append(list, op)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
	return list
}()

// operation writes an instruction of the typing table.
func (g *maker) operation() {
	op := rows[g.intn(len(rows))]
	if g.o.Words && resizes[op] || g.o.Flush && op == spirv.OpSGreaterThanEqual { // SwiftShader folds 0 < 0 of constants to true
		op = spirv.OpIAdd
	}
	if g.o.Peers && loose[op] {
		op = spirv.OpIAdd
	}
	row, _ := typing.Of(op)
	result := g.number(row.Result)
	if narrow[op] {
		result.shape.Width = 32
	}
	args := make([]value, len(row.Operands))
	for i, o := range row.Operands {
		args[i] = g.operand(op, o, &result, args)
	}
	g.guard(op, result, args)
	uniform := true
	form := op.String() + " %s"
	for _, a := range args {
		form += " " + a.id
		uniform = uniform && a.uniform
	}
	v := g.put(result, uniform, form)
	if g.o.Peers && result.is(typing.Float) && strings.HasPrefix(op.String(), "OpF") {
		fmt.Fprintf(&g.annotations, "OpDecorate %s NoContraction\n", v.id)
	}
}

// operand chooses an operand that fits the relation. An instruction that accepts
// a vector makes its result a scalar.
func (g *maker) operand(op spirv.Op, o typing.Operand, result **typ, before []value) value {
	t := g.number(o.Class)
	s := &t.shape
	switch o.Relation {
	case typing.Type:
		*s = (*result).shape
	case typing.Width:
		s.Width, s.Count = (*result).shape.Width, (*result).shape.Count
	case typing.First:
		*s = before[0].t.shape
	case typing.FirstW:
		s.Width, s.Count = before[0].t.shape.Width, before[0].t.shape.Count
	case typing.Scalar:
		s.Count, s.Width = 1, 32
	case typing.Any:
		s.Count = uint8(2 + g.intn(3))
		*result = (*result).component()
	case typing.Count:
		s.Count = (*result).shape.Count
		switch op {
		case spirv.OpUConvert, spirv.OpSConvert, spirv.OpFConvert:
			for s.Width == (*result).shape.Width {
				s.Width = choose(g.source, uint8(16), 32, 64)
			}
		}
	}
	if narrow[op] || g.o.Peers && s.Width == 64 && signedOrder[op] {
		s.Width = 32
	}
	return g.need(t)
}

// guard makes operands such that the result is defined.
func (g *maker) guard(op spirv.Op, result *typ, args []value) {
	if !g.o.Peers {
		return
	}
	last := len(args) - 1
	switch op {
	case spirv.OpUDiv, spirv.OpUMod:
		args[last] = g.or(args[last], "1")
	case spirv.OpSDiv:
		args[last] = g.or(g.and(args[last], "63"), "1")
	case spirv.OpSRem, spirv.OpSMod:
		args[0] = g.and(args[0], "127")
		args[last] = g.or(g.and(args[last], "63"), "1")
	case spirv.OpShiftLeftLogical, spirv.OpShiftRightArithmetic, spirv.OpShiftRightLogical:
		args[1] = g.and(args[1], fmt.Sprint(args[0].t.shape.Width-1))
	case spirv.OpBitFieldInsert, spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract:
		args[last] = g.and(args[last], "15")
		args[last-1] = g.and(args[last-1], "15")
	case spirv.OpConvertFToU, spirv.OpConvertFToS:
		args[0] = g.tame(args[0])
	case spirv.OpConvertSToF, spirv.OpConvertUToF:
		args[0] = g.finite(args[0], result)
		if op == spirv.OpConvertUToF {
			args[0] = g.below(args[0])
		}
	}
}

func (g *maker) and(v value, mask string) value {
	return g.plain(v.t, v.uniform, "OpBitwiseAnd %s "+v.id+" "+g.splat(v.t, mask))
}

func (g *maker) or(v value, bits string) value {
	return g.plain(v.t, v.uniform, "OpBitwiseOr %s "+v.id+" "+g.splat(v.t, bits))
}

// tame makes a float that may be converted to any integer: at most 100, not
// negative, no NaN.
func (g *maker) tame(v value) value {
	if !g.o.Peers {
		return v
	}
	abs := g.plain(v.t, v.uniform, "OpExtInst %s %glsl FAbs "+v.id)
	small := g.plain(v.t.class(typing.Bool).bools(), v.uniform, "OpFOrdLessThan %s "+abs.id+" "+g.splat(v.t, "100"))
	return g.plain(v.t, v.uniform, "OpSelect %s "+small.id+" "+abs.id+" "+g.splat(v.t, "1"))
}

// bools returns the Boolean type with as many components.
func (t *typ) bools() *typ { return vector(typing.Bool, 1, int(t.shape.Count)) }

// canon replaces a NaN by the bits that it has in Chiaro if they may be seen, and a
// zero no sign, since peers lose it.
func (g *maker) canon(v value) value {
	if !g.o.Peers || !v.t.is(typing.Float) {
		return v
	}
	nan := map[uint8]string{16: "0x1.8p+16", 32: "0x1.8p+128", 64: "0x1.8p+1024"}[v.t.shape.Width]
	zero := g.plain(v.t.bools(), v.uniform, "OpFOrdEqual %s "+v.id+" "+g.splat(v.t, "0"))
	v = g.plain(v.t, v.uniform, "OpSelect %s "+zero.id+" "+g.splat(v.t, "0")+" "+v.id)
	is := g.plain(v.t.bools(), v.uniform, "OpIsNan %s "+v.id)
	return g.plain(v.t, v.uniform, "OpSelect %s "+is.id+" "+g.splat(v.t, nan)+" "+v.id)
}

// extended are instructions of GLSL.std.450 that work component by component.
var extended = []struct {
	name   string
	class  typing.Class
	args   int
	widths string // of float: which widths; "" all
	loose  bool   // not defined to the bit, or not alike in peers
}{
	{"FAbs", typing.Float, 1, "", false}, {"FSign", typing.Float, 1, "", true}, {"Floor", typing.Float, 1, "", false},
	{"Ceil", typing.Float, 1, "", false}, {"Trunc", typing.Float, 1, "", false}, {"RoundEven", typing.Float, 1, "", false},
	{"Round", typing.Float, 1, "", true}, {"Fract", typing.Float, 1, "", true}, {"FMin", typing.Float, 2, "", true},
	{"FMax", typing.Float, 2, "", true}, {"NMin", typing.Float, 2, "", true}, {"NMax", typing.Float, 2, "", true},
	{"FClamp", typing.Float, 3, "", true}, {"NClamp", typing.Float, 3, "", true}, {"Fma", typing.Float, 3, "", true},
	{"Step", typing.Float, 2, "", true}, {"FMix", typing.Float, 3, "", true}, {"SmoothStep", typing.Float, 3, "", true},
	{"Sqrt", typing.Float, 1, "", true}, {"InverseSqrt", typing.Float, 1, "", true},
	{"Sin", typing.Float, 1, "s", true}, {"Cos", typing.Float, 1, "s", true}, {"Exp", typing.Float, 1, "s", true},
	{"Log2", typing.Float, 1, "s", true}, {"Pow", typing.Float, 2, "s", true}, {"Atan2", typing.Float, 2, "s", true},
	{"Tanh", typing.Float, 1, "s", true}, {"Acos", typing.Float, 1, "s", true}, {"Radians", typing.Float, 1, "s", true},
	{"SAbs", typing.Int, 1, "", false}, {"SSign", typing.Int, 1, "", false}, {"UMin", typing.Int, 2, "", false},
	{"UMax", typing.Int, 2, "", false}, {"SMin", typing.Int, 2, "", false}, {"SMax", typing.Int, 2, "", false},
	{"UClamp", typing.Int, 3, "", true}, {"SClamp", typing.Int, 3, "", true},
	{"FindILsb", typing.Int, 1, "w", false}, {"FindSMsb", typing.Int, 1, "w", false}, {"FindUMsb", typing.Int, 1, "w", false},
	{"Normalize", typing.Float, 1, "", true}, {"Reflect", typing.Float, 2, "", true}, {"FaceForward", typing.Float, 3, "", true},
}

// function writes an instruction of GLSL.std.450.
func (g *maker) function() {
	x := extended[g.intn(len(extended))]
	if g.o.Peers && x.loose {
		g.looseMin()
		return
	}
	t := g.number(x.class)
	switch {
	case x.widths == "w":
		t.shape.Width = 32
	case x.widths == "s" && t.shape.Width == 64:
		t.shape.Width = 32
	}
	form, uniform := "OpExtInst %s %glsl "+x.name, true
	for range x.args {
		v := g.need(t)
		form += " " + v.id
		uniform = uniform && v.uniform
	}
	g.put(t, uniform, form)
}

// looseMin writes a minimum of two floats neither of which is −0 or NaN.
func (g *maker) looseMin() {
	t := g.number(typing.Float)
	a, b := g.sound(g.need(t)), g.sound(g.need(t))
	g.put(t, a.uniform && b.uniform, "OpExtInst %s %glsl "+choose(g.source, "FMin", "FMax", "NMin", "NMax")+" "+a.id+" "+b.id)
}

// sound returns |v|, or 1 for a NaN.
func (g *maker) sound(v value) value {
	abs := g.plain(v.t, v.uniform, "OpExtInst %s %glsl FAbs "+v.id)
	nan := g.plain(v.t.bools(), v.uniform, "OpIsNan %s "+v.id)
	return g.plain(v.t, v.uniform, "OpSelect %s "+nan.id+" "+g.splat(v.t, "1")+" "+abs.id)
}
