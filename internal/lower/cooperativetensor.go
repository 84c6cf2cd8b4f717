package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var cooperativeTensorRules = rules{
	spirv.OpCooperativeMatrixLoadTensorNV:  cooperativeLoadTensor,
	spirv.OpCooperativeMatrixStoreTensorNV: cooperativeStoreTensor,
}

// tensorAccess loads or stores a cooperative matrix through a tensor layout, and
// perhaps a view (SPV_NV_cooperative_matrix2, Tensor Layout and View).
type tensorAccess struct {
	function *function
	typ      *facts.Type
	x        tile
	layout   tensorLayout
	mode     spirv.TensorClampMode
	view     *tensorView // nil if there is none
	at       pointer
	decode   spirv.ID // the decode function; 0 if there is none
}

// tensorElement is the position of one component of a matrix in a tensor.
type tensorElement struct {
	skipped ir.V // it is outside of the clip; 0 if there is no clip
	outside ir.V // it is outside of the tensor; 0 if irrelevant
	block   []ir.V
	inBlock []ir.V
	index   ir.V // of the element, or of the block
}

// tensor returns an access. If the operands name a view and a function, they are
// in this order; the function that decodes several components at once may be
// called instead of the other one, but lower never calls it.
func (f *function) tensor(t *facts.Type, at, layout spirv.ID, m spirv.MemoryAccess, how spirv.TensorAddressingOperands, words []uint32) tensorAccess {
	if !isTile(t) {
		f.malformed("the type is not a cooperative matrix; must be one")
	}
	a := tensorAccess{function: f, typ: t, x: f.tile(t), layout: f.layoutOf(layout), at: *f.pointer(at)}
	a.at.flags |= accessFlags(m)
	if n := a.x.components * uint64(len(a.layout.dim)); n > maxProduct {
		f.tooLarge("%d coordinates that each lane computes; at most %d", n, maxProduct)
	}
	if a.at.memory != inBuffer && a.at.memory != physical || a.at.checked {
		f.unsupported("through a pointer to %s", a.at.class)
	}
	a.mode = spirv.TensorClampMode(f.known(inst.TypeTensorLayoutNV(f.facts.Code.Inst(f.typeOf(layout).Index)).ClampMode()))
	if a.mode > spirv.TensorClampModeRepeatMirrored {
		f.unsupported("%s", a.mode)
	}
	if how&spirv.TensorAddressingOperandsTensorViewMask != 0 && len(words) > 0 {
		v := f.viewOf(spirv.ID(words[0]))
		if !v.own && len(v.dim) != len(a.layout.dim) {
			f.malformed("a view of %d dimensions on a layout of %d", len(v.dim), len(a.layout.dim))
		}
		a.view, words = &v, words[1:]
	}
	if how&spirv.TensorAddressingOperandsDecodeFuncMask != 0 && len(words) > 0 {
		a.decode = spirv.ID(words[0])
	}
	return a
}

// element returns the position of a component of the matrix in the tensor.
func (a *tensorAccess) element(row, column ir.V, stores bool) tensorElement {
	var e tensorElement
	b := a.function.b
	width := b.I32(uint32(a.x.columns))
	if a.view != nil {
		c := a.view.clip
		e.skipped = b.Op(ir.Or, ir.B1, a.function.beyond(row, c[0], c[1]), a.function.beyond(column, c[2], c[3]))
		row, column = b.Op(ir.Sub, ir.I32, row, c[0]), b.Op(ir.Sub, ir.I32, column, c[2])
		width = b.Op(ir.UMin, ir.I32, width, c[3])
	}
	index := b.Op(ir.Add, ir.I32, b.Op(ir.Mul, ir.I32, row, width), column)
	if a.view != nil {
		index = a.viewed(index)
	}
	n := len(a.layout.dim)
	at := make([]ir.V, n)
	for i := n - 1; i >= 0; i-- {
		at[i] = b.Op(ir.UMod, ir.I32, index, a.layout.span[i])
		if i > 0 {
			index = b.Op(ir.UDiv, ir.I32, index, a.layout.span[i])
		}
	}
	discards := stores || a.mode == spirv.TensorClampModeConstant || a.mode == spirv.TensorClampModeUndefined
	e.index = b.I32(0)
	for i := range at {
		c := b.Op(ir.Add, ir.I32, at[i], a.layout.offset[i])
		if discards {
			out := b.Cmp(ir.ULe, a.layout.dim[i], c)
			if e.outside != 0 {
				out = b.Op(ir.Or, ir.B1, e.outside, out)
			}
			e.outside = out
		} else {
			c = a.clamped(c, a.layout.dim[i])
		}
		inner := b.I32(0)
		if n, ok := a.function.constBits(a.layout.block[i]); !ok || n != 1 {
			inner = b.Op(ir.UMod, ir.I32, c, a.layout.block[i])
			c = b.Op(ir.UDiv, ir.I32, c, a.layout.block[i])
		}
		e.block, e.inBlock = append(e.block, c), append(e.inBlock, inner)
		e.index = b.Op(ir.Add, ir.I32, e.index, b.Op(ir.Mul, ir.I32, c, a.layout.stride[i]))
	}
	return e
}

