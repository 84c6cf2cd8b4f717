package debug

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// numbersOf are the numbers that a constructor makes.
type numbersOf struct {
	kind kind
	wide bool
}

// constructors are those of scalars, and of vectors without their size.
var constructors = map[string]numbersOf{
	"bool": {kind: boolean}, "bvec": {kind: boolean}, "int": {kind: signed}, "ivec": {kind: signed}, "uint": {kind: unsigned}, "uvec": {kind: unsigned}, "float": {kind: float}, "vec": {kind: float},
	"double": {float, true}, "dvec": {float, true}, "int64_t": {signed, true}, "i64vec": {signed, true}, "uint64_t": {unsigned, true}, "u64vec": {unsigned, true},
}

// callFunction evaluates a constructor, a function or a load of a texel. converts: its operands convert as in HLSL, to all kinds of numbers.
func callFunction(name string, args []result, converts bool) (result, error) {
	if name == "imageLoad" || name == "texelFetch" {
		return texelOf(name, args)
	}
	for _, a := range args {
		if len(a.numbers) == 0 {
			return result{}, fmt.Errorf("%s without a value", name)
		}
	}
	if len(args) == 0 {
		return result{}, fmt.Errorf("%s without a value", name)
	}
	if columns, rows, ok := matrixShape(name); ok {
		return newMatrix(name, columns, rows, args)
	}
	base := strings.TrimRight(name, "234")
	if of, ok := constructors[base]; ok {
		n := 1
		if base != name {
			n = int(name[len(name)-1] - '0')
		}
		return construct(name, of, n, args)
	}
	if name == "atan" && len(args) == 2 {
		name = "atan2"
	}
	f, ok := functions[name]
	if !ok || f.args != len(args) {
		return result{}, fmt.Errorf("no function %s of %d values in the debugger", name, len(args))
	}
	for i := range args {
		if takes := operandsOf(name, i); !converts && !takes.has(args[i].kind) {
			return result{}, fmt.Errorf("%s of %s; must be %s", name, args[i].typeName(), takes)
		}
	}
	return f.of(args)
}

// construct evaluates a constructor of a scalar or a vector of n numbers.
func construct(name string, of numbersOf, n int, args []result) (result, error) {
	out := result{kind: of.kind}
	for _, a := range args {
		for _, x := range a.numbers {
			out.numbers = append(out.numbers, x.construct(a.kind, of))
		}
	}
	if len(out.numbers) == 1 && len(args) == 1 {
		out.numbers = slices.Repeat(out.numbers, n)
	}
	if err := enough(name, n, args); err != nil {
		return result{}, err
	}
	out.numbers = out.numbers[:n]
	return out, nil
}

// construct returns a number of a constructor.
func (n number) construct(from kind, of numbersOf) number {
	n.wide = n.wide || of.wide // a double is rounded once
	n = n.to(from, of.kind)
	n.wide = of.wide
	return n.fit(of.kind)
}

// enough returns an error unless the arguments of a constructor have n numbers, and the last argument has one of them: "It is a
// compile-time error to provide extra arguments beyond this last used argument" (GLSL, "Vector and Matrix Constructors").
func enough(name string, n int, args []result) error {
	if len(args) == 1 && len(args[0].numbers) == 1 {
		return nil // for all components
	}
	have := 0
	for _, a := range args {
		if have >= n {
			return fmt.Errorf("%s of %d values; %d components need no more than the values before", name, len(args), n)
		}
		have += len(a.numbers)
	}
	if have < n {
		return fmt.Errorf("%s of %d components", name, have)
	}
	return nil
}

// function is a function of the debugger.
type function struct {
	args   int
	of     func(args []result) (result, error)
	scalar func(k kind, x []number) (number, kind) // of one component, with numbers of one kind; nil if it goes not component by component
	floats bool                                    // the numbers of scalar are floats
}

