package ir

import "github.com/chiaro-gpu/chiaro/internal/scalar"

// The operations.
const (
	Bad Op = iota

	// Values that stand nowhere.
	Const
	Param
	Arg
	Result

	// Control.
	Block
	Loop
	If
	Else
	End
	Br
	Switch
	Kill
	Call

	// Integers.
	Add
	Sub
	Mul
	UDiv
	SDiv
	UMod
	SRem
	SMod
	UMulHi
	SMulHi
	AddCarry
	SubBorrow
	And
	Or
	Xor
	Not
	Shl
	LShr
	AShr
	UMin
	UMax
	SMin
	SMax
	SAbs
	BitCount
	BitReverse
	FindLsb
	FindUMsb
	FindSMsb
	BitFieldU
	BitFieldS
	BitFieldMask
	Dot4

	// Comparisons.
	Eq
	ULt
	ULe
	SLt
	SLe
	FEq
	FLt
	FLe

	// Floats.
	FAdd
	FSub
	FMul
	FDiv
	FRem
	FFma
	FNeg
	FAbs
	FSqrt
	FFloor
	FCeil
	FTrunc
	FRoundEven
	FMin
	FMax
	NMin
	NMax
	FLdexp
	FCanon
	FFlush

	// Conversions and choice.
	Bitcast
	SExt
	ZExt
	Trunc
	FCvt
	FToS
	FToU
	SToF
	UToF
	Select

	// Resources and memory.
	Res
	Push
	Wg
	Table
	Len
	At
	Ld
	St
	Region
	RegionOff
	PLd
	PSt
	PClr
	PAddr
	PLdI
	PStI
	AtomXchg
	AtomCmpXchg
	AtomAdd
	AtomSMin
	AtomSMax
	AtomUMin
	AtomUMax
	AtomAnd
	AtomOr
	AtomXor
	AtomFAdd
	AtomFMin
	AtomFMax

	// Inputs, outputs, groups, order.
	In
	InAt
	Interp
	Out
	OutAt
	OutGet
	Emit
	EndPrim
	Elect
	Any
	All
	AllEq
	Ballot
	Shuf
	QuadSwap
	Reduce
	ScanI
	ScanX
	Barrier
	Fence
	Demote
	Helper
	Anew
	Log
	LogArg
	Exit

	numOps
)

const atomic = Imm | Reads | Writes | Atomic

