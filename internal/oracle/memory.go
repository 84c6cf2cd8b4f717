package oracle

import (
	"github.com/chiaro-gpu/chiaro/facts"
)

// pointer is the value of a pointer.
type pointer struct {
	local   *local  // a variable of an invocation; nil for a buffer
	leaf    uint64  // in local
	buffer  *buffer // nil for local
	offset  uint64  // bytes in buffer
	matrix  layout
	lost    bool // an index has several values, or is out of range
	pointee *facts.Type
}

// layout describes a matrix in memory, or a vector of one.
type layout struct {
	stride   uint64 // bytes from one column, or row, to the next
	rowMajor bool
	apart    uint64 // bytes from one component of a vector of a row-major matrix to the next; 0 if they are dense
}

// local is a variable of one invocation, or of a workgroup: then it has owners.
type local struct {
	leaves  []Number
	owners  []owner
	sums    []sum
	relaxed bool // RelaxedPrecision: it may have numbers of 16 bits
	emitted bool // an output of a mesh shader
	// unordered: no barrier orders its accesses
	unordered bool
}

// owner is the invocations that have accessed a location. Accesses of a workgroup in different epochs are ordered by a barrier; private
// accesses, which no barrier orders, are of no group.
type owner struct {
	reader, readerGroup, readEpoch  uint64 // reader is an invocation, or shared for several
	writer, writerGroup, writeEpoch uint64
}

// read records a load. It returns whether all stores before are ordered to it.
func (o *owner) read(m *machine, epoch uint64) bool {
	if o.readerGroup == m.orderGroup() && o.readEpoch != epoch {
		o.reader = 0
	}
	o.reader, o.readerGroup, o.readEpoch = together(o.reader, m.invocation), together(o.readerGroup, m.recordGroup()), epoch
	return o.ordered(m, epoch)
}

// ordered reports whether all stores before are ordered to an access.
func (o *owner) ordered(m *machine, epoch uint64) bool {
	return o.writer == 0 || o.writer == m.invocation || o.writerGroup == m.orderGroup() && o.writeEpoch != epoch
}

// write records a store. It returns whether all stores before are ordered to it. A load that is not ordered makes the results of
// another invocation wrong.
func (o *owner) write(m *machine, epoch uint64) bool {
	if o.reader != 0 && o.reader != m.invocation && (o.readerGroup != m.orderGroup() || o.readEpoch == epoch) {
		m.undecided("a store to a location that another invocation loads")
	}
	ordered := o.ordered(m, epoch)
	if o.writerGroup == m.orderGroup() && o.writeEpoch != epoch {
		o.writer = 0
	}
	o.writer, o.writerGroup, o.writeEpoch = together(o.writer, m.invocation), together(o.writerGroup, m.recordGroup()), epoch
	return ordered
}

// orderGroup is the group whose barriers order the current access, 0 for none.
func (m *machine) orderGroup() uint64 {
	if m.private {
		return 0
	}
	return m.group.number
}

// recordGroup is the group of the current access.
func (m *machine) recordGroup() uint64 {
	if m.private {
		return shared
	}
	return m.group.number
}

// buffer is a buffer: the bytes before the dispatch, and the numbers that invocations stored.
type buffer struct {
	bytes []byte
	unit  uint64 // bytes of each access; 0 before the first
	cells map[uint64]*cell
	any   bool   // any content is permitted
	align uint64 // an access that begins before the next multiple may be inside
	*outside
}

// outside is the accesses that leave a buffer.
type outside struct {
	stores bool   // there are some, which may modify any byte at any time
	edge   uint64 // loads that end there or beyond may behave as if they leave the buffer

	robust2 bool // loads are zero, and stores are dropped
	dropped bool // there are stores that are dropped, whose values their invocations may load
}

// The greatest limits robustStorageBufferAccessSizeAlignment and robustUniformBufferAccessSizeAlignment.
const (
	storageAlignment = 4
	uniformAlignment = 256
)

// isZero reports whether an access at an offset outside of the buffer loads zero, or stores nothing ("Robust Buffer Access 2").
func (b *buffer) isZero(offset uint64) bool {
	n := uint64(len(b.bytes))
	return b.robust2 && offset >= (n+b.align-1)&^(b.align-1)
}

// near is the distance in bytes of other loads that may behave as if they leave the buffer ("Robust Buffer Access").
const near = 16

// maxRounds bounds the number of times that the edge of a buffer moves by one access.
const maxRounds = 4

