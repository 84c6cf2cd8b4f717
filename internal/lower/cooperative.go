package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var cooperativeRules = rules{
	spirv.OpCooperativeMatrixLoadKHR:   cooperativeLoad,
	spirv.OpCooperativeMatrixStoreKHR:  cooperativeStore,
	spirv.OpCooperativeMatrixMulAddKHR: cooperativeMulAdd,
	spirv.OpCooperativeMatrixLengthKHR: cooperativeLength,
	spirv.OpCooperativeMatrixLoadNV:    cooperativeLoadNV,
	spirv.OpCooperativeMatrixStoreNV:   cooperativeStoreNV,
	spirv.OpCooperativeMatrixMulAddNV:  cooperativeMulAdd,
	spirv.OpCooperativeMatrixLengthNV:  cooperativeLength,
}

// A cooperative matrix (SPV_KHR_cooperative_matrix, and SPV_NV_cooperative_matrix,
// whose matrices have no use) is spread over the lanes of a subgroup or of a
// workgroup, which the specification leaves to us: of a matrix A a lane holds
// whole rows, of all others whole columns; row or column i is with lane i mod
// their number. So each lane of a product needs from the other lanes only the rows
// of A, and it knows their owners. If there are more lanes than rows, the rest hold
// zeros and store nothing.

// tile is a cooperative matrix type.
type tile struct {
	elem       *facts.Type
	rows       uint64
	columns    uint64
	lines      uint64 // rows of A, columns of others
	length     uint64 // components of a line
	byRow      bool   // lines are rows
	lanes      uint64 // of the subgroup, or of the workgroup
	wide       bool   // lanes is of the workgroup
	components uint64 // that a lane holds
}

// maxProduct bounds the unrolled code of one instruction: the multiplications that each
// lane makes, or the like. A matrix product beyond it is a loop; others are refused.
const maxProduct = 1 << 14

// isTile reports whether t is a cooperative matrix type.
func isTile(t *facts.Type) bool {
	return t != nil && (t.Op == spirv.OpTypeCooperativeMatrixKHR || t.Op == spirv.OpTypeCooperativeMatrixNV)
}

// tile returns the distribution of a cooperative matrix type.
func (u *unit) tile(t *facts.Type) tile {
	v := inst.TypeCooperativeMatrixKHR(u.facts.Code.Inst(t.Index)) // the NV type has the same operands, except the use
	known := func(id spirv.ID) uint64 {
		c := u.facts.Const(id)
		if c == nil {
			u.malformed("%%%d is not a constant; must be one", id)
		}
		n, ok := c.Int()
		if !ok || n < 0 {
			u.malformed("%%%d is a constant of unknown value; must be known", id)
		}
		return uint64(n)
	}
	scope := spirv.Scope(known(v.Scope()))
	if scope != spirv.ScopeSubgroup && scope != spirv.ScopeWorkgroup {
		u.unsupported("a cooperative matrix of scope %s", scope)
	}
	if t.Elem == nil || !t.Elem.IsInt() && !t.Elem.IsFloat() {
		u.unsupported("a cooperative matrix whose components are not numbers")
	}
	rows, columns := known(v.Rows()), known(v.Columns())
	x := tile{elem: t.Elem, rows: rows, columns: columns, lines: columns, length: rows, lanes: uint64(u.options.SubgroupSize)}
	if scope == spirv.ScopeWorkgroup {
		if u.entry.Model != spirv.ExecutionModelGLCompute {
			u.malformed("a cooperative matrix of scope %s in a stage without workgroups", scope)
		}
		s := u.localSize() // the length of a matrix may be a constant, which is known before the program exists
		x.wide, x.lanes = true, uint64(s[0])*uint64(s[1])*uint64(s[2])
	}
	if t.Op == spirv.OpTypeCooperativeMatrixKHR {
		switch use := spirv.CooperativeMatrixUse(known(v.Use())); use {
		case spirv.CooperativeMatrixUseMatrixAKHR:
			x.lines, x.length, x.byRow = rows, columns, true
		case spirv.CooperativeMatrixUseMatrixBKHR, spirv.CooperativeMatrixUseMatrixAccumulatorKHR:
		default:
			u.unsupported("a cooperative matrix of use %d", use)
		}
	}
	if rows == 0 || columns == 0 || rows > maxLeaves || columns > maxLeaves || rows*columns > maxLeaves {
		u.unsupported("a cooperative matrix of %d×%d", rows, columns)
	}
	x.components = (x.lines + x.lanes - 1) / x.lanes * x.length
	return x
}