var ops = [numOps]Row{
	Bad: {"bad", "-:", 0, 0, nil},

	Const:  {"const", "T:", OnData, Floats, nil}, // Aux
	Param:  {"param", "T:", OnAny, Floats, nil},  // parameter Aux of the label arg0
	Arg:    {"arg", "T:", OnAny, Floats, nil},    // argument Aux of the function
	Result: {"result", "T:", OnAny, Floats, nil}, // result Aux of the call arg0

	Block:  {"block", "-:", 0, Control, nil},              // list: parameters
	Loop:   {"loop", "-:", 0, Control, nil},               // list: parameters, initial values
	If:     {"if", "-:b", 0, Control, nil},                // arg0 is the condition
	Else:   {"else", "-:", 0, Control, nil},               // arg0 is the if
	End:    {"end", "-:", 0, Control, nil},                // arg0 is the opener
	Br:     {"br", "-:", 0, Control | Ends, nil},          // arg0 is the label; list: arguments
	Switch: {"switch", "-:T", OnInt, Control | Ends, nil}, // arg0 selector, arg1 default; list: pairs of constant and label
	Kill:   {"kill", "-:", 0, Control | Ends | Writes, nil},
	Call:   {"call", "-:", 0, Writes | Reads | Meets, nil}, // Aux is the function; list: arguments, results

	Add:       {"add", "T:TT", OnInt, Commute, i2(scalar.Add)},
	Sub:       {"sub", "T:TT", OnInt, 0, i2(scalar.Sub)},
	Mul:       {"mul", "T:TT", OnInt, Commute, i2(scalar.Mul)},
	UDiv:      {"udiv", "T:TT", OnInt, 0, i2(scalar.UDiv)},           // x/0 is all ones
	SDiv:      {"sdiv", "T:TT", OnInt, 0, i2(scalar.SDiv)},           // toward zero; x/0 is −1; min/−1 is min
	UMod:      {"umod", "T:TT", OnInt, 0, i2(scalar.UMod)},           // x%0 is all ones
	SRem:      {"srem", "T:TT", OnInt, 0, i2(scalar.SRem)},           // sign of x; x%0 is −1; min%−1 is 0
	SMod:      {"smod", "T:TT", OnInt, 0, i2(scalar.SMod)},           // sign of y; x%0 is −1; min%−1 is 0
	UMulHi:    {"umulhi", "T:TT", OnInt, Commute, i2(scalar.UMulHi)}, // high half of the unsigned product
	SMulHi:    {"smulhi", "T:TT", OnInt, Commute, i2(scalar.SMulHi)}, // high half of the signed product
	AddCarry:  {"addcarry", "T:TT", OnInt, Commute, i2(scalar.AddCarry)},
	SubBorrow: {"subborrow", "T:TT", OnInt, 0, i2(scalar.SubBorrow)},
	And:       {"and", "T:TT", OnInt | OnBool, Commute, i2(scalar.And)},
	Or:        {"or", "T:TT", OnInt | OnBool, Commute, i2(scalar.Or)},
	Xor:       {"xor", "T:TT", OnInt | OnBool, Commute, i2(scalar.Xor)},
	Not:       {"not", "T:T", OnInt | OnBool, 0, i1(scalar.Not)},
	Shl:       {"shl", "T:TT", OnInt, 0, i2(scalar.Shl)}, // by arg1 mod width, as all shifts
	LShr:      {"lshr", "T:TT", OnInt, 0, i2(scalar.LShr)},
	AShr:      {"ashr", "T:TT", OnInt, 0, i2(scalar.AShr)},
	UMin:      {"umin", "T:TT", OnInt, Commute, i2(scalar.UMin)},
	UMax:      {"umax", "T:TT", OnInt, Commute, i2(scalar.UMax)},
	SMin:      {"smin", "T:TT", OnInt, Commute, i2(scalar.SMin)},
	SMax:      {"smax", "T:TT", OnInt, Commute, i2(scalar.SMax)},
	SAbs:      {"sabs", "T:T", OnInt, 0, i1(scalar.SAbs)}, // of min is min

	BitCount:     {"bitcount", "T:T", OnInt, 0, i1(scalar.BitCount)},
	BitReverse:   {"bitreverse", "T:T", OnInt, 0, i1(scalar.BitReverse)},
	FindLsb:      {"findlsb", "T:T", OnInt, 0, i1(scalar.FindLsb)},                                            // −1 for 0
	FindUMsb:     {"findumsb", "T:T", OnInt, 0, i1(scalar.FindUMsb)},                                          // −1 for 0
	FindSMsb:     {"findsmsb", "T:T", OnInt, 0, i1(scalar.FindSMsb)},                                          // −1 for 0 and −1
	BitFieldU:    {"bitfieldu", "T:Tii", OnInt, 0, i3(scalar.BitFieldU)},                                      // arg2 bits of arg0 from bit arg1, zero-extended
	BitFieldS:    {"bitfields", "T:Tii", OnInt, 0, i3(scalar.BitFieldS)},                                      // the same, sign-extended
	BitFieldMask: {"bitfieldmask", "T:ii", OnInt, 0, i2(scalar.BitFieldMask)},                                 // arg1 ones from bit arg0
	Dot4:         {"dot4", "i:iii", 0, 0, func(_ Key, x, y, z uint64) uint64 { return scalar.Dot4(x, y, z) }}, // four unsigned bytes of arg0 times four signed ones of arg1, and arg2

	Eq:  {"eq", "b:TT", OnInt | OnBool, Commute, c2(scalar.Eq)},
	ULt: {"ult", "b:TT", OnInt, 0, c2(scalar.ULt)},
	ULe: {"ule", "b:TT", OnInt, 0, c2(scalar.ULe)},
	SLt: {"slt", "b:TT", OnInt, 0, c2(scalar.SLt)},
	SLe: {"sle", "b:TT", OnInt, 0, c2(scalar.SLe)},
	FEq: {"feq", "b:TT", OnFloat, Commute, c2(scalar.FEq)}, // ordered: false where an operand is NaN, as flt and fle
	FLt: {"flt", "b:TT", OnFloat, 0, c2(scalar.FLt)},
	FLe: {"fle", "b:TT", OnFloat, 0, c2(scalar.FLe)},

	FAdd:       {"fadd", "T:TT", OnFloat, 0, r2(scalar.FAdd)},
	FSub:       {"fsub", "T:TT", OnFloat, 0, r2(scalar.FSub)},
	FMul:       {"fmul", "T:TT", OnFloat, 0, r2(scalar.FMul)},
	FDiv:       {"fdiv", "T:TT", OnFloat, Lasts, r2(scalar.FDiv)},
	FRem:       {"frem", "T:TT", OnFloat, 0, i2(scalar.FRem)},  // arg0 − arg1·trunc(arg0/arg1), exact
	FFma:       {"ffma", "T:TTT", OnFloat, 0, r3(scalar.FFma)}, // arg0·arg1 + arg2, rounded once
	FNeg:       {"fneg", "T:T", OnFloat, 0, i1(scalar.FNeg)},   // flips the sign bit, of NaN too
	FAbs:       {"fabs", "T:T", OnFloat, 0, i1(scalar.FAbs)},   // clears the sign bit, of NaN too
	FSqrt:      {"fsqrt", "T:T", OnFloat, Lasts, r1(scalar.FSqrt)},
	FFloor:     {"ffloor", "T:T", OnFloat, 0, i1(scalar.FFloor)},
	FCeil:      {"fceil", "T:T", OnFloat, 0, i1(scalar.FCeil)},
	FTrunc:     {"ftrunc", "T:T", OnFloat, 0, i1(scalar.FTrunc)},
	FRoundEven: {"froundeven", "T:T", OnFloat, 0, i1(scalar.FRoundEven)},
	FMin:       {"fmin", "T:TT", OnFloat, 0, i2(scalar.FMin)}, // arg1 < arg0 ? arg1 : arg0
	FMax:       {"fmax", "T:TT", OnFloat, 0, i2(scalar.FMax)}, // arg0 < arg1 ? arg1 : arg0
	NMin:       {"nmin", "T:TT", OnFloat, 0, i2(scalar.NMin)}, // a NaN loses; −0 < +0; two NaN give the canonical NaN
	NMax:       {"nmax", "T:TT", OnFloat, 0, i2(scalar.NMax)},
	FLdexp:     {"fldexp", "T:Ti", OnFloat, 0, i2(scalar.FLdexp)}, // arg0·2^arg1 (signed), rounded once
	FCanon:     {"fcanon", "T:T", OnFloat, 0, i1(scalar.FCanon)},  // any NaN becomes the canonical one
	FFlush:     {"fflush", "T:T", OnFloat, 0, i1(scalar.FFlush)},  // a denormal becomes a zero of its sign

	Bitcast: {"bitcast", "T:S", OnBits, 0, func(_ Key, x, _, _ uint64) uint64 { return x }}, // same width
	SExt:    {"sext", "T:S", OnInt, 0, cv(scalar.SExt)},
	ZExt:    {"zext", "T:S", OnInt, 0, cv(scalar.ZExt)}, // from b1 too
	Trunc:   {"trunc", "T:S", OnInt, 0, cv(scalar.Trunc)},
	FCvt:    {"fcvt", "T:S", OnFloat, 0, cr(scalar.FCvt)}, // between float widths
	FToS:    {"ftos", "T:S", OnInt, 0, cv(scalar.FToS)},   // toward zero, saturating; NaN is 0
	FToU:    {"ftou", "T:S", OnInt, 0, cv(scalar.FToU)},   // toward zero, saturating; NaN is 0
	SToF:    {"stof", "T:S", OnFloat, 0, cr(scalar.SToF)},
	UToF:    {"utof", "T:S", OnFloat, 0, cr(scalar.UToF)},
	Select: {"select", "T:bTT", OnAny, 0, func(_ Key, x, y, z uint64) uint64 {
		if x != 0 {
			return y
		}
		return z
	}},

	Res:       {"res", "h:i", 0, Imm, nil},
	Push:      {"push", "h:", 0, 0, nil},
	Wg:        {"wg", "h:", 0, 0, nil},
	Table:     {"table", "h:", 0, Imm, nil},
	Len:       {"len", "i:h", 0, 0, nil},
	At:        {"at", "i:ii", 0, Imm, func(k Key, x, y, _ uint64) uint64 { return scalar.At(x, y, k.Aux) }},
	Ld:        {"ld", "T:hi", OnBits, Imm | Reads, nil},
	St:        {"st", "-:hiT", OnBits, Imm | Writes, nil},
	Region:    {"region", "h:l", 0, Imm | Reads, nil},
	RegionOff: {"regionoff", "i:hl", 0, Reads, nil},
	PLd:       {"pld", "T:i", OnData, Imm | Reads, nil},
	PSt:       {"pst", "-:iT", OnData, Imm | Writes, nil},
	PClr:      {"pclr", "-:", 0, Imm | Writes, nil},
	PAddr:     {"paddr", "i:", 0, Imm, nil},
	PLdI:      {"pldi", "T:i", OnData, Reads, nil},
	PStI:      {"psti", "-:iT", OnData, Writes, nil},

	AtomXchg:    {"atomxchg", "T:hiT", OnBits, atomic, nil},
	AtomCmpXchg: {"atomcmpxchg", "T:hiTT", OnInt, atomic, nil}, // arg2 is stored where the old value equals arg3
	AtomAdd:     {"atomadd", "T:hiT", OnInt, atomic, nil},
	AtomSMin:    {"atomsmin", "T:hiT", OnInt, atomic, nil},
	AtomSMax:    {"atomsmax", "T:hiT", OnInt, atomic, nil},
	AtomUMin:    {"atomumin", "T:hiT", OnInt, atomic, nil},
	AtomUMax:    {"atomumax", "T:hiT", OnInt, atomic, nil},
	AtomAnd:     {"atomand", "T:hiT", OnInt, atomic, nil},
	AtomOr:      {"atomor", "T:hiT", OnInt, atomic, nil},
	AtomXor:     {"atomxor", "T:hiT", OnInt, atomic, nil},
	AtomFAdd:    {"atomfadd", "T:hiT", OnFloat, atomic, nil},
	AtomFMin:    {"atomfmin", "T:hiT", OnFloat, atomic, nil}, // nmin of old and arg2
	AtomFMax:    {"atomfmax", "T:hiT", OnFloat, atomic, nil}, // nmax of old and arg2

	In:       {"in", "T:", OnData, Imm, nil},
	InAt:     {"inat", "T:i", OnData, Imm, nil},     // input #imm of vertex arg0 of the primitive or patch
	Interp:   {"interp", "T:ff", OnFloat, Imm, nil}, // input #imm at the pixel's center and (arg0, arg1) pixels further
	Out:      {"out", "-:T", OnData, Imm | Writes, nil},
	OutAt:    {"outat", "-:iT", OnData, Imm | Writes, nil}, // output #imm of vertex arg0 of the patch
	OutGet:   {"outget", "T:i", OnData, Imm | Reads, nil},  // what stands in it
	Emit:     {"emit", "-:", 0, Imm | Writes, nil},         // the outputs become a vertex of stream #imm
	EndPrim:  {"endprim", "-:", 0, Imm | Writes, nil},      // the strip of stream #imm ends
	Elect:    {"elect", "b:", 0, Meets, nil},               // the lowest active lane
	Any:      {"any", "b:b", 0, Meets, nil},
	All:      {"all", "b:b", 0, Meets, nil},
	AllEq:    {"alleq", "b:T", OnData, Meets, nil},          // floats by feq
	Ballot:   {"ballot", "i:b", 0, Imm | Meets, nil},        // word #imm: lanes 32·imm to 32·imm+31
	Shuf:     {"shuf", "T:Ti", OnData, Meets, nil},          // arg0 of lane arg1
	QuadSwap: {"quadswap", "T:T", OnData, Imm | Meets, nil}, // arg0 of lane xor #imm, imm 0 to 3
	Reduce:   {"reduce", "T:T", OnData, Combine | Meets, nil},
	ScanI:    {"scani", "T:T", OnData, Combine | Meets, nil},
	ScanX:    {"scanx", "T:T", OnData, Combine | Meets, nil},
	Barrier:  {"barrier", "-:", 0, Meets | Reads | Writes, nil}, // every subgroup of the workgroup arrives before any goes on
	Fence:    {"fence", "-:", 0, Meets | Reads | Writes, nil},
	Demote:   {"demote", "-:", 0, Writes, nil}, // the lane becomes a helper
	Helper:   {"helper", "b:", 0, Reads, nil},
	Anew:     {"anew", "-:", 0, Meets | Writes, nil},               // the subgroup has its whole budget again
	Log:      {"log", "-:", 0, Imm | Writes, nil},                  // begins message #imm of the lane
	LogArg:   {"logarg", "-:T", OnData, Writes, nil},               // adds a value to the lane's last message
	Exit:     {"exit", "-:", 0, Imm | Reads | Writes | Meets, nil}, // service #imm; list: arguments
}

