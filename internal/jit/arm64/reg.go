package arm64

import "strconv"

// Reg is a register number, 0 to 31. The instruction determines the register file, and whether the general register 31 is the zero
// register or the stack pointer.
type Reg uint8

// General registers.
const (
	X0 Reg = iota
	X1
	X2
	X3
	X4
	X5
	X6
	X7
	X8
	X9
	X10
	X11
	X12
	X13
	X14
	X15
	X16
	X17
	X18 // the platform's
	X19
	X20
	X21
	X22
	X23
	X24
	X25
	X26
	X27
	X28
	X29
	X30
	ZR          // the zero register
	SP    = ZR  // the stack pointer
	FP    = X29 // the frame pointer
	LR    = X30 // the return address
	NoReg = Reg(0xff)
)

// Cond is a condition on the flags, as encoded.
type Cond uint8

// The conditions. After a comparison of x with y, HS to LS are of unsigned x and y, GE to LE of signed ones.
const (
	EQ Cond = iota
	NE
	HS // ≥, or carry
	LO // <
	MI
	PL
	VS
	VC
	HI // >
	LS // ≤
	GE
	LT
	GT
	LE
	AL
)

var condNames = [...]string{"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"}

// String returns the condition as in listings, such as "eq".
func (c Cond) String() string { return condNames[c] }

// Not returns the opposite condition.
func (c Cond) Not() Cond { return c ^ 1 }

// Arr is the arrangement of a vector operand: log₂ of the bytes of a lane times 2, plus 1 if the operand has 128 bits.
type Arr uint8

// The arrangements.
const (
	B8 Arr = iota
	B16
	H4
	H8
	S2
	S4
	D1
	D2
)

var arrNames = [...]string{"8b", "16b", "4h", "8h", "2s", "4s", "1d", "2d"}

// String returns the arrangement as in listings, such as "4s".
func (a Arr) String() string { return arrNames[a] }

// size returns log₂ of the bytes of a lane.
func (a Arr) size() uint32 { return uint32(a >> 1) }

// lane returns the letter of the lanes' size.
func (a Arr) lane() string { return "bhsd"[a>>1 : a>>1+1] }

// wide returns the full vector with lanes of twice the size.
func (a Arr) wide() Arr { return (a | 1) + 2 }

// general returns the name of a general register.
func (r Reg) general(wide, sp bool) string {
	switch {
	case r == 31 && sp && wide:
		return "sp"
	case r == 31 && sp:
		return "wsp"
	case r == 31 && wide:
		return "xzr"
	case r == 31:
		return "wzr"
	case wide:
		return "x" + strconv.Itoa(int(r))
	}
	return "w" + strconv.Itoa(int(r))
}
