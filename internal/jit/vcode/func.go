package vcode

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Reg is a virtual register of one function; 0 is none.
type Reg int32

// Class is the kind of a register.
type Class uint8

// The classes.
const (
	Mask Class = 1 + iota // a bit a lane
	Vec                   // 32 bits a lane
	Wide                  // 64 bits a lane
	Gen                   // one number of up to 64 bits for all lanes

	NumClasses
)

// ClassOf returns the class that holds values of type t. A handle is 32 bits:
// its place in a table.
func ClassOf(t ir.Type) Class {
	switch t {
	case ir.B1:
		return Mask
	case ir.I64, ir.F64:
		return Wide
	}
	return Vec
}

// Op is what an instruction does.
type Op uint8

// The operations. Registers are as in Inst: d for Defs, u for Uses, m for
// Masks.
const (
	Undef      Op = iota // d0 is anything from here on
	Copy                 // d0 = u0 for the lanes of m0; all lanes where there is no mask
	And                  // d0 = u0 & u1, masks
	AndNot               // d0 = u0 &^ u1, masks
	Or                   // d0 = u0 | u1, masks
	Lane                 // d0 = the IR operation of u…, one part, for the lanes of m0
	Strip                // d… = the IR operation of u…, all parts, for the lanes of m…
	Arg                  // d0 = argument Aux of the function
	SetResult            // result Aux of the function = u0
	Call                 // d… = function Target of u…
	Barrier              // all subgroups of the workgroup meet
	Step                 // counts a step for the lanes of m…, leaves where told to or beyond the budget
	Jump                 // goes to block Target
	JumpIfNone           // goes to block Target if no lane is in m…
	JumpIfZero           // goes to block Target if u0, a Gen, is 0; where there are two, if the IR comparison of them does not hold
	Return               // leaves the function
	Guard                // leaves for function Target, with the arguments of this one, unless u0 + Step < u1, or <= as IR says: Gen, 32 bits, added without wrapping

	Scalar          // d0 = the IR operation of u…, Gen all; a handle is its place in the table in bytes
	Broadcast       // d0, a Vec or Mask = u0, a Gen, in every lane
	Extract         // d0, a Gen = what all lanes of u0 hold
	RowIn           // d0, a Gen = the built-in of the first lane of the part; u0, where there is one, is so many lanes further, as with Lane
	RowBase         // d0 = u0 + u1·Stride, Gen all, 64 bits
	RowLoad         // d… = the IR load from handle u0 at min(u2 + (u3 + Step·lane)·Stride, 2³²−1); u1 is the RowBase; of several parts, lanes go on from part to part
	RowStore        // stores u4… there
	Gather          // d0 = the IR load from handle u0, a Gen, at the offsets u1; d1, where there is one, the word behind it; d2 and d3, where there is a u2, the same there
	Scatter         // stores u2 there
	Atomic          // d0, or nothing = the IR atomic on handle u0, a Gen, at the offsets u1, of u2…
	AtomicLocal     // the same on memory that no other thread sees
	Spread          // d0 = the IR load of 32 bits from handle u0 at the offset u1, both Gen, in every lane
	Pick            // d0 = the IR load of 32 bits from handle u0, a Gen, at 4·u1, of u1 modulo 16; all sixteen words are read, those beyond the end as 0
	SlotLoad        // d0 = slot u0, a Gen, of private variable Aux
	SlotStore       // stores u1 there
	Window          // d0 = the address of the offset u1 in handle u0 where Aux bytes from there on can be read, else 0
	StoreWindow     // the same where they can be written; of either, Sure: else leaves as Guard does
	Halves          // d0, d1, Gen = what the first lane of u0 and the one in the middle hold, where each half of the lanes holds numbers that grow by four from lane to lane, modulo 2³²; else d0 is negative, of 64 bits
	HalfWindow      // d0, d1 = the addresses of the offsets u1 + u2 and u1 + u3, modulo 2³², in handle u0, where half a register can be read Aux bytes from each on; else d0 is 0: u2 and u3 are of a Halves
	StoreHalfWindow // the same where it can be written
	Own             // d0 = an operation of the machine's own, Fused, of u…; a Mask is empty outside m0
)

var opNames = [...]string{
	Undef: "undef", Copy: "copy", And: "and", AndNot: "andnot", Or: "or", Lane: "lane", Strip: "strip",
	Arg: "arg", SetResult: "setresult", Call: "call", Barrier: "barrier",
	Step: "step", Jump: "jump", JumpIfNone: "jumpifnone", JumpIfZero: "jumpifzero", Return: "return", Guard: "guard",
	Scalar: "scalar", Broadcast: "broadcast", Extract: "extract", RowIn: "rowin", RowBase: "rowbase",
	RowLoad: "rowload", RowStore: "rowstore", Gather: "gather", Scatter: "scatter", Spread: "spread", Pick: "pick", Atomic: "atomic", AtomicLocal: "atomiclocal", SlotLoad: "slotload", SlotStore: "slotstore", Window: "window", StoreWindow: "storewindow", Halves: "halves", HalfWindow: "halfwindow", StoreHalfWindow: "storehalfwindow", Own: "own",
}