// cooperativeLength lowers OpCooperativeMatrixLengthKHR.
func cooperativeLength(f *function, in spirv.Inst) {
	t := f.facts.Type(inst.CooperativeMatrixLengthKHR(in).TypeOperand()) // the NV instruction has the same operands
	f.define(in, f.b.I32(uint32(f.lengthOfTile(t))))
}

// lengthOfTile returns how many components each lane has of a cooperative matrix.
func (u *unit) lengthOfTile(t *facts.Type) uint64 {
	if !isTile(t) {
		u.malformed("the type is not a cooperative matrix; must be one")
	}
	return u.tile(t).components
}

func cooperativeLoad(f *function, in spirv.Inst) {
	v := inst.CooperativeMatrixLoadKHR(in)
	m, _ := v.MemoryOperand()
	stride, _ := v.Stride()
	t := f.facts.Type(in.Type())
	parts := make([]ir.V, 0, len(f.flat(t)))
	f.tileAt(t, v.Pointer(), f.rowMajor(v.MemoryLayout()), stride, accessFlags(m), func(p *pointer, s ir.Type) {
		f.traceBytes(p, s.Size(), m, ir.Event{Read: true})
		parts = append(parts, f.loadScalar(p, s))
	})
	f.define(in, parts...)
}

// rowMajor reports whether a layout, a constant, goes row by row.
func (f *function) rowMajor(layout spirv.ID) bool {
	l := spirv.CooperativeMatrixLayout(f.known(layout))
	if l != spirv.CooperativeMatrixLayoutRowMajorKHR && l != spirv.CooperativeMatrixLayoutColumnMajorKHR {
		f.unsupported("of layout %s", l)
	}
	return l == spirv.CooperativeMatrixLayoutRowMajorKHR
}

func cooperativeLoadNV(f *function, in spirv.Inst) {
	v := inst.CooperativeMatrixLoadNV(in)
	m, _ := v.MemoryAccess()
	t := f.facts.Type(in.Type())
	parts := make([]ir.V, 0, len(f.flat(t)))
	f.tileAt(t, v.Pointer(), !f.truth(v.ColumnMajor()), v.Stride(), accessFlags(m), func(p *pointer, s ir.Type) {
		f.traceBytes(p, s.Size(), m, ir.Event{Read: true})
		parts = append(parts, f.loadScalar(p, s))
	})
	f.define(in, parts...)
}

// truth returns the value of an operand that must be a Boolean constant.
func (f *function) truth(id spirv.ID) bool {
	c := f.facts.Const(id)
	if c == nil || !c.Known || !c.Type.IsBool() {
		f.malformed("%%%d is not a Boolean constant; must be one", id)
	}
	return c.Bits != 0
}

func cooperativeStoreNV(f *function, in spirv.Inst) {
	v := inst.CooperativeMatrixStoreNV(in)
	m, _ := v.MemoryAccess()
	parts := f.scalars(v.Object())
	f.tileAt(f.typeOf(v.Object()), v.Pointer(), !f.truth(v.ColumnMajor()), v.Stride(), accessFlags(m), func(p *pointer, s ir.Type) {
		f.traceBytes(p, s.Size(), m, ir.Event{Write: true})
		f.storeScalar(p, s, parts[0])
		parts = parts[1:]
	})
}

func cooperativeStore(f *function, in spirv.Inst) {
	v := inst.CooperativeMatrixStoreKHR(in)
	m, _ := v.MemoryOperand()
	stride, _ := v.Stride()
	t := f.typeOf(v.Object())
	parts := f.scalars(v.Object())
	f.tileAt(t, v.Pointer(), f.rowMajor(v.MemoryLayout()), stride, accessFlags(m), func(p *pointer, s ir.Type) {
		f.traceBytes(p, s.Size(), m, ir.Event{Write: true})
		f.storeScalar(p, s, parts[0])
		parts = parts[1:]
	})
}

