package vectorize

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// operation emits an operation without control: in general registers where it
// is the same in all lanes, else for each part, or for the whole strip where
// lanes see each other.
func (w *widener) operation(v ir.V) {
	x := w.src.Val(v)
	in := vcode.Inst{Op: vcode.Lane, IR: x.Op, Key: w.src.Key(v), Value: v}
	args := x.Args[:x.Op.Args()]
	if x.Op == ir.QuadSwap && w.p.QuadLane(x.Aux) < uint64(w.dst.Form.Lanes) { // no lane sees those of another part
		w.swap(v, in)
		return
	}
	if x.Op.Is(ir.Meets) && x.Op != ir.Fence && x.Op != ir.Anew {
		in.Op, in.Masks = vcode.Strip, w.active
		if x.Op.HasResult() {
			in.Defs = w.vec(v)
			in.Merging = w.keeps(v) && w.shapes.of[v].kind != uniform
		}
		for _, a := range args {
			in.Uses = append(in.Uses, w.vec(a)...)
		}
		w.emit(in)
		return
	}
	if w.identity(v) || w.clamp(v) || w.memory(v, in) || w.quotient(v, in) {
		return
	}
	if x.Op.HasResult() {
		switch w.shapes.of[v].kind {
		case uniform:
			w.once(v, in)
			return
		case row:
			if w.row(v, in) {
				return
			}
		case address:
			w.address(v)
		}
	}
	if w.unsaturated(v) {
		return
	}
	w.lanes(v, in)
}

// keeps reports whether lanes that are not active keep what they have of v.
func (w *widener) keeps(v ir.V) bool { return w.homes.of[v].outlives && !w.isFull(w.active) }

// lanes emits an operation for each part.
func (w *widener) lanes(v ir.V, in vcode.Inst) {
	x := w.src.Val(v)
	result := x.Op.HasResult()
	w.narrowed(x, &in)
	for p := range w.parts {
		one := in
		one.Part, one.Masks = uint8(p), w.active[p:p+1]
		if result {
			one.Defs, one.Merging = w.vec(v)[p:p+1], w.keeps(v)
		}
		further, args := w.furtherOn(x), x.Args[:x.Op.Args()]
		one.Uses = w.dst.Form.Arena.Regs(len(further) + len(args))
		n := copy(one.Uses, further)
		for i, a := range args {
			one.Uses[n+i] = w.vec(a)[p]
		}
		w.emit(one)
	}
}

// once emits an operation that is the same in all lanes. In vectors it is made
// for all of them, active or not, so that any lane may be asked.
func (w *widener) once(v ir.V, in vcode.Inst) {
	x := w.src.Val(v)
	to := w.value(v)
	if to.gen != 0 {
		in.Op, in.Defs, in.Uses = vcode.Scalar, []vcode.Reg{to.gen}, w.furtherOn(x)
		in.Proven = x.Op == ir.At && w.most(v) < math.MaxUint32
		for _, a := range x.Args[:x.Op.Args()] {
			in.Uses = append(in.Uses, w.gen(a))
		}
		if r, ok := w.folded(&in); ok && to.vec[0] != 0 {
			bits, _ := w.dst.Const(r)
			*to = value{gen: r, vec: w.all(w.dst.NewConst(w.dst.Classes[to.vec[0]], bits))}
			return
		}
		w.emit(in)
		w.broadcast(v, to)
		return
	}
	w.narrowed(x, &in)
	in.Masks, in.Defs = w.full[:1], to.vec[:1]
	for _, a := range x.Args[:x.Op.Args()] {
		in.Uses = append(in.Uses, w.vec(a)[0])
	}
	w.emit(in)
}

// row emits what lane 0 of each part would hold of a row, and reports whether it
// is always the same.
func (w *widener) row(v ir.V, in vcode.Inst) bool {
	x := w.src.Val(v)
	to := w.value(v)
	in.Op = vcode.Scalar
	always := true
	s := w.shapes.of[v]
	for p := range w.apart(s) {
		one := in
		one.Part, one.Defs, one.Uses = uint8(p), to.rows[p:p+1], w.furtherOn(x)
		if x.Op == ir.In {
			one.Op = vcode.InputBase
		}
		for _, a := range x.Args[:x.Op.Args()] {
			one.Uses = append(one.Uses, w.rowBase(a, p))
		}
		if r, ok := w.folded(&one); ok {
			to.rows[p] = r
			continue
		}
		always = false
		w.emit(one)
	}
	if rows := to.rows; always {
		w.fixed(v, s, func(part int) uint32 {
			if s.regular {
				bits, _ := w.dst.Const(rows[0])
				return uint32(bits) + uint32(part)*s.across
			}
			bits, _ := w.dst.Const(rows[part])
			return uint32(bits)
		})
		return true
	}
	if s.regular {
		to.rows = w.all(to.rows[0])
	}
	if !w.follow(v, to) {
		w.words(v, to)
	}
	return false
}

