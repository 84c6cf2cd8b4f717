package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Local value numbering over the parts of a strip
//
// A strip has two dimensions if it is wider than its workgroup: its parts are in rows and columns. A value
// that depends only on x is the same in all rows, and one that depends only on y has one scalar for each
// row. The vectorizer emits both for every part; this pass keeps one instruction of those that are equal.
// For 16×16 invocations, strips of 64 lanes and registers of 8:
//
//	parts        0 1    row 0             b[x]       load b0, b1 (all rows)
//	             2 3    row 1      →      a[y]       broadcast a0, a1, a2, a3 (all columns)
//	             4 5    row 2             a[y]·b[x]  8 products
//	             6 7    row 3
//
// Numbering is local to a block (Cocke & Schwartz 1970). Loads are numbered only among the parts of one
// operation: these happen at the same time, so no write is between them.

// originPart returns the first part of the strip in which a built-in has the same values as in the given
// part: the one in the same column for x, the first one of the row for y, and of the plane for z.
func (w *vectorizer) originPart(sem ir.Semantic, part int) int {
	lanes, size := w.dst.Form.Lanes, w.p.LocalSize
	width, plane := int(size[0]), int(size[0]*size[1])
	axis := 0
	switch sem {
	case ir.GlobalInvocationIdX, ir.LocalInvocationIdX:
	case ir.GlobalInvocationIdY, ir.LocalInvocationIdY:
		axis = 1
	case ir.GlobalInvocationIdZ, ir.LocalInvocationIdZ:
		axis = 2
	default:
		return part
	}
	strip := w.parts * lanes
	switch {
	case axis == 0 && width%lanes == 0 && strip%width == 0:
		part %= width / lanes
	case axis == 1 && width%lanes == 0 && strip%width == 0:
		part -= part % (width / lanes)
	case axis == 2 && plane%lanes == 0 && strip%plane == 0:
		part -= part % (plane / lanes)
	default:
		return part
	}
	return part
}

// numberer is the state of shareParts.
type numberer struct {
	f           *vcode.Func
	defCount    []int32     // by register: number of instructions that write it
	replacement []vcode.Reg // by register: the one that holds the same value, or 0
	written     []int32     // by register: position of the last write, from 1 on
	table       []int32     // by hash: 1 + the index of an instruction of the block
	list        []vcode.Inst
	start       int32 // position of the block
}

// shareParts removes repeated computations of each block. A block sees the registers that it replaced at once, so that instructions
// that depend on them are equal too; the rest of the function sees them at the end.
func shareParts(f *vcode.Func) {
	mem := acquireArena()
	defer mem.release()
	n := &numberer{f: f, defCount: mem.numbers.Alloc(len(f.Classes)), replacement: mem.regs.Alloc(len(f.Classes)), written: mem.numbers.Alloc(len(f.Classes))}
	longest := 0
	for b := range f.Blocks {
		longest = max(longest, len(f.Blocks[b].Insts))
	}
	f.Each(func(in *vcode.Inst) {
		for _, d := range in.Defs {
			n.defCount[d]++
		}
	})
	size := 64
	for size < 2*longest {
		size *= 2
	}
	table := mem.numbers.Alloc(size)
	any := false
	for b := range f.Blocks {
		if len(f.Blocks[b].Insts) < 2 {
			continue
		}
		n.list = f.Blocks[b].Insts
		for size = 64; size < 2*len(n.list); size *= 2 {
		}
		n.table = table[:size]
		clear(n.table)
		for i := range n.list {
			n.rename(&n.list[i])
			any = n.number(i) || any
			for _, d := range n.list[i].Defs {
				n.written[d] = n.start + int32(i) + 1
			}
		}
		n.start += int32(len(n.list))
	}
	if any {
		f.Each(n.rename)
		eliminateDead(f)
	}
}

// number looks an instruction up, and reports whether an earlier one has the same result.
func (n *numberer) number(i int) bool {
	in := &n.list[i]
	if !n.numbered(in) {
		return false
	}
	for at := n.hash(in) & uint64(len(n.table)-1); ; at = (at + 1) & uint64(len(n.table)-1) {
		k := n.table[at]
		if k == 0 {
			n.table[at] = int32(i) + 1
			return false
		}
		if before := &n.list[k-1]; n.equal(before, in) && n.current(before, n.start+k) {
			if in.Op == vcode.Guard {
				in.Defs, in.Op, in.Uses = nil, vcode.Undef, nil // deleted with the dead code
				return true
			}
			n.replacement[in.Defs[0]] = before.Defs[0]
			return true
		}
	}
}

