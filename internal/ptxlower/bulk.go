package ptxlower

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// Bulk copies are complete at once (PTX ISA, "Async proxy", "cp.async.bulk", "cp.reduce.async.bulk", "st.bulk"): a thread that reads their
// result must wait for the bytes at the mbarrier object, or for the bulk group of the thread that copies. One thread copies all bytes.

// bulkChunk is the number of bytes that a bulk copy moves at a time: addresses and sizes are multiples of it.
const bulkChunk = 16

// bulkMods are the modifiers of bulk copies besides the ones of cp.async.
const bulkMods = " .bulk .shared::cluster .mbarrier::complete_tx::bytes .bulk_group .prefetch .L2 .read .multicast::cluster .cp_mask .reduce .add .inc .dec .min .max .and .or .xor .noftz"

// spacesOf returns the spaces that an instruction names, in order.
func spacesOf(in *ptx.Instr) (list []space) {
	for _, m := range in.Mods {
		if s := spaceOf(&ptx.Instr{Mods: []string{m}}); s != inGeneric {
			list = append(list, s)
		}
	}
	return list
}

// bulkCopy emits cp.async.bulk and cp.reduce.async.bulk.
func (e *emitter) bulkCopy() {
	in := e.in
	if in.Has(".prefetch") {
		e.bulkPrefetch()
		return
	}
	byObject, masked, reduces := in.Has(".mbarrier::complete_tx::bytes"), in.Has(".cp_mask"), in.Has(".reduce")
	want := 3
	if byObject {
		want++
	}
	for _, more := range []string{".multicast::cluster", ".cp_mask"} {
		if in.Has(more) {
			want++
		}
	}
	if len(in.Operands) != want {
		malformed(in.Pos, "%s has %d operands; must have %d", in.Name(), len(in.Operands), want)
	}
	spaces := spacesOf(in)
	if byObject == in.Has(".bulk_group") || len(spaces) != 2 || byObject != (spaces[0] == inShared) || spaces[0] == inGlobal && spaces[1] != inShared || masked && (byObject || reduces) {
		unsupported(in.Pos, "%s", in.Name())
	}
	size := e.bulkSize(2, bulkChunk)
	to, from := e.bulkAddress(0), e.bulkAddress(1)
	e.checkSure(e.sure, "the operand")
	e.sure = 0
	var mask ir.V
	if masked {
		mask = e.read(e.operand(3), ir.I32)
	}
	e.eachChunk(size, bulkChunk, func(at ir.V) {
		target, source := e.chunkAddress(to, at), e.chunkAddress(from, at)
		switch {
		case reduces:
			e.reduceChunk(target, spaces[0], source, spaces[1])
		case masked:
			e.copyBytes(target, spaces[0], source, spaces[1], mask)
		default:
			e.copyChunk(target, spaces[0], source, spaces[1])
		}
	})
	if byObject {
		zero := e.b.Const(ir.I64, 0)
		tx := e.b.Op(ir.Sub, ir.I64, zero, e.b.Op(ir.ZExt, ir.I64, size))
		e.completes = true
		e.changeObject(e.operand(3), func(old ir.V) ir.V { return e.nextObject(old, zero, zero, tx) })
		e.completes = false
	}
}