// functions are those of GLSL, and some of HLSL and WGSL with another name. They are evaluated in binary64 and rounded to the width of their operands.
var functions = map[string]function{
	"floor": float1(math.Floor), "ceil": float1(math.Ceil), "sqrt": float1(math.Sqrt), "trunc": float1(math.Trunc), "round": float1(math.RoundToEven), "roundEven": float1(math.RoundToEven),
	"fract": float1(fract), "frac": float1(fract), "inversesqrt": float1(inverseSqrt), "rsqrt": float1(inverseSqrt),
	"sin": float1(math.Sin), "cos": float1(math.Cos), "tan": float1(math.Tan), "asin": float1(math.Asin), "acos": float1(math.Acos),
	"sinh": float1(math.Sinh), "cosh": float1(math.Cosh), "tanh": float1(math.Tanh),
	"exp": float1(math.Exp), "log": float1(math.Log), "exp2": float1(math.Exp2), "log2": float1(math.Log2),
	"radians": float1(func(x float64) float64 { return x * math.Pi / 180 }), "degrees": float1(func(x float64) float64 { return x * 180 / math.Pi }),
	"saturate": float1(func(x float64) float64 { return math.Min(math.Max(x, 0), 1) }),
	"pow":      float2(math.Pow), "step": float2(func(edge, x float64) float64 { return boolFloat(x >= edge) }),
	"mod": float2(func(x, y float64) float64 { return x - float64(y*math.Floor(x/y)) }), "fmod": float2(math.Mod), "mul": {args: 2, of: multiply},
	"rcp": float1(func(x float64) float64 { return 1 / x }), "log10": float1(math.Log10), "inverseSqrt": float1(inverseSqrt),
	"mix": float3(mix), "lerp": float3(mix), "smoothstep": float3(smoothStep), "fma": float3(math.FMA), "mad": float3(math.FMA),
	"abs": byComponent(1, absolute), "sign": byComponent(1, sign), "min": byComponent(2, least), "max": byComponent(2, greatest), "clamp": byComponent(3, clamp),
	"atan": float1(math.Atan), "atan2": float2(math.Atan2),
	"dot": {args: 2, of: dot}, "length": {args: 1, of: length}, "distance": {args: 2, of: distance}, "normalize": {args: 1, of: normalize}, "cross": {args: 2, of: cross}, "transpose": {args: 1, of: transposed},
	"isnan": test(math.IsNaN), "isinf": test(func(x float64) bool { return math.IsInf(x, 0) }),
	"any": {args: 1, of: func(args []result) (result, error) { return truthOf(args[0].truth()), nil }}, "all": {args: 1, of: all}, "not": {args: 1, of: not},
	"lessThan": relation("<"), "lessThanEqual": relation("<="), "greaterThan": relation(">"), "greaterThanEqual": relation(">="), "equal": relation("=="), "notEqual": relation("!="),
	"floatBitsToInt": ofBits(signed), "floatBitsToUint": ofBits(unsigned), "intBitsToFloat": ofBits(float), "uintBitsToFloat": ofBits(float),
	"asint": ofBits(signed), "asuint": ofBits(unsigned), "asfloat": ofBits(float),
	"bitCount": byComponent(1, bitCount), "countbits": byComponent(1, bitCount), "countOneBits": byComponent(1, bitCount),
	"findLSB": byComponent(1, findLSB), "firstbitlow": byComponent(1, findLSB), "findMSB": byComponent(1, findMSB), "firstbithigh": byComponent(1, findMSB),
	"bitfieldReverse": byComponent(1, reverseBits), "reversebits": byComponent(1, reverseBits), "reverseBits": byComponent(1, reverseBits),
	"bitfieldExtract": {args: 3, of: extractBits}, "extractBits": {args: 3, of: extractBits}, "bitfieldInsert": {args: 4, of: insertBits}, "insertBits": {args: 4, of: insertBits},
	"packUnorm4x8": unormPacking("Unorm4x8", 4).pack(), "packUnorm2x16": unormPacking("Unorm2x16", 2).pack(), "packSnorm4x8": snormPacking("Snorm4x8", 4).pack(),
	"packSnorm2x16": snormPacking("Snorm2x16", 2).pack(), "packHalf2x16": halfPacking.pack(),
	"unpackUnorm4x8": unormPacking("Unorm4x8", 4).unpack(), "unpackUnorm2x16": unormPacking("Unorm2x16", 2).unpack(), "unpackSnorm4x8": snormPacking("Snorm4x8", 4).unpack(),
	"unpackSnorm2x16": snormPacking("Snorm2x16", 2).unpack(), "unpackHalf2x16": halfPacking.unpack(),
	"determinant": {args: 1, of: determinant}, "inverse": {args: 1, of: inverse}, "outerProduct": {args: 2, of: outerProduct}, "matrixCompMult": {args: 2, of: matrixCompMult},
	"reflect": {args: 2, of: reflect}, "refract": {args: 3, of: refract}, "faceforward": {args: 3, of: faceForward}, "faceForward": {args: 3, of: faceForward},
	"ldexp": float2(func(x, power float64) float64 { return math.Ldexp(x, int(math.Min(math.Max(power, -4096), 4096))) }),
}

func bitCount(_ kind, x []number) (number, kind) {
	n := x[0]
	if !n.wide {
		n.i = int64(uint32(n.i))
	}
	return number{i: int64(bits.OnesCount64(uint64(n.i)))}, signed
}

