package ptxlower

import (
	"slices"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// matrixShape is a shape of mma. All have one layout of fragments (PTX ISA, "Matrix Fragments for mma.m16n8k" and "mma.m8n8k"): a word has
// per elements with consecutive k, and in a group of four threads thread t has the words t, t+4 and so on. A has rows·8 rows:
//
//	A  word rows·h+r of a thread: row lane/4 + 8r, words 4h + lane%4 of the row
//	B  word h:                    column lane/4, words 4h + lane%4 of the column
//	C  element 2r+c:              row lane/4 + 8r, column 2·(lane%4) + c
type matrixShape struct {
	per, rows, halves int
}

// matrixElements are the elements of a word by the type of A.
var matrixElements = map[string]int{".f16": 2, ".bf16": 2, ".tf32": 1, ".f64": 1, ".s8": 4, ".u8": 4, ".e4m3": 4, ".e5m2": 4, ".s4": 8, ".u4": 8, ".b1": 32}

// matrixShapes are the k of the shapes, by the type of A and the m and n of the shape.
var matrixShapes = map[string]string{
	".f16 m16n8": "8 16", ".bf16 m16n8": "8 16", ".tf32 m16n8": "4 8", ".f64 m16n8": "4 8 16", ".f64 m8n8": "4",
	".e4m3 m16n8": "16 32", ".e5m2 m16n8": "16 32",
	".s8 m16n8": "16 32", ".s8 m8n8": "16", ".s4 m16n8": "32 64", ".s4 m8n8": "32", ".b1 m16n8": "128 256", ".b1 m8n8": "128",
}

// shapeOf returns the shape of an mma with matrices of type a; false if there is none.
func (e *emitter) shapeOf(a string) (s matrixShape, ok bool) {
	for _, m := range e.in.Mods {
		size, k, found := strings.Cut(m, "k")
		n, err := strconv.Atoi(k)
		if !found || err != nil {
			continue
		}
		ks := matrixShapes[strings.Replace(a, "u", "s", 1)+" "+size[1:]]
		if !slices.Contains(strings.Fields(ks), k) {
			return s, false
		}
		s.per, s.rows = matrixElements[a], 2
		if size == ".m8n8" {
			s.rows = 1
		}
		s.halves = n / (4 * s.per)
		return s, true
	}
	return s, false
}

// matrixTypes returns the types of matrices, also types of less than a byte.
func (e *emitter) matrixTypes() (types []string) {
	for _, m := range e.in.Mods {
		if matrixElements[m] > 0 || ptx.TypeSize(m) > 0 {
			types = append(types, m)
		}
	}
	return types
}

// mma emits D = A·B + C. A sum begins with the element of C and adds the products in the order of k, each by a fused multiply-add.
func (e *emitter) mma() {
	types := e.matrixTypes()
	if len(types) != 4 {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	if e.isSparse() {
		e.sparse(types)
		return
	}
	if len(e.in.Operands) != 4 {
		malformed(e.in.Pos, "%s has %d operands; must have 4", e.in.Name(), len(e.in.Operands))
	}
	if e.in.Has(".m8n8k4") && types[1] != ".f64" {
		e.quads(types)
		return
	}
	s, ok := e.shapeOf(types[1])
	if !ok || !accumulates(types[0], types[1], types[2]) || types[0] != types[3] || !e.in.Has(".row") || !e.in.Has(".col") {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	p := e.matrixProductOf(types)
	a, b := e.fragment(1, s.rows*s.halves, p.word), e.fragment(2, s.halves, p.word)
	c := e.accumulators(3, types[3], 2*s.rows)
	group := e.b.Op(ir.And, ir.I32, e.laneID(), e.b.I32(^uint32(3)))
	column := e.b.Op(ir.Shl, ir.I32, e.b.Op(ir.And, ir.I32, e.laneID(), e.b.I32(3)), e.b.I32(3)) // four lanes for each of two columns
	for word := range 4 * s.halves {
		part, half := uint32(word%4), word/4
		for r := range s.rows {
			x := e.shuffle(a[s.rows*half+r], e.b.Op(ir.Or, ir.I32, group, e.b.I32(part)))
			for k := range 2 {
				y := e.shuffle(b[half], e.b.Op(ir.Add, ir.I32, column, e.b.I32(uint32(4*k)+part)))
				c[2*r+k] = p.add(c[2*r+k], x, y)
			}
		}
	}
	e.writeAccumulators(types[0], e.each(c, p.finish))
}

// matrixProduct is the sum of products of the elements of words.
type matrixProduct struct {
	word   ir.Type
	add    func(c, x, y ir.V) ir.V
	finish func(c ir.V) ir.V // of the sum
}

// matrixProductOf returns the product of matrices with the types of D, A, B and C.
func (e *emitter) matrixProductOf(types []string) *matrixProduct {
	p := &matrixProduct{word: ir.I32, finish: func(c ir.V) ir.V { return c }}
	per := matrixElements[types[1]]
	p.add = func(c, x, y ir.V) ir.V {
		for i := range per {
			c = e.accumulate(c, e.element(x, i, types[1]), e.element(y, i, types[2]))
		}
		return c
	}
	switch {
	case types[1] == ".f64":
		p.word = ir.I64
	case types[1] == ".b1":
		op := ir.Xor
		if e.in.Has(".and") {
			op = ir.And
		}
		if !e.in.Has(".popc") || e.in.Has(".and") == e.in.Has(".xor") {
			unsupported(e.in.Pos, "%s", e.in.Name())
		}
		p.add = func(c, x, y ir.V) ir.V {
			return e.b.Op(ir.Add, ir.I32, c, e.b.Op(ir.BitCount, ir.I32, e.b.Op(op, ir.I32, x, y)))
		}
	case e.in.Has(".satfinite") && types[0] == ".s32": // exact sums in 64 bits, clamped
		inner := p.add
		p.add = func(c, x, y ir.V) ir.V {
			if e.b.Func.Type(c) == ir.I32 {
				c = e.b.Op(ir.SExt, ir.I64, c)
			}
			return e.b.Op(ir.Add, ir.I64, c, e.b.Op(ir.SExt, ir.I64, inner(e.b.I32(0), x, y)))
		}
		p.finish = e.clampS32
	case e.in.Has(".satfinite"):
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	return p
}

// accumulates reports whether a matrix of type d may be the sum of products of types a and b.
func accumulates(d, a, b string) bool {
	switch a {
	case ".f16":
		return a == b && (d == ".f16" || d == ".f32")
	case ".bf16", ".tf32":
		return a == b && d == ".f32"
	case ".f64":
		return a == b && d == a
	case ".e4m3", ".e5m2":
		return (b == ".e4m3" || b == ".e5m2") && (d == ".f16" || d == ".f32")
	}
	return matrixElements[a] == matrixElements[b] && d == ".s32"
}

func (e *emitter) shuffle(v, lane ir.V) ir.V { return e.b.Op(ir.Shuf, e.b.Func.Type(v), v, lane) }

// fragment reads the n words of operand i.
func (e *emitter) fragment(i, n int, t ir.Type) []ir.V {
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
		out[k] = e.read(x, t)
	}
	return out
}

// accumulators returns the n elements of C, operand i, of a type.
func (e *emitter) accumulators(i int, t string, n int) []ir.V {
	if t != ".f16" {
		it := irType(t)
		return e.each(e.fragment(i, n, bitsType(ptx.TypeSize(t))), func(v ir.V) ir.V { return e.as(v, it) })
	}
	var c []ir.V
	for _, w := range e.fragment(i, n/2, ir.I32) {
		c = append(c, e.element(w, 0, ".half"), e.element(w, 1, ".half"))
	}
	return c
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
	case ".e4m3", ".e5m2":
		return e.b.Op(ir.FCvt, ir.F32, e.halfOf(e.b.Op(ir.BitFieldU, ir.I32, w, e.b.I32(uint32(8*i)), e.b.I32(8)), minifloats[t]))
	case ".tf32":
		const bits = 13 // that tf32 does not have
		return e.as(e.b.Op(ir.And, ir.I32, w, e.b.I32(^uint32(1<<bits-1))), ir.F32)
	}
	switch t {
	case ".f64":
		return e.as(w, ir.F64)
	case ".s4", ".u4":
		return e.lane(w, uint32(i), 4, t)
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
	case ir.F64: // the only type with rounding modes
		return e.rounded(ir.FFma, t, x, y, c)
	default:
		return e.b.Op(ir.FFma, t, x, y, c)
	}
}

// writeAccumulators makes the elements of a type the result.
func (e *emitter) writeAccumulators(t string, c []ir.V) {
	if t == ".f16" {
		var words []ir.V
		for i := 0; i < len(c); i += 2 {
			words = append(words, e.pack(e.as(c[i], ir.I16), e.as(c[i+1], ir.I16)))
		}
		c = words
	}
	d := e.operand(0)
	list := []*ptx.Operand{d}
	if d.Kind == ptx.Vector {
		list = d.Elems
	}
	if len(list) != len(c) {
		malformed(d.Pos, "the result has %d registers; must have %d", len(list), len(c))
	}
	for i, o := range list {
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
		return e.b.Op(ir.Ld, t, h, e.withinShared(e.b.Op(ir.Add, ir.I32, e.shuffle(at, from), plus), uint64(t.Size())))
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
