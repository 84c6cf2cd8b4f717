package amd64

// Cond is a condition of the flags, numbered as in the opcodes of Jcc.
type Cond byte

// Conditions.
const (
	Below        Cond = 2
	AboveEqual   Cond = 3
	Equal        Cond = 4
	NotEqual     Cond = 5
	BelowEqual   Cond = 6
	Above        Cond = 7
	Sign         Cond = 8
	NotSign      Cond = 9
	Parity       Cond = 10
	Less         Cond = 12
	GreaterEqual Cond = 13
	LessEqual    Cond = 14
	Greater      Cond = 15
)

// Not returns the negated condition. x86 pairs each condition with its negation, even and odd.
func (c Cond) Not() Cond { return c ^ 1 }

// Jcc jumps to l if the condition holds.
func (a *Asm) Jcc(c Cond, l Label) {
	if a.short(0x70|byte(c), l) {
		return
	}
	a.Code = append(a.Code, 0x0f, 0x80|byte(c))
	a.reference(l)
}

// Jmp jumps to l.
func (a *Asm) Jmp(l Label) {
	if a.short(0xeb, l) {
		return
	}
	a.Code = append(a.Code, 0xe9)
	a.reference(l)
}

// short emits a two-byte jump to a bound label if the distance fits. Forward jumps always have four
// bytes: a second pass to shrink them would move the code that fixups refer to.
func (a *Asm) short(opcode byte, l Label) bool {
	t := a.labels[l]
	if t < 0 {
		return false
	}
	d := t - int32(len(a.Code)) - 2
	if d < -128 {
		return false
	}
	a.Code = append(a.Code, opcode, byte(d))
	return true
}

// Call calls l.
func (a *Asm) Call(l Label) {
	a.Code, a.holds = append(a.Code, 0xe8), false
	a.reference(l)
}

// Ret returns.
func (a *Asm) Ret() { a.Code = append(a.Code, 0xc3) }

// JmpReg jumps to the address in r.
func (a *Asm) JmpReg(r Reg) {
	a.rex(0, 0, 0, r.bit3())
	a.Code = append(a.Code, 0xff, 0xe0|byte(r&7))
}

// CallReg calls the address in r.
func (a *Asm) CallReg(r Reg) {
	a.rex(0, 0, 0, r.bit3())
	a.Code, a.holds = append(a.Code, 0xff, 0xd0|byte(r&7)), false
}

// JmpMem jumps to the address at m.
func (a *Asm) JmpMem(m Mem) { a.indirect(4, m) }

// CallMem calls the address at m.
func (a *Asm) CallMem(m Mem) { a.indirect(2, m) }

// indirect emits FF with an opcode extension and an address in memory. Its operands have 64 bits without REX.W.
func (a *Asm) indirect(ext Reg, m Mem) {
	a.rex(0, 0, m.Index.bit3(), m.Base.bit3())
	a.Code, a.holds = append(a.Code, 0xff), false
	a.modrm(ext, &m, 1, 0)
}
