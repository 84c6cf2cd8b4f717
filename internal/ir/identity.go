package ir

// Identity returns the bits of the identity of op, an operator of reduce and scan,
// on type t: op(identity, x) is x. It is −0 for fadd, and for nmin and nmax the
// infinities, as in SPIR-V.
func Identity(op Op, t Type) uint64 {
	sign := uint64(1) << (t.Bits() - 1)
	switch op {
	case Mul:
		return 1
	case And, UMin:
		return t.Mask()
	case SMin:
		return t.Mask() &^ sign
	case SMax, FAdd:
		return sign
	case FMul:
		return map[Type]uint64{F16: 0x3c00, F32: 0x3f80_0000, F64: 0x3ff0_0000_0000_0000}[t]
	case NMin:
		return infinity(t)
	case NMax:
		return infinity(t) | sign
	}
	return 0
}

func infinity(t Type) uint64 {
	return map[Type]uint64{F16: 0x7c00, F32: 0x7f80_0000, F64: 0x7ff0_0000_0000_0000}[t]
}
