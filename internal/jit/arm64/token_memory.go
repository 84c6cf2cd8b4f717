package arm64

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

// moveTokens are the immediates of moves.
func moveTokens() map[string]*token {
	const field = 3<<21 | 0xffff<<5
	width := func(i *Insn) uint64 {
		if i.Wide {
			return math.MaxUint64
		}
		return math.MaxUint32
	}
	// halves is 16 bits at a multiple of 16; the immediate is the whole number, or its complement.
	halves := func(not bool) *token {
		whole := func(i *Insn, v uint64) uint64 {
			if not {
				v = ^v
			}
			return v & width(i)
		}
		// A 32-bit MOVN of 16 ones is another MOVZ, and no move in listings.
		other := func(i *Insn, v uint64) bool { return not && !i.Wide && v == 0xffff }
		return &token{field: field,
			put: func(i *Insn) (uint32, bool) {
				v := whole(i, uint64(i.Imm))
				h := uint32(bits.TrailingZeros64(v)) / 16 % 4
				v >>= 16 * h
				return h<<21 | uint32(v)<<5, v>>16 == 0 && uint64(i.Imm)&^width(i) == 0 && !other(i, v)
			},
			get: func(i *Insn, w uint32) bool {
				i.Imm = int64(whole(i, uint64(w>>5&0xffff)<<(16*(w>>21&3))))
				return (i.Wide || w>>22&1 == 0) && !other(i, uint64(w>>5&0xffff))
			},
			text: func(i *Insn, _ int) string { return fmt.Sprintf("#0x%x", uint64(i.Imm)) }}
	}
	return map[string]*token{
		"half":    halves(false),
		"nothalf": halves(true),
		// One half of a register: Imm are its bits, Index its number.
		"insert": {field: field,
			put: func(i *Insn) (uint32, bool) {
				return uint32(i.Index)<<21 | uint32(i.Imm)<<5, i.Index < 4 && i.Imm>>16 == 0
			},
			get: func(i *Insn, w uint32) bool { i.Index, i.Imm = uint8(w>>21&3), int64(w>>5&0xffff); return true },
			text: func(i *Insn, _ int) string {
				if i.Index == 0 {
					return hexadecimal(i.Imm)
				}
				return fmt.Sprintf("#0x%x, lsl #%d", i.Imm, 16*i.Index)
			}},
		// The immediate of MOVI and MVNI: eight bits, shifted left by Index bits.
		"movi": {field: 7<<16 | 31<<5 | 3<<13,
			put: func(i *Insn) (uint32, bool) {
				v := uint32(i.Imm)
				return v>>5<<16 | v&31<<5 | uint32(i.Index)/8<<13, v>>8 == 0 && i.Index < 32 && i.Index%8 == 0
			},
			get: func(i *Insn, w uint32) bool {
				i.Imm, i.Index = int64(w>>16&7<<5|w>>5&31), uint8(w>>13&3*8)
				return true
			},
			text: func(i *Insn, _ int) string {
				if i.Index == 0 {
					return hexadecimal(i.Imm)
				}
				return fmt.Sprintf("#0x%x, lsl #%d", i.Imm, i.Index)
			}},
		// The immediate of a vector FMOV, as the bits of the 32-bit number: sign, three bits of exponent, four of fraction.
		"fmov": {field: 7<<16 | 31<<5,
			put: func(i *Insn) (uint32, bool) { v, ok := float8(uint32(i.Imm)); return v>>5<<16 | v&31<<5, ok },
			get: func(i *Insn, w uint32) bool { i.Imm = int64(fromFloat8(w>>16&7<<5 | w>>5&31)); return true },
			text: func(i *Insn, _ int) string {
				return fmt.Sprintf("#%.18e", math.Float32frombits(uint32(i.Imm)))
			}},
	}
}

// float8 returns the eight-bit encoding of the 32-bit float v (Arm ARM, VFPExpandImm).
func float8(v uint32) (uint32, bool) {
	e := v>>31<<7 | v>>19&0x7f
	return e, fromFloat8(e) == v
}

// fromFloat8 is the inverse of float8: bit 6 is the inverted top bit of the exponent, and fills the five bits below it.
func fromFloat8(e uint32) uint32 {
	top := uint32(0b100000)
	if e>>6&1 != 0 {
		top = 0b011111
	}
	return e>>7<<31 | top<<25 | e&0x3f<<19
}

// plusOffset is the text of an offset from a base register.
func plusOffset(i *Insn, _ int) string {
	if i.Imm == 0 {
		return ""
	}
	return ", " + decimal(i.Imm)
}

