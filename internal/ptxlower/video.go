package ptxlower

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// isVideo reports whether an instruction is a video instruction: its operands select parts of registers.
func isVideo(op string) bool { return op[0] == 'v' && op != "vote" }

// withoutSelectors returns the instruction with whole registers as operands, and the selectors of the operands.
func withoutSelectors(in *ptx.Instr) (*ptx.Instr, []string) {
	x := *in
	x.Operands = make([]*ptx.Operand, len(in.Operands))
	parts := make([]string, len(in.Operands))
	for i, o := range in.Operands {
		whole := *o
		x.Operands[i] = &whole
		if p := o.Part; len(p) > 2 && (p[1] == 'b' || p[1] == 'h') {
			parts[i], whole.Part = o.Part, ""
		}
	}
	return &x, parts
}

// field is a part of a word: bits from the bit at on. All of a word has 32.
type field struct{ at, bits uint32 }

// selected returns the part that the selector of operand i names.
func (e *emitter) selected(i int) field {
	s := e.item.parts[i]
	if s == "" {
		return field{0, 32}
	}
	if n := strings.IndexByte("0123", s[len(s)-1]); len(s) == 3 && n >= 0 {
		switch {
		case s[1] == 'b':
			return field{uint32(8 * n), 8}
		case s[1] == 'h' && n < 2:
			return field{uint32(16 * n), 16}
		}
	}
	malformed(e.operand(i).Pos, "%s is no part of a register; must be .b0 to .b3, .h0 or .h1", s)
	return field{}
}

// extracted returns a field of a word as a number of 64 bits, extended by a type.
func (e *emitter) extracted(v ir.V, f field, typ string) ir.V {
	op, ext := ir.BitFieldU, ir.ZExt
	if isSigned(typ) {
		op, ext = ir.BitFieldS, ir.SExt
	}
	if f.bits < 32 {
		v = e.b.Op(op, ir.I32, v, e.b.I32(f.at), e.b.I32(f.bits))
	}
	return e.b.Op(ext, ir.I64, v)
}

// inserted returns a word with another field.
func (e *emitter) inserted(word, v ir.V, f field) ir.V {
	mask := uint32(1)<<f.bits - 1
	v = e.b.Op(ir.Shl, ir.I32, e.b.Op(ir.And, ir.I32, v, e.b.I32(mask)), e.b.I32(f.at))
	return e.b.Op(ir.Or, ir.I32, e.b.Op(ir.And, ir.I32, word, e.b.I32(^(mask<<f.at))), v)
}

// videoTypes checks that an instruction has n types, .u32 or .s32 each.
func (e *emitter) videoTypes(n int) {
	for _, t := range e.types {
		if t != ".u32" && t != ".s32" {
			unsupported(e.in.Pos, "%s", e.in.Name())
		}
	}
	if len(e.types) != n {
		malformed(e.in.Pos, "%s has %d types; must have %d", e.in.Name(), len(e.types), n)
	}
}

// clampBits clamps a number of 64 bits to the range of a type with so many bits.
func (e *emitter) clampBits(v ir.V, bits uint32, typ string) ir.V {
	least, most := uint64(0), uint64(1)<<bits-1
	if isSigned(typ) {
		least, most = -(uint64(1) << (bits - 1)), uint64(1)<<(bits-1)-1
	}
	v = e.b.Op(ir.SMax, ir.I64, v, e.b.Const(ir.I64, least))
	return e.b.Op(ir.SMin, ir.I64, v, e.b.Const(ir.I64, most))
}

// video emits a scalar video instruction: an operation on parts of two registers, a saturation to the size of the result, and then a
// second operation with c, or the merge of the result into a part of c.
func (e *emitter) video() {
	d := ".u32" // of vset
	a, b := 0, 1
	if e.in.Op == "vset" {
		e.videoTypes(2)
	} else {
		e.videoTypes(3)
		d, a, b = e.types[0], 1, 2
	}
	x := e.extracted(e.read(e.operand(1), ir.I32), e.selected(1), e.types[a])
	y := e.extracted(e.read(e.operand(2), ir.I32), e.selected(2), e.types[b])
	v := e.videoOperation(e.in.Op, x, y, e.types[a])
	to := e.selected(0)
	if e.in.Has(".sat") {
		v = e.clampBits(v, to.bits, d)
	}
	e.finishVideo(v, to, d)
}