// beyond reports whether n is not among span numbers from first on.
func (f *function) beyond(n, first, span ir.V) ir.V {
	before := f.b.Cmp(ir.ULt, n, first)
	after := f.b.Cmp(ir.ULe, span, f.b.Op(ir.Sub, ir.I32, n, first))
	return f.b.Op(ir.Or, ir.B1, before, after)
}

// clamped returns a coordinate that is inside, for one that may not be.
func (a *tensorAccess) clamped(c, dim ir.V) ir.V {
	b := a.function.b
	zero, one := b.I32(0), b.I32(1)
	switch a.mode {
	case spirv.TensorClampModeClampToEdge:
		return b.Op(ir.SMin, ir.I32, b.Op(ir.SMax, ir.I32, c, zero), b.Op(ir.Sub, ir.I32, dim, one))
	case spirv.TensorClampModeRepeat:
		return b.Op(ir.SMod, ir.I32, c, dim)
	}
	period := b.Op(ir.Sub, ir.I32, b.Op(ir.Shl, ir.I32, dim, one), b.I32(2))
	c = b.Op(ir.SMod, ir.I32, c, b.Op(ir.UMax, ir.I32, period, one)) // of one element: itself
	return b.Select(b.Cmp(ir.ULt, c, dim), c, b.Op(ir.Sub, ir.I32, period, c))
}

// viewed returns the index in the span of an index in the view.
func (a *tensorAccess) viewed(index ir.V) ir.V {
	b, v := a.function.b, a.view
	dim, stride := v.dim, v.stride
	if !v.own {
		dim = a.layout.span
		stride = a.function.gapless(dim)
	}
	out := b.I32(0)
	for i := len(v.order) - 1; i >= 0; i-- {
		k := v.order[i]
		c := b.Op(ir.UMod, ir.I32, index, dim[k])
		index = b.Op(ir.UDiv, ir.I32, index, dim[k])
		out = b.Op(ir.Add, ir.I32, out, b.Op(ir.Mul, ir.I32, c, stride[k]))
	}
	return out
}

// reaches returns a pointer to an element, out of range if the access skips it.
func (a *tensorAccess) reaches(e *tensorElement, size uint64, unless ...ir.V) *pointer {
	off := a.function.strided(a.function.b.I32(0), e.index, a.function.b.I32(uint32(size)))
	p := a.function.advance(&a.at, off)
	for _, no := range unless {
		if no == 0 {
			continue
		}
		if p.memory == physical {
			p.address = a.function.b.Select(no, a.function.b.Const(ir.I64, 0), a.function.addressOf(p))
			p.offset = offset{}
		} else {
			p.offset = offset{dyn: a.function.b.Select(no, a.function.b.I32(farAway), a.function.offsetValue(p.offset))}
		}
	}
	p.typ = a.x.elem
	return p
}

