package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// loadKey names what a load of workgroup memory reads: operands that always hold
// the same by their bits, others by their register.
type loadKey struct {
	op                                vcode.Op
	aux                               uint64
	step, stride, ahead               uint32
	base, extra, index                uint64
	baseIsReg, extraIsReg, indexIsReg bool // that is a register
	parts                             int
}

// access is what a handle refers to.
type memoryKind uint8

const (
	unknownMemory memoryKind = iota
	localMemory              // the workgroup's
	globalMemory             // what is bound, which is not the workgroup's
)

// eliminateLoads lets a load of workgroup memory give what one before it in the same block
// gave, where nothing in between writes such memory: subgroups one behind the
// other in a phase read the same tiles. Only a workgroup's own invocations write
// it, and those are all in this code.
func eliminateLoads(f *vcode.Func) {
	local := false
	each(f, func(in *vcode.Inst) { local = local || in.Op == vcode.Scalar && in.IR == ir.Wg })
	if !local {
		return
	}
	u := &loadEliminator{f: f, defCount: make([]int32, len(f.Classes)), memory: make([]memoryKind, len(f.Classes)), readIn: make([]int32, len(f.Classes)), replacement: make([]vcode.Reg, len(f.Classes))}
	each(f, func(in *vcode.Inst) {
		for _, d := range in.Defs {
			u.defCount[d]++
		}
		if in.Op != vcode.Scalar {
			return
		}
		switch in.IR {
		case ir.Wg:
			u.memory[in.Defs[0]] = localMemory
		case ir.Res, ir.Push, ir.Table:
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
		each(f, u.rename)
		eliminateDead(f)
	}
}

type loadEliminator struct {
	f           *vcode.Func
	defCount    []int32      // by register: how often it is written
	memory      []memoryKind // by handle
	replacement []vcode.Reg

	// Of a block.
	block  int32
	readIn []int32 // by register: the last block in which it was read before it was written
	loads  map[loadKey]*vcode.Inst
}

// inst looks at one instruction, and reports whether what it loads is there.
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

// singleDef reports whether an instruction alone writes what it writes, always.
func (u *loadEliminator) singleDef(in *vcode.Inst) bool {
	for _, d := range in.Defs {
		if u.defCount[d] != 1 {
			return false
		}
	}
	return !in.Merging
}

// unreadInBlock is once where nobody has read in this block what was written before.
func (u *loadEliminator) unreadInBlock(in *vcode.Inst) bool {
	for _, d := range in.Defs {
		if u.readIn[d] == u.block {
			return false
		}
	}
	return in.Op != vcode.StridedLoad && in.Op != vcode.BroadcastLoad || u.singleDef(in)
}

// covers reports whether a load was for all lanes that another one is for.
func (u *loadEliminator) covers(a, b *vcode.Inst) bool {
	for i, k := range a.Masks {
		bits, ok := u.f.Const(k)
		if (!ok || bits == 0) && (i >= len(b.Masks) || b.Masks[i] != k || u.defCount[k] != 1) {
			return false
		}
	}
	return true
}

// keyOf returns what a load of workgroup memory reads.
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

// rename replaces what an instruction reads.
func (u *loadEliminator) rename(in *vcode.Inst) {
	if !slices.ContainsFunc(in.Uses, func(r vcode.Reg) bool { return u.replacement[r] != 0 }) {
		return
	}
	in.Uses = slices.Clone(in.Uses) // which other instructions may have, as what they write
	for i, r := range in.Uses {
		if u.replacement[r] != 0 {
			in.Uses[i] = u.replacement[r]
		}
	}
}