// each evaluates a function of one kind of numbers, component by component; a scalar goes with each component.
func each(args []result, f func(k kind, x []number) (number, kind)) (result, error) {
	n, k := 1, signed
	for _, a := range args {
		n, k = max(n, len(a.numbers)), max(k, a.kind)
	}
	out := result{numbers: make([]number, n), columns: args[0].columns}
	x := make([]number, len(args))
	for i := range n {
		wide := false
		for j, a := range args {
			if len(a.numbers) != 1 && len(a.numbers) != n {
				return result{}, fmt.Errorf("a function of values with %d and %d components", len(a.numbers), n)
			}
			x[j] = a.numbers[min(i, len(a.numbers)-1)].to(a.kind, k)
			wide = wide || x[j].wide
		}
		r, of := f(k, x)
		r.wide = wide
		out.numbers[i], out.kind = r.fit(of), of
	}
	return out, nil
}

// ofFloats returns a function of floats, component by component.
func ofFloats(args int, f func(x []number) float64) function {
	scalar := func(_ kind, x []number) (number, kind) { return number{f: f(x)}, float }
	return function{args: args, scalar: scalar, floats: true, of: func(list []result) (result, error) {
		for i := range list {
			list[i] = list[i].floats()
		}
		return each(list, scalar)
	}}
}

// byComponent returns a function of one kind of numbers, component by component.
func byComponent(args int, f func(k kind, x []number) (number, kind)) function {
	return function{args: args, scalar: f, of: func(list []result) (result, error) { return each(list, f) }}
}

func float1(f func(x float64) float64) function {
	return ofFloats(1, func(x []number) float64 { return f(x[0].f) })
}

func float2(f func(x, y float64) float64) function {
	return ofFloats(2, func(x []number) float64 { return f(x[0].f, x[1].f) })
}

func float3(f func(x, y, z float64) float64) function {
	return ofFloats(3, func(x []number) float64 { return f(x[0].f, x[1].f, x[2].f) })
}

// floats returns a value with its numbers as floats.
func (r result) floats() result {
	out := result{kind: float, columns: r.columns, numbers: make([]number, len(r.numbers))}
	for i, n := range r.numbers {
		out.numbers[i] = n.to(r.kind, float)
	}
	return out
}

func fract(x float64) float64       { return x - math.Floor(x) }
func inverseSqrt(x float64) float64 { return 1 / math.Sqrt(x) }
func mix(x, y, a float64) float64   { return float64(x*(1-a)) + float64(y*a) }

// smoothStep is 3t² − 2t³ ("8.3. Common Functions" of GLSL).
func smoothStep(low, high, x float64) float64 {
	t := math.Min(math.Max((x-low)/(high-low), 0), 1)
	return t * t * (3 - float64(2*t))
}

func boolFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func absolute(k kind, x []number) (number, kind) {
	return number{i: max(x[0].i, -x[0].i), f: math.Abs(x[0].f)}, k
}

func sign(k kind, x []number) (number, kind) {
	n := number{i: min(max(x[0].i, -1), 1)}
	if x[0].f != 0 {
		n.f = math.Copysign(1, x[0].f)
	}
	return n, k
}

// less reports whether a number is less than another one of its kind.
func less(k kind, a, b number) bool {
	r, _, _ := binaryOps["<"](k, a, b)
	return r.i != 0
}

func least(k kind, x []number) (number, kind) {
	if less(k, x[1], x[0]) {
		return x[1], k
	}
	return x[0], k
}

func greatest(k kind, x []number) (number, kind) {
	if less(k, x[0], x[1]) {
		return x[1], k
	}
	return x[0], k
}

func clamp(k kind, x []number) (number, kind) {
	n, _ := greatest(k, x[:2])
	return least(k, []number{n, x[2]})
}

// test returns a function that tests each component of a value.
func test(f func(float64) bool) function {
	out := ofFloats(1, nil)
	out.scalar = func(_ kind, x []number) (number, kind) { return boolNumber(f(x[0].f)), boolean }
	out.of = func(args []result) (result, error) { return each([]result{args[0].floats()}, out.scalar) }
	return out
}

func all(args []result) (result, error) {
	for _, n := range args[0].numbers {
		if n.i == 0 && n.f == 0 {
			return truthOf(false), nil
		}
	}
	return truthOf(true), nil
}

func not(args []result) (result, error) {
	out := result{kind: boolean}
	for _, n := range args[0].numbers {
		out.numbers = append(out.numbers, boolNumber(n.i == 0 && n.f == 0))
	}
	return out, nil
}

// relation returns the function that compares two vectors component by component.
func relation(op string) function {
	return byComponent(2, func(k kind, x []number) (number, kind) {
		r, _, _ := binaryOps[op](k, x[0], x[1])
		return r, boolean
	})
}

// ofBits returns the function that gives the bits of a value of 32 bits another kind.
func ofBits(to kind) function {
	return byComponent(1, func(k kind, x []number) (number, kind) {
		word := uint32(x[0].i)
		if k == float {
			word = math.Float32bits(float32(x[0].f))
		}
		if to == float {
			return number{f: float64(math.Float32frombits(word))}, float
		}
		return number{i: int64(word)}, to
	})
}
