package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// openCLSetFamily checks the types of the set OpenCL.std; extInst calls it.
var openCLSetFamily = family{
	rules: []Rule{
		{Code: "SPV-OpenCL-Result", Section: "OpenCL.std", Words: "the result has the result type of the instruction"},
		{Code: "SPV-OpenCL-Operand", Section: "OpenCL.std", Words: "each operand has the type that the instruction requires"},
	},
}

// openCLForm is a requirement on the types of an instruction of OpenCL.std.
type openCLForm uint8

const (
	openCLNone     openCLForm = iota
	openCLFloat               // floats; all operands of the result's type
	openCLInt                 // integers; likewise
	openCLWord                // integers of 32 bits; likewise
	openCLNumber              // floats or integers; likewise
	openCLParts               // floats; the last operand a pointer to the result's type
	openCLExponent            // floats; the last operand a pointer to as many integers of 32 bits
	openCLIlogb               // integers of 32 bits of as many floats
	openCLPower               // floats; the second operand as many integers of 32 bits
	openCLNan                 // floats of as many integers of their width
	openCLLength              // a float of up to 4 floats of its width
	openCLShort               // up to 4 floats; all operands of the result's type
	openCLCross               // vectors of 3 or 4 floats; all operands of the result's type
	openCLUpsample            // integers of as many of half the width
	openCLSelect              // numbers; the third operand as many integers of their width
)

