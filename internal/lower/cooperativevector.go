package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var cooperativeVectorRules = rules{
	spirv.OpCooperativeVectorLoadNV:  cooperativeVectorLoad,
	spirv.OpCooperativeVectorStoreNV: cooperativeVectorStore,
}

// A cooperative vector (SPV_NV_cooperative_vector) is a long vector: each lane
// computes with its own alone.

// numeric is how the numbers of a matrix, of a bias, or of the input of a product
// are read: a Component Type of the extension.
type numeric struct {
	typ      ir.Type
	signed   bool // of an integer
	packed   bool // four of them are a word
	encoding spirv.FPEncoding
	small    bool // a float of that encoding
}

var numerics = map[spirv.ComponentType]numeric{
	spirv.ComponentTypeFloat16NV:            {typ: ir.F16},
	spirv.ComponentTypeFloat32NV:            {typ: ir.F32},
	spirv.ComponentTypeFloat64NV:            {typ: ir.F64},
	spirv.ComponentTypeSignedInt8NV:         {typ: ir.I8, signed: true},
	spirv.ComponentTypeSignedInt16NV:        {typ: ir.I16, signed: true},
	spirv.ComponentTypeSignedInt32NV:        {typ: ir.I32, signed: true},
	spirv.ComponentTypeSignedInt64NV:        {typ: ir.I64, signed: true},
	spirv.ComponentTypeUnsignedInt8NV:       {typ: ir.I8},
	spirv.ComponentTypeUnsignedInt16NV:      {typ: ir.I16},
	spirv.ComponentTypeUnsignedInt32NV:      {typ: ir.I32},
	spirv.ComponentTypeUnsignedInt64NV:      {typ: ir.I64},
	spirv.ComponentTypeSignedInt8PackedNV:   {typ: ir.I8, signed: true, packed: true},
	spirv.ComponentTypeUnsignedInt8PackedNV: {typ: ir.I8, packed: true},
	spirv.ComponentTypeFloatE4M3NV:          {typ: ir.I8, small: true, encoding: spirv.FPEncodingFloat8E4M3EXT},
	spirv.ComponentTypeFloatE5M2NV:          {typ: ir.I8, small: true, encoding: spirv.FPEncodingFloat8E5M2EXT},
}

// numberOf returns the number format that a constant denotes.
func (f *function) numberOf(id spirv.ID) numeric {
	c := spirv.ComponentType(f.known(id))
	n, ok := numerics[c]
	if !ok {
		f.unsupported("of %s components", c)
	}
	return n
}

func (n numeric) float() bool { return n.small || n.typ.IsFloat() }

// loose is a matrix in memory: a pointer to its first number, and the strides
// of rows and columns.
type loose struct {
	at          *pointer
	row, column ir.V // in bytes
	numeric
}

// loose returns a matrix of so many rows and columns. The layouts that Vulkan
// leaves to the implementation are consecutive rows; so are the
// rows or columns of the other layouts without a stride.
func (f *function) loose(at *pointer, n numeric, layout, stride spirv.ID, rows, columns uint64) loose {
	size := f.b.I32(n.typ.Size())
	g := loose{at: at, numeric: n, column: size}
	if n.packed {
		f.malformed("a matrix of packed numbers")
	}
	switch l := spirv.CooperativeVectorMatrixLayout(f.known(layout)); l {
	case spirv.CooperativeVectorMatrixLayoutInferencingOptimalNV, spirv.CooperativeVectorMatrixLayoutTrainingOptimalNV:
		g.row = f.bytesOf(columns, n)
		return g
	case spirv.CooperativeVectorMatrixLayoutRowMajorNV, spirv.CooperativeVectorMatrixLayoutColumnMajorNV:
		byRow := l == spirv.CooperativeVectorMatrixLayoutRowMajorNV
		switch {
		case stride != 0:
			g.row = f.typed(stride, ir.I32)
		case byRow:
			g.row = f.bytesOf(columns, n)
		default:
			g.row = f.bytesOf(rows, n)
		}
		if !byRow {
			g.row, g.column = g.column, g.row
		}
	default:
		f.unsupported("of layout %s", l)
	}
	return g
}

// bytesOf returns how many bytes so many numbers take.
func (f *function) bytesOf(count uint64, n numeric) ir.V {
	return f.b.I32(uint32(min(mul(count, uint64(n.typ.Size())), farAway)))
}

// matrixElement returns the pointer to a number of a matrix.
func (f *function) matrixElement(g *loose, row, column uint64) *pointer {
	off := f.strided(f.b.I32(0), f.b.I32(uint32(row)), g.row)
	return f.advance(g.at, f.strided(off, f.b.I32(uint32(column)), g.column))
}

// array returns the pointer so many bytes after the start of an array in memory.
func (f *function) array(id, off spirv.ID) *pointer {
	p := f.pointer(id)
	if p.memory != inBuffer && p.memory != physical || p.checked {
		f.unsupported("through a pointer to %s", p.class)
	}
	return f.advance(p, f.toInt(f.one(off), ir.I32))
}

// advance returns the pointer so many bytes after another.
func (f *function) advance(p *pointer, off ir.V) *pointer {
	q := *p
	q.clearLayout()
	if q.memory == physical {
		q.address, q.offset = f.b.Op(ir.Add, ir.I64, f.addressOf(p), f.b.Op(ir.ZExt, ir.I64, off)), offset{}
		return &q
	}
	if n, ok := f.constBits(off); ok {
		q.offset = q.offset.plus(n)
		return &q
	}
	q.offset = offset{dyn: f.b.OpAux(ir.At, ir.I32, 1, f.offsetValue(p.offset), off)}
	return &q
}

// components calls yield with the pointer to each component of a vector of type t
// at an address.
func (f *function) components(t *facts.Type, at *pointer, yield func(*pointer, ir.Type)) {
	if !t.IsVector() || t.Elem == nil {
		f.malformed("the type is not a vector; must be one")
	}
	s := f.scalar(t.Elem)
	if s == ir.B1 {
		f.malformed("the vector in memory has Boolean components; must have numbers")
	}
	for i := range f.flat(t) {
		yield(f.advance(at, f.b.I32(uint32(i)*s.Size())), s)
	}
}

func cooperativeVectorLoad(f *function, in spirv.Inst) {
	v := inst.CooperativeVectorLoadNV(in)
	at := f.array(v.Pointer(), v.Offset())
	m, _ := v.MemoryAccess()
	at.flags |= accessFlags(m)
	var parts []ir.V
	f.components(f.facts.Type(in.Type()), at, func(p *pointer, s ir.Type) {
		f.traceBytes(p, s.Size(), m, ir.Event{Read: true})
		parts = append(parts, f.loadScalar(p, s))
	})
	f.define(in, parts...)
}

func cooperativeVectorStore(f *function, in spirv.Inst) {
	v := inst.CooperativeVectorStoreNV(in)
	at := f.array(v.Pointer(), v.Offset())
	m, _ := v.MemoryAccess()
	at.flags |= accessFlags(m)
	parts := f.scalars(v.Object())
	f.components(f.typeOf(v.Object()), at, func(p *pointer, s ir.Type) {
		f.traceBytes(p, s.Size(), m, ir.Event{Write: true})
		f.storeScalar(p, s, parts[0])
		parts = parts[1:]
	})
}