// addressTokens are the offsets of addresses.
func addressTokens() map[string]*token {
	list := map[string]*token{}
	for n := range 5 {
		unit := int64(1) << n
		list[fmt.Sprintf("off%d", unit)] = &token{field: 0xfff << 10,
			put:  func(i *Insn) (uint32, bool) { return uint32(i.Imm/unit) << 10, i.Imm%unit == 0 && i.Imm/unit>>12 == 0 },
			get:  func(i *Insn, w uint32) bool { i.Imm = int64(w>>10&0xfff) * unit; return true },
			text: plusOffset}
		list[fmt.Sprintf("pair%d", unit)] = &token{field: 0x7f << 15,
			put: func(i *Insn) (uint32, bool) {
				v := i.Imm / unit
				return uint32(v) & 0x7f << 15, i.Imm%unit == 0 && v >= -64 && v < 64
			},
			get:  func(i *Insn, w uint32) bool { i.Imm = int64(int32(w<<10)>>25) * unit; return true },
			text: plusOffset}
		// The index register is shifted left by the access's size, or not at all.
		list[fmt.Sprintf("index%d", unit)] = &token{field: 1 << 12,
			put: func(i *Insn) (uint32, bool) { return uint32(i.Index) << 12, i.Index < 2 },
			get: func(i *Insn, w uint32) bool { i.Index = uint8(w >> 12 & 1); return true },
			text: func(i *Insn, _ int) string {
				if i.Index == 0 {
					return ""
				}
				return fmt.Sprintf(", lsl #%d", n)
			}}
	}
	signed9 := func(text func(*Insn, int) string) *token {
		return &token{field: 0x1ff << 12,
			put:  func(i *Insn) (uint32, bool) { return uint32(i.Imm) & 0x1ff << 12, i.Imm >= -256 && i.Imm < 256 },
			get:  func(i *Insn, w uint32) bool { i.Imm = int64(int32(w<<11) >> 23); return true },
			text: text}
	}
	list["near"] = signed9(plusOffset)
	list["step"] = signed9(func(i *Insn, _ int) string { return decimal(i.Imm) })
	return list
}

// branchTokens are distances in the code.
func branchTokens() map[string]*token {
	target := func(i *Insn, at int) string { return fmt.Sprintf("0x%x", uint64(int64(at)+i.Imm)) }
	words := func(at, n int) *token {
		return &token{field: (1<<n - 1) << at,
			put: func(i *Insn) (uint32, bool) {
				v := i.Imm / 4
				return uint32(v) & (1<<n - 1) << at, i.Imm%4 == 0 && v >= -1<<(n-1) && v < 1<<(n-1)
			},
			get:  func(i *Insn, w uint32) bool { i.Imm = int64(int32(w<<(32-at-n))>>(32-n)) * 4; return true },
			text: target}
	}
	return map[string]*token{
		"to26": words(0, 26),
		"to19": words(5, 19),
		"to14": words(5, 14),
		"adr": {field: 3<<29 | 0x7ffff<<5,
			put: func(i *Insn) (uint32, bool) {
				return uint32(i.Imm)&3<<29 | uint32(i.Imm>>2)&0x7ffff<<5, i.Imm >= -1<<20 && i.Imm < 1<<20
			},
			get: func(i *Insn, w uint32) bool {
				i.Imm = int64(int32(w<<8)>>13)<<2 | int64(w>>29&3)
				return true
			},
			text: target},
		"bit": {field: 1<<31 | 31<<19,
			put:  func(i *Insn) (uint32, bool) { return uint32(i.Index)>>5<<31 | uint32(i.Index)&31<<19, i.Index < 64 },
			get:  func(i *Insn, w uint32) bool { i.Index = uint8(w>>31<<5 | w>>19&31); i.Wide = w>>31 != 0; return true },
			text: func(i *Insn, _ int) string { return decimal(int64(i.Index)) }},
		"bcond": {field: 15, put: func(i *Insn) (uint32, bool) { return uint32(i.Cond), true },
			get: func(i *Insn, w uint32) bool { i.Cond = Cond(w & 15); return true }, text: func(i *Insn, _ int) string { return i.Cond.String() }},
	}
}

