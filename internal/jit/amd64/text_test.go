package amd64

import (
	"fmt"
	"hash/fnv"
	"math/rand"
	"strings"
)

// A form is one instruction with operands chosen at random: what an assembler
// is told, and the bytes that this package makes.
type form struct {
	text string
	code []byte
}

var (
	names64 = []string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}
	names32 = []string{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"}
)

func gprName(r Reg, wide bool) string {
	if wide {
		return names64[r]
	}
	return names32[r]
}

func vecName(vl VL, r Reg) string { return fmt.Sprintf("%cmm%d", "xyz"[vl], r) }

func memName(m Mem, size int32, index string) string {
	s := map[int32]string{1: "byte", 2: "word", 4: "dword", 8: "qword", 16: "xmmword", 32: "ymmword", 64: "zmmword"}[size] + " ptr ["
	if index != "" {
		s = "["
	} else if m.Index != NoReg {
		index = names64[m.Index]
	}
	s += names64[m.Base]
	if index != "" {
		s += fmt.Sprintf(" + %d*%s", m.Scale, index)
	}
	return s + fmt.Sprintf(" + %d]", m.Disp)
}

// chooser makes the forms of one row.
type chooser struct {
	r    *rand.Rand
	row  tableRow
	a    Asm
	vl   VL
	opt  Opt
	deco string
	imm  uint8
}

// forms makes n forms of a row; the same ones each time.
func forms(row tableRow, n int) []form {
	h := fnv.New64a()
	h.Write([]byte(row.name))
	c := &chooser{r: rand.New(rand.NewSource(int64(h.Sum64()))), row: row}
	var out []form
	for len(out) < n {
		c.a.Reset()
		if text := c.choose(); text != "" {
			out = append(out, form{text, append([]byte(nil), c.a.Finish()...)})
		}
	}
	return out
}

func (c *chooser) has(f Op) bool { return c.row.op&f != 0 }

func (c *chooser) reg(n int) Reg { return Reg(c.r.Intn(n)) }

func (c *chooser) vectorRegs() int {
	if c.has(fVEX) {
		return 16
	}
	return 32
}

func (c *chooser) mem() Mem {
	m := Mem{Base: c.reg(16), Index: NoReg, Scale: 1}
	switch c.r.Intn(4) {
	case 0:
		m.Disp = int32(c.r.Intn(256) - 128)
	case 1:
		m.Disp = int32(c.r.Intn(256)-128) * 4 << c.r.Intn(5)
	case 2:
		m.Disp = int32(c.r.Uint32()) >> 2
	}
	if c.r.Intn(2) == 0 {
		if m.Index = c.reg(16); m.Index == RSP {
			m.Index = RBP // RSP cannot be an index
		}
		m.Scale = 1 << c.r.Intn(4)
	}
	return m
}

// choose emits one form and returns its text, or "" for an operand choice that
// does not exist.
func (c *chooser) choose() string {
	c.opt, c.deco, c.imm = 0, "", uint8(c.r.Intn(8))
	if c.has(fIs4) {
		c.imm = is4(c.reg(16))
	}
	c.vl = VL(c.r.Intn(3))
	if c.has(fVEX) && c.vl == V512 {
		c.vl = V256
	}
	isMask := c.row.mnemonic[0] == 'k'
	if c.has(fOnly128) || isMask {
		c.vl = V128
	}
	if c.has(fNo128) && c.vl == V128 {
		c.vl = V256
	}
	if c.has(fOnly512) {
		c.vl = V512
	}
	name := c.row.mnemonic + " "
	if c.vl < V512 && !isMask {
		if c.has(fVEX) {
			name = "{vex} " + name
		} else {
			name = "{evex} " + name
		}
	}
	regOnly := c.has(fRegOnly) || isMask || c.row.op.srcKind() == kindMask || strings.HasSuffix(c.row.name, "_R")
	mem := c.has(fMemOnly|fVSIB|fVSIBHalf) || !regOnly && c.r.Intn(2) == 0
	c.mask(mem)
	if mem {
		return c.withMemory(name)
	}
	return c.withRegisters(name)
}

// mask chooses a mask where the instruction takes one.
func (c *chooser) mask(mem bool) {
	vsib := c.has(fVSIB | fVSIBHalf)
	dst, src := c.row.op.dstKind(), c.row.op.srcKind()
	switch {
	case c.has(fVEX), src == kindMask, dst == kindGPR, c.has(fRegOnly):
		return
	case src == kindGPR && !strings.HasPrefix(c.row.mnemonic, "vpbroadcast"):
		return
	case c.has(fMemOnly) && c.has(fOnly128) && c.row.mnemonic != "vmovss", strings.HasPrefix(c.row.mnemonic, "vmovnt"):
		return
	case !vsib && c.r.Intn(2) == 0:
		return
	}
	k := Reg(1 + c.r.Intn(7))
	c.opt |= K(k)
	c.deco = fmt.Sprintf(" {k%d}", k)
	store := mem && c.row.op.form() == fMR
	if !store && !vsib && dst != kindMask && c.r.Intn(2) == 0 {
		c.opt |= Z
		c.deco += " {z}"
	}
}

