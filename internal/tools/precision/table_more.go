package main

// matrixOf3 makes a matrix of the first three operands, its columns.
const matrixOf3 = "%m = OpCompositeConstruct %M3 %a %b %c\n"

// upTo8 makes a whole number of −8 to 8 of the second operand.
const upTo8 = `%f = OpConvertFToS %i32 %b
%hi = OpShiftLeftLogical %i32 %k2 %k2
%lo = OpSNegate %i32 %hi
%n = OpExtInst %i32 %glsl SClamp %f %lo %hi
`

// more are the functions of several numbers, and of vectors.
var more = []instruction{
	{name: "OpFConvert to 16", form: "%r = OpFConvert %R %a", in: single, out: 1, from: []int{32, 64}, to: 16, class: rounded, value: one1(same)},
	{name: "OpFConvert to 32", form: "%r = OpFConvert %R %a", in: single, out: 1, from: []int{16, 64}, to: 32, class: rounded, value: one1(same)},
	{name: "OpFConvert to 64", form: "%r = OpFConvert %R %a", in: single, out: 1, from: []int{16, 32}, to: 64, class: rounded, value: one1(same)},
	{name: "OpQuantizeToF16", form: "%q = OpQuantizeToF16 %T %a\n%r = OpFConvert %R %q", in: single, out: 1, from: []int{32}, to: 16, class: rounded, value: one1(normal16)},
	{name: "OpFAdd", form: op("OpFAdd", 2), in: pair, out: 1, wide: true, class: rounded, value: two2(number.add)},
	{name: "OpFSub", form: op("OpFSub", 2), in: pair, out: 1, wide: true, class: rounded, value: two2(number.sub)},
	{name: "OpFMul", form: op("OpFMul", 2), in: pair, out: 1, wide: true, class: rounded, value: two2(number.mul)},
	{name: "OpFDiv", form: op("OpFDiv", 2), in: pair, out: 1, wide: true, class: ulps, value: two2(number.div)},
	{name: "OpFRem", form: op("OpFRem", 2), in: pair, out: 1, wide: true, class: inherited, sum: true, value: two2(func(x, y number) number {
		return x.sub(y.mul(x.div(y).whole(toZero)))
	})},
	{name: "OpFMod", form: op("OpFMod", 2), in: pair, out: 1, wide: true, class: inherited, sum: true, value: two2(func(x, y number) number {
		return x.sub(y.mul(x.div(y).whole(down)))
	})},
	{name: "Fma", form: ext("Fma", 3), in: triple, out: 1, wide: true, class: rounded, value: func(x []number, _ int) number { return x[0].mul(x[1]).add(x[2]) }},
	{name: "OpFmaKHR", form: op("OpFmaKHR", 3), in: triple, out: 1, wide: true, class: rounded, value: func(x []number, _ int) number { return x[0].mul(x[1]).add(x[2]) }},
	{name: "Ldexp", form: upTo8 + "%r = OpExtInst %T %glsl Ldexp %a %n", in: pair, out: 1, wide: true, class: rounded, value: two2(func(x, y number) number {
		return x.mul(least(greatest(y.whole(toZero), y.num(-8)), y.num(8)).exp2())
	})},
	{name: "FMin", form: ext("FMin", 2), in: pair, out: 1, wide: true, class: exact, value: two2(least)},
	{name: "FMax", form: ext("FMax", 2), in: pair, out: 1, wide: true, class: exact, value: two2(greatest)},
	{name: "NMin", form: ext("NMin", 2), in: pair, out: 1, wide: true, class: exact, value: two2(least)},
	{name: "NMax", form: ext("NMax", 2), in: pair, out: 1, wide: true, class: exact, value: two2(greatest)},
	{name: "FClamp", form: ext("FClamp", 3), in: triple, out: 1, wide: true, class: exact, value: clamp},
	{name: "NClamp", form: ext("NClamp", 3), in: triple, out: 1, wide: true, class: exact, value: clamp},
	{name: "Step", form: ext("Step", 2), in: pair, out: 1, wide: true, class: rounded, value: two2(func(edge, x number) number {
		if x.less(edge) {
			return x.num(0)
		}
		return x.num(1)
	})},
	{name: "FMix", form: ext("FMix", 3), in: triple, out: 1, wide: true, class: inherited, sum: true, value: func(x []number, _ int) number {
		return x[0].mul(x[2].num(1).sub(x[2])).add(x[1].mul(x[2]))
	}},
	{name: "SmoothStep", form: ext("SmoothStep", 3), in: triple, out: 1, wide: true, class: inherited, sum: true, value: func(x []number, _ int) number {
		if !x[0].less(x[1]) {
			panic(undefined{})
		}
		t := x[2].sub(x[0]).div(x[1].sub(x[0]))
		t = least(greatest(t, t.num(0)), t.num(1))
		return t.mul(t).mul(t.num(3).sub(t.num(2).mul(t)))
	}},
	{name: "Pow", form: ext("Pow", 2), in: pair, out: 1, class: inherited, value: two2(func(x, y number) number {
		if !x.num(0).less(x) {
			panic(undefined{})
		}
		return y.mul(x.log2()).exp2()
	})},
	{name: "Atan2", form: ext("Atan2", 2), in: pair, out: 1, class: ulps, value: two2(func(y, x number) number { return y.atan2(x) })},
	{name: "OpDot", form: op("OpDot", 2), in: []int{3, 3}, out: 1, wide: true, class: inherited, sum: true, value: func(x []number, _ int) number { return dot(x[:3], x[3:]) }},
	{name: "OpVectorTimesScalar", form: op("OpVectorTimesScalar", 2), in: []int{3, 1}, out: 3, wide: true, class: rounded, value: func(x []number, n int) number { return x[n].mul(x[3]) }},
	{name: "OpMatrixTimesScalar", form: matrixOf3 + "%s = OpMatrixTimesScalar %M3 %m %d\n" + column("%s"), in: []int{3, 3, 3, 1}, out: 3, wide: true, class: rounded, value: func(x []number, n int) number {
		return x[3+n].mul(x[9])
	}},
	{name: "OpOuterProduct", form: "%m = OpOuterProduct %M3 %a %b\n" + column("%m"), in: []int{3, 3}, out: 3, wide: true, class: rounded, value: func(x []number, n int) number {
		return x[n].mul(x[3+1])
	}},
	{name: "OpMatrixTimesVector", form: matrixOf3 + "%r = OpMatrixTimesVector %T3 %m %d", in: []int{3, 3, 3, 3}, out: 3, wide: true, class: inherited, sum: true, value: func(x []number, n int) number {
		return dot([]number{x[n], x[3+n], x[6+n]}, x[9:])
	}},
	{name: "OpVectorTimesMatrix", form: matrixOf3 + "%r = OpVectorTimesMatrix %T3 %d %m", in: []int{3, 3, 3, 3}, out: 3, wide: true, class: inherited, sum: true, value: func(x []number, n int) number {
		return dot(x[9:], x[3*n:3*n+3])
	}},
	{name: "OpMatrixTimesMatrix", form: matrixOf3 + "%o = OpCompositeConstruct %M3 %a %d %b\n%p = OpMatrixTimesMatrix %M3 %m %o\n" + column("%p"), in: []int{3, 3, 3, 3}, out: 3, wide: true, class: inherited, sum: true, value: func(x []number, n int) number {
		return dot([]number{x[n], x[3+n], x[6+n]}, x[9:])
	}},
	{name: "Length", form: ext("Length", 1), in: []int{3}, out: 1, wide: true, class: inherited, usual: moderate, value: func(x []number, _ int) number { return dot(x, x).sqrt() }},
	{name: "Distance", form: ext("Distance", 2), in: []int{3, 3}, out: 1, wide: true, class: inherited, sum: true, value: func(x []number, _ int) number {
		d := each(x[:3], x[3:], number.sub)
		return dot(d, d).sqrt()
	}},
	{name: "Normalize", form: ext("Normalize", 1), in: []int{3}, out: 3, wide: true, class: inherited, usual: moderate, value: func(x []number, n int) number {
		return x[n].mul(dot(x, x).rsqrt())
	}},
	{name: "Cross", form: ext("Cross", 2), in: []int{3, 3}, out: 3, wide: true, class: inherited, sum: true, value: func(x []number, n int) number {
		i, j := (n+1)%3, (n+2)%3
		return x[i].mul(x[3+j]).sub(x[3+i].mul(x[j]))
	}},
	{name: "FaceForward", form: ext("FaceForward", 3), in: []int{3, 3, 3}, out: 3, wide: true, class: inherited, value: func(x []number, n int) number {
		d := dot(x[6:], x[3:6])
		b, rough := d.(bounded)
		switch {
		case rough && b.e > 0 && b.v < b.e && b.v > -b.e: // the sign is open
			panic(undefined{})
		case d.less(d.num(0)):
			return x[n]
		}
		return neg(x[n])
	}},
	{name: "Reflect", form: ext("Reflect", 2), in: []int{3, 3}, out: 3, wide: true, class: inherited, sum: true, value: func(x []number, n int) number {
		d := dot(x[3:], x[:3])
		return x[n].sub(d.num(2).mul(d).mul(x[3+n]))
	}},
	{name: "Refract", form: "%r = OpExtInst %V %glsl Refract %a %b %c", in: []int{3, 3, 1}, out: 3, wide: true, class: inherited, sum: true, value: refract},
}

