package lower

import "github.com/chiaro-gpu/chiaro/internal/ir"

// The lanes of a subgroup exchange the components of a cooperative matrix by
// shuffles. The lanes of a workgroup
// (cooperativeMatrixWorkgroupScope) cannot: they write their components to
// workgroup memory after the module's variables, wait, and read. Every
// invocation of the workgroup is there, for the instructions are executed by all
// or none. A matrix larger than the reserved memory is exchanged in rounds, each of as
// many lines as fit.

// ReservedMatrixBytes is the limit of the workgroup memory that cooperative matrices of its
// scope use, in bytes, unless one line is longer
// (cooperativeMatrixWorkgroupScopeReservedSharedMemory).
const ReservedMatrixBytes = 16 << 10

// rank returns the number of the invocation among those that hold a matrix.
func (f *function) rank(x *tile) ir.V {
	if x.wide {
		return f.input32(ir.LocalInvocationIndex)
	}
	return f.lane()
}

// exchangeRound is the part of a matrix that each lane can read in one exchange: lines
// first up to, but without, last, each of the same number of values.
type exchangeRound struct {
	f           *function
	x           *tile
	parts       []ir.V
	first, last uint64
	length      uint64
	typ         ir.Type
	memory, at  ir.V // of the workgroup, and its first byte that is set aside
}

// exchange makes the lines of a matrix readable by all lanes: length values of each
// line, in parts. It calls yield for each round.
func (f *function) exchange(x *tile, parts []ir.V, length uint64, yield func(*exchangeRound)) {
	r := exchangeRound{f: f, x: x, parts: parts, last: x.lines, length: length, typ: f.b.Func.Type(parts[0])}
	if !x.wide {
		yield(&r)
		return
	}
	size := uint64(r.typ.Size())
	lines := min(max(ReservedMatrixBytes/(length*size), 1), x.lines)
	base := roundUp(f.shared, 8)
	f.prog.SharedBytes = max(f.prog.SharedBytes, f.checkedBytes(base+lines*length*size))
	r.memory, r.at = f.b.Op(ir.Wg, ir.H), f.b.I32(uint32(base))
	for r.first = 0; r.first < x.lines; r.first = r.last {
		r.last = min(r.first+lines, x.lines)
		f.emit(ir.Val{Op: ir.Barrier}) // all lanes have read the previous round
		r.publish()
		f.emit(ir.Val{Op: ir.Barrier})
		yield(&r)
	}
}

// publish writes the lane's part of the lines of the round to memory.
func (r *exchangeRound) publish() {
	f := r.f
	rank := f.rank(r.x)
	for i := range uint64(len(r.parts)) {
		begin := i / r.length * r.x.lanes // the line of the first lane
		if begin >= r.last || begin+r.x.lanes <= r.first {
			continue
		}
		line := f.b.Op(ir.Add, ir.I32, rank, f.b.I32(uint32(begin)))
		off := r.offset(line, i%r.length)
		f.emit(ir.Val{Op: ir.St, Type: r.typ, Args: [4]ir.V{r.memory, off, r.parts[i]}})
	}
}

// offset returns the address of value i of a line, out of range if the line is
// not in this round.
func (r *exchangeRound) offset(line ir.V, i uint64) ir.V {
	b, size := r.f.b, uint64(r.typ.Size())
	in := b.Op(ir.Sub, ir.I32, line, b.I32(uint32(r.first)))
	inside := b.Cmp(ir.ULt, in, b.I32(uint32(r.last-r.first)))
	off := b.OpAux(ir.At, ir.I32, r.length*size, r.at, in)
	off = b.OpAux(ir.At, ir.I32, 1, off, b.I32(uint32(i*size)))
	return b.Select(inside, off, b.I32(farAway))
}

// value returns value i of a line of the round, the same in all lanes.
func (r *exchangeRound) value(line, i uint64) ir.V {
	b := r.f.b
	if r.x.wide {
		at := ((line-r.first)*r.length + i) * uint64(r.typ.Size())
		return r.load(r.at, at)
	}
	own := r.parts[line/r.x.lanes*r.length+i]
	return b.Op(ir.Shuf, r.typ, own, b.I32(uint32(line%r.x.lanes)))
}

// along returns value i of a line of the round, 0 if the line has no such
// value; each lane selects its own. The round is of a workgroup.
func (r *exchangeRound) along(line uint64, i ir.V) ir.V {
	b, size := r.f.b, uint64(r.typ.Size())
	inside := b.Cmp(ir.ULt, i, b.I32(uint32(r.length)))
	off := b.Select(inside, b.OpAux(ir.At, ir.I32, size, r.at, i), b.I32(farAway))
	return r.load(off, (line-r.first)*r.length*size)
}

// across returns value i of a line that each lane selects, and otherwise the value
// from another round. The round is of a workgroup.
func (r *exchangeRound) across(line ir.V, i uint64, otherwise ir.V) ir.V {
	b := r.f.b
	v := r.load(r.offset(line, i), 0)
	if otherwise == 0 {
		return v
	}
	return b.Select(b.Cmp(ir.ULe, b.I32(uint32(r.first)), line), v, otherwise)
}

func (r *exchangeRound) load(off ir.V, imm uint64) ir.V {
	return r.f.emit(ir.Val{Op: ir.Ld, Type: r.typ, Aux: imm, Args: [4]ir.V{r.memory, off}})
}
