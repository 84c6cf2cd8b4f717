package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// transposeMatrix emits movmatrix: the transpose of 8 by 8 elements of 16 bits. Thread t has the elements 2(t mod 4) and the next one of
// row t/4.
func (e *emitter) transposeMatrix() {
	b := e.b
	op := func(o ir.Op, x, y ir.V) ir.V { return b.Op(o, ir.I32, x, y) }
	v, lane := e.read(e.operand(1), ir.I32), e.laneID()
	row, pair := op(ir.LShr, lane, b.I32(2)), op(ir.And, lane, b.I32(3))
	half := func(k uint32) ir.V { // of row 2·pair + k, element row
		from := op(ir.Add, op(ir.Shl, pair, b.I32(3)), op(ir.Add, op(ir.LShr, row, b.I32(1)), b.I32(4*k)))
		by := op(ir.Shl, op(ir.And, row, b.I32(1)), b.I32(4))
		return b.Op(ir.Trunc, ir.I16, op(ir.LShr, e.shuffle(v, from), by))
	}
	e.result(e.pack(half(0), half(1)))
}

// storeMatrix emits stmatrix, the inverse of ldmatrix.
func (e *emitter) storeMatrix() {
	n := 1
	for i, m := range []string{".x1", ".x2", ".x4"} {
		if e.in.Has(m) {
			n = 1 << i
		}
	}
	d := e.operand(1)
	list := []*ptx.Operand{d}
	if d.Kind == ptx.Vector {
		list = d.Elems
	}
	if len(list) != n || !e.in.Has(".m8n8") || spaceOf(e.in) != inShared && spaceOf(e.in) != inGeneric {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	a := e.operand(0)
	if a.Kind != ptx.Address || len(a.Elems) != 1 {
		malformed(a.Pos, "this operand of %s is no address; must be one", e.in.Name())
	}
	b := e.b
	op := func(o ir.Op, x, y ir.V) ir.V { return b.Op(o, ir.I32, x, y) }
	at := e.as(e.read(a.Elems[0], ir.I64), ir.I32) // the window of a generic address is above
	row, pair := op(ir.LShr, e.laneID(), b.I32(2)), op(ir.And, e.laneID(), b.I32(3))
	store := func(v, from, plus ir.V) {
		e.inSpace(op(ir.Add, e.shuffle(at, from), plus), inShared, uint64(b.Func.Type(v).Size()), func(p place) { e.storePlace(p, 0, v, 0) })
	}
	for i, o := range list {
		first, v := b.I32(uint32(8*i)), e.read(o, ir.I32)
		if !e.in.Has(".trans") {
			store(v, op(ir.Add, first, row), op(ir.Shl, pair, b.I32(2)))
			continue
		}
		for k := range uint32(2) {
			half := b.Op(ir.Trunc, ir.I16, op(ir.LShr, v, b.I32(16*k)))
			store(half, op(ir.Add, first, op(ir.Add, op(ir.Shl, pair, b.I32(1)), b.I32(k))), op(ir.Shl, row, b.I32(1)))
		}
	}
}
