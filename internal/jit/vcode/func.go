package vcode

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Reg is a virtual register of one function; 0 is no register.
type Reg int32

// Class is the kind of a register. Form.Size returns the size of each.
type Class uint8

// The register classes.
const (
	Mask Class = 1 + iota // one truth value per lane
	Vec                   // 32 bits per lane
	Wide                  // 64 bits per lane
	Gen                   // a scalar of up to 64 bits, for all lanes

	NumClasses
)

// ClassOf returns the class that holds values of type t in all lanes. A handle is a Vec: its 32-bit index in
// the handle table.
func ClassOf(t ir.Type) Class {
	switch t {
	case ir.B1:
		return Mask
	case ir.I64, ir.F64:
		return Wide
	}
	return Vec
}

// NearSide and FarSide are flags of Key.Aux of a Strip QuadSwap with one part, all lanes of which are active: d0 is u0 of the lane in
// the first column or row of the quad, or of the one in the second, in place of the partner's. Form.QuadSides permits them.
const (
	NearSide = 4
	FarSide  = 8
)

// Op is the operation code of an instruction.
type Op uint8

// The operations. In the comments d0, d1, … are the registers of Inst.Defs, u0, u1, … of Inst.Uses and m0,
// m1, … of Inst.Masks, and Aux is Inst.Key.Aux. A handle in a Gen is its byte offset in the handle table.
// Offsets are in bytes. Unless a comment specifies otherwise, loads out of range yield 0 and stores out of
// range are discarded (robust buffer access).
const (
	// Values and masks.

	Undef  Op = iota // d0 is undefined: it holds any value from here on.
	Copy             // d0 = u0 in the lanes of m0, or in all lanes if there is no mask.
	And              // d0 = u0 & u1; all three are masks.
	AndNot           // d0 = u0 &^ u1; all three are masks.
	Or               // d0 = u0 | u1; all three are masks.

	// Lane is an element-wise operation on one part of the strip, number Part: d0 = the IR operation of u0,
	// u1, … in the lanes of m0.
	Lane

	// Strip is an operation on all parts of the strip, because lanes communicate or because there is no
	// element-wise code: d0, d1, … = the IR operation of u0, u1, … in the lanes of m0, m1, …
	Strip

	// Functions and control flow.

	Arg       // d0 = argument Aux of the function.
	SetResult // Result Aux of the function = u0.
	Call      // d0, d1, … = the results of function Target, called with u0, u1, …
	Barrier   // Control barrier: continues after all subgroups of the workgroup have arrived.

	// Step is a safepoint, one per loop iteration and call. It counts one step of the subgroup, and exits to
	// Go if the job was stopped, if the Go scheduler requests the thread, or if the step budget is exhausted.
	// m0, m1, … are the active lanes, for the error message. With u0, a Gen, it is a step of the subgroup that begins at lane u0 of
	// the workgroup, which has Aux parts: the current iteration of a work-item loop. A Proven one counts no step: the budget is reset
	// before the next count.
	Step

	Jump       // Jumps to block Target.
	JumpIfNone // Jumps to block Target if m0, m1, … are all empty.

	// JumpIfZero jumps to block Target if u0, a Gen of 64 bits, is 0. With u1 it is a fused compare and branch: it jumps
	// if the comparison IR of u0 and u1 is false.
	JumpIfZero

	Return // Returns from the function.

	// Guard is a speculation guard: if the comparison u0 + Step < u1 is false it bails out, that is it
	// tail-calls function Target, the general version of this one, with the same arguments. IR selects the
	// comparison: <, <= or =, signed or unsigned. u0 and u1 are 32-bit Gens; the sum does not wrap.
	Guard

	// Uniform values, in general-purpose registers.

	Scalar    // d0 = the IR operation of u0, u1, …; all are Gens.
	Broadcast // d0, a Vec or Mask = u0, a Gen, in every lane (splat).
	Extract   // d0, a Gen = the value of u0, which is the same in all lanes.

	// InputBase is the first element of a strided built-in: d0, a Gen = input Aux in the first lane of part
	// Part. With u0, a Gen, in the lane u0 lanes after it: the current iteration of a work-item loop. A Lane
	// operation ir.In has the same u0.
	InputBase

	StridedBase // d0 = u0 + u1·Stride, 64-bit Gens: the offset of the first element of a strided access.

	// LinearEnd is the last number of an arithmetic progression: d0 = min(u0 + u1·u2, 2³²−1). All are Gens, of
	// 32 bits; the sum has 64 bits.
	LinearEnd

	LaunchLoad  // d0, a Gen = word Aux of the worker's words for the values of a launch, all of which are 0 before its first workgroup.
	LaunchStore // Word Aux of these words = u0, a Gen.

	// Memory.

	// StridedLoad loads from offsets that are an affine function of the lane: d0, d1, … = the IR load from
	// handle u0, in lane i at the offset min(u2 + (u3 + Step·i)·Stride, 2³²−1). u1 is the StridedBase of u2
	// and u3. All uses are Gens. i counts on from part to part, so that one bounds check serves all parts.
	// Step·Stride is 4 (contiguous), or a greater multiple of 4 (Form.Records).
	StridedLoad

	StridedStore // Stores u4, u5, … to the offsets of a StridedLoad with the same u0 to u3.

	// Gather loads from varying offsets: d0 = the IR load of 8, 16 or 32 bits from handle u0, a Gen, at the
	// offset u1 of each lane. d1, if present, is the word after it. With u2, d2 and d3 are the two words at the
	// offset u2: the second row of the 2×2 texels of a bilinear filter.
	Gather

	Scatter // Stores u2 to handle u0 at the offset u1 of each lane.

	// Atomic is the IR atomic on handle u0, a Gen, at the offset u1 of each lane, with the operands u2 and
	// u3. d0, if present, is the old value.
	Atomic

	AtomicLocal   // Atomic on workgroup memory. Only this thread accesses it, so that no lock prefix is needed.
	BroadcastLoad // d0 = the 32-bit IR load from handle u0 at the offset u1, both Gens, in every lane (splat).

	// TableLookup is a lookup in a table of 16 words in registers (permute): d0 = the 32-bit IR load from
	// handle u0, a Gen, at the offset 4·(u1 mod 16) of each lane. It loads all 16 words, words out of range
	// as 0.
	TableLookup

	Slide // d0 = the lanes from Aux on of u0 and u1 side by side, Vecs; 0 < Aux < Form.Lanes.

	SlotLoad  // d0 = slot u0, a Gen, of private variable Aux. The slot is in range. A u1, a Gen, is a number of lanes to add to the lanes of Part.
	SlotStore // Slot u0, a Gen, of private variable Aux = u1. The slot is in range. A u2 is like u1 of SlotLoad; the slot is constant then.

	// Bounds checks, shared by several accesses.

	// BoundsCheck is a hoisted bounds check: d0, a Gen = the address of the offset u1 in handle u0 if the Aux
	// bytes from there on are readable, else 0. A Proven one never yields 0: it bails out to function Target,
	// as Guard.
	BoundsCheck

	StoreBoundsCheck // BoundsCheck for writable bytes.

	// TwoRuns detects a split access: two runs of consecutive words, one in each half of a register, as from
	// the two runs of an 8×2 workgroup. If the offsets u0 grow by 4 from lane to lane within each half,
	// modulo 2³², then d0 and d1, Gens, are the offsets in the first lane of each half; else d0 is negative,
	// in 64 bits.
	TwoRuns

	// TwoRunsCheck is a hoisted bounds check for a split access: d0, d1 = the addresses of the offsets u1 +
	// u2 and u1 + u3, modulo 2³², in handle u0 if half a register is readable Aux bytes after each; else d0
	// is 0. u2 and u3 are the results of a TwoRuns; a negative u2 fails the check.
	TwoRunsCheck

	StoreTwoRunsCheck // TwoRunsCheck for writable bytes.

	// Window finds the window of several gathers with equal offsets and masks: d1 = the distance of each lane's offset u1 from the
	// first lane's, in words. d0, a Gen, is the address of the first lane's offset in handle u0 if all lanes of m0 are in a
	// window of the machine's size from there on, and the Aux bytes from there on are readable; else 0.
	Window

	// Own is an operation of the machine, number Fused: d0 = its result for u0, u1, … A Mask d0 is empty
	// outside m0. Form.Fuse forms it from several other instructions.
	Own
)