// finishVideo emits the second operation of a scalar video instruction or the merge with c. v is the result of the first one, of 64 bits.
// The ISA's optSecOp has it as a signed number of 33 bits, and c as one of the type of the result: an unsigned difference may be negative.
func (e *emitter) finishVideo(v ir.V, to field, d string) {
	second := ""
	for _, m := range e.in.Mods {
		if m == ".add" || m == ".min" || m == ".max" {
			second = m[1:]
		}
	}
	merges := to.bits < 32
	word := e.b.Op(ir.Trunc, ir.I32, v)
	switch more := len(e.in.Operands) > 3; {
	case merges && second != "":
		malformed(e.in.Pos, "%s has a part of a register for its result; must not have one", e.in.Name())
	case more != (merges || second != ""):
		malformed(e.in.Pos, "%s has %d operands; must have 4 with a second operation or a part, else 3", e.in.Name(), len(e.in.Operands))
	case merges:
		word = e.inserted(e.read(e.operand(3), ir.I32), word, to)
	case second == "add":
		word = e.b.Op(ir.Add, ir.I32, word, e.read(e.operand(3), ir.I32))
	case second != "":
		beyond := e.b.Const(ir.I64, 64-33)
		v = e.b.Op(ir.AShr, ir.I64, e.b.Op(ir.Shl, ir.I64, v, beyond), beyond)
		c := e.extracted(e.read(e.operand(3), ir.I32), field{0, 32}, d)
		word = e.b.Op(ir.Trunc, ir.I32, e.b.Op(extremes[second+".s"], ir.I64, v, c))
	}
	e.set(e.resultRegister(e.operand(0)), word)
}

// videoOperation emits the operation of a video instruction on numbers of 64 bits. typ is the type of x.
func (e *emitter) videoOperation(op string, x, y ir.V, typ string) ir.V {
	b := e.b
	wide := func(o ir.Op, list ...ir.V) ir.V { return b.Op(o, ir.I64, list...) }
	switch strings.TrimRight(op, "24") {
	case "vadd":
		return wide(ir.Add, x, y)
	case "vsub":
		return wide(ir.Sub, x, y)
	case "vabsdiff":
		return wide(ir.SAbs, wide(ir.Sub, x, y))
	case "vmin":
		return wide(ir.SMin, x, y)
	case "vmax":
		return wide(ir.SMax, x, y)
	case "vavrg": // rounded away from zero
		sum := wide(ir.Add, x, y)
		negative := wide(ir.LShr, sum, b.Const(ir.I64, 63))
		up := wide(ir.Xor, negative, b.Const(ir.I64, 1))
		return wide(ir.AShr, wide(ir.Add, sum, up), b.Const(ir.I64, 1))
	case "vset":
		return wide(ir.ZExt, e.videoComparison(x, y))
	}
	if e.types[2] != ".u32" {
		malformed(e.in.Pos, "%s has a count of %s; must be .u32", e.in.Name(), e.types[2])
	}
	if e.in.Has(".wrap") == e.in.Has(".clamp") {
		malformed(e.in.Pos, "%s has no mode; must have .clamp or .wrap", e.in.Name())
	}
	if e.in.Has(".wrap") {
		y = wide(ir.And, y, b.Const(ir.I64, 31))
	} else {
		y = wide(ir.UMin, y, b.Const(ir.I64, 32))
	}
	switch {
	case op == "vshl":
		return wide(ir.Shl, x, y)
	case isSigned(typ):
		return wide(ir.AShr, x, y)
	}
	return wide(ir.LShr, x, y)
}