// current reports whether the operands of an instruction have not been written since its position.
func (n *numberer) current(in *vcode.Inst, position int32) bool {
	for _, list := range [...][]vcode.Reg{in.Uses, in.Masks} {
		for _, r := range list {
			if n.written[r] > position {
				return false
			}
		}
	}
	return true
}

// numbered reports whether the result of an instruction depends only on its operands, and is its register's only one.
func (n *numberer) numbered(in *vcode.Inst) bool {
	if in.Op == vcode.Guard { // a repeated one bails out no more
		return true
	}
	if len(in.Defs) != 1 || in.Merging || in.Key.Flags&(ir.Volatile|ir.Coherent) != 0 {
		return false
	}
	switch in.Op {
	case vcode.Lane, vcode.Scalar:
		if in.IR != ir.In && !laneInvariant(in.IR) || in.IR.Is(ir.Meets) || in.IR.Is(ir.Writes) || in.IR.Is(ir.Reads) || in.IR.Family() == ir.PrivateMemory {
			return false
		}
	case vcode.StridedLoad, vcode.BroadcastLoad, vcode.Gather:
	case vcode.InputBase, vcode.StridedBase, vcode.Broadcast, vcode.And, vcode.AndNot, vcode.Or:
	default:
		return false
	}
	return n.defCount[in.Defs[0]] == 1
}

// hash returns a hash of the operation and its operands.
func (n *numberer) hash(in *vcode.Inst) uint64 {
	const prime = 1099511628211
	h := uint64(in.Op) | uint64(in.IR)<<8 | uint64(in.Key.Type)<<16 | uint64(in.Key.From)<<24 | uint64(in.Stride)<<32
	h = (h ^ in.Key.Aux) * prime
	for _, r := range in.Uses {
		h = (h ^ n.operand(r)) * prime
	}
	return h ^ h>>29
}

// operand returns a number that equal operands share: of a constant its bits, of a register its own number.
func (n *numberer) operand(r vcode.Reg) uint64 {
	if bits, ok := n.f.Const(r); ok {
		return bits
	}
	if first, step, ok := n.f.Sequence(r); ok {
		return uint64(first) | uint64(step)<<32
	}
	return uint64(r) << 32
}

// equal reports whether b has the result of a, which comes first.
func (n *numberer) equal(a, b *vcode.Inst) bool {
	if a.Op != b.Op || a.IR != b.IR || a.Key != b.Key || a.Step != b.Step || a.Stride != b.Stride || a.IndexOffset != b.IndexOffset || a.Proven != b.Proven || a.Checked != b.Checked {
		return false
	}
	if len(a.Uses) != len(b.Uses) || len(a.Masks) != len(b.Masks) || a.Target != b.Target {
		return false
	}
	if a.Op != vcode.Guard && n.f.Classes[a.Defs[0]] != n.f.Classes[b.Defs[0]] {
		return false
	}
	switch a.Op {
	case vcode.StridedLoad, vcode.BroadcastLoad, vcode.Gather:
		if a.Value != b.Value {
			return false
		}
	}
	if (a.IR == ir.In || a.Op == vcode.InputBase) && a.Part != b.Part {
		return false
	}
	for i, r := range a.Uses {
		if r != b.Uses[i] && !n.equalConstants(r, b.Uses[i]) {
			return false
		}
	}
	for i, r := range a.Masks { // a is valid in all lanes, or in the lanes of b
		if bits, ok := n.f.Const(r); r != b.Masks[i] && !(ok && bits&1 != 0) {
			return false
		}
	}
	return true
}

// equalConstants reports whether two registers are equal constants of one class.
func (n *numberer) equalConstants(a, b vcode.Reg) bool {
	return n.f.IsConst(a) && n.f.IsConst(b) && n.f.Classes[a] == n.f.Classes[b] && n.operand(a) == n.operand(b) && n.isSequence(a) == n.isSequence(b)
}

// isSequence reports whether a constant differs between lanes.
func (n *numberer) isSequence(r vcode.Reg) bool {
	_, _, ok := n.f.Sequence(r)
	return ok
}

// rename replaces the registers that an instruction reads.
func (n *numberer) rename(in *vcode.Inst) {
	in.Uses, in.Masks = n.renamed(in.Uses), n.renamed(in.Masks)
}

// renamed returns a list with registers replaced. Other instructions may share the old list.
func (n *numberer) renamed(list []vcode.Reg) []vcode.Reg {
	for i, r := range list {
		if n.replacement[r] == 0 {
			continue
		}
		out := n.f.Form.Arena.Regs(len(list))
		copy(out, list[:i])
		for j := i; j < len(list); j++ {
			if out[j] = list[j]; n.replacement[list[j]] != 0 {
				out[j] = n.replacement[list[j]]
			}
		}
		return out
	}
	return list
}
