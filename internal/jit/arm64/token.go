package arm64

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

// token is a field of instructions, or several that belong together.
type token struct {
	field uint32                                // its bits
	put   func(i *Insn) (v uint32, ok bool)     // its value in an instruction; false if it cannot be encoded
	get   func(i *Insn, w uint32) (ok bool)     // the inverse; false if the row does not match after all
	text  func(i *Insn, at int) (listed string) // as in a listing
}

// The positions of register fields.
const (
	atD = 0
	atN = 5
	atA = 10
	atM = 16
)

func operandOf(i *Insn, at int) *Reg {
	switch at {
	case atD:
		return &i.D
	case atN:
		return &i.N
	case atM:
		return &i.M
	}
	return &i.A
}

// register is a register field with its text.
func register(at int, text func(i *Insn, r Reg) string) *token {
	return &token{
		field: 31 << at,
		put:   func(i *Insn) (uint32, bool) { r := *operandOf(i, at); return uint32(r&31) << at, r < 32 },
		get:   func(i *Insn, w uint32) bool { *operandOf(i, at) = Reg(w >> at & 31); return true },
		text:  func(i *Insn, _ int) string { return text(i, *operandOf(i, at)) },
	}
}

func vector(r Reg, a Arr) string { return "v" + strconv.Itoa(int(r)) + "." + a.String() }

// tokens are the tokens of templates. The last letter of a register's token is its field: d, n, m or a.
var tokens = func() map[string]*token {
	list := map[string]*token{}
	for letter, at := range map[string]int{"d": atD, "n": atN, "m": atM, "a": atA} {
		add := func(kind string, text func(i *Insn, r Reg) string) { list[kind+letter] = register(at, text) }
		add("R", func(i *Insn, r Reg) string { return r.general(i.Wide, false) })
		add("S", func(i *Insn, r Reg) string { return r.general(i.Wide, true) }) // or the stack pointer
		add("X", func(i *Insn, r Reg) string { return r.general(true, false) })
		add("P", func(i *Insn, r Reg) string { return r.general(true, true) }) // base of an address
		add("W", func(i *Insn, r Reg) string { return r.general(false, false) })
		add("V", func(i *Insn, r Reg) string { return vector(r, i.Arr) })
		add("Full", func(i *Insn, r Reg) string { return vector(r, i.Arr|1) })
		add("Double", func(i *Insn, r Reg) string { return vector(r, i.Arr.wide()) })
		add("Lanes", func(i *Insn, r Reg) string { return "v" + strconv.Itoa(int(r)) + "." + i.Arr.lane() })
		add("Scalar", func(i *Insn, r Reg) string { return i.Arr.lane() + strconv.Itoa(int(r)) })
		for _, size := range []string{"b", "h", "s", "d", "q"} {
			add("F"+size, func(i *Insn, r Reg) string { return size + strconv.Itoa(int(r)) })
		}
	}
	for _, more := range []map[string]*token{widthTokens(), immediateTokens(), bitfieldTokens(), moveTokens(), addressTokens(), branchTokens(), elementTokens()} {
		for name, t := range more {
			list[name] = t
		}
	}
	return list
}()

// number is an unsigned field of some bits that holds get of an instruction.
func number(at, n int, of func(i *Insn) *int64, text func(v int64) string) *token {
	return &token{
		field: (1<<n - 1) << at,
		put: func(i *Insn) (uint32, bool) {
			v := *of(i)
			return uint32(v) & (1<<n - 1) << at, v>>n == 0
		},
		get:  func(i *Insn, w uint32) bool { *of(i) = int64(w >> at & (1<<n - 1)); return true },
		text: func(i *Insn, _ int) string { return text(*of(i)) },
	}
}

func immediate(i *Insn) *int64 { return &i.Imm }

func decimal(v int64) string { return "#" + strconv.FormatInt(v, 10) }

func hexadecimal(v int64) string { return "#0x" + strconv.FormatInt(v, 16) }

// silent is a token without text.
func silent(field uint32, put func(i *Insn) (uint32, bool), get func(i *Insn, w uint32) bool) *token {
	return &token{field: field, put: put, get: get, text: func(*Insn, int) string { return "" }}
}

