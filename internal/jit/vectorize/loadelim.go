package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Redundant load elimination in workgroup memory
//
// If all subgroups are one stream, each of them loads the same tile of workgroup memory in a phase. Within
// a block, a load reuses the registers of an earlier load of the same words if no instruction in between
// may write workgroup memory. Only invocations of the workgroup write it, and all of their code is in this
// function. Bound memory may be written by other threads, so its loads stay.
//
//	broadcastload v1, wg, o        v1                      subgroup 0
//	lane ffma a0, v1, …            lane ffma a0, v1, …
//	broadcastload v2, wg, o    →   (nothing)               subgroup 1
//	lane ffma a1, v2, …            lane ffma a1, v1, …
//
// This is local value numbering (Cocke & Schwartz 1970) of loads: a write that may alias ends their numbers.

// loadKey is the words that a load of workgroup memory reads. Operands that are constant are compared by
// their bits, others by their registers.
type loadKey struct {
	op                                vcode.Op
	aux                               uint64
	step, stride, ahead               uint32
	base, extra, index                uint64
	baseIsReg, extraIsReg, indexIsReg bool // the operand is a register
	parts                             int
}

// memoryKind is the memory of a handle.
type memoryKind uint8

const (
	unknownMemory memoryKind = iota
	localMemory              // of the workgroup
	globalMemory             // a resource, push constants or a table
)

// eliminateLoads removes redundant loads of workgroup memory.
func eliminateLoads(f *vcode.Func) {
	local := false
	f.Each(func(in *vcode.Inst) { local = local || in.Op == vcode.Scalar && in.IR == ir.Wg })
	if !local {
		return
	}
	u := &loadEliminator{f: f, defCount: make([]int32, len(f.Classes)), memory: make([]memoryKind, len(f.Classes)), readIn: make([]int32, len(f.Classes)), replacement: make([]vcode.Reg, len(f.Classes))}
	f.Each(func(in *vcode.Inst) {
		for _, d := range in.Defs {
			u.defCount[d]++
		}
		if in.Op != vcode.Scalar {
			return
		}
		switch in.IR {
		case ir.Wg:
			u.memory[in.Defs[0]] = localMemory
		case ir.Res, ir.Push, ir.Table, ir.Region:
			u.memory[in.Defs[0]] = globalMemory
		}
	})
	any := false
	for b := range f.Blocks {
		u.block = int32(b) + 1
		u.loads = map[loadKey]*vcode.Inst{}
		for i := range f.Blocks[b].Insts {
			any = u.inst(&f.Blocks[b].Insts[i]) || any
		}
	}
	if any {
		f.Each(u.rename)
		eliminateDead(f)
	}
}

// loadEliminator is the state of eliminateLoads.
type loadEliminator struct {
	f           *vcode.Func
	defCount    []int32      // by register: number of instructions that write it
	memory      []memoryKind // by handle
	replacement []vcode.Reg  // by register: the one that holds the same value, or 0

	// State of a block.
	block  int32                   // its number, from 1 on
	readIn []int32                 // by register: the last block that read it before writing it
	loads  map[loadKey]*vcode.Inst // available loads
}

// inst visits one instruction, and reports whether it is a redundant load.
func (u *loadEliminator) inst(in *vcode.Inst) bool {
	for _, list := range [...][]vcode.Reg{in.Uses, in.Masks} {
		for _, r := range list {
			u.readIn[r] = u.block
		}
	}
	k, load := u.keyOf(in)
	before := u.loads[k]
	if load && before != nil && u.covers(before, in) && u.unreadInBlock(in) {
		for i, d := range in.Defs {
			u.replacement[d] = before.Defs[i]
		}
		return true
	}
	if u.mayWriteLocal(in) || !u.unreadInBlock(in) {
		clear(u.loads)
	}
	if load && before == nil && u.singleDef(in) {
		u.loads[k] = in
	}
	return false
}

// singleDef reports whether the registers that an instruction writes have no other definition.
func (u *loadEliminator) singleDef(in *vcode.Inst) bool {
	for _, d := range in.Defs {
		if u.defCount[d] != 1 {
			return false
		}
	}
	return !in.Merging
}

// unreadInBlock reports whether this block did not read the registers that an instruction writes, before
// it; for loads, whether they have no other definition either.
func (u *loadEliminator) unreadInBlock(in *vcode.Inst) bool {
	for _, d := range in.Defs {
		if u.readIn[d] == u.block {
			return false
		}
	}
	return in.Op != vcode.StridedLoad && in.Op != vcode.BroadcastLoad || u.singleDef(in)
}

// covers reports whether load a was for all lanes that load b is for.
func (u *loadEliminator) covers(a, b *vcode.Inst) bool {
	for i, k := range a.Masks {
		bits, ok := u.f.Const(k)
		if (!ok || bits == 0) && (i >= len(b.Masks) || b.Masks[i] != k || u.defCount[k] != 1) {
			return false
		}
	}
	return true
}

// keyOf returns the key of a load of workgroup memory.
func (u *loadEliminator) keyOf(in *vcode.Inst) (k loadKey, ok bool) {
	if in.Op != vcode.StridedLoad && in.Op != vcode.BroadcastLoad || u.memory[in.Uses[0]] != localMemory || in.Key.Flags&ir.Volatile != 0 {
		return k, false
	}
	k = loadKey{op: in.Op, aux: in.Key.Aux, step: in.Step, stride: in.Stride, ahead: in.IndexOffset, parts: len(in.Defs)}
	for i, r := range in.Uses[1:] {
		n, ok := u.f.Const(r)
		if !ok {
			if u.defCount[r] > 1 {
				return k, false
			}
			n = uint64(r)
		}
		switch i {
		case 0:
			k.base, k.baseIsReg = n, !ok
		case 1:
			k.extra, k.extraIsReg = n, !ok
		case 2:
			k.index, k.indexIsReg = n, !ok
		default:
			return k, false
		}
	}
	return k, true
}

// mayWriteLocal reports whether an instruction may write workgroup memory.
func (u *loadEliminator) mayWriteLocal(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.StridedStore, vcode.Scatter, vcode.Atomic, vcode.AtomicLocal:
		return u.memory[in.Uses[0]] != globalMemory
	case vcode.Call, vcode.Barrier, vcode.Own:
		return true
	case vcode.Lane, vcode.Strip:
		return in.IR.Is(ir.Writes) || in.IR.Is(ir.Meets)
	case vcode.Scalar:
		return in.IR.Is(ir.Writes) && u.memory[in.Uses[0]] != globalMemory
	}
	return false
}

// rename replaces the registers that an instruction reads.
func (u *loadEliminator) rename(in *vcode.Inst) {
	if !slices.ContainsFunc(in.Uses, func(r vcode.Reg) bool { return u.replacement[r] != 0 }) {
		return
	}
	in.Uses = slices.Clone(in.Uses) // other instructions may share the list
	for i, r := range in.Uses {
		if u.replacement[r] != 0 {
			in.Uses[i] = u.replacement[r]
		}
	}
}