// videoComparison emits the comparison of vset.
func (e *emitter) videoComparison(x, y ir.V) ir.V {
	b := e.b
	for _, m := range e.in.Mods {
		switch m {
		case ".eq":
			return b.Cmp(ir.Eq, x, y)
		case ".ne":
			return b.Op(ir.Not, ir.B1, b.Cmp(ir.Eq, x, y))
		case ".lt":
			return b.Cmp(ir.SLt, x, y)
		case ".le":
			return b.Cmp(ir.SLe, x, y)
		case ".gt":
			return b.Cmp(ir.SLt, y, x)
		case ".ge":
			return b.Cmp(ir.SLe, y, x)
		}
	}
	malformed(e.in.Pos, "%s has no comparison; must have one", e.in.Name())
	return 0
}

// videoMad emits vmad: ±(a·b) ± c, plus one with .po, shifted to the right. The result is signed if a type or a sign is, and c with it.
func (e *emitter) videoMad() {
	e.videoTypes(3)
	negative := [4]bool{}
	read := func(i int) ir.V {
		o := *e.operand(i)
		negative[i], o.Neg = o.Neg, false
		return e.read(&o, ir.I32)
	}
	x, y, z := read(1), read(2), read(3)
	product := negative[1] != negative[2]
	if product && negative[3] || e.in.Has(".po") && (negative[1] || negative[2] || negative[3]) {
		malformed(e.in.Pos, "%s has the signs of its operands; must have one of the product or of c, and none with .po", e.in.Name())
	}
	numbers := isSigned(e.types[1]) || isSigned(e.types[2])
	signed := numbers || product || negative[3]
	b := e.b
	v := b.Op(ir.Mul, ir.I64, e.extracted(x, e.selected(1), e.types[1]), e.extracted(y, e.selected(2), e.types[2]))
	scale := uint64(0)
	switch {
	case e.in.Has(".shr7"):
		scale = 7
	case e.in.Has(".shr15"):
		scale = 15
	}
	if signed && !numbers {
		e.set(e.resultRegister(e.operand(0)), e.differenceOfProduct(v, b.Op(ir.SExt, ir.I64, z), product, scale))
		return
	}
	ext, shift, typ := ir.ZExt, ir.LShr, ".u32"
	if signed {
		ext, shift, typ = ir.SExt, ir.AShr, ".s32"
	}
	c := b.Op(ext, ir.I64, z)
	if product {
		v = b.Op(ir.Sub, ir.I64, b.Const(ir.I64, 0), v)
	}
	if negative[3] {
		c = b.Op(ir.Sub, ir.I64, b.Const(ir.I64, 0), c)
	}
	v = b.Op(ir.Add, ir.I64, v, c)
	if e.in.Has(".po") {
		v = b.Op(ir.Add, ir.I64, v, b.Const(ir.I64, 1))
	}
	v = b.Op(shift, ir.I64, v, b.Const(ir.I64, scale))
	if e.in.Has(".sat") {
		if signed {
			v = e.clampBits(v, 32, typ)
		} else {
			v = b.Op(ir.UMin, ir.I64, v, b.Const(ir.I64, 1<<32-1))
		}
	}
	e.set(e.resultRegister(e.operand(0)), b.Op(ir.Trunc, ir.I32, v))
}

// differenceOfProduct returns p − c, or c − p if the product has the sign, shifted to the right and perhaps saturated. p is an unsigned
// number of 64 bits and c a signed one of 32 bits, so that the difference has 65 bits and a sign: its magnitude has 64.
//
//	p − c is negative if 0 ≤ p < c            c − p is negative if c < p
//	−m >> n = −⌈m / 2ⁿ⌉ = −(((m − 1) >> n) + 1)
func (e *emitter) differenceOfProduct(p, c ir.V, product bool, scale uint64) ir.V {
	b := e.b
	wide := func(o ir.Op, list ...ir.V) ir.V { return b.Op(o, ir.I64, list...) }
	one, n := b.Const(ir.I64, 1), b.Const(ir.I64, scale)
	below := b.Cmp(ir.SLt, c, b.Const(ir.I64, 0))
	v := wide(ir.Sub, p, c)
	negative := b.Op(ir.And, ir.B1, b.Op(ir.Not, ir.B1, below), b.Cmp(ir.ULt, p, c))
	if product {
		v = wide(ir.Sub, c, p)
		negative = b.Op(ir.Or, ir.B1, below, b.Cmp(ir.ULt, c, p))
	}
	if !e.in.Has(".sat") {
		return b.Op(ir.Trunc, ir.I32, wide(ir.LShr, v, n)) // bits of the difference, whatever its sign
	}
	up := wide(ir.UMin, wide(ir.LShr, v, n), b.Const(ir.I64, 1<<31-1))
	m := wide(ir.Sub, b.Const(ir.I64, 0), v)
	m = wide(ir.Add, wide(ir.LShr, wide(ir.Sub, m, one), n), one)
	down := wide(ir.Sub, b.Const(ir.I64, 0), wide(ir.UMin, m, b.Const(ir.I64, 1<<31)))
	return b.Op(ir.Trunc, ir.I32, b.Select(negative, down, up))
}

