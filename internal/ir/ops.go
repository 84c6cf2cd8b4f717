package ir

import "github.com/chiaro-gpu/chiaro/internal/scalar"

// The operations, by family.
const (
	Bad Op = iota

	// Values.
	Const
	Param
	Arg
	Result

	// ControlFlow.
	Block
	Loop
	If
	Else
	End
	Br
	Switch
	Kill
	Call

	// IntArithmetic.
	Add
	Sub
	Mul
	UMulHi
	SMulHi
	AddCarry
	SubBorrow
	SAbs
	Dot4

	// IntDivision.
	UDiv
	SDiv
	UMod
	SRem
	SMod

	// Bitwise.
	And
	Or
	Xor
	Not

	// Shifts.
	Shl
	LShr
	AShr

	// IntMinMax.
	UMin
	UMax
	SMin
	SMax

	// BitFields.
	BitCount
	BitReverse
	FindLsb
	FindUMsb
	FindSMsb
	BitFieldU
	BitFieldS
	BitFieldMask

	// Comparisons.
	Eq
	ULt
	ULe
	SLt
	SLe
	FEq
	FLt
	FLe

	// FloatArithmetic.
	FAdd
	FSub
	FMul
	FDiv
	FFma
	FSqrt

	// FloatIntegral.
	FFloor
	FCeil
	FTrunc
	FRoundEven

	// FloatSelection.
	FNeg
	FAbs
	FMin
	FMax
	NMin
	NMax

	// FloatScaling.
	FRem
	FLdexp
	FCanon
	FFlush

	// Conversions.
	Bitcast
	SExt
	ZExt
	Trunc
	FCvt
	FToS
	FToU
	SToF
	UToF

	// Choice.
	Select
	Every

	// Handles.
	Res
	Push
	Wg
	Table
	Len
	At
	Region
	RegionOff

	// Memory.
	Ld
	St

	// PrivateMemory.
	PLd
	PSt
	PClr
	PAddr
	PLdI
	PStI

	// Atomics.
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

	// StageInterface.
	In
	InAt
	Interp
	Out
	OutAt
	OutGet
	Emit
	EndPrim
	Trace
	Search
	Shade
	Record
	Report
	Execute

	// Subgroup.
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

	// Synchronization.
	Barrier
	Fence

	// Invocation.
	Demote
	Helper
	ResetBudget
	Count
	CountEdge

	// Messages.
	Log
	LogArg
	LogEvent

	// Rays.
	Ray
	RayI

	numOps
)

// Traits of several rows: of every atomic, of an atomic on floats, and of
// the meets and joins of a lattice, such as and, or, min and max.
const (
	atomic      = Imm | Reads | Writes
	floatAtomic = atomic | DeterminateNaN | Observes
	lattice     = Commute | Idempotent
)