// String returns the printed form, such as "andnot".
func (o Op) String() string { return opNames[o] }

// Jumps reports whether Target is a block.
func (o Op) Jumps() bool { return o == Jump || o == JumpIfNone || o == JumpIfZero }

// Inst is one instruction.
type Inst struct {
	Op                Op
	Part              uint8 // which register of the strip, for Lane
	Held              bool  // the last of Uses is the Window of a RowLoad, RowStore, Spread or load of a word; the last two are the HalfWindow of a Gather or Scatter, whose offsets are the sum of u1 and the Gen before those
	Sure              bool  // offsets are known to be in range, and aligned; of an access that is Held, that the Window is not 0; of an At, that it does not saturate; of a shift in lanes, that the count is less than the width
	Keep              bool  // lanes outside Masks keep what d has; else they become anything
	Fused             uint8 // of Own: its number, which only the machine knows
	IR                ir.Op // the IR operation of Lane and Strip, and for Step the loop or call
	Defs, Uses, Masks []Reg
	Target            int    // block or function
	Step, Stride      uint32 // of the offsets of a row; of a Lane that is an access, where Stride is not 0 Uses end with those of the RowLoad or RowStore that it may be
	Next              uint32 // a RowLoad in the next workgroup is likely to be so many bytes further; where lane Next−1 of a Gather is, what runs soon is likely to go on as it does from lane 0; 0 where nobody knows
	Words             uint64 // of a Window that is never 0: which words from u1 on are read; where they are not all in range they are copied, with zeros for those that are not
	Ahead             uint32 // a RowLoad or RowStore is at u3 + Ahead in place of u3, Ahead·Stride further than u1

	// Of the IR operation.
	Key    ir.Key // Aux is that of Arg and SetResult too
	Value  ir.V
	Origin int32
}

// Leaves reports whether Target is a function that may go on in place of this one.
func (in *Inst) Leaves() bool {
	return in.Op == Guard || in.Sure && (in.Op == Window || in.Op == StoreWindow)
}

// Block is a run of instructions that is entered at its start. Where the last
// is no Jump or Return, the next block follows.
type Block struct {
	Insts []Inst
}

// Func is the code of one function for a strip of Parts·Form.Lanes lanes.
type Func struct {
	Name    string
	Form    Form
	Parts   int
	Classes []Class // of each register; entry 0 is no register
	Args    []Class // of the arguments
	Results []Class // of the results
	Blocks  []Block // in the order of their code; the first is the entry

	fixed     []int32 // of each register: its place in constants, from 1 on; as far as there are any
	constants []constant
}

// constant is what a register always holds: bits in every lane, or where step
// is not 0, bits + step·lane.
type constant struct {
	bits uint64
	step uint32
}

// NewReg returns a new register.
func (f *Func) NewReg(c Class) Reg {
	if len(f.Classes) == 0 {
		f.Classes = append(f.Classes, 0)
	}
	f.Classes = append(f.Classes, c)
	return Reg(len(f.Classes) - 1)
}

// NewConst returns a register that holds the same bits in every lane, always.
func (f *Func) NewConst(c Class, bits uint64) Reg {
	r := f.NewReg(c)
	f.Fix(r, bits)
	return r
}

// NewSequence returns a Vec that always holds first + step·lane, modulo 2³².
func (f *Func) NewSequence(first, step uint32) Reg {
	r := f.NewReg(Vec)
	f.fix(r, constant{bits: uint64(first), step: step})
	return r
}

// Fix makes r a register that always holds the same, for which nothing is left
// that writes it.
func (f *Func) Fix(r Reg, bits uint64) { f.fix(r, constant{bits: bits}) }

func (f *Func) fix(r Reg, c constant) {
	if int(r) >= len(f.fixed) {
		f.fixed = append(f.fixed, make([]int32, max(int(r)+1, 2*len(f.fixed), 64)-len(f.fixed))...)
	}
	f.constants = append(f.constants, c)
	f.fixed[r] = int32(len(f.constants))
}

// Const returns the bits of a register that NewConst or Fix made one that always
// holds the same.
func (f *Func) Const(r Reg) (bits uint64, ok bool) {
	if !f.Fixed(r) {
		return 0, false
	}
	if c := &f.constants[f.fixed[r]-1]; c.step == 0 {
		return c.bits, true
	}
	return 0, false
}

// Sequence returns what lane 0 of a register made by NewSequence holds, and the
// step.
func (f *Func) Sequence(r Reg) (first, step uint32, ok bool) {
	if !f.Fixed(r) {
		return 0, 0, false
	}
	if c := &f.constants[f.fixed[r]-1]; c.step != 0 {
		return uint32(c.bits), c.step, true
	}
	return 0, 0, false
}

// Fixed reports whether a register always holds the same: nothing defines it,
// and it needs no place.
func (f *Func) Fixed(r Reg) bool { return int(r) < len(f.fixed) && f.fixed[r] != 0 }
