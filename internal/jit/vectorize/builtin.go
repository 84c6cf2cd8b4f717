package vectorize

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Invocation IDs
//
// Built-ins that number invocations are strided or uniform (transfer.go: builtin) and cost little: the
// position of a part in the workgroup is a constant if all subgroups are one stream, and a function of the
// loop counter in work-item loops. For subgroup 1 of a workgroup of 32×1×1 and subgroups of 16 lanes:
//
//	local.x                            constant vector 16, 17, …, 31; lane0 = 16
//	global.x                           lane0 = global.x of the workgroup's first invocation + 16
//	local.x in a work-item loop        lane0 = loopIndex

// builtin emits a built-in that is known at compile time, or from the loop counter, since the position of
// the subgroup in the workgroup is. It reports whether v is one.
func (w *vectorizer) builtin(v ir.V) bool {
	x, s := w.src.Val(v), w.shapes.of[v]
	if x.Op == ir.In && !w.wholeGroup && w.stripLanes == 0 && w.p.In[x.Aux].Semantic == ir.LocalInvocationIndex && w.p.Subgroups() == 1 {
		w.constantBuiltin(v, s, func(part int) uint32 { return uint32(part * w.dst.Form.Lanes) })
		return true
	}
	if x.Op != ir.In || !w.wholeGroup || x.Type != ir.I32 || s.kind > strided && w.loopIndex == 0 {
		return false
	}
	lanes := uint32(w.dst.Form.Lanes)
	subgroup := uint32(w.firstPart / w.parts)
	index := func(part int) uint32 { return subgroup*w.p.SubgroupSize + uint32(part)*lanes }
	local := func(part, i int) uint32 {
		at, size := index(part), w.p.LocalSize
		return [3]uint32{at % size[0], at / size[0] % size[1], at / size[0] / size[1]}[i]
	}
	sem := w.p.In[x.Aux].Semantic
	switch sem {
	case ir.NumSubgroups, ir.SubgroupLocalInvocationId:
	default:
		if w.loopIndex != 0 && sem.Rate() > ir.PerGroup {
			w.builtinInLoop(v, s, sem)
			return true
		}
	}
	switch sem {
	case ir.SubgroupId:
		w.constantBuiltin(v, s, func(int) uint32 { return subgroup })
	case ir.NumSubgroups:
		w.constantBuiltin(v, s, func(int) uint32 { return w.p.Subgroups() })
	case ir.SubgroupLocalInvocationId:
		w.constantBuiltin(v, s, func(part int) uint32 { return uint32(w.subgroupAt) + uint32(part)*lanes })
	case ir.LocalInvocationIndex:
		w.constantBuiltin(v, s, index)
	case ir.LocalInvocationIdX, ir.LocalInvocationIdY, ir.LocalInvocationIdZ:
		w.constantBuiltin(v, s, func(part int) uint32 { return local(part, int(sem-ir.LocalInvocationIdX)) })
	case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY, ir.GlobalInvocationIdZ:
		w.globalID(v, s, func(part int) uint32 { return local(part, int(sem-ir.GlobalInvocationIdX)) })
	default:
		return false
	}
	return true
}

// constantBuiltin makes v constant: lane 0 of each part holds first(part).
func (w *vectorizer) constantBuiltin(v ir.V, s shape, first func(part int) uint32) {
	x := w.newValue()
	w.values[v] = x
	for p := range w.parts {
		at := first(p)
		if s.step == 0 {
			x.vec = append(x.vec, w.dst.NewConst(vcode.Vec, uint64(at)))
		} else {
			x.vec = append(x.vec, w.dst.NewSequence(at, s.step))
		}
		x.lane0 = append(x.lane0, w.dst.NewConst(vcode.Gen, uint64(at)))
	}
	if s.kind == uniform {
		x.vec, x.gen, x.lane0 = w.splat(x.vec[0]), x.lane0[0], nil
		return
	}
	if s.regular {
		x.lane0 = w.splat(x.lane0[0])
	}
	w.wordBases(v, x)
}

// globalID emits a global invocation ID: the ID of the workgroup's first invocation plus local(part), in
// lane 0 of each part.
func (w *vectorizer) globalID(v ir.V, s shape, first func(part int) uint32) {
	x, in := w.value(v), w.src.Val(v)
	start := w.groupStart[in.Aux]
	add := func(part int) vcode.Reg {
		at := first(part)
		if at == 0 {
			return start
		}
		r := w.dst.NewReg(vcode.Gen)
		w.emit(vcode.Inst{
			Op: vcode.Scalar, IR: ir.Add, Key: ir.Key{Type: ir.I32, From: ir.I32},
			Defs: []vcode.Reg{r}, Uses: []vcode.Reg{start, w.dst.NewConst(vcode.Gen, uint64(at))},
		})
		return r
	}
	if s.kind == uniform {
		x.gen = add(0)
		w.broadcast(v, x)
		return
	}
	for p := range w.lane0Count(s) {
		x.lane0[p] = add(p)
	}
	if s.regular {
		x.lane0 = w.splat(x.lane0[0])
	}
	if at := first(0); s.regular && s.step == 1 && at > 0 {
		// The subgroups share the address and the bounds check of the first one (followLeader).
		x.leader, x.indexOffset = w.splat(start), at
		x.wordBase = w.bases(s, w.splat(w.zero), x.leader, 4)
	} else {
		w.wordBases(v, x)
	}
	w.perPart(v, vcode.Inst{Op: vcode.Lane, IR: in.Op, Key: w.src.Key(v), Value: v})
}