// loadOutside records a load that begins at offset and leaves the buffer.
func (m *machine) loadOutside(b *buffer, offset uint64) {
	if b.robust2 { // whose accesses have no effect on others
		return
	}
	edge := max(offset, near-1) - (near - 1)
	if m.rounds >= maxRounds {
		edge = 0
	}
	if edge < b.edge && edge <= uint64(len(b.bytes)) {
		b.edge, m.again = edge, true
	}
}

// storeBeyond records a store at an offset that leaves the buffer.
func (m *machine) storeBeyond(b *buffer, offset uint64) {
	switch {
	case !b.isZero(offset):
		m.storeOutside(b)
	case !b.dropped:
		b.dropped, m.again = true, true
	}
}

// storeOutside records a store that may modify any byte of the buffer.
func (m *machine) storeOutside(b *buffer) {
	if !b.stores {
		b.stores, m.again = true, true
	}
	b.any = true
}

// cell is a number in a buffer.
type cell struct {
	number Number
	kind   *facts.Type
	owner
	sum // of atomics
}

// shared is in place of several invocations.
const shared = ^uint64(0)

func together(known, invocation uint64) uint64 {
	if known == 0 || known == invocation {
		return invocation
	}
	return shared
}

// cellAt returns the cell of an access of some bytes, nil out of range.
func (m *machine) cellAt(b *buffer, offset uint64, t *facts.Type) *cell {
	size := uint64(t.Width) / 8
	if b.unit == 0 {
		b.unit = size
	}
	if size == 0 || b.unit != size || offset%size != 0 {
		m.undecided("accesses of a buffer as numbers of several sizes")
	}
	n := uint64(len(b.bytes))
	if offset > n || size > n-offset {
		return nil
	}
	c := b.cells[offset]
	if c == nil {
		if m.numbers++; m.numbers > maxNumbers {
			m.undecided("accesses of more than %d numbers of buffers", maxNumbers)
		}
		bits := uint64(0)
		for i := range size {
			bits |= uint64(b.bytes[offset+i]) << (8 * i)
		}
		c = &cell{number: ofBits(t, bits), kind: t}
		b.cells[offset] = c
	}
	if c.kind != t && !c.number.Any { // the same bytes as another type
		bits, ok := c.number.bits(c.kind)
		if c.kind.IsFloat() && c.number.isPoint() && c.number.Low == 0 {
			c.number = Number{Any: true}
		} else if c.number = ofBits(t, bits); !ok {
			c.number = Number{Any: true}
		}
	}
	c.kind = t
	return c
}

// loadScalar loads a number from a buffer.
func (m *machine) loadScalar(b *buffer, offset uint64, t *facts.Type) Number {
	c := m.cellAt(b, offset, t)
	if c == nil && b.isZero(offset) && !b.dropped && !b.stores {
		return ofBits(t, 0)
	}
	if c == nil || b.any {
		return Number{Any: true}
	}
	if !c.read(m, m.group.buffers) { // the order of the two is open
		return Number{Any: true}
	}
	return c.number
}

// storeScalar stores a number in a buffer.
func (m *machine) storeScalar(b *buffer, offset uint64, t *facts.Type, n Number) {
	c := m.cellAt(b, offset, t)
	if c == nil {
		m.storeBeyond(b, offset)
		return
	}
	c.number = c.stored(t, c.number, n, c.write(m, m.group.buffers))
}

// access calls do with each scalar of a pointee: its number in the value, its offset and its type. It returns false if a part is no
// scalar.
func access(t *facts.Type, offset uint64, l layout, do func(offset uint64, t *facts.Type)) bool {
	switch {
	case t.IsScalar():
		do(offset, t)
		return true
	case t.IsVector():
		step := l.apart
		if step == 0 {
			step = uint64(t.Elem.Width) / 8
		}
		for i := range t.Count {
			do(offset+i*step, t.Elem)
		}
		return true
	case t.IsMatrix():
		for i := range t.Count {
			at, column := l.column(t, i)
			if !access(t.Elem, offset+at, column, do) {
				return false
			}
		}
		return true
	case t.IsStruct():
		for i := range t.Members {
			x := &t.Members[i]
			if !access(x.Type, offset+uint64(x.Offset), layout{stride: uint64(x.MatrixStride), rowMajor: x.RowMajor}, do) {
				return false
			}
		}
		return true
	case t.IsArray() && !t.IsRuntimeArray():
		for i := range t.Count {
			if !access(t.Elem, offset+i*uint64(t.ArrayStride), l, do) {
				return false
			}
		}
		return true
	}
	return false
}