// maxAhead bounds how far a row is ahead of another one.
const maxAhead = 1 << 16

// follow makes a row that is a constant more than another one know that: accesses
// at it are accesses at the other one, so much further. It reports whether it is
// one.
func (w *widener) follow(v ir.V, to *value) bool {
	x := w.src.Val(v)
	if x.Op != ir.Add || w.shapes.of[v].level() {
		return false
	}
	a, b := x.Args[0], x.Args[1]
	if w.src.Val(a).Op == ir.Const {
		a, b = b, a
	}
	k := w.src.Val(b)
	if k.Op != ir.Const || w.shapes.of[a].kind != row || k.Aux > maxAhead {
		return false
	}
	from := w.value(a)
	if from.words == nil || uint64(from.ahead)+k.Aux > maxAhead {
		return false
	}
	to.lead, to.words, to.ahead = from.rows, from.words, from.ahead+uint32(k.Aux)
	if from.ahead > 0 {
		to.lead = from.lead
	}
	return true
}

// base emits u + row·stride, 64 bits.
func (w *widener) base(to *vcode.Reg, u, row vcode.Reg, stride uint32) {
	in := vcode.Inst{Op: vcode.StridedBase, Defs: []vcode.Reg{*to}, Uses: []vcode.Reg{u, row}, Stride: stride}
	if r, ok := w.folded(&in); ok {
		*to = r
		return
	}
	w.emit(in)
}

// bases emits u + row·stride for each row of a shape.
func (w *widener) bases(s shape, u, rows []vcode.Reg, stride uint32) []vcode.Reg {
	list := w.rowRegs(s)
	for p := range w.apart(s) {
		w.base(&list[p], u[p], rows[p], stride)
	}
	if s.regular {
		list = w.all(list[0])
	}
	return list
}

// words emits a row times 4, which makes addresses of arrays of words.
func (w *widener) words(v ir.V, x *value) {
	x.words = w.bases(w.shapes.of[v], w.all(w.zero), x.rows, 4)
}

// address emits the scalars of an address: U, the row and their sum in lane 0.
func (w *widener) address(v ir.V) {
	x := w.src.Val(v)
	to, off := w.value(v), w.shapes.of[x.Args[0]]
	if off.kind == address {
		from := w.value(x.Args[0])
		to.u, to.rows, to.ahead = w.startsOf(v, from.u), from.rows, from.ahead
	} else {
		index := w.value(x.Args[1])
		if off.kind == row {
			w.addressOfParts(v)
			return
		}
		to.u, to.rows, to.ahead = w.all(w.gen(x.Args[0])), index.rows, index.ahead
		if index.ahead > 0 {
			to.rows = index.lead
		}
		if w.src.Val(x.Args[0]).Op == ir.Const && x.Aux == 4 {
			to.base, to.extra = index.words, w.src.Val(x.Args[0]).Aux
			return
		}
	}
	s := w.shapes.of[v]
	to.base = w.bases(s, to.u, to.rows, uint32(s.size))
}

// startsOf emits for U of each part what an At adds to it that is the same in all
// lanes.
func (w *widener) startsOf(v ir.V, from []vcode.Reg) []vcode.Reg {
	x := w.src.Val(v)
	add := func(u vcode.Reg) vcode.Reg {
		to := w.dst.NewReg(vcode.Gen)
		w.emit(vcode.Inst{
			Op: vcode.Scalar, IR: ir.At, Key: ir.Key{Type: ir.I32, From: ir.I32, Aux: x.Aux}, Proven: w.most(v) < math.MaxUint32,
			Defs: []vcode.Reg{to}, Uses: []vcode.Reg{u, w.gen(x.Args[1])},
		})
		return to
	}
	to := w.all(add(from[0]))
	for p := 1; p < len(from); p++ {
		if from[p] != from[0] {
			to[p] = add(from[p])
		}
	}
	return to
}

// addressOfParts emits the scalars of an address whose U is the same in the lanes of
// a part alone, as the start of a line of an image is where a part lies within one.
func (w *widener) addressOfParts(v ir.V) {
	x := w.src.Val(v)
	to, s := w.value(v), w.shapes.of[v]
	to.u, to.rows = make([]vcode.Reg, w.parts), make([]vcode.Reg, w.parts)
	for p := range w.parts {
		to.u[p], to.rows[p] = w.rowBase(x.Args[0], p), w.rowBase(x.Args[1], p)
	}
	to.base = w.bases(s, to.u, to.rows, uint32(s.size))
}