// laneOffset returns the operand that a varying built-in has in a loop over chunks of the strip: how many
// lanes after the strip's first one the chunk begins.
func (w *vectorizer) laneOffset(x *ir.Val) []vcode.Reg {
	if x.Op != ir.In || w.stripLanes == 0 || w.p.In[x.Aux].Semantic.Rate() <= ir.PerGroup {
		return nil
	}
	return []vcode.Reg{w.loopIndex}
}

// builtinInLoop is builtin in a work-item loop, in which loopIndex is the index of the subgroup's first
// invocation.
func (w *vectorizer) builtinInLoop(v ir.V, s shape, sem ir.Semantic) {
	x, in := w.value(v), w.src.Val(v)
	scalar := func(op ir.Op, u, k vcode.Reg) vcode.Reg {
		r := w.dst.NewReg(vcode.Gen)
		w.emit(vcode.Inst{Op: vcode.Scalar, IR: op, Key: ir.Key{Type: ir.I32, From: ir.I32}, Defs: []vcode.Reg{r}, Uses: []vcode.Reg{u, k}})
		return r
	}
	first := func(part int) vcode.Reg {
		at := w.loopIndex
		if part > 0 && sem != ir.SubgroupId {
			at = scalar(ir.Add, at, w.dst.NewConst(vcode.Gen, uint64(part*w.dst.Form.Lanes)))
		}
		switch sem {
		case ir.SubgroupId:
			return scalar(ir.LShr, at, w.dst.NewConst(vcode.Gen, uint64(bits.TrailingZeros32(w.p.SubgroupSize))))
		case ir.LocalInvocationIndex:
			return at
		case ir.LocalInvocationIdX, ir.LocalInvocationIdY:
			if r, ok := w.coordinate(at, int(sem-ir.LocalInvocationIdX), scalar); ok {
				return r
			}
		case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY:
			if r, ok := w.coordinate(at, int(sem-ir.GlobalInvocationIdX), scalar); ok {
				if k, constant := w.dst.Const(r); constant && k == 0 {
					return w.groupStart[in.Aux]
				}
				return scalar(ir.Add, w.groupStart[in.Aux], r)
			}
		}
		r := w.dst.NewReg(vcode.Gen)
		w.emit(vcode.Inst{Op: vcode.InputBase, IR: in.Op, Key: w.src.Key(v), Part: uint8(part), Defs: []vcode.Reg{r}, Uses: []vcode.Reg{w.loopIndex}})
		return r
	}
	if s.kind == uniform {
		x.gen = first(0)
		w.broadcast(v, x)
		return
	}
	if s.kind == strided {
		for p := range w.lane0Count(s) {
			x.lane0[p] = first(p)
		}
		if s.regular {
			x.lane0 = w.splat(x.lane0[0])
		}
		w.wordBases(v, x)
	}
	for p := range w.parts {
		w.emit(vcode.Inst{
			Op: vcode.Lane, IR: in.Op, Key: w.src.Key(v), Value: v, Part: uint8(p), Masks: w.active[p : p+1],
			Defs: x.vec[p : p+1], Merging: w.merging(v), Uses: []vcode.Reg{w.loopIndex},
		})
	}
}

// coordinate emits x (axis 0) or y (axis 1) of the invocation with an index, the first of a part, and
// reports whether that needs no division.
func (w *vectorizer) coordinate(at vcode.Reg, axis int, scalar func(op ir.Op, u, k vcode.Reg) vcode.Reg) (vcode.Reg, bool) {
	width, lanes := w.p.LocalSize[0], uint32(w.dst.Form.Lanes)
	line, plane := w.p.LocalSize[1] == 1 && w.p.LocalSize[2] == 1, w.p.LocalSize[2] == 1
	switch {
	case axis == 0 && line:
		return at, true
	case axis == 0 && lanes%width == 0: // a part begins with x = 0
		return w.dst.NewConst(vcode.Gen, 0), true
	case axis == 1 && line:
		return w.dst.NewConst(vcode.Gen, 0), true
	case bits.OnesCount32(width) != 1:
	case axis == 0:
		return scalar(ir.And, at, w.dst.NewConst(vcode.Gen, uint64(width-1))), true
	case plane:
		return scalar(ir.LShr, at, w.dst.NewConst(vcode.Gen, uint64(bits.TrailingZeros32(width)))), true
	}
	return 0, false
}