// bulkPrefetch checks cp.async.bulk.prefetch, a hint.
func (e *emitter) bulkPrefetch() {
	if !slices.Equal(e.in.Mods, []string{".async", ".bulk", ".prefetch", ".L2", ".global"}) {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	if n := len(e.in.Operands); n != 2 {
		malformed(e.in.Pos, "%s has %d operands; must have 2", e.in.Name(), n)
	}
	e.bulkAddress(0)
	e.read(e.operand(1), ir.I32)
	e.checkSure(e.sure, "the operand")
}

// bulkSize returns the value of operand i, a number of bytes, as a multiple of step. One side of each bulk copy is shared memory: the launch
// fails if it has fewer bytes, so that a wrong size takes no time.
func (e *emitter) bulkSize(i int, step uint32) ir.V {
	size := e.read(e.operand(i), ir.I64)
	e.b.If(e.b.Cmp(ir.ULt, e.b.Const(ir.I64, uint64(e.sharedEnd)), size))
	e.abort(fmt.Sprintf("%s of more bytes than the %d of shared memory", e.in.Name(), e.sharedEnd))
	e.b.End()
	return e.b.Op(ir.And, ir.I32, e.b.Op(ir.Trunc, ir.I32, size), e.b.I32(^(step - 1)))
}

// bulkAddress returns the value of operand i, an address.
func (e *emitter) bulkAddress(i int) ir.V {
	o := e.operand(i)
	if o.Kind != ptx.Address || len(o.Elems) != 1 {
		malformed(o.Pos, "this operand of %s is no address; must be one", e.in.Name())
	}
	return e.readAddress(o.Elems[0], ir.I64)
}

// chunkAddress returns an address that is at bytes after another one.
func (e *emitter) chunkAddress(v, at ir.V) ir.V {
	return e.b.Op(ir.Add, ir.I64, v, e.b.Op(ir.ZExt, ir.I64, at))
}

// eachChunk emits a loop over the multiples of step below size, which is a multiple of step as well.
func (e *emitter) eachChunk(size ir.V, step uint32, do func(at ir.V)) {
	b := e.b
	done := b.Block()
	loop := b.Loop(b.I32(0))
	at := b.Param(loop, 0)
	b.If(b.Cmp(ir.ULt, at, size))
	do(at)
	b.Br(loop, b.Op(ir.Add, ir.I32, at, b.I32(step)))
	b.Else()
	b.Br(done)
	b.End()
	b.End()
	b.End()
}

// copyChunk copies the words of a chunk.
func (e *emitter) copyChunk(to ir.V, in space, from ir.V, of space) {
	words := make([]ir.V, bulkChunk/4)
	e.inSpace(from, of, bulkChunk, func(p place) {
		for i := range words {
			words[i] = e.loadPlace(p, uint64(4*i), ir.I32, 0)
		}
	})
	e.inSpace(to, in, bulkChunk, func(p place) {
		for i, v := range words {
			e.storePlace(p, uint64(4*i), v, 0)
		}
	})
}

// copyBytes copies the bytes of a chunk with a bit in the mask.
func (e *emitter) copyBytes(to ir.V, in space, from ir.V, of space, mask ir.V) {
	b := e.b
	for i := range uint32(bulkChunk) {
		bit := b.Op(ir.And, ir.I32, mask, b.I32(1<<i))
		b.If(b.Op(ir.Not, ir.B1, b.Cmp(ir.Eq, bit, b.I32(0))))
		var v ir.V
		e.inSpace(e.chunkAddress(from, b.I32(i)), of, 1, func(p place) { v = e.loadPlace(p, 0, ir.I8, 0) })
		e.inSpace(e.chunkAddress(to, b.I32(i)), in, 1, func(p place) { e.storePlace(p, 0, v, 0) })
		b.End()
	}
}

// reduceChunk emits an atomic for each element of a chunk.
func (e *emitter) reduceChunk(to ir.V, in space, from ir.V, of space) {
	typ, op := e.typ(0), e.operation()
	t, size := irType(typ), uint32(ptx.TypeSize(typ))
	if size < 2 || size > 8 || halfKind(typ) != noHalf && (op != ".add" || !e.in.Has(".noftz")) {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	for i := uint32(0); i < bulkChunk; i += size {
		var v ir.V
		e.inSpace(e.chunkAddress(from, e.b.I32(i)), of, uint64(size), func(p place) { v = e.loadPlace(p, 0, t, 0) })
		e.inSpace(e.chunkAddress(to, e.b.I32(i)), in, uint64(size), func(p place) {
			e.checkExchanged(p, op, t)
			e.atomicAt(p, op, typ, []ir.V{v})
			e.followStore(p, 0, t)
		})
	}
}

// storeBulk emits st.bulk: it makes the bytes of shared memory 0, eight at a time.
func (e *emitter) storeBulk() {
	const step = 8
	in := e.in
	if len(in.Operands) != 3 {
		malformed(in.Pos, "%s has %d operands; must have 3", in.Name(), len(in.Operands))
	}
	if n := e.constantOperand(2); n != 0 {
		malformed(e.operand(2).Pos, "the initial value is %d; must be 0", int64(n))
	}
	if s := spaceOf(in); s != inShared && s != inGeneric || in.Has(".async") {
		unsupported(in.Pos, "%s", in.Name())
	}
	size := e.bulkSize(1, step)
	to := e.bulkAddress(0)
	e.checkSure(e.sure, "the operand")
	e.sure = 0
	e.eachChunk(size, step, func(at ir.V) {
		e.inSpace(e.chunkAddress(to, at), inShared, step, func(p place) { e.storePlace(p, 0, e.b.Const(ir.I64, 0), 0) })
	})
}