// openCLForms are the forms of the instructions.
var openCLForms = [...]openCLForm{
	spirv.OpenCLAcos: openCLFloat, spirv.OpenCLAcosh: openCLFloat, spirv.OpenCLAcospi: openCLFloat,
	spirv.OpenCLAsin: openCLFloat, spirv.OpenCLAsinh: openCLFloat, spirv.OpenCLAsinpi: openCLFloat,
	spirv.OpenCLAtan: openCLFloat, spirv.OpenCLAtan2: openCLFloat, spirv.OpenCLAtanh: openCLFloat,
	spirv.OpenCLAtanpi: openCLFloat, spirv.OpenCLAtan2pi: openCLFloat, spirv.OpenCLCbrt: openCLFloat,
	spirv.OpenCLCeil: openCLFloat, spirv.OpenCLCopysign: openCLFloat, spirv.OpenCLCos: openCLFloat,
	spirv.OpenCLCosh: openCLFloat, spirv.OpenCLCospi: openCLFloat, spirv.OpenCLErfc: openCLFloat,
	spirv.OpenCLErf: openCLFloat, spirv.OpenCLExp: openCLFloat, spirv.OpenCLExp2: openCLFloat,
	spirv.OpenCLExp10: openCLFloat, spirv.OpenCLExpm1: openCLFloat, spirv.OpenCLFabs: openCLFloat,
	spirv.OpenCLFdim: openCLFloat, spirv.OpenCLFloor: openCLFloat, spirv.OpenCLFma: openCLFloat,
	spirv.OpenCLFmax: openCLFloat, spirv.OpenCLFmin: openCLFloat, spirv.OpenCLFmod: openCLFloat,
	spirv.OpenCLHypot: openCLFloat, spirv.OpenCLLgamma: openCLFloat, spirv.OpenCLLog: openCLFloat,
	spirv.OpenCLLog2: openCLFloat, spirv.OpenCLLog10: openCLFloat, spirv.OpenCLLog1p: openCLFloat,
	spirv.OpenCLLogb: openCLFloat, spirv.OpenCLMad: openCLFloat, spirv.OpenCLMaxmag: openCLFloat,
	spirv.OpenCLMinmag: openCLFloat, spirv.OpenCLNextafter: openCLFloat, spirv.OpenCLPow: openCLFloat,
	spirv.OpenCLPowr: openCLFloat, spirv.OpenCLRemainder: openCLFloat, spirv.OpenCLRint: openCLFloat,
	spirv.OpenCLRound: openCLFloat, spirv.OpenCLRsqrt: openCLFloat, spirv.OpenCLSin: openCLFloat,
	spirv.OpenCLSinh: openCLFloat, spirv.OpenCLSinpi: openCLFloat, spirv.OpenCLSqrt: openCLFloat,
	spirv.OpenCLTan: openCLFloat, spirv.OpenCLTanh: openCLFloat, spirv.OpenCLTanpi: openCLFloat,
	spirv.OpenCLTgamma: openCLFloat, spirv.OpenCLTrunc: openCLFloat, spirv.OpenCLFclamp: openCLFloat,
	spirv.OpenCLDegrees: openCLFloat, spirv.OpenCLFmaxCommon: openCLFloat, spirv.OpenCLFminCommon: openCLFloat,
	spirv.OpenCLMix: openCLFloat, spirv.OpenCLRadians: openCLFloat, spirv.OpenCLStep: openCLFloat,
	spirv.OpenCLSmoothstep: openCLFloat, spirv.OpenCLSign: openCLFloat, spirv.OpenCLNormalize: openCLShort,
	spirv.OpenCLFastNormalize: openCLShort,
	spirv.OpenCLHalfCos:       openCLFloat, spirv.OpenCLHalfDivide: openCLFloat, spirv.OpenCLHalfExp: openCLFloat,
	spirv.OpenCLHalfExp2: openCLFloat, spirv.OpenCLHalfExp10: openCLFloat, spirv.OpenCLHalfLog: openCLFloat,
	spirv.OpenCLHalfLog2: openCLFloat, spirv.OpenCLHalfLog10: openCLFloat, spirv.OpenCLHalfPowr: openCLFloat,
	spirv.OpenCLHalfRecip: openCLFloat, spirv.OpenCLHalfRsqrt: openCLFloat, spirv.OpenCLHalfSin: openCLFloat,
	spirv.OpenCLHalfSqrt: openCLFloat, spirv.OpenCLHalfTan: openCLFloat, spirv.OpenCLNativeCos: openCLFloat,
	spirv.OpenCLNativeDivide: openCLFloat, spirv.OpenCLNativeExp: openCLFloat, spirv.OpenCLNativeExp2: openCLFloat,
	spirv.OpenCLNativeExp10: openCLFloat, spirv.OpenCLNativeLog: openCLFloat, spirv.OpenCLNativeLog2: openCLFloat,
	spirv.OpenCLNativeLog10: openCLFloat, spirv.OpenCLNativePowr: openCLFloat, spirv.OpenCLNativeRecip: openCLFloat,
	spirv.OpenCLNativeRsqrt: openCLFloat, spirv.OpenCLNativeSin: openCLFloat, spirv.OpenCLNativeSqrt: openCLFloat,
	spirv.OpenCLNativeTan: openCLFloat,
	spirv.OpenCLSAbs:      openCLInt, spirv.OpenCLSAbsDiff: openCLInt, spirv.OpenCLSAddSat: openCLInt,
	spirv.OpenCLUAddSat: openCLInt, spirv.OpenCLSHadd: openCLInt, spirv.OpenCLUHadd: openCLInt,
	spirv.OpenCLSRhadd: openCLInt, spirv.OpenCLURhadd: openCLInt, spirv.OpenCLSClamp: openCLInt,
	spirv.OpenCLUClamp: openCLInt, spirv.OpenCLClz: openCLInt, spirv.OpenCLCtz: openCLInt,
	spirv.OpenCLSMadHi: openCLInt, spirv.OpenCLUMadSat: openCLInt, spirv.OpenCLSMadSat: openCLInt,
	spirv.OpenCLSMax: openCLInt, spirv.OpenCLUMax: openCLInt, spirv.OpenCLSMin: openCLInt,
	spirv.OpenCLUMin: openCLInt, spirv.OpenCLSMulHi: openCLInt, spirv.OpenCLRotate: openCLInt,
	spirv.OpenCLSSubSat: openCLInt, spirv.OpenCLUSubSat: openCLInt, spirv.OpenCLPopcount: openCLInt,
	spirv.OpenCLUAbs: openCLInt, spirv.OpenCLUAbsDiff: openCLInt, spirv.OpenCLUMulHi: openCLInt,
	spirv.OpenCLUMadHi: openCLInt,
	spirv.OpenCLSMad24: openCLWord, spirv.OpenCLUMad24: openCLWord, spirv.OpenCLSMul24: openCLWord,
	spirv.OpenCLUMul24:    openCLWord,
	spirv.OpenCLBitselect: openCLNumber,
	spirv.OpenCLFract:     openCLParts, spirv.OpenCLModf: openCLParts, spirv.OpenCLSincos: openCLParts,
	spirv.OpenCLFrexp: openCLExponent, spirv.OpenCLLgammaR: openCLExponent, spirv.OpenCLRemquo: openCLExponent,
	spirv.OpenCLIlogb: openCLIlogb,
	spirv.OpenCLLdexp: openCLPower, spirv.OpenCLPown: openCLPower, spirv.OpenCLRootn: openCLPower,
	spirv.OpenCLNan:      openCLNan,
	spirv.OpenCLDistance: openCLLength, spirv.OpenCLLength: openCLLength, spirv.OpenCLFastDistance: openCLLength,
	spirv.OpenCLFastLength: openCLLength,
	spirv.OpenCLCross:      openCLCross,
	spirv.OpenCLUUpsample:  openCLUpsample, spirv.OpenCLSUpsample: openCLUpsample,
	spirv.OpenCLSelect: openCLSelect,
}

// openCLCall is one instruction that is being checked.
type openCLCall struct {
	c    *checker
	i    int
	op   spirv.OpenCLOp
	args []spirv.ID
	t    *facts.Type // of the result
}