var opNames = [...]string{
	Undef: "undef", Copy: "copy", And: "and", AndNot: "andnot", Or: "or", Lane: "lane", Strip: "strip",
	Arg: "arg", SetResult: "setresult", Call: "call", Barrier: "barrier",
	Step: "step", Jump: "jump", JumpIfNone: "jumpifnone", JumpIfZero: "jumpifzero", Return: "return", Guard: "guard",
	Scalar: "scalar", Broadcast: "broadcast", Extract: "extract", InputBase: "inputbase", StridedBase: "stridedbase", LinearEnd: "linearend", LaunchLoad: "launchload", LaunchStore: "launchstore",
	StridedLoad: "stridedload", StridedStore: "stridedstore", Gather: "gather", Scatter: "scatter",
	BroadcastLoad: "broadcastload", TableLookup: "tablelookup", Slide: "slide", Atomic: "atomic", AtomicLocal: "atomiclocal", SlotLoad: "slotload", SlotStore: "slotstore",
	BoundsCheck: "boundscheck", StoreBoundsCheck: "storeboundscheck", TwoRuns: "tworuns", TwoRunsCheck: "tworunscheck", StoreTwoRunsCheck: "storetworunscheck", Window: "window", Own: "own",
}

// String returns the name in the text form, such as "andnot".
func (o Op) String() string { return opNames[o] }