// column returns the place of a column of a matrix, and its layout.
func (l layout) column(t *facts.Type, i uint64) (offset uint64, of layout) {
	if l.rowMajor {
		return i * uint64(t.Scalar().Width) / 8, layout{apart: l.stride}
	}
	return i * l.stride, layout{}
}

// index returns the pointer to a part of a pointee.
func (m *machine) index(p pointer, i Number) pointer {
	t := p.pointee
	k := i.Bits
	if i.Any || !t.IsStruct() && !t.IsRuntimeArray() && k >= t.Parts() {
		p.lost, k = true, 0
	}
	switch {
	case t.IsStruct():
		if k >= uint64(len(t.Members)) {
			m.undecided("an index of a structure that is no constant")
		}
		x := &t.Members[k]
		p.leaf += x.Leaf
		p.offset += uint64(x.Offset)
		p.matrix = layout{stride: uint64(x.MatrixStride), rowMajor: x.RowMajor}
		p.pointee = x.Type
		return p
	case t.IsArray():
		p.leaf += k * t.Elem.Leaves
		p.offset += k * uint64(t.ArrayStride)
	case t.IsMatrix():
		p.leaf += k * t.Elem.Leaves
		at, column := p.matrix.column(t, k)
		p.offset += at
		p.matrix = column
	case t.IsVector():
		p.leaf += k
		step := p.matrix.apart
		if step == 0 {
			step = uint64(t.Elem.Width) / 8
		}
		p.offset += k * step
	default:
		m.undecided("an index of a type that has no parts")
	}
	p.pointee = t.Elem
	return p
}

// load loads the pointee.
func (m *machine) load(p *pointer, at int) value {
	n, ok := count(p.pointee)
	if !ok {
		m.undecided("a load of a type without a fixed size")
	}
	if p.lost {
		if p.buffer != nil {
			m.loadOutside(p.buffer, uint64(len(p.buffer.bytes)))
		}
		v, _ := anyOf(p.pointee, at)
		return v
	}
	v := value{leaves: make([]Number, 0, n)}
	if p.local != nil {
		if p.local.emitted {
			m.undecided("a load of an output of a mesh shader")
		}
		v.leaves = append(v.leaves, p.local.leaves[p.leaf:p.leaf+uint64(n)]...)
		epoch := m.group.epoch
		if p.local.unordered {
			epoch = 1
		}
		for i := range v.leaves {
			if o := p.local.owners; o != nil && !o[p.leaf+uint64(i)].read(m, epoch) {
				v.leaves[i].Any = true
			}
		}
		if p.local.relaxed {
			v = relax(p.pointee, v)
		}
		return v
	}
	var end uint64
	if !access(p.pointee, p.offset, p.matrix, func(offset uint64, t *facts.Type) {
		v.leaves, end = append(v.leaves, m.loadScalar(p.buffer, offset, t)), max(end, offset+uint64(t.Width)/8)
	}) {
		m.undecided("a load of a type that is not made of numbers")
	}
	if end > uint64(len(p.buffer.bytes)) {
		m.loadOutside(p.buffer, p.offset)
	}
	if end >= p.buffer.edge {
		v = open(v)
	}
	return v
}

// store stores a value to the pointee.
func (m *machine) store(p *pointer, v value) {
	switch {
	case p.lost && p.local != nil && p.local.owners != nil:
		m.undecided("a store to workgroup memory by an index that is open or out of range")
	case p.lost && p.local != nil:
		for i := range p.local.leaves {
			p.local.leaves[i].Any = true
		}
	case p.lost:
		m.storeOutside(p.buffer)
	case p.local != nil && p.local.owners != nil:
		i, epoch := p.leaf, m.group.epoch
		if p.local.unordered {
			epoch = 1
		}
		scalars(p.pointee, func(t *facts.Type) {
			l := p.local
			l.leaves[i] = l.sums[i].stored(t, l.leaves[i], v.leaves[i-p.leaf], l.owners[i].write(m, epoch))
			i++
		})
	case p.local != nil:
		copy(p.local.leaves[p.leaf:], v.leaves)
	default:
		i := 0
		if !access(p.pointee, p.offset, p.matrix, func(offset uint64, t *facts.Type) {
			m.storeScalar(p.buffer, offset, t, v.leaves[i])
			i++
		}) {
			m.undecided("a store of a type that is not made of numbers")
		}
	}
}
