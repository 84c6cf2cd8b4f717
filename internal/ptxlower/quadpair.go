package ptxlower

import "github.com/chiaro-gpu/chiaro/internal/ir"

// quadProduct is mma.m8n8k4 of halves: four products at once, each by the eight threads q to q+3 and q+16 to q+19 with q = 0, 4, 8 or 12
// (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type"). With u = lane mod 4 and v = 4 in the threads from 16 on, else 0,
// element i of a thread is
//
//	A .row  row u+v, column i        B .row  row u, column i+v        C, D .f16  row u+v, column i
//	A .col  row i+v, column u        B .col  row i, column u+v        C, D .f32  row (lane&1) + (i&2) + v, column (i&4) + (lane&2) + (i&1)
type quadProduct struct {
	*emitter
	factors map[factor]ir.V
}

// factor names an element of A or B: the second matrix, and its position.
type factor struct {
	second      bool
	row, column ir.V
}

// quads emits mma.m8n8k4 of halves. A sum begins with the element of C and adds the products in the order of k.
func (e *emitter) quads(types []string) {
	aRows, bRows, ok := e.layouts()
	if !ok || types[1] != ".f16" || types[2] != ".f16" || types[0] != ".f16" && types[0] != ".f32" || types[3] != ".f16" && types[3] != types[0] {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	q := &quadProduct{emitter: e, factors: map[factor]ir.V{}}
	a, b := e.fragment(1, 2, ir.I32), e.fragment(2, 2, ir.I32)
	c := e.accumulators(3, types[3], 8)
	var d []ir.V
	for i := range uint32(8) {
		row, column := q.position(types[0], i)
		sum := c[i]
		if types[3] != types[0] {
			sum = e.b.Op(ir.FCvt, ir.F32, e.as(q.half(e.fragment(3, 4, ir.I32), q.lane(row), column), ir.F16))
		}
		for k := range uint32(4) {
			depth := e.b.I32(k)
			x := q.factor(factor{false, row, depth}, a, aRows)
			y := q.factor(factor{true, depth, column}, b, bRows)
			sum = e.accumulate(sum, x, y)
		}
		d = append(d, sum)
	}
	e.writeAccumulators(types[0], d)
}

// layouts reports whether A and B are in rows, and whether the instruction says so of both.
func (e *emitter) layouts() (a, b, ok bool) {
	var list []bool
	for _, m := range e.in.Mods {
		if m == ".row" || m == ".col" {
			list = append(list, m == ".row")
		}
	}
	if len(list) != 2 {
		return false, false, false
	}
	return list[0], list[1], true
}

// position returns the row and the column of element i of C or D.
func (q *quadProduct) position(typ string, i uint32) (row, column ir.V) {
	b, lane := q.emitter.b, q.laneID()
	and := func(n uint32) ir.V { return b.Op(ir.And, ir.I32, lane, b.I32(n)) }
	add := func(x, y ir.V) ir.V { return b.Op(ir.Add, ir.I32, x, y) }
	upper := b.Op(ir.LShr, ir.I32, and(16), b.I32(2)) // 4 from thread 16 on
	if typ == ".f16" {
		return add(and(3), upper), b.I32(i)
	}
	return add(add(and(1), b.I32(i&2)), upper), add(and(2), b.I32(i&5))
}

// lane returns the thread with row or column n of the product of this thread.
func (q *quadProduct) lane(n ir.V) ir.V {
	b := q.emitter.b
	first := b.Op(ir.And, ir.I32, q.laneID(), b.I32(12))
	within := b.Op(ir.And, ir.I32, n, b.I32(3))
	upper := b.Op(ir.Shl, ir.I32, b.Op(ir.And, ir.I32, n, b.I32(4)), b.I32(2))
	return b.Op(ir.Or, ir.I32, b.Op(ir.Or, ir.I32, first, within), upper)
}

// factor returns an element of A or B, a matrix in rows or in columns, as .f32.
func (q *quadProduct) factor(f factor, words []ir.V, rows bool) ir.V {
	if v, ok := q.factors[f]; ok {
		return v
	}
	b := q.emitter.b
	outer, inner := f.row, f.column // of A; a thread has the elements of one line
	if f.second {
		outer, inner = f.column, f.row
	}
	var v ir.V
	if rows != f.second { // the line is along k
		v = q.half(words, q.lane(outer), inner)
	} else { // the line is across k, in the threads with the upper or the lower half
		upper := b.Op(ir.And, ir.I32, outer, b.I32(4))
		v = q.half(words, q.lane(b.Op(ir.Or, ir.I32, inner, upper)), b.Op(ir.And, ir.I32, outer, b.I32(3)))
	}
	v = b.Op(ir.FCvt, ir.F32, q.as(v, ir.F16))
	q.factors[f] = v
	return v
}

// half returns element i of a thread, of words with two elements each.
func (q *quadProduct) half(words []ir.V, lane, i ir.V) ir.V {
	b := q.emitter.b
	v := q.shuffle(words[0], lane)
	for n, w := range words[1:] {
		v = b.Select(b.Cmp(ir.ULe, b.I32(uint32(2*n+2)), i), q.shuffle(w, lane), v)
	}
	bit := b.Op(ir.Shl, ir.I32, b.Op(ir.And, ir.I32, i, b.I32(1)), b.I32(4))
	return b.Op(ir.Trunc, ir.I16, b.Op(ir.LShr, ir.I32, v, bit))
}