// Jumps reports whether Target of the operation is a block.
func (o Op) Jumps() bool { return o == Jump || o == JumpIfNone || o == JumpIfZero }

// Inst is one instruction. The meaning of several fields depends on Op; fields without meaning are zero.
type Inst struct {
	Op   Op
	Part uint8 // of Lane and InputBase: the part of the strip, from 0

	// Checked marks a memory access that relies on an earlier bounds check. The last of Uses is then the
	// result of the BoundsCheck of a StridedLoad, StridedStore, BroadcastLoad or Scalar load; the access is
	// at this address + Aux, or on the slow path if the address is 0. The last two of Uses are the results of
	// the TwoRunsCheck of a Gather or Scatter, and the Gen before them is a uniform addend of the offsets u1; of a Gather with four
	// of them, the results of its Window.
	Checked bool

	// Proven marks a precondition that needs no test. Of a memory access: the offsets are in range and
	// aligned; if Checked: the address is not 0. Of the IR operation At: it does not saturate. Of a shift:
	// the count is less than the width. Of a BoundsCheck, see there.
	Proven bool

	Merging           bool  // lanes outside Masks preserve d0; else they become undefined
	Fused             uint8 // of Own: the machine's number of the operation
	IR                ir.Op // of Lane, Strip, Scalar and memory accesses: the operation; of Step: the loop or call
	Defs, Uses, Masks []Reg
	Target            int // index of a block or function

	// Step, in indices per lane, and Stride, in bytes per index, describe a StridedLoad or StridedStore. If
	// Stride is not 0, a Lane that is a load or store may be turned into such an access, with the last
	// registers of its Uses.
	Step, Stride uint32

	// Quads marks a Gather whose offsets are equal in each group of four lanes from a multiple of four on, and whose mask
	// has all lanes of a group or none. It is a permission to load once for a group.
	Quads bool

	// Bytes marks a Gather of words of a constant table of 256 words, at offsets that are multiples of 4 below 1024 in the
	// lanes of the mask. It is a permission to load the whole table.
	Bytes bool

	// Distances of a Gather of 32 bits, if not nil, are the distances of the offsets u1 in all lanes, active or not, from the one in lane 0, in
	// bytes. The offset of lane 0 may have saturated at 2³²−1; then none is in range. If Proven, the words of all lanes are in range.
	Distances []uint16

	// Prefetch is a hint; 0 is none. Of a StridedLoad or BroadcastLoad it is the distance in bytes to the
	// address that the next workgroup is likely to load. Of a Gather it is p+1 if the next strip's offsets
	// are likely to be u1 + (u1 in lane p) − (u1 in lane 0).
	Prefetch uint32

	// Limit of an Atomic of 32 bits, if not 0, is a bound of its words: the offsets of the active lanes are multiples of 4, and each of
	// these words ends at byte Limit of the memory or before.
	Limit uint32

	// WordMask, if not 0, makes a BoundsCheck total: bit i is set if an access reads word i after u1. If the
	// Aux bytes are not all in range, the check copies these words to the stack frame, words out of range as
	// 0, and yields the address of the copy.
	WordMask uint64

	IndexOffset uint32 // a constant addend of u3 of a StridedLoad or StridedStore, which u1 does not include

	// Of the IR operation.
	Key    ir.Key // types, flags and immediate; Arg, SetResult and BoundsCheck use Aux too
	Value  ir.V
	Origin int32
}