// tileAt calls yield with a pointer to each component that a lane holds, in
// order. The pointer is out of range for a component beyond the matrix.
func (f *function) tileAt(t *facts.Type, at spirv.ID, byRow bool, stride spirv.ID, flags ir.Flags, yield func(*pointer, ir.Type)) {
	if !isTile(t) {
		f.malformed("the type is not a cooperative matrix; must be one")
	}
	x := f.tile(t)
	p := *f.pointer(at)
	p.flags |= flags
	if f.untyped(at) { // which counts in components
		p.typ = x.elem
	}
	if p.typ.Scalar() == nil || p.memory != inBuffer && p.memory != physical {
		f.unsupported("through a pointer to %s", p.class)
	}
	if stride == 0 {
		f.malformed("the layout has no stride")
	}
	// The unit of the stride is the pointee type.
	unit := f.extent(p.typ.Scalar()).size * uint64(p.typ.Components())
	far := f.b.OpAux(ir.At, ir.I32, unit, f.b.I32(0), f.toInt(f.one(stride), ir.I32))
	near := f.b.I32(uint32(f.extent(x.elem).size))
	acrossLines, along := far, near
	if byRow != x.byRow {
		acrossLines, along = near, far
	}
	base := f.b.I32(0)
	if p.memory == inBuffer {
		base = f.offsetValue(p.offset)
	}
	s := f.scalar(x.elem)
	lane := f.rank(&x)
	for i := range x.components {
		line := f.b.Op(ir.Add, ir.I32, lane, f.b.I32(uint32(i/x.length*x.lanes)))
		off := f.strided(base, line, acrossLines)
		off = f.strided(off, f.b.I32(uint32(i%x.length)), along)
		q := p
		q.typ = x.elem
		q.clearLayout()
		inside := f.b.Cmp(ir.ULt, line, f.b.I32(uint32(x.lines)))
		if p.memory == physical {
			address := f.b.Op(ir.Add, ir.I64, f.addressOf(&p), f.b.Op(ir.ZExt, ir.I64, off))
			q.address, q.offset = f.b.Select(inside, address, f.b.Const(ir.I64, 0)), offset{}
		} else {
			q.offset = offset{dyn: f.b.Select(inside, off, f.b.I32(farAway))}
		}
		yield(&q, s)
	}
}

// strided returns off + n·stride, saturated out of range if it exceeds 32
// bits.
func (f *function) strided(off, n, stride ir.V) ir.V {
	if bits, ok := f.constBits(stride); ok {
		return f.b.OpAux(ir.At, ir.I32, bits, off, n)
	}
	fits := f.b.Cmp(ir.Eq, f.b.Op(ir.UMulHi, ir.I32, n, stride), f.b.I32(0))
	return f.b.OpAux(ir.At, ir.I32, 1, off, f.b.Select(fits, f.b.Op(ir.Mul, ir.I32, n, stride), f.b.I32(farAway)))
}

// cooperativeMulAdd lowers OpCooperativeMatrixMulAddKHR: for each component of
// the result the accumulator and then, in the order of the columns of A, each
// product added, in 32 bits or in the result's width if larger, and rounded or
// truncated to the result at the end.
func cooperativeMulAdd(f *function, in spirv.Inst) {
	v := inst.CooperativeMatrixMulAddKHR(in)
	ta, tb, tc, tr := f.typeOf(v.A()), f.typeOf(v.B()), f.typeOf(v.C()), f.facts.Type(in.Type())
	if !isTile(ta) || !isTile(tb) || !isTile(tc) || !isTile(tr) {
		f.malformed("the operand is not a cooperative matrix; must be one")
	}
	a, b, c, r := f.tile(ta), f.tile(tb), f.tile(tc), f.tile(tr)
	fit := a.columns == b.rows && a.rows == c.rows && b.columns == c.columns && r.rows == c.rows && r.columns == c.columns
	if !fit || b.byRow || c.byRow || r.byRow || a.lanes != b.lanes || a.lanes != c.lanes || a.lanes != r.lanes || a.wide != b.wide || a.wide != c.wide || a.wide != r.wide {
		f.malformed("the sizes, uses or scopes of the matrices do not match")
	}
	how, _ := v.CooperativeMatrixOperands()
	if in.Op() == spirv.OpCooperativeMatrixMulAddNV { // the types say the signs
		how = 0
		for i, x := range []tile{a, b, c, r} {
			if x.elem.Signed {
				how |= spirv.CooperativeMatrixOperandsMatrixASignedComponentsKHRMask << i
			}
		}
	}
	k := f.kernel(a.elem, b.elem, c.elem, r.elem, how)
	x, y, z := f.scalars(v.A()), f.scalars(v.B()), f.scalars(v.C())
	parts := make([]ir.V, len(z))
	for i := range parts {
		parts[i] = k.sum(z[i])
	}
	p := matrixProduct{f: f, kernel: k, a: &a, b: &b, c: &c}
	if n := a.rows * a.columns * (b.components / b.length); n > f.options.maxUnrolled() {
		parts = p.looped(x, y, parts)
	} else {
		p.unrolled(x, y, parts)
	}
	for i := range parts {
		parts[i] = k.result(parts[i])
	}
	f.define(in, parts...)
}