// widthTokens are the widths of general registers and the arrangements of vectors.
func widthTokens() map[string]*token {
	arrange := func(i *Insn, size uint32) { i.Arr |= Arr(size << 1) }
	return map[string]*token{
		"sf": silent(1<<31, func(i *Insn) (uint32, bool) { return bit(i.Wide) << 31, true }, func(i *Insn, w uint32) bool { i.Wide = w>>31 != 0; return true }),
		"x":  silent(1<<30, func(i *Insn) (uint32, bool) { return bit(i.Wide) << 30, true }, func(i *Insn, w uint32) bool { i.Wide = w>>30&1 != 0; return true }),
		"q":  silent(1<<30, func(i *Insn) (uint32, bool) { return uint32(i.Arr&1) << 30, true }, func(i *Insn, w uint32) bool { i.Arr |= Arr(w >> 30 & 1); return true }),
		"size": silent(3<<22, func(i *Insn) (uint32, bool) { return i.Arr.size() << 22, i.Arr != D1 },
			func(i *Insn, w uint32) bool { arrange(i, w>>22&3); return true }),
		"narrow": silent(3<<22, func(i *Insn) (uint32, bool) { return i.Arr.size() << 22, i.Arr.size() < 3 },
			func(i *Insn, w uint32) bool { arrange(i, w>>22&3); return w>>22&3 < 3 }),
		"sz": silent(1<<22, func(i *Insn) (uint32, bool) { return i.Arr.size() & 1 << 22, i.Arr.size() >= 2 && i.Arr != D1 },
			func(i *Insn, w uint32) bool { arrange(i, 2+w>>22&1); return true }),
		"narrowsz": silent(1<<22, func(i *Insn) (uint32, bool) { return (i.Arr.size() - 1) << 22, i.Arr.size() == 1 || i.Arr.size() == 2 },
			func(i *Insn, w uint32) bool { arrange(i, 1+w>>22&1); return true }),
		"bytes": silent(0, func(i *Insn) (uint32, bool) { return 0, i.Arr <= B16 }, func(*Insn, uint32) bool { return true }),
		"cond": {field: 15 << 12, put: func(i *Insn) (uint32, bool) { return uint32(i.Cond) << 12, true },
			get: func(i *Insn, w uint32) bool { i.Cond = Cond(w >> 12 & 15); return true }, text: func(i *Insn, _ int) string { return i.Cond.String() }},
		"notcond": {field: 15 << 12, put: func(i *Insn) (uint32, bool) { return uint32(i.Cond.Not()) << 12, i.Cond < AL },
			get: func(i *Insn, w uint32) bool { i.Cond = Cond(w >> 12 & 15).Not(); return i.Cond < AL }, text: func(i *Insn, _ int) string { return i.Cond.String() }},
		"same": {field: 31<<atN | 31<<atM, put: func(i *Insn) (uint32, bool) { return uint32(i.N)<<atN | uint32(i.N)<<atM, i.N < 32 },
			get: func(i *Insn, w uint32) bool { i.N = Reg(w >> atN & 31); return w>>atN&31 == w>>atM&31 }, text: func(i *Insn, _ int) string { return vector(i.N, i.Arr) }},
	}
}

func bit(v bool) uint32 {
	if v {
		return 1
	}
	return 0
}

// immediateTokens are immediates of arithmetic and logic.
func immediateTokens() map[string]*token {
	return map[string]*token{
		// The amount by which the last operand is shifted left.
		"lsl": {field: 63 << 10, put: func(i *Insn) (uint32, bool) { return uint32(i.Imm) << 10, i.Imm>>6 == 0 },
			get: func(i *Insn, w uint32) bool { i.Imm = int64(w >> 10 & 63); return true },
			text: func(i *Insn, _ int) string {
				if i.Imm == 0 {
					return ""
				}
				return ", lsl " + decimal(i.Imm)
			}},
		// 12 bits, or 12 bits shifted left by 12.
		"imm12": {field: 0x1fff << 10,
			put: func(i *Insn) (uint32, bool) {
				if v := uint32(i.Imm); i.Imm>>24 == 0 && v&0xfff == 0 && v != 0 {
					return 1<<22 | v>>12<<10, true
				}
				return uint32(i.Imm) << 10, i.Imm>>12 == 0
			},
			get: func(i *Insn, w uint32) bool {
				i.Imm = int64(w >> 10 & 0xfff << (12 * (w >> 22 & 1)))
				return true
			},
			text: func(i *Insn, _ int) string {
				if i.Imm >= 1<<12 {
					return hexadecimal(i.Imm>>12) + ", lsl #12"
				}
				return hexadecimal(i.Imm)
			}},
		"bitmask": bitmaskToken(),
		"uxtx": {put: func(*Insn) (uint32, bool) { return 0, true }, get: func(*Insn, uint32) bool { return true },
			text: func(i *Insn, _ int) string { // the extension of the last operand; listings omit it beside the stack pointer
				if i.D == SP || i.N == SP {
					return ""
				}
				return ", uxtx"
			}},
		"onlybitmask": onlyBitmask(), // of numbers that no other move can make
		"imm16":       number(5, 16, immediate, hexadecimal),
		"lanes": { // the immediate of EXT, in bytes
			field: 15 << 11, put: func(i *Insn) (uint32, bool) { return uint32(i.Index) << 11, i.Index < 16 },
			get: func(i *Insn, w uint32) bool { i.Index = uint8(w >> 11 & 15); return true }, text: func(i *Insn, _ int) string { return decimal(int64(i.Index)) }},
	}
}

