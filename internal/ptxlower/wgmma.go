package ptxlower

import (
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// Matrices of a warpgroup of four warps (PTX ISA, "wgmma.mma_async"): the warp with number w has rows 16w to 16w+15 of A and D, in fragments of
// mma.m16n8, one after the other for each eight columns. B, and A unless it is in registers, is in shared memory, at the places that a descriptor
// has. No warp waits for another one, and a product is complete at once.

// groupShapeMods returns the shapes of wgmma as modifiers.
func groupShapeMods() string {
	var list []string
	for n := 8; n <= 256; n += 8 {
		for _, k := range []int{8, 16, 32, 256} {
			list = append(list, ".m64n"+strconv.Itoa(n)+"k"+strconv.Itoa(k))
		}
	}
	return strings.Join(list, " ")
}

// groupShape returns the n of a product of a warpgroup; 0 if the types have no such shape.
func (e *emitter) groupShape(types []string) int {
	const rowBits = 256 // of a row of A
	for _, m := range e.in.Mods {
		size, k, found := strings.Cut(strings.TrimPrefix(m, ".m64n"), "k")
		n, err := strconv.Atoi(size)
		if !found || err != nil {
			continue
		}
		if k != strconv.Itoa(rowBits/32*matrixElements[types[1]]) || types[0] == ".s32" && n > 32 && n%16 > 0 {
			return 0
		}
		return n
	}
	return 0
}

// wgmma emits wgmma.mma_async. The other instructions order its accesses, and do nothing.
func (e *emitter) wgmma() {
	if !e.in.Has(".mma_async") {
		if least := map[bool]int{true: 1}[e.in.Has(".wait_group")]; len(e.in.Operands) != least || len(e.types) > 0 {
			malformed(e.in.Pos, "%s has %d operands; must have %d", e.in.Name(), len(e.in.Operands), least)
		}
		return
	}
	types := e.matrixTypes()
	if least := 4; len(e.in.Operands) < least {
		malformed(e.in.Pos, "%s has %d operands; must have at least %d", e.in.Name(), len(e.in.Operands), least)
	}
	if len(types) != 3 || !accumulates(types[0], types[1], types[2]) || types[1] == ".f64" || matrixElements[types[1]] == 8 {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	n := e.groupShape(types)
	if n == 0 {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	p := e.matrixProductOf(types)
	s := e.groupSource(types[1])
	a := s.rowsOfA()
	c := e.accumulators(0, types[0], n/2)
	keep := e.predicate(e.operand(3))
	c = e.each(c, func(v ir.V) ir.V { return e.b.Select(keep, v, e.b.Const(e.b.Func.Type(v), 0)) })
	column := e.b.Op(ir.Shl, ir.I32, e.b.Op(ir.And, ir.I32, e.laneID(), e.b.I32(3)), e.b.I32(3)) // four lanes for each of two columns
	line := e.b.Op(ir.LShr, ir.I32, e.laneID(), e.b.I32(2))
	for j := range n / 8 {
		at := e.b.Op(ir.Add, ir.I32, line, e.b.I32(uint32(8*j)))
		words := [2]ir.V{s.word(s.mb, at, 0), s.word(s.mb, at, 1)}
		for word := range 8 {
			for r := range 2 {
				for k := range 2 {
					y := e.shuffle(words[word/4], e.b.Op(ir.Add, ir.I32, column, e.b.I32(uint32(4*k+word%4))))
					c[4*j+2*r+k] = p.add(c[4*j+2*r+k], a[2*word+r], y)
				}
			}
		}
	}
	e.writeAccumulators(types[0], e.each(c, p.finish))
}

// predicate returns an operand that is a predicate or a constant.
func (e *emitter) predicate(o *ptx.Operand) ir.V {
	if o.Kind == ptx.Immediate {
		return e.b.Bool(e.constant(o.Expr) != 0)
	}
	return e.read(o, ir.B1)
}

// groupSource are the matrices A and B of a product of a warpgroup.
type groupSource struct {
	*emitter
	bytes  int  // of an element
	negate ir.V // of the words of A: the bits that change; 0 for none
	ma, mb *groupMatrix
}

// groupMatrix is a matrix in shared memory. The fields have bytes.
type groupMatrix struct {
	start, leading, stride ir.V
	base, mode             ir.V // mode is 0 to 3: rows of 16, 32, 64 and 128 bytes
	transposed             bool // elements with consecutive k are not beside each other
}

// groupSource reads the operands of a product with matrices of a type.
func (e *emitter) groupSource(t string) *groupSource {
	s := &groupSource{emitter: e, bytes: 4 / min(matrixElements[t], 4)}
	list := e.in.Operands[4:]
	integer, inMemory := t == ".s8" || t == ".u8" || t == ".b1", e.operand(1).Kind != ptx.Vector
	want := 2
	switch {
	case integer:
		want = 0
	case s.bytes == 2 && inMemory:
		want = 4
	case s.bytes == 2:
		want = 3
	}
	if len(list) != want {
		malformed(e.in.Pos, "%s has %d operands; must have %d", e.in.Name(), len(e.in.Operands), 4+want)
	}
	var flags []bool // whether an operand is not its default
	for i, o := range list {
		other := map[bool]uint64{true: 1<<64 - 1, false: 1}[i < 2]
		v := map[bool]uint64{true: 1, false: 0}[i < 2]
		x, ok := uint64(0), o.Kind == ptx.Immediate
		if ok {
			x, ok = o.Expr.Int()
		}
		if !ok || x != v && x != other {
			malformed(o.Pos, "the operand is no constant %d or %d; must be one", int64(v), int64(other))
		}
		flags = append(flags, x == other)
	}
	if want > 0 && flags[0] != flags[1] {
		s.negate = e.b.I32(map[int]uint32{1: 0x80808080, 2: 0x80008000, 4: 1 << 31}[s.bytes])
	}
	if inMemory {
		s.ma = e.groupMatrix(e.operand(1))
		s.ma.transposed = want == 4 && flags[2]
	}
	s.mb = e.groupMatrix(e.operand(2))
	s.mb.transposed = want > 2 && flags[want-1]
	return s
}

// groupMatrix reads a descriptor (PTX ISA, "Matrix Descriptor Format").
func (e *emitter) groupMatrix(o *ptx.Operand) *groupMatrix {
	b, d := e.b, e.read(o, ir.I64)
	field := func(shift, bits uint64) ir.V {
		x := b.Op(ir.Trunc, ir.I32, b.Op(ir.LShr, ir.I64, d, b.Const(ir.I64, shift)))
		return b.Op(ir.And, ir.I32, x, b.I32(1<<bits-1))
	}
	address := func(shift uint64) ir.V { return b.Op(ir.Shl, ir.I32, field(shift, 14), b.I32(4)) }
	mode := field(62, 2)
	wide := b.Op(ir.Sub, ir.I32, b.I32(4), mode) // 1 is that of 128 bytes
	none := b.Cmp(ir.Eq, mode, b.I32(0))
	return &groupMatrix{
		start: address(0), leading: address(16), stride: address(32), base: b.Select(none, b.I32(0), field(49, 3)), mode: b.Select(none, mode, wide),
	}
}

// rowsOfA returns the words of the rows of the thread's fragments, at 2·word+r that of row lane/4 + 8r of the warp.
func (s *groupSource) rowsOfA() []ir.V {
	b := s.b
	var own []ir.V // as fragments: 2·h+r
	if s.ma == nil {
		own = s.fragment(1, 4, ir.I32)
	} else {
		warp := b.Op(ir.And, ir.I32, s.input32(ir.SubgroupId), b.I32(3))
		first := b.Op(ir.Add, ir.I32, b.Op(ir.Shl, ir.I32, warp, b.I32(4)), b.Op(ir.LShr, ir.I32, s.laneID(), b.I32(2)))
		for h := range 2 {
			for r := range 2 {
				own = append(own, s.word(s.ma, b.Op(ir.Add, ir.I32, first, b.I32(uint32(8*r))), h))
			}
		}
	}
	if s.negate != 0 {
		own = s.each(own, func(v ir.V) ir.V { return b.Op(ir.Xor, ir.I32, v, s.negate) })
	}
	group := b.Op(ir.And, ir.I32, s.laneID(), b.I32(^uint32(3)))
	var rows []ir.V
	for word := range 8 {
		for r := range 2 {
			rows = append(rows, s.shuffle(own[2*(word/4)+r], b.Op(ir.Or, ir.I32, group, b.I32(uint32(word%4)))))
		}
	}
	return rows
}

// word returns word 4·half + lane%4 of a row of A or a column of B.
func (s *groupSource) word(m *groupMatrix, line ir.V, half int) ir.V {
	b := s.b
	word := b.Op(ir.Add, ir.I32, b.Op(ir.And, ir.I32, s.laneID(), b.I32(3)), b.I32(uint32(4*half)))
	h := b.Op(ir.Wg, ir.H)
	load := func(t ir.Type, at ir.V) ir.V { return b.Op(ir.Ld, t, h, s.withinShared(at, uint64(t.Size()))) }
	if !m.transposed {
		return load(ir.I32, s.alongK(m, line, b.Op(ir.Shl, ir.I32, word, b.I32(2))))
	}
	k := b.Op(ir.Shl, ir.I32, word, b.I32(1))
	return s.pack(load(ir.I16, s.acrossK(m, line, k)), load(ir.I16, s.acrossK(m, line, b.Op(ir.Add, ir.I32, k, b.I32(1)))))
}

// alongK returns the address of a byte of a line of a matrix that is K-major: ((8,m),(T,2k)):((row,stride),(1,leading)) with rows of the mode, and
// without swizzle, where the second half of a line is at the leading offset.
func (s *groupSource) alongK(m *groupMatrix, line, at ir.V) ir.V {
	b := s.b
	op := func(o ir.Op, x, y ir.V) ir.V { return b.Op(o, ir.I32, x, y) }
	row := op(ir.Shl, op(ir.And, line, b.I32(7)), op(ir.Add, m.mode, b.I32(4)))
	rows := op(ir.Mul, op(ir.LShr, line, b.I32(3)), m.stride)
	chunk := op(ir.LShr, at, b.I32(4))
	step := b.Select(b.Cmp(ir.Eq, m.mode, b.I32(0)), m.leading, b.I32(16))
	at = op(ir.Add, op(ir.And, at, b.I32(15)), op(ir.Mul, chunk, step))
	return s.swizzled(m, op(ir.Add, op(ir.Add, row, rows), at))
}

// acrossK returns the address of element k of a line of a matrix of 16 bits that is MN-major: ((8,w,m),(8,k)) with w chunks of 16 bytes in a row of the
// mode. Without swizzle the strides are ((2,-,stride),(16,leading)), else ((2,16,leading),(16w,stride)).
func (s *groupSource) acrossK(m *groupMatrix, line, k ir.V) ir.V {
	b := s.b
	op := func(o ir.Op, x, y ir.V) ir.V { return b.Op(o, ir.I32, x, y) }
	none := b.Cmp(ir.Eq, m.mode, b.I32(0))
	far, next := b.Select(none, m.stride, m.leading), b.Select(none, m.leading, m.stride)
	chunk := op(ir.LShr, line, b.I32(3))
	in := op(ir.And, chunk, op(ir.Sub, op(ir.Shl, b.I32(1), m.mode), b.I32(1)))
	along := op(ir.Add, op(ir.Shl, op(ir.And, line, b.I32(7)), b.I32(1)), op(ir.Shl, in, b.I32(4)))
	along = op(ir.Add, along, op(ir.Mul, op(ir.LShr, chunk, m.mode), far))
	across := op(ir.Shl, op(ir.And, k, b.I32(7)), op(ir.Add, m.mode, b.I32(4)))
	across = op(ir.Add, across, op(ir.Mul, op(ir.LShr, k, b.I32(3)), next))
	return s.swizzled(m, op(ir.Add, along, across))
}

// swizzled returns the address at an offset of a matrix. The mode has the number of bits from bit 4 on that change by those from bit 7 on, which
// count from the base offset.
func (s *groupSource) swizzled(m *groupMatrix, offset ir.V) ir.V {
	b := s.b
	op := func(o ir.Op, x, y ir.V) ir.V { return b.Op(o, ir.I32, x, y) }
	at := op(ir.Add, m.start, offset)
	phase := op(ir.Sub, op(ir.LShr, at, b.I32(7)), m.base)
	phase = op(ir.And, phase, op(ir.Sub, op(ir.Shl, b.I32(1), m.mode), b.I32(1)))
	return op(ir.Xor, at, op(ir.Shl, phase, b.I32(4)))
}