// kernel is the arithmetic of a product: the conversion of operands to the type of the
// sum, one step of the sum, and the conversion to the result.
type kernel struct {
	left, right, sum, result func(ir.V) ir.V
	add                      func(sum, x, y ir.V) ir.V
}

func (f *function) kernel(a, b, c, r *facts.Type, how spirv.CooperativeMatrixOperands) kernel {
	if a.IsFloat() != b.IsFloat() || a.IsFloat() != c.IsFloat() || a.IsFloat() != r.IsFloat() {
		f.malformed("a product of floats and integers")
	}
	if a.IsFloat() {
		return f.floatKernel(a, b, c, r)
	}
	signed := func(m spirv.CooperativeMatrixOperands) bool { return how&m != 0 }
	saturate := signed(spirv.CooperativeMatrixOperandsSaturatingAccumulationKHRMask)
	t := ir.I32
	if saturate || r.Width > 32 || c.Width > 32 || a.Width > 32 || b.Width > 32 {
		t = ir.I64
	}
	widen := func(sign bool) func(ir.V) ir.V {
		return func(v ir.V) ir.V {
			if f.b.Func.Type(v) == t {
				return v
			}
			if sign {
				return f.b.Op(ir.SExt, t, v)
			}
			return f.b.Op(ir.ZExt, t, v)
		}
	}
	return kernel{
		left:  widen(signed(spirv.CooperativeMatrixOperandsMatrixASignedComponentsKHRMask)),
		right: widen(signed(spirv.CooperativeMatrixOperandsMatrixBSignedComponentsKHRMask)),
		sum:   widen(signed(spirv.CooperativeMatrixOperandsMatrixCSignedComponentsKHRMask)),
		add: func(sum, x, y ir.V) ir.V {
			return f.b.Op(ir.Add, t, sum, f.b.Op(ir.Mul, t, x, y))
		},
		result: func(v ir.V) ir.V {
			to := f.scalar(r)
			if saturate && to != ir.I64 {
				v = f.saturated(v, to, signed(spirv.CooperativeMatrixOperandsMatrixResultSignedComponentsKHRMask))
			}
			return f.toInt(v, to)
		},
	}
}

// saturated returns the number of 64 bits nearest to v that a type has.
func (f *function) saturated(v ir.V, to ir.Type, signed bool) ir.V {
	least, most := uint64(0), to.Mask()
	if signed {
		most >>= 1
		least = ^most
	}
	v = f.b.Op(ir.SMax, ir.I64, v, f.b.Const(ir.I64, least))
	return f.b.Op(ir.SMin, ir.I64, v, f.b.Const(ir.I64, most))
}

func (f *function) floatKernel(a, b, c, r *facts.Type) kernel {
	t := ir.F32
	for _, x := range []*facts.Type{a, b, c, r} {
		if x.Width == 64 {
			t = ir.F64
		}
	}
	widen := func(from *facts.Type) func(ir.V) ir.V {
		return func(v ir.V) ir.V {
			if from.Encoded {
				v = f.decode(f.encoded(from), v)
			}
			if s := f.b.Func.Type(v); s != t {
				v = f.Make(ir.FCvt, t, s, v, 0, 0)
			}
			return v
		}
	}
	return kernel{
		left: widen(a), right: widen(b), sum: widen(c),
		add: func(sum, x, y ir.V) ir.V { return f.Make(ir.FFma, t, t, x, y, sum) },
		result: func(v ir.V) ir.V {
			if r.Encoded {
				return f.encode(f.encoded(r), narrowing{}, v)
			}
			if to := f.scalar(r); to != t {
				return f.Make(ir.FCvt, to, t, v, 0, 0)
			}
			return v
		},
	}
}