func shorter(vl VL, by VL) VL {
	if vl < by {
		return V128
	}
	return vl - by
}

// length is that of a vector of a kind.
func (c *chooser) length(kind Op) VL {
	switch kind {
	case kindHalf:
		return shorter(c.vl, 1)
	case kindQuarter:
		return shorter(c.vl, 2)
	case kindXMM:
		return V128
	}
	return c.vl
}

// operand chooses a register of a kind and returns it with its name.
func (c *chooser) operand(kind Op) (Reg, string) {
	switch kind {
	case kindGPR:
		r := c.reg(16)
		return r, gprName(r, c.row.op.wide())
	case kindMask:
		r := c.reg(8)
		return r, fmt.Sprintf("k%d", r)
	}
	r := c.reg(c.vectorRegs())
	return r, vecName(c.length(kind), r)
}

func (c *chooser) immText() string {
	if c.has(fIs4) {
		return ", " + vecName(c.vl, Reg(c.imm>>4))
	}
	if c.has(fImm) {
		return fmt.Sprintf(", %d", c.imm)
	}
	return ""
}

func (c *chooser) withRegisters(name string) string {
	op := c.row.op
	d, dn := c.operand(op.dstKind())
	s2, s2n := c.operand(op.srcKind())
	s1, s1n := c.operand(0)
	if c.row.mnemonic[0] == 'k' {
		s1 &= 7
		s1n = fmt.Sprintf("k%d", s1)
	}
	rounding := ""
	if c.has(fRound) && c.vl == V512 && c.r.Intn(3) == 0 {
		mode := c.r.Intn(4)
		c.opt |= embedded | Opt(mode)<<6
		rounding = ", {" + []string{"rn", "rd", "ru", "rz"}[mode] + "-sae}"
	}
	emit := func(d, s1, s2 Reg) {
		if c.has(fImm | fIs4) {
			c.a.RRI(op, c.vl, d, s1, s2, c.imm, c.opt)
		} else {
			c.a.RR(op, c.vl, d, s1, s2, c.opt)
		}
	}
	switch op.form() {
	case fMR: // the destination is r/m
		emit(s2, 0, d)
	case fRVM:
		emit(d, s1, s2)
		return name + dn + c.deco + ", " + s1n + ", " + s2n + rounding + c.immText()
	default:
		emit(d, 0, s2)
	}
	return name + dn + c.deco + ", " + s2n + rounding + c.immText()
}

// memorySize is the size an assembler wants to hear of the memory operand.
func (c *chooser) memorySize() int32 {
	m := c.row.mnemonic
	switch {
	case m == "kmovw":
		return 2
	case m == "kmovq":
		return 8
	case strings.Contains(m, "compress"), strings.Contains(m, "expand"):
		return 16 << c.vl
	case c.row.name == "AVX_VBROADCASTSS":
		return 4
	case c.has(fVEX) && c.row.op&tupMask == 0:
		return 16 << c.vl
	}
	return c.row.op.disp8(c.vl, false)
}

func (c *chooser) withMemory(name string) string {
	op, m := c.row.op, c.mem()
	store := op.form() == fMR
	regKind := op.dstKind()
	if store {
		regKind = op.srcKind()
	}
	d, dn := c.operand(regKind)
	s1, s1n := c.operand(0)
	index, broadcast, size := "", "", c.memorySize()
	switch tuple := op & tupMask; {
	case c.has(fVSIB | fVSIBHalf):
		m.Index = c.reg(c.vectorRegs())
		index = vecName(c.vl, m.Index)
		if c.has(fVSIBHalf) {
			index = vecName(shorter(c.vl, 1), m.Index)
		}
		if !store && m.Index == d {
			return "" // a gather may not overwrite its index
		}
		if c.has(fVEX) && (s1 == d || s1 == m.Index) {
			return "" // nor its mask
		}
	case !c.has(fVEX) && op.form() != fVMI && c.row.mnemonic != "vgf2p8affineqb" && (tuple == tFV || tuple == tHV || tuple == tFVH) && c.r.Intn(2) == 0:
		c.opt |= BC
		element := op.disp8(c.vl, true)
		broadcast = fmt.Sprintf("{1to%d}", size/element)
		size = element
	}
	if c.has(fImm | fIs4) {
		c.a.RMI(op, c.vl, d, s1, m, c.imm, c.opt)
	} else {
		c.a.RM(op, c.vl, d, s1, m, c.opt)
	}
	mn := memName(m, size, index)
	switch op.form() {
	case fMR:
		return name + mn + c.deco + ", " + dn + c.immText()
	case fMVR:
		return name + mn + ", " + s1n + ", " + dn
	case fRVM:
		if c.has(fVEX) && c.has(fVSIB|fVSIBHalf) {
			return name + dn + ", " + mn + ", " + vecName(c.length(op.dstKind()), s1)
		}
		return name + dn + c.deco + ", " + s1n + ", " + mn + broadcast + c.immText()
	}
	return name + dn + c.deco + ", " + mn + broadcast + c.immText()
}

