package ptxlower

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// warpShapes are the shapes of wmma by the type of A.
var warpShapes = map[string]string{
	".f16": "m16n16k16 m32n8k16 m8n32k16", ".bf16": "m16n16k16 m32n8k16 m8n32k16", ".s8": "m16n16k16 m32n8k16 m8n32k16", ".u8": "m16n16k16 m32n8k16 m8n32k16",
	".tf32": "m16n16k8", ".f64": "m8n8k4", ".s4": "m8n8k32", ".u4": "m8n8k32", ".b1": "m8n8k128",
}

// warpFragment is the layout of a matrix in the registers of a warp, which PTX leaves open: the words of its lines, the rows of A, C and D
// and the columns of B, follow each other in the threads of register 0, then of register 1. The words of a matrix A or B of .f16 are in
// the first half of its registers.
type warpFragment struct {
	typ           string
	lines, length int // in elements
	per           int // elements of a word
	word          ir.Type
	along         bool // the elements of a line are beside each other in memory
}

// words returns the registers that have the matrix.
func (f *warpFragment) words() int { return f.lines * f.length / f.per / WarpSize }

// registers returns the registers of the operand.
func (f *warpFragment) registers(which string) int {
	if f.typ == ".f16" && which < ".c" {
		return 8
	}
	return f.words()
}

// warpFragment returns the layout of a matrix: .a, .b, .c or .d.
func (e *emitter) warpFragment(which, typ string) *warpFragment {
	var m, n, k int
	for _, mod := range e.in.Mods {
		if x, err := fmt.Sscanf(mod, ".m%dn%dk%d", &m, &n, &k); x == 3 && err == nil {
			break
		}
	}
	f := &warpFragment{typ: typ, lines: m, length: k, per: matrixElements[typ], word: ir.I32, along: e.in.Has(".row")}
	switch which {
	case ".b":
		f.lines, f.along = n, e.in.Has(".col")
	case ".c", ".d":
		f.length, f.per = n, 4/min(ptx.TypeSize(typ), 4)
	}
	if typ == ".f64" {
		f.word = ir.I64
	}
	return f
}

// warpShape checks that there is the shape of an instruction with a matrix A of a type.
func (e *emitter) warpShape(a string) {
	for s := range strings.FieldsSeq(warpShapes[a]) {
		if e.in.Has("." + s) {
			return
		}
	}
	unsupported(e.in.Pos, "%s", e.in.Name())
}