// videoLanes emits a SIMD video instruction: an operation on two halves or four bytes that the selectors pick from the words b:a. The
// mask of the result selects lanes: others keep c's. With .add the selected ones are added to c.
func (e *emitter) videoLanes() {
	n := int(e.in.Op[len(e.in.Op)-1] - '0')
	bits := uint32(32 / n)
	d, types := ".u32", e.types
	if strings.HasPrefix(e.in.Op, "vset") {
		e.videoTypes(2)
	} else {
		e.videoTypes(3)
		d, types = e.types[0], e.types[1:]
	}
	if e.in.Has(".sat") && e.in.Has(".add") {
		malformed(e.in.Pos, "%s has .sat and .add; must have one of them", e.in.Name())
	}
	words := [2]ir.V{e.read(e.operand(1), ir.I32), e.read(e.operand(2), ir.I32)}
	c := e.read(e.operand(3), ir.I32)
	pick := func(operand, lane int) ir.V {
		k := e.laneSelector(operand, n)[lane]
		return e.extracted(words[k/n], field{uint32(k%n) * bits, bits}, types[operand-1])
	}
	v := c
	mask := e.laneMask(n)
	for i := range n {
		if !mask[i] {
			continue
		}
		x := e.videoOperation(e.in.Op, pick(1, i), pick(2, i), types[0])
		if e.in.Has(".sat") {
			x = e.clampBits(x, bits, d)
		}
		x = e.b.Op(ir.Trunc, ir.I32, x)
		if e.in.Has(".add") {
			v = e.b.Op(ir.Add, ir.I32, v, x)
		} else {
			v = e.inserted(v, x, field{uint32(i) * bits, bits})
		}
	}
	e.set(e.resultRegister(e.operand(0)), v)
}

// laneSelector returns the lanes that operand i selects of the 2n ones of b:a, the lowest first: by default the operand's own.
func (e *emitter) laneSelector(i, n int) [4]int {
	var list [4]int
	s := e.item.parts[i]
	if s == "" {
		for k := range n {
			list[k] = k + (i-1)*n
		}
		return list
	}
	ok := len(s) == n+2
	for k := 0; ok && k < n; k++ {
		list[n-1-k] = int(s[2+k] - '0')
		ok = s[2+k] >= '0' && list[n-1-k] < 2*n
	}
	if !ok || s[1] != "hb"[n/4] {
		malformed(e.operand(i).Pos, "%s selects no %d lanes; must select so many", s, n)
	}
	return list
}

// laneMask returns the lanes that the selector of the result names, by default all.
func (e *emitter) laneMask(n int) (mask [4]bool) {
	s := e.item.parts[0]
	if s == "" {
		return [4]bool{true, true, true, true}
	}
	ok := len(s) > 2 && s[1] == "hb"[n/4]
	last := n
	for k := 2; ok && k < len(s); k++ {
		lane := int(s[k]) - '0'
		if ok = lane >= 0 && lane < last; ok {
			mask[lane], last = true, lane
		}
	}
	if !ok {
		malformed(e.operand(0).Pos, "%s is no mask of lanes; must be one", s)
	}
	return mask
}