func same(x number) number { return x }

// normal16 leaves the result open for a number that is denormal in 16 bits.
func normal16(x number) number {
	if v := x.float(); v != 0 && v < 0x1p-14 && v > -0x1p-14 {
		panic(undefined{})
	}
	return x
}

func clamp(x []number, _ int) number {
	if x[2].less(x[1]) {
		panic(undefined{})
	}
	return least(greatest(x[0], x[1]), x[2])
}

// dot is x·y.
func dot(x, y []number) number {
	s := x[0].mul(y[0])
	for i := 1; i < len(x); i++ {
		s = s.add(x[i].mul(y[i]))
	}
	return s
}

func each(x, y []number, f func(x, y number) number) []number {
	out := make([]number, len(x))
	for i := range x {
		out[i] = f(x[i], y[i])
	}
	return out
}

func refract(x []number, n int) number {
	eta, d := x[6], dot(x[3:6], x[:3])
	one := d.num(1)
	k := one.sub(eta.mul(eta).mul(one.sub(d.mul(d))))
	if b, rough := k.(bounded); rough && b.v < 2*b.e && b.v > -2*b.e { // whether the reflection is total is open
		panic(undefined{})
	}
	if k.less(k.num(0)) {
		return k.num(0)
	}
	return eta.mul(x[n]).sub(eta.mul(d).add(k.sqrt()).mul(x[3+n]))
}

// column extracts the middle column of a matrix.
func column(m string) string {
	return "%r = OpCompositeExtract %T3 " + m + " 1"
}
