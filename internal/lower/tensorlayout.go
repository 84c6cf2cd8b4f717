package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var tensorLayoutRules = rules{
	spirv.OpCreateTensorLayoutNV:        createTensorLayout,
	spirv.OpTensorLayoutSetBlockSizeNV:  tensorLayoutSetBlockSize,
	spirv.OpTensorLayoutSetDimensionNV:  tensorLayoutSetDimension,
	spirv.OpTensorLayoutSetStrideNV:     tensorLayoutSetStride,
	spirv.OpTensorLayoutSliceNV:         tensorLayoutSlice,
	spirv.OpTensorLayoutSetClampValueNV: tensorLayoutSetClampValue,
	spirv.OpCreateTensorViewNV:          createTensorView,
	spirv.OpTensorViewSetDimensionNV:    tensorViewSetDimension,
	spirv.OpTensorViewSetStrideNV:       tensorViewSetStride,
	spirv.OpTensorViewSetClipNV:         tensorViewSetClip,
}

// Tensor layouts and views (SPV_NV_tensor_addressing) are values of several
// words. A layout has the sizes of the blocks, the dimensions, the strides, the
// offsets and the spans, a word for each dimension, and the value of elements
// outside; a view has the dimensions, the strides, and the four words
// of the clip.

// maxTensorDim is how many dimensions layouts and views have at most.
const maxTensorDim = 5

// isTensor reports whether t is the type of a tensor layout or view.
func isTensor(t *facts.Type) bool {
	return t != nil && (t.Op == spirv.OpTypeTensorLayoutNV || t.Op == spirv.OpTypeTensorViewNV)
}

// tensorWords returns of how many words a layout or a view is.
func (u *unit) tensorWords(t *facts.Type) uint64 {
	if t.Op == spirv.OpTypeTensorLayoutNV {
		return 5*u.tensorDim(t) + 1
	}
	return 2*u.tensorDim(t) + 4
}

// tensorDim returns the number of dimensions of a layout or a view.
func (u *unit) tensorDim(t *facts.Type) uint64 {
	// Both types have the dimension at the same place.
	c := u.facts.Const(inst.TypeTensorLayoutNV(u.facts.Code.Inst(t.Index)).Dim())
	n, ok := c.Int()
	if !ok || n < 1 || n > maxTensorDim {
		u.malformed("%s without 1 to %d dimensions", t.Op, maxTensorDim)
	}
	return uint64(n)
}

// tensorLayout is a layout with known words.
type tensorLayout struct {
	block, dim, stride, offset, span []ir.V
	clamp                            ir.V
}

// words returns the words of a layout in order.
func (l *tensorLayout) words() []ir.V {
	var out []ir.V
	for _, w := range [][]ir.V{l.block, l.dim, l.stride, l.offset, l.span, {l.clamp}} {
		out = append(out, w...)
	}
	return out
}

// layoutOf returns a copy of a layout.
func (f *function) layoutOf(id spirv.ID) tensorLayout {
	t := f.typeOf(id)
	if t == nil || t.Op != spirv.OpTypeTensorLayoutNV {
		f.malformed("%%%d is not a tensor layout", id)
	}
	n, w := f.tensorDim(t), append([]ir.V(nil), f.scalars(id)...)
	return tensorLayout{block: w[:n], dim: w[n : 2*n], stride: w[2*n : 3*n], offset: w[3*n : 4*n], span: w[4*n : 5*n], clamp: w[5*n]}
}

// fill sets words to the values of the same number of operands.
func (f *function) fill(words []ir.V, ids []spirv.ID) {
	if len(ids) != len(words) {
		f.malformed("%d operands; must be %d", len(ids), len(words))
	}
	for i, id := range ids {
		words[i] = f.typed(id, ir.I32)
	}
}

func createTensorLayout(f *function, in spirv.Inst) {
	t := f.facts.Type(in.Type())
	if t == nil || t.Op != spirv.OpTypeTensorLayoutNV {
		f.malformed("the result is not a tensor layout; must be one")
	}
	words := f.zeros(t)
	for i := range f.tensorDim(t) {
		words[i] = f.b.I32(1)
	}
	f.define(in, words...)
}

func tensorLayoutSetBlockSize(f *function, in spirv.Inst) {
	v := inst.TensorLayoutSetBlockSizeNV(in)
	l := f.layoutOf(v.TensorLayout())
	f.fill(l.block, v.BlockSize())
	f.define(in, l.words()...)
}

// tensorLayoutSetDimension also sets spans to the whole, offsets to zero, and
// strides to the strides of a tensor without gaps.
func tensorLayoutSetDimension(f *function, in spirv.Inst) {
	v := inst.TensorLayoutSetDimensionNV(in)
	l := f.layoutOf(v.TensorLayout())
	f.fill(l.dim, v.Dim())
	copy(l.span, l.dim)
	for i := range l.offset {
		l.offset[i] = f.b.I32(0)
	}
	last := len(l.stride) - 1
	l.stride[last] = f.b.I32(1)
	for i := last - 1; i >= 0; i-- {
		l.stride[i] = f.b.Op(ir.Mul, ir.I32, l.stride[i+1], f.ceilDiv(l.dim[i+1], l.block[i+1]))
	}
	f.define(in, l.words()...)
}