// elementTokens are lanes of vectors, and shift amounts, which share a field with the size of the lanes.
func elementTokens() map[string]*token {
	index := func(i *Insn, _ int) string { return fmt.Sprintf("[%d]", i.Index) }
	return map[string]*token{
		// The lowest bit set in the field is the size; the index is above it.
		"element": {field: 31 << 16,
			put: func(i *Insn) (uint32, bool) {
				s := i.Arr.size()
				return (uint32(i.Index)<<1 | 1) << s << 16, i.Index < 16>>s
			},
			get: func(i *Insn, w uint32) bool {
				f := w >> 16 & 31
				s := bits.TrailingZeros32(f)
				if s > 3 {
					return false
				}
				i.Arr |= Arr(s << 1)
				i.Index = uint8(f >> (s + 1))
				return true
			},
			text: index},
		"lane4": laneOf(19, 2, S2, func(i *Insn) *uint8 { return &i.Index }),
		"lane8": laneOf(20, 1, D1, func(i *Insn) *uint8 { return &i.Index }),
		"from4": laneOf(13, 2, S2, func(i *Insn) *uint8 { return &i.From }),
		"from8": laneOf(14, 1, D1, func(i *Insn) *uint8 { return &i.From }),
		"shl":   shiftAmount(func(i *Insn, width int64) int64 { return width + i.Imm }, func(v, width int64) int64 { return v - width }),
		"shr":   shiftAmount(func(i *Insn, width int64) int64 { return 2*width - i.Imm }, func(v, width int64) int64 { return 2*width - v }),
		"sizeonly": silent(0x7f<<16, func(i *Insn) (uint32, bool) { return 8 << i.Arr.size() << 16, i.Arr.size() < 3 },
			func(i *Insn, w uint32) bool {
				i.Arr |= Arr((bits.Len32(w>>16&0x7f) - 4) << 1)
				return w>>16&0x7f == 8<<i.Arr.size()
			}),
		// The lane of a load or store of one lane.
		"s": {field: 1<<30 | 1<<12, put: func(i *Insn) (uint32, bool) { return uint32(i.Index)>>1<<30 | uint32(i.Index)&1<<12, i.Index < 4 },
			get: func(i *Insn, w uint32) bool { i.Index, i.Arr = uint8(w>>30&1<<1|w>>12&1), S4; return true }, text: index},
		"d": {field: 1 << 30, put: func(i *Insn) (uint32, bool) { return uint32(i.Index) << 30, i.Index < 2 },
			get: func(i *Insn, w uint32) bool { i.Index, i.Arr = uint8(w>>30&1), D2; return true }, text: index},
		"memsize": silent(3<<10, func(i *Insn) (uint32, bool) { return i.Arr.size() << 10, true },
			func(i *Insn, w uint32) bool { i.Arr |= Arr(w >> 10 & 3 << 1); return true }),
		"words":    arranged(S2),
		"longs":    arranged(D2),
		"list1":    register(atD, func(i *Insn, r Reg) string { return "{" + vector(r, i.Arr) + "}" }),
		"tbl1":     register(atN, func(_ *Insn, r Reg) string { return "{" + vector(r, B16) + "}" }),
		"lanelist": register(atD, func(i *Insn, r Reg) string { return "{v" + strconv.Itoa(int(r)) + "." + i.Arr.lane() + "}" }),
		"tbl4":     register(atN, func(_ *Insn, r Reg) string { return vectorRun(r, 4, B16) }),
		"run2":     registerRun(2),
		"run4":     registerRun(4),
	}
}

// shiftAmount is the field of a shift's amount: the position of its highest bit is the size of the lanes.
func shiftAmount(put func(i *Insn, width int64) int64, amount func(v, width int64) int64) *token {
	return &token{field: 0x7f << 16,
		put: func(i *Insn) (uint32, bool) {
			width := int64(8) << i.Arr.size()
			v := put(i, width)
			return uint32(v) << 16, v >= width && v < 2*width
		},
		get: func(i *Insn, w uint32) bool {
			v := w >> 16 & 0x7f
			s := bits.Len32(v) - 4
			if s < 0 {
				return false
			}
			i.Arr |= Arr(s << 1)
			i.Imm = amount(int64(v), int64(8)<<s)
			return true
		},
		text: func(i *Insn, _ int) string { return decimal(i.Imm) }}
}

// registerRun is n consecutive vectors from the destination on.
func registerRun(n Reg) *token {
	return register(atD, func(i *Insn, r Reg) string { return vectorRun(r, n, i.Arr) })
}

// vectorRun returns the text of n consecutive vectors.
func vectorRun(r, n Reg, arr Arr) string {
	if last := r + n - 1; n > 2 && last < 32 {
		return "{" + vector(r, arr) + "-" + vector(last, arr) + "}"
	}
	list := "{" + vector(r, arr)
	for k := Reg(1); k < n; k++ {
		list += ", " + vector((r+k)&31, arr)
	}
	return list + "}"
}

// laneOf is the number of a lane of a fixed size, in n bits.
func laneOf(at, n int, arr Arr, of func(i *Insn) *uint8) *token {
	return &token{field: (1<<n - 1) << at,
		put:  func(i *Insn) (uint32, bool) { return uint32(*of(i)) << at, *of(i)>>n == 0 },
		get:  func(i *Insn, w uint32) bool { i.Arr |= arr; *of(i) = uint8(w >> at & (1<<n - 1)); return true },
		text: func(i *Insn, _ int) string { return fmt.Sprintf("[%d]", *of(i)) }}
}

// arranged is a fixed size of lanes.
func arranged(arr Arr) *token {
	return silent(0, func(i *Insn) (uint32, bool) { return 0, i.Arr|1 == arr|1 }, func(i *Insn, _ uint32) bool { i.Arr |= arr; return true })
}