// wmma emits a load or a store of a matrix, or a product.
func (e *emitter) wmma() {
	types := e.matrixTypes()
	switch {
	case e.in.Has(".mma"):
		e.wmmaProduct(types)
		return
	case len(types) != 1 || len(e.in.Operands) > 3 || e.in.Has(".load") == e.in.Has(".store"):
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	which := ""
	for _, w := range []string{".a", ".b", ".c", ".d"} {
		if e.in.Has(w) {
			which = w
		}
	}
	if which == "" || e.in.Has(".store") != (which == ".d") || e.in.Has(".row") == e.in.Has(".col") {
		malformed(e.in.Pos, "%s has no matrix and layout; must have both", e.in.Name())
	}
	if which < ".c" {
		e.warpShape(types[0])
	} else {
		e.warpShape(map[string]string{".f16": ".f16", ".f32": e.floatFactor(), ".s32": e.integerFactor(), ".f64": ".f64"}[types[0]])
	}
	f := e.warpFragment(which, types[0])
	if e.in.Has(".load") {
		e.wmmaLoad(f, which)
	} else {
		e.wmmaStore(f)
	}
}

// floatFactor returns a type that A may have if C is .f32.
func (e *emitter) floatFactor() string {
	if e.in.Has(".m16n16k8") {
		return ".tf32"
	}
	return ".f16"
}

// integerFactor returns a type that A may have if C is .s32.
func (e *emitter) integerFactor() string {
	switch {
	case e.in.Has(".m8n8k32"):
		return ".s4"
	case e.in.Has(".m8n8k128"):
		return ".b1"
	}
	return ".s8"
}

// position returns the line and the first element of the word in register g of each thread.
func (e *emitter) position(f *warpFragment, g int) (line, first ir.V) {
	n := uint32(f.length / f.per)
	shift := uint32(bits.TrailingZeros32(n))
	w := e.b.Op(ir.Add, ir.I32, e.laneID(), e.b.I32(uint32(g%f.words()*WarpSize)))
	line = e.b.Op(ir.LShr, ir.I32, w, e.b.I32(shift))
	first = e.b.Op(ir.Mul, ir.I32, e.b.Op(ir.And, ir.I32, w, e.b.I32(n-1)), e.b.I32(uint32(f.per)))
	return line, first
}

// matrixPlaces calls access for the memory of each part of register g: the whole word of a line along the memory, else each element.
// size is the size of a part in bytes.
func (e *emitter) matrixPlaces(f *warpFragment, g int, p place, access func(part int, p place)) (parts int) {
	elementBits := uint32(f.word.Bits()) / uint32(f.per)
	line, first := e.position(f, g)
	stride := e.b.I32(uint32(f.length))
	if !f.along {
		stride = e.b.I32(uint32(f.lines))
	}
	if len(e.in.Operands) > 2 {
		stride = e.read(e.operand(2), ir.I32)
	}
	parts = f.per
	if f.along {
		parts = 1
	} else if elementBits < 8 {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	for i := range parts {
		element := e.b.Op(ir.Add, ir.I32, first, e.b.I32(uint32(i)))
		outer, inner := line, element
		if !f.along {
			outer, inner = element, line
		}
		at := e.b.Op(ir.Add, ir.I32, e.b.Op(ir.Mul, ir.I32, outer, stride), inner)
		at = e.b.Op(ir.LShr, ir.I32, e.b.Op(ir.Mul, ir.I32, at, e.b.I32(elementBits)), e.b.I32(3))
		q := p
		if q.offset = at; p.offset != 0 {
			q.offset = e.b.Op(ir.Add, ir.I32, p.offset, at)
		}
		access(i, q)
	}
	return parts
}

// wmmaLoad emits wmma.load.
func (e *emitter) wmmaLoad(f *warpFragment, which string) {
	n := f.registers(which)
	d := e.operand(0)
	if (d.Kind != ptx.Vector || len(d.Elems) != n) && (n > 1 || d.Kind == ptx.Vector && len(d.Elems) != 1) {
		malformed(d.Pos, "the fragment has %d registers; must have %d", len(d.Elems), n)
	}
	slots := make([]uint64, f.words())
	for g := range slots {
		slots[g] = e.temporary(f.word)
	}
	e.memory(e.operand(1), spaceOf(e.in), uint64(f.word.Size()), func(p place) {
		for g, slot := range slots {
			v := e.b.Const(f.word, 0)
			part := f.word
			if !f.along {
				part = bitsType(int(f.word.Size()) / f.per)
			}
			e.matrixPlaces(f, g, p, func(i int, q place) {
				x := e.as(e.loadPlace(q, 0, part, 0), f.word)
				v = e.b.Op(ir.Or, f.word, v, e.b.Op(ir.Shl, f.word, x, e.b.Const(f.word, uint64(i)*uint64(part.Bits()))))
			})
			e.b.OpAux(ir.PSt, f.word, slot, e.b.I32(0), v)
		}
	})
	list := []*ptx.Operand{d}
	if d.Kind == ptx.Vector {
		list = d.Elems
	}
	for i, o := range list {
		if o.Kind != ptx.Sink {
			e.set(e.resultRegister(o), e.b.OpAux(ir.PLd, f.word, slots[i%len(slots)], e.b.I32(0)))
		}
	}
}

// wmmaStore emits wmma.store.
func (e *emitter) wmmaStore(f *warpFragment) {
	words := e.fragment(1, f.words(), f.word)
	e.memory(e.operand(0), spaceOf(e.in), uint64(f.word.Size()), func(p place) {
		for g, v := range words {
			part := f.word
			if !f.along {
				part = bitsType(int(f.word.Size()) / f.per)
			}
			e.matrixPlaces(f, g, p, func(i int, q place) {
				x := e.b.Op(ir.LShr, f.word, v, e.b.Const(f.word, uint64(i)*uint64(part.Bits())))
				e.storePlace(q, 0, e.as(x, part), 0)
			})
		}
	})
}

// wmmaProduct emits wmma.mma. A and B keep the layouts of their loads: the fragments do not depend on them. The sum is .f32 if C or D is
// (PTX ISA, wmma.mma).
func (e *emitter) wmmaProduct(types []string) {
	if len(types) == 2 { // .f16 is the type of A and B
		types = []string{types[0], ".f16", ".f16", types[1]}
	}
	if len(types) != 4 || len(e.in.Operands) != 4 || !accumulates(types[0], types[1], types[2]) || !accumulates(types[3], types[1], types[2]) {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	e.warpShape(types[1])
	if types[0] != types[3] && types[1] != ".f16" {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	p := e.matrixProductOf(types)
	fa, fb, fc := e.warpFragment(".a", types[1]), e.warpFragment(".b", types[2]), e.warpFragment(".c", types[3])
	a, b := e.fragment(1, fa.registers(".a"), p.word), e.fragment(2, fb.registers(".b"), p.word)
	c := e.accumulators(3, types[3], fc.words()*fc.per)
	n := fa.length / fa.per // words of a line
	columns := map[[2]int]ir.V{}
	for i := range c {
		g, sub := i/fc.per, i%fc.per
		row, first := e.position(fc, g)
		column := e.b.Op(ir.Add, ir.I32, first, e.b.I32(uint32(sub)))
		if types[0] == ".f32" { // else the sum has the type of C, which is not narrower
			c[i] = e.converted(c[i], types[0])
		}
		rows := WarpSize * fc.per / fc.length // of a register
		for word := range n {
			x := e.wordOf(a, row, n, word, g*rows*n, (g+1)*rows*n)
			y := columns[[2]int{sub, word}] // the columns of all registers are the same
			if y == 0 {
				y = e.wordOf(b, column, n, word, 0, fb.lines*n)
				columns[[2]int{sub, word}] = y
			}
			c[i] = p.add(c[i], x, y)
		}
	}
	e.writeAccumulators(types[0], e.each(c, func(v ir.V) ir.V { return e.converted(p.finish(v), types[0]) }))
}

// converted returns an element of C or a sum in the type of D.
func (e *emitter) converted(v ir.V, typ string) ir.V {
	if t := irType(typ); t.IsFloat() && e.b.Func.Type(v) != t {
		return e.b.Op(ir.FCvt, t, v)
	}
	return v
}

// wordOf returns a word of a line with n words, of a matrix in registers. The line has the words from first to end.
func (e *emitter) wordOf(list []ir.V, line ir.V, n, word, first, end int) ir.V {
	b := e.b
	at := b.Op(ir.Add, ir.I32, b.Op(ir.Mul, ir.I32, line, b.I32(uint32(n))), b.I32(uint32(word)))
	register, lane := b.Op(ir.LShr, ir.I32, at, b.I32(5)), b.Op(ir.And, ir.I32, at, b.I32(WarpSize-1))
	v := ir.V(0)
	for r := first / WarpSize; r <= (end-1)/WarpSize; r++ {
		x := e.shuffle(list[r], lane)
		if v == 0 {
			v = x
		} else {
			v = b.Select(b.Cmp(ir.Eq, register, b.I32(uint32(r))), x, v)
		}
	}
	return v
}