// openCLSet checks an instruction of the set.
func (c *checker) openCLSet(i int, in spirv.Inst) {
	o := openCLCall{c, i, spirv.OpenCLOp(inst.ExtInst(in).Instruction()), spirv.IDs(in[5:]), c.m.Type(in.Type())}
	if o.t == nil || !o.values() {
		return
	}
	switch o.op {
	case spirv.OpenCLShuffle, spirv.OpenCLShuffle2:
		o.shuffle()
		return
	case spirv.OpenCLPrintf:
		o.printf()
		return
	case spirv.OpenCLPrefetch:
		o.prefetch()
		return
	}
	if f, ok := openCLMemories[o.op]; ok {
		o.vectorMemory(f)
		return
	}
	if int(o.op) >= len(openCLForms) || openCLForms[o.op] == openCLNone {
		return
	}
	f := openCLForms[o.op]
	ok, want := o.yields(f)
	if !ok {
		c.fail(i, "SPV-OpenCL-Result", "%s is %s; must be %s", o.op, c.typeName(o.t), want)
		return
	}
	for n, id := range o.args {
		t := c.m.TypeOf(id)
		if t == nil {
			continue
		}
		if ok, want := o.takes(f, n, t); !ok {
			c.fail(i, "SPV-OpenCL-Operand", "operand %d of %s is %s; must be %s", n+1, o.op, c.typeName(t), want)
		}
	}
}

// values checks that all ids are values, and neither types nor results without a
// type.
func (o *openCLCall) values() bool {
	for w := o.c.code.Walk(o.i); w.Next(); {
		if w.Pos < 5 || w.Kind != spirv.KindIdRef {
			continue
		}
		if d := o.c.code.DefInst(spirv.ID(w.Words[0])); d != nil && d.Type() == 0 {
			o.c.fail(o.i, "SPV-OpenCL-Operand", "operand %d of %s is the result of %s; must be a value with a type", w.Pos-4, o.op, d.Op())
			return false
		}
	}
	return true
}

// yields reports whether the result has the form, and returns the expected type.
func (o *openCLCall) yields(f openCLForm) (ok bool, want string) {
	float, ints := isFloats(o.t, 16, 32, 64), isInts(o.t)
	if o.t.IsVector() && !openCLVector(o.t) {
		return false, "a scalar or a vector of 2, 3, 4, 8 or 16 components"
	}
	switch f {
	case openCLInt:
		return ints, "an integer or a vector of integers"
	case openCLWord, openCLIlogb:
		return ints && o.t.Scalar().Width == 32, "an integer or a vector of integers of 32 bits"
	case openCLUpsample:
		return ints && o.t.Scalar().Width >= 16, "an integer or a vector of integers of 16 bits or more"
	case openCLNumber, openCLSelect:
		return float || ints, "a number or a vector of numbers"
	case openCLLength:
		return float && !o.t.IsVector(), "a float"
	case openCLShort:
		return float && o.t.Components() <= 4, "a float or a vector of at most 4 floats"
	case openCLCross:
		return float && o.t.IsVector() && (o.t.Count == 3 || o.t.Count == 4), "a vector of 3 or 4 floats"
	}
	return float, "a float or a vector of floats"
}

// takes reports whether operand n, from 0, has the form, and returns the expected
// type.
func (o *openCLCall) takes(f openCLForm, n int, t *facts.Type) (ok bool, want string) {
	alike := t.Components() == o.t.Components()
	last := n == len(o.args)-1
	switch {
	case (f == openCLParts || f == openCLExponent) && last && !slices.Contains(openCLWritable, t.Storage):
		return false, "a pointer to " + classNames(openCLWritable)
	case f == openCLParts && last:
		return t.IsPointer() && (t.Elem == o.t || t.Elem == nil), "a pointer to the result's type"
	case f == openCLExponent && last:
		return t.IsPointer() && (t.Elem == nil || isInts(t.Elem) && t.Elem.Scalar().Width == 32 && t.Elem.Components() == o.t.Components()),
			"a pointer to as many integers of 32 bits as the result has components"
	case f == openCLIlogb:
		return alike && isFloats(t, 16, 32, 64), "as many floats as the result has components"
	case f == openCLPower && n == 1:
		return alike && isInts(t) && t.Scalar().Width == 32, "as many integers of 32 bits as the result has components"
	case f == openCLNan, f == openCLSelect && n == 2:
		return alike && isInts(t) && t.Scalar().Width == o.t.Scalar().Width, "as many integers as the result has components, of the same width"
	case f == openCLLength && n == 1:
		return t == o.c.m.TypeOf(o.args[0]), "of the type of the first operand"
	case f == openCLLength:
		return isFloats(t, o.t.Scalar().Width) && t.Components() <= 4, "a float or a vector of at most 4 floats as wide as the result"
	case f == openCLUpsample:
		return alike && isInts(t) && 2*t.Scalar().Width == o.t.Scalar().Width, "as many integers as the result has components, of half its width"
	}
	return t == o.t, "of the result's type"
}