// integerForms makes forms of the general-purpose instructions.
func integerForms() []form {
	c := &chooser{r: rand.New(rand.NewSource(1))}
	var out []form
	add := func(format string, args ...any) {
		out = append(out, form{fmt.Sprintf(format, args...), append([]byte(nil), c.a.Finish()...)})
		c.a.Reset()
	}
	loads := []struct {
		g    G
		name string
	}{{ADD, "add"}, {OR, "or"}, {AND, "and"}, {SUB, "sub"}, {XOR, "xor"}, {CMP, "cmp"}, {MOV, "mov"}, {IMUL, "imul"}, {CMOVE, "cmove"}, {POPCNT, "popcnt"}, {TZCNT, "tzcnt"}, {LZCNT, "lzcnt"}}
	for _, l := range loads {
		for range 4 {
			d, m := c.reg(16), c.mem()
			c.a.GRM(l.g, d, m)
			add("%s %s, %s", l.name, names32[d], memName(m, 4, ""))
			c.a.GRM(l.g|W, d, m)
			add("%s %s, %s", l.name, names64[d], memName(m, 8, ""))
		}
	}
	for range 4 {
		d, m := c.reg(16), c.mem()
		c.a.GRM(MOV_ST|W, d, m)
		add("mov %s, %s", memName(m, 8, ""), names64[d])
		c.a.GRM(PREFETCH, allCaches, m)
		add("prefetcht0 %s", memName(m, 1, ""))
		c.a.GRM(MOV_ST, d, m)
		add("mov %s, %s", memName(m, 4, ""), names32[d])
		c.a.GRM(MOVW_ST, RCX, m)
		add("mov %s, cx", memName(m, 2, ""))
		c.a.GRM(MOVB_ST, RCX, m)
		add("mov %s, cl", memName(m, 1, ""))
		c.a.GRM(LEA|W, d, m)
		add("lea %s, %s", names64[d], memName(m, 8, ""))
		c.a.GRM(MOVZXB, d, m)
		add("movzx %s, %s", names32[d], memName(m, 1, ""))
		c.a.GRM(MOVZXW, d, m)
		add("movzx %s, %s", names32[d], memName(m, 2, ""))
		c.a.GRM(MOVSXD|W, d, m)
		add("movsxd %s, %s", names64[d], memName(m, 4, ""))
		c.a.Push(d)
		add("push %s", names64[d])
		c.a.Pop(d)
		add("pop %s", names64[d])
		c.a.JmpReg(d)
		add("jmp %s", names64[d])
		c.a.CallReg(d)
		add("call %s", names64[d])
		c.a.JmpMem(m)
		add("jmp %s", memName(m, 8, ""))
		c.a.CallMem(m)
		add("call %s", memName(m, 8, ""))
		v := c.r.Uint64() | 1<<63
		c.a.MovI(d, v)
		add("movabs %s, %d", names64[d], int64(v))
		c.a.MovI(d, v&0xffffffff)
		add("mov %s, %d", names32[d], v&0xffffffff)
		c.a.MovMI(true, m, int32(v))
		add("mov %s, %d", memName(m, 8, ""), int32(v))
		c.a.MovMI(false, m, int32(v))
		add("mov %s, %d", memName(m, 4, ""), int32(v))
	}
	for i, name := range map[ALU]string{AddI: "add", OrI: "or", AndI: "and", SubI: "sub", XorI: "xor", CmpI: "cmp"} {
		c.r.Seed(int64(i))
		for range 6 {
			d, m, imm := 1+c.reg(15), c.mem(), int32(c.r.Uint32())>>c.r.Intn(30)
			c.a.GI(i, true, d, imm)
			add("%s %s, %d", name, names64[d], imm)
			c.a.GMI(i, true, m, imm)
			add("%s %s, %d", name, memName(m, 8, ""), imm)
		}
	}
	for _, d := range []Reg{RCX, R9} {
		c.a.Divide(false, d)
		add("div %s", names64[d])
	}
	for i, name := range map[Shift]string{ShlI: "shl", ShrI: "shr", SarI: "sar"} {
		c.a.ShiftI(i, true, R9, 5)
		add("%s r9, 5", name)
		c.a.ShiftI(i, false, RDX, 7)
		add("%s edx, 7", name)
	}
	return out
}