func i1(f func(w uint8, x uint64) uint64) Eval {
	return func(k Key, x, _, _ uint64) uint64 { return f(k.Type.Bits(), x) }
}

func i2(f func(w uint8, x, y uint64) uint64) Eval {
	return func(k Key, x, y, _ uint64) uint64 { return f(k.Type.Bits(), x, y) }
}

func i3(f func(w uint8, x, y, z uint64) uint64) Eval {
	return func(k Key, x, y, z uint64) uint64 { return f(k.Type.Bits(), x, y, z) }
}

// c2 is a comparison: the width is that of the operands.
func c2(f func(w uint8, x, y uint64) bool) Eval {
	return func(k Key, x, y, _ uint64) uint64 {
		if f(k.From.Bits(), x, y) {
			return 1
		}
		return 0
	}
}

// r1, r2 and r3 round: to nearest even, or toward zero where flagged.
func r1(f func(w uint8, rtz bool, x uint64) uint64) Eval {
	return func(k Key, x, _, _ uint64) uint64 { return f(k.Type.Bits(), k.Flags&RTZ != 0, x) }
}

func r2(f func(w uint8, rtz bool, x, y uint64) uint64) Eval {
	return func(k Key, x, y, _ uint64) uint64 { return f(k.Type.Bits(), k.Flags&RTZ != 0, x, y) }
}

func r3(f func(w uint8, rtz bool, x, y, z uint64) uint64) Eval {
	return func(k Key, x, y, z uint64) uint64 { return f(k.Type.Bits(), k.Flags&RTZ != 0, x, y, z) }
}

// cv is a conversion between widths, cr one that rounds.
func cv(f func(to, from uint8, x uint64) uint64) Eval {
	return func(k Key, x, _, _ uint64) uint64 { return f(k.Type.Bits(), k.From.Bits(), x) }
}

func cr(f func(to, from uint8, rtz bool, x uint64) uint64) Eval {
	return func(k Key, x, _, _ uint64) uint64 {
		return f(k.Type.Bits(), k.From.Bits(), k.Flags&RTZ != 0, x)
	}
}
