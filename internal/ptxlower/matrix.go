package ptxlower

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// matrixShape is a shape m16n8k of mma. All have one layout of fragments (PTX ISA, "Matrix Fragments for mma.m16n8k"): a word has per
// elements with consecutive k, and in a group of four threads thread t has the words t and, of two halves, t+4:
//
//	A  word 2h+r of a thread: row lane/4 + 8r, words 4h + lane%4 of the row
//	B  word h:                column lane/4, words 4h + lane%4 of the column
//	C  element 2r+c:          row lane/4 + 8r, column 2·(lane%4) + c
type matrixShape struct {
	per, halves int
}

// matrixShapes are the shapes by the type of A and the k of the shape.
var matrixShapes = map[string]matrixShape{
	".f16 k8": {2, 1}, ".f16 k16": {2, 2}, ".bf16 k8": {2, 1}, ".bf16 k16": {2, 2}, ".tf32 k4": {1, 1}, ".tf32 k8": {1, 2},
	".s8 k16": {4, 1}, ".s8 k32": {4, 2}, ".u8 k16": {4, 1}, ".u8 k32": {4, 2},
}

// mma emits D = A·B + C. A sum begins with the element of C and adds the products in the order of k, each by a fused multiply-add.
func (e *emitter) mma() {
	shape := ""
	for _, m := range e.in.Mods {
		if k, ok := strings.CutPrefix(m, ".m16n8"); ok {
			shape = k
		}
	}
	if len(e.types) != 4 {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	s, ok := matrixShapes[e.types[1]+" "+shape]
	if !ok || !accumulates(e.types[0], e.types[1], e.types[2]) || e.types[0] != e.types[3] || !e.in.Has(".row") || !e.in.Has(".col") {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	a, b := e.fragment(1, 2*s.halves), e.fragment(2, s.halves)
	c := e.accumulators()
	group := e.b.Op(ir.And, ir.I32, e.laneID(), e.b.I32(^uint32(3)))
	column := e.b.Op(ir.Shl, ir.I32, e.b.Op(ir.And, ir.I32, e.laneID(), e.b.I32(3)), e.b.I32(3)) // four lanes for each of two columns
	for word := range 4 * s.halves {
		part, half := uint32(word%4), word/4
		for r := range 2 {
			x := e.shuffle(a[2*half+r], e.b.Op(ir.Or, ir.I32, group, e.b.I32(part)))
			for k := range 2 {
				y := e.shuffle(b[half], e.b.Op(ir.Add, ir.I32, column, e.b.I32(uint32(4*k)+part)))
				for i := range s.per {
					c[2*r+k] = e.accumulate(c[2*r+k], e.element(x, i, e.types[1]), e.element(y, i, e.types[2]))
				}
			}
		}
	}
	e.writeAccumulators(c)
}

// accumulates reports whether a matrix of type d may be the sum of products of types a and b.
func accumulates(d, a, b string) bool {
	switch a {
	case ".f16":
		return a == b && (d == ".f16" || d == ".f32")
	case ".bf16", ".tf32":
		return a == b && d == ".f32"
	}
	return (b == ".s8" || b == ".u8") && d == ".s32"
}

func (e *emitter) shuffle(v, lane ir.V) ir.V { return e.b.Op(ir.Shuf, ir.I32, v, lane) }

// fragment reads the words of operand i.
func (e *emitter) fragment(i, n int) []ir.V {
	o := e.operand(i)
	list := []*ptx.Operand{o}
	if o.Kind == ptx.Vector {
		list = o.Elems
	}
	if len(list) != n {
		malformed(o.Pos, "the fragment has %d registers; must have %d", len(list), n)
	}
	out := make([]ir.V, n)
	for k, x := range list {
		out[k] = e.read(x, ir.I32)
	}
	return out
}

// accumulators returns the four elements of C.
func (e *emitter) accumulators() []ir.V {
	switch e.types[0] {
	case ".f32":
		return e.each(e.fragment(3, 4), func(v ir.V) ir.V { return e.as(v, ir.F32) })
	case ".s32":
		return e.fragment(3, 4)
	}
	w := e.fragment(3, 2)
	return []ir.V{e.element(w[0], 0, ".half"), e.element(w[0], 1, ".half"), e.element(w[1], 0, ".half"), e.element(w[1], 1, ".half")}
}

// element returns element i of a word as the accumulation needs it.
func (e *emitter) element(w ir.V, i int, t string) ir.V {
	half := func() ir.V { return e.b.Op(ir.Trunc, ir.I16, e.b.Op(ir.LShr, ir.I32, w, e.b.I32(uint32(16*i)))) }
	switch t {
	case ".half":
		return e.as(half(), ir.F16)
	case ".f16":
		return e.b.Op(ir.FCvt, ir.F32, e.as(half(), ir.F16))
	case ".bf16":
		return e.fromBfloat(half())
	case ".tf32":
		const bits = 13 // that tf32 does not have
		return e.as(e.b.Op(ir.And, ir.I32, w, e.b.I32(^uint32(1<<bits-1))), ir.F32)
	}
	return e.lane(w, uint32(i), 8, t)
}

// accumulate adds a product to an element.
func (e *emitter) accumulate(c, x, y ir.V) ir.V {
	switch t := e.b.Func.Type(c); t {
	case ir.I32:
		return e.b.Op(ir.Add, ir.I32, c, e.b.Op(ir.Mul, ir.I32, x, y))
	case ir.F16:
		wide := e.b.Op(ir.FFma, ir.F32, x, y, e.b.Op(ir.FCvt, ir.F32, c))
		return e.b.Op(ir.FCvt, ir.F16, wide)
	default:
		return e.b.Op(ir.FFma, t, x, y, c)
	}
}

// writeAccumulators makes the elements the result.
func (e *emitter) writeAccumulators(c []ir.V) {
	d := e.operand(0)
	if e.types[0] == ".f16" {
		half := func(v ir.V) ir.V { return e.as(v, ir.I16) }
		c = []ir.V{e.pack(half(c[0]), half(c[1])), e.pack(half(c[2]), half(c[3]))}
	}
	if d.Kind != ptx.Vector || len(d.Elems) != len(c) {
		malformed(d.Pos, "the result has another number of registers; must have %d", len(c))
	}
	for i, o := range d.Elems {
		if o.Kind != ptx.Sink {
			e.set(e.resultRegister(o), c[i])
		}
	}
}

// loadMatrix emits ldmatrix: 8 by 8 elements of 16 bits, whose rows have the addresses that threads 8i to 8i+7 give for matrix i.
func (e *emitter) loadMatrix() {
	n := 1
	for i, m := range []string{".x1", ".x2", ".x4"} {
		if e.in.Has(m) {
			n = 1 << i
		}
	}
	d := e.operand(0)
	list := []*ptx.Operand{d}
	if d.Kind == ptx.Vector {
		list = d.Elems
	}
	if len(list) != n || !e.in.Has(".m8n8") || spaceOf(e.in) != inShared && spaceOf(e.in) != inGeneric {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	a := e.operand(1)
	if a.Kind != ptx.Address || len(a.Elems) != 1 {
		malformed(a.Pos, "this operand of %s is no address; must be one", e.in.Name())
	}
	at := e.as(e.read(a.Elems[0], ir.I64), ir.I32) // the window of a generic address is above
	row := e.b.Op(ir.LShr, ir.I32, e.laneID(), e.b.I32(2))
	column := e.b.Op(ir.And, ir.I32, e.laneID(), e.b.I32(3))
	h := e.b.Op(ir.Wg, ir.H)
	load := func(t ir.Type, from, plus ir.V) ir.V {
		return e.b.Op(ir.Ld, t, h, e.b.Op(ir.Add, ir.I32, e.shuffle(at, from), plus))
	}
	for i, o := range list {
		first := e.b.I32(uint32(8 * i))
		var v ir.V
		if e.in.Has(".trans") {
			even := e.b.Op(ir.Add, ir.I32, first, e.b.Op(ir.Shl, ir.I32, column, e.b.I32(1)))
			plus := e.b.Op(ir.Shl, ir.I32, row, e.b.I32(1))
			v = e.pack(load(ir.I16, even, plus), load(ir.I16, e.b.Op(ir.Add, ir.I32, even, e.b.I32(1)), plus))
		} else {
			v = load(ir.I32, e.b.Op(ir.Add, ir.I32, first, row), e.b.Op(ir.Shl, ir.I32, column, e.b.I32(2)))
		}
		if o.Kind != ptx.Sink {
			e.set(e.resultRegister(o), v)
		}
	}
}