// each calls yield for each component that the lane holds, with its index, its position
// in the tensor and whether it is not in the matrix.
func (a *tensorAccess) each(stores bool, yield func(i uint64, e tensorElement, padding ir.V)) {
	for i := range a.x.components {
		e, padding := a.component(a.function.b.I32(uint32(i)), stores, i/a.x.length*a.x.lanes+a.x.lanes > a.x.lines)
		yield(i, e, padding)
	}
}

// component returns the position of component i of the lane in the tensor. If the lane may
// hold components that are not in the matrix, padding is whether this is one; otherwise 0.
func (a *tensorAccess) component(i ir.V, stores, padded bool) (e tensorElement, padding ir.V) {
	row, column := a.function.coordinate(&a.x, i)
	if padded {
		line := column
		if a.x.byRow {
			line = row
		}
		padding = a.function.b.Cmp(ir.ULe, a.function.b.I32(uint32(a.x.lines)), line)
	}
	return a.element(row, column, stores), padding
}

// maxUnrolledTensor is the largest number of components of a lane that an access through a
// tensor layout handles in unrolled code: each has about fifty operations.
const maxUnrolledTensor = 256

// looped reports whether the access is a loop over the components of the lane. A loop cannot
// index values, so they are in private memory, if there is room.
func (a *tensorAccess) looped(t ir.Type) bool {
	if a.function.options.looped {
		return true
	}
	return a.x.components > maxUnrolledTensor && a.function.private+a.x.components*uint64(t.Slots()) <= maxPrivate
}

// eachLooped calls yield in a loop over the components that the lane holds.
func (a *tensorAccess) eachLooped(stores bool, yield func(i ir.V, e tensorElement, padding ir.V)) {
	padded := (a.x.lines+a.x.lanes-1)/a.x.lanes*a.x.lanes > a.x.lines
	a.function.counted(span{0, a.x.components}, 1, nil, func(i ir.V, _ []ir.V) []ir.V {
		e, padding := a.component(i, stores, padded)
		yield(i, e, padding)
		return nil
	})
}

func cooperativeLoadTensor(f *function, in spirv.Inst) {
	v := inst.CooperativeMatrixLoadTensorNV(in)
	a := f.tensor(f.facts.Type(in.Type()), v.Pointer(), v.TensorLayout(), v.MemoryOperand(), v.TensorAddressingOperands(), v.TensorAddressingOperandsWords())
	if f.typeOf(v.Object()) != a.typ {
		f.malformed("the object has another type than the result")
	}
	kept := f.scalars(v.Object())
	s := f.scalar(a.x.elem)
	clamp := f.ofBits(a.layout.clamp, s)
	if a.mode != spirv.TensorClampModeConstant {
		clamp = f.b.Const(s, 0)
	}
	parts := make([]ir.V, len(kept))
	if a.looped(s) {
		if a.view == nil { // then every component is loaded
			kept = slices.Repeat([]ir.V{f.b.Const(s, 0)}, len(kept))
		}
		l := f.list(listElements, kept)
		a.eachLooped(false, func(i ir.V, e tensorElement, padding ir.V) {
			l.store(i, a.loaded(&e, s, padding, clamp, func() ir.V { return l.load(i) }))
		})
		for i := range parts {
			parts[i] = l.load(f.b.I32(uint32(i)))
		}
	} else {
		a.each(false, func(i uint64, e tensorElement, padding ir.V) {
			parts[i] = a.loaded(&e, s, padding, clamp, func() ir.V { return kept[i] })
		})
	}
	f.define(in, parts...)
}

// loaded returns the component at an element: loaded or decoded, the clamp value or, if the access skips it, the one kept.
func (a *tensorAccess) loaded(e *tensorElement, s ir.Type, padding, clamp ir.V, kept func() ir.V) ir.V {
	f := a.function
	var x ir.V
	if a.decode != 0 {
		x = f.unless(padding, s, func() ir.V { return a.decoded(e) })
	} else {
		x = f.loadScalar(a.reaches(e, uint64(s.Size()), padding, e.skipped, e.outside), s)
	}
	if e.outside != 0 {
		x = f.b.Select(e.outside, clamp, x)
	}
	if e.skipped != 0 {
		x = f.b.Select(e.skipped, kept(), x)
	}
	return x
}