// BailsOut reports whether the instruction may tail-call function Target, the general version of this one.
func (in *Inst) BailsOut() bool {
	return in.Op == Guard || in.Proven && (in.Op == BoundsCheck || in.Op == StoreBoundsCheck)
}

// FirstLane returns the number of lanes that a SlotLoad or SlotStore adds to the lanes of its part, and whether it has one.
func (in *Inst) FirstLane() (r Reg, ok bool) {
	n := 1
	if in.Op == SlotStore {
		n = 2
	}
	if n == len(in.Uses) {
		return 0, false
	}
	return in.Uses[n], true
}

// Block is a basic block: control enters at its first instruction. It falls through to the next block unless
// it ends with a Jump or Return.
type Block struct {
	Insts []Inst

	// Far is a hint: the block rarely runs. The machine may place its code apart, so that the usual path is contiguous.
	Far bool
}

// Func is the code of one function for a strip of Parts·Form.Lanes lanes.
type Func struct {
	Name    string
	Form    Form
	Parts   int
	Classes []Class // class of each register; entry 0 is unused
	Args    []Class // classes of the arguments
	Results []Class // classes of the results
	Blocks  []Block // in layout order; the first is the entry

	constIndex []int32 // for each register 1 + its index in constants, or 0; may be shorter than Classes
	constants  []constant
}

// constant is the fixed value of a register: bits in every lane or, if step is not 0, bits + step·lane.
type constant struct {
	bits uint64
	step uint32
}

// NewReg returns a new register of class c.
func (f *Func) NewReg(c Class) Reg {
	if len(f.Classes) == 0 {
		f.Classes = append(f.Classes, 0)
	}
	f.Classes = append(f.Classes, c)
	return Reg(len(f.Classes) - 1)
}

// NewConst returns a new register with the constant value bits in every lane. No instruction defines it, and
// it needs no physical register: each use rematerializes it.
func (f *Func) NewConst(c Class, bits uint64) Reg {
	r := f.NewReg(c)
	f.SetConst(r, bits)
	return r
}

// NewSequence returns a new Vec with the constant value first + step·lane, modulo 2³² (an iota vector).
func (f *Func) NewSequence(first, step uint32) Reg {
	r := f.NewReg(Vec)
	f.setConst(r, constant{bits: uint64(first), step: step})
	return r
}

// SetConst makes r a constant with the value bits in every lane. The caller must have removed all
// instructions that define r.
func (f *Func) SetConst(r Reg, bits uint64) { f.setConst(r, constant{bits: bits}) }

func (f *Func) setConst(r Reg, c constant) {
	if int(r) >= len(f.constIndex) {
		f.constIndex = append(f.constIndex, make([]int32, max(int(r)+1, 2*len(f.constIndex), 64)-len(f.constIndex))...)
	}
	f.constants = append(f.constants, c)
	f.constIndex[r] = int32(len(f.constants))
}

// Const returns the bits of r if it is a constant with the same bits in every lane.
func (f *Func) Const(r Reg) (bits uint64, ok bool) {
	if !f.IsConst(r) {
		return 0, false
	}
	if c := &f.constants[f.constIndex[r]-1]; c.step == 0 {
		return c.bits, true
	}
	return 0, false
}

// Sequence returns the value in lane 0 and the step of r if it is a register of NewSequence.
func (f *Func) Sequence(r Reg) (first, step uint32, ok bool) {
	if !f.IsConst(r) {
		return 0, 0, false
	}
	if c := &f.constants[f.constIndex[r]-1]; c.step != 0 {
		return uint32(c.bits), c.step, true
	}
	return 0, 0, false
}

// IsConst reports whether r is a constant or a sequence: no instruction defines it, and it needs neither a
// physical register nor a stack slot.
func (f *Func) IsConst(r Reg) bool { return int(r) < len(f.constIndex) && f.constIndex[r] != 0 }

// Each calls do for every instruction.
func (f *Func) Each(do func(*Inst)) {
	for b := range f.Blocks {
		for i := range f.Blocks[b].Insts {
			do(&f.Blocks[b].Insts[i])
		}
	}
}

// Len returns the number of instructions.
func (f *Func) Len() int {
	n := 0
	for b := range f.Blocks {
		n += len(f.Blocks[b].Insts)
	}
	return n
}