var ops = [numOps]Row{
	Bad: {"bad", "-:", 0, NoFamily, 0, nil, "", "no operation"},

	Const:  {"const", "T:", OnData, Values, Implicit, nil, "", "the bits Aux"},
	Param:  {"param", "T:", OnAny, Values, Implicit, nil, "", "parameter Aux of the label in Args[0]"},
	Arg:    {"arg", "T:", OnAny, Values, Implicit, nil, "", "argument Aux of the function"},
	Result: {"result", "T:", OnAny, Values, Implicit, nil, "", "result Aux of the call in Args[0]"},

	Block:  {"block", "-:", 0, ControlFlow, Control, nil, "", "opens a block; list: parameters"},
	Loop:   {"loop", "-:", 0, ControlFlow, Control, nil, "", "opens a loop; list: parameters, initial values"},
	If:     {"if", "-:b", 0, ControlFlow, Control, nil, "", "opens the first arm, for the lanes whose x is 1"},
	Else:   {"else", "-:", 0, ControlFlow, Control, nil, "", "opens the second arm of the if in Args[0]"},
	End:    {"end", "-:", 0, ControlFlow, Control, nil, "", "closes the opener in Args[0]"},
	Br:     {"br", "-:", 0, ControlFlow, Control | Ends, nil, "", "branches to the label in Args[0]; list: arguments"},
	Switch: {"switch", "-:T", OnInt, ControlFlow, Control | Ends, nil, "", "branches to the first label whose constant is x, or to the one in Args[1]; list: pairs of constant and label"},
	Kill:   {"kill", "-:", 0, ControlFlow, Control | Ends | Writes, nil, "", "ends the invocation"},
	Call:   {"call", "-:", 0, ControlFlow, Writes | Reads | Meets, nil, "", "runs function Aux; list: arguments, results"},

	Add:       {"add", "T:TT", OnInt, IntArithmetic, Commute | ZeroNeutral, i2(scalar.Add), "", "x + y modulo 2ⁿ"},
	Sub:       {"sub", "T:TT", OnInt, IntArithmetic, ZeroNeutral, i2(scalar.Sub), "", "x − y modulo 2ⁿ"},
	Mul:       {"mul", "T:TT", OnInt, IntArithmetic, Commute, i2(scalar.Mul), "", "x·y modulo 2ⁿ"},
	UMulHi:    {"umulhi", "T:TT", OnInt, IntArithmetic, Commute, i2(scalar.UMulHi), "", "high half of the unsigned product"},
	SMulHi:    {"smulhi", "T:TT", OnInt, IntArithmetic, Commute, i2(scalar.SMulHi), "", "high half of the signed product"},
	AddCarry:  {"addcarry", "T:TT", OnInt, IntArithmetic, Commute, i2(scalar.AddCarry), "", "1 if x + y ≥ 2ⁿ, else 0"},
	SubBorrow: {"subborrow", "T:TT", OnInt, IntArithmetic, 0, i2(scalar.SubBorrow), "", "1 if x < y (unsigned), else 0"},
	SAbs:      {"sabs", "T:T", OnInt, IntArithmetic, 0, i1(scalar.SAbs), "", "absolute value; the least number is its own"},
	Dot4:      {"dot4", "i:iii", 0, IntArithmetic, 0, func(_ Key, x, y, z uint64) uint64 { return scalar.Dot4(x, y, z) }, "", "sum of the four products of an unsigned byte of x and a signed byte of y, plus z"},

	UDiv: {"udiv", "T:TT", OnInt, IntDivision, Expensive, i2(scalar.UDiv), "", "unsigned quotient; x/0 is all ones"},
	SDiv: {"sdiv", "T:TT", OnInt, IntDivision, Expensive, i2(scalar.SDiv), "", "signed quotient, toward zero; x/0 is −1; min/−1 is min"},
	UMod: {"umod", "T:TT", OnInt, IntDivision, Expensive, i2(scalar.UMod), "", "unsigned remainder; of 0 all ones"},
	SRem: {"srem", "T:TT", OnInt, IntDivision, Expensive, i2(scalar.SRem), "", "remainder with the sign of x; of 0 it is −1; min by −1 is 0"},
	SMod: {"smod", "T:TT", OnInt, IntDivision, Expensive, i2(scalar.SMod), "", "remainder with the sign of y; of 0 it is −1; min by −1 is 0"},

	And: {"and", "T:TT", OnInt | OnBool, Bitwise, lattice, i2(scalar.And), "", "bitwise and"},
	Or:  {"or", "T:TT", OnInt | OnBool, Bitwise, lattice | ZeroNeutral, i2(scalar.Or), "", "bitwise or"},
	Xor: {"xor", "T:TT", OnInt | OnBool, Bitwise, Commute | ZeroNeutral, i2(scalar.Xor), "", "bitwise exclusive or"},
	Not: {"not", "T:T", OnInt | OnBool, Bitwise, 0, i1(scalar.Not), "", "bitwise complement"},

	Shl:  {"shl", "T:TT", OnInt, Shifts, ZeroNeutral, i2(scalar.Shl), "", "x shifted left by y mod n"},
	LShr: {"lshr", "T:TT", OnInt, Shifts, ZeroNeutral, i2(scalar.LShr), "", "x shifted right by y mod n, zeros enter"},
	AShr: {"ashr", "T:TT", OnInt, Shifts, ZeroNeutral, i2(scalar.AShr), "", "x shifted right by y mod n, the sign enters"},

	UMin: {"umin", "T:TT", OnInt, IntMinMax, lattice, i2(scalar.UMin), "", "unsigned minimum"},
	UMax: {"umax", "T:TT", OnInt, IntMinMax, lattice, i2(scalar.UMax), "", "unsigned maximum"},
	SMin: {"smin", "T:TT", OnInt, IntMinMax, lattice, i2(scalar.SMin), "", "signed minimum"},
	SMax: {"smax", "T:TT", OnInt, IntMinMax, lattice, i2(scalar.SMax), "", "signed maximum"},

	BitCount:     {"bitcount", "T:T", OnInt, BitFields, 0, i1(scalar.BitCount), "", "number of ones"},
	BitReverse:   {"bitreverse", "T:T", OnInt, BitFields, 0, i1(scalar.BitReverse), "", "bits in reverse order"},
	FindLsb:      {"findlsb", "T:T", OnInt, BitFields, 0, i1(scalar.FindLsb), "", "number of the lowest one; −1 for 0"},
	FindUMsb:     {"findumsb", "T:T", OnInt, BitFields, 0, i1(scalar.FindUMsb), "", "number of the highest one; −1 for 0"},
	FindSMsb:     {"findsmsb", "T:T", OnInt, BitFields, 0, i1(scalar.FindSMsb), "", "number of the highest bit that differs from the sign; −1 for 0 and −1"},
	BitFieldU:    {"bitfieldu", "T:Tii", OnInt, BitFields, 0, i3(scalar.BitFieldU), "", "z bits of x from bit y on, zero-extended"},
	BitFieldS:    {"bitfields", "T:Tii", OnInt, BitFields, 0, i3(scalar.BitFieldS), "", "z bits of x from bit y on, sign-extended"},
	BitFieldMask: {"bitfieldmask", "T:ii", OnInt, BitFields, 0, i2(scalar.BitFieldMask), "", "y ones from bit x on"},

	Eq:  {"eq", "b:TT", OnInt | OnBool, Comparisons, Commute, c2(scalar.Eq), "", "x = y"},
	ULt: {"ult", "b:TT", OnInt, Comparisons, 0, c2(scalar.ULt), "", "x < y, unsigned"},
	ULe: {"ule", "b:TT", OnInt, Comparisons, 0, c2(scalar.ULe), "", "x ≤ y, unsigned"},
	SLt: {"slt", "b:TT", OnInt, Comparisons, 0, c2(scalar.SLt), "", "x < y, signed"},
	SLe: {"sle", "b:TT", OnInt, Comparisons, 0, c2(scalar.SLe), "", "x ≤ y, signed"},
	FEq: {"feq", "b:TT", OnFloat, Comparisons, Commute, c2(scalar.FEq), "", "x = y; false if either is NaN"},
	FLt: {"flt", "b:TT", OnFloat, Comparisons, 0, c2(scalar.FLt), "", "x < y; false if either is NaN"},
	FLe: {"fle", "b:TT", OnFloat, Comparisons, 0, c2(scalar.FLe), "", "x ≤ y; false if either is NaN"},

	FAdd:  {"fadd", "T:TT", OnFloat, FloatArithmetic, Rounds, r2(scalar.FAdd), "", "x + y, rounded"},
	FSub:  {"fsub", "T:TT", OnFloat, FloatArithmetic, Rounds, r2(scalar.FSub), "", "x − y, rounded"},
	FMul:  {"fmul", "T:TT", OnFloat, FloatArithmetic, Rounds, r2(scalar.FMul), "", "x·y, rounded"},
	FDiv:  {"fdiv", "T:TT", OnFloat, FloatArithmetic, Rounds | Expensive | LongLatency, r2(scalar.FDiv), "", "x/y, rounded"},
	FFma:  {"ffma", "T:TTT", OnFloat, FloatArithmetic, Rounds, r3(scalar.FFma), "", "x·y + z, rounded once"},
	FSqrt: {"fsqrt", "T:T", OnFloat, FloatArithmetic, Rounds | Expensive | LongLatency, r1(scalar.FSqrt), "", "square root, rounded"},

	FFloor:     {"ffloor", "T:T", OnFloat, FloatIntegral, 0, i1(scalar.FFloor), "", "x rounded to an integral value, downward"},
	FCeil:      {"fceil", "T:T", OnFloat, FloatIntegral, 0, i1(scalar.FCeil), "", "x rounded to an integral value, upward"},
	FTrunc:     {"ftrunc", "T:T", OnFloat, FloatIntegral, 0, i1(scalar.FTrunc), "", "x rounded to an integral value, toward zero"},
	FRoundEven: {"froundeven", "T:T", OnFloat, FloatIntegral, 0, i1(scalar.FRoundEven), "", "x rounded to an integral value, to nearest, ties to even"},

	FNeg: {"fneg", "T:T", OnFloat, FloatSelection, Selects, i1(scalar.FNeg), "", "x with its sign bit flipped, of NaN too"},
	FAbs: {"fabs", "T:T", OnFloat, FloatSelection, Selects, i1(scalar.FAbs), "", "x with its sign bit cleared, of NaN too"},
	FMin: {"fmin", "T:TT", OnFloat, FloatSelection, Selects, i2(scalar.FMin), "", "y if y < x, else x"},
	FMax: {"fmax", "T:TT", OnFloat, FloatSelection, Selects, i2(scalar.FMax), "", "y if x < y, else x"},
	NMin: {"nmin", "T:TT", OnFloat, FloatSelection, Selects, i2(scalar.NMin), "", "minimum; a NaN loses; −0 < +0; of two NaN the canonical one"},
	NMax: {"nmax", "T:TT", OnFloat, FloatSelection, Selects, i2(scalar.NMax), "", "maximum; a NaN loses; −0 < +0; of two NaN the canonical one"},

	FRem:   {"frem", "T:TT", OnFloat, FloatScaling, Expensive, i2(scalar.FRem), "", "x − y·trunc(x/y), exact"},
	FLdexp: {"fldexp", "T:Ti", OnFloat, FloatScaling, 0, i2(scalar.FLdexp), "", "x·2^y (y signed), rounded once to nearest"},
	FCanon: {"fcanon", "T:T", OnFloat, FloatScaling, DeterminateNaN, i1(scalar.FCanon), "", "x; any NaN becomes the canonical one"},
	FFlush: {"fflush", "T:T", OnFloat, FloatScaling, Selects, i1(scalar.FFlush), "", "x; a denormal becomes the zero of its sign"},

	Bitcast: {"bitcast", "T:S", OnBits | FromData, Conversions, DeterminateNaN | Observes, func(_ Key, x, _, _ uint64) uint64 { return x }, "", "the bits of x; S is as wide as T"},
	SExt:    {"sext", "T:S", OnInt | FromInt, Conversions, 0, cv(scalar.SExt), "", "x sign-extended"},
	ZExt:    {"zext", "T:S", OnInt | FromInt | FromBool, Conversions, 0, cv(scalar.ZExt), "", "x zero-extended"},
	Trunc:   {"trunc", "T:S", OnInt | FromInt, Conversions, 0, cv(scalar.Trunc), "", "the low n bits of x"},
	FCvt:    {"fcvt", "T:S", OnFloat | FromFloat, Conversions, Rounds, cr(scalar.FCvt), "", "x in another width, rounded"},
	FToS:    {"ftos", "T:S", OnInt | FromFloat, Conversions, 0, cv(scalar.FToS), "", "x toward zero, signed, saturating; NaN is 0"},
	FToU:    {"ftou", "T:S", OnInt | FromFloat, Conversions, 0, cv(scalar.FToU), "", "x toward zero, unsigned, saturating; NaN is 0"},
	SToF:    {"stof", "T:S", OnFloat | FromInt, Conversions, Rounds | DeterminateNaN, cr(scalar.SToF), "", "the signed x, rounded"},
	UToF:    {"utof", "T:S", OnFloat | FromInt, Conversions, Rounds | DeterminateNaN, cr(scalar.UToF), "", "the unsigned x, rounded"},

	Select: {"select", "T:bTT", OnAny, Choice, Selects, choose, "", "y if x is 1, else z"},
	Every:  {"every", "b:b", 0, Choice, DivergenceSource, func(_ Key, x, _, _ uint64) uint64 { return x }, "", "x, or 0 in all lanes that execute together if x is 0 in one of them: the code must not depend on the choice"},

	Res:       {"res", "h:i", 0, Handles, Imm | Invariant, nil, "i", "descriptor i of resource imm; the null handle (length 0) if i is out of range or nothing is bound"},
	Push:      {"push", "h:", 0, Handles, Invariant, nil, "", "the push constants"},
	Wg:        {"wg", "h:", 0, Handles, Invariant, nil, "", "the workgroup's memory, zero when the group starts"},
	Table:     {"table", "h:", 0, Handles, Imm | Invariant, nil, "", "table imm: constant data of the program"},
	Len:       {"len", "i:h", 0, Handles, Invariant, nil, "h", "the length of h in bytes"},
	At:        {"at", "i:ii", 0, Handles, Imm, func(k Key, x, y, _ uint64) uint64 { return scalar.At(x, y, k.Aux) }, "off i", "off + i·imm, unsigned, saturating at 2³²−1: an offset never wraps back into range"},
	Region:    {"region", "h:l", 0, Handles, Imm | Reads | Invariant | Expensive, nil, "addr", "the live allocation that holds [addr, addr+imm), or the null handle"},
	RegionOff: {"regionoff", "i:hl", 0, Handles, Reads | Invariant, nil, "h addr", "addr − base of h, modulo 2³²; 0 for the null handle"},

	Ld: {"ld", "T:hi", OnBits, Memory, Imm | Reads | DeterminateNaN, nil, "h off", "the value at off+imm; 0 if off+imm+size > len h"},
	St: {"st", "-:hiT", OnBits, Memory, Imm | Writes | Observes, nil, "h off v", "stores v at off+imm; nothing if out of range or for a helper"},

	PLd:   {"pld", "T:i", OnData, PrivateMemory, Imm | Reads | DivergenceSource, nil, "slot", "the value in slot of variable imm; 0 if slot (+1 for 64 bits) ≥ Slots"},
	PSt:   {"pst", "-:iT", OnData, PrivateMemory, Imm | Writes, nil, "slot v", "stores v in slot of variable imm; nothing if out of range"},
	PClr:  {"pclr", "-:", 0, PrivateMemory, Imm | Writes, nil, "", "sets all slots of variable imm to 0"},
	PAddr: {"paddr", "i:", 0, PrivateMemory, Imm | Invariant, nil, "", "the address of variable imm: the number of its first slot in the lane's memory"},
	PLdI:  {"pldi", "T:i", OnData, PrivateMemory, Reads | DivergenceSource, nil, "addr", "the value at an address; 0 if outside the private memory"},
	PStI:  {"psti", "-:iT", OnData, PrivateMemory, Writes, nil, "addr v", "stores v at an address; nothing if outside the private memory"},

	AtomXchg:    {"atomxchg", "T:hiT", OnBits, Atomics, floatAtomic, nil, "h off v", "stores v"},
	AtomCmpXchg: {"atomcmpxchg", "T:hiTT", OnInt, Atomics, atomic, nil, "h off v old", "stores v if the value there is old"},
	AtomAdd:     {"atomadd", "T:hiT", OnInt, Atomics, atomic, nil, "h off v", "adds v as add"},
	AtomSMin:    {"atomsmin", "T:hiT", OnInt, Atomics, atomic, nil, "h off v", "combines with v as smin"},
	AtomSMax:    {"atomsmax", "T:hiT", OnInt, Atomics, atomic, nil, "h off v", "combines with v as smax"},
	AtomUMin:    {"atomumin", "T:hiT", OnInt, Atomics, atomic, nil, "h off v", "combines with v as umin"},
	AtomUMax:    {"atomumax", "T:hiT", OnInt, Atomics, atomic, nil, "h off v", "combines with v as umax"},
	AtomAnd:     {"atomand", "T:hiT", OnInt, Atomics, atomic, nil, "h off v", "combines with v as and"},
	AtomOr:      {"atomor", "T:hiT", OnInt, Atomics, atomic, nil, "h off v", "combines with v as or"},
	AtomXor:     {"atomxor", "T:hiT", OnInt, Atomics, atomic, nil, "h off v", "combines with v as xor"},
	AtomFAdd:    {"atomfadd", "T:hiT", OnFloat, Atomics, floatAtomic, nil, "h off v", "adds v as fadd; a NaN is canonical"},
	AtomFMin:    {"atomfmin", "T:hiT", OnFloat, Atomics, floatAtomic, nil, "h off v", "combines with v as nmin"},
	AtomFMax:    {"atomfmax", "T:hiT", OnFloat, Atomics, floatAtomic, nil, "h off v", "combines with v as nmax"},

	In:      {"in", "T:", OnData, StageInterface, Imm | Invariant, nil, "", "input imm of this invocation"},
	InAt:    {"inat", "T:i", OnData, StageInterface, Imm, nil, "i", "input imm of vertex i of the primitive or patch; 0 if there is no such vertex"},
	Interp:  {"interp", "T:ff", OnFloat, StageInterface, Imm, nil, "dx dy", "input imm at the pixel's center plus (dx, dy) pixels, x to the right and y down, whatever its Sampling"},
	Out:     {"out", "-:T", OnData, StageInterface, Imm | Writes | Observes, nil, "v", "output imm becomes v"},
	OutAt:   {"outat", "-:iT", OnData, StageInterface, Imm | Writes | Observes, nil, "i v", "output imm of vertex i of the patch or of vertex or primitive i of the mesh becomes v; nothing if there is none"},
	OutGet:  {"outget", "T:i", OnData, StageInterface, Imm | Reads | DeterminateNaN, nil, "i", "the current value of output imm of vertex or primitive i; 0 if there is none"},
	Emit:    {"emit", "-:", 0, StageInterface, Imm | Writes, nil, "", "the current outputs of stream imm become its next vertex"},
	EndPrim: {"endprim", "-:", 0, StageInterface, Imm | Writes, nil, "", "ends the primitive of stream imm"},
	Trace:   {"trace", "-:i", 0, StageInterface, Reads | Writes, nil, "frame", "traces the ray of the frame at an address and runs the shaders of its hits"},
	Search:  {"search", "-:i", 0, StageInterface, Reads | Writes, nil, "object", "traces the ray of the hit object at an address and runs no shader of its end"},
	Shade:   {"shade", "-:i", 0, StageInterface, Reads | Writes, nil, "object", "runs the shader of the record of the hit object at an address"},
	Record:  {"record", "l:i", 0, StageInterface, Reads, nil, "object", "the device address of the data in the record of the hit object at an address; 0 if there is no record"},
	Report:  {"report", "b:fi", 0, StageInterface, Reads | Writes, nil, "t kind", "reports a hit in the candidate, a bounding box: 1 if it becomes the committed hit"},
	Execute: {"execute", "-:ii", 0, StageInterface, Reads | Writes, nil, "index data", "runs the callable shader of record index with the data at an address"},

	Elect:    {"elect", "b:", 0, Subgroup, Meets, nil, "", "1 in the lowest active lane"},
	Any:      {"any", "b:b", 0, Subgroup, Meets, nil, "", "1 if x is 1 in any active lane"},
	All:      {"all", "b:b", 0, Subgroup, Meets, nil, "", "1 if x is 1 in all active lanes"},
	AllEq:    {"alleq", "b:T", OnData, Subgroup, Meets, nil, "", "1 if x is equal in all active lanes, floats by feq"},
	Ballot:   {"ballot", "i:b", 0, Subgroup, Imm | Meets, nil, "", "word imm of the mask of lanes whose x is 1: lanes 32·imm to 32·imm+31"},
	Shuf:     {"shuf", "T:Ti", OnData, Subgroup, Meets | DeterminateNaN | Observes, nil, "", "x of lane y; 0 if that lane is inactive"},
	QuadSwap: {"quadswap", "T:T", OnData, Subgroup, Imm | Meets | Observes, nil, "", "x of the lane of the quad whose number is this lane's xor imm, 0 to 3; this lane's x if that lane is inactive"},
	Reduce:   {"reduce", "T:T", OnData, Subgroup, Combine | Meets, nil, "", "all x of the cluster combined"},
	ScanI:    {"scani", "T:T", OnData, Subgroup, Combine | Meets, nil, "", "inclusive scan of x"},
	ScanX:    {"scanx", "T:T", OnData, Subgroup, Combine | Meets, nil, "", "exclusive scan of x"},

	Barrier: {"barrier", "-:", 0, Synchronization, Meets | Reads | Writes, nil, "", "waits until every subgroup of the workgroup has arrived; orders memory as fence does"},
	Fence:   {"fence", "-:", 0, Synchronization, Meets | Reads | Writes, nil, "", "orders the accesses before it against the accesses after it"},

	Demote:      {"demote", "-:", 0, Invocation, Writes, nil, "", "the lane becomes a helper"},
	Helper:      {"helper", "b:", 0, Invocation, Reads | DivergenceSource, nil, "", "1 if the lane is a helper"},
	ResetBudget: {"resetbudget", "-:", 0, Invocation, Meets | Writes, nil, "", "resets the step budget of the subgroup"},
	Count:       {"count", "-:h", 0, Invocation, Imm | Meets | Reads | Writes, nil, "h", "counts the active lanes and the subgroup"},
	CountEdge:   {"countedge", "-:hb", 0, Invocation, Imm | Meets | Reads | Writes, nil, "h x", "counts the active lanes whose x is 1, and the subgroup if there is one"},

	Log:      {"log", "-:", 0, Messages, Imm | Writes, nil, "", "begins message imm of the lane"},
	LogArg:   {"logarg", "-:T", OnData, Messages, Writes | Observes, nil, "v", "adds v to the lane's last message"},
	LogEvent: {"logevent", "-:Ti", OnData, Messages, Imm | Writes, nil, "at element", "a message imm of the lane, with the values of its event: both, or the first alone"},

	Ray:  {"ray", "-:ii", 0, Rays, Imm | Reads | Writes, nil, "slot request", "serves a request on the ray at slot of variable imm; nothing if it does not fit in the variable"},
	RayI: {"rayi", "-:ii", 0, Rays, Reads | Writes, nil, "addr request", "serves a request on the ray at an address; nothing if it does not fit in the private memory"},
}

func choose(_ Key, x, y, z uint64) uint64 {
	if x != 0 {
		return y
	}
	return z
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

// c2 is a comparison: the width is the operands' width.
func c2(f func(w uint8, x, y uint64) bool) Eval {
	return func(k Key, x, y, _ uint64) uint64 {
		if f(k.From.Bits(), x, y) {
			return 1
		}
		return 0
	}
}

// r1, r2 and r3 round to nearest even, or toward zero with the flag RTZ.
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