// unless returns what yield computes, or 0 without the computation in lanes for which no, if it is not 0, is true.
func (f *function) unless(no ir.V, t ir.Type, yield func() ir.V) ir.V {
	if no == 0 {
		return yield()
	}
	label := f.b.Block(t)
	f.b.If(no)
	f.b.Br(label, f.b.Const(t, 0))
	f.b.End()
	f.b.Br(label, yield())
	f.b.End()
	return f.b.Param(label, 0)
}

// ofBits returns the value of type t in the lowest bits of a word.
func (f *function) ofBits(word ir.V, t ir.Type) ir.V {
	return f.reinterpret(f.toInt(word, ir.Int(uint32(t.Bits()))), t)
}

// decoded calls the function that decodes an element, with a pointer to its block,
// the coordinates of the block and the coordinates in it.
func (a *tensorAccess) decoded(e *tensorElement) ir.V {
	callee := a.function.facts.Function(a.decode)
	if callee == nil || len(callee.Params) != 3 || !callee.Params[0].Type.IsPointer() || callee.Params[0].Type.Elem == nil {
		a.function.malformed("the decode function's parameters are not a pointer and two arrays; must be")
	}
	t, n := callee.Params[0].Type, a.function.numbers[callee]
	if t.Storage != a.at.class {
		t, n = a.decoder(callee)
	}
	if n == 0 {
		a.function.malformed("the callee is not a function with a body")
	}
	a.function.checkType(callee.Params[1].Type, e.block)
	a.function.checkType(callee.Params[2].Type, e.inBlock)
	size := roundUp(t.Elem.Size(0, false), uint64(max(t.Elem.Align(facts.Scalar, false), 1)))
	p := a.reaches(e, size, e.skipped, e.outside)
	p.typ = t.Elem
	args := append(append(a.function.partsOf(value{typ: t, ptr: p}), e.block...), e.inBlock...)
	return a.function.only(a.function.b.Call(n, a.function.flat(callee.Return), args...))
}

// decoder returns the number of a function that decodes the memory of the
// access, and the type of its pointer. The function of the shader has a pointer with
// an address; bound buffers and workgroup memory may have no
// address, so the function is lowered again for their pointers.
func (a *tensorAccess) decoder(callee *facts.Function) (*facts.Type, int) {
	if callee.Params[0].Type.Storage != spirv.StorageClassPhysicalStorageBuffer {
		a.function.malformed("the decode function has a pointer to %s; must be to %s", callee.Params[0].Type.Storage, a.at.class)
	}
	t := *callee.Params[0].Type
	t.Storage = a.at.class
	for _, v := range a.function.variants {
		if v.fn == callee && v.from.Storage == t.Storage {
			return v.from, v.number
		}
	}
	n := a.function.functions
	a.function.functions++
	a.function.variants = append(a.function.variants, variant{callee, &t, n})
	return &t, n
}

// variant is a function that is lowered once more, with another type of its
// first parameter, which is a pointer.
type variant struct {
	fn     *facts.Function
	from   *facts.Type
	number int
}

func cooperativeStoreTensor(f *function, in spirv.Inst) {
	v := inst.CooperativeMatrixStoreTensorNV(in)
	t := f.typeOf(v.Object())
	a := f.tensor(t, v.Pointer(), v.TensorLayout(), v.MemoryOperand(), v.TensorAddressingOperands(), v.TensorAddressingOperandsWords())
	if a.decode != 0 {
		f.malformed("a store with a decode function")
	}
	parts := f.scalars(v.Object())
	s := f.scalar(a.x.elem)
	store := func(e *tensorElement, padding, x ir.V) {
		f.storeScalar(a.reaches(e, uint64(s.Size()), padding, e.skipped, e.outside), s, x)
	}
	if a.looped(s) {
		l := f.list(listElements, parts)
		a.eachLooped(true, func(i ir.V, e tensorElement, padding ir.V) { store(&e, padding, l.load(i)) })
		return
	}
	a.each(true, func(i uint64, e tensorElement, padding ir.V) { store(&e, padding, parts[i]) })
}