// ceilDiv returns x/y, rounded up.
func (f *function) ceilDiv(x, y ir.V) ir.V {
	if n, ok := f.constBits(y); ok && n == 1 {
		return x
	}
	whole := f.b.Cmp(ir.Eq, f.b.Op(ir.UMod, ir.I32, x, y), f.b.I32(0))
	return f.b.Op(ir.Add, ir.I32, f.b.Op(ir.UDiv, ir.I32, x, y), f.b.Select(whole, f.b.I32(0), f.b.I32(1)))
}

func tensorLayoutSetStride(f *function, in spirv.Inst) {
	v := inst.TensorLayoutSetStrideNV(in)
	l := f.layoutOf(v.TensorLayout())
	f.fill(l.stride, v.Stride())
	f.define(in, l.words()...)
}

// tensorLayoutSlice moves the offsets and sets the spans.
func tensorLayoutSlice(f *function, in spirv.Inst) {
	v := inst.TensorLayoutSliceNV(in)
	l := f.layoutOf(v.TensorLayout())
	ids := v.Operands()
	if len(ids) != 2*len(l.span) {
		f.malformed("%d operands; must be %d", len(ids), 2*len(l.span))
	}
	for i := range l.span {
		l.offset[i] = f.b.Op(ir.Add, ir.I32, l.offset[i], f.typed(ids[2*i], ir.I32))
		l.span[i] = f.typed(ids[2*i+1], ir.I32)
	}
	f.define(in, l.words()...)
}

func tensorLayoutSetClampValue(f *function, in spirv.Inst) {
	v := inst.TensorLayoutSetClampValueNV(in)
	l := f.layoutOf(v.TensorLayout())
	l.clamp = f.typed(v.Value(), ir.I32)
	f.define(in, l.words()...)
}

// tensorView is a view with known words.
type tensorView struct {
	dim, stride []ir.V
	clip        []ir.V // the first row, how many, the first column, how many
	own         bool   // it has dimensions of its own
	order       []uint64
}

func (v *tensorView) words() []ir.V {
	return append(append(append([]ir.V(nil), v.dim...), v.stride...), v.clip...)
}

// viewOf returns a copy of a view.
func (f *function) viewOf(id spirv.ID) tensorView {
	t := f.typeOf(id)
	if t == nil || t.Op != spirv.OpTypeTensorViewNV {
		f.malformed("%%%d is not a tensor view", id)
	}
	n, w := f.tensorDim(t), append([]ir.V(nil), f.scalars(id)...)
	decl := inst.TypeTensorViewNV(f.facts.Code.Inst(t.Index))
	v := tensorView{dim: w[:n], stride: w[n : 2*n], clip: w[2*n:], own: f.truth(decl.HasDimensions())}
	seen := map[uint64]bool{}
	for _, p := range decl.P() {
		k := f.known(p)
		if k >= n || seen[k] {
			f.malformed("the order of dimensions of the tensor view is not a permutation; must be one")
		}
		seen[k] = true
		v.order = append(v.order, k)
	}
	if uint64(len(v.order)) != n {
		f.malformed("the tensor view has a permutation of %d dimensions; must have %d", len(v.order), n)
	}
	return v
}

func createTensorView(f *function, in spirv.Inst) {
	t := f.facts.Type(in.Type())
	if t == nil || t.Op != spirv.OpTypeTensorViewNV {
		f.malformed("the result is not a tensor view; must be one")
	}
	words := f.zeros(t)
	for _, i := range []int{len(words) - 3, len(words) - 1} {
		words[i] = f.b.I32(farAway)
	}
	f.define(in, words...)
}

// tensorViewSetDimension also sets strides to those without gaps.
func tensorViewSetDimension(f *function, in spirv.Inst) {
	o := inst.TensorViewSetDimensionNV(in)
	v := f.viewOf(o.TensorView())
	f.fill(v.dim, o.Dim())
	v.stride = f.gapless(v.dim)
	f.define(in, v.words()...)
}

// gapless returns the strides of a tensor without gaps.
func (f *function) gapless(dim []ir.V) []ir.V {
	stride := make([]ir.V, len(dim))
	last := len(dim) - 1
	stride[last] = f.b.I32(1)
	for i := last - 1; i >= 0; i-- {
		stride[i] = f.b.Op(ir.Mul, ir.I32, stride[i+1], dim[i+1])
	}
	return stride
}

func tensorViewSetStride(f *function, in spirv.Inst) {
	o := inst.TensorViewSetStrideNV(in)
	v := f.viewOf(o.TensorView())
	f.fill(v.stride, o.Stride())
	f.define(in, v.words()...)
}

func tensorViewSetClip(f *function, in spirv.Inst) {
	o := inst.TensorViewSetClipNV(in)
	v := f.viewOf(o.TensorView())
	f.fill(v.clip, []spirv.ID{o.ClipRowOffset(), o.ClipRowSpan(), o.ClipColOffset(), o.ClipColSpan()})
	f.define(in, v.words()...)
}