// bitmaskToken is the immediate of a logical operation.
func bitmaskToken() *token {
	return &token{field: 0x1fff << 10,
		put: func(i *Insn) (uint32, bool) { v, ok := bitmask(uint64(i.Imm), i.Wide); return v << 10, ok },
		get: func(i *Insn, w uint32) bool {
			v, ok := fromBitmask(w>>10&0x1fff, i.Wide)
			i.Imm = int64(v)
			return ok
		},
		text: func(i *Insn, _ int) string { return "#0x" + strconv.FormatUint(uint64(i.Imm), 16) }}
}

// onlyBitmask is bitmaskToken without the numbers of other moves.
func onlyBitmask() *token {
	t, moves := bitmaskToken(), moveTokens()
	other := func(i *Insn) bool {
		_, half := moves["half"].put(i)
		_, not := moves["nothalf"].put(i)
		return half || not
	}
	one := *t
	one.put = func(i *Insn) (uint32, bool) { v, ok := t.put(i); return v, ok && !other(i) }
	one.get = func(i *Insn, w uint32) bool { return t.get(i, w) && !other(i) }
	return &one
}

// bitmask returns the 13-bit encoding N:immr:imms of a logical immediate: a rotated run of ones in elements of 2, 4, … 64 bits, repeated
// (Arm ARM, DecodeBitMasks).
func bitmask(v uint64, wide bool) (uint32, bool) {
	if !wide {
		if v>>32 != 0 {
			return 0, false
		}
		v |= v << 32
	}
	if v == 0 || v == math.MaxUint64 {
		return 0, false
	}
	size := uint(64)
	for size > 2 && v&(1<<(size/2)-1) == v>>(size/2)&(1<<(size/2)-1) {
		size /= 2
	}
	element := v & (1<<size - 1)
	if size == 64 {
		element = v
	}
	ones := uint(bits.OnesCount64(element))
	for rotate := range size {
		run := uint64(1)<<ones - 1
		if run>>rotate|run<<(size-rotate)&(1<<size-1) == element {
			n := uint32(0)
			if size == 64 {
				n = 1
			}
			imms := (^(uint32(size)*2 - 1) | uint32(ones-1)) & 63
			return n<<12 | uint32(rotate)<<6 | imms, true
		}
	}
	return 0, false
}

// fromBitmask is the inverse of bitmask.
func fromBitmask(e uint32, wide bool) (uint64, bool) {
	n, immr, imms := e>>12, uint(e>>6&63), e&63
	length := bits.Len32(n<<6|^imms&63) - 1
	if length < 1 || n == 1 && !wide {
		return 0, false
	}
	size := uint(1) << length
	ones := uint(imms)&(size-1) + 1
	if ones == size {
		return 0, false
	}
	rotate := immr & (size - 1)
	run := uint64(1)<<ones - 1
	v := run >> rotate
	if rotate > 0 {
		v |= run << (size - rotate)
	}
	if size < 64 {
		v &= 1<<size - 1
	}
	for at := size; at < 64; at *= 2 {
		v |= v << at
	}
	if !wide {
		v = uint64(uint32(v))
	}
	return v, true
}

// bitfieldTokens are the immediates of UBFM and SBFM, in the names of its aliases: shifts, and the extraction of bits.
func bitfieldTokens() map[string]*token {
	last := func(i *Insn) uint32 { return 31 + 32*bit(i.Wide) }
	const field = 1<<22 | 0xfff<<10
	fields := func(i *Insn, immr, imms uint32) uint32 { return bit(i.Wide)<<22 | immr<<16 | imms<<10 }
	return map[string]*token{
		"right": {field: field,
			put: func(i *Insn) (uint32, bool) {
				return fields(i, uint32(i.Imm), last(i)), i.Imm >= 0 && uint32(i.Imm) <= last(i)
			},
			get:  func(i *Insn, w uint32) bool { i.Imm = int64(w >> 16 & 63); return w>>10&63 == last(i) },
			text: func(i *Insn, _ int) string { return decimal(i.Imm) }},
		"left": {field: field,
			put: func(i *Insn) (uint32, bool) {
				n := uint32(i.Imm)
				return fields(i, -n&last(i), last(i)-n), i.Imm > 0 && n <= last(i)
			},
			get: func(i *Insn, w uint32) bool {
				immr, imms := w>>16&63, w>>10&63
				i.Imm = int64(last(i) - imms)
				return imms != last(i) && immr == imms+1
			},
			text: func(i *Insn, _ int) string { return decimal(i.Imm) }},
		// Imm is the first bit, Index the number of bits.
		"extract": {field: field,
			put: func(i *Insn) (uint32, bool) {
				return fields(i, uint32(i.Imm), uint32(i.Imm)+uint32(i.Index)-1), i.Index > 0 && uint32(i.Imm)+uint32(i.Index)-1 < last(i)
			},
			get: func(i *Insn, w uint32) bool {
				immr, imms := w>>16&63, w>>10&63
				i.Imm, i.Index = int64(immr), uint8(imms-immr+1)
				return imms >= immr
			},
			text: func(i *Insn, _ int) string { return fmt.Sprintf("#%d, #%d", i.Imm, i.Index) }},
	}
}
